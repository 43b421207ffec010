/* Bulk copies of bytes, multicast to CTAs of a cluster, copies between their
 * shared memories, groups; tensor maps in parameters and as they are changed;
 * and what is said of wrong ones, with its place. */
#include "tma.h"

static const rt_options ways[] = {
    {.threads = 1},
    {.threads = 3, .shuffle = 5},
    {.threads = 1, .no_skip = true},
    {.threads = 1, .functional = true},
};

static const char *const machine[] = {TMA_MACHINE, NULL};
static const rt_launch one = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
static uint8_t buffer[TMA_ALL], want[TMA_ALL];

static void fill(uint64_t seed)
{
    rng r;

    rng_init(&r, seed, "bulk");
    for (unsigned i = 0; i < TMA_ALL; i++)
        buffer[i] = (uint8_t)rng_u64(&r);
    memcpy(want, buffer, TMA_ALL);
}

/* The kernel leaves `want` behind, on all ways, in the same time. */
static void check(const char *text, rt_launch l, const tma_case *c)
{
    uint64_t cycles = 0;

    for (unsigned k = 0; k < COUNTOF(ways); k++) {
        tma_run run;

        tma_launch(&run, "v100", machine, &ways[k], text, l, c, buffer);
        rig_must(run.r, run.st);
        for (unsigned i = TMA_AT_RIM; i < TMA_ALL; i++)
            if (run.is[i] != want[i])
                TEST_FAIL("way %u: byte %u is %02x, not %02x", k, i, run.is[i],
                          want[i]);
        if (!k)
            cycles = run.last.cycles;
        else if (!ways[k].functional)
            CHECK_EQ(run.last.cycles, cycles);
        tma_end(&run);
    }
}

#define BEGIN CGA_HEAD TMA_HEAD "setp.ne.u32 %p1, %r0, 0; @%p1 bra E;\n"
#define END   "E: ret; }\n"
#define ARRIVE(bytes)                                                          \
    "mbarrier.init.shared.b64 [%r2], 1;\n"                                     \
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], " bytes ";\n"
/* 4096 bytes of the box to shared memory */
#define LOAD                                                                   \
    ARRIVE("4096")                                                             \
    "add.u64 %d2, %d1, 68608;\n"                                               \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "           \
    "[%r1], [%d2], 4096, [%r2];\n" TMA_WAIT

TEST(bytes_go_there_and_back)
{
    fill(1);
    /* 3 groups; each store is waited for as it may be */
    memcpy(want + TMA_AT_TENSOR + 16, buffer + TMA_AT_BOX, 4096);
    memcpy(want + TMA_AT_TENSOR + 8192, buffer + TMA_AT_BOX + 32, 48);
    check(BEGIN LOAD
          "add.u64 %d3, %d1, 2064; add.u64 %d4, %d1, 10240;\n"
          "cp.async.bulk.global.shared::cta.bulk_group [%d3], [%r1], 4096;\n"
          "cp.async.bulk.commit_group;\n"
          "cp.async.bulk.global.shared::cta.bulk_group [%d4], [%r1+32], 48;\n"
          "cp.async.bulk.commit_group; cp.async.bulk.commit_group;\n"
          "cp.async.bulk.wait_group.read 1; cp.async.bulk.wait_group 0;\n"
          "cp.async.bulk.prefetch.L2.global [%d2], 4096;\n" END,
          one, NULL);
}

typedef struct reduction {
    const char *form;
    unsigned bytes;
    void (*apply)(void *to, const void *by);
} reduction;

#define APPLY(name, type, expression)                                          \
    static void name(void *to, const void *by)                                 \
    {                                                                          \
        type a, b;                                                             \
                                                                               \
        memcpy(&a, to, sizeof a);                                              \
        memcpy(&b, by, sizeof b);                                              \
        a = (type)(expression);                                                \
        memcpy(to, &a, sizeof a);                                              \
    }
