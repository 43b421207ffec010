#include "exec/wide_groups.h"

/* Where lanes of the warp run, or go on; UINT32_MAX: none can. */
static uint32_t place_of_lanes(const simt *s)
{
    return s->active ? s->pc : simt_aside(s);
}

/* Lanes of a warp that could go first. */
typedef struct claim {
    uint32_t pc;
    bool waits; /* and lets others of its warp run */
    bool back;  /* before what all have executed */
    unsigned nest;
} claim;

static claim claim_of(const simt *s, uint32_t from, const wide_code *code)
{
    uint32_t pc = place_of_lanes(s);
    wide_place at = code->at(code->code, pc);

    return (claim){.pc = pc,
                   .waits = at.meets && simt_has_more(s),
                   .back = pc <= from,
                   .nest = at.nest};
}

static bool goes_first(const claim *a, const claim *b)
{
    if (a->waits != b->waits)
        return a->waits;
    if (a->nest != b->nest)
        return a->nest > b->nest;
    return a->back == b->back ? a->pc < b->pc : b->back;
}

bool wide_groups_unite(simt *const s[], unsigned n, uint32_t from,
                       const wide_code *code)
{
    claim first = {.pc = UINT32_MAX};

    for (unsigned k = 0; k < n; k++) {
        if (!s[k]->live)
            continue;
        if (place_of_lanes(s[k]) == UINT32_MAX)
            return false;
        claim c = claim_of(s[k], from, code);
        if (first.pc == UINT32_MAX || goes_first(&c, &first))
            first = c;
    }
    for (unsigned k = 0; k < n && first.pc != UINT32_MAX; k++) {
        if (place_of_lanes(s[k]) == first.pc)
            wide_groups_leave(s[k]);
        else if (s[k]->active)
            simt_stand_aside(s[k], first.pc);
        else
            s[k]->pc = first.pc;
    }
    return true;
}

void wide_groups_leave(simt *s)
{
    if (simt_aside(s) != UINT32_MAX)
        simt_come_back(s);
}

bool wide_groups_alike(const simt *a, const simt *b)
{
    if (a->pc != b->pc || a->depth != b->depth)
        return false;
    for (unsigned i = 0; i < a->depth; i++)
        if (a->entry[i].pc != b->entry[i].pc ||
            a->entry[i].kind != b->entry[i].kind ||
            a->entry[i].bar != b->entry[i].bar)
            return false;
    return true;
}
