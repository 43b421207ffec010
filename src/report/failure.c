#include "report/failure.h"

#include <inttypes.h>
#include <string.h>

#include "base/must.h"
#include "text/word.h"

enum {
    FIRST_SHOWN = 3, /* kinds of failures, */
    LAST_SHOWN = 3,
    LINES_SHOWN = 8, /* and lines of each */
};

/* Queries and releases: that these fail need not mean anything. */
static bool failure_is_minor(const report_failure *f)
{
    static const char *const verbs[] = {"clGet", "clRetain", "clRelease"};

    for (size_t i = 0; i < COUNTOF(verbs); i++)
        if (!strncmp(f->function, verbs[i], strlen(verbs[i])))
            return true;
    return false;
}

bool failures_matter(const report_process *o, bool badly)
{
    for (size_t i = 0; i < o->failure_count; i++)
        if (badly || !failure_is_minor(&o->failures[i]))
            return true;
    return false;
}

/* ---- Text ---- */

static size_t lines_of(const char *text)
{
    size_t n = 0;

    for (const char *at = text; *at; at += *at == '\n') {
        at += strcspn(at, "\n");
        n++;
    }
    return n;
}

/* A text of one line follows the name of the error, others stand below it. */
static void print_text(const char *text, FILE *to)
{
    size_t lines = lines_of(text), n;

    if (lines == 1)
        fprintf(to, ": %.*s", (int)strcspn(text, "\n"), text);
    if (lines <= 1)
        return;
    for (size_t i = 0; i < lines && i < LINES_SHOWN; i++) {
        n = strcspn(text, "\n");
        fprintf(to, "\n    %.*s", (int)n, text);
        text += n + (text[n] == '\n');
    }
    if (lines > LINES_SHOWN)
        fprintf(to, "\n    (%zu more lines)", lines - LINES_SHOWN);
}

static void print_one(const report_failure *f, FILE *to)
{
    fprintf(to, "  %s: %s", f->function, f->name);
    if (f->count > 1)
        fprintf(to, ", %s times", word_grouped(f->count).s);
    print_text(f->text, to);
    fputc('\n', to);
}

void failures_text(const report_process *o, FILE *to)
{
    uint64_t calls = o->failures_lost, left = o->failures_lost;
    size_t n = o->failure_count;

    for (size_t i = 0; i < n; i++)
        calls += o->failures[i].count;
    fprintf(to, "calls that failed: %s\n", word_grouped(calls).s);
    for (size_t i = 0; i < n; i++) {
        if (i < FIRST_SHOWN || i + LAST_SHOWN >= n)
            print_one(&o->failures[i], to);
        else
            left += o->failures[i].count;
        if (left && i + LAST_SHOWN + 1 == n)
            fprintf(to, "  (%s other call%s; --format json has more)\n",
                    word_grouped(left).s, word_plural(left));
    }
}

/* ---- JSON ---- */

void failures_json(json *j, const report_process *o)
{
    json_open(j, "failed_calls", '[');
    for (size_t i = 0; i < o->failure_count; i++) {
        const report_failure *f = &o->failures[i];

        json_open(j, NULL, '{');
        json_text(j, "function", f->function);
        json_text(j, "error", f->name);
        json_real(j, "code", f->code);
        json_u64(j, "count", f->count);
        json_text(j, "message", f->text);
        json_close(j, '{');
    }
    json_close(j, '[');
    json_u64(j, "failed_calls_omitted", o->failures_lost);
}

/* ---- Causes ---- */

/* The cause of a program's failure: the first failed call that is not minor,
 * since later ones follow from it; if all are minor (queries that may have been
 * meant to fail), the last. */
static const report_failure *cause_in(const report_process *o)
{
    for (size_t i = 0; i < o->failure_count; i++)
        if (!failure_is_minor(&o->failures[i]))
            return &o->failures[i];
    return o->failure_count && !o->launch_count
               ? &o->failures[o->failure_count - 1]
               : NULL;
}

static bool launch_cause(const report_program *p, strbuf *to)
{
    for (size_t i = 0; i < p->process_count; i++)
        for (size_t k = 0; k < p->processes[i].launch_count; k++) {
            const char *error = p->processes[i].launches[k].error;

            if (error && *error) {
                strbuf_printf(to, "%.*s", (int)strcspn(error, "\n"), error);
                return true;
            }
        }
    return false;
}

/* Where nothing was launched a warning may be the reason. */
static bool note_cause(const report_program *p, strbuf *to)
{
    const char *note = NULL;

    for (size_t i = 0; i < p->process_count; i++) {
        const report_process *o = &p->processes[i];

        if (o->launch_count)
            return false;
        if (!note && o->note_count)
            note = o->notes[0];
    }
    if (note)
        strbuf_puts(to, note);
    return note != NULL;
}

bool failure_cause(const report_program *p, strbuf *to)
{
    const report_failure *f = NULL;

    if (launch_cause(p, to))
        return true;
    for (size_t i = 0; i < p->process_count; i++) {
        const report_failure *one = cause_in(&p->processes[i]);

        if (one && (!f || (failure_is_minor(f) && !failure_is_minor(one))))
            f = one;
    }
    if (f)
        strbuf_printf(to, "%s: %s: %.*s", f->function, f->name,
                      (int)strcspn(f->text, "\n"), f->text);
    else if (p->unused)
        strbuf_puts(to, p->unused);
    else
        return note_cause(p, to);
    return true;
}
