/* src/replay/warps.h - a kernel of a trace as the timing model runs it: the
 * code that its lines name, and the front (exec/front.h) that hands the lines
 * to the warps. Owns the program; borrows the trace. */
#ifndef REPLAY_WARPS_H
#define REPLAY_WARPS_H

#include "exec/front.h"
#include "replay/kernel_trace.h"

typedef struct replay_warps replay_warps;

/* For a GPU of family `arch`, Volta or later. */
replay_warps *replay_warps_new(kernel_trace *k, isa_arch arch);
void replay_warps_free(replay_warps *r); /* NULL is fine */

/* The program, with the one kernel; the caller owns it from now on, and it must
 * outlive the replay. To be called once. */
isa_program *replay_warps_program(replay_warps *r);
exec_front *replay_warps_front(replay_warps *r);

/* Where memory of the device is in the replay. */
uint64_t replay_address(uint64_t addr);

/* A CTA could not be read from the temporary file: its warps have ended at
 * once. */
bool replay_warps_failed(replay_warps *r);

#endif
