/* Declarations of registers, variables and parameters, and finding what a
 * name stands for. */
#include <string.h>

#include "ptx/parser.h"

/* Bytes of one variable that are accepted: more is a typing mistake. */
static const uint64_t most_bytes = 1ull << 40;
static const uint32_t most_registers = 1u << 24; /* of one range */

/* ---- what a name stands for --------------------------------------------- */

/* "%r17" and a range `%r<n>`: the longest prefix that names one. A number has
 * no leading zero. */
static symbol *find_register_range(parser *p, const token *t, uint32_t *index)
{
    uint32_t value = 0, unit = 1;
    symbol *best = NULL;

    for (uint32_t n = t->length; n-- > 1 && t->length - n < 9; unit *= 10) {
        char c = t->text[n];
        if (c < '0' || c > '9')
            break;
        value += (uint32_t)(c - '0') * unit;
        if ((c == '0' && t->length - n > 1) ||
            !(p->range_lengths >> (n < 63 ? n : 63) & 1))
            continue;
        ptx_name *prefix = symtab_find(p->st, t->text, n, lex_hash(t->text, n));
        symbol *s = prefix ? prefix->top : NULL;
        while (s && s->kind != SYMBOL_RANGE)
            s = s->below;
        if (s && value < s->count && (!best || s->depth > best->depth)) {
            best = s;
            *index = value;
        }
    }
    return best;
}

static uint32_t parse_add_reg(parser *p, const char *text, ptx_type type,
                              ptx_place place)
{
    ptx_reg *r = LIST_PUSH(&p->regs, p->scratch, ptx_reg);

    *r = (ptx_reg){text, type, place};
    return p->regs.count - 1;
}

symbol *parse_find_symbol(parser *p, const token *t)
{
    ptx_name *n = symtab_find(p->st, t->text, t->length, t->hash);
    symbol *s = n ? n->top : NULL, *range;
    uint32_t index;

    if (s && s->kind == SYMBOL_RANGE) /* a prefix is no register */
        s = s->below;
    if (s && s->depth && !p->inner_ranges)
        return s;
    range = find_register_range(p, t, &index);
    if (!range || (s && s->depth >= range->depth))
        return s;
    n = symtab_name(p->st, t->text, t->length, t->hash);
    s = symtab_add_at(p->st, n, SYMBOL_REG, range->place, range->depth);
    if (!s)
        return n->top;
    s->type = range->type;
    s->first = parse_add_reg(p, n->text, s->type, s->place);
    s->count = 1;
    return s;
}

static bool redefined(parser *p, const token *t, const symbol *old)
{
    return parse_error(p, t->place, t->length,
                       "'%.*s' is declared twice; the first time in line %u",
                       (int)t->length, t->text, old->place.line);
}

/* Declares the name looked at in the current scope; NULL after an error. */
static symbol *declare(parser *p, const token *t, symbol_kind kind)
{
    ptx_name *n = symtab_name(p->st, t->text, t->length, t->hash);
    symbol *s = symtab_add(p->st, n, kind, t->place);
    uint32_t index;

    if (!s) {
        redefined(p, t, symtab_here(p->st, n));
        return NULL;
    }
    symbol *range = kind == SYMBOL_RANGE || !p->f
                        ? NULL
                        : find_register_range(p, t, &index);
    if (range && range->depth == s->depth) {
        redefined(p, t, range);
        return NULL;
    }
    return s;
}

/* ---- types -------------------------------------------------------------- */

/* The DOT looked at. */
static bool parse_type(parser *p, ptx_type *out)
{
    const ptx_word *w = NULL;

    if (p->t.kind == TOK_DOT)
        w = words_find_mod(p->w, p->t.text + 1, p->t.length - 1, p->t.hash);
    for (; w && w->group != WORD_TYPE; w = w->other)
        ;
    if (!w)
        return parse_error_here(p, "expected a type such as .b32, found '%.*s'",
                                (int)p->t.length, p->t.text);
    if (ptx_type_kind((ptx_type)w->value) == PTX_KIND_SMALL)
        return parse_error_here(p, "nothing can be declared with the type %.*s",
                                (int)p->t.length, p->t.text);
    *out = (ptx_type)w->value;
    parse_next(p);
    return true;
}

