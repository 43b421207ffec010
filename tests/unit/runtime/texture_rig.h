/* tests/unit/runtime/texture_rig.h - fetches by PTX kernels, and what they must
 * give: the formulas of the OpenCL specification, section "image addressing
 * and filtering", written down here once more. Pictures are of random texels.
 */
#ifndef TEXTURE_RIG_H
#define TEXTURE_RIG_H

#include <math.h>

#include "base/must.h"
#include "base/rng.h"
#include "config/sheet.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "test.h"

enum { THREADS = 64 };

typedef struct rig {
    config_sheet *sheet;
    rt_device *d;
    diag *dg;
    rt_module *m;
    uint64_t in, out;
    rng r;
} rig;

/* A kernel per way to fetch: `fetch` reads %f or %r 0 to 3 and writes %o 0 to
 * 3; %h is the handle. */
#define KERNEL(name, fetch)                                                    \
    ".visible .entry " name "(.param .u64 h, .param .u64 in, .param .u64 out)" \
    "{ .reg .b64 %h, %i, %u; .reg .b32 %r<4>, %o<4>, %t; .reg .f32 %f<4>;\n"   \
    "ld.param.u64 %h, [h]; ld.param.u64 %i, [in]; ld.param.u64 %u, [out];\n"   \
    "mov.u32 %t, %tid.x; mad.wide.u32 %i, %t, 16, %i;\n"                       \
    "mad.wide.u32 %u, %t, 16, %u;\n"                                           \
    "ld.global.v4.b32 {%r0,%r1,%r2,%r3}, [%i];\n"                              \
    "mov.b32 %f0, %r0; mov.b32 %f1, %r1; mov.b32 %f2, %r2;\n"                  \
    "mov.b32 %f3, %r3;\n" fetch                                                \
    "st.global.v4.b32 [%u], {%o0,%o1,%o2,%o3}; ret; }\n"
#define O "{%o0,%o1,%o2,%o3}"

static const char program[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n" KERNEL(
        "f1d",
        "tex.1d.v4.u32.f32 " O
        ", [%h, {%f0}];") KERNEL("i1d",
                                 "tex.1d.v4.u32.s32 " O
                                 ", [%h, {%r0}];") KERNEL("f2d",
                                                          "tex.2d.v4.u32.f32 " O
                                                          ", [%h, {%f0,%f1}];")
        KERNEL("i2d", "tex.2d.v4.u32.s32 " O ", [%h, {%r0,%r1}];") KERNEL(
            "f3d",
            "tex.3d.v4.u32.f32 " O
            ", [%h, {%f0,%f1,%f2,%f2}];") KERNEL("i3d",
                                                 "tex.3d.v4.u32.s32 " O
                                                 ", [%h, {%r0,%r1,%r2,%r2}];")
            KERNEL("fa1d", "tex.a1d.v4.u32.f32 " O ", [%h, {%r3,%f0}];") KERNEL(
                "fa2d", "tex.a2d.v4.u32.f32 " O ", [%h, {%r3,%f0,%f1,%f1}];")
                KERNEL(
                    "cube",
                    "tex.cube.v4.u32.f32 " O ", [%h, "
                    "{%f0,%f1,%f2,%f2}];") KERNEL("level",
                                                  "tex.level.2d.v4.u32.f32 " O
                                                  ", [%h, {%f0,%f1}], %f3;")
                    KERNEL("shift",
                           "tex.2d.v4.u32.f32 " O ", [%h, {%f0,%f1}], "
                           "{2,-3};") KERNEL("gather", "tld4.g.2d.v4.u32.f32 " O
                                                       ", [%h, {%f0,%f1}];")
                        KERNEL("some", "tex.2d.v4.u32.f32 {_,%o1,_,%o3}, "
                                       "[%h, {%f0,%f1}];"
                                       "mov.u32 %o0, 7; mov.u32 %o2, 9;")
                            KERNEL("acube", "tex.acube.v4.u32.f32 " O
                                            ", [%h, {%r3,%f0,%f1,%f2}];")
                                KERNEL("ia1d", "tex.a1d.v4.u32.s32 " O
                                               ", [%h, {%r3,%r0}];")
                                    KERNEL("ia2d", "tex.a2d.v4.u32.s32 " O
                                                   ", [%h, {%r3,%r0,%r1,%r1}];")
                                        KERNEL("halves",
                                               "{ .reg .b16 %h<4>; "
                                               "tex.2d.v4.f16.f32 "
                                               "{%h0,%h1,%h2,%h3}, "
                                               "[%h, {%f0,%f1}]; mov.b32 %o0, "
                                               "{%h0,%h1}; mov.b32 %o1, "
                                               "{%h2,%h3}; "
                                               "tex.2d.v2.f16x2.f32 {%o2,%o3}, "
                                               "[%h, {%f0,%f1}]; }")
                                            KERNEL("ilevel",
                                                   "tex.level.2d.v4.u32.s32 " O
                                                   ", [%h, {%r0,%r1}], %r3;")
                                                KERNEL(
                                                    "grad",
                                                    "tex.grad.2d.v4.u32.f32 " O
                                                    ", [%h, {%f0,%f1}], "
                                                    "{%f2,0f00000000}, "
                                                    "{0f00000000,%f3};");

