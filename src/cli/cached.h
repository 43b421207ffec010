/* src/cli/cached.h - the user's cache of results:
 * $XDG_CACHE_HOME/heddle/results or ~/.cache/heddle/results. HEDDLE_CACHE=0
 * turns it off, HEDDLE_CACHE_SIZE is its limit. */
#ifndef CLI_CACHED_H
#define CLI_CACHED_H

#include "cli/cli.h"
#include "study/result_cache.h"

typedef struct cached {
    bool none;  /* --no-cache */
    bool fresh; /* --fresh: is only written */
    result_cache *is;
    uint64_t hits;
} cached;

/* Rows of cli_command.options. */
/* clang-format off */
#define CACHE_OPTIONS                                                          \
    {"no-cache", 0, NULL,                                                      \
     "neither use nor keep results of other commands", CLI_HOST},              \
    {"fresh", 0, NULL,                                                         \
     "simulate also what other commands have simulated", CLI_HOST}
/* clang-format on */

/* True if the option was one of them. */
bool cached_option(cached *c, cli_args *a);
/* False: HEDDLE_CACHE_SIZE is wrong, and that was printed for `command`. */
bool cached_open(cached *c, const char *command);
void cached_close(cached *c); /* zeroed is fine */

/* Will cached_get most probably find it? */
bool cached_has(const cached *c, const char *id);
/* As result_cache_get and _put; counts hits. */
bool cached_get(cached *c, const char *id, const char *to);
void cached_put(cached *c, const char *id, const char *from);

#endif