static bool accept_vec(parser *p, uint8_t *vec)
{
    *vec = parse_is_dot(p, "v2")   ? 2
           : parse_is_dot(p, "v4") ? 4
           : parse_is_dot(p, "v8") ? 8
                                   : 1;
    if (*vec > 1)
        parse_next(p);
    return *vec > 1;
}

/* ---- registers ---------------------------------------------------------- */

static bool declare_range(parser *p, const token *t, ptx_regdecl *d)
{
    uint64_t count;
    token at;

    parse_next(p);
    at = p->t;
    if (p->t.kind != TOK_NUMBER) /* keeps the '>' out of an expression */
        return parse_error_here(p, "expected the number of registers");
    constant c;
    if (!parse_addend(p, &c))
        return false;
    count = c.bits;
    if (c.is_float || count > most_registers)
        return parse_error(p, at.place, at.length,
                           "at most %u registers can be in one range",
                           most_registers);
    if (!parse_expect(p, '>', "number of registers"))
        return false;
    if (d->vec > 1)
        return parse_error(p, t->place, t->length,
                           "a range of vector registers is not PTX");
    symbol *s = declare(p, t, SYMBOL_RANGE);
    if (!s)
        return false;
    s->type = d->type;
    s->count = d->count = (uint32_t)count;
    d->range = true;
    p->range_lengths |= 1ull << (t->length < 63 ? t->length : 63);
    if (s->depth > 1)
        p->inner_ranges = true;
    return true;
}

static bool declare_reg(parser *p, const token *t, const ptx_regdecl *d)
{
    symbol *s = declare(p, t, d->vec > 1 ? SYMBOL_VECTOR : SYMBOL_REG);

    if (!s)
        return false;
    s->type = d->type;
    s->count = d->vec;
    s->first = p->regs.count;
    if (d->vec == 1)
        parse_add_reg(p, s->of->text, d->type, t->place);
    for (unsigned i = 0; d->vec > 1 && i < d->vec; i++)
        parse_add_reg(p,
                      arena_printf(p->a, "%s.%c", s->of->text, "xyzw"[i & 3]),
                      d->type, t->place);
    return true;
}

bool parse_regs(parser *p) /* .reg .v2 .b32 a, %r<9>; */
{
    ptx_regdecl d = {0};

    parse_next(p);
    token at = p->t;
    accept_vec(p, &d.vec);
    if (!parse_type(p, &d.type))
        return false;
    if (d.vec > 4)
        return parse_error(p, at.place, at.length,
                           "registers are scalar, .v2 or .v4");
    if (ptx_type_kind(d.type) == PTX_KIND_OPAQUE)
        return parse_error(p, at.place, at.length,
                           "a register cannot be of type .%s",
                           ptx_type_text(d.type));
    do {
        token t = p->t;
        if (t.kind != TOK_NAME)
            return parse_error_here(p, "expected the name of a register");
        parse_next(p);
        ptx_regdecl one = d;
        one.name = parse_text(p, &t);
        one.place = t.place;
        one.scope = symtab_scope(p->st);
        if (p->t.kind == '<' ? declare_range(p, &t, &one)
                             : declare_reg(p, &t, &one)) {
            *LIST_PUSH(&p->regdecls, p->scratch, ptx_regdecl) = one;
            parse_item(p, PTX_ITEM_REGS, p->regdecls.count - 1);
        } else if (p->t.kind != ',' && p->t.kind != ';') {
            return false;
        }
    } while (parse_accept(p, ','));
    return parse_expect(p, ';', "register declaration");
}

/* ---- variables ---------------------------------------------------------- */

static bool parse_align(parser *p, uint32_t *out)
{
    uint64_t n;
    token at;

    parse_next(p);
    at = p->t;
    if (!parse_uint(p, 1u << 20, "the alignment", &n))
        return false;
    if (!n || (n & (n - 1)))
        return parse_error(p, at.place, at.length,
                           "an alignment is a power of two");
    *out = (uint32_t)n;
    return true;
}

static bool parse_attribute(parser *p, ptx_var *v)
{
    parse_next(p);
    if (!parse_expect(p, '(', ".attribute"))
        return false;
    while (p->t.kind != ')') {
        if (p->t.kind == TOK_END || p->t.kind == ';')
            return parse_error_here(p, "expected ')' after the attributes");
        if (parse_is_word(p, "managed"))
            v->managed = true;
        parse_next(p);
        if (p->t.kind == '(') { /* .unified(a, b) */
            while (p->t.kind != ')' && p->t.kind != TOK_END)
                parse_next(p);
            parse_accept(p, ')');
        }
    }
    parse_next(p);
    return true;
}

