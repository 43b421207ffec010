/* Matrices and copies in shared memory, and arrival barriers, from PTX; and
 * that older families and unknown forms are refused with their place. */
#include "rig.h"
#include "test.h"

#define HEAD                                                                   \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                          \
    ".entry k(.param .u64 in, .param .u64 out) {\n"                            \
    ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n"               \
    ".shared .align 16 .b8 s[2048];\n.shared .align 8 .b64 bar;\n"             \
    "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n"                    \
    "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 4;\nmov.u32 %r3, s;\n"            \
    "add.u32 %r4, %r3, %r2;\ncvt.u64.u32 %rd3, %r2;\n"                         \
    "add.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n"                   \
    "shl.b32 %r5, %r1, 2;\ncvt.u64.u32 %rd6, %r5;\n"                           \
    "add.u64 %rd6, %rd2, %rd6;\n"
#define TAIL "ret; }\n"

enum { WORDS = 256 };

static uint32_t in[WORDS], out[WORDS];

/* Runs `body` on `threads` threads; `out` begins as ones. */
static void run_on(isa_arch arch, const char *body, unsigned threads)
{
    static const uint32_t one[3] = {1, 1, 1};
    uint32_t cta[3] = {threads, 1, 1};
    cg_options o = cg_default_options(arch);
    uint64_t at[2];
    char text[8192];
    status st;
    rig r;

    snprintf(text, sizeof text, "%s%s" TAIL, HEAD, body);
    for (unsigned i = 0; i < WORDS; i++)
        in[i] = 0x10001u * i + 0x80000;
    memset(out, 0xff, sizeof out);
    st = rig_compile(&r, "async.ptx", text, &o);
    if (st != ST_OK)
        rig_tell(&r, st);
    CHECK_EQ(st, ST_OK);
    rig_prepare(&r, NULL, arch, one, cta, 0);
    at[0] = rig_alloc(&r, "in", sizeof in, in);
    at[1] = rig_alloc(&r, "out", sizeof out, out);
    rig_param(&r, &at[0], 8);
    rig_param(&r, &at[1], 8);
    st = rig_run(&r);
    if (st != ST_OK)
        rig_tell(&r, st);
    CHECK_EQ(st, ST_OK);
    memcpy(out, mem_host(r.image, at[1]), sizeof out);
    rig_free(&r);
}

static void run(const char *body, unsigned threads)
{
    run_on(ARCH_VOLTA, body, threads);
}

#define COPY                                                                   \
    "cp.async.cg.shared.global [%r4], [%rd4], 16;\n"                           \
    "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
#define STORE4                                                                 \
    "st.global.u32 [%rd6], %r10;\nst.global.u32 [%rd6+128], %r11;\n"           \
    "st.global.u32 [%rd6+256], %r12;\nst.global.u32 [%rd6+384], %r13;\n"

static uint32_t half(unsigned matrix, unsigned row, unsigned col)
{
    return in[32 * matrix + 4 * row + col / 2] >> 16 * (col % 2) & 0xffff;
}

TEST(ldmatrix_gives_pairs_of_a_row)
{
    run(COPY "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
             "{%r10,%r11,%r12,%r13}, [%r4];\n" STORE4,
        32);
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(out[i], in[i]);
}

TEST(ldmatrix_transposes)
{
    run(COPY "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
             "{%r10,%r11,%r12,%r13}, [%r4];\n" STORE4,
        32);
    for (unsigned i = 0; i < 128; i++) {
        unsigned m = i / 32, l = i % 32, row = l % 4 * 2, col = l / 4;

        CHECK_EQ(out[i], half(m, row, col) | half(m, row + 1, col) << 16);
    }
}

TEST(stmatrix_and_movmatrix_undo_them)
{
    run(COPY
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r10,%r11}, "
        "[%r4];\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r10;\n"
        "add.u32 %r6, %r4, 1024;\n"
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r10};\n"
        "add.u32 %r6, %r6, 128;\n"
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r6], {%r11};\n"
        "bar.sync 0;\nadd.u32 %r7, %r3, %r5;\n"
        "ld.shared.u32 %r10, [%r7+1024];\nld.shared.u32 %r11, [%r7+1152];\n"
        "st.global.u32 [%rd6], %r10;\nst.global.u32 [%rd6+128], %r11;\n",
        32);
    for (unsigned i = 0; i < 64; i++)
        CHECK_EQ(out[i], in[i]);
}

