/* tests/unit/sm/test_modern.c - issue and operand reads of modern cores against
 * what was measured on them: expected numbers are those of [HUERTA], of a
 * device that issues an FP32 instruction in each cycle. */
#include "base/rng.h"
#include "rig.h"
#include "sm/state.h"

/* A sub-core that nothing holds up but what is tested. */
static const char core[] =
    "v100\nsm.issue.schedulers=1\nsm.fetch.ports=1\nsm.fetch.perfect=true\n"
    "sm.fetch.buffer=16\nsm.fetch.width=4\nsm.constant.perfect=true\n"
    "sm.op.fp32.interval=1\nsm.op.int_add.interval=1\nsm.op.int_add.unit=fma\n"
    "sm.op.nop.interval=1\nsm.op.sreg.interval=1\nsm.op.move.interval=1\n";

static rig *bench(const char *more)
{
    char text[1024];

    snprintf(text, sizeof text, "%s%s", core, more);
    return rig_new(text);
}

#define CTL "[B------:R-:W-:-:S01] "

/* ---- reads: Listing 1 ---- */

/* Cycles between the CLOCKs of Listing 1; `nop`: with the NOP in front of the
 * second. */
static unsigned listing_1(const char *settings, unsigned x, unsigned y,
                          bool nop)
{
    rig *r = bench(settings);
    uint64_t a = mem_alloc(r->image, 4096, "a");
    const uint32_t *host = (uint32_t *)mem_host(r->image, a);
    char text[512];
    unsigned cycles;

    rig_param(r, 0, a);
    snprintf(text, sizeof text,
             "MOV R4, c[0x0][0x160]\nMOV R5, c[0x0][0x164]\n"
             "NOP\nNOP\nNOP\nNOP\nNOP\nNOP\nNOP\nNOP\n"
             "S2R R0, SR_CLOCKLO\nNOP\n"
             "FFMA R11, R10, R12, R14\nFFMA R13, R16, R%u, R%u\n"
             "%sS2R R1, SR_CLOCKLO\n"
             "STG.E [R4], R0\nSTG.E [R4+0x4], R1\nEXIT\n",
             x, y, nop ? "NOP\n" : "");
    rig_program(r, "", text, 1, 32);
    rig_run(r, 10000);
    CHECK(!sm_fault(r->s));
    mem_view_commit(r->view);
    cycles = host[1] - host[0];
    rig_free(r);
    return cycles;
}

static const char allocate[] = "sm.rf.collect=allocate\n";

TEST(reads_of_a_bank_make_as_many_bubbles_as_measured)
{
    CHECK_EQ(listing_1(allocate, 19, 21, true), 5);
    CHECK_EQ(listing_1(allocate, 18, 21, true), 6);
    CHECK_EQ(listing_1(allocate, 18, 20, true), 7);
}

/* The scheduler knows nothing of ports: what issues right behind is not held
 * up. With the window alone it is, unlike a device. */
TEST(issue_is_held_up_an_instruction_later)
{
    for (unsigned x = 18; x < 20; x++)
        for (unsigned y = 20; y < 22; y++)
            CHECK_EQ(listing_1(allocate, x, y, false), 4);
    CHECK_EQ(listing_1("sm.rf.collect=fixed\n", 19, 21, false), 4);
    CHECK_EQ(listing_1("sm.rf.collect=fixed\n", 18, 21, false), 5);
    CHECK_EQ(listing_1("sm.rf.collect=fixed\n", 18, 20, false), 6);
}

/* Cycles that one more of `line` takes, among many. */
static unsigned pace(const char *settings, const char *line)
{
    uint64_t end[2];

    for (unsigned i = 0; i < 2; i++) {
        rig *r = bench(settings);
        strbuf b = {0};

        for (unsigned n = 0; n < 64 * (i + 1); n++)
            strbuf_printf(&b, "%s\n", line);
        strbuf_puts(&b, "EXIT\n");
        rig_program(r, "", b.text, 1, 32);
        end[i] = rig_run(r, 10000);
        rig_check_sum(r);
        strbuf_fini(&b);
        rig_free(r);
    }
    CHECK_EQ((end[1] - end[0]) % 64, 0);
    return (unsigned)(end[1] - end[0]) / 64;
}

