/* tests/timing/test_profile.c - counters by instruction: they add up to the
 * counters of the launch, stand where they belong, and depend on nothing. */
#include "rig.h"

#include "sm/observe/profile.h"

enum { ROWS = 400 };

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* A bit of everything: divergence, a loop, shared memory with conflicts,
 * barriers, local memory, atomics, loads that hit and that do not. */
static const char mixed[] = HEAD
    ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
    ".reg .b64 %d<9>;\n.reg .b32 %r<20>;\n.reg .f32 %f<9>;\n.reg .pred %p<4>;\n"
    ".shared .align 4 .b8 tile[4096];\n.local .align 4 .b8 own[64];\n"
    "ld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
    "mad.lo.u32 %r3, %r2, 32, %r1;\nmul.wide.u32 %d3, %r3, 4;\n"
    "add.u64 %d4, %d1, %d3;\nmov.u32 %r4, 0;\n"
    "LOOP: ld.global.u32 %r5, [%d4];\nmul.wide.u32 %d5, %r1, 128;\n"
    "add.u64 %d6, %d1, %d5;\nld.global.u32 %r6, [%d6];\n"
    "and.b32 %r7, %r1, 31;\nmul.lo.u32 %r8, %r7, 64;\nand.b32 %r8, %r8, 4092;\n"
    "mov.u32 %r9, tile;\nadd.u32 %r9, %r9, %r8;\nst.shared.u32 [%r9], %r6;\n"
    "bar.sync 0;\nld.shared.u32 %r10, [%r9];\n"
    "setp.lt.u32 %p1, %r7, 7;\n@%p1 bra ODD;\nadd.u32 %r10, %r10, %r5;\n"
    "atom.global.add.u32 %r11, [%d2], %r10;\nred.global.add.u32 [%d2+64], 1;\n"
    "bra.uni JOIN;\nODD: and.b32 %r12, %r10, 60;\nmov.u32 %r13, own;\n"
    "add.u32 %r13, %r13, %r12;\nst.local.u32 [%r13], %r5;\n"
    "ld.local.u32 %r10, [%r13];\nmembar.gl;\n"
    "JOIN: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 5;\n@%p2 bra LOOP;\n"
    "cvt.rn.f32.u32 %f1, %r10;\nsqrt.rn.f32 %f2, %f1;\n"
    "st.global.f32 [%d4], %f2;\nret;\n}\n";

/* Line 3 reads a line of memory for each lane, line 4 waits for it; line 7
 * has a bank conflict of all lanes; line 9 splits every warp. */
static const char hot[] = HEAD
    ".file 1 \"hot.cu\"\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
    ".reg .b64 %d<9>;\n.reg .b32 %r<20>;\n.reg .pred %p<4>;\n"
    ".shared .align 4 .b8 tile[8192];\n"
    ".loc 1 1 1\nld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\n"
    "mov.u32 %r2, 0;\nmov.u32 %r4, 0;\nmul.wide.u32 %d2, %r1, 128;\n"
    "add.u64 %d3, %d1, %d2;\nmov.u32 %r5, tile;\n"
    "shl.b32 %r6, %r1, 8;\nadd.u32 %r6, %r5, %r6;\n"
    "LOOP: .loc 1 3 1\nld.volatile.global.u32 %r3, [%d3];\n"
    ".loc 1 4 1\nadd.u32 %r4, %r4, %r3;\n"
    ".loc 1 5 1\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 10;\n"
    "@%p1 bra LOOP;\n"
    ".loc 1 7 1\nst.volatile.shared.u32 [%r6], %r4;\n"
    ".loc 1 8 1\nsetp.lt.u32 %p2, %r1, 4;\n"
    ".loc 1 9 1\n@%p2 bra LOW;\n"
    ".loc 1 10 1\nst.volatile.global.u32 [%d3], %r4;\nbra.uni END;\n"
    "LOW: .loc 1 11 1\nst.volatile.global.u32 [%d3+4], %r2;\n"
    "st.volatile.global.u32 [%d3+8], %r2;\nst.volatile.global.u32 [%d3+12], "
    "%r2;\nEND: .loc 1 12 1\nret;\n}\n";

