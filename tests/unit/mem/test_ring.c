/* Rings: messages leave in the order in which they came, whatever the ring has
 * grown to meanwhile. */
#include "mem/ring.h"
#include "test.h"

static void push(mem_ring *r, uint64_t n)
{
    mem_msg m = {.addr = n};

    CHECK_EQ(mem_ring_push(r, &m, 100 + n)->addr, n);
}

TEST(a_ring_holds_what_it_was_made_for_and_begins_smaller)
{
    mem_ring r;

    mem_ring_init(&r, 600);
    CHECK_EQ(mem_ring_room(&r), 1024); /* a power of two */
    CHECK(r.mask < 64);
    for (uint64_t i = 0; i < 1024; i++)
        push(&r, i);
    CHECK_EQ(mem_ring_room(&r), 0);
    for (uint64_t i = 0; i < 1024; i++) {
        CHECK_EQ(mem_ring_next(&r), 100 + i);
        CHECK_EQ(mem_ring_front(&r)->addr, i);
        mem_ring_pop(&r);
    }
    CHECK_EQ(mem_ring_next(&r), NEVER);
    CHECK(!mem_ring_front(&r));
    mem_ring_fini(&r);
}

TEST(growing_keeps_the_order_of_a_ring_that_wraps)
{
    mem_ring r;
    uint64_t in = 0, out = 0;

    mem_ring_init(&r, 256);
    /* The front is at each place as the ring grows to each size. */
    for (unsigned step = 1; step <= 7; step++) {
        while (in - out < 36 * step)
            push(&r, in++);
        for (unsigned i = 0; i < 13; i++, out++) {
            CHECK_EQ(mem_ring_at(&r, 1)->addr, out + 1);
            CHECK_EQ(mem_ring_front(&r)->addr, out);
            mem_ring_pop(&r);
        }
    }
    CHECK_EQ(r.count, in - out);
    while (r.count) {
        CHECK_EQ(mem_ring_front(&r)->addr, out++);
        mem_ring_pop(&r);
    }
    CHECK_EQ(in, out);
    mem_ring_fini(&r);
}
