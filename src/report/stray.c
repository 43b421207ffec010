#include "report/stray.h"

#include <inttypes.h>
#include <string.h>

#include "report/program.h"
#include "text/word.h"

exec_strays stray_sum(const report_launch *l, size_t count)
{
    exec_strays all = {.count = 0};

    for (size_t i = 0; i < count; i++)
        if (l[i].strays.count)
            exec_strays_add(&all, &l[i].strays);
    return all;
}

exec_strays report_program_strays(const report_program *p)
{
    exec_strays all = {.count = 0};

    for (size_t i = 0; i < p->process_count; i++) {
        const report_process *o = &p->processes[i];
        exec_strays one = stray_sum(o->launches, o->launch_count);

        exec_strays_add(&all, &one);
        exec_strays_fini(&one);
    }
    return all;
}

static void put_stray_place(const exec_stray *s, strbuf *to)
{
    strbuf_puts(to, s->kernel);
    if (s->line)
        strbuf_printf(to, " (%s:%" PRIu32 ")", s->file ? s->file : "line",
                      s->line);
    else
        strbuf_printf(to, ", instruction %" PRIu32, s->pc);
    strbuf_printf(to, ": %s %s%s outside of %s", word_grouped(s->count).s,
                  s->write ? "write" : "read", word_plural(s->count),
                  exec_stray_what(s));
    if (s->reach)
        strbuf_printf(to, ", by up to %s byte%s", word_grouped(s->reach).s,
                      word_plural(s->reach));
    strbuf_puts(to, "; the first");
}

/* The end of the text: what the access was near, if anything. */
static const char *neighbour_text(const char *text)
{
    const char *at = text;

    for (const char *next; (next = strstr(at, "; "));)
        at = next + 2;
    return at;
}

static bool is_async(const exec_stray *s) { return s->kind == STRAY_ASYNC; }

void stray_lines(const exec_strays *s, strbuf *to)
{
    for (size_t i = 0; i < s->count; i++) {
        strbuf_puts(to, i ? "\n" : "");
        if (is_async(&s->is[i])) {
            strbuf_printf(to, "%s (%s:%" PRIu32 "): %s", s->is[i].kernel,
                          s->is[i].file ? s->is[i].file : "line", s->is[i].line,
                          s->is[i].text);
            continue;
        }
        put_stray_place(&s->is[i], to);
        strbuf_printf(to, " %s", neighbour_text(s->is[i].text));
    }
}

/* Accesses of both kinds. */
static uint64_t count_async(const exec_strays *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += is_async(&s->is[i]) ? s->is[i].count : 0;
    return n;
}

static void put_async(const exec_strays *s, uint64_t all, FILE *to)
{
    fprintf(to,
            "%s access%s without the fence or wait that %s "
            "(--check-async):\n",
            word_grouped(all).s, all == 1 ? "" : "es",
            all == 1 ? "it needs" : "they need");
    for (size_t i = 0; i < s->count; i++) {
        const exec_stray *x = &s->is[i];

        if (!is_async(x))
            continue;
        fprintf(to, "  %s (%s:%" PRIu32 "), %s time%s; the first:\n    %s\n",
                x->kernel, x->file ? x->file : "line", x->line,
                word_grouped(x->count).s, word_plural(x->count), x->text);
    }
}

void stray_text(const exec_strays *s, FILE *to)
{
    uint64_t async = count_async(s), all = exec_strays_total(s) - async;

    if (async)
        put_async(s, async, to);
    if (!all)
        return;
    fprintf(to,
            "%s access%s outside of what was allocated, which no device "
            "notices (--strict: a fault):\n",
            word_grouped(all).s, all == 1 ? "" : "es");
    for (size_t i = 0; i < s->count; i++) {
        strbuf place = {0};

        if (is_async(&s->is[i]))
            continue;
        put_stray_place(&s->is[i], &place);
        fprintf(to, "  %s:\n    %s\n", place.text, s->is[i].text);
        strbuf_fini(&place);
    }
}

/* Those of one kind, as a list. */
static void put_list(json *j, const exec_strays *s, bool async)
{
    bool open = false;

    for (size_t i = 0; i < s->count; i++) {
        const exec_stray *x = &s->is[i];

        if (is_async(x) != async)
            continue;
        if (!open)
            json_open(j, async ? "async" : "outside", '[');
        open = true;
        json_open(j, NULL, '{');
        json_text(j, "kernel", x->kernel);
        json_text(j, "file", x->file);
        json_u64(j, "line", x->line);
        json_u64(j, "instruction", x->pc);
        json_bool(j, "write", x->write);
        if (!async)
            json_text(j, "of", exec_stray_what(x));
        json_u64(j, "count", x->count);
        if (!async)
            json_u64(j, "reach_bytes", x->reach);
        json_text(j, "first", x->text);
        json_close(j, '{');
    }
    if (open)
        json_close(j, '[');
}

void stray_json(json *j, const exec_strays *s)
{
    put_list(j, s, false);
    put_list(j, s, true);
}
