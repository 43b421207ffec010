/* src/driver/activity.h - tells the session what commands did when, for the
 * timeline of a program, if one is wanted. With the lock. */
#ifndef DRIVER_ACTIVITY_H
#define DRIVER_ACTIVITY_H

#include "driver/command.h"

/* A command that has its times has ended with that result. */
void activity_ended(const drv_command *c, int result);
/* The program waited: its simulated time goes from one to the other. */
void activity_waited(uint64_t from_ns, uint64_t to_ns);

#endif
