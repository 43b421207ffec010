/* src/exec/spin.h - does a warp spin? An observer follows what one warp does,
 * from any moment on, and can then say whether it goes round in circles.
 *
 * It keeps the state of the warp at some branch back (registers, predicates,
 * divergence) and compares that with later ones: after 1, 2, 4, ... branches
 * back it takes the newer state instead, so that it finds a loop of any length
 * (Brent). Two equal states between which the warp has changed no memory, read
 * no clock, printed nothing and passed no barrier make a circle: unless another
 * warp writes what it reads it goes on for ever, whatever the timing is.
 * Registers that decide nothing - no branch, no address, nothing that is stored
 * - may differ: the loop counts its rounds.
 *
 * A warp that waits but counts down, or looks at a clock, is no circle. It
 * `polls` if it has changed no memory, found the same values at the same
 * addresses each time, and a branch of the loop depends on these values alone.
 *
 * Owns its copies; borrows the warp during calls. */
#ifndef EXEC_SPIN_H
#define EXEC_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "exec/slice.h"

enum { SPIN_POLLS = 8 };

typedef enum exec_round {
    ROUND_NONE,   /* it makes progress, or it is too early to decide */
    ROUND_POLLS,  /* it waits for memory to change */
    ROUND_CIRCLE, /* and nothing else can end that */
} exec_round;

/* Lanes of one instruction and what they found. */
typedef struct exec_poll {
    uint32_t pc, lanes;
    uint32_t shared; /* of the lanes: offsets in shared memory */
    uint32_t size;
    uint32_t times;
    bool atomic;
    bool decides; /* a branch depends on it; set by exec_spin_round */
    uint64_t addr[ISA_WARP];
    uint64_t value[ISA_WARP]; /* the lowest 8 bytes */
} exec_poll;

typedef struct exec_mark exec_mark; /* a state of the warp */

typedef struct exec_spin {
    exec_mark *mark;  /* NULL: none yet */
    bool marked;      /* it holds */
    bool changed;     /* something happened since the last branch back */
    bool circle;      /* was found, and nothing has happened since */
    bool ran;         /* the warp has executed something, */
    bool ended;       /* or ended */
    uint32_t rounds;  /* branches back since something happened, */
    uint32_t steps;   /* since the mark, */
    uint32_t limit;   /* and after how many it is renewed */
    uint64_t quiet;   /* since when nothing has happened */
    uint32_t *seen;   /* instructions executed since the mark, a bit each */
    bool stands;      /* at the mark's place, at the last branch back, */
    exec_regs differ; /* but for these */
    bool decided;     /* exec_poll.decides is that of the mark before */
    exec_poll *poll;  /* SPIN_POLLS of them, with the mark */
    unsigned polls;
} exec_spin;

void exec_spin_begin(exec_spin *s, uint64_t now);
void exec_spin_end(exec_spin *s); /* frees what it owns */

/* `w` has executed the instruction at `pc`, with result `r`. */
void exec_spin_step(exec_spin *s, const exec_warp *w, uint32_t pc,
                    exec_result r, uint64_t now);

/* Around exec_mem_perform in `spaces`: a store that is about to happen, and
 * what a load or an atomic has read. */
void exec_spin_before(exec_spin *s, const exec_warp *w, const exec_mem *m,
                      unsigned spaces, const mem_view *view, uint64_t now);
void exec_spin_after(exec_spin *s, const exec_warp *w, const exec_mem *m,
                     unsigned spaces, uint64_t now);

/* An atomic of global memory, by instruction `pc`, was performed elsewhere. */
void exec_spin_atom(exec_spin *s, const exec_warp *w, uint32_t pc,
                    const mem_atom *a, uint64_t now);

/* The verdict so far; fills in exec_poll.decides. */
exec_round exec_spin_round(exec_spin *s, const exec_warp *w);

#endif
