#include "opencl/toolchain.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/must.h"

enum { OLDEST = 14, NEWEST = 24, HEAD_BYTES = 128 };

/* ---- Bitcode ---- */

/* The producer's name stands at no byte boundary, in six bits per letter
 * [LLVMBC:identification-block]. */
static unsigned bits6(const uint8_t *p, size_t bit)
{
    return (unsigned)(p[bit / 8] | p[bit / 8 + 1] << 8) >> bit % 8 & 63;
}

unsigned toolchain_bitcode_version(const uint8_t *head, size_t size)
{
    enum { L = 37, V = 47, M = 38, ZERO = 52, NINE = 61 };
    static const unsigned llvm[] = {L, L, V, M};

    if (size < 16 || memcmp(head, "BC\xc0\xde", 4))
        return 0;
    for (size_t bit = 32; bit + 6 * 8 < size * 8; bit++) {
        unsigned i = 0, n = 0;

        while (i < COUNTOF(llvm) && bits6(head, bit + 6 * i) == llvm[i])
            i++;
        if (i < COUNTOF(llvm))
            continue;
        for (; bit + 6 * i + 16 < size * 8 && i < COUNTOF(llvm) + 3; i++) {
            unsigned c = bits6(head, bit + 6 * i);

            if (c < ZERO || c > NINE)
                break;
            n = n * 10 + c - ZERO;
        }
        return n;
    }
    return 0;
}

static unsigned version_of(const char *path)
{
    uint8_t head[HEAD_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);

    if (fd >= 0)
        close(fd);
    return n > 0 ? toolchain_bitcode_version(head, (size_t)n) : 0;
}

/* ---- Finding ---- */

static bool is_file(const char *path, int how)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, how) == 0;
}

/* Where packages put the bitcode; %u is a version. */
static const char *const libclc_places[] = {
    "/usr/lib/clc/nvptx64--nvidiacl.bc",
    "/usr/share/clc/nvptx64--nvidiacl.bc",
    "/usr/local/share/clc/nvptx64--nvidiacl.bc",
    "/usr/local/lib/clc/nvptx64--nvidiacl.bc",
    "/usr/lib/llvm-%u/share/clc/nvptx64--nvidiacl.bc",
    "/usr/lib/llvm-%u/lib/clc/nvptx64--nvidiacl.bc",
    "/usr/lib/clang/%u/lib/nvptx64-nvidia-nvcl/libclc.bc",
};

static char *format_path(const char *fmt, unsigned n)
{
    strbuf b = {0};
    const char *at = strstr(fmt, "%u");

    if (!at)
        return strdup(fmt);
    strbuf_write(&b, fmt, (size_t)(at - fmt));
    strbuf_printf(&b, "%u%s", n, at + 2);
    return b.text;
}

/* The program `name` in the folders of PATH; NULL: there is none. */
static char *on_path(const char *name)
{
    const char *dir = getenv("PATH");

    if (strchr(name, '/'))
        return is_file(name, X_OK) ? strdup(name) : NULL;
    for (const char *end; dir && *dir; dir = *end ? end + 1 : end) {
        strbuf b = {0};

        end = strchrnul(dir, ':');
        strbuf_printf(&b, "%.*s/%s", (int)(end - dir), dir, name);
        if (end > dir && is_file(b.text, X_OK))
            return b.text;
        strbuf_fini(&b);
    }
    return NULL;
}

static char *clang_of(unsigned version)
{
    static const char *const places[] = {
        "clang-%u",
        "/usr/lib/llvm-%u/bin/clang",
        "/usr/local/llvm-%u/bin/clang",
        "/opt/llvm-%u/bin/clang",
    };

    for (size_t i = 0; i < COUNTOF(places); i++) {
        char *name = format_path(places[i], version), *path = on_path(name);

        free(name);
        if (path)
            return path;
    }
    return NULL;
}

/* Of that version, then newer ones, then whatever is called clang. */
static char *find_clang(unsigned version)
{
    const char *given = getenv("HEDDLE_CLANG");
    char *path = NULL;

    if (given && *given)
        return on_path(given);
    for (unsigned v = version ? version : OLDEST; v <= NEWEST && !path; v++)
        path = clang_of(v);
    return path ? path : on_path("clang");
}

static char *find_libclc(void)
{
    const char *given = getenv("HEDDLE_LIBCLC");

    if (given && *given)
        return is_file(given, R_OK) ? strdup(given) : NULL;
    for (size_t i = 0; i < COUNTOF(libclc_places); i++)
        for (unsigned v = OLDEST; v <= NEWEST; v++) {
            char *path = format_path(libclc_places[i], v);

            if (is_file(path, R_OK))
                return path;
            free(path);
            if (!strstr(libclc_places[i], "%u"))
                break;
        }
    return NULL;
}

static uint64_t identify(const char *path, uint64_t seed)
{
    struct stat s = {0};

    if (stat(path, &s) != 0)
        return seed;
    uint64_t facts[] = {(uint64_t)s.st_size, (uint64_t)s.st_mtim.tv_sec,
                        (uint64_t)s.st_mtim.tv_nsec, (uint64_t)s.st_ino,
                        (uint64_t)s.st_dev};
    return hash_bytes(facts, sizeof facts,
                      hash_bytes(path, strlen(path), seed));
}

/* Another driver may make something else of the same source. */
static uint64_t identify_driver(void)
{
    Dl_info self;

    return dladdr((void *)identify_driver, &self) && self.dli_fname
               ? identify(self.dli_fname, 1)
               : 1;
}

bool toolchain_find(toolchain *t, strbuf *why)
{
    const char *clang = getenv("HEDDLE_CLANG");
    const char *libclc = getenv("HEDDLE_LIBCLC");

    *t = (toolchain){.libclc = find_libclc()};
    if (!t->libclc) {
        if (libclc && *libclc)
            strbuf_printf(why, "HEDDLE_LIBCLC=%s cannot be read\n", libclc);
        else
            strbuf_puts(why, "libclc is not installed, or not where it is "
                             "looked for: install it (Debian: libclc-14), or "
                             "set HEDDLE_LIBCLC to its "
                             "nvptx64--nvidiacl.bc\n");
        return false;
    }
    t->version = version_of(t->libclc);
    t->clang = find_clang(t->version);
    if (!t->clang) {
        unsigned v = t->version ? t->version : OLDEST;

        if (clang && *clang)
            strbuf_printf(why, "HEDDLE_CLANG=%s is no program\n", clang);
        else
            strbuf_printf(why,
                          "no clang is installed: install the one that "
                          "fits libclc (Debian: clang-%u), or set "
                          "HEDDLE_CLANG to it\n",
                          v);
        toolchain_fini(t);
        return false;
    }
    t->identity = identify(t->libclc, identify(t->clang, identify_driver()));
    return true;
}

void toolchain_fini(toolchain *t)
{
    free(t->clang);
    free(t->libclc);
    *t = (toolchain){0};
}
