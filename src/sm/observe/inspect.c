#include "sm/observe/inspect.h"

#include "sm/state.h"

const char *const sm_why_help[WHY_COUNT] = {
#define STALL(id, name, where, help) [WHY_##id] = help,
#include "sm/stall.def"
#undef STALL
    [WHY_READY] = "ready: waiting for its turn",
};

uint64_t sm_resident(const sm *s) { return s->resident; }

unsigned sm_resident_ctas(const sm *s) { return s->ctas.count; }

/* A branch has set the pc, and lanes that wait for others stand where they
 * are; whoever else waits inside of an instruction is behind it. */
static uint32_t place_of(const sm *s, unsigned slot)
{
    sm_why why = (sm_why)s->warp[slot].why;
    uint32_t pc = s->x[slot].simt.pc;

    if (why == WHY_BARRIER)
        return s->bar[slot].pc;
    if (pc && (why == WHY_FENCE || why == WHY_SLEEP || why == WHY_REGISTERS ||
               why == WHY_DEPENDENT))
        return pc - 1;
    return pc;
}

sm_warp_state sm_inspect(const sm *s, unsigned slot)
{
    const sm_warp *p = &s->warp[slot];

    return (sm_warp_state){.x = &s->x[slot],
                           .why = (sm_why)p->why,
                           .launch = p->grid,
                           .life = p->life,
                           .pc = place_of(s, slot),
                           .loads = p->loads,
                           .stores = p->stores,
                           .queued = p->queued};
}

bool sm_is_let_go(const sm *s, unsigned slot)
{
    const sm_cta *c = &s->ctas.cta[s->warp[slot].cta];
    unsigned number = s->bar[slot].number;

    if (s->warp[slot].why != WHY_BARRIER)
        return false;
    if (number == EXEC_CGA_BARRIER)
        return !(c->at_cga.waiting >> slot & 1);
    return number < s->cfg->sm.barriers &&
           !(c->barrier[number].waiting >> slot & 1);
}
