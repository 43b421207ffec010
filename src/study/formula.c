/* src/study/formula.c - see formula.h. Parsed into what a machine with a stack
 * does. */
#include "study/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 128, NAMES = 32, DEPTH = 32 };

typedef struct step {
    char what; /* '#' a number, '$' a name, or what is done to the last two */
    double number;
    size_t name;
} step;

struct formula {
    step steps[STEPS];
    size_t count;
    const char *names[NAMES];
    size_t name_count;
};

typedef struct reader {
    const char *text, *at;
    formula *f;
    arena *mem;
    unsigned depth;
    const char *wrong; /* NULL: nothing is */
} reader;

static bool fail_formula(reader *r, const char *why)
{
    r->wrong = r->wrong ? r->wrong : why;
    return false;
}

static void skip_spaces(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool push_step(reader *r, step s)
{
    if (r->f->count == STEPS)
        return fail_formula(r, "this formula is too long");
    r->f->steps[r->f->count++] = s;
    return true;
}

static size_t plain_length(const char *s)
{
    size_t n = 0;

    while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.' ||
           s[n] == '[')
        n += s[n] == '[' && strchr(s + n, ']')
                 ? (size_t)(strchr(s + n, ']') - (s + n)) + 1
                 : 1;
    return n;
}

/* "mean(x)" is a name like any other. */
static size_t name_length(const char *s)
{
    size_t n = plain_length(s), inner;

    if (s[n] != '(')
        return n;
    inner = plain_length(s + n + 1);
    return inner && s[n + 1 + inner] == ')' ? n + inner + 2 : n;
}

static bool read_formula_name(reader *r)
{
    size_t n = name_length(r->at), i = 0;
    formula *f = r->f;

    while (i < f->name_count &&
           (strncmp(f->names[i], r->at, n) || f->names[i][n]))
        i++;
    if (i == NAMES)
        return fail_formula(r, "this formula has too many names");
    if (i == f->name_count)
        f->names[f->name_count++] = arena_strndup(r->mem, r->at, n);
    r->at += n;
    return push_step(r, (step){.what = '$', .name = i});
}

static bool read_constant(reader *r)
{
    char *end;
    double v = strtod(r->at, &end);

    r->at = end;
    return push_step(r, (step){.what = '#', .number = v});
}

static bool read_sum(reader *r);

static bool read_value(reader *r)
{
    skip_spaces(r);
    if (isdigit((unsigned char)*r->at) || *r->at == '.')
        return *r->at == '.' && !isdigit((unsigned char)r->at[1])
                   ? fail_formula(r, "here a number or a name is missing")
                   : read_constant(r);
    if (isalpha((unsigned char)*r->at))
        return read_formula_name(r);
    if (*r->at != '(')
        return fail_formula(r, "here a number or a name is missing");
    if (r->depth == DEPTH)
        return fail_formula(r, "here are too many parentheses");
    r->at++;
    r->depth++;
    if (!read_sum(r))
        return false;
    r->depth--;
    skip_spaces(r);
    if (*r->at != ')')
        return fail_formula(r, "here a ')' is missing");
    r->at++;
    return true;
}

static bool read_product(reader *r)
{
    if (!read_value(r))
        return false;
    for (skip_spaces(r); *r->at == '*' || *r->at == '/'; skip_spaces(r)) {
        char what = *r->at++;

        if (!read_value(r) || !push_step(r, (step){.what = what}))
            return false;
    }
    return true;
}

static bool read_sum(reader *r)
{
    if (!read_product(r))
        return false;
    for (skip_spaces(r); *r->at == '+' || *r->at == '-'; skip_spaces(r)) {
        char what = *r->at++;

        if (!read_product(r) || !push_step(r, (step){.what = what}))
            return false;
    }
    return true;
}

status formula_parse(const char *text, arena *mem, diag *dg, formula **out)
{
    reader r = {.text = text, .at = text, .mem = mem};

    r.f = ARENA_NEW(mem, formula);
    if (read_sum(&r) && *r.at)
        fail_formula(&r, "this is not understood");
    if (r.wrong) {
        diag_error(dg, "'%s', at '%s': %s", text, r.at, r.wrong);
        return ST_USAGE;
    }
    *out = r.f;
    return ST_OK;
}

size_t formula_count(const formula *f) { return f->name_count; }

const char *formula_name(const formula *f, size_t i) { return f->names[i]; }

static double apply_operator(char what, double a, double b)
{
    switch (what) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return b != 0 ? a / b : NAN;
    }
}

double formula_value(const formula *f, const double *values)
{
    double stack[STEPS];
    size_t n = 0;

    for (size_t i = 0; i < f->count; i++) {
        const step *s = &f->steps[i];

        if (s->what == '#')
            stack[n++] = s->number;
        else if (s->what == '$')
            stack[n++] = values[s->name];
        else {
            n--;
            stack[n - 1] = apply_operator(s->what, stack[n - 1], stack[n]);
        }
    }
    return stack[0];
}
