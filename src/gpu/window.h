/* src/gpu/window.h - one window of all nodes, and what comes between two of
 * them: docs/architecture.md, "Time". */
#ifndef GPU_WINDOW_H
#define GPU_WINDOW_H

#include "gpu/state.h"

/* From cycle `from` on; then that is where time is. */
void gpu_window(gpu *g, uint64_t from);

#endif
