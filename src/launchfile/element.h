/* src/launchfile/element.h - single elements of buffers as numbers. */
#ifndef LAUNCHFILE_ELEMENT_H
#define LAUNCHFILE_ELEMENT_H

#include <stdbool.h>

#include "launchfile/plan.h"

/* 64-bit integers beyond 2^53 lose bits here; comparisons look at the bytes
 * first. */
double element_get(plan_type t, const void *at);

/* Rounds to nearest, ties to even; integers saturate. */
void element_put(plan_type t, void *at, double value);

/* The whole text as one element; false: it is none, or out of range. Integers
 * may be 0x..., negative where they fit; 0f and 0d forms of PTX are bits. */
bool element_parse(plan_type t, const char *text, void *at);

#endif
