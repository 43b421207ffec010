/* tests/run/programs/fetches.cu - textures and surfaces of all shapes, by
 * objects that kernels get as parameters and that lanes choose: what they read
 * goes to the file that is named. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { W = 24, H = 10, D = 6, LANES = 64, ROWS = 40 };

#define TRY(call)                                                              \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_) {                                                              \
            printf("%d: %s\n", __LINE__, cudaGetErrorString(e_));              \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

struct textures {
    cudaTextureObject_t line, lines, plane, planes, box, cube, list, mips;
    cudaSurfaceObject_t s1, s2, s2l, s3;
};

__device__ void put(float4 *out, int row, float4 v)
{
    out[row * LANES + threadIdx.x] = v;
}

__device__ float4 ints(int4 v)
{
    return make_float4(__int_as_float(v.x), __int_as_float(v.y),
                       __int_as_float(v.z), __int_as_float(v.w));
}

__global__ void fetch(textures t, float4 *out)
{
    float a = threadIdx.x * 0.43f - 2.0f, b = 7.0f - threadIdx.x * 0.17f;
    float c = threadIdx.x * 0.07f;
    int i = threadIdx.x & 3;

    put(out, 0, tex1D<float4>(t.line, a));
    put(out, 1, tex1DLayered<float4>(t.lines, a, i));
    put(out, 2, tex2D<float4>(t.plane, a, b));
    put(out, 3, tex2DLayered<float4>(t.planes, a, b, i));
    put(out, 4, tex3D<float4>(t.box, a, b, c));
    put(out, 5, texCubemap<float4>(t.cube, a, b, c - 2));
    put(out, 6, ints(tex1Dfetch<int4>(t.list, threadIdx.x)));
    put(out, 7, tex2Dgather<float4>(t.plane, a, b, 0));
    put(out, 8, tex2Dgather<float4>(t.plane, a, b, 3));
    put(out, 9, tex2DLod<float4>(t.mips, a / W, b / H, c - 0.5f));
    put(out, 10,
        tex2DGrad<float4>(t.mips, a / W, b / H, make_float2(c / 8, 0.01f),
                          make_float2(0.02f, c / 16)));
    put(out, 11,
        make_float4(tex2D<float4>(t.plane, a, b).y, 0, 0,
                    tex2D<float4>(t.plane, b, a).w));
    float4 one = tex3D<float4>(t.box, b, a, c);
    put(out, 12, make_float4(one.x, one.z, one.w, 1));
    put(out, 13, tex1DLod<float4>(t.line, a, 0));
}

/* Each lane has a texture of its own. */
__global__ void choose(const cudaTextureObject_t *list, float4 *out)
{
    cudaTextureObject_t t = list[threadIdx.x % 3];
    float a = threadIdx.x * 0.43f, b = threadIdx.x * 0.11f;

    put(out, 14, tex2D<float4>(t, a, b));
    put(out, 15, tex2D<float4>(list[blockIdx.x], a, b));
    put(out, 16, tex2DLod<float4>(list[blockIdx.x + 1], a, b, 0));
    put(out, 17, tex2Dgather<float4>(list[blockIdx.x + 1], a, b, 1));
    put(out, 18,
        tex2DGrad<float4>(list[blockIdx.x + 1], a, b, make_float2(b, a),
                          make_float2(1, b)));
}

__global__ void surfaces(textures t, const cudaSurfaceObject_t *list,
                         float4 *out)
{
    int x = threadIdx.x % W, y = threadIdx.x % H, z = threadIdx.x % D;
    float4 v = make_float4(x, y, z, x + y);

    put(out, 20, surf1Dread<float4>(t.s1, x * 16));
    put(out, 21, surf2Dread<float4>(t.s2, x * 16, y));
    put(out, 22, surf2DLayeredread<float4>(t.s2l, x * 16, y, z));
    put(out, 23, surf3Dread<float4>(t.s3, x * 16, y, z));
    put(out, 24,
        surf2Dread<float4>(t.s2, x * 16 + 64, y + 3, cudaBoundaryModeZero));
    put(out, 25,
        surf2Dread<float4>(t.s2, x * 16 + 64, y + 3, cudaBoundaryModeClamp));
    put(out, 26,
        make_float4(surf2Dread<float>(t.s2, x * 16 + 4, y),
                    surf2Dread<unsigned char>(t.s2, x * 16 + 3, y),
                    surf2Dread<short>(t.s2, x * 16 + 2, y),
                    surf2Dread<float2>(t.s2, x * 16 + 8, y).y));
    put(out, 27, surf2Dread<float4>(list[0], x * 16, y));
    __syncthreads();
    surf1Dwrite(make_float4(x, 1, 2, 3), t.s1, x * 16);
    surf2Dwrite(v.x, t.s2, x * 16 + 4, y);
    surf2Dwrite((short)(x + 7), t.s2, x * 16 + 2, y);
    surf2DLayeredwrite(v, t.s2l, x * 16, y, z);
    surf3Dwrite(make_float2(v.z, v.x), t.s3, x * 16 + 8, y, z);
    surf2Dwrite(v, list[1], x * 16 + 80, y, cudaBoundaryModeZero);
    __syncthreads();
    put(out, 28, surf1Dread<float4>(t.s1, x * 16));
    put(out, 29, surf2Dread<float4>(t.s2, x * 16, y));
    put(out, 30, surf2DLayeredread<float4>(t.s2l, x * 16, y, z));
    put(out, 32,
        surf2Dread<float4>(list[1], x * 16 + 80, y, cudaBoundaryModeZero));
    put(out, 31, surf3Dread<float4>(t.s3, x * 16, y, z));
}

