/* src/exec/simt.h - which lanes of a warp run where.
 *
 * Fermi and Kepler: a stack of (pc, mask). SSY pushes where the active lanes
 * meet again; a branch that diverges pushes the taken side and goes on with
 * the other. SYNC parks the active lanes and pops: the side that still has to
 * run, or, at the SSY entry, all its lanes at its target. So SSY and SYNC must
 * nest: what a region pushes, it pops.
 *
 * Volta and later: up to 32 groups of lanes with their own pc. BSSY notes the
 * active lanes as participants of Bn; BSYNC waits until all of them that still
 * live have come, then lanes with the same pc run on as one group. Between
 * groups that can run the warp changes when the running one waits or ends, at
 * YIELD, and after SIMT_BACK taken backward branches, so that no group starves
 * another. Lanes that wait at a convergence barrier for lanes that spin (on a
 * lock the waiting ones hold) are let through without them: a barrier is clear
 * when all participants wait at it or have yielded [US10067768:claim-1], here
 * SIMT_YIELDS times in a loop that none of the group has left meanwhile. Where
 * no YIELD stands in the loop that takes SIMT_SPINS backward branches.
 * So are lanes there that others wait for at a WARPSYNC, if nothing else can
 * run. A divergent branch keeps running the lanes that fall through, in both.
 *
 * Plain data, owned by its warp. */
#ifndef EXEC_SIMT_H
#define EXEC_SIMT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum {
    SIMT_NEAR = 128, /* 31 divergences, the rest for nested SSY */
    SIMT_DEEP = 896, /* more: recursion nests deeper than any source code */
    SIMT_GROUPS = 32,
    SIMT_BACK = 32,       /* [guess] */
    SIMT_YIELDS = 2,      /* [guess] */
    SIMT_SPINS = 1 << 20, /* [guess] */
};

typedef struct simt_entry { /* stack entry, or a group that is not running */
    uint32_t pc;
    uint32_t mask;
    uint32_t need; /* group: lanes a WARPSYNC waits for; value of `spins` at
                      a BSYNC; predicates at a CTA barrier; `yields` */
    uint8_t kind;  /* stack: SSY or divergence; group: what it waits for */
    uint8_t bar;   /* group: barrier it waits at */
} simt_entry;

typedef struct simt {
    uint32_t pc;     /* next instruction of the running lanes */
    uint32_t active; /* running lanes; 0: none can run, or all exited */
    uint32_t live;   /* lanes that have not exited */
    uint32_t back;   /* taken backward branches since the last switch */
    uint32_t spins;  /* taken backward branches */
    uint32_t yields; /* of the running group in loops since lanes left it */
    uint16_t depth;  /* entries in use */
    uint8_t arch;    /* isa_arch */
    /* Volta: participants of Bn. One set per lane, because both sides of a
     * branch may use the same barrier at once. Those of a barrier that no lane
     * came to are empty, and not cleared: a warp that begins would push 2 KB of
     * others out of the host's cache. */
    uint16_t noted; /* barriers whose sets are there */
    uint32_t part[ISA_BARRIERS][ISA_WARP];
    simt_entry entry[SIMT_NEAR];
    /* Where the stack of Fermi and Kepler goes on, SIMT_DEEP entries of the
     * owner's that simt_start keeps; NULL: nowhere. Apart, because few warps
     * get there, and all of them have to fit into the host's cache. */
    simt_entry *deep;
} simt;

enum { SIMT_SSY, SIMT_DIVERGED }; /* kinds of stack entries */

static inline simt_entry *simt_at(simt *s, unsigned i) /* of the stack */
{
    return i < SIMT_NEAR ? &s->entry[i] : &s->deep[i - SIMT_NEAR];
}

void simt_start(simt *s, isa_arch arch, uint32_t lanes);
/* Participants of Bn, by lane: to be asked for before they are looked at. */
uint32_t *simt_part(simt *s, unsigned bar);
/* Copies those of all barriers. */
void simt_parts(const simt *s, uint32_t part[ISA_BARRIERS][ISA_WARP]);

/* Lanes `taken` (a subset of active) go to `target`, the others on to pc+1.
 * False: too deep. */
bool simt_branch(simt *s, uint32_t taken, uint32_t target);
/* Lane l of `lanes` goes to target[l]; the others on. */
bool simt_branch_indirect(simt *s, uint32_t lanes,
                          const uint32_t target[ISA_WARP]);
void simt_next(simt *s);                 /* pc + 1 */
void simt_exit(simt *s, uint32_t lanes); /* lanes end; others go on */

/* Fermi, Kepler. `lanes` of SYNC wait, the others go on. */
bool simt_ssy(simt *s, uint32_t target); /* on to pc+1; false: too deep */
bool simt_sync(simt *s, uint32_t lanes); /* false: no SSY for them */

/* Volta and later; each goes on to pc+1. */
void simt_bssy(simt *s, unsigned bar, uint32_t lanes);
void simt_bsync(simt *s, unsigned bar, uint32_t lanes);
void simt_break(simt *s, unsigned bar, uint32_t lanes); /* leave Bn */
void simt_warpsync(simt *s, uint32_t lanes, uint32_t mask);
void simt_yield(simt *s);
/* `lanes` arrive at CTA barrier `bar`, those of *pred with a true predicate.
 * True: all live lanes of the warp are there now and go on behind it, so the
 * warp arrives once, with the predicates of all in *pred; false: the rest of
 * the warp has to come first and runs now. Always true before Volta. */
bool simt_cta_barrier(simt *s, unsigned bar, uint32_t lanes, uint32_t *pred);

/* Volta: the running lanes make way for another warp that runs this one's
 * instructions at `pc` (exec/wide_groups.h). They are ready and come next;
 * until then the warp stands at `pc` without active lanes. */
void simt_stand_aside(simt *s, uint32_t pc);
/* Where the lanes that stand aside go on; UINT32_MAX: none do. */
uint32_t simt_aside(const simt *s);
void simt_come_back(simt *s); /* they run */
/* Is a group ready beside the one that runs or stands aside? */
bool simt_has_more(const simt *s);

/* ---- for observers of a warp ---- */

/* False: lanes wait that will be let through when others have spun for long. */
bool simt_is_settled(const simt *s);
/* Other groups run when the running one has gone back often enough. */
bool simt_takes_turns(const simt *s);

/* Entries of the same lanes that do the same, however often they yielded. */
bool simt_same(const simt *s, const simt_entry *a, const simt_entry *b);

typedef enum simt_place {
    PLACE_RUNS,
    PLACE_ENDED,
    PLACE_READY,    /* and another group of lanes, or side, runs now */
    PLACE_MEETS,    /* waits for other lanes of its warp */
    PLACE_WARPSYNC, /* the same, at bar.warp.sync */
    PLACE_CTA,      /* at a barrier of the CTA, for the rest of its warp */
} simt_place;

/* Where lane `l` is, and the instruction that it stands at or goes on with. */
simt_place simt_place_of(const simt *s, unsigned l, uint32_t *pc);

#endif
