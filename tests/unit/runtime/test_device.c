#include "config/check.h"
#include "config/sheet.h"
#include "runtime/runtime.h"
#include "test.h"

/* A device with a kernel that stores its thread's number to element `tid` of
 * the buffer whose address is its only parameter. */
typedef struct rig {
    config_sheet *sheet;
    diag *dg;
    rt_device *d;
    rt_module *m;
    rt_launch launch;
    uint64_t param;
    rt_result result;
} rig;

static const char store[] = ".version 6.3\n"
                            ".target sm_70\n"
                            ".address_size 64\n"
                            ".visible .entry store(.param .u64 out)\n"
                            "{\n"
                            ".reg .b32 %r<2>;\n"
                            ".reg .b64 %rd<5>;\n"
                            "ld.param.u64 %rd1, [out];\n"
                            "cvta.to.global.u64 %rd2, %rd1;\n"
                            "mov.u32 %r1, %tid.x;\n"
                            "mul.wide.u32 %rd3, %r1, 4;\n"
                            "add.s64 %rd4, %rd2, %rd3;\n"
                            "st.global.u32 [%rd4], %r1;\n"
                            "ret;\n"
                            "}\n";

static rig *rig_new(bool functional)
{
    rig *r = calloc(1, sizeof *r);
    rt_options opt = {.threads = 1, .functional = functional};

    CHECK(r);
    r->dg = diag_new();
    r->sheet = config_sheet_new();
    CHECK_EQ(config_sheet_load(r->sheet, "v100", r->dg), ST_OK);
    CHECK_EQ(config_sheet_set(r->sheet, "gpu.sms=2", CONFIG_FROM_SET, r->dg),
             ST_OK);
    CHECK_EQ(config_sheet_check(r->sheet, r->dg), ST_OK);
    r->d = rt_device_new(config_sheet_values(r->sheet), &opt, r->dg);
    CHECK(r->d);
    CHECK_EQ(rt_module_load_text(r->d, "store.ptx", store, strlen(store), r->dg,
                                 &r->m),
             ST_OK);
    r->launch = (rt_launch){.module = r->m,
                            .kernel = rt_module_kernel(r->m, NULL, r->dg),
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .params = &r->param};
    return r;
}

static void rig_free(rig *r)
{
    rt_device_free(r->d);
    config_sheet_free(r->sheet);
    diag_free(r->dg);
    free(r);
}

static status run(rig *r)
{
    return rt_run(r->d, &r->launch, r->dg, &r->result);
}

/* The run must have ended with a fault whose text has all of `words`. */
static void check_fault(rig *r, const char *const *words, size_t n)
{
    CHECK_EQ(run(r), ST_FAULT);
    CHECK_EQ(r->result.status, ST_FAULT);
    CHECK_EQ(diag_errors(r->dg), 1);
    const char *text = diag_get(r->dg, 0)->text;
    for (size_t i = 0; i < n; i++)
        if (!strstr(text, words[i]))
            TEST_FAIL("no '%s' in \"%s\"", words[i], text);
}

/* Where a fault was, and the allocation that the address was once in. */
static void freed_buffer_is_named(bool functional)
{
    rig *r = rig_new(functional);
    uint64_t kept = rt_alloc(r->d, 128, "kept");
    uint64_t gone = rt_alloc(r->d, 128, "gone");
    char place[64], element[64];

    r->param = gone;
    CHECK_EQ(run(r), ST_OK);
    CHECK(rt_release(r->d, gone));
    CHECK(!rt_release(r->d, gone)); /* twice is refused */
    snprintf(place, sizeof place, "4-byte write at 0x%" PRIx64, gone);
    snprintf(element, sizeof element, "[0x%" PRIx64 ", +128)", gone);
    check_fault(r,
                (const char *const[]){"access to freed memory", place,
                                      "kernel 'store'", "instruction", "STG",
                                      "CTA (0,0,0) thread (0,0,0)",
                                      "freed allocation 1 'gone'", element},
                8);
    CHECK(kept != gone);
    rig_free(r);
}

TEST(a_freed_buffer_is_named) { freed_buffer_is_named(false); }

TEST(a_freed_buffer_is_named_without_timing) { freed_buffer_is_named(true); }

/* The host sees freed memory as little as a kernel does. */
TEST(freed_memory_cannot_be_read_or_written)
{
    rig *r = rig_new(true);
    uint64_t a = rt_alloc(r->d, 8, "a"), word = 7, back = 0;

    CHECK(rt_write(r->d, a, &word, 8));
    CHECK(rt_read(r->d, a, &back, 8));
    CHECK_EQ(back, 7);
    CHECK(!rt_write(r->d, a + 1, &word, 8)); /* one byte behind the end */
    CHECK(rt_release(r->d, a));
    CHECK(!rt_write(r->d, a, &word, 8));
    CHECK(!rt_read(r->d, a, &back, 8));
    rig_free(r);
}

/* A machine that stopped in mid-flight is not used again. */
TEST(a_device_is_done_after_a_fault)
{
    rig *r = rig_new(false);

    r->param = 16;
    CHECK_EQ(run(r), ST_FAULT);
    r->param = rt_alloc(r->d, 128, "a");
    CHECK_EQ(run(r) == ST_OK, false);
    CHECK(strstr(diag_get(r->dg, diag_errors(r->dg) - 1)->text,
                 "an earlier launch failed"));
    rig_free(r);
}