APPLY(add_u64, uint64_t, a + b)
APPLY(min_s64, int64_t, a < b ? a : b)
APPLY(max_u64, uint64_t, a > b ? a : b)
APPLY(xor_b64, uint64_t, a ^ b)
APPLY(min_u32, uint32_t, a < b ? a : b)
APPLY(max_s32, int32_t, a > b ? a : b)
APPLY(inc_u32, uint32_t, a >= b ? 0 : a + 1)
APPLY(or_b32, uint32_t, a | b)
APPLY(add_f32, float, a + b)
APPLY(add_f64, double, a + b)
/* Of halves that are whole numbers: below 2048, the bits of 1024 + n. */
APPLY(max_f16, uint16_t, a > b ? a : b)

static const reduction reductions[] = {
    {"add.u64", 8, add_u64}, {"min.s64", 8, min_s64}, {"max.u64", 8, max_u64},
    {"xor.b64", 8, xor_b64}, {"min.u32", 4, min_u32}, {"max.s32", 4, max_s32},
    {"inc.u32", 4, inc_u32}, {"or.b32", 4, or_b32},   {"add.f32", 4, add_f32},
    {"add.f64", 8, add_f64}, {"max.f16", 2, max_f16}};

/* Numbers of floating point that are whole, and small. */
static void whole_numbers(uint8_t *at, const reduction *r)
{
    for (unsigned i = 0; i < 4096; i += r->bytes) {
        uint16_t h = (uint16_t)(0x6400 + at[i]);
        float f = at[i];
        double d = at[i];

        if (r->apply == max_f16)
            memcpy(at + i, &h, 2);
        else if (r->apply == add_f32)
            memcpy(at + i, &f, 4);
        else if (r->apply == add_f64)
            memcpy(at + i, &d, 8);
    }
}

/* Cycles of a kernel whose lanes store as `which` says, all at `at`. */
static uint64_t cycles_of_stores(const char *which, const char *at)
{
    static char text[4096];
    uint64_t cycles;
    tma_run run;

    snprintf(text, sizeof text, "%s%s%s%s", CGA_HEAD TMA_HEAD, which, at,
             "cp.async.bulk.global.shared::cta.bulk_group [%d3], [%r1], 4096;\n"
             "cp.async.bulk.commit_group;\n"
             "cp.async.bulk.wait_group 0;\nE: ret; }\n");
    tma_launch(&run, "h100", machine, &ways[0], text, one, NULL, buffer);
    rig_must(run.r, run.st);
    cycles = run.last.cycles;
    tma_end(&run);
    return cycles;
}

TEST(a_store_that_all_lanes_ask_for_is_done_once)
{
    static const char same[] = "add.u64 %d3, %d1, 2064;\n";
    static const char apart[] = "shl.b32 %r40, %r0, 4; cvt.u64.u32 %d3, %r40;\n"
                                "add.u64 %d3, %d3, %d1;\n";
    static const char first[] = "setp.ne.u32 %p1, %r0, 0; @%p1 bra E;\n";
    uint64_t alone = cycles_of_stores(first, same);
    uint64_t all = cycles_of_stores("", same);
    uint64_t each = cycles_of_stores("", apart);

    printf("%llu alone, %llu all, %llu each\n", (unsigned long long)alone,
           (unsigned long long)all, (unsigned long long)each);
    CHECK(all <= alone + 100 && alone <= all + 100);
    /* 32 times 4096 bytes at no more than 128 a cycle */
    CHECK(each >= alone + 31 * 4096 / 128);
}

TEST(bytes_are_reduced)
{
    char text[8192];

    for (unsigned n = 0; n < COUNTOF(reductions); n++) {
        const reduction *r = &reductions[n];

        fill(n + 2);
        whole_numbers(buffer + TMA_AT_BOX, r);
        whole_numbers(buffer + TMA_AT_TENSOR + 16, r);
        memcpy(want, buffer, TMA_ALL);
        for (unsigned i = 0; i < 4096; i += r->bytes)
            r->apply(want + TMA_AT_TENSOR + 16 + i, buffer + TMA_AT_BOX + i);
        snprintf(text, sizeof text,
                 "%scp.reduce.async.bulk.global.shared::cta"
                 ".bulk_group.%s [%%d3], [%%r1], 4096;\n"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n%s",
                 BEGIN LOAD "add.u64 %d3, %d1, 2064;\n", r->form, END);
        check(text, one, NULL);
    }
}

