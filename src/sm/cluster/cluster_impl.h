/* src/sm/cluster/cluster_impl.h - what the sources of sm/cluster/cluster.h
 * share. */
#ifndef SM_CLUSTER_CLUSTER_IMPL_H
#define SM_CLUSTER_CLUSTER_IMPL_H

#include "sm/state.h"

/* EVENT_SHARE: what is due. */
enum { DUE_FORMED, DUE_ASLEEP, DUE_AWAKE, DUE_LOADED, DUE_WINDOW };

/* ---- cluster.c ---- */

void share_set_mode(sm *s, uint64_t now, sm_cluster_mode mode);
void share_set_front_end(sm *s, const sm_front_end *front_end);
void share_note_outcome(sm *s, sm_outcome *o, unsigned w, uint32_t at);
/* CTAs that were held back end. */
void share_release_all(sm *s);

/* Results of unknown cycle that warp `w` awaits; find: the link that names the
 * entry, NULL if there is none. */
void share_add_late(sm_share *h, unsigned w, uint32_t pc);
uint16_t *share_find_late(sm_share *h, unsigned w, uint32_t pc);
void share_drop_late(sm_share *h, uint16_t *at);

static inline bool share_is_late(const sm_inst *si)
{
    return (si->flags & INST_LATE) && (si->flags & INST_RESULT);
}

/* Do all members go all ways? */
static inline bool share_unites(const sm *s)
{
    return s->cfg->gpu.cluster.conflict == CFG_CONFLICT_UNION;
}

/* A bit of each member. */
static inline uint8_t share_everybody(const sm_share *h)
{
    return (uint8_t)((1u << h->members) - 1);
}

/* ---- cluster_master.c ---- */

void share_tell_all(sm *s, uint64_t now, sm_word word);
/* Counts cycles before `now` that were skipped. */
void share_count_slip(sm *s, uint64_t now);
/* Barriers wait no longer for those of `warps` that have ended here. */
void share_leave(sm *s, uint64_t warps);
/* The CTA in `slot` has ended in a member. True: it has in all. */
bool share_ended_in(sm *s, unsigned slot, unsigned member);
void share_end_window(sm *s);
void share_lead(sm *s, uint64_t now); /* it becomes one */

/* ---- cluster_union.c ---- */

/* Executes the next instruction of warp `w`, which may be without lanes here,
 * and remembers where the warp was. */
exec_result share_step(sm *s, unsigned w, exec_mem *mem, exec_fault *fault);
/* The master's warp has executed EXIT with all lanes. True: it goes on until
 * others have, too. */
bool share_outlives(sm *s, unsigned w);
/* A slave is told of an instruction of a warp that has ended here: it only
 * counts it and answers. False: it has not ended. */
bool share_outlived(sm *s, const sm_word *m);

/* All members have told where warp `w` goes, and differ: they go as one from
 * now on. The slaves' warps stand still until they hear of it, so the master
 * looks at them, and moves them as it decides. False: they cannot. */
bool share_unite(sm *s, unsigned w);
/* The master's warp `w` waits for no member any more. */
void share_proceed(sm *s, unsigned w);
/* Not all members can do what the master issues for `w`. */
bool share_cannot_follow(sm *s, unsigned w, const struct sm_inst *si,
                         sm_dissolve_cause *cause);
/* The master is alone: its warps are where they have lanes. */
void share_settle(sm *s);

/* ---- cluster_align.c ---- */

void share_formed(sm *s); /* forming is over */

/* ---- cluster_slave.c ---- */

/* The front end's power ends soon. */
void share_sleep(sm *s, uint64_t now);

void share_answer(sm *s, sm_word word);
/* One a cycle, in order. */
void share_acknowledge(sm *s, sm_word word);
/* An order of the master that concerns CTAs or power. */
void share_obey(sm *s, uint64_t now, const sm_word *word);
void share_slave_alone(sm *s);

#endif
