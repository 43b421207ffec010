/* src/curand/streams.h - the states of the generators that consist of many
 * streams: RAND_STREAMS parts of one long sequence, far from each other, that
 * take turns. Word n of the output is word n / RAND_STREAMS of stream
 * n % RAND_STREAMS [CURAND13:order]. */
#ifndef CURAND_STREAMS_H
#define CURAND_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "curand/recurrence.h"

enum { RAND_STREAMS = 4096 };

/* The state that a seed gives: how is not published, so this is ours. Seed 0
 * is the state of the publication. */
rand_xorwow rand_xorwow_seed(uint64_t seed);
rand_mrg rand_mrg_seed(uint64_t seed);
void rand_mt_seed(uint64_t seed, uint32_t words[RAND_MT_WORDS]);

/* What comes `steps` later. False if memory runs out. */
bool rand_xorwow_skip(rand_xorwow *s, uint64_t steps);
void rand_mrg_skip(rand_mrg *s, uint64_t steps);

/* The states of all streams when `offset` words are taken, word k of stream t
 * at out[k * RAND_STREAMS + t]. Streams are 2^67 words apart, or each has a
 * seed of its own (`seeded`). False if memory runs out. */
bool rand_xorwow_streams(uint64_t seed, uint64_t offset, bool seeded,
                         uint32_t *out);
/* 2^76 words apart. */
void rand_mrg_streams(uint64_t seed, uint64_t offset, uint32_t *out);

/* A generator of seeds: the word after *state. */
uint64_t rand_mix(uint64_t *state);

#endif
