#include "session/unused.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/elf.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "base/vendor_library.h"
#include "session/program_file.h"

#define LOADER "libOpenCL.so.1"

/* ---- ELF ---- */

/* Of another machine than this driver's. */
static bool is_foreign(const elf_file *f)
{
    elf_file own = elf_open("/proc/self/exe");
    bool is =
        f->is &&
        (!f->head || (own.head && own.head->e_machine != f->head->e_machine));

    elf_close(own);
    return is;
}

static bool needs_loader(const elf_file *f)
{
    const char *name;

    for (size_t i = 0; (name = elf_needed(f, i)) != NULL; i++)
        if (!strcmp(name, LOADER))
            return true;
    return false;
}

/* Of the vendor's libraries that cannot be there; NULL: it needs none. */
static const char *needed_vendor_library(const elf_file *f)
{
    const char *name = NULL;

    for (size_t i = 0; f->head && (name = elf_needed(f, i)) != NULL; i++)
        if (vendor_library(name))
            return name;
    return NULL;
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
    elf_file f = elf_open(path);
    bool is = !f.at || memmem(f.at, f.size, "OCL_ICD_", strlen("OCL_ICD_"));

    elf_close(f);
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

static void why_of_program(strbuf *b, const char *name, const elf_file *f)
{
    if (is_shell(name))
        strbuf_puts(b, "no program that the shell started asked for Heddle's "
                       "driver");
    else if (f->at && !f->is)
        strbuf_printf(b,
                      "'%s' is a script, and no program that it started "
                      "asked for Heddle's driver",
                      name);
    else if (needs_loader(f))
        strbuf_printf(b,
                      "'%s' is linked to " LOADER ", but ended before it "
                      "asked it for a platform",
                      name);
    else if (f->is)
        strbuf_printf(b,
                      "'%s' is not linked to " LOADER " itself, and nothing "
                      "that it loaded or started asked for Heddle's driver",
                      name);
    else
        strbuf_puts(b, "nothing asked for Heddle's driver");
}

char *unused_why(const char *program, const char *folder)
{
    char *path = session_program_path(program, folder), *loader = loader_path();
    elf_file f = elf_open(path);
    const char *vendor = needed_vendor_library(&f);
    strbuf b = {0};

    if (is_foreign(&f))
        strbuf_printf(&b,
                      "'%s' is built for another kind of processor than "
                      "Heddle's driver, such as 32 bits",
                      program);
    else if (f.is && !elf_segment_of(&f, PT_INTERP))
        strbuf_printf(&b,
                      "'%s' is linked statically, so it can load no driver: "
                      "link it with -lOpenCL, not -static",
                      program);
    else if (f.set_id)
        strbuf_printf(&b,
                      "'%s' is set-user-ID, and loaders then take no driver "
                      "from the environment",
                      program);
    else if (vendor)
        strbuf_printf(&b,
                      "'%s' needs %s: there is no %s on Heddle, as the "
                      "vendor's cannot run; build the program without it",
                      program, vendor, vendor_library(vendor));
    else
        why_of_loader(&b, loader);
    if (!b.size)
        why_of_program(&b, program, &f);
    elf_close(f);
    free(path);
    free(loader);
    return b.text;
}
