/* src/probe/find/codes.c - what Kepler's control codes mean: P5, all
 * instructions of a stream carry one code; P6, the distance of two independent
 * ones, and what the codes' bits have to do with it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/loop.h"

enum {
    CODES = 256,
    GROUP = 7,    /* instructions behind a control word */
    CHAIN = 24,   /* dependent instructions, then twice as many */
    STREAM = 462, /* independent ones, if they are slow */
    SLOW = 40,    /* lanes in a cycle */
    PLAIN = 0x20, /* waits a cycle, as do most */
    FAMILY = 32,  /* codes with the same upper bits */
    FIELD = 5,    /* bits below */
    ALONE = 14,   /* instructions of one warp, then twice as many */
};

typedef double of_codes[CODES];

static size_t new_curve(probe_run *r, const char *id, const char *what,
                        const char *y)
{
    return probe_found_curve(r->found, &(probe_curve){.probe = r->kind->name,
                                                      .id = id,
                                                      .what = what,
                                                      .x_is = "control code",
                                                      .y_is = y});
}

/* ---- P5 ---- */

static status stream_rate(probe_run *r, unsigned code, double *rate)
{
    static const char one[] = "FMUL R$(16 + k % 12), R8, R8";
    double cycles = 0;
    strbuf text = {0};

    unsigned n = probe_stream(r, one, code, probe_loop_room(r, STREAM), &text);
    status st = probe_pass(
        r, &(probe_loop){.text = text.text, .warps = LOOP_WARPS}, &cycles);
    *rate = 32.0 * LOOP_WARPS * n / cycles;
    strbuf_fini(&text);
    if (st == ST_OK && *rate > SLOW) /* the loop's end costs a share */
        st = probe_rate(r, one, code, rate);
    return st;
}

static status sweep_code(probe_run *r, unsigned code, const size_t curve[2])
{
    char chain[64], id[32], what[64];
    double rate = 0, latency = 0;
    probe_body dependent = {.text = chain, .n = CHAIN};

    snprintf(chain, sizeof chain, "{0x%02x} FMUL R8, R8, R8", code);
    status st = stream_rate(r, code, &rate);
    if (st == ST_OK)
        st = probe_cost(r, &dependent, &latency);
    if (st != ST_OK)
        return st;
    probe_found_point(r->found, curve[0], code, rate);
    probe_found_point(r->found, curve[1], code, latency);
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
    const size_t curve[2] = {
        new_curve(r, "codes.throughput",
                  "Lanes in a cycle if all instructions carry a code",
                  "lanes per cycle"),
        new_curve(r, "codes.latency",
                  "Cycles of a dependent instruction if all carry a code",
                  "cycles")};
    status st = ST_OK;

    for (unsigned c = 0; c < CODES && st == ST_OK; c++)
        st = sweep_code(r, c, curve);
    return st;
}

/* ---- P6 ---- */

/* What one warp is timed with (probes/pairs.sass), cycles from one clock read
 * to the next: an instruction of the code and one that does not depend on it,
 * at each place of a group, and two streams that all have the code. */
typedef struct timing {
    double pair[GROUP], stream[2];
} timing;

static status time_code(probe_run *r, unsigned code, const char *next,
                        timing *t)
{
    uint32_t clock[2 * (GROUP + 2)] = {0};
    double cycles[GROUP + 2];
    char text[16], count[16];
    probe_kernel k = {
        .name = "pairs",
        .vars = {{"code", text}, {"next", next}, {"stream", count}},
        .threads = 32,
        .out = clock,
        .out_words = sizeof clock / sizeof *clock,
    };

    snprintf(text, sizeof text, "0x%02x", code);
    snprintf(count, sizeof count, "%d", ALONE);
    status st = probe_launch_kernel(r, &k);
    for (unsigned i = 0; i < GROUP + 2; i++)
        cycles[i] = (uint32_t)(clock[2 * i + 1] - clock[2 * i]);
    memcpy(t->pair, cycles, sizeof t->pair);
    memcpy(t->stream, cycles + GROUP, sizeof t->stream);
    return st;
}

typedef struct distances {
    const char *next; /* the second instruction */
    double at[CODES][GROUP];
    double least[CODES]; /* of all places in a group */
    double alone[CODES]; /* of instructions that all have the code */
} distances;

static status find_distances(probe_run *r, distances *d)
{
    timing plain, t;
    status st = time_code(r, PLAIN, d->next, &plain);

    for (unsigned c = 0; c < CODES && st == ST_OK; c++) {
        st = time_code(r, c, d->next, &t);
        d->least[c] = INFINITY;
        d->alone[c] = (t.stream[1] - t.stream[0]) / ALONE;
        for (unsigned k = 0; k < GROUP; k++) {
            d->at[c][k] = t.pair[k] - plain.pair[k] + 1;
            d->least[c] = fmin(d->least[c], d->at[c][k]);
        }
    }
    return st;
}

static bool is_pair_code(const distances *d, unsigned code)
{
    return d->least[code] < 0.5;
}

static void put_control_code(strbuf *out, unsigned code)
{
    strbuf_printf(out, "%s0x%02x", out->size ? " " : "", code);
}

/* Codes that wait longer before one of their own kind than before others: those
 * of pairs, which never find their other half. */
static void report_kinds(probe_run *r, const distances *d)
{
    strbuf dual = {0}, second = {0};

    for (unsigned c = 0; c < CODES; c++) {
        bool slower = d->alone[c] > d->least[c] + 0.5;

        if (is_pair_code(d, c)) {
            put_control_code(&dual, c);
            if (!r->known.pair)
                r->known.pair = c;
        } else if (slower) {
            put_control_code(&second, c);
            if (!r->known.second)
                r->known.second = c;
        }
    }
    probe_word(r, "codes.dual", "codes that issue with the next instruction",
               dual.size ? dual.text : "none");
    probe_word(r, "codes.second", "codes that are slow before one of them",
               second.size ? second.text : "none");
    strbuf_fini(&dual);
    strbuf_fini(&second);
}

