/* Words of generators, and numbers from them, on the host: what the kernels do
 * on a device. */
#include "curand/generator.h"
#include "curand/recurrence.h"
#include "curand/streams.h"

static void put(void *out, uint64_t i, bool wide, uint64_t word)
{
    if (wide)
        ((uint64_t *)out)[i] = word;
    else
        ((uint32_t *)out)[i] = (uint32_t)word;
}

static void put_xorwow(struct curandGenerator_st *g, uint32_t *out,
                       uint64_t count)
{
    for (unsigned k = 0; k < RAND_STREAMS && k < count; k++) {
        unsigned stream = (unsigned)((g->position + k) % RAND_STREAMS);
        rand_xorwow s;
        for (int i = 0; i < RAND_XORWOW_WORDS; i++)
            s.x[i] = g->state[i * RAND_STREAMS + stream];
        for (uint64_t i = k; i < count; i += RAND_STREAMS)
            out[i] = rand_xorwow_next(&s);
        for (int i = 0; i < RAND_XORWOW_WORDS; i++)
            g->state[i * RAND_STREAMS + stream] = s.x[i];
    }
}

static void put_mrg(struct curandGenerator_st *g, void *out, uint64_t count,
                    bool wide)
{
    for (unsigned k = 0; k < RAND_STREAMS && k < count; k++) {
        unsigned stream = (unsigned)((g->position + k) % RAND_STREAMS);
        rand_mrg s;
        for (int i = 0; i < RAND_MRG_WORDS; i++)
            s.x[i] = g->state[i * RAND_STREAMS + stream];
        for (uint64_t i = k; i < count; i += RAND_STREAMS)
            put(out, i, wide, rand_mrg_next(&s));
        for (int i = 0; i < RAND_MRG_WORDS; i++)
            g->state[i * RAND_STREAMS + stream] = s.x[i];
    }
}

static void put_philox(const struct curandGenerator_st *g, uint32_t *out,
                       uint64_t count)
{
    uint64_t end = g->position + count;

    for (uint64_t n = g->position; n < end;) {
        uint32_t x[4] = {(uint32_t)(n / 4), (uint32_t)(n / 4 >> 32), 0, 0};
        rand_philox(x, (uint32_t)g->seed, (uint32_t)(g->seed >> 32));
        do
            out[n - g->position] = x[n % 4];
        while (++n % 4 && n < end);
    }
}

static void put_mt(struct curandGenerator_st *g, uint32_t *out, uint64_t count)
{
    uint32_t *x = g->state;

    for (uint64_t i = 0; i < count; i++) {
        if (g->used == RAND_MT_WORDS) {
            for (unsigned k = 0; k < RAND_MT_WORDS; k++)
                x[k] = rand_mt_twist(x[k], x[(k + 1) % RAND_MT_WORDS],
                                     x[(k + RAND_MT_MIDDLE) % RAND_MT_WORDS]);
            g->used = 0;
        }
        out[i] = rand_mt_temper(x[g->used++]);
    }
}

/* The upper half of a 64-bit point where 32 bits are asked for. */
static uint64_t sobol_point(const struct curandGenerator_st *g, unsigned d,
                            uint64_t n, bool wide)
{
    if (!rand_is_sobol64(g)) {
        const uint32_t *v = g->vectors, *constants = g->constants;
        return rand_sobol32(n, v + (size_t)32 * d) ^ constants[d];
    }
    const rand_u64 *v = g->vectors, *constants = g->constants;
    uint64_t x = rand_sobol64(n, v + (size_t)64 * d) ^ constants[d];
    return wide ? x : x >> 32;
}

static void put_sobol(const struct curandGenerator_st *g, void *out,
                      uint64_t points, bool wide)
{
    for (unsigned d = 0; d < g->dimensions; d++)
        for (uint64_t i = 0; i < points; i++)
            put(out, d * points + i, wide,
                sobol_point(g, d, g->position + i, wide));
}

void rand_words_host(struct curandGenerator_st *g, void *out, uint64_t count,
                     bool wide)
{
    uint64_t halves = wide ? 2 * count : count;

    switch (g->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
        put_xorwow(g, out, halves);
        break;
    case CURAND_RNG_PSEUDO_MRG32K3A:
        put_mrg(g, out, count, wide);
        break;
    case CURAND_RNG_PSEUDO_MT19937:
        put_mt(g, out, halves);
        break;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        put_philox(g, out, halves);
        break;
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
        put_sobol(g, out, count / g->dimensions, wide);
        break;
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_QUASI_DEFAULT:
        break; /* no generator is of these */
    }
}

/* ---- Numbers ---- */

static void change_narrow(const rand_change *c, uint32_t *at, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        switch (c->what) {
        case RAND_UNIFORM:
            rand_put_uniform(at + i, c->kind);
            break;
        case RAND_NORMAL:
            if (c->quasi)
                rand_put_normal(at + i, c->kind, &c->normal);
            else
                rand_put_normals(at + i++, c->kind, &c->normal);
            break;
        case RAND_DISCRETE:
            rand_put_discrete(at + i, c->kind, &c->limits);
            break;
        case RAND_KEEP:
            break;
        }
}

static void change_wide(const rand_change *c, rand_u64 *at, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (c->what == RAND_UNIFORM)
            rand_put_uniform_double(at + i, c->kind);
        else if (c->quasi)
            rand_put_normal_double(at + i, c->kind, &c->normal);
        else
            rand_put_normals_double(at + i++, c->kind, &c->normal);
}

void rand_change_host(const rand_change *c, void *at, uint64_t count)
{
    if (c->what == RAND_KEEP)
        return;
    if (c->wide)
        change_wide(c, at, count);
    else
        change_narrow(c, at, count);
}
