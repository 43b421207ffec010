#include "mem/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/map.h"

typedef struct old_line {
    uint64_t addr;
    uint64_t mask[MEM_LINE / 64]; /* bit per byte kept */
    uint8_t data[MEM_LINE];
} old_line;

struct mem_undo {
    map *at; /* address -> number */
    old_line *line;
    size_t count, room;
};

mem_undo *mem_undo_new(void)
{
    mem_undo *u = new0(1, sizeof *u);

    u->at = map_new();
    return u;
}

void mem_undo_free(mem_undo *u)
{
    if (!u)
        return;
    map_free(u->at);
    free(u->line);
    free(u);
}

static old_line *line_at(mem_undo *u, uint64_t addr)
{
    uint64_t n;

    if (map_get(u->at, addr, &n))
        return &u->line[n];
    GROW(u->line, u->count + 1, u->room);
    map_put(u->at, addr, u->count);
    u->line[u->count] = (old_line){.addr = addr};
    return &u->line[u->count++];
}

/* Copies the bytes of a mask. */
static void copy_masked_bytes(uint8_t *to, const uint8_t *from,
                              const uint64_t mask[])
{
    for (unsigned i = 0; i < MEM_LINE / 64; i++) {
        if (mask[i] == UINT64_MAX) {
            memcpy(to + 64 * i, from + 64 * i, 64);
            continue;
        }
        for (uint64_t left = mask[i]; left; left &= left - 1) {
            unsigned at = 64 * i + bits_ctz64(left);

            to[at] = from[at];
        }
    }
}

void mem_undo_note(mem_undo *u, uint64_t line,
                   const uint64_t mask[MEM_LINE / 64], const uint8_t *host)
{
    old_line *l = line_at(u, line);
    uint64_t fresh[MEM_LINE / 64];

    for (unsigned i = 0; i < MEM_LINE / 64; i++) {
        fresh[i] = mask[i] & ~l->mask[i];
        l->mask[i] |= mask[i];
    }
    copy_masked_bytes(l->data, host, fresh);
}

void mem_undo_apply(mem_undo *u, mem_image *m)
{
    for (size_t i = 0; i < u->count; i++) {
        const old_line *l = &u->line[i];

        copy_masked_bytes(mem_host(m, l->addr), l->data, l->mask);
        map_del(u->at, l->addr);
    }
    u->count = 0;
}
