/* tests/fuzz/fuzz_launch.c - launch files. */
#include "fuzz.h"

#include "base/diag.h"
#include "launchfile/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plan *p = plan_new();
    diag *dg = diag_new();

    plan_read_text(p, "fuzz.yaml", (const char *)data, size, dg);
    diag_free(dg);
    plan_free(p);
    return 0;
}
