/* tests/fuzz/fuzz_ptx.c - the PTX lexer and parser. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/diag.h"
#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *a = arena_new();
    diag *dg = diag_new();
    ptx_module *m = NULL;

    if (a && dg)
        ptx_parse("fuzz.ptx", (const char *)data, size, a, dg, &m);
    diag_free(dg);
    arena_free(a);
    return 0;
}
