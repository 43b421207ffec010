/* src/base/elf.h - files of programs and libraries (ELF, 64 bits), mapped while
 * they are open. Nothing in them is trusted: what lies outside of the file is
 * not there. Allocates nothing. */
#ifndef BASE_ELF_H
#define BASE_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct elf_file {
    const unsigned char
        *at; /* the file, of any kind; NULL: it cannot be read */
    size_t size;
    bool set_id;            /* set-user-ID or set-group-ID */
    bool is;                /* it is an ELF file */
    const Elf64_Ehdr *head; /* NULL: not of 64 bits and this byte order */
} elf_file;

elf_file elf_open(const char *path); /* NULL: there is none */
void elf_close(elf_file f);
/* What is in memory, at a multiple of 8; borrowed, not to be closed. */
elf_file elf_of_bytes(const void *at, size_t size);

/* Part of the file, at a multiple of 8; NULL: it is not there. */
const void *elf_part(const elf_file *f, uint64_t offset, uint64_t size);

/* A program header, a section's header; NULL behind the last, and where they
 * are damaged. */
const Elf64_Phdr *elf_segment(const elf_file *f, size_t i);
const Elf64_Shdr *elf_section(const elf_file *f, size_t i);

/* The first of that type or name; NULL: none. */
const Elf64_Phdr *elf_segment_of(const elf_file *f, uint32_t type);
const Elf64_Shdr *elf_section_of(const elf_file *f, uint32_t type);
const Elf64_Shdr *elf_section_named(const elf_file *f, const char *name);
/* "" if it is damaged. */
const char *elf_section_name(const elf_file *f, const Elf64_Shdr *section);

/* Where an address of the program is in the file, and `size` bytes behind it;
 * NULL: nowhere. */
const void *elf_loaded(const elf_file *f, uint64_t address, uint64_t size);

/* The nth file that it is loaded with (DT_NEEDED), its own name (DT_SONAME);
 * NULL: none. */
const char *elf_needed(const elf_file *f, size_t n);
const char *elf_soname(const elf_file *f);

/* The symbols of a section, and the name of one of them ("" if it is damaged);
 * NULL: there are none. */
const Elf64_Sym *elf_symbols(const elf_file *f, const Elf64_Shdr *table,
                             size_t *count);
const char *elf_symbol_name(const elf_file *f, const Elf64_Shdr *table,
                            const Elf64_Sym *symbol);

#endif
