/* src/probe/find/sync.c - barriers, branches and atomics of global memory. */
#include <stdio.h>

#include "probe/harness.h"

enum { TIMES = 8 };

status probe_run_barrier(probe_run *r)
{
    size_t curve = probe_found_curve(
        r->found,
        &(probe_curve){.probe = r->kind->name,
                       .id = "barrier",
                       .what = "Cycles of a barrier by warps that meet at it",
                       .x_is = "warps",
                       .y_is = "cycles"});
    status st = ST_OK;

    for (unsigned w = 1; w <= 32 && st == ST_OK; w *= 2) {
        probe_body b = {.text = "BAR.SYNC 0x0", .n = TIMES, .warps = w};
        double cycles = 0;
        char id[32], what[64];

        st = probe_cost(r, &b, &cycles);
        if (st != ST_OK)
            break;
        probe_found_point(r->found, curve, w, cycles);
        if (w > 1 && w < 32)
            continue;
        snprintf(id, sizeof id, "barrier.%u", w);
        snprintf(what, sizeof what, "barrier of %u warp%s", w,
                 w > 1 ? "s" : "");
        probe_number(r, id, what, "cycle", cycles);
    }
    return st == ST_USAGE ? ST_OK : st; /* more than a CTA may have */
}

/* What a branch costs: of an if and else with an instruction on each side,
 * whose lanes all go to one side, or to both. */
status probe_run_branch(probe_run *r)
{
    static const char *const side[] = {
        "ISETP.EQ.AND P1, PT, RZ, RZ, PT",
        "S2R R8, SR_LANEID\n    ISETP.LT.AND P1, PT, R8, 0x10, PT"};
    const char *choose =
        r->machine->family == PROBE_VOLTA
            ? "BSSY B0, meet$i\n    @P1 BRA else$i\n    MOV R12, R9\n"
              "    BRA meet$i\nelse$i:\n    MOV R12, R10\nmeet$i:\n"
              "    BSYNC B0"
            : "SSY meet$i\n    @P1 BRA else$i\n    MOV R12, R9\n"
              "    SYNC\nelse$i:\n    MOV R12, R10\n    SYNC\nmeet$i:";
    probe_body taken = {.text = "BRA next$i\n    NOP\nnext$i:", .n = TIMES};
    probe_body body = {.setup = side[0], .text = choose, .n = TIMES};
    double jump = 0, one = 0, two = 0;
    status st = probe_cost(r, &taken, &jump);

    if (st == ST_OK)
        st = probe_cost(r, &body, &one);
    body.setup = side[1];
    if (st == ST_OK)
        st = probe_cost(r, &body, &two);
    if (st != ST_OK)
        return st;
    probe_number(r, "branch.taken", "branch that is taken", "cycle", jump);
    probe_number(r, "branch.together", "if and else, all lanes to one side",
                 "cycle", one);
    probe_number(r, "branch.diverged", "if and else, lanes to both sides",
                 "cycle", two);
    return ST_OK;
}

/* ---- Atomics ---- */

typedef struct atomic_row {
    const char *id, *what, *setup, *text;
    unsigned ctas, warps;
    bool rate; /* lanes in a cycle, else cycles */
} atomic_row;

status probe_run_atomic(probe_run *r)
{
#define AT "MOV R8, c[0x0][data]\n    MOV R9, c[0x0][data+4]\n"
#define LANE                                                                   \
    AT "    S2R R10, SR_LANEID\n    IMAD.WIDE R8, R10, 4, R8\n    MOV R10, RZ"
    static const atomic_row rows[] = {
        {"atomic.latency", "atomic to the use of its result",
         AT "    MOV R10, RZ", "@P1 ATOMG.E.ADD R10, [R8.64], R10", 1, 1,
         false},
        {"atomic.apart", "atomics of a warp, each lane its own word", LANE,
         "RED.E.ADD [R8.64], R10", 1, 4, true},
        {"atomic.same", "atomics of a warp, all lanes one word",
         AT "    MOV R10, RZ", "RED.E.ADD [R8.64], R10", 1, 4, true},
    };
#undef AT
#undef LANE
    uint64_t data = r->machine->memory(r->machine->self, 1 << 20);
    status st = data ? ST_OK : ST_NOMEM;

    for (size_t i = 0; i < sizeof rows / sizeof *rows && st == ST_OK; i++) {
        const atomic_row *a = &rows[i];
        double each = 0;
        char setup[192];

        /* One lane of the chain: its latency, not that of 32. */
        snprintf(setup, sizeof setup,
                 "%s\n    S2R R11, SR_LANEID\n"
                 "    ISETP.EQ.AND P1, PT, R11, RZ, PT",
                 a->setup);
        probe_body b = {.setup = setup,
                        .text = a->text,
                        .n = a->rate ? 64 : TIMES,
                        .warps = a->warps,
                        .passes = 3,
                        .data = data};
        st = probe_cost(r, &b, &each);
        if (st == ST_OK)
            probe_number(r, a->id, a->what, a->rate ? "lane/cycle" : "cycle",
                         a->rate ? 32 * a->warps / each : each);
    }
    return st;
}
