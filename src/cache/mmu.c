/* src/cache/mmu.c - see the header. A region is what an entry of the second and
 * third level covers: `tlb.pages` pages, which a read of the page tables brings
 * together. */
#include "cache/mmu.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "cache/tlb.h"

typedef struct mmu_stats {
#define STAT(id, unit, help) uint64_t id;
#include "cache/mmu_stats.def"
#undef STAT
} mmu_stats;

static const stat_desc mmu_desc[] = {
#define STAT(id, unit, help) STAT_DESC(mmu_stats, id, unit, help),
#include "cache/mmu_stats.def"
#undef STAT
};

const stats_block mmu_stats_block = {
    "mmu", "address translation that SMs share", mmu_desc, COUNTOF(mmu_desc)};

/* A TLB of regions: fully associative, least recently used. */
typedef struct regions {
    uint64_t *region, *used;
    uint32_t entries, held;
} regions;

typedef struct mmu_request {
    tlb *from;
    uint32_t unit; /* second level */
    tlb_ask ask;
} mmu_request;

typedef struct fetch { /* a region on its way to a second level */
    uint64_t region, ready;
    uint32_t unit;
} fetch;

struct mmu {
    uint32_t share; /* SMs of a second level */
    uint32_t units;
    uint32_t shift; /* log2 of the pages of a region */
    uint32_t l2_latency, l3_latency, walk_latency;
    regions *l2;
    regions l3;
    uint64_t stamp;
    uint64_t *free_at; /* per walker */
    uint32_t walkers;
    fetch *fetch; /* in the order of asking */
    uint32_t fetches, fetch_room;
    mmu_request *request; /* of the window that ended */
    uint32_t requests, request_room;
    mmu_stats st;
};

/* -- regions ------------------------------------------------------------ */

static void regions_init(regions *r, uint32_t entries)
{
    r->entries = entries;
    r->region = new_array(entries, sizeof *r->region);
    r->used = new_array(entries, sizeof *r->used);
}

static void regions_fini(regions *r)
{
    free(r->region);
    free(r->used);
}

static uint32_t region_find(const regions *r, uint64_t region)
{
    uint32_t i = 0;

    while (i < r->held && r->region[i] != region)
        i++;
    return i;
}

static bool region_touch(regions *r, uint64_t region, uint64_t stamp)
{
    uint32_t i = region_find(r, region);

    if (i == r->held)
        return false;
    r->used[i] = stamp;
    return true;
}

/* Returns true if another had to go. */
static bool region_put(regions *r, uint64_t region, uint64_t stamp)
{
    uint32_t at = 0;

    if (!r->entries || region_touch(r, region, stamp))
        return false;
    if (r->held < r->entries) {
        at = r->held++;
        r->region[at] = region;
        r->used[at] = stamp;
        return false;
    }
    for (uint32_t i = 1; i < r->held; i++)
        if (r->used[i] < r->used[at])
            at = i;
    r->region[at] = region;
    r->used[at] = stamp;
    return true;
}

/* -- construction ------------------------------------------------------- */

mmu *mmu_new(const config *cfg, stats *reg)
{
    if (!cfg->tlb.first.entries)
        return NULL;
    mmu *m = new0(1, sizeof *m);

    m->share = cfg->tlb.second.sms;
    m->units = bits_div_up(cfg->gpu.sms, m->share);
    m->shift = bits_log2(cfg->tlb.pages);
    m->l2_latency = cfg->tlb.second.latency;
    m->l3_latency = cfg->tlb.third.latency;
    m->walk_latency = cfg->tlb.walk.latency;
    m->walkers = cfg->tlb.walk.most;
    m->free_at = new0(m->walkers, sizeof *m->free_at);
    m->l2 = new0(m->units, sizeof *m->l2);
    for (uint32_t i = 0; i < m->units; i++)
        regions_init(&m->l2[i], cfg->tlb.second.entries);
    regions_init(&m->l3, cfg->tlb.third.entries);
    stats_add(reg, "mmu", mmu_desc, COUNTOF(mmu_desc), &m->st);
    return m;
}

void mmu_free(mmu *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->units; i++)
        regions_fini(&m->l2[i]);
    regions_fini(&m->l3);
    free(m->l2);
    free(m->free_at);
    free(m->fetch);
    free(m->request);
    free(m);
}

