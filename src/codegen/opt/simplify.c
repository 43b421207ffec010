/* src/codegen/opt/simplify.c - the passes that make code smaller, in turn. */
#include "codegen/ir/pass.h"

enum { ROUNDS = 12 };

/* One round with a new def-use snapshot; each pass keeps valid what the next
 * needs. */
static bool once(cg_func *f, bool share)
{
    arena *a = arena_new();
    cg_defuse *d;
    bool changed;

    cg_clean_cfg(f);
    d = cg_defuse_new(a, f);
    changed = cg_propagate(d);
    changed |= share ? cg_share(d) : cg_combine(d);
    changed |= cg_eliminate(f);
    arena_free(a);
    return changed;
}

void cg_simplify(cg_func *f)
{
    unsigned round = 0;

    while (round++ < ROUNDS && once(f, false))
        ;
    once(f, true);
    while (round++ < ROUNDS && once(f, false))
        ;
}
