#include "ptx/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

typedef enum link_rank {
    RANK_OWN,      /* its module's alone */
    RANK_DECLARED, /* defined elsewhere, or by the run-time */
    RANK_WEAK,     /* one of several definitions */
    RANK_STRONG
} link_rank;

/* A variable or function of a module. */
typedef struct symbol {
    const char *name;
    size_t part;
    link_rank rank;
    ptx_var *var; /* one of these is set */
    ptx_func *func;
} symbol;

typedef struct linker {
    ptx_module *const *part;
    size_t count;
    arena *mem;
    diag *dg;
    symbol *symbols; /* by name, then by part */
    size_t nsymbols;
    bool failed;
} linker;

/* ---- Symbols ---- */

static link_rank rank_of(ptx_linkage linkage, bool defined)
{
    if (!defined)
        return RANK_DECLARED;
    switch (linkage) {
    case PTX_VISIBLE:
        return RANK_STRONG;
    case PTX_WEAK:
    case PTX_COMMON:
        return RANK_WEAK;
    case PTX_LOCAL_SYMBOL:
    case PTX_EXTERN:
        break;
    }
    return RANK_OWN;
}

/* Each module may see the dynamic shared memory as it likes. */
static link_rank rank_of_var(const ptx_var *v)
{
    bool dynamic = ptx_space_base(v->space) == PTX_SPACE_SHARED && v->unsized;

    return rank_of(v->linkage, v->linkage != PTX_EXTERN || dynamic);
}

static int by_name(const void *x, const void *y)
{
    const symbol *a = x, *b = y;
    int c = strcmp(a->name, b->name);

    return c ? c : a->part < b->part ? -1 : a->part > b->part;
}

static void list_symbols(linker *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->count; i++)
        n += l->part[i]->nglobals + l->part[i]->nfuncs;
    l->symbols = new0(n + 1, sizeof *l->symbols);
    for (size_t i = 0; i < l->count; i++) {
        const ptx_module *m = l->part[i];

        for (uint32_t k = 0; k < m->nglobals; k++) {
            ptx_var *v = m->globals[k];

            l->symbols[l->nsymbols++] =
                (symbol){v->name, i, rank_of_var(v), v, NULL};
        }
        for (uint32_t k = 0; k < m->nfuncs; k++) {
            ptx_func *f = m->funcs[k];

            l->symbols[l->nsymbols++] = (symbol){
                f->name, i, rank_of(f->linkage, f->has_body || f->alias_of),
                NULL, f};
        }
    }
    if (l->nsymbols)
        qsort(l->symbols, l->nsymbols, sizeof *l->symbols, by_name);
}

/* ---- One name ---- */

static void link_error(linker *l, const symbol *s, const char *what,
                       const symbol *other)
{
    ptx_place at = s->var ? s->var->place : s->func->place;

    diag_add(l->dg, DIAG_ERROR, l->part[s->part]->file, at.line, at.column,
             (uint32_t)strlen(s->name), "'%s' %s '%s', too", s->name, what,
             l->part[other->part]->file);
    l->failed = true;
}

static void rename_symbol(linker *l, const symbol *s)
{
    const char *name = arena_printf(l->mem, "%s$part%zu", s->name, s->part + 1);

    if (s->var)
        s->var->name = name;
    else
        s->func->name = name;
}

/* What was a definition declares what is defined elsewhere. */
static void demote_symbol(const symbol *s)
{
    if (s->var) {
        s->var->linkage = PTX_EXTERN;
        s->var->has_init = false;
        s->var->opaque = NULL;
    } else {
        s->func->has_body = false;
        s->func->alias_of = NULL;
    }
}

/* The definition that stays; NULL: there is none. */
static const symbol *definition(linker *l, const symbol *s, size_t n)
{
    const symbol *kept = NULL;

    for (size_t i = 0; i < n; i++) {
        if (s[i].rank == RANK_STRONG && kept && kept->rank == RANK_STRONG)
            link_error(l, &s[i], "is defined in", kept);
        else if (s[i].rank >= RANK_WEAK && (!kept || kept->rank < s[i].rank))
            kept = &s[i];
    }
    return kept;
}

static bool is_same_kind(const symbol *a, const symbol *b)
{
    return !a->var == !b->var && (a->var || a->func->entry == b->func->entry);
}

/* All symbols of a name, of several modules. */
static void link_name(linker *l, const symbol *s, size_t n)
{
    const symbol *kept = definition(l, s, n);

    for (size_t i = 0; i < n; i++) {
        if (s[i].rank == RANK_OWN) {
            rename_symbol(l, &s[i]);
            continue;
        }
        if (!kept || &s[i] == kept)
            continue;
        if (!is_same_kind(&s[i], kept)) {
            link_error(l, &s[i], "is something else in", kept);
            continue;
        }
        demote_symbol(&s[i]);
        if (s[i].func)
            s[i].func->linkage = kept->func->linkage;
    }
}

