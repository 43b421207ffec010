/* src/sass/cubin_write.c - sections in the order of their numbers, then the
 * tables; bytes in the order of segments: what is not loaded, constants and
 * code, variables. */
#include "sass/cubin_write.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    MACHINE_CUDA = 190,
    TABLES = 3, /* symbols, their names, names of sections */
    SEGMENTS = 4,
};

typedef struct writer {
    const cubin *c;
    strbuf *out;
    size_t begin;        /* of the file in `out` */
    Elf64_Shdr *headers; /* as many as sections and tables, */
    uint32_t count;
    uint32_t symbols; /* of these: the table of symbols */
    strbuf *tables;   /* bytes of those from c->section_count on */
    strbuf names, symbol_names;
    Elf64_Phdr segments[SEGMENTS];
} writer;

static uint32_t add_name(strbuf *names, const char *name)
{
    uint32_t at = (uint32_t)names->size;

    strbuf_write(names, name, strlen(name) + 1);
    return at;
}

/* ---- Tables ---- */

/* Its number, behind those of `c`. */
static uint32_t add_table(writer *w, const char *name, uint32_t type,
                          uint32_t link, uint32_t info, uint32_t each)
{
    w->headers[w->count] =
        (Elf64_Shdr){.sh_name = add_name(&w->names, name),
                     .sh_type = type,
                     .sh_flags = type == SHT_RELA ? CUBIN_F_INFO : 0,
                     .sh_link = link,
                     .sh_info = info,
                     .sh_addralign = each ? 8 : 1,
                     .sh_entsize = each};
    return w->count++;
}

static strbuf *table_of(writer *w, uint32_t section)
{
    return &w->tables[section - w->c->section_count];
}

static void make_symbols(writer *w)
{
    uint32_t locals = 0;
    uint32_t names = add_table(w, ".strtab", SHT_STRTAB, 0, 0, 0);

    while (locals < w->c->symbol_count &&
           w->c->symbols[locals].bind == STB_LOCAL)
        locals++;
    w->symbols =
        add_table(w, ".symtab", SHT_SYMTAB, names, locals, sizeof(Elf64_Sym));
    strbuf_putc(&w->symbol_names, '\0');
    for (uint32_t i = 0; i < w->c->symbol_count; i++) {
        const cubin_symbol *s = &w->c->symbols[i];
        Elf64_Sym sym = {.st_name = i ? add_name(&w->symbol_names, s->name) : 0,
                         .st_info = ELF64_ST_INFO(s->bind, s->type),
                         .st_other = s->other,
                         .st_shndx = (Elf64_Half)s->section,
                         .st_value = s->value,
                         .st_size = s->size};

        strbuf_write(table_of(w, w->symbols), (const char *)&sym, sizeof sym);
    }
    strbuf_write(table_of(w, names), w->symbol_names.text,
                 w->symbol_names.size);
}

/* A table for each section that is patched. */
static void make_relocs(writer *w)
{
    uint32_t section = 0, table = 0;

    for (uint32_t i = 0; i < w->c->reloc_count; i++) {
        const cubin_reloc *r = &w->c->relocs[i];
        Elf64_Rela rela = {.r_offset = r->offset,
                           .r_info = ELF64_R_INFO((uint64_t)r->symbol, r->type),
                           .r_addend = r->addend};

        if (r->section != section) {
            strbuf name = {0};

            section = r->section;
            strbuf_printf(&name, ".rela%s", w->c->sections[section].name);
            table = add_table(w, name.text, SHT_RELA, w->symbols, section,
                              sizeof rela);
            strbuf_fini(&name);
        }
        strbuf_write(table_of(w, table), (const char *)&rela, sizeof rela);
    }
}

/* ---- Bytes ---- */

static void pad_to(writer *w, uint64_t align)
{
    while (align > 1 && (w->out->size - w->begin) % align)
        strbuf_putc(w->out, '\0');
}

static void put_bytes(writer *w, uint32_t section)
{
    Elf64_Shdr *h = &w->headers[section];
    const cubin_section *s = &w->c->sections[section];
    bool table = section >= w->c->section_count;

    pad_to(w, h->sh_addralign);
    h->sh_offset = w->out->size - w->begin;
    if (table) {
        const strbuf *b = table_of(w, section);

        h->sh_size = b->size;
        strbuf_write(w->out, b->text ? b->text : "", b->size);
    } else if (h->sh_type != CUBIN_T_EMPTY && s->size) {
        strbuf_write(w->out, (const char *)s->bytes, s->size);
    }
}

static bool in_segment(const Elf64_Shdr *h, unsigned segment)
{
    unsigned mine = !(h->sh_flags & CUBIN_F_ALLOC)            ? 0
                    : !(h->sh_flags & CUBIN_F_WRITE)          ? 1
                    : h->sh_type != (Elf64_Word)CUBIN_T_EMPTY ? 2
                                                              : 3;

    return mine == segment;
}

/* Those of one kind, one after another; the first byte and the first behind
 * the last. */
