/* tests/cuda/test_code.c - which code of a module runs, its PTX or its machine
 * code, and that both share what the module has. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/driver_api/driver_functions.h"
#include "pack.h"
#include "test.h"
#include "unit/sass/make_cubin.h"

/* Each kernel adds the constant to the variable, and writes a number by which
 * it is known: `add` 7 by machine code and 8 by PTX, `other` 9 by PTX. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .const .align 4 .b32 step = 3;\n"
    ".visible .global .align 4 .b32 sum = 100;\n"
    ".visible .entry add(.param .u64 to)\n{\n"
    " .reg .u64 %d<3>; .reg .b32 %r<4>; ld.param.u64 %d1, [to];\n"
    " ld.const.u32 %r1, [step]; ld.global.u32 %r2, [sum];\n"
    " add.u32 %r2, %r2, %r1; st.global.u32 [sum], %r2;\n"
    " mov.u32 %r3, 8; st.global.u32 [%d1], %r3; ret;\n}\n"
    ".visible .entry other(.param .u64 to)\n{\n"
    " .reg .u64 %d<3>; .reg .b32 %r<4>; ld.param.u64 %d1, [to];\n"
    " ld.const.u32 %r1, [step]; ld.global.u32 %r2, [sum];\n"
    " add.u32 %r2, %r2, %r1; st.global.u32 [sum], %r2;\n"
    " mov.u32 %r3, 9; st.global.u32 [%d1], %r3; ret;\n}\n";

/* What ptxas -arch=sm_80 makes of the first. */
static const uint64_t add_code[] = {
    0x00000a00ff017624, 0x000fe400078e00ff, /* IMAD.MOV.U32 R1, c[0][0x28] */
    0x01000000ff027624, 0x000fe200078e00ff, /* IMAD.MOV.U32 R2, c[4][0] */
    0x0100010000037a02, 0x000fe20000000f00, /* MOV R3, c[4][4] */
    0x0000460000047ab9, 0x000fc80000000a00, /* ULDC.64 UR4, c[0][0x118] */
    0x0000000402007981, 0x000ea2000c1e1900, /* LDG.E R0, desc[UR4][R2.64] */
    0x00000007ff097424, 0x000fe200078e00ff, /* IMAD.MOV.U32 R9, 7 */
    0x0000580000047a02, 0x000fe40000000f00, /* MOV R4, c[0][0x160] */
    0x0000590000057a02, 0x000fe40000000f00, /* MOV R5, c[0][0x164] */
    0x00c0000000077a10, 0x004fca0007ffe0ff, /* IADD3 R7, R0, c[3][0], RZ */
    0x0000000702007986, 0x000fe8000c101904, /* STG.E desc[UR4][R2.64], R7 */
    0x0000000904007986, 0x000fe2000c101904, /* STG.E desc[UR4][R4.64], R9 */
    0x000000000000794d, 0x000fea0003800000, /* EXIT */
};
static const uint64_t unknown_code[] = {
    0x0000000000007fff, 0x000fe20000000000, /* of no operation */
    0x000000000000794d, 0x000fea0003800000, /* EXIT */
};

__attribute__((constructor)) static void choose_device(void)
{
    unsetenv("HEDDLE_SESSION");
    unsetenv("HEDDLE_CODE");
    setenv("HEDDLE_GPU", "a100", 1);
}

static void add_kernel(maker *m, const char *name, const uint64_t *code,
                       size_t size)
{
    static const uint32_t base[] = {0, 0x80160}, param[] = {0, 0, 0x21f000};
    strbuf info = {0};
    char text[64];
    unsigned section = make_kernel(m, name);

    strbuf_fini(&m->bytes[section]);
    m->bytes[section] = (strbuf){0};
    make_bytes(m, section, code, size);
    m->symbols[m->symbol_count - 1].st_size = size;
    make_attribute(&info, 0x0a, base, 2);
    make_attribute(&info, 0x17, param, 3);
    snprintf(text, sizeof text, ".nv.info.%s", name);
    make_section(m, text, 0x70000000, section, info.text, info.size);
    strbuf_fini(&info);
}

