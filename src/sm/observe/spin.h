/* src/sm/observe/spin.h - whether the warps of an SM go round in circles, for a
 * while that is wanted, and who last wrote to memory, always. See
 * exec/spin.h, exec/writers.h. */
#ifndef SM_OBSERVE_SPIN_H
#define SM_OBSERVE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/spins.h"
#include "exec/waits.h"

struct sm;
struct sm_lsu_entry;
struct sm_tx;

typedef struct sm_spin sm_spin;

/* From cycle `now` on the warps are watched, until sm_spin_end. Changes
 * nothing that is simulated. */
void sm_spin_begin(struct sm *s, uint64_t now);
void sm_spin_end(struct sm *s);
/* What is known of all warps that are here. *last: raised to the cycle in which
 * something happened last. */
void sm_spin_gather(struct sm *s, exec_gather *g, uint64_t *last);
/* The CTAs that are here, and what their warps wait for. */
void sm_waits(const struct sm *s, exec_waits *to);
/* Stores that were not acknowledged, atomics without a result among them. */
unsigned sm_stores(const struct sm *s);

const exec_writers *sm_writers(const struct sm *s);
/* The warp of a CTA of launch `n`; NULL: it is not here. */
const exec_warp *sm_warp_of(const struct sm *s, unsigned n, uint64_t cta,
                            unsigned warp);

/* ---- for the files of this folder ---- */

/* While warps are watched. */
void sm_spin_issue(struct sm *s, unsigned w, uint32_t pc, exec_result r);
void sm_spin_start(struct sm *s, unsigned w);
void sm_spin_before(struct sm *s, const struct sm_lsu_entry *e,
                    unsigned spaces);

/* Always; of others than atomics sm_spin_after only while warps are watched. */
void sm_spin_after(struct sm *s, const struct sm_lsu_entry *e, unsigned spaces);
/* Writes on the atomic whose it is; what it has changed; both that and what
 * it found for warp `w`. */
void sm_note_atom(const struct sm *s, const struct sm_lsu_entry *e,
                  mem_atom *a);
void sm_note_change(struct sm *s, const mem_atom *a);
void sm_spin_atom(struct sm *s, unsigned w, const mem_atom *a);
void sm_note_store(struct sm *s, const struct sm_lsu_entry *e,
                   const struct sm_tx *t);

#endif
