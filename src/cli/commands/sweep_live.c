/* src/cli/commands/sweep_live.c - what a sweep shows while it runs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "cli/commands/sweep.h"
#include "cli/jobs.h"

enum { ROWS_MOST = 8, PLAIN_S = 10 };

struct sweep_live {
    const sweep_plan *plan;
    bool terminal, verbose, each;
    unsigned lines; /* of the table that is there */
    double began, reported;
    double rate_s; /* when the rate was measured, and what was finished then */
    size_t rate_count;
    double rate; /* points a second, 0: unknown */
    double drawn;
    char *note; /* NULL: points run here */
};

sweep_live *sweep_live_new(const sweep_plan *p, bool quiet, bool verbose,
                           bool each)
{
    sweep_live *l = new0(1, sizeof *l);
    const char *term = getenv("TERM");

    l->plan = p;
    l->terminal =
        !quiet && isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
    l->verbose = verbose;
    l->each = each;
    l->began = l->reported = clock_s();
    return l;
}

static void erase(sweep_live *l)
{
    if (l->lines)
        fprintf(stderr, "\r\033[%uA\033[J", l->lines);
    l->lines = 0;
}

void sweep_live_free(sweep_live *l)
{
    if (!l)
        return;
    erase(l);
    free(l->note);
    free(l);
}

void sweep_live_clear(sweep_live *l) { erase(l); }

void sweep_live_note(sweep_live *l, const char *text)
{
    free(l->note);
    l->note = new_text(text);
}

/* "3 h 12 min", "45 s" */
static void put_duration(strbuf *to, double s)
{
    if (s >= 36000)
        strbuf_printf(to, "%.0f h", s / 3600);
    else if (s >= 3600)
        strbuf_printf(to, "%.0f h %.0f min", (double)(int)(s / 3600),
                      (double)((int)s % 3600 / 60));
    else if (s >= 60)
        strbuf_printf(to, "%.0f min %.0f s", (double)(int)(s / 60),
                      (double)((int)s % 60));
    else
        strbuf_printf(to, "%.0f s", s);
}

/* Of the last seconds: points taken from the cache do not count. */
static void measure_rate(sweep_live *l, const sweep_now *now)
{
    size_t count = now->finished - now->cached;
    double since = now->seconds - l->rate_s;
    double current;

    if (since < 2 || count == l->rate_count)
        return;
    current = (double)(count - l->rate_count) / since;
    l->rate = l->rate > 0 ? 0.7 * l->rate + 0.3 * current : current;
    l->rate_s = now->seconds;
    l->rate_count = count;
}

static void put_counts(sweep_live *l, const sweep_now *now, strbuf *to)
{
    size_t left = now->left + now->here + now->elsewhere;
    size_t all = left + now->done + now->failed;

    measure_rate(l, now);
    strbuf_printf(to, "%s: %zu of %zu done", l->plan->name, now->done, all);
    if (now->failed)
        strbuf_printf(to, ", %zu failed", now->failed);
    strbuf_printf(to, ", %zu running", now->here);
    if (now->elsewhere)
        strbuf_printf(to, " (%zu elsewhere)", now->elsewhere);
    strbuf_printf(to, ", %zu left, ", now->left);
    put_duration(to, now->seconds);
    if (l->rate <= 0)
        return;
    strbuf_printf(to, l->rate >= 1 ? ", %.1f/s" : ", %.1f/min",
                  l->rate >= 1 ? l->rate : 60 * l->rate);
    strbuf_puts(to, ", ");
    put_duration(to, (double)left / l->rate);
    strbuf_puts(to, " to go");
}

static void put_live_line(sweep_live *l, const char *text, unsigned width)
{
    fprintf(stderr, "%.*s\n", (int)(width ? width - 1 : 79), text);
    l->lines++;
}

static void draw_sweep(sweep_live *l, const sweep_now *now)
{
    unsigned width = cli_width(stderr);
    strbuf text = {0};

    erase(l);
    put_counts(l, now, &text);
    put_live_line(l, text.text, width);
    if (l->note)
        put_live_line(l, l->note, width);
    for (size_t i = 0; i < now->child_count; i++) {
        const sweep_child *c = &now->children[i];

        text.size = 0;
        if (i == ROWS_MOST && now->child_count > ROWS_MOST + 1) {
            strbuf_printf(&text, "         and %zu more",
                          now->child_count - ROWS_MOST);
            put_live_line(l, text.text, width);
            break;
        }
        strbuf_printf(&text, "%7.1f s ", c->seconds);
        if (l->plan->limits.memory && !l->note)
            strbuf_printf(&text, "%5llu MiB ",
                          (unsigned long long)(c->memory >> 20));
        sweep_plan_put_point(l->plan, c->point, &text);
        put_live_line(l, text.text, width);
    }
    strbuf_fini(&text);
    fflush(stderr);
}

void sweep_live_show(void *live, const sweep_now *now)
{
    sweep_live *l = live;
    double at = clock_s();

    if (l->terminal && at - l->began > 0.5) {
        draw_sweep(l, now);
    } else if (l->verbose && !l->terminal && at - l->reported > PLAIN_S) {
        strbuf text = {0};

        put_counts(l, now, &text);
        fprintf(stderr, "%s\n", text.text);
        strbuf_fini(&text);
        l->reported = at;
    }
}

void sweep_live_ended(void *live, size_t point, const char *how,
                      const char *why, double seconds)
{
    sweep_live *l = live;
    strbuf text = {0};

    if (why ? !l->terminal && !l->verbose : !l->each)
        return;
    erase(l);
    sweep_plan_put_point(l->plan, point, &text);
    fprintf(stderr, "%s: %s after %.1f s%s%s\n", text.text, how, seconds,
            why ? ": " : "", why ? why : "");
    strbuf_fini(&text);
}
