/* src/exec/sem/sem_once.c - loads and stores in one step, for runs whose memory
 * is the image itself and that nobody looks on: 4, 8 or 16 bytes a lane, of
 * registers, all lanes in one range of memory. Anything else, faults included,
 * is left to the body of the operation, before anything has changed. */
#include "base/bits.h"
#include "exec/sem/access.h"

enum { HALF = ISA_WARP / 2, STEP = 8 };

/* Lanes that do not execute get the place of one that does. */
static inline void repeat(uint32_t at[ISA_WARP], uint32_t mask)
{
    uint32_t some = at[bits_ctz32(mask)];

    LANES(l) at[l] = mask & exec_lane_bit[l] ? at[l] : some;
}

static inline uint32_t word_at(const uint8_t *from)
{
    uint32_t v;

    memcpy(&v, from, 4);
    return v;
}

/* How the places of each half of the warp lie. */
typedef enum shape { ALL_THE_SAME, ONE_AFTER_THE_OTHER, ANYHOW } shape;

static inline shape shape_of(const uint32_t at[ISA_WARP], unsigned size)
{
    uint32_t step = at[1] - at[0], low = at[0], high = at[HALF], bits = 0;

    if (step == size) {
        for (unsigned l = 0; l < HALF; l++)
            bits |= ((at[l] - low) ^ (l * size)) |
                    ((at[l + HALF] - high) ^ (l * size));
        return bits ? ANYHOW : ONE_AFTER_THE_OTHER;
    }
    if (step)
        return ANYHOW;
    for (unsigned l = 0; l < HALF; l++)
        bits |= (at[l] ^ low) | (at[l + HALF] ^ high);
    return bits ? ANYHOW : ALL_THE_SAME;
}

/* Takes one of the words of the lanes of half a warp, which lie one after the
 * other. */
static inline void pick_words(uint32_t *to, const uint8_t *from, unsigned words)
{
    for (unsigned l = 0; l < HALF; l++)
        to[l] = word_at(from + 4 * (words * l));
}

/* Loads a word of each lane, at base[at[l]]; there are `words` in a lane. */
static inline void load_row(uint32_t to[ISA_WARP], const uint8_t *base,
                            const uint32_t at[ISA_WARP], shape s,
                            unsigned words)
{
    if (s == ALL_THE_SAME) {
        uint32_t low = word_at(base + at[0]), high = word_at(base + at[HALF]);

        for (unsigned l = 0; l < HALF; l++)
            to[l] = low;
        for (unsigned l = HALF; l < ISA_WARP; l++)
            to[l] = high;
    } else if (s == ONE_AFTER_THE_OTHER && words == 1) {
        sem_copy_words(to, base + at[0], HALF);
        sem_copy_words(to + HALF, base + at[HALF], HALF);
    } else if (s == ONE_AFTER_THE_OTHER) {
        pick_words(to, base + at[0], words);
        pick_words(to + HALF, base + at[HALF], words);
    } else { /* in steps, which compilers unroll */
        for (unsigned l = 0; l < ISA_WARP; l += STEP)
            for (unsigned i = l; i < l + STEP; i++)
                to[i] = word_at(base + at[i]);
    }
}

static inline void load_rows(sem *x, const uint8_t *base,
                             const uint32_t at[ISA_WARP], shape s,
                             unsigned words)
{
    for (unsigned k = 0; k < words; k++) {
        uint32_t r[ISA_WARP], *to = sem_reg(x, x->in->dst + k);

        if (x->mask == UINT32_MAX) {
            load_row(to, base + 4 * k, at, s, words);
        } else {
            load_row(r, base + 4 * k, at, s, words);
            sem_blend(to, r, x->mask);
        }
    }
}

/* Stores the words of a lane. */
static inline void put_words(uint8_t *to, const uint32_t *from, unsigned words)
{
    for (unsigned k = 0; k < words; k++)
        memcpy(to + 4 * k, from + ISA_WARP * k, 4);
}

/* Stores the words of the executing lanes at base[at[l]], the highest last. */
static inline void store_rows(const sem *x, uint8_t *base,
                              const uint32_t at[ISA_WARP], shape s,
                              unsigned words)
{
    const uint32_t *from = sem_reg(x, x->in->src[1]);

    if (words == 1 && x->mask == UINT32_MAX && s == ONE_AFTER_THE_OTHER) {
        memcpy(base + at[0], from, 4 * HALF);
        memcpy(base + at[HALF], from + HALF, 4 * HALF);
        return;
    }
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        put_words(base + at[l], from + l, words);
    }
}

