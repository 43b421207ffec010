/* tests/timing/test_trace.c - events: they are the same however the host
 * simulates, they change nothing, and what they say adds up to the counters
 * and to the profile. */
#include "rig.h"

#include "mem/event_log.h"
#include "sm/observe/profile.h"
#include "sm/sm.h"

enum { ROWS = 400 };

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* A bit of everything: divergence, a loop, shared memory with conflicts,
 * barriers, local memory, atomics, fences, loads that hit and that do not. */
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

typedef struct tape {
    trace_event *event;
    size_t count, room;
    sm_profile_row row[ROWS];
    uint32_t insts; /* of the kernel */
    uint64_t cycles, start, hash;
    uint64_t stage[4]; /* cycles of all SMs, by sm_cluster_mode; [0]: unused */
} tape;

static bool take(void *arg, const trace_event *e, size_t n)
{
    tape *t = arg;

    if (t->count + n > t->room) {
        t->room = 2 * (t->count + n);
        t->event = realloc(t->event, t->room * sizeof *t->event);
        CHECK(t->event);
    }
    memcpy(t->event + t->count, e, n * sizeof *e);
    t->count += n;
    return true;
}

static trace_filter everything(void)
{
    return (trace_filter){
        .last_sm = 1000, .warps = UINT64_MAX, .to = UINT64_MAX, .queues = true};
}

typedef struct how {
    unsigned threads;
    bool no_skip;
    uint64_t shuffle;
    bool off; /* no trace */
} how;

static const char *const three_sms[] = {"gpu.sms=3", NULL};
static const char *const pairs[] = {"gpu.sms=4", "gpu.cluster.size=2", NULL};
static const char *const narrow[] = {"gpu.sms=3", "sm.lsu.queue=2",
                                     "l1.mshrs=4", NULL};

/* Runs 16 CTAs of 64 threads; the caller frees the tape and its events. */
static tape *run(const char *name, const char *const *sets, how h,
                 const trace_filter *f)
{
    rig *r = rig_new(name, sets);
    tape *t = calloc(1, sizeof *t);
    gpu_trace ask = {.filter = *f, .take = take, .arg = t};
    rt_module *m;

    CHECK(t);
    rt_device_free(r->d);
    r->d = rt_device_new(r->cfg,
                         &(rt_options){.threads = h.threads,
                                       .no_skip = h.no_skip,
                                       .shuffle = h.shuffle},
                         r->dg);
    uint64_t params[2] = {rt_alloc(rt_device_memory(r->d), 1 << 20, "p"),
                          rt_alloc(rt_device_memory(r->d), 4096, "q")};
    rig_must(
        r, rt_module_load_text(r->d, "t.ptx", mixed, strlen(mixed), r->dg, &m));
    rt_launch l = {.module = m,
                   .kernel = rt_module_kernel(m, NULL, r->dg),
                   .grid = {16, 1, 1},
                   .block = {64, 1, 1},
                   .params = params,
                   .counters = true,
                   .profile = h.off ? NULL : t->row,
                   .trace = h.off ? NULL : &ask};
    t->insts = l.kernel->code_count;
    CHECK(t->insts < ROWS);
    rig_must(r, rt_run(r->d, &l, r->dg, &r->last));
    t->cycles = r->last.cycles;
    t->start = r->last.start;
    t->hash = rt_hash(r->d);
    t->stage[CLUSTER_FORMING] = rig_count(r, "sm[*].forming_cycles");
    t->stage[CLUSTER_SHARED] = rig_count(r, "sm[*].shared_cycles");
    t->stage[CLUSTER_DISSOLVING] = rig_count(r, "sm[*].dissolving_cycles");
    rig_free(r);
    return t;
}

static void tape_free(tape *t)
{
    free(t->event);
    free(t);
}

static const char *show(const trace_event *e)
{
    static char text[4][200];
    static unsigned turn;
    char *to = text[turn++ % 4];

    snprintf(to, 200,
             "%llu %s inst %u addr %llx a %u b %u unit %u sm %u warp %u",
             (unsigned long long)e->cycle, trace_names[e->kind], e->inst,
             (unsigned long long)e->addr, e->a, e->b, e->unit, e->sm, e->warp);
    return to;
}

static void check_same(const tape *a, const tape *b, const char *what)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (memcmp(&a->event[i], &b->event[i], sizeof *a->event) != 0)
            TEST_FAIL("%s: event %zu is\n  %s\n  %s", what, i,
                      show(&a->event[i]), show(&b->event[i]));
    CHECK_EQ(a->count, b->count);
}

