#include "report/hist.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/word.h"

enum { BAR = 16 };

static uint64_t sum_bins(const uint64_t *counts, size_t bins)
{
    uint64_t all = 0;

    for (size_t i = 0; i < bins; i++)
        all += counts[i];
    return all;
}

size_t hist_quantile(const uint64_t *counts, size_t bins, unsigned percent)
{
    double wanted = (double)sum_bins(counts, bins) * percent, seen = 0;
    size_t i = 0;

    for (; i + 1 < bins; i++) {
        seen += 100.0 * (double)counts[i];
        if (seen >= wanted && seen > 0)
            break;
    }
    return wanted > 0 ? i : 0;
}

/* "48-63", "3", "4096+" */
static word bounds(const stats_hist *h, size_t i)
{
    uint64_t from = h->bin[i].from;
    word w;

    if (i + 1 == h->bins)
        snprintf(w.s, sizeof w.s, "%" PRIu64 "+", from);
    else if (h->bin[i + 1].from == from + 1)
        snprintf(w.s, sizeof w.s, "%" PRIu64, from);
    else
        snprintf(w.s, sizeof w.s, "%" PRIu64 "-%" PRIu64, from,
                 h->bin[i + 1].from - 1);
    return w;
}

/* "sm[*].l1" and "mshrs" as "sm.l1.mshrs". */
static word short_name(const stats_hist *h)
{
    word w;
    size_t n = 0;

    for (const char *p = h->path; *p && n + 1 < sizeof w.s; p++)
        if (!strchr("[*]", *p))
            w.s[n++] = *p;
    snprintf(w.s + n, sizeof w.s - n, ".%s", h->bin->hist);
    return w;
}

/* A character for each bin, by its share of the largest. */
static word shape(const uint64_t *counts, size_t bins)
{
    static const char marks[] = ".:-=+*#@";
    uint64_t most = 0;
    word w = {""};

    for (size_t i = 0; i < bins; i++)
        most = counts[i] > most ? counts[i] : most;
    for (size_t i = 0; i < bins && i < BAR; i++) {
        double share = (double)counts[i] / (double)most;

        w.s[i] =
            counts[i] ? marks[(unsigned)(share * (sizeof marks - 2))] : ' ';
        w.s[i + 1] = '\0';
    }
    return w;
}

static void put_hist_line(const stats_hist *h, const uint64_t *counts,
                          bool narrow, FILE *to)
{
    static const unsigned quantiles[] = {10, 50, 90, 99};

    fprintf(to, "    %-19.19s%-8s", short_name(h).s, h->bin->of);
    for (unsigned i = 0; i < 4; i++)
        fprintf(to, " %10s",
                bounds(h, hist_quantile(counts, h->bins, quantiles[i])).s);
    if (!narrow)
        fprintf(to, "  [%s]", shape(counts, h->bins).s);
    fputc('\n', to);
}

void hist_text(const report_launch *l, bool narrow, FILE *to)
{
    stats_hist h = {0};
    bool any = false;

    while (stats_hist_next(l->stats, &h)) {
        const uint64_t *counts = l->totals + h.first;

        if (!sum_bins(counts, h.bins))
            continue;
        if (!any)
            fprintf(to, "\n  %-29s %10s %10s %10s %10s%s\n", "histograms",
                    "10 % up to", "median", "90 %", "99 %",
                    narrow ? "" : "   least ... most");
        any = true;
        put_hist_line(&h, counts, narrow, to);
    }
}

void hist_json(json *j, const report_launch *l)
{
    stats_hist h = {0};

    json_open(j, "histograms", '{');
    while (stats_hist_next(l->stats, &h)) {
        char name[160];

        snprintf(name, sizeof name, "%s.%s", h.path, h.bin->hist);
        json_open(j, name, '{');
        json_text(j, "of", h.bin->of);
        json_text(j, "unit", h.bin->unit);
        json_open(j, "from", '[');
        for (size_t i = 0; i < h.bins; i++)
            json_u64(j, NULL, h.bin[i].from);
        json_close(j, '[');
        json_open(j, "counts", '[');
        for (size_t i = 0; i < h.bins; i++)
            json_u64(j, NULL, l->totals[h.first + i]);
        json_close(j, '[');
        json_close(j, '{');
    }
    json_close(j, '{');
}
