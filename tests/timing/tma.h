/* tests/timing/tma.h - tensors, boxes and what a bulk copy must make of them:
 * element by element over coordinates, as the manual says it
 * [PTX85:tensors] [PTX85:cp.async.bulk.tensor]. And a kernel that does one
 * copy. Included once by each test program. */
#ifndef TIMING_TMA_H
#define TIMING_TMA_H

#include "cga.h"
#include "mem/tensor_map.h"

#define TMA_MACHINE                                                            \
    "gpu.arch=hopper", "sm.tma.queue=64", "gpu.capability=90",                 \
        "gpu.cga.most=16", "gpu.sms=12", "gpu.gpc.sms=4",                      \
        "gpu.launch_latency=0", "gpu.cta.latency=0"

enum { TMA_TENSOR = 1 << 16, TMA_BOX = 1 << 14 };

/* A tensor, a box of it, and a place; all that a copy depends on. */
typedef struct tma_case {
    unsigned type, rank, interleave, swizzle, fill;
    uint64_t dim[5], stride[4]; /* stride[i]: of dimension i + 1 */
    uint32_t box[5], step[5];
    bool im2col;
    int lower[3], upper[3];
    uint32_t channels, pixels;
    int at[5];
    unsigned offset[3];
} tma_case;

static inline tensor_spec tma_spec(const tma_case *c, uint64_t address)
{
    return (tensor_spec){.type = c->type,
                         .rank = c->rank,
                         .address = address,
                         .dim = c->dim,
                         .stride = c->stride,
                         .step = c->step,
                         .interleave = c->interleave,
                         .swizzle = c->swizzle,
                         .fill = c->fill,
                         .im2col = c->im2col,
                         .box = c->box,
                         .lower = c->lower,
                         .upper = c->upper,
                         .channels = c->channels,
                         .pixels = c->pixels};
}

static inline unsigned tma_element(unsigned type)
{
    static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};

    return bytes[type];
}

/* Bytes of a position of dimension 0. */
static inline unsigned tma_unit(const tma_case *c)
{
    return c->interleave == 1   ? 16
           : c->interleave == 2 ? 32
                                : tma_element(c->type);
}

static inline unsigned tma_count(const tma_case *c, unsigned i)
{
    if (c->im2col)
        return i == 0 ? c->channels : i == 1 ? c->pixels : 1;
    if (i >= c->rank)
        return 1;
    if (i == 0 && !c->interleave)
        return c->box[0];
    return (c->box[i] + c->step[i] - 1) / c->step[i];
}

static inline unsigned tma_bytes(const tma_case *c)
{
    unsigned n = tma_unit(c);

    for (unsigned i = 0; i < 5; i++)
        n *= tma_count(c, i);
    return n;
}

/* Where the byte at `at` of shared memory, which is aligned to 1024, goes: the
 * 16-byte pieces of rows of 32, 64 or 128 bytes change places, by the number
 * of the 128 bytes that they are in. */
static inline unsigned tma_place(const tma_case *c, unsigned at)
{
    unsigned pieces = c->swizzle ? 1u << c->swizzle : 1;
    unsigned line = at / 128, piece = at / 16 % 8;

    piece = piece / pieces * pieces + (piece % pieces ^ line % pieces);
    return line * 128 + piece * 16 + at % 16;
}

/* The byte that lies outside of the tensor, number `b` of an element. */
static inline uint8_t tma_outside(const tma_case *c, unsigned b)
{
    static const uint8_t h[2] = {0xff, 0x7f}, s[4] = {0xff, 0xff, 0xff, 0x7f},
                         d[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0xff};
    unsigned n = tma_element(c->type);

    if (!c->fill)
        return 0;
    return n == 2 ? h[b % 2] : n == 4 ? s[b % 4] : d[b % 8];
}

typedef void tma_visit(void *arg, unsigned shared, bool inside, uint64_t global,
                       unsigned byte);

/* Coordinates of pixel `p` of a column: W first, then H, D, images. */
static inline void tma_pixel(const tma_case *c, unsigned p, int64_t at[5])
{
    for (unsigned i = 0; i < 5; i++)
        at[i] = c->at[i];
    for (; p; p--) {
        unsigned i = 1;

        for (; i + 1 < c->rank; i++) {
            at[i] += c->step[i];
            if (at[i] < (int64_t)c->dim[i] + c->upper[i - 1])
                break;
            at[i] = c->lower[i - 1];
        }
        if (i + 1 == c->rank)
            at[i] += c->step[i];
    }
    for (unsigned i = 1; i + 1 < c->rank; i++)
        at[i] += c->offset[i - 1];
}

