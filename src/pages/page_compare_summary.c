/* src/pages/page_compare_summary.c - a comparison in words, and the few numbers
 * that matter. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cost/cost.h"
#include "pages/page_compare.h"

enum { NAMED = 4 }; /* workloads that lose, by name */

/* Name of the n-th workload that counts. */
static const char *counted(const compare *c, size_t s, size_t n)
{
    for (size_t w = 0; w < c->count; w++)
        if (!c->workloads[w].pairs[s].why && !n--)
            return c->workloads[w].is.label;
    return "";
}

/* ---- What must not be overlooked ---- */

static void put_failures(page *p, const compare *c)
{
    strbuf text = {0};
    size_t failed = 0;

    for (size_t w = 0; w < c->count; w++) {
        const char *last = NULL;

        for (size_t s = 1; s < c->side_count; s++) {
            const compare_pair *pair = &c->workloads[w].pairs[s];
            const char *why = pair->why;

            if (!why || (last && !strcmp(last, why)))
                continue;
            strbuf_printf(&text, "\n%s: %s", c->workloads[w].is.label, why);
            words_tail(&text, pair->tail);
            last = why;
        }
        failed += last != NULL;
    }
    if (failed)
        page_alarm(p, "Left out", "%zu of %zu workloads %s not count%s%s",
                   failed, c->count, failed == 1 ? "does" : "do",
                   c->allow_missing ? ":"
                                    : ", so there is no mean over the others:",
                   text.text);
    strbuf_fini(&text);
}

/* Those of a diff may: see put_sameness. */
static void put_differing(page *p, const compare *c)
{
    strbuf text = {0};

    for (size_t s = 1; s < c->side_count; s++)
        for (size_t w = 0; w < c->count; w++)
            if (!c->workloads[w].pairs[s].why && c->workloads[w].pairs[s].note)
                strbuf_printf(&text, "\n%s, %s: %s", c->workloads[w].is.label,
                              c->sides[s].label, c->workloads[w].pairs[s].note);
    if (text.size && !c->diff)
        page_alarm(p, "Results differ",
                   "and were allowed to (--allow-different):%s", text.text);
    strbuf_fini(&text);
}

static void put_outside(page *p, const compare *c)
{
    strbuf text = {0};

    for (size_t w = 0; w < c->count; w++) {
        const char *last = NULL;

        for (size_t s = 0; s < c->side_count; s++) {
            const char *is = c->workloads[w].runs[s].result.outside;

            if (!is || (last && !strcmp(last, is)))
                continue;
            strbuf_printf(&text, "\n%s, %s:", c->workloads[w].is.label,
                          c->sides[s].label);
            words_tail(&text, is);
            last = is;
        }
    }
    words_outside(p, &text);
    strbuf_fini(&text);
}

static void put_unverified(page *p, const compare *c)
{
    strbuf text = {0};

    for (size_t w = 0; w < c->count; w++)
        if (c->workloads[w].runs[0].done &&
            !c->workloads[w].runs[0].sum.has_hash)
            strbuf_printf(&text, "%s%s", text.size ? ", " : "",
                          c->workloads[w].is.label);
    if (text.size)
        page_note(p,
                  "Memory was not compared where a program did not end in "
                  "good order: %s.",
                  text.text);
    strbuf_fini(&text);
}

/* ---- Of a diff ---- */

static void put_list(page *p, const char *const *text, size_t count)
{
    page_open(p, "ul", NULL);
    for (size_t i = 0; i < count; i++) {
        page_open(p, "li", NULL);
        page_printf(p, "%s", text[i]);
        page_close(p, "li");
    }
    page_close(p, "ul");
}

/* How many results are equal, and of how many that is unknown. */
static void put_sameness(page *p, const compare *c, size_t s)
{
    size_t all = 0, other = 0, unknown = 0;

    for (size_t w = 0; w < c->count; w++) {
        const compare_pair *pair = &c->workloads[w].pairs[s];

        all += !pair->why;
        other += !pair->why && pair->note;
        unknown += !pair->why && pair->unknown;
    }
    page_note(p,
              "Results of %s: equal to those of %s in %zu of %zu "
              "workload%s%s.",
              c->sides[s].label, words_base(c), all - other - unknown, all,
              word_plural(all),
              unknown ? ", not known in others: memory was not kept" : "");
    if (!other)
        return;
    page_open(p, "ul", "note");
    for (size_t w = 0; w < c->count; w++) {
        const compare_pair *pair = &c->workloads[w].pairs[s];

        if (pair->why || !pair->note)
            continue;
        page_open(p, "li", NULL);
        page_printf(p, "%s: %s", c->workloads[w].is.label, pair->note);
        page_close(p, "li");
    }
    page_close(p, "ul");
}

