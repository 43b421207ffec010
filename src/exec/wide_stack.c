#include "exec/wide_stack.h"

#include "base/must.h"

/* Lanes of each warp that go to the same place. */
typedef struct side {
    uint32_t pc, mask[WIDE_STACK_WARPS];
} side;

/* What one warp made of a branch: the sides it pushed and the one it runs. */
typedef struct order {
    simt *s;
    unsigned from, count, next; /* next: of those not yet taken */
} order;

static simt_entry side_of(const order *o, unsigned i)
{
    if (i + 1 < o->count)
        return *simt_at(o->s, o->from + i);
    return (simt_entry){
        .pc = o->s->pc, .mask = o->s->active, .kind = SIMT_DIVERGED};
}

static bool is_next(const order *o, uint32_t pc)
{
    return o->next < o->count && side_of(o, o->next).pc == pc;
}

/* Has a warp other sides to push before the one at `pc`? */
static bool comes_later(const order o[], unsigned n, uint32_t pc)
{
    for (unsigned k = 0; k < n; k++) {
        if (is_next(&o[k], pc))
            continue;
        for (unsigned i = o[k].next; i < o[k].count; i++)
            if (side_of(&o[k], i).pc == pc)
                return true;
    }
    return false;
}

/* The side that is pushed next: the one that falls through as late as may be,
 * so that it runs first. False: none can be. */
static bool choose_side(const order o[], unsigned n, uint32_t fall,
                        uint32_t *pc)
{
    bool found = false;

    for (unsigned k = 0; k < n; k++) {
        if (o[k].next == o[k].count)
            continue;
        uint32_t to = side_of(&o[k], o[k].next).pc;
        if ((found && to == fall) || comes_later(o, n, to))
            continue;
        *pc = to;
        if (to != fall)
            return true;
        found = true;
    }
    return found;
}

/* Merges what the warps made of a branch into `to`; the number of sides, 0 if
 * their orders contradict. */
static unsigned merge_orders(order o[], unsigned n, uint32_t fall, side *to)
{
    unsigned sides = 0;

    for (;;) {
        bool more = false;

        for (unsigned k = 0; k < n; k++)
            more = more || o[k].next < o[k].count;
        if (!more)
            return sides;
        side *t = &to[sides++];
        *t = (side){0};
        if (!choose_side(o, n, fall, &t->pc))
            return 0;
        for (unsigned k = 0; k < n; k++)
            if (is_next(&o[k], t->pc))
                t->mask[k] = side_of(&o[k], o[k].next++).mask;
    }
}

static bool has_room(const simt *s, unsigned depth)
{
    return depth <= (s->deep ? SIMT_NEAR + SIMT_DEEP : SIMT_NEAR);
}

/* After a branch: all push the sides of all. */
static bool push_sides(simt *const s[], const simt_mark was[], unsigned n)
{
    side to[WIDE_STACK_WARPS * ISA_WARP];
    order o[WIDE_STACK_WARPS];

    for (unsigned k = 0; k < n; k++) {
        unsigned pushed = was[k].active ? s[k]->depth - was[k].depth + 1u : 0;

        o[k] = (order){.s = s[k], .from = was[k].depth, .count = pushed};
    }
    unsigned sides = merge_orders(o, n, was[0].pc + 1, to);
    if (!sides || !has_room(s[0], was[0].depth + sides - 1))
        return false;
    for (unsigned k = 0; k < n; k++) {
        for (unsigned i = 0; i + 1 < sides; i++)
            *simt_at(s[k], was[k].depth + i) = (simt_entry){
                .pc = to[i].pc, .mask = to[i].mask[k], .kind = SIMT_DIVERGED};
        s[k]->depth = (uint16_t)(was[k].depth + sides - 1);
        s[k]->pc = to[sides - 1].pc;
        s[k]->active = to[sides - 1].mask[k];
    }
    return true;
}

/* After SSY: warps without active lanes push what the others have pushed. */
static bool open_region(simt *const s[], const simt_mark was[], unsigned n,
                        const simt_entry *e)
{
    for (unsigned k = 0; k < n; k++)
        if (was[k].active && s[k]->depth == was[k].depth)
            return false; /* its guard was false */
    for (unsigned k = 0; k < n; k++) {
        *simt_at(s[k], was[k].depth) =
            (simt_entry){.pc = e->pc, .mask = was[k].active, .kind = SIMT_SSY};
        s[k]->depth = (uint16_t)(was[k].depth + 1);
        s[k]->pc = was[k].pc + 1;
        s[k]->active = was[k].active;
    }
    return true;
}

static void run_entry(simt *const s[], unsigned n, unsigned i)
{
    for (unsigned k = 0; k < n; k++) {
        const simt_entry *e = simt_at(s[k], i);

        s[k]->depth = (uint16_t)i;
        s[k]->pc = e->pc;
        s[k]->active = e->mask & s[k]->live;
    }
}

/* After SYNC or EXIT: the lanes that are left go on; if there are none, the
 * topmost entry in which any warp has a lane. What was popped is still
 * there. */
static void pop_together(simt *const s[], const simt_mark was[], unsigned n)
{
    uint32_t left[WIDE_STACK_WARPS], any = 0;

    for (unsigned k = 0; k < n; k++)
        any |= left[k] = s[k]->depth == was[k].depth ? s[k]->active : 0;
    for (unsigned k = 0; k < n && any; k++) {
        s[k]->depth = was[k].depth;
        s[k]->pc = was[k].pc + 1;
        s[k]->active = left[k];
    }
    for (unsigned i = was[0].depth; !any && i-- > 0;) {
        for (unsigned k = 0; k < n; k++)
            any |= simt_at(s[k], i)->mask & s[k]->live;
        run_entry(s, n, i);
    }
}

bool wide_stack_unite(simt *const s[], const simt_mark was[], unsigned n)
{
    bool parked = false;
    const simt_entry *ssy = NULL;

    MUST(n && n <= WIDE_STACK_WARPS);
    for (unsigned k = 0; k < n; k++) {
        MUST(was[k].pc == was[0].pc && was[k].depth == was[0].depth);
        parked = parked || s[k]->depth < was[k].depth ||
                 (s[k]->depth == was[k].depth && s[k]->active != was[k].active);
        if (s[k]->depth > was[k].depth &&
            simt_at(s[k], was[k].depth)->kind == SIMT_SSY)
            ssy = simt_at(s[k], was[k].depth);
    }
    if (ssy)
        return open_region(s, was, n, &(simt_entry){.pc = ssy->pc});
    if (!parked)
        return push_sides(s, was, n);
    pop_together(s, was, n);
    return true;
}

void wide_stack_leave(simt *s)
{
    while (!s->active && s->depth) {
        const simt_entry *e = simt_at(s, --s->depth);

        s->pc = e->pc;
        s->active = e->mask & s->live;
    }
}

bool wide_stack_alike(const simt *a, const simt *b)
{
    if (a->pc != b->pc || a->depth != b->depth)
        return false;
    for (unsigned i = 0; i < a->depth; i++) {
        const simt_entry *p = simt_at((simt *)a, i), *q = simt_at((simt *)b, i);

        if (p->pc != q->pc || p->kind != q->kind)
            return false;
    }
    return true;
}
