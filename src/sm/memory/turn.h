/* src/sm/memory/turn.h - accesses whose lines take effect when the L1 performs
 * their requests, not when the load and store unit begins with them:
 * l1.values=turn. So what a load finds depends on the order that the queues in
 * front of the L1 make. Owns what is under way; borrows warps and view. Meant
 * for tests: memory of the host is taken as it is needed. */
#ifndef SM_MEMORY_TURN_H
#define SM_MEMORY_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "mem/port.h"
#include "sm/memory/coalesce.h"

struct sm;
struct sm_lsu_entry;

typedef struct sm_turn sm_turn;

typedef struct sm_turns {
    bool wanted;
    uint32_t waiting;    /* lines that have not taken effect */
    sm_turn *free, *all; /* all: those under way, too */
} sm_turns;

void sm_turns_fini(sm_turns *t);

/* True if the lines of `e` take effect when the L1 performs them: plain loads,
 * stores and copies that go there. */
bool sm_turn_is(const struct sm *s, const struct sm_lsu_entry *e);

/* True if `e` reads what the others may still have to write, at its start. */
bool sm_turn_waits(const struct sm *s, const struct sm_lsu_entry *e);

/* That of a line of `e`, to go with its request; NULL: others than
 * sm_turn_is. Lost if it is not sent: sm_turn_drop. */
mem_turn *sm_turn_new(struct sm *s, const struct sm_lsu_entry *e,
                      const sm_tx *t);
void sm_turn_drop(mem_turn *t); /* NULL is fine */

#endif
