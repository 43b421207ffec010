/* src/replay/tracez.h - Accel-Sim's container of a trace (.tracez)
 * [ACCELSIM:tracez_format]: the header as text, a dictionary of zstd, the lines
 * of each warp in pieces compressed with it, and at the end a list of where
 * they are. Handed out as the text that it was made from. Borrows the file. */
#ifndef REPLAY_TRACEZ_H
#define REPLAY_TRACEZ_H

#include <stdbool.h>
#include <stdio.h>

#include "base/strbuf.h"

typedef struct tracez tracez;

bool tracez_is(const char *path); /* by its name */

/* NULL: *why is what is wrong with it. */
tracez *tracez_new(FILE *file, const char **why);
void tracez_free(tracez *z); /* NULL is fine */

/* Appends more of the text, a piece at a time. False: there is no more, or *why
 * is set. */
bool tracez_more(tracez *z, strbuf *to, const char **why);

#endif
