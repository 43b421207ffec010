#include "probe/template.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, NAME_MAX_BYTES = 32 };

/* Variables in scope, the innermost first. */
typedef struct scope {
    const struct scope *outer;
    const char *name; /* of a loop; NULL: the caller's */
    int64_t value;
    const probe_var *vars;
    size_t count;
} scope;

typedef struct expander {
    const char *file;
    const char *begin; /* of the file's text */
    const scope *scope;
    strbuf *out;
    diag *dg;
    unsigned depth;
    bool failed;
} expander;

typedef struct span {
    const char *at, *end;
} span;

static bool expand(expander *x, span s);

static void fail_template(expander *x, const char *at, const char *what,
                          const char *of)
{
    uintptr_t begin = (uintptr_t)x->begin, to = (uintptr_t)at;
    unsigned line = 1;

    if (x->failed)
        return;
    x->failed = true;
    if (to >= begin && to <= begin + strlen(x->begin)) /* not a variable's */
        for (const char *p = x->begin; p < at; p++)
            line += *p == '\n';
    diag_add(x->dg, DIAG_ERROR, x->file, line, 0, 0, "%s%s%s", what,
             *of ? ": " : "", of);
}

/* ---- Variables ---- */

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Takes a name into `to`; false: there is none. */
static bool take_variable_name(span *s, char to[NAME_MAX_BYTES])
{
    size_t n = 0;

    while (s->at < s->end && is_name(*s->at) && n < NAME_MAX_BYTES - 1)
        to[n++] = *s->at++;
    to[n] = '\0';
    return n > 0;
}

/* A number of a loop, else the caller's text; false: there is none. */
static bool look_up(const expander *x, const char *name, int64_t *value,
                    const char **text)
{
    *text = NULL;
    for (const scope *s = x->scope; s; s = s->outer) {
        if (s->name && !strcmp(s->name, name)) {
            *value = s->value;
            return true;
        }
        for (size_t i = 0; i < s->count; i++)
            if (!strcmp(s->vars[i].name, name)) {
                *text = s->vars[i].text;
                return true;
            }
    }
    return false;
}

/* ---- Expressions ---- */

static int64_t evaluate_binary(expander *x, span *s, int level);

static void skip_span_blanks(span *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        s->at++;
}

static int64_t variable(expander *x, span *s)
{
    char name[NAME_MAX_BYTES], *end;
    const char *text, *at = s->at;
    int64_t value = 0;

    take_variable_name(s, name);
    if (!look_up(x, name, &value, &text)) {
        fail_template(x, at, "no variable of this name", name);
    } else if (text) {
        value = strtoll(text, &end, 0);
        if (!*text || *end)
            fail_template(x, at, "this variable is no number", name);
    }
    return value;
}

static int64_t evaluate_primary(expander *x, span *s)
{
    int64_t value = 0;

    skip_span_blanks(s);
    if (s->at < s->end && *s->at == '(') {
        s->at++;
        value = evaluate_binary(x, s, 0);
        skip_span_blanks(s);
        if (s->at < s->end && *s->at == ')')
            s->at++;
        else
            fail_template(x, s->at, "')' is missing", "");
    } else if (s->at < s->end && *s->at == '-') {
        s->at++;
        value = -evaluate_primary(x, s);
    } else if (s->at < s->end && isdigit((unsigned char)*s->at)) {
        char *end;

        value = strtoll(s->at, &end, 0);
        s->at = end;
    } else if (s->at < s->end && is_name(*s->at)) {
        value = variable(x, s);
    } else {
        fail_template(x, s->at, "a number or name is missing", "");
    }
    return value;
}

/* By precedence, the loosest first; a longer one before its prefix. */
static const char *const operators[][5] = {
    {"|"},
    {"^"},
    {"&"},
    {"==", "!="},
    {"<=", ">=", "<", ">"},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/", "%"},
};
enum { LEVELS = sizeof operators / sizeof operators[0] };

