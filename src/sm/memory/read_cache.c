#include "sm/memory/read_cache.h"

#include <string.h>

#include "base/bits.h"

void sm_read_cache_init(sm_read_cache *c, uint64_t bytes, unsigned line,
                        unsigned ways, unsigned latency)
{
    uint64_t lines = bytes / line;

    *c = (sm_read_cache){.latency = latency, .shift = bits_log2(line)};
    if (!lines)
        return;
    c->exists = true;
    if (lines < ways)
        ways = (unsigned)lines;
    mem_tags_init(&c->tags, (uint32_t)(lines / ways), ways, line,
                  CFG_INDEX_MOD);
}

void sm_read_cache_fini(sm_read_cache *c)
{
    if (c->exists)
        mem_tags_fini(&c->tags);
    c->exists = false;
}

void sm_read_cache_clear(sm_read_cache *c)
{
    if (c->exists)
        mem_tags_clear(&c->tags, c->tags.ways);
    c->last = 0;
}

bool sm_read_cache_find(sm_read_cache *c, uint64_t addr)
{
    uint32_t slot = mem_tags_find(&c->tags, addr);

    if (slot == MEM_NO_SLOT)
        return false;
    mem_tags_touch(&c->tags, slot);
    c->last = (addr >> c->shift) + 1;
    return true;
}

void sm_read_cache_fill(sm_read_cache *c, uint64_t addr)
{
    if (!c->exists || sm_read_cache_hit(c, addr))
        return;
    mem_tags_take(&c->tags, mem_tags_victim(&c->tags, addr), addr);
    c->last = (addr >> c->shift) + 1;
}