TEST(copies_fill_with_zeros)
{
    run("st.shared.v4.u32 [%r4], {%r1,%r1,%r1,%r1};\n"
        "setp.lt.u32 %p1, %r1, 8;\nand.b32 %r6, %r1, 3;\nshl.b32 %r6, %r6, 2;\n"
        "setp.ge.u32 %p2, %r1, 16;\n"
        "@%p1 cp.async.ca.shared.global [%r4], [%rd4], 16, %r6;\n"
        "@%p2 cp.async.ca.shared.global [%r4+8], [%rd4+8], 8;\n"
        "setp.eq.u32 %p3, %r1, 9;\n"
        "setp.eq.u32 %p1, %r1, 8;\nor.pred %p1, %p1, %p3;\n"
        "@%p1 cp.async.ca.shared.global [%r4], [%rd4], 4, %p3;\n"
        "cp.async.wait_all;\n"
        "ld.shared.v4.u32 {%r10,%r11,%r12,%r13}, [%r4];\n"
        "st.global.v4.u32 [%rd5], {%r10,%r11,%r12,%r13};\n",
        32);
    for (unsigned t = 0; t < 32; t++)
        for (unsigned w = 0; w < 4; w++) {
            uint32_t want = t;

            if (t < 8)
                want = w < t % 4 ? in[4 * t + w] : 0;
            else if (t >= 16 && w > 1)
                want = in[4 * t + w];
            else if (t < 10 && !w)
                want = t == 9 ? 0 : in[4 * t];
            CHECK_EQ(out[4 * t + w], want);
        }
}

/* 96 threads arrive; each waits for the phase its arrival belonged to, and
 * then sees what the others stored before. */
TEST(arrivals_of_all_threads_complete_a_phase)
{
    run("setp.eq.u32 %p1, %r1, 0;\nmov.u32 %r6, bar;\n"
        "@%p1 mbarrier.init.shared.b64 [%r6], 96;\nbar.sync 0;\n"
        "mov.u32 %r7, 0;\n"
        "again:\n"
        "add.u32 %r8, %r1, %r7;\nadd.u32 %r9, %r3, %r5;\n"
        "st.shared.u32 [%r9], %r8;\n"
        "mbarrier.arrive.shared.b64 %rd7, [%r6];\n"
        "wait:\n"
        "mbarrier.test_wait.shared.b64 %p2, [%r6], %rd7;\n"
        "@!%p2 bra wait;\n"
        "xor.b32 %r10, %r1, 64;\nmin.u32 %r10, %r10, 95;\n"
        "shl.b32 %r10, %r10, 2;\nadd.u32 %r10, %r3, %r10;\n"
        "ld.shared.u32 %r11, [%r10];\n"
        "and.b32 %r12, %r7, 1;\n"
        "mbarrier.arrive.shared.b64 _, [%r6], 1;\n"
        "other:\n"
        "mbarrier.try_wait.parity.shared.b64 %p2, [%r6], 1;\n"
        "@!%p2 bra other;\n"
        "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p3, %r7, 3;\n"
        "@%p3 bra again;\n"
        "st.global.u32 [%rd6], %r11;\n"
        "mbarrier.inval.shared.b64 [%r6];\n",
        96);
    for (unsigned t = 0; t < 96; t++) {
        unsigned other = (t ^ 64) > 95 ? 95 : t ^ 64;

        CHECK_EQ(out[t], other + 2);
    }
}

/* Thread 0 announces bytes and copies them; all wait for the phase. */
TEST(bulk_copies_complete_a_phase)
{
    run_on(
        ARCH_HOPPER,
        "setp.eq.u32 %p1, %r1, 0;\nmov.u32 %r6, bar;\n"
        "@%p1 mbarrier.init.shared.b64 [%r6], 1;\n"
        "fence.proxy.async;\nbar.sync 0;\nmov.u32 %r7, 512;\n"
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r6], 512;\n"
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%r3], [%rd1], %r7, [%r6];\n"
        "wait:\n"
        "mbarrier.try_wait.parity.shared.b64 %p2, [%r6], 0;\n"
        "@!%p2 bra wait;\n"
        "ld.shared.v4.u32 {%r10,%r11,%r12,%r13}, [%r4];\n"
        "add.u32 %r10, %r10, 1;\nst.shared.u32 [%r4], %r10;\nbar.sync 0;\n"
        "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 512;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\n",
        32);
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(out[i], in[i] + (i % 4 == 0));
}

