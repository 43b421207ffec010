/* src/sm/cluster/link.h - wires between two SMs of a cluster: words in order,
 * each of which its receiver sees some cycles after it was sent. The sender
 * waits for room by other means (credits, acknowledgements), so a link is as
 * long as it ever has to be. Owns its words. */
#ifndef SM_CLUSTER_LINK_H
#define SM_CLUSTER_LINK_H

#include <stdbool.h>
#include <stdint.h>

struct sm_inst;

typedef enum sm_word_kind {
    /* From the one that issues. */
    WORD_FORM,     /* follow me */
    WORD_ISSUE,    /* execute: instruction pc of `warp`, slot of `sched` */
    WORD_START,    /* start your next CTA in slot `cta`, warp slots `mask` */
    WORD_RELEASE,  /* the CTA in slot `cta` has ended everywhere */
    WORD_DISSOLVE, /* wake up and go on by yourself */
    WORD_UNITE,    /* `warp` goes on at pc, with a stack of `depth`, which
                      Volta does without */
    /* To it. */
    WORD_ACK,     /* the result of instruction pc of `warp` is here */
    WORD_OUTCOME, /* `warp` has gone on, to pc with `depth` entries of its
                     stack, or groups that wait */
    WORD_CREDIT,  /* the load unit is done with a memory instruction */
    WORD_ENDED,   /* the CTA in slot `cta` has ended here */
    WORD_AWAKE,   /* I go on by myself from now on */
} sm_word_kind;

typedef struct sm_word {
    uint64_t when; /* cycle from which it is seen */
    uint64_t sent;
    uint64_t mask;
    const struct sm_inst *pass; /* WORD_ISSUE: the receiver has no such warp,
                                   the instruction only passes; else NULL */
    uint32_t pc;
    uint8_t kind; /* sm_word_kind */
    uint8_t warp, sched, cta;
    bool ended;    /* WORD_OUTCOME: no lane is left */
    bool laneless; /* WORD_OUTCOME: some are, and none is active */
    bool reports;  /* WORD_ISSUE: its outcome is awaited */
    uint16_t depth;
    uint32_t barrier; /* WORD_OUTCOME: as sm_outcome's */
} sm_word;

typedef struct sm_link {
    sm_word *ring;
    uint32_t room, head, count;
    uint64_t *wake; /* lowered to when the receiver has to look */
} sm_link;

void sm_link_init(sm_link *l);
void sm_link_fini(sm_link *l);
void sm_link_clear(sm_link *l);

/* Words are sent in the order of `when`. */
void sm_link_send(sm_link *l, const sm_word *w);

/* The next word that is there in cycle `now`, NULL if there is none. */
static inline const sm_word *sm_link_peek(const sm_link *l, uint64_t now)
{
    return l->count && l->ring[l->head].when <= now ? &l->ring[l->head] : 0;
}

static inline void sm_link_pop(sm_link *l)
{
    l->head = l->head + 1 == l->room ? 0 : l->head + 1;
    l->count--;
}

/* When the next is there; UINT64_MAX: none is on its way. */
static inline uint64_t sm_link_next(const sm_link *l)
{
    return l->count ? l->ring[l->head].when : UINT64_MAX;
}

#endif
