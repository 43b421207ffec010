/* src/probe/codes.c - what Kepler's control codes mean: P5, all instructions of
 * a stream carry one code; P6, the distance of two independent ones; P7 and P8,
 * which of six FFMAs in a group of seven go together; P13, who shares a unit.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/run.h"

enum {
    CODES = 256,
    GROUP = 7,   /* instructions behind a control word */
    LINE = 14,   /* of 128 bytes */
    CHAIN = 24,  /* dependent instructions, then twice as many */
    STREAM = 56, /* independent ones: eight groups */
    BLOCKS = 85, /* of a pattern in its loop [PPOPP:method] */
    PASSES = 4,  /* of that loop, then twice as many */
    WARPS = 16,  /* four of each scheduler [PPOPP:method] */
    DEPTH = 12,  /* of the destinations */
};

static const probe_var destination = {"d", "R$(16 + 2 * (i % 16))"};

/* ---- P5 ---- */

static size_t new_curve(probe_run *r, const char *id, const char *what,
                        const char *x, const char *y)
{
    return probe_found_curve(r->found, &(probe_curve){.probe = r->kind->name,
                                                      .id = id,
                                                      .what = what,
                                                      .x_is = x,
                                                      .y_is = y});
}

/* Codes that are told one by one: each piece of the curve. */
static bool is_told(unsigned code)
{
    static const uint8_t told[] = {0x00, 0x01, 0x04, 0x05, 0x08, 0x20,
                                   0x23, 0x24, 0x26, 0x28, 0x2c, 0x2f,
                                   0x31, 0x34, 0x35, 0x80, 0x85, 0x90};

    return memchr(told, (int)code, sizeof told) != NULL;
}

static status sweep_code(probe_run *r, unsigned code, size_t curve[2])
{
    char one[64], chain[64], id[32], what[64];
    double each = 0, latency = 0;
    probe_body stream = {
        .text = one, .n = STREAM, .warps = WARPS, .vars = {destination}};
    probe_body dependent = {.text = chain, .n = CHAIN};

    snprintf(one, sizeof one, "{0x%02x} FMUL $d, R8, R8", code);
    snprintf(chain, sizeof chain, "{0x%02x} FMUL R8, R8, R8", code);
    status st = probe_cost(r, &stream, &each);
    if (st == ST_OK)
        st = probe_cost(r, &dependent, &latency);
    if (st != ST_OK)
        return st;
    double rate = 32 * WARPS / each;
    probe_found_point(r->found, curve[0], code, rate);
    probe_found_point(r->found, curve[1], code, latency);
    if (!is_told(code))
        return ST_OK;
    snprintf(id, sizeof id, "code.%02x.throughput", code);
    snprintf(what, sizeof what, "FMULs that all carry code 0x%02x", code);
    probe_number(r, id, what, "lane/cycle", rate);
    snprintf(id, sizeof id, "code.%02x.latency", code);
    snprintf(what, sizeof what, "chain of FMULs with code 0x%02x", code);
    probe_number(r, id, what, "cycle", latency);
    return ST_OK;
}

status probe_run_codes(probe_run *r)
{
    size_t curve[2] = {
        new_curve(r, "codes.throughput",
                  "lanes in a cycle if all instructions carry a code",
                  "control code", "lanes per cycle"),
        new_curve(r, "codes.latency",
                  "cycles of a dependent instruction if all carry a code",
                  "control code", "cycles")};
    status st = ST_OK;

    for (unsigned c = 0; c < CODES && st == ST_OK; c++)
        st = sweep_code(r, c, curve);
    return st;
}

/* ---- P6 ---- */

/* Cycles from t0 to t1 with two independent instructions between, the first
 * with that code, `shift` instructions further on in their group. */
static status time_pair(probe_run *r, unsigned code, unsigned shift,
                        double *cycles)
{
    char text[192];
    probe_body b = {.text = text, .n = 1};

    snprintf(text, sizeof text,
             "%%for k %u\n    {0x20} NOP\n%%end\n"
             "    {0x%02x} FMUL R16, R8, R8\n    {0x20} FMUL R18, R8, R8",
             shift, code);
    return probe_time(r, &b, cycles);
}

/* At the place in the group where it is shortest. */
static status find_distance(probe_run *r, unsigned code,
                            const double base[GROUP], double *distance)
{
    status st = ST_OK;

    *distance = INFINITY;
    for (unsigned k = 0; k < GROUP && st == ST_OK; k++) {
        double cycles = 0;

        st = time_pair(r, code, k, &cycles);
        *distance = fmin(*distance, cycles - base[k] + 1);
    }
    return st;
}

/* Runs of codes whose distances rise evenly, those with the same rise
 * together: "1+1n: 20-34 40-54". */
