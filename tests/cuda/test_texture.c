/* tests/cuda/test_texture.c - what kernels read through textures, and write
 * through surfaces: the formulas of the programming guide
 * [CUDA12:texture-fetching], worked out here in another way. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "program.h"
#include "test.h"

/* Thread i takes four words at in + 16 i, as %f and as %r, and puts four,
 * %o of TYPE, at out + 16 i. */
#define KERNEL(name, type, instruction)                                        \
    ".visible .entry " name "(.param .u64 t, .param .u64 in, "                 \
    ".param .u64 out)\n{\n"                                                    \
    "  .reg .u64 %t, %in, %out, %at; .reg .f32 %f<4>; .reg .u32 %r<4>;\n"      \
    "  .reg " type " %o<4>; .reg .u32 %a, %b, %c, %i;\n"                       \
    "  ld.param.u64 %t, [t]; ld.param.u64 %in, [in];\n"                        \
    "  ld.param.u64 %out, [out];\n"                                            \
    "  mov.u32 %a, %ctaid.x; mov.u32 %b, %ntid.x; mov.u32 %c, %tid.x;\n"       \
    "  mad.lo.u32 %i, %a, %b, %c; mul.wide.u32 %at, %i, 16;\n"                 \
    "  add.u64 %in, %in, %at; add.u64 %out, %out, %at;\n"                      \
    "  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%in];\n"                        \
    "  ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%in];\n"                        \
    "  " instruction "\n"                                                      \
    "  st.global.v4" type " [%out], {%o0, %o1, %o2, %o3};\n"                   \
    "  ret;\n}\n"
#define TEX(geometry, type, from, coordinates)                                 \
    "tex." geometry ".v4" type from " {%o0, %o1, %o2, %o3}, [" coordinates

/* clang-format off */
static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .texref picture;\n"
    ".visible .global .texref list;\n"
    ".visible .global .surfref board;\n"
    KERNEL("tex_1d", ".f32", TEX("1d", ".f32", ".s32", "%t, {%r0}];"))
    KERNEL("tex_2d", ".f32", TEX("2d", ".f32", ".f32", "%t, {%f0, %f1}];"))
    KERNEL("tex_2d_u", ".u32", TEX("2d", ".u32", ".f32", "%t, {%f0, %f1}];"))
    KERNEL("tex_3d", ".f32",
           TEX("3d", ".f32", ".f32", "%t, {%f0, %f1, %f2, %f3}];"))
    KERNEL("tex_a2d", ".f32",
           TEX("a2d", ".f32", ".f32", "%t, {%r0, %f1, %f2, %f3}];"))
    KERNEL("tex_cube", ".f32",
           TEX("cube", ".f32", ".f32", "%t, {%f0, %f1, %f2, %f3}];"))
    KERNEL("tex_level", ".f32",
           TEX("level.2d", ".f32", ".f32", "%t, {%f0, %f1}], %f2;"))
    KERNEL("surface_read", ".u32",
           "mov.u32 %o1, 0; mov.u32 %o2, 0; mov.u32 %o3, 0; "
           "suld.b.2d.b32.zero {%o0}, [%t, {%r0, %r1}];")
    KERNEL("surface_write", ".u32",
           "mov.u32 %o0, %r0; mov.u32 %o1, %r1; mov.u32 %o2, 0; "
           "mov.u32 %o3, 0; sust.b.2d.b32.trap [%t, {%r0, %r1}], {%r2};")
    KERNEL("by_picture", ".f32",
           TEX("2d", ".f32", ".f32", "picture, {%f0, %f1}];"))
    KERNEL("by_list", ".u32", /* as clang has it */
           "mov.u64 %t, list; " TEX("1d", ".u32", ".s32", "%t, {%r0}];"))
    KERNEL("by_board", ".u32",
           "mov.u32 %o0, %r0; mov.u32 %o1, %r1; mov.u32 %o2, 0; "
           "mov.u32 %o3, 0; sust.b.2d.b32.trap [board, {%r0, %r1}], {%r2};");
/* clang-format on */

static const char *const kernels[] = {
    "tex_1d",        "tex_2d",     "tex_2d_u",  "tex_3d",
    "tex_a2d",       "tex_cube",   "tex_level", "surface_read",
    "surface_write", "by_picture", "by_list",   "by_board",
};
static char hosts[sizeof kernels / sizeof *kernels];
static textureReference picture, list;
static surfaceReference board;