static const char *take_operator(span *s, int level)
{
    skip_span_blanks(s);
    for (const char *const *o = operators[level]; *o; o++) {
        size_t n = strlen(*o);

        if ((size_t)(s->end - s->at) > n && !strncmp(s->at, *o, n) &&
            !(n == 1 && (*s->at == '<' || *s->at == '>') &&
              s->at[1] == *s->at)) {
            s->at += n;
            return *o;
        }
    }
    return NULL;
}

static int64_t combine(const char *o, int64_t a, int64_t b)
{
    switch (*o) {
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '&':
        return a & b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return o[1] == '<' ? a << b : o[1] ? a <= b : a < b;
    case '>':
        return o[1] == '>' ? a >> b : o[1] ? a >= b : a > b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return a % b;
    }
}

static int64_t evaluate_binary(expander *x, span *s, int level)
{
    if (level == LEVELS)
        return evaluate_primary(x, s);
    int64_t a = evaluate_binary(x, s, level + 1);

    for (const char *o; !x->failed && (o = take_operator(s, level));) {
        const char *at = s->at;
        int64_t b = evaluate_binary(x, s, level + 1);

        if ((*o == '/' || *o == '%') && !b)
            fail_template(x, at, "division by zero", "");
        else if (!x->failed)
            a = combine(o, a, b);
    }
    return a;
}

/* ---- Text ---- */

static void put_variable(expander *x, span *s)
{
    char name[NAME_MAX_BYTES];
    const char *text, *at = s->at;
    int64_t value = 0;

    if (!take_variable_name(s, name) || !look_up(x, name, &value, &text)) {
        fail_template(x, at, "no variable of this name", name);
    } else if (!text) {
        strbuf_printf(x->out, "%" PRId64, value);
    } else if (++x->depth > DEPTH_MAX) {
        fail_template(x, at, "a variable that contains itself", name);
    } else {
        expand(x, (span){text, text + strlen(text)});
        x->depth--;
    }
}

/* A part of a line without directive. */
static void put_expanded_text(expander *x, span s)
{
    while (s.at < s.end && !x->failed) {
        const char *to = memchr(s.at, '$', (size_t)(s.end - s.at));

        if (!to)
            to = s.end;
        strbuf_write(x->out, s.at, (size_t)(to - s.at));
        s.at = to;
        if (s.at == s.end)
            return;
        s.at++;
        if (s.at < s.end && *s.at == '(')
            strbuf_printf(x->out, "%" PRId64, evaluate_primary(x, &s));
        else
            put_variable(x, &s);
    }
}

/* ---- Directives ---- */

/* The line at s->at without its end; s->at moves behind it. */
static span take_line(span *s)
{
    const char *end = memchr(s->at, '\n', (size_t)(s->end - s->at));
    span line = {s->at, end ? end : s->end};

    s->at = end ? end + 1 : s->end;
    return line;
}

static bool is_comment(span line)
{
    skip_span_blanks(&line);
    return line.end - line.at > 1 && line.at[0] == '/' && line.at[1] == '/';
}

/* Takes "%word" from the beginning of the line; false: it is no directive. */
static bool take_word(span *line, char word[NAME_MAX_BYTES])
{
    span s = *line;

    skip_span_blanks(&s);
    if (s.at == s.end || *s.at != '%')
        return false;
    s.at++;
    take_variable_name(&s, word);
    skip_span_blanks(&s);
    *line = s;
    return true;
}

/* What lies between a directive and its %end; `other` is behind the %else. */
static bool take_block(expander *x, span *s, span *body, span *other)
{
    const char *begin = s->at;
    unsigned depth = 1;
    char word[NAME_MAX_BYTES];

    *body = (span){begin, NULL};
    *other = (span){NULL, NULL};
    while (s->at < s->end) {
        span line = take_line(s);
        const char *at = line.at;

        if (!take_word(&line, word))
            continue;
        if (!strcmp(word, "for") || !strcmp(word, "if"))
            depth++;
        else if (!strcmp(word, "end"))
            depth--;
        else if (depth == 1 && !strcmp(word, "else")) {
            body->end = at;
            other->at = s->at;
        }
        if (depth)
            continue;
        if (other->at)
            other->end = at;
        else
            body->end = at;
        return true;
    }
    fail_template(x, begin, "%end is missing", "");
    return false;
}

