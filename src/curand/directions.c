#include "curand/directions.h"

#include <string.h>

#include "curand/streams.h"

typedef struct reader {
    const unsigned char *bytes;
    size_t bit;
} reader;

static uint32_t read_bits(reader *r, unsigned width)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < width; i++, r->bit++)
        value |= (uint32_t)(r->bytes[r->bit / 8] >> r->bit % 8 & 1) << i;
    return value;
}

/* The vectors of the next dimension in the table, `width` bits each
 * [JOEKUO08:recurrence]. */
static void read_dimension(reader *r, unsigned width, uint64_t *v)
{
    unsigned degree = read_bits(r, 5);
    uint32_t a = read_bits(r, degree - 1);

    for (unsigned k = 0; k < degree; k++) {
        uint64_t m = (uint64_t)read_bits(r, k) << 1 | 1;
        v[k] = m << (width - 1 - k);
    }
    for (unsigned k = degree; k < width; k++) {
        v[k] = v[k - degree] ^ v[k - degree] >> degree;
        for (unsigned i = 1; i < degree; i++)
            v[k] ^= a >> (degree - 1 - i) & 1 ? v[k - i] : 0;
    }
}

/* Bit i of a vector, from the highest on, is added to random ones of those
 * behind it, the same for all vectors of a dimension. */
static void scramble(unsigned dimension, unsigned width, uint64_t *v)
{
    uint64_t state = ~(uint64_t)dimension, scrambled[64] = {0};

    for (unsigned row = 0; row < width; row++) {
        unsigned at = width - 1 - row;
        uint64_t above = row ? ~(uint64_t)0 << (at + 1) : 0;
        uint64_t mask = (rand_mix(&state) & above) | (uint64_t)1 << at;
        for (unsigned k = 0; k < width; k++)
            scrambled[k] |= (uint64_t)__builtin_parityll(v[k] & mask) << at;
    }
    memcpy(v, scrambled, width * sizeof *v);
}

/* Calls `put` with the vectors of each dimension. */
static void
each_dimension(unsigned dimensions, unsigned width, bool scrambled,
               void (*put)(void *out, unsigned d, const uint64_t *v), void *out)
{
    reader r = {rand_joe_kuo, 0};

    for (unsigned d = 0; d < dimensions; d++) {
        uint64_t v[64];
        if (d)
            read_dimension(&r, width, v);
        else
            for (unsigned k = 0; k < width; k++)
                v[k] = (uint64_t)1 << (width - 1 - k);
        if (scrambled)
            scramble(d, width, v);
        put(out, d, v);
    }
}

static void put32(void *out, unsigned d, const uint64_t *v)
{
    uint32_t *to = (uint32_t *)out + (size_t)32 * d;

    for (unsigned k = 0; k < 32; k++)
        to[k] = (uint32_t)v[k];
}

static void put64(void *out, unsigned d, const uint64_t *v)
{
    memcpy((uint64_t *)out + (size_t)64 * d, v, 64 * sizeof *v);
}

void rand_directions32(unsigned dimensions, bool scrambled, uint32_t *out)
{
    each_dimension(dimensions, 32, scrambled, put32, out);
}

void rand_directions64(unsigned dimensions, bool scrambled, uint64_t *out)
{
    each_dimension(dimensions, 64, scrambled, put64, out);
}

uint64_t rand_scramble_constant(unsigned dimension)
{
    uint64_t state = (uint64_t)dimension << 32;

    return rand_mix(&state);
}