__attribute__((constructor)) static void register_program(void)
{
    void **handle = program_register(ptx, sizeof ptx - 1);

    for (unsigned i = 0; i < sizeof hosts; i++)
        program_kernel(handle, &hosts[i], kernels[i]);
    __cudaRegisterTexture(handle, &picture, NULL, "picture", 2, 1, 0);
    __cudaRegisterTexture(handle, &list, NULL, "list", 1, 0, 0);
    __cudaRegisterSurface(handle, &board, NULL, "board", 2, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

/* ---- Kernels ---- */

typedef union word {
    float f;
    unsigned u;
} word;
typedef word quad[4];

static const void *kernel(const char *name)
{
    for (unsigned i = 0; i < sizeof hosts; i++)
        if (!strcmp(kernels[i], name))
            return &hosts[i];
    TEST_FAIL("no kernel %s", name);
}

/* Runs it with a thread for each of `n` inputs; the outputs. */
static void run(const char *name, uint64_t texture, const quad *in, quad *out,
                unsigned n)
{
    void *from, *to;
    void *args[] = {&texture, &from, &to};

    CHECK_EQ(cudaMalloc(&from, n * sizeof *in), cudaSuccess);
    CHECK_EQ(cudaMalloc(&to, n * sizeof *out), cudaSuccess);
    cudaMemcpy(from, in, n * sizeof *in, cudaMemcpyHostToDevice);
    CHECK_EQ(cudaLaunchKernel(kernel(name), (dim3){1, 1, 1}, (dim3){n, 1, 1},
                              args, 0, 0),
             cudaSuccess);
    CHECK_EQ(cudaMemcpy(out, to, n * sizeof *out, cudaMemcpyDeviceToHost),
             cudaSuccess);
    cudaFree(from);
    cudaFree(to);
}

static const cudaChannelFormatDesc floats = {32, 0, 0, 0,
                                             cudaChannelFormatKindFloat};
static const cudaChannelFormatDesc words = {32, 0, 0, 0,
                                            cudaChannelFormatKindUnsigned};
static const cudaChannelFormatDesc bytes4 = {8, 8, 8, 8,
                                             cudaChannelFormatKindUnsigned};
static const cudaChannelFormatDesc bytes = {8, 0, 0, 0,
                                            cudaChannelFormatKindUnsigned};

static cudaResourceDesc of_array(cudaArray_t a)
{
    cudaResourceDesc r = {.resType = cudaResourceTypeArray};

    r.res.array.array = a;
    return r;
}

static cudaTextureObject_t texture_of(cudaArray_t a, cudaTextureDesc how)
{
    cudaResourceDesc r = of_array(a);
    cudaTextureObject_t t = 0;

    CHECK_EQ(cudaCreateTextureObject(&t, &r, &how, NULL), cudaSuccess);
    return t;
}

/* ---- The formulas ---- */

enum { W = 8, H = 4, POINTS = 256 };

static const float border[4] = {0.25f, 0.5f, 0.75f, 1};

/* A coordinate as the guide has it: [0, n), or outside. */
static double placed(double x, int n, cudaTextureDesc how)
{
    double turns;

    if (!how.normalizedCoords) /* wrap and mirror become clamp */
        return x;
    turns = floor(x);
    if (how.addressMode[0] == cudaAddressModeWrap)
        x -= turns;
    if (how.addressMode[0] == cudaAddressModeMirror)
        x = fmod(fabs(turns), 2) == 0 ? x - turns : 1 - (x - turns);
    return x * n;
}

/* The texel of row j, column i, after addressing. */
static double texel_at(const double *t, int i, int j, cudaTextureDesc how,
                       double outside)
{
    bool wraps =
        how.normalizedCoords && how.addressMode[0] == cudaAddressModeWrap;

    if (how.addressMode[0] == cudaAddressModeBorder &&
        (i < 0 || j < 0 || i >= W || j >= H))
        return outside;
    if (wraps)
        return t[(j + H) % H * W + (i + W) % W];
    i = i < 0 ? 0 : i >= W ? W - 1 : i;
    j = j < 0 ? 0 : j >= H ? H - 1 : j;
    return t[j * W + i];
}

static double expected(const double *t, double x, double y, cudaTextureDesc how,
                       double outside)
{
    double u = placed(x, W, how), v = placed(y, H, how);

    if (how.filterMode == cudaFilterModePoint)
        return texel_at(t, (int)floor(u), (int)floor(v), how, outside);
    double i = floor(u - 0.5), j = floor(v - 0.5);
    double a = u - 0.5 - i, b = v - 0.5 - j; /* with 8 bits, exactly */
    int m = (int)i, n = (int)j;
    return (1 - a) * (1 - b) * texel_at(t, m, n, how, outside) +
           a * (1 - b) * texel_at(t, m + 1, n, how, outside) +
           (1 - a) * b * texel_at(t, m, n + 1, how, outside) +
           a * b * texel_at(t, m + 1, n + 1, how, outside);
}

/* Points of the plane around and on the texture, at sixteenths of a texel and
 * at thirty-seconds. */
static void make_points(quad *in, bool normalised)
{
    for (int k = 0; k < POINTS; k++) {
        in[k][0].f = (float)(k - 96) / 128 * (normalised ? 1 : W);
        in[k][1].f = (float)(k * 7 % 256 - 96) / 128 * (normalised ? 1 : H);
    }
}

static void check_points(cudaTextureObject_t t, const double *texels,
                         unsigned channel, cudaTextureDesc how)
{
    static quad in[POINTS], out[POINTS];
    unsigned wrong = 0;

    make_points(in, how.normalizedCoords);
    run("tex_2d", t, in, out, POINTS);
    for (unsigned k = 0; k < POINTS; k++) {
        double want = expected(texels, (double)in[k][0].f, (double)in[k][1].f,
                               how, (double)how.borderColor[channel]);

        wrong += fabs((double)out[k][channel].f - want) > 1e-6 * (1 + want);
    }
    if (wrong)
        TEST_FAIL("address mode %d, filter %d, normalised %d, read mode %d: "
                  "%u points are wrong",
                  how.addressMode[0], how.filterMode, how.normalizedCoords,
                  how.readMode, wrong);
}

/* All modes of textures of that resource. */
static void check_modes(const cudaResourceDesc *r, const double *texels,
                        unsigned channel, cudaTextureReadMode read)
{
    for (unsigned m = 0; m < 16; m++) {
        cudaTextureAddressMode mode = (cudaTextureAddressMode)(m & 3);
        cudaTextureDesc how = {
            .addressMode = {mode, mode, mode},
            .filterMode = (cudaTextureFilterMode)(m >> 2 & 1),
            .normalizedCoords = (int)(m >> 3),
            .readMode = read,
        };
        cudaTextureObject_t t;

        memcpy(how.borderColor, border, sizeof border);
        CHECK_EQ(cudaCreateTextureObject(&t, r, &how, NULL), cudaSuccess);
        check_points(t, texels, channel, how);
        CHECK_EQ(cudaDestroyTextureObject(t), cudaSuccess);
    }
}

/* ---- Modes ---- */

static void make_floats(float host[H][W], double *texels)
{
    for (int j = 0; j < H; j++)
        for (int i = 0; i < W; i++)
            texels[j * W + i] = host[j][i] = (float)(i * 10 + j * j * 3 + 1);
}

TEST(arrays_of_floats)
{
    float host[H][W];
    double texels[W * H];
    cudaArray_t a;

    NEED_MEMORY();
    make_floats(host, texels);
    CHECK_EQ(cudaMallocArray(&a, &floats, W, H, 0), cudaSuccess);
    CHECK_EQ(cudaMemcpy2DToArray(a, 0, 0, host, sizeof *host, sizeof *host, H,
                                 cudaMemcpyHostToDevice),
             cudaSuccess);
    cudaResourceDesc r = of_array(a);
    check_modes(&r, texels, 0, cudaReadModeElementType);
    CHECK_EQ(cudaFreeArray(a), cudaSuccess);
}

TEST(bytes_are_fractions)
{
    unsigned char host[H][W][4];
    double texels[W * H];
    cudaArray_t a;

    NEED_MEMORY();
    for (int i = 0; i < W * H * 4; i++)
        (&host[0][0][0])[i] = (unsigned char)(i * 37);
    for (int i = 0; i < W * H; i++)
        texels[i] = (&host[0][0][0])[4 * i + 2] / 255.0;
    CHECK_EQ(cudaMallocArray(&a, &bytes4, W, H, 0), cudaSuccess);
    cudaMemcpyToArray(a, 0, 0, host, sizeof host, cudaMemcpyHostToDevice);
    cudaResourceDesc r = of_array(a);
    check_modes(&r, texels, 2, cudaReadModeNormalizedFloat);
    cudaFreeArray(a);
}

TEST(rows_in_memory)
{
    float host[H][W];
    double texels[W * H];
    cudaResourceDesc r = {.resType = cudaResourceTypePitch2D};
    void *at;
    size_t pitch;

    NEED_MEMORY();
    make_floats(host, texels);
    CHECK_EQ(cudaMallocPitch(&at, &pitch, sizeof *host, H), cudaSuccess);
    cudaMemcpy2D(at, pitch, host, sizeof *host, sizeof *host, H,
                 cudaMemcpyHostToDevice);
    r.res.pitch2D.devPtr = at;
    r.res.pitch2D.desc = floats;
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = pitch;
    check_modes(&r, texels, 0, cudaReadModeElementType);
    cudaFree(at);
}

/* Integers as they are, and what lies outside of memory is 0. */
TEST(integers_and_linear_memory)
{
    float host[10];
    unsigned char small[H][W];
    cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
    cudaTextureDesc how = {0};
    cudaTextureObject_t t;
    cudaArray_t a;
    quad in[4] = {{{.u = 0}}, {{.u = 9}}, {{.u = 10}}, {{.u = -1u}}}, out[4];
    void *at;

    NEED_MEMORY();
    for (int i = 0; i < 10; i++)
        host[i] = (float)i + 0.5f;
    CHECK_EQ(cudaMalloc(&at, sizeof host), cudaSuccess);
    cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice);
    r.res.linear.devPtr = at;
    r.res.linear.desc = floats;
    r.res.linear.sizeInBytes = sizeof host;
    memcpy(how.borderColor, border, sizeof border);
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &how, NULL), cudaSuccess);
    run("tex_1d", t, in, out, 4);
    CHECK(out[0][0].f == 0.5f && out[1][0].f == 9.5f);
    CHECK_EQ(out[2][0].u, 0);
    CHECK_EQ(out[3][0].u, 0);
    cudaDestroyTextureObject(t);
    cudaFree(at);

    for (int i = 0; i < W * H; i++)
        (&small[0][0])[i] = (unsigned char)(200 + i);
    CHECK_EQ(cudaMallocArray(&a, &bytes, W, H, 0), cudaSuccess);
    cudaMemcpyToArray(a, 0, 0, small, sizeof small, cudaMemcpyHostToDevice);
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    t = texture_of(a, how);
    run("tex_2d_u", t, (quad[]){{{.f = 3.9f}, {.f = 2.1f}}}, out, 1);
    CHECK_EQ(out[0][0].u, 200 + 2 * W + 3);
    cudaDestroyTextureObject(t);
    cudaFreeArray(a);
}