/* "FMUL instructions with both source operands in the same bank create a
 * 1-cycle bubble", FFMA with all three 2 cycles, different banks none. */
TEST(a_bank_reads_one_register_a_cycle)
{
    CHECK_EQ(pace(allocate, "FMUL RZ, R2, R3"), 1);
    CHECK_EQ(pace(allocate, "FMUL RZ, R2, R4"), 2);
    CHECK_EQ(pace(allocate, "FFMA RZ, R2, R4, R6"), 3);
    CHECK_EQ(
        pace("sm.rf.collect=allocate\nsm.rf.read_ports=2\n", "FMUL RZ, R2, R4"),
        1);
}

/* Two chains of v * a - b reach 64 % of an H200's peak, 63 and 62 % of an A40's
 * and an L40's [GPUB:roofline], which issue an FP32 instruction in each cycle:
 * three operands in two banks are two thirds. */
TEST(three_operands_in_two_banks_reach_two_thirds_of_the_peak)
{
    CHECK_EQ(pace(allocate, "FFMA RZ, R2, R4, R7\nFFMA RZ, R3, R4, R7"), 3);
    CHECK_EQ(pace("sm.rf.collect=allocate\nsm.rf.cache=reuse\n",
                  CTL "FFMA RZ, R2, R4.reuse, R7.reuse\n" CTL
                      "FFMA RZ, R3, R4.reuse, R7.reuse"),
             2);
}

/* "FADD and FMUL have the same latency as the FFMA", "regardless of whether its
 * three operands are in the same bank or not". */
TEST(operands_do_not_change_the_latency)
{
    CHECK_EQ(pace(allocate, "FADD R1, R1, R2"), 4);
    CHECK_EQ(pace(allocate, "FFMA R1, R1, R2, R4"), 4);
    CHECK_EQ(pace(allocate, "FFMA R1, R1, R3, R5"), 4);
}

/* Loads read their registers when ports are free and hold up nobody. */
TEST(variable_latency_does_not_wait_in_the_stage)
{
    static const char *const mode[] = {"fixed", "allocate"};
    unsigned waits[2];

    for (unsigned i = 0; i < 2; i++) {
        char set[64];
        rig *r;

        snprintf(set, sizeof set, "sm.rf.collect=%s\n", mode[i]);
        r = bench(set);
        rig_program(r, ".shared 256",
                    "MOV R2, RZ\nNOP\nNOP\nNOP\nNOP\nNOP\nNOP\nNOP\n"
                    "FFMA R11, R10, R12, R14\nSTS [R2], R4\n"
                    "NOP\nNOP\nNOP\nEXIT\n",
                    1, 32);
        rig_run(r, 10000);
        waits[i] = (unsigned)rig_stat(r, "stall_collector");
        rig_free(r);
    }
    CHECK_EQ(waits[0], 1); /* its two reads come behind three: one too late */
    CHECK_EQ(waits[1], 0);
}

/* Stores wait in their queue for ports, and a result waits until they have
 * read. The next code counts from there: else the oracle finds that R20 is read
 * before it is there. */
TEST(codes_count_from_a_result_that_waits_for_older_reads)
{
    rig *r = bench("sm.rf.collect=allocate\nsm.issue.hazard=codes\n"
                   "sm.issue.oracle=true\nsm.op.move.latency=1\n");

    rig_program(r, ".shared 256",
                CTL "MOV R2, RZ\n" CTL "STS.128 [R2], R4\n" CTL
                    "MOV R20, RZ\n" CTL "FADD R22, R20, RZ\nEXIT\n",
                1, 32);
    rig_run(r, 10000);
    CHECK(!sm_fault(r->s));
    rig_free(r);
}

/* ---- the register cache: Listing 4 ---- */

