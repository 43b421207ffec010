/* src/probe/find/stream.c - bytes in a nanosecond from memory and from the L2,
 * by the width of loads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "probe/harness.h"

enum {
    THREADS = 512, /* of a CTA */
    UNROLL = 4,
    MEMORY = 16 << 20, /* bytes, not read before */
};

typedef struct width {
    const char *name, *load;
    unsigned bytes;
} width;

/* Bytes in a nanosecond that `ctas` get of `bytes`, which they read so many
 * times. */
static status rate(probe_run *r, const width *w, const char *cache,
                   uint64_t from, unsigned ctas, uint64_t bytes,
                   unsigned rounds, double *out)
{
    char load[32], block[16], width_text[16];
    uint64_t each = (uint64_t)ctas * THREADS * w->bytes;
    uint32_t times = (uint32_t)(bytes / (each * UNROLL));
    size_t warps = (size_t)ctas * THREADS / 32;
    uint32_t *clock = new0(2 * warps, sizeof *clock);

    times = times ? times : 1;
    snprintf(load, sizeof load, "%s%s", w->load, cache);
    snprintf(block, sizeof block, "%llu", (unsigned long long)each);
    snprintf(width_text, sizeof width_text, "%u", w->bytes);
    probe_kernel k = {
        .name = "stream",
        .vars = {{"load", load},
                 {"block", block},
                 {"width", width_text},
                 {"unroll", "4"}},
        .ctas = ctas,
        .threads = THREADS,
        .data = from,
        .args = {times, rounds},
        .out = clock,
        .out_words = 2 * warps,
    };
    status st = probe_launch_kernel(r, &k);
    uint32_t first = clock[0], last = clock[1];
    for (size_t i = 0; i < warps; i++) {
        if ((int32_t)(clock[2 * i] - first) < 0)
            first = clock[2 * i];
        if ((int32_t)(clock[2 * i + 1] - last) > 0)
            last = clock[2 * i + 1];
    }
    free(clock);
    *out = (double)(each * UNROLL * times) * rounds / (uint32_t)(last - first);
    return st;
}

status probe_run_stream(probe_run *r)
{
    static const width widths[] = {
        {"32", "LDG.E", 4}, {"64", "LDG.E.64", 8}, {"128", "LDG.E.128", 16}};
    const probe_value *sms = probe_found_get(r->found, "limits.sms");
    const probe_value *l2 = probe_found_get(r->found, "l2.size");
    unsigned ctas = sms ? 2 * (unsigned)sms->number : 64;
    uint64_t from = r->machine->memory(r->machine->self, 8 * MEMORY);
    status st = from ? ST_OK : ST_NOMEM;

    for (size_t i = 0; i < 3 && st == ST_OK; i++) {
        char id[32], what[64];
        double got = 0;

        st = rate(r, &widths[i], "", from + (2 * i + 1) * MEMORY, ctas, MEMORY,
                  1, &got);
        if (st != ST_OK)
            break;
        snprintf(id, sizeof id, "memory.bandwidth%s", widths[i].name);
        snprintf(what, sizeof what, "from memory, loads of %s bits",
                 widths[i].name);
        probe_number(r, id, what, "GB/s", got);
        if (!l2)
            continue;
        st = rate(r, &widths[i], ".CG", from, ctas, (uint64_t)l2->number / 4, 4,
                  &got);
        snprintf(id, sizeof id, "l2.bandwidth%s", widths[i].name);
        snprintf(what, sizeof what, "from the L2, loads of %s bits",
                 widths[i].name);
        probe_number(r, id, what, "GB/s", got);
    }
    return st;
}