/* ---- Shapes ---- */

/* Copies a box of floats into an array; `slices` also where they are layers. */
static void fill(cudaArray_t a, const float *host, size_t w, size_t h,
                 size_t slices)
{
    cudaMemcpy3DParms p = {
        .srcPtr = {(void *)(uintptr_t)host, w * sizeof *host, w, h},
        .dstArray = a,
        .extent = {w, h, slices},
        .kind = cudaMemcpyHostToDevice,
    };

    CHECK_EQ(cudaMemcpy3D(&p), cudaSuccess);
}

static const cudaTextureDesc plain = {.addressMode = {cudaAddressModeClamp,
                                                      cudaAddressModeClamp,
                                                      cudaAddressModeClamp}};

TEST(layers_do_not_mix)
{
    enum { LAYERS = 3 };
    float host[LAYERS][2][2];
    cudaTextureDesc how = plain;
    cudaArray_t a;
    quad in[4] = {{{.u = 0}, {.f = 1}, {.f = 1}},
                  {{.u = 1}, {.f = 1}, {.f = 1}},
                  {{.u = 2}, {.f = 0.5f}, {.f = 1.5f}},
                  {{.u = 9}, {.f = 0.5f}, {.f = 1.5f}}},
         out[4];

    NEED_MEMORY();
    for (int i = 0; i < LAYERS * 4; i++)
        (&host[0][0][0])[i] = (float)(100 * (i / 4) + i % 4);
    CHECK_EQ(cudaMalloc3DArray(&a, &floats, (cudaExtent){2, 2, LAYERS},
                               cudaArrayLayered),
             cudaSuccess);
    fill(a, &host[0][0][0], 2, 2, LAYERS);
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t = texture_of(a, how);
    run("tex_a2d", t, in, out, 4);
    CHECK(out[0][0].f == 1.5f); /* the mean of 0, 1, 2, 3 */
    CHECK(out[1][0].f == 101.5f);
    CHECK(out[2][0].f == 202);
    CHECK(out[3][0].f == 202); /* the last layer */
    cudaDestroyTextureObject(t);
    cudaFreeArray(a);
}

