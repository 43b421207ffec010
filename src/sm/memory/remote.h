/* src/sm/memory/remote.h - accesses to the shared memory of other CTAs of a
 * thread-block cluster (exec/remote.h). The lanes of an instruction that are
 * for one CTA leave as one request, behind its other transactions; the SM of
 * that CTA performs it when its shared memory is free, as if it were an
 * instruction of its own, and replies. Requests and replies have networks of
 * their own, so that neither can wait for the other.
 *
 * Owns the requests of this SM; those of others are borrowed until the reply.
 * NULL until the first CTA of a cluster comes: nobody asks an SM before. */
#ifndef SM_MEMORY_REMOTE_H
#define SM_MEMORY_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/remote.h"
#include "mem/port.h"

struct sm;
struct sm_lsu_entry;
typedef struct sm_remote sm_remote;

sm_remote *sm_remote_new(void);
void sm_remote_free(sm_remote *r); /* NULL is fine */

/* Sends the next of those that the head of the load unit's queue has yet to
 * make. False: it has to wait. */
bool sm_remote_send(struct sm *s, const struct sm_lsu_entry *e);

/* Takes replies; then what other SMs ask for, if the shared memory is free. */
void sm_remote_replies(struct sm *s);
void sm_remote_serve(struct sm *s);

/* Something is to be done in this cycle that changes more than transactions. */
bool sm_remote_busy(const struct sm *s);
/* The next cycle behind `now` with work that no message brings. */
uint64_t sm_remote_when(const struct sm *s, uint64_t now);

#endif
