/* src/driver/object.h - objects that live as long as the program refers to them
 * (`refs`) or others of them do (`uses`), and the set of those that programs
 * have handles to: any value that a program passes may be looked up in it
 * safely. With the lock (driver.h). */
#ifndef DRIVER_OBJECT_H
#define DRIVER_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Kinds are the door's, from 1 up. Of kind 0 is what programs never see: it is
 * not in the set. */
enum { DRV_KINDS = 32 };

/* Somewhere in what a door makes; queues and events begin with it. */
typedef struct drv_object {
    void *handle;                  /* all of what the door has made */
    void (*destroy)(void *handle); /* frees it and drops what it uses; NULL: it
                                      is never freed */
    unsigned kind;
    unsigned refs; /* of the program */
    unsigned uses; /* of other objects and of commands */
} drv_object;

/* `size` zeroed bytes with an object in them, `at` bytes from their beginning,
 * that has one reference; NULL: no memory. */
void *drv_object_new(unsigned kind, size_t size, size_t at,
                     void (*destroy)(void *handle));
/* The living object of that kind; NULL: the handle is none. */
drv_object *drv_find(const void *handle, unsigned kind);
/* The same, unless the program has let go of it. */
drv_object *drv_find_held(const void *handle, unsigned kind);
/* How many objects of that kind live. */
unsigned drv_count(unsigned kind);

/* NULL is fine. The second may destroy it. */
void drv_use(drv_object *o);
void drv_drop(drv_object *o);
/* The program lets go of it; may destroy it. */
void drv_release(drv_object *o);

#endif