/* `add`, and if it is wanted `other`, which cannot run. */
static void make_code(strbuf *out, bool other)
{
    static const uint32_t step = 3, sum = 100;
    Elf64_Rel rel = {.r_offset = 0};
    unsigned user, init, symbols;
    maker m;

    make_start(&m, 80);
    add_kernel(&m, "add", add_code, sizeof add_code);
    if (other)
        add_kernel(&m, "other", unknown_code, sizeof unknown_code);
    user = make_section(&m, ".nv.constant3", SHT_PROGBITS, 0, &step, 4);
    init = make_section(&m, ".nv.global.init", SHT_PROGBITS, 0, &sum, 4);
    symbols =
        make_section(&m, ".nv.constant4", SHT_PROGBITS, 0, "\0\0\0\0\0\0\0", 8);
    make_symbol(&m, "step", STT_OBJECT, user, 0, 4);
    rel.r_info = ELF64_R_INFO(m.symbol_count, 2);
    make_symbol(&m, "sum", STT_OBJECT, init, 0, 4);
    make_section(&m, ".rel.nv.constant4", SHT_REL, symbols, &rel, sizeof rel);
    make_finish(&m, out);
}

enum { HAS_PTX = 1, HAS_CODE = 2, HAS_OTHER = 4 };

typedef struct rig {
    strbuf container;
    CUcontext context;
    CUmodule m;
    CUdeviceptr out;
} rig;

/* Loads a container of these for that capability; what cuModuleLoadData says.
 */
static CUresult start(rig *r, unsigned has, unsigned capability)
{
    pack_image image[2];
    size_t n = 0;
    strbuf machine = {0};

    *r = (rig){.m = NULL};
    if (cuInit(0) == 3)
        TEST_SKIP("simulated memory cannot lie at its own address here");
    CHECK_EQ(cuCtxCreate_v2(&r->context, 0, 0), 0);
    CHECK_EQ(cuMemAlloc_v2(&r->out, 4), 0);
    make_code(&machine, has & HAS_OTHER);
    if (has & HAS_PTX)
        image[n++] = (pack_image){PACK_PTX, 70, 0, ptx, sizeof ptx - 1};
    if (has & HAS_CODE)
        image[n++] =
            (pack_image){PACK_ELF, capability, 0, machine.text, machine.size};
    pack_container(&r->container, image, n, PACK_CODE_PLAIN);
    strbuf_fini(&machine);
    return cuModuleLoadData(&r->m, r->container.text);
}

static void stop(rig *r)
{
    if (r->m)
        CHECK_EQ(cuModuleUnload(r->m), 0);
    CHECK_EQ(cuMemFree_v2(r->out), 0);
    CHECK_EQ(cuCtxDestroy_v2(r->context), 0);
    strbuf_fini(&r->container);
}

/* What the kernel writes. */
static uint32_t launched(rig *r, const char *name)
{
    void *args[] = {&r->out};
    uint32_t got = 0;
    CUfunction f;

    CHECK_EQ(cuModuleGetFunction(&f, r->m, name), 0);
    CHECK_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), 0);
    CHECK_EQ(cuMemcpyDtoH_v2(&got, r->out, 4), 0);
    return got;
}

static uint32_t read_sum(rig *r)
{
    CUdeviceptr at;
    uint32_t got = 0;
    size_t size;

    CHECK_EQ(cuModuleGetGlobal_v2(&at, &size, r->m, "sum"), 0);
    CHECK_EQ(size, 4);
    CHECK_EQ(cuMemcpyDtoH_v2(&got, at, 4), 0);
    return got;
}

/* ---- stderr ---- */

static int usual = -1;
static char path[] = "/tmp/heddle-test-code-XXXXXX";

static void listen(void)
{
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int to = mkstemp(path);

    usual = dup(2);
    CHECK(to >= 0 && usual >= 0 && dup2(to, 2) == 2);
    close(to);
}

/* How many lines were written, which `words` have to be in, if any. */
static unsigned heard(const char *words)
{
    char line[1024];
    unsigned n = 0;
    FILE *f = fopen(path, "r");

    dup2(usual, 2);
    close(usual);
    CHECK(f);
    for (; fgets(line, sizeof line, f); n++)
        if (!strstr(line, words))
            TEST_FAIL("'%s' is not in: %s", words, line);
    fclose(f);
    remove(path);
    return n;
}

/* ---- The choice ---- */

static uint32_t add_of(unsigned has, unsigned capability, const char *code)
{
    uint32_t got = 0;
    rig r;

    if (code)
        setenv("HEDDLE_CODE", code, 1);
    if (!start(&r, has, capability))
        got = launched(&r, "add");
    stop(&r);
    unsetenv("HEDDLE_CODE");
    return got;
}