static void put_apart(page *p, const compare *c)
{
    const compare_diff *d = c->diff;
    bool any = d->only_count > 0;

    for (size_t s = 1; s < c->side_count; s++)
        any |= d->apart[s].count > 0;
    for (size_t s = 1; s < c->side_count; s++)
        put_sameness(p, c, s);
    if (!any)
        return;
    page_section(p, "What cannot be compared");
    for (size_t s = 1; s < c->side_count; s++) {
        if (!d->apart[s].count)
            continue;
        if (c->side_count > 2)
            page_heading(p, c->sides[s].label);
        put_list(p, d->apart[s].text, d->apart[s].count);
    }
    if (!d->only_count)
        return;
    page_heading(p, "Workloads that are not on both sides");
    put_list(p, d->only, d->only_count);
}

/* ---- The paragraph ---- */

static void put_noise(page *p, const compare *c, const band *b)
{
    if (b->draws < 2)
        page_printf(p, " How far noise moves it is unknown: runs failed.");
    else
        page_printf(p,
                    " With latencies of a cycle more or less%s it is between "
                    "%s and %s with 95 %% confidence%s.",
                    compare_drawn(c) ? " and inputs that are drawn anew" : "",
                    words_times(b->low).s, words_times(b->high).s,
                    band_is_beyond(b) ? "" : ": no difference");
}

static void put_speed(page *p, const compare *c, size_t s)
{
    const mean *m = &c->summaries[s].speedup;

    page_strong(p, "%s is %s as fast as %s", c->sides[s].label,
                words_times(m->geometric).s, words_base(c));
    if (m->count > 1)
        page_printf(
            p,
            " (geometric mean of %zu workloads; least %s on %s, most %s "
            "on %s; spread %.3f).",
            m->count, words_times(m->least).s, counted(c, s, m->at_least),
            words_times(m->most).s, counted(c, s, m->at_most), m->spread);
    else
        page_printf(p, " on %s.", counted(c, s, 0));
    if (c->nulls)
        put_noise(p, c, &c->summaries[s].band);
}

/* By more than 0.1 %; with nulls, beyond its band. */
static bool is_slower(const compare *c, const compare_pair *p)
{
    return c->nulls ? compare_verdict(c, p) < 0 : p->speedup < 0.999;
}

/* The slowest workload that `told` does not have, if it is slower than the
 * base; c->count: there is none. */
static size_t next_slower(const compare *c, size_t s, const size_t *told,
                          size_t n)
{
    size_t worst = c->count;

    for (size_t w = 0; w < c->count; w++) {
        const compare_pair *pair = &c->workloads[w].pairs[s];
        bool known = pair->why || !is_slower(c, pair);

        for (size_t i = 0; i < n; i++)
            known |= told[i] == w;
        if (!known && (worst == c->count ||
                       pair->speedup < c->workloads[worst].pairs[s].speedup))
            worst = w;
    }
    return worst;
}

static size_t slower_workloads(const compare *c, size_t s)
{
    size_t n = 0;

    for (size_t w = 0; w < c->count; w++)
        n += !c->workloads[w].pairs[s].why &&
             is_slower(c, &c->workloads[w].pairs[s]);
    return n;
}

/* The worst by name, the others by number. */
static void put_slower(page *p, const compare *c, size_t s)
{
    size_t told[NAMED], n = 0, all = slower_workloads(c, s), w;

    while (n < NAMED && (w = next_slower(c, s, told, n)) < c->count) {
        page_printf(p, "%s%s (%s)", n ? ", " : " It loses on ",
                    c->workloads[w].is.label,
                    words_change(c->workloads[w].pairs[s].speedup - 1).s);
        told[n++] = w;
    }
    if (all > n)
        page_printf(p, " and %zu more", all - n);
    page_printf(p, n ? "." : " It loses on none of them.");
}

static double share_change(const compare_reason *r)
{
    return r->variant - r->base;
}

/* The two reasons that gave and the one that took most. */
static void put_slot_changes(page *p, const compare *c, size_t s)
{
    const compare_reason *r = c->summaries[s].reasons;
    double all = 0;
    size_t least = 0, second = 0, most = 0;

    for (size_t i = 0; i < c->reason_count; i++) {
        all += share_change(&r[i]);
        least = share_change(&r[i]) < share_change(&r[least]) ? i : least;
        most = share_change(&r[i]) > share_change(&r[most]) ? i : most;
    }
    second = least == 0;
    for (size_t i = 0; i < c->reason_count; i++)
        if (i != least && share_change(&r[i]) < share_change(&r[second]))
            second = i;
    if (fabs(all) < 0.0005 && share_change(&r[most]) < 0.0005)
        return;
    page_printf(p, " Time, mean of the workloads: %s of the base's",
                words_change(all).s);
    if (share_change(&r[least]) < -0.0005)
        page_printf(p, "; less in \u201c%s\u201d (%s)",
                    words_stall(r[least].name),
                    words_change(share_change(&r[least])).s);
    if (second < c->reason_count && share_change(&r[second]) < -0.005)
        page_printf(p, " and \u201c%s\u201d (%s)", words_stall(r[second].name),
                    words_change(share_change(&r[second])).s);
    if (share_change(&r[most]) > 0.0005)
        page_printf(p, "; more in \u201c%s\u201d (%s)",
                    words_stall(r[most].name),
                    words_change(share_change(&r[most])).s);
    page_printf(p, ".");
}