/* Each byte of the box: its place in shared memory and in the tensor. */
static inline void tma_each(const tma_case *c, tma_visit *visit, void *arg)
{
    unsigned n[5], j[5], unit = tma_unit(c), linear = 0;

    for (unsigned i = 0; i < 5; i++)
        n[i] = tma_count(c, i);
    for (j[4] = 0; j[4] < n[4]; j[4]++)
        for (j[3] = 0; j[3] < n[3]; j[3]++)
            for (j[2] = 0; j[2] < n[2]; j[2]++)
                for (j[1] = 0; j[1] < n[1]; j[1]++)
                    for (j[0] = 0; j[0] < n[0]; j[0]++) {
                        int64_t at[5];
                        bool inside = true;
                        uint64_t global = 0;

                        for (unsigned i = 0; i < 5; i++)
                            at[i] = (int64_t)c->at[i] +
                                    (int64_t)j[i] *
                                        (i || c->interleave ? c->step[i] : 1);
                        if (c->im2col) {
                            tma_pixel(c, j[1], at);
                            at[0] += j[0];
                        }
                        for (unsigned i = 0; i < c->rank; i++) {
                            inside &= at[i] >= 0 && at[i] < (int64_t)c->dim[i];
                            global +=
                                (uint64_t)at[i] * (i ? c->stride[i - 1] : unit);
                        }
                        for (unsigned b = 0; b < unit; b++, linear++)
                            visit(arg, tma_place(c, linear), inside, global + b,
                                  b);
                    }
}

/* ---- random cases ---- */

static inline uint32_t tma_below(rng *r, uint32_t n) { return rng_below(r, n); }

/* Tiles of at most TMA_BOX bytes of a tensor of at most TMA_TENSOR. */
static inline tma_case tma_random_tile(rng *r)
{
    for (;;) {
        tma_case c = {.type = tma_below(r, TENSOR_TYPES),
                      .rank = 1 + tma_below(r, 5)};
        unsigned unit, pitch, rows = 1;

        if (c.rank >= 3 && !tma_below(r, 4))
            c.interleave = 1 + tma_below(r, 2);
        c.swizzle = c.interleave == 2 ? 1 : tma_below(r, 4);
        c.fill = c.type >= TENSOR_F16 && tma_below(r, 2);
        unit = tma_unit(&c);
        for (unsigned i = 0; i < c.rank; i++) {
            c.dim[i] = 1 + tma_below(r, i ? 9 : 70);
            c.step[i] = tma_below(r, 3) ? 1 : 1 + tma_below(r, 4);
            c.box[i] = 1 + tma_below(r, i ? 6 : 64);
            c.at[i] = (int)tma_below(r, (uint32_t)c.dim[i] + 6) - 4;
        }
        if (!c.interleave)
            c.box[0] = 16 / unit * (1 + tma_below(r, 8));
        if (!c.interleave && c.swizzle && c.box[0] * unit > 16u << c.swizzle)
            c.box[0] = (16u << c.swizzle) / unit;
        pitch =
            ((unsigned)c.dim[0] * unit + 31) / 32 * 32 + 32 * tma_below(r, 3);
        for (unsigned i = 1; i < c.rank; i++) {
            c.stride[i - 1] = pitch;
            pitch *= (unsigned)c.dim[i];
            rows *= (unsigned)c.dim[i];
        }
        if (pitch <= TMA_TENSOR && tma_bytes(&c) <= TMA_BOX && rows)
            return c;
    }
}

/* Pixels of images, as convolutions walk over them. */
static inline tma_case tma_random_im2col(rng *r)
{
    for (;;) {
        tma_case c = {.type = tma_below(r, TENSOR_TYPES),
                      .rank = 3 + tma_below(r, 3),
                      .im2col = true};
        unsigned unit = tma_unit(&c), pitch;

        c.fill = c.type >= TENSOR_F16 && tma_below(r, 2);
        c.swizzle = tma_below(r, 4);
        c.channels =
            16 / unit * (1 + tma_below(r, c.swizzle ? 1u << c.swizzle : 6));
        c.pixels = 1 + tma_below(r, 60);
        c.dim[0] = c.channels + tma_below(r, 20);
        c.at[0] = (int)tma_below(r, 12) - 2;
        for (unsigned i = 0; i < c.rank; i++)
            c.step[i] = 1;
        pitch = ((unsigned)c.dim[0] * unit + 15) / 16 * 16;
        for (unsigned i = 1; i < c.rank; i++) {
            c.dim[i] = 2 + tma_below(r, 6);
            c.stride[i - 1] = pitch;
            pitch *= (unsigned)c.dim[i];
            if (i + 1 == c.rank) {
                c.at[i] = (int)tma_below(r, (uint32_t)c.dim[i]);
                break;
            }
            c.step[i] = 1 + tma_below(r, 2);
            c.lower[i - 1] = -(int)tma_below(r, 3);
            c.upper[i - 1] = (int)tma_below(r, 4) - 2;
            c.offset[i - 1] = tma_below(r, 3);
            c.at[i] = c.lower[i - 1];
            if ((int)c.dim[i] + c.upper[i - 1] <= c.lower[i - 1])
                c.upper[i - 1] = 0;
        }
        if (pitch <= TMA_TENSOR && tma_bytes(&c) <= TMA_BOX &&
            tma_bytes(&c) % 16 == 0)
            return c;
    }
}

