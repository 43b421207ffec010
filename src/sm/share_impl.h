/* src/sm/share_impl.h - what the sources of sm/share.h share: share.c both
 * roles, share_master.c, share_slave.c. */
#ifndef SM_SHARE_IMPL_H
#define SM_SHARE_IMPL_H

#include "sm/state.h"

/* EVENT_SHARE: what is due. */
enum { DUE_FORMED, DUE_ASLEEP, DUE_AWAKE, DUE_LOADED, DUE_WINDOW };

/* ---- share.c ---- */

void share_set_mode(sm *s, uint64_t now, sm_cluster_mode mode);
void share_set_role(sm *s, sm_role role);
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

/* A bit of each member. */
static inline uint8_t share_everybody(const sm_share *h)
{
    return (uint8_t)((1u << h->members) - 1);
}

/* ---- share_master.c ---- */

void share_tell_all(sm *s, uint64_t now, sm_word word);
bool share_lands_in_master(sm *s, const sm_event *e);
/* The CTA in `slot` has ended in a member. True: it has in all. */
bool share_ended_in(sm *s, unsigned slot, unsigned member);
void share_end_window(sm *s);

/* ---- share_slave.c ---- */

void share_answer(sm *s, sm_word word);
void share_lands_in_slave(sm *s, const sm_event *e);
/* An order of the master that concerns CTAs or power. */
void share_obey(sm *s, uint64_t now, const sm_word *word);
void share_wake(sm *s);
void share_slave_alone(sm *s);

#endif
