/* tests/fuzz/fuzz_profile.c - what profilers write of launches, and rows of it.
 */
#include "fuzz.h"

#include "base/must.h"
#include "validate/hardware.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    profile p;
    validate v = {.mem = mem};
    hardware h = {
        .mem = mem, .theirs = &p, .gpu = "v100", .sms = 80, .clock_hz = 1e9};

    if (profile_read_text("fuzz.csv", (const char *)data, size, mem, dg, &p) ==
        ST_OK) {
        MUST(p.count > 0);
        h.by_kernel = p.count % 2;
        hardware_match(&h, &v);
        validate_finish(&v);
    }
    diag_free(dg);
    arena_free(mem);
    return 0;
}
