/* src/sweep/sweep_filter.c - conditions of a plan: comparisons of parameters,
 * axes, GPU and workload, joined by and, or, not. */
#include <ctype.h>
#include <string.h>

#include "base/must.h"
#include "base/strbuf.h"
#include "sweep/sweep_impl.h"

enum { DEEPEST = 64 };

typedef enum op { OR, AND, NOT, EQ, NE, LT, LE, GT, GE } op;

typedef enum source {
    A_TEXT,
    A_NUMBER,
    A_PARAM,
    AN_AXIS, /* of variants: their names */
    A_GPU,
    A_WORKLOAD,
    A_SIZE
} source;

typedef struct term {
    source is;
    const char *text; /* as written */
    yml_place at;
    uint64_t number;
    const config_param *param;
    size_t axis;
} term;

typedef struct expr {
    op op;
    const struct expr *a, *b; /* of OR, AND; NOT: a */
    term left, right;         /* of comparisons */
} expr;

struct sweep_filter {
    bool except;
    bool by_workload; /* depends on the workload */
    const expr *is;
    struct sweep_filter *next;
};

/* ---- Words ---- */

typedef struct scanner {
    sweep_reader *r;
    yml_place start; /* of the text */
    const char *text, *at;
    const char *word; /* the current one, "" at the end */
    yml_place word_at;
    bool quoted;
    bool by_workload;
    unsigned depth;
} scanner;

static void next(scanner *s)
{
    static const char marks[] = "()=!<>'\"";
    const char *from;
    size_t n;

    s->at += strspn(s->at, " \t\n");
    from = s->at;
    s->quoted = *from == '\'' || *from == '"';
    if (s->quoted) {
        n = strcspn(from + 1, *from == '"' ? "\"" : "'");
        s->word = arena_strndup(s->r->p->mem, from + 1, n);
        n += 1 + (from[1 + n] != '\0');
    } else {
        n = strcspn(from, " \t\n()=!<>'\"");
        if (!n && *from && strchr(marks, *from))
            n = 1 + (strchr("=!<>", *from) && from[1] == '=');
        s->word = arena_strndup(s->r->p->mem, from, n);
    }
    s->at += n;
    s->word_at = s->start;
    s->word_at.column += (unsigned)(from - s->text);
    s->word_at.length = n ? (unsigned)n : 1;
}

static bool is_word(const scanner *s, const char *word)
{
    return !s->quoted && !strcmp(s->word, word);
}

static bool at_end(const scanner *s) { return !s->quoted && !*s->word; }

/* ---- Terms ---- */

static bool is_number(const term *t)
{
    return t->is == A_NUMBER ||
           (t->is == A_PARAM &&
            (t->param->kind == CONFIG_INT || t->param->kind == CONFIG_POW2 ||
             t->param->kind == CONFIG_SIZE));
}

static bool is_literal(const term *t)
{
    return t->is == A_TEXT || t->is == A_NUMBER;
}

/* What a word means: an axis, a parameter, or itself. */
static term term_of(scanner *s)
{
    const sweep_plan *p = s->r->p;
    term t = {.is = A_TEXT, .text = s->word, .at = s->word_at};

    if (s->quoted)
        return t;
    if (!strcmp(t.text, "workload"))
        t.is = A_WORKLOAD;
    else if (!strcmp(t.text, "size"))
        t.is = A_SIZE;
    else if (!strcmp(t.text, "gpu"))
        t.is = A_GPU;
    s->by_workload |= t.is == A_WORKLOAD || t.is == A_SIZE;
    for (size_t i = 0; i < p->axis_count && t.is == A_TEXT; i++)
        if (!p->axes[i].param && !strcmp(p->axes[i].name, t.text)) {
            t.is = AN_AXIS;
            t.axis = i;
        }
    if (t.is == A_TEXT && (t.param = config_param_find(t.text)))
        t.is = A_PARAM;
    return t;
}

static bool read_term(scanner *s, term *to)
{
    if (at_end(s) || (!s->quoted && strchr("()=!<>", *s->word))) {
        yml_wrong(&s->r->y, s->word_at,
                  "expected a parameter, an axis or a value%s%s%s",
                  *s->word ? ", not '" : "", s->word, *s->word ? "'" : "");
        return false;
    }
    *to = term_of(s);
    next(s);
    return true;
}

