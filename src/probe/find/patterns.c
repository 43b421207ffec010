/* src/probe/find/patterns.c - how singles and pairs have to stand in a group of
 * seven: P7 the six orders, P8 all pairs that are possible, P9 moved, P10 the
 * filler, P11 operands, P12 by warps, P15 the stream of a product of matrices.
 */
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "probe/groups.h"

enum { ORDERS = 6, PLAIN = 0x20 };

static const char *const orders[ORDERS] = {"1122", "1212", "1221",
                                           "2112", "2121", "2211"};
static const char best_known[] = "1221"; /* the pattern of P9 to P11 */
static const char naive[] = "1222";

/* Percent of the lanes that pairs reach at most. */
static double percent(const probe_run *r, double rate)
{
    return 100 * rate / r->known.peak;
}

static status report_pattern(probe_run *r, const probe_groups *g,
                             const char *id, const char *what, double *rate)
{
    probe_groups_cost cost = {0};
    status st = probe_groups_time(r, g, LOOP_WARPS, &cost);

    if (st == ST_OK)
        probe_number(r, id, what, "% of peak", percent(r, cost.rate));
    *rate = cost.rate;
    return st;
}

/* ---- P7, P8 ---- */

/* The FFMA before the filler carries the code of a pair, as in the published
 * generator [PPOPP:method], or that of a second. */
static status find_order(probe_run *r, const char *order, double *rate)
{
    probe_groups g = {.order = order, .before = probe_code_pair(r)};
    char id[32], what[64];
    double other = 0;

    snprintf(id, sizeof id, "pattern.%s", order);
    snprintf(what, sizeof what, "FFMAs as %c-%c-%c-%c, filler in a pair",
             order[0], order[1], order[2], order[3]);
    status st = report_pattern(r, &g, id, what, rate);
    if (st != ST_OK)
        return st;
    g.before = probe_code_second(r);
    snprintf(id, sizeof id, "pattern.%s_alone", order);
    snprintf(what, sizeof what, "FFMAs as %c-%c-%c-%c, filler alone", order[0],
             order[1], order[2], order[3]);
    return report_pattern(r, &g, id, what, &other);
}

static status find_orders(probe_run *r)
{
    const char *winner = "none";
    double rate = 0, most = 0;
    status st = ST_OK;

    for (size_t i = 0; i < ORDERS && st == ST_OK; i++) {
        st = find_order(r, orders[i], &rate);
        if (rate > most) {
            most = rate;
            winner = orders[i];
        }
    }
    if (st != ST_OK)
        return st;
    probe_word(r, "pattern.best", "the best order", winner);
    return report_pattern(r, &(probe_groups){.order = naive}, "pattern.naive",
                          "FFMAs as 1-2-2-2, all that can pair", &rate);
}

/* ---- P9 ---- */

static status find_shifts(probe_run *r)
{
    double rate = 0;
    status st = ST_OK;

    for (unsigned k = 0; k < GROUP_SIZE && st == ST_OK; k++) {
        char id[32], what[64];

        snprintf(id, sizeof id, "shift.%u", k);
        snprintf(what, sizeof what, "1-2-2-1, %u instructions on", k);
        st = report_pattern(r,
                            &(probe_groups){.order = best_known,
                                            .before = probe_code_pair(r),
                                            .place = k},
                            id, what, &rate);
    }
    return st;
}

/* ---- P10 ---- */

static status find_filler(probe_run *r)
{
    const struct {
        const char *id, *what;
        probe_groups g;
    } rows[] = {
        {"filler.paired",
         "1-2-2-1 and a filler that goes with the last",
         {.order = best_known, .before = probe_code_pair(r)}},
        {"filler.alone",
         "1-2-2-1 and a filler that goes alone",
         {.order = best_known, .before = PLAIN}},
        {"filler.absent", "1-2-2-1 and a seventh FFMA", {.order = "12211"}},
    };
    status st = ST_OK;

    for (size_t i = 0; i < sizeof rows / sizeof *rows && st == ST_OK; i++) {
        probe_groups_cost cost = {0};
        char id[32];

        st = probe_groups_time(r, &rows[i].g, LOOP_WARPS, &cost);
        if (st != ST_OK)
            break;
        probe_number(r, rows[i].id, rows[i].what, "cycle", cost.group);
        snprintf(id, sizeof id, "%s_rate", rows[i].id);
        probe_number(r, id, rows[i].what, "% of peak", percent(r, cost.rate));
    }
    return st;
}

/* ---- P11 ---- */

/* Eighteen registers behind the destinations, three for each FFMA, no two of
 * them in one bank if that is possible. */
static void choose_distinct(const probe_run *r, uint8_t reads[6][3])
{
    enum { FIRST = 28, COUNT = 36 };
    bool taken[COUNT] = {false};

    for (unsigned n = 0; n < 6; n++)
        for (unsigned i = 0; i < 3; i++) {
            unsigned best = COUNT, fewest = 3;

            for (unsigned k = 0; k < COUNT - 1; k++) {
                unsigned same = 0;

                for (unsigned j = 0; j < i && r->known.bank_count; j++)
                    same +=
                        r->known.bank[FIRST + k] == r->known.bank[reads[n][j]];
                if (!taken[k] && same < fewest) {
                    fewest = same;
                    best = k;
                }
            }
            taken[best] = true;
            reads[n][i] = (uint8_t)(FIRST + best);
        }
}

