/* tests/fuzz/fuzz_cuda.c - the functions of the CUDA runtime and driver API
 * with arguments of all sorts: right, of another kind, freed, NULL, huge. Each
 * may fail, and must come back.
 *
 * Two bytes of the input choose a function, those that follow its arguments. An
 * input "random SEED COUNT" stands for so many calls of random bytes. What
 * crashes with a real driver, too, is left out: pointers to no memory of the
 * host where the function has to believe them. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "cuda/driver_api/driver_functions.h"
#include "cuda_arguments.h"
#include "program.h"

static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 count = 5;\n"
    ".visible .entry work(.param .u64 at, .param .u32 a, .param .u32 b)\n"
    "{\n"
    "  .reg .u64 %a; .reg .u32 %r;\n"
    "  ld.param.u64 %a, [at]; ld.param.u32 %r, [a]; st.global.u32 [%a], %r;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry rest() { ret; }\n";
static const char broken[] = ".version 6.0\n.target sm_70\n.entry k( {";
static const char zeros[256];

static const char work, rest, count, other; /* addresses on the host */

/* ---- The input ---- */

static struct {
    const uint8_t *at, *end;
    rng random;
    unsigned long calls; /* left, if it is random */
    bool is_random;
} in;

static unsigned next_byte(void)
{
    if (in.is_random)
        return (unsigned)rng_below(&in.random, 256);
    return in.at < in.end ? *in.at++ : 0;
}

unsigned argument_below(unsigned n) { return next_byte() % n; }

static void read_input(const uint8_t *data, size_t size)
{
    unsigned long long seed;
    char text[64];
    size_t n = size < sizeof text - 1 ? size : sizeof text - 1;

    memcpy(text, data, n);
    text[n] = '\0';
    in.is_random = sscanf(text, "random %llu %lu", &seed, &in.calls) == 2;
    in.at = data;
    in.end = data + size;
    if (in.is_random)
        rng_init(&in.random, seed, "calls");
}

static bool more(void)
{
    return in.is_random ? in.calls && in.calls-- : in.at < in.end;
}

/* ---- The calls ---- */

#define CALL(name, ...)                                                        \
    static void call_##name(void) { name(__VA_ARGS__); }
#include "cuda_calls.def"
#undef CALL

static const struct {
    void (*call)(void);
    const char *name;
} functions[] = {
#define CALL(name, ...) {call_##name, #name},
#include "cuda_calls.def"
#undef CALL
};

/* With HEDDLE_FUZZ_CALLS set it tells what it calls. */
static void call_one(void)
{
    static int tells = -1;
    size_t i = (next_byte() << 8 | next_byte()) %
               (sizeof functions / sizeof *functions);

    if (tells < 0)
        tells = getenv("HEDDLE_FUZZ_CALLS") != NULL;
    if (tells)
        fprintf(stderr, "%s\n", functions[i].name);
    arguments_begin();
    functions[i].call();
}

/* ---- Beginning and end ---- */

static void register_program(void)
{
    void **handle = program_register(ptx, sizeof ptx - 1);

    program_kernel(handle, &work, "work");
    program_kernel(handle, &rest, "rest");
    __cudaRegisterVar(handle, (char *)(uintptr_t)&count, NULL, "count", 0, 4, 0,
                      0);
    __cudaRegisterFatBinaryEnd(handle);
}

static void begin(void)
{
    static bool begun;

    if (begun)
        return;
    begun = true;
    arguments_init((const void *const[]){&work, &rest, &count, &other},
                   (const void *const[]){ptx, broken, zeros});
    register_program();
    setenv("HEDDLE_GPU", "v100,k20", 1);
    int quiet = open("/dev/null", O_WRONLY);
    if (!getenv("HEDDLE_FUZZ_CALLS")) /* of faults and missing functions */
        dup2(quiet, STDERR_FILENO);
    close(quiet);
    cuInit(0);
}

/* As at the beginning, but for what only the calls had handles of. */
static void clean_up(void)
{
    CUcontext c;

    while (!cuCtxPopCurrent_v2(&c))
        ;
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        cudaDeviceReset();
    }
    arguments_end();
    for (int i = 1; i >= 0; i--) {
        cudaSetDevice(i);
        cudaDeviceReset();
    }
    cudaGetLastError();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    read_input(data, size);
    while (more())
        call_one();
    clean_up();
    return 0;
}
