/* Modules whose kernels are compiled when they are asked for. */
#include "config/sheet.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "test.h"

/* `add` adds the constant to the variable, `twice` doubles it, through a
 * pointer that the module initialises; `bad` names what is not there. */
static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".const .align 4 .u32 step = 5;\n"
    ".global .align 4 .u32 sum = 100;\n"
    ".global .align 8 .u64 where = generic(sum);\n"
    ".visible .entry add()\n{\n .reg .u32 %r<4>;\n"
    " ld.const.u32 %r1, [step]; ld.global.u32 %r2, [sum];\n"
    " add.u32 %r2, %r2, %r1; st.global.u32 [sum], %r2; ret;\n}\n"
    ".visible .entry twice()\n{\n .reg .u32 %r<4>; .reg .u64 %a<3>;\n"
    " .shared .align 4 .u32 own;\n"
    " ld.global.u64 %a1, [where]; ld.u32 %r1, [%a1];\n"
    " st.shared.u32 [own], %r1; ld.shared.u32 %r2, [own];\n"
    " add.u32 %r1, %r1, %r2; st.u32 [%a1], %r1; ret;\n}\n"
    ".visible .entry bad()\n{\n .reg .u32 %r<2>;\n"
    " tcgen05.wait::ld.sync.aligned; ret;\n}\n";

typedef struct rig {
    config_sheet *sheet;
    rt_device *d;
    diag *dg;
    rt_module *m;
} rig;

static rt_module *load(rig *r, const char *text)
{
    rt_text part = {"t.ptx", text, strlen(text)};
    rt_module *m = NULL;

    if (rt_module_load_lazy(r->d, "t", &part, 1, r->dg, &m) != ST_OK)
        return NULL;
    return m;
}

static void start(rig *r)
{
    rt_options opt = {.threads = 1, .functional = true};

    memset(r, 0, sizeof *r);
    r->dg = diag_new();
    r->sheet = config_sheet_new();
    CHECK_EQ(config_sheet_load(r->sheet, "v100", r->dg), ST_OK);
    CHECK_EQ(config_sheet_set(r->sheet, "gpu.global_bytes=1M", CONFIG_FROM_SET,
                              r->dg),
             ST_OK);
    r->d = rt_device_new(config_sheet_values(r->sheet), &opt, r->dg);
    CHECK(r->d);
}

static void stop(rig *r)
{
    rt_device_free(r->d);
    config_sheet_free(r->sheet);
    diag_free(r->dg);
}

static void run(rig *r, const char *kernel)
{
    rt_module *m = rt_module_with(r->m, kernel, r->dg);
    rt_result res;

    CHECK(m);
    rt_launch l = {.module = m,
                   .kernel = rt_module_kernel(m, kernel, r->dg),
                   .grid = {1, 1, 1},
                   .block = {1, 1, 1}};
    CHECK_EQ(rt_run(r->d, &l, r->dg, &res), ST_OK);
}

static uint32_t sum(rig *r)
{
    uint64_t at, size;
    uint32_t got;

    CHECK(rt_module_variable(r->m, "sum", &at, &size));
    CHECK(rt_read(rt_device_memory(r->d), at, &got, 4));
    return got;
}

TEST(kernels_of_a_module_share_its_variables)
{
    rig r;
    uint64_t at, size;
    uint32_t one = 1;

    start(&r);
    CHECK((r.m = load(&r, ptx)));
    CHECK_EQ(rt_module_program(r.m)->kernel_count, 0);
    run(&r, "add");
    CHECK_EQ(sum(&r), 105);
    run(&r, "twice");
    CHECK_EQ(sum(&r), 210);
    CHECK(rt_module_variable(r.m, "step", &at, &size));
    CHECK(rt_write(rt_device_memory(r.d), at, &one, 4));
    run(&r, "add");
    CHECK_EQ(sum(&r), 211);
    stop(&r);
}

TEST(a_kernel_is_compiled_once_and_alone)
{
    rig r;

    start(&r);
    CHECK((r.m = load(&r, ptx)));
    CHECK_EQ(diag_count(r.dg), 0); /* nothing of `bad` has been seen */
    const rt_module *part = rt_module_with(r.m, "add", r.dg);
    CHECK(part && part != r.m);
    CHECK_EQ(rt_module_program(part)->kernel_count, 1);
    CHECK(rt_module_with(r.m, "twice", r.dg) != part);
    CHECK(rt_module_with(r.m, "add", r.dg) == part);
    CHECK(!rt_module_with(r.m, "bad", r.dg));
    CHECK(diag_errors(r.dg) > 0);
    stop(&r);
}

/* 64 values live at once. */
static char *hungry(void)
{
    static char text[8192];
    int n = sprintf(text, ".version 6.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p)\n{\n"
                          " .reg .u32 %%r<70>; .reg .u64 %%a<2>;\n"
                          " ld.param.u64 %%a1, [p];\n");

    for (int i = 0; i < 64; i++)
        n += sprintf(text + n, " ld.global.u32 %%r%d, [%%a1+%d];\n", i, 4 * i);
    n += sprintf(text + n, " bar.sync 0;\n");
    for (int i = 0; i < 64; i++)
        n += sprintf(text + n, " st.global.u32 [%%a1+%d], %%r%d;\n", 4 * i,
                     63 - i);
    sprintf(text + n, " ret;\n}\n");
    return text;
}

TEST(a_kernel_can_be_made_with_fewer_registers)
{
    rig r;

    start(&r);
    CHECK((r.m = load(&r, hungry())));
    const rt_module *wide = rt_module_with(r.m, "k", r.dg);
    const rt_module *tight = rt_module_with_limit(r.m, "k", 32, r.dg);
    CHECK(wide && tight && wide != tight);
    CHECK(rt_module_program(wide)->kernels[0].registers > 64);
    CHECK(rt_module_program(tight)->kernels[0].registers <= 32);
    CHECK(rt_module_with_limit(r.m, "k", 32, r.dg) == tight);
    stop(&r);
}

TEST(a_kernel_that_is_not_there_is_told)
{
    rig r;

    start(&r);
    CHECK((r.m = load(&r, ptx)));
    CHECK(!rt_module_with(r.m, "nothing", r.dg));
    CHECK(strstr(diag_get(r.dg, 0)->text, "no kernel 'nothing'"));
    stop(&r);
}

/* The numbers of functions must be the same in all kernels. */
TEST(a_module_that_calls_through_pointers_is_compiled_whole)
{
    static const char text[] =
        ".version 6.0\n.target sm_70\n.address_size 64\n"
        ".func f()\n{\n ret;\n}\n"
        ".global .align 8 .u64 table = f;\n"
        ".visible .entry k()\n{\n .reg .u64 %a<2>;\n"
        " ld.global.u64 %a1, [table];\n"
        " proto: .callprototype ()_();\n call %a1, (), proto; ret;\n}\n";
    rig r;

    start(&r);
    CHECK((r.m = load(&r, text)));
    CHECK_EQ(rt_module_program(r.m)->kernel_count, 1);
    CHECK(rt_module_with(r.m, "k", r.dg) == r.m);
    run(&r, "k");
    stop(&r);
}
