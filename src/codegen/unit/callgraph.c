/* src/codegen/unit/callgraph.c - which functions of a module call themselves,
 * how often each is called, and whose address is taken. */

#include "base/must.h"
#include "codegen/ir/abi.h"
#include "codegen/unit/unit.h"

typedef struct callee { /* an edge of the graph */
    uint32_t to;
    uint32_t next; /* edge + 1 */
} callee;

typedef struct vertex { /* a function, by ptx_func.number */
    uint32_t first;     /* edge + 1 */
    uint32_t calls;     /* places that call it */
    uint32_t handle;
    uint32_t order, low; /* Tarjan's numbers, from 1 */
    uint32_t at;         /* next edge + 1 to follow */
    bool on_stack, recursive, calls_itself;
} vertex;

struct cu_calls {
    arena *mem;
    vertex *v;
    callee *edge;
    uint32_t nedges, room;
    uint32_t *stack, *path;
    uint32_t depth, length, clock;
};

const ptx_func *cu_final(const ptx_func *fn)
{
    while (fn && fn->alias_of)
        fn = fn->alias_of;
    return fn;
}

bool cu_is_recursive(const cg_unit *u, const ptx_func *fn)
{
    return u->calls->v[fn->number].recursive;
}

uint32_t cu_calls_of(const cg_unit *u, const ptx_func *fn)
{
    return u->calls->v[fn->number].calls;
}

uint32_t cu_handle(const cg_unit *u, const ptx_func *fn)
{
    return 4 * u->calls->v[cu_final(fn)->number].handle;
}

static void take_handle(cg_unit *u, const ptx_func *fn)
{
    cu_calls *c = u->calls;

    fn = cu_final(fn);
    if (!fn || fn->entry || !fn->has_body || c->v[fn->number].handle)
        return;
    u->handles[u->nhandles++] = fn;
    c->v[fn->number].handle = u->nhandles;
}

static void add_call_edge(cu_calls *c, uint32_t from, uint32_t to)
{
    ARENA_GROW(c->mem, c->edge, c->nedges, c->room);
    c->edge[c->nedges] = (callee){to, c->v[from].first};
    c->v[from].first = ++c->nedges;
    c->v[to].calls++;
    c->v[from].calls_itself |= from == to;
}

static void scan_operand(cg_unit *u, const ptx_operand *o)
{
    if (o->kind == PTX_OPD_SYM && o->func)
        take_handle(u, o->func);
    for (uint32_t i = 0; o->elems && i < o->nelems; i++)
        scan_operand(u, &o->elems[i]);
}

static void scan_body(cg_unit *u, const ptx_func *fn)
{
    for (uint32_t i = 0; i < fn->ninsts; i++) {
        const ptx_inst *in = &fn->insts[i];

        for (uint32_t k = 0; k < in->nops; k++)
            scan_operand(u, &in->ops[k]);
        if (in->call && in->call->func)
            add_call_edge(u->calls, fn->number,
                          cu_final(in->call->func)->number);
    }
}

static void scan_var(cg_unit *u, const ptx_var *v)
{
    for (uint32_t i = 0; i < v->nrelocs; i++)
        if (v->relocs[i].func)
            take_handle(u, v->relocs[i].func);
}

/* ---- circles: Tarjan's strongly connected components, without recursion -- */

static void enter_vertex(cu_calls *c, uint32_t i)
{
    vertex *v = &c->v[i];

    v->order = v->low = ++c->clock;
    v->at = v->first;
    v->on_stack = true;
    c->stack[c->depth++] = i;
    c->path[c->length++] = i;
}

/* If i is the first of its component, takes that from the stack. */
static void leave_vertex(cu_calls *c, uint32_t i)
{
    uint32_t from = c->depth;

    if (c->v[i].low != c->v[i].order)
        return;
    while (c->stack[--from] != i)
        ;
    for (uint32_t k = from; k < c->depth; k++) {
        vertex *m = &c->v[c->stack[k]];

        m->on_stack = false;
        m->recursive = c->depth - from > 1 || m->calls_itself;
    }
    c->depth = from;
}

static void search(cu_calls *c, uint32_t root)
{
    enter_vertex(c, root);
    while (c->length) {
        uint32_t i = c->path[c->length - 1];
        vertex *v = &c->v[i];

        if (v->at) {
            const callee *e = &c->edge[v->at - 1];
            const vertex *to = &c->v[e->to];

            v->at = e->next;
            if (!to->order)
                enter_vertex(c, e->to);
            else if (to->on_stack && to->order < v->low)
                v->low = to->order;
            continue;
        }
        leave_vertex(c, i);
        if (--c->length) {
            vertex *up = &c->v[c->path[c->length - 1]];

            up->low = v->low < up->low ? v->low : up->low;
        }
    }
}

/* ---- all --------------------------------------------------------------- */

static uint32_t numbers(const ptx_module *m)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < m->ntops; i++)
        if ((m->tops[i].kind == PTX_TOP_FUNC ||
             m->tops[i].kind == PTX_TOP_PROTOTYPE) &&
            m->tops[i].index >= most)
            most = m->tops[i].index + 1;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->number >= most)
            most = m->funcs[i]->number + 1;
    return most;
}

static uint32_t widest_alignment(const ptx_module *m)
{
    uint32_t most = ABI_ALIGN;

    for (uint32_t i = 0; i < m->nfuncs; i++)
        for (uint32_t k = 0; k < m->funcs[i]->nvars; k++) {
            const ptx_var *v = m->funcs[i]->vars[k];

            if (ptx_space_base(v->space) == PTX_SPACE_LOCAL && v->align > most)
                most = v->align;
        }
    return most;
}

void cu_find_calls(cg_unit *u)
{
    const ptx_module *m = u->m;
    arena *a = u->p->mem;
    cu_calls *c = u->calls = ARENA_NEW(a, cu_calls);
    uint32_t n = numbers(m);

    c->mem = a;
    c->v = ARENA_ARRAY(a, vertex, n + 1);
    c->stack = ARENA_ARRAY(a, uint32_t, n + 1);
    c->path = ARENA_ARRAY(a, uint32_t, n + 1);
    u->handles = ARENA_ARRAY(a, const ptx_func *, n + 1);
    for (uint32_t i = 0; i < m->nglobals; i++)
        scan_var(u, m->globals[i]);
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        for (uint32_t k = 0; k < m->funcs[i]->nvars; k++)
            scan_var(u, m->funcs[i]->vars[k]);
        scan_body(u, m->funcs[i]);
    }
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (!c->v[m->funcs[i]->number].order)
            search(c, m->funcs[i]->number);
    u->frame_align = widest_alignment(m);
}
