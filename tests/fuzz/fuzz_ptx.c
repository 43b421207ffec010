/* tests/fuzz/fuzz_ptx.c - the PTX front end; what it accepts must survive
 * being printed and read again. */
#include "fuzz.h"

#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "ptx/ptx.h"

static void print_again(const ptx_module *m, arena *a, diag *dg)
{
    strbuf one = {0}, two = {0};
    ptx_module *n = NULL;

    ptx_print(m, &one);
    MUST(ptx_parse("again.ptx", one.text, one.size, a, dg, &n) == ST_OK);
    ptx_print(n, &two);
    MUST(one.size == two.size && !memcmp(one.text, two.text, one.size));
    strbuf_fini(&one);
    strbuf_fini(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *a = arena_new();
    diag *dg = diag_new();
    ptx_module *m = NULL;

    if (a && dg &&
        ptx_parse("fuzz.ptx", (const char *)data, size, a, dg, &m) == ST_OK) {
        diag_clear(dg);
        print_again(m, a, dg);
    }
    diag_free(dg);
    arena_free(a);
    return 0;
}
