/* src/driver/flight.h - kernels in flight on a device, and reports on
 * them to the session and on stderr. Times are simulated ones, in nanoseconds;
 * a group of launches begins when its first does, and the machine's cycles
 * count from there.
 *
 * With the machine lock and without the other one, if not said otherwise. */
#ifndef DRIVER_FLIGHT_H
#define DRIVER_FLIGHT_H

#include "driver/kernel_command.h"

typedef enum flight_state {
    FLIGHT_BEGUN, /* it is in flight */
    FLIGHT_WAITS, /* there is no room: again after an advance */
    FLIGHT_ENDED, /* it never was in flight: *result and the command's duration
                     are set */
} flight_state;

/* Begins a launch at the time at which its device is, which depends on `before`
 * in flight (NULL: on none). Until one that waits has begun no other may. */
flight_state flight_begin(drv_launch *l, const drv_launch *before, int *result);

typedef struct flight_end { /* of a launch */
    drv_launch *launch;
    int result;
    uint64_t start_ns, end_ns;
} flight_end;

#define FLIGHT_NEVER UINT64_MAX

/* Simulates until a launch has ended, or until it is `until_ns`, later than the
 * device's time, or a little later, or until one lets the next one begin. The
 * device's time is then what it is. What ended, until the next call: nothing, a
 * launch, or, if one failed, all. */
unsigned flight_advance(drv_device *d, uint64_t until_ns,
                        const flight_end **out);

/* ---- With the lock of the state ---- */

unsigned flight_count(const drv_device *d); /* in flight */
/* Without a session, prints to stderr where kernels accessed memory outside of
 * allocations since the last call. When nothing runs. */
void flight_report_strays(void);
/* After a fork, in the child: what is in flight is the parent's. */
void flight_forget(drv_device *d);

#endif
