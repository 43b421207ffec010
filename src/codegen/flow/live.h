/* src/codegen/flow/live.h - which words are live where blocks begin and end.
 * Lives in the arena given, borrows the function. */
#ifndef CODEGEN_FLOW_LIVE_H
#define CODEGEN_FLOW_LIVE_H

#include "codegen/ir/defuse.h"

/* Lists, not bit sets: in a large function few words are live at a place. */
typedef struct cg_words {
    uint32_t *word; /* ascending */
    uint32_t n;
} cg_words;

typedef struct cg_live {
    cg_func *f;
    cg_words *in, *out; /* by block */
    bool *whole;        /* words that a guarded definition writes for good */
} cg_live;

cg_live *cg_live_new(arena *a, cg_func *f);

/* Calls back for each word that `in` reads, or writes. `kills`: nothing of
 * the old value remains. */
typedef void cg_word_fn(void *arg, uint32_t word);
void cg_each_use(const cg_func *f, const cg_inst *in, cg_word_fn *fn,
                 void *arg);
void cg_each_def(const cg_func *f, const cg_inst *in, cg_word_fn *fn,
                 void *arg);
static inline bool cg_kills(const cg_live *l, const cg_inst *in, uint32_t word)
{
    return !in->guard.reg || l->whole[word];
}

#endif