static void link_names(linker *l)
{
    for (size_t i = 0, n; i < l->nsymbols; i += n) {
        for (n = 1; i + n < l->nsymbols; n++)
            if (strcmp(l->symbols[i + n].name, l->symbols[i].name))
                break;
        if (n > 1)
            link_name(l, &l->symbols[i], n);
    }
}

/* ---- Lines ---- */

/* "1 12 3, ..." of a .loc, "1 \"k.cu\", ..." of a .file. */
static const char *count_file(linker *l, const char *text, unsigned base)
{
    char *rest;
    unsigned long number = strtoul(text, &rest, 10);

    return arena_printf(l->mem, "%lu%s", number + base, rest);
}

/* Calls that were inlined are told by labels of sections that are left out. */
static const char *count_line(linker *l, const char *text, unsigned base)
{
    unsigned file, line, column;

    if (sscanf(text, "%u %u %u", &file, &line, &column) != 3)
        return text;
    return arena_printf(l->mem, "%u %u %u", file + base, line, column);
}

/* Returns the base of the next module. */
static unsigned count_files(linker *l, const ptx_module *m, unsigned base)
{
    unsigned most = 0;

    for (uint32_t i = 0; i < m->nfiles; i++)
        most = m->files[i].number > most ? m->files[i].number : most;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        for (uint32_t k = 0; k < m->funcs[i]->nitems; k++) {
            ptx_item *item = &m->funcs[i]->items[k];

            if (item->kind == PTX_ITEM_LOC)
                item->text = count_line(l, item->text, base);
        }
    for (uint32_t i = 0; i < m->ntops; i++)
        if (m->tops[i].kind == PTX_TOP_FILE)
            m->tops[i].text = count_file(l, m->tops[i].text, base);
    return base + most;
}

/* ---- The module of all ---- */

static void put_head(linker *l, ptx_module *to)
{
    *to = *l->part[0];
    to->ntops = to->nglobals = to->nfuncs = 0;
    for (size_t i = 0; i < l->count; i++) {
        const ptx_module *m = l->part[i];

        if (m->version_major * 100 + m->version_minor >
            to->version_major * 100 + to->version_minor) {
            to->version_major = m->version_major;
            to->version_minor = m->version_minor;
        }
        if (m->sm > to->sm) {
            to->sm = m->sm;
            to->target_text = m->target_text;
        }
        if (m->address_size == to->address_size)
            continue;
        diag_error(l->dg, "'%s' has addresses of %u bits, '%s' of %u", m->file,
                   m->address_size, to->file, to->address_size);
        l->failed = true;
    }
}

/* As it stands in the module of all; false: it is left out. */
static bool move_top(const ptx_module *m, const ptx_module *to, ptx_top *top)
{
    switch (top->kind) {
    case PTX_TOP_VAR:
    case PTX_TOP_EXTERN:
        top->index += to->nglobals;
        return true;
    case PTX_TOP_FUNC:
        if (!m->funcs[top->index]->has_body)
            top->kind = PTX_TOP_PROTOTYPE;
        top->index += to->nfuncs;
        return true;
    case PTX_TOP_ALIAS:
        if (!m->funcs[top->index]->alias_of)
            return false;
        top->index += to->nfuncs;
        return true;
    case PTX_TOP_PROTOTYPE:
        top->index += to->nfuncs;
        return true;
    case PTX_TOP_PRAGMA:
    case PTX_TOP_FILE:
        return true;
    case PTX_TOP_SECTION:
        break;
    }
    return false;
}

static void add_module(const ptx_module *m, ptx_module *to)
{
    for (uint32_t i = 0; i < m->ntops; i++) {
        ptx_top top = m->tops[i];

        if (move_top(m, to, &top))
            to->tops[to->ntops++] = top;
    }
    for (uint32_t i = 0; i < m->nglobals; i++)
        to->globals[to->nglobals++] = m->globals[i];
    for (uint32_t i = 0; i < m->nfuncs; i++)
        to->funcs[to->nfuncs++] = m->funcs[i];
}

static void put_all(linker *l, strbuf *out)
{
    size_t tops = 0, globals = 0, funcs = 0;
    ptx_module all;
    unsigned base = 0;

    put_head(l, &all);
    for (size_t i = 0; i < l->count; i++) {
        tops += l->part[i]->ntops;
        globals += l->part[i]->nglobals;
        funcs += l->part[i]->nfuncs;
        base = count_files(l, l->part[i], base);
    }
    all.tops = ARENA_ARRAY(l->mem, ptx_top, tops + 1);
    all.globals = ARENA_ARRAY(l->mem, ptx_var *, globals + 1);
    all.funcs = ARENA_ARRAY(l->mem, ptx_func *, funcs + 1);
    for (size_t i = 0; i < l->count; i++)
        add_module(l->part[i], &all);
    ptx_print(&all, out);
}

status ptx_link(ptx_module *const *part, size_t count, arena *mem, diag *dg,
                strbuf *out)
{
    linker l = {.part = part, .count = count, .mem = mem, .dg = dg};

    list_symbols(&l);
    link_names(&l);
    free(l.symbols);
    if (!l.failed)
        put_all(&l, out);
    return l.failed ? ST_PROGRAM : ST_OK;
}
