/* src/stats/stats.c - a list of blocks, found by path through a map. */
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/must.h"

typedef struct block {
    stats_block_item item;
    const unsigned char *base;
} block;

/* Blocks that count the same below one path but for the indices. */
typedef struct kind {
    stats_block_item item; /* of totals */
    bool dense;            /* counters follow each other in memory */
    size_t *block;         /* its blocks */
    size_t count, room;
} kind;

struct stats {
    arena *paths;
    strmap *by_path; /* path -> index + 1 into blocks */
    block *blocks;
    size_t count, room; /* blocks */
    size_t again;       /* blocks below it are registered */
    size_t counters;
    kind *kinds;
    size_t kind_count, kind_room;
    size_t totals;
};

stats *stats_new(void)
{
    stats *s = new0(1, sizeof *s);

    s->paths = arena_new();
    s->by_path = strmap_new();
    return s;
}

void stats_free(stats *s)
{
    if (!s)
        return;
    arena_free(s->paths);
    strmap_free(s->by_path);
    free(s->blocks);
    for (size_t i = 0; i < s->kind_count; i++)
        free(s->kinds[i].block);
    free(s->kinds);
    free(s);
}

/* "sm[3].l1" as "sm[*].l1", in the arena. */
static char *kind_path(stats *s, const char *path)
{
    char *all = arena_strdup(s->paths, path), *to = all;

    for (; *path; path++) {
        *to++ = *path;
        if (*path == '[' && path[1] && path[1] != ']') {
            *to++ = '*';
            while (path[1] && path[1] != ']')
                path++;
        }
    }
    *to = '\0';
    return all;
}

static bool is_dense(const stat_desc *desc, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (desc[i].offset != desc[i - 1].offset + sizeof(uint64_t))
            return false;
    return n > 0;
}

/* The kind of a block; makes it if it is new. Blocks of one path may differ in
 * what they count: they are kinds of their own. */
static kind *kind_of(stats *s, const char *path, const stat_desc *desc,
                     size_t n)
{
    const char *wanted = kind_path(s, path);

    for (size_t i = s->kind_count; i-- > 0;) {
        kind *k = &s->kinds[i];

        if (k->item.desc == desc && k->item.count == n &&
            !strcmp(k->item.path, wanted))
            return k;
    }
    GROW(s->kinds, s->kind_count + 1, s->kind_room);
    kind *k = &s->kinds[s->kind_count++];
    *k = (kind){.item = {wanted, desc, n, s->totals},
                .dense = is_dense(desc, n)};
    s->totals += n;
    return k;
}

static void kind_add(kind *k, size_t nth)
{
    GROW(k->block, k->count + 1, k->room);
    k->block[k->count++] = nth;
}

void stats_add(stats *s, const char *path, const stat_desc *desc, size_t n,
               const void *base)
{
    if (s->again < s->count) { /* see stats_restart */
        block *b = &s->blocks[s->again++];

        MUST(!strcmp(b->item.path, path) && b->item.desc == desc &&
             b->item.count == n);
        b->base = base;
        return;
    }
    MUST(strmap_get(s->by_path, path) == NULL);
    for (size_t i = 0; i < n; i++)
        MUST(desc[i].id[0] && !strchr(desc[i].id, '.'));
    GROW(s->blocks, s->count + 1, s->room);
    path = arena_strdup(s->paths, path);
    kind_add(kind_of(s, path, desc, n), s->count);
    s->blocks[s->count++] = (block){{path, desc, n, s->counters}, base};
    strmap_put(s->by_path, path, (void *)(uintptr_t)s->count);
    s->counters += n;
    s->again = s->count;
}

void stats_restart(stats *s)
{
    s->again = 0;
    for (size_t i = 0; i < s->count; i++)
        s->blocks[i].base = NULL;
}

size_t stats_count(const stats *s) { return s->counters; }

size_t stats_block_count(const stats *s) { return s->count; }

stats_block_item stats_block_get(const stats *s, size_t i)
{
    MUST(i < s->count);
    return s->blocks[i].item;
}

static uint64_t counter_value(const block *b, const uint64_t *values, size_t i)
{
    uint64_t v;

    if (values)
        return values[b->item.first + i];
    if (!b->base)
        return 0;
    memcpy(&v, b->base + b->item.desc[i].offset, sizeof v);
    return v;
}

