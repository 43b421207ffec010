/* Bulk copies of boxes of tensors, against a reference that goes over their
 * elements one by one: random tensors, boxes, swizzles; with one thread and
 * three, without skipping, and without timing. */
#include "tma.h"

static const rt_options ways[] = {
    {.threads = 1},
    {.threads = 3, .shuffle = 5},
    {.threads = 1, .no_skip = true},
    {.threads = 1, .functional = true},
};

static const char *const machine[] = {TMA_MACHINE, NULL};

static void fill(uint8_t *buffer, rng *r)
{
    for (unsigned i = 0; i < TMA_ALL; i++)
        buffer[i] = (uint8_t)rng_u64(r);
}

static void describe(const tma_case *c)
{
    printf("type %u rank %u interleave %u swizzle %u fill %u im2col %u\n",
           c->type, c->rank, c->interleave, c->swizzle, c->fill, c->im2col);
    for (unsigned i = 0; i < c->rank; i++)
        printf(" dim %u box %u step %u at %d stride %u\n", (unsigned)c->dim[i],
               c->box[i], c->step[i], c->at[i],
               i ? (unsigned)c->stride[i - 1] : 0);
}

/* ---- loads ---- */

static const char load[] =
    "setp.ne.u32 %%p1, %%r0, 0; @%%p1 bra READY;\n"
    "mbarrier.init.shared.b64 [%%r2], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n"
    "cp.async.bulk.tensor.%ud.shared::cluster.global.%s"
    ".mbarrier::complete_tx::bytes [%%r1], [%%d1, {%s}], [%%r2]%s;\n"
    "READY: bar.sync 0;\n";
static const char load_end[] = TMA_WAIT
    "shl.b32 %r20, %r0, 4;\n"
    "C: setp.ge.u32 %p3, %r20, 16384; @%p3 bra E;\n"
    "add.u32 %r21, %r1, %r20; ld.shared.v4.u32 {%r22,%r23,%r24,%r25}, [%r21];\n"
    "cvt.u64.u32 %d2, %r20; add.u64 %d2, %d1, %d2;\n"
    "st.global.v4.u32 [%d2+68608], {%r22,%r23,%r24,%r25};\n"
    "add.u32 %r20, %r20, 1024; bra C;\n"
    "E: ret; }\n";

_Static_assert(TMA_AT_BOX == 68608, "in the text");

typedef struct expected {
    const tma_case *c;
    const uint8_t *tensor;
    uint8_t *box;
} expected;

static void expect_load(void *arg, unsigned shared, bool inside,
                        uint64_t global, unsigned byte)
{
    expected *e = arg;

    e->box[shared] = inside ? e->tensor[global] : tma_outside(e->c, byte);
}

static char text[16384];

static const char *load_text(const tma_case *c)
{
    char body[2048];

    snprintf(body, sizeof body, load, tma_bytes(c), c->rank,
             c->im2col ? "im2col" : "tile", tma_coords(c->rank),
             c->im2col ? tma_offsets(c->rank) : "");
    snprintf(text, sizeof text, "%s%s%s", CGA_HEAD TMA_HEAD, body, load_end);
    return text;
}

static void check_load(const tma_case *c, const uint8_t *buffer)
{
    static uint8_t box[TMA_BOX];
    expected e = {c, buffer + TMA_AT_TENSOR, box};
    uint64_t cycles = 0;

    memset(box, 0, sizeof box);
    tma_each(c, expect_load, &e);
    for (unsigned k = 0; k < COUNTOF(ways); k++) {
        tma_run run;

        tma_launch(&run, "v100", machine, &ways[k], load_text(c),
                   (rt_launch){.grid = {1, 1, 1}, .block = {64, 1, 1}}, c,
                   buffer);
        rig_must(run.r, run.st);
        for (unsigned i = 0; i < TMA_BOX; i++)
            if (run.is[TMA_AT_BOX + i] != box[i]) {
                describe(c);
                TEST_FAIL("way %u: byte %u is %02x, not %02x", k, i,
                          run.is[TMA_AT_BOX + i], box[i]);
            }
        if (!k)
            cycles = run.last.cycles;
        else if (!ways[k].functional)
            CHECK_EQ(run.last.cycles, cycles);
        tma_end(&run);
    }
}

TEST(tiles_are_loaded)
{
    static uint8_t buffer[TMA_ALL];
    rng r;

    rng_init(&r, 1, "tiles");
    fill(buffer, &r);
    for (unsigned n = 0; n < 24; n++) {
        tma_case c = tma_random_tile(&r);

        check_load(&c, buffer);
    }
}

TEST(columns_of_pixels_are_loaded)
{
    static uint8_t buffer[TMA_ALL];
    rng r;

    rng_init(&r, 2, "im2col");
    fill(buffer, &r);
    for (unsigned n = 0; n < 12; n++) {
        tma_case c = tma_random_im2col(&r);

        check_load(&c, buffer);
    }
}

/* ---- stores and reductions ---- */