TEST(three_dimensions)
{
    float host[2][2][2];
    cudaTextureDesc how = plain;
    cudaArray_t a;
    /* 3/4 into x, 1/4 into y, 1/2 into z between the middles of texels. */
    quad in[2] = {{{.f = 1.25f}, {.f = 0.75f}, {.f = 1}},
                  {{.f = 0}, {.f = 9}, {.f = 9}}},
         out[2];

    NEED_MEMORY();
    for (int i = 0; i < 8; i++)
        (&host[0][0][0])[i] =
            (float)((i & 1) + 10 * (i >> 1 & 1) + 100 * (i >> 2));
    CHECK_EQ(cudaMalloc3DArray(&a, &floats, (cudaExtent){2, 2, 2}, 0),
             cudaSuccess);
    fill(a, &host[0][0][0], 2, 2, 2);
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t = texture_of(a, how);
    run("tex_3d", t, in, out, 2);
    CHECK(out[0][0].f == 0.75f + 2.5f + 50);
    CHECK(out[1][0].f == 110);
    cudaDestroyTextureObject(t);
    cudaFreeArray(a);
}

/* +x, -x, +y, -y, +z, -z are the faces 0 to 5. */
TEST(faces_of_cubes)
{
    float host[6][4][4];
    cudaArray_t a;
    quad in[6] = {{{.f = 2}, {.f = 1}, {.f = -1}},
                  {{.f = -2}, {.f = 1}, {.f = -1}},
                  {{.f = 1}, {.f = 5}, {.f = -1}},
                  {{.f = 1}, {.f = -5}, {.f = -1}},
                  {{.f = 0.1f}, {.f = 0.2f}, {.f = 0.3f}},
                  {{.f = 0.1f}, {.f = 0.2f}, {.f = -0.3f}}},
         out[6];

    NEED_MEMORY();
    for (int i = 0; i < 6 * 16; i++)
        (&host[0][0][0])[i] = (float)(i / 16);
    CHECK_EQ(
        cudaMalloc3DArray(&a, &floats, (cudaExtent){4, 4, 5}, cudaArrayCubemap),
        cudaErrorInvalidValue);
    CHECK_EQ(
        cudaMalloc3DArray(&a, &floats, (cudaExtent){4, 4, 6}, cudaArrayCubemap),
        cudaSuccess);
    fill(a, &host[0][0][0], 4, 4, 6);
    cudaTextureObject_t t = texture_of(a, plain);
    run("tex_cube", t, in, out, 6);
    for (int i = 0; i < 6; i++)
        CHECK(out[i][0].f == (float)i);
    cudaDestroyTextureObject(t);
    cudaFreeArray(a);
}

