/* src/session/sampling.h - which launches of a program are timed where those
 * that are alike are timed a few times only, and what the others would have
 * taken.
 *
 * Launches are alike that run the same code on one GPU in CTAs of the same
 * size; they form a group. The first of a group are timed, and more until the
 * cycles of a warp instruction are known to TARGET; then ever fewer, at
 * irregular distances, to see whether that still holds: where a later one
 * differs by more, they are timed again more often, and what was known is
 * forgotten. Grids of other sizes than those that were timed are timed where
 * cycles bend on the way to them: further than BEND, or FAR. Where the same
 * grid is other work each time, as the data make it, its size is not known
 * before, and those are timed that are met first.
 *
 * Launches that are in flight together hide part of each other's time, so where
 * they follow each other so, two are timed behind one another, and what the
 * second adds is what counts. A launch that is only computed is charged what
 * those took that executed about as many warp instructions, and where fewer
 * than two did, what a line has there through those beside it; how sure that
 * is, is what such guesses were off by where a launch was timed after all. The
 * ideas are those of Sieve (Naderan-Tahan et al., ISPASS 2023) and Photon (Liu
 * et al., MICRO 2023); nothing is fitted to any program. A function of the
 * order of launches and of what they take, and of nothing else. Not
 * thread-safe. */
#ifndef SESSION_SAMPLING_H
#define SESSION_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sampling_launch { /* what makes launches alike */
    const void *code;            /* compared, never read */
    uint32_t device;             /* number of its GPU */
    uint32_t block[3];
    uint32_t shared_bytes; /* dynamic */
} sampling_launch;

/* Of a launch that was not timed. One standard deviation each: `spread` of its
 * own, which no other launch shares, and `error` of what is known of its group,
 * which all of the group share. */
typedef struct sampling_guess {
    double cycles, spread, error;
} sampling_guess;

typedef struct sampling sampling;

sampling *sampling_new(void);
void sampling_free(sampling *s); /* NULL is fine */

/* Is the next launch, of so many CTAs, timed? *group is for the calls below. */
bool sampling_is_timed(sampling *s, const sampling_launch *l, uint64_t ctas,
                       uint32_t *group);

/* A launch of `group` has ended after so many cycles; `behind` another that was
 * in flight with it: so many cycles later than that. */
void sampling_timed(sampling *s, uint32_t group, uint64_t ctas,
                    uint64_t warp_insts, uint64_t cycles, bool behind);

/* Another one has been computed. */
sampling_guess sampling_computed(sampling *s, uint32_t group, uint64_t ctas,
                                 uint64_t warp_insts);

#endif