/* Without pairs the slow codes cannot be told from those of second
 * instructions. */
static void report_pair(probe_run *r, const distances *d)
{
    const unsigned pair = r->known.pair, second = r->known.second;

    if (!pair)
        return;
    probe_number(r, "codes.pair", "code of pairs", "code", pair);
    probe_number(r, "codes.refused", "wait of a code of pairs without a second",
                 "cycle", d->alone[pair]);
    if (!second)
        return;
    probe_number(r, "codes.tail", "first code of seconds", "code", second);
    probe_number(r, "codes.tails", "wait of a second's code without a first",
                 "cycle", d->alone[second]);
}

/* Where in its group an instruction cannot be the first of a pair: `1 7`. */
static void report_places(probe_run *r, const distances *d)
{
    char text[2 * GROUP + 8] = "";
    size_t n = 0;

    if (!r->known.pair)
        return;
    for (unsigned k = 0; k < GROUP; k++)
        if (d->at[r->known.pair][k] > 0.5)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u",
                                  n ? " " : "", k + 1);
    probe_word(r, "codes.no_pair", "places of a group where no pair begins",
               n ? text : "none");
}

/* ---- The bits of a delay ---- */

/* Codes with the same upper three bits: each more of their number waits `step`
 * cycles more, but from the code `from` on `most`. */
typedef struct delay {
    unsigned bits, from;
    int step;
    double first, most;
} delay;

/* False: it is not so. */
static bool fit_delay(const double *wait, delay *f)
{
    *f = (delay){.first = wait[0], .step = (int)(wait[1] - wait[0])};
    while (f->bits < FIELD && wait[1u << f->bits] > wait[0])
        f->bits++;
    unsigned count = 1u << f->bits;
    for (f->from = 1; f->from < count; f->from++)
        if (fabs(wait[f->from] - wait[f->from - 1] - f->step) > 0.25)
            break;
    f->most = wait[count - 1];
    for (unsigned n = 0; n < FAMILY; n++) {
        unsigned k = n % count;
        double is = k < f->from ? f->first + (double)f->step * k : f->most;

        if (fabs(wait[n] - is) > 0.25)
            return false;
    }
    return true;
}

static void put_delay(const delay *f, strbuf *out)
{
    strbuf_printf(out, ": %g", f->first);
    if (!f->bits)
        return;
    strbuf_printf(out, " + ");
    if (f->step > 1)
        strbuf_printf(out, "%d ", f->step);
    strbuf_printf(out, "bits 0-%u", f->bits - 1);
    if (f->from < 1u << f->bits)
        strbuf_printf(out, ", %g from 0x%02x", f->most, f->from);
}

static bool same_delay(const delay *a, const delay *b)
{
    return a->bits == b->bits && a->from == b->from && a->step == b->step &&
           a->first == b->first && a->most == b->most;
}

/* "0x20 0x40 0x60 0xe0: 1 + bits 0-4, 32 from 0x15; ..." */
static void report_fields(probe_run *r, const distances *d)
{
    enum { FAMILIES = CODES / FAMILY };
    delay f[FAMILIES];
    bool fits[FAMILIES], told[FAMILIES] = {false};
    strbuf text = {0};

    for (unsigned i = 0; i < FAMILIES; i++)
        fits[i] = fit_delay(d->least + i * FAMILY, &f[i]);
    for (unsigned i = 0; i < FAMILIES; i++) {
        if (!fits[i] || told[i])
            continue;
        strbuf_puts(&text, text.size ? "; " : "");
        for (unsigned k = i; k < FAMILIES; k++)
            if (fits[k] && same_delay(&f[i], &f[k])) {
                strbuf_printf(&text, "%s0x%02x", k > i ? " " : "", k * FAMILY);
                told[k] = true;
            }
        put_delay(&f[i], &text);
    }
    probe_word(r, "codes.delays", "by their upper three bits, what codes wait",
               text.size ? text.text : "none");
    strbuf_fini(&text);
    const delay *plain = &f[PLAIN / FAMILY];
    probe_word(r, "codes.wait", "do codes make a warp wait?",
               plain->bits ? "yes" : "no");
    if (!fits[PLAIN / FAMILY] || !plain->bits)
        return;
    probe_number(r, "codes.zero", "wait of code 0x00", "cycle", d->least[0]);
    probe_number(r, "codes.bits", "of the delay in codes from 0x20 on", "bit",
                 plain->bits);
    probe_number(r, "codes.saturates", "the least delay that is the longest",
                 "-", plain->from);
    if (plain->from < 1u << plain->bits)
        probe_number(r, "codes.longest", "longest wait of a code", "cycle",
                     plain->most);
}

status probe_run_pairs(probe_run *r)
{
    size_t curve =
        new_curve(r, "codes.distance",
                  "Cycles from an instruction to an independent one", "cycles");
    distances d = {.next = "FMUL R18, R8, R8"};
    bool any = false;
    status st = find_distances(r, &d);

    for (unsigned c = 0; c < CODES; c++)
        any = any || is_pair_code(&d, c);
    if (!any && st == ST_OK) { /* perhaps of different units */
        d.next = "NOP";
        st = find_distances(r, &d);
    }
    for (unsigned c = 0; c < CODES && st == ST_OK; c++)
        probe_found_point(r->found, curve, c, d.least[c]);
    if (st != ST_OK)
        return st;
    report_kinds(r, &d);
    report_pair(r, &d);
    report_places(r, &d);
    report_fields(r, &d);
    return ST_OK;
}