/* What may stand between the space and the names, in any order. */
static bool parse_var_type(parser *p, ptx_var *v)
{
    token at = p->t;

    v->vec = 1;
    v->reg = PTX_NO_REG;
    if (p->t.kind == '[') { /* .const[3]: banks of old code */
        uint64_t bank;
        parse_next(p);
        if (!parse_uint(p, 10, "the bank", &bank) ||
            !parse_expect(p, ']', "bank"))
            return false;
    }
    while (p->t.kind == TOK_DOT) {
        uint8_t vec;
        at = p->t;
        if (parse_is_dot(p, "align")) {
            if (!parse_align(p, &v->align))
                return false;
            v->has_align = true;
        } else if (parse_is_dot(p, "attribute")) {
            if (!parse_attribute(p, v))
                return false;
        } else if (accept_vec(p, &vec)) {
            v->vec = vec;
        } else if (v->type || parse_is_dot(p, "ptr")) {
            break;
        } else if (!parse_type(p, &v->type)) {
            return false;
        }
    }
    if (!v->type)
        return parse_error_here(p, "a type is missing");
    if (v->type == PTX_TYPE_PRED && v->space != PTX_SPACE_REG)
        return parse_error(p, at.place, at.length,
                           "only registers can be of type .pred");
    return true;
}

/* [2][3] or [] */
static bool parse_dims(parser *p, ptx_var *v)
{
    uint64_t dims[16];

    while (p->t.kind == '[') {
        uint64_t n = 0;
        token at = p->t;
        parse_next(p);
        if (v->ndims == COUNTOF(dims))
            return parse_error(p, at.place, 1, "too many dimensions");
        if (p->t.kind == ']' && v->ndims)
            return parse_error_here(p, "only the first dimension can be open");
        if (p->t.kind != ']' &&
            !parse_uint(p, most_bytes, "the size of an array", &n))
            return false;
        if (!parse_expect(p, ']', "size of the array"))
            return false;
        dims[v->ndims++] = n;
    }
    if (v->ndims) {
        v->dims = ARENA_ARRAY(p->a, uint64_t, v->ndims);
        memcpy(v->dims, dims, v->ndims * sizeof *dims);
    }
    v->unsized = v->ndims && !v->dims[0];
    return true;
}

static bool set_size(parser *p, ptx_var *v)
{
    uint64_t size = ptx_type_bytes(v->type) * v->vec;

    if (!v->has_align)
        v->align = (uint32_t)size;
    for (uint32_t i = 0; i < v->ndims; i++) {
        if (__builtin_mul_overflow(size, v->dims[i], &size) ||
            size > most_bytes)
            return parse_error(p, v->place, (uint32_t)strlen(v->name),
                               "'%s' is larger than any memory", v->name);
    }
    v->size = size;
    return true;
}

static bool same_shape(const ptx_var *a, const ptx_var *b)
{
    return a->space == b->space && a->type == b->type && a->vec == b->vec &&
           a->ndims == b->ndims;
}

/* An .extern beside a definition of the same thing is one variable. True if
 * that was so. */
static bool merge_extern(parser *p, symbol *old, ptx_var *v)
{
    if (old->kind != SYMBOL_VAR || old->depth || !same_shape(old->var, v) ||
        (old->var->linkage != PTX_EXTERN && v->linkage != PTX_EXTERN))
        return false;
    if (v->linkage == PTX_EXTERN)
        return true;
    for (uint32_t i = 0; i < p->tops.count; i++) {
        ptx_top *top = LIST_AT(&p->tops, ptx_top, i);
        if (top->kind == PTX_TOP_VAR && top->index == old->var->number)
            top->kind = PTX_TOP_EXTERN;
    }
    v->number = old->var->number;
    *old->var = *v;
    parse_add_top(p, PTX_TOP_VAR, (uint32_t)v->number, NULL);
    return true;
}