static unsigned hits(const char *text)
{
    rig *r = bench("sm.rf.collect=allocate\nsm.rf.cache=reuse\n");
    unsigned n;

    rig_program(r, "", text, 1, 32);
    rig_run(r, 10000);
    CHECK(!sm_fault(r->s));
    CHECK_EQ(rig_stat(r, "reg_reads"),
             rig_stat(r, "bank_reads") + rig_stat(r, "operand_hits"));
    n = (unsigned)rig_stat(r, "operand_hits");
    rig_free(r);
    return n;
}

TEST(register_cache_finds_what_listing_4_says)
{
    /* R2 is found once and then gone. */
    CHECK_EQ(hits(CTL "IADD3 R1, R2.reuse, R3, R4\n" CTL
                      "FFMA R5, R2, R7, R8\n" CTL
                      "IADD3 R10, R2, R12, R13\nEXIT\n"),
             1);
    /* Found and kept, and found again. */
    CHECK_EQ(hits(CTL "IADD3 R1, R2.reuse, R3, R4\n" CTL
                      "FFMA R5, R2.reuse, R7, R8\n" CTL
                      "IADD3 R10, R2, R12, R13\nEXIT\n"),
             2);
    /* Another slot misses; R7, of the other bank, leaves R2 where it is. */
    CHECK_EQ(hits(CTL "IADD3 R1, R2.reuse, R3, R4\n" CTL
                      "FFMA R5, R7, R2, R8\n" CTL
                      "IADD3 R10, R2, R12, R13\nEXIT\n"),
             1);
    /* R4 takes the place of R2. */
    CHECK_EQ(hits(CTL "IADD3 R1, R2.reuse, R3, R4\n" CTL
                      "FFMA R5, R4, R7, R8\n" CTL
                      "IADD3 R10, R2, R12, R13\nEXIT\n"),
             0);
}

/* A cached operand needs no port: the bubbles of Listing 1 go. */
TEST(what_the_cache_has_needs_no_port)
{
    static const char cached[] = "sm.rf.collect=allocate\nsm.rf.cache=reuse\n";

    CHECK_EQ(pace(cached, CTL "FFMA RZ, R2.reuse, R4.reuse, R6"), 1);
    CHECK_EQ(pace(cached, CTL "FFMA RZ, R2.reuse, R4, R6"), 2);
    CHECK_EQ(pace(allocate, CTL "FFMA RZ, R2.reuse, R4.reuse, R6"), 3);
}

/* Pairs of registers lie in both banks, each in its entry. */
TEST(both_registers_of_a_double_are_cached)
{
    CHECK_EQ(
        hits(CTL "DADD R10, R2.reuse, R4\n" CTL "DADD R12, R2, R6\nEXIT\n"), 2);
    CHECK_EQ(hits(CTL "DADD R10, R2.reuse, R4\n" CTL
                      "IADD3 R12, R3, R6, R8\nEXIT\n"),
             1);
}

/* The device would take the old value. */
TEST(oracle_finds_registers_written_since)
{
    rig *r = bench("sm.rf.collect=allocate\nsm.rf.cache=reuse\n"
                   "sm.issue.oracle=true\n");

    rig_program(r, "",
                CTL "IADD3 R1, R2.reuse, R3, R4\n" CTL
                    "MOV R2, 0x5\nNOP\nNOP\nNOP\nNOP\nNOP\n" CTL
                    "IADD3 R10, R2, R12, R13\nEXIT\n",
                1, 32);
    rig_run(r, 10000);
    CHECK(sm_fault(r->s));
    CHECK_EQ(sm_fault(r->s)->kind, FAULT_HAZARD);
    CHECK_EQ(sm_fault(r->s)->pc, 7);
    CHECK_EQ(rig_stat(r, "operand_stale"), 1);
    rig_free(r);
}

/* Tensor cores take operands from buffers of their own: an old value in the
 * cache does them no harm. */