/* -- during a window ---------------------------------------------------- */

bool mmu_holds(const mmu *m, unsigned sm, uint64_t page)
{
    const regions *r = &m->l2[sm / m->share];

    return region_find(r, page >> m->shift) < r->held;
}

/* -- between windows ---------------------------------------------------- */

void mmu_take(mmu *m, tlb *t)
{
    if (!t->asks)
        return;
    GROW(m->request, m->requests + t->asks, m->request_room);
    for (uint32_t i = 0; i < t->asks; i++)
        m->request[m->requests++] =
            (mmu_request){t, t->sm / m->share, t->ask[i]};
    t->asks = 0;
}

/* Which of two caches of an SM asks first for one page makes no difference. */
static int by_time(const void *a, const void *b)
{
    const mmu_request *x = a, *y = b;

    if (x->ask.when != y->ask.when)
        return x->ask.when < y->ask.when ? -1 : 1;
    if (x->from->sm != y->from->sm)
        return x->from->sm < y->from->sm ? -1 : 1;
    return (x->ask.page > y->ask.page) - (x->ask.page < y->ask.page);
}

/* When the page tables have been read, for a walk that could begin at `now`. */
static uint64_t walk(mmu *m, uint64_t now)
{
    uint32_t at = 0;

    for (uint32_t i = 1; i < m->walkers; i++)
        if (m->free_at[i] < m->free_at[at])
            at = i;
    uint64_t start = m->free_at[at] > now ? m->free_at[at] : now;
    m->st.walks++;
    m->st.walk_queued += start - now;
    m->free_at[at] = start + m->walk_latency;
    return m->free_at[at];
}

/* When the region is at a second level that lacks it. */
static uint64_t fetch_region(mmu *m, uint32_t unit, uint64_t region,
                             uint64_t now)
{
    const fetch *own = NULL, *other = NULL;
    uint64_t ready;

    for (uint32_t i = 0; i < m->fetches; i++)
        if (m->fetch[i].region == region)
            *(m->fetch[i].unit == unit ? &own : &other) = &m->fetch[i];
    if (own) {
        m->st.merges++;
        return own->ready;
    }
    if (other && other->ready > now) {
        m->st.merges++;
        ready = other->ready;
    } else if ((other && m->l3.entries) ||
               region_touch(&m->l3, region, ++m->stamp)) {
        m->st.l3_hits++;
        ready = now + m->l3_latency;
    } else {
        ready = walk(m, now);
    }
    GROW(m->fetch, m->fetches + 1, m->fetch_room);
    m->fetch[m->fetches++] = (fetch){region, ready, unit};
    return ready;
}

/* In the order of arrival, whatever windows there were since. */
void mmu_land(mmu *m, uint64_t now)
{
    while (m->fetches) {
        uint32_t at = 0;

        for (uint32_t i = 1; i < m->fetches; i++)
            if (m->fetch[i].ready < m->fetch[at].ready)
                at = i;
        fetch f = m->fetch[at];
        if (f.ready > now)
            return;
        m->fetches--;
        memmove(&m->fetch[at], &m->fetch[at + 1],
                (m->fetches - at) * sizeof *m->fetch);
        m->st.l2_evictions += region_put(&m->l2[f.unit], f.region, ++m->stamp);
        region_put(&m->l3, f.region, m->stamp);
    }
}

bool mmu_serve(mmu *m, uint64_t now)
{
    bool answers = false;

    if (m->requests > 1)
        qsort(m->request, m->requests, sizeof *m->request, by_time);
    for (uint32_t i = 0; i < m->requests; i++) {
        const mmu_request *r = &m->request[i];
        uint64_t region = r->ask.page >> m->shift;

        if (r->ask.hit) {
            m->st.l2_hits++;
            region_touch(&m->l2[r->unit], region, ++m->stamp);
            continue;
        }
        uint64_t ready =
            fetch_region(m, r->unit, region, r->ask.when + m->l2_latency);
        m->st.l2_misses++;
        tlb_answer(r->from, r->ask.page, ready > now ? ready : now);
        answers = true;
    }
    m->requests = 0;
    return answers;
}
