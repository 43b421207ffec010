/* src/sm/cluster/cluster_impl.h - what the sources of sm/cluster/cluster.h
 * share. */
#ifndef SM_CLUSTER_CLUSTER_IMPL_H
#define SM_CLUSTER_CLUSTER_IMPL_H

#include "sm/state.h"

/* EVENT_CLUSTER: what is due. */
enum { DUE_FORMED, DUE_ASLEEP, DUE_AWAKE, DUE_LOADED, DUE_WINDOW };

/* ---- cluster.c ---- */

void sm_cluster_set_mode(sm *s, uint64_t now, sm_cluster_mode mode);
void sm_cluster_set_front_end(sm *s, const sm_front_end *front_end);
/* Warp `w` has executed the instruction at `at`, with `r`. */
void sm_cluster_note_outcome(sm *s, sm_outcome *o, unsigned w, uint32_t at,
                             exec_result r);
/* CTAs that were held back end. */
void sm_cluster_release_all(sm *s);

/* Results of unknown cycle that warp `w` awaits, but of members that `have` it
 * or never will; find: the link that names the entry, NULL if there is none.
 */
void sm_cluster_add_late(sm_cluster *h, unsigned w, uint32_t pc, uint8_t have);
uint16_t *sm_cluster_find_late(sm_cluster *h, unsigned w, uint32_t pc);
void sm_cluster_drop_late(sm_cluster *h, uint16_t *at);

static inline bool sm_cluster_is_late(const sm_inst *si)
{
    return (si->flags & INST_LATE) && (si->flags & INST_RESULT);
}

/* Do all members go all ways? */
static inline bool sm_cluster_is_union(const sm *s)
{
    return s->cfg->gpu.cluster.conflict == CFG_CONFLICT_UNION;
}

/* Members without the CTA of the master's warp `w`, a bit each. */
static inline uint8_t sm_cluster_empty(const sm *s, unsigned w)
{
    return s->cluster->empty[s->warp[w].cta];
}

/* Have lanes a program counter each? */
static inline bool sm_cluster_has_groups(const sm *s)
{
    return s->cfg->gpu.arch >= CFG_ARCH_VOLTA;
}

/* A bit of each member. */
static inline uint8_t sm_cluster_all(const sm_cluster *h)
{
    return (uint8_t)((1u << h->members) - 1);
}

/* ---- cluster_master.c ---- */

void sm_cluster_send_all(sm *s, uint64_t now, sm_word word);
/* Counts cycles before `now` that were skipped. */
void sm_cluster_count_slip(sm *s, uint64_t now);
/* Barriers wait no longer for those of `warps` that have ended here. */
void sm_cluster_leave(sm *s, uint64_t warps);
/* The CTA in `slot` has ended in a member. True: it has in all. */
bool sm_cluster_ended_in(sm *s, unsigned slot, unsigned member);
void sm_cluster_end_window(sm *s);
void sm_cluster_become_master(sm *s, uint64_t now); /* it becomes one */

/* ---- cluster_union.c ---- */

/* Executes the next instruction of warp `w`, which may be without lanes here,
 * and remembers where the warp was. */
exec_result sm_cluster_step(sm *s, unsigned w, exec_mem *mem,
                            exec_fault *fault);
/* The master's warp has executed EXIT with all lanes. True: it goes on until
 * others have, too. */
bool sm_cluster_outlives(sm *s, unsigned w);
/* A slave gets an instruction of a warp that has ended here: it only counts it
 * and answers. False: the warp has not ended. */
bool sm_cluster_outlived(sm *s, const sm_word *m);

/* All members have reported where warp `w` goes, and differ: they go as one
 * from now on. The slaves' warps stand still until they receive_word of it, so
 * the master looks at them, and moves them as it decides. False: they cannot.
 */
bool sm_cluster_unite(sm *s, unsigned w);
/* All members have reported where warp `w` goes, so it stands still in all:
 * finds the next instruction at which one that has no active lanes gets
 * some. */
void sm_cluster_find_meeting(sm *s, unsigned w);
/* The master's warp `w` waits for no member any more. */
void sm_cluster_proceed(sm *s, unsigned w);
/* Not all members can do what the master issues for `w`. */
bool sm_cluster_cannot_follow(sm *s, unsigned w, const struct sm_inst *si,
                              sm_dissolve_cause *cause);
/* The master is alone: its warps are where they have lanes. */
void sm_cluster_end_union(sm *s);

/* ---- cluster_align.c ---- */

void sm_cluster_formed(sm *s); /* forming is over */

/* ---- cluster_slave.c ---- */

/* The front end's power ends soon. */
void sm_cluster_sleep(sm *s, uint64_t now);

void sm_cluster_answer(sm *s, sm_word word);
/* One a cycle, in order. */
void sm_cluster_acknowledge(sm *s, sm_word word);
/* An order of the master that concerns CTAs or power. */
void sm_cluster_take_order(sm *s, uint64_t now, const sm_word *word);
void sm_cluster_slave_leaves(sm *s);

#endif
