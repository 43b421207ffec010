/* workloads/tool/wl.h - the tool's side of workload.h: make one, have it
 * filled by a workload, write it out. */
#ifndef WL_H
#define WL_H

#include "tool/workload.h"

wl *wl_new(const char *name, unsigned size, uint64_t seed);
void wl_free(wl *w);

/* Writes launch.yaml and the .npy files into `dir`, which exists. */
void wl_write(const wl *w, const char *dir, const char *program);

#endif
