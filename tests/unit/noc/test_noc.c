/* The crossbar with fake neighbours: latency, bandwidth, credits, order. */
#include "noc/noc.h"

#include "base/rng.h"
#include "mem/spread.h"
#include "test.h"

enum { SMS = 3, SLICES = 2, ENDS = SMS + SLICES, SLOTS = 4 };

typedef struct bench {
    config cfg;
    stats *reg;
    noc_end *end[ENDS];
    mem_port out[ENDS], in[ENDS];
    uint64_t now;
} bench;

static bench *bench_new(unsigned latency, unsigned credits, unsigned bytes)
{
    bench *b = calloc(1, sizeof *b);
    char path[16];

    config_defaults(&b->cfg);
    b->cfg.gpu.sms = SMS;
    b->cfg.l2.slices = SLICES;
    b->cfg.dram.channels = SLICES;
    b->cfg.noc.latency = latency;
    b->cfg.noc.buffer = credits;
    b->cfg.noc.header_bytes = 8;
    b->cfg.noc.clock_khz = 0;
    b->cfg.noc.request_bytes = b->cfg.noc.reply_bytes = bytes;
    b->cfg.noc.partition_in_bytes = b->cfg.noc.partition_out_bytes = bytes;
    b->reg = stats_new();
    for (unsigned i = 0; i < ENDS; i++) {
        noc_end_config c =
            i < SMS ? noc_sm_end(&b->cfg, i) : noc_slice_end(&b->cfg, i - SMS);
        snprintf(path, sizeof path, "noc[%u]", i);
        b->end[i] = noc_end_new(&c, &b->cfg, b->reg, path);
        mem_port_init(&b->out[i], SLOTS, 1);
        mem_port_init(&b->in[i], SLOTS, 1);
        noc_end_add_source(b->end[i], &b->out[i]);
        noc_end_add_sink(b->end[i], (1u << CLIENTS) - 1, &b->in[i]);
    }
    return b;
}

static void bench_free(bench *b)
{
    for (unsigned i = 0; i < ENDS; i++) {
        noc_end_free(b->end[i]);
        mem_port_fini(&b->out[i]);
        mem_port_fini(&b->in[i]);
    }
    stats_free(b->reg);
    free(b);
}

static void exchange(bench *b, uint64_t now)
{
    for (unsigned i = 0; i < ENDS; i++)
        noc_end_exchange(b->end[i], b->end, ENDS, now);
}

/* One cycle; windows are as long as the latency. */
static void step(bench *b)
{
    for (unsigned i = 0; i < ENDS; i++)
        noc_end_tick(b->end[i], b->now);
    b->now++;
    if (b->now % b->cfg.noc.latency == 0)
        exchange(b, b->now);
}

/* A reply, so that the test chooses the destination. */
static mem_msg reply(unsigned dst, unsigned payload, uint32_t tag)
{
    return (mem_msg){.dst = (uint16_t)dst,
                     .payload = (uint16_t)payload,
                     .tag = tag,
                     .kind = MEM_DATA,
                     .client = CLIENT_L1};
}

TEST(a_message_takes_the_ports_and_the_latency)
{
    bench *b = bench_new(20, 8, 32);
    mem_msg m = reply(1, 24, 7);
    uint64_t seen = 0;

    mem_port_push(&b->out[SMS], 0, &m);
    while (!seen && b->now < 100) {
        if (mem_port_peek(&b->in[1], b->now))
            seen = b->now;
        step(b);
    }
    /* visible to the end after 1, 20 on the way, 1 through the last port */
    CHECK_EQ(seen, 22);
    CHECK_EQ(b->in[1].ring[0].tag, 7);
    CHECK_EQ(b->in[1].ring[0].src, SMS);
    bench_free(b);
}

TEST(a_request_goes_to_the_slice_of_its_address)
{
    bench *b = bench_new(5, 8, 32);
    mem_route r;

    mem_route_init(&r, &b->cfg);
    for (unsigned i = 0; i < 64; i++) {
        mem_msg m = {.addr = i * 128ull, .kind = MEM_READ};
        bool seen[SLICES] = {false};

        MUST(mem_port_push(&b->out[0], b->now, &m));
        for (unsigned k = 0; k < 20; k++) {
            for (unsigned s = 0; s < SLICES; s++)
                if (mem_port_peek(&b->in[SMS + s], b->now)) {
                    mem_port_pop(&b->in[SMS + s], b->now);
                    seen[s] = true;
                }
            step(b);
        }
        unsigned want = mem_route_slice(&r, m.addr);
        CHECK(seen[want] && !seen[1 - want]);
    }
    bench_free(b);
}

TEST(links_pass_their_width_and_no_more)
{
    bench *b = bench_new(10, 100, 32);
    uint64_t got = 0;

    /* 8 + 128 bytes over 32 bytes a cycle: five cycles each */
    for (; b->now < 1010; step(b)) {
        mem_msg m = reply(0, 128, 0);

        mem_port_push(&b->out[SMS], b->now, &m);
        if (mem_port_peek(&b->in[0], b->now)) {
            mem_port_pop(&b->in[0], b->now);
            got++;
        }
    }
    CHECK(got >= 196 && got <= 200);
    uint64_t bytes = 0;
    CHECK(stats_find(b->reg, NULL, "noc[0].in_bytes", &bytes));
    CHECK(bytes >= got * 136 && bytes <= (got + SLOTS) * 136);
    bench_free(b);
}

