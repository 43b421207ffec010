#include "probe/judge/probe_codes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "probe/judge/probe_truth.h"

/* ---- Rows ---- */

static double found(const probe_found *f, unsigned code, const char *what)
{
    char id[32];

    snprintf(id, sizeof id, "code.%02x.%s", code, what);
    const probe_value *v = probe_found_get(f, id);
    return v ? v->number : NAN;
}

static double published_of(const config *cfg, unsigned code, const char *what)
{
    char id[32];

    snprintf(id, sizeof id, "code.%02x.%s", code, what);
    const probe_published *p = probe_published_find(cfg, id);
    return p ? p->value : NAN;
}

static bool alike(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 0.005 * fabs(b);
}

static bool same_row(const probe_code_row *a, const probe_code_row *b)
{
    return alike(a->rate, b->rate) && alike(a->wait, b->wait) &&
           alike(a->rate_published, b->rate_published) &&
           alike(a->wait_published, b->wait_published);
}

/* "01-03 08-22": the codes that belong to that row. */
static const char *put_codes(const unsigned *row_of, unsigned row, arena *mem,
                             unsigned *many)
{
    strbuf text = {0};

    *many = 0;
    for (unsigned c = 0; c < PROBE_CODES; c++) {
        unsigned from = c;

        if (row_of[c] != row)
            continue;
        while (c + 1 < PROBE_CODES && row_of[c + 1] == row)
            c++;
        *many += c - from + 1;
        strbuf_printf(&text, "%s%02x", text.size ? " " : "0x", from);
        if (c > from)
            strbuf_printf(&text, "-%02x", c);
    }
    const char *codes = arena_strdup(mem, text.text);
    strbuf_fini(&text);
    return codes;
}

size_t probe_code_rows(const probe_found *f, const config *cfg, arena *mem,
                       probe_code_row rows[PROBE_CODES])
{
    unsigned row_of[PROBE_CODES];
    size_t count = 0;

    for (unsigned c = 0; c < PROBE_CODES; c++) {
        probe_code_row one = {
            .first = c,
            .rate = found(f, c, "throughput"),
            .rate_published = published_of(cfg, c, "throughput"),
            .wait = found(f, c, "latency"),
            .wait_published = published_of(cfg, c, "latency")};
        size_t at = 0;

        if (isnan(one.rate))
            return 0;
        while (at < count && !same_row(&rows[at], &one))
            at++;
        if (at == count)
            rows[count++] = one;
        row_of[c] = (unsigned)at;
    }
    for (size_t i = 0; i < count; i++)
        rows[i].codes = put_codes(row_of, (unsigned)i, mem, &rows[i].many);
    return count;
}

/* ---- How much follows ---- */

const char *probe_code_summary(const probe_found *f, const config *cfg,
                               arena *mem, const char *what)
{
    enum { PERCENT = 2 };
    unsigned off[PROBE_CODES], known = 0, good = 0, many;

    for (unsigned c = 0; c < PROBE_CODES; c++) {
        double is = found(f, c, what), real = published_of(cfg, c, what);
        bool near = fabs(is / real - 1) <= PERCENT / 100.0;

        off[c] = !isnan(real) && !near;
        known += !isnan(real);
        good += !isnan(real) && near;
    }
    if (good == known)
        return arena_printf(mem,
                            "%s of all %u codes is within %d %% of the "
                            "published",
                            what, known, PERCENT);
    return arena_printf(
        mem, "%s of %u codes of %u is within %d %% of the published, not of %s",
        what, good, known, PERCENT, put_codes(off, 1, mem, &many));
}