/* ---- Levels and views ---- */

/* 16 x 8 texels and so on, where all of a level are 10 * level. */
static cudaMipmappedArray_t make_levels(void)
{
    cudaMipmappedArray_t m;
    float host[16 * 8];

    CHECK_EQ(
        cudaMallocMipmappedArray(&m, &floats, (cudaExtent){16, 8, 0}, 9, 0),
        cudaSuccess);
    for (unsigned l = 0; l < 5; l++) { /* 16, 8, 4, 2, 1 */
        cudaArray_t a;
        cudaExtent is;

        CHECK_EQ(cudaGetMipmappedArrayLevel(&a, m, l), cudaSuccess);
        CHECK_EQ(cudaArrayGetInfo(NULL, &is, NULL, a), cudaSuccess);
        CHECK_EQ(is.width, 16 >> l);
        CHECK_EQ(is.height, l < 4 ? 8 >> l : 1);
        for (unsigned i = 0; i < 16 * 8; i++)
            host[i] = 10 * (float)l;
        fill(a, host, is.width, is.height, 1);
        CHECK_EQ(cudaFreeArray(a), cudaErrorInvalidValue);
    }
    cudaArray_t none;
    CHECK_EQ(cudaGetMipmappedArrayLevel(&none, m, 5), cudaErrorInvalidValue);
    cudaGetLastError();
    return m;
}

static void check_levels(const cudaResourceDesc *r, cudaTextureDesc how,
                         const cudaResourceViewDesc *view, const float want[4])
{
    quad in[4] = {{{.f = 0.3f}, {.f = 0.3f}, {.f = 0}},
                  {{.f = 0.3f}, {.f = 0.3f}, {.f = 1.25f}},
                  {{.f = 0.3f}, {.f = 0.3f}, {.f = 2.75f}},
                  {{.f = 0.3f}, {.f = 0.3f}, {.f = 99}}},
         out[4];
    cudaTextureObject_t t;

    CHECK_EQ(cudaCreateTextureObject(&t, r, &how, view), cudaSuccess);
    run("tex_level", t, in, out, 4);
    for (int i = 0; i < 4; i++)
        if (out[i][0].f != want[i])
            TEST_FAIL("level %g: %g, not %g", (double)in[i][2].f,
                      (double)out[i][0].f, (double)want[i]);
    cudaDestroyTextureObject(t);
}

