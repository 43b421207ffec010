/* tests/unit/mem/test_gpc.c - which SMs are near which partition of the L2. */
#include "mem/gpc.h"

#include "test.h"

TEST(gpcs_take_turns_and_no_gpc_is_divided)
{
    /* SMs, of a GPC, larger ones; SMs near partition 0. */
    static const unsigned row[][4] = {{132, 16, 2, 66}, /* 18+16+16+16 */
                                      {114, 16, 1, 66}, /* 18+16+16+16 */
                                      {108, 0, 0, 54},
                                      {8, 2, 0, 4}};

    for (unsigned i = 0; i < 4; i++) {
        config cfg;
        unsigned near = 0, sm = 0;

        config_defaults(&cfg);
        cfg.gpu.sms = row[i][0];
        cfg.gpu.gpc.sms = row[i][1];
        cfg.gpu.gpc.larger = row[i][2];
        for (unsigned s = 0; s < cfg.gpu.sms; s++)
            near += mem_gpc_partition(&cfg, s) == 0;
        CHECK_EQ(near, row[i][3]);
        for (unsigned n = 0; row[i][1] && sm < cfg.gpu.sms; n++) {
            unsigned end = sm + mem_gpc_sms(&cfg, n);

            for (unsigned s = sm; s < end && s < cfg.gpu.sms; s++)
                CHECK_EQ(mem_gpc_partition(&cfg, s), n % 2);
            sm = end;
        }
    }
}
