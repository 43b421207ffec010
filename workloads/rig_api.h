/* workloads/rig_api.h - the two sides of the rig: what rig.c asks of the API's
 * file, opencl.c or cuda.c, beside what programs do, and what it offers that.
 */
#ifndef RIG_API_H
#define RIG_API_H

#include "rig.h"

/* ---- Of the API's file ---- */

extern const char rig_api_name[]; /* "OpenCL" */
/* Are there platforms, of which --platform chooses some by name? */
extern const bool rig_api_platforms;

/* A line for each device. */
void rig_api_list(rig *o, const char *platform);
/* Makes device n, of the platforms with that in their name or of all, the one
 * of o, with what the program needs. */
void rig_api_open(rig *o, const rig_program *p, const char *platform,
                  unsigned n);
void rig_api_close(rig *o);
void rig_api_release(rig *o); /* all of o->objects */
unsigned rig_api_units(rig *o);
size_t rig_api_local(const rig *o); /* bytes that a group may have */
void rig_api_read_image(rig *o, dev_memory m, unsigned width, unsigned height,
                        void *to);

/* Arguments of k, in their order; a `local` one is memory that each group has.
 * An image that is read takes two. */
void rig_api_arg_value(rig *o, dev_kernel k, unsigned at, const void *value,
                       size_t bytes);
void rig_api_arg_local(rig *o, dev_kernel k, unsigned at, size_t bytes);
void rig_api_arg_memory(rig *o, dev_kernel k, unsigned at, dev_memory m);
void rig_api_arg_read(rig *o, dev_kernel k, unsigned at, dev_memory image);
void rig_api_arg_write(rig *o, dev_kernel k, unsigned at, dev_memory image);

/* Buffers of all that a problem has. */
typedef struct rig_buffers {
    const wl_buffer *is[WL_BUFFERS + 1]; /* NULL at their end */
    dev_memory m[WL_BUFFERS];
    unsigned count;
} rig_buffers;

/* The problem's launches, in so many streams; returns when all have ended. */
void rig_api_launch_all(rig *o, const wl_launched *l, unsigned count,
                        unsigned streams, const rig_buffers *b);

/* ---- Of rig.c ---- */

__attribute__((noreturn, format(printf, 3, 4))) void
rig_end(const char *name, int status, const char *fmt, ...);
/* Ends the program if the problem has none of that name. */
const wl_buffer *rig_find(const rig *o, const char *name);
/* Sets the arguments of k: names of buffers and numbers, "a, b, 1024". */
void rig_words(rig *o, dev_kernel k, const char *words, const rig_buffers *b);

#endif
