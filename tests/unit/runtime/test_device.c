#include "config/rules.h"
#include "config/sheet.h"
#include "runtime/image.h"
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
                            .counters = true,
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
    uint64_t kept = rt_alloc(rt_device_memory(r->d), 128, "kept");
    uint64_t gone = rt_alloc(rt_device_memory(r->d), 128, "gone");
    char place[64], element[64];

    r->param = gone;
    CHECK_EQ(run(r), ST_OK);
    CHECK(rt_release(rt_device_memory(r->d), gone));
    CHECK(!rt_release(rt_device_memory(r->d), gone)); /* twice is refused */
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
    uint64_t a = rt_alloc(rt_device_memory(r->d), 8, "a"), word = 7, back = 0;

    CHECK(rt_write(rt_device_memory(r->d), a, &word, 8));
    CHECK(rt_read(rt_device_memory(r->d), a, &back, 8));
    CHECK_EQ(back, 7);
    CHECK(!rt_write(rt_device_memory(r->d), a + 1, &word,
                    8)); /* one byte behind the end */
    CHECK(rt_release(rt_device_memory(r->d), a));
    CHECK(!rt_write(rt_device_memory(r->d), a, &word, 8));
    CHECK(!rt_read(rt_device_memory(r->d), a, &back, 8));
    rig_free(r);
}

/* A machine that stopped in mid-flight gives way to a new one: the same launch
 * takes as long as on a fresh device, time goes on, memory stays, and the
 * registry speaks of the new counters under the old numbers. */
TEST(a_device_recovers_from_a_fault)
{
    rig *r = rig_new(false), *fresh = rig_new(false);
    uint64_t before, count, word;

    fresh->param = rt_alloc(rt_device_memory(fresh->d), 128, "a");
    CHECK_EQ(run(fresh), ST_OK);
    r->param = rt_alloc(rt_device_memory(r->d), 128, "a");
    CHECK_EQ(run(r), ST_OK);
    count = stats_count(rt_stats(r->d));
    CHECK_EQ(stats_hash(rt_stats(r->d), r->result.counters),
             stats_hash(rt_stats(fresh->d), fresh->result.counters));
    for (unsigned i = 0; i < 3; i++) {
        uint64_t good = r->param;

        r->param = 16;
        CHECK_EQ(run(r), ST_FAULT);
        before = rt_now_ns(r->d);
        CHECK(before > 0);
        r->param = good;
        CHECK_EQ(run(r), ST_OK);
        CHECK_EQ(r->result.cycles, fresh->result.cycles);
        CHECK(rt_cycles_ns(r->d, r->result.start) >= before);
        CHECK(rt_now_ns(r->d) > before);
        CHECK_EQ(stats_count(rt_stats(r->d)), count);
        CHECK_EQ(stats_hash(rt_stats(r->d), r->result.counters),
                 stats_hash(rt_stats(fresh->d), fresh->result.counters));
        CHECK(rt_read(rt_device_memory(r->d), good, &word, 8));
    }
    rig_free(r);
    rig_free(fresh);
}

/* What one kind of launch leaves in memory, the other sees. */
TEST(timed_and_functional_launches_follow_each_other)
{
    rig *r = rig_new(false);
    uint64_t first = 0;

    r->param = rt_alloc(rt_device_memory(r->d), 128, "a");
    for (unsigned i = 0; i < 6; i++) {
        uint64_t now = rt_now_ns(r->d);

        r->launch.functional = i % 2 == 0;
        CHECK_EQ(run(r), ST_OK);
        CHECK_EQ(r->result.cycles == 0, r->launch.functional);
        CHECK_EQ(r->result.counters == NULL, r->launch.functional);
        CHECK_EQ(r->result.totals == NULL, r->launch.functional);
        CHECK_EQ(rt_now_ns(r->d) > now, !r->launch.functional);
        if (!first)
            first = r->result.warp_insts;
        CHECK_EQ(r->result.warp_insts, first);
        CHECK_EQ(r->result.thread_insts, 32 * first);
    }
    r->launch.functional = true;
    r->param = 16; /* a functional fault leaves the machine alone */
    CHECK_EQ(run(r), ST_FAULT);
    r->launch.functional = false;
    r->param = rt_alloc(rt_device_memory(r->d), 128, "b");
    uint64_t now = rt_now_ns(r->d);
    CHECK_EQ(run(r), ST_OK);
    CHECK_EQ(rt_cycles_ns(r->d, r->result.start), now);
    rig_free(r);
}