#define TMA_WAIT_DOUBLED                                                       \
    "W: mbarrier.try_wait.parity.shared.b64 %%p2, [%%r2], 0; @!%%p2 bra W;\n"

/* The image of the box goes to shared memory by a bulk copy, from there to the
 * tensor. */
static const char store[] =
    "setp.ne.u32 %%p1, %%r0, 0; @%%p1 bra E;\n"
    "mbarrier.init.shared.b64 [%%r2], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], 16384;\n"
    "add.u64 %%d2, %%d1, 68608;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%%r1], [%%d2], 16384, [%%r2];\n" TMA_WAIT_DOUBLED
    "cp%s.async.bulk.tensor.%ud.global.shared::cta%s.%s.bulk_group "
    "[%%d1, {%s}], [%%r1];\n"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group%s 0;\n"
    "E: ret; }\n";

typedef struct changed {
    const tma_case *c;
    const uint8_t *box;
    uint8_t *tensor;
    int op; /* -1: store */
} changed;

static uint64_t reduced(int op, uint64_t a, uint64_t b, bool is_signed)
{
    switch (op) {
    case 0:
        return a + b;
    case 1:
        return is_signed ? ((int32_t)a < (int32_t)b ? a : b) : a < b ? a : b;
    case 2:
        return is_signed ? ((int32_t)a > (int32_t)b ? a : b) : a > b ? a : b;
    case 3:
        return a >= b ? 0 : a + 1;
    case 4:
        return !a || a > b ? b : a - 1;
    case 5:
        return a & b;
    case 6:
        return a | b;
    default:
        return a ^ b;
    }
}

static void expect_store(void *arg, unsigned shared, bool inside,
                         uint64_t global, unsigned byte)
{
    changed *e = arg;
    uint32_t a, b;

    if (!inside)
        return;
    if (e->op < 0) {
        e->tensor[global] = e->box[shared];
    } else if (byte % 4 == 0) {
        memcpy(&a, e->tensor + global, 4);
        memcpy(&b, e->box + shared, 4);
        a = (uint32_t)reduced(e->op, a, b, e->c->type == TENSOR_S32);
        memcpy(e->tensor + global, &a, 4);
    }
}

static const char *const reductions[] = {".add", ".min", ".max", ".inc",
                                         ".dec", ".and", ".or",  ".xor"};

static void check_store(const tma_case *c, int op, const uint8_t *buffer,
                        bool read)
{
    static uint8_t want[TMA_ALL];
    changed e = {c, buffer + TMA_AT_BOX, want + TMA_AT_TENSOR, op};
    uint64_t cycles = 0;
    char body[4096];

    snprintf(body, sizeof body, store, op < 0 ? "" : ".reduce", c->rank,
             op < 0 ? "" : reductions[op],
             c->im2col ? "im2col_no_offs" : "tile", tma_coords(c->rank),
             read ? ".read" : "");
    snprintf(text, sizeof text, "%s%s", CGA_HEAD TMA_HEAD, body);
    memcpy(want, buffer, TMA_ALL);
    tma_each(c, expect_store, &e);
    for (unsigned k = 0; k < COUNTOF(ways); k++) {
        tma_run run;

        tma_launch(&run, "v100", machine, &ways[k], text,
                   (rt_launch){.grid = {1, 1, 1}, .block = {32, 1, 1}}, c,
                   buffer);
        rig_must(run.r, run.st);
        for (unsigned i = TMA_AT_RIM; i < TMA_ALL; i++)
            if (run.is[i] != want[i]) {
                describe(c);
                TEST_FAIL("way %u: byte %d is %02x, not %02x", k,
                          (int)i - TMA_AT_TENSOR, run.is[i], want[i]);
            }
        if (!k)
            cycles = run.last.cycles;
        else if (!ways[k].functional)
            CHECK_EQ(run.last.cycles, cycles);
        tma_end(&run);
    }
}

TEST(tiles_are_stored_and_clipped)
{
    static uint8_t buffer[TMA_ALL];
    rng r;

    rng_init(&r, 3, "stores");
    fill(buffer, &r);
    for (unsigned n = 0; n < 12; n++) {
        tma_case c = tma_random_tile(&r);

        check_store(&c, -1, buffer, n % 2);
    }
    for (unsigned n = 0; n < 4; n++) {
        tma_case c = tma_random_im2col(&r);

        memset(c.offset, 0, sizeof c.offset);
        /* pixels of a column are apart, or their order would matter */
        check_store(&c, -1, buffer, false);
    }
}

TEST(tiles_are_reduced)
{
    static uint8_t buffer[TMA_ALL];
    rng r;

    rng_init(&r, 4, "reductions");
    fill(buffer, &r);
    for (unsigned n = 0; n < 16; n++) {
        tma_case c;

        do
            c = tma_random_tile(&r);
        while (c.type !=
               (n & 8 && (n % 8 == 1 || n % 8 == 2) ? TENSOR_S32 : TENSOR_U32));
        check_store(&c, (int)n % 8, buffer, false);
    }
}
