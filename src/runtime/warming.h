/* src/runtime/warming.h - functional warming (SMARTS: Wunderlich et al., ISCA
 * 2003): what launches, and parts of them, access that are only computed, the
 * L2 gets before time goes on. Remembered are the last accesses, so many that
 * older ones would be gone from the L2 again; those of a few lines that come
 * again and again, as from an L1, once. The L1s, which launches empty, get
 * nothing; nor is there any traffic. One for a device; not thread-safe. */
#ifndef RUNTIME_WARMING_H
#define RUNTIME_WARMING_H

#include "exec/watcher.h"
#include "runtime/runtime.h"

typedef struct rt_warming rt_warming;

rt_warming *rt_warming_new(const config *cfg);
void rt_warming_free(rt_warming *w); /* NULL is fine */

/* Told of accesses; as long as `w` lives. */
const exec_seen *rt_warming_seen(const rt_warming *w);

/* The machine, between two windows, learns of what was accessed. */
void rt_warming_tell(rt_warming *w, gpu *g);

#endif
