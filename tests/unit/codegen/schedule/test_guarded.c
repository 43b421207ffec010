/* tests/unit/codegen/schedule/test_guarded.c - loads that were in a branch are
 * taken to be fast: what adds them up follows them one by one. Others all go
 * ahead of the first sum. */
#include "unit/codegen/rig.h"

#include "test.h"

#define HEAD                                                                   \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>;\n"                \
    ".reg .b64 %d<9>;\n.reg .f32 %f<19>;\n.reg .pred %p<9>;\n"                 \
    "ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\n"                         \
    "mov.f32 %f1, 0f3F800000;\n"
#define END "st.global.f32 [%d1+4096], %f1;\nret;\n}\n"

enum { LOADS = 8 };

/* Adds up words of global memory; if `guarded`, lane i alone loads word i, the
 * others have a two. Are there sums before the last load? */
static bool sums_before_last_load(bool guarded)
{
    cg_options o = cg_default_options(ARCH_VOLTA);
    uint32_t add = 0, load = 0, loads = 0;
    char text[4096];
    size_t used = (size_t)sprintf(text, "%s", HEAD);
    rig r;

    for (unsigned i = 0; i < LOADS; i++) {
        if (guarded)
            used += (size_t)sprintf(text + used,
                                    "mov.f32 %%f%u, 0f40000000;\n"
                                    "setp.ne.u32 %%p1, %%r1, %u;\n"
                                    "@%%p1 bra l%u;\n",
                                    i + 2, i, i);
        used += (size_t)sprintf(text + used,
                                "ld.global.f32 %%f%u, [%%d1+%u];\nl%u:\n"
                                "add.f32 %%f1, %%f1, %%f%u;\n",
                                i + 2, 64 * i, i, i + 2);
    }
    strcpy(text + used, END);
    status st = rig_compile(&r, "k.ptx", text, &o);
    if (st != ST_OK)
        rig_tell(&r, st);
    for (uint32_t i = 0; st == ST_OK && i < r.p->kernels[0].code_count; i++) {
        unsigned op = r.p->kernels[0].code[i].op;

        if (op == ISA_FADD && !add)
            add = i;
        if (op == ISA_LDG) {
            load = i;
            loads++;
        }
    }
    rig_free(&r);
    CHECK_EQ(st, ST_OK);
    CHECK_EQ(loads, LOADS);
    return add < load;
}

TEST(sums_follow_the_loads_of_branches) { CHECK(sums_before_last_load(true)); }

TEST(other_loads_go_first) { CHECK(!sums_before_last_load(false)); }
