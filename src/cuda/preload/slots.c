/* src/cuda/preload/slots.c - like a linker's table for lazy binding: each slot
 * jumps to where its pointer leads, which is at first the code that finds the
 * function. The library cannot be loaded earlier: this one is initialised
 * before the C library. */
#include "cuda/preload/slots.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

enum {
    SLOTS = 2048,
    NAMES_ROOM = 1 << 17,
    UNKNOWN_ERROR = 999, /* cudaErrorUnknown and the like */
};

static char library[4096];
static char names[NAMES_ROOM];
static size_t names_size;
static const char *slot_name[SLOTS]; /* in order */
static size_t slot_count;

/* ---- What the library exports ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* False: there are too many. */
static bool add_name(const char *name)
{
    size_t n = strlen(name) + 1;

    if (slot_count == SLOTS || n > NAMES_ROOM - names_size)
        return false;
    slot_name[slot_count++] = memcpy(names + names_size, name, n);
    names_size += n;
    return true;
}

static bool add_exports(const elf_file *f)
{
    const Elf64_Shdr *table = elf_section_of(f, SHT_DYNSYM);
    size_t n;
    const Elf64_Sym *s = elf_symbols(f, table, &n);

    for (size_t i = 0; i < n; i++)
        if (s[i].st_shndx != SHN_UNDEF &&
            ELF64_ST_TYPE(s[i].st_info) == STT_FUNC &&
            !add_name(elf_symbol_name(f, table, &s[i])))
            return false;
    return slot_count > 0;
}

/* ---- Calls ---- */

static void *handle;

static void load(void)
{
    handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fprintf(stderr, "heddle: CUDA functions fail: %s\n", dlerror());
}

static int fail(void) { return UNKNOWN_ERROR; }

#ifdef __x86_64__

/* What the slots jump to. */
__attribute__((used)) static void *slot_target[SLOTS];

/* Finds the function of a slot, when it is called first. */
__attribute__((used)) static void *find_function(size_t slot)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    void *to = NULL;

    pthread_once(&once, load);
    if (handle)
        to = dlsym(handle, slot_name[slot]);
    if (!to)
        to = (void *)(uintptr_t)fail;
    __atomic_store_n(&slot_target[slot], to, __ATOMIC_RELEASE);
    return to;
}

/* A slot of 32 bytes is
 *   0  endbr64
 *   4  jmp *slot_target[i]
 *  10  endbr64
 *  14  push $i; jmp heddle_find
 * and heddle_find keeps all registers that arguments are in, or their number.
 * At the push the stack becomes aligned, as at all calls. */
enum { SLOT_BYTES = 32, FIND_AT = 10 };
extern unsigned char heddle_slots[] __attribute__((visibility("hidden")));

_Static_assert(SLOTS == 2048, "as in the assembly");
__asm__(".text\n"
        ".balign 32\n"
        ".hidden heddle_slots\n"
        ".globl heddle_slots\n"
        "heddle_slots:\n"
        ".set slot, 0\n"
        ".rept 2048\n"
        "endbr64\n"
        "jmp *slot_target + 8*slot(%rip)\n"
        "endbr64\n"
        ".byte 0x68\n" /* push of 32 bits */
        ".long slot\n"
        "jmp heddle_find\n"
        ".balign 32\n"
        ".set slot, slot + 1\n"
        ".endr\n"
        "heddle_find:\n"
        "push %rax\n push %rcx\n push %rdx\n push %rsi\n"
        "push %rdi\n push %r8\n push %r9\n push %r10\n"
        "sub $128, %rsp\n"
        "movdqu %xmm0, (%rsp)\n movdqu %xmm1, 16(%rsp)\n"
        "movdqu %xmm2, 32(%rsp)\n movdqu %xmm3, 48(%rsp)\n"
        "movdqu %xmm4, 64(%rsp)\n movdqu %xmm5, 80(%rsp)\n"
        "movdqu %xmm6, 96(%rsp)\n movdqu %xmm7, 112(%rsp)\n"
        "mov 192(%rsp), %rdi\n"
        "call find_function\n"
        "mov %rax, %r11\n"
        "movdqu (%rsp), %xmm0\n movdqu 16(%rsp), %xmm1\n"
        "movdqu 32(%rsp), %xmm2\n movdqu 48(%rsp), %xmm3\n"
        "movdqu 64(%rsp), %xmm4\n movdqu 80(%rsp), %xmm5\n"
        "movdqu 96(%rsp), %xmm6\n movdqu 112(%rsp), %xmm7\n"
        "add $128, %rsp\n"
        "pop %r10\n pop %r9\n pop %r8\n pop %rdi\n"
        "pop %rsi\n pop %rdx\n pop %rcx\n pop %rax\n"
        "add $8, %rsp\n"
        "jmp *%r11\n");

static void *slot_code(size_t slot) { return heddle_slots + SLOT_BYTES * slot; }

static void reset_slots(void)
{
    for (size_t i = 0; i < slot_count; i++)
        slot_target[i] = heddle_slots + SLOT_BYTES * i + FIND_AT;
}

#else /* nothing is led to slots there */

static void *slot_code(size_t slot)
{
    (void)slot;
    (void)load;
    return (void *)(uintptr_t)fail;
}

static void reset_slots(void) {}

#endif

bool slots_open(const char *path)
{
    elf_file f = elf_open(path);
    bool good = strlen(path) < sizeof library && add_exports(&f);

    elf_close(f);
    if (!good)
        return false;
    strcpy(library, path);
    qsort(slot_name, slot_count, sizeof *slot_name, by_name);
    reset_slots();
    return true;
}

void *slots_find(void *unused, const char *name)
{
    const char *const *at =
        bsearch(&name, slot_name, slot_count, sizeof *slot_name, by_name);

    (void)unused;
    return at ? slot_code((size_t)(at - slot_name)) : NULL;
}