static void do_for(expander *x, span line, span *s)
{
    char name[NAME_MAX_BYTES];
    span body, other;
    const char *at = line.at;

    if (!take_variable_name(&line, name)) {
        fail_template(x, at, "%for needs a name", "");
        return;
    }
    int64_t n = evaluate_binary(x, &line, 0);
    if (!take_block(x, s, &body, &other))
        return;
    scope inner = {.outer = x->scope, .name = name};
    x->scope = &inner;
    for (inner.value = 0; inner.value < n && !x->failed; inner.value++)
        expand(x, body);
    x->scope = inner.outer;
}

static void do_if(expander *x, span line, span *s)
{
    span body, other;
    int64_t is = evaluate_binary(x, &line, 0);

    if (!take_block(x, s, &body, &other))
        return;
    if (is)
        expand(x, body);
    else if (other.at)
        expand(x, other);
}

static const char *find_asset(const char *name)
{
    for (const probe_asset *a = probe_assets; a->name; a++)
        if (!strcmp(a->name, name))
            return a->text;
    return NULL;
}

static void do_include(expander *x, span line)
{
    char name[NAME_MAX_BYTES];
    const char *at = line.at, *file = x->file, *begin = x->begin;

    take_variable_name(&line, name);
    const char *text = find_asset(name);
    if (!text || ++x->depth > DEPTH_MAX) {
        fail_template(x, at, "no template of this name", name);
        return;
    }
    x->file = name;
    x->begin = text;
    expand(x, (span){text, text + strlen(text)});
    x->file = file;
    x->begin = begin;
    x->depth--;
}

/* Instructions of the text so far: lines that begin no label or directive. */
static size_t count_instructions(const strbuf *b)
{
    size_t n = 0;

    for (const char *at = b->text, *end; at && *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        while (*at == ' ')
            at++;
        n += at < end && *at != '.' && end[-1] != ':';
    }
    return n;
}

/* The next instruction's number is a multiple. */
static void do_align(expander *x, span line)
{
    const char *at = line.at;
    int64_t of = evaluate_binary(x, &line, 0);

    if (of < 1) {
        fail_template(x, at, "%align needs a number above 0", "");
        return;
    }
    for (size_t n = count_instructions(x->out); n % (size_t)of; n++)
        strbuf_puts(x->out, "    NOP\n");
}

static void do_line(expander *x, span line, span *rest)
{
    char word[NAME_MAX_BYTES];
    span whole = line;

    if (is_comment(line))
        return;
    if (!take_word(&line, word)) {
        put_expanded_text(x, whole);
        if (rest->at > whole.end) /* the end of the line was there */
            strbuf_putc(x->out, '\n');
    } else if (!strcmp(word, "for")) {
        do_for(x, line, rest);
    } else if (!strcmp(word, "if")) {
        do_if(x, line, rest);
    } else if (!strcmp(word, "include")) {
        do_include(x, line);
    } else if (!strcmp(word, "align")) {
        do_align(x, line);
    } else {
        fail_template(x, line.at, "no directive of this name", word);
    }
}

static bool expand(expander *x, span s)
{
    while (s.at < s.end && !x->failed) {
        span line = take_line(&s);

        do_line(x, line, &s);
    }
    return !x->failed;
}

bool probe_expand_text(const char *name, const char *text,
                       const probe_var *vars, size_t count, strbuf *out,
                       diag *dg)
{
    scope outer = {.vars = vars, .count = count};
    expander x = {
        .file = name, .begin = text, .scope = &outer, .out = out, .dg = dg};

    return expand(&x, (span){text, text + strlen(text)});
}

bool probe_expand(const char *name, const probe_var *vars, size_t count,
                  strbuf *out, diag *dg)
{
    const char *text = find_asset(name);

    if (!text) {
        diag_error(dg, "there is no probe template '%s'", name);
        return false;
    }
    return probe_expand_text(name, text, vars, count, out, dg);
}