static void put_segment(writer *w, unsigned segment, uint64_t *from,
                        uint64_t *to, uint64_t *empty)
{
    *from = *to = w->out->size - w->begin;
    for (uint32_t i = 1; i < w->count; i++) {
        const Elf64_Shdr *h = &w->headers[i];

        if (!in_segment(h, segment))
            continue;
        if (*from == *to)
            pad_to(w, h->sh_addralign), *from = w->out->size - w->begin;
        put_bytes(w, i);
        *to = w->out->size - w->begin;
        if (h->sh_type == CUBIN_T_EMPTY)
            *empty += h->sh_size;
    }
}

static Elf64_Phdr segment_of(uint32_t type, uint32_t flags, uint64_t from,
                             uint64_t size, uint64_t empty)
{
    return (Elf64_Phdr){.p_type = type,
                        .p_flags = flags,
                        .p_offset = from,
                        .p_filesz = size,
                        .p_memsz = size + empty,
                        .p_align = 8};
}

static void put_sections(writer *w)
{
    uint64_t from, to, empty = 0;

    put_segment(w, 0, &from, &to, &empty);
    put_segment(w, 1, &from, &to, &empty);
    w->segments[1] = segment_of(PT_LOAD, PF_R | PF_X, from, to - from, 0);
    put_segment(w, 2, &from, &to, &empty);
    w->segments[2] = segment_of(PT_LOAD, PF_R | PF_W, from, to - from, 0);
    put_segment(w, 3, &from, &to, &empty);
    w->segments[2].p_memsz += empty;
}

/* ---- The file ---- */

static Elf64_Ehdr head_of(const writer *w, uint64_t sections, uint64_t segments)
{
    const cubin *c = w->c;
    bool old = c->sm < 75;
    Elf64_Ehdr h = {.e_type = ET_EXEC,
                    .e_machine = MACHINE_CUDA,
                    .e_version = EV_CURRENT,
                    .e_phoff = segments,
                    .e_shoff = sections,
                    .e_flags = old ? c->sm << 16 | 0x500 | c->sm
                                   : 0x06000004 | c->sm << 8,
                    .e_ehsize = sizeof h,
                    .e_phentsize = sizeof(Elf64_Phdr),
                    .e_phnum = SEGMENTS,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = (Elf64_Half)w->count,
                    .e_shstrndx = (Elf64_Half)(w->count - 1)};

    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64;
    h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_ident[EI_VERSION] = EV_CURRENT;
    h.e_ident[EI_OSABI] = old ? 0x33 : 0x41;
    h.e_ident[EI_ABIVERSION] = old ? 7 : 8;
    return h;
}

static void begin_sections(writer *w)
{
    const cubin *c = w->c;

    strbuf_putc(&w->names, '\0');
    for (w->count = 1; w->count < c->section_count; w->count++) {
        const cubin_section *s = &c->sections[w->count];

        w->headers[w->count] =
            (Elf64_Shdr){.sh_name = add_name(&w->names, s->name),
                         .sh_type = s->type,
                         .sh_flags = s->flags,
                         .sh_info = s->info,
                         .sh_size = s->size,
                         .sh_addralign = s->align};
    }
    make_symbols(w);
    make_relocs(w);
    for (uint32_t i = 1; i < c->section_count; i++)
        if (c->sections[i].type == CUBIN_T_INFO ||
            c->sections[i].flags & CUBIN_F_CODE)
            w->headers[i].sh_link = w->symbols;
}

void cubin_write(const cubin *c, strbuf *out)
{
    uint32_t most = c->section_count + c->reloc_count + TABLES;
    writer w = {.c = c, .out = out, .begin = out->size};
    uint64_t sections, segments;
    uint32_t names;
    Elf64_Ehdr head = {0};

    w.headers = new0(most, sizeof *w.headers);
    w.tables = new0(most, sizeof *w.tables);
    strbuf_write(out, (const char *)&head, sizeof head);
    begin_sections(&w);
    names = add_table(&w, ".shstrtab", SHT_STRTAB, 0, 0, 0);
    strbuf_write(table_of(&w, names), w.names.text, w.names.size);
    put_sections(&w);
    pad_to(&w, 8);
    sections = out->size - w.begin;
    strbuf_write(out, (const char *)w.headers, w.count * sizeof *w.headers);
    segments = out->size - w.begin;
    w.segments[0] = w.segments[3] =
        segment_of(PT_PHDR, PF_R | PF_X, segments, sizeof w.segments, 0);
    w.segments[3].p_type = PT_LOAD;
    strbuf_write(out, (const char *)w.segments, sizeof w.segments);
    head = head_of(&w, sections, segments);
    memcpy(out->text + w.begin, &head, sizeof head);
    for (uint32_t i = 0; i < most; i++)
        strbuf_fini(&w.tables[i]);
    strbuf_fini(&w.names);
    strbuf_fini(&w.symbol_names);
    free(w.headers);
    free(w.tables);
}
