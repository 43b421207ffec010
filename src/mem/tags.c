/* src/mem/tags.c - see the header. */
#include "mem/tags.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"

static const uint64_t none = UINT64_MAX; /* in line[]: an empty slot */

void mem_tags_init(mem_tags *t, uint32_t sets, uint32_t ways,
                   uint32_t line_bytes, cfg_index index)
{
    size_t slots = (size_t)sets * ways;

    MUST(sets && ways && bits_is_pow2(line_bytes));
    memset(t, 0, sizeof *t);
    mem_spread_init(&t->spread, sets, index);
    t->sets = sets;
    t->ways = ways;
    t->shift = bits_log2(line_bytes);
    t->line = new_array(slots, sizeof *t->line);
    t->used = new_array(slots, sizeof *t->used);
    t->state = new0(slots, sizeof *t->state);
    t->reserved = new0(sets, sizeof *t->reserved);
    memset(t->line, 0xff, slots * sizeof *t->line);
    t->live_ways = ways;
    t->empty = true;
}

void mem_tags_fini(mem_tags *t)
{
    free(t->line);
    free(t->used);
    free(t->state);
    free(t->reserved);
}

void mem_tags_spread(mem_tags *t, uint32_t sets)
{
    MUST(sets && sets <= t->sets);
    if (sets != t->spread.n)
        mem_spread_init(&t->spread, sets, t->spread.kind);
}

void mem_tags_clear(mem_tags *t, uint32_t ways)
{
    size_t slots = (size_t)t->sets * t->ways;

    MUST(ways && ways <= t->ways);
    t->live_ways = ways;
    if (t->empty)
        return;
    t->empty = true;
    memset(t->line, 0xff, slots * sizeof *t->line);
    memset(t->state, 0, slots * sizeof *t->state);
    memset(t->reserved, 0, t->sets * sizeof *t->reserved);
}

uint32_t mem_tags_victim_in(const mem_tags *t, uint32_t set)
{
    uint32_t first = set * t->ways, best = MEM_NO_SLOT;
    uint64_t oldest = UINT64_MAX;

    if (t->reserved[set] == t->live_ways)
        return MEM_NO_SLOT;
    for (uint32_t s = first; s < first + t->live_ways; s++) {
        if (t->line[s] == none)
            return s;
        if (t->used[s] < oldest && !t->state[s].pending) {
            oldest = t->used[s];
            best = s;
        }
    }
    return best;
}

void mem_tags_take(mem_tags *t, uint32_t slot, uint64_t addr)
{
    MUST_CHECK(!t->state[slot].pending);
    t->empty = false;
    t->line[slot] = addr >> t->shift << t->shift;
    t->state[slot] = (mem_line_state){0};
    mem_tags_touch(t, slot);
}

void mem_tags_drop(mem_tags *t, uint32_t slot)
{
    MUST_CHECK(!t->state[slot].pending);
    t->line[slot] = none;
    t->state[slot] = (mem_line_state){0};
}

/* The count of a set is that of its reserved lines; slow, for checks only. */
static bool __attribute__((unused)) count_holds(const mem_tags *t, uint32_t set)
{
    uint32_t n = 0;

    for (uint32_t s = set * t->ways; s < set * t->ways + t->live_ways; s++)
        n += t->state[s].pending != 0;
    return n == t->reserved[set] && n <= t->live_ways;
}

void mem_tags_await(mem_tags *t, uint32_t slot, uint8_t sectors)
{
    if (!t->state[slot].pending && sectors)
        t->reserved[slot / t->ways]++;
    t->state[slot].pending |= sectors;
    MUST_CHECK(count_holds(t, slot / t->ways));
}

void mem_tags_fill(mem_tags *t, uint32_t slot, uint8_t sectors)
{
    mem_line_state *s = &t->state[slot];

    s->valid |= sectors;
    s->partial &= (uint8_t)~sectors;
    if (s->pending && !(s->pending & (uint8_t)~sectors))
        t->reserved[slot / t->ways]--;
    s->pending &= (uint8_t)~sectors;
    MUST_CHECK(count_holds(t, slot / t->ways));
}
