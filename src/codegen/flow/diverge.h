/* src/codegen/flow/diverge.h - where the lanes of a warp may part and where
 * they meet again. Results live in the arena given, borrow nothing. */
#ifndef CODEGEN_FLOW_DIVERGE_H
#define CODEGEN_FLOW_DIVERGE_H

#include "codegen/ir/defuse.h"

/* By block: where all paths from it come together that do not end the thread
 * before, the last block of a loop without end among these places; GRAPH_NONE
 * if there is none. Ends of threads do not count: no lane waits for lanes that
 * have ended. */
uint32_t *cg_meeting_points(arena *a, const graph *g);

/* By block: where the ways that stay in the innermost loop around it come
 * together; its header, if only there; GRAPH_NONE outside of loops. */
uint32_t *cg_meeting_points_in_loops(arena *a, const graph *g,
                                     const graph_loops *loops);

/* Successors of block i from which its meeting point can be reached, without
 * duplicates; their number. */
uint32_t cg_ways(const graph *g, const uint32_t *meet, uint32_t i,
                 uint32_t *out);

/* Blocks on the paths from the successors of i to `end` (may be GRAPH_NONE),
 * without `end` itself and blocks that have this stamp already: stamps them,
 * writes them to list[] and returns their number. */
uint32_t cg_between(const graph *g, uint32_t i, uint32_t end, uint32_t *stamps,
                    uint32_t stamp, uint32_t *list);

/* Gives lanes different values even if its operands are the same for all. */
bool cg_varies(const cg_inst *in);

#endif
