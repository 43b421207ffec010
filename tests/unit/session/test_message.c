/* src/session/message.h and setup.h: every message survives the wire, and no
 * damage to one is worse than a refusal. */
#include "session/message.h"

#include "base/rng.h"
#include "session/record.h"
#include "session/setup.h"
#include "test.h"

/* ---- Round trips ---- */

static uint8_t payload_of(const strbuf *b, wire *w)
{
    uint8_t kind = 0;
    size_t used;

    CHECK_EQ(wire_next(b->text, b->size, &kind, w, &used), WIRE_WHOLE);
    CHECK_EQ(used, b->size);
    return kind;
}

TEST(a_setup_survives_the_wire)
{
    launch_filter_rule rules[] = {{"a*", 1, 2}, {"b", 3, UINT64_MAX}};
    session_device devices[] = {{"v100", "one"}, {"k20", "two"}};
    session_setup s = {.slack_bytes = 4096,
                       .as_cpu = true,
                       .code = CODE_SASS,
                       .rt = {.threads = 3,
                              .no_skip = true,
                              .shuffle = 1ull << 40,
                              .max_registers = 64,
                              .print_bytes = 5,
                              .heap_bytes = 6,
                              .stack_bytes = 7,
                              .trace_folder = "/traces",
                              .trace_pack = PACK_ZSTD},
                       .filter = {.functional = true,
                                  .rule = rules,
                                  .count = 2,
                                  .skip = 9,
                                  .max_timed = 10},
                       .max_cycles = 11,
                       .profile = true,
                       .hash = true,
                       .devices = devices,
                       .device_count = 2};
    strbuf b = {0};
    wire w;

    session_setup_put(&b, &s);
    CHECK_EQ(payload_of(&b, &w), MSG_SETUP);
    session_setup *got = session_setup_get(&w);
    CHECK(got && !w.left);
    CHECK_EQ(got->rt.threads, 3);
    CHECK(got->rt.no_skip);
    CHECK(got->rt.shuffle == 1ull << 40);
    CHECK_EQ(got->rt.max_registers, 64);
    CHECK_EQ(got->rt.print_bytes, 5);
    CHECK_EQ(got->rt.heap_bytes, 6);
    CHECK_EQ(got->rt.stack_bytes, 7);
    CHECK_STR(got->rt.trace_folder, "/traces");
    CHECK_EQ(got->rt.trace_pack, PACK_ZSTD);
    CHECK(got->filter.functional);
    CHECK_EQ(got->filter.count, 2);
    CHECK_STR(got->filter.rule[1].kernel, "b");
    CHECK_EQ(got->filter.rule[0].last, 2);
    CHECK_EQ(got->filter.skip, 9);
    CHECK_EQ(got->filter.max_timed, 10);
    CHECK_EQ(got->max_cycles, 11);
    CHECK(got->profile && got->hash && !got->sources && !got->per_block);
    CHECK_EQ(got->device_count, 2);
    CHECK_STR(got->devices[0].name, "v100");
    CHECK_STR(got->devices[1].config, "two");
    CHECK_EQ(got->slack_bytes, 4096);
    CHECK(got->as_cpu);
    CHECK_EQ(got->code, CODE_SASS);
    session_setup_free(got);
    for (size_t n = 0; n < b.size - WIRE_HEADER; n++) { /* cut off anywhere */
        w = (wire){.at = (unsigned char *)b.text + WIRE_HEADER, .left = n};
        CHECK(!session_setup_get(&w));
    }
    strbuf_fini(&b);
}