TEST(tensor_cores_take_nothing_from_the_cache)
{
    rig *r = bench("sm.rf.collect=allocate\nsm.rf.cache=reuse\n"
                   "sm.issue.oracle=true\n");

    rig_program(r, "",
                CTL "IADD3 R1, R16.reuse, R3, R5\n" CTL
                    "MOV R16, 0x5\nNOP\nNOP\nNOP\nNOP\nNOP\n" CTL
                    "HMMA.884.F32.F32.STEP0 R4, R16, R20, R4\nEXIT\n",
                1, 32);
    rig_run(r, 10000);
    CHECK(!sm_fault(r->s));
    CHECK_EQ(rig_stat(r, "operand_stale"), 0);
    CHECK_EQ(rig_stat(r, "operand_hits"), 0);
    rig_free(r);
}

/* Straight code with bits at random: hits as a list of what each bank and slot
 * read last says. */
TEST(random_code_finds_as_many)
{
    for (unsigned seed = 0; seed < 40; seed++) {
        unsigned last[2][3] = {{0}, {0}}, want = 0;
        strbuf b = {0};
        rng g;

        rng_init(&g, seed, "reuse");
        for (unsigned i = 0; i < 60; i++) {
            unsigned reg[3], keep[3];
            bool miss[3], twice;

            for (unsigned s = 0; s < 3; s++) {
                reg[s] = 2 + rng_below(&g, 5);
                keep[s] = rng_below(&g, 2);
            }
            for (unsigned s = 0; s < 3; s++) {
                unsigned *e = &last[reg[s] % 2][s];

                miss[s] = *e != reg[s];
                *e = keep[s] ? reg[s] : 0;
            }
            for (unsigned s = 0; s < 3; s++) {
                /* One read serves all slots; so they count as one. */
                twice = false;
                for (unsigned t = 0; t < 3; t++) {
                    twice |= t < s && reg[t] == reg[s];
                    miss[s] |= reg[t] == reg[s] && miss[t];
                }
                want += !twice && !miss[s];
            }
            strbuf_printf(&b, CTL "FFMA R20, R%u%s, R%u%s, R%u%s\n", reg[0],
                          keep[0] ? ".reuse" : "", reg[1],
                          keep[1] ? ".reuse" : "", reg[2],
                          keep[2] ? ".reuse" : "");
        }
        strbuf_puts(&b, "EXIT\n");
        CHECK_EQ(hits(b.text), want);
        strbuf_fini(&b);
    }
}

/* ---- who issues: Figure 4 ---- */

enum { WARPS = 4, STEPS = 256 };

typedef struct timeline {
    char who[STEPS + 1]; /* a digit each cycle, '.' if none; from the first */
} timeline;

/* 32 instructions of each of four warps, the second with `second` in front. */
static timeline issue(const char *settings, const char *second, unsigned warps)
{
    rig *r = bench(settings);
    sm *s = r->s;
    timeline t = {""};
    strbuf b = {0};
    uint64_t before, first = 0;

    strbuf_puts(&b, "BAR.SYNC 0x0\n");
    for (unsigned i = 0; i < 32; i++)
        strbuf_printf(&b, "%sIADD3 R%u, R2, R3, RZ\n", i == 1 ? second : CTL,
                      10 + i);
    strbuf_puts(&b, CTL "EXIT\n");
    rig_program(r, "", b.text, 1, 32 * warps);
    while (s->st.warp_insts < warps)
        rig_step(r);                        /* all at the barrier */
    s->issue.scheduler[0].last = warps - 1; /* whichever came last */
    for (unsigned n = 0; n < STEPS && s->st.warp_insts < 34 * warps;
         n += !!first) {
        before = s->st.warp_insts;
        rig_step(r);
        if (!first && s->st.warp_insts > before)
            first = r->now;
        if (first)
            t.who[first == r->now ? 0 : n] =
                s->st.warp_insts > before
                    ? (char)('0' + s->issue.scheduler[0].last)
                    : '.';
    }
    strbuf_fini(&b);
    rig_free(r);
    return t;
}

