/* The fewest cycles between a result and its first use, by control codes. */
#include "test.h"

#include "sass/bounds.h"

enum { NO_BAR = 7 };

/* d = a + b, then `stall` cycles; it waits for scoreboards, its result counts
 * one (NO_BAR: none). */
static isa_inst add(unsigned d, unsigned a, unsigned stall, unsigned wait,
                    unsigned barrier)
{
    isa_inst in = isa_new(ISA_FADD);

    in.dst = (uint8_t)d;
    in.src_kind[0] = in.src_kind[1] = SRC_REG;
    in.src[0] = (uint8_t)a;
    in.ctl = 1u << CTL_HAS | stall << CTL_STALL | wait << CTL_WAIT |
             barrier << CTL_WRITE_BAR | (unsigned)NO_BAR << CTL_READ_BAR;
    isa_finish(&in);
    return in;
}

static sass_bound fp32_of(const isa_inst *code, size_t count)
{
    sass_bounds b = {0};

    sass_bounds_add(&b, code, count);
    return b.of[ISA_CLASS_FP32][USE_REGISTER];
}

TEST(stalls_up_to_the_first_use_add_up)
{
    const isa_inst code[] = {add(1, 0, 2, 0, NO_BAR), add(2, 0, 3, 0, NO_BAR),
                             add(3, 1, 1, 0, NO_BAR), add(4, 1, 1, 0, NO_BAR)};
    sass_bound b = fp32_of(code, 4);

    CHECK_EQ(b.pairs, 1); /* R1's first use, not its second */
    CHECK_EQ(b.cycles, 5);
}

TEST(the_fewest_of_several_counts)
{
    const isa_inst code[] = {add(1, 0, 6, 0, NO_BAR), add(2, 1, 4, 0, NO_BAR),
                             add(3, 2, 9, 0, NO_BAR)};
    sass_bound b = fp32_of(code, 3);

    CHECK_EQ(b.pairs, 2);
    CHECK_EQ(b.cycles, 4);
}

TEST(what_waits_says_nothing)
{
    const isa_inst waiting[] = {add(1, 0, 2, 0, NO_BAR),
                                add(2, 1, 1, 1, NO_BAR)};
    const isa_inst counted[] = {add(1, 0, 2, 0, 3), add(2, 1, 1, 0, NO_BAR)};
    const isa_inst overwritten[] = {add(1, 0, 2, 0, NO_BAR), add(1, 0, 2, 0, 3),
                                    add(2, 1, 1, 0, NO_BAR)};

    CHECK_EQ(fp32_of(waiting, 2).pairs, 0);
    CHECK_EQ(fp32_of(counted, 2).pairs, 0);
    CHECK_EQ(fp32_of(overwritten, 3).pairs, 0);
}

TEST(a_branch_ends_what_follows_in_a_row)
{
    isa_inst code[] = {add(1, 0, 2, 0, NO_BAR), isa_new(ISA_BRA),
                       add(2, 1, 1, 0, NO_BAR)};

    code[1].ctl = code[0].ctl;
    isa_finish(&code[1]);
    CHECK_EQ(fp32_of(code, 3).pairs, 0);
}

TEST(guards_are_a_use_of_their_own)
{
    isa_inst code[] = {isa_new(ISA_ISETP), add(2, 0, 1, 0, NO_BAR)};
    sass_bounds b = {0};

    code[0].pdst[0] = 3;
    code[0].src_kind[0] = code[0].src_kind[1] = SRC_REG;
    code[0].ctl = 1u << CTL_HAS | 13u << CTL_STALL | CTL_NONE;
    isa_finish(&code[0]);
    code[1].guard = 3 | PRED_NOT;
    isa_finish(&code[1]);
    sass_bounds_add(&b, code, 2);
    CHECK_EQ(b.of[ISA_CLASS_INT_CMP][USE_GUARD].cycles, 13);
    CHECK_EQ(b.of[ISA_CLASS_INT_CMP][USE_PREDICATE].pairs, 0);
}
