/* Kernels give what host generators give, to the last bit. */
#include "test.h"

#include "rand.h"

enum { N = 3 * 4096 + 1002 };

#define NEED_DEVICE()                                                          \
    do {                                                                       \
        if (cudaFree(NULL) == cudaErrorInitializationError)                    \
            TEST_SKIP("simulated memory cannot lie at its own address here");  \
    } while (0)

/* Two calls in a row of kind `what`, of `count` numbers each. */
static curandStatus_t numbers(curandGenerator_t g, int what, void *out,
                              size_t count)
{
    switch (what) {
    case 0:
        return curandGenerate(g, out, count);
    case 1:
        return curandGenerateUniform(g, out, count);
    case 2:
        return curandGenerateUniformDouble(g, out, count);
    case 3:
        return curandGenerateNormal(g, out, count, -1, 2.5f);
    case 4:
        return curandGenerateNormalDouble(g, out, count, -1, 2.5);
    case 5:
        return curandGenerateLogNormal(g, out, count, 1, 30);
    case 6:
        return curandGenerateLogNormalDouble(g, out, count, 1, 200);
    case 7:
        return curandGeneratePoisson(g, out, count, 17.5);
    default:
        return curandGenerateLongLong(g, out, count);
    }
}

static void check_same(curandRngType_t type, int what, uint64_t offset)
{
    curandGenerator_t on_host = host_generator(type), g;
    size_t size = what == 8 || (what && what % 2 == 0) ? 8 : 4;
    char *want = array(2 * N, size), *got;

    CHECK_EQ(
        cudaMallocManaged((void **)&got, 2 * N * size, cudaMemAttachGlobal),
        cudaSuccess);
    CHECK_EQ(curandCreateGenerator(&g, type), OK);
    if (type >= CURAND_RNG_QUASI_DEFAULT) {
        CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(g, 6), OK);
        CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(on_host, 6), OK);
    } else {
        CHECK_EQ(curandSetPseudoRandomGeneratorSeed(g, 42), OK);
        CHECK_EQ(curandSetPseudoRandomGeneratorSeed(on_host, 42), OK);
    }
    if (offset) {
        CHECK_EQ(curandSetGeneratorOffset(g, offset), OK);
        CHECK_EQ(curandSetGeneratorOffset(on_host, offset), OK);
    }
    CHECK_EQ(numbers(on_host, what, want, 1002), OK);
    CHECK_EQ(numbers(on_host, what, want + 1002 * size, N), OK);
    CHECK_EQ(numbers(g, what, got, 1002), OK);
    CHECK_EQ(numbers(g, what, got + 1002 * size, N), OK);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    CHECK(!memcmp(want, got, (N + 1002) * size));
    curandDestroyGenerator(on_host);
    CHECK_EQ(curandDestroyGenerator(g), OK);
    cudaFree(got);
    free(want);
}

TEST(pseudorandom_numbers_are_those_of_the_host)
{
    NEED_DEVICE();
    for (int type = 0; type < 4; type++)
        for (int what = 0; what < 8; what++)
            check_same(pseudo_types[type], what, 0);
}

TEST(quasirandom_numbers_are_those_of_the_host)
{
    NEED_DEVICE();
    for (int type = 0; type < 4; type++)
        for (int what = type < 2 ? 0 : 1; what < (type < 2 ? 8 : 9); what++)
            check_same(quasi_types[type], what, 0);
}

TEST(offsets_are_those_of_the_host)
{
    NEED_DEVICE();
    check_same(CURAND_RNG_PSEUDO_XORWOW, 0, 4099);
    check_same(CURAND_RNG_PSEUDO_MRG32K3A, 2, 123456789012345);
    check_same(CURAND_RNG_PSEUDO_PHILOX4_32_10, 1, 0x3fffffffff);
    check_same(CURAND_RNG_QUASI_SOBOL64, 8, 0x3fffffffff);
}

/* What the stream has to do before is done before. */
TEST(numbers_come_in_the_order_of_the_stream)
{
    curandGenerator_t g;
    cudaStream_t stream;
    unsigned *at, copy[64], *want;

    NEED_DEVICE();
    want = host_words(CURAND_RNG_PSEUDO_XORWOW, 5, 64);
    CHECK_EQ(cudaMalloc((void **)&at, sizeof copy), cudaSuccess);
    CHECK_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
             cudaSuccess);
    CHECK_EQ(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT), OK);
    CHECK_EQ(curandSetStream(g, stream), OK);
    CHECK_EQ(curandSetPseudoRandomGeneratorSeed(g, 5), OK);
    CHECK_EQ(cudaMemsetAsync(at, 0xff, sizeof copy, stream), cudaSuccess);
    CHECK_EQ(curandGenerate(g, at, 64), OK);
    CHECK_EQ(
        cudaMemcpyAsync(copy, at, sizeof copy, cudaMemcpyDeviceToHost, stream),
        cudaSuccess);
    CHECK_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    CHECK(!memcmp(copy, want, sizeof copy));
    curandDestroyGenerator(g);
    cudaStreamDestroy(stream);
    cudaFree(at);
    free(want);
}