TEST(a_slow_receiver_stops_its_senders_by_credits)
{
    bench *b = bench_new(10, 3, 32);
    uint64_t sent = 0;

    for (; b->now < 500; step(b)) {
        mem_msg m = reply(0, 0, 0);

        mem_port_push(&b->out[SMS], b->now, &m);
    }
    /* nobody pops: the sink's slots fill, then three credits are used up */
    stats_find(b->reg, NULL, "noc[3].out_messages", &sent);
    CHECK_EQ(sent, SLOTS + 3);
    /* each message taken lets exactly one more leave */
    mem_port_pop(&b->in[0], b->now);
    for (unsigned i = 0; i < 60; i++)
        step(b);
    stats_find(b->reg, NULL, "noc[3].out_messages", &sent);
    CHECK_EQ(sent, SLOTS + 4);
    bench_free(b);
}

TEST(arrivals_of_one_cycle_come_in_the_order_of_sources)
{
    bench *b = bench_new(4, 8, 32);
    uint32_t order[4];
    unsigned n = 0;

    for (unsigned s = SLICES; s-- > 0;) {
        mem_msg m = reply(2, 0, SMS + s);

        mem_port_push(&b->out[SMS + s], 0, &m);
    }
    for (; b->now < 40; step(b))
        if (mem_port_peek(&b->in[2], b->now)) {
            order[n++] = mem_port_peek(&b->in[2], b->now)->tag;
            mem_port_pop(&b->in[2], b->now);
        }
    CHECK_EQ(n, 2);
    CHECK_EQ(order[0], SMS);
    CHECK_EQ(order[1], SMS + 1);
    bench_free(b);
}

typedef struct tally {
    uint64_t sent, got, hash;
} tally;

/* Random traffic; `skip` ticks an end only in cycles it asked for or in which
 * a port changed. */
/* A window of the bench begins. */
static void open_window(bench *b, uint64_t now)
{
    for (unsigned i = 0; i < ENDS; i++)
        noc_end_window(b->end[i], now + b->cfg.noc.latency);
}

/* `ahead`: ends may do things before their cycle. */
static tally storm(bool skip, bool backwards, bool ahead)
{
    bench *b = bench_new(7, 4, 16);
    uint64_t next[ENDS] = {0};
    tally t = {0};
    rng r;

    rng_init(&r, 42, "storm");
    for (unsigned i = 0; ahead && i < ENDS; i++)
        noc_end_take_first(b->end[i]);
    if (ahead)
        open_window(b, 0);
    for (; b->now < 4000; b->now++) {
        for (unsigned i = 0; i < ENDS; i++) {
            mem_msg m = reply(i < SMS ? SMS : rng_below(&r, SMS),
                              rng_below(&r, 5) * 32, rng_below(&r, 1000));

            m.addr = rng_below(&r, 4096) * 128ull;
            if (b->now < 3000 && rng_below(&r, 3) == 0 &&
                mem_port_send(&b->out[i], b->now, &m))
                t.sent++;
            if (mem_port_peek(&b->in[i], b->now) && rng_below(&r, 2)) {
                t.got++;
                t.hash = t.hash * 31 +
                         b->in[i].ring[b->in[i].head & b->in[i].mask].tag +
                         b->now * 7 + i;
                mem_port_pop(&b->in[i], b->now);
            }
        }
        for (unsigned k = 0; k < ENDS; k++) {
            unsigned i = backwards ? ENDS - 1 - k : k;
            uint64_t due = next[i], port = mem_port_next(&b->out[i]);

            if (!skip || due <= b->now || port <= b->now)
                next[i] = noc_end_tick(b->end[i], b->now);
        }
        if ((b->now + 1) % b->cfg.noc.latency == 0) {
            exchange(b, b->now + 1);
            if (ahead)
                open_window(b, b->now + 1);
            for (unsigned i = 0; i < ENDS; i++) {
                uint64_t n = noc_end_next(b->end[i]);
                next[i] = n < next[i] ? n : next[i];
            }
        }
    }
    uint64_t values = stats_hash(b->reg, NULL);
    t.hash ^= values;
    for (unsigned i = 0; i < ENDS; i++)
        if (!noc_end_idle(b->end[i]))
            t.got = 0;
    bench_free(b);
    return t;
}

TEST(nothing_is_lost_and_neither_skipping_nor_order_matters)
{
    tally a = storm(false, false, false), b = storm(true, false, false),
          c = storm(true, true, false), d = storm(true, false, true),
          e = storm(false, true, true);

    CHECK(a.sent > 1000);
    CHECK_EQ(a.got, a.sent);
    CHECK_EQ(b.got, a.got);
    CHECK_EQ(b.hash, a.hash);
    CHECK_EQ(c.hash, a.hash);
    CHECK_EQ(d.hash, a.hash);
    CHECK_EQ(e.hash, a.hash);
}

TEST(what_is_certain_is_done_before_its_cycle)
{
    bench *b = bench_new(20, 8, 32);
    mem_msg m = reply(1, 24, 7);

    for (unsigned i = 0; i < ENDS; i++)
        noc_end_take_first(b->end[i]);
    open_window(b, 0);
    CHECK(mem_port_send(&b->out[SMS], 0, &m));
    CHECK_EQ(b->out[SMS].count, 0); /* it has left, without a tick */
    CHECK(mem_port_send(&b->out[SMS], 18, &m));
    CHECK(mem_port_send(&b->out[SMS], 19, &m));
    CHECK_EQ(b->out[SMS].count, 1); /* that would be in the next window */
    exchange(b, 20);
    open_window(b, 20);
    noc_end_tick(b->end[1], 20);
    CHECK_EQ(b->in[1].count, 2); /* they arrive in 21 and 39 */
    CHECK(mem_port_peek(&b->in[1], 21) == NULL);
    CHECK_EQ(mem_port_peek(&b->in[1], 22)->tag, 7);
    mem_port_pop(&b->in[1], 22);
    CHECK_EQ(mem_port_next(&b->in[1]), 40);
    bench_free(b);
}
