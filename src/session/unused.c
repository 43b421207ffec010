#include "session/unused.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/strbuf.h"

#define LOADER "libOpenCL.so.1"

/* A file in memory; `at` NULL: it cannot be read. */
typedef struct image {
    const unsigned char *at;
    size_t size;
    bool set_id; /* set-user-ID or set-group-ID */
} image;

/* ---- The program's file ---- */

static char *join_path(const char *folder, size_t n, const char *name)
{
    strbuf b = {0};

    strbuf_printf(&b, "%.*s/%s", (int)n, folder, name);
    return b.text;
}

/* Where it is, to be freed; NULL: nowhere. */
static char *find_program(const char *program, const char *folder)
{
    const char *path = getenv("PATH");

    if (*program == '/' || (strchr(program, '/') && !folder))
        return new_text(program);
    if (strchr(program, '/'))
        return join_path(folder, strlen(folder), program);
    for (const char *at = path ? path : "/bin:/usr/bin"; *at;) {
        size_t n = strcspn(at, ":");
        char *one = n ? join_path(at, n, program) : new_text(program);

        if (access(one, X_OK) == 0)
            return one;
        free(one);
        at += n + (at[n] == ':');
    }
    return NULL;
}

static image image_open(const char *path)
{
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    struct stat st;
    image is = {0};

    if (fd < 0)
        return is;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *at =
            mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (at != MAP_FAILED)
            is = (image){at, (size_t)st.st_size,
                         (st.st_mode & (S_ISUID | S_ISGID)) != 0};
    }
    close(fd);
    return is;
}

static void image_close(image is)
{
    if (is.at)
        munmap((void *)(uintptr_t)is.at, is.size);
}

/* Part of the file; NULL: it is not that long. */
static const void *part_of_file(image f, uint64_t offset, uint64_t size)
{
    return offset <= f.size && size <= f.size - offset ? f.at + offset : NULL;
}

/* ---- ELF ---- */

typedef struct elf {
    bool is;      /* an ELF file */
    bool foreign; /* of another machine than this driver's */
    bool dynamic; /* other files are loaded with it */
    bool needs;   /* the loader is one of them */
} elf;

/* The program header of that type; NULL: none. */
static const Elf64_Phdr *segment(image f, const Elf64_Ehdr *h, uint32_t type)
{
    for (unsigned i = 0; i < h->e_phnum; i++) {
        const Elf64_Phdr *p =
            part_of_file(f, h->e_phoff + (uint64_t)i * sizeof *p, sizeof *p);

        if (p && p->p_type == type)
            return p;
    }
    return NULL;
}

/* Where an address of the program is in its file; 0: nowhere. */
static uint64_t offset_of(image f, const Elf64_Ehdr *h, uint64_t addr)
{
    for (unsigned i = 0; i < h->e_phnum; i++) {
        const Elf64_Phdr *p =
            part_of_file(f, h->e_phoff + (uint64_t)i * sizeof *p, sizeof *p);

        if (p && p->p_type == PT_LOAD && addr >= p->p_vaddr &&
            addr - p->p_vaddr < p->p_filesz)
            return addr - p->p_vaddr + p->p_offset;
    }
    return 0;
}

static bool needs_loader(image f, const Elf64_Ehdr *h, const Elf64_Phdr *p)
{
    const Elf64_Dyn *d = part_of_file(f, p->p_offset, p->p_filesz);
    size_t n = d ? p->p_filesz / sizeof *d : 0;
    uint64_t names = 0;

    for (size_t i = 0; i < n; i++)
        if (d[i].d_tag == DT_STRTAB)
            names = offset_of(f, h, d[i].d_un.d_ptr);
    for (size_t i = 0; i < n && d[i].d_tag != DT_NULL; i++) {
        const char *name =
            d[i].d_tag == DT_NEEDED && names
                ? part_of_file(f, names + d[i].d_un.d_val, sizeof LOADER)
                : NULL;

        if (name && !memcmp(name, LOADER, sizeof LOADER))
            return true;
    }
    return false;
}

