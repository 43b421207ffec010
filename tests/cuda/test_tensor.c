/* tests/cuda/test_tensor.c - tensor maps as the driver makes them: what it
 * takes, and each of the requirements of its manual
 * [CUDA13:cuTensorMapEncodeTiled]. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "cuda/driver_api/driver_functions.h"
#include "mem/tensor_map.h"
#include "test.h"

__attribute__((constructor)) static void choose_devices(void)
{
    unsetenv("HEDDLE_SESSION");
    setenv("HEDDLE_GPU", "h100,a100", 1);
}

enum { INVALID = 1, NOT_SUPPORTED = 801 };

static void begin(CUdevice number)
{
    CUcontext c;

    if (cuInit(0) == 3)
        TEST_SKIP("simulated memory cannot lie at its own address here");
    CHECK_EQ(cuCtxCreate_v2(&c, 0, number), 0);
}

/* The arguments of both functions, good ones. */
typedef struct arguments {
    tensor_map map __attribute__((aligned(64)));
    int type;
    unsigned rank;
    uintptr_t address;
    uint64_t dim[5], stride[4];
    uint32_t box[5], step[5];
    int interleave, swizzle, promotion, fill;
    int lower[3], upper[3];
    unsigned channels, pixels;
} arguments;

static arguments good(void)
{
    return (arguments){.type = 6, /* halves */
                       .rank = 4,
                       .address = 0x70000100,
                       .dim = {64, 20, 30, 4, 2},
                       .stride = {128, 2560, 76800, 307200},
                       .box = {64, 8, 4, 1, 1},
                       .step = {1, 1, 1, 1, 1},
                       .swizzle = 3,
                       .channels = 64,
                       .pixels = 128,
                       .lower = {-1, -1, -1},
                       .upper = {-1, -1, -1}};
}

static CUresult tiled(arguments *a)
{
    return cuTensorMapEncodeTiled(
        &a->map, a->type, a->rank, (void *)a->address, a->dim, a->stride,
        a->box, a->step, a->interleave, a->swizzle, a->promotion, a->fill);
}

static CUresult im2col(arguments *a)
{
    return cuTensorMapEncodeIm2col(
        &a->map, a->type, a->rank, (void *)a->address, a->dim, a->stride,
        a->lower, a->upper, a->channels, a->pixels, a->step, a->interleave,
        a->swizzle, a->promotion, a->fill);
}

TEST(good_arguments_make_a_map)
{
    arguments a = good();

    begin(0);
    CHECK_EQ(tiled(&a), 0);
    CHECK(!tensor_map_check(&a.map));
    CHECK_EQ(a.map.address, 0x70000100);
    CHECK_EQ(a.map.last, 3);
    CHECK_EQ(a.map.type, TENSOR_F16);
    CHECK_EQ(a.map.stride[2], 76800);
    CHECK_EQ(cuTensorMapReplaceAddress(&a.map, (void *)0x70000200), 0);
    CHECK_EQ(a.map.address, 0x70000200);
    CHECK_EQ(cuTensorMapReplaceAddress(&a.map, (void *)0x70000204), INVALID);
    CHECK_EQ(a.map.address, 0x70000200);
    CHECK_EQ(im2col(&a), 0);
    CHECK(!tensor_map_check(&a.map));
    CHECK_EQ(a.map.lower[0], -1);
    CHECK_EQ(a.map.box[1], 128);
}

/* The driver's numbers of types are not those of tensormap.replace. */
TEST(types_have_the_numbers_of_instructions)
{
    static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};

    begin(0);
    for (unsigned i = 0; i < COUNTOF(types); i++) {
        arguments a = good();

        a.type = (int)i;
        a.swizzle = 0;
        CHECK_EQ(tiled(&a), 0);
        CHECK_EQ(a.map.type, types[i]);
    }
}

#define WRONG(what)                                                            \
    {                                                                          \
        arguments a = good();                                                  \
        memset(&a.map, 0x5a, sizeof a.map);                                    \
        what;                                                                  \
        CHECK_EQ(tiled(&a), INVALID);                                          \
        CHECK_EQ(a.map.magic, 0x5a5a5a5a5a5a5a5a);                             \
    }

TEST(each_requirement_is_checked)
{
    begin(0);
    WRONG(a.type = 13)
    WRONG(a.type = -1)
    WRONG(a.type = 40)
    WRONG(a.rank = 0)
    WRONG(a.rank = 6)
    WRONG(a.rank = 2; a.interleave = 1)
    WRONG(a.address = 0)
    WRONG(a.address += 8)
    WRONG(a.address += 16; a.interleave = 2; a.swizzle = 1)
    WRONG(a.dim[1] = 0)
    WRONG(a.dim[1] = ((uint64_t)1 << 32) + 1)
    WRONG(a.stride[0] = 136)
    WRONG(a.stride[0] = 144; a.interleave = 2; a.swizzle = 1)
    WRONG(a.stride[2] = (uint64_t)1 << 40)
    WRONG(a.box[1] = 0)
    WRONG(a.box[1] = 257)
    WRONG(a.box[0] = 4)
    WRONG(a.box[0] = 72)
    WRONG(a.swizzle = 2)
    WRONG(a.swizzle = 4)
    WRONG(a.swizzle = -1)
    WRONG(a.step[2] = 0)
    WRONG(a.step[2] = 9)
    WRONG(a.interleave = 3)
    WRONG(a.interleave = 2)
    WRONG(a.promotion = 4)
    WRONG(a.fill = 2)
    WRONG(a.fill = 1; a.type = 3; a.swizzle = 0)
    {
        arguments a = good();

        CHECK_EQ(cuTensorMapEncodeTiled((char *)&a.map + 16, a.type, a.rank,
                                        (void *)a.address, a.dim, a.stride,
                                        a.box, a.step, 0, 0, 0, 0),
                 INVALID);
        a.dim[3] = (uint64_t)1 << 32;
        a.fill = 1;
        CHECK_EQ(tiled(&a), 0);
        CHECK_EQ(tensor_dim(&a.map, 3), (uint64_t)1 << 32);
    }
}

TEST(corners_of_pixels_are_checked)
{
    arguments a = good();

    begin(0);
    a.rank = 2;
    CHECK_EQ(im2col(&a), INVALID);
    a = good();
    a.lower[1] = -129;
    CHECK_EQ(im2col(&a), INVALID);
    a.rank = 3;
    CHECK_EQ(im2col(&a), 0);
    a.rank = 5;
    a.lower[1] = -17;
    CHECK_EQ(im2col(&a), INVALID);
    a = good();
    a.upper[0] = -21; /* nothing is left of 20 pixels */
    CHECK_EQ(im2col(&a), INVALID);
    a = good();
    a.pixels = 1025;
    CHECK_EQ(im2col(&a), INVALID);
    a.pixels = 1024;
    CHECK_EQ(im2col(&a), 0);
    a.channels = 257;
    a.swizzle = 0;
    CHECK_EQ(im2col(&a), INVALID);
}

TEST(older_devices_have_none)
{
    arguments a = good();

    begin(1);
    CHECK_EQ(tiled(&a), NOT_SUPPORTED);
}