static void same_events(const char *name, const char *const *sets)
{
    static const struct {
        const char *name;
        how how;
    } variant[] = {{"threads", {.threads = 3}},
                   {"no skip", {.no_skip = true}},
                   {"shuffle", {.shuffle = 7, .threads = 2}}};
    trace_filter f = everything();
    tape *usual = run(name, sets, (how){.threads = 1}, &f);

    CHECK(usual->count > 1000);
    for (unsigned i = 0; i < COUNTOF(variant); i++) {
        tape *t = run(name, sets, variant[i].how, &f);

        check_same(usual, t, variant[i].name);
        tape_free(t);
    }
    tape_free(usual);
}

TEST(events_do_not_depend_on_how_the_host_simulates)
{
    for (unsigned g = 0; g < RIG_GPUS; g++)
        same_events(rig_gpus[g], g ? narrow : three_sms);
    same_events("k20-single", pairs);
}

TEST(events_come_in_order)
{
    trace_filter f = everything();
    tape *t = run("v100", three_sms, (how){.threads = 1}, &f);

    for (size_t i = 1; i < t->count; i++)
        CHECK(trace_key(&t->event[i - 1]) <= trace_key(&t->event[i]));
    tape_free(t);
}

static void changes_nothing(const char *name, const char *const *sets)
{
    trace_filter f = everything();
    tape *on = run(name, sets, (how){.threads = 1}, &f);
    tape *off = run(name, sets, (how){.threads = 1, .off = true}, &f);

    CHECK_EQ(on->cycles, off->cycles);
    CHECK_EQ(on->hash, off->hash);
    CHECK_EQ(off->count, 0);
    tape_free(on);
    tape_free(off);
}

TEST(tracing_changes_neither_cycles_nor_counters)
{
    for (unsigned g = 0; g < RIG_GPUS; g++)
        changes_nothing(rig_gpus[g], three_sms);
    changes_nothing("gtx480", pairs);
}

/* A trace stands between the SM and its policy. */
TEST(tracing_changes_nothing_under_any_hazard_policy)
{
    static const char *const policies[] = {"none", "codes", "table"};
    trace_filter f = everything();

    for (unsigned i = 0; i < COUNTOF(policies); i++) {
        char set[64];
        const char *const sets[] = {"gpu.sms=2", set, NULL};

        snprintf(set, sizeof set, "sm.issue.hazard=%s", policies[i]);
        tape *on = run("v100", sets, (how){.threads = 1}, &f);
        tape *off = run("v100", sets, (how){.threads = 1, .off = true}, &f);

        CHECK_EQ(on->cycles, off->cycles);
        CHECK_EQ(on->hash, off->hash);
        tape_free(on);
        tape_free(off);
    }
}

/* Cycles of warps by what they waited for, per instruction, from the events
 * alone: an interval lasts to the next event of the warp. */
typedef struct clockwork {
    bool alive;
    uint64_t since;
    unsigned why;
    uint32_t pc;
} clockwork;

typedef struct sums {
    uint64_t kind[TRACE_KINDS];
    uint64_t lanes, passes, conflicts, hits, atomics;
    uint64_t l1[ACCESSES];
    uint64_t wait[ROWS + 1][WHY_COUNT];
    clockwork warp[8][64];
} sums;

static void charge(sums *s, const trace_event *e)
{
    clockwork *c = &s->warp[e->sm][e->warp];

    if (e->kind == TRACE_WARP_BEGIN) {
        CHECK(!c->alive);
        *c = (clockwork){.alive = true, .since = e->cycle, .why = WHY_READY};
        return;
    }
    if (!c->alive || (e->kind != TRACE_WAIT && e->kind != TRACE_WARP_END))
        return;
    s->wait[c->pc][c->why] += e->cycle - c->since;
    c->since = e->cycle;
    c->why = e->b & 0xff;
    c->pc = e->a < ROWS ? e->a : ROWS;
    c->alive = e->kind == TRACE_WAIT;
}

static sums *add_up(const tape *t)
{
    sums *s = calloc(1, sizeof *s);

    CHECK(s);
    for (size_t i = 0; i < t->count; i++) {
        const trace_event *e = &t->event[i];

        s->kind[e->kind]++;
        charge(s, e);
        s->lanes += e->kind == TRACE_ISSUE
                        ? (uint64_t)__builtin_popcount((uint32_t)e->addr)
                        : 0;
        s->passes += e->kind == TRACE_SHARED ? e->a : 0;
        s->conflicts += e->kind == TRACE_SHARED ? e->b : 0;
        s->hits += e->kind == TRACE_REPLY && e->inst && e->b;
        if (e->kind == TRACE_L1_ACCESS)
            s->l1[e->a]++;
    }
    return s;
}

