/* src/sass/cubin.c - header, sections, symbols, relocations and functions. */
#include "sass/cubin.h"

#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "sass/cubin_parts.h"

enum {
    MACHINE_CUDA = 190,
    OS_ABI_OLD = 0x33, /* toolkits up to 12 */
    OS_ABI = 0x41,     /* 13 on, with ABI version 8 */
    ABI_VERSION = 8,
    /* Types of sections without bytes in relocatable files. */
    TYPE_GLOBAL = 0x70000007,
    TYPE_LOCAL = 0x70000009,
    TYPE_SHARED = 0x7000000a,
};

#define SECTION_BYTES_MOST ((uint64_t)1 << 48)

/* ---- Messages ---- */

bool cubin_damaged(const cubin *c, const char *section, const char *what,
                   diag *dg)
{
    diag_add(dg, DIAG_ERROR, c->file, 0, 0, 0,
             "the file is damaged: %s%s%s%s; make it again with nvcc or ptxas",
             section ? "section '" : "", section ? section : "",
             section ? "': " : "", what);
    return false;
}

static bool refuse(const cubin *c, diag *dg, const char *what)
{
    diag_add(dg, DIAG_ERROR, c->file, 0, 0, 0, "%s", what);
    return false;
}

/* ---- Header ---- */

bool cubin_is(const void *data, size_t size)
{
    const unsigned char *b = data;

    return size >= offsetof(Elf32_Ehdr, e_version) && !memcmp(b, ELFMAG, 4) &&
           b[offsetof(Elf32_Ehdr, e_machine)] == MACHINE_CUDA &&
           !b[offsetof(Elf32_Ehdr, e_machine) + 1];
}

static bool read_head(cubin *c, const elf_file *f, diag *dg)
{
    const Elf64_Ehdr *h = f->head;

    if (!f->is)
        return refuse(c, dg,
                      "this is no ELF file, so no cubin: give one that "
                      "nvcc -cubin or ptxas makes");
    if (f->size > EI_CLASS && f->at[EI_CLASS] == ELFCLASS32)
        return refuse(c, dg,
                      "this is machine code with addresses of 32 bits, which "
                      "Heddle does not read: compile for 64 bits (nvcc -m64)");
    if (!h)
        return cubin_damaged(c, NULL, "its header is not complete", dg);
    if (h->e_machine != MACHINE_CUDA)
        return refuse(c, dg,
                      "this is an ELF file, but not for GPUs of CUDA: "
                      "give one that nvcc -cubin or ptxas makes");
    c->os_abi = h->e_ident[EI_OSABI];
    c->abi_version = h->e_ident[EI_ABIVERSION];
    c->elf_type = h->e_type;
    if ((c->os_abi != OS_ABI && c->os_abi != OS_ABI_OLD) ||
        c->abi_version > ABI_VERSION ||
        (c->os_abi == OS_ABI && c->abi_version != ABI_VERSION)) {
        diag_add(dg, DIAG_ERROR, c->file, 0, 0, 0,
                 "the file is of another toolkit than those of CUDA that "
                 "Heddle knows (ABI 0x%x, version %u): compile with CUDA 13 or "
                 "older",
                 c->os_abi, c->abi_version);
        return false;
    }
    c->sm = c->os_abi == OS_ABI ? h->e_flags >> 8 & 0xff : h->e_flags & 0xff;
    if (c->sm < CUBIN_LEAST_SM)
        return cubin_damaged(c, NULL, "its header names no architecture", dg);
    return true;
}

/* ---- Sections ---- */

static bool has_bytes(const Elf64_Shdr *s)
{
    return s->sh_type != SHT_NULL && s->sh_type != SHT_NOBITS &&
           s->sh_type != TYPE_GLOBAL && s->sh_type != TYPE_LOCAL &&
           s->sh_type != TYPE_SHARED;
}

/* They do not overlap: then all that is made of them is in proportion to the
 * size of the file. */
