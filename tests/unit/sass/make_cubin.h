/* tests/unit/sass/make_cubin.h - cubins made by hand: sections and symbols in
 * the order in which they are added, then bytes of an ELF file. */
#ifndef MAKE_CUBIN_H
#define MAKE_CUBIN_H

#include <elf.h>
#include <string.h>

#include "base/strbuf.h"
#include "sass/cubin.h"

enum { MAKE_MOST = 32 };

/* EXIT and NOP. */
static const uint64_t make_exit[4] = {0x000000000000794d, 0x000fea0003800000,
                                      0x0000000000007918, 0x000fc00000000000};

typedef struct maker {
    Elf64_Shdr sections[MAKE_MOST];
    strbuf bytes[MAKE_MOST];
    unsigned section_count;
    strbuf names, symbol_names; /* .shstrtab, .strtab */
    Elf64_Sym symbols[MAKE_MOST];
    unsigned symbol_count;
    Elf64_Ehdr head;
} maker;

static unsigned make_name(strbuf *names, const char *name)
{
    unsigned at = (unsigned)names->size;

    strbuf_write(names, name, strlen(name) + 1);
    return at;
}

static unsigned make_section(maker *m, const char *name, unsigned type,
                             unsigned info, const void *bytes, size_t size)
{
    Elf64_Shdr *s = &m->sections[m->section_count];

    s->sh_name = make_name(&m->names, name);
    s->sh_type = type;
    s->sh_info = info;
    s->sh_size = size;
    if (bytes)
        strbuf_write(&m->bytes[m->section_count], bytes, size);
    return m->section_count++;
}

static unsigned make_symbol(maker *m, const char *name, unsigned type,
                            unsigned section, uint64_t value, uint64_t size)
{
    Elf64_Sym *s = &m->symbols[m->symbol_count];

    *s = (Elf64_Sym){.st_name = make_name(&m->symbol_names, name),
                     .st_info = ELF64_ST_INFO(STB_GLOBAL, type),
                     .st_shndx = (Elf64_Half)section,
                     .st_value = value,
                     .st_size = size};
    return m->symbol_count++;
}

static void make_start(maker *m, unsigned sm)
{
    *m = (maker){0};
    memcpy(m->head.e_ident, ELFMAG, SELFMAG);
    m->head.e_ident[EI_CLASS] = ELFCLASS64;
    m->head.e_ident[EI_DATA] = ELFDATA2LSB;
    m->head.e_ident[EI_VERSION] = EV_CURRENT;
    m->head.e_ident[EI_OSABI] = 0x41;
    m->head.e_ident[EI_ABIVERSION] = 8;
    m->head.e_type = ET_EXEC;
    m->head.e_machine = 190;
    m->head.e_flags = 0x6000004 | sm << 8;
    m->head.e_ehsize = sizeof m->head;
    m->head.e_shentsize = sizeof(Elf64_Shdr);
    make_section(m, "", SHT_NULL, 0, NULL, 0);
    make_symbol(m, "", 0, 0, 0, 0);
    m->symbols[0] = (Elf64_Sym){0};
}

/* A section .text.NAME that ends at once, and its symbol; the section. */
static unsigned make_kernel(maker *m, const char *name)
{
    char text[64];
    unsigned section, symbol;

    snprintf(text, sizeof text, ".text.%s", name);
    section =
        make_section(m, text, SHT_PROGBITS, 0, make_exit, sizeof make_exit);
    symbol = make_symbol(m, name, STT_FUNC, section, 0, sizeof make_exit);
    m->symbols[symbol].st_other = 0x10;
    return section;
}

/* An attribute whose value are `count` words. */
static void make_attribute(strbuf *info, unsigned number, const uint32_t *words,
                           unsigned count)
{
    const uint8_t head[4] = {4, (uint8_t)number, (uint8_t)(4 * count),
                             (uint8_t)(4 * count >> 8)};

    strbuf_write(info, (const char *)head, sizeof head);
    strbuf_write(info, (const char *)words, 4 * count);
}

static void make_bytes(maker *m, unsigned section, const void *bytes,
                       size_t size)
{
    strbuf_write(&m->bytes[section], bytes, size);
    m->sections[section].sh_size = m->bytes[section].size;
}

/* The file; frees what `m` holds. */
static void make_finish(maker *m, strbuf *out)
{
    unsigned strtab, shstrtab;

    strtab = make_section(m, ".strtab", SHT_STRTAB, 0, m->symbol_names.text,
                          m->symbol_names.size);
    make_section(m, ".symtab", SHT_SYMTAB, 0, m->symbols,
                 m->symbol_count * sizeof m->symbols[0]);
    m->sections[m->section_count - 1].sh_link = strtab;
    shstrtab = make_section(m, ".shstrtab", SHT_STRTAB, 0, "", 0);
    make_bytes(m, shstrtab, m->names.text, m->names.size);
    m->head.e_shnum = (Elf64_Half)m->section_count;
    m->head.e_shstrndx = (Elf64_Half)shstrtab;
    strbuf_write(out, (const char *)&m->head, sizeof m->head);
    for (unsigned i = 0; i < m->section_count; i++) {
        m->sections[i].sh_offset = out->size;
        strbuf_write(out, m->bytes[i].text ? m->bytes[i].text : "",
                     m->bytes[i].size);
        while (out->size % 8)
            strbuf_putc(out, 0);
        strbuf_fini(&m->bytes[i]);
    }
    ((Elf64_Ehdr *)out->text)->e_shoff = out->size;
    strbuf_write(out, (const char *)m->sections,
                 m->section_count * sizeof m->sections[0]);
    strbuf_fini(&m->names);
    strbuf_fini(&m->symbol_names);
}

#endif
