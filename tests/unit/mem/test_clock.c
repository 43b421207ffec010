/* Where clock domains meet. */
#include "mem/clock.h"

#include "base/rng.h"
#include "test.h"

TEST(the_cycles_of_a_core_cycle_end_where_those_of_the_next_begin)
{
    static const config_ratio ratios[] = {{1, 1},      {9, 10},    {877, 1380},
                                          {1380, 877}, {1, 1000},  {7, 2},
                                          {2, 1},      {999, 1000}};
    rng r;

    rng_init(&r, 1, "clock");
    for (unsigned i = 0; i < COUNTOF(ratios); i++)
        for (unsigned k = 0; k < 10000; k++) {
            uint64_t core =
                         k < 5000 ? k : (uint64_t)rng_below(&r, 1u << 31) << 9,
                     end;

            CHECK_EQ(mem_clock_span(ratios[i], core, &end),
                     mem_clock_from_core(ratios[i], core));
            CHECK_EQ(end, mem_clock_from_core(ratios[i], core + 1));
        }
}