typedef struct outcome {
    sm_profile_row row[ROWS];
    uint32_t count; /* instructions */
    const isa_kernel *kernel;
} outcome;

/* Runs `text` with two CTAs of 64 threads an SM; at most `warps` warps. */
static outcome *run(rig *r, const char *text, unsigned ctas, unsigned threads)
{
    outcome *o = calloc(1, sizeof *o);
    uint64_t params[2] = {rt_alloc(rt_device_memory(r->d), 1 << 20, "p"),
                          rt_alloc(rt_device_memory(r->d), 4096, "q")};
    rt_module *m;

    CHECK(o);
    rig_must(r,
             rt_module_load_text(r->d, "t.ptx", text, strlen(text), r->dg, &m));
    rt_launch l = {.module = m,
                   .kernel = rt_module_kernel(m, NULL, r->dg),
                   .grid = {ctas, 1, 1},
                   .block = {threads, 1, 1},
                   .params = params,
                   .counters = true,
                   .profile = o->row};
    CHECK(l.kernel->code_count < ROWS);
    o->count = l.kernel->code_count;
    o->kernel = l.kernel;
    rig_must(r, rt_run(r->d, &l, r->dg, &r->last));
    return o;
}

static const char *const three_sms[] = {"gpu.sms=3", NULL};
static const char *const pairs[] = {"gpu.sms=4", "gpu.cluster.size=2", NULL};

static void check_sums(const rig *r, const outcome *o)
{
    sm_profile_row sum = {.insts = 0};
    uint64_t waits = 0;
    char name[64];

    for (uint32_t i = 0; i <= o->count; i++)
        sm_profile_sum(&sum, &o->row[i]);
    CHECK_EQ(sum.insts, rig_count(r, "sm[*].warp_insts"));
    CHECK_EQ(sum.lanes, rig_count(r, "sm[*].thread_insts"));
    CHECK_EQ(sum.diverged, rig_count(r, "sm[*].branches_diverged"));
    CHECK_EQ(sum.tx_insts, rig_count(r, "sm[*].tx_insts"));
    CHECK_EQ(sum.mem_shared, rig_count(r, "sm[*].mem_shared"));
    CHECK_EQ(sum.tx, rig_count(r, "sm[*].tx_loads") +
                         rig_count(r, "sm[*].tx_stores") +
                         rig_count(r, "sm[*].tx_atomics"));
    CHECK_EQ(sum.sectors, rig_count(r, "sm[*].tx_sectors"));
    CHECK_EQ(sum.reads, rig_count(r, "sm[*].l1.global_reads") +
                            rig_count(r, "sm[*].l1.local_reads"));
    CHECK_EQ(sum.read_hits, rig_count(r, "sm[*].l1.global_read_hits") +
                                rig_count(r, "sm[*].l1.local_read_hits"));
    CHECK_EQ(sum.shared_passes, rig_count(r, "sm[*].shared_passes"));
    CHECK_EQ(sum.shared_conflicts, rig_count(r, "sm[*].shared_conflicts"));
    CHECK_EQ(sum.mem_local, rig_count(r, "sm[*].mem_local"));
    for (unsigned i = 0; i < WHY_STALLS; i++) {
        snprintf(name, sizeof name, "sm[*].stall_%s", sm_why_names[i]);
        CHECK_EQ(sum.stall[i], rig_count(r, name));
    }
    for (unsigned i = 0; i < WHY_COUNT; i++)
        waits += sum.wait[i];
    CHECK_EQ(waits, rig_count(r, "sm[*].warp_cycles"));
    CHECK(sum.diverged && sum.reads && sum.read_hits && sum.shared_conflicts);
    CHECK(sum.mem_local);
}

static void adds_up(const char *name, const char *const *sets)
{
    rig *r = rig_new(name, sets);
    outcome *o = run(r, mixed, 9, 96);

    check_sums(r, o);
    CHECK_EQ(o->row[o->count].insts, 0);
    free(o);
    o = run(r, mixed, 3, 40); /* a second launch starts from nothing */
    check_sums(r, o);
    free(o);
    rig_free(r);
}

