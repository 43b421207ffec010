/* src/cache/l2_keep.c - see the header. */
#include "cache/l2_keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

l2_keep *l2_keep_new(const l2_config *cfg)
{
    size_t slots = (size_t)cfg->sets * cfg->ways;
    l2_keep *k;

    if (!cfg->persisting)
        return NULL;
    k = new0(1, sizeof *k);
    k->line = new_array(slots, 1);
    memset(k->line, MEM_KEEP_NORMAL, slots);
    k->most = cfg->ways * cfg->persisting / 100;
    return k;
}

void l2_keep_free(l2_keep *k)
{
    if (!k)
        return;
    free(k->line);
    free(k);
}

/* Lower ones go first. */
static unsigned rank(uint8_t is)
{
    return is == MEM_KEEP_FIRST ? 0 : is == MEM_KEEP_NORMAL ? 1 : 2;
}

uint32_t l2_keep_victim(const l2 *b, uint32_t set)
{
    const mem_tags *t = &b->tags;
    uint32_t first = set * t->ways, best = MEM_NO_SLOT;
    unsigned least = UINT32_MAX;
    bool later = false; /* one that need not stay is free in a while */

    if (t->reserved[set] == t->live_ways)
        return MEM_NO_SLOT;
    for (uint32_t s = first; s < first + t->live_ways; s++) {
        unsigned is = rank(b->keep->line[s]);

        if (!mem_tags_holds(t, s))
            return s;
        later |= t->state[s].pending && is < rank(MEM_KEEP_LAST);
        if (t->state[s].pending || is > least ||
            (is == least && t->used[s] >= t->used[best]))
            continue;
        least = is;
        best = s;
    }
    return later && least == rank(MEM_KEEP_LAST) ? MEM_NO_SLOT : best;
}

/* Lines of the set of `slot` that are to stay. */
static uint32_t staying(const l2 *b, uint32_t slot)
{
    uint32_t first = slot / b->tags.ways * b->tags.ways, n = 0;

    for (uint32_t s = first; s < first + b->tags.live_ways; s++)
        n += mem_tags_holds(&b->tags, s) && b->keep->line[s] == MEM_KEEP_LAST;
    return n;
}

static void make_stay(l2 *b, uint32_t slot, uint32_t most)
{
    if (b->keep->line[slot] == MEM_KEEP_LAST)
        return;
    if (staying(b, slot) >= most) {
        b->st.keep_refused++;
        return;
    }
    b->keep->line[slot] = MEM_KEEP_LAST;
    b->st.kept++;
}

void l2_keep_found(l2 *b, uint32_t slot, mem_keep is)
{
    l2_keep *k = b->keep;

    if (is == MEM_KEEP_LAST)
        make_stay(b, slot, k->most);
    else if (is == MEM_KEEP_WINDOW)
        make_stay(b, slot, k->aside);
    else if (is == MEM_KEEP_FIRST || is == MEM_KEEP_NORMAL)
        k->line[slot] = (uint8_t)is;
}

void l2_keep_taken(l2 *b, uint32_t slot, mem_keep is)
{
    b->keep->line[slot] = MEM_KEEP_NORMAL;
    l2_keep_found(b, slot, is);
}

void l2_keep_replaced(l2 *b, uint32_t slot)
{
    b->st.first_replaced += b->keep->line[slot] == MEM_KEEP_FIRST;
    b->st.kept_replaced += b->keep->line[slot] == MEM_KEEP_LAST;
}

void l2_keep_order(l2 *b, const mem_msg *m, uint32_t slot)
{
    if (m->keep == MEM_KEEP_APPLY) {
        b->st.priorities++;
        if (slot != MEM_NO_SLOT)
            b->keep->line[slot] = MEM_KEEP_NORMAL;
        return;
    }
    b->st.discards++;
    if (slot == MEM_NO_SLOT)
        return;
    mem_line_state *s = &b->tags.state[slot];

    b->st.discarded_sectors += mem_sectors_count(s->dirty);
    s->valid &= (uint8_t)~s->partial; /* what is in part there is nothing */
    s->dirty = s->partial = 0;
}

void l2_persist(l2 *b, uint64_t bytes)
{
    uint64_t all =
        (uint64_t)b->cfg.sets * b->cfg.ways * b->cfg.line * b->cfg.slices;
    uint64_t ways = bits_div_up(bytes * b->cfg.ways, all);

    if (b->keep)
        b->keep->aside = ways < b->keep->most ? (uint32_t)ways : b->keep->most;
}

void l2_persist_no_more(l2 *b)
{
    for (size_t s = 0; b->keep && s < (size_t)b->cfg.sets * b->cfg.ways; s++)
        if (b->keep->line[s] == MEM_KEEP_LAST)
            b->keep->line[s] = MEM_KEEP_NORMAL;
}
