/* src/cli/progress_words.h - what a line of progress says: how far a launch is,
 * and how long it takes, from what was seen of it so far and nothing else.
 * Owns nothing. */
#ifndef CLI_PROGRESS_WORDS_H
#define CLI_PROGRESS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/gpu.h"
#include "text/word.h"

enum {
    PROGRESS_ADVICE_S = 30, /* after which the advice is printed */
    PROGRESS_SPIN_S = 10,   /* after which spinning is reported */
    PROGRESS_LOG_S = 60,    /* between two lines in a log */
};

typedef struct progress_now {
    const char *kernel;
    size_t launches; /* that have ended */
    size_t total;    /* of them and all to come; 0: unknown */
    double launch_s; /* since this one began, */
    double all_s;    /* and the first one */
    double spin_s;   /* since its lanes were first seen to spin there */
    uint64_t insts;  /* of an earlier launch of the kernel with as many CTAs; 0:
                        there was none */
    bool functional;
    gpu_progress is; /* no CTAs: not received yet */
} progress_now;

/* "34 s", "12 min", "2.5 h" */
word progress_time(double seconds);

/* Seconds until the end of the launch, by its CTAs that have ended, or, if none
 * has, by the instructions of an earlier launch; of all of them, by those and
 * the launches that have ended. NAN: there is no basis for an estimate. */
double progress_launch_left(const progress_now *n);
double progress_all_left(const progress_now *n);

/* One line. */
void progress_words(const progress_now *n, char *to, size_t size);
/* The same for a log: with what is left out where lines are short. */
void progress_log_words(const progress_now *n, char *to, size_t size);

/* It is, or may be, worth while to time a part only. */
bool progress_takes_long(const progress_now *n);

#endif
