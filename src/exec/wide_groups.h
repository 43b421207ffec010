/* src/exec/wide_groups.h - warps of Volta that run the same instructions
 * together, as if they were one wide warp.
 *
 * Their lanes have program counters of their own, so nothing has to be shared
 * but the one that is fetched: each warp keeps the groups that it has, and the
 * order in which they run. Where the groups that run now stand at different
 * instructions, those go on that wait next (at a BSYNC) for others of their
 * warp, as these can run then; else those in most regions of lanes that meet
 * again; of these the first behind the instruction that all have executed, as
 * what lies before it is mostly the head of a loop. The others stand aside
 * (simt_stand_aside) until the ones that go on come to where they are, as
 * between the sides of a branch [FRONTIERS]. Leaving out the instructions that
 * a warp runs without lanes, it runs those that it would run alone, with the
 * same lanes in the same order. */
#ifndef EXEC_WIDE_GROUPS_H
#define EXEC_WIDE_GROUPS_H

#include "exec/simt.h"

/* What an instruction is. */
typedef struct wide_place {
    unsigned nest; /* in so many regions, from BSSY to BSYNC */
    bool meets;    /* it is a BSYNC */
} wide_place;

typedef struct wide_code {
    wide_place (*at)(const void *code, uint32_t pc);
    const void *code;
} wide_code;

/* `n` warps that have executed the instruction at `from` go on at one program
 * counter, which they have then, with or without active lanes. False, and
 * nothing has changed: no lane of one of them can run.
 */
bool wide_groups_unite(simt *const s[], unsigned n, uint32_t from,
                       const wide_code *code);

/* The warp goes on alone: to where it has lanes. */
void wide_groups_leave(simt *s);

/* Do both stand at the same place, with groups that stand at the same places
 * and wait for the same? */
bool wide_groups_alike(const simt *a, const simt *b);

#endif
