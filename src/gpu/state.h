/* src/gpu/state.h - the whole chip, for the files of this folder that run it.
 * See gpu.h. */
#ifndef GPU_STATE_H
#define GPU_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/mmu.h"
#include "gpu/cluster_policy.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/dispatch/place.h"
#include "gpu/gpu.h"
#include "gpu/node.h"
#include "gpu/team.h"
#include "gpu/watch.h"
#include "gpu/window_profile.h"

typedef struct gpu_stats {
#define STAT(id, unit, help) uint64_t id;
#include "gpu/gpu_stats.def"
#undef STAT
} gpu_stats;

typedef struct flight {        /* a launch */
    const exec_launch *launch; /* NULL: none */
    sm_profile_row *profile;   /* NULL: not wanted */
    uint64_t start;
    bool lets_go;   /* it has PREEXIT, and it is to be told when all CTAs have
                       executed it or ended */
    unsigned after; /* the launch that it waits for, + 1; 0: none */
} flight;

typedef struct gpu_group {
    uint64_t start, end; /* end: of the launches that have ended */
    uint64_t ctas;       /* of all that began */
    uint64_t ctas_before, issued_before;
    uint64_t seen, still; /* activity, and cycles since it last changed */
    unsigned launches;    /* that began */
    bool open;            /* it runs, so launches find things as they are */
} gpu_group;

struct gpu {
    const config *cfg;
    gpu_options opt;
    gpu_stats st;
    unsigned window; /* cycles */
    unsigned clusters, partitions, nodes, ends;
    cluster **cluster;
    partition **partition;
    noc_end **end;
    noc_end **cga_end[CLUSTER_CGA_ENDS]; /* by SM; NULL: no such clusters */
    unsigned *first_end;                 /* per node, and one behind the last */
    unsigned *order;                     /* of nodes in a window */
    uint64_t *due;                       /* per node: next cycle with work */
    unsigned *active; /* nodes with work in this window: clusters, then
                         partitions */
    unsigned active_count, active_clusters;
    uint64_t moved[2];  /* messages in this window: up to slices, down to SMs */
    unsigned *shuffled; /* the same in `order` */
    dispatch *dispatch;
    mmu *mmu;                       /* NULL: translation takes no time */
    cluster_policy *cluster_policy; /* NULL: clusters are of one SM */
    team *team;
    window_profile *profile; /* NULL: windows are not timed */
    uint64_t now;            /* first cycle of the next window */
    uint64_t windows;        /* simulated; how many depends on the pace */
    uint64_t from, to;       /* of the window that runs */
    node_pace pace;
    uint64_t *issued_by; /* per SM: warp instructions so far, */
    uint64_t issued;     /* and of all */
    uint64_t ctas_done;  /* so far */
    flight *flight;      /* gpu.concurrent of them */
    unsigned *line;      /* those in flight, in order of beginning */
    unsigned in_flight;
    gpu_group group;
    places places;
    uint64_t sample_at;       /* cycle of the next sample, or NEVER */
    event_merge *event_merge; /* of this group; NULL: none */
    gpu_watch *watch;
    double linger_s; /* until when; 0: nobody has stopped the run */
    bool repeats;    /* the next group begins as the last one did */
};

static inline sm *gpu_nth_sm(const gpu *g, unsigned i)
{
    unsigned size = g->cfg->gpu.cluster.size;

    return cluster_sm(g->cluster[i / size], i % size);
}

/* What is in flight is lost: gpu_advance has failed, `n` and *out are its. */
void gpu_fail(gpu *g, status st, unsigned n, gpu_result *out);

#endif
