/* src/compare/compare_equal.c - did two runs write the same? Programs print how
 * long things took, which is what differs; a line is taken for such a one if
 * it names a time or a rate and differs in its numbers only. */
#include <ctype.h>
#include <regex.h>
#include <string.h>

#include "compare/compare.h"

typedef struct lines {
    const char *at, *end;
    unsigned number;
} lines;

static bool next_output_line(lines *l, suite_output *out)
{
    const char *stop;

    if (l->at == l->end)
        return false;
    stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
    *out = (suite_output){l->at, (size_t)((stop ? stop : l->end) - l->at)};
    l->at = stop ? stop + 1 : l->end;
    l->number++;
    return true;
}

/* Behind a number, or `at` if there is none. */
static const char *skip_number(const char *at, const char *end)
{
    const char *p = at;

    while (p < end && (isdigit((unsigned char)*p) || *p == '.' || *p == ','))
        p++;
    if (p == at || !isdigit((unsigned char)*at))
        return at;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1 + (p + 1 < end && (p[1] == '-' || p[1] == '+'));

        while (q < end && isdigit((unsigned char)*q))
            p = ++q;
    }
    return p;
}

static const char *skip_output_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Equal but for numbers and blanks. */
static bool same_words(suite_output a, suite_output b)
{
    const char *p = a.text, *p_end = p + a.size;
    const char *q = b.text, *q_end = q + b.size;

    for (;;) {
        const char *x = skip_number(p = skip_output_blanks(p, p_end), p_end);
        const char *y = skip_number(q = skip_output_blanks(q, q_end), q_end);

        if ((x == p) != (y == q))
            return false;
        if (x == p) {
            if (p == p_end || q == q_end)
                return p == p_end && q == q_end;
            if (*p != *q)
                return false;
            x++, y++;
        }
        p = x;
        q = y;
    }
}

static bool line_matches(const regex_t *re, suite_output a)
{
    regmatch_t all = {.rm_so = 0, .rm_eo = (regoff_t)a.size};

    return re && regexec(re, a.text, 1, &all, REG_STARTEND) == 0;
}

typedef struct rules {
    const regex_t *time, *ignore; /* ignore NULL: nothing */
} rules;

static bool same_line(const rules *r, suite_output a, suite_output b)
{
    if (a.size == b.size && !memcmp(a.text, b.text, a.size))
        return true;
    if (line_matches(r->ignore, a) && line_matches(r->ignore, b))
        return true;
    return line_matches(r->time, a) && same_words(a, b);
}

static const char *first_difference(const rules *r, suite_output base,
                                    suite_output variant, arena *mem)
{
    lines a = {base.text, base.text + base.size, 0};
    lines b = {variant.text, variant.text + variant.size, 0};

    for (;;) {
        suite_output x = {"", 0}, y = {"", 0};
        bool more = next_output_line(&a, &x), also = next_output_line(&b, &y);

        if (!more && !also)
            return NULL;
        if (more && also && same_line(r, x, y))
            continue;
        return arena_printf(mem, "line %u of its output is '%.*s', not '%.*s'",
                            more ? a.number : b.number,
                            (int)(y.size < 40 ? y.size : 40), y.text,
                            (int)(x.size < 40 ? x.size : 40), x.text);
    }
}

const char *compare_output(suite_output base, suite_output variant,
                           const char *ignore, arena *mem)
{
    static const char pattern[] =
        "time|elapsed|duration|latency|throughput|bandwidth|speed|rate|"
        "perf|cycles|flop|/ *s([^a-z]|$)|"
        "(^|[^a-z])([munp]?s|u?secs?|[a-z]*seconds?)([^a-z]|$)";
    const char *why = "out of memory";
    regex_t time, other;
    bool has;

    if (base.size == variant.size &&
        (!base.size || !memcmp(base.text, variant.text, base.size)))
        return NULL;
    if (regcomp(&time, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0)
        return why;
    has = ignore && regcomp(&other, ignore, REG_EXTENDED | REG_NOSUB) == 0;
    why = first_difference(&(rules){&time, has ? &other : NULL}, base, variant,
                           mem);
    if (has)
        regfree(&other);
    regfree(&time);
    return why;
}
