/* src/driver/checkpoint.h - checkpoints of programs: --checkpoint-after writes
 * one, --resume goes on from one (docs/checkpoints.md).
 *
 * A process cannot be kept, so the program is run again from its beginning, and
 * does what it did, as it sees what it saw. Until it comes to the checkpoint
 * its launches are not performed: what they wrote, printed and took comes from
 * the file, at the moment at which the program may look at it. All that it does
 * is compared with what it did then; where it does otherwise its process ends
 * with a sentence.
 *
 * Meanwhile commands run one at a time, in the calls that flush them or wait:
 * no thread of the driver's beside those of the program.
 *
 * Part of the process's state, like drv. It has a lock of its own; functions
 * are called with the lock or with the machine lock, if not said otherwise.
 * Where there is no checkpoint they do nothing. */
#ifndef DRIVER_CHECKPOINT_H
#define DRIVER_CHECKPOINT_H

#include "driver/kernel_command.h"

/* ---- The process ---- */

/* When there is memory but no device. Does not return if it is no process for
 * which the checkpoint is. False: one error is in `dg`. */
bool checkpoint_begin(diag *dg);
/* Is one to be written, or has the program not come to it yet? */
bool checkpoint_writes(void);
bool checkpoint_reads(void);
bool checkpoint_active(void); /* either */
/* With the lock, after each launch: the process ends if the checkpoint has been
 * written, or cannot be. */
void checkpoint_settle(void);
/* The program ends: does not return if it has not come to the checkpoint. */
void checkpoint_end(void);
/* After a fork, in the child, which may launch nothing. */
void checkpoint_forget(void);

/* ---- Commands ---- */

/* Around a command's run. */
void checkpoint_runs(const drv_command *c);
void checkpoint_ran(drv_command *c);

/* The launch has ended, while one is written; what it printed, and how long it
 * took. */
typedef struct checkpoint_launch {
    status is;
    const exec_line *lines;
    size_t line_count;
    uint64_t duration_ns;
} checkpoint_launch;
void checkpoint_launched(const drv_launch *l, const checkpoint_launch *is);
/* In place of performing a launch that is before the checkpoint: what it did is
 * done, its duration set. */
void checkpoint_performs(drv_launch *l);

/* ---- Memory: what doors tell ---- */

/* A side of a move: a box of bytes of which rows are `row` and slices `slice`
 * bytes apart, in simulated memory or the program's; or texels, `bytes` NULL,
 * in the allocation that holds `addr`. */
typedef struct drv_box {
    const uint8_t *bytes;
    uint64_t row, slice;
    uint64_t addr;
} drv_box;

/* From the run of a command that `tells`: it is about to move bytes, or, if
 * both sides are the same place, to show them to the program. */
void drv_moves(const drv_box *from, const drv_box *to, uint64_t width,
               uint64_t height, uint64_t depth);
/* It has filled these bytes. */
void drv_fills(const uint8_t *bytes, uint64_t size);
/* The program sees this memory without a call from now on. */
void drv_shares(uint64_t addr, uint64_t bytes);
/* So it does, as it is its own memory, whose first byte is byte `in_page` of a
 * page at either address. */
void drv_pins(uint64_t addr, uint64_t bytes, uint64_t in_page);
/* Memory that was mapped there goes elsewhere, with what is in it. */
void drv_unmaps(uint64_t addr, uint64_t bytes);
/* It begins and ends. */
void checkpoint_took(uint64_t addr, uint64_t bytes);
void checkpoint_gave(uint64_t addr, uint64_t bytes);
/* The program does what checkpoints cannot have; the sentence goes on behind
 * "the program". */
void drv_no_checkpoint(const char *does);

#endif