stats_item stats_get(const stats *s, size_t i)
{
    size_t lo = 0, hi = s->count;

    MUST(i < s->counters);
    while (hi - lo > 1) { /* the last block that starts at or before i */
        size_t mid = lo + (hi - lo) / 2;

        if (s->blocks[mid].item.first <= i)
            lo = mid;
        else
            hi = mid;
    }
    const block *b = &s->blocks[lo];
    size_t at = i - b->item.first;

    return (stats_item){b->item.path, &b->item.desc[at],
                        counter_value(b, NULL, at)};
}

void stats_read(const stats *s, uint64_t *values)
{
    for (size_t b = 0; b < s->count; b++)
        for (size_t i = 0; i < s->blocks[b].item.count; i++)
            *values++ = counter_value(&s->blocks[b], NULL, i);
}

void stats_subtract(const stats *s, const uint64_t *later,
                    const uint64_t *earlier, uint64_t *out)
{
    for (size_t i = 0; i < s->counters; i++) {
        MUST(later[i] >= earlier[i]);
        out[i] = later[i] - earlier[i];
    }
}

/* `*` stands for any characters but a dot. Iterative: on a mismatch the last
 * star takes one character more, unless that is a dot. */
static bool matches_pattern(const char *pat, size_t n, const char *text)
{
    const char *end = pat + n, *star = NULL, *from = NULL;

    while (*text) {
        if (pat < end && *pat == '*') {
            star = pat++;
            from = text;
        } else if (pat < end && *pat == *text) {
            pat++;
            text++;
        } else if (star && *from != '.') {
            pat = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (pat < end && *pat == '*')
        pat++;
    return pat == end;
}

/* ---- Totals ---- */

size_t stats_total_count(const stats *s) { return s->totals; }

size_t stats_kind_count(const stats *s) { return s->kind_count; }

stats_block_item stats_kind_get(const stats *s, size_t i)
{
    MUST(i < s->kind_count);
    return s->kinds[i].item;
}

stats_total_item stats_total_get(const stats *s, size_t i)
{
    const stats_block_item *k = &s->kinds[0].item;

    MUST(i < s->totals);
    for (size_t n = 0; i >= k->first + k->count; k = &s->kinds[n].item)
        n++;
    return (stats_total_item){k->path, &k->desc[i - k->first]};
}

bool stats_hist_next(const stats *s, stats_hist *h)
{
    size_t from = h->first + h->bins;

    for (size_t i = 0; i < s->kind_count; i++) {
        const stats_block_item *k = &s->kinds[i].item;
        size_t c = from > k->first ? from - k->first : 0, n = 1;

        while (c < k->count && !k->desc[c].hist)
            c++;
        if (c >= k->count)
            continue;
        while (c + n < k->count && k->desc[c + n].hist &&
               !strcmp(k->desc[c + n].hist, k->desc[c].hist))
            n++;
        *h = (stats_hist){k->path, &k->desc[c], k->first + c, n};
        return true;
    }
    return false;
}

/* Where the counters of a block stand in a row. */
static const uint64_t *row_of(const stats *s, size_t i, const uint64_t *values)
{
    const block *b = &s->blocks[i];

    if (values)
        return values + b->item.first;
    return (const uint64_t *)(b->base + b->item.desc[0].offset);
}

/* Four at a time: there are some ten thousands of counters for each launch,
 * which may be a small one. */
static void add_rows(const stats *s, const kind *k, const uint64_t *values,
                     uint64_t *restrict to)
{
    size_t n = k->item.count, b = 0;

    for (; b + 4 <= k->count; b += 4) {
        const uint64_t *p = row_of(s, k->block[b], values);
        const uint64_t *q = row_of(s, k->block[b + 1], values);
        const uint64_t *r = row_of(s, k->block[b + 2], values);
        const uint64_t *t = row_of(s, k->block[b + 3], values);

        for (size_t i = 0; i < n; i++)
            to[i] += p[i] + q[i] + r[i] + t[i];
    }
    for (; b < k->count; b++) {
        const uint64_t *p = row_of(s, k->block[b], values);

        for (size_t i = 0; i < n; i++)
            to[i] += p[i];
    }
}

void stats_totals(const stats *s, const uint64_t *values, uint64_t *totals)
{
    bool whole = s->again == s->count; /* every block is there */

    memset(totals, 0, s->totals * sizeof *totals);
    for (size_t i = 0; i < s->kind_count; i++) {
        const kind *k = &s->kinds[i];
        uint64_t *to = totals + k->item.first;

        if (values || (k->dense && whole)) {
            add_rows(s, k, values, to);
            continue;
        }
        for (size_t b = 0; b < k->count; b++)
            for (size_t c = 0; c < k->item.count; c++)
                to[c] += counter_value(&s->blocks[k->block[b]], NULL, c);
    }
}

/* Most patterns are whole names; the first letter excludes nearly all
 * others. */
static bool matches_id(const char *pat, size_t n, bool star, const char *id)
{
    if (star)
        return matches_pattern(pat, n, id);
    return *id == *pat && !strcmp(id, pat);
}

uint64_t stats_total_sum(const stats *s, const uint64_t *totals,
                         const char *pattern, size_t *matched)
{
    const char *dot = strrchr(pattern, '.'), *id = dot ? dot + 1 : pattern;
    size_t n = dot ? (size_t)(dot - pattern) : 0, id_n = strlen(id), hits = 0;
    bool star = strchr(id, '*') != NULL;
    uint64_t sum = 0;

    for (size_t k = 0; k < s->kind_count; k++) {
        const stats_block_item *b = &s->kinds[k].item;

        if (!matches_pattern(pattern, n, b->path))
            continue;
        for (size_t i = 0; i < b->count; i++) {
            if (!matches_id(id, id_n, star, b->desc[i].id))
                continue;
            sum += totals[b->first + i];
            hits++;
        }
    }
    if (matched)
        *matched = hits;
    return sum;
}

size_t stats_total_find(const stats *s, const char *name)
{
    const char *dot = strrchr(name, '.'), *id = dot ? dot + 1 : name;
    size_t n = dot ? (size_t)(dot - name) : 0;

    for (size_t k = 0; k < s->kind_count; k++) {
        const stats_block_item *b = &s->kinds[k].item;

        if (strncmp(b->path, name, n) != 0 || b->path[n])
            continue;
        for (size_t i = 0; i < b->count; i++)
            if (!strcmp(b->desc[i].id, id))
                return b->first + i;
    }
    return SIZE_MAX;
}

void stats_each(const stats *s, const char *pattern,
                void (*visit)(void *arg, size_t i), void *arg)
{
    const char *dot = strrchr(pattern, '.'), *id = dot ? dot + 1 : pattern;
    size_t n = dot ? (size_t)(dot - pattern) : 0, id_n = strlen(id);

    for (size_t k = 0; k < s->count; k++) {
        const stats_block_item *b = &s->blocks[k].item;

        if (!matches_pattern(pattern, n, b->path))
            continue;
        for (size_t i = 0; i < b->count; i++)
            if (matches_pattern(id, id_n, b->desc[i].id))
                visit(arg, b->first + i);
    }
}

/* The block and place of an exact name. */
static const block *find_counter(const stats *s, const char *name, size_t *at)
{
    const char *dot = strrchr(name, '.'), *id = dot ? dot + 1 : name;
    char path[256];
    size_t n = dot ? (size_t)(dot - name) : 0, found;

    if (n >= sizeof path)
        return NULL;
    memcpy(path, name, n);
    path[n] = '\0';
    found = (size_t)(uintptr_t)strmap_get(s->by_path, path);
    if (!found)
        return NULL;
    const block *b = &s->blocks[found - 1];
    for (size_t i = 0; i < b->item.count; i++) {
        if (!strcmp(b->item.desc[i].id, id)) {
            *at = i;
            return b;
        }
    }
    return NULL;
}

bool stats_find(const stats *s, const uint64_t *values, const char *name,
                uint64_t *out)
{
    size_t at;
    const block *b = find_counter(s, name, &at);

    if (b)
        *out = counter_value(b, values, at);
    return b != NULL;
}

typedef struct fold {
    const stats *s;
    const uint64_t *values;
    uint64_t sum;
    size_t matched;
} fold;

static void fold_one(void *arg, size_t i)
{
    fold *f = arg;
    uint64_t v = f->values ? f->values[i] : stats_get(f->s, i).value;

    f->sum += v;
    f->matched++;
}

uint64_t stats_sum(const stats *s, const uint64_t *values, const char *pattern,
                   size_t *matched)
{
    fold f = {.s = s, .values = values};

    stats_each(s, pattern, fold_one, &f);
    if (matched)
        *matched = f.matched;
    return f.sum;
}

uint64_t stats_hash(const stats *s, const uint64_t *values)
{
    uint64_t sum = 0;

    for (size_t k = 0; k < s->count; k++) {
        const block *b = &s->blocks[k];
        uint64_t path = hash_bytes(b->item.path, strlen(b->item.path), 0);

        for (size_t i = 0; i < b->item.count; i++) {
            const char *id = b->item.desc[i].id;
            uint64_t v = counter_value(b, values, i);

            sum += hash_bytes(&v, sizeof v, hash_bytes(id, strlen(id), path));
        }
    }
    return sum;
}
