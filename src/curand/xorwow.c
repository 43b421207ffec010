/* Skipping in XORWOW: the step is linear in its 160 bits of state, but for the
 * counter, so that a power of its matrix is many steps. */
#include <stdlib.h>
#include <string.h>

#include "curand/streams.h"

enum { LINEAR = 5, BITS = 32 * LINEAR, STRIDE_LOG2 = 67 };

/* The image of each bit of the state. */
typedef struct matrix {
    uint32_t column[BITS][LINEAR];
} matrix;

uint64_t rand_mix(uint64_t *state) /* [SPLITMIX] */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

rand_xorwow rand_xorwow_seed(uint64_t seed)
{
    rand_xorwow s = {{123456789, 362436069, 521288629, 88675123, 5783321,
                      6615241}}; /* [XORSHIFT:xorwow] */
    uint64_t state = seed;

    for (int i = 0; seed && i < RAND_XORWOW_WORDS; i++)
        s.x[i] ^= (uint32_t)rand_mix(&state);
    if (!(s.x[0] | s.x[1] | s.x[2] | s.x[3] | s.x[4]))
        s.x[0] = 1; /* all zero would stay so */
    return s;
}

static void matrix_apply(const matrix *m, uint32_t state[LINEAR])
{
    uint32_t sum[LINEAR] = {0};

    for (int bit = 0; bit < BITS; bit++) {
        uint32_t mask = -(state[bit / 32] >> bit % 32 & 1);
        for (int i = 0; i < LINEAR; i++)
            sum[i] ^= m->column[bit][i] & mask;
    }
    memcpy(state, sum, sizeof sum);
}

static void matrix_step(matrix *m)
{
    for (int bit = 0; bit < BITS; bit++) {
        rand_xorwow s = {{0}};
        s.x[bit / 32] = 1u << bit % 32;
        rand_xorwow_next(&s);
        memcpy(m->column[bit], s.x, sizeof m->column[bit]);
    }
}

static void matrix_square(matrix *m, matrix *room)
{
    *room = *m;
    for (int bit = 0; bit < BITS; bit++)
        matrix_apply(room, m->column[bit]);
}

bool rand_xorwow_skip(rand_xorwow *s, uint64_t steps)
{
    matrix *m = malloc(2 * sizeof *m);

    if (!m)
        return false;
    matrix_step(m);
    s->x[5] += 362437 * (uint32_t)steps;
    for (; steps; steps >>= 1) {
        if (steps & 1)
            matrix_apply(m, s->x);
        matrix_square(m, m + 1);
    }
    free(m);
    return true;
}

static void put_state(rand_xorwow s, unsigned stream, bool more, uint32_t *out)
{
    if (more)
        rand_xorwow_next(&s);
    for (int i = 0; i < RAND_XORWOW_WORDS; i++)
        out[i * RAND_STREAMS + stream] = s.x[i];
}

static bool put_seeded(uint64_t seed, uint64_t offset, uint32_t *out)
{
    for (unsigned t = 0; t < RAND_STREAMS; t++) {
        uint64_t mixed = seed + ((uint64_t)t << 48);
        rand_xorwow s = rand_xorwow_seed(t ? rand_mix(&mixed) : seed);
        if (offset >= RAND_STREAMS &&
            !rand_xorwow_skip(&s, offset / RAND_STREAMS))
            return false;
        put_state(s, t, t < offset % RAND_STREAMS, out);
    }
    return true;
}

bool rand_xorwow_streams(uint64_t seed, uint64_t offset, bool seeded,
                         uint32_t *out)
{
    rand_xorwow s = rand_xorwow_seed(seed);
    matrix *m;

    if (seeded)
        return put_seeded(seed, offset, out);
    if (!rand_xorwow_skip(&s, offset / RAND_STREAMS) ||
        !(m = malloc(2 * sizeof *m)))
        return false;
    matrix_step(m);
    for (int i = 0; i < STRIDE_LOG2; i++)
        matrix_square(m, m + 1);
    for (unsigned t = 0; t < RAND_STREAMS; t++) {
        put_state(s, t, t < offset % RAND_STREAMS, out);
        matrix_apply(m, s.x); /* 2^67 steps leave the counter as it is */
    }
    free(m);
    return true;
}
