/* src/exec/watcher.h - who is told what the functional runner executes: traces
 * are written of it (src/replay). Changes nothing. */
#ifndef EXEC_WATCHER_H
#define EXEC_WATCHER_H

#include "exec/exec.h"

struct exec_watcher {
    /* A CTA has begun; c->traced is the watcher's. */
    void (*begin)(exec_watcher *x, exec_cta *c);
    /* A warp has executed the instruction at `pc`, for the lanes of w->ran; an
     * access is still to be performed, of others `m` is NULL. */
    void (*step)(exec_watcher *x, const exec_warp *w, uint32_t pc,
                 const exec_mem *m);
    void (*end)(exec_watcher *x, exec_cta *c); /* it has ended */
};

#endif
