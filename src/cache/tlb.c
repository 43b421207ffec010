/* src/cache/tlb.c - see the header. */
#include "cache/tlb.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"

void tlb_init(tlb *t, const config *cfg, const mmu *m, unsigned sm)
{
    *t = (tlb){.next = NEVER};
    if (!m)
        return;
    t->mmu = m;
    t->sm = sm;
    t->entries = cfg->tlb.first.entries;
    t->shift = bits_log2(cfg->gpu.page_bytes);
    t->latency = cfg->tlb.second.latency;
    t->page = new_array(t->entries, sizeof *t->page);
}

void tlb_fini(tlb *t)
{
    free(t->page);
    free(t->wait);
    free(t->ask);
}

/* Puts `page` in front of those used before, of which the oldest of `n` goes.
 */
static void put_first(tlb *t, uint64_t page, uint32_t n)
{
    memmove(&t->page[1], &t->page[0], (n - 1) * sizeof *t->page);
    t->page[0] = page;
}

static void ask_second_level(tlb *t, uint64_t now, uint64_t page)
{
    bool hit = mmu_holds(t->mmu, t->sm, page);
    uint64_t ready = hit ? now + t->latency : NEVER;

    GROW(t->wait, t->waits + 1, t->wait_room);
    t->wait[t->waits++] = (tlb_wait){page, ready};
    t->next = ready < t->next ? ready : t->next;
    GROW(t->ask, t->asks + 1, t->ask_room);
    t->ask[t->asks++] = (tlb_ask){page, now, hit};
}

static tlb_wait *find_wait(const tlb *t, uint64_t page)
{
    for (uint32_t i = 0; i < t->waits; i++)
        if (t->wait[i].page == page)
            return &t->wait[i];
    return NULL;
}

bool tlb_search(tlb *t, uint64_t now, uint64_t page, bool *anew)
{
    for (uint32_t i = 0; i < t->held; i++)
        if (t->page[i] == page) {
            put_first(t, page, i + 1);
            return true;
        }
    *anew = !find_wait(t, page);
    if (*anew)
        ask_second_level(t, now, page);
    return false;
}

bool tlb_ready(const tlb *t, uint64_t now, uint64_t addr)
{
    const tlb_wait *w = find_wait(t, mem_place(addr) >> t->shift);

    MUST(w != NULL);
    return w->ready <= now;
}

void tlb_fill(tlb *t, uint64_t now)
{
    uint32_t left = 0;

    t->next = NEVER;
    for (uint32_t i = 0; i < t->waits; i++) {
        tlb_wait w = t->wait[i];

        if (w.ready <= now) {
            t->held += t->held < t->entries;
            put_first(t, w.page, t->held);
            continue;
        }
        t->wait[left++] = w;
        t->next = w.ready < t->next ? w.ready : t->next;
    }
    t->waits = left;
}

void tlb_answer(tlb *t, uint64_t page, uint64_t when)
{
    tlb_wait *w = find_wait(t, page);

    MUST(w && w->ready == NEVER);
    w->ready = when;
    t->next = when < t->next ? when : t->next;
}
