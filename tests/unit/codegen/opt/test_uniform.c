/* tests/unit/codegen/opt/test_uniform.c - what is the same in all lanes goes to
 * the uniform datapath where the lanes are together, and only there. */
#include "unit/codegen/rig.h"

#include "test.h"

enum { THREADS = 64 };

static rig R;

#define HEAD                                                                   \
    ".version 7.0\n.target sm_80\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 out, .param .u32 n, .param .u32 step)\n"    \
    "{\n.reg .b32 %r<20>;\n.reg .b64 %d<9>;\n.reg .pred %p<4>;\n"              \
    "ld.param.u64 %d1, [out];\nld.param.u32 %r2, [n];\n"                       \
    "ld.param.u32 %r3, [step];\nmov.u32 %r1, %tid.x;\n"                        \
    "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\nmov.u32 %r6, %r1;\n"
/* Thread t writes %r6. */
#define END                                                                    \
    "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\n"                      \
    "st.global.u32 [%d3], %r6;\nret;\n}\n"

/* Operations of the uniform datapath in the code of `text`, which runs with
 * n = 5 and step = 3; thread t has to write want(t). */
static unsigned run(const char *text, bool uniform,
                    uint32_t (*want)(uint32_t t))
{
    const uint32_t one[3] = {1, 1, 1}, cta[3] = {THREADS, 1, 1}, n = 5, s = 3;
    cg_options o = cg_default_options(ARCH_AMPERE);
    unsigned found = 0;
    uint64_t out;
    status st;

    o.uniform = uniform;
    st = rig_compile(&R, "k.ptx", text, &o);
    if (st != ST_OK)
        rig_tell(&R, st);
    CHECK_EQ(st, ST_OK);
    rig_prepare(&R, NULL, ARCH_AMPERE, one, cta, 0);
    out = rig_alloc(&R, "out", 4 * THREADS, NULL);
    rig_param(&R, &out, 8);
    rig_param(&R, &n, 4);
    rig_param(&R, &s, 4);
    CHECK_EQ(rig_run(&R), ST_OK);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t got;

        memcpy(&got, (uint8_t *)mem_host(R.image, out) + 4 * t, 4);
        CHECK_EQ(got, want(t));
    }
    for (uint32_t i = 0; i < R.k->code_count; i++)
        found += R.k->code[i].class == ISA_CLASS_UNIFORM;
    rig_free(&R);
    return found;
}

/* r4 counts rounds, r5 is a function of it that all lanes share. */
#define ROUNDS                                                                 \
    "L:\nmad.lo.u32 %r5, %r4, %r3, %r4;\nmul.lo.u32 %r5, %r5, %r5;\n"          \
    "xor.b32 %r6, %r6, %r5;\nmul.lo.u32 %r6, %r6, 3;\n"                        \
    "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, "

static uint32_t rounds(uint32_t t, uint32_t n)
{
    uint32_t r = t;

    for (uint32_t i = 0; i < n; i++)
        r = (r ^ (i * 4 * i * 4)) * 3;
    return r;
}

static uint32_t all_alike(uint32_t t) { return rounds(t, 5); }

static uint32_t by_lane(uint32_t t) { return rounds(t, t ? t : 1); }

TEST(what_all_lanes_share_moves)
{
    static const char text[] = HEAD ROUNDS "%r2;\n@%p1 bra L;\n" END;

    CHECK(run(text, true, all_alike) >= 3);
    CHECK_EQ(run(text, false, all_alike), 0);
}

/* Each lane goes round as often as its number says: those that have left are
 * not there when the others count. */
TEST(not_where_lanes_part)
{
    static const char text[] = HEAD ROUNDS "%r1;\n@%p1 bra L;\n" END;

    CHECK_EQ(run(text, true, by_lane), 0);
}

static uint32_t half(uint32_t t) { return t % 2 ? rounds(t, 5) : t; }

/* The loop is one of half of the lanes. */
TEST(not_in_a_part_of_the_warp)
{
    static const char text[] =
        HEAD "and.b32 %r7, %r1, 1;\nsetp.eq.u32 %p2, %r7, 0;\n"
             "@%p2 bra E;\n" ROUNDS "%r2;\n@%p1 bra L;\nE:\n" END;

    CHECK_EQ(run(text, true, half), 0);
}
