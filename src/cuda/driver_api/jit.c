#include "cuda/driver_api/jit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { /* CUjit_option */
       JIT_MAX_REGISTERS = 0,
       JIT_WALL_TIME = 2,
       JIT_INFO_LOG = 3,
       JIT_INFO_LOG_BYTES = 4,
       JIT_ERROR_LOG = 5,
       JIT_ERROR_LOG_BYTES = 6,
};

cudaError_t jit_check(const jit_options *opt)
{
    if (!opt->count || (opt->what && opt->value))
        return cudaSuccess;
    return cu_fail(cudaErrorInvalidValue,
                   "%u options, but no list of them, or of their values",
                   opt->count);
}

static void **find(const jit_options *opt, int what)
{
    for (unsigned i = 0; i < opt->count; i++)
        if (opt->what[i] == what)
            return &opt->value[i];
    return NULL;
}

unsigned jit_registers(const jit_options *opt)
{
    enum { LEAST = 16 }; /* with much less some kernels do not compile */
    void **value = find(opt, JIT_MAX_REGISTERS);
    unsigned most = value ? (uint32_t)(uintptr_t)*value : 0;

    return most && most < LEAST ? LEAST : most;
}

/* As much as there is room for, with a NUL. The size becomes that of what was
 * written. */
static void put_log(const jit_options *opt, int log, int bytes,
                    const char *text)
{
    void **to = find(opt, log), **room = find(opt, bytes);
    size_t n = strlen(text);

    if (!to || !*to || !room)
        return;
    /* The value is a number, of the 32 bits that an unsigned has. */
    size_t most = (uint32_t)(uintptr_t)*room;
    if (!most)
        return;
    if (n >= most)
        n = most - 1;
    memcpy(*to, text, n);
    ((char *)*to)[n] = 0;
    *room = (void *)(uintptr_t)n;
}

void jit_log(const jit_options *opt, const diag *dg)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return;
    diag_print(dg, to, false);
    fclose(to);
    bool failed = diag_errors(dg) != 0;
    put_log(opt, JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES, failed ? text : "");
    put_log(opt, JIT_INFO_LOG, JIT_INFO_LOG_BYTES, failed ? "" : text);
    void **ms = find(opt, JIT_WALL_TIME);
    if (ms) /* a float: it took no simulated time */
        *ms = NULL;
    free(text);
}
