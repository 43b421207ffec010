/* src/exec/sem/access.h - what bodies of memory operations share. */
#ifndef EXEC_SEM_ACCESS_H
#define EXEC_SEM_ACCESS_H

#include "exec/sem/sem.h"

#define sem_begin_access SEM_LEVEL(sem_begin_access)
#define sem_addresses    SEM_LEVEL(sem_addresses)

/* Code of real GPUs from 9.0 on has the rank of a CTA in its cluster in the top
 * byte of all addresses of shared memory, its own as well; ours counts from 1
 * there, and 0 is the CTA itself (exec/remote.h). */
static inline bool sem_has_ranks(const exec_launch *l)
{
    return l->cga[0] && l->kernel->bank0 != BANK0_OWN &&
           (uint64_t)l->cga[0] * l->cga[1] * l->cga[2] > 1;
}

/* Words of source `src` of all lanes. */
static inline void sem_take_words(sem *x, unsigned src, unsigned words,
                                  uint32_t (*to)[ISA_WARP])
{
    unsigned reg = x->in->src[src];

    if (reg == ISA_RZ)
        memset(to, 0, words * sizeof *to);
    else
        memcpy(to, sem_reg(x, reg), words * sizeof *to);
}

/* An access of `size` bytes by each lane of `x`, in x->mem; its lanes are not
 * yet sorted by space. */
void sem_begin_access(sem *x, unsigned size);

/* The addresses alone. */
void sem_addresses(sem *x, uint64_t at[ISA_WARP]);

#endif