static const char *runs(unsigned n, const char *who, char *to)
{
    memset(to + strlen(to) + n, 0, 1);
    memset(to + strlen(to), who[0], n);
    return to;
}

static void expect(const char *got, const char *want)
{
    if (strncmp(got, want, strlen(want)))
        TEST_FAIL("issued\n%s\nexpected\n%s", got, want);
}

#define CGGTY "sm.issue.scheduler=cggty\nsm.issue.hazard=codes\n"

/* Figure 4 b: the second instruction's stall count is four. */
TEST(youngest_first_while_stall_counts_run)
{
    timeline t = issue(CGGTY, "[B------:R-:W-:-:S04] ", WARPS);
    char want[STEPS] = "332211";

    runs(31, "3", want);
    runs(31, "2", want);
    runs(31, "1", want);
    runs(2, "0", want);
    /* The paper's text has four bubbles here; a count of four is three by its
     * own Listing 2, where it makes 8 cycles of 5. */
    runs(3, ".", want);
    runs(31, "0", want);
    expect(t.who, want);
}

/* Figure 4 c: the second instruction yields. */
TEST(a_warp_that_yields_lets_the_youngest_other_one_issue)
{
    timeline t = issue(CGGTY, "[B------:R-:W-:Y:S01] ", WARPS);
    char want[STEPS] = "3322";

    runs(31, "3", want);
    runs(31, "2", want);
    runs(2, "1", want);
    runs(2, "0", want);
    runs(31, "1", want);
    runs(31, "0", want);
    expect(t.who, want);
}

/* "... and we observed that the scheduler generates a bubble of one cycle." */
TEST(a_warp_that_yields_alone_leaves_out_a_cycle)
{
    static const char *const hazard[] = {CGGTY, "sm.issue.scheduler=cggty\n"};

    for (unsigned i = 0; i < 2; i++) {
        timeline t = issue(hazard[i], "[B------:R-:W-:Y:S01] ", 1);

        expect(t.who, "00.000000");
    }
    expect(issue("sm.issue.scheduler=gto\n", "[B------:R-:W-:Y:S01] ", 1).who,
           "000000000");
}

/* ---- constants ---- */

/* The younger of two warps needs a constant that takes `latency` cycles. */
static timeline constant(unsigned latency, unsigned hold)
{
    char set[256];
    rig *r;
    timeline t = {""};
    unsigned n = 0;

    snprintf(set, sizeof set,
             "sm.issue.scheduler=cggty\nsm.constant.hold=%u\n"
             "sm.constant.perfect=false\nsm.l15.bytes=0\n",
             hold);
    r = bench(set);
    r->cnet.latency = latency;
    rig_program(r, "",
                "BAR.SYNC 0x0\n"
                "IADD3 R9, R2, R3, RZ\n"
                "IADD3 R1, R2, c[0x0][0x200], RZ\n"
                "IADD3 R10, R2, R3, RZ\nIADD3 R11, R2, R3, RZ\n"
                "IADD3 R12, R2, R3, RZ\nIADD3 R13, R2, R3, RZ\nEXIT\n",
                1, 64);
    while (r->s->st.warp_insts < 2)
        rig_step(r);
    r->s->issue.scheduler[0].last = 1;
    while (r->s->st.warp_insts < 16 && n < STEPS) {
        uint64_t before = r->s->st.warp_insts;

        rig_step(r);
        t.who[n++] = r->s->st.warp_insts > before
                         ? (char)('0' + r->s->issue.scheduler[0].last)
                         : '.';
    }
    rig_free(r);
    return t;
}

TEST(scheduler_waits_four_cycles_for_a_constant)
{
    timeline slow = constant(100, 4), off = constant(100, 0),
             quick = constant(2, 4);

    /* W1 issues one and misses; for four cycles nobody issues, then W0 does. */
    CHECK(strstr(slow.who, ".1....0"));
    CHECK(strstr(off.who, ".10"));
    /* It comes before that: W1 goes on. */
    CHECK(strstr(quick.who, ".1...1111"));
}
