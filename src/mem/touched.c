#include "mem/touched.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/map.h"

enum { WORDS = MEM_PIECE / MEM_LINE / 64 };

typedef struct piece {
    uint64_t addr;
    uint64_t lines[WORDS];
    bool recent;
} piece;

struct mem_touched {
    map *at; /* address of a piece -> number */
    piece *is;
    size_t count, room;
    size_t last;      /* number of the one that was found last */
    uint64_t *recent; /* numbers */
    size_t recents, recent_room;
};

mem_touched *mem_touched_new(void)
{
    mem_touched *t = new0(1, sizeof *t);

    t->at = map_new();
    return t;
}

void mem_touched_free(mem_touched *t)
{
    if (!t)
        return;
    map_free(t->at);
    free(t->is);
    free(t->recent);
    free(t);
}

static piece *piece_at(mem_touched *t, uint64_t addr)
{
    uint64_t n;

    if (t->count && t->is[t->last].addr == addr)
        return &t->is[t->last];
    if (!map_get(t->at, addr, &n)) {
        n = t->count++;
        GROW(t->is, t->count, t->room);
        t->is[n] = (piece){.addr = addr};
        map_put(t->at, addr, n);
    }
    t->last = n;
    return &t->is[n];
}

/* The lines of word `w` of a piece with a byte in [from, to). */
static uint64_t lines_between(const piece *p, unsigned w, uint64_t from,
                              uint64_t to)
{
    uint64_t first = p->addr + (uint64_t)w * 64 * MEM_LINE;
    uint64_t end = first + 64 * MEM_LINE;

    if (to <= first || from >= end)
        return 0;
    unsigned low = from > first ? (unsigned)((from - first) / MEM_LINE) : 0;
    unsigned high =
        to < end ? (unsigned)((to - first + MEM_LINE - 1) / MEM_LINE) : 64;
    return bits_mask64(high - low) << low;
}

void mem_touch(mem_touched *t, uint64_t addr, uint64_t bytes)
{
    uint64_t end = addr + bytes;

    for (uint64_t at = bits_align_down(addr, MEM_PIECE); at < end;
         at += MEM_PIECE) {
        piece *p = piece_at(t, at);

        if (!p->recent) {
            GROW(t->recent, t->recents + 1, t->recent_room);
            t->recent[t->recents++] = (uint64_t)(p - t->is);
            p->recent = true;
        }
        if (bytes <= MEM_LINE && addr / MEM_LINE == (end - 1) / MEM_LINE) {
            uint64_t line = (addr - at) / MEM_LINE;
            p->lines[line / 64] |= (uint64_t)1 << line % 64;
            return;
        }
        for (unsigned w = 0; w < WORDS; w++)
            p->lines[w] |= lines_between(p, w, addr, end);
    }
}

/* Takes the lines of one piece. */
static void take_lines(mem_touched *t, size_t n, uint64_t from, uint64_t to,
                       mem_touched_run *run, void *arg)
{
    uint64_t start = 0, end = 0; /* of the run so far */

    for (unsigned w = 0; w < WORDS; w++) {
        piece *p = &t->is[n];
        uint64_t first = p->addr + (uint64_t)w * 64 * MEM_LINE;
        uint64_t took = p->lines[w] & lines_between(p, w, from, to);

        p->lines[w] &= ~took;
        for (; took; took &= took - 1) {
            uint64_t line = first + (uint64_t)bits_ctz64(took) * MEM_LINE;

            if (line != end && end && run)
                run(arg, start, end - start);
            if (line != end)
                start = line;
            end = line + MEM_LINE;
        }
    }
    if (end && run)
        run(arg, start, end - start);
}

void mem_touched_take(mem_touched *t, uint64_t addr, uint64_t bytes,
                      mem_touched_run *run, void *arg)
{
    uint64_t end = bytes > UINT64_MAX - addr ? UINT64_MAX : addr + bytes, n;
    uint64_t first = bits_align_down(addr, MEM_PIECE);

    if ((end - first) / MEM_PIECE > t->count) {
        for (size_t i = 0; i < t->count; i++)
            take_lines(t, i, addr, end, run, arg);
        return;
    }
    for (uint64_t at = first; at < end; at += MEM_PIECE)
        if (map_get(t->at, at, &n))
            take_lines(t, n, addr, end, run, arg);
}

void mem_touched_recent(mem_touched *t, mem_touched_run *each, void *arg)
{
    for (size_t i = 0; i < t->recents; i++) {
        piece *p = &t->is[t->recent[i]];

        p->recent = false;
        each(arg, p->addr, MEM_PIECE);
    }
    t->recents = 0;
}
