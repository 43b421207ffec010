/* src/exec/cga.h - thread-block clusters: CTAs of a launch that are on the
 * machine at the same time, know each other's shared memory and have a barrier
 * of their own [PTX85:cluster-of-cooperative-thread-arrays]. Not to be confused
 * with clusters of SMs that share a front end (sm/cluster): so everything here
 * is named by cga, the cooperative group array.
 *
 * The CTAs of a grid are numbered by cluster, x fastest, and in a cluster by
 * rank, x fastest. */
#ifndef EXEC_CGA_H
#define EXEC_CGA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "exec/exec.h"

enum {
    EXEC_CGA_MOST = 16,    /* CTAs of a cluster [CG:thread-block-clusters] */
    EXEC_CGA_BARRIER = 16, /* exec_bar.number: behind those of CTAs */
};

/* Those that are on the machine. Written while no warp of them runs. */
struct exec_cga {
    uint32_t size;
    uint32_t serial;                 /* of those of a machine, from 1 on */
    exec_cta *member[EXEC_CGA_MOST]; /* by rank, without timing; NULL: it has
                                        ended */
    uint16_t sm[EXEC_CGA_MOST];      /* by rank, with timing: where it is */
};

/* CTAs of a cluster; 1: there is none. */
static inline uint32_t exec_cga_ctas(const uint32_t cga[3])
{
    return cga[0] ? cga[0] * cga[1] * cga[2] : 1;
}

static inline uint32_t exec_cga_size(const exec_launch *l)
{
    return exec_cga_ctas(l->cga);
}

/* Where CTA `n`, in order of beginning, lies in a grid with clusters of `cga`;
 * returns its linear index. */
uint64_t exec_cga_id(const uint32_t cga[3], const uint32_t grid[3], uint64_t n,
                     uint32_t id[3]);

/* Of the CTA at `id` of the grid: its cluster, its place in that, its rank. */
void exec_cga_of(const exec_launch *l, const uint32_t id[3],
                 uint32_t cluster[3], uint32_t in[3], uint32_t *rank);

/* ---- the barrier ----
 *
 * A CTA collects its warps and has arrived with the last of those that live.
 * Who releases it knows when all CTAs of the cluster have. A warp that arrives
 * waits before it arrives again, so one set of bits is enough. */

typedef struct exec_cga_part {
    uint64_t arrived, waiting; /* warps */
    bool told;                 /* all have, and that is known outside */
} exec_cga_part;

/* Warp `w`, of bit `n`, has executed UCGABAR_ARV or _WAIT. True: it waits. */
static inline bool exec_cga_meet(exec_cga_part *p, exec_warp *w, unsigned n,
                                 const exec_bar *bar)
{
    uint64_t bit = (uint64_t)1 << n;

    if (bar->kind == EXEC_BAR_CGA_ARRIVE) {
        w->cga_lanes |= bar->lanes;
        if (!(w->simt.live & ~w->cga_lanes))
            p->arrived |= bit;
        return false;
    }
    if (!w->cga_lanes) /* for what it arrived at is over */
        return false;
    p->arrived |= bit;
    p->waiting |= bit;
    return true;
}

/* Has the last of `live` warps, at least one, arrived, and is that new? */
static inline bool exec_cga_complete(const exec_cga_part *p, uint32_t live)
{
    return live && !p->told && bits_popcount64(p->arrived) == live;
}

#endif