static void put_energy_change(page *p, const compare *c, size_t s)
{
    const compare_summary *y = &c->summaries[s];

    if (!y->energy.count)
        return;
    page_printf(
        p, " It takes %s the base's energy, and %s its energy-delay product.",
        words_times(y->energy.geometric).s, words_times(y->edp.geometric).s);
}

static void put_bit_difference(page *p, uint64_t b, uint64_t v, const char *of)
{
    page_printf(p, " %s bits %s %s (%s)", word_grouped(v < b ? b - v : v - b).s,
                v < b ? "less" : "more", of,
                words_change((double)v / (double)b - 1).s);
}

static void put_bit_changes(page *p, const compare *c, size_t s)
{
    cost_sum b = cost_total(c->sides[0].gpus[0].cfg);
    cost_sum v = cost_total(c->sides[s].gpus[0].cfg);
    bool control = b.bits - b.bulk_bits != v.bits - v.bulk_bits;
    bool data = b.bulk_bits != v.bulk_bits;

    if (!control && !data) {
        page_printf(p, " It stores as many bits.");
        return;
    }
    page_printf(p, " It stores");
    if (control)
        put_bit_difference(p, b.bits - b.bulk_bits, v.bits - v.bulk_bits,
                           "in control structures");
    if (data) {
        page_printf(p, control ? " and" : "");
        put_bit_difference(p, b.bulk_bits, v.bulk_bits, "in data arrays");
    }
    page_printf(p, ".");
}

static void put_compare_lead(page *p, const compare *c, size_t s)
{
    const compare_summary *y = &c->summaries[s];

    page_open(p, "p", "lead");
    if (compare_complete(c, s)) {
        put_speed(p, c, s);
        put_slower(p, c, s);
        put_slot_changes(p, c, s);
        put_energy_change(p, c, s);
        put_bit_changes(p, c, s);
    } else {
        page_strong(p, "%s against %s: no mean.", c->sides[s].label,
                    words_base(c));
        page_printf(p,
                    " %zu of %zu workloads %s missing, and a mean over holes "
                    "is refused (--allow-missing).",
                    y->missing, c->count, y->missing == 1 ? "is" : "are");
    }
    page_close(p, "p");
}

/* ---- Numbers ---- */

static void put_figures(page *p, const compare *c, size_t s)
{
    const compare_summary *y = &c->summaries[s];
    word speed = words_times(y->speedup.geometric);
    word spent = words_times(y->energy.geometric);
    word edp = words_times(y->edp.geometric);
    char range[80], count[80];
    page_figure f[4];
    size_t n = 0;

    if (!compare_complete(c, s))
        return;
    snprintf(range, sizeof range, "%s \u2026 %s",
             words_times(y->speedup.least).s, words_times(y->speedup.most).s);
    snprintf(count, sizeof count, "%zu of %zu", y->speedup.count, c->count);
    f[n++] = (page_figure){speed.s, "speed-up, geometric mean", range};
    if (y->energy.count) {
        f[n++] = (page_figure){spent.s, "energy", "of the base's"};
        f[n++] = (page_figure){edp.s, "energy-delay product", "of the base's"};
    }
    f[n++] =
        (page_figure){count, "workloads that count",
                      c->diff ? "on all sides" : "results equal on all sides"};
    page_figures(p, f, n);
}

static void put_compare_facts(page *p, const compare *c,
                              const page_origin *from)
{
    strbuf gpus = {0}, sides = {0};
    page_fact f[6];
    size_t n = 0;

    for (size_t i = 0; i < c->sides[0].gpu_count; i++)
        strbuf_printf(&gpus, "%s%s", i ? ", " : "", c->sides[0].gpus[i].name);
    for (size_t s = 0; s < c->side_count; s++) {
        const measure_side *x = &c->sides[s];
        const char *what = x->from ? x->from : x->assignments;

        strbuf_printf(&sides, "%s%s%s%s%s", s ? "; " : "", x->label,
                      *what ? " (" : "", what, *what ? ")" : "");
    }
    if (!c->diff)
        f[n++] = (page_fact){"GPU", gpus.text};
    if (compare_set(c))
        f[n++] = (page_fact){"with", compare_set(c)};
    f[n++] = (page_fact){"sides", sides.text};
    if (from->date)
        f[n++] = (page_fact){"date", from->date};
    if (from->version)
        f[n++] = (page_fact){"Heddle", from->version};
    page_facts(p, f, n);
    strbuf_fini(&gpus);
    strbuf_fini(&sides);
}

void page_compare_summary(page *p, const compare *c, const page_origin *from)
{
    put_compare_facts(p, c, from);
    if (c->interrupted)
        page_alarm(p, "Incomplete", "The comparison was interrupted.");
    put_failures(p, c);
    put_differing(p, c);
    for (size_t s = 1; s < c->side_count; s++)
        put_compare_lead(p, c, s);
    if (c->side_count == 2)
        put_figures(p, c, 1);
    put_outside(p, c);
    if (c->diff)
        put_apart(p, c);
    else
        put_unverified(p, c);
}
