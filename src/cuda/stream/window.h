/* src/cuda/stream/window.h - access windows: what accesses to a range of memory
 * say of how long the L2 is to keep its lines [CG:L2-set-aside]. */
#ifndef CUDA_STREAM_WINDOW_H
#define CUDA_STREAM_WINDOW_H

#include "cuda/api.h"
#include "exec/exec.h"

/* Of a window, at most. */
enum { CU_WINDOW_BYTES = 134213632 };

/* Checks and notes a window; one of no bytes ends it. cudaErrorInvalidValue
 * is reported. */
cudaError_t cu_window_read(const cudaAccessPolicyWindow *w, exec_hints *to);
/* What was noted, as a program gave it but for the share, which is in
 * sixteenths. */
cudaAccessPolicyWindow cu_window_of(const exec_hints *h);

#endif