static elf elf_look(image f)
{
    const Elf64_Ehdr *h = part_of_file(f, 0, sizeof *h), *own;
    const Elf64_Phdr *p;
    elf e = {0};

    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return e;
    e.is = true;
    image self = image_open("/proc/self/exe");
    own = part_of_file(self, 0, sizeof *own);
    e.foreign = h->e_ident[EI_CLASS] != ELFCLASS64 ||
                (own && own->e_machine != h->e_machine);
    image_close(self);
    if (e.foreign || h->e_phoff % sizeof(uint64_t) ||
        h->e_phentsize != sizeof *p)
        return e;
    p = segment(f, h, PT_DYNAMIC);
    e.dynamic = segment(f, h, PT_INTERP) != NULL;
    e.needs = p && p->p_offset % sizeof(uint64_t) == 0 && needs_loader(f, h, p);
    return e;
}

/* ---- The loader ---- */

/* The library that this system loads by that name, to be freed; NULL: none. */
static char *loader_path(void)
{
    void *library = dlopen(LOADER, RTLD_LAZY | RTLD_LOCAL);
    struct link_map *map = NULL;
    char *path = NULL;

    if (!library)
        return NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, (void *)&map) == 0 && map)
        path = new_text(map->l_name);
    dlclose(library);
    return path ? path : new_text(LOADER);
}

/* Is it a loader, which finds drivers by OCL_ICD_VENDORS, and not the library
 * of one vendor? */
static bool is_loader(const char *path)
{
    image f = image_open(path);
    bool is = !f.at || memmem(f.at, f.size, "OCL_ICD_", strlen("OCL_ICD_"));

    image_close(f);
    return is;
}

/* ---- Why ---- */

static void why_of_loader(strbuf *b, const char *loader)
{
    if (!loader)
        strbuf_puts(b, LOADER ", the loader through which programs find "
                              "Heddle's driver, cannot be loaded; install it "
                              "(Debian: ocl-icd-libopencl1)");
    else if (!is_loader(loader))
        strbuf_printf(b,
                      "%s is no loader but a vendor's library, which finds "
                      "only its own devices (Debian's loader: "
                      "ocl-icd-libopencl1)",
                      loader);
}

static bool is_shell(const char *name)
{
    static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh"};
    const char *slash = strrchr(name, '/');

    for (size_t i = 0; i < COUNTOF(shells); i++)
        if (!strcmp(slash ? slash + 1 : name, shells[i]))
            return true;
    return false;
}

static void why_of_program(strbuf *b, const char *name, image f, elf e)
{
    if (is_shell(name))
        strbuf_puts(b, "no program that the shell started asked for Heddle's "
                       "driver");
    else if (f.at && !e.is)
        strbuf_printf(b,
                      "'%s' is a script, and no program that it started "
                      "asked for Heddle's driver",
                      name);
    else if (e.needs)
        strbuf_printf(b,
                      "'%s' is linked to " LOADER ", but ended before it "
                      "asked it for a platform",
                      name);
    else if (e.is)
        strbuf_printf(b,
                      "'%s' is not linked to " LOADER " itself, and nothing "
                      "that it loaded or started asked for Heddle's driver",
                      name);
    else
        strbuf_puts(b, "nothing asked for Heddle's driver");
}

char *unused_why(const char *program, const char *folder)
{
    char *path = find_program(program, folder), *loader = loader_path();
    image f = image_open(path);
    elf e = elf_look(f);
    strbuf b = {0};

    if (e.foreign)
        strbuf_printf(&b,
                      "'%s' is built for another kind of processor than "
                      "Heddle's driver, such as 32 bits",
                      program);
    else if (e.is && !e.dynamic)
        strbuf_printf(&b,
                      "'%s' is linked statically, so it can load no driver: "
                      "link it with -lOpenCL, not -static",
                      program);
    else if (f.set_id)
        strbuf_printf(&b,
                      "'%s' is set-user-ID, and loaders then take no driver "
                      "from the environment",
                      program);
    else
        why_of_loader(&b, loader);
    if (!b.size)
        why_of_program(&b, program, f, e);
    image_close(f);
    free(path);
    free(loader);
    return b.text;
}
