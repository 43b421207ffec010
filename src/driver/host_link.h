/* src/driver/host_link.h - the link between host and devices: how long
 * transfers take in simulated time, and their bytes in reports. */
#ifndef DRIVER_HOST_LINK_H
#define DRIVER_HOST_LINK_H

#include "driver/command.h"

/* Duration of moving bytes between host and device, from the configuration of
 * the host's link. */
uint64_t drv_link_ns(const drv_device *d, uint64_t bytes);
/* Counts bytes that a command moved over the link and inside devices, for the
 * report. From its `run`. */
void drv_link_moved(drv_command *c, uint64_t link, uint64_t inside);
/* Counts bytes with which an object was created; at any time. */
void drv_link_created(uint64_t bytes);

#endif
