/* Skipping in MRG32k3a: each component is linear over its prime field. */
#include <string.h>

#include "curand/streams.h"

enum { STRIDE_LOG2 = 76 };

typedef struct matrix {
    uint64_t modulus, a[3][3];
} matrix;

/* [MRG99:MRG32k3a] */
static const matrix first = {
    RAND_MRG_M1, {{0, 1, 0}, {0, 0, 1}, {RAND_MRG_M1 - 810728, 1403580, 0}}};
static const matrix second = {
    RAND_MRG_M2, {{0, 1, 0}, {0, 0, 1}, {RAND_MRG_M2 - 1370589, 0, 527612}}};

rand_mrg rand_mrg_seed(uint64_t seed)
{
    rand_mrg s = {
        {12345, 12345, 12345, 12345, 12345, 12345}}; /* [RNGSTREAMS] */
    uint64_t state = seed;

    for (int i = 0; seed && i < RAND_MRG_WORDS; i++) {
        uint64_t modulus = i < 3 ? RAND_MRG_M1 : RAND_MRG_M2;
        s.x[i] = (uint32_t)(1 + rand_mix(&state) % (modulus - 1));
    }
    return s;
}

static void matrix_apply(const matrix *m, uint32_t state[3])
{
    uint64_t out[3];

    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] = (out[i] + m->a[i][k] * state[k] % m->modulus) % m->modulus;
    }
    for (int i = 0; i < 3; i++)
        state[i] = (uint32_t)out[i];
}

static void matrix_square(matrix *m)
{
    matrix old = *m;

    for (int column = 0; column < 3; column++) {
        uint32_t x[3];
        for (int i = 0; i < 3; i++)
            x[i] = (uint32_t)old.a[i][column];
        matrix_apply(&old, x);
        for (int i = 0; i < 3; i++)
            m->a[i][column] = x[i];
    }
}

static void component_skip(matrix m, uint32_t state[3], uint64_t steps)
{
    for (; steps; steps >>= 1) {
        if (steps & 1)
            matrix_apply(&m, state);
        matrix_square(&m);
    }
}

void rand_mrg_skip(rand_mrg *s, uint64_t steps)
{
    component_skip(first, s->x, steps);
    component_skip(second, s->x + 3, steps);
}

void rand_mrg_streams(uint64_t seed, uint64_t offset, uint32_t *out)
{
    rand_mrg s = rand_mrg_seed(seed);
    matrix one = first, two = second;

    rand_mrg_skip(&s, offset / RAND_STREAMS);
    for (int i = 0; i < STRIDE_LOG2; i++) {
        matrix_square(&one);
        matrix_square(&two);
    }
    for (unsigned t = 0; t < RAND_STREAMS; t++) {
        rand_mrg stream = s;
        if (t < offset % RAND_STREAMS)
            rand_mrg_next(&stream);
        for (int i = 0; i < RAND_MRG_WORDS; i++)
            out[i * RAND_STREAMS + t] = stream.x[i];
        matrix_apply(&one, s.x);
        matrix_apply(&two, s.x + 3);
    }
}
