/* src/launchfile/buffer.h - generators of plan buffers: their options and what
 * they fill in. Shared by the two readers of plans. Borrows everything. */
#ifndef LAUNCHFILE_BUFFER_H
#define LAUNCHFILE_BUFFER_H

#include <stdbool.h>

#include "base/rng.h"
#include "launchfile/plan.h"

/* The generator of that name; false: there is none. */
bool buffer_init_find(const char *name, plan_init *out);

/* False if `name` could be read as a number or splits at '='. */
bool buffer_name_good(const char *name);

/* Sets seed, min, max or value; `text` must live as long as `b`. NULL, or
 * what is wrong. */
const char *buffer_set(plan_buffer *b, const char *key, const char *text);

/* Do the options fit the generator and the type? To be called once, after all
 * have been set; a type of TYPE_NONE is not looked at. NULL, or what is
 * wrong. */
const char *buffer_check(plan_buffer *b);

/* Elements [first, first + count), in order from 0 on with one `r`, which
 * starts as buffer_rng makes it. */
rng buffer_rng(const plan_buffer *b);
void buffer_fill(const plan_buffer *b, rng *r, uint64_t first, uint64_t count,
                 void *to);

#endif
