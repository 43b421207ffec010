/* src/gpu/cga_link.h - what SMs tell each other, between windows, of the
 * thread-block clusters (exec/cga.h) that they have CTAs of. */
#ifndef GPU_CGA_LINK_H
#define GPU_CGA_LINK_H

#include "gpu/gpu.h"
#include "sm/sm.h"

/* Takes what the CTAs of an SM have to say about the barriers of clusters. */
void gpu_gather_cga(gpu *g, sm *s);

/* Before the first window: nodes are woken by what their SMs are sent. */
void gpu_connect_cga(gpu *g);
/* What SMs have sent each other in the window that ended moves on. */
void gpu_exchange_cga(gpu *g);

#endif
