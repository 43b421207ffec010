/* tests/fuzz/fuzz_sass.c - text of machine code of real GPUs: what assembles
 * is a cubin that can be read, and its text assembles to a cubin of the same
 * text. */
#include "fuzz.h"

#include <string.h>

#include "base/must.h"
#include "codegen/schedule/ctl.h"
#include "sass/assemble.h"
#include "sass/cubin_write.h"

/* The file, and from it the text again. */
static void write_and_list(const cubin *c, arena *mem, diag *dg, strbuf *text)
{
    strbuf file = {0};
    cubin *back = NULL;

    cubin_write(c, &file);
    MUST(cubin_read("fuzz", file.text, file.size, mem, dg, &back) == ST_OK);
    sass_source(back, text);
    strbuf_fini(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    cubin *c = NULL;
    status st = sass_assemble("fuzz", (const char *)data, size, cg_control_code,
                              mem, dg, &c);

    sass_is_source((const char *)data, size);
    MUST((diag_errors(dg) > 0) == (st != ST_OK));
    if (st == ST_OK) {
        strbuf first = {0}, second = {0};

        write_and_list(c, mem, dg, &first);
        MUST(sass_assemble("fuzz", first.text, first.size, NULL, mem, dg, &c) ==
             ST_OK);
        write_and_list(c, mem, dg, &second);
        MUST(first.size == second.size &&
             !memcmp(first.text, second.text, first.size));
        strbuf_fini(&first);
        strbuf_fini(&second);
    }
    arena_free(mem);
    diag_free(dg);
    return 0;
}
