#include "gpu/dispatch/balance.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

void balance_init(balance *b, const config *cfg, unsigned window)
{
    b->sms = cfg->gpu.sms;
    b->slots = cfg->sm.warps;
    /* In a window an SM is sent no more CTAs than it has slots for, and no more
     * end than were there or were sent; the same holds for warps. */
    b->room = b->sms * (2 * cfg->sm.ctas + cfg->sm.warps);
    b->held = new0(b->sms, sizeof *b->held);
    b->level = new0(b->slots + 1, sizeof *b->level);
    b->window = window;
    b->event = new0(b->room + 1, sizeof *b->event);
    b->cycle = new0((size_t)window + 1, sizeof *b->cycle);
}

void balance_fini(balance *b)
{
    free(b->held);
    free(b->level);
    free(b->event);
    free(b->cycle);
}

void balance_clear(balance *b, uint64_t now)
{
    memset(b->held, 0, b->sms * sizeof *b->held);
    memset(b->level, 0, (b->slots + 1) * sizeof *b->level);
    b->level[0] = b->sms;
    b->total = b->squares = 0;
    b->most = 0;
    b->upto = b->from = now;
    b->events = 0;
    memset(b->cycle, 0, (b->window + 1) * sizeof *b->cycle);
}

void balance_note(balance *b, uint64_t when, unsigned i, int change)
{
    MUST(b->events < b->room && when - b->from <= b->window);
    unsigned *last = &b->cycle[when - b->from];

    b->event[++b->events] = (balance_event){i, change, *last};
    *last = b->events;
}

static void sum_up(balance *b, uint64_t to)
{
    uint64_t cycles = to > b->upto ? to - b->upto : 0;

    b->sums.held += b->total * cycles;
    b->sums.squares += b->squares * cycles;
    b->sums.total_squares += b->total * b->total * cycles;
    b->sums.most += b->most * cycles;
    b->upto += cycles;
}

static void apply(balance *b, const balance_event *e)
{
    unsigned *held = &b->held[e->sm], old = *held;

    *held = old + (unsigned)e->change;
    MUST(*held <= b->slots);
    b->total += (uint64_t)(int64_t)e->change;
    b->squares += (uint64_t)*held * *held - (uint64_t)old * old;
    b->level[old]--;
    b->level[*held]++;
    b->most = *held > b->most ? *held : b->most;
    while (b->most && !b->level[b->most])
        b->most--;
}

void balance_settle(balance *b, uint64_t now)
{
    for (unsigned c = 0, left = b->events; left; c++) {
        if (!b->cycle[c])
            continue;
        sum_up(b, b->from + c);
        for (unsigned e = b->cycle[c]; e; e = b->event[e].next, left--)
            apply(b, &b->event[e]);
        b->cycle[c] = 0;
    }
    b->events = 0;
    sum_up(b, now);
}
