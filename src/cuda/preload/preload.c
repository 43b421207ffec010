/* src/cuda/preload/preload.c - libheddle-preload.so, which `heddle exec` lets
 * every process load. It looks whether the program brings a CUDA runtime with
 * it, and leads its functions to libheddle-cuda.so, which stands beside it.
 *
 * Runtimes are used by constructors of libraries, which would come before ours
 * if it were not linked with `-z initfirst`; it comes before the C library's,
 * too, which knows no environment and must not be asked to load anything. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/vendor_library.h"
#include "cuda/preload/slots.h"
#include "cuda/takeover/lead.h"
#include "cuda/takeover/runtime.h"
#include "cuda/takeover/takeover.h"
#include "heddle/driver.h"

/* Files whose runtimes were taken over. */
__attribute__((visibility("default"))) unsigned heddle_taken_over;

/* ---- Messages ---- */

static void tell_unled(const char *name, int why)
{
    if (why == ENOSYS)
        fprintf(stderr,
                "heddle: %s: a CUDA runtime that is linked statically can be "
                "replaced on x86-64 only: link with nvcc -cudart shared\n",
                name);
    else if (why)
        fprintf(stderr,
                "heddle: %s: the CUDA runtime in it cannot be replaced, as its "
                "code cannot be made writable (%s): link with nvcc -cudart "
                "shared\n",
                name, strerror(why));
    else
        fprintf(stderr,
                "heddle: %s: the CUDA runtime in it is not one that Heddle can "
                "replace: link with nvcc -cudart shared\n",
                name);
}

static void tell_stripped(const char *name)
{
    const char *vendor = vendor_library(name);

    if (vendor)
        fprintf(stderr,
                "heddle: %s: there is no %s on Heddle, as the vendor's cannot "
                "run: its functions will fail; take the program's path "
                "without it\n",
                name, vendor);
    else
        fprintf(
            stderr,
            "heddle: %s: its CUDA runtime is linked statically and its symbols "
            "are stripped, so that Heddle cannot take its place: link with "
            "nvcc -cudart shared, or do not strip it\n",
            name);
}

/* ---- Files ---- */

/* The library beside this one. */
static bool open_slots(void)
{
    char path[4096];
    const char *slash;
    Dl_info own;

    if (!dladdr(&heddle_taken_over, &own) ||
        (slash = strrchr(own.dli_fname, '/')) == NULL)
        return false;
    snprintf(path, sizeof path, "%.*s/" HEDDLE_CUDA_LIBRARY,
             (int)(slash - own.dli_fname), own.dli_fname);
    if (slots_open(path))
        return true;
    fprintf(stderr, "heddle: CUDA programs need %s, which cannot be read\n",
            path);
    return false;
}

static void take_over(const lead_request *r, const char *name)
{
    static bool opened, good;

    if (!opened)
        good = open_slots();
    opened = true;
    if (!good)
        return;
    if (lead_functions(r))
        heddle_taken_over++;
    else
        tell_unled(name, errno);
}

/* One of the vendor's libraries that Heddle has its own for, which it told:
 * only an RPATH finds them before ours. */
static bool is_vendors(const char *path)
{
    static const char *const names[] = {"libcublas.so.", "libcublasLt.so.",
                                        "libcurand.so."};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char ours[4096];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(name, names[i], strlen(names[i])) != 0)
            continue;
        snprintf(ours, sizeof ours, "%.*s/../" HEDDLE_CUDA_LIBRARY,
                 (int)(name - path), path);
        if (access(ours, R_OK) == 0)
            return false;
        fprintf(stderr,
                "heddle: %s is the vendor's, which cannot run here; the "
                "program's RPATH led to it: remove that (patchelf "
                "--remove-rpath) or link with -Wl,--enable-new-dtags\n",
                path);
        return true;
    }
    return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
    bool program = !*info->dlpi_name;
    elf_file f = elf_open(program ? "/proc/self/exe" : info->dlpi_name);
    runtime_found r = runtime_look(&f);
    char self[4096];
    const char *name = info->dlpi_name;

    (void)size;
    (void)arg;
    if (is_vendors(name)) {
        elf_close(f);
        return 0;
    }
    if (r.kind != RUNTIME_NONE && program) {
        ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

        self[n > 0 ? n : 0] = '\0';
        name = self;
    }
    if (r.kind == RUNTIME_INSIDE)
        take_over(&(lead_request){.file = &f,
                                  .bias = info->dlpi_addr,
                                  .symbols = r.symbols,
                                  .find = slots_find},
                  name);
    else if (r.kind == RUNTIME_STRIPPED)
        tell_stripped(name);
    elf_close(f);
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    dl_iterate_phdr(look_at, NULL);
}
