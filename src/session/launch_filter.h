/* src/session/launch_filter.h - which launches of a program are timed; the
 * others are only computed. A function of the order of launches of one process,
 * and of nothing else. */
#ifndef SESSION_LAUNCH_FILTER_H
#define SESSION_LAUNCH_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `--timed KERNEL[:N[-M]]`: launches first to last of the kernels of that
 * name, counted from 1 for each kernel. */
typedef struct launch_filter_rule {
    const char *kernel; /* with the wildcards of shells */
    uint64_t first, last;
} launch_filter_rule;

typedef struct launch_filter {
    bool functional; /* nothing is timed */
    bool sample;     /* of those alike a few, see session/sampling.h */
    launch_filter_rule *rule;
    size_t count;       /* 0: every kernel */
    uint64_t skip;      /* so many first launches are not timed */
    uint64_t max_timed; /* launches; 0: all */
} launch_filter;

/* Reads KERNEL[:N[-[M]]]; KERNEL is the start of `text`, of *length bytes.
 * False if N or M are wrong. Without a number: all launches. */
bool launch_filter_parse(const char *text, size_t *length,
                         launch_filter_rule *out);

typedef struct launch_filter_state launch_filter_state;

/* Borrows the rules. NULL if memory runs out. */
launch_filter_state *launch_filter_new(const launch_filter *rules);
void launch_filter_free(launch_filter_state *s); /* NULL is fine */

/* Called once for each launch, in their order. */
bool launch_filter_is_timed(launch_filter_state *s, const char *kernel);
/* Instead, for one that was performed in another run: it has its number. */
void launch_filter_pass(launch_filter_state *s, const char *kernel);

#endif
