/* What functions become: part of their caller or code of their own, a stack,
 * entries in a table; and what is left out. What they compute is the matter of
 * tests/exec and of the random programs. */
#include "rig.h"

#include "test.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define INC                                                                    \
    "{\n.reg .b32 %x<3>;\nld.param.u32 %x1, [a];\nadd.u32 %x2, %x1, 1;\n"      \
    "st.param.b32 [r], %x2;\nret;\n}\n"
#define KERNEL(calls)                                                          \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n"                \
    ".reg .b64 %d<4>;\n.param .b32 p;\n.param .b32 q;\n"                       \
    "ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\n"                         \
    "st.param.b32 [p], %r1;\n" calls                                           \
    "ld.param.b32 %r2, [q];\nst.global.u32 [%d1], %r2;\nret;\n}\n"
#define CALL(f) "call (q), " f ", (p);\n"

static rig R;

static status compile(const char *text, isa_arch arch, unsigned registers,
                      bool partial)
{
    cg_options o = cg_default_options(arch);

    o.max_registers = registers;
    o.partial = partial;
    return rig_compile(&R, "k.ptx", text, &o);
}

static unsigned count(const isa_kernel *k, isa_op op)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < k->code_count; i++)
        n += k->code[i].op == op;
    return n;
}

static const char *text_of(size_t i)
{
    return i < diag_count(R.dg) ? diag_get(R.dg, i)->text : "none";
}

TEST(small_functions_become_part_of_their_caller)
{
    for (unsigned a = 0; a < 3; a++) {
        CHECK_EQ(
            compile(HEAD
                    ".func (.param .b32 r) inc(.param .b32 a)\n" INC KERNEL(
                        CALL("inc") CALL("inc")),
                    (isa_arch)a, 0, false),
            ST_OK);
        CHECK_EQ(count(&R.p->kernels[0], ISA_CALL), 0);
        CHECK_EQ(R.p->kernels[0].local_bytes, 0);
        rig_free(&R);
    }
}

TEST(noinline_functions_stand_once_behind_the_kernel)
{
    for (unsigned a = 0; a < 3; a++) {
        const isa_kernel *k;

        CHECK_EQ(compile(HEAD
                         ".func (.param .b32 r) inc(.param .b32 a)"
                         " .noinline\n" INC KERNEL(CALL("inc") CALL("inc")),
                         (isa_arch)a, 0, false),
                 ST_OK);
        k = &R.p->kernels[0];
        CHECK_EQ(count(k, ISA_CALL), 2);
        CHECK_EQ(count(k, ISA_RET), 1);
        CHECK_EQ(k->open_stack, 0);
        for (uint32_t i = 0; i < k->code_count; i++)
            if (k->code[i].op == ISA_CALL)
                CHECK(k->code[i].val[0] > i &&
                      k->code[i].val[0] < k->code_count);
        rig_free(&R);
    }
}

#define LOCAL_FUNCTION(name, bytes, call)                                      \
    ".func (.param .b32 r) " name "(.param .b32 a) .noinline\n{\n"             \
    ".reg .b32 %x<4>;\n.reg .b64 %y;\n.local .align 8 .b8 m[" bytes "];\n"     \
    ".param .b32 p;\n.param .b32 q;\nld.param.u32 %x1, [a];\n"                 \
    "mov.u64 %y, m;\nst.local.u32 [%y], %x1;\nst.param.b32 [p], %x1;\n" call   \
    "ld.param.b32 %x2, [q];\nld.local.u32 %x3, [m];\n"                         \
    "add.u32 %x2, %x2, %x3;\nst.param.b32 [r], %x2;\nret;\n}\n"

/* Kernel, then the deeper of two ways; each frame a multiple of 16. */
TEST(the_stack_is_as_deep_as_the_deepest_way)
{
    CHECK_EQ(compile(HEAD
                     ".func (.param .b32 r) inc(.param .b32 a) .noinline\n" INC
                         LOCAL_FUNCTION("deep", "160", CALL("inc"))
                             LOCAL_FUNCTION("deeper", "320", CALL("deep"))
                                 KERNEL(CALL("deeper") CALL("deep")),
                     ARCH_VOLTA, 0, false),
             ST_OK);
    CHECK(R.p->kernels[0].local_bytes >= 480);
    CHECK(R.p->kernels[0].local_bytes <= 480 + 3 * 48);
    CHECK_EQ(R.p->kernels[0].local_bytes % 16, 0);
    CHECK_EQ(R.p->kernels[0].open_stack, 0);
    rig_free(&R);
}

TEST(recursion_leaves_the_stack_open)
{
    CHECK_EQ(compile(HEAD LOCAL_FUNCTION("f", "16", CALL("f"))
                         KERNEL(CALL("f")),
                     ARCH_VOLTA, 0, false),
             ST_OK);
    CHECK_EQ(R.p->kernels[0].open_stack, 1);
    CHECK(count(&R.p->kernels[0], ISA_CALL) == 2);
    rig_free(&R);
}

/* Two kernels call `inc` and `dec` through the same table of the module: its
 * numbers are the same, where they lead is each kernel's. */
