/* src/probe/judge/probe_device.h - a simulated device as probes see it. Owns
 * the device; borrows the configuration's values only while it is made. */
#ifndef PROBE_JUDGE_PROBE_DEVICE_H
#define PROBE_JUDGE_PROBE_DEVICE_H

#include <signal.h>

#include "config/config.h"
#include "probe/machine.h"
#include "runtime/runtime.h"

typedef struct probe_device probe_device;

typedef struct probe_effort {
    uint64_t launches, cycles, warp_insts;
} probe_effort;

/* `stop` may be NULL. NULL: the error is in `dg`. Messages of launches that
 * fail go to `dg`, which must outlive it. */
probe_device *probe_device_new(const config *cfg, const rt_options *opt,
                               const volatile sig_atomic_t *stop, diag *dg);
void probe_device_free(probe_device *d); /* NULL is fine */
/* Valid as long as the device. */
const probe_machine *probe_device_machine(const probe_device *d);
probe_effort probe_device_effort(const probe_device *d);

#endif