/* ---- what is refused ---------------------------------------------------- */

static void refused(const char *body, isa_arch arch, const char *why)
{
    cg_options o = cg_default_options(arch);
    char text[4096];
    rig r;

    snprintf(text, sizeof text, "%s%s" TAIL, HEAD, body);
    CHECK_EQ(rig_compile(&r, "async.ptx", text, &o), ST_PROGRAM);
    const diag_item *last = diag_get(r.dg, diag_count(r.dg) - 1);
    if (!strstr(last->text, why))
        TEST_FAIL("%s", last->text);
    CHECK_EQ(last->line, 22);
    rig_free(&r);
}

TEST(older_families_refuse)
{
    static const char why[] = "it exists from Volta on";

    refused("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n", ARCH_KEPLER,
            why);
    refused("cp.async.commit_group;\n", ARCH_FERMI, why);
    refused("mbarrier.init.shared.b64 [%r6], 96;\n", ARCH_FERMI, why);
    refused("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1,%r2}, {%r3}, "
            "{%r4}, {%r5,%r6};\n",
            ARCH_KEPLER, why);
}

TEST(bulk_copies_exist_from_hopper_on)
{
    static const char why[] = "the tensor memory accelerator exists from "
                              "Hopper on";

    refused("cp.async.bulk.prefetch.L2.global [%rd1], 16;\n", ARCH_AMPERE, why);
    refused("cp.async.bulk.commit_group;\n", ARCH_VOLTA, why);
    refused("tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 2;\n",
            ARCH_AMPERE, why);
}

TEST(bulk_forms_are_refused)
{
    static const struct {
        const char *body, *why;
    } all[] = {
        {"cp.async.bulk.tensor.2d.shared::cluster.global.tile"
         ".mbarrier::complete_tx::bytes [%r3], [%rd1, {%r1}], [%r6];\n",
         "it has not as many coordinates as dimensions"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4"
         ".mbarrier::complete_tx::bytes [%r3], [%rd1, {%r1, %r1, %r1, %r1, "
         "%r1}], [%r6];\n",
         "this form exists from sm_100 on"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.tile"
         ".mbarrier::complete_tx::bytes.multicast::cluster [%r3], [%rd1, "
         "{%r1, %r1}], [%r6];\n",
         "it has not as many operands as its modifiers say"},
        {"cp.async.bulk.global.global.bulk_group [%rd1], [%rd2], 16;\n",
         "there is no copy between these memories"},
        {"tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 5, %r1;\n",
         "there is no such dimension"},
    };

    for (unsigned i = 0; i < COUNTOF(all); i++)
        refused(all[i].body, ARCH_HOPPER, all[i].why);
}

TEST(unknown_forms_are_refused)
{
    refused("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0,%r1}, "
            "{%r0,%r1}, {%r2,%r3}, {%r0,%r1}, %r3, 4;\n",
            ARCH_VOLTA, "the selector names lanes that do not exist");
    refused("mma.sp.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, "
            "{%r0,%r1}, {%r2,%r3}, {%r0,%r1}, %r3, 0x0;\n",
            ARCH_VOLTA, "mma.sp.sync");
    refused("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1,%r2}, "
            "{%r3,%r3}, {%r4}, {%r5,%r6};\n",
            ARCH_VOLTA, "the operands do not have the size of the matrices");
}

TEST(what_is_newer_is_said_once)
{
    cg_options o = cg_default_options(ARCH_VOLTA);
    rig r;

    CHECK_EQ(rig_compile(&r, "async.ptx",
                         HEAD "cp.async.commit_group;\n"
                              "cp.async.wait_group 0;\n" TAIL,
                         &o),
             ST_OK);
    CHECK_EQ(diag_count(r.dg), 1);
    CHECK_EQ(diag_get(r.dg, 0)->level, DIAG_WARNING);
    CHECK_EQ(diag_get(r.dg, 0)->line, 22);
    rig_free(&r);
}