/* ---- shared memory ---- */

/* Are all places in `room` bytes and aligned? */
static inline bool is_within(const uint32_t at[ISA_WARP], shape s,
                             unsigned words, uint64_t room)
{
    uint32_t bits = at[0] | at[HALF], high = 0;
    uint32_t beyond = s == ONE_AFTER_THE_OTHER ? 4 * words * (HALF - 1) : 0;
    uint64_t end = 4 * words + (uint64_t)beyond;

    if (s == ANYHOW) {
        LANES(l)
        {
            bits |= at[l];
            high = at[l] > high ? at[l] : high;
        }
        return !(bits & (4 * words - 1)) && high + end <= room;
    }
    return !(bits & (4 * words - 1)) && at[0] + end <= room &&
           at[HALF] + end <= room;
}

/* The offsets of all lanes. False: some are not in the CTA's memory. */
static inline bool find_shared(const sem *x, unsigned words,
                               uint32_t at[ISA_WARP], shape *s)
{
    const uint32_t *base = sem_planned(x, 0);
    uint32_t plus = x->in->val[0];

    LANES_IN_PLACE(l) at[l] = base[l] + plus;
    if (x->mask != UINT32_MAX)
        repeat(at, x->mask);
    *s = shape_of(at, 4 * words);
    return is_within(at, *s, words, x->w->cta->launch->shared_bytes);
}

static inline void load_shared(sem *x, unsigned words)
{
    uint32_t at[ISA_WARP];
    shape s;

    if (find_shared(x, words, at, &s))
        load_rows(x, x->w->cta->shared, at, s, words);
    else
        SEM_NAME(LDS)(x);
}

static inline void store_shared(sem *x, unsigned words)
{
    uint32_t at[ISA_WARP];
    shape s;

    if (find_shared(x, words, at, &s))
        store_rows(x, x->w->cta->shared, at, s, words);
    else
        SEM_NAME(STS)(x);
}

/* ---- global memory ---- */

static inline uint8_t *host_at(const sem *x, uint64_t addr)
{
    return (uint8_t *)(uintptr_t)(addr + x->to_host);
}

/* Where all lanes access the image, if that is in the order of lanes, without
 * gaps; NULL: it is not, or not all is there. */
static inline uint8_t *find_run(const sem *x, unsigned words)
{
    const uint32_t *lo = sem_planned(x, 0), *hi = lo + ISA_WARP;
    uint32_t first = lo[0], upper = hi[0], bits = 0, size = 4 * words;
    uint64_t at = (first | (uint64_t)upper << 32) +
                  (uint64_t)(int64_t)(int32_t)x->in->val[0];

    if (x->mask != UINT32_MAX || lo[ISA_WARP - 1] - first != 31 * size ||
        first > UINT32_MAX - ISA_WARP * size)
        return NULL;
    LANES(l) bits |= ((lo[l] - first) ^ (l * size)) | (hi[l] ^ upper);
    if (bits || at % size ||
        !mem_valid(x->image, at, ISA_WARP * size, &x->op->hint))
        return NULL;
    return host_at(x, at);
}

/* Where lanes access the image: at[l] bytes behind what it returns, which may
 * itself lie outside. NULL: not all are in one range of memory. */
static inline uint8_t *find_lanes(const sem *x, unsigned words,
                                  uint32_t at[ISA_WARP])
{
    const uint32_t *lo = sem_planned(x, 0), *hi = lo + ISA_WARP;
    uint64_t plus = (uint64_t)(int64_t)(int32_t)x->in->val[0];
    uint32_t upper = hi[bits_ctz32(x->mask)], odd = 4 * words - 1;
    uint32_t bits = 0, low = UINT32_MAX, high = 0;

    if (x->mask == UINT32_MAX) {
        LANES_IN_PLACE(l)
        {
            at[l] = lo[l];
            bits |= hi[l] ^ upper;
        }
    } else {
        uint32_t other = lo[bits_ctz32(x->mask)];

        LANES_IN_PLACE(l)
        {
            uint32_t on = x->mask & exec_lane_bit[l] ? UINT32_MAX : 0;

            at[l] = (lo[l] & on) | (other & ~on);
            bits |= (hi[l] ^ upper) & on;
        }
    }
    LANES(l)
    {
        bits |= (at[l] + (uint32_t)plus) & odd;
        low = at[l] < low ? at[l] : low;
        high = at[l] > high ? at[l] : high;
    }
    plus += (uint64_t)upper << 32;
    if (bits || !mem_valid(x->image, plus + low, high - low + 4ull * words,
                           &x->op->hint))
        return NULL;
    return host_at(x, plus);
}