static bool read_sections(cubin *c, const elf_file *f, diag *dg)
{
    uint64_t all = 0;

    c->section_count = f->head->e_shnum;
    c->sections = ARENA_ARRAY(c->mem, cubin_section, c->section_count + 1);
    for (uint32_t i = 0; i < c->section_count; i++) {
        const Elf64_Shdr *s = elf_section(f, i);
        cubin_section *to = &c->sections[i];

        if (!s)
            return cubin_damaged(c, NULL, "its list of sections is not in it",
                                 dg);
        *to = (cubin_section){.name = elf_section_name(f, s),
                              .type = s->sh_type,
                              .link = s->sh_link,
                              .info = s->sh_info,
                              .flags = s->sh_flags,
                              .align = s->sh_addralign,
                              .size = s->sh_size};
        if (s->sh_size >= SECTION_BYTES_MOST)
            return cubin_damaged(c, to->name, "it has an impossible size", dg);
        if (!has_bytes(s))
            continue;
        all += s->sh_size;
        if (s->sh_offset > f->size || s->sh_size > f->size - s->sh_offset)
            return cubin_damaged(c, to->name, "it ends outside of the file",
                                 dg);
        if (all > f->size)
            return cubin_damaged(c, to->name, "it overlaps others", dg);
        to->bytes = f->at + s->sh_offset;
    }
    return true;
}

uint32_t cubin_find(const cubin *c, const char *name)
{
    for (uint32_t i = 1; i < c->section_count; i++)
        if (!strcmp(c->sections[i].name, name))
            return i;
    return 0;
}

/* ---- Symbols ---- */

static bool check_symbol(const cubin *c, const cubin_symbol *s,
                         const char *section, diag *dg)
{
    const cubin_section *in = &c->sections[s->section];

    if (!s->section || s->section >= SHN_LORESERVE)
        return true;
    if (s->section >= c->section_count)
        return cubin_damaged(c, section, "a symbol is in no section", dg);
    if (c->elf_type != CUBIN_LINKED) /* the linker places it */
        return true;
    if (s->value > in->size || s->size > in->size - s->value)
        return cubin_damaged(c, section, "a symbol ends outside of its section",
                             dg);
    return true;
}

static bool read_symbols(cubin *c, const elf_file *f, diag *dg)
{
    const Elf64_Shdr *table = elf_section_of(f, SHT_SYMTAB);
    const char *name = table ? elf_section_name(f, table) : NULL;
    const Elf64_Sym *from;
    size_t count;

    if (!table)
        return cubin_damaged(c, NULL, "it has no symbols", dg);
    from = elf_symbols(f, table, &count);
    if (!from || !count || count > UINT32_MAX)
        return cubin_damaged(c, name, "it is not in the file", dg);
    c->symbol_count = (uint32_t)count;
    c->symbols = ARENA_ARRAY(c->mem, cubin_symbol, count);
    for (uint32_t i = 0; i < c->symbol_count; i++) {
        cubin_symbol *s = &c->symbols[i];

        *s = (cubin_symbol){.name = elf_symbol_name(f, table, &from[i]),
                            .value = from[i].st_value,
                            .size = from[i].st_size,
                            .section = from[i].st_shndx,
                            .type = ELF64_ST_TYPE(from[i].st_info),
                            .bind = ELF64_ST_BIND(from[i].st_info),
                            .other = from[i].st_other};
        if (!check_symbol(c, s, name, dg))
            return false;
        if (s->section >= SHN_LORESERVE)
            s->section = 0;
    }
    return true;
}

/* ---- Relocations ---- */

static bool read_reloc(cubin *c, const cubin_section *s, uint64_t at, diag *dg)
{
    cubin_reloc *r = &c->relocs[c->reloc_count++];
    Elf64_Rela from = {0};

    memcpy(&from, s->bytes + at,
           s->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel));
    *r = (cubin_reloc){.section = s->info,
                       .type = ELF64_R_TYPE(from.r_info),
                       .symbol = ELF64_R_SYM(from.r_info),
                       .offset = from.r_offset,
                       .addend = from.r_addend,
                       .in_place = s->type == SHT_REL};
    if (r->symbol >= c->symbol_count)
        return cubin_damaged(c, s->name, "an entry names no symbol", dg);
    if (r->offset >= c->sections[r->section].size)
        return cubin_damaged(c, s->name,
                             "an entry lies outside of what it is for", dg);
    return true;
}

static uint64_t reloc_bytes(const cubin_section *s)
{
    return s->type == SHT_RELA  ? sizeof(Elf64_Rela)
           : s->type == SHT_REL ? sizeof(Elf64_Rel)
                                : 0;
}

static int compare_relocs(const void *a, const void *b)
{
    const cubin_reloc *x = a, *y = b;

    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->type < y->type ? -1 : x->type > y->type;
}