/* Names of what there is several of. */
static const char *name_of_element(const sweep_plan *p, const term *t, size_t i)
{
    return t->is == AN_AXIS      ? p->axes[t->axis].values[i].label
           : t->is == A_GPU      ? p->gpus[i].name
           : t->is == A_WORKLOAD ? p->workloads[i].is.label
                                 : p->workloads[i].is.size;
}

static bool is_one_of(scanner *s, const term *t, const term *other)
{
    const sweep_plan *p = s->r->p;
    size_t n = other->is == AN_AXIS ? p->axes[other->axis].count
               : other->is == A_GPU ? p->gpu_count
                                    : p->workload_count;
    const char **names = ARENA_ARRAY(p->mem, const char *, n + 1);
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        const char *name = name_of_element(p, other, i);

        if (name && !strcmp(name, t->text))
            return true;
        if (name)
            names[count++] = name;
    }
    yml_unknown(&s->r->y, t->at, other->text, t->text, names, count);
    return false;
}

/* The literal `t` must be a value that `other` can have. */
static bool literal_fits(scanner *s, term *t, const term *other)
{
    strbuf why = {0};
    bool good = true;

    if (is_number(other)) {
        good = config_read_number(other->param, t->text, &t->number);
        t->is = A_NUMBER;
        if (!good)
            yml_wrong(&s->r->y, t->at, "%s is a number, '%s' is none",
                      other->text, t->text);
    } else if (other->is == A_PARAM) {
        good = config_put(&s->r->scratch, other->param, t->text, &why);
        if (!good)
            yml_wrong(&s->r->y, t->at, "%s", why.text);
    } else {
        good = is_one_of(s, t, other);
    }
    strbuf_fini(&why);
    return good;
}

/* A word that looks like the path of a parameter but is none. */
static void unknown_term(scanner *s, const term *t)
{
    const char *near = config_param_suggest(t->text);

    if (near)
        yml_wrong(&s->r->y, t->at,
                  "'%s' is no parameter and no axis (did you mean '%s'?)",
                  t->text, near);
    else
        yml_wrong(&s->r->y, t->at, "'%s' is no parameter and no axis", t->text);
}

static bool check_terms(scanner *s, expr *x)
{
    term *l = &x->left, *r = &x->right;

    if (is_literal(l) && is_literal(r)) {
        unknown_term(s, l);
        return false;
    }
    if (is_literal(l) && !literal_fits(s, l, r))
        return false;
    if (is_literal(r) && !literal_fits(s, r, l))
        return false;
    if (is_number(l) != is_number(r) ||
        (x->op != EQ && x->op != NE && !is_number(l))) {
        yml_wrong(&s->r->y, r->at,
                  "'%s' and '%s' cannot be compared so: only numbers have "
                  "an order",
                  l->text, r->text);
        return false;
    }
    return true;
}

/* ---- Conditions ---- */

static const expr *read_or(scanner *s);

static const expr *join_expressions(scanner *s, op o, const expr *a,
                                    const expr *b)
{
    expr *x = ARENA_NEW(s->r->p->mem, expr);

    *x = (expr){.op = o, .a = a, .b = b};
    return x;
}

static const expr *read_comparison(scanner *s)
{
    static const struct {
        const char *text;
        op op;
    } ops[] = {{"=", EQ},  {"==", EQ}, {"!=", NE}, {"<", LT},
               {"<=", LE}, {">", GT},  {">=", GE}};
    expr *x = ARENA_NEW(s->r->p->mem, expr);
    size_t i = 0;

    if (!read_term(s, &x->left))
        return NULL;
    while (i < COUNTOF(ops) && !is_word(s, ops[i].text))
        i++;
    if (i == COUNTOF(ops)) {
        yml_wrong(&s->r->y, s->word_at,
                  "expected =, !=, <, <=, > or >= behind '%s'", x->left.text);
        return NULL;
    }
    x->op = ops[i].op;
    next(s);
    if (!read_term(s, &x->right) || !check_terms(s, x))
        return NULL;
    return x;
}

static const expr *read_not(scanner *s)
{
    const expr *x;

    if (++s->depth > DEEPEST) {
        yml_wrong(&s->r->y, s->word_at, "nested too deep");
        return NULL;
    }
    if (is_word(s, "not")) {
        next(s);
        x = read_not(s);
        x = x ? join_expressions(s, NOT, x, NULL) : NULL;
    } else if (is_word(s, "(")) {
        next(s);
        x = read_or(s);
        if (x && !is_word(s, ")")) {
            yml_wrong(&s->r->y, s->word_at, "expected )");
            x = NULL;
        }
        next(s);
    } else {
        x = read_comparison(s);
    }
    s->depth--;
    return x;
}