TEST(a_checkpoint_survives_the_wire)
{
    session_device device = {"v100", "one"};
    session_setup s = {.checkpoint = {.file = "/a.checkpoint",
                                      .kernel = "a*",
                                      .nth = 12,
                                      .taken = true},
                       .timeline = true,
                       .devices = &device,
                       .device_count = 1};
    strbuf b = {0};
    wire w;

    session_setup_put(&b, &s);
    CHECK_EQ(payload_of(&b, &w), MSG_SETUP);
    session_setup *got = session_setup_get(&w);
    CHECK(got && !w.left);
    CHECK_STR(got->checkpoint.file, "/a.checkpoint");
    CHECK_STR(got->checkpoint.kernel, "a*");
    CHECK_EQ(got->checkpoint.nth, 12);
    CHECK(got->checkpoint.taken && !got->checkpoint.resumes);
    CHECK(got->timeline && !got->hash);
    session_setup_free(got);
    b.size = 0;
    s.checkpoint.kernel = NULL; /* to be written, after nothing */
    session_setup_put(&b, &s);
    CHECK_EQ(payload_of(&b, &w), MSG_SETUP);
    CHECK(!session_setup_get(&w));
    strbuf_fini(&b);
}

TEST(that_somebody_watches_survives_the_wire)
{
    session_device device = {"v100", "one"};
    session_setup s = {.devices = &device, .device_count = 1};

    for (unsigned i = 0; i < 4; i++) {
        strbuf b = {0};
        wire w;

        s.watch = (session_watching){i & 1, i >> 1};
        session_setup_put(&b, &s);
        CHECK_EQ(payload_of(&b, &w), MSG_SETUP);
        session_setup *got = session_setup_get(&w);
        CHECK(got && !got->hash && !got->timeline);
        CHECK(got->watch.wanted == (i & 1) && got->watch.hold == i >> 1);
        session_setup_free(got);
        strbuf_fini(&b);
    }
}

typedef struct pair {
    uint64_t a, b;
} pair;

static const stat_desc pair_desc[] = {
    {"a", "cycle", "the a", 0, "h", "lane", 7},
    {"b", "inst", "the b", 8, NULL, NULL, 0}};

static stats *two_kinds(pair *p)
{
    stats *s = stats_new();

    CHECK(s);
    stats_add(s, "x[0]", pair_desc, 2, &p[0]);
    stats_add(s, "x[0].y", pair_desc, 1, &p[1]);
    stats_add(s, "x[1]", pair_desc, 2, &p[2]);
    return s;
}

TEST(names_of_counters_survive_the_wire)
{
    pair p[3] = {{1, 2}, {3, 4}, {5, 6}};
    stats *s = two_kinds(p), *got;
    arena *mem = arena_new();

    for (unsigned all = 0; all < 2; all++) {
        strbuf b = {0};
        uint32_t device;
        wire w;

        msg_counters_put(&b, 7, all, s);
        CHECK_EQ(payload_of(&b, &w), MSG_COUNTERS);
        CHECK(msg_counters_get(&w, mem, &device, &got));
        CHECK_EQ(device, 7);
        CHECK_EQ(stats_count(got), all ? 5 : 3);
        CHECK_EQ(stats_total_count(got), stats_total_count(s));
        for (size_t i = 0; i < stats_total_count(s); i++) {
            stats_total_item x = stats_total_get(s, i);
            stats_total_item y = stats_total_get(got, i);

            CHECK_STR(y.path, x.path);
            CHECK_STR(y.desc->id, x.desc->id);
            CHECK_STR(y.desc->unit, x.desc->unit);
            CHECK_STR(y.desc->help, x.desc->help);
            CHECK_EQ(y.desc->hist != NULL, x.desc->hist != NULL);
            CHECK_EQ(y.desc->from, x.desc->from);
            if (x.desc->hist) {
                CHECK_STR(y.desc->hist, "h");
                CHECK_STR(y.desc->of, "lane");
            }
        }
        if (all)
            CHECK_STR(stats_get(got, 2).path, "x[0].y");
        stats_free(got);
        strbuf_fini(&b);
    }
    arena_free(mem);
    stats_free(s);
}