TEST(addresses_hold_in_the_whole_module)
{
    static const char text[] =
        HEAD ".func (.param .b32 r) inc(.param .b32 a)\n" INC
             ".func (.param .b32 r) dec(.param .b32 a)\n" INC
             ".func other(.param .b64 a)\n{\nret;\n}\n"
             ".global .align 8 .u64 t[3] = {other, inc, dec};\n"
             ".visible .entry more()\n{\nret;\n}\n"
             ".visible .entry k(.param .u64 f)\n{\n"
             ".reg .b64 %d<2>;\n.param .b32 p;\n.param .b32 q;\n"
             "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
             "ld.param.u64 %d1, [f];\nst.param.b32 [p], 1;\n"
             "call (q), %d1, (p), P;\nret;\n}\n";
    const isa_kernel *k;
    uint64_t handle[3];
    uint32_t to[3];

    CHECK_EQ(compile(text, ARCH_KEPLER, 0, false), ST_OK);
    k = &R.p->kernels[1];
    CHECK_EQ(R.p->kernels[0].constant_bytes, 0);
    memcpy(handle, R.p->vars[0].init, sizeof handle);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(handle[i] && handle[i] + 4 <= k->constant_bytes);
        memcpy(&to[i], k->constants + handle[i], 4);
    }
    CHECK(handle[0] != handle[1] && handle[1] != handle[2]);
    CHECK_EQ(to[0], UINT32_MAX); /* of another shape */
    CHECK(to[1] < k->code_count && to[2] < k->code_count && to[1] != to[2]);
    memcpy(&to[0], k->constants, 4); /* the null pointer */
    CHECK_EQ(to[0], UINT32_MAX);
    rig_free(&R);
}

/* The only call stands where nothing leads to. */
TEST(functions_that_nobody_calls_are_left_out)
{
    CHECK_EQ(compile(HEAD ".func (.param .b32 r) inc(.param .b32 a)"
                          " .noinline\n" INC KERNEL(
                              "bra END;\n" CALL("inc") "END:\n"),
                     ARCH_VOLTA, 0, false),
             ST_OK);
    CHECK_EQ(count(&R.p->kernels[0], ISA_RET), 0);
    CHECK_EQ(R.p->kernels[0].function_count, 0);
    CHECK_EQ(R.p->kernels[0].local_bytes, 0);
    rig_free(&R);
}

/* Every register of the function counts for the kernel. */
TEST(registers_are_those_of_the_largest_function)
{
    strbuf b = {0};

    strbuf_puts(&b, HEAD ".func (.param .b32 r) big(.param .b64 a) .noinline\n"
                         "{\n.reg .b32 %x<80>;\n.reg .b64 %y;\n"
                         "ld.param.u64 %y, [a];\n");
    for (unsigned i = 0; i < 60; i++)
        strbuf_printf(&b, "ld.volatile.global.u32 %%x%u, [%%y+%u];\n", i,
                      4 * i);
    for (unsigned i = 1; i < 60; i++)
        strbuf_printf(&b, "mad.lo.u32 %%x%u, %%x%u, %%x%u, %%x0;\n", i, i,
                      i - 1);
    strbuf_puts(&b, "st.param.b32 [r], %x59;\nret;\n}\n"
                    ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %d;\n"
                    ".param .b64 p;\n.param .b32 q;\nld.param.u64 %d, [out];\n"
                    "st.param.b64 [p], %d;\ncall (q), big, (p);\nret;\n}\n");
    CHECK_EQ(compile(b.text, ARCH_VOLTA, 0, false), ST_OK);
    CHECK(R.p->kernels[0].registers >= 60);
    rig_free(&R);
    strbuf_fini(&b);
}

TEST(calls_need_a_few_registers)
{
    CHECK_EQ(compile(HEAD ".func (.param .b32 r) inc(.param .b32 a)"
                          " .noinline\n" INC KERNEL(CALL("inc")),
                     ARCH_VOLTA, 16, false),
             ST_OK);
    CHECK(R.p->kernels[0].registers <= 20);
    CHECK_STR(text_of(0),
              "'k' calls functions, which takes 20 registers, not 16");
    rig_free(&R);
}

TEST(what_the_host_cannot_do_is_refused)
{
    CHECK_EQ(compile(HEAD ".extern .func (.param .b32 r) cudaLaunchDevice"
                          "(.param .b32 a);\n" KERNEL(CALL("cudaLaunchDevice")),
                     ARCH_VOLTA, 0, false),
             ST_PROGRAM);
    CHECK_STR(text_of(0),
              "unsupported instruction 'call': 'cudaLaunchDevice': kernels "
              "can launch kernels, but have nothing else of CUDA's device "
              "run-time");
    rig_free(&R);
    CHECK_EQ(compile(HEAD
                     ".extern .func (.param .b32 r) cudaDeviceSynchronize"
                     "(.param .b32 a);\n" KERNEL(CALL("cudaDeviceSynchronize")),
                     ARCH_VOLTA, 0, false),
             ST_PROGRAM);
    CHECK_STR(text_of(0),
              "unsupported instruction 'call': 'cudaDeviceSynchronize': a "
              "kernel cannot wait for kernels that it launched; since CUDA 12 "
              "none can (use cudaStreamTailLaunch)");
    rig_free(&R);
}

TEST(kernels_compile_beside_others_that_cannot)
{
    static const char text[] =
        HEAD ".extern .func (.param .b32 r) nobody(.param .b32 a);\n"
             ".visible .entry a()\n{\nret;\n}\n" KERNEL(CALL("nobody"));

    CHECK_EQ(compile(text, ARCH_VOLTA, 0, false), ST_PROGRAM);
    CHECK_EQ(diag_errors(R.dg), 1);
    rig_free(&R);
    CHECK_EQ(compile(text, ARCH_VOLTA, 0, true), ST_OK);
    CHECK_EQ(diag_errors(R.dg), 0);
    CHECK_EQ(R.p->kernel_count, 1);
    CHECK_EQ(R.p->missing_count, 1);
    CHECK_STR(R.p->missing[0], "k");
    CHECK_STR(text_of(0), "unsupported instruction 'call': 'nobody' has no "
                          "body");
    CHECK_STR(text_of(1), "kernel 'k' is left out, for what is said above");
    rig_free(&R);
}
