/* src/gpu/cluster_policy.h - which clusters share a front end
 * (sm/cluster/cluster.h): decided between windows by what the dispatcher has
 * and what the SMs did. Borrows dispatcher and clusters, owns its notes. */
#ifndef GPU_CLUSTER_POLICY_H
#define GPU_CLUSTER_POLICY_H

#include <stdint.h>

#include "config/config.h"
#include "exec/exec.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/node.h"

typedef struct cluster_policy cluster_policy;

cluster_policy *cluster_policy_new(const config *cfg, cluster **c,
                                   unsigned clusters, dispatch *d);
void cluster_policy_free(cluster_policy *h); /* NULL is fine */

/* Launch `n` begins; the dispatcher has it already. */
void cluster_policy_launch(cluster_policy *h, unsigned n, const exec_launch *l);
/* For cycles from `now` on, after a window and before CTAs are handed out:
 * clusters form, those that the last CTAs of a launch need dissolve, and the
 * dispatcher is told who gets CTAs how. due[c] is lowered to the next cycle
 * with work of cluster c. */
void cluster_policy_update(cluster_policy *h, uint64_t now, uint64_t *due);

#endif