/* ---- clusters ---- */

#define CLUSTER_BEGIN                                                          \
    CGA_HEAD TMA_HEAD                                                          \
        "mov.u32 %r40, %cluster_ctarank; mov.u32 %r41, %cluster_nctarank;\n"   \
        "mov.u32 %r42, %ctaid.x; setp.ne.u32 %p1, %r0, 0;\n"                   \
        "@%p1 bra S;\n" ARRIVE(                                                \
            "4096") "S: barrier.cluster.arrive; barrier.cluster.wait;\n"
/* Thread 0 of each CTA writes what came to CTA's place of the box. */
#define CLUSTER_END                                                            \
    TMA_WAIT                                                                   \
    "@%p1 bra E; mul.wide.u32 %d5, %r42, 16384; add.u64 %d5, %d1, %d5;\n"      \
    "add.u64 %d5, %d5, 68608;\n"                                               \
    "cp.async.bulk.global.shared::cta.bulk_group [%d5], [%r1], 4096;\n"        \
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"                \
    "E: barrier.cluster.arrive; barrier.cluster.wait; ret; }\n"

/* CTA 1 of each cluster of 4 sends 4096 bytes to CTAs 0, 1 and 3; CTA 2 gets
 * its own. */
TEST(multicast_reaches_those_of_the_mask)
{
    fill(20);
    for (unsigned c = 0; c < 8; c++)
        memcpy(want + TMA_AT_BOX + 16384 * c,
               buffer + TMA_AT_TENSOR + (c % 4 == 2 ? 4096 : 0), 4096);
    check(CLUSTER_BEGIN
          "add.u64 %d2, %d1, 2048; add.u64 %d3, %d1, 6144; mov.u16 %h4, 11;\n"
          "setp.eq.u32 %p4, %r40, 1; setp.eq.u32 %p5, %r40, 2;\n"
          "@%p1 bra N;\n"
          "@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
          "::bytes.multicast::cluster [%r1], [%d2], 4096, [%r2], %h4;\n"
          "@%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
          "::bytes [%r1], [%d3], 4096, [%r2];\n"
          "N:\n" CLUSTER_END,
          (rt_launch){.grid = {8, 1, 1}, .block = {32, 1, 1}, .cga = {4, 1, 1}},
          NULL);
}

/* A box of a tensor to both CTAs of a cluster, each asking for a half of it. */
TEST(boxes_are_multicast)
{
    tma_case c = {.type = TENSOR_F16,
                  .rank = 2,
                  .swizzle = 3,
                  .dim = {64, 64},
                  .stride = {128},
                  .box = {64, 16},
                  .step = {1, 1},
                  .at = {0, 32}};

    fill(21);
    for (unsigned cta = 0; cta < 4; cta++)
        for (unsigned i = 0; i < 4096; i++)
            want[TMA_AT_BOX + 16384 * cta + tma_place(&c, i)] =
                buffer[TMA_AT_TENSOR + 32 * 128 + i];
    check(CLUSTER_BEGIN
          "mov.u16 %h4, 3; shl.b32 %r43, %r40, 4; add.u32 %r11, %r11, %r43;\n"
          "shl.b32 %r44, %r40, 11; add.u32 %r45, %r1, %r44;\n"
          "@!%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile"
          ".mbarrier::complete_tx::bytes.multicast::cluster [%r45], [%d1, "
          "{%r10, %r11}], [%r2], %h4;\n" CLUSTER_END,
          (rt_launch){.grid = {4, 1, 1}, .block = {32, 1, 1}, .cga = {2, 1, 1}},
          &c);
}

