/* src/driver/room.h - room in simulated memory, which all devices share, and
 * how much of each device's own it takes up. With the lock. */
#ifndef DRIVER_ROOM_H
#define DRIVER_ROOM_H

#include "driver/driver.h"

typedef enum drv_room {
    DRV_ROOM_TAKEN,
    DRV_ROOM_DEVICE, /* too little is left of a device's memory */
    DRV_ROOM_MEMORY, /* all simulated memory is used */
} drv_room;

/* Room for an object, counted against these devices. What commands still use
 * may become free first. `name` is for messages about accesses beside it. */
drv_room drv_room_take(drv_device *const *devices, unsigned count,
                       uint64_t bytes, uint64_t align, const char *name,
                       uint64_t *addr);
/* Counted against these devices alone; false: too little is left. */
bool drv_room_charge(drv_device *const *devices, unsigned count,
                     uint64_t bytes);
void drv_room_refund(drv_device *const *devices, unsigned count,
                     uint64_t bytes);
/* Memory that lies elsewhere begins and ends to be an object's. */
void drv_room_begins(uint64_t addr, uint64_t bytes);
void drv_room_ends(uint64_t addr);
void drv_room_give(drv_device *const *devices, unsigned count, uint64_t addr,
                   uint64_t bytes);
/* Bytes that are left of each device's memory, on the fullest one. */
uint64_t drv_room_left(drv_device *const *devices, unsigned count);
/* Host bytes behind a simulated address. */
uint8_t *drv_room_host(uint64_t addr);
/* A command has written these bytes: what copies leave in the caches of `d`,
 * if they are in simulated memory. From its run. */
void drv_room_copied(drv_device *d, const uint8_t *host, uint64_t bytes);
/* Of the bytes of all objects, of each as they are when it ends, or now:
 * neither their addresses nor their order count. 0: the session wants
 * no hash. */
uint64_t drv_room_hash(void);
/* Simulated duration of reading or writing so many bytes of the device's
 * memory at its peak rate. */
uint64_t drv_memory_ns(const drv_device *d, uint64_t bytes);

#endif
