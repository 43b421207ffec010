/* tests/cuda/test_takeover.c - runtimes in files that are loaded: recognised,
 * and led elsewhere. The files are victim.c, as VICTIM_... says (CMake). */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/must.h"
#include "cuda/takeover/lead.h"
#include "cuda/takeover/runtime.h"
#include "test.h"

static runtime_found look(const char *path)
{
    elf_file f = elf_open(path);
    runtime_found r = runtime_look(&f);

    CHECK(f.at);
    elf_close(f);
    return r;
}

TEST(the_generation_is_that_of_its_functions)
{
#ifdef __x86_64__
    static const struct {
        const char *path;
        unsigned generation;
    } rows[] = {
        {VICTIM_10, 10}, {VICTIM_11, 11}, {VICTIM_12, 12}, {VICTIM_13, 13}};

    for (size_t i = 0; i < COUNTOF(rows); i++) {
        CHECK_EQ(look(rows[i].path).kind, RUNTIME_INSIDE);
        CHECK_EQ(look(rows[i].path).generation, rows[i].generation);
    }
#else
    TEST_SKIP("for x86-64");
#endif
}

TEST(a_shared_runtime_is_known_by_its_name)
{
    CHECK_EQ(look(VICTIM_LINKED).kind, RUNTIME_SHARED);
    CHECK_EQ(look(VICTIM_LINKED).generation, 11);
    CHECK_EQ(look(STAND_IN_12).kind, RUNTIME_SHARED);
    CHECK_EQ(look(STAND_IN_12).generation, 12);
}

TEST(a_runtime_without_symbols_is_recognised)
{
    CHECK_EQ(look(VICTIM_STRIPPED).kind, RUNTIME_STRIPPED);
}

TEST(others_have_none)
{
    CHECK_EQ(look(HEDDLE_CUDA).kind, RUNTIME_NONE); /* not itself */
    CHECK_EQ(look(HEDDLE_PRELOAD).kind, RUNTIME_NONE);
    CHECK_EQ(look("/bin/sh").kind, RUNTIME_NONE);
    CHECK_EQ(look("/etc/passwd").kind, RUNTIME_NONE);
    CHECK_EQ(runtime_look(&(elf_file){0}).kind, RUNTIME_NONE);
}

/* Cut off anywhere, or with a byte changed: any answer but a crash. */
TEST(damaged_files_do_no_harm)
{
    char path[] = "/tmp/heddle-victim-XXXXXX";
    int fd = mkstemp(path);
    diag *dg = diag_new();
    char *data;
    size_t size;

    CHECK(fd >= 0);
    CHECK_EQ(file_read(VICTIM_12, dg, &data, &size), ST_OK);
    CHECK_EQ(write(fd, data, size), size);
    for (size_t i = 0; i < size; i += i < 1024 || i + 4096 > size ? 1 : 97) {
        char changed = (char)(data[i] ^ 0x91);

        CHECK_EQ(pwrite(fd, &changed, 1, (off_t)i), 1);
        look(path);
        CHECK_EQ(pwrite(fd, &data[i], 1, (off_t)i), 1);
    }
    for (size_t n = size; n > 97; n -= 97) {
        CHECK_EQ(ftruncate(fd, (off_t)n), 0);
        look(path);
    }
    close(fd);
    unlink(path);
    free(data);
    diag_free(dg);
}

/* ---- Leading ---- */

#ifdef __x86_64__
int cudaMalloc(void **out, size_t size);

static int replaced(void) { return 100; }

/* All but cudaUnknown. */
static void *find(void *arg, const char *name)
{
    (void)arg;
    return !strncmp(name, "cuda", 4) && strcmp(name, "cudaUnknown") != 0
               ? (void *)(uintptr_t)replaced
               : NULL;
}

static int call(void *library, const char *name)
{
    int (*function)(void);

    *(void **)&function = dlsym(library, name);
    CHECK(function);
    return function();
}

/* Its memory, or another's. */
static size_t lead(const char *path, uintptr_t bias)
{
    elf_file f = elf_open(path);
    runtime_found r = runtime_look(&f);
    size_t n = lead_functions(&(lead_request){
        .file = &f, .bias = bias, .symbols = r.symbols, .find = find});

    elf_close(f);
    return n;
}

static uintptr_t bias_of(void *library)
{
    struct link_map *map;

    CHECK_EQ(dlinfo(library, RTLD_DI_LINKMAP, (void *)&map), 0);
    return map->l_addr;
}

TEST(functions_lead_elsewhere)
{
    void *library = dlopen(VICTIM_13, RTLD_NOW);

    CHECK(library);
    CHECK_EQ(call(library, "cudaMalloc"), 2);
    CHECK_EQ(lead(VICTIM_13, bias_of(library)), 3);
    CHECK_EQ(call(library, "cudaMalloc"), 100);
    CHECK_EQ(call(library, "cudaLanding"), 100);
    CHECK_EQ(call(library, "cudaCtxResetPersistingL2Cache"), 100);
    CHECK(!memcmp(dlsym(library, "cudaLanding"), "\xf3\x0f\x1e\xfa", 4));
    /* Too short, or not wanted. */
    CHECK_EQ(call(library, "cudaAlmost"), 3);
    CHECK_EQ(call(library, "cudaLandingAlmost"), 5);
    CHECK_EQ(call(library, "cudaUnknown"), 6);
    CHECK_EQ(call(library, "__cudaRegisterFatBinary"), 1);
}

/* Programs may trap other indirect jumps. */
TEST(jumps_may_lead_to_the_driver)
{
#ifdef __CET__
    CHECK(!memcmp((void *)(uintptr_t)cudaMalloc, "\xf3\x0f\x1e\xfa", 4));
#else
    TEST_SKIP("the compiler makes no such places");
#endif
}

/* A system may refuse it; then everything stays as it is. */
TEST(code_that_must_not_be_written_stays)
{
    enum { SET_MDWE = 65, REFUSE = 1, UNKNOWN = 77 }; /* Linux 6.3 */
    void *library = dlopen(VICTIM_11, RTLD_NOW);
    int how;

    CHECK(library);
    pid_t child = fork();
    if (child == 0) {
        if (prctl(SET_MDWE, REFUSE, 0, 0, 0) != 0)
            _exit(UNKNOWN);
        size_t n = lead(VICTIM_11, bias_of(library));
        _exit(n || errno != EACCES || call(library, "cudaMalloc") != 2);
    }
    CHECK_EQ(waitpid(child, &how, 0), child);
    CHECK(WIFEXITED(how));
    if (WEXITSTATUS(how) == UNKNOWN)
        TEST_SKIP("the system cannot refuse it");
    CHECK_EQ(WEXITSTATUS(how), 0);
}

TEST(code_that_is_not_that_of_the_file_stays)
{
    void *library = dlopen(VICTIM_12, RTLD_NOW);

    CHECK(library);
    /* Another file's symbols: theirs lie elsewhere. */
    CHECK_EQ(lead(VICTIM_MOVED, bias_of(library)), 0);
    CHECK_EQ(call(library, "cudaMalloc"), 2);
}
#endif