TEST(rows_add_up_to_the_launch)
{
    for (unsigned g = 0; g < RIG_GPUS; g++)
        adds_up(rig_gpus[g], three_sms);
    adds_up("k20-single", pairs);
}

static void same_rows(const char *name, const char *const *sets)
{
    static const rt_options how[] = {{.threads = 1},
                                     {.threads = 2},
                                     {.threads = 3, .shuffle = 5},
                                     {.threads = 1, .no_skip = true}};
    outcome *first = NULL;

    for (unsigned i = 0; i < COUNTOF(how); i++) {
        rig *r = rig_new(name, sets);

        rt_device_free(r->d);
        r->d = rt_device_new(r->cfg, &how[i], r->dg);
        outcome *o = run(r, mixed, 9, 96);

        if (!first)
            first = o;
        CHECK(!memcmp(o->row, first->row, sizeof o->row));
        if (o != first)
            free(o);
        rig_free(r);
    }
    free(first);
}

TEST(rows_depend_neither_on_threads_nor_on_skipping)
{
    same_rows("v100", three_sms);
    same_rows("gtx480", pairs);
}

static sm_profile_row of_line(const outcome *o, uint32_t line)
{
    sm_profile_row sum = {.insts = 0};

    for (uint32_t i = 0; i < o->count; i++)
        if (o->kernel->code[i].line == line)
            sm_profile_sum(&sum, &o->row[i]);
    return sum;
}

TEST(counts_stand_at_their_lines)
{
    for (unsigned g = 0; g < RIG_GPUS; g++) {
        rig *r = rig_new(rig_gpus[g], (const char *const[]){"gpu.sms=1", NULL});
        outcome *o = run(r, hot, 2, 32);
        sm_profile_row load = of_line(o, 3), use = of_line(o, 4),
                       store = of_line(o, 7), split = of_line(o, 9),
                       low = of_line(o, 11);

        CHECK_EQ(load.insts, 20); /* two warps, ten times */
        CHECK_EQ(load.lanes, 640);
        CHECK_EQ(load.tx, 640);
        CHECK_EQ(load.tx_insts, 20);
        CHECK_EQ(use.tx_insts, 0);
        CHECK_EQ(load.reads, 640);
        CHECK_EQ(use.tx, 0);
        for (uint32_t line = 1; line <= 12; line++)
            if (line != 4)
                CHECK(of_line(o, line).stall[WHY_RAW_MEM] <
                      use.stall[WHY_RAW_MEM]);
        CHECK(use.wait[WHY_RAW_MEM] > 1000);
        CHECK_EQ(store.mem_shared, 2);
        CHECK_EQ(store.shared_passes, 64); /* all lanes in one bank */
        CHECK_EQ(store.shared_conflicts, 62);
        CHECK_EQ(split.diverged, 2);
        CHECK_EQ(low.insts % 2, 0);
        CHECK_EQ(low.lanes, low.insts * 4);
        CHECK_EQ(low.tx, 24);
        free(o);
        rig_free(r);
    }
}

TEST(without_timing_instructions_count_the_same)
{
    rig *r = rig_new("v100", three_sms), *f = rig_new("v100", three_sms);
    rt_options opt = {.functional = true};
    outcome *a = run(r, mixed, 9, 96), *b;

    rt_device_free(f->d);
    f->d = rt_device_new(f->cfg, &opt, f->dg);
    b = run(f, mixed, 9, 96);
    for (uint32_t i = 0; i <= a->count; i++) {
        CHECK_EQ(a->row[i].insts, b->row[i].insts);
        CHECK_EQ(a->row[i].lanes, b->row[i].lanes);
        CHECK_EQ(a->row[i].diverged, b->row[i].diverged);
        CHECK_EQ(b->row[i].tx, 0);
    }
    free(a);
    free(b);
    rig_free(r);
    rig_free(f);
}
