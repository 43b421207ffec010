/* src/mem/tags.c - see the header. */
#include "mem/tags.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"

enum { FEW_WAYS = 8 }; /* so many are compared one by one */

static const uint64_t none = UINT64_MAX; /* in line[]: an empty slot */

/* A byte by which most lines of a set differ. */
static uint8_t mark_of(uint64_t line)
{
    return (uint8_t)(line * 0x9e3779b97f4a7c15u >> 56);
}

/* The ring of each set, in any order. */
static void init_rings(mem_tags *t)
{
    size_t places = t->ways + 1, bytes = places * sizeof *t->older;

    MUST(t->ways < UINT16_MAX);
    t->older = new_array(t->sets * places, sizeof *t->older);
    t->younger = new_array(t->sets * places, sizeof *t->younger);
    t->lines = new0(t->sets, sizeof *t->lines);
    for (uint32_t i = 0; i <= t->ways; i++) {
        t->younger[i] = (uint16_t)(i < t->ways ? i + 1 : 0);
        t->older[i] = (uint16_t)(i ? i - 1 : t->ways);
    }
    for (uint32_t set = 1; set < t->sets; set++) {
        memcpy(t->younger + set * places, t->younger, bytes);
        memcpy(t->older + set * places, t->older, bytes);
    }
}

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
    t->marks = ways > FEW_WAYS ? (ways + 7) / 8 * 8 : 0;
    t->mark = new0((size_t)sets * t->marks, sizeof *t->mark);
    t->used = new_array(slots, sizeof *t->used);
    t->state = new0(slots, sizeof *t->state);
    t->reserved = new0(sets, sizeof *t->reserved);
    memset(t->line, 0xff, slots * sizeof *t->line);
    t->live_ways = ways;
    t->empty = true;
    if (t->marks)
        init_rings(t);
}

void mem_tags_fini(mem_tags *t)
{
    free(t->line);
    free(t->mark);
    free(t->used);
    free(t->state);
    free(t->reserved);
    free(t->older);
    free(t->younger);
    free(t->lines);
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
    t->holes = false;
    if (t->marks)
        memset(t->lines, 0, t->sets * sizeof *t->lines);
}

/* A bit for each byte of `x` that is zero, its highest one; those above the
 * first may be wrong. */
static uint64_t zero_bytes(uint64_t x)
{
    return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

/* Eight at a time, by their marks. */
__attribute__((noinline)) uint32_t
mem_tags_find_marked(const mem_tags *t, uint32_t set, uint64_t line)
{
    uint64_t like = mark_of(line) * 0x0101010101010101u, eight;
    uint32_t first = set * t->ways;

    for (uint32_t way = 0; way < t->live_ways; way += 8) {
        memcpy(&eight, &t->mark[set * t->marks + way], sizeof eight);
        uint64_t found = zero_bytes(eight ^ like);
        for (; found; found &= found - 1) {
            uint32_t w = way + bits_ctz64(found) / 8;

            if (w < t->live_ways && t->line[first + w] == line)
                return first + w;
        }
    }
    return MEM_NO_SLOT;
}

static void make_youngest(mem_tags *t, uint32_t set, uint32_t way)
{
    uint16_t *older = &t->older[set * (t->ways + 1)];
    uint16_t *younger = &t->younger[set * (t->ways + 1)];

    older[younger[way]] = older[way];
    younger[older[way]] = younger[way];
    younger[way] = (uint16_t)t->ways;
    older[way] = older[t->ways];
    younger[older[way]] = (uint16_t)way;
    older[t->ways] = (uint16_t)way;
}

void mem_tags_touch_marked(mem_tags *t, uint32_t slot)
{
    make_youngest(t, slot / t->ways, slot % t->ways);
}

/* The first by age of a set whose slots all hold a line. */
static uint32_t oldest_of(const mem_tags *t, uint32_t set)
{
    const uint16_t *younger = &t->younger[set * (t->ways + 1)];
    uint32_t way = younger[t->ways];

    while (way >= t->live_ways || t->state[set * t->ways + way].pending)
        way = younger[way];
    return set * t->ways + way;
}

uint32_t mem_tags_victim_in(const mem_tags *t, uint32_t set)
{
    uint32_t first = set * t->ways, best = MEM_NO_SLOT;
    uint64_t oldest = UINT64_MAX;

    if (t->reserved[set] == t->live_ways)
        return MEM_NO_SLOT;
    if (t->marks && t->lines[set] == t->live_ways)
        return oldest_of(t, set);
    if (t->marks && !t->holes)
        return first + t->lines[set];
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
    addr = addr >> t->shift << t->shift;
    if (t->marks) {
        uint32_t set = slot / t->ways, way = slot % t->ways;

        if (t->line[slot] == none)
            t->holes |= t->lines[set]++ != way;
        t->mark[set * t->marks + way] = mark_of(addr);
        make_youngest(t, set, way);
    }
    t->line[slot] = addr;
    t->state[slot] = (mem_line_state){0};
    t->used[slot] = ++t->stamp;
}

void mem_tags_drop(mem_tags *t, uint32_t slot)
{
    MUST_CHECK(!t->state[slot].pending);
    if (t->marks && t->line[slot] != none) {
        t->lines[slot / t->ways]--;
        t->holes = true;
    }
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