void parse_bind_var(parser *p, ptx_var *v)
{
    token t = {.kind = TOK_NAME,
               .text = v->name,
               .place = v->place,
               .length = (uint32_t)strlen(v->name)};

    t.hash = lex_hash(t.text, t.length);
    if (!strcmp(v->name, "_"))
        return;
    symbol *s =
        declare(p, &t, v->space == PTX_SPACE_REG ? SYMBOL_REG : SYMBOL_VAR);
    if (!s)
        return;
    s->var = v;
    if (v->space == PTX_SPACE_REG) {
        s->type = v->type;
        s->count = 1;
        s->first = v->reg = parse_add_reg(p, v->name, v->type, v->place);
    }
}

static void add_var(parser *p, ptx_var *v, const token *t)
{
    ptx_name *n = symtab_name(p->st, t->text, t->length, t->hash);
    symbol *old = symtab_here(p->st, n);

    if (old && merge_extern(p, old, v))
        return;
    if (p->f) {
        v->func = p->f;
        v->number = p->vars.count;
        *LIST_PUSH(&p->vars, p->scratch, ptx_var *) = v;
        parse_item(p, PTX_ITEM_VAR, (uint32_t)v->number);
    } else {
        v->number = p->globals.count;
        *LIST_PUSH(&p->globals, p->scratch, ptx_var *) = v;
        parse_add_top(p, PTX_TOP_VAR, (uint32_t)v->number, NULL);
    }
    parse_bind_var(p, v);
}

static bool parse_declarator(parser *p, const ptx_var *pattern)
{
    ptx_var *v = ARENA_NEW(p->a, ptx_var);
    token t = p->t;

    *v = *pattern;
    if (t.kind != TOK_NAME)
        return parse_error_here(p, "expected the name of a variable");
    v->name = parse_text(p, &t);
    v->place = t.place;
    parse_next(p);
    if (!parse_dims(p, v))
        return false;
    if (!set_size(p, v))
        return false;
    if (p->t.kind == '=') {
        if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
            return parse_error_here(
                p, "only .global and .const variables have initial values");
        parse_next(p);
        if (!parse_initialiser(p, v) || !set_size(p, v))
            return false;
    }
    if (v->unsized && v->linkage != PTX_EXTERN && v->space != PTX_SPACE_PARAM)
        return parse_error(p, t.place, t.length, "the size of '%s' is missing",
                           v->name);
    add_var(p, v, &t);
    return true;
}

bool parse_vars(parser *p, ptx_linkage linkage, ptx_space space)
{
    ptx_var pattern = {.linkage = linkage, .space = space};

    if (!p->f && (space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM))
        return parse_error_here(p, ".%s variables belong inside functions",
                                ptx_space_text(space));
    if (!parse_var_type(p, &pattern))
        return false;
    do {
        if (!parse_declarator(p, &pattern))
            return false;
    } while (parse_accept(p, ','));
    return parse_expect(p, ';', "variable declaration");
}

/* ---- parameters --------------------------------------------------------- */

static bool parse_ptr(parser *p, ptx_var *v) /* .ptr .global .align 4 */
{
    static const ptx_space spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_CONST,
                                       PTX_SPACE_SHARED, PTX_SPACE_LOCAL};

    parse_next(p);
    v->is_ptr = true;
    for (unsigned i = 0; i < COUNTOF(spaces); i++) {
        if (parse_is_word(p, ptx_space_text(spaces[i]))) {
            v->ptr_space = spaces[i];
            parse_next(p);
            break;
        }
    }
    return !parse_is_dot(p, "align") || parse_align(p, &v->ptr_align);
}

bool parse_param(parser *p, bool nameless, ptx_var **out)
{
    ptx_var *v = ARENA_NEW(p->a, ptx_var);

    if (parse_is_word(p, "param"))
        v->space = PTX_SPACE_PARAM;
    else if (parse_is_word(p, "reg"))
        v->space = PTX_SPACE_REG;
    else
        return parse_error_here(p, "a parameter begins with .param or .reg");
    parse_next(p);
    if (!parse_var_type(p, v))
        return false;
    if (parse_is_dot(p, "ptr") && !parse_ptr(p, v))
        return false;
    v->place = p->t.place;
    if (p->t.kind == TOK_NAME) {
        v->name = parse_text(p, &p->t);
        parse_next(p);
    } else if (nameless) {
        v->name = "_";
    } else {
        return parse_error_here(p, "expected the name of a parameter");
    }
    if (!parse_dims(p, v) || !set_size(p, v))
        return false;
    *out = v;
    return true;
}