/* Each CTA gives the next one what it has loaded, then adds to it. */
TEST(copies_go_to_other_ctas)
{
    fill(22);
    for (unsigned c = 0; c < 4; c++)
        for (unsigned i = 0; i < 2048; i += 4) {
            unsigned from = c / 2 * 2 + (c + 1) % 2;
            uint32_t v;

            memcpy(&v, buffer + TMA_AT_TENSOR + 4096 * from + i, 4);
            memcpy(want + TMA_AT_BOX + 16384 * c + i, &v, 4);
            v += v;
            memcpy(want + TMA_AT_BOX + 16384 * c + 2048 + i, &v, 4);
        }
    check(
        CGA_HEAD TMA_HEAD
        "mov.u32 %r40, %cluster_ctarank; mov.u32 %r42, %ctaid.x;\n"
        "setp.ne.u32 %p1, %r0, 0; xor.b32 %r43, %r40, 1;\n"
        "@%p1 bra S;\n" ARRIVE(
            "8192") "mbarrier.init.shared.b64 [%r2+8], 1;\n"
                    "mbarrier.arrive.expect_tx.shared.b64 _, [%r2+8], 2048;\n"
                    "mul.wide.u32 %d2, %r42, 4096; add.u64 %d2, %d2, %d1;\n"
                    "add.u64 %d2, %d2, 2048; add.u32 %r44, %r1, 8192;\n"
                    "add.u32 %r45, %r2, 8;\n"
                    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"
                    "bytes "
                    "[%r44], [%d2], 2048, [%r45];\n"
                    "S: barrier.cluster.arrive; barrier.cluster.wait;\n"
                    "@%p1 bra N;\n"
                    "V: mbarrier.try_wait.parity.shared.b64 %p2, [%r2+8], 0;\n"
                    "@!%p2 bra V;\n"
                    "mapa.shared::cluster.u32 %r46, %r1, %r43;\n"
                    "mapa.shared::cluster.u32 %r47, %r2, %r43;\n"
                    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                    "complete_tx"
                    "::bytes [%r46], [%r44], 2048, [%r47];\n"
                    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                    "complete_tx"
                    "::bytes [%r46+2048], [%r44], 2048, [%r47];\n"
                    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                    "complete_tx"
                    "::bytes [%r46+4096], [%r44], 2048, [%r47];\n"
                    "nanosleep.u32 10000;\n"
                    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier"
                    "::complete_tx::bytes.add.u32 [%r46+2048], [%r44], 2048, "
                    "[%r47];\n"
                    "N:\n" CLUSTER_END,
        (rt_launch){.grid = {4, 1, 1}, .block = {32, 1, 1}, .cga = {2, 1, 1}},
        NULL);
}

/* ---- what is wrong ---- */

static tma_case small(void)
{
    return (tma_case){.type = TENSOR_S32,
                      .rank = 2,
                      .dim = {64, 64},
                      .stride = {256},
                      .box = {16, 16},
                      .step = {1, 1}};
}

#define TILE(dst, map, coords, bar)                                            \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"             \
    "::complete_tx::bytes [" dst "], [" map ", {" coords "}], [" bar "];\n"

#define ZEROS(at)                                                              \
    "st.global.v2.u64 [%d2+" #at "], {%d3, %d3};\n"                            \
    "st.global.v2.u64 [%d2+" #at "+16], {%d3, %d3};\n"

