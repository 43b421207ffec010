/* src/explore/explore_cross_text.c - crossovers, for people. */
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "explore/explore_text.h"
#include "text/table.h"
#include "text/word.h"

enum { INDENT = 4, VALUE = 24 };

static const char *value_at(const explore *e, const explore_cross *c, size_t i)
{
    return table_fit(e->mem, e->axes[c->along].values[c->places[i]], VALUE);
}

/* "at 91.3 in [64, 128]"; of places that are no numbers only these. */
static void put_crossing(const explore *e, const explore_cross *c,
                         const crossing *x, strbuf *out)
{
    if (e->axes[c->along].numbers)
        strbuf_printf(out, "at %.4g in [%s, %s]", x->at,
                      value_at(e, c, x->from), value_at(e, c, x->to));
    else
        strbuf_printf(out, "between %s and %s", value_at(e, c, x->from),
                      value_at(e, c, x->to));
    if (x->unknown)
        strbuf_printf(out, " (%zu between not known)", x->unknown);
}

static size_t known_places(const explore_cross *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->line.count; i++)
        n += !isnan(c->line.ratio[i]);
    return n;
}

static void put_no_crossing(const explore *e, const explore_cross *c,
                            strbuf *out)
{
    size_t near = c->nearest, n = known_places(c);

    if (near == c->line.count) {
        strbuf_puts(out, "not known: points are missing");
        return;
    }
    strbuf_printf(out, "never crosses in [%s, %s]: nearest %.3f x at %s",
                  value_at(e, c, 0), value_at(e, c, c->line.count - 1),
                  c->line.ratio[near], value_at(e, c, near));
    if (n < c->line.count)
        strbuf_printf(out, " (%zu of %zu not known)", c->line.count - n,
                      c->line.count);
}

/* Events of both levels: "crosses at ..., down; +1 % fades at ...". */
void explore_cross_put(const explore *e, const explore_cross *c, strbuf *out)
{
    if (c->event_count)
        for (size_t i = 0; i < c->event_count; i++) {
            strbuf_puts(out, i ? "; " : "crosses ");
            put_crossing(e, c, &c->events[i], out);
            strbuf_puts(out, c->events[i].rising ? ", up" : ", down");
        }
    else
        put_no_crossing(e, c, out);
    for (size_t i = 0; i < c->fade_count; i++) {
        strbuf_printf(out, "; +%.3g %% %s ", 100 * e->options.fade,
                      c->fades[i].rising ? "reached" : "lost");
        put_crossing(e, c, &c->fades[i], out);
    }
    if (explore_cross_happens(c))
        strbuf_printf(out, "; from %.3f to %.3f x", c->least, c->most);
}

/* Up to the next blank that is not in brackets, and the blank. */
static size_t word_length(const char *s)
{
    size_t n = 0;
    int depth = 0;

    for (; s[n] && (s[n] != ' ' || depth); n++)
        depth += (s[n] == '[' || s[n] == '(') - (s[n] == ']' || s[n] == ')');
    return n;
}

/* A text in lines. */
static void put_broken(const explore *e, const char *text, FILE *to)
{
    size_t at = INDENT, n;

    fprintf(to, "%*s", INDENT, "");
    for (const char *s = text; *s; s += n) {
        n = word_length(s);
        if (at > INDENT && at + 1 + n > explore_width(e)) {
            fprintf(to, "\n%*s", INDENT + 2, "");
            at = INDENT + 2;
        } else if (s > text) {
            fputc(' ', to);
            at++;
        }
        fprintf(to, "%.*s", (int)n, s);
        at += n;
        n += s[n] == ' ';
    }
    fputc('\n', to);
}

/* What is compared and along what, then what came out. */
static void put_cross(const explore *e, const explore_cross *c, FILE *to)
{
    const explore_config *x = &e->configs[c->config];
    const char *rest = explore_label(e, x, c->along, c->between);
    strbuf text = {0};

    if (c->between == EXPLORE_NONE)
        strbuf_puts(&text, "over the base");
    else
        strbuf_printf(
            &text, "%s over %s",
            table_fit(e->mem, e->axes[c->between].values[c->to], VALUE),
            table_fit(e->mem, e->axes[c->between].values[c->from], VALUE));
    strbuf_printf(&text, " along %s",
                  table_fit(e->mem, e->axes[c->along].name, 44));
    if (strcmp(rest, "-"))
        strbuf_printf(&text, ", %s", rest);
    if (e->workload_count > 1)
        strbuf_printf(&text, ", %s",
                      c->workload == EXPLORE_NONE ? "mean"
                                                  : e->workloads[c->workload]);
    strbuf_puts(&text, ": ");
    explore_cross_put(e, c, &text);
    put_broken(e, text.text, to);
    strbuf_fini(&text);
}

/* Not requested: only that there are some. */
static void put_unasked(const explore *e, FILE *to)
{
    fprintf(
        to,
        "\ncrossovers: %s of %s lines cross %.3f x, or begin or end to gain "
        "%.3g %%;\n  --crossovers %d shows those that matter most\n",
        word_grouped(explore_crosses_happen(e)).s,
        word_grouped(e->cross_count).s, e->options.level, 100 * e->options.fade,
        EXPLORE_CROSSES);
}

void explore_crosses_text(const explore *e, FILE *to)
{
    size_t n = e->cross_count, most = e->options.crossovers, told = 0;
    size_t live = explore_crosses_happen(e);
    bool all = n <= most;

    if (!n)
        return;
    if (!most) {
        put_unasked(e, to);
        return;
    }
    fprintf(to,
            "\nwhere a speed-up crosses %.3f x, and where a gain of %.3g %% "
            "begins and ends\n",
            e->options.level, 100 * e->options.fade);
    for (size_t i = 0; i < n; i++)
        if (all || (explore_cross_happens(&e->crosses[i]) && told < most)) {
            put_cross(e, &e->crosses[i], to);
            told++;
        }
    if (all)
        return;
    if (told < live)
        fprintf(to,
                "  and %s more that matter less, --crossovers all shows "
                "all\n",
                word_grouped(live - told).s);
    if (live < n)
        fprintf(to, "  %s line%s neither; --crossovers all shows how near\n",
                word_grouped(n - live).s, n - live == 1 ? " does" : "s do");
}
