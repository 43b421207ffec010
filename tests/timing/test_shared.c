/* tests/timing/test_shared.c - shared memory: a pass of all banks takes a
 * cycle, an access as many passes as the bank asked most for different words.
 */
#include "base/must.h"
#include "rig.h"

static const char *const core[] = {RIG_CORE, NULL};

/* R0: the address of this lane: its number times `stride` bytes. */
static char *lanes_at(unsigned stride)
{
    strbuf b = {0};

    strbuf_printf(&b,
                  ".shared 16384\nS2R R0, SR_LANEID;\nIMAD R0, R0, %u, RZ;\n",
                  stride);
    return b.text;
}

/* Words of bank width that lanes `stride` bytes apart put into the fullest
 * bank, counted one by one: lanes in one word are served together. */
static unsigned passes_for(const config *c, unsigned stride)
{
    unsigned banks = c->sm.shared.banks, width = c->sm.shared.bank_bytes;
    unsigned most = 0;

    for (unsigned bank = 0; bank < banks; bank++) {
        unsigned words = 0;

        for (unsigned lane = 0; lane < 32; lane++) {
            unsigned word = lane * stride / width, first = lane;

            if (word % banks != bank)
                continue;
            for (unsigned k = 0; k < lane; k++)
                if (k * stride / width == word)
                    first = k;
            words += first == lane;
        }
        most = words > most ? words : most;
    }
    return most;
}

static const unsigned strides[] = {0,  4,  8,   16,  32,  64, 128,
                                   12, 20, 132, 124, 256, 512};

/* Eight warps, so that none has to wait for a register: */
enum { WARPS = 8 };

/* Start and end of a kernel overlap with its loads a little. */
static bool near(uint64_t got, uint64_t want)
{
    return got <= want + want / 50 && got + want / 50 >= want;
}

/* Independent loads go through at a pass a cycle, or as fast as the unit takes
 * them. */
TEST(conflicts_cost_a_pass_each)
{
    for (unsigned i = 0; i < RIG_GPUS; i++)
        for (unsigned k = 0; k < COUNTOF(strides); k++) {
            rig *r = rig_new(rig_gpus[i], core);
            unsigned passes = passes_for(r->cfg, strides[k]);
            unsigned issue = r->cfg->sm.op.mem.interval;
            unsigned step = passes > issue ? passes : issue;
            char *head = lanes_at(strides[k]);

            uint64_t got =
                rig_slope(r, head, "LDS R%u, [R0];", 32, 64, 1, 32 * WARPS, 0);
            uint64_t all = rig_count(r, "sm[*].shared_passes");
            free(head);
            CHECK_EQ(all, 96ull * WARPS * passes);
            if (!near(got, 64ull * WARPS * step))
                TEST_FAIL("%s, stride %u: %" PRIu64
                          " cycles for 512 loads of %u passes",
                          rig_gpus[i], strides[k], got, passes);
            rig_free(r);
        }
}

/* The classic row of the manuals, where banks are four bytes wide. */
TEST(n_way_conflicts_take_n_passes)
{
    rig *r = rig_new("v100", core);

    for (unsigned n = 1; n <= 32; n *= 2) {
        char *head = lanes_at(4 * n);
        uint64_t got =
            rig_slope(r, head, "LDS R%u, [R0];", 32, 64, 1, 32 * WARPS, 0);

        free(head);
        CHECK(near(got, 64 * WARPS * n));
    }
    rig_free(r);
}

TEST(all_lanes_at_one_word_are_served_at_once)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], core);
        char *head = lanes_at(0);
        uint64_t got =
            rig_slope(r, head, "LDS R%u, [R0];", 32, 64, 1, 32 * WARPS, 0);

        free(head);
        CHECK(near(got, 64 * WARPS * r->cfg->sm.op.mem.interval));
        CHECK_EQ(rig_count(r, "sm[*].shared_conflicts"), 0);
        rig_free(r);
    }
}

/* The next address is what was loaded, zero; conflicts add their passes. */
TEST(a_chain_takes_the_configured_latency)
{
    for (unsigned i = 0; i < RIG_GPUS; i++)
        for (unsigned n = 1; n <= 32; n *= 2) {
            rig *r = rig_new(rig_gpus[i], core);
            const config *c = r->cfg;
            char *head = lanes_at(c->sm.shared.bank_bytes * n);
            uint64_t want = c->sm.lsu.latency + c->sm.shared.latency +
                            c->sm.lsu.write_back + n - 1;
            config_op add;

            CHECK(config_op_find(c, "int_add", &add));
            want += add.latency;
            uint64_t got =
                rig_slope(r, head, "LDS R2, [R0];\nIADD3 R0, R0, R2, RZ;", 20,
                          40, 1, 32, 0);
            if (n == 1)
                printf("%-7s shared latency: model %" PRIu64 " cycles%s\n",
                       rig_gpus[i], got / 40 - add.latency,
                       i ? "" : ", source 23.5 [MT4G:V100]");
            CHECK_EQ(got, 40 * want);
            free(head);
            rig_free(r);
        }
}

/* 64 and 128 bits a lane: as many passes as the warp has words for the banks.
 */
TEST(wide_accesses_take_the_passes_of_their_words)
{
    static const struct {
        const char *line;
        unsigned bytes;
    } rows[] = {{"LDS.64 R%u, [R0];", 8}, {"LDS.128 R48, [R0]; /* %u */", 16}};

    for (unsigned i = 0; i < RIG_GPUS; i++)
        for (unsigned k = 0; k < COUNTOF(rows); k++) {
            rig *r = rig_new(rig_gpus[i], core);
            unsigned row =
                r->cfg->sm.shared.banks * r->cfg->sm.shared.bank_bytes;
            char *head = lanes_at(rows[k].bytes);

            rig_slope(r, head, rows[k].line, 16, 32, 1, 32, 0);
            CHECK_EQ(rig_count(r, "sm[*].shared_passes"),
                     48 * (32 * rows[k].bytes / row));
            free(head);
            rig_free(r);
        }
}

/* Of any stride what a wide load takes, and no conflict is counted. */
TEST(without_conflicts_each_access_takes_its_least_passes)
{
    static const char *const perfect[] = {RIG_CORE, "sm.shared.perfect=true",
                                          NULL};
    rig *r = rig_new("v100", perfect);

    for (unsigned n = 1; n <= 32; n *= 2) {
        char *head = lanes_at(4 * n);
        uint64_t got =
            rig_slope(r, head, "LDS R%u, [R0];", 32, 64, 1, 32 * WARPS, 0);

        free(head);
        CHECK(near(got, 64 * WARPS * r->cfg->sm.op.mem.interval));
        CHECK_EQ(rig_count(r, "sm[*].shared_conflicts"), 0);
        CHECK_EQ(rig_count(r, "sm[*].shared_passes"), 96ull * WARPS);
    }
    rig_free(r);
}