TEST(levels)
{
    cudaResourceDesc r = {.resType = cudaResourceTypeMipmappedArray};
    cudaTextureDesc how = plain;

    NEED_MEMORY();
    r.res.mipmap.mipmap = make_levels();
    how.normalizedCoords = 1;
    how.maxMipmapLevelClamp = 4;
    check_levels(&r, how, NULL, (float[]){0, 10, 30, 40}); /* the nearest */
    how.mipmapFilterMode = cudaFilterModeLinear;
    check_levels(&r, how, NULL, (float[]){0, 12.5f, 27.5f, 40});
    how.mipmapLevelBias = 0.5f;
    how.minMipmapLevelClamp = 1;
    how.maxMipmapLevelClamp = 3;
    check_levels(&r, how, NULL, (float[]){10, 17.5f, 30, 30});
    how.mipmapLevelBias = how.minMipmapLevelClamp = 0;
    cudaResourceViewDesc view = {
        .width = 8, .height = 4, .firstMipmapLevel = 1, .lastMipmapLevel = 2};
    check_levels(&r, how, &view, (float[]){10, 20, 20, 20});
    CHECK_EQ(cudaFreeMipmappedArray(r.res.mipmap.mipmap), cudaSuccess);
}

/* The layers 1 and 2 of three, whose floats are read as words. */
TEST(views_of_layers)
{
    float host[3] = {1, 2, 3};
    quad in[2] = {{{.u = 0}}, {{.u = 2}}}, out[2];
    cudaResourceViewDesc view = {.format = (cudaResourceViewFormat)13,
                                 .width = 1,
                                 .height = 1,
                                 .depth = 2,
                                 .firstLayer = 1,
                                 .lastLayer = 2},
                         back;
    cudaTextureObject_t t;
    cudaArray_t a;

    NEED_MEMORY();
    cudaMalloc3DArray(&a, &floats, (cudaExtent){1, 1, 3}, cudaArrayLayered);
    fill(a, host, 1, 1, 3);
    cudaResourceDesc r = of_array(a);
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &plain, &view), cudaSuccess);
    run("tex_a2d", t, in, out, 2);
    CHECK_EQ(out[0][0].u, 0x40000000);
    CHECK_EQ(out[1][0].u, 0x40400000);
    CHECK_EQ(cudaGetTextureObjectResourceViewDesc(&back, t), cudaSuccess);
    CHECK_EQ(back.lastLayer, 2);
    cudaDestroyTextureObject(t);
    view.lastLayer = 3;
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &plain, &view),
             cudaErrorInvalidValue);
    view = (cudaResourceViewDesc){.format = (cudaResourceViewFormat)14};
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &plain, &view),
             cudaErrorInvalidValue); /* two words for one */
    cudaGetLastError();
    cudaFreeArray(a);
}

/* ---- Surfaces ---- */

TEST(surfaces)
{
    unsigned host[2][3], wrong = 0;
    quad in[6], out[6];
    cudaSurfaceObject_t s;
    cudaArray_t a;

    NEED_MEMORY();
    for (unsigned i = 0; i < 6; i++) { /* x counts bytes */
        in[i][0].u = i % 3 * 4;
        in[i][1].u = i / 3;
        in[i][2].u = 1000 + i;
        in[i][3].u = 0;
    }
    CHECK_EQ(cudaMallocArray(&a, &words, 3, 2, 0), cudaSuccess);
    cudaResourceDesc r = of_array(a);
    CHECK_EQ(cudaCreateSurfaceObject(&s, &r), cudaErrorInvalidValue);
    cudaFreeArray(a);
    CHECK_EQ(cudaMallocArray(&a, &words, 3, 2, cudaArraySurfaceLoadStore),
             cudaSuccess);
    r = of_array(a);
    CHECK_EQ(cudaCreateSurfaceObject(&s, &r), cudaSuccess);
    run("surface_write", s, in, out, 6);
    cudaMemcpy2DFromArray(host, sizeof *host, a, 0, 0, sizeof *host, 2,
                          cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 6; i++)
        wrong += host[i / 3][i % 3] != 1000 + i;
    CHECK_EQ(wrong, 0);
    in[1][0].u = 12; /* outside: it must read 0 */
    in[2][0].u = 4;
    run("surface_read", s, in, out, 3);
    CHECK_EQ(out[0][0].u, 1000);
    CHECK_EQ(out[1][0].u, 0);
    CHECK_EQ(out[2][0].u, 1001);
    CHECK_EQ(cudaDestroyTextureObject(s), cudaErrorInvalidValue);
    CHECK_EQ(cudaDestroySurfaceObject(s), cudaSuccess);
    CHECK_EQ(cudaDestroySurfaceObject(s), cudaErrorInvalidValue);
    cudaGetLastError();
    cudaFreeArray(a);
}

