/* src/codegen/flow/wait.h - loops in which lanes wait for what other threads
 * write: for a lock, a flag, their turn.
 *
 * If lanes that leave such a loop met the others right behind it, a lane that
 * has got a lock would wait there for lanes that want it, and none would go on.
 * So they meet behind the writes that may end the others' wait
 * [MICRO16:simt-deadlock], and the lanes that leave run first. Results live in
 * the arena given. */
#ifndef CODEGEN_FLOW_WAIT_H
#define CODEGEN_FLOW_WAIT_H

#include "codegen/ir/defuse.h"

/* A pass before lanes are made to meet: cuts blocks behind the writes that may
 * end a wait, lets lanes that leave a waiting loop, or go around it, run before
 * lanes that stay in it (cg_inst.ordered), and from Volta on marks edges back
 * as yielding (YIELD). */
void cg_prepare_waits(cg_func *f);

/* Moves meeting points (cg_meeting_points) behind the writes that may end the
 * wait of lanes inside. asunder[]: by block; true where lanes may come one
 * after another since then, so that what they load may differ. */
void cg_delay_meetings(arena *a, const cg_defuse *d, const graph_loops *loops,
                       uint32_t *meet, bool *asunder);

#endif