static void put_result(strbuf *b, uint64_t launch)
{
    static const uint64_t totals[] = {1000, 2, 3};
    energy_sample sample = {40, {.cycles = 37}};
    uint64_t ends[] = {30, 37}, warps[] = {1, 2, 3, 4, 5, 1ull << 40};
    exec_line line = {.time = 5, .sm = 6, .length = 3, .text = "a\0b"};
    msg_result m = {
        .launch = launch,
        .error = "bad",
        .is = {.status = ST_FAULT,
               .cycles = 77,
               .limiter = "registers",
               .host_seconds = 0.5,
               .lines = &line,
               .line_count = 1,
               .lines_lost = 8,
               .totals = totals},
        .total_count = 3,
        .series = {.row = &sample, .count = 1},
        .warps = {.blocks = 3, .count = 2, .end = ends, .value = warps},
        .moved = {1, 2, 3}};

    sample.energy.part_fj[0] = 5;
    sample.energy.part_fj[ENERGY_PARTS - 1] = 1ull << 40;
    msg_result_put(b, &m);
}

TEST(a_result_survives_the_wire)
{
    arena *mem = arena_new();
    strbuf b = {0};
    msg_result m;
    wire w;

    put_result(&b, 3);
    CHECK_EQ(payload_of(&b, &w), MSG_RESULT);
    CHECK(msg_result_get(&w, mem, &m));
    CHECK_EQ(m.launch, 3);
    CHECK_STR(m.error, "bad");
    CHECK_EQ(m.is.status, ST_FAULT);
    CHECK_EQ(m.is.cycles, 77);
    CHECK_STR(m.is.limiter, "registers");
    CHECK(m.is.host_seconds == 0.5);
    CHECK_EQ(m.is.line_count, 1);
    CHECK_EQ(m.is.lines[0].length, 3);
    CHECK(!memcmp(m.is.lines[0].text, "a\0b", 4));
    CHECK_EQ(m.total_count, 3);
    CHECK_EQ(m.is.totals[0], 1000);
    CHECK_EQ(m.counter_count, 0);
    CHECK_EQ(m.series.count, 1);
    CHECK_EQ(m.series.row[0].start, 40);
    CHECK_EQ(m.series.row[0].energy.cycles, 37);
    CHECK_EQ(m.series.row[0].energy.part_fj[0], 5);
    CHECK_EQ(m.series.row[0].energy.total_fj, (1ull << 40) + 5);
    CHECK_EQ(m.warps.blocks, 3);
    CHECK_EQ(m.warps.count, 2);
    CHECK_EQ(m.warps.end[1], 37);
    CHECK_EQ(m.warps.value[0], 1);
    CHECK_EQ(m.warps.value[5], 1ull << 40);
    CHECK_EQ(m.moved.copy_bytes, 3);
    msg_result_fini(&m);
    strbuf_fini(&b);
    arena_free(mem);
}

/* ---- The record of a launch ---- */

static void take(record *r, strbuf *b, bool good)
{
    wire w;
    uint8_t kind = payload_of(b, &w);

    CHECK_EQ(record_take(r, kind, &w), good);
    b->size = 0;
}

enum outcome_row {
#define RESULT(id, ...) ROW_##id,
#define SHOWN(...)
#include "stats/launch_record.def"
#undef RESULT
#undef SHOWN
};

#define SET_STATUS(id)  ST_FAULT
#define SET_COUNT(id)   (1ull << 40) + ROW_##id
#define SET_NUMBER(id)  (1u << 20) + ROW_##id
#define SET_SECONDS(id) 0.25 + ROW_##id
#define SET_TEXT(id)    #id

#define SAME_STATUS             CHECK_EQ
#define SAME_COUNT              CHECK_EQ
#define SAME_NUMBER             CHECK_EQ
#define SAME_SECONDS(got, want) CHECK((got) == (want))
#define SAME_TEXT               CHECK_STR

