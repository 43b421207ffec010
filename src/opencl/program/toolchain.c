#include "opencl/program/toolchain.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
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
        return new_text(fmt);
    strbuf_write(&b, fmt, (size_t)(at - fmt));
    strbuf_printf(&b, "%u%s", n, at + 2);
    return b.text;
}

/* The program `name` in the folders of PATH; NULL: there is none. */
static char *on_path(const char *name)
{
    const char *dir = getenv("PATH");

    if (strchr(name, '/'))
        return is_file(name, X_OK) ? new_text(name) : NULL;
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

/* Where each clang is looked for; %u is a version. */
static const char *const clang_places[] = {
    "clang-%u",
    "/usr/lib/llvm-%u/bin/clang",
    "/usr/local/llvm-%u/bin/clang",
    "/opt/llvm-%u/bin/clang",
};

static char *clang_of(unsigned version)
{
    for (size_t i = 0; i < COUNTOF(clang_places); i++) {
        char *name = format_path(clang_places[i], version);
        char *path = on_path(name);

        free(name);
        if (path)
            return path;
    }
    return NULL;
}

/* N of ".../llvm-N/bin/clang" or ".../clang-N", links followed; 0: unknown. */
static unsigned program_version(const char *path)
{
    static const char *const marks[] = {"/llvm-", "/clang-"};
    char *real = realpath(path, NULL);
    unsigned n = 0;

    for (size_t i = 0; real && !n && i < COUNTOF(marks); i++) {
        const char *at = strstr(real, marks[i]);

        n = at ? (unsigned)strtoul(at + strlen(marks[i]), NULL, 10) : 0;
    }
    free(real);
    return n;
}

/* The value of a variable; NULL if it is empty, too. */
static const char *value_of_variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* All bitcode that is installed. */
typedef struct choice {
    struct {
        char *path;
        unsigned version; /* 0: unknown */
    } libclc[COUNTOF(libclc_places) * (NEWEST - OLDEST + 1)];
    size_t count;
} choice;

static void add_libclc(choice *c, const char *path)
{
    if (!is_file(path, R_OK))
        return;
    c->libclc[c->count].path = new_text(path);
    c->libclc[c->count++].version = version_of(path);
}

static void find_libclc(choice *c)
{
    *c = (choice){.count = 0};
    if (value_of_variable("HEDDLE_LIBCLC")) {
        add_libclc(c, value_of_variable("HEDDLE_LIBCLC"));
        return;
    }
    for (size_t i = 0; i < COUNTOF(libclc_places); i++)
        for (unsigned v = OLDEST; v <= NEWEST; v++) {
            char *path = format_path(libclc_places[i], v);

            add_libclc(c, path);
            free(path);
            if (!strstr(libclc_places[i], "%u"))
                break;
        }
}

static void choice_fini(choice *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->libclc[i].path);
}

static bool take_choice(toolchain *t, const choice *c, size_t i, char *clang)
{
    t->clang = clang;
    t->libclc = new_text(c->libclc[i].path);
    t->version = c->libclc[i].version;
    return true;
}

/* A clang reads bitcode of its own version, mostly also of older ones, never
 * of newer ones. True: `clang`, which `t` then owns, has one that it reads. */
static bool pair_with(toolchain *t, const choice *c, char *clang)
{
    unsigned own = program_version(clang);
    size_t best = c->count;

    for (size_t i = 0; i < c->count; i++) {
        unsigned v = c->libclc[i].version;

        if (own && v > own)
            continue;
        if (best == c->count || (own && v > c->libclc[best].version))
            best = i;
    }
    return best < c->count && take_choice(t, c, best, clang);
}

/* A pair of one version, then the first libclc and a newer clang, then whatever
 * is called clang. */