static inline void load_global(sem *x, unsigned words, exec_body *otherwise)
{
    const uint8_t *run = find_run(x, words);
    uint32_t at[ISA_WARP];

    if (run && words == 1) {
        sem_copy_words(sem_reg(x, x->in->dst), run, ISA_WARP);
        return;
    }
    if (run) {
        for (unsigned k = 0; k < words; k++) {
            uint32_t *to = sem_reg(x, x->in->dst + k);
            LANES(l) to[l] = word_at(run + 4 * (words * l + k));
        }
        return;
    }
    const uint8_t *base = find_lanes(x, words, at);
    if (base)
        load_rows(x, base, at, shape_of(at, 4 * words), words);
    else
        otherwise(x);
}

static inline void store_global(sem *x, unsigned words, exec_body *otherwise)
{
    uint8_t *run = find_run(x, words);
    uint32_t at[ISA_WARP];

    if (run) {
        const uint32_t *from = sem_reg(x, x->in->src[1]);

        if (words == 1)
            sem_copy_words((uint32_t *)run, from, ISA_WARP);
        else
            LANES(l) put_words(run + 4 * words * l, from + l, words);
        return;
    }
    uint8_t *base = find_lanes(x, words, at);
    if (base)
        store_rows(x, base, at, shape_of(at, 4 * words), words);
    else
        otherwise(x);
}

/* ---- which ---- */

#define EACH_SIZE(name, body, ...)                                             \
    static void name##1(sem * x) { body(x, 1, ##__VA_ARGS__); }                \
    static void name##2(sem * x) { body(x, 2, ##__VA_ARGS__); }                \
    static void name##4(sem * x) { body(x, 4, ##__VA_ARGS__); }

EACH_SIZE(lds, load_shared)
EACH_SIZE(sts, store_shared)
EACH_SIZE(ldg, load_global, SEM_NAME(LDG))
EACH_SIZE(stg, store_global, SEM_NAME(STG))
EACH_SIZE(ld, load_global, SEM_NAME(LD))
EACH_SIZE(st, store_global, SEM_NAME(ST))

#define OF_SIZE(name, bytes)                                                   \
    ((bytes) == 4    ? name##1                                                 \
     : (bytes) == 8  ? name##2                                                 \
     : (bytes) == 16 ? name##4                                                 \
                     : NULL)

/* Addresses are registers and a number, and so are loaded or stored words. */
static bool is_simple(const isa_inst *in, const exec_launch *l)
{
    bool global = in->flags & ISA_F_GLOBAL;

    if (in->uaddr || in->src_kind[0] != SRC_REG)
        return false;
    if (global ? !ISA_GET(in, EXT) || in->src[0] == ISA_RZ
               : isa_address_scale(in) || sem_has_ranks(l))
        return false;
    return in->flags & ISA_F_STORE ? in->src[1] != ISA_RZ : in->dst != ISA_RZ;
}

exec_body *sem_once(const isa_inst *in, const exec_launch *l)
{
    if ((in->op != ISA_LDS && in->op != ISA_STS && in->op != ISA_LDG &&
         in->op != ISA_STG && in->op != ISA_LD && in->op != ISA_ST) ||
        !is_simple(in, l))
        return NULL;
    switch (in->op) {
    case ISA_LDS:
        return OF_SIZE(lds, in->bytes);
    case ISA_STS:
        return OF_SIZE(sts, in->bytes);
    case ISA_LDG:
        return OF_SIZE(ldg, in->bytes);
    case ISA_STG:
        return OF_SIZE(stg, in->bytes);
    case ISA_LD:
        return OF_SIZE(ld, in->bytes);
    default:
        return OF_SIZE(st, in->bytes);
    }
}
