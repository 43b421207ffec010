/* Modules and launches on a whole, if small, machine. */
#include "base/must.h"
#include "config/rules.h"
#include "config/sheet.h"
#include "gpu/inspect.h"
#include "noc/noc.h"
#include "runtime/runtime.h"
#include "sm/observe/inspect.h"
#include "test.h"

typedef struct rig {
    config_sheet *sheet;
    rt_device *d;
    diag *dg;
    rt_module *m;
    rt_launch l;
    rt_result res;
} rig;

#define STORE                                                                  \
    ".arch volta\n.kernel store\n.param pointer p\n.param int n\n"             \
    "S2R R0, SR_TID.X;\nMOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"            \
    "IMAD.WIDE R2, R0, 4, R2;\nMOV R4, c[0x0][n];\nSTG.E [R2.64], R4;\n"       \
    "EXIT;\n.end\n"
#define LOOP  ".kernel loop\nl: BRA l;\n.end\n"
#define STUCK /* half of a warp's CTA waits for warps that wait elsewhere */   \
    ".kernel stuck\nS2R R0, SR_TID.X;\nISETP.LT.AND P0, PT, R0, 32, PT;\n"     \
    "@P0 BAR.SYNC 1, 64;\n@!P0 BAR.SYNC 2, 64;\nEXIT;\n.end\n"
#define LIMITED                                                                \
    ".kernel limited\n.maxthreads 64\nEXIT;\n.end\n"                           \
    ".kernel required\n.reqthreads 32, 2, 1\nEXIT;\n.end\n"                    \
    ".kernel fat\n.registers 255\nEXIT;\n.end\n"

static void start_with(rig *r, bool functional, const char *const *more)
{
    static const char *const sets[] = {
        "gpu.sms=2", "l2.slices=2", "dram.channels=2", "gpu.hang_cycles=20000",
        "gpu.global_bytes=1M"};
    rt_options opt = {.threads = 1, .functional = functional};
    const char *text = STORE LOOP STUCK LIMITED;

    memset(r, 0, sizeof *r);
    r->dg = diag_new();
    r->sheet = config_sheet_new();
    CHECK_EQ(config_sheet_load(r->sheet, "v100", r->dg), ST_OK);
    for (size_t i = 0; i < COUNTOF(sets); i++)
        CHECK_EQ(config_sheet_set(r->sheet, sets[i], CONFIG_FROM_SET, r->dg),
                 ST_OK);
    for (; *more; more++)
        CHECK_EQ(config_sheet_set(r->sheet, *more, CONFIG_FROM_SET, r->dg),
                 ST_OK);
    r->d = rt_device_new(config_sheet_values(r->sheet), &opt, r->dg);
    CHECK(r->d);
    status st =
        rt_module_load_text(r->d, "t.sass", text, strlen(text), r->dg, &r->m);
    if (st != ST_OK)
        TEST_FAIL("%u: %s", diag_get(r->dg, 0)->line, diag_get(r->dg, 0)->text);
    r->l = (rt_launch){.module = r->m,
                       .grid = {1, 1, 1},
                       .block = {32, 1, 1},
                       .counters = true};
}

static void start(rig *r, bool functional)
{
    start_with(r, functional, (const char *const[]){NULL});
}

static void stop(rig *r)
{
    rt_device_free(r->d);
    config_sheet_free(r->sheet);
    diag_free(r->dg);
}

static status run(rig *r, const char *kernel)
{
    r->l.kernel = rt_module_kernel(r->m, kernel, r->dg);
    CHECK(r->l.kernel);
    return rt_run(r->d, &r->l, r->dg, &r->res);
}

/* The last message has `why` in it. */
static void said(rig *r, const char *why)
{
    CHECK(diag_count(r->dg) > 0);
    const char *text = diag_get(r->dg, diag_count(r->dg) - 1)->text;
    if (!strstr(text, why))
        TEST_FAIL("\"%s\" instead of \"%s\"", text, why);
    diag_clear(r->dg);
}

static void store(rig *r, uint64_t address, int32_t value)
{
    struct {
        uint64_t p;
        int32_t n;
    } params = {address, value};

    r->l.params = &params;
    run(r, "store");
    r->l.params = NULL;
}

/* ---- Running ---- */

