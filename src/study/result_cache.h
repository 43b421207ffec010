/* src/study/result_cache.h - results files by the ids of their runs, in a
 * folder that all sweeps and comparisons of a user share, so that nothing is
 * simulated twice. Entries are copies with a checksum behind them: what is
 * damaged, cut or in the way is as if it were not there, and is replaced. Any
 * number of processes may use the folder, which can be removed at any time;
 * threads may share a cache. Owns its bookkeeping. */
#ifndef STUDY_RESULT_CACHE_H
#define STUDY_RESULT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define RESULT_CACHE_BYTES ((uint64_t)1 << 30)

typedef struct result_cache result_cache;

/* The folder is made when something is put. Beyond `limit` bytes the entries
 * that were used least recently go. NULL: the host's memory is full. */
result_cache *result_cache_open(const char *dir, uint64_t limit);
void result_cache_close(result_cache *c); /* NULL is fine */

/* Writes the results file of that id to `to`. False: there is none, or `to`
 * cannot be written. A cache of NULL has nothing. */
bool result_cache_get(result_cache *c, const char *id, const char *to);

/* Is there a file of that id? Whether it is whole is seen when it is read. */
bool result_cache_has(const result_cache *c, const char *id);

/* Keeps a copy of `from`. What cannot be kept is not: a cache is no reason to
 * fail. NULL is fine. */
void result_cache_put(result_cache *c, const char *id, const char *from);

#endif
