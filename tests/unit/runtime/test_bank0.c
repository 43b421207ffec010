/* tests/unit/runtime/test_bank0.c - code of each layout finds the values of a
 * launch where it looks for them. */
#include "base/must.h"
#include "base/strbuf.h"
#include "config/sheet.h"
#include "mem/image.h"
#include "runtime/runtime.h"
#include "test.h"

enum { WORDS = 16 };

/* A kernel that copies these words of bank 0 to the buffer that is its first
 * parameter. */
typedef struct reader {
    const char *layout; /* directives */
    const char *gpu, *arch;
    unsigned base; /* of its parameters */
    uint16_t at[WORDS];
    unsigned count;
} reader;

static void put_kernel(const reader *r, strbuf *b)
{
    strbuf_printf(b,
                  ".arch %s\n.kernel k\n%s.local 64\n.param pointer p\n"
                  "MOV R2, c[0x0][%u];\nMOV R3, c[0x0][%u];\n",
                  r->arch, r->layout, r->base, r->base + 4);
    for (unsigned i = 0; i < r->count; i++)
        strbuf_printf(b, "MOV R0, c[0x0][%u];\nSTG.E [R2.64+%u], R0;\n",
                      r->at[i], 4 * i);
    strbuf_puts(b, "EXIT;\n.end\n");
}

static void read_bank(const reader *r, rt_launch *l, uint32_t got[WORDS])
{
    config_sheet *sheet = config_sheet_new();
    diag *dg = diag_new();
    rt_options opt = {.threads = 1, .functional = true};
    strbuf text = {0};
    rt_module *m = NULL;
    rt_result res;

    CHECK_EQ(config_sheet_load(sheet, r->gpu, dg), ST_OK);
    CHECK_EQ(
        config_sheet_set(sheet, "gpu.global_bytes=1M", CONFIG_FROM_SET, dg),
        ST_OK);
    rt_device *d = rt_device_new(config_sheet_values(sheet), &opt, dg);
    CHECK(d);
    put_kernel(r, &text);
    status st = rt_module_load_text(d, "k.sass", text.text, text.size, dg, &m);
    if (st != ST_OK)
        TEST_FAIL("%u: %s", diag_get(dg, 0)->line, diag_get(dg, 0)->text);
    uint64_t to = rt_alloc(rt_device_memory(d), 4 * WORDS, "to");
    l->module = m;
    l->kernel = rt_module_kernel(m, "k", dg);
    l->params = &to;
    CHECK_EQ(rt_run(d, l, dg, &res), ST_OK);
    CHECK(rt_read(rt_device_memory(d), to, got, 4 * WORDS));
    rt_device_free(d);
    config_sheet_free(sheet);
    diag_free(dg);
    strbuf_fini(&text);
}

TEST(our_code_finds_them)
{
    static const reader r = {
        "", "v100", "volta", 0x160, {0x0, 0x10, 0x18, 0x24, 0x40}, 5};
    rt_launch l = {.grid = {2, 3, 1}, .block = {32, 1, 1}, .shared_bytes = 48};
    uint32_t got[WORDS];

    read_bank(&r, &l, got);
    CHECK_EQ(got[0], 32);
    CHECK_EQ(got[1], 3);
    CHECK_EQ(got[2], 48);
    CHECK_EQ(got[3], MEM_SHARED_WINDOW >> 32);
    CHECK_EQ(got[4], 64);
}

TEST(machine_code_of_volta_to_ada_finds_them)
{
    static const reader r = {
        ".bank0 1\n.parambase 352\n",
        "v100",
        "volta",
        0x160,
        {0x0, 0x8, 0xc, 0x10, 0x1c, 0x24, 0x28, 0x2c, 0x40, 0x44, 0x118},
        11};
    rt_launch l = {.grid = {2, 3, 1}, .block = {32, 1, 2}, .shared_bytes = 48};
    uint32_t got[WORDS];

    read_bank(&r, &l, got);
    CHECK_EQ(got[0], 32);
    CHECK_EQ(got[1], 2);
    CHECK_EQ(got[2], 2);
    CHECK_EQ(got[3], 3);
    CHECK_EQ(got[4], MEM_SHARED_WINDOW >> 32);
    CHECK_EQ(got[5], MEM_LOCAL_WINDOW >> 32);
    CHECK_EQ(got[6], 64); /* the stack begins at the end */
    CHECK_EQ(got[7], 48);
    CHECK_EQ(got[8], (uint32_t)MEM_PARAM_WINDOW);
    CHECK_EQ(got[9], MEM_PARAM_WINDOW >> 32);
    CHECK_EQ(got[10], 0);
}

TEST(machine_code_of_hopper_finds_them)
{
    static const reader r = {".bank0 2\n.parambase 528\n",
                             "h100",
                             "hopper",
                             0x210,
                             {0x28, 0x140, 0x144, 0x148, 0x150, 0x15c, 0x160,
                              0x188, 0x198, 0x19c, 0x68, 0x208},
                             12};
    rt_launch l = {.grid = {6, 4, 1}, .block = {32, 1, 1}};
    uint32_t got[WORDS];
    float one;

    read_bank(&r, &l, got);
    CHECK_EQ(got[0], 64);
    CHECK_EQ(got[1], 0);
    CHECK_EQ(got[2], 1);
    CHECK_EQ(got[3], 1);
    memcpy(&one, &got[4], 4);
    CHECK(one == 1);
    CHECK_EQ(got[5], 6);
    CHECK_EQ(got[6], 4);
    CHECK_EQ(got[7], 1);
    CHECK_EQ(got[8], (uint32_t)MEM_PARAM_WINDOW + 0x210);
    CHECK_EQ(got[9], MEM_PARAM_WINDOW >> 32);
    CHECK_EQ(got[10], 1024);
    CHECK_EQ(got[11], 0);
}

TEST(parameters_may_begin_elsewhere)
{
    static const reader r = {
        ".bank0 1\n.parambase 6784\n", "v100", "volta", 6784, {0x0, 0x160}, 2};
    rt_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    uint32_t got[WORDS];

    read_bank(&r, &l, got);
    CHECK_EQ(got[0], 32);
    CHECK_EQ(got[1], 0);
}
