/* src/stats/bins.h - the bounds of histograms and how a value finds its bin:
 * a few instructions, so that a histogram costs as much as a counter.
 *
 * In a table of counters a row HIST(id, bins, of, unit, help) is a histogram:
 * how many `unit`s had how much of `of`. BINS_<bins>(BIN, ...) makes
 * BIN(number, from, ...) of each bin, HIST_<bins> is how many there are. */
#ifndef STATS_BINS_H
#define STATS_BINS_H

#include <stdint.h>

#include "base/bits.h"

/* Numbers of things: 0, 1, 2, 3, 4 to 7, ... */
#define BINS_POWERS(BIN, ...)                                                  \
    BIN(0, 0, __VA_ARGS__)                                                     \
    BIN(1, 1, __VA_ARGS__)                                                     \
    BIN(2, 2, __VA_ARGS__)                                                     \
    BIN(3, 4, __VA_ARGS__)                                                     \
    BIN(4, 8, __VA_ARGS__)                                                     \
    BIN(5, 16, __VA_ARGS__)                                                    \
    BIN(6, 32, __VA_ARGS__)                                                    \
    BIN(7, 64, __VA_ARGS__)                                                    \
    BIN(8, 128, __VA_ARGS__)                                                   \
    BIN(9, 256, __VA_ARGS__)

/* Cycles: two bins for each factor of two. */
#define BINS_CYCLES(BIN, ...)                                                  \
    BIN(0, 0, __VA_ARGS__)                                                     \
    BIN(1, 32, __VA_ARGS__)                                                    \
    BIN(2, 48, __VA_ARGS__)                                                    \
    BIN(3, 64, __VA_ARGS__)                                                    \
    BIN(4, 96, __VA_ARGS__)                                                    \
    BIN(5, 128, __VA_ARGS__)                                                   \
    BIN(6, 192, __VA_ARGS__)                                                   \
    BIN(7, 256, __VA_ARGS__)                                                   \
    BIN(8, 384, __VA_ARGS__)                                                   \
    BIN(9, 512, __VA_ARGS__)                                                   \
    BIN(10, 768, __VA_ARGS__)                                                  \
    BIN(11, 1024, __VA_ARGS__)                                                 \
    BIN(12, 1536, __VA_ARGS__)                                                 \
    BIN(13, 2048, __VA_ARGS__)                                                 \
    BIN(14, 3072, __VA_ARGS__)                                                 \
    BIN(15, 4096, __VA_ARGS__)

/* Lanes of a warp: none, quarters, all. */
#define BINS_LANES(BIN, ...)                                                   \
    BIN(0, 0, __VA_ARGS__)                                                     \
    BIN(1, 1, __VA_ARGS__)                                                     \
    BIN(2, 9, __VA_ARGS__)                                                     \
    BIN(3, 17, __VA_ARGS__)                                                    \
    BIN(4, 25, __VA_ARGS__)                                                    \
    BIN(5, 32, __VA_ARGS__)

/* Slots of a small table: each number up to 12. */
#define BINS_SLOTS(BIN, ...)                                                   \
    BIN(0, 0, __VA_ARGS__)                                                     \
    BIN(1, 1, __VA_ARGS__)                                                     \
    BIN(2, 2, __VA_ARGS__)                                                     \
    BIN(3, 3, __VA_ARGS__)                                                     \
    BIN(4, 4, __VA_ARGS__)                                                     \
    BIN(5, 5, __VA_ARGS__)                                                     \
    BIN(6, 6, __VA_ARGS__)                                                     \
    BIN(7, 7, __VA_ARGS__)                                                     \
    BIN(8, 8, __VA_ARGS__)                                                     \
    BIN(9, 9, __VA_ARGS__)                                                     \
    BIN(10, 10, __VA_ARGS__)                                                   \
    BIN(11, 11, __VA_ARGS__)                                                   \
    BIN(12, 12, __VA_ARGS__)                                                   \
    BIN(13, 16, __VA_ARGS__)