TEST(a_kernel_writes_the_same_timed_and_functional)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        rig r;
        int32_t got[32];

        start(&r, functional);
        uint64_t a = rt_alloc(rt_device_memory(r.d), 128, "a");
        store(&r, a, 77);
        CHECK_EQ(r.res.status, ST_OK);
        CHECK(rt_read(rt_device_memory(r.d), a, got, 128));
        for (unsigned i = 0; i < 32; i++)
            CHECK_EQ(got[i], 77);
        CHECK_EQ(r.res.warp_insts, 7);
        CHECK_EQ(r.res.thread_insts, 7 * 32);
        CHECK_EQ(r.res.ctas, 1);
        CHECK(functional ? r.res.cycles == 0 && !r.res.counters
                         : r.res.cycles > 0 && r.res.counters);
        stop(&r);
    }
}

TEST(counters_belong_to_one_launch)
{
    rig r;

    start(&r, false);
    uint64_t a = rt_alloc(rt_device_memory(r.d), 128, "a");
    for (unsigned i = 0; i < 3; i++) {
        uint64_t n;

        store(&r, a, 1);
        CHECK(
            stats_find(rt_stats(r.d), r.res.counters, "sm[0].warp_insts", &n));
        CHECK_EQ(n, 7);
        CHECK_EQ(r.res.warp_insts, 7);
        CHECK(stats_find(rt_stats(r.d), r.res.counters, "gpu.cycles", &n));
        CHECK_EQ(n, r.res.cycles);
    }
    stop(&r);
}

typedef struct samples {
    unsigned count;
    uint64_t end, longest, warp_insts, sm_cycles;
} samples;

static void take(void *arg, const rt_sample *is)
{
    samples *s = arg;

    CHECK_EQ(is->start, s->end);
    CHECK(is->cycles > 0);
    s->count++;
    s->end += is->cycles;
    s->longest = is->cycles > s->longest ? is->cycles : s->longest;
    s->warp_insts +=
        stats_total_sum(is->stats, is->totals, "sm[*].warp_insts", NULL);
    s->sm_cycles +=
        stats_total_sum(is->stats, is->totals, "sm[*].cycles", NULL);
}

TEST(samples_are_steps_that_add_up_to_the_launch)
{
    static const uint64_t steps[] = {1, 1000, 1000000};
    uint64_t cycles = 0;

    for (unsigned i = 0; i < COUNTOF(steps); i++) {
        samples s = {0};
        rig r;

        start(&r, false);
        r.l.max_cycles = 5000;
        r.l.sample_cycles = steps[i];
        r.l.sample = take;
        r.l.sample_arg = &s;
        CHECK_EQ(run(&r, "loop"), ST_LIMIT);
        CHECK_EQ(s.end, r.res.cycles);
        CHECK_EQ(s.warp_insts, r.res.warp_insts);
        CHECK_EQ(s.sm_cycles, 2 * r.res.cycles); /* 2 SMs */
        CHECK(cycles == 0 || cycles == r.res.cycles);
        cycles = r.res.cycles;
        CHECK(s.longest >= (steps[i] < cycles ? steps[i] : cycles));
        CHECK(s.longest < steps[i] + 100); /* a window */
        CHECK(steps[i] > 1 || s.count > 20);
        diag_clear(r.dg);
        stop(&r);
    }
}

/* ---- Looked at ---- */

typedef struct looks {
    unsigned window, every; /* cycles */
    uint64_t asked, count, late;
    uint64_t slots; /* of the counters, at the last look */
    status end;
} looks;

static uint64_t look(void *arg, rt_device *d, const gpu *g, status st)
{
    looks *is = arg;
    uint64_t now = gpu_now(g), w = is->window;
    const sm *s = gpu_sm(g, 0);

    is->count++;
    is->end = st;
    CHECK_EQ(gpu_in_flight(g), 1);
    CHECK_EQ(gpu_progress_now(g).ctas, 1);
    for (unsigned i = 0; i < 64; i++)
        if (sm_resident(s) >> i & 1)
            CHECK(sm_inspect(s, i).x->cta->number == 0);
    is->slots = rt_totals_now(d)[stats_total_find(rt_stats(d), "sm[*].slots")];
    if (now >= is->asked) {
        is->late += now > (is->asked + w - 1) / w * w;
        is->asked = now + is->every;
    }
    return is->asked;
}

