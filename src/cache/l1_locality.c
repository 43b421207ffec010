/* src/cache/l1_locality.c - see the header. What the source leaves open is
 * decided in docs/mechanisms/reod.md. */
#include "cache/l1_locality.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MOST_SEEN = 63 }; /* 6 bits [LI15:tag-store] */

typedef struct tag {
    uint64_t line;
    uint32_t seen; /* references; 0: the tag is free */
} tag;

struct l1_locality {
    uint32_t sets, ways, threshold;
    tag *tag;       /* [set][way] */
    uint32_t *turn; /* [set]: the way that is replaced first among equals */
};

l1_locality *l1_locality_new(const __typeof__(((config *)0)->l1) *cfg)
{
    if (cfg->bypass != CFG_L1_BYPASS_LOCALITY)
        return NULL;
    l1_locality *f = new0(1, sizeof *f);
    f->sets = cfg->sets;
    f->ways = cfg->locality.ways;
    f->threshold = cfg->locality.threshold;
    f->tag = new0((size_t)f->sets * f->ways, sizeof *f->tag);
    f->turn = new0(f->sets, sizeof *f->turn);
    return f;
}

void l1_locality_free(l1_locality *f)
{
    if (!f)
        return;
    free(f->tag);
    free(f->turn);
    free(f);
}

void l1_locality_clear(l1_locality *f)
{
    if (!f)
        return;
    memset(f->tag, 0, (size_t)f->sets * f->ways * sizeof *f->tag);
    memset(f->turn, 0, f->sets * sizeof *f->turn);
}

static tag *find_tag(const l1_locality *f, uint32_t set, uint64_t line)
{
    tag *t = &f->tag[(size_t)set * f->ways];

    for (uint32_t way = 0; way < f->ways; way++)
        if (t[way].seen && t[way].line == line)
            return &t[way];
    return NULL;
}

bool l1_locality_keeps(const l1_locality *f, uint32_t set, uint64_t line)
{
    const tag *t = find_tag(f, set, line);

    return (t ? t->seen : 0) + 1 >= f->threshold;
}

/* The least referenced one, in turn among equals. */
static tag *replace_tag(l1_locality *f, uint32_t set)
{
    tag *t = &f->tag[(size_t)set * f->ways];
    uint32_t best = f->turn[set];

    for (uint32_t i = 1; i < f->ways; i++) {
        uint32_t way = (f->turn[set] + i) % f->ways;

        if (t[way].seen < t[best].seen)
            best = way;
    }
    f->turn[set] = (best + 1) % f->ways;
    return &t[best];
}

bool l1_locality_note(l1_locality *f, uint32_t set, uint64_t line)
{
    tag *t = find_tag(f, set, line);

    if (t) {
        t->seen += t->seen < MOST_SEEN;
        return false;
    }
    *replace_tag(f, set) = (tag){line, 1};
    return true;
}

void l1_locality_evict(l1_locality *f, uint32_t set, uint64_t line)
{
    tag *t = &f->tag[(size_t)set * f->ways];

    for (uint32_t way = 0; way < f->ways; way++)
        if (t[way].line == line)
            t[way].seen = 0;
        else
            t[way].seen = (t[way].seen + 1) / 2;
}