static void tell_runs(probe_run *r, const double distance[CODES])
{
    strbuf text = {0};

    for (int step = 1; step < 5; step++)
        for (unsigned c = 0, any = 0; c + 1 < CODES; c++) {
            unsigned end = c;

            while (end + 1 < CODES && distance[end + 1] - distance[end] == step)
                end++;
            if (end < c + 3)
                continue;
            if (!any++)
                strbuf_printf(&text, "%s%g%+dn:", text.size ? ", " : "",
                              distance[c], step);
            strbuf_printf(&text, " %02x-%02x", c, end);
            c = end;
        }
    probe_word(r, "codes.delays", "codes that delay the next instruction",
               text.size ? text.text : "none");
    strbuf_fini(&text);
}

static void tell_dual(probe_run *r, const double distance[CODES])
{
    strbuf text = {0};

    for (unsigned c = 0; c < CODES; c++)
        if (distance[c] < 0.5)
            strbuf_printf(&text, "%s0x%02x", text.size ? " " : "", c);
    probe_word(r, "codes.dual", "codes that issue with the next instruction",
               text.size ? text.text : "none");
    strbuf_fini(&text);
}

status probe_run_pairs(probe_run *r)
{
    size_t curve =
        new_curve(r, "codes.distance", "cycles from an instruction to the next",
                  "control code", "cycles");
    double base[GROUP], distance[CODES];
    status st = ST_OK;

    for (unsigned k = 0; k < GROUP && st == ST_OK; k++)
        st = time_pair(r, 0x20, k, &base[k]);
    for (unsigned c = 0; c < CODES && st == ST_OK; c++) {
        st = find_distance(r, c, base, &distance[c]);
        probe_found_point(r->found, curve, c, distance[c]);
    }
    if (st != ST_OK)
        return st;
    tell_dual(r, distance);
    tell_runs(r, distance);
    return ST_OK;
}

/* ---- P7, P8, P9 ---- */

/* A group of FFMAs: digits of `order` are singles and pairs, then a filler if
 * there is room, which counts the loop down in the first two groups. The FFMA
 * before the filler carries 0x04, as in the published generator
 * [PPOPP:method]. */
static void put_group(const char *order, strbuf *out)
{
    unsigned n = 0;

    for (const char *o = order; *o; o++)
        for (char k = '1'; k <= *o; k++, n++) {
            bool before = !o[1] && k == *o && n < GROUP - 1;
            unsigned code = before     ? 0x04
                            : *o < '2' ? 0x20
                            : k < '2'  ? 0x04
                                       : 0x05;

            strbuf_printf(out,
                          "    {0x%02x} FFMA R$(16 + 2 * ((6 * i + %u) %% %d)),"
                          " R8, R8, R8\n",
                          code, n, DEPTH);
        }
    if (n < GROUP)
        strbuf_puts(out, "%if i == 0\n    {0x20} DADD R60, R60, -1.0\n%end\n"
                         "%if i == 1\n    {0x20} DSETP.GT.AND P2, PT, R60, RZ, "
                         "PT\n%end\n%if i > 1\n    {0x20} NOP\n%end\n");
}

static unsigned ffmas(const char *order)
{
    unsigned n = 0;

    for (; *order; order++)
        n += (unsigned)(*order - '0');
    return n;
}

/* Groups in a loop, which ends with a filler and the branch; `count` is how
 * many fit the instruction cache. */
static void put_loop(const char *order, unsigned count, strbuf *out)
{
    strbuf_printf(out, "MOV R60, RZ\n    MOV R61, $m\nloop:\n%%for i %u\n",
                  count);
    put_group(order, out);
    strbuf_puts(out, "%end\n");
    if (ffmas(order) == GROUP) /* no filler has counted */
        strbuf_puts(out, "    {0x20} DADD R60, R60, -1.0\n    {0x20} "
                         "DSETP.GT.AND P2, PT, R60, RZ, PT\n");
    strbuf_puts(out, "    {0x20} NOP\n    @P2 BRA loop");
}

static unsigned blocks_of(const probe_run *r)
{
    enum { AROUND = 48, BYTES = 64 }; /* instructions; of a group */
    const probe_value *cache = probe_found_get(r->found, "icache.1");
    double fit = cache ? (cache->number / BYTES * GROUP - AROUND) / GROUP : 0;

    return fit < BLOCKS ? fit > 4 ? (unsigned)fit : 4 : BLOCKS;
}

/* Lanes in a cycle of FFMAs in the steady state of the loop. */
static status pattern_rate(probe_run *r, const char *order, unsigned shift,
                           unsigned warps, double *rate)
{
    unsigned blocks = blocks_of(r);
    char setup[64];
    strbuf text = {0};
    double few = 0, many = 0;

    snprintf(setup, sizeof setup, "%%for k %u\n    NOP\n%%end", shift);
    put_loop(order, blocks, &text);
    probe_body b = {.text = text.text,
                    .setup = setup,
                    .n = 1,
                    .warps = warps,
                    .vars = {{"m", "0x40100000"}}};
    status st = probe_time(r, &b, &few);
    b.vars[0].text = "0x40200000";
    if (st == ST_OK)
        st = probe_time(r, &b, &many);
    *rate = 32.0 * warps * ffmas(order) * blocks * PASSES / (many - few);
    strbuf_fini(&text);
    return st;
}