static const struct wrong {
    const char *body, *why;
} wrong[] = {
    {"add.u64 %d2, %d1, 512;\n" TILE("%r1", "%d2", "%r10, %r11", "%r2"),
     "malformed tensor map: it was not made by cuTensorMapEncode"},
    {"add.u64 %d2, %d1, 512; mov.u64 %d3, 0;\n" ZEROS(0) ZEROS(32) ZEROS(64)
         ZEROS(96) TILE("%r1", "%d2", "%r10, %r11", "%r2"),
     "malformed tensor map: it was not made by cuTensorMapEncode"},
    {"add.u64 %d2, %d1, 32;\n" TILE("%r1", "%d2", "%r10, %r11", "%r2"),
     "the tensor map is not at a multiple of 64"},
    {"mov.u64 %d2, 4096;\n" TILE("%r1", "%d2", "%r10, %r11", "%r2"),
     "access outside every allocation"},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier"
     "::complete_tx::bytes [%r1], [%d1, {%r10, %r10, %r10}], [%r2];\n",
     "another number of dimensions"},
    {"add.u32 %r3, %r1, 64;\n" TILE("%r3", "%d1", "%r10, %r11", "%r2"),
     "no multiple of 128"},
    {"add.u32 %r3, %r1, 16256;\n" TILE("%r3", "%d1", "%r10, %r11", "%r2"),
     "does not fit into the shared memory"},
    {"add.u32 %r3, %r2, 32;\n" TILE("%r1", "%d1", "%r10, %r11", "%r3"),
     "the mbarrier is not initialised"},
    {"add.u32 %r3, %r2, 4;\n" TILE("%r1", "%d1", "%r10, %r11", "%r3"),
     "the mbarrier is not at a multiple of 8"},
    {"tensormap.replace.tile.global_address.global.b1024.b64 [%d1], 20;\n"
     "fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;\n" TILE(
         "%r1", "%d1", "%r10, %r11", "%r2"),
     "malformed tensor map: the address is no multiple of 16"},
    {"mov.u16 %h4, 2;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
     ".multicast::cluster [%r1], [%d1], 64, [%r2], %h4;\n",
     "the multicast mask names a CTA that the cluster has not"},
    {"mov.u32 %r3, 20;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
     "[%r1], [%d1], %r3, [%r2];\n",
     "the size is no multiple of 16"},
    {"add.u64 %d2, %d1, 8;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
     "[%r1], [%d2], 64, [%r2];\n",
     "the address in global memory is no multiple of 16"},
    {"add.u64 %d2, %d1, 1000000000;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
     "[%r1], [%d2], 64, [%r2];\n",
     "access outside every allocation"},
    {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group "
     "[%d1, {%r10, %r11}], [%r1];\n",
     NULL}, /* of s32, as of u32 */
};

TEST(what_is_wrong_is_told_with_its_place)
{
    tma_case c = small();
    char text[8192];

    fill(30);
    for (unsigned i = 0; i < COUNTOF(wrong); i++)
        for (unsigned k = 0; k < COUNTOF(ways); k += 3) {
            tma_run run;

            snprintf(text, sizeof text, "%s%s%s", BEGIN ARRIVE("0"),
                     wrong[i].body, END);
            tma_launch(&run, "v100", machine, &ways[k], text, one, &c, buffer);
            if (wrong[i].why) {
                CHECK_EQ(run.st, ST_FAULT);
                tma_said(&run, wrong[i].why);
                tma_said(&run, "kernel 'k' (t.ptx:");
                tma_said(&run, "thread (0,0,0)");
            } else {
                CHECK_EQ(run.st, ST_OK);
            }
            tma_end(&run);
        }
}

/* ---- tensor maps that change ---- */

/* A map is copied to shared memory, changed there, and written back: its
 * tensor is another, of other size. */
TEST(tensor_maps_are_replaced)
{
    tma_case c = small();

    fill(31);
    /* 16 by 16 words from (60, 0) of the tensor 4096 bytes on, 62 wide: two
     * columns are inside; then the image of the box */
    for (unsigned y = 0; y < 16; y++)
        for (unsigned x = 0; x < 16; x++) {
            uint8_t *to = want + TMA_AT_BOX + 8192 + 64 * y + 4 * x;

            if (x < 2)
                memcpy(to,
                       buffer + TMA_AT_TENSOR + 4096 + 512 * y + 4 * (60 + x),
                       4);
            else
                memset(to, 0, 4);
        }
    check(
        CGA_HEAD TMA_HEAD
        "shl.b32 %r20, %r0, 2; cvt.u64.u32 %d2, %r20; add.u64 %d2, %d1, %d2;\n"
        "ld.global.u32 %r21, [%d2]; add.u32 %r22, %r1, %r20;\n"
        "st.shared.u32 [%r22], %r21; bar.warp.sync 0xffffffff;\n"
        "add.u64 %d3, %d1, 6144; mov.u32 %r23, 62; mov.u64 %d4, 512;\n"
        "setp.ne.u32 %p1, %r0, 0; @%p1 bra M;\n"
        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], "
        "%d3;\n"
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 0, "
        "%r23;\n"
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r1], 0,"
        " %d4;\n"
        "M: bar.warp.sync 0xffffffff; add.u64 %d5, %d1, 512;\n"
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
        ".release.gpu.sync.aligned [%d5], [%r1], 128;\n"
        "@%p1 bra E;\n"
        "fence.proxy.tensormap::generic.acquire.gpu [%d5], 128;\n"
        "prefetch.tensormap [%d5];\n" ARRIVE(
            "1024") "mov.u32 %r10, 60; mov.u32 %r11, 0;\n" TILE("%r1", "%d5",
                                                                "%r10, %r11",
                                                                "%r2") TMA_WAIT
        "add.u64 %d6, %d1, 76800;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%d6], [%r1], 1024;\n"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n" END,
        one, &c);
}