/* The first that patches `section` or a later one. */
static uint32_t first_reloc(const cubin *c, uint32_t section)
{
    uint32_t low = 0, high = c->reloc_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (c->relocs[middle].section < section)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const cubin_reloc *cubin_relocs_of(const cubin *c, uint32_t section,
                                   uint32_t *count)
{
    uint32_t first = first_reloc(c, section);

    *count = first_reloc(c, section + 1) - first;
    return c->relocs + first;
}

static bool read_relocs(cubin *c, diag *dg)
{
    uint64_t count = 0;

    for (uint32_t i = 1; i < c->section_count; i++) {
        const cubin_section *s = &c->sections[i];
        uint64_t each = reloc_bytes(s);

        if (!each)
            continue;
        if (s->size % each || !s->bytes)
            return cubin_damaged(c, s->name, "it has half an entry", dg);
        if (s->info >= c->section_count)
            return cubin_damaged(c, s->name, "it is for no section", dg);
        count += s->size / each;
    }
    c->relocs = ARENA_ARRAY(c->mem, cubin_reloc, count);
    for (uint32_t i = 1; i < c->section_count; i++) {
        const cubin_section *s = &c->sections[i];
        uint64_t each = reloc_bytes(s);

        for (uint64_t at = 0; each && at < s->size; at += each)
            if (!read_reloc(c, s, at, dg))
                return false;
    }
    qsort(c->relocs, c->reloc_count, sizeof *c->relocs, compare_relocs);
    return true;
}

/* ---- Functions ---- */

static const char *name_behind(const char *name, const char *start)
{
    size_t n = strlen(start);

    return strncmp(name, start, n) ? NULL : name + n;
}

cubin_function *cubin_function_of(const cubin *c, uint32_t section)
{
    uint32_t low = 0, high = c->function_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (c->functions[middle].section < section)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->function_count && c->functions[low].section == section
               ? &c->functions[low]
               : NULL;
}

static void name_functions(cubin *c)
{
    enum { SYMBOL_FUNCTION = 2 };

    for (uint32_t i = 1; i < c->symbol_count; i++) {
        const cubin_symbol *s = &c->symbols[i];
        cubin_function *f = cubin_function_of(c, s->section);

        if (!f || s->type != SYMBOL_FUNCTION || strcmp(s->name, f->name))
            continue;
        f->symbol = i;
        f->entry = (s->other & CUBIN_OTHER_ENTRY) != 0;
    }
}

static cubin_function make_function(const cubin *c, uint32_t section,
                                    const char *name)
{
    const cubin_section *s = &c->sections[section];

    /* Older toolkits have no attributes for these. */
    return (cubin_function){.name = name,
                            .section = section,
                            .registers = s->info >> 24,
                            .barriers = s->flags >> 20 & 0x7f,
                            .stack_bytes = CUBIN_UNKNOWN};
}

static bool find_functions(cubin *c, diag *dg)
{
    c->functions = ARENA_ARRAY(c->mem, cubin_function, c->section_count + 1);
    for (uint32_t i = 1; i < c->section_count; i++) {
        const cubin_section *s = &c->sections[i];
        const char *name = name_behind(s->name, ".text.");

        if (!name)
            continue;
        if (!*name || !s->bytes)
            return cubin_damaged(c, s->name, "it has no name or no code", dg);
        if (s->size > UINT32_MAX)
            return cubin_damaged(c, s->name, "it is larger than a GPU can run",
                                 dg);
        c->functions[c->function_count++] = make_function(c, i, name);
    }
    name_functions(c);
    return true;
}

/* Sections that belong to a function say so by their `info`. */
static void find_parts(cubin *c)
{
    for (uint32_t i = 1; i < c->section_count; i++) {
        const cubin_section *s = &c->sections[i];
        cubin_function *f = cubin_function_of(c, s->info & 0xffffff);

        if (!f)
            continue;
        if (name_behind(s->name, ".nv.shared."))
            f->shared = i;
        else if (name_behind(s->name, ".nv.constant0."))
            f->constant0 = i;
        else if (name_behind(s->name, ".nv.constant2."))
            f->constant2 = i;
    }
}

/* ---- All of it ---- */

status cubin_read(const char *file, const void *data, size_t size, arena *mem,
                  diag *dg, cubin **out)
{
    cubin *c = ARENA_NEW(mem, cubin);
    void *copy = arena_alloc(mem, size + 1);
    elf_file f;

    memcpy(copy, data, size);
    f = elf_of_bytes(copy, size);
    c->mem = mem;
    c->file = arena_strdup(mem, file);
    if (!read_head(c, &f, dg) || !read_sections(c, &f, dg) ||
        !read_symbols(c, &f, dg) || !read_relocs(c, dg) ||
        !find_functions(c, dg))
        return ST_PROGRAM;
    find_parts(c);
    if (!cubin_read_info(c, dg) || !cubin_read_lines(c, dg))
        return ST_PROGRAM;
    *out = c;
    return ST_OK;
}