/* No two rows have the same value. */
static const launch_outcome distinct = {
#define RESULT(id, kind, ...) .id = SET_##kind(id),
#define SHOWN(...)
#include "stats/launch_record.def"
#undef RESULT
#undef SHOWN
};

static void check_distinct(const launch_outcome *is)
{
#define RESULT(id, kind, ...) SAME_##kind(is->id, distinct.id);
#define SHOWN(...)
#include "stats/launch_record.def"
#undef RESULT
#undef SHOWN
}

TEST(every_row_of_a_launch_survives_the_wire)
{
    static const config cfg;
    const config *one = &cfg;
    record *r = record_new(&one, 1, 8);
    msg_part part = {.kernel = {.module = 1, .name = "k"},
                     .stream = "queue",
                     .outcome = distinct};
    strbuf b = {0};

    CHECK(r);
    part.outcome.start *= 2; /* the group's, and as much again */
    msg_hello_put(&b, &(msg_hello){1, 2, "p", "p x", "0"});
    take(r, &b, true);
    for (uint64_t i = 0; i < 2; i++) {
        msg_begin_put(&b, &(msg_begin){.launch = i, .kernel = part.kernel});
        take(r, &b, true);
        part.launch = i;
        if (i) {
            msg_part_put(&b, &part);
            take(r, &b, true);
        }
        msg_result_put(&b,
                       &(msg_result){.launch = i, .is = {.outcome = distinct}});
        take(r, &b, true);
    }
    report_process is = record_report(r, false, false);
    CHECK_EQ(is.launch_count, 2);
    check_distinct(&is.launches[0].outcome);
    check_distinct(&is.launches[1].group->part[0].outcome);
    record_free(r);
    strbuf_fini(&b);
}

/* ---- Damage ---- */

/* Two of a launch, that of cycle 5 first. */
static void put_parts(strbuf *b, uint64_t launch)
{
    static sm_profile_row rows[3];
    msg_part m = {.launch = launch,
                  .kernel = {.module = 1, .name = "k", .grid = {4, 1, 1}},
                  .stream = "queue 1",
                  .outcome = {.start = 105, .cycles = 20, .limiter = "warps"},
                  .profile = rows,
                  .profile_count = 3};

    msg_part_put(b, &m);
    m.kernel.module = 2; /* nobody spoke of it */
    m.kernel.name = "other";
    m.outcome.start = 100;
    m.outcome.cycles = 70;
    m.outcome.status = ST_INTERRUPTED;
    m.profile = NULL;
    m.profile_count = 0;
    msg_part_put(b, &m);
}

/* All that a process may send, one after the other. */
static void put_all(strbuf *b)
{
    static const msg_text text = {"f.cl", "source"};
    pair p[3] = {{0, 0}};
    stats *s = two_kinds(p);

    msg_hello_put(b, &(msg_hello){1, 2, "p", "p x", "0"});
    msg_counters_put(b, 0, false, s);
    msg_module_put(b, &(msg_module){.number = 1,
                                    .name = "m",
                                    .texts = (msg_text *)&text,
                                    .text_count = 1});
    for (unsigned i = 0; i < 2; i++) {
        msg_begin_put(b, &(msg_begin){.launch = i,
                                      .kernel = {.module = 1,
                                                 .name = "k",
                                                 .grid = {1, 1, 1},
                                                 .block = {1, 1, 1}}});
        msg_progress_put(b, i, &(gpu_progress){1, 2, 3, 4, 0, 0, ""});
        if (i)
            put_parts(b, i);
        put_result(b, i);
    }
    msg_note_put(b, "note");
    msg_failed_put(b, &(msg_failed){"clFinish", -5, "CL_OUT_OF_RESOURCES", ""});
    msg_bye_put(b, &(msg_bye){.has_hash = true, .hash = 1});
    stats_free(s);
}

