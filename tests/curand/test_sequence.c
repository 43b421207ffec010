/* A generator is one sequence, however it is taken. */
#include "test.h"

#include "rand.h"

enum { STREAMS = 4096, N = 3 * STREAMS + 1001 };

static bool is_sobol64(curandRngType_t type)
{
    return type >= CURAND_RNG_QUASI_SOBOL64;
}

/* Words as `out`, of 64 bits for SOBOL64. */
static curandStatus_t words(curandGenerator_t g, curandRngType_t type,
                            uint64_t *out, size_t from, size_t count)
{
    return is_sobol64(type) ? curandGenerateLongLong(
                                  g, (unsigned long long *)out + from, count)
                            : curandGenerate(g, (unsigned *)out + from, count);
}

static void check_chunks(curandRngType_t type)
{
    curandGenerator_t whole = host_generator(type), part = host_generator(type);
    uint64_t *a = array(N, sizeof *a), *b = array(N, sizeof *b);
    size_t done = 0;

    CHECK_EQ(words(whole, type, a, 0, N), OK);
    for (size_t step = 1; done < N; step = step * 3 + 1) {
        size_t count = step < N - done ? step : N - done;
        CHECK_EQ(words(part, type, b, done, count), OK);
        done += count;
    }
    CHECK(!memcmp(a, b, N * sizeof *a));
    curandDestroyGenerator(whole);
    curandDestroyGenerator(part);
    free(a);
    free(b);
}

TEST(chunks_of_any_size_give_the_same_words)
{
    for (int i = 0; i < 4; i++) {
        check_chunks(pseudo_types[i]);
        check_chunks(quasi_types[i]);
    }
}

/* From `offset` on the words are those behind `offset` words, or, where these
 * are too many, those of one offset less. */
static void check_offset(curandRngType_t type, uint64_t offset)
{
    curandGenerator_t g = host_generator(type);
    size_t before = offset < N ? offset : 1;
    uint64_t *a = array(2 * N, sizeof *a), *b = array(N, sizeof *b);
    size_t size = is_sobol64(type) ? 8 : 4;

    CHECK_EQ(curandSetGeneratorOffset(g, offset - before), OK);
    CHECK_EQ(words(g, type, a, 0, before + N), OK);
    CHECK_EQ(curandSetGeneratorOffset(g, offset), OK);
    CHECK_EQ(words(g, type, b, 0, N), OK);
    CHECK(!memcmp((char *)a + before * size, b, N * size));
    curandDestroyGenerator(g);
    free(a);
    free(b);
}

TEST(offsets_skip)
{
    static const uint64_t offsets[] = {
        1, 4095, 4096, 4097, 9999, 0x100000000, 0x123456789ab, ~0ull >> 4};

    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        check_offset(CURAND_RNG_PSEUDO_XORWOW, offsets[i]);
        check_offset(CURAND_RNG_PSEUDO_MRG32K3A, offsets[i]);
        check_offset(CURAND_RNG_PSEUDO_PHILOX4_32_10, offsets[i]);
        if (offsets[i] < 0x100000000 - N)
            check_offset(CURAND_RNG_QUASI_SOBOL32, offsets[i]);
        check_offset(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, offsets[i]);
    }
}

/* Each of a few words of a generator depends on its seed; the same seed gives
 * the same words again. */
TEST(seeds_decide)
{
    for (int i = 0; i < 4; i++) {
        unsigned *a = host_words(pseudo_types[i], 1234, N);
        unsigned *b = host_words(pseudo_types[i], 1234, N);
        unsigned *c = host_words(pseudo_types[i], 1234ull << 32, N);
        unsigned same = 0;
        CHECK(!memcmp(a, b, N * sizeof *a));
        for (int k = 0; k < N; k++)
            same += a[k] == c[k];
        CHECK(same < 3);
        free(a);
        free(b);
        free(c);
    }
}

/* An offset stays when a seed is set after it. */
TEST(seed_and_offset_are_set_in_any_order)
{
    curandGenerator_t g = host_generator(CURAND_RNG_PSEUDO_XORWOW);
    unsigned *whole = host_words(CURAND_RNG_PSEUDO_XORWOW, 9, 200);
    unsigned part[100];

    CHECK_EQ(curandSetGeneratorOffset(g, 100), OK);
    CHECK_EQ(curandSetPseudoRandomGeneratorSeed(g, 9), OK);
    CHECK_EQ(curandGenerate(g, part, 100), OK);
    CHECK(!memcmp(whole + 100, part, sizeof part));
    curandDestroyGenerator(g);
    free(whole);
}

/* Stream 0 is that of the seed; the others have seeds of their own. */
TEST(xorwow_streams_may_have_seeds)
{
    curandGenerator_t g = host_generator(CURAND_RNG_PSEUDO_XORWOW);
    unsigned *far = host_words(CURAND_RNG_PSEUDO_XORWOW, 77, N);
    unsigned *a = array(N, sizeof *a), *b = array(N, sizeof *b), same = 0;

    CHECK_EQ(curandSetPseudoRandomGeneratorSeed(g, 77), OK);
    CHECK_EQ(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_SEEDED), OK);
    CHECK_EQ(curandGenerate(g, a, N), OK);
    for (int i = 0; i < N; i++) {
        if (i % STREAMS == 0)
            CHECK_EQ(a[i], far[i]);
        same += i % STREAMS && a[i] == far[i];
    }
    CHECK(same < 3);
    CHECK_EQ(curandSetGeneratorOffset(g, 4100), OK);
    CHECK_EQ(curandGenerate(g, b, N - 4100), OK);
    CHECK(!memcmp(a + 4100, b, (N - 4100) * sizeof *a));
    curandDestroyGenerator(g);
    free(far);
    free(a);
    free(b);
}

/* The numbers of a dimension lie together, and go on with the next call. */
TEST(dimensions_follow_each_other)
{
    enum { D = 5, POINTS = 30 };
    curandGenerator_t g = host_generator(CURAND_RNG_QUASI_SOBOL32);
    unsigned all[D * POINTS], half[2][D * POINTS / 2];

    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(g, D), OK);
    CHECK_EQ(curandGenerate(g, all, D * POINTS), OK);
    CHECK_EQ(curandSetGeneratorOffset(g, 0), OK);
    CHECK_EQ(curandGenerate(g, half[0], D * POINTS / 2), OK);
    CHECK_EQ(curandGenerate(g, half[1], D * POINTS / 2), OK);
    for (int d = 0; d < D; d++)
        for (int i = 0; i < POINTS; i++)
            CHECK_EQ(all[d * POINTS + i],
                     half[i / (POINTS / 2)][d * POINTS / 2 + i % (POINTS / 2)]);
    curandDestroyGenerator(g);
}
