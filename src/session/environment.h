/* src/session/environment.h - the environment that a program gets. */
#ifndef SESSION_ENVIRONMENT_H
#define SESSION_ENVIRONMENT_H

#include "base/arena.h"

/* `ours` with `entries` (NULL: none), both with NULL at their end. NAME=VALUE
 * stands in place of what the name has there, NAME+=VALUE before it, with a
 * colon between them; what it has is by another entry, if there is one, else
 * by `ours`. Texts are borrowed or in the arena. */
char **environment_make(char *const *ours, const char *const *entries,
                        arena *mem);

#endif
