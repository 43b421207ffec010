#include "stats/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

static void make_step_room(stats_series *s, size_t blocks)
{
    s->blocks = blocks;
    s->end = new0(SERIES_STEPS, sizeof *s->end);
    s->value = new0(SERIES_STEPS * blocks, sizeof *s->value);
}

static void note_number(void *arg, size_t i)
{
    stats_series *s = arg;

    s->number[s->blocks++] = i;
}

void stats_series_begin(stats_series *s, const stats *reg, const char *pattern,
                        uint64_t step)
{
    size_t blocks;

    stats_series_fini(s);
    *s = (stats_series){.step = step ? step : 1};
    stats_sum(reg, NULL, pattern, &blocks);
    s->number = new0(blocks + 1, sizeof *s->number);
    s->counted = new0(blocks + 1, sizeof *s->counted);
    stats_each(reg, pattern, note_number, s);
    MUST(s->blocks == blocks);
    for (size_t i = 0; i < blocks; i++)
        s->counted[i] = stats_get(reg, s->number[i]).value;
    if (blocks)
        make_step_room(s, blocks);
}

/* Each two steps become one. */
static void halve(stats_series *s)
{
    size_t n = s->blocks;

    for (size_t k = 0; k < s->count / 2; k++) {
        s->end[k] = s->end[2 * k + 1];
        for (size_t i = 0; i < n; i++)
            s->value[k * n + i] =
                s->value[2 * k * n + i] + s->value[(2 * k + 1) * n + i];
    }
    s->count /= 2;
    s->step *= 2;
}

void stats_series_add(stats_series *s, const stats *reg, uint64_t end)
{
    size_t last = s->count ? s->count - 1 : 0;
    uint64_t begin = last ? s->end[last - 1] : 0;

    if (!s->blocks)
        return;
    if (!s->count || s->end[last] - begin >= s->step) {
        if (s->count == SERIES_STEPS)
            halve(s);
        last = s->count++;
        memset(&s->value[last * s->blocks], 0, s->blocks * sizeof *s->value);
    }
    s->end[last] = end;
    for (size_t i = 0; i < s->blocks; i++) {
        uint64_t now = stats_get(reg, s->number[i]).value;

        s->value[last * s->blocks + i] += now - s->counted[i];
        s->counted[i] = now;
    }
}

bool stats_series_put(stats_series *s, size_t blocks, uint64_t end,
                      const uint64_t *values)
{
    if (!s->blocks)
        make_step_room(s, blocks);
    if (s->blocks != blocks || s->count == SERIES_STEPS)
        return false;
    s->end[s->count] = end;
    memcpy(&s->value[s->count++ * blocks], values, blocks * sizeof *values);
    return true;
}

void stats_series_fini(stats_series *s)
{
    free(s->end);
    free(s->value);
    free(s->number);
    free(s->counted);
    *s = (stats_series){.blocks = 0};
}
