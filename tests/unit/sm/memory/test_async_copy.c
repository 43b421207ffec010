/* tests/unit/sm/memory/test_async_copy.c - copies in the background and
 * prefetches: what they move, who waits for them, and for how long. */
#include "unit/sm/rig.h"

static const char plain[] =
    "v100\nsm.fetch.perfect=true\nsm.fetch.buffer=16\nsm.fetch.width=4\n"
    "sm.rf.collect=none\nsm.constant.perfect=true\n"
    "sm.op.int_add.latency=4\n";

static const char start[] = "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n"
                            "S2R R4, SR_LANEID\nSHL R5, R4, 0x4\n"
                            "SHL R6, R4, 0x7\nIMAD.WIDE.U32 R8, R6, 0x1, R2\n"
                            "IMAD.WIDE.U32 R10, R5, 0x1, R2\n";

/* Cycles of start, `text` and `adds` dependent additions. */
static uint64_t cycles(const char *text, unsigned adds, uint64_t *requests)
{
    rig *r = rig_new(plain);
    strbuf b = {0};
    uint64_t n;

    rig_param(r, 0, mem_alloc(r->image, 1 << 20, "a"));
    strbuf_printf(&b, "%s%s", start, text);
    for (unsigned i = 0; i < adds; i++)
        strbuf_puts(&b, "IADD3 R4, R4, 0x1, RZ\n");
    strbuf_puts(&b, "EXIT\n");
    rig_program(r, ".shared 8192\n", b.text, 1, 32);
    n = rig_run(r, 1000000);
    rig_check_sum(r);
    if (requests)
        *requests = r->l1.requests;
    strbuf_fini(&b);
    rig_free(r);
    return n;
}

TEST(what_was_copied_can_be_read_behind_the_wait)
{
    rig *r = rig_new(plain);
    uint64_t a = mem_alloc(r->image, 4096, "a");
    uint32_t *word = (uint32_t *)mem_host(r->image, a), got;
    char text[512];

    for (unsigned i = 0; i < 128; i++)
        word[i] = 1000 + i;
    rig_param(r, 0, a);
    snprintf(text, sizeof text,
             "%sLDGSTS.E.128 R5, [R10]\nLDGDEPBAR\nDEPBAR.LE 0x0\n"
             "LDS.128 R12, [R5]\nSTG.E.128 [R10+0x400], R12\nEXIT\n",
             start);
    rig_program(r, ".shared 8192\n", text, 1, 32);
    rig_run(r, 100000);
    rig_check_sum(r);
    for (unsigned i = 0; i < 128; i++) {
        mem_view_read(r->view, a + 0x400 + 4 * i, &got, 4);
        CHECK_EQ(got, 1000 + i);
    }
    rig_free(r);
}

/* 32 lines take 32 cycles on their way to the L1, 20 in it. */
TEST(a_wait_is_for_the_older_groups_only)
{
    static const char one[] = "LDGSTS.E R5, [R10]\nLDGDEPBAR\n"
                              "LDGSTS.E R5, [R8]\nLDGSTS.E R5, [R8+0x1000]\n"
                              "LDGSTS.E R5, [R8+0x2000]\nLDGDEPBAR\n";
    char all[512], older[512];
    uint64_t none, some, every;

    snprintf(all, sizeof all, "%sDEPBAR.LE 0x0\n", one);
    snprintf(older, sizeof older, "%sDEPBAR.LE 0x1\n", one);
    none = cycles(one, 100, NULL);
    some = cycles(older, 100, NULL);
    every = cycles(all, 100, NULL);
    CHECK(none < some && some < every);
    CHECK(every - some >= 2 * 32); /* what the second group takes longer */
    CHECK(some - none < 60);
}

TEST(a_group_more_than_there_is_room_for_waits)
{
    strbuf b = {0};
    uint64_t requests;

    for (unsigned i = 0; i < 40; i++)
        strbuf_puts(&b, "LDGSTS.E R5, [R10]\nLDGDEPBAR\n");
    strbuf_puts(&b, "DEPBAR.LE 0x0\n");
    cycles(b.text, 0, &requests);
    CHECK_EQ(requests, 40 * 4); /* 512 bytes each */
    strbuf_fini(&b);
}

TEST(a_wait_without_copies_is_short)
{
    uint64_t none = cycles("", 10, NULL);

    CHECK(cycles("LDGDEPBAR\nDEPBAR.LE 0x0\n", 10, NULL) - none < 20);
}

TEST(prefetches_ask_for_whole_lines_that_exist)
{
    uint64_t requests;

    cycles("CCTL.E.PF2 [R10]\n", 0, &requests);
    CHECK_EQ(requests, 4);
    cycles("CCTL.E.PF1 [R8]\n", 0, &requests);
    CHECK_EQ(requests, 32);
    cycles("CCTL.E.PF1 [R10+0x70000000]\n", 0, &requests);
    CHECK_EQ(requests, 0);
}