/* ---- References ---- */

/* What was launched before keeps what was bound then. */
TEST(references_are_bound)
{
    unsigned char dark[4] = {0, 0, 0, 51}, light[4] = {255, 0, 0, 0};
    quad in = {{.f = 0.5f}, {.f = 0.5f}}, out[2];
    void *from, *to[2];
    uint64_t none = 0;
    cudaArray_t a, b;

    NEED_MEMORY();
    cudaMallocArray(&a, &bytes4, 1, 1, 0),
        cudaMallocArray(&b, &bytes4, 1, 1, 0);
    cudaMemcpyToArray(a, 0, 0, dark, 4, cudaMemcpyHostToDevice);
    cudaMemcpyToArray(b, 0, 0, light, 4, cudaMemcpyHostToDevice);
    cudaMalloc(&from, sizeof in), cudaMalloc(&to[0], sizeof in);
    cudaMalloc(&to[1], sizeof in);
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    picture.filterMode = cudaFilterModePoint;
    for (int i = 0; i < 2; i++) {
        void *args[] = {&none, &from, &to[i]};

        CHECK_EQ(cudaBindTextureToArray(&picture, i ? b : a, &bytes4),
                 cudaSuccess);
        CHECK_EQ(cudaLaunchKernel(kernel("by_picture"), (dim3){1, 1, 1},
                                  (dim3){1, 1, 1}, args, 0, 0),
                 cudaSuccess);
    }
    CHECK_EQ(cudaUnbindTexture(&picture), cudaSuccess);
    cudaMemcpy(out[0], to[0], sizeof in, cudaMemcpyDeviceToHost);
    cudaMemcpy(out[1], to[1], sizeof in, cudaMemcpyDeviceToHost);
    CHECK(out[0][0].f == 0 && out[0][3].f == 0.2f);
    CHECK(out[1][0].f == 1 && out[1][3].f == 0);
    cudaFreeArray(a), cudaFreeArray(b);
    cudaFree(from), cudaFree(to[0]), cudaFree(to[1]);
}

/* The texture begins before what is bound, at a multiple of the alignment. */
TEST(references_to_memory)
{
    const textureReference *same;
    unsigned host[200];
    quad in[2] = {{{.u = 0}}, {{.u = 2}}}, out[2];
    size_t offset = 0, again = 0;
    unsigned *at;

    NEED_MEMORY();
    for (unsigned i = 0; i < 200; i++)
        host[i] = i;
    CHECK_EQ(cudaMalloc((void **)&at, sizeof host), cudaSuccess);
    cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice);
    CHECK_EQ(cudaGetTextureReference(&same, &list), cudaSuccess);
    CHECK(same == &list);
    CHECK_EQ(cudaBindTexture(NULL, same, at + 130, &words, 8),
             cudaErrorInvalidValue);
    CHECK_EQ(cudaBindTexture(&offset, same, at + 130, &words, 8), cudaSuccess);
    CHECK_EQ(offset, 130 * 4 % 512);
    CHECK_EQ(cudaGetTextureAlignmentOffset(&again, &list), cudaSuccess);
    CHECK_EQ(again, offset);
    in[0][0].u = (unsigned)offset / 4;
    in[1][0].u = (unsigned)offset / 4 + 2;
    run("by_list", 0, in, out, 2);
    CHECK_EQ(out[0][0].u, 130);
    CHECK_EQ(out[1][0].u, 0); /* outside */
    CHECK_EQ(cudaBindTexture(&offset, &list, at, &words, UINT_MAX),
             cudaSuccess);
    CHECK_EQ(offset, 0);
    CHECK_EQ(cudaBindTexture(&offset, (void *)host, at, &words, 8),
             cudaErrorInvalidTexture);
    cudaGetLastError();
    cudaFree(at);
}

