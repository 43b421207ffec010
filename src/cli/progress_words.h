/* src/cli/progress_words.h - what a line of progress says: how far a launch is,
 * and how long it takes, from what was seen of it so far and nothing else.
 * Owns nothing. */
#ifndef CLI_PROGRESS_WORDS_H
#define CLI_PROGRESS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/gpu.h"
#include "report/word.h"

enum { PROGRESS_ADVICE_S = 30 }; /* after which one may want to time less */

typedef struct progress_now {
    const char *kernel;
    size_t launches; /* that have ended */
    size_t total;    /* of them and all to come; 0: nobody knows */
    double launch_s; /* since this one began, */
    double all_s;    /* and the first one */
    bool functional;
    gpu_progress is; /* no CTAs: not heard of yet */
} progress_now;

/* "34 s", "12 min", "2.5 h" */
word progress_time(double seconds);

/* Seconds until the end of the launch, by its CTAs that have ended; of all of
 * them, by those and the launches that have. NAN: there is nothing to tell it
 * by. */
double progress_launch_left(const progress_now *n);
double progress_all_left(const progress_now *n);

/* One line. */
void progress_words(const progress_now *n, char *to, size_t size);

/* It is, or may be, worth while to time a part only. */
bool progress_takes_long(const progress_now *n);

#endif
