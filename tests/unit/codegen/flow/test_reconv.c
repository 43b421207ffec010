/* Where lanes meet again, seen by the lanes themselves: activemask. */
#include "unit/codegen/rig.h"

#include "test.h"

#define HEAD                                                                   \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"                  \
    ".reg .b32 t, i, x, m, n, a;\n.reg .b64 o;\n.reg .pred p, q, s;\n"         \
    "mov.u32 t, %tid.x;\nld.param.u64 o, [out];\n"                             \
    "mad.wide.u32 o, t, 64, o;\nmov.u32 x, 0;\nmov.u32 i, 0;\n"

enum { LANES = 32, WORDS = 16 };

static uint32_t out[LANES][WORDS];
static rig R;

static void run(const char *text, isa_arch arch)
{
    const uint32_t one[3] = {1, 1, 1}, cta[3] = {LANES, 1, 1};
    cg_options o = cg_default_options(arch);
    uint64_t in = 0, to;
    status st = rig_compile(&R, "k.ptx", text, &o);

    if (st == ST_OK) {
        rig_prepare(&R, NULL, arch, one, cta, 0);
        to = rig_alloc(&R, "out", sizeof out, NULL);
        rig_param(&R, &in, 8);
        rig_param(&R, &to, 8);
        st = rig_run(&R);
        memcpy(out, mem_host(R.image, to), sizeof out);
    }
    if (st != ST_OK)
        rig_tell(&R, st);
    CHECK_EQ(st, ST_OK);
}

static unsigned count(unsigned op)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < R.k->code_count; i++)
        n += R.k->code[i].op == op;
    return n;
}

/* Odd lanes leave a loop from within an if, at round lane / 4; those that stay
 * meet behind the if in every round. */
TEST(lanes_that_stay_in_a_loop_meet_in_it)
{
    run(HEAD "LOOP:\nand.b32 a, t, 1;\nsetp.eq.u32 p, a, 0;\n@p bra EVEN;\n"
             "shr.u32 n, t, 2;\nsetp.ge.u32 q, i, n;\n@q bra OUT;\n"
             "mad.lo.u32 x, x, 3, 1;\nmad.lo.u32 x, x, 5, i;\n"
             "mad.lo.u32 x, x, 7, t;\nmad.lo.u32 x, x, 3, 1;\n"
             "mad.lo.u32 x, x, 5, i;\nmad.lo.u32 x, x, 7, t;\n"
             "bra JOIN;\nEVEN:\nmad.lo.u32 x, x, 9, 1;\n"
             "mad.lo.u32 x, x, 5, i;\nmad.lo.u32 x, x, 7, t;\n"
             "mad.lo.u32 x, x, 3, 1;\nmad.lo.u32 x, x, 5, i;\n"
             "mad.lo.u32 x, x, 7, t;\nmad.lo.u32 x, x, 3, 1;\n"
             "JOIN:\nactivemask.b32 m;\nst.global.u32 [o], m;\n"
             "add.s64 o, o, 4;\nadd.u32 i, i, 1;\nsetp.lt.u32 s, i, 7;\n"
             "@s bra LOOP;\nOUT:\nactivemask.b32 m;\n"
             "mad.wide.u32 o, t, 64, 0;\n.reg .b64 b;\n"
             "ld.param.u64 b, [out];\nadd.s64 o, o, b;\n"
             "st.global.u32 [o+60], m;\nst.global.u32 [o+56], x;\nret;\n}\n",
        ARCH_VOLTA);
    for (unsigned l = 0; l < LANES; l++) {
        for (unsigned i = 0; i < 7; i++) {
            uint32_t stay = 0;

            for (unsigned k = 0; k < LANES; k++)
                if (!(k & 1) || i < k / 4)
                    stay |= 1u << k;
            CHECK_EQ(out[l][i], stay >> l & 1 ? stay : 0);
        }
        CHECK_EQ(out[l][15], UINT32_MAX);
    }
    CHECK(count(ISA_BREAK) > 0);
    rig_free(&R);
}

/* A branch that all lanes take alike needs no meeting. */
TEST(uniform_branches_have_no_regions)
{
    run(HEAD "mov.u32 n, %ctaid.x;\nsetp.ne.u32 p, n, 0;\n@p bra ELSE;\n"
             "LOOP:\nmad.lo.u32 x, x, 3, t;\nadd.u32 i, i, 1;\n"
             "setp.lt.u32 s, i, 10;\n@s bra LOOP;\n"
             "st.global.u32 [o], x;\nELSE:\nst.global.u32 [o+4], i;\nret;\n}\n",
        ARCH_VOLTA);
    CHECK_EQ(count(ISA_BSSY), 0);
    CHECK_EQ(count(ISA_BSYNC), 0);
    rig_free(&R);
}

/* The same for the stack: nothing else would make it run. */
TEST(older_families_use_ssy_and_sync)
{
    run(HEAD "LOOP:\nmad.lo.u32 x, x, 3, 1;\nadd.u32 i, i, 1;\n"
             "setp.lt.u32 s, i, t;\n@s bra LOOP;\nactivemask.b32 m;\n"
             "st.global.u32 [o], m;\nret;\n}\n",
        ARCH_KEPLER);
    CHECK_EQ(count(ISA_SSY), 1);
    CHECK_EQ(count(ISA_SYNC), 1);
    CHECK_EQ(count(ISA_BSSY), 0);
    for (unsigned l = 0; l < LANES; l++)
        CHECK_EQ(out[l][0], UINT32_MAX);
    rig_free(&R);
}

/* WARPSYNC stays where lanes may be apart, and goes where they are not. */
TEST(warpsync_stays_only_where_lanes_may_be_apart)
{
    run(HEAD "shfl.sync.idx.b32 x, t, 3, 31, 0xffffffff;\n"
             "st.global.u32 [o], x;\nret;\n}\n",
        ARCH_VOLTA);
    CHECK_EQ(count(ISA_WARPSYNC), 0);
    rig_free(&R);
    run(HEAD "setp.lt.u32 p, t, 16;\n@!p bra SKIP;\n"
             "shfl.sync.bfly.b32 x, t, 1, 31, 0xffff;\n"
             "shfl.sync.bfly.b32 x, x, 2, 31, 0xffff;\n"
             "st.global.u32 [o], x;\nSKIP:\nret;\n}\n",
        ARCH_VOLTA);
    CHECK_EQ(out[5][0], 6);
    rig_free(&R);
    run(HEAD "setp.lt.u32 p, t, 16;\n@!p bra SKIP;\nmov.u32 i, 5;\n"
             "shfl.sync.bfly.b32 x, t, 1, 31, 0xffff;\n"
             "st.global.u32 [o], x;\nbra.uni END;\nSKIP:\n"
             "shfl.sync.bfly.b32 x, t, 2, 31, 0xffff0000;\n"
             "st.global.u32 [o], x;\nEND:\nst.global.u32 [o+4], i;\nret;\n}\n",
        ARCH_VOLTA);
    CHECK_EQ(count(ISA_WARPSYNC), 2);
    CHECK_EQ(out[5][0], 4);
    CHECK_EQ(out[20][0], 22);
    rig_free(&R);
}
