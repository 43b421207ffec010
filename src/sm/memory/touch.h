/* src/sm/memory/touch.h - which lines of code or constants an SM has touched
 * since its caches were emptied: a miss of one that it had not is compulsory,
 * no cache of any size avoids it. Owns its bits. */
#ifndef SM_MEMORY_TOUCH_H
#define SM_MEMORY_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sm_touch {
    uint64_t *bits; /* by line, from 0 */
    size_t words;
    size_t used; /* words that may not be 0 */
} sm_touch;

/* Has room for so many lines, and forgets none. */
void sm_touch_reserve(sm_touch *t, uint64_t lines);
void sm_touch_fini(sm_touch *t);
void sm_touch_clear(sm_touch *t);

bool sm_touched(const sm_touch *t, uint64_t line);
/* Touches the line; true for the first time. */
bool sm_touch_first(sm_touch *t, uint64_t line);

#endif
