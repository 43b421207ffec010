/* tests/fuzz/fuzz_truth.c - truth files. */
#include "fuzz.h"

#include "base/must.h"
#include "validate/truth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const truth_places where = {"/p", "/i"};
    diag *dg = diag_new();
    truth *t = NULL;

    if (truth_read_text("fuzz.yaml", (const char *)data, size, &where, dg,
                        &t) == ST_OK)
        MUST(t->count && t->rows[0].value > 0);
    truth_free(t);
    diag_free(dg);
    return 0;
}
