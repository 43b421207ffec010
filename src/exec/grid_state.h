/* src/exec/grid_state.h - a grid that runs without timing, as the runner
 * (functional.c) and who looks at what it spins on (grid_look.c) know it. */
#ifndef EXEC_GRID_STATE_H
#define EXEC_GRID_STATE_H

#include "exec/cga.h"
#include "exec/functional.h"
#include "exec/plan.h"
#include "exec/products.h"
#include "exec/spin.h"
#include "exec/writers.h"

enum { BARRIERS = 16 };

typedef struct cta_barrier {
    uint64_t waiting; /* warps */
    uint32_t arrived; /* all warps that arrived, also if they do not wait */
    uint32_t count;   /* threads to wait for, 0: all that live */
    uint32_t threads, trues;
} cta_barrier;

/* What a CTA in flight has; the next CTA takes it over. */
typedef struct place {
    struct place *next; /* in its queue */
    exec_cta cta;
    exec_warp *warps;
    exec_bar *bars; /* the barrier each warp waits at */
    uint32_t (*reg)[ISA_WARP];
    simt_entry *deep; /* of all warps; NULL: Volta */
    uint8_t *local, *shared;
    cta_barrier barrier[BARRIERS];
    uint64_t runnable, live; /* warps */
    struct place *first;     /* of its cluster, which takes its turns */
    struct place *beside;    /* the next CTA of the cluster */
    exec_cga cga;            /* of the first */
    exec_cga_part at_cga;    /* the CTA at the cluster's barrier */
    exec_products products;  /* that its warps wait for */
    exec_spin *spin;         /* by warp, while it is looked at */
} place;

struct exec_grid {
    const exec_launch *l;
    mem_view *view;
    const exec_limits *limits;
    exec_fault *fault;
    exec_totals *totals, own;
    exec_plan *plan;     /* NULL: warps have none */
    uint64_t begun, end; /* CTAs: the next to begin, one behind the last */
    place *spare;        /* not in use */
    place *aside, *last; /* of CTAs that wait for their turn, the next first:
                            of clusters their first CTA */
    uint64_t in_flight;  /* clusters, or CTAs that are alone */
    uint64_t in_vain;    /* turns since a CTA began or ended */
    uint32_t patience;
    exec_writers writers;  /* by atomics */
    exec_spins found;      /* when it was looked at last */
    uint64_t look_at;      /* again, by instructions of the grid */
    unsigned checks;       /* of the limits */
    exec_watcher *watcher; /* NULL: none */
    const exec_seen *seen; /* likewise */
};

/* The next of all CTAs that are set aside. */
static inline place *grid_next_aside(const place *p)
{
    return p->beside ? p->beside : p->first->next;
}

/* Observers for the CTAs that are set aside. */
void grid_look_begin(exec_grid *g);
void grid_spins_free(const exec_grid *g, place *p);

/* Takes what was seen since instruction `from`. True: it was all there is, and
 * shows that nothing will ever happen. */
bool grid_look_end(exec_grid *g, uint64_t from);

/* Who waits at which barrier, into g->found. */
void grid_take_waits(exec_grid *g);

#endif
