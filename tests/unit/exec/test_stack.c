/* The stack of Fermi and Kepler where it goes on outside of the warp. */
#include "exec/simt.h"
#include "test.h"

enum { ALL = SIMT_NEAR + SIMT_DEEP };

static simt_entry deep[SIMT_DEEP];

TEST(as_many_entries_as_there_is_room_for)
{
    for (unsigned with = 0; with < 2; with++) {
        simt s = {.deep = with ? deep : NULL};
        unsigned n = 0;

        simt_start(&s, ARCH_KEPLER, 0xffffffff);
        while (simt_ssy(&s, 1000 + n))
            n++;
        CHECK_EQ(n, with ? ALL : SIMT_NEAR);
    }
}

TEST(entries_come_back_in_turn_from_both_parts)
{
    simt s = {.deep = deep};

    simt_start(&s, ARCH_FERMI, 0xffff);
    for (unsigned n = 0; n < ALL; n++)
        CHECK(simt_ssy(&s, 1000 + n));
    for (unsigned n = ALL; n-- > 0;) {
        CHECK(simt_sync(&s, 0xffff));
        CHECK_EQ(s.pc, 1000 + n);
        CHECK_EQ(s.active, 0xffff);
    }
    CHECK(!simt_sync(&s, 0xffff));
}
