/* tests/timing/test_order.c - litmus tests: what programs may rely on holds
 * however requests wait in front of the L1. Kernels with traffic in the way of
 * what is looked at; the trace says in which order requests are performed. */
#include "rig.h"

#include "base/must.h"
#include "mem/event_log.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* q: what the test is about, by pair of warps; p: traffic; out: results. %r1:
 * lane, %r2: warp of the CTA, %r3: CTA, %r9: where in the traffic. */
#define BEGIN                                                                  \
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 out)\n{" \
         "\n.reg .b64 %d<20>;\n.reg .b32 %r<60>;\n.reg .pred %p<8>;\n"         \
         ".local .align 4 .b8 own[256];\n"                                     \
         "ld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\n"                    \
         "ld.param.u64 %d3, [out];\nmov.u32 %r0, %tid.x;\n"                    \
         "and.b32 %r1, %r0, 31;\nshr.u32 %r2, %r0, 5;\n"                       \
         "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r9, %r3, 977, %r0;\n"            \
         "mul.lo.u32 %r9, %r9, 37;\nmov.u32 %r10, 0;\n"

/* 32 lines anywhere in 256 KB; the sum goes to %r10 when SUM is there. */
#define GATHER(n)                                                              \
    "mad.lo.u32 %r9, %r9, 5, 40503;\nand.b32 %r8, %r9, 2047;\n"                \
    "mul.wide.u32 %d10, %r8, 128;\nadd.u64 %d10, %d1, %d10;\n"                 \
    "ld.global.u32 %r" #n ", [%d10];\n"
#define TRAFFIC GATHER(40) GATHER(41) GATHER(42) GATHER(43)
#define SUM                                                                    \
    "add.u32 %r10, %r40, %r41;\nadd.u32 %r10, %r10, %r42;\n"                   \
    "add.u32 %r10, %r10, %r43;\n"

/* Word %r4 of q and of out, addresses in %d4 and %d5. */
#define PLACE                                                                  \
    "mul.wide.u32 %d6, %r4, 4;\nadd.u64 %d4, %d2, %d6;\n"                      \
    "add.u64 %d5, %d3, %d6;\n"
/* The sum of zeros keeps the traffic in the program. */
#define LEAVE(value)                                                           \
    SUM "add.u32 %r11, " value ", %r10;\nst.global.u32 [%d5], "                \
        "%r11;\nret;\n}\n"

enum { WORDS = 4096, BYTES = 4 * WORDS, TRAFFIC_BYTES = 2048 * 128 };

static const char *const gpus[] = {"gtx480", "v100"};

#define SMALL                                                                  \
    "gpu.sms=2", "l1.mshrs=6", "l1.miss_queue=3", "l1.queue_depth=2",          \
        "sm.lsu.queue=16"

static const char *const fifo[] = {SMALL, "l1.queue=fifo", NULL};
static const char *const aware[] = {SMALL, "l1.queue=reod", NULL};
static const char *const blind[] = {SMALL, "l1.queue=reod",
                                    "l1.reod.select=blind", NULL};
static const char *const setbit[] = {SMALL, "l1.queue=reod",
                                     "l1.reod.select=setbit", NULL};
static const char *const odd[] = {SMALL,
                                  "l1.queue=reod",
                                  "l1.reod.queues=5",
                                  "l1.reod.depth=1",
                                  "l1.reod.map=block",
                                  "l1.reod.bypass_empty=true",
                                  NULL};
static const char *const mrpb[] = {SMALL, "l1.queue=mrpb", NULL};
static const char *const mascar[] = {SMALL, "l1.queue=mascar", NULL};
static const char *const few[] = {SMALL,
                                  "l1.queue=mascar",
                                  "l1.mascar.depth=3",
                                  "l1.mascar.mshrs_left=3",
                                  "l1.bypass=locality",
                                  NULL};
static const char *const *const policies[] = {fifo,   aware, mascar, blind,
                                              setbit, odd,   mrpb,   few};

typedef struct tape {
    trace_event *event;
    size_t count, room;
    uint64_t p, q, out; /* buffers */
    uint64_t cycles, loads,
        lookups; /* transactions of loads; look-ups of L1s */
    uint32_t result[WORDS];
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

enum { SETTINGS = 16 };

/* `sets` and two more, which may be NULL. */
static void add_settings(const char *out[SETTINGS], const char *const *sets,
                         const char *one, const char *two)
{
    unsigned n = 0;

    for (; sets[n]; n++) {
        CHECK(n < SETTINGS - 3);
        out[n] = sets[n];
    }
    out[n++] = one;
    out[n++] = two;
    out[n] = NULL;
}

/* Runs CTAs of 8 warps; q is zero at the start. */
static tape *run(const char *name, const char *const *sets, const char *text,
                 unsigned ctas)
{
    rig *r = rig_new(name, sets);
    rt_memory *m = rt_device_memory(r->d);
    tape *t = calloc(1, sizeof *t);
    void *zero = calloc(1, TRAFFIC_BYTES);
    gpu_trace ask = {
        .filter = {.last_sm = 1000, .warps = UINT64_MAX, .to = UINT64_MAX},
        .take = take,
        .arg = t};
    rt_module *module;

    CHECK(t && zero);
    t->p = rt_alloc(m, TRAFFIC_BYTES, "p");
    t->q = rt_alloc(m, BYTES, "q");
    t->out = rt_alloc(m, BYTES, "out");
    CHECK(rt_write(m, t->p, zero, TRAFFIC_BYTES));
    CHECK(rt_write(m, t->q, zero, BYTES));
    rig_must(r, rt_module_load_text(r->d, "t.ptx", text, strlen(text), r->dg,
                                    &module));
    uint64_t params[3] = {t->p, t->q, t->out};
    rt_launch l = {.module = module,
                   .kernel = rt_module_kernel(module, NULL, r->dg),
                   .grid = {ctas, 1, 1},
                   .block = {256, 1, 1},
                   .params = params,
                   .counters = true,
                   .trace = &ask,
                   .max_cycles = 3000000};
    rig_must(r, rt_run(r->d, &l, r->dg, &r->last));
    t->cycles = r->last.cycles;
    t->loads = rig_count(r, "sm[*].tx_loads");
    t->lookups = rig_count(r, "sm[*].l1.tag_lookups");
    CHECK(rt_read(m, t->out, t->result, BYTES));
    free(zero);
    rig_free(r);
    return t;
}

static void tape_free(tape *t)
{
    free(t->event);
    free(t);
}

/* -- the order in which L1s perform requests --------------------------------
 */

typedef struct request {
    uint64_t addr, asked, performed;
    unsigned sm, warp;
    mem_kind kind;
} request;

typedef struct requests {
    request *at;
    size_t count;
} requests;

/* All requests, in the order in which they left the LSUs, with the cycles in
 * which they were performed: each is, once. */
static requests performed(const tape *t)
{
    requests r = {calloc(t->count, sizeof *r.at), 0};
    size_t waiting = 0, first = 0; /* requests not performed; the oldest */

    CHECK(r.at != NULL);
    for (size_t i = 0; i < t->count; i++) {
        const trace_event *e = &t->event[i];

        if (e->kind == TRACE_REQUEST) {
            r.at[r.count++] =
                (request){e->addr, e->cycle, 0, e->sm, e->warp, (mem_kind)e->b};
            waiting++;
        }
        if (e->kind != TRACE_L1_ACCESS)
            continue;
        while (first < r.count && r.at[first].performed)
            first++;
        size_t k = first;
        while (k < r.count &&
               (r.at[k].performed || r.at[k].sm != e->sm ||
                r.at[k].addr != e->addr || r.at[k].asked != e->cycle - e->inst))
            k++;
        CHECK(k < r.count);
        r.at[k].performed = e->cycle;
        waiting--;
    }
    CHECK_EQ(waiting, 0);
    return r;
}

/* Which requests no later one may be performed before. */
typedef enum ordered {
    SAME_LINE, /* of a line */
    ATOMICS,   /* if the later one is an atomic of the same warp */
    VOLATILES, /* if it is a load from q of the same warp */
} ordered;

static int by_line(const void *a, const void *b)
{
    const request *x = a, *y = b;

    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return x->asked < y->asked ? -1 : x->asked > y->asked;
}

static void late(const request *r)
{
    TEST_FAIL("line %" PRIx64 " of warp %u, asked for in %" PRIu64
              ", is performed in %" PRIu64 ", before earlier ones",
              r->addr, r->warp, r->asked, r->performed);
}

/* Returns how many requests, of those looked at, were performed before an
 * earlier one of any warp. */
static size_t in_order(const tape *t, ordered what)
{
    requests r = performed(t);
    uint64_t last[2][64] = {{0}}, last_of_all[2] = {0};
    size_t overtaking = 0;

    for (size_t i = 0; i < r.count; i++) {
        const request *q = &r.at[i];
        bool looked_at = what == ATOMICS
                             ? q->kind == MEM_ATOMIC
                             : q->kind == MEM_READ && q->addr >= t->q &&
                                   q->addr < t->q + BYTES;

        if (what != SAME_LINE && looked_at &&
            q->performed < last[q->sm][q->warp])
            late(q);
        if (q->performed > last[q->sm][q->warp])
            last[q->sm][q->warp] = q->performed;
        overtaking += (what == SAME_LINE || looked_at) &&
                      q->performed < last_of_all[q->sm];
        if (q->performed > last_of_all[q->sm])
            last_of_all[q->sm] = q->performed;
    }
    qsort(r.at, r.count, sizeof *r.at, by_line);
    for (size_t i = 1; i < r.count; i++)
        if (r.at[i].addr == r.at[i - 1].addr && r.at[i].sm == r.at[i - 1].sm &&
            r.at[i].performed < r.at[i - 1].performed)
            late(&r.at[i]);
    free(r.at);
    return overtaking;
}

static void everywhere(const char *text, unsigned ctas, ordered what,
                       void (*right)(const tape *t))
{
    for (unsigned g = 0; g < COUNTOF(gpus); g++)
        for (unsigned k = 0; k < 2 * (g ? 3 : COUNTOF(policies)); k++) {
            const char *sets[SETTINGS];
            unsigned i = k / 2;

            add_settings(sets, policies[i], k % 2 ? "l1.values=turn" : NULL,
                         NULL);
            tape *t = run(gpus[g], sets, text, ctas);
            size_t overtaken = in_order(t, what);

            if (policies[i] == fifo)
                CHECK_EQ(overtaken, 0);
            if (policies[i] == aware)
                CHECK(overtaken > 0);
            right(t);
            tape_free(t);
        }
}

/* -- litmus tests -----------------------------------------------------------
 */

/* One word for each thread; every access to it sees the one before. */
static void right_same_line(const tape *t)
{
    for (unsigned i = 0; i < 2 * 256; i++)
        CHECK_EQ(t->result[i], 5 + 6 + 11 + 11 + 100);
}

TEST(accesses_to_a_line_are_performed_in_their_order)
{
    static const char text[] = BEGIN
        "mad.lo.u32 %r4, %r3, 256, %r0;\n" PLACE TRAFFIC
        "st.global.u32 [%d4], 5;\n" GATHER(
            44) "atom.global.add.u32 %r20, [%d4], 1;\n"
                "ld.global.u32 %r21, [%d4];\n" GATHER(
                    45) "st.global.u32 [%d4], 10;\nred.global.add.u32 [%d4], "
                        "1;\n"
                        "ld.global.u32 %r22, [%d4];\n" GATHER(
                            46) "atom.global.exch.b32 %r23, [%d4], 100;\n"
                                "ld.global.u32 %r24, [%d4];\n"
                                "add.u32 %r20, %r20, %r21;\nadd.u32 %r20, "
                                "%r20, %r22;\n"
                                "add.u32 %r20, %r20, %r23;\nadd.u32 %r20, "
                                "%r20, %r24;\n"
                                "add.u32 %r20, %r20, %r44;\nadd.u32 %r20, "
                                "%r20, %r45;\n"
                                "add.u32 %r20, %r20, %r46;\n" LEAVE("%r20");

    everywhere(text, 2, SAME_LINE, right_same_line);
}

/* Warps of even CTAs write data, fence and raise a flag; those of odd ones wait
 * for it, fence and read. A pair has 64 words: 32 of data, then the flag. */
static void right_message(const tape *t)
{
    for (unsigned pair = 0; pair < 8; pair++)
        for (unsigned lane = 0; lane < 32; lane++)
            CHECK_EQ(t->result[64 * pair + lane], lane + 1);
}

TEST(a_message_is_there_when_its_flag_is)
{
    static const char text[] =
        BEGIN "shr.u32 %r5, %r3, 1;\nmad.lo.u32 %r5, %r5, 8, %r2;\n"
              "mad.lo.u32 %r4, %r5, 64, %r1;\n" PLACE TRAFFIC
              "and.b32 %r6, %r3, 1;\nsub.u32 %r7, 0, %r1;\n"
              "mul.wide.s32 %d7, %r7, 4;\nadd.u64 %d7, %d4, %d7;\n"
              "setp.eq.u32 %p1, %r6, 1;\n@%p1 bra READER;\n"
              "add.u32 %r20, %r1, 1;\nst.global.u32 [%d4], %r20;\nmembar.gl;\n"
              "st.volatile.global.u32 [%d7+128], 1;\n"
              "add.u64 %d5, %d5, 128;\nbra DONE;\n"
              "READER: ld.volatile.global.u32 %r21, [%d7+128];\n"
              "setp.eq.u32 %p2, %r21, 0;\n@%p2 bra READER;\nmembar.gl;\n"
              "ld.global.u32 %r20, [%d4];\nDONE:\n" LEAVE("%r20");

    everywhere(text, 2, SAME_LINE, right_message);
}

/* Both write, fence, and read what the other has written. */
static void right_buffering(const tape *t)
{
    for (unsigned i = 0; i < 2 * 256; i++)
        CHECK(t->result[i] || t->result[i + 2048]);
}

TEST(of_two_that_write_and_read_one_sees_the_other)
{
    static const char text[] = BEGIN
        "and.b32 %r6, %r3, 1;\nshr.u32 %r5, %r3, 1;\n"
        "mad.lo.u32 %r4, %r5, 256, %r0;\nmul.lo.u32 %r7, %r6, 2048;\n"
        "xor.b32 %r8, %r7, 2048;\nadd.u32 %r8, %r8, %r4;\n"
        "add.u32 %r4, %r4, %r7;\n"
        "mul.wide.u32 %d7, %r8, 4;\nadd.u64 %d7, %d2, %d7;\n" PLACE TRAFFIC
        "st.global.u32 [%d4], 1;\nmembar.gl;\n"
        "ld.volatile.global.u32 %r20, [%d7];\n" LEAVE("%r20");
    enum { CTAS = 4 };

    everywhere(text, CTAS, SAME_LINE, right_buffering);
}

static void right_nothing(const tape *t) { (void)t; }

/* An atomic waits for what its warp has asked for before. */
TEST(atomics_do_not_overtake_loads_of_their_warp)
{
    static const char text[] =
        BEGIN "mul.lo.u32 %r4, %r1, 32;\n" PLACE TRAFFIC
              "red.global.add.u32 [%d4], 1;\n" GATHER(
                  44) "atom.global.add.u32 %r20, "
                      "[%d4], 1;\n" GATHER(45) "sub.u32 %r20, "
                                               "%r44, "
                                               "%r45;\n" LEAVE("%r"
                                                               "2"
                                                               "0");

    everywhere(text, 2, ATOMICS, right_nothing);
}

TEST(volatile_loads_do_not_overtake_loads_of_their_warp)
{
    static const char text[] = BEGIN
        "mad.lo.u32 %r4, %r3, 256, %r0;\n" PLACE TRAFFIC
        "ld.volatile.global.u32 %r20, [%d4];\n" GATHER(
            44) "ld.volatile.global.u32 %r21, [%d4];\n"
                "add.u32 %r20, %r20, %r21;\nadd.u32 %r20, %r20, %r44;\n" LEAVE(
                    "%r20");

    everywhere(text, 2, VOLATILES, right_nothing);
}

/* Each warp writes, then all meet, then each reads what another has written. */
static void right_barrier(const tape *t)
{
    for (unsigned i = 0; i < 2 * 256; i++)
        CHECK_EQ(t->result[i], (i ^ 32) + 1);
}

TEST(after_a_barrier_others_stores_are_seen)
{
    static const char text[] =
        BEGIN "mad.lo.u32 %r4, %r3, 256, %r0;\n" PLACE TRAFFIC
              "add.u32 %r20, %r4, 1;\nst.global.u32 [%d4], %r20;\n" GATHER(
                  44) "bar.sync 0;\nxor.b32 %r5, %r4, 32;\nmul.wide.u32 %d7, "
                      "%r5, 4;\n"
                      "add.u64 %d7, %d2, %d7;\nld.global.u32 %r21, [%d7];\n"
                      "add.u32 %r21, %r21, %r44;\n" LEAVE("%r21");

    everywhere(text, 2, SAME_LINE, right_barrier);
}

/* -- a wrong order shows ------------------------------------------------------
 */

/* Words of the first 512 results that are not `want`(their index). */
static unsigned wrong_words(const char *const *sets, const char *values,
                            const char *kept, const char *text,
                            uint32_t (*want)(unsigned i))
{
    const char *all[SETTINGS];
    unsigned wrong = 0;

    add_settings(all, sets, values, kept);
    tape *t = run("gtx480", all, text, 2);
    for (unsigned i = 0; i < 2 * 256; i++)
        wrong += t->result[i] != want(i);
    tape_free(t);
    return wrong;
}

/* Odd warps have much to load before they write; after the barrier even ones
 * read what they wrote. In queues of warps the reading load finds no other
 * before it but the store, which is far behind in another queue: if that is
 * ignored, and values are those of its turn, it finds what was there before. */
static const char *const by_warp[] = {SMALL, "l1.queue=mrpb",
                                      "l1.mrpb.depth=256", NULL};
static const char late_text[] =
    BEGIN "mad.lo.u32 %r4, %r3, 256, %r0;\n" PLACE
          "and.b32 %r5, %r2, 1;\nsetp.eq.u32 %p1, %r5, 0;\n"
          "mov.u32 %r40, 0;\nmov.u32 %r41, 0;\nmov.u32 %r42, 0;\n"
          "mov.u32 %r43, 0;\n@%p1 bra WRITE;\n" TRAFFIC
          "WRITE: add.u32 %r20, %r4, 1;\nst.global.u32 [%d4], %r20;\n"
          "bar.sync 0;\nxor.b32 %r5, %r4, 32;\nmul.wide.u32 %d7, %r5, 4;\n"
          "add.u64 %d7, %d2, %d7;\nld.global.u32 %r21, [%d7];\n" LEAVE("%r21");

static uint32_t neighbours_word(unsigned i) { return (i ^ 32) + 1; }

TEST(loads_that_overtake_stores_to_their_line_find_old_values)
{
    CHECK_EQ(wrong_words(by_warp, "l1.values=turn", "l1.ordered=true",
                         late_text, neighbours_word),
             0);
    CHECK(wrong_words(by_warp, "l1.values=turn", "l1.ordered=false", late_text,
                      neighbours_word) > 0);
    CHECK_EQ(wrong_words(by_warp, "l1.values=start", "l1.ordered=false",
                         late_text, neighbours_word),
             0);
}

/* A thread writes, then reads its own word again, with loads of others before
 * it in the way: a load put aside must not be overtaken by the store behind it.
 */
static const char before_text[] =
    BEGIN "mad.lo.u32 %r4, %r3, 256, %r0;\n" PLACE TRAFFIC
          "ld.global.u32 %r20, [%d4];\nadd.u32 %r21, %r4, 7;\n"
          "st.global.u32 [%d4], %r21;\n" LEAVE("%r20");

static uint32_t nothing_yet(unsigned i)
{
    (void)i;
    return 0;
}

TEST(stores_that_overtake_loads_of_their_line_are_seen_too_early)
{
    CHECK_EQ(wrong_words(mascar, "l1.values=turn", "l1.ordered=true",
                         before_text, nothing_yet),
             0);
    CHECK(wrong_words(mascar, "l1.values=turn", "l1.ordered=false", before_text,
                      nothing_yet) > 0);
    CHECK_EQ(wrong_words(mascar, "l1.values=start", "l1.ordered=false",
                         before_text, nothing_yet),
             0);
}

/* Warps of the even CTA load 32 lines of one set, write a line of that set, and
 * raise a flag in the next set; those of the odd CTA, on another SM, wait for
 * it and read. Volatile accesses of a warp stay in order: the data are there.
 */
static const char *const by_set[] = {SMALL, "l1.queue=reod", "l1.index=mod",
                                     "l1.reod.depth=64", NULL};
static const char flag_text[] =
    BEGIN "mad.lo.u32 %r4, %r2, 64, %r1;\n" PLACE
          "setp.eq.u32 %p1, %r3, 1;\n@%p1 bra READER;\n"
          "and.b64 %d12, %d4, 3968;\nand.b64 %d13, %d1, -4096;\n"
          "add.u64 %d13, %d13, %d12;\nadd.u32 %r5, %r1, 1;\n"
          "mul.wide.u32 %d14, %r5, 4096;\nadd.u64 %d13, %d13, %d14;\n"
          "ld.global.u32 %r40, [%d13];\n"
          "st.volatile.global.u32 [%d4], 9;\n"
          "st.volatile.global.u32 [%d4+128], 1;\n"
          "add.u64 %d5, %d5, 128;\nmov.u32 %r20, %r40;\nbra END;\n"
          "READER: ld.volatile.global.u32 %r21, [%d4+128];\n"
          "setp.eq.u32 %p2, %r21, 0;\n@%p2 bra READER;\n"
          "ld.volatile.global.u32 %r20, [%d4];\n"
          "END: st.global.u32 [%d5], %r20;\nret;\n}\n";

static uint32_t nine_where_data_are(unsigned i) { return i % 64 < 32 ? 9 : 0; }

TEST(volatile_stores_that_overtake_others_raise_the_flag_too_early)
{
    CHECK_EQ(wrong_words(by_set, "l1.values=turn", "l1.ordered=true", flag_text,
                         nine_where_data_are),
             0);
    CHECK(wrong_words(by_set, "l1.values=turn", "l1.ordered=false", flag_text,
                      nine_where_data_are) > 0);
    CHECK_EQ(wrong_words(by_set, "l1.values=start", "l1.ordered=false",
                         flag_text, nine_where_data_are),
             0);
}

/* -- what enters the queues -------------------------------------------------
 */

/* Lanes below %r5, which differs by warp, load a line each; before that, lanes
 * that are never there. */
TEST(only_active_lanes_make_requests)
{
    static const char text[] = BEGIN
        "mad.lo.u32 %r4, %r3, 256, %r0;\n" PLACE
        "setp.ge.u32 %p1, %r1, 32;\nmov.u32 %r20, 0;\n"
        "@%p1 ld.global.u32 %r20, [%d4];\n"
        "mul.lo.u32 %r5, %r2, 4;\nsetp.ge.u32 %p2, %r1, %r5;\n"
        "mul.wide.u32 %d7, %r0, 128;\nadd.u64 %d7, %d1, %d7;\n"
        "mov.u32 %r21, 0;\n@%p2 bra OUT;\n"
        "ld.global.u32 %r21, [%d7];\nOUT:\n"
        "add.u32 %r20, %r20, %r21;\nst.global.u32 [%d5], %r20;\nret;\n}\n";

    for (unsigned i = 0; i < COUNTOF(policies); i++) {
        tape *t = run("v100", policies[i], text, 1);
        requests r = performed(t);

        CHECK_EQ(t->loads, 4 * (1 + 2 + 3 + 4 + 5 + 6 + 7));
        CHECK_EQ(t->lookups, t->loads + 8 * 1); /* a store a warp */
        CHECK_EQ(r.count, t->lookups);
        free(r.at);
        tape_free(t);
    }
}

/* The warps end while their loads are in queues: the kernel does not, and what
 * is asked for is performed once, however often it was refused. */
TEST(a_kernel_ends_when_its_queues_are_empty)
{
    static const char text[] =
        BEGIN TRAFFIC "setp.lt.s32 %p1, %r9, 0;\n@!%p1 bra END;\n" SUM
                      "st.global.u32 [%d3], %r10;\nEND: ret;\n}\n";

    for (unsigned i = 0; i < COUNTOF(policies); i++) {
        tape *t = run("gtx480", policies[i], text, 2);
        requests r = performed(t);
        uint64_t last = 0;

        for (size_t k = 0; k < r.count; k++)
            if (r.at[k].performed > last)
                last = r.at[k].performed;
        CHECK(t->loads > 2 * 8 * 4 * 28); /* some lanes share a line */
        CHECK_EQ(r.count, t->lookups);
        CHECK(t->cycles > last);
        free(r.at);
        tape_free(t);
    }
}

/* Arithmetic of 300 dependent instructions after a barrier or a fence. The
 * former does not wait for loads in queues, the latter does. */
static uint64_t work_after(const char *const *sets, const char *wait)
{
    strbuf b = {0};

    strbuf_puts(&b, BEGIN "mad.lo.u32 %r4, %r3, 256, %r0;\n" PLACE GATHER(40));
    strbuf_puts(&b, wait);
    for (unsigned i = 0; i < 300; i++)
        strbuf_puts(&b, "mad.lo.u32 %r0, %r0, %r0, %r1;\n");
    strbuf_puts(
        &b, "add.u32 %r11, %r0, %r40;\nst.global.u32 [%d5], %r11;\nret;\n}\n");
    tape *t = run("gtx480", sets, b.text, 1);
    uint64_t cycles = t->cycles;
    tape_free(t);
    strbuf_fini(&b);
    return cycles;
}

TEST(a_barrier_does_not_drain_queues_but_a_fence_does)
{
    static const char *const *const some[] = {fifo, aware, mrpb};

    for (unsigned i = 0; i < COUNTOF(some); i++) {
        uint64_t none = work_after(some[i], "");
        uint64_t barrier = work_after(some[i], "bar.sync 0;\n");
        uint64_t block = work_after(some[i], "membar.cta;\n");
        uint64_t fence = work_after(some[i], "membar.gl;\n");

        CHECK(barrier < none + 100);
        CHECK(fence > none + 2500);
        CHECK(block > none + 2500); /* fifo: until the port has taken all */
    }
}
