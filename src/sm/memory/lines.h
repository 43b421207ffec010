/* src/sm/memory/lines.h - which lines a memory instruction touches, in global
 * and in local memory: its transactions. */
#ifndef SM_MEMORY_LINES_H
#define SM_MEMORY_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "sm/memory/coalesce.h"
#include "sm/memory/lsu.h"
#include "sm/sm.h"

/* Add to s->lsu.txs what a prefetch, a texture fetch, and lanes in local memory
 * touch. */
void sm_lines_prefetch(struct sm *s, const sm_lsu_entry *e);
void sm_lines_texels(struct sm *s, const sm_lsu_entry *e);
void sm_lines_local(struct sm *s, const sm_lsu_entry *e);

static inline bool sm_line_is_local(const sm_tx *t)
{
    return t->line >= SM_LOCAL_BASE && t->line < SM_LOCAL_BASE + SM_LOCAL_BYTES;
}

/* What the line of `t` holds of `e`: words[k] are the lanes whose word k it
 * has, as exec_mem_part takes them; returns where they are. */
enum exec_space sm_lines_words(const struct sm *s, const sm_lsu_entry *e,
                               const sm_tx *t, uint32_t words[4]);

#endif
