/* src/gpu/cga_link.h - what SMs tell each other, between windows, of the
 * thread-block clusters (exec/cga.h) that they have CTAs of. */
#ifndef GPU_CGA_LINK_H
#define GPU_CGA_LINK_H

#include "gpu/gpu.h"
#include "sm/sm.h"

/* Takes what the CTAs of an SM have to say about the barriers of clusters. */
void gpu_gather_cga(gpu *g, sm *s);

#endif