/* Also in the cycles that it asks for, where the kernel waits for memory. */
TEST(who_looks_at_the_machine_changes_nothing)
{
    uint64_t cycles = 0, hash = 0;

    for (unsigned every = 0; every < 500; every += 99) {
        looks is = {.every = every};
        rig r;

        start(&r, false);
        uint64_t a = rt_alloc(rt_device_memory(r.d), 128, "a");
        is.window = noc_window(rt_device_config(r.d));
        r.l.look = every ? look : NULL;
        r.l.look_arg = &is;
        store(&r, a, 77);
        CHECK_EQ(r.res.status, ST_OK);
        CHECK(!every || is.count * (every + is.window) > r.res.cycles);
        CHECK_EQ(is.late, 0);
        CHECK(is.slots <= 8 * r.res.cycles); /* 2 SMs of 4 schedulers */
        CHECK(!every || is.slots > 0);
        CHECK(!cycles || cycles == r.res.cycles);
        CHECK(!hash || hash == rt_hash(r.d));
        cycles = r.res.cycles;
        hash = rt_hash(r.d);
        stop(&r);
    }
}

TEST(what_has_failed_is_looked_at_before_it_is_lost)
{
    looks is = {.every = 1000};
    rig r;

    start(&r, false);
    is.window = noc_window(rt_device_config(r.d));
    r.l.look = look;
    r.l.look_arg = &is;
    r.l.block[0] = 64;
    CHECK_EQ(run(&r, "stuck"), ST_HANG);
    CHECK_EQ(is.end, ST_HANG);
    stop(&r);
}

/* ---- Refused launches ---- */

TEST(impossible_shapes_are_refused)
{
    rig r;

    start(&r, false);
    r.l.grid[1] = 0;
    CHECK_EQ(run(&r, "loop"), ST_USAGE);
    said(&r, "has no threads");
    r.l.grid[1] = 65536;
    CHECK_EQ(run(&r, "loop"), ST_USAGE);
    said(&r, "grid y is 65536, but the GPU allows 65535");
    r.l.grid[1] = 1;
    r.l.block[0] = 1025;
    CHECK_EQ(run(&r, "loop"), ST_USAGE);
    said(&r, "threads of a block is 1025, but the GPU allows 1024");
    r.l.block[0] = 512;
    r.l.block[2] = 3;
    CHECK_EQ(run(&r, "loop"), ST_USAGE);
    said(&r, "1536");
    r.l.block[0] = 65;
    r.l.block[2] = 1;
    CHECK_EQ(run(&r, "limited"), ST_USAGE);
    said(&r, "at most 64 (.maxntid)");
    r.l.block[0] = 64;
    CHECK_EQ(run(&r, "required"), ST_USAGE);
    said(&r, "requires 32x2x1 (.reqntid)");
    r.l.block[0] = 32;
    r.l.shared_bytes = 98305;
    CHECK_EQ(run(&r, "loop"), ST_USAGE);
    said(&r, "98305, but the GPU allows 98304");
    r.l.shared_bytes = 0;
    r.l.block[0] = 1024;
    CHECK_EQ(run(&r, "fat"), ST_USAGE);
    said(&r, "does not fit an SM: it needs 262144 of registers, and there are "
             "65536");
    CHECK_EQ(r.res.cycles, 0);
    r.l.block[0] = 64; /* a refusal leaves the device as it was */
    CHECK_EQ(run(&r, "limited"), ST_OK);
    stop(&r);
}

/* ---- Launches that do not end well ---- */

TEST(an_endless_loop_is_stopped_at_the_limit)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        rig r;

        start(&r, functional);
        r.l.max_cycles = 5000;
        CHECK_EQ(run(&r, "loop"), ST_LIMIT);
        said(&r, functional ? "5000 warp instructions" : "5000 cycles");
        if (!functional)
            CHECK(r.res.cycles >= 5000 && r.res.cycles < 5100);
        stop(&r);
    }
}

TEST(a_signal_stops_a_launch)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        volatile sig_atomic_t flag = 1;
        rig r;

        start(&r, functional);
        r.l.stop = &flag;
        CHECK_EQ(run(&r, "loop"), ST_INTERRUPTED);
        stop(&r);
    }
}

TEST(a_barrier_that_cannot_complete_is_a_hang)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        rig r;

        start(&r, functional);
        r.l.block[0] = 64;
        CHECK_EQ(run(&r, "stuck"), ST_HANG);
        said(&r, "hangs");
        stop(&r);
    }
}