static inline void start(rig *r)
{
    rt_options opt = {.threads = 1, .functional = true};

    memset(r, 0, sizeof *r);
    r->dg = diag_new();
    r->sheet = config_sheet_new();
    CHECK_EQ(config_sheet_load(r->sheet, "v100", r->dg), ST_OK);
    CHECK_EQ(config_sheet_set(r->sheet, "gpu.global_bytes=16M", CONFIG_FROM_SET,
                              r->dg),
             ST_OK);
    r->d = rt_device_new(config_sheet_values(r->sheet), &opt, r->dg);
    CHECK(r->d);
    if (rt_module_load_text(r->d, "t.ptx", program, strlen(program), r->dg,
                            &r->m) != ST_OK)
        TEST_FAIL("%u: %s", diag_get(r->dg, 0)->line, diag_get(r->dg, 0)->text);
    r->in = rt_alloc(rt_device_memory(r->d), 16 * THREADS, "in");
    r->out = rt_alloc(rt_device_memory(r->d), 16 * THREADS, "out");
    rng_init(&r->r, 7, "texture");
}

static inline void stop(rig *r)
{
    rt_device_free(r->d);
    config_sheet_free(r->sheet);
    diag_free(r->dg);
}

static inline void fetch(rig *r, const char *kernel, uint32_t handle,
                         uint32_t in[THREADS][4], uint32_t out[THREADS][4])
{
    uint64_t params[3] = {handle, r->in, r->out};
    rt_launch l = {.module = r->m,
                   .kernel = rt_module_kernel(r->m, kernel, r->dg),
                   .grid = {1, 1, 1},
                   .block = {THREADS, 1, 1},
                   .params = params};
    rt_result res;

    CHECK(rt_write(rt_device_memory(r->d), r->in, in, 16 * THREADS));
    if (rt_run(r->d, &l, r->dg, &res) != ST_OK)
        TEST_FAIL("%s", diag_get(r->dg, 0)->text);
    CHECK(rt_read(rt_device_memory(r->d), r->out, out, 16 * THREADS));
}

/* ---- the reference ----------------------------------------------------- */

typedef struct picture { /* texels as the host has them */
    tex_kind kind;
    tex_order order;
    tex_type type;
    int size[3], layers;
    unsigned texel;
    uint8_t *bytes;
} picture;

static inline float as_float(uint32_t u)
{
    float f;

    memcpy(&f, &u, 4);
    return f;
}

static inline uint32_t as_bits(float f)
{
    uint32_t u;

    memcpy(&u, &f, 4);
    return u;
}

static inline float half_value(unsigned h)
{
    int exponent = h >> 10 & 31;
    float m = (float)(h & 1023) / 1024;
    float v = exponent ? ldexpf(1 + m, exponent - 15) : ldexpf(m, -14);

    return h >> 15 ? -v : v;
}

/* Channel k of a texel, as bits in a register. */
static inline uint32_t channel(const picture *p, const uint8_t *at, unsigned k)
{
    bool packed = p->type >= TEX_UNORM565 && p->type <= TEX_UNORM101010;
    unsigned size = packed ? p->texel : p->texel / tex_order_channels(p->order);
    uint32_t w = 0;

    memcpy(&w, at + (packed ? 0 : k * size), size);
    uint8_t b = (uint8_t)w;
    uint16_t h = (uint16_t)w;
    switch (p->type) {
    case TEX_UNORM8:
        return as_bits(b / 255.0f);
    case TEX_SNORM8:
        return as_bits(fmaxf((int8_t)b / 127.0f, -1.0f));
    case TEX_UNORM16:
        return as_bits(h / 65535.0f);
    case TEX_SNORM16:
        return as_bits(fmaxf((int16_t)h / 32767.0f, -1.0f));
    case TEX_UNORM565:
        return as_bits(k == 0   ? (h >> 11) / 31.0f
                       : k == 1 ? (h >> 5 & 63) / 63.0f
                                : (h & 31) / 31.0f);
    case TEX_UNORM555:
        return as_bits((h >> (10 - 5 * k) & 31) / 31.0f);
    case TEX_UNORM101010:
        return as_bits((w >> (20 - 10 * k) & 1023) / 1023.0f);
    case TEX_S8:
        return (uint32_t)(int8_t)b;
    case TEX_U8:
        return b;
    case TEX_S16:
        return (uint32_t)(int16_t)h;
    case TEX_U16:
        return h;
    case TEX_F16:
        return as_bits(half_value(h));
    case TEX_S32:
    case TEX_U32:
    case TEX_F32:
    case TEX_TYPES:
        return w;
    }
    MUST(!"every value is above");
}