/* Depths of queues: each number up to 16. */
#define BINS_DEPTHS(BIN, ...)                                                  \
    BIN(0, 0, __VA_ARGS__)                                                     \
    BIN(1, 1, __VA_ARGS__)                                                     \
    BIN(2, 2, __VA_ARGS__)                                                     \
    BIN(3, 3, __VA_ARGS__)                                                     \
    BIN(4, 4, __VA_ARGS__)                                                     \
    BIN(5, 5, __VA_ARGS__)                                                     \
    BIN(6, 6, __VA_ARGS__)                                                     \
    BIN(7, 7, __VA_ARGS__)                                                     \
    BIN(8, 8, __VA_ARGS__)                                                     \
    BIN(9, 9, __VA_ARGS__)                                                     \
    BIN(10, 10, __VA_ARGS__)                                                   \
    BIN(11, 11, __VA_ARGS__)                                                   \
    BIN(12, 12, __VA_ARGS__)                                                   \
    BIN(13, 13, __VA_ARGS__)                                                   \
    BIN(14, 14, __VA_ARGS__)                                                   \
    BIN(15, 15, __VA_ARGS__)                                                   \
    BIN(16, 16, __VA_ARGS__)                                                   \
    BIN(17, 17, __VA_ARGS__)                                                   \
    BIN(18, 32, __VA_ARGS__)                                                   \
    BIN(19, 64, __VA_ARGS__)

/* Numbers of things that are alike. */
#define BINS_QUEUES(BIN, ...)                                                  \
    BIN(0, 0, __VA_ARGS__)                                                     \
    BIN(1, 1, __VA_ARGS__)                                                     \
    BIN(2, 2, __VA_ARGS__)                                                     \
    BIN(3, 3, __VA_ARGS__)                                                     \
    BIN(4, 4, __VA_ARGS__)                                                     \
    BIN(5, 5, __VA_ARGS__)                                                     \
    BIN(6, 6, __VA_ARGS__)                                                     \
    BIN(7, 7, __VA_ARGS__)                                                     \
    BIN(8, 8, __VA_ARGS__)                                                     \
    BIN(9, 9, __VA_ARGS__)                                                     \
    BIN(10, 10, __VA_ARGS__)                                                   \
    BIN(11, 11, __VA_ARGS__)                                                   \
    BIN(12, 12, __VA_ARGS__)                                                   \
    BIN(13, 13, __VA_ARGS__)                                                   \
    BIN(14, 14, __VA_ARGS__)                                                   \
    BIN(15, 15, __VA_ARGS__)                                                   \
    BIN(16, 16, __VA_ARGS__)                                                   \
    BIN(17, 17, __VA_ARGS__)                                                   \
    BIN(18, 18, __VA_ARGS__)                                                   \
    BIN(19, 19, __VA_ARGS__)                                                   \
    BIN(20, 20, __VA_ARGS__)                                                   \
    BIN(21, 21, __VA_ARGS__)                                                   \
    BIN(22, 22, __VA_ARGS__)                                                   \
    BIN(23, 23, __VA_ARGS__)                                                   \
    BIN(24, 24, __VA_ARGS__)                                                   \
    BIN(25, 25, __VA_ARGS__)                                                   \
    BIN(26, 26, __VA_ARGS__)                                                   \
    BIN(27, 27, __VA_ARGS__)                                                   \
    BIN(28, 28, __VA_ARGS__)                                                   \
    BIN(29, 29, __VA_ARGS__)                                                   \
    BIN(30, 30, __VA_ARGS__)                                                   \
    BIN(31, 31, __VA_ARGS__)

/* Numbers below four. */
#define BINS_FOUR(BIN, ...)                                                    \
    BIN(0, 0, __VA_ARGS__)                                                     \
    BIN(1, 1, __VA_ARGS__)                                                     \
    BIN(2, 2, __VA_ARGS__)                                                     \
    BIN(3, 3, __VA_ARGS__)

enum { HIST_FOUR = 4, HIST_SLOTS = 14, HIST_DEPTHS = 20, HIST_QUEUES = 32 };
enum { HIST_POWERS = 10, HIST_CYCLES = 16, HIST_LANES = 6 };

static inline unsigned bins_powers(uint64_t v)
{
    unsigned n = bits_log2(2 * v + 1);

    return n < HIST_POWERS ? n : HIST_POWERS - 1;
}

static inline unsigned bins_cycles(uint64_t v)
{
    if (v < 32)
        return 0;
    if (v >= 4096)
        return HIST_CYCLES - 1;
    unsigned n = bits_log2(v);

    return 2 * (n - 5) + 1 + (v >> (n - 1) & 1);
}

static inline unsigned bins_slots(unsigned v)
{
    return v < 12 ? v : v < 16 ? 12 : HIST_SLOTS - 1;
}

static inline unsigned bins_depths(uint64_t v)
{
    return v <= 16 ? (unsigned)v : v < 32 ? 17 : v < 64 ? 18 : 19;
}

static inline unsigned bins_queues(unsigned i) { return i % HIST_QUEUES; }

static inline unsigned bins_lanes(unsigned lanes)
{
    return lanes == 32 ? HIST_LANES - 1 : (lanes + 7) / 8;
}

#endif
