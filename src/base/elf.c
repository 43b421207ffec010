/* src/base/elf.c - each offset is held against the file's size. */
#include "base/elf.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* As few as there must be, to be read as they lie in the file. */
enum { ALIGNED = 8 };

static const Elf64_Ehdr *head_of(const elf_file *f)
{
    const Elf64_Ehdr *h = elf_part(f, 0, sizeof *h);
    const uint16_t one = 1;
    unsigned char order =
        *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;

    return h && h->e_ident[EI_CLASS] == ELFCLASS64 &&
                   h->e_ident[EI_DATA] == order
               ? h
               : NULL;
}

static void look_at_head(elf_file *f)
{
    f->is = f->size >= SELFMAG && !memcmp(f->at, ELFMAG, SELFMAG);
    f->head = f->is ? head_of(f) : NULL;
}

elf_file elf_open(const char *path)
{
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    struct stat st;
    elf_file f = {0};

    if (fd < 0)
        return f;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *at =
            mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (at != MAP_FAILED)
            f = (elf_file){.at = at,
                           .size = (size_t)st.st_size,
                           .set_id = (st.st_mode & (S_ISUID | S_ISGID)) != 0};
    }
    close(fd);
    look_at_head(&f);
    return f;
}

elf_file elf_of_bytes(const void *at, size_t size)
{
    elf_file f = {.at = at, .size = size};

    look_at_head(&f);
    return f;
}

void elf_close(elf_file f)
{
    if (f.at)
        munmap((void *)(uintptr_t)f.at, f.size);
}

static const void *bytes_at(const elf_file *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset ? f->at + offset
                                                         : NULL;
}

const void *elf_part(const elf_file *f, uint64_t offset, uint64_t size)
{
    return offset % ALIGNED ? NULL : bytes_at(f, offset, size);
}

/* A text that ends in the file. */
static const char *text_at(const elf_file *f, uint64_t offset)
{
    const char *text = bytes_at(f, offset, 1);

    return text && memchr(text, 0, f->size - offset) ? text : NULL;
}

/* ---- Headers ---- */

const Elf64_Phdr *elf_segment(const elf_file *f, size_t i)
{
    const Elf64_Ehdr *h = f->head;

    return h && i < h->e_phnum && h->e_phentsize == sizeof(Elf64_Phdr)
               ? elf_part(f, h->e_phoff + i * sizeof(Elf64_Phdr),
                          sizeof(Elf64_Phdr))
               : NULL;
}

const Elf64_Shdr *elf_section(const elf_file *f, size_t i)
{
    const Elf64_Ehdr *h = f->head;

    return h && i < h->e_shnum && h->e_shentsize == sizeof(Elf64_Shdr)
               ? elf_part(f, h->e_shoff + i * sizeof(Elf64_Shdr),
                          sizeof(Elf64_Shdr))
               : NULL;
}

const Elf64_Phdr *elf_segment_of(const elf_file *f, uint32_t type)
{
    const Elf64_Phdr *p;

    for (size_t i = 0; (p = elf_segment(f, i)) != NULL; i++)
        if (p->p_type == type)
            return p;
    return NULL;
}

const Elf64_Shdr *elf_section_of(const elf_file *f, uint32_t type)
{
    const Elf64_Shdr *s;

    for (size_t i = 0; (s = elf_section(f, i)) != NULL; i++)
        if (s->sh_type == type)
            return s;
    return NULL;
}

const char *elf_section_name(const elf_file *f, const Elf64_Shdr *section)
{
    const Elf64_Shdr *names =
        f->head ? elf_section(f, f->head->e_shstrndx) : NULL;
    const char *name =
        names ? text_at(f, names->sh_offset + section->sh_name) : NULL;

    return name ? name : "";
}

const Elf64_Shdr *elf_section_named(const elf_file *f, const char *name)
{
    const Elf64_Shdr *s;

    for (size_t i = 0; (s = elf_section(f, i)) != NULL; i++)
        if (!strcmp(elf_section_name(f, s), name))
            return s;
    return NULL;
}

const void *elf_loaded(const elf_file *f, uint64_t address, uint64_t size)
{
    const Elf64_Phdr *p;

    for (size_t i = 0; (p = elf_segment(f, i)) != NULL; i++)
        if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
            address - p->p_vaddr <= p->p_filesz &&
            size <= p->p_filesz - (address - p->p_vaddr))
            return bytes_at(f, address - p->p_vaddr + p->p_offset, size);
    return NULL;
}

/* ---- What it is loaded with ---- */

/* The text of the nth entry with that tag. */
static const char *dynamic_text(const elf_file *f, int64_t tag, size_t n)
{
    const Elf64_Phdr *p = elf_segment_of(f, PT_DYNAMIC);
    const Elf64_Dyn *d = p ? elf_part(f, p->p_offset, p->p_filesz) : NULL;
    size_t count = d ? p->p_filesz / sizeof *d : 0;
    const unsigned char *names = NULL;

    for (size_t i = 0; i < count && d[i].d_tag != DT_NULL; i++)
        if (d[i].d_tag == DT_STRTAB)
            names = elf_loaded(f, d[i].d_un.d_ptr, 0);
    for (size_t i = 0; names && i < count && d[i].d_tag != DT_NULL; i++)
        if (d[i].d_tag == tag && n-- == 0)
            return text_at(f, (uint64_t)(names - f->at) + d[i].d_un.d_val);
    return NULL;
}

const char *elf_needed(const elf_file *f, size_t n)
{
    return dynamic_text(f, DT_NEEDED, n);
}

const char *elf_soname(const elf_file *f)
{
    return dynamic_text(f, DT_SONAME, 0);
}

/* ---- Symbols ---- */

const Elf64_Sym *elf_symbols(const elf_file *f, const Elf64_Shdr *table,
                             size_t *count)
{
    const Elf64_Sym *s =
        table ? elf_part(f, table->sh_offset, table->sh_size) : NULL;

    *count = s ? table->sh_size / sizeof *s : 0;
    return s;
}

const char *elf_symbol_name(const elf_file *f, const Elf64_Shdr *table,
                            const Elf64_Sym *symbol)
{
    const Elf64_Shdr *names = elf_section(f, table->sh_link);
    const char *name =
        names ? text_at(f, names->sh_offset + symbol->st_name) : NULL;

    return name ? name : "";
}
