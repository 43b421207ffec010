/* src/exec/simt.h - which lanes of a warp run where.
 * Fermi and Kepler: a stack of (pc, mask), pushed by SSY and by branches that
 * diverge, popped by SYNC. Volta and later: up to 32 groups of lanes with
 * their own pc that meet again at convergence barriers (BSSY, BSYNC).
 * Plain data, owned by its warp. */
#ifndef EXEC_SIMT_H
#define EXEC_SIMT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum { SIMT_DEPTH = 48, SIMT_GROUPS = 32 };

typedef struct simt_entry { /* stack entry, or a group that is not running */
    uint32_t pc;
    uint32_t mask;
    uint8_t kind; /* stack: see simt.c; group: state */
    uint8_t bar;  /* group: barrier it waits at */
} simt_entry;

typedef struct simt {
    uint32_t pc;      /* next instruction of the running lanes */
    uint32_t active;  /* running lanes; 0: none can run, or all exited */
    uint32_t live;    /* lanes that have not exited */
    uint32_t back;    /* taken backward branches since the last switch */
    uint8_t depth;    /* entries in use */
    uint8_t arch;     /* isa_arch */
    simt_entry entry[SIMT_DEPTH];
    uint32_t barrier[ISA_BARRIERS]; /* Volta: lanes that take part in Bn */
} simt;

void simt_start(simt *s, isa_arch arch, uint32_t lanes);

/* Lanes `taken` (a subset of active) go to `target`, the others on to pc+1. */
void simt_branch(simt *s, uint32_t taken, uint32_t target);
/* Lane l of `lanes` goes to target[l]; the others on. False: too deep. */
bool simt_branch_indirect(simt *s, uint32_t lanes,
                          const uint32_t target[ISA_WARP]);
void simt_next(simt *s);                       /* pc + 1 */
void simt_exit(simt *s, uint32_t lanes);       /* lanes end; others go on */
void simt_ssy(simt *s, uint32_t target);       /* and on to pc+1 */
void simt_sync(simt *s);
void simt_bssy(simt *s, unsigned bar);         /* and on to pc+1 */
void simt_bsync(simt *s, unsigned bar);
void simt_break(simt *s, unsigned bar, uint32_t lanes);
void simt_warpsync(simt *s, uint32_t mask);    /* waits for lanes of mask */
void simt_yield(simt *s);

#endif
