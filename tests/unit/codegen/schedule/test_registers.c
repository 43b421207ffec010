/* tests/unit/codegen/schedule/test_registers.c - how many registers a thread
 * gets: as few as let many warps in, and more where that shortens the wait for
 * loads by much. */
#include "unit/codegen/rig.h"

#include "test.h"

#define HEAD                                                                   \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 out, .param .u32 turns)%s\n{\n"             \
    ".reg .b32 %%r<9>;\n.reg .b64 %%d<9>;\n.reg .f32 %%f<99>;\n"               \
    ".reg .pred %%p<3>;\n.shared .align 4 .b8 tile[8192];\n"                   \
    "ld.param.u64 %%d1, [out];\nld.param.u32 %%r1, [turns];\n"                 \
    "mov.u32 %%r2, tile;\nmov.f32 %%f0, 0f00000000;\nloop:\n"
#define END                                                                    \
    "add.u32 %r2, %r2, 4;\nsub.u32 %r1, %r1, 1;\n"                             \
    "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra loop;\n"                               \
    "st.global.f32 [%d1], %f0;\nret;\n}\n"

enum { LOADS = 44, CHAIN = 400 };

static unsigned registers_of(const char *text)
{
    cg_options o = cg_default_options(ARCH_VOLTA);
    uint32_t regs = 0;
    rig r;
    status st = rig_compile(&r, "k.ptx", text, &o);

    if (st != ST_OK)
        rig_tell(&r, st);
    else
        isa_kernel_usage(&r.p->kernels[0], &regs, &(uint32_t){0});
    rig_free(&r);
    CHECK_EQ(st, ST_OK);
    return regs;
}

/* Words of global memory 132 bytes apart, each added when all those before it
 * have been: a warp that has room for all of them waits once for each turn. */
static const char *loads(const char *rule)
{
    static char text[16384];
    size_t used = (size_t)sprintf(text, HEAD, rule);

    for (unsigned i = 0; i < LOADS; i++)
        used += (size_t)sprintf(text + used,
                                "ld.global.f32 %%f%u, [%%d1+%u];\n"
                                "fma.rn.f32 %%f0, %%f0, %%f%u, %%f%u;\n",
                                i + 1, 132 * i, i + 1, i + 1);
    strcpy(text + used, END);
    return text;
}

TEST(a_wait_for_loads_is_worth_registers)
{
    unsigned regs = registers_of(loads(""));

    CHECK(regs > 40);
    CHECK(regs <= 64); /* half of the threads that an SM can have */
}

TEST(a_limit_holds) { CHECK(registers_of(loads("\n.maxnreg 24")) <= 24); }

/* One number after the other: nothing is gained by more of them. */
TEST(a_chain_takes_few_registers)
{
    static char text[32768];
    size_t used = (size_t)sprintf(text, HEAD, "");

    for (unsigned i = 0; i < CHAIN; i++)
        used += (size_t)sprintf(text + used,
                                "fma.rn.f32 %%f0, %%f0, 0f3F%06X, %%f0;\n", i);
    strcpy(text + used, END);
    CHECK(registers_of(text) <= 32);
}
