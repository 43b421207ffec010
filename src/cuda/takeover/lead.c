/* src/cuda/takeover/lead.c - writes jumps into code. */
#include "cuda/takeover/lead.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__

enum {
    /* mov $TARGET, %r11; jmp *%r11: r11 holds no argument */
    JUMP = 13,
    LANDING = 4, /* endbr64, which indirect calls may need to find */
};

static const unsigned char landing[LANDING] = {0xf3, 0x0f, 0x1e, 0xfa};

static void write_jump(unsigned char *at, void *to)
{
    unsigned char code[JUMP] = {0x49, 0xbb, [10] = 0x41, 0xff, 0xe3};

    memcpy(code + 2, &to, sizeof to);
    memcpy(at, code, sizeof code);
}

/* Where the jump goes; NULL: nowhere. */
static unsigned char *place_for_jump(const lead_request *r, const Elf64_Sym *s)
{
    const unsigned char *code = elf_loaded(r->file, s->st_value, s->st_size);
    unsigned char *at = (unsigned char *)(r->bias + s->st_value);
    size_t size = s->st_size, skip = 0;

    if (code && size >= LANDING && !memcmp(code, landing, LANDING))
        skip = LANDING;
    if (!code || size < skip + JUMP || memcmp(code, at, skip + JUMP) != 0)
        return NULL;
    return at + skip;
}

/* Of the functions in the segment `p`, whose pages are writable. */
static size_t lead_in_segment(const lead_request *r, const Elf64_Phdr *p)
{
    size_t n, count = 0;
    const Elf64_Sym *s = elf_symbols(r->file, r->symbols, &n);

    for (size_t i = 0; i < n; i++) {
        unsigned char *at;
        void *to;

        if (s[i].st_shndx == SHN_UNDEF ||
            ELF64_ST_TYPE(s[i].st_info) != STT_FUNC ||
            s[i].st_value - p->p_vaddr >= p->p_filesz)
            continue;
        to = r->find(r->arg, elf_symbol_name(r->file, r->symbols, &s[i]));
        at = to ? place_for_jump(r, &s[i]) : NULL;
        if (at) {
            write_jump(at, to);
            count++;
        }
    }
    return count;
}

static int protection(const Elf64_Phdr *p)
{
    return (p->p_flags & PF_R ? PROT_READ : 0) |
           (p->p_flags & PF_W ? PROT_WRITE : 0) |
           (p->p_flags & PF_X ? PROT_EXEC : 0);
}

size_t lead_functions(const lead_request *r)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const Elf64_Phdr *p;
    size_t count = 0;

    for (size_t i = 0; (p = elf_segment(r->file, i)) != NULL; i++) {
        uintptr_t at = r->bias + p->p_vaddr, first = at / page * page;
        size_t size = at + p->p_filesz - first;

        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        /* Executable all the time: where code may not be written to, this
         * fails, and not the way back. */
        if (mprotect((void *)first, size, protection(p) | PROT_WRITE) != 0)
            return 0;
        count += lead_in_segment(r, p);
        if (mprotect((void *)first, size, protection(p)) != 0)
            return 0;
    }
    errno = 0;
    return count;
}

#else

size_t lead_functions(const lead_request *r)
{
    (void)r;
    errno = ENOSYS;
    return 0;
}

#endif
