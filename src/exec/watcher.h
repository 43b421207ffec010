/* src/exec/watcher.h - who is told what the functional runner executes: traces
 * are written of it (src/replay). Changes nothing. */
#ifndef EXEC_WATCHER_H
#define EXEC_WATCHER_H

#include "exec/exec.h"
#include "exec/spin.h"

struct exec_watcher {
    /* A CTA has begun; c->traced is the watcher's. */
    void (*begin)(exec_watcher *x, exec_cta *c);
    /* A warp has executed the instruction at `pc`, for the lanes of w->ran; an
     * access is still to be performed, of others `m` is NULL. */
    void (*step)(exec_watcher *x, const exec_warp *w, uint32_t pc,
                 const exec_mem *m);
    void (*end)(exec_watcher *x, exec_cta *c); /* it has ended */
};

/* Who is told only of accesses to global memory, each before it is performed;
 * bulk copies and textures are none. Warps go on as fast as otherwise but for
 * those. */
struct exec_seen {
    void (*access)(void *arg, const exec_mem *m);
    void *arg;
};

/* ---- For the functional runner: NULL is nobody ---- */

static inline void exec_see(const exec_seen *x, const exec_mem *m)
{
    if (x && m->space[EXEC_GLOBAL] && !exec_is_fetch(m->in))
        x->access(x->arg, m);
}

static inline void exec_watch_begin(exec_watcher *x, exec_cta *c)
{
    if (x)
        x->begin(x, c);
}

static inline void exec_watch_end(exec_watcher *x, exec_cta *c)
{
    if (x)
        x->end(x, c);
}

/* A step of a warp, with what came of it, also for the observer of what it
 * spins on. */
void exec_watch_step(exec_watcher *x, exec_spin *spin, const exec_warp *w,
                     uint32_t pc, exec_result what, const exec_mem *m,
                     uint64_t now);

#endif