static bool find_pair(toolchain *t, const choice *c)
{
    for (size_t i = 0; i < c->count; i++) {
        unsigned v = c->libclc[i].version;
        char *clang = v ? clang_of(v) : NULL;

        if (clang)
            return take_choice(t, c, i, clang);
    }
    for (size_t i = 0; i < c->count; i++) {
        unsigned v = c->libclc[i].version ? c->libclc[i].version : OLDEST;

        for (; v <= NEWEST; v++) {
            char *clang = clang_of(v);

            if (clang)
                return take_choice(t, c, i, clang);
        }
    }
    char *plain = on_path("clang");

    if (plain && pair_with(t, c, plain))
        return true;
    free(plain);
    return false;
}

/* ---- What to do about it ---- */

/* The clangs that are here: all are too old. */
static void put_old_clangs(strbuf *why)
{
    const char *before = "; installed, but too old for it: ";

    for (unsigned v = OLDEST; v <= NEWEST; v++) {
        char *path = clang_of(v);

        if (path)
            strbuf_printf(why, "%s%s", before, path);
        before = path ? ", " : before;
        free(path);
    }
}

static void put_no_libclc(strbuf *why)
{
    unsigned v = OLDEST;
    char *clang = NULL;

    if (value_of_variable("HEDDLE_LIBCLC")) {
        strbuf_printf(why, "HEDDLE_LIBCLC=%s cannot be read\n",
                      value_of_variable("HEDDLE_LIBCLC"));
        return;
    }
    for (unsigned n = OLDEST; n <= NEWEST && !clang; n++)
        if ((clang = clang_of(n)))
            v = n;
    free(clang);
    strbuf_printf(why,
                  "libclc, which clang needs for OpenCL C, is not installed, "
                  "or not where it is looked for (%s, ...): install it "
                  "(Debian: libclc-%u), or set HEDDLE_LIBCLC to its "
                  "nvptx64--nvidiacl.bc\n",
                  libclc_places[0], v);
}

static void put_no_clang(const choice *c, strbuf *why)
{
    unsigned v = c->libclc[0].version ? c->libclc[0].version : OLDEST;

    strbuf_printf(why,
                  "no clang for libclc %u (%s) is installed: looked for "
                  "clang-%u and newer on PATH and in /usr/lib/llvm-%u/bin",
                  v, c->libclc[0].path, v, v);
    put_old_clangs(why);
    strbuf_printf(why,
                  ". Install the one that fits libclc (Debian: clang-%u), or "
                  "set HEDDLE_CLANG to it\n",
                  v);
}

/* With HEDDLE_CLANG. */
static bool find_given(toolchain *t, const choice *c, const char *name,
                       strbuf *why)
{
    char *clang = on_path(name);
    unsigned v = c->libclc[0].version;

    if (clang && pair_with(t, c, clang))
        return true;
    if (clang)
        strbuf_printf(why,
                      "HEDDLE_CLANG=%s cannot read libclc %u (%s): use "
                      "clang-%u, or set HEDDLE_LIBCLC to an older one\n",
                      name, v, c->libclc[0].path, v);
    else
        strbuf_printf(why, "HEDDLE_CLANG=%s is no program\n", name);
    free(clang);
    return false;
}

static uint64_t hash_file_state(const char *path, uint64_t seed)
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
               ? hash_file_state(self.dli_fname, 1)
               : 1;
}

bool toolchain_find(toolchain *t, strbuf *why)
{
    const char *clang = value_of_variable("HEDDLE_CLANG");
    bool found = false;
    choice c;

    *t = (toolchain){0};
    find_libclc(&c);
    if (!c.count)
        put_no_libclc(why);
    else if (clang)
        found = find_given(t, &c, clang, why);
    else if (!(found = find_pair(t, &c)))
        put_no_clang(&c, why);
    choice_fini(&c);
    if (found)
        t->identity = hash_file_state(
            t->libclc, hash_file_state(t->clang, identify_driver()));
    return found;
}

void toolchain_fini(toolchain *t)
{
    free(t->clang);
    free(t->libclc);
    *t = (toolchain){0};
}