static status find_operands(probe_run *r)
{
    uint8_t reads[6][3];
    double rate = 0;
    probe_groups g = {.order = best_known, .before = probe_code_pair(r)};
    status st = report_pattern(r, &g, "operands.shared",
                               "1-2-2-1, all operands one register", &rate);

    choose_distinct(r, reads);
    g.reads = (const uint8_t(*)[3])reads;
    if (st == ST_OK)
        st = report_pattern(r, &g, "operands.distinct", "1-2-2-1, 18 registers",
                            &rate);
    return st;
}

/* ---- P12 ---- */

static const unsigned warps_tried[] = {1, 2, 3, 4, 6, 8, 12, 16};
enum { TRIED = sizeof warps_tried / sizeof *warps_tried };

static size_t warps_curve(probe_run *r, const char *id, const char *what,
                          const char *line)
{
    return probe_found_curve(r->found,
                             &(probe_curve){.probe = r->kind->name,
                                            .id = id,
                                            .what = what,
                                            .line = line,
                                            .x_is = "warps of a scheduler",
                                            .y_is = "% of peak"});
}

static status order_by_warps(probe_run *r, const char *order)
{
    size_t curve = warps_curve(
        r, "patterns.warps", "Orders of single and dual issue by warps", order);
    status st = ST_OK;

    for (size_t i = 0; i < TRIED && st == ST_OK; i++) {
        probe_groups_cost cost = {0};

        st = probe_groups_time(
            r, &(probe_groups){.order = order, .before = probe_code_pair(r)},
            LOOP_SCHEDULERS * warps_tried[i], &cost);
        if (st == ST_OK)
            probe_found_point(r->found, curve, warps_tried[i],
                              percent(r, cost.rate));
    }
    return st == ST_USAGE ? ST_OK : st; /* more than an SM has */
}

/* A register below R16 that is in the bank of R8, or in another. */
static unsigned register_beside(const probe_run *r, bool same)
{
    for (unsigned k = 9; k < 16; k++)
        if ((r->known.bank[k] == r->known.bank[8]) == same)
            return k;
    return 8;
}

static status conflict_by_warps(probe_run *r, bool same)
{
    enum { LONGEST = 1022 };
    size_t curve =
        warps_curve(r, "banks.warps", "FMULs of two registers by warps",
                    same ? "of one bank" : "of two banks");
    char one[64];
    strbuf text = {0};
    status st = ST_OK;

    snprintf(one, sizeof one, "FMUL R$(16 + k %% 12), R8, R%u",
             register_beside(r, same));
    unsigned count =
        probe_stream(r, one, PLAIN, probe_loop_room(r, LONGEST), &text);
    for (size_t i = 0; i < TRIED && st == ST_OK; i++) {
        probe_loop l = {.text = text.text,
                        .warps = LOOP_SCHEDULERS * warps_tried[i]};
        double cycles = 0;

        st = probe_pass(r, &l, &cycles);
        if (st == ST_OK)
            probe_found_point(r->found, curve, warps_tried[i],
                              percent(r, 32.0 * l.warps * count / cycles));
    }
    strbuf_fini(&text);
    return st == ST_USAGE ? ST_OK : st;
}

static status find_by_warps(probe_run *r)
{
    status st = ST_OK;

    for (size_t i = 0; i < ORDERS && st == ST_OK; i++)
        st = order_by_warps(r, orders[i]);
    if (st == ST_OK)
        st = order_by_warps(r, naive);
    for (unsigned same = 0; same < 2 && st == ST_OK && r->known.bank_count;
         same++)
        st = conflict_by_warps(r, same);
    return st;
}

/* ---- P15 ---- */

/* The groups of probes/product.sass; two of their fillers count the passes. */
static void put_product(unsigned first, strbuf *out)
{
    enum { DOWN = 1, TEST = 9 };
    static const char filler[] = "$filler";
    const char *at = NULL;

    for (const probe_asset *a = probe_assets; a->name; a++)
        if (!strcmp(a->name, "product"))
            at = a->text;
    MUST(at != NULL);
    for (const char *end; (end = strstr(at, filler)); at = end) {
        strbuf_write(out, at, (size_t)(end - at));
        end += strlen(filler);
        strbuf_printf(out, "    {0x%02x} %s", PLAIN,
                      first == DOWN   ? "$down"
                      : first == TEST ? "$test"
                                      : "NOP");
        first++;
    }
    strbuf_puts(out, at);
}

/* The multiply-adds of a product of matrices, as they stand in its loop: two
 * warps of a scheduler, since its accumulators fill the registers. */
static status find_product(probe_run *r)
{
    enum { GROUPS = 48, WORK = 6, TIMES = 2, WARPS = 8 };
    strbuf text = {0};
    double cycles = 0;

    for (unsigned i = 0; i < TIMES; i++)
        put_product(i * GROUPS, &text);
    status st = probe_pass(r, &(probe_loop){.text = text.text, .warps = WARPS},
                           &cycles);
    if (st == ST_OK)
        probe_number(r, "product.ffma", "FFMAs of a product of 12 x 12",
                     "% of peak",
                     percent(r, 32.0 * WARPS * WORK * GROUPS * TIMES / cycles));
    strbuf_fini(&text);
    return st;
}

status probe_run_patterns(probe_run *r)
{
    static status (*const parts[])(probe_run *) = {find_orders,  find_shifts,
                                                   find_filler,  find_operands,
                                                   find_product, find_by_warps};
    status st = ST_OK;

    if (!r->known.pair)
        probe_word(r, "pattern.best", "the best order", "no pairs");
    for (size_t i = 0; r->known.pair && i < sizeof parts / sizeof *parts; i++)
        if (st == ST_OK)
            st = parts[i](r);
    return st;
}
