#include "sm/memory/turn.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sm/memory/lines.h"
#include "sm/state.h"

struct sm_turn {
    mem_turn turn; /* first */
    sm_turns *home;
    sm_turn *next;  /* of the free ones */
    sm_turn *older; /* of all */
    exec_warp *warp;
    mem_view *view;
    const uint16_t *life; /* of the warp slot, */
    uint16_t was;         /* as it issued */
    enum exec_space space;
    uint32_t words[4];
    exec_mem m;
};

void sm_turns_fini(sm_turns *t)
{
    while (t->all) {
        sm_turn *older = t->all->older;

        free(t->all);
        t->all = older;
    }
}

bool sm_turn_is(const sm *s, const sm_lsu_entry *e)
{
    const isa_inst *in = e->inst->in;

    return s->lsu.turns.wanted && (in->flags & (ISA_F_LOAD | ISA_F_STORE)) &&
           !(in->flags & ISA_F_ATOMIC) && in->op != ISA_PRINT &&
           !exec_is_fetch(in) && !(s->port.to_ro && e->inst->texture) &&
           (e->m->space[EXEC_GLOBAL] || e->m->space[EXEC_LOCAL]);
}

bool sm_turn_waits(const sm *s, const sm_lsu_entry *e)
{
    return s->lsu.turns.waiting && e->inst->in->op == ISA_PRINT;
}

static void give_turn(sm_turn *t)
{
    t->next = t->home->free;
    t->home->free = t;
    t->home->waiting--;
}

/* Local memory of a warp that has ended is another's. */
static void take_turn(mem_turn *turn)
{
    sm_turn *t = (sm_turn *)turn;

    if (t->space == EXEC_GLOBAL || *t->life == t->was)
        exec_mem_part(t->warp, &t->m, t->space, t->words, t->view);
    give_turn(t);
}

mem_turn *sm_turn_new(sm *s, const sm_lsu_entry *e, const sm_tx *x)
{
    sm_turns *home = &s->lsu.turns;
    sm_turn *t = home->free;

    if (!sm_turn_is(s, e))
        return NULL;
    if (t) {
        home->free = t->next;
    } else {
        t = new_array(1, sizeof *t);
        t->older = home->all;
        home->all = t;
    }
    home->waiting++;
    t->turn.take = take_turn;
    t->home = home;
    t->warp = &s->x[e->warp];
    t->view = s->view;
    t->life = &s->warp[e->warp].life;
    t->was = *t->life;
    t->m = *e->m;
    t->space = sm_lines_words(s, e, x, t->words);
    return &t->turn;
}

void sm_turn_drop(mem_turn *t)
{
    if (t)
        give_turn((sm_turn *)t);
}
