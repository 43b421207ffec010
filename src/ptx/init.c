/* Initial values of variables, made into bytes and relocations. */
#include <string.h>

#include "ptx/parser.h"

/* Of all initialisers of a module together. */
static const uint64_t most_init_bytes = 1ull << 28;

typedef struct filling {
    ptx_var *v;
    uint8_t *bytes;
    uint64_t room;
    uint64_t end; /* behind the last byte written */
    uint64_t budget;
    list relocs;   /* ptx_reloc */
    unsigned size; /* of one element */
} filling;

static bool reserve_init(parser *p, filling *f, uint64_t upto)
{
    if (upto > f->budget)
        return parse_error_here(p,
                                "the initial values of this module take "
                                "more than %llu bytes",
                                (unsigned long long)most_init_bytes);
    if (upto > f->room) {
        uint64_t room = f->room * 2 > upto ? f->room * 2 : upto + 64;
        f->bytes = arena_renew(p->scratch, f->bytes, f->end, room, 1);
        f->room = room;
    }
    if (upto > f->end)
        f->end = upto;
    return true;
}

static bool offset_behind(parser *p, int64_t *addend)
{
    constant c;

    while (p->t.kind == '+' || p->t.kind == '-') {
        bool minus = p->t.kind == '-';
        parse_next(p);
        if (!parse_addend(p, &c))
            return false;
        *addend = (int64_t)((uint64_t)*addend + (minus ? -c.bits : c.bits));
    }
    return true;
}

static bool parse_init_address(parser *p, ptx_reloc *r)
{
    if (!r->generic && parse_is_word(p, "generic")) {
        parse_next(p);
        r->generic = true;
        return parse_expect(p, '(', "word generic") &&
               parse_init_address(p, r) && parse_expect(p, ')', "name") &&
               offset_behind(p, &r->addend);
    }
    symbol *s = p->t.kind == TOK_NAME ? parse_find_symbol(p, &p->t) : NULL;
    if (s && s->kind == SYMBOL_VAR)
        r->var = s->var;
    else if (s && s->kind == SYMBOL_FUNC)
        (r->func = s->func)->taken = true;
    else
        return parse_error_here(p,
                                "expected a variable or function, found '%.*s'",
                                (int)p->t.length, p->t.text);
    parse_next(p);
    return offset_behind(p, &r->addend);
}

static bool add_reloc(parser *p, filling *f, uint64_t at, uint64_t mask)
{
    ptx_reloc r = {.at = at, .size = f->size, .mask = mask};

    if (!ptx_type_is_int(f->v->type))
        return parse_error_here(p, "an address needs an integer type");
    if (!parse_init_address(p, &r))
        return false;
    *LIST_PUSH(&f->relocs, p->scratch, ptx_reloc) = r;
    return true;
}

static bool parse_element(parser *p, filling *f, uint64_t at)
{
    token t = p->t;
    uint64_t bits;
    constant c;

    if (!reserve_init(p, f, at + f->size))
        return false;
    if (t.kind == TOK_NAME && !parse_is_word(p, "WARP_SZ"))
        return add_reloc(p, f, at, UINT64_MAX);
    if (!parse_constant(p, &c))
        return false;
    if (p->t.kind == '(' && !c.is_float) { /* 0xff00(x) */
        parse_next(p);
        return add_reloc(p, f, at, c.bits) && parse_expect(p, ')', "name");
    }
    if (!constant_as(&c, f->v->type, &bits))
        return parse_error(p, t.place, t.length,
                           "this value does not fit a .%s",
                           ptx_type_text(f->v->type));
    memcpy(f->bytes + at, &bits, f->size < 8 ? f->size : 8);
    return true;
}

/* Bytes that one brace at `level` spans: 0 is the whole variable. */
static uint64_t span(const filling *f, unsigned level)
{
    uint64_t n = f->size;

    if (level <= f->v->ndims)
        n *= f->v->vec;
    for (unsigned i = level; i < f->v->ndims; i++)
        n *= f->v->dims[i];
    return n;
}

/* { a, b, { c } }: values fill the region in order; an inner brace fills the
 * next whole part of it. */
static bool braces(parser *p, filling *f, unsigned level, uint64_t from)
{
    bool open = level == 0 && f->v->unsized;
    uint64_t at = from, end = open ? most_init_bytes : from + span(f, level);
    unsigned levels = f->v->ndims + (f->v->vec > 1);

    parse_next(p);
    while (p->t.kind != '}') {
        bool inner = p->t.kind == '{';
        uint64_t size = inner ? span(f, level + 1) : f->size;
        if (inner && (level + 1 >= levels || !size || (at - from) % size))
            return parse_error_here(p, "'%s' has no values of this shape",
                                    f->v->name);
        if (at + size > end)
            return parse_error_here(p, "more values than '%s' has elements",
                                    f->v->name);
        if (!(inner ? braces(p, f, level + 1, at) : parse_element(p, f, at)))
            return false;
        at += size;
        if (p->t.kind != '}' && !parse_expect(p, ',', "value"))
            return false;
    }
    parse_next(p);
    if (open) {
        uint64_t one = span(f, 1);
        f->v->dims[0] = one ? (at - from + one - 1) / one : 0;
    }
    return true;
}

/* { addr_mode_0 = wrap, ... } of samplers and textures: kept as text. */
static bool opaque(parser *p, ptx_var *v)
{
    const char *from = p->t.text;

    if (p->t.kind != '{')
        return parse_error_here(p, "expected '{'");
    if (!lex_skip_braces(&p->lx))
        return parse_error_here(p, "the braces that begin here have no end");
    v->opaque = arena_strndup(p->a, from, (size_t)(p->lx.at - from));
    parse_next(p);
    return true;
}

bool parse_initialiser(parser *p, ptx_var *v)
{
    filling f = {.v = v, .size = ptx_type_bytes(v->type)};

    v->has_init = true;
    if (ptx_type_kind(v->type) == PTX_KIND_OPAQUE)
        return opaque(p, v);
    f.budget = most_init_bytes - p->init_bytes;
    if (p->t.kind == '{') {
        if (!braces(p, &f, 0, 0))
            return false;
    } else if (v->ndims || v->vec > 1) {
        return parse_error_here(p, "the values of '%s' stand in braces",
                                v->name);
    } else if (!parse_element(p, &f, 0)) {
        return false;
    }
    v->unsized = v->ndims && !v->dims[0];
    v->init_size = f.end;
    uint8_t *bytes = arena_alloc(p->a, f.end ? f.end : 1);
    if (f.end)
        memcpy(bytes, f.bytes, f.end);
    v->init = bytes;
    v->relocs = list_take(&f.relocs, p->a, &v->nrelocs);
    p->init_bytes += f.end;
    return true;
}