TEST(surface_references)
{
    quad in[1] = {{{.u = 4}, {.u = 1}, {.u = 77}}}, out[1];
    unsigned host[2][2];
    cudaArray_t a;

    NEED_MEMORY();
    cudaMallocArray(&a, &words, 2, 2, cudaArraySurfaceLoadStore);
    CHECK_EQ(cudaBindSurfaceToArray(&board, a, &words), cudaSuccess);
    run("by_board", 0, in, out, 1);
    cudaMemcpyFromArray(host, a, 0, 0, sizeof host, cudaMemcpyDeviceToHost);
    CHECK_EQ(host[1][1], 77);
    CHECK_EQ(host[0][1], 0);
    cudaFreeArray(a);
}

/* ---- Objects ---- */

/* Textures of the same modes share a sampler, of which there are few, and the
 * numbers of destroyed textures are used again. */
TEST(many_textures)
{
    enum { MANY = 300, NUMBER = 0xfffff };
    cudaTextureObject_t t, other, most = 0;
    cudaTextureDesc how = plain;
    cudaArray_t a;

    NEED_MEMORY();
    cudaMallocArray(&a, &floats, 4, 4, 0);
    for (unsigned i = 0; i < MANY; i++) {
        t = texture_of(a, plain);
        most = (t & NUMBER) > most ? t & NUMBER : most;
        CHECK_EQ(cudaDestroyTextureObject(t), cudaSuccess);
    }
    CHECK(most < MANY / 2);
    t = texture_of(a, plain);
    other = texture_of(a, plain);
    CHECK_EQ(t / (NUMBER + 1), other / (NUMBER + 1));
    CHECK(t != other);
    cudaDestroyTextureObject(other);
    how.filterMode = cudaFilterModeLinear;
    other = texture_of(a, how);
    CHECK(t / (NUMBER + 1) != other / (NUMBER + 1));
    cudaDestroyTextureObject(t), cudaDestroyTextureObject(other);
    cudaFreeArray(a);
}

TEST(descriptors_are_given_back)
{
    cudaTextureDesc how = plain, back;
    cudaResourceDesc r;
    cudaTextureObject_t t;
    cudaArray_t a;

    NEED_MEMORY();
    cudaMallocArray(&a, &bytes4, 5, 6, 0);
    how.readMode = cudaReadModeNormalizedFloat;
    how.seamlessCubemap = 1;
    t = texture_of(a, how);
    CHECK_EQ(cudaGetTextureObjectTextureDesc(&back, t), cudaSuccess);
    CHECK(!memcmp(&back, &how, sizeof how));
    CHECK_EQ(cudaGetTextureObjectResourceDesc(&r, t), cudaSuccess);
    CHECK_EQ(r.resType, cudaResourceTypeArray);
    CHECK(r.res.array.array == a);
    CHECK_EQ(cudaDestroyTextureObject(t), cudaSuccess);
    CHECK_EQ(cudaGetTextureObjectResourceDesc(&r, t), cudaErrorInvalidValue);
    cudaGetLastError();
    cudaFreeArray(a);
}

TEST(wrong_textures_are_refused)
{
    cudaTextureDesc filtered = plain, fractions = plain;
    cudaTextureObject_t t;
    cudaArray_t a;
    void *at;

    NEED_MEMORY();
    filtered.filterMode = cudaFilterModeLinear;
    fractions.readMode = cudaReadModeNormalizedFloat;
    cudaMallocArray(&a, &words, 4, 4, 0);
    cudaResourceDesc r = of_array(a);
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &filtered, NULL),
             cudaErrorInvalidFilterSetting);
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &fractions, NULL),
             cudaErrorInvalidNormSetting);
    cudaFreeArray(a);
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &plain, NULL),
             cudaErrorInvalidResourceHandle); /* freed */
    cudaMalloc(&at, 4096);
    r = (cudaResourceDesc){.resType = cudaResourceTypePitch2D};
    r.res.pitch2D.devPtr = at;
    r.res.pitch2D.desc = floats;
    r.res.pitch2D.width = 8;
    r.res.pitch2D.height = 129; /* of 32 bytes */
    r.res.pitch2D.pitchInBytes = 32;
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &plain, NULL),
             cudaErrorInvalidValue);
    r.res.pitch2D.height = 8;
    r.res.pitch2D.pitchInBytes = 36;
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &plain, NULL),
             cudaErrorInvalidValue);
    cudaGetLastError();
    cudaFree(at);
}
