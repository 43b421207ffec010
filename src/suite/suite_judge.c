/* src/suite/suite_judge.c - see suite_judge.h. */
#include "suite/suite_judge.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static bool output_matches(const char *pattern, suite_output o)
{
    regmatch_t all = {.rm_so = 0, .rm_eo = (regoff_t)o.size};
    regex_t re;
    bool is;

    if (regcomp(&re, pattern, REG_EXTENDED | REG_NEWLINE) != 0)
        return false; /* it was right when the suite was read */
    is = regexec(&re, o.text, 1, &all, REG_STARTEND) == 0;
    regfree(&re);
    return is;
}

/* ---- Comparing ---- */

/* Without the lines that match; their newlines stay, so that the others keep
 * their numbers. */
static suite_output leave_out(const char *pattern, suite_output o, arena *mem)
{
    char *to = arena_alloc(mem, o.size + 1);
    const char *end = o.text + o.size, *next;
    size_t size = 0;
    regex_t re;

    if (regcomp(&re, pattern, REG_EXTENDED) != 0)
        return o; /* it was right when the suite was read */
    for (const char *at = o.text; at < end; at = next) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((line_end ? line_end : end) - at);
        regmatch_t all = {.rm_so = 0, .rm_eo = (regoff_t)n};

        if (regexec(&re, at, 1, &all, REG_STARTEND) != 0) {
            memcpy(to + size, at, n);
            size += n;
        }
        if (line_end)
            to[size++] = '\n';
        next = line_end ? line_end + 1 : end;
    }
    regfree(&re);
    return (suite_output){to, size};
}

typedef struct text {
    const char *at, *end;
    unsigned line;
} text;

/* The next run of anything but blanks; empty at the end. */
static suite_output next_word(text *t)
{
    const char *begin;

    while (t->at < t->end && isspace((unsigned char)*t->at))
        t->line += *t->at++ == '\n';
    begin = t->at;
    while (t->at < t->end && !isspace((unsigned char)*t->at))
        t->at++;
    return (suite_output){begin, (size_t)(t->at - begin)};
}

/* The number that the word is, all of it. */
static bool number_in_output(suite_output w, double *out)
{
    char copy[64], *end;

    if (!w.size || w.size >= sizeof copy)
        return false;
    memcpy(copy, w.text, w.size);
    copy[w.size] = 0;
    *out = strtod(copy, &end);
    return !*end;
}

static bool near(suite_output a, suite_output b, double tolerance)
{
    double x, y;

    if (a.size == b.size && !memcmp(a.text, b.text, a.size))
        return true;
    if (!number_in_output(a, &x) || !number_in_output(b, &y))
        return false;
    return fabs(x - y) <= tolerance || fabs(x - y) <= tolerance * fabs(y);
}

static const char *compare_words(suite_output made, suite_output wanted,
                                 const char *name, double tolerance, arena *mem)
{
    text a = {made.text, made.text + made.size, 1};
    text b = {wanted.text, wanted.text + wanted.size, 1};

    for (;;) {
        suite_output x = next_word(&a), y = next_word(&b);

        if (!near(x, y, tolerance))
            return arena_printf(mem, "%s:%u: '%.*s', not '%.*s'", name, a.line,
                                (int)(x.size < 40 ? x.size : 40), x.text,
                                (int)(y.size < 40 ? y.size : 40), y.text);
        if (!x.size)
            return NULL;
    }
}

static const char *compare_bytes(suite_output made, suite_output wanted,
                                 const char *name, arena *mem)
{
    size_t i = 0, both = made.size < wanted.size ? made.size : wanted.size;
    unsigned line = 1;

    while (i < both && made.text[i] == wanted.text[i])
        line += made.text[i++] == '\n';
    if (i == made.size && i == wanted.size)
        return NULL;
    if (i == made.size)
        return arena_printf(mem, "%s:%u: ends too early", name, line);
    if (i == wanted.size)
        return arena_printf(mem, "%s:%u: goes on after its end", name, line);
    return arena_printf(mem, "%s:%u: differs", name, line);
}

/* A file as a text of `mem`; false: *why is the error. */
static bool read_whole(const char *path, arena *mem, suite_output *out,
                       const char **why)
{
    diag *dg = diag_new();
    char *bytes = NULL;
    size_t size = 0;

    if (!dg || file_read(path, dg, &bytes, &size) != ST_OK) {
        *why = dg && diag_count(dg)
                   ? arena_printf(mem, "%s: %s", path, diag_get(dg, 0)->text)
                   : "out of memory";
        diag_free(dg);
        return false;
    }
    *out =
        (suite_output){memcpy(arena_alloc(mem, size + 1), bytes, size), size};
    free(bytes);
    diag_free(dg);
    return true;
}

static const char *judge_file(const suite_expect *x, const suite_compare *c,
                              suite_output out, const char *folder,
                              const suite_values *v, arena *mem)
{
    const char *name = c->made ? suite_expand(mem, c->made, v) : NULL;
    const char *wanted = suite_expand(mem, c->wanted, v), *why;
    suite_output made = out, should;

    if (*wanted != '/')
        wanted = arena_printf(mem, "%s/%s", v->dir, wanted);
    if (name &&
        !read_whole(*name == '/' ? name
                                 : arena_printf(mem, "%s/%s", folder, name),
                    mem, &made, &why))
        return why;
    if (!read_whole(wanted, mem, &should, &why))
        return why;
    if (!name)
        name = "standard output";
    if (x->ignore) {
        made = leave_out(x->ignore, made, mem);
        should = leave_out(x->ignore, should, mem);
    }
    return x->words ? compare_words(made, should, name, x->tolerance, mem)
                    : compare_bytes(made, should, name, mem);
}

const char *suite_judge(const suite_expect *x, suite_output out,
                        suite_output err, const char *folder,
                        const suite_values *v, arena *mem)
{
    if (x->out && !output_matches(x->out, out))
        return arena_printf(mem, "its output does not match '%s'", x->out);
    if (x->out_not && output_matches(x->out_not, out))
        return arena_printf(mem, "its output matches '%s'", x->out_not);
    if (x->err && !output_matches(x->err, err))
        return arena_printf(mem, "its messages do not match '%s'", x->err);
    for (size_t i = 0; i < x->file_count; i++) {
        const char *why = judge_file(x, &x->files[i], out, folder, v, mem);

        if (why)
            return why;
    }
    return NULL;
}
