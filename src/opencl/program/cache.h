/* src/opencl/program/cache.h - compiled programs by content, in a folder of the
 * user's: $XDG_CACHE_HOME/heddle or ~/.cache/heddle; HEDDLE_CACHE=0 turns it
 * off. The folder can be removed at any time; what is damaged in it, or cannot
 * be written, is as if it were not there. Processes may share it. */
#ifndef OPENCL_PROGRAM_CACHE_H
#define OPENCL_PROGRAM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cache_key {
    uint64_t hash[2];
} cache_key;

/* A key of nothing, and with more in it. */
cache_key cache_key_new(void);
void cache_key_add(cache_key *k, const void *data, size_t size);
void cache_key_text(cache_key *k, const char *text); /* NULL is a text too */

typedef struct cache_entry {
    char *out; /* NUL-terminated, both owned */
    size_t size;
    char *log;
} cache_entry;

/* The entry of that key, if the files that it was made from are unchanged. The
 * caller frees both texts. */
bool cache_get(const cache_key *k, cache_entry *out);

/* Keeps it. `files` are the paths of #included files with a newline behind
 * each. Removes the entries that were used least recently if all together
 * are larger than `limit` bytes, 0: CACHE_BYTES. */
void cache_put(const cache_key *k, const cache_entry *e, const char *files,
               uint64_t limit);

#define CACHE_BYTES ((uint64_t)256 << 20)

#endif
