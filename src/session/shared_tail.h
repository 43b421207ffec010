/* src/session/shared_tail.h - messages of a program that are not sent yet:
 * bytes in memory that both sides of a session map. Thousands of tiny messages
 * then cost no system call, and none is lost when the program dies between two.
 * One writer; the other side reads it when nothing more comes through the
 * connection. Beside them is a flag that the other side sets for the writer.
 * Owns a mapping. */
#ifndef SESSION_SHARED_TAIL_H
#define SESSION_SHARED_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct shared_tail shared_tail;

/* The program's side; *fd is to be sent to the other side and closed. NULL:
 * there can be none. */
shared_tail *shared_tail_new(int *fd);
/* The other side's; `fd` stays the caller's. NULL: it is no such memory. */
shared_tail *shared_tail_open(int fd);
void shared_tail_free(shared_tail *t); /* NULL is fine */

bool shared_tail_put(shared_tail *t, const void *bytes,
                     size_t n); /* false: no room */
/* What was put and not sent. */
const char *shared_tail_bytes(const shared_tail *t, size_t *n);
/* All that was put and `more` bytes behind it have been sent. */
void shared_tail_sent(shared_tail *t, size_t more);

/* Of the other side: something has been asked. */
void shared_tail_ask(shared_tail *t);
/* Has it, since it was forgotten? */
bool shared_tail_asked(const shared_tail *t);
void shared_tail_forget(shared_tail *t);

/* What has not come of all that was put, after `received` bytes; returns the
 * number of bytes. */
size_t shared_tail_rest(const shared_tail *t, uint64_t received,
                        const char **bytes);

#endif
