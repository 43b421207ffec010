/* src/sm/memory/lsu_impl.h - what the source files of the load and store unit
 * share. */
#ifndef SM_MEMORY_LSU_IMPL_H
#define SM_MEMORY_LSU_IMPL_H

#include "isa/isa.h"
#include "sm/memory/lsu.h"

static inline bool is_atomic(const sm_lsu_entry *e)
{
    return e->inst->in->flags & ISA_F_ATOMIC;
}

static inline bool is_plain_load(const sm_lsu_entry *e)
{
    return (e->inst->in->flags & (ISA_F_LOAD | ISA_F_STORE | ISA_F_ATOMIC)) ==
           ISA_F_LOAD;
}

static inline bool is_copy(const sm_lsu_entry *e)
{
    return e->inst->flags & INST_COPY;
}

/* The part of the head, which starts, in shared memory: occupies the unit for
 * its passes; returns the cycle in which the result is visible to issue. */
uint64_t sm_lsu_shared(struct sm *s, const sm_lsu_entry *e);

#endif