/* The shift with which the pattern lies as the groups do, and the loop as the
 * lines of the instruction cache: the best. */
static status find_shift(probe_run *r, unsigned *best)
{
    size_t curve =
        new_curve(r, "patterns.shift", "lanes in a cycle of 1-2-2-1, shifted",
                  "instructions", "lanes per cycle");
    double rate[LINE] = {0};
    status st = ST_OK;

    *best = 0;
    for (unsigned k = 0; k < LINE && st == ST_OK; k++) {
        st = pattern_rate(r, "1221", k, WARPS, &rate[k]);
        if (rate[k] > rate[*best])
            *best = k;
    }
    for (unsigned k = 0; k < GROUP && st == ST_OK; k++)
        probe_found_point(r->found, curve, k, rate[(*best + k) % LINE]);
    return st;
}

status probe_run_patterns(probe_run *r)
{
    static const char *const orders[] = {"1122", "1212", "1221",
                                         "2112", "2121", "2211"};
    const char *winner = orders[0];
    double rate = 0, most = 0;
    unsigned shift = 0;
    char id[32], what[64];
    status st = find_shift(r, &shift);

    for (size_t i = 0; i < 6 && st == ST_OK; i++) {
        const char *o = orders[i];

        st = pattern_rate(r, o, shift, WARPS, &rate);
        snprintf(id, sizeof id, "pattern.%s", o);
        snprintf(what, sizeof what, "FFMAs as %c-%c-%c-%c", o[0], o[1], o[2],
                 o[3]);
        probe_number(r, id, what, "lane/cycle", rate);
        if (rate > most) {
            most = rate;
            winner = o;
        }
    }
    if (st == ST_OK)
        st = pattern_rate(r, "1222", shift, WARPS, &rate);
    if (st != ST_OK)
        return st;
    probe_number(r, "pattern.naive", "FFMAs as 1-2-2-2, all that can pair",
                 "lane/cycle", rate);
    probe_word(r, "pattern.best", "the best order", winner);
    size_t curve =
        new_curve(r, "patterns.warps", "lanes in a cycle of 1-2-2-1 by warps",
                  "warps", "lanes per cycle");
    for (unsigned w = 1; w <= 32 && st == ST_OK; w *= 2) {
        st = pattern_rate(r, "1221", shift, w, &rate);
        if (st == ST_OK)
            probe_found_point(r->found, curve, w, rate);
    }
    return st == ST_USAGE ? ST_OK : st; /* more than a CTA may have */
}

/* ---- P13 ---- */

/* Lanes in a cycle while warps of these schedulers alone pair everything. */
static status subset_rate(probe_run *r, unsigned schedulers, unsigned set,
                          double *rate)
{
    char setup[224];
    static const char text[] =
        "@!P1 BRA skip\n%for k 42\n    {0x04} FFMA R$(16 + 4 * (k % 8)), R8, "
        "R8, "
        "R8\n    {0x05} FFMA R$(18 + 4 * (k % 8)), R8, R8, R8\n%end\nskip:";
    probe_body b = {.text = text, .setup = setup, .n = 1, .warps = WARPS};
    double cycles = 0;
    unsigned active = 0;

    snprintf(setup, sizeof setup,
             "S2R R8, SR_WARPID\n    LOP3.LUT R8, R8, 0x%x, RZ, 0xc0\n"
             "    MOV R9, 0x%x\n    SHR.U32 R9, R9, R8\n"
             "    LOP3.LUT R9, R9, 0x1, RZ, 0xc0\n"
             "    ISETP.NE.AND P1, PT, R9, RZ, PT",
             schedulers - 1, set);
    for (unsigned w = 0; w < WARPS; w++)
        active += set >> w % schedulers & 1;
    status st = probe_time(r, &b, &cycles);
    *rate = 32.0 * active * 84 / (cycles - r->known.overhead);
    return st;
}

status probe_run_shared_units(probe_run *r)
{
    enum { SCHEDULERS = 4 };
    double alone[SCHEDULERS] = {0}, both = 0;
    strbuf text = {0};
    status st = ST_OK;

    for (unsigned a = 0; a < SCHEDULERS && st == ST_OK; a++)
        st = subset_rate(r, SCHEDULERS, 1u << a, &alone[a]);
    for (unsigned a = 0; a < SCHEDULERS; a++)
        for (unsigned b = a + 1; b < SCHEDULERS && st == ST_OK; b++) {
            st = subset_rate(r, SCHEDULERS, 1u << a | 1u << b, &both);
            if (both < 0.97 * (alone[a] + alone[b]))
                strbuf_printf(&text, "%s%u+%u", text.size ? " " : "", a, b);
        }
    if (st == ST_OK)
        probe_word(r, "pairs.share", "schedulers that get in each other's way",
                   text.size ? text.text : "none");
    strbuf_fini(&text);
    return st;
}
