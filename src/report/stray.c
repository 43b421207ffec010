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

void stray_lines(const exec_strays *s, strbuf *to)
{
    for (size_t i = 0; i < s->count; i++) {
        strbuf_puts(to, i ? "\n" : "");
        put_stray_place(&s->is[i], to);
        strbuf_printf(to, " %s", neighbour_text(s->is[i].text));
    }
}

void stray_text(const exec_strays *s, FILE *to)
{
    uint64_t all = exec_strays_total(s);

    if (!s->count)
        return;
    fprintf(to,
            "%s access%s outside of what was allocated, which no device "
            "notices (--strict: a fault):\n",
            word_grouped(all).s, all == 1 ? "" : "es");
    for (size_t i = 0; i < s->count; i++) {
        strbuf place = {0};

        put_stray_place(&s->is[i], &place);
        fprintf(to, "  %s:\n    %s\n", place.text, s->is[i].text);
        strbuf_fini(&place);
    }
}

void stray_json(json *j, const exec_strays *s)
{
    if (!s->count)
        return;
    json_open(j, "outside", '[');
    for (size_t i = 0; i < s->count; i++) {
        const exec_stray *x = &s->is[i];

        json_open(j, NULL, '{');
        json_text(j, "kernel", x->kernel);
        json_text(j, "file", x->file);
        json_u64(j, "line", x->line);
        json_u64(j, "instruction", x->pc);
        json_bool(j, "write", x->write);
        json_text(j, "of", exec_stray_what(x));
        json_u64(j, "count", x->count);
        json_u64(j, "reach_bytes", x->reach);
        json_text(j, "first", x->text);
        json_close(j, '{');
    }
    json_close(j, '[');
}