TEST(a_fault_names_place_and_allocation)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        rig r;

        start(&r, functional);
        uint64_t a = rt_alloc(rt_device_memory(r.d), 64, "small");
        store(&r, a, 1); /* lanes 16 to 31 are outside */
        CHECK_EQ(r.res.status, ST_FAULT);
        const char *text = diag_get(r.dg, diag_count(r.dg) - 1)->text;
        CHECK(strstr(text, "store") && strstr(text, "small") &&
              strstr(text, "STG"));
        diag_clear(r.dg);
        r.l.block[0] = 32;
        CHECK_EQ(run(&r, "limited"), ST_OK); /* and life goes on */
        stop(&r);
    }
}

TEST(freed_memory_is_out_of_bounds)
{
    rig r;

    start(&r, false);
    uint64_t a = rt_alloc(rt_device_memory(r.d), 128, "gone");
    CHECK(rt_release(rt_device_memory(r.d), a));
    CHECK(!rt_release(rt_device_memory(r.d), a));
    store(&r, a, 1);
    CHECK_EQ(r.res.status, ST_FAULT);
    said(&r, "freed");
    stop(&r);
}

/* ---- Memory of the host's side ---- */

TEST(copies_stay_within_one_allocation)
{
    rig r;
    char byte = 5, got = 0;

    start(&r, true);
    uint64_t a = rt_alloc(rt_device_memory(r.d), 10, "a");
    CHECK(rt_write(rt_device_memory(r.d), a + 9, &byte, 1));
    CHECK(rt_read(rt_device_memory(r.d), a + 9, &got, 1));
    CHECK_EQ(got, 5);
    CHECK(!rt_write(rt_device_memory(r.d), a + 9, "xx", 2));
    CHECK(!rt_read(rt_device_memory(r.d), a + 10, &got, 1));
    CHECK(!rt_read(rt_device_memory(r.d), 0, &got, 1));
    CHECK_EQ(rt_alloc(rt_device_memory(r.d), 2 << 20, "too large"), 0);
    stop(&r);
}

/* ---- Modules ---- */

TEST(kernels_are_found_by_name)
{
    rig r;

    start(&r, true);
    CHECK(!rt_module_kernel(r.m, "nobody", r.dg));
    said(&r, "no kernel 'nobody' in the program; it has: store, loop, stuck");
    CHECK(!rt_module_kernel(r.m, NULL, r.dg));
    said(&r, "several kernels, name one of: store, loop");
    CHECK_STR(rt_module_kernel(r.m, "loop", r.dg)->name, "loop");
    stop(&r);
}

static rt_module *load(rig *r, const char *path, const char *text)
{
    rt_module *m = NULL;

    return rt_module_load_text(r->d, path, text, strlen(text), r->dg, &m) ==
                   ST_OK
               ? m
               : NULL;
}

TEST(programs_of_another_family_are_refused)
{
    rig r;

    start(&r, true);
    CHECK(!load(&r, "k.sass", ".arch kepler\n.kernel k\nEXIT;\n.end\n"));
    said(
        &r,
        "the code is for kepler, but the GPU 'Tesla V100' runs that for volta");
    CHECK(!load(&r, "README", "hello\n"));
    said(&r, "this is no kernel (PTX, assembly or cubin): it is a text");
    CHECK(!load(&r, "x", "/* PTX */ // or\n.version 7.0\n.target bad\n"));
    CHECK(diag_errors(r.dg) > 0);
    stop(&r);
}

TEST(variables_have_addresses_and_initial_values)
{
    static const char text[] = ".arch volta\n"
                               ".var global table size=8\n.word 7, 9\n"
                               ".var global zero size=12\n"
                               ".kernel k\nEXIT;\n.end\n";
    rig r;
    uint64_t address, size;
    uint32_t got[3];

    start(&r, true);
    rt_module *m = load(&r, "v.sass", text);
    CHECK(m);
    CHECK(rt_module_variable(m, "table", &address, &size));
    CHECK_EQ(size, 8);
    CHECK(rt_read(rt_device_memory(r.d), address, got, 8));
    CHECK_EQ(got[0], 7);
    CHECK_EQ(got[1], 9);
    CHECK(rt_module_variable(m, "zero", &address, &size));
    CHECK_EQ(size, 12);
    CHECK(rt_read(rt_device_memory(r.d), address, got, 12));
    CHECK_EQ(got[0] | got[1] | got[2], 0);
    CHECK(!rt_module_variable(m, "nothing", &address, &size));
    stop(&r);
}