static const expr *read_and(scanner *s)
{
    const expr *x = read_not(s);

    while (x && is_word(s, "and")) {
        const expr *b;

        next(s);
        b = read_not(s);
        x = b ? join_expressions(s, AND, x, b) : NULL;
    }
    return x;
}

static const expr *read_or(scanner *s)
{
    const expr *x = read_and(s);

    while (x && is_word(s, "or")) {
        const expr *b;

        next(s);
        b = read_and(s);
        x = b ? join_expressions(s, OR, x, b) : NULL;
    }
    return x;
}

static void read_one(sweep_reader *r, const yml_node *n, bool except)
{
    const char *what = except ? "except" : "where";
    const char *text = sweep_text(r, n, what);
    scanner s = {.r = r, .text = text, .at = text, .start = n->at};
    sweep_filter *f, **end = &r->p->filters;

    if (!text)
        return;
    s.start.column += n->quoted;
    next(&s);
    f = ARENA_NEW(r->p->mem, sweep_filter);
    f->except = except;
    f->is = read_or(&s);
    f->by_workload = s.by_workload;
    if (f->is && !at_end(&s)) {
        yml_wrong(&r->y, s.word_at, "expected and, or, or the end, not '%s'",
                  s.word);
        f->is = NULL;
    }
    if (!f->is)
        return;
    while (*end)
        end = &(*end)->next;
    *end = f;
}

void sweep_read_filter(sweep_reader *r, const yml_node *n, bool except)
{
    if (n && n->kind == YML_LIST)
        for (const yml_node *e = n->first; e; e = e->next)
            read_one(r, e, except);
    else if (n)
        read_one(r, n, except);
}

/* ---- Deciding ---- */

typedef struct subject {
    const sweep_plan *p;
    const sweep_machine *m;
    const config *cfg;
    size_t workload;
} subject;

static uint64_t number_of_term(const subject *s, const term *t)
{
    return t->is == A_NUMBER ? t->number : config_number(s->cfg, t->param);
}

static const char *text_of_term(const subject *s, const term *t)
{
    const sweep_plan *p = s->p;

    switch (t->is) {
    case A_PARAM:
        if (t->param->kind == CONFIG_STRING)
            return config_text(s->cfg, t->param);
        if (t->param->kind == CONFIG_BOOL)
            return config_number(s->cfg, t->param) ? "true" : "false";
        return t->param->choices[config_number(s->cfg, t->param)].text;
    case AN_AXIS:
        return p->axes[t->axis]
            .values[sweep_plan_value(p, s->m, t->axis)]
            .label;
    case A_GPU:
        return p->gpus[s->m->gpu].name;
    case A_WORKLOAD:
        return p->workloads[s->workload].is.label;
    case A_SIZE:
        return p->workloads[s->workload].is.size
                   ? p->workloads[s->workload].is.size
                   : "";
    case A_TEXT:
    case A_NUMBER:
        return t->text;
    }
    MUST(!"every value is above");
}

static bool compare_numbers(op o, uint64_t a, uint64_t b)
{
    switch (o) {
    case EQ:
        return a == b;
    case NE:
        return a != b;
    case LT:
        return a < b;
    case LE:
        return a <= b;
    case GT:
        return a > b;
    case OR:
    case AND:
    case NOT:
    case GE:
        return a >= b;
    }
    MUST(!"every value is above");
}

static bool condition_holds(const subject *s, const expr *x)
{
    switch (x->op) {
    case OR:
        return condition_holds(s, x->a) || condition_holds(s, x->b);
    case AND:
        return condition_holds(s, x->a) && condition_holds(s, x->b);
    case NOT:
        return !condition_holds(s, x->a);
    case EQ:
    case NE:
    case LT:
    case LE:
    case GT:
    case GE:
        if (is_number(&x->left))
            return compare_numbers(x->op, number_of_term(s, &x->left),
                                   number_of_term(s, &x->right));
        return !strcmp(text_of_term(s, &x->left), text_of_term(s, &x->right)) ==
               (x->op == EQ);
    }
    MUST(!"every value is above");
}

bool sweep_filter_keeps(const sweep_plan *p, const sweep_machine *m,
                        const config *cfg, size_t of)
{
    const subject s = {p, m, cfg, of};

    for (const sweep_filter *f = p->filters; f; f = f->next)
        if (f->by_workload == (of != SWEEP_NONE) &&
            condition_holds(&s, f->is) == f->except)
            return false;
    return true;
}
