/* src/exec/remote.h - distributed shared memory: accesses to the shared memory
 * of other CTAs of a thread-block cluster (exec/cga.h).
 *
 * Its generic addresses follow the window of a CTA's own: MEM_WINDOW_BYTES for
 * each rank, from rank 0 on. The lanes of an access that lie there are
 * EXEC_REMOTE; their exec_mem.addr is (rank + 1) << 24 | offset. All lanes for
 * one CTA travel together, as one exec_remote, and are performed where that CTA
 * is. */
#ifndef EXEC_REMOTE_H
#define EXEC_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/cga.h"
#include "exec/exec.h"
#include "mem/port.h"

enum { EXEC_REMOTE_SHIFT = 24 }; /* of rank + 1 in an address */

typedef struct exec_remote {
    exec_mem m;         /* its lanes, at offsets in the CTA's shared memory */
    mem_atom atom;      /* if it is an atomic */
    exec_fault fault;   /* kind: FAULT_NONE until it fails */
    uint32_t cga, rank; /* serial of the cluster, and the CTA in it */
    uint32_t from;      /* rank of the CTA that asks */
    struct exec_remote *next; /* for the owner */
} exec_remote;

/* Is the access of the remote lanes good, as far as can be said without their
 * CTAs? False: *fault is filled. */
bool exec_remote_check(const exec_warp *w, const exec_mem *m,
                       exec_fault *fault);

/* CTAs that they are in, a bit of each rank. */
uint32_t exec_remote_ranks(const exec_mem *m);
/* Takes the lanes of one of them. */
void exec_remote_pack(const exec_warp *w, const exec_mem *m, unsigned rank,
                      exec_remote *r);
/* In the shared memory of `c`; NULL: that CTA has ended, r->fault says so. */
void exec_remote_perform(exec_remote *r, exec_cta *c);
/* Writes what came back to the destination registers. */
void exec_remote_unpack(exec_warp *w, const exec_remote *r);

/* All of that at once, without timing. */
bool exec_remote_at_once(exec_warp *w, exec_mem *m, exec_fault *fault);

#endif
