/* src/driver/checkpoint_program.h - whether a program is the same as another:
 * its file, its arguments, its data. */
#ifndef DRIVER_CHECKPOINT_PROGRAM_H
#define DRIVER_CHECKPOINT_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Of this process: the last part of the name of its file, a hash of what is in
 * that, and what follows the name on its command line, with blanks between. */
char *program_name(arena *mem);
uint64_t program_hash(void);
char *program_arguments(arena *mem);

/* Of data of the program's. Words that are addresses of its own do not count:
 * these are not the same each time, and mean nothing to a GPU. */
uint64_t program_data_hash(const void *data, size_t size, uint64_t seed);

#endif