static void adds_up(const char *name, const char *const *sets)
{
    trace_filter f = everything();
    tape *t = run(name, sets, (how){.threads = 1}, &f);
    sums *s = add_up(t);
    sm_profile_row all = {.insts = 0};

    for (uint32_t pc = 0; pc <= t->insts; pc++)
        sm_profile_sum(&all, &t->row[pc]);
    CHECK_EQ(s->kind[TRACE_ISSUE], all.insts);
    CHECK_EQ(s->lanes, all.lanes);
    CHECK_EQ(s->kind[TRACE_REQUEST], all.tx);
    CHECK_EQ(s->kind[TRACE_L1_ACCESS], all.tx);
    CHECK_EQ(s->passes, all.shared_passes);
    CHECK_EQ(s->conflicts, all.shared_conflicts);
    CHECK_EQ(s->hits, all.read_hits);
    CHECK_EQ(s->l1[ACCESS_HIT], all.read_hits);
    /* Every one that issued retires, all others are dropped. */
    CHECK_EQ(s->kind[TRACE_RETIRE], all.insts);
    CHECK(s->kind[TRACE_FETCH] + s->kind[TRACE_FLUSH] > all.insts);
    CHECK_EQ(s->kind[TRACE_WARP_BEGIN], 32);
    CHECK_EQ(s->kind[TRACE_WARP_END], 32);
    CHECK_EQ(s->kind[TRACE_DRAM_ENTER], s->kind[TRACE_DRAM_LEAVE]);
    CHECK_EQ(s->kind[TRACE_LSU_QUEUE], s->kind[TRACE_LSU_DONE]);
    for (uint32_t pc = 0; pc < t->insts; pc++)
        for (unsigned why = 0; why < WHY_COUNT; why++)
            if (s->wait[pc][why] != t->row[pc].wait[why])
                TEST_FAIL("%s pc %u %s: %llu, profile %llu", name, pc,
                          sm_why_names[why],
                          (unsigned long long)s->wait[pc][why],
                          (unsigned long long)t->row[pc].wait[why]);
    free(s);
    tape_free(t);
}

TEST(events_add_up_to_counters_and_profile)
{
    for (unsigned g = 0; g < RIG_GPUS; g++)
        adds_up(rig_gpus[g], three_sms);
    adds_up("k20-single", pairs);
    adds_up("gtx480", pairs);
}

/* Of any part of a launch: stages that began before it are told, too. */
static void stages_of(tape *t, uint64_t from, uint64_t to, uint64_t *sum)
{
    uint64_t since[4] = {0};
    int stage[4] = {-1, -1, -1, -1};

    memset(sum, 0, 4 * sizeof *sum);
    for (size_t i = 0; i < t->count; i++) {
        const trace_event *e = &t->event[i];
        unsigned n = e->sm;

        if (e->kind != TRACE_STAGE)
            continue;
        CHECK(n < 4 && e->a < 4 && e->a != (unsigned)stage[n]);
        CHECK(stage[n] >= 0 || e->cycle == from);
        if (stage[n] >= 0)
            sum[stage[n]] += e->cycle - since[n];
        stage[n] = (int)e->a;
        since[n] = e->cycle;
    }
    for (unsigned n = 0; n < 4; n++) {
        CHECK(stage[n] >= 0);
        sum[stage[n]] += to - since[n];
    }
}

TEST(stages_of_clusters_are_those_of_the_counters)
{
    static const char *const sets[] = {"gpu.sms=4",
                                       "gpu.cluster.size=2",
                                       "gpu.cluster.reform=row",
                                       "gpu.cluster.slip=1",
                                       "gpu.cluster.slip_window=64",
                                       NULL};
    trace_filter f = everything();
    tape *t = run("gtx480", sets, (how){.threads = 1}, &f);
    uint64_t sum[4], part[4], all = 0;

    stages_of(t, 0, t->cycles, sum);
    for (unsigned k = 0; k < 4; k++) {
        all += sum[k];
        CHECK(!k || sum[k] > 0);
        CHECK(!k || sum[k] == t->stage[k]);
    }
    CHECK_EQ(all, 4 * t->cycles);
    f.from = t->cycles / 2;
    tape *late = run("gtx480", sets, (how){.threads = 1}, &f);
    f.from = 0;
    f.to = t->cycles / 2;
    tape *early = run("gtx480", sets, (how){.threads = 1}, &f);
    stages_of(early, 0, t->cycles / 2, part);
    stages_of(late, t->cycles / 2, t->cycles, sum);
    CHECK(sum[CLUSTER_ALONE] + part[CLUSTER_ALONE] < all);
    for (unsigned k = 1; k < 4; k++)
        CHECK_EQ(sum[k] + part[k], t->stage[k]);
    tape_free(t);
    tape_free(late);
    tape_free(early);
}
