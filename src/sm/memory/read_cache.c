#include "sm/memory/read_cache.h"

#include <string.h>

#include "base/bits.h"

bool sm_rcache_init(sm_rcache *c, uint64_t bytes, unsigned line, unsigned ways,
                    unsigned latency)
{
    uint64_t lines = bytes / line;

    *c = (sm_rcache){.latency = latency, .shift = bits_log2(line)};
    if (!lines)
        return true;
    c->exists = true;
    if (lines < ways)
        ways = (unsigned)lines;
    return mem_tags_init(&c->tags, (uint32_t)(lines / ways), ways, line,
                         CFG_INDEX_MOD);
}

void sm_rcache_fini(sm_rcache *c)
{
    if (c->exists)
        mem_tags_fini(&c->tags);
    c->exists = false;
}

void sm_rcache_clear(sm_rcache *c)
{
    if (c->exists)
        mem_tags_clear(&c->tags, c->tags.ways);
    c->last = 0;
}

bool sm_rcache_find(sm_rcache *c, uint64_t addr)
{
    uint32_t slot = mem_tags_find(&c->tags, addr);

    if (slot == MEM_NO_SLOT)
        return false;
    mem_tags_touch(&c->tags, slot);
    c->last = (addr >> c->shift) + 1;
    return true;
}

void sm_rcache_fill(sm_rcache *c, uint64_t addr)
{
    if (!c->exists || sm_rcache_hit(c, addr))
        return;
    mem_tags_take(&c->tags, mem_tags_victim(&c->tags, addr), addr);
    c->last = (addr >> c->shift) + 1;
}
