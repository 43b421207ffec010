/* src/base/suggest.h - "did you mean": the nearest of a list of names. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/* The name nearest to `word` by edit distance, NULL if none is near enough. */
const char *suggest_nearest(const char *word, const char *const *names,
                            size_t count);

#endif
