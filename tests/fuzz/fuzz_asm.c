/* tests/fuzz/fuzz_asm.c - the assembler; what it accepts must survive being
 * printed and read again. */
#include "fuzz.h"

#include <string.h>

#include "asm/asm.h"
#include "base/diag.h"
#include "base/must.h"
#include "base/strbuf.h"

static void print_again(const isa_program *p, diag *dg)
{
    strbuf one = {0}, two = {0};
    isa_program *q = NULL;

    asm_print(p, &one, NULL);
    MUST(asm_parse("again.sass", one.text, one.size, dg, &q) == ST_OK);
    asm_print(q, &two, NULL);
    MUST(one.size == two.size && !memcmp(one.text, two.text, one.size));
    isa_program_free(q);
    strbuf_fini(&one);
    strbuf_fini(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag *dg = diag_new();
    isa_program *p = NULL;

    if (asm_parse("fuzz.sass", (const char *)data, size, dg, &p) == ST_OK) {
        diag_clear(dg);
        print_again(p, dg);
        isa_program_free(p);
    }
    diag_free(dg);
    return 0;
}
