#include "exec/watcher.h"

void exec_watch_step(exec_watcher *x, exec_spin *spin, const exec_warp *w,
                     uint32_t pc, exec_result what, const exec_mem *m,
                     uint64_t now)
{
    if (x && what != EXEC_BLOCKED && what != EXEC_FAULT)
        x->step(x, w, pc, what == EXEC_MEM ? m : NULL);
    if (spin)
        exec_spin_step(spin, w, pc, what, now);
}
