/* src/stats/stats.h - every counter of a machine by name, unit and meaning.
 * Blocks own their counters and register where they lie; the registry owns
 * its copies of the paths and borrows everything else, so it must not be read
 * after a block is freed. Counters are uint64_t events or cycles and only
 * grow. Ratios are formulas of the printer, not counters.
 *
 * A counter's full name is the block's path, a dot, and its id:
 * "sm[3].l1" and "load_hits" make "sm[3].l1.load_hits". In patterns `*`
 * stands for any characters but a dot: "sm[*].l1.load_hits". */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stat_desc {
    const char *id;   /* a C identifier, no dots */
    const char *unit; /* "request", "cycle", "byte", ... */
    const char *help;
    size_t offset; /* of the uint64_t within the block's struct */
    /* Of a bin of a histogram, whose bins follow each other: the histogram's
     * id, the unit of what is measured, and the least value that is counted
     * here. NULL: a counter on its own. */
    const char *hist, *of;
    uint64_t from;
} stat_desc;

/* What a table's rows become; see stats/bins.h. */
#define STAT_DESC(type, id, unit, help)                                        \
    {                                                                          \
#id, unit, help, offsetof(type, id), NULL, NULL, 0                     \
    }
#define STAT_BIN(n, from, type, id, of, unit, help)                            \
    {#id "_" #from, unit, help, offsetof(type, id[n]), #id, of, from},
#define STAT_HIST(type, id, bins, of, unit, help)                              \
    BINS_##bins(STAT_BIN, type, id, of, unit, help)

/* What a folder exports about one of its blocks, so that docs/stats.md needs
 * no machine. `path` is the pattern of its instances: "sm[*].l1". */
typedef struct stats_block {
    const char *path;
    const char *help;
    const stat_desc *desc;
    size_t count;
} stats_block;

typedef struct stats stats;

stats *stats_new(void);
void stats_free(stats *s); /* NULL is fine */

/* Registers the counters desc[0..n) of the struct at `base` below `path`. A
 * path is registered once. */
void stats_add(stats *s, const char *path, const stat_desc *desc, size_t n,
               const void *base);

/* The blocks are built again: what is registered from here on must be what was
 * registered so far, in the same order; the new counters replace the old ones,
 * which read 0 until then. Names, numbers and totals stay as they are. */
void stats_restart(stats *s);

/* Counters are numbered from 0 in the order of registration. */
size_t stats_count(const stats *s);

typedef struct stats_item {
    const char *path; /* of the block */
    const stat_desc *desc;
    uint64_t value;
} stats_item;

/* Counter i < stats_count. */
stats_item stats_get(const stats *s, size_t i);

/* Blocks in the order of registration, for writers that nest. */
size_t stats_block_count(const stats *s);
typedef struct stats_block_item {
    const char *path;
    const stat_desc *desc;
    size_t count;
    size_t first; /* number of its first counter */
} stats_block_item;
stats_block_item stats_block_get(const stats *s, size_t i);

/* Snapshots are arrays of stats_count values; the difference of two belongs
 * to what ran between them. */
void stats_read(const stats *s, uint64_t *values);
void stats_subtract(const stats *s, const uint64_t *later,
                    const uint64_t *earlier, uint64_t *out);

/* Below, `values` is a snapshot or a difference; NULL reads the counters. */

/* False if there is no counter of exactly that name. */
bool stats_find(const stats *s, const uint64_t *values, const char *name,
                uint64_t *out);

/* Sum over all counters whose names match; *matched, unless NULL, is how many
 * there were. 0 if none. */
uint64_t stats_sum(const stats *s, const uint64_t *values, const char *pattern,
                   size_t *matched);

/* ---- Totals ---- One for each counter of a kind of block: the sum over its
 * instances. The path of a kind is that of an instance with `*` for every
 * index: "sm[*].l1". A launch is reported by a vector of all of them: some
 * hundred values, where a machine has ten thousands of counters. Numbered from
 * 0 in the order in which the kinds were first registered. */

size_t stats_total_count(const stats *s);

typedef struct stats_total_item {
    const char *path; /* of the kind */
    const stat_desc *desc;
} stats_total_item;

/* Total i < stats_total_count. */
stats_total_item stats_total_get(const stats *s, size_t i);

/* Kinds of blocks, for writers that nest. */
size_t stats_kind_count(const stats *s);
stats_block_item stats_kind_get(const stats *s, size_t i); /* of totals */

/* A histogram: totals first .. first + bins - 1. */
typedef struct stats_hist {
    const char *path;     /* of the kind of block */
    const stat_desc *bin; /* of each bin */
    size_t first, bins;
} stats_hist;

/* The next histogram after *h in the order of totals, the first if *h is all
 * 0; false at the end. */
bool stats_hist_next(const stats *s, stats_hist *h);

/* Writes stats_total_count sums. `values` as above. */
void stats_totals(const stats *s, const uint64_t *values, uint64_t *totals);

/* The number of the total of that name, "sm[*].l1.load_hits"; SIZE_MAX if
 * there is none. */
size_t stats_total_find(const stats *s, const char *name);

/* Sum over all totals whose names match, as stats_sum does it over counters;
 * "sm[*].l1.*_hits" gives the same number as there. */
uint64_t stats_total_sum(const stats *s, const uint64_t *totals,
                         const char *pattern, size_t *matched);

/* ---- */

/* Calls `visit` for each counter that matches, with its number. */
void stats_each(const stats *s, const char *pattern,
                void (*visit)(void *arg, size_t i), void *arg);

/* Equal if and only if (but for chance) names and values are equal; the order
 * of registration does not matter. */
uint64_t stats_hash(const stats *s, const uint64_t *values);

#endif
