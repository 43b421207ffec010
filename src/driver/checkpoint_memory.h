/* src/driver/checkpoint_memory.h - what of simulated memory is in a checkpoint.
 *
 * Copies, fills and the program's own stores are made again when the program is
 * run again; kernels are not. So it has the lines that kernels wrote: of memory
 * that the program sees without a call, *shared*, after each launch; of other
 * memory when a command is about to show it to the program, and what is left
 * then at the end. Lines that nobody looks at before that are written once. */
#ifndef DRIVER_CHECKPOINT_MEMORY_H
#define DRIVER_CHECKPOINT_MEMORY_H

#include "driver/driver.h"
#include "session/checkpoint_file.h"

typedef struct checkpoint_memory checkpoint_memory;

/* `notes`: lines that are written are noted; before there are devices. */
checkpoint_memory *checkpoint_memory_new(bool notes);
void checkpoint_memory_free(checkpoint_memory *m); /* NULL is fine */

void checkpoint_share(checkpoint_memory *m, uint64_t addr, uint64_t bytes);
bool checkpoint_shared(const checkpoint_memory *m, uint64_t addr);
/* There is no such memory any more, shared or not. */
void checkpoint_unshare(checkpoint_memory *m, uint64_t addr, uint64_t bytes);

/* As if a kernel had written it. */
void checkpoint_wrote(checkpoint_memory *m, uint64_t addr, uint64_t bytes);

/* Puts the noted lines there; of shared memory, those noted since the last such
 * call. */
void checkpoint_put_lines(checkpoint_memory *m, checkpoint_out *to,
                          uint64_t addr, uint64_t bytes);
void checkpoint_put_shared(checkpoint_memory *m, checkpoint_out *to);
/* Writes what one call of these has put to where it belongs. False: the stream
 * has no such thing. */
bool checkpoint_get_lines(checkpoint_in *from);

#endif
