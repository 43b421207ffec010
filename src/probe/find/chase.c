#include "probe/find/chase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { NUMBER = 16, RECORD_NONE = 0, RECORD_SHARED, RECORD_STORE };

void probe_ring_fini(probe_ring *ring)
{
    free(ring->at);
    *ring = (probe_ring){0};
}

probe_ring probe_ring_line(size_t count, uint64_t stride)
{
    probe_ring ring = {.count = count};

    ring.at = new_array(count, sizeof *ring.at);
    for (size_t i = 0; i < count; i++)
        ring.at[i] = i * stride;
    return ring;
}

/* ---- Where the places are ---- */

typedef struct layout {
    uint64_t data;  /* address that the kernel is given */
    uint32_t first; /* its last argument */
    uint64_t bytes; /* of local or constant memory */
    strbuf words;   /* of constant memory */
} layout;

static uint64_t end_of_ring(const probe_ring *ring)
{
    uint64_t end = 0;

    for (size_t i = 0; i < ring->count; i++)
        if (ring->at[i] > end)
            end = ring->at[i];
    return end;
}

/* The place behind number `i`. */
static uint64_t next_of(const probe_ring *ring, size_t i)
{
    return ring->at[i + 1 < ring->count ? i + 1 : 0];
}

static bool lay_global(probe_run *r, const probe_ring *ring, layout *l)
{
    const probe_machine *m = r->machine;
    uint64_t base = m->memory(m->self, end_of_ring(ring) + 8);

    for (size_t i = 0; i < ring->count && base; i++) {
        uint64_t next = base + next_of(ring, i);

        if (!m->write(m->self, base + ring->at[i], &next, sizeof next))
            return false;
    }
    l->data = base + ring->at[0];
    return base != 0;
}

/* A list of places for the kernel, which writes them itself. */
static bool lay_local(probe_run *r, const probe_ring *ring, layout *l)
{
    enum { APART = 128 / 4 };
    const probe_machine *m = r->machine;
    uint64_t base = m->memory(m->self, 8 * ring->count);

    for (size_t i = 0; i < ring->count && base; i++) {
        uint32_t pair[2] = {(uint32_t)(ring->at[i] / APART),
                            (uint32_t)(next_of(ring, i) / APART)};

        if (!m->write(m->self, base + 8 * i, pair, sizeof pair))
            return false;
    }
    l->data = base;
    l->first = (uint32_t)ring->count;
    l->bytes = (end_of_ring(ring) / APART + 16) / 16 * 16;
    return base != 0;
}

/* Data of the program. */
static bool lay_const(const probe_ring *ring, layout *l)
{
    size_t count = end_of_ring(ring) / 4 + 1;
    uint32_t *word = new0(count, sizeof *word);

    for (size_t i = 0; i < ring->count; i++)
        word[ring->at[i] / 4] = (uint32_t)next_of(ring, i);
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&l->words, i % 8 ? ",%u" : "\n.word %u", word[i]);
    free(word);
    l->first = (uint32_t)ring->at[0];
    l->bytes = 4 * count;
    return true;
}

static bool lay_out(probe_run *r, const probe_path *path,
                    const probe_ring *ring, layout *l)
{
    switch (path->space) {
    case PROBE_LOCAL:
        return lay_local(r, ring, l);
    case PROBE_CONST:
        return lay_const(ring, l);
    case PROBE_GLOBAL:
        break;
    }
    return lay_global(r, ring, l);
}

/* ---- Hops ---- */

static status chase(probe_run *r, const probe_path *path, const layout *l,
                    const uint32_t args[3], int record, uint32_t *out)
{
    char mode[NUMBER], room[NUMBER], space[NUMBER], bytes[NUMBER];
    probe_kernel k = {
        .name = "chase",
        .vars = {{"load", path->load},
                 {"record", mode},
                 {"room", room},
                 {"space", space},
                 {"bytes", bytes},
                 {"words", l->words.text ? l->words.text : ""}},
        .threads = 1,
        .data = l->data,
        .args = {args[0], args[1], args[2], l->first},
        .out = out,
        .out_words = record ? 2 + PROBE_MISSED : 2,
    };

    snprintf(mode, sizeof mode, "%d", record);
    snprintf(room, sizeof room, "%d", PROBE_MISSED);
    snprintf(space, sizeof space, "%d", (int)path->space);
    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)l->bytes);
    return probe_launch_kernel(r, &k);
}

/* What a timed hop takes besides its load, which is what one more takes in a
 * chain of them. */
static status empty_hop(probe_run *r)
{
    enum { HOPS = 8 };
    static const char load[] = "LDG.E.64 R8, [R8.64]";
    const probe_path path = {.load = load};
    const uint32_t args[3] = {2 * HOPS - 2, HOPS, INT32_MAX};
    probe_ring ring = probe_ring_line(HOPS, 128);
    probe_body chain = {
        .text = load,
        .setup = "MOV R8, c[0x0][data]\n    MOV R9, c[0x0][data+4]",
        .n = HOPS,
        .passes = 3}; /* a miss of the first reaches into the second */
    layout l = {0};
    uint32_t out[2];
    double latency = 0;
    status st = ST_NOMEM;

    if (lay_global(r, &ring, &l))
        st = chase(r, &path, &l, args, RECORD_NONE, out);
    chain.data = l.data;
    if (st == ST_OK)
        st = probe_cost(r, &chain, &latency);
    if (st == ST_OK)
        r->known.hop = (double)out[0] / HOPS - latency;
    probe_ring_fini(&ring);
    return st;
}

status probe_chase(probe_run *r, const probe_path *path, const probe_ring *ring,
                   unsigned rounds, double threshold, probe_hops *out,
                   uint32_t *missed)
{
    uint32_t n = (uint32_t)ring->count;
    int record = !missed           ? RECORD_NONE
                 : path->in_shared ? RECORD_SHARED
                                   : RECORD_STORE;
    status st = r->known.hop > 0 ? ST_OK : empty_hop(r);
    layout l = {0};

    if (st != ST_OK)
        return st;
    if (!lay_out(r, path, ring, &l)) {
        strbuf_fini(&l.words);
        return ST_NOMEM;
    }
    uint32_t limit =
        threshold > 0 ? (uint32_t)lround(threshold + r->known.hop) : INT32_MAX;
    uint32_t args[3] = {rounds * n - 2, n, limit};
    uint32_t words[2 + PROBE_MISSED] = {0};
    st = chase(r, path, &l, args, record, words);
    if (st == ST_OK)
        *out = (probe_hops){.mean = (double)words[0] / n - r->known.hop,
                            .misses = words[1]};
    for (uint32_t i = 0; missed && i < words[1] && i < PROBE_MISSED; i++)
        missed[i] = n - 1 - words[2 + i];
    strbuf_fini(&l.words);
    return st;
}
