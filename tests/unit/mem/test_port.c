/* tests/unit/mem/test_port.c - the rules that make tick order irrelevant. */
#include "test.h"

#include "mem/port.h"

TEST(message_is_visible_after_the_latency_and_not_before)
{
    mem_port p;

    mem_port_init(&p, 4, 3);
    CHECK(mem_port_push(&p, 10, &(mem_msg){.tag = 5}));
    CHECK_EQ(mem_port_next(&p), 13);
    CHECK(mem_port_peek(&p, 12) == NULL);
    CHECK_EQ(mem_port_peek(&p, 13)->tag, 5);
    CHECK_EQ(mem_port_peek(&p, 13)->when, 13);
    mem_port_pop(&p, 13);
    CHECK(mem_port_peek(&p, 20) == NULL);
    CHECK_EQ(mem_port_next(&p), NEVER);
    mem_port_fini(&p);
}

TEST(full_port_refuses_and_a_freed_slot_counts_from_the_next_cycle)
{
    mem_port p;
    mem_msg m = {0};

    mem_port_init(&p, 3, 1); /* 3 of a ring of 4 */
    for (m.tag = 0; m.tag < 3; m.tag++)
        CHECK(mem_port_push(&p, 0, &m));
    CHECK(!mem_port_push(&p, 0, &m));
    mem_port_pop(&p, 1);
    CHECK(!mem_port_push(&p, 1, &m));
    CHECK(mem_port_push(&p, 2, &m));
    CHECK(!mem_port_push(&p, 2, &m));
    for (unsigned tag = 1; tag < 4; tag++) {
        CHECK_EQ(mem_port_peek(&p, 9)->tag, tag);
        mem_port_pop(&p, 9);
    }
    mem_port_fini(&p);
}

/* Whether the reader of a cycle runs before or after the writer. */
static unsigned delivered(unsigned latency, unsigned slots, bool reader_first)
{
    mem_port p;
    unsigned got = 0;

    mem_port_init(&p, slots, latency);
    for (uint64_t now = 0; now < 1000; now++) {
        for (int i = 0; i < 2; i++) {
            if ((i == 0) == reader_first) {
                if (mem_port_peek(&p, now)) {
                    mem_port_pop(&p, now);
                    got++;
                }
            } else {
                mem_port_push(&p, now, &(mem_msg){0});
            }
        }
    }
    mem_port_fini(&p);
    return got;
}

TEST(full_rate_needs_latency_plus_one_slots)
{
    for (unsigned latency = 1; latency < 7; latency++) {
        for (int first = 0; first < 2; first++) {
            CHECK_EQ(delivered(latency, latency + 1, first), 1000 - latency);
            CHECK(delivered(latency, latency, first) < 1000 - latency);
        }
        CHECK_EQ(delivered(latency, latency, false),
                 delivered(latency, latency, true));
    }
}

TEST(room_in_a_full_port_wakes_the_sender)
{
    mem_port p;
    mem_msg m = {0};
    uint64_t wake = NEVER;

    mem_port_init(&p, 2, 1);
    mem_port_push(&p, 0, &m);
    mem_port_push(&p, 0, &m);
    CHECK_EQ(mem_port_retry(&p, 5), 6); /* nobody tells: ask every cycle */
    p.space = &wake;
    CHECK_EQ(mem_port_retry(&p, 5), NEVER);
    mem_port_pop(&p, 7);
    CHECK_EQ(wake, 8);
    CHECK_EQ(mem_port_retry(&p, 7), 8); /* popped before the sender's turn */
    wake = NEVER;
    mem_port_pop(&p, 9); /* it was not full */
    CHECK_EQ(wake, NEVER);
    mem_port_fini(&p);
}

/* What a sender that pushes one in a cycle would do, but at once. */
TEST(messages_put_for_later_cycles_are_seen_as_if_pushed_in_them)
{
    mem_port p;
    mem_msg m = {0};

    mem_port_init(&p, 4, 1);
    mem_port_push(&p, 4, &m);
    mem_port_pop(&p, 5);
    CHECK_EQ(mem_port_room(&p, 5), 3); /* a freed slot counts from 6 on */
    CHECK_EQ(mem_port_room(&p, 6), 4);
    for (m.tag = 1; m.tag <= 3; m.tag++)
        mem_port_put(&p, 5 + m.tag, &m);
    CHECK_EQ(mem_port_room(&p, 6), 1);
    for (unsigned tag = 1; tag <= 3; tag++) {
        CHECK_EQ(mem_port_next(&p), 6 + tag);
        CHECK(mem_port_peek(&p, 5 + tag) == NULL);
        CHECK_EQ(mem_port_peek(&p, 6 + tag)->tag, tag);
        mem_port_pop(&p, 6 + tag);
    }
    CHECK_EQ(mem_port_next(&p), NEVER);
    mem_port_fini(&p);
}

TEST(of_answers_that_are_only_counted_the_last_is_seen)
{
    uint32_t left[2] = {3, 1};
    mem_wake wake = {NEVER, 0};
    mem_msg m = {.kind = MEM_DATA, .tag = 0};
    mem_atom atom = {0};
    mem_port p;

    mem_port_init(&p, 4, 1);
    p.left = left;
    p.wake = &wake;
    CHECK(mem_port_answer(&p, 7, &m));
    CHECK(mem_port_answer(&p, 8, &m));
    CHECK_EQ(left[0], 1);
    CHECK_EQ(p.count, 0);
    CHECK_EQ(wake.next, NEVER);
    CHECK(mem_port_answer(&p, 9, &m));
    CHECK_EQ(left[0], 1); /* the receiver counts this one */
    CHECK_EQ(wake.next, 10);
    /* Nor do others that carry more than the fact that they came. */
    left[1] = 2;
    m = (mem_msg){.kind = MEM_DATA, .tag = 1, .atom = &atom};
    CHECK(mem_port_answer(&p, 10, &m));
    m = (mem_msg){.kind = MEM_ACK, .tag = 1};
    CHECK(mem_port_answer(&p, 10, &m));
    CHECK_EQ(left[1], 2);
    CHECK_EQ(p.count, 3);
    mem_port_fini(&p);
}

typedef struct taken {
    bool willing;
    uint64_t at;
    uint32_t tag;
    unsigned source;
} taken;

static bool take(void *self, unsigned source, uint64_t at, const mem_msg *m)
{
    taken *t = self;

    if (t->willing)
        *t = (taken){true, at, m->tag, source};
    return t->willing;
}

TEST(a_reader_may_take_a_message_for_the_cycle_in_which_it_would_see_it)
{
    taken t = {.willing = true};
    mem_taker taker = {take, &t, 2};
    mem_port p;

    mem_port_init(&p, 2, 1);
    p.taker = &taker;
    CHECK(mem_port_send(&p, 40, &(mem_msg){.tag = 5}));
    CHECK_EQ(t.at, 41);
    CHECK_EQ(t.tag, 5);
    CHECK_EQ(t.source, 2);
    CHECK_EQ(p.count, 0);
    t.willing = false;
    CHECK(mem_port_send(&p, 50, &(mem_msg){.tag = 6}));
    CHECK_EQ(mem_port_peek(&p, 51)->tag, 6);
    CHECK(mem_port_send(&p, 50, &(mem_msg){.tag = 7}));
    CHECK(!mem_port_send(&p, 50, &(mem_msg){.tag = 8})); /* full */
    mem_port_fini(&p);
}