/* What a record makes of a stream; false: it was refused somewhere. */
static bool feed(const char *data, size_t size, uint64_t *launches)
{
    static const config cfg;
    const config *one = &cfg;
    record *r = record_new(&one, 1, 8);
    size_t done = 0, used;
    uint8_t kind;
    wire w;
    bool good = true;
    wire_state state = WIRE_MORE;

    CHECK(r);
    while (good && (state = wire_next(data + done, size - done, &kind, &w,
                                      &used)) == WIRE_WHOLE) {
        good = record_take(r, kind, &w);
        done += used;
    }
    *launches = record_report(r, false, !good).launch_count;
    record_free(r);
    return good && state != WIRE_BAD;
}

TEST(a_whole_conversation_is_understood)
{
    strbuf b = {0};
    uint64_t launches;

    put_all(&b);
    CHECK(feed(b.text, b.size, &launches));
    CHECK_EQ(launches, 2);
    strbuf_fini(&b);
}

/* Two devices, a group on the first. */
TEST(launches_in_flight_together_are_told_as_one)
{
    static const config cfg;
    const config *both[] = {&cfg, &cfg};
    record *r = record_new(both, 2, 8);
    strbuf b = {0}, parts = {0};
    rt_result is = {.start = 100, .cycles = 70, .limiter = "-"};
    gpu_progress now;

    msg_hello_put(&b, &(msg_hello){1, 2, "p", "p x", "0"});
    take(r, &b, true);
    for (unsigned i = 0; i < 2; i++) {
        msg_begin_put(&b, &(msg_begin){.launch = i,
                                       .device = i,
                                       .kernel = {.module = 1, .name = "k"}});
        take(r, &b, true);
    }
    msg_progress_put(&b, 0, &(gpu_progress){1, 2, 3, 4, 0, 0, ""});
    take(r, &b, true);
    CHECK(record_launch(r, 0, &now) == record_nth(r, 0) && now.cycle == 1);
    CHECK(record_launch(r, 1, &now) == record_nth(r, 1) && now.cycle == 0);
    put_parts(&parts, 0);
    for (size_t at = 0, used; at < parts.size; at += used) {
        uint8_t kind;
        wire w;

        CHECK_EQ(wire_next(parts.text + at, parts.size - at, &kind, &w, &used),
                 WIRE_WHOLE);
        CHECK(record_take(r, kind, &w));
    }
    msg_result_put(&b, &(msg_result){.launch = 1, .is = is});
    take(r, &b, true);
    msg_result_put(&b, &(msg_result){.launch = 0, .is = is});
    take(r, &b, true);
    msg_result_put(&b, &(msg_result){.launch = 0, .is = is});
    take(r, &b, false); /* it has one */
    report_process p = record_report(r, false, false);
    CHECK_EQ(p.launch_count, 2);
    CHECK(!p.launches[1].group && !p.launches[1].unfinished);
    const report_group *g = p.launches[0].group;
    CHECK(g && g->count == 2);
    CHECK_STR(p.launches[0].kernel->name, "k + other");
    CHECK_EQ(g->part[0].start, 5);
    CHECK_EQ(g->part[0].cycles, 20);
    CHECK_STR(g->part[0].stream, "queue 1");
    CHECK_EQ(g->part[0].grid[0], 4);
    CHECK_EQ(g->part[1].start, 0);
    CHECK_EQ(g->part[1].status, ST_INTERRUPTED);
    record_free(r);
    strbuf_fini(&b);
    strbuf_fini(&parts);
}

static void fail(record *r, strbuf *b, unsigned i)
{
    char text[16];

    snprintf(text, sizeof text, "why %u", i);
    msg_failed_put(b, &(msg_failed){"clFinish", -5, "CL_OUT", text});
    take(r, b, true);
}

