/* src/probe/find/control.c - Volta's control information: does the machine
 * enforce stall counts, yield, scoreboards and reuse, and what do they cost? */
#include <math.h>
#include <stdio.h>

#include "probe/harness.h"

enum { STREAM = 48, STALL_MAX = 15 };

static const probe_var destination = {"d", "R$(16 + 2 * (i % 16))"};

/* Cycles of one of these in a row, of a warp. */
static status cost_of_stream(probe_run *r, const char *text, double *cycles)
{
    probe_body b = {.text = text, .n = STREAM, .vars = {destination}};

    return probe_cost(r, &b, cycles);
}

static status find_stalls(probe_run *r)
{
    size_t curve = probe_found_curve(
        r->found, &(probe_curve){.probe = r->kind->name,
                                 .id = "stalls",
                                 .what = "Cycles of an independent instruction "
                                         "by its stall count",
                                 .x_is = "stall count",
                                 .y_is = "cycles"});
    double cycles = 0;
    bool obeyed = true;
    status st = ST_OK;

    for (unsigned s = 1; s <= STALL_MAX && st == ST_OK; s++) {
        char text[64];

        snprintf(text, sizeof text, "[B------:R-:W-:-:S%02u] MOV $d, R8", s);
        st = cost_of_stream(r, text, &cycles);
        probe_found_point(r->found, curve, s, cycles);
        obeyed = obeyed && (s <= r->known.issue || fabs(cycles - s) < 0.5);
    }
    if (st == ST_OK)
        probe_word(r, "control.stall", "stall counts",
                   obeyed ? "obeyed" : "ignored");
    return st;
}

/* What the second of two took more than the first, each of `count`. */
static void report_effect(probe_run *r, const char *id, const char *what,
                          double plain, double with, unsigned count)
{
    char name[64], text[96];

    snprintf(name, sizeof name, "control.%s", id);
    probe_word(r, name, what,
               fabs(with - plain) < 0.02 * plain ? "no effect" : "matters");
    snprintf(name, sizeof name, "control.%s_cycles", id);
    snprintf(text, sizeof text, "%s: each takes more", what);
    probe_number(r, name, text, "cycle", (with - plain) / count);
}

static status compare_streams(probe_run *r, const char *id, const char *what,
                              const char *plain, const char *with)
{
    double a = 0, b = 0;
    status st = cost_of_stream(r, plain, &a);

    if (st == ST_OK)
        st = cost_of_stream(r, with, &b);
    if (st == ST_OK)
        report_effect(r, id, what, a, b, 1);
    return st;
}

/* Loads whose results are not read, and a move behind each that waits for its
 * scoreboard or does not. Loads of the pass before are waited for. */
static status find_barrier(probe_run *r)
{
    enum { LOADS = 8 };
    static const char text[] =
        "%if i == 0\n    [B0-----:R-:W-:-:S02] NOP\n%end\n"
        "    [B------:R-:W0:-:S02] LDS $d, [R8]\n"
        "    [B$w-----:R-:W-:-:S02] MOV R9, R10";
    probe_body b = {.setup = "MOV R8, RZ\n    MOV R10, RZ\n    STS [RZ], RZ",
                    .text = text,
                    .n = LOADS,
                    .shared_bytes = 1024,
                    .vars = {destination, {"w", "-"}}};
    double plain = 0, with = 0;
    status st = probe_time(r, &b, &plain);

    b.vars[1].text = "0";
    if (st == ST_OK)
        st = probe_time(r, &b, &with);
    if (st == ST_OK)
        report_effect(r, "barrier", "wait for a scoreboard", plain, with,
                      LOADS);
    return st;
}

status probe_run_control(probe_run *r)
{
    status st = find_stalls(r);

    if (st == ST_OK)
        st = compare_streams(r, "yield", "yield",
                             "[B------:R-:W-:-:S01] MOV $d, R8",
                             "[B------:R-:W-:Y:S01] MOV $d, R8");
    if (st == ST_OK)
        st = find_barrier(r);
    if (st == ST_OK)
        st = compare_streams(
            r, "reuse", "reuse of a register of a full bank",
            "[B------:R-:W-:-:S01] FFMA $d, R8, R10, R12",
            "[B------:R-:W-:-:S01] FFMA $d, R8.reuse, R10.reuse, "
            "R12");
    return st;
}
