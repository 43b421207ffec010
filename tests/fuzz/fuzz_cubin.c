/* tests/fuzz/fuzz_cubin.c - machine code of real GPUs: what is read can be
 * listed, and what is loaded is in order. The seeds are PTX of ours, compiled
 * by ptxas. */
#include "fuzz.h"

#include "base/must.h"
#include "sass/listing.h"
#include "sass/load.h"

static void list(const cubin *c)
{
    strbuf b = {0};

    sass_list(c, NULL, &b);
    sass_list_info(c, &b);
    strbuf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sass_load_options opt = {.capability = 90, .gpu = "GPU"};
    arena *mem = arena_new();
    diag *dg = diag_new();
    isa_program *p = NULL;
    cubin *c = NULL;
    status st = cubin_read("fuzz", data, size, mem, dg, &c);

    MUST(diag_errors(dg) == (st != ST_OK));
    if (st == ST_OK)
        list(c);
    arena_free(mem);
    diag_clear(dg);
    st = sass_load("fuzz", data, size, &opt, dg, &p);
    MUST((diag_errors(dg) > 0) == (st != ST_OK));
    isa_program_free(p);
    diag_free(dg);
    return 0;
}