/* ---- a run ---- */

/* What the kernel's buffer has: a tensor map, coordinates, the tensor with a
 * rim that nothing may touch, an image of the box. */
enum {
    TMA_AT_MAP = 0,
    TMA_AT_COORD = 256,
    TMA_AT_RIM = 1024,
    TMA_AT_TENSOR = 2048,
    TMA_AT_BOX = TMA_AT_TENSOR + TMA_TENSOR + 1024,
    TMA_ALL = TMA_AT_BOX + 16 * TMA_BOX
};

#define TMA_HEAD                                                               \
    ".visible .entry k(.param .u64 p)\n"                                       \
    "{ .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<60>; .reg .b64 "        \
    "%d<20>;\n"                                                                \
    ".shared .align 1024 .b8 s[16384]; .shared .align 8 .b8 bar[64];\n"        \
    "ld.param.u64 %d1, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, s;\n"            \
    "mov.u32 %r2, bar;\n"                                                      \
    "ld.global.u32 %r10, [%d1+256]; ld.global.u32 %r11, [%d1+260];\n"          \
    "ld.global.u32 %r12, [%d1+264]; ld.global.u32 %r13, [%d1+268];\n"          \
    "ld.global.u32 %r14, [%d1+272];\n"                                         \
    "ld.global.u16 %h0, [%d1+280]; ld.global.u16 %h1, [%d1+284];\n"            \
    "ld.global.u16 %h2, [%d1+288];\n"

#define TMA_WAIT                                                               \
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra W;\n"

typedef struct tma_run {
    rig *r;
    rt_result last;
    status st;
    uint8_t *is; /* the buffer, as it is now */
} tma_run;

/* Runs the kernel on a machine of its own; `buffer`: TMA_ALL bytes. */
static inline void tma_launch(tma_run *run, const char *on,
                              const char *const *sets, const rt_options *opt,
                              const char *text, rt_launch l, const tma_case *c,
                              const uint8_t *buffer)
{
    rig *r = run->r = rig_open(on, sets, opt);
    uint64_t at = rt_alloc(rt_device_memory(r->d), TMA_ALL, "p");
    rt_module *m;
    uint8_t *mine = malloc(TMA_ALL);

    CHECK(at && mine);
    memcpy(mine, buffer, TMA_ALL);
    if (c) {
        tensor_spec s = tma_spec(c, at + TMA_AT_TENSOR);
        tensor_map map;

        const char *why = tensor_map_encode(&map, &s);
        if (why)
            TEST_FAIL("no map: %s", why);
        memcpy(mine + TMA_AT_MAP, &map, sizeof map);
        memcpy(mine + TMA_AT_COORD, c->at, sizeof c->at);
        for (unsigned i = 0; i < 3; i++)
            memcpy(mine + 280 + 4 * i, &c->offset[i], 2);
    }
    CHECK(rt_write(rt_device_memory(r->d), at, mine, TMA_ALL));
    rig_must(r,
             rt_module_load_text(r->d, "t.ptx", text, strlen(text), r->dg, &m));
    l.module = m;
    l.kernel = rt_module_kernel(m, NULL, r->dg);
    l.params = &at;
    l.counters = !opt->functional;
    l.max_cycles = l.max_cycles ? l.max_cycles : 20000000;
    CHECK(l.kernel != NULL);
    run->st = rt_run(r->d, &l, r->dg, &run->last);
    CHECK(rt_read(rt_device_memory(r->d), at, mine, TMA_ALL));
    run->is = mine;
}

static inline void tma_end(tma_run *run)
{
    free(run->is);
    rig_free(run->r);
    memset(run, 0, sizeof *run);
}

static inline uint64_t tma_counter(const tma_run *run, const char *pattern)
{
    size_t matched;
    uint64_t v =
        stats_sum(rt_stats(run->r->d), run->last.counters, pattern, &matched);

    CHECK(matched != 0);
    return v;
}

/* The message, which contains `part`. */
static inline void tma_said(const tma_run *run, const char *part)
{
    cga_run as = {.r = run->r};

    cga_said(&as, part);
}

/* "%r10, %r11, ..": as many coordinates as there are dimensions. */
static inline const char *tma_coords(unsigned rank)
{
    static const char *const lists[] = {"",
                                        "%r10",
                                        "%r10, %r11",
                                        "%r10, %r11, %r12",
                                        "%r10, %r11, %r12, %r13",
                                        "%r10, %r11, %r12, %r13, %r14"};

    return lists[rank];
}

static inline const char *tma_offsets(unsigned rank)
{
    static const char *const lists[] = {
        "", "", "", ", {%h0}", ", {%h0, %h1}", ", {%h0, %h1, %h2}"};

    return lists[rank];
}

#endif