/* Every field of a map: of 16 by 16 words from (60, 0) on of a tensor that is
 * 62 words wide. Its rows take 512 bytes; `stride` tells that. */
static void put_fields(strbuf *b, const char *stride)
{
    static const char *const fields[][2] = {
        {"rank", "1"},
        {"box_dim", "0, %r24"},
        {"box_dim", "1, %r24"},
        {"global_dim", "0, %r23"},
        {"global_dim", "1, %r24"},
        {"element_stride", "0, %r25"},
        {"element_stride", "1, %r25"},
        {"elemtype", "3"},
        {"interleave_layout", "0"},
        {"swizzle_mode", "0"},
        {"fill_mode", "0"},
    };

    for (unsigned i = 0; i < COUNTOF(fields); i++)
        strbuf_printf(b,
                      "tensormap.replace.tile.%s.shared::cta.b1024.b32 [%%r1], "
                      "%s;\n",
                      fields[i][0], fields[i][1]);
    strbuf_printf(b,
                  "tensormap.replace.tile.global_address.shared::cta.b1024.b64 "
                  "[%%r1], %%d3;\nmov.u64 %%d4, %s;\n"
                  "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 "
                  "[%%r1], 0, %%d4;\n",
                  stride);
}

static const char zeros_to_shared[] =
    TMA_HEAD "shl.b32 %r20, %r0, 2; add.u32 %r21, %r1, %r20; mov.u32 %r22, 0;\n"
             "st.shared.u32 [%r21], %r22; bar.warp.sync 0xffffffff;\n"
             "add.u64 %d3, %d1, 6144; mov.u32 %r23, 62; mov.u32 %r24, 16;\n"
             "mov.u32 %r25, 1; setp.ne.u32 %p1, %r0, 0; @%p1 bra M;\n";

static const char load_by_it[] =
    "M: bar.warp.sync 0xffffffff; add.u64 %d5, %d1, 512;\n"
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
    ".release.gpu.sync.aligned [%d5], [%r1], 128;\n"
    "@%p1 bra E;\n"
    "fence.proxy.tensormap::generic.acquire.gpu [%d5], 128;\n" ARRIVE(
        "1024") "mov.u32 %r10, 60; mov.u32 %r11, 0;\n" TILE("%r1", "%d5",
                                                            "%r10, %r11", "%r2")
        TMA_WAIT
    "add.u64 %d6, %d1, 76800;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%d6], [%r1], 1024;\n"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n" END;

static void make_map(const char *version, const char *stride)
{
    tma_case c = small();
    strbuf b = {0};

    fill(32);
    for (unsigned y = 0; y < 16; y++) { /* two columns are inside */
        uint8_t *to = want + TMA_AT_BOX + 8192 + 64 * y;

        memset(to, 0, 64);
        memcpy(to, buffer + TMA_AT_TENSOR + 4096 + 512 * y + 4 * 60, 8);
    }
    strbuf_printf(&b, ".version %s\n.target sm_90a\n.address_size 64\n%s",
                  version, zeros_to_shared);
    put_fields(&b, stride);
    strbuf_puts(&b, load_by_it);
    check(b.text, one, &c);
    strbuf_fini(&b);
}

/* Strides are in bytes, but without their lowest 4 bits before PTX 8.5. */
TEST(a_kernel_makes_a_tensor_map_out_of_zeros)
{
    make_map("8.6", "512");
    make_map("8.4", "32");
}
