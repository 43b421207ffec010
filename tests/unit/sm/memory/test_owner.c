/* tests/unit/sm/memory/test_owner.c - while memory is said to be saturated one
 * warp alone asks it for more, and the others compute. */
#include "unit/sm/rig.h"

static const char plain[] =
    "sm.fetch.perfect=true\nsm.fetch.buffer=16\nsm.fetch.width=4\n"
    "sm.issue.schedulers=2\nsm.issue.scheduler=lrr\nsm.rf.collect=none\nsm."
    "constant.perfect=true\n"
    "sm.op.int_add.latency=4\nl1.queue=mascar\n";

static void say(rig *r, bool saturated)
{
    mem_msg m = {.kind = MEM_PRESSURE, .payload = saturated};

    CHECK(mem_port_push(&r->l1.from, r->now, &m));
}

/* Each warp makes two loads, adds what they find, and so on, `rounds` times. */
static rig *pairs(unsigned warps, unsigned rounds, const char *more)
{
    rig *r = rig_new(plain);
    strbuf b = {0};

    rig_param(r, 0, mem_alloc(r->image, 1 << 20, "a"));
    strbuf_puts(&b, "MOV R2, c[0x0][0x140]\nMOV R3, c[0x0][0x144]\n");
    for (unsigned i = 0; i < rounds; i++)
        strbuf_printf(&b,
                      "LDG.E R4, [R2]\nLDG.E R5, [R2+0x100]\n%s"
                      "IADD3 R6, R4, R5, RZ\n",
                      more);
    strbuf_puts(&b, "EXIT\n");
    rig_program(r, "", b.text, 1, 32 * warps);
    strbuf_fini(&b);
    return r;
}

/* Runs with every request that arrives at the L1 from cycle `from` on. */
typedef struct asked {
    unsigned count, changes, owners;
    uint8_t last;
} asked;

static asked watch(rig *r, uint64_t from, uint64_t to)
{
    asked a = {0};

    while (r->now < to && (r->ended < 1 || !sm_idle(r->s))) {
        const mem_msg *m = mem_port_peek(&r->l1.to, r->now);

        if (m && r->now >= from) {
            a.changes += a.count > 0 && m->warp != a.last;
            a.owners += m->owner;
            a.last = m->warp;
            a.count++;
        }
        rig_step(r);
    }
    return a;
}

/* Eight warps, four rounds of two loads: an owner makes both loads of a round,
 * then waits for its data, and another one gets the memory; so requests come in
 * pairs of a warp. */
TEST(one_warp_asks_until_it_waits_for_data)
{
    rig *r = pairs(8, 4, "");

    say(r, true);
    asked a = watch(r, 0, 10000);
    CHECK_EQ(a.count, 64);
    CHECK_EQ(a.owners, 64);
    CHECK_EQ(a.changes, 31);
    sm_finish_stats(r->s, r->now);
    CHECK_EQ(rig_stat(r, "owners"), 32);
    rig_check_sum(r);
    rig_free(r);
}

/* Where nothing is said of it, warps take turns; and where it is over. */
TEST(without_saturation_nobody_owns_memory)
{
    for (unsigned over = 0; over < 2; over++) {
        rig *r = pairs(8, 4, "");

        if (over) {
            say(r, true);
            say(r, false);
        }
        asked a = watch(r, 0, 10000);
        CHECK_EQ(a.count, 64);
        CHECK_EQ(a.owners, 0);
        CHECK(a.changes > 40);
        rig_free(r);
    }
}

/* Warps that do not get the memory compute meanwhile: additions of all of them
 * issue while one asks. */
TEST(the_others_compute)
{
    rig *r = pairs(8, 1, "IADD3 R7, R7, 0x1, RZ\nIADD3 R7, R7, 0x1, RZ\n");

    say(r, true);
    for (unsigned i = 0; i < 3; i++)
        rig_step(r);
    asked a = watch(r, 0, 10000);
    CHECK_EQ(a.count, 16);
    sm_finish_stats(r->s, r->now);
    rig_check_sum(r);
    rig_free(r);
}

/* Shared memory is nobody's. */
TEST(shared_memory_needs_no_owner)
{
    rig *r = rig_new(plain);

    rig_program(r, ".shared 1024\n", "LDS R1, [RZ]\nLDS R2, [RZ]\nEXIT\n", 1,
                256);
    say(r, true);
    rig_run(r, 10000);
    CHECK_EQ(rig_stat(r, "owners"), 0);
    CHECK_EQ(rig_stat(r, "mem_shared"), 16);
    rig_free(r);
}

/* Saturation that comes and goes: the same cycles and counters whether cycles
 * without work are skipped or not. */
static uint64_t ends(unsigned seed, bool skip, uint64_t *owners)
{
    rig *r = pairs(12, 6, "IADD3 R7, R7, 0x1, RZ\n");
    unsigned x = seed;
    bool saturated = false;

    r->skip = skip;
    while (r->ended < 1 || !sm_idle(r->s)) {
        if (r->now % 8 == 0) {
            x = x * 1103515245 + 12345;
            if ((x >> 16 & 3) == 0) {
                saturated = !saturated;
                say(r, saturated);
            }
        }
        CHECK(r->now < 20000);
        rig_step(r);
    }
    sm_finish_stats(r->s, r->now);
    rig_check_sum(r);
    *owners = rig_stat(r, "owners") * 100000 + rig_stat(r, "stall_lsu_full");
    uint64_t end = r->ended_at;
    rig_free(r);
    return end;
}

TEST(skipping_changes_no_owner)
{
    uint64_t all = 0;

    for (unsigned seed = 1; seed < 20; seed++) {
        uint64_t a, b;

        CHECK_EQ(ends(seed, true, &a), ends(seed, false, &b));
        CHECK_EQ(a, b);
        all += a;
    }
    CHECK(all > 100000);
}
