/* tests/cuda/test_array.c - arrays of the runtime API: their shapes, and what
 * copies put where. */
#include <string.h>

#include "program.h"
#include "test.h"

__attribute__((constructor)) static void set_up(void)
{
    static const char ptx[] = ".version 6.0\n.target sm_70\n.address_size 64\n";

    program_register(ptx, sizeof ptx - 1);
}

static const cudaChannelFormatDesc words = {32, 0, 0, 0,
                                            cudaChannelFormatKindUnsigned};
static const cudaChannelFormatDesc bytes = {8, 0, 0, 0,
                                            cudaChannelFormatKindUnsigned};

/* ---- Shapes ---- */

static cudaError_t make(cudaExtent e, unsigned flags)
{
    cudaArray_t a;
    cudaError_t code = cudaMalloc3DArray(&a, &words, e, flags);

    if (code == cudaSuccess)
        cudaFreeArray(a);
    return code;
}

/* Limits of compute capability 5.0 to 9.0 [CUDA12:compute-capabilities]. */
TEST(shapes_have_limits)
{
    const unsigned layers = cudaArrayLayered, cube = cudaArrayCubemap;

    NEED_MEMORY();
    CHECK_EQ(make((cudaExtent){131072, 0, 0}, 0), cudaSuccess);
    CHECK_EQ(make((cudaExtent){131073, 0, 0}, 0), cudaErrorInvalidValue);
    CHECK_EQ(make((cudaExtent){0, 0, 0}, 0), cudaErrorInvalidValue);
    CHECK_EQ(make((cudaExtent){131072, 2, 0}, 0), cudaSuccess);
    CHECK_EQ(make((cudaExtent){1, 65537, 0}, 0), cudaErrorInvalidValue);
    CHECK_EQ(make((cudaExtent){1, 1, 16385}, 0), cudaErrorInvalidValue);
    CHECK_EQ(make((cudaExtent){8, 0, 2048}, layers), cudaSuccess);
    CHECK_EQ(make((cudaExtent){8, 0, 2049}, layers), cudaErrorInvalidValue);
    CHECK_EQ(make((cudaExtent){8, 8, 0}, layers), cudaErrorInvalidValue);
    CHECK_EQ(make((cudaExtent){8, 8, 6}, cube), cudaSuccess);
    CHECK_EQ(make((cudaExtent){8, 9, 6}, cube), cudaErrorInvalidValue);
    CHECK_EQ(make((cudaExtent){8, 8, 12}, cube), cudaErrorInvalidValue);
    CHECK_EQ(make((cudaExtent){8, 8, 12}, cube | layers), cudaSuccess);
    CHECK_EQ(make((cudaExtent){8, 8, 0}, 0x100), cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST(formats)
{
    cudaChannelFormatDesc three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned},
                          mixed = {8, 16, 0, 0, cudaChannelFormatKindUnsigned},
                          tiny = {8, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaChannelFormatDesc is =
        cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
    cudaExtent size;
    unsigned flags = 9;
    cudaArray_t a;

    NEED_MEMORY();
    CHECK_EQ(cudaMallocArray(&a, &three, 4, 4, 0),
             cudaErrorInvalidChannelDescriptor);
    CHECK_EQ(cudaMallocArray(&a, &mixed, 4, 4, 0),
             cudaErrorInvalidChannelDescriptor);
    CHECK_EQ(cudaMallocArray(&a, &tiny, 4, 4, 0),
             cudaErrorInvalidChannelDescriptor);
    cudaGetLastError();
    CHECK_EQ(cudaMallocArray(&a, &is, 5, 3, cudaArraySurfaceLoadStore),
             cudaSuccess);
    is = (cudaChannelFormatDesc){0};
    CHECK_EQ(cudaArrayGetInfo(&is, &size, &flags, a), cudaSuccess);
    CHECK(is.x == 16 && is.y == 16 && !is.z);
    CHECK(size.width == 5 && size.height == 3 && !size.depth);
    CHECK_EQ(flags, cudaArraySurfaceLoadStore);
    is = (cudaChannelFormatDesc){0};
    CHECK_EQ(cudaGetChannelDesc(&is, a), cudaSuccess);
    CHECK_EQ(is.f, cudaChannelFormatKindFloat);
    cudaFreeArray(a);
}

/* An array counts against the device's memory until it is freed. */
TEST(arrays_are_freed)
{
    size_t before, now, all;
    cudaMipmappedArray_t m;
    cudaArray_t a, level;

    NEED_MEMORY();
    cudaMemGetInfo(&before, &all);
    cudaMallocArray(&a, &words, 256, 256, 0);
    cudaMemGetInfo(&now, &all);
    CHECK(before - now >= 256 * 256 * 4);
    CHECK_EQ(cudaFreeArray(a), cudaSuccess);
    CHECK_EQ(cudaFreeArray(a), cudaErrorInvalidResourceHandle);
    CHECK_EQ(cudaFreeArray(NULL), cudaSuccess);
    CHECK_EQ(
        cudaMallocMipmappedArray(&m, &words, (cudaExtent){64, 64, 0}, 7, 0),
        cudaSuccess);
    cudaGetMipmappedArrayLevel(&level, m, 3);
    CHECK_EQ(cudaFreeMipmappedArray(m), cudaSuccess);
    CHECK_EQ(cudaGetChannelDesc(&(cudaChannelFormatDesc){0}, level),
             cudaErrorInvalidResourceHandle);
    cudaMemGetInfo(&now, &all);
    CHECK_EQ(now, before);
    cudaMallocArray(&a, &words, 256, 256, 0);
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    cudaMemGetInfo(&now, &all);
    CHECK_EQ(now, before);
    CHECK_EQ(cudaFreeArray(a), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

/* ---- Copies ---- */

enum { W = 7, H = 5 };

/* What all of an array of bytes is. */
static void read_all(cudaArray_t a, unsigned char out[H][W])
{
    CHECK_EQ(
        cudaMemcpy2DFromArray(out, W, a, 0, 0, W, H, cudaMemcpyDeviceToHost),
        cudaSuccess);
}

static cudaArray_t numbered(unsigned first)
{
    unsigned char host[H][W];
    cudaArray_t a;

    for (unsigned i = 0; i < W * H; i++)
        (&host[0][0])[i] = (unsigned char)(first + i);
    CHECK_EQ(cudaMallocArray(&a, &bytes, W, H, 0), cudaSuccess);
    CHECK_EQ(
        cudaMemcpy2DToArray(a, 0, 0, host, W, W, H, cudaMemcpyHostToDevice),
        cudaSuccess);
    return a;
}

/* Bytes go on in the next row. */
TEST(bytes_fill_rows)
{
    unsigned char all[H][W], host[20];
    cudaArray_t a, b;

    NEED_MEMORY();
    a = numbered(0);
    memset(host, 200, sizeof host);
    CHECK_EQ(
        cudaMemcpyToArray(a, 5, 1, host, 2 + 2 * W + 3, cudaMemcpyHostToDevice),
        cudaSuccess);
    read_all(a, all);
    for (int i = 0; i < W * H; i++) {
        int first = 1 * W + 5, n = 2 + 2 * W + 3;
        int want = i >= first && i < first + n ? 200 : i;

        CHECK_EQ((&all[0][0])[i], want);
    }
    cudaFreeArray(a);
    a = numbered(0);
    CHECK_EQ(cudaMemcpyFromArray(host, a, 6, 0, 10, cudaMemcpyDeviceToHost),
             cudaSuccess);
    for (int i = 0; i < 10; i++)
        CHECK_EQ(host[i], 6 + i);
    b = numbered(100);
    CHECK_EQ(
        cudaMemcpyArrayToArray(b, 3, 2, a, 1, 0, 12, cudaMemcpyDeviceToDevice),
        cudaSuccess);
    read_all(b, all);
    for (int i = 0; i < W * H; i++) {
        int first = 2 * W + 3;
        int want = i >= first && i < first + 12 ? i - first + 1 : 100 + i;

        CHECK_EQ((&all[0][0])[i], want);
    }
    CHECK_EQ(cudaMemcpyToArray(a, 0, 4, host, W + 1, cudaMemcpyHostToDevice),
             cudaErrorInvalidValue);
    CHECK_EQ(cudaMemcpyToArray(a, 8, 0, host, 1, cudaMemcpyHostToDevice),
             cudaErrorInvalidValue);
    cudaGetLastError();
    cudaFreeArray(a), cudaFreeArray(b);
}

TEST(rectangles)
{
    unsigned char all[H][W], host[3][16];
    cudaArray_t a, b, wide;

    NEED_MEMORY();
    a = numbered(0), b = numbered(100);
    memset(host, 9, sizeof host);
    CHECK_EQ(cudaMemcpy2DToArrayAsync(a, 2, 1, host, 16, 4, 3,
                                      cudaMemcpyHostToDevice, 0),
             cudaSuccess);
    memset(host, 8, sizeof host); /* the call has read it */
    CHECK_EQ(cudaMemcpy2DArrayToArray(b, 1, 2, a, 1, 1, 2, 2,
                                      cudaMemcpyDeviceToDevice),
             cudaSuccess);
    read_all(a, all);
    CHECK(all[1][1] == 8 && all[1][2] == 9 && all[3][5] == 9);
    CHECK(all[3][6] == 27 && all[4][3] == 31);
    read_all(b, all);
    CHECK(all[2][1] == 8 && all[2][2] == 9 && all[3][1] == 15);
    CHECK(all[3][2] == 9 && all[3][3] == 124 && all[1][1] == 108);
    CHECK_EQ(
        cudaMemcpy2DToArray(a, 4, 0, host, 16, 4, 1, cudaMemcpyHostToDevice),
        cudaErrorInvalidValue);
    CHECK_EQ(
        cudaMemcpy2DToArray(a, 0, 0, host, 3, 4, 1, cudaMemcpyHostToDevice),
        cudaErrorInvalidPitchValue);
    cudaMallocArray(&wide, &words, W, H, 0);
    CHECK_EQ(cudaMemcpy2DArrayToArray(wide, 0, 0, a, 0, 0, 4, 1,
                                      cudaMemcpyDeviceToDevice),
             cudaErrorInvalidValue); /* elements of four bytes and of one */
    cudaGetLastError();
    cudaFreeArray(a), cudaFreeArray(b), cudaFreeArray(wide);
}

/* Layers are the depth of a box, also where there is no height. */
TEST(boxes_of_layers)
{
    unsigned host[3][4], back[2][2] = {{0}};
    cudaArray_t a;

    NEED_MEMORY();
    for (unsigned i = 0; i < 12; i++)
        (&host[0][0])[i] = i;
    CHECK_EQ(
        cudaMalloc3DArray(&a, &words, (cudaExtent){4, 0, 3}, cudaArrayLayered),
        cudaSuccess);
    cudaMemcpy3DParms in = {.srcPtr = {host, sizeof *host, 4, 1},
                            .dstArray = a,
                            .extent = {4, 1, 3},
                            .kind = cudaMemcpyHostToDevice};
    CHECK_EQ(cudaMemcpy3D(&in), cudaSuccess);
    cudaMemcpy3DPeerParms out = {.srcArray = a,
                                 .srcPos = {2, 0, 1},
                                 .dstPtr = {back, sizeof *back, 2, 1},
                                 .extent = {2, 1, 2}};
    void *device;
    CHECK_EQ(cudaMalloc(&device, sizeof back), cudaSuccess);
    out.dstPtr.ptr = device;
    CHECK_EQ(cudaMemcpy3DPeer(&out), cudaSuccess);
    cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost);
    CHECK(back[0][0] == 6 && back[0][1] == 7);
    CHECK(back[1][0] == 10 && back[1][1] == 11);
    in.extent.depth = 4;
    CHECK_EQ(cudaMemcpy3D(&in), cudaErrorInvalidValue);
    cudaGetLastError();
    cudaFreeArray(a);
    cudaFree(device);
}
