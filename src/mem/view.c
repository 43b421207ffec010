/* src/mem/view.c - the log is a dense array of lines in the order in which
 * they were first written, found through an open-addressing table. Commit
 * walks the array, so its cost follows the lines written; a filter of 512
 * bits answers most look-ups of lines that are not in the log. */
#include "mem/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "mem/touched.h"
#include "mem/undo.h"

enum { FIRST_LINES = 64, FILTER_WORDS = 8 };

typedef struct log_line {
    uint64_t addr;
    uint64_t mask[MEM_LINE / 64]; /* bit per byte written */
    uint8_t data[MEM_LINE];
} log_line;

struct mem_view {
    mem_image *image;
    bool direct;
    uint32_t count, room; /* lines; room is a power of two */
    log_line *lines;
    uint32_t *slots; /* 2 * room: index + 1 into lines, 0 is free */
    uint64_t filter[FILTER_WORDS];
    mem_touched *touched; /* of a direct view; NULL: nobody cares */
};

static uint64_t mix_line(uint64_t line)
{
    uint64_t x = (line / MEM_LINE) * 0x9e3779b97f4a7c15u;

    return x ^ x >> 32;
}

mem_view *mem_view_new(mem_image *image, bool direct)
{
    mem_view *v = new0(1, sizeof *v);

    v->image = image;
    v->direct = direct;
    if (direct) {
        v->touched = mem_image_tracked(image);
        return v;
    }
    v->room = FIRST_LINES;
    v->lines = new_array(v->room, sizeof *v->lines);
    v->slots = new0(2 * v->room, sizeof *v->slots);
    return v;
}

void mem_view_free(mem_view *v)
{
    if (!v)
        return;
    free(v->lines);
    free(v->slots);
    free(v);
}

mem_image *mem_view_image(const mem_view *v) { return v->image; }

bool mem_view_direct(const mem_view *v) { return v->direct; }

mem_touched *mem_view_touched(const mem_view *v) { return v->touched; }

/* The slot that holds `line`, or the free one where it belongs. */
static uint32_t *find_slot(const mem_view *v, uint64_t line, uint64_t hash)
{
    uint32_t mask = 2 * v->room - 1, i = (uint32_t)hash & mask;

    while (v->slots[i] && v->lines[v->slots[i] - 1].addr != line)
        i = (i + 1) & mask;
    return &v->slots[i];
}

static const log_line *look_up(const mem_view *v, uint64_t line)
{
    if (!v->count)
        return NULL;
    uint64_t h = mix_line(line);
    if (!(v->filter[h >> 32 & (FILTER_WORDS - 1)] >> (h >> 40 & 63) & 1))
        return NULL;
    uint32_t at = *find_slot(v, line, h);
    return at ? &v->lines[at - 1] : NULL;
}

static void grow_log(mem_view *v)
{
    v->room *= 2;
    v->lines = renew(v->lines, v->room, sizeof *v->lines);
    free(v->slots);
    v->slots = new0(2 * v->room, sizeof *v->slots);
    for (uint32_t i = 0; i < v->count; i++)
        *find_slot(v, v->lines[i].addr, mix_line(v->lines[i].addr)) = i + 1;
}

static log_line *look_up_or_add(mem_view *v, uint64_t line)
{
    uint64_t h = mix_line(line);
    uint32_t *at = find_slot(v, line, h);

    if (*at)
        return &v->lines[*at - 1];
    if (v->count == v->room) {
        grow_log(v);
        at = find_slot(v, line, h);
    }
    v->filter[h >> 32 & (FILTER_WORDS - 1)] |= (uint64_t)1 << (h >> 40 & 63);
    log_line *l = &v->lines[v->count++];
    l->addr = line;
    memset(l->mask, 0, sizeof l->mask);
    *at = v->count;
    return l;
}

/* Eight bits to eight bytes of all ones or zeros. */
static uint64_t spread_bits(uint8_t bits)
{
    uint64_t x = bits * 0x0101010101010101u & 0x8040201008040201u;

    return (((x + 0x7f7f7f7f7f7f7f7fu) | x) >> 7 & 0x0101010101010101u) * 255;
}

/* Copies the bytes of `l` that were written over those at `to`, which stands
 * for bytes [first, first + size) of the line. */
static void overlay(const log_line *l, uint8_t *to, unsigned first,
                    unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        unsigned at = first + i;

        if (at % 8 == 0 && size - i >= 8) {
            uint64_t m = spread_bits((uint8_t)(l->mask[at / 64] >> at % 64));
            uint64_t was, now;

            memcpy(&was, to + i, 8);
            memcpy(&now, l->data + at, 8);
            now = (was & ~m) | (now & m);
            memcpy(to + i, &now, 8);
            i += 7;
        } else if (l->mask[at / 64] >> at % 64 & 1) {
            to[i] = l->data[at];
        }
    }
}

void mem_view_read(const mem_view *v, uint64_t addr, void *to, unsigned size)
{
    uint64_t line = addr & ~(uint64_t)(MEM_LINE - 1);
    const log_line *l = look_up(v, line);

    MUST_CHECK(addr - line + size <= MEM_LINE);
    memcpy(to, mem_host(v->image, addr), size);
    if (l)
        overlay(l, to, (unsigned)(addr - line), size);
}

static void mark_written(log_line *l, unsigned first, unsigned size)
{
    if (first < 64)
        l->mask[0] |= bits_mask64(size) << first;
    if (first >= 64)
        l->mask[1] |= bits_mask64(size) << (first - 64);
    else if (first + size > 64)
        l->mask[1] |= bits_mask64(first + size - 64);
}

void mem_view_write(mem_view *v, uint64_t addr, const void *from, unsigned size)
{
    uint64_t line = addr & ~(uint64_t)(MEM_LINE - 1);
    unsigned first = (unsigned)(addr - line);

    MUST_CHECK(first + size <= MEM_LINE);
    if (v->direct) {
        memcpy(mem_host(v->image, addr), from, size);
        if (__builtin_expect(v->touched != NULL, 0) && size)
            mem_touch(v->touched, addr, size);
        return;
    }
    log_line *l = look_up_or_add(v, line);
    memcpy(l->data + first, from, size);
    mark_written(l, first, size);
}

bool mem_view_clean(const mem_view *v, uint64_t line)
{
    return !look_up(v, line);
}

bool mem_view_empty(const mem_view *v) { return !v->count; }

static void note_all(const mem_view *v, mem_undo *u)
{
    for (uint32_t i = 0; i < v->count; i++)
        mem_undo_note(u, v->lines[i].addr, v->lines[i].mask,
                      mem_host(v->image, v->lines[i].addr));
}

void mem_view_commit(mem_view *v)
{
    if (__builtin_expect(mem_image_watched(v->image) != NULL, 0))
        note_all(v, mem_image_watched(v->image));
    for (uint32_t i = 0; i < v->count; i++) {
        const log_line *l = &v->lines[i];
        uint8_t *to = mem_host(v->image, l->addr);

        if ((l->mask[0] & l->mask[1]) == UINT64_MAX)
            memcpy(to, l->data, MEM_LINE);
        else
            overlay(l, to, 0, MEM_LINE);
    }
    if (!v->count)
        return;
    if (v->count < v->room / 8)
        /* Newest first: no slot is reached by stepping over a later one. */
        for (uint32_t i = v->count; i-- > 0;)
            *find_slot(v, v->lines[i].addr, mix_line(v->lines[i].addr)) = 0;
    else
        memset(v->slots, 0, 2 * v->room * sizeof *v->slots);
    memset(v->filter, 0, sizeof v->filter);
    v->count = 0;
}