static float4 host[W * H * D];

static cudaArray_t array(unsigned w, unsigned h, unsigned d, unsigned flags)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float4>();
    cudaMemcpy3DParms copy = {};
    cudaArray_t a;

    TRY(cudaMalloc3DArray(&a, &f, make_cudaExtent(w, h, d), flags));
    copy.srcPtr = make_cudaPitchedPtr(host, w * 16, w, h ? h : 1);
    copy.dstArray = a;
    copy.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
    copy.kind = cudaMemcpyHostToDevice;
    TRY(cudaMemcpy3D(&copy));
    return a;
}

static cudaTextureObject_t texture(cudaArray_t a, cudaTextureFilterMode filter)
{
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;

    what.resType = cudaResourceTypeArray;
    what.res.array.array = a;
    for (int i = 0; i < 3; i++)
        how.addressMode[i] = cudaAddressModeClamp;
    how.filterMode = filter;
    TRY(cudaCreateTextureObject(&t, &what, &how, NULL));
    return t;
}

static cudaTextureObject_t levels(void)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float4>();
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaMipmappedArray_t m;
    cudaTextureObject_t t;

    TRY(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 4));
    for (unsigned l = 0; l < 4; l++) {
        cudaMemcpy3DParms copy = {};
        unsigned n = 16 >> l;

        TRY(cudaGetMipmappedArrayLevel(&copy.dstArray, m, l));
        copy.srcPtr = make_cudaPitchedPtr(host + 5 * l, n * 16, n, n);
        copy.extent = make_cudaExtent(n, n, 1);
        copy.kind = cudaMemcpyHostToDevice;
        TRY(cudaMemcpy3D(&copy));
    }
    what.resType = cudaResourceTypeMipmappedArray;
    what.res.mipmap.mipmap = m;
    how.normalizedCoords = 1;
    how.filterMode = cudaFilterModeLinear;
    how.mipmapFilterMode = cudaFilterModeLinear;
    how.maxMipmapLevelClamp = 3;
    TRY(cudaCreateTextureObject(&t, &what, &how, NULL));
    return t;
}

static cudaSurfaceObject_t surface(cudaArray_t a)
{
    cudaResourceDesc what = {};
    cudaSurfaceObject_t s;

    what.resType = cudaResourceTypeArray;
    what.res.array.array = a;
    TRY(cudaCreateSurfaceObject(&s, &what));
    return s;
}

int main(int argc, char **argv)
{
    static float4 got[ROWS * LANES];
    unsigned store = cudaArraySurfaceLoadStore;
    cudaResourceDesc linear = {};
    cudaTextureDesc plain = {};
    cudaTextureObject_t three[3], *list;
    cudaSurfaceObject_t two[2], *surfaces_of;
    textures t;
    float4 *out;
    int *numbers;

    for (int i = 0; i < W * H * D; i++)
        host[i] = make_float4(i * 0.37f, 100 - i, i * i % 51, (i % 7) * 0.5f);
    TRY(cudaMalloc(&numbers, LANES * 16));
    TRY(cudaMemcpy(numbers, host, LANES * 16, cudaMemcpyHostToDevice));
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = numbers;
    linear.res.linear.desc = cudaCreateChannelDesc<int4>();
    linear.res.linear.sizeInBytes = LANES * 16;
    TRY(cudaCreateTextureObject(&t.list, &linear, &plain, NULL));
    t.line = texture(array(W, 0, 0, 0), cudaFilterModeLinear);
    t.lines = texture(array(W, 0, 4, cudaArrayLayered), cudaFilterModeLinear);
    t.plane =
        texture(array(W, H, 0, cudaArrayTextureGather), cudaFilterModeLinear);
    t.planes = texture(array(W, H, 4, cudaArrayLayered), cudaFilterModePoint);
    t.box = texture(array(W, H, D, 0), cudaFilterModeLinear);
    t.cube = texture(array(8, 8, 6, cudaArrayCubemap), cudaFilterModeLinear);
    t.mips = levels();
    t.s1 = surface(array(W, 0, 0, store));
    t.s2 = surface(array(W, H, 0, store));
    t.s2l = surface(array(W, H, D, store | cudaArrayLayered));
    t.s3 = surface(array(W, H, D, store));
    three[0] = t.plane;
    three[1] = texture(array(W / 2, H, 0, cudaArrayTextureGather),
                       cudaFilterModePoint);
    three[2] = texture(array(W, H / 2, 0, 0), cudaFilterModeLinear);
    two[0] = surface(array(W, H, 0, store));
    two[1] = surface(array(W, H, 0, store));
    TRY(cudaMalloc(&list, sizeof three));
    TRY(cudaMemcpy(list, three, sizeof three, cudaMemcpyHostToDevice));
    TRY(cudaMalloc(&surfaces_of, sizeof two));
    TRY(cudaMemcpy(surfaces_of, two, sizeof two, cudaMemcpyHostToDevice));
    TRY(cudaMalloc(&out, sizeof got));
    TRY(cudaMemset(out, 0, sizeof got));
    fetch<<<1, LANES>>>(t, out);
    choose<<<1, LANES>>>(list, out);
    surfaces<<<1, LANES>>>(t, surfaces_of, out);
    TRY(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    FILE *f = fopen(argv[argc - 1], "wb");
    if (!f || !fwrite(got, sizeof got, 1, f) || fclose(f))
        return 1;
    printf("done\n");
    return 0;
}