TEST(the_hash_follows_memory_and_counters)
{
    rig r;
    char byte = 1;

    start(&r, false);
    uint64_t a = rt_alloc(rt_device_memory(r.d), 128, "a"),
             first = rt_hash(r.d);
    CHECK_EQ(rt_hash(r.d), first);
    CHECK(rt_write(rt_device_memory(r.d), a, &byte, 1));
    uint64_t second = rt_hash(r.d);
    CHECK(second != first);
    byte = 0;
    CHECK(rt_write(rt_device_memory(r.d), a, &byte, 1));
    CHECK_EQ(rt_hash(r.d), first);
    store(&r, a, 0); /* memory stays zero, counters do not */
    CHECK(rt_hash(r.d) != first);
    stop(&r);
}

/* ---- Hazards ---- */

TEST(an_instruction_that_never_fits_the_table_is_refused)
{
    const char *const sets[] = {"sm.issue.hazard=table", "sm.table.slots=1",
                                "sm.table.offset_bits=0", NULL};
    rig r;

    start_with(&r, false, sets);
    store(&r, rt_alloc(rt_device_memory(r.d), 128, "a"), 1);
    CHECK_EQ(r.res.status, ST_USAGE);
    CHECK_EQ(diag_count(r.dg), 1);
    said(&r, "kernel 'store' cannot run on this GPU: instruction 3, "
             "'IMAD.WIDE R2, R0, 0x4, R2', needs 2 slots for its result, and "
             "sm.table.slots is 1");
    CHECK_EQ(run(&r, "fat"), ST_OK); /* others run */
    stop(&r);

    start_with(&r, true, sets); /* nothing is tracked without timing */
    store(&r, rt_alloc(rt_device_memory(r.d), 128, "a"), 1);
    CHECK_EQ(r.res.status, ST_OK);
    stop(&r);
}

/* ---- Parts ---- */

/* out[t] = f(t) + own + shared + scale of the first, with f(t) = 2t + own of
 * the second. */
static const char first_part[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) f(.param .b32 x);\n"
    ".global .align 4 .u32 own = 3;\n.extern .global .align 4 .u32 shared;\n"
    ".extern .const .align 4 .u32 scale;\n"
    ".visible .entry k(.param .u64 out) { .reg .u64 %rd<4>;\n"
    ".reg .u32 %r<8>; .param .b32 x; .param .b32 r;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; st.param.b32 [x], %r1;\n"
    "call (r), f, (x); ld.param.b32 %r2, [r];\n"
    "ld.global.u32 %r3, [own]; ld.global.u32 %r4, [shared];\n"
    "ld.const.u32 %r5, [scale]; add.u32 %r2, %r2, %r3;\n"
    "add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3], %r2; ret; }\n";
static const char second_part[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 shared = 100;\n"
    ".visible .const .align 4 .u32 scale = 7;\n"
    ".global .align 4 .u32 own = 4;\n"
    ".visible .func (.param .b32 r) f(.param .b32 x) { .reg .u32 %r<4>;\n"
    "ld.param.u32 %r1, [x]; ld.global.u32 %r2, [own]; shl.b32 %r1, %r1, 1;\n"
    "add.u32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret; }\n";

TEST(parts_are_one_program)
{
    static const char library[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .func (.param .b32 r) f(.param .b32 x) { trap; }\n"
        ".visible .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b)"
        "{ trap; }\n";
    const rt_text parts[] = {{"a.ptx", first_part, strlen(first_part)},
                             {"b.ptx", second_part, strlen(second_part)},
                             {"lib.ptx", library, strlen(library)}};
    int32_t got[32];
    rig r;

    start(&r, true);
    uint64_t a = rt_alloc(rt_device_memory(r.d), sizeof got, "a");
    CHECK_EQ(rt_module_load_parts(r.d, "both", parts, 3, 0, r.dg, &r.m), ST_OK);
    r.l.module = r.m;
    r.l.params = &a;
    CHECK_EQ(run(&r, "k"), ST_OK);
    CHECK(rt_read(rt_device_memory(r.d), a, got, sizeof got));
    for (int i = 0; i < 32; i++)
        CHECK_EQ(got[i], 2 * i + 4 + 3 + 100 + 7);
    /* what is missing is told by the name of all */
    CHECK_EQ(rt_module_load_parts(r.d, "both", parts, 1, 0, r.dg, &r.m),
             ST_PROGRAM);
    CHECK_STR(diag_get(r.dg, 0)->file, "a.ptx");
    stop(&r);
}
