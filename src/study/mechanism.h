/* src/study/mechanism.h - hardware ideas by name: which parameters make one,
 * and which make what it is compared with. Constant rows. */
#ifndef STUDY_MECHANISM_H
#define STUDY_MECHANISM_H

#include <stddef.h>

#include "study/view.h"

enum { MECHANISM_VARIANTS = 16 };

typedef struct mechanism {
    const char *name;
    const char *about; /* one sentence */
    const char *where; /* it makes sense: machines, programs; a clause */
    const char *gpu;   /* the default; NULL: v100 */
    const char *set; /* "l1.mshrs=128,...": on all sides, before --set, of that
                        GPU, not of others; NULL: nothing */
    /* A parameter that is not 0 where the mechanism does anything, and what it
     * is if it is 0: "its L1 holds no global loads"; NULL: none. */
    const char *needs, *without;
    const char *against;                  /* as --against has it: the rival */
    const char *with[MECHANISM_VARIANTS]; /* as --with has it; NULL at the end
                                             if there are fewer */
    const view *view; /* other values that are reported; NULL: none */
    /* Part of the energy that it is about (energy/part.def), which is reported
     * besides the total; NULL: none. */
    const char *part;
    /* How often workloads with random inputs are drawn if nothing is said of
     * it: single draws say little. 0: once. */
    unsigned draws;
    const char *page; /* of docs/ */
} mechanism;

size_t mechanism_count(void);
const mechanism *mechanism_get(size_t i);
/* What it sets on all sides of a GPU; NULL: nothing. */
const char *mechanism_set(const mechanism *m, const char *gpu);
const mechanism *mechanism_find(const char *name); /* NULL: none */

#endif
