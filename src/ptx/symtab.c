#include "ptx/symtab.h"

#include <string.h>

#include "base/must.h"
#include "ptx/list.h"

enum { FIRST_SLOTS = 4096, MAX_DEPTH = 256, MAX_SUGGESTED = 4096 };

struct symtab {
    arena *a;
    ptx_name **slots;
    uint32_t nslots;
    uint32_t count;
    uint32_t depth;
    symbol *in_scope[MAX_DEPTH]; /* by depth */
    uint32_t scope_at[MAX_DEPTH];
    /* Scopes of the function so far. */
    list parents; /* of uint32_t, by scope */
    /* Names with marks, to be forgotten. */
    list marked; /* of ptx_name * */
};

symtab *symtab_new(arena *a)
{
    symtab *t = ARENA_NEW(a, symtab);

    t->a = a;
    t->nslots = FIRST_SLOTS;
    t->slots = ARENA_ARRAY(a, ptx_name *, t->nslots);
    return t;
}

static void grow_slots(symtab *t)
{
    uint32_t nslots = t->nslots * 2;
    ptx_name **slots = ARENA_ARRAY(t->a, ptx_name *, nslots);

    for (uint32_t i = 0; i < t->nslots; i++) {
        for (ptx_name *n = t->slots[i], *next; n; n = next) {
            next = n->chain;
            n->chain = slots[n->hash % nslots];
            slots[n->hash % nslots] = n;
        }
    }
    t->slots = slots;
    t->nslots = nslots;
}

ptx_name *symtab_find(const symtab *t, const char *s, uint32_t n, uint32_t hash)
{
    for (ptx_name *e = t->slots[hash % t->nslots]; e; e = e->chain)
        if (e->hash == hash && e->length == n && !memcmp(e->text, s, n))
            return e;
    return NULL;
}

ptx_name *symtab_name(symtab *t, const char *s, uint32_t n, uint32_t hash)
{
    ptx_name *e = symtab_find(t, s, n, hash);

    if (e)
        return e;
    if (t->count++ >= t->nslots)
        grow_slots(t);
    e = ARENA_NEW(t->a, ptx_name);
    e->text = arena_strndup(t->a, s, n);
    e->length = n;
    e->hash = hash;
    e->chain = t->slots[hash % t->nslots];
    t->slots[hash % t->nslots] = e;
    return e;
}

void symtab_open(symtab *t)
{
    uint32_t outer = t->depth ? t->scope_at[t->depth] : UINT32_MAX;

    MUST(t->depth + 1 < MAX_DEPTH);
    t->depth++;
    t->scope_at[t->depth] = t->parents.count;
    *LIST_PUSH(&t->parents, t->a, uint32_t) = outer;
    t->in_scope[t->depth] = NULL;
}

void symtab_close(symtab *t)
{
    for (symbol *s = t->in_scope[t->depth]; s; s = s->sibling) {
        MUST(s->of->top == s);
        s->of->top = s->below;
    }
    t->depth--;
}

uint32_t symtab_depth(const symtab *t) { return t->depth; }

uint32_t symtab_scope(const symtab *t) { return t->scope_at[t->depth]; }

void symtab_end_func(symtab *t)
{
    for (uint32_t i = 0; i < t->marked.count; i++)
        (*LIST_AT(&t->marked, ptx_name *, i))->marks = NULL;
    t->marked.count = 0;
    t->parents.count = 0;
}

symbol *symtab_here(const symtab *t, const ptx_name *n)
{
    return n->top && n->top->depth == t->depth ? n->top : NULL;
}

symbol *symtab_add_at(symtab *t, ptx_name *n, symbol_kind kind, ptx_place place,
                      uint32_t depth)
{
    symbol **at = &n->top;

    while (*at && (*at)->depth > depth)
        at = &(*at)->below;
    if (*at && (*at)->depth == depth)
        return NULL;
    symbol *s = ARENA_NEW(t->a, symbol);
    s->kind = kind;
    s->depth = depth;
    s->place = place;
    s->of = n;
    s->below = *at;
    *at = s;
    s->sibling = t->in_scope[depth];
    t->in_scope[depth] = s;
    return s;
}

symbol *symtab_add(symtab *t, ptx_name *n, symbol_kind kind, ptx_place place)
{
    return symtab_add_at(t, n, kind, place, t->depth);
}

mark *symtab_mark(symtab *t, ptx_name *n, ptx_place place)
{
    uint32_t scope = symtab_scope(t);

    for (mark *m = n->marks; m; m = m->next)
        if (m->scope == scope)
            return NULL;
    if (!n->marks)
        *LIST_PUSH(&t->marked, t->a, ptx_name *) = n;
    mark *m = ARENA_NEW(t->a, mark);
    m->scope = scope;
    m->place = place;
    m->next = n->marks;
    n->marks = m;
    return m;
}

mark *symtab_find_mark(const symtab *t, const ptx_name *n, uint32_t scope)
{
    for (; scope != UINT32_MAX; scope = *LIST_AT(&t->parents, uint32_t, scope))
        for (mark *m = n->marks; m; m = m->next)
            if (m->scope == scope)
                return m;
    return NULL;
}

size_t symtab_visible(const symtab *t, arena *a, const char ***names)
{
    size_t count = 0;

    *names = ARENA_ARRAY(a, const char *, MAX_SUGGESTED);
    for (uint32_t d = t->depth + 1; d-- > 0;)
        for (symbol *s = t->in_scope[d]; s; s = s->sibling)
            if (s->kind != SYMBOL_BAD && s->kind != SYMBOL_RANGE &&
                count < MAX_SUGGESTED)
                (*names)[count++] = s->of->text;
    return count;
}