/* Of a hundred kinds the first sixteen and the last are kept, each once. */
TEST(calls_that_failed_are_counted_by_kind)
{
    static const config cfg;
    const config *one = &cfg;
    record *r = record_new(&one, 1, 8);
    strbuf b = {0};
    uint64_t told = 0;

    msg_hello_put(&b, &(msg_hello){1, 2, "p", "p x", "0"});
    take(r, &b, true);
    for (unsigned i = 0; i < 100; i++) {
        fail(r, &b, 0);
        fail(r, &b, i);
    }
    msg_failed_put(&b, &(msg_failed){"clFlush", -5, "CL_OUT", "why 0"});
    take(r, &b, true);
    report_process p = record_report(r, false, false);
    CHECK_EQ(p.failure_count, 32);
    CHECK_STR(p.failures[0].text, "why 0");
    CHECK_EQ(p.failures[0].count, 101);
    CHECK_EQ(p.failures[0].code, -5);
    CHECK_STR(p.failures[15].text, "why 15");
    CHECK_STR(p.failures[16].text, "why 85");
    CHECK_STR(p.failures[30].text, "why 99");
    CHECK_STR(p.failures[31].function, "clFlush");
    for (size_t i = 0; i < p.failure_count; i++)
        told += p.failures[i].count;
    CHECK_EQ(told + p.failures_lost, 201);
    record_free(r);
    strbuf_fini(&b);
}

static const report_activity copy = {.kind = ACTIVITY_H2D,
                                     .flags = ACTIVITY_FAILED,
                                     .stream = "stream 2",
                                     .begin_ns = 1ull << 60,
                                     .end_ns = UINT64_MAX,
                                     .bytes = 1ull << 40,
                                     .launch = ACTIVITY_NONE,
                                     .part = 3};

TEST(activities_survive_the_wire)
{
    static const config cfg;
    const config *one = &cfg;
    record *r = record_new(&one, 1, 8);
    strbuf b = {0};

    msg_hello_put(&b, &(msg_hello){1, 2, "p", "p x", "0"});
    take(r, &b, true);
    msg_activity_put(&b, &copy);
    take(r, &b, true);
    msg_activity_put(&b, &(report_activity){.kind = ACTIVITY_WAIT});
    take(r, &b, true);
    report_process p = record_report(r, false, false);
    CHECK_EQ(p.activity_count, 2);
    const report_activity *a = &p.activities[1]; /* by their begin */
    CHECK_EQ(a->kind, ACTIVITY_H2D);
    CHECK_EQ(a->flags, ACTIVITY_FAILED);
    CHECK_STR(a->stream, "stream 2");
    CHECK(a->begin_ns == 1ull << 60 && a->end_ns == UINT64_MAX);
    CHECK(a->bytes == 1ull << 40 && a->launch == ACTIVITY_NONE && a->part == 3);
    CHECK(!p.activities[0].stream);
    record_free(r);
    strbuf_fini(&b);
}

TEST(activities_that_cannot_be_are_refused)
{
    static const config cfg;
    const config *one = &cfg;
    report_activity bad[] = {copy, copy, copy, copy};

    bad[0].end_ns = bad[0].begin_ns - 1;
    bad[1].stream = NULL;
    bad[2].device = 1; /* there is none */
    bad[3].kind = ACTIVITY_KINDS;
    for (unsigned i = 0; i < 4; i++) {
        record *r = record_new(&one, 1, 8);
        strbuf b = {0};

        msg_hello_put(&b, &(msg_hello){1, 2, "p", "p x", "0"});
        take(r, &b, true);
        msg_activity_put(&b, &bad[i]);
        take(r, &b, false);
        record_free(r);
        strbuf_fini(&b);
    }
}