/* Two devices on one memory: a buffer that one wrote, the other reads; what
 * a device placed there goes with it. */
TEST(devices_share_a_memory)
{
    rig *a = rig_new(true);
    const config *cfg = rt_device_config(a->d);
    rt_options opt = {.threads = 1};
    rt_memory *m = rt_memory_new(1 << 20, a->dg);
    uint64_t buffer = rt_alloc(m, 128, "shared"), word = 0;
    rt_device *d[2];
    rt_module *mod[2];
    rt_result res;

    for (unsigned i = 0; i < 2; i++) {
        d[i] = rt_device_new_on(cfg, &opt, m, a->dg);
        CHECK(d[i] && rt_device_memory(d[i]) == m);
        CHECK_EQ(rt_module_load_text(d[i], "store.ptx", store, strlen(store),
                                     a->dg, &mod[i]),
                 ST_OK);
    }
    for (unsigned i = 0; i < 2; i++) {
        rt_launch l = a->launch;
        uint64_t zero = 0;

        l.module = mod[i];
        l.kernel = rt_module_kernel(mod[i], NULL, a->dg);
        l.params = &buffer;
        CHECK(rt_write(m, buffer, &zero, 8));
        CHECK_EQ(rt_run(d[i], &l, a->dg, &res), ST_OK);
        CHECK(rt_read(m, buffer, &word, 8));
        CHECK(word != 0);
    }
    rt_device_free(d[0]);
    rt_device_free(d[1]);
    CHECK_EQ(rt_memory_used(m), 128);
    CHECK(rt_host(m, buffer, 128) && !rt_host(m, buffer, 129));
    if (rt_memory_identity(m))
        CHECK_EQ((uintptr_t)rt_host(m, buffer, 1), buffer);
    rt_memory_free(m);
    rig_free(a);
}

static const char variables[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".global .u32 g[100];\n.const .u32 c[4] = {1, 2, 3, 4};\n"
    ".global .samplerref s;\n"
    ".visible .entry k() {\n.reg .b64 a;\nmov.u64 a, g;\n"
    "st.global.u64 [a], a;\nmov.u64 a, c;\nret;\n}\n";

/* Programs come and go while the device lives: nothing piles up. */
TEST(an_unloaded_module_gives_back_its_variables)
{
    rig *r = rig_new(true);
    rt_memory *m = rt_device_memory(r->d);
    rt_module *mod[3];
    tex_sampler sampler = {0};
    uint32_t free_before = rt_sampling_new(m, &sampler), free_after;
    uint64_t used = rt_memory_used(m);

    rt_sampler_release(m, free_before);
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(rt_module_load_text(r->d, "v.ptx", variables,
                                     strlen(variables), r->dg, &mod[i]),
                 ST_OK);
    CHECK(rt_memory_used(m) >= used + 3 * 400);
    rt_module_unload(mod[1]);
    rt_module_unload(mod[2]);
    rt_module_unload(mod[0]);
    rt_module_unload(NULL);
    CHECK_EQ(rt_memory_used(m), used);
    free_after = rt_sampling_new(m, &sampler);
    CHECK_EQ(free_after, free_before);
    r->param = rt_alloc(m, 128, "a");
    CHECK_EQ(run(r), ST_OK); /* the rig's own module is still there */
    rig_free(r);
}
