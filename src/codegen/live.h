/* src/codegen/live.h - which words are live where blocks begin and end.
 * Lives in the arena given, borrows the function. */
#ifndef CODEGEN_LIVE_H
#define CODEGEN_LIVE_H

#include "codegen/defuse.h"

typedef struct cg_live {
    cg_func *f;
    uint32_t nwords;
    uint32_t size; /* of a set, in uint64_t */
    uint64_t **in; /* by block */
    uint64_t **out;
    bool *whole; /* words that a guarded definition writes for good */
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

static inline bool cg_bit(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}
static inline void cg_bit_set(uint64_t *set, uint32_t i)
{
    set[i / 64] |= 1ull << (i % 64);
}
static inline void cg_bit_clear(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~(1ull << (i % 64));
}

#endif
