/* mbarriers: random sequences of operations against a model of what the manual
 * says of the four fields of one [PTX85:mbarrier]. */
#include "base/rng.h"
#include "exec/mbarrier.h"
#include "test.h"

typedef struct model {
    int64_t pending, expected, bytes;
    uint64_t phase;
} model;

/* Pending arrivals and bytes are both 0: the phase is over. */
static void model_check(model *m)
{
    if (m->pending || m->bytes)
        return;
    m->phase++;
    m->pending = m->expected;
}

static void same(const model *m, uint64_t word)
{
    exec_mbarrier is = exec_mbarrier_of(word);

    CHECK_EQ(is.left, m->pending);
    CHECK_EQ(is.expected, m->expected);
    CHECK_EQ(is.bytes, m->bytes);
    CHECK_EQ(is.phase, m->phase % 2);
}

static uint64_t apply(unsigned op, uint64_t word, int64_t count, int64_t bytes)
{
    uint64_t by = (uint32_t)count | (uint64_t)(uint32_t)bytes << 32;

    return exec_atom_apply(op, ATYPE_U64, word, by, 0, false);
}

enum { COUNT_MOST = (1 << 20) - 1, BYTES_MOST = (1 << 20) - 1 };

/* An mbarrier and its model. */
typedef struct pair {
    model m;
    uint64_t word, drops;
} pair;

/* `count` arrivals, of which each may `drop`, and so many bytes more. */
static void both(pair *p, unsigned op, int64_t count, int64_t bytes)
{
    p->word = apply(op, p->word, count, bytes);
    p->m.expected -= op == ATOM_DROP ? count : 0;
    p->m.pending -= count;
    p->m.bytes += bytes;
    model_check(&p->m);
    same(&p->m, p->word);
}

static void random_step(pair *p, rng *r)
{
    const model *m = &p->m;
    int64_t most = m->pending < 4 ? m->pending : 4;
    int64_t some = rng_below(r, 1 << 16);
    bool fits = m->bytes + some <= BYTES_MOST;

    switch (rng_below(r, 6)) {
    case 0: /* arrive, some at once */
        both(p, ATOM_ARRIVE, 1 + rng_below(r, (uint32_t)most), 0);
        break;
    case 1: /* expect_tx */
        if (fits)
            both(p, ATOM_ARRIVE, 0, some);
        break;
    case 2: /* complete_tx: may come before it is expected */
        if (m->bytes - some >= -BYTES_MOST)
            both(p, ATOM_ARRIVE, 0, -some);
        break;
    case 3: /* arrive.expect_tx */
        if (fits)
            both(p, ATOM_ARRIVE, 1, some);
        break;
    case 4: /* arrive_drop, while somebody is left */
        if (m->expected > 1 && !rng_below(r, 4)) {
            both(p, ATOM_DROP, 1, 0);
            p->drops++;
        }
        break;
    default: /* what is due, or came early, is made up for */
        both(p, ATOM_ARRIVE, 0, -m->bytes);
    }
    if (!m->pending) /* nothing but bytes can end the phase now */
        both(p, ATOM_ARRIVE, 0, -m->bytes);
}

TEST(an_mbarrier_does_what_the_model_does)
{
    uint64_t phases = 0, drops = 0;
    rng r;

    rng_init(&r, 3, "mbarrier");
    for (unsigned t = 0; t < 200; t++) {
        uint32_t n = 1 + rng_below(&r, t % 4 ? 12 : COUNT_MOST);
        pair p = {.m = {.pending = n, .expected = n},
                  .word = exec_mbarrier_new(n)};

        for (unsigned i = 0; i < 400; i++)
            random_step(&p, &r);
        phases += p.m.phase;
        drops += p.drops;
    }
    CHECK(phases > 5000);
    CHECK(drops > 100);
}

/* What ptxas 13.0 makes of mbarrier.init and .pending_count for sm_90. */
TEST(the_word_is_that_of_machine_code)
{
    static const uint32_t counts[] = {1, 2, 100, 0xfffff};

    for (size_t i = 0; i < COUNTOF(counts); i++) {
        uint32_t n = counts[i], negated = 0x100000 - n;
        uint64_t word = exec_mbarrier_new(n);

        CHECK_EQ((uint32_t)word, negated << 1);
        CHECK_EQ(word >> 32, negated << 11);
        CHECK_EQ(0x100000 - (word >> 43 & 0xfffff), n);
    }
}

/* Ampere's, by the counts of mbarrier.init for sm_80: the parity is in the same
 * bit, and a loop of code for it looks at that alone. */
TEST(an_mbarrier_of_ampere_counts_down_to_its_next_phase)
{
    for (uint32_t n = 1; n < 70; n += 3) {
        uint32_t low = 0x40000000 - n, high = 0x80000000 - n;
        uint64_t word = low | (uint64_t)high << 32;

        for (unsigned phase = 0; phase < 4; phase++)
            for (uint32_t left = n; left--;) {
                word = exec_atom_apply(ATOM_ARRIVE80, ATYPE_U64, word, 1, 0,
                                       false);
                CHECK_EQ(word >> 63, (phase + !left) % 2);
                CHECK_EQ(0x80000000 - (word >> 32 & 0x7fffffff),
                         left ? left : n);
                CHECK_EQ((uint32_t)word, low);
            }
    }
}

TEST(a_phase_is_held_by_its_parity)
{
    isa_kernel k = {.name = "k"};
    exec_launch l = {.kernel = &k, .shared_bytes = 32};
    uint64_t shared[4] = {0};
    exec_cta c = {.launch = &l, .shared = (uint8_t *)shared};

    for (uint64_t phase = 0; phase < 2; phase++) {
        shared[1] = exec_mbarrier_new(5) | phase << ARRIVE_PHASE;
        for (uint32_t at = 0; at < 2; at++) {
            CHECK_EQ(exec_mbarrier_holds(&c, 8, at << 31), at == phase);
            CHECK_EQ(exec_mbarrier_holds(&c, 8, at << 31 | 1), at == phase);
        }
    }
    /* What is no mbarrier of the CTA holds nobody. */
    CHECK(!exec_mbarrier_holds(&c, 4, 0));
    CHECK(!exec_mbarrier_holds(&c, 32, 0));
    CHECK(!exec_mbarrier_holds(&c, UINT32_MAX - 7, 0));
}
