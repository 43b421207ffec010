/* Words of matrices that come round a loop: joined once for all products that
 * read them, and again when one of them has been written. */
#include "rig.h"
#include "test.h"

#define MMA(d, a)                                                              \
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d" #d "0,%d" #d       \
    "1,%d" #d "2,%d" #d "3}, {" a "}, {%b0,%b1}, {%d" #d "0,%d" #d "1,%d" #d   \
    "2,%d" #d "3};\n"
#define A "%a0,%a1,%a2,%a3"
#define ZERO(d)                                                                \
    "mov.f32 %d" #d "0, 0f00000000;\nmov.f32 %d" #d "1, 0f00000000;\n"         \
    "mov.f32 %d" #d "2, 0f00000000;\nmov.f32 %d" #d "3, 0f00000000;\n"
#define STORE(d, at)                                                           \
    "st.global.v4.f32 [%rd1+" #at "], {%d" #d "0,%d" #d "1,%d" #d "2,%d" #d    \
    "3};\n"
#define HEAD                                                                   \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                          \
    ".entry k(.param .u64 out, .param .u32 n)\n{\n"                            \
    ".shared .align 16 .b8 s[8192];\n.reg .pred %p<2>;\n"                      \
    ".reg .b32 %a<4>, %b<2>, %r<8>;\n.reg .f32 %d<50>;\n.reg .b64 %rd<4>;\n"   \
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\n"                      \
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 16;\n"                      \
    "add.u64 %rd1, %rd1, %rd2;\nmov.u32 %r3, s;\n"                             \
    "mov.u32 %a0, 0x3c003c00;\nmov.u32 %a1, %a0;\nmov.u32 %a2, %a0;\n"         \
    "mov.u32 %a3, %a0;\nmov.u32 %b0, %a0;\nmov.u32 %b1, %a0;\n" ZERO(1)        \
        ZERO(2) ZERO(3) ZERO(4)
#define TAIL STORE(1, 0) STORE(2, 512) STORE(3, 1024) STORE(4, 1536) "ret;\n}\n"
/* Four products of the same factors, of which one is loaded for the next. */
#define LOOP                                                                   \
    "ld.global.v2.u32 {%b0,%b1}, [%rd1];\nL:\n" MMA(1, A) MMA(2, A) MMA(3, A)  \
        MMA(4, A) "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {" A "}, [%r3];\n" \
                  "add.u32 %r3, %r3, 1024;\nsub.u32 %r1, %r1, 1;\n"            \
                  "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n"

static rig R;

static void compile(const char *text, isa_arch arch)
{
    cg_options o = cg_default_options(arch);
    status st = rig_compile(&R, "join.ptx", text, &o);

    if (st != ST_OK)
        rig_tell(&R, st);
    CHECK_EQ(st, ST_OK);
}

/* Instructions from the target of the only backward branch to the branch. */
static unsigned loop_length(const isa_kernel *k)
{
    for (uint32_t i = 0; i < k->code_count; i++)
        if (k->code[i].op == ISA_BRA && k->code[i].val[0] <= i)
            return i - (unsigned)k->code[i].val[0] + 1;
    return 0;
}

TEST(products_of_the_same_factors_share_their_registers)
{
    static const isa_arch arch[] = {ARCH_AMPERE, ARCH_HOPPER};

    for (size_t i = 0; i < COUNTOF(arch); i++) {
        compile(HEAD LOOP TAIL, arch[i]);
        /* Four products, a load, an addition, a subtraction, a comparison and
         * the branch; no copy. */
        CHECK_EQ(loop_length(&R.p->kernels[0]), 9);
        rig_free(&R);
    }
}

TEST(a_factor_that_was_written_is_read_anew)
{
    static const uint32_t one[3] = {1, 1, 1}, warp[3] = {32, 1, 1};
    static const isa_arch arch[] = {ARCH_VOLTA, ARCH_AMPERE, ARCH_HOPPER};

    for (size_t i = 0; i < COUNTOF(arch); i++) {
        uint32_t n = 1;
        uint64_t out;
        const float *d;

        /* Ones; the first eight of k of the upper eight rows become zeros, then
         * ones again. */
        compile(HEAD MMA(1, A) "mov.u32 %a0, 0;\n" MMA(
                    2, A) "mov.u32 %a0, 0x3c003c00;\n" MMA(3, A)
                    MMA(4, "%a0,%a1,%a2,%a2") TAIL,
                arch[i]);
        rig_prepare(&R, NULL, arch[i], one, warp, 0);
        out = rig_alloc(&R, "out", 8192, NULL);
        rig_param(&R, &out, 8);
        rig_param(&R, &n, 4);
        CHECK_EQ(rig_run(&R), ST_OK);
        d = (const float *)mem_host(R.image, out);
        for (unsigned t = 0; t < 32; t++)
            for (unsigned w = 0; w < 4; w++) {
                CHECK(d[128 * 0 + t * 4 + w] == 16);
                CHECK(d[128 * 1 + t * 4 + w] == (w < 2 ? 8 : 16));
                CHECK(d[128 * 2 + t * 4 + w] == 16);
                CHECK(d[128 * 3 + t * 4 + w] == 16);
            }
        rig_free(&R);
    }
}
