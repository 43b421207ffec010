/* src/probe/find/shared.c - shared memory: latency, banks, conflicts, widths,
 * atomics. */
#include <math.h>
#include <stdio.h>

#include "probe/harness.h"

enum { WARPS = 4, LOADS = 16, BYTES = 16 << 10, LANES = 32 };

/* Cycles of a multiprocessor for one of the body's instructions. */
static status cost_of_access(probe_run *r, const char *setup, const char *text,
                             double *cycles)
{
    probe_body b = {.setup = setup,
                    .text = text,
                    .n = LOADS,
                    .warps = WARPS,
                    .shared_bytes = BYTES};
    status st = probe_cost(r, &b, cycles);

    *cycles /= WARPS;
    return st;
}

static status find_latency(probe_run *r)
{
    probe_body chain = {.setup = "MOV R8, RZ\n    STS [RZ], RZ",
                        .text = "LDS R8, [R8]",
                        .n = LOADS,
                        .shared_bytes = BYTES};
    double cycles = 0;
    status st = probe_cost(r, &chain, &cycles);

    if (st == ST_OK)
        probe_number(r, "load.shared", "load of shared memory", "cycle",
                     cycles);
    return st;
}

/* Lanes `stride` bytes apart. */
static status stride_cost(probe_run *r, unsigned stride, double *cycles)
{
    char setup[96];

    snprintf(setup, sizeof setup,
             "S2R R8, SR_LANEID\n    IMAD R8, R8, 0x%x, RZ", stride);
    return cost_of_access(r, setup, "LDS R$(16 + i % 16), [R8]", cycles);
}

/* One lane at 0 and all others at `at`: do they meet in a bank? */
static status pair_cost(probe_run *r, unsigned at, double *cycles)
{
    char setup[160];

    snprintf(setup, sizeof setup,
             "S2R R8, SR_LANEID\n    ISETP.NE.AND P1, PT, R8, RZ, PT\n"
             "    MOV R8, RZ\n    @P1 MOV R8, 0x%x",
             at);
    return cost_of_access(r, setup, "LDS R$(16 + i % 16), [R8]", cycles);
}

/* The banks repeat where all lanes of that stride meet in one; a bank is as
 * wide as the last place behind that which still meets the first. */
static status find_banks(probe_run *r)
{
    double one = 0, now = 0, all = 0;
    unsigned period = 4, width = 4;
    size_t curve = probe_found_curve(
        r->found, &(probe_curve){.probe = r->kind->name,
                                 .id = "conflicts",
                                 .what = "Cycles of a load of shared memory by "
                                         "the distance of its lanes",
                                 .x_is = "stride, bytes",
                                 .y_is = "cycles",
                                 .log_x = true});
    status st = pair_cost(r, 0, &one);

    for (unsigned s = 4; st == ST_OK && s * (LANES - 1) < BYTES; s *= 2) {
        st = stride_cost(r, s, &now);
        probe_found_point(r->found, curve, s, now);
        if (now > all + 0.5 * one) {
            all = now;
            period = s;
        }
    }
    for (now = 2 * one; st == ST_OK && now > 1.5 * one && width <= 64;
         width += 4)
        st = pair_cost(r, period + width, &now);
    width -= 4;
    if (st != ST_OK)
        return st;
    probe_number(r, "shared.bank_bytes", "width of a bank", "byte", width);
    probe_number(r, "shared.banks", "banks", "bank", period / width);
    probe_number(r, "shared.conflict", "each lane more in a bank", "cycle",
                 (all - one) / (LANES - 1));
    return ST_OK;
}

/* Lanes side by side. */
static status find_widths(probe_run *r)
{
    static const struct {
        const char *id, *text;
        unsigned bytes;
    } width[] = {
        {"shared.bandwidth32", "LDS R$(16 + 4 * (i % 8)), [R8]", 4},
        {"shared.bandwidth64", "LDS.64 R$(16 + 4 * (i % 8)), [R8]", 8},
        {"shared.bandwidth128", "LDS.128 R$(16 + 4 * (i % 8)), [R8]", 16},
    };
    status st = ST_OK;

    for (size_t i = 0; i < sizeof width / sizeof *width && st == ST_OK; i++) {
        char setup[96], what[64];
        double cycles = 0;

        snprintf(setup, sizeof setup,
                 "S2R R8, SR_LANEID\n    IMAD R8, R8, 0x%x, RZ",
                 width[i].bytes);
        snprintf(what, sizeof what, "loads of %u bits, lanes side by side",
                 8 * width[i].bytes);
        st = cost_of_access(r, setup, width[i].text, &cycles);
        if (st == ST_OK)
            probe_number(r, width[i].id, what, "byte/cycle",
                         LANES * width[i].bytes / cycles);
    }
    return st;
}

static status find_atomics(probe_run *r)
{
    static const char text[] = "ATOMS.ADD R$(16 + i % 16), [R8], R8";
    double apart = 0, same = 0;
    status st =
        cost_of_access(r, "S2R R8, SR_LANEID\n    SHL R8, R8, 2", text, &apart);

    if (st == ST_OK)
        st = cost_of_access(r, "MOV R8, RZ", text, &same);
    if (st != ST_OK)
        return st;
    probe_number(r, "shared.atomic", "atomic, each lane its own word", "cycle",
                 apart);
    probe_number(r, "shared.atomic_same", "atomic, all lanes one word", "cycle",
                 same);
    return ST_OK;
}

status probe_run_shared(probe_run *r)
{
    status st = find_latency(r);

    if (st == ST_OK)
        st = find_banks(r);
    if (st == ST_OK)
        st = find_widths(r);
    if (st == ST_OK)
        st = find_atomics(r);
    return st;
}
