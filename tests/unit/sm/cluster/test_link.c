/* tests/unit/sm/cluster/test_link.c - words between SMs of a cluster. */
#include "sm/cluster/link.h"

#include "test.h"

/* Words come in order and none early, however many are on their way, in a ring
 * that has gone round when it grows. */
TEST(words_come_in_order_through_a_ring_that_grows)
{
    uint64_t wake = UINT64_MAX, sent = 0, seen = 0;
    const sm_word *w;
    sm_link l;

    sm_link_init(&l);
    l.wake = &wake;
    CHECK_EQ(sm_link_next(&l), UINT64_MAX);
    for (uint64_t now = 0; seen < 1000; now++) {
        for (unsigned n = 0; n < (now < 100 ? 1 : 7) && sent < 1000;
             n++, sent++)
            sm_link_send(&l, &(sm_word){.sent = now,
                                        .when = now + 50,
                                        .pc = (uint32_t)sent});
        CHECK(sm_link_next(&l) >= now);
        for (; (w = sm_link_peek(&l, now)); seen++) {
            CHECK_EQ(w->pc, seen);
            CHECK_EQ(w->when, now);
            sm_link_pop(&l);
        }
    }
    CHECK_EQ(wake, 50);
    CHECK_EQ(sm_link_next(&l), UINT64_MAX);
    sm_link_send(&l, &(sm_word){.sent = 7, .when = 9});
    sm_link_clear(&l);
    CHECK(!sm_link_peek(&l, 100));
    sm_link_fini(&l);
}