static inline bool is_integer(tex_type t)
{
    return t >= TEX_S8 && t <= TEX_U32;
}

/* The texel at (x, y, z), or the border's colour, as RGBA. */
static inline void texel(const picture *p, const int at[3], uint32_t out[4])
{
    static const char *const orders[TEX_ORDERS] = {
        "R001", "000R", "RG01", "R00G", "RGB1", "RGBA", "BGRA",
        "GBAR", "RRRR", "RRR1", "R001", "RG01", "RGB1"};
    static const bool opaque[TEX_ORDERS] = {[TEX_R] = true,
                                            [TEX_RG] = true,
                                            [TEX_RGB] = true,
                                            [TEX_LUMINANCE] = true};
    uint32_t one = is_integer(p->type) ? 1 : as_bits(1.0f);
    int depth = p->size[2] * p->layers;
    bool inside = at[0] >= 0 && at[0] < p->size[0] && at[1] >= 0 &&
                  at[1] < p->size[1] && at[2] >= 0 && at[2] < depth;

    for (unsigned c = 0; c < 4; c++) {
        char from = orders[p->order][c];

        if (!inside)
            out[c] = c == 3 && opaque[p->order] ? one : 0;
        else if (from == '0' || from == '1')
            out[c] = from == '1' ? one : 0;
        else
            out[c] = channel(
                p,
                p->bytes + (((size_t)at[2] * p->size[1] + at[1]) * p->size[0] +
                            at[0]) *
                               p->texel,
                from == 'R'   ? 0
                : from == 'G' ? 1
                : from == 'B' ? 2
                              : 3);
    }
}

/* Places along one dimension, as the specification has them for each mode:
 * two with the weight of the second for linear filters. */
typedef struct along {
    int at[2];
    double second;
} along;

static inline int inside(int i, int low, int high)
{
    return i < low ? low : i > high ? high : i;
}

static inline along places(const tex_sampler *s, unsigned d, float c, int n)
{
    tex_address mode = (tex_address)s->address[d];
    float w = (float)n;
    double u = (double)c, half, f;
    along a = {{0, 0}, 0};

    if (!s->normalised &&
        (mode == TEX_ADDRESS_REPEAT || mode == TEX_ADDRESS_MIRROR))
        mode = TEX_ADDRESS_EDGE;
    if (s->normalised)
        u = mode == TEX_ADDRESS_REPEAT ? ((double)c - floor((double)c)) * w
            : mode == TEX_ADDRESS_MIRROR
                ? fabs((double)c - 2.0 * rint(0.5 * (double)c)) * w
                : (double)c * w;
    a.at[0] = (int)floor(u);
    half = u - 0.5;
    if (s->linear) {
        a.at[0] = (int)floor(half);
        f = half - floor(half);
        a.second = floor(f * 256 + 0.5) / 256;
    }
    a.at[1] = a.at[0] + 1;
    for (unsigned i = 0; i < 2; i++) {
        if (mode == TEX_ADDRESS_REPEAT)
            a.at[i] = a.at[i] < 0       ? a.at[i] + n
                      : a.at[i] > n - 1 ? a.at[i] - n
                                        : a.at[i];
        else if (mode == TEX_ADDRESS_BORDER)
            a.at[i] = inside(a.at[i], -1, n);
        else
            a.at[i] = inside(a.at[i], 0, n - 1);
    }
    return a;
}

static inline unsigned dims_of(tex_kind kind)
{
    return kind == TEX_3D ? 3 : kind == TEX_2D || kind == TEX_2D_ARRAY ? 2 : 1;
}

