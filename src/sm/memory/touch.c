#include "sm/memory/touch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

void sm_touch_reserve(sm_touch *t, uint64_t lines)
{
    size_t words = (size_t)(lines / 64 + 1);

    if (words <= t->words)
        return;
    t->bits = renew(t->bits, words, sizeof *t->bits);
    memset(t->bits + t->words, 0, (words - t->words) * sizeof *t->bits);
    t->words = words;
}

void sm_touch_fini(sm_touch *t)
{
    free(t->bits);
    *t = (sm_touch){.bits = NULL};
}

void sm_touch_clear(sm_touch *t)
{
    if (t->used)
        memset(t->bits, 0, t->used * sizeof *t->bits);
    t->used = 0;
}

bool sm_touched(const sm_touch *t, uint64_t line)
{
    size_t word = (size_t)(line / 64);

    return word < t->used && (t->bits[word] >> line % 64 & 1);
}

bool sm_touch_first(sm_touch *t, uint64_t line)
{
    size_t word = (size_t)(line / 64);
    bool was = sm_touched(t, line);

    MUST(word < t->words);
    t->bits[word] |= (uint64_t)1 << line % 64;
    t->used = word < t->used ? t->used : word + 1;
    return !was;
}
