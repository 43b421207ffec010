/* src/replay/unpack.h - takes compressed text apart, as it comes. */
#ifndef REPLAY_UNPACK_H
#define REPLAY_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

typedef struct replay_unpack replay_unpack;

/* For a file that begins with these bytes; NULL: it is not compressed, or
 * cannot be read, then *why says so. */
replay_unpack *replay_unpack_new(const uint8_t *head, size_t size,
                                 const char **why);
void replay_unpack_free(replay_unpack *u); /* NULL is fine */

/* Appends what becomes of the next bytes, no more than some at a time; returns
 * how many of them were used. No bytes: none will come; to be called until
 * nothing is appended. *why is set if they are damaged. */
size_t replay_unpack_some(replay_unpack *u, const uint8_t *data, size_t size,
                          strbuf *to, const char **why);
/* All that has begun has ended. */
bool replay_unpack_ended(const replay_unpack *u);

#endif