/* RGBA as a sum in long double; nearest and integers as bits. */
static inline void reference(const picture *p, const tex_sampler *s,
                             const float c[3], int layer, long double sum[4],
                             uint32_t bits[4])
{
    unsigned dims = dims_of(p->kind);
    along a[3];

    memset(sum, 0, 4 * sizeof *sum);
    for (unsigned d = 0; d < dims; d++)
        a[d] = places(s, d, c[d], p->size[d]);
    for (unsigned k = 0; k < (s->linear ? 1u << dims : 1); k++) {
        int at[3] = {0, 0, layer};
        long double w = 1;

        for (unsigned d = 0; d < dims; d++) {
            bool second = k >> d & 1;

            at[d] = a[d].at[second];
            if (s->linear)
                w *= second ? a[d].second : 1 - a[d].second;
        }
        texel(p, at, bits);
        for (unsigned i = 0; i < 4 && w > 0; i++)
            sum[i] += w * (long double)as_float(bits[i]);
    }
}

/* ---- pictures ---------------------------------------------------------- */

static inline uint32_t make(rig *r, picture *p, unsigned levels)
{
    rt_image_desc desc = {.name = "picture",
                          .kind = p->kind,
                          .order = p->order,
                          .type = p->type,
                          .levels = levels,
                          .layers = (uint32_t)p->layers};
    uint32_t region[3], origin[3] = {0, 0, 0}, n;
    size_t bytes = 1;

    p->texel = tex_format_bytes(p->order, p->type);
    for (unsigned d = 0; d < 3; d++) {
        desc.size[d] = region[d] = (uint32_t)p->size[d];
        bytes *= region[d];
    }
    region[2] *= (uint32_t)p->layers;
    bytes *= (size_t)p->layers * p->texel;
    p->bytes = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        p->bytes[i] = (uint8_t)rng_below(&r->r, 256);
    if (p->type == TEX_F16) /* no infinities and NaNs */
        for (size_t i = 1; i < bytes; i += 2)
            p->bytes[i] &= 0xbb;
    if (p->type == TEX_F32)
        for (size_t i = 3; i < bytes; i += 4)
            p->bytes[i] = (uint8_t)(0x3f | (p->bytes[i] & 0x80));
    n = rt_image_new(rt_device_memory(r->d), &desc, r->dg);
    if (!n)
        TEST_FAIL("%s", diag_get(r->dg, 0)->text);
    CHECK(rt_image_write(rt_device_memory(r->d), n, 0, origin, region, p->bytes,
                         0, 0));
    return n;
}

static inline void check_close(uint32_t got, long double want)
{
    float w = (float)want;
    double away = fabs((double)as_float(got) - (double)w);

    /* one unit in the last place: sums are rounded once, but not exact */
    if (away > fabs((double)w) * 0x1p-23 + 1e-45)
        TEST_FAIL("%.9g, not %.9g", (double)as_float(got), (double)w);
}

/* Coordinates around and beyond the image, on and beside texels' centres. */
static inline float random_coordinate(rig *r, const tex_sampler *s, int n)
{
    double u = rng_unit(&r->r) * (3.0 * n) - n;

    if (rng_below(&r->r, 4) == 0)
        u = floor(u) + 0.5 * rng_below(&r->r, 3);
    return (float)(s->normalised ? u / n : u);
}

static inline void check_fetches(rig *r, picture *p, const char *kernel,
                                 const tex_sampler *s)
{
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], bits[4];
    uint32_t image = make(r, p, 1),
             sampler = rt_sampling_new(rt_device_memory(r->d), s);
    long double sum[4];
    bool array = p->kind == TEX_1D_ARRAY || p->kind == TEX_2D_ARRAY;

    CHECK(sampler >= TEX_LITERALS);
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned d = 0; d < dims_of(p->kind); d++)
            in[t][d] = as_bits(random_coordinate(r, s, p->size[d]));
        if (array)
            in[t][3] = rng_below(&r->r, (uint32_t)p->layers + 2);
    }
    fetch(r, kernel, tex_handle(image, sampler), in, out);
    for (unsigned t = 0; t < THREADS; t++) {
        float c[3] = {as_float(in[t][0]), as_float(in[t][1]),
                      as_float(in[t][2])};

        reference(p, s, c, inside((int)in[t][3], 0, p->layers - 1), sum, bits);
        for (unsigned k = 0; k < 4; k++) {
            if (s->linear)
                check_close(out[t][k], sum[k]);
            else
                CHECK_EQ(out[t][k], bits[k]);
        }
    }
    CHECK(rt_image_release(rt_device_memory(r->d), image));
    CHECK(rt_sampler_release(rt_device_memory(r->d), sampler));
    free(p->bytes);
}

static inline tex_sampler sampler(bool normalised, bool linear,
                                  tex_address mode)
{
    tex_sampler s = tex_literal(0);

    s.normalised = normalised;
    s.linear = linear;
    memset(s.address, (int)mode, sizeof s.address);
    return s;
}

#endif