TEST(what_is_asked_and_seen_survives_the_wire)
{
    const lookout_ask ask = {LOOKOUT_STEP, 1ull << 40, 7, true, 1, 2, 3};
    lookout_seen seen = {.device = 1,
                         .text = "{}",
                         .warp = "{\"sm\": 1}",
                         .done = 5,
                         .standing = true,
                         .launch_s = 1.5,
                         .all_s = 2.5,
                         .is = {.ctas = 9, .spin = "x"}};
    arena *mem = arena_new();
    strbuf b = {0};
    lookout_ask a;
    lookout_seen s;
    wire w;

    msg_ask_put(&b, &ask);
    CHECK_EQ(payload_of(&b, &w), MSG_ASK);
    CHECK(msg_ask_get(&w, &a) && !w.left);
    CHECK(a.command == LOOKOUT_STEP && a.number == 1ull << 40);
    CHECK(a.cycles == 7 && a.inspects);
    CHECK(a.device == 1 && a.sm == 2 && a.slot == 3);
    b.size = 0;
    msg_seen_put(&b, &seen);
    CHECK_EQ(payload_of(&b, &w), MSG_SEEN);
    CHECK(msg_seen_get(&w, mem, &s) && !w.left);
    CHECK_STR(s.text, "{}");
    CHECK_STR(s.warp, "{\"sm\": 1}");
    CHECK(s.device == 1 && s.done == 5 && s.standing);
    CHECK(s.launch_s == 1.5 && s.all_s == 2.5 && s.is.ctas == 9);
    CHECK_STR(s.is.spin, "x");
    strbuf_fini(&b);
    arena_free(mem);
}

TEST(commands_and_sights_that_cannot_be_are_refused)
{
    arena *mem = arena_new();
    strbuf b = {0};
    lookout_seen s;
    lookout_ask a;
    wire w;

    msg_ask_put(&b, &(lookout_ask){.command = LOOKOUT_COMMANDS});
    payload_of(&b, &w);
    CHECK(!msg_ask_get(&w, &a));
    payload_of(&b, &w);
    w.left--; /* cut off */
    CHECK(!msg_ask_get(&w, &a));
    b.size = 0;
    msg_seen_put(&b, &(lookout_seen){.text = NULL});
    payload_of(&b, &w);
    CHECK(!msg_seen_get(&w, mem, &s));
    strbuf_fini(&b);
    arena_free(mem);
}

TEST(damaged_messages_do_no_damage)
{
    strbuf b = {0};
    uint64_t launches;
    unsigned refused = 0;
    rng r;

    put_all(&b);
    rng_init(&r, 1, "damage");
    for (unsigned i = 0; i < 4000; i++) {
        char *bad = malloc(b.size);
        unsigned hits = 1 + rng_below(&r, 4);

        memcpy(bad, b.text, b.size);
        for (unsigned k = 0; k < hits; k++) {
            size_t at = rng_below(&r, (uint32_t)b.size);
            uint32_t how = rng_below(&r, 3);

            bad[at] = how == 0 ? 0 : how == 1 ? -1 : (char)rng_u64(&r);
        }
        refused += !feed(
            bad, rng_below(&r, 8) ? b.size : rng_below(&r, (uint32_t)b.size),
            &launches);
        CHECK(launches <= 2);
        free(bad);
    }
    CHECK(refused > 500);
    strbuf_fini(&b);
}

TEST(the_order_of_messages_is_checked)
{
    strbuf b = {0};
    uint64_t launches;

    msg_note_put(&b, "before hello");
    CHECK(!feed(b.text, b.size, &launches));
    b.size = 0;
    msg_hello_put(&b, &(msg_hello){1, 2, "p", "p x", "0"});
    msg_begin_put(
        &b, &(msg_begin){.launch = 0, .device = 1, .kernel = {.name = "k"}});
    CHECK(!feed(b.text, b.size, &launches)); /* there is no such device */
    b.size = 0;
    msg_hello_put(&b, &(msg_hello){1, 2, "p", "p x", "0"});
    msg_begin_put(&b, &(msg_begin){.launch = 0, .kernel = {.name = "k"}});
    put_result(&b, 0); /* totals whose names nobody said */
    CHECK(!feed(b.text, b.size, &launches));
    CHECK_EQ(launches, 1);
    strbuf_fini(&b);
}
