/* src/probe/loop.h - rates in the steady state of a loop (probes/steady.sass):
 * of two numbers of passes the difference, so that what stands around the loop
 * does not count. */
#ifndef PROBE_LOOP_H
#define PROBE_LOOP_H

#include "probe/harness.h"

enum {
    LOOP_LINE = 14,  /* instructions of 128 bytes of Kepler's code */
    LOOP_WARPS = 16, /* four of each scheduler [PPOPP:method] */
};

typedef struct probe_loop {
    /* Has `$down` and `$test` once, each in place of an instruction: they count
     * the passes, in double precision, since nothing else uses those units here
     * [PPOPP:SMX]. It may use R8 and what follows. */
    const char *text;
    unsigned warps;  /* of an SM; more than a CTA has: in several CTAs */
    unsigned place;  /* instructions from a line of the code to the loop */
    const char *set; /* instructions before; NULL: none */
    unsigned active; /* warps that do not go `out` there; 0: all */
} probe_loop;

enum { LOOP_SCHEDULERS = 4 }; /* a warp's is its number modulo these */

/* Cycles of a pass of all its warps. */
status probe_pass(probe_run *r, const probe_loop *l, double *cycles);

/* Of the warps of each scheduler. */
status probe_passes(probe_run *r, const probe_loop *l,
                    double cycles[LOOP_SCHEDULERS]);

/* Appends `count` instructions, where $k counts, with two of them that count
 * the passes: each of these pairs with the one before if a code for pairs was
 * found. All others have `code`, if the family has codes. Returns their
 * number. */
unsigned probe_stream(const probe_run *r, const char *text, unsigned code,
                      unsigned count, strbuf *out);

/* As many instructions in whole lines as surely fit the first instruction
 * cache, at most `most`. */
unsigned probe_loop_room(const probe_run *r, unsigned most);

/* Lanes in a cycle of a stream of LOOP_WARPS warps, as long as in the
 * published measurement if the cache allows. */
status probe_rate(probe_run *r, const char *text, unsigned code, double *rate);

#endif
