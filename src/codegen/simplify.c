/* src/codegen/simplify.c - the passes that make code smaller, in turn. */
#include "codegen/pass.h"

enum { ROUNDS = 12 };

void cg_simplify(cg_func *f)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        arena *a = arena_new();
        bool changed;

        MUST(a);
        cg_clean_cfg(f);
        changed = cg_propagate(cg_defuse_new(a, f));
        changed |= cg_eliminate(f);
        arena_free(a);
        if (!changed)
            break;
    }
}
