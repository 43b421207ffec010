/* tests/unit/codegen/alloc/test_spill.c - values without a place in a register
 * that an addition makes again need none on the stack. */
#include "unit/codegen/rig.h"

#include "test.h"

enum { THREADS = 32, SUMS = 24, ROUNDS = 5, REGISTERS = 20 };

/* Thread t: SUMS values t + 1000 i are alive over a loop that takes each in. */
static void write_kernel(char *to, size_t room)
{
    size_t n = (size_t)snprintf(
        to, room,
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 out)\n{\n"
        ".reg .b32 %%r<99>;\n.reg .b64 %%d<9>;\n.reg .pred %%p<9>;\n"
        "ld.param.u64 %%d1, [out];\nmov.u32 %%r1, %%tid.x;\n"
        "mul.wide.u32 %%d2, %%r1, 4;\nadd.u64 %%d3, %%d1, %%d2;\n"
        "mov.u32 %%r2, 0;\nmov.u32 %%r3, 0;\n");

    for (unsigned i = 0; i < SUMS; i++)
        n += (size_t)snprintf(to + n, room - n, "add.s32 %%r%u, %%r1, %u;\n",
                              10 + i, 1000 * (i + 1));
    n += (size_t)snprintf(to + n, room - n, "again:\n");
    for (unsigned i = 0; i < SUMS; i++)
        n += (size_t)snprintf(to + n, room - n,
                              "mad.lo.u32 %%r2, %%r2, 3, %%r%u;\n"
                              "xor.b32 %%r2, %%r2, %%r%u;\n",
                              10 + i, 10 + i);
    snprintf(to + n, room - n,
             "add.u32 %%r3, %%r3, 1;\nsetp.lt.u32 %%p1, %%r3, %d;\n"
             "@%%p1 bra again;\nst.global.u32 [%%d3], %%r2;\nret;\n}\n",
             ROUNDS);
}

TEST(sums_with_constants_are_made_again)
{
    static char text[8192];
    cg_options o = cg_default_options(ARCH_VOLTA);
    uint64_t out;
    rig r;

    write_kernel(text, sizeof text);
    o.max_registers = REGISTERS;
    CHECK_EQ(rig_compile(&r, "k.ptx", text, &o), ST_OK);
    CHECK(r.p->kernels[0].spill_bytes <= 8); /* the address of the result */
    CHECK(r.p->kernels[0].registers <= REGISTERS);
    rig_prepare(&r, NULL, ARCH_VOLTA, (uint32_t[]){1, 1, 1},
                (uint32_t[]){THREADS, 1, 1}, 0);
    out = rig_alloc(&r, "out", 4 * THREADS, NULL);
    rig_param(&r, &out, 8);
    CHECK_EQ(rig_run(&r), ST_OK);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t want = 0, v;

        for (uint32_t i = 0; i < ROUNDS * SUMS; i++) {
            uint32_t sum = t + 1000 * (i % SUMS + 1);

            want = want * 3 + sum;
            want ^= sum;
        }
        memcpy(&v, mem_host(r.image, out + 4 * t), 4);
        CHECK_EQ(v, want);
    }
    rig_free(&r);
}