TEST(machine_code_runs_where_there_is_some_for_the_gpu)
{
    CHECK_EQ(add_of(HAS_PTX | HAS_CODE, 80, NULL), 7);
    CHECK_EQ(add_of(HAS_PTX, 80, NULL), 8);
    CHECK_EQ(add_of(HAS_CODE, 80, NULL), 7);
    CHECK_EQ(add_of(HAS_PTX | HAS_CODE, 86, NULL), 8);
    CHECK_EQ(add_of(HAS_PTX | HAS_CODE, 75, NULL), 8);
    CHECK_EQ(add_of(HAS_PTX | HAS_CODE, 90, NULL), 8);
}

TEST(the_user_chooses)
{
    CHECK_EQ(add_of(HAS_PTX | HAS_CODE, 80, "auto"), 7);
    CHECK_EQ(add_of(HAS_PTX | HAS_CODE, 80, "ptx"), 8);
    CHECK_EQ(add_of(HAS_PTX | HAS_CODE, 80, "sass"), 7);
    CHECK_EQ(add_of(HAS_CODE, 80, "ptx"), 0);
    CHECK_EQ(add_of(HAS_PTX, 80, "sass"), 0);
}

TEST(a_limit_of_registers_is_for_the_compiler)
{
    const int what[] = {0}; /* CU_JIT_MAX_REGISTERS */
    void *value[] = {(void *)32};
    CUmodule usual_one;
    rig r;

    CHECK_EQ(start(&r, HAS_PTX | HAS_CODE, 80), 0);
    usual_one = r.m;
    CHECK_EQ(cuModuleLoadDataEx(&r.m, r.container.text, 1, what, value), 0);
    CHECK_EQ(launched(&r, "add"), 8);
    CHECK_EQ(cuModuleUnload(r.m), 0);
    r.m = usual_one;
    stop(&r);
}

/* ---- What cannot run ---- */

TEST(a_kernel_that_cannot_run_is_not_told_before_it_is_launched)
{
    listen();
    CHECK_EQ(add_of(HAS_PTX | HAS_CODE | HAS_OTHER, 80, NULL), 7);
    CHECK_EQ(heard(""), 0);
}

TEST(a_kernel_that_cannot_run_runs_by_its_ptx)
{
    CUdeviceptr step;
    size_t size;
    uint32_t five = 5;
    rig r;

    listen();
    CHECK_EQ(start(&r, HAS_PTX | HAS_CODE | HAS_OTHER, 80), 0);
    CHECK_EQ(launched(&r, "add"), 7);
    CHECK_EQ(cuModuleGetGlobal_v2(&step, &size, r.m, "step"), 0);
    CHECK_EQ(cuMemcpyHtoD_v2(step, &five, 4), 0);
    CHECK_EQ(launched(&r, "other"), 9); /* the same variables */
    CHECK_EQ(read_sum(&r), 100 + 3 + 5);
    five = 6;
    CHECK_EQ(cuMemcpyHtoD_v2(step, &five, 4), 0);
    CHECK_EQ(launched(&r, "other"), 9);
    CHECK_EQ(launched(&r, "add"), 7);
    CHECK_EQ(read_sum(&r), 100 + 3 + 5 + 6 + 6);
    stop(&r);
    CHECK_EQ(heard("kernel 'other' runs by PTX, since by machine code it "
                   "cannot: 1 of its 2 instructions are unknown"),
             1);
}

TEST(without_ptx_it_is_refused_and_others_run)
{
    CUfunction f;
    rig r;

    listen();
    CHECK_EQ(start(&r, HAS_CODE | HAS_OTHER, 80), 0);
    CHECK_EQ(launched(&r, "add"), 7);
    CHECK_EQ(cuModuleGetFunction(&f, r.m, "other"), 500);
    stop(&r);
    CHECK_EQ(heard("kernel 'other' cannot run: 1 of its 2 instructions are "
                   "unknown"),
             1);
}

TEST(machine_code_that_is_damaged_gives_way_to_ptx)
{
    const pack_image image[2] = {{PACK_PTX, 70, 0, ptx, sizeof ptx - 1},
                                 {PACK_ELF, 80, 0, "no code", 8}};
    rig r;

    listen();
    CHECK_EQ(start(&r, HAS_PTX, 80), 0);
    CHECK_EQ(cuModuleUnload(r.m), 0);
    strbuf_fini(&r.container);
    r.container = (strbuf){0};
    pack_container(&r.container, image, 2, PACK_CODE_PLAIN);
    CHECK_EQ(cuModuleLoadData(&r.m, r.container.text), 0);
    CHECK_EQ(launched(&r, "add"), 8);
    stop(&r);
    CHECK_EQ(heard("its kernels run by PTX, since by machine code not all "
                   "can: "),
             1);
}
