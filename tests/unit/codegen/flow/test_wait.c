/* Locks, turns and flags between the lanes of one warp: every program here
 * ends where lanes that leave a waiting loop come before those that stay, and
 * meet them behind the write that ends their wait; without that the first
 * lane to leave waits for the others, and they for it. What the lanes see of
 * one another when they meet again is their activemask. */
#include "unit/codegen/rig.h"

#include "test.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define ENTRY                                                                  \
    ".visible .entry k(.param .u64 lock, .param .u64 out)\n{\n"                \
    ".reg .b32 t, x, y, m, i, n;\n.reg .b64 l, o;\n.reg .pred p, q, s;\n"      \
    "mov.u32 t, %tid.x;\nld.param.u64 l, [lock];\nld.param.u64 o, [out];\n"    \
    "mad.wide.u32 o, t, 4, o;\nmov.u32 i, 0;\n"
#define COUNT /* what is not safe without the lock */                          \
    "ld.global.u32 y, [l+4];\nadd.u32 y, y, 1;\nst.global.u32 [l+4], y;\n"     \
    "membar.gl;\n"
#define TELL "activemask.b32 m;\nst.global.u32 [o], m;\nret;\n}\n"

enum { LANES = 32, WORDS = 64 };

static const isa_arch archs[] = {ARCH_FERMI, ARCH_KEPLER, ARCH_VOLTA};
static uint32_t out[LANES], lock[WORDS];
static rig R;

static status try_run(const char *text, isa_arch arch)
{
    const uint32_t one[3] = {1, 1, 1}, cta[3] = {LANES, 1, 1};
    cg_options o = cg_default_options(arch);
    uint64_t from, to;
    status st = rig_compile(&R, "k.ptx", text, &o);

    memset(lock, 0, sizeof lock);
    if (st == ST_OK) {
        rig_prepare(&R, NULL, arch, one, cta, 0);
        from = rig_alloc(&R, "lock", sizeof lock, lock);
        to = rig_alloc(&R, "out", sizeof out, NULL);
        rig_param(&R, &from, 8);
        rig_param(&R, &to, 8);
        st = rig_run(&R); /* of 20 million instructions at most */
        memcpy(lock, mem_host(R.image, from), sizeof lock);
        memcpy(out, mem_host(R.image, to), sizeof out);
    }
    return st;
}

static void run(const char *text, isa_arch arch)
{
    status st = try_run(text, arch);

    if (st != ST_OK)
        rig_tell(&R, st);
    CHECK_EQ(st, ST_OK);
}

static unsigned count(unsigned op)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < R.k->code_count; i++)
        n += R.k->code[i].op == op;
    return n;
}

/* The program ends on every family, the counter under the lock is `n`, and
 * all lanes are together at the end. */
static void check_lock(const char *text, unsigned n)
{
    for (unsigned a = 0; a < COUNTOF(archs); a++) {
        run(text, archs[a]);
        CHECK_EQ(lock[1], n);
        for (unsigned l = 0; l < LANES; l++)
            CHECK_EQ(out[l], UINT32_MAX);
        rig_free(&R);
    }
}

/* Where clang has moved the critical section behind the loop. */
TEST(a_lock_is_given_back_before_lanes_meet)
{
    check_lock(HEAD ENTRY "LOOP:\natom.global.cas.b32 x, [l], 0, 1;\n"
                          "setp.ne.u32 p, x, 0;\n@p bra LOOP;\n" COUNT
                          "atom.global.exch.b32 x, [l], 0;\n" TELL,
               LANES);
}

/* The branch of the text lets those that stay fall through, to a block of
 * their own, so that it cannot be turned round for nothing. */
TEST(lanes_that_leave_run_first_however_the_branch_is_written)
{
    check_lock(HEAD ENTRY "LOOP:\natom.global.cas.b32 x, [l], 0, 1;\n"
                          "setp.eq.u32 p, x, 0;\n@p bra GOT;\n"
                          "add.u32 i, i, x;\nst.volatile.global.u32 [l+8], i;\n"
                          "bra LOOP;\nGOT:\n" COUNT
                          "atom.global.exch.b32 x, [l], 0;\n" TELL,
               LANES);
}

TEST(an_exchange_a_bit_and_a_volatile_flag_are_locks)
{
    check_lock(HEAD ENTRY "LOOP:\natom.global.exch.b32 x, [l], 1;\n"
                          "setp.ne.u32 p, x, 0;\n@p bra LOOP;\n" COUNT
                          "st.volatile.global.u32 [l], 0;\n" TELL,
               LANES);
    check_lock(HEAD ENTRY "LOOP:\natom.global.or.b32 x, [l], 4;\n"
                          "and.b32 x, x, 4;\nsetp.ne.u32 p, x, 0;\n"
                          "@p bra LOOP;\n" COUNT
                          "red.global.and.b32 [l], 0xfffffffb;\n" TELL,
               LANES);
    check_lock(HEAD ENTRY "LOOP:\nld.volatile.global.u32 x, [l];\n"
                          "setp.ne.u32 p, x, 0;\n@p bra LOOP;\n"
                          "atom.global.cas.b32 x, [l], 0, 1;\n"
                          "setp.ne.u32 p, x, 0;\n@p bra LOOP;\n" COUNT
                          "st.volatile.global.u32 [l], 0;\n" TELL,
               LANES);
}

TEST(lanes_take_turns)
{
    check_lock(HEAD ENTRY "LOOP:\nld.volatile.global.u32 x, [l];\n"
                          "setp.ne.u32 p, x, t;\n@p bra LOOP;\n" COUNT
                          "add.u32 x, t, 1;\n"
                          "st.volatile.global.u32 [l], x;\n" TELL,
               LANES);
}

/* Lane t waits for the flag of lane t - 1; lane 0 goes round the loop. */
TEST(lanes_that_need_not_wait_come_first)
{
    check_lock(HEAD ENTRY "mad.wide.u32 l, t, 4, l;\nsetp.eq.u32 p, t, 0;\n"
                          "@p bra FREE;\nLOOP:\n"
                          "ld.volatile.global.u32 x, [l];\n"
                          "setp.eq.u32 q, x, 0;\n@q bra LOOP;\nFREE:\n"
                          "add.u32 x, t, 1;\n"
                          "st.volatile.global.u32 [l+4], x;\n" TELL,
               1);
}

/* The last lane to come lets the others go on: all see one flag, so all leave
 * together, and meet the last one before they come to the next flag. */
#define FLAG(n)                                                                \
    "atom.global.add.u32 x, [l+8], 1;\nsetp.eq.u32 p, x, 31;\n"                \
    "@p bra LAST" #n ";\nWAIT" #n ":\nld.volatile.global.u32 x, [l+12];\n"     \
    "setp.lt.u32 q, x, " #n ";\n@q bra WAIT" #n ";\nbra MET" #n ";\n"          \
    "LAST" #n ":\nst.volatile.global.u32 [l+8], 0;\n"                          \
    "st.volatile.global.u32 [l+12], " #n ";\nMET" #n ":\n"                     \
    "red.global.add.u32 [l+4], 1;\n"

TEST(a_flag_for_all_lanes_and_another_behind_it)
{
    check_lock(HEAD ENTRY FLAG(1) FLAG(2) FLAG(3) TELL, 3 * LANES);
}

TEST(a_flag_for_all_lanes_in_a_loop)
{
    check_lock(HEAD ENTRY
               "mov.u32 i, 1;\nbra NEXT;\n"
               "LAST:\nst.volatile.global.u32 [l+8], 0;\n"
               "st.volatile.global.u32 [l+12], i;\n"
               "MET:\nred.global.add.u32 [l+4], 1;\nadd.u32 i, i, 1;\n"
               "setp.gt.u32 s, i, 3;\n@s bra DONE;\n"
               "NEXT:\natom.global.add.u32 x, [l+8], 1;\n"
               "setp.eq.u32 p, x, 31;\n@p bra LAST;\n"
               "WAIT:\nld.volatile.global.u32 x, [l+12];\n"
               "setp.lt.u32 q, x, i;\n@q bra WAIT;\nbra MET;\nDONE:\n" TELL,
               3 * LANES);
}

/* One side ends, the other is where both would have met: what is behind that
 * counts, too. The last lanes, which wait for the first, come second. */
TEST(lanes_that_end_before_the_others_wait_come_first)
{
    const char *text =
        HEAD ENTRY "setp.ge.u32 p, t, 16;\n@p bra TAKE;\n"
                   "FULL:\natom.global.or.b32 x, [l+8], 0;\n"
                   "setp.ne.u32 q, x, 0;\n@q bra FULL;\n"
                   "red.global.add.u32 [l+4], 1;\n"
                   "atom.global.exch.b32 x, [l+12], 1;\nbra END;\n"
                   "TAKE:\nsetp.eq.u32 p, t, 31;\n@p bra END;\n"
                   "NONE:\natom.global.or.b32 x, [l+12], 0;\n"
                   "setp.eq.u32 q, x, 0;\n@q bra NONE;\n"
                   "red.global.add.u32 [l+4], 1;\nEND:\nret;\n}\n";

    for (unsigned a = 0; a < COUNTOF(archs); a++) {
        run(text, archs[a]);
        CHECK_EQ(lock[1], 31);
        rig_free(&R);
    }
}

/* In a loop over items the lock is given back in each round, and the lanes
 * meet in it. */
TEST(a_lock_in_a_loop)
{
    check_lock(HEAD ENTRY "ITEM:\nLOOP:\natom.global.cas.b32 x, [l], 0, 1;\n"
                          "setp.ne.u32 p, x, 0;\n@p bra LOOP;\n" COUNT
                          "atom.global.exch.b32 x, [l], 0;\n"
                          "add.u32 i, i, 1;\nsetp.lt.u32 q, i, 3;\n"
                          "@q bra ITEM;\n" TELL,
               3 * LANES);
}

/* The place of the lock is found on the way: a node. */
TEST(a_lock_whose_place_changes_from_round_to_round)
{
    check_lock(HEAD ENTRY
               ".reg .b64 a;\nLOOP:\nand.b32 n, i, 1;\nadd.u32 i, i, 1;\n"
               "mad.wide.u32 a, n, 8, l;\n"
               "atom.global.cas.b32 x, [a+8], 0, 0xfffffffe;\n"
               "setp.ne.u32 p, x, 0;\n@p bra LOOP;\n"
               "atom.global.add.u32 x, [l+4], 1;\nmembar.gl;\n"
               "st.volatile.global.u32 [a+8], 0;\n" TELL,
               LANES);
}

TEST(one_lock_within_another)
{
    check_lock(HEAD ENTRY "A:\natom.global.cas.b32 x, [l], 0, 1;\n"
                          "setp.ne.u32 p, x, 0;\n@p bra A;\n"
                          "B:\natom.global.cas.b32 x, [l+8], 0, 1;\n"
                          "setp.ne.u32 p, x, 0;\n@p bra B;\n" COUNT
                          "atom.global.exch.b32 x, [l+8], 0;\n"
                          "atom.global.exch.b32 x, [l], 0;\n" TELL,
               LANES);
}

TEST(a_lock_taken_and_given_back_by_functions)
{
    const char *text = HEAD
        ".func take(.param .u64 a)\n{\n.reg .b64 l;\n.reg .b32 x;\n"
        ".reg .pred p;\nld.param.u64 l, [a];\n"
        "LOOP:\natom.global.cas.b32 x, [l], 0, 1;\n"
        "setp.ne.u32 p, x, 0;\n@p bra LOOP;\nret;\n}\n"
        ".func give(.param .u64 a)\n{\n.reg .b64 l;\n.reg .b32 x;\n"
        "ld.param.u64 l, [a];\natom.global.exch.b32 x, [l], 0;\nret;\n}\n" ENTRY
        "{\n.param .u64 a;\nst.param.u64 [a], l;\n"
        "call take, (a);\n}\n" COUNT "{\n.param .u64 a;\nst.param.u64 [a], l;\n"
        "call give, (a);\n}\nret;\n}\n";

    for (unsigned a = 0; a < COUNTOF(archs); a++) {
        run(text, archs[a]);
        CHECK_EQ(lock[1], LANES);
        rig_free(&R);
    }
}

/* The barrier bounds where lanes meet: all are there. */
TEST(a_lock_before_a_barrier)
{
    check_lock(HEAD ENTRY ".shared .align 4 .b32 c[2];\nmov.u32 x, 0;\n"
                          "st.shared.u32 [c], x;\nst.shared.u32 [c+4], x;\n"
                          "bar.sync 0;\n"
                          "LOOP:\natom.shared.cas.b32 x, [c], 0, 1;\n"
                          "setp.ne.u32 p, x, 0;\n@p bra LOOP;\n"
                          "ld.shared.u32 y, [c+4];\nadd.u32 y, y, 1;\n"
                          "st.shared.u32 [c+4], y;\n"
                          "atom.shared.exch.b32 x, [c], 0;\nbar.sync 0;\n"
                          "ld.shared.u32 y, [c+4];\n"
                          "st.global.u32 [l+4], y;\n" TELL,
               LANES);
}

/* A sum by compare-and-swap gives nothing back: its lanes meet right behind
 * the loop, before what is stored elsewhere and to the same place. */
TEST(an_atomic_made_of_compare_and_swap_is_no_lock)
{
    const char *text =
        HEAD ENTRY "ld.global.u32 x, [l+4];\nLOOP:\nmov.u32 n, x;\n"
                   "add.u32 y, n, 1;\n"
                   "atom.global.cas.b32 x, [l+4], n, y;\n"
                   "setp.ne.u32 p, x, n;\n@p bra LOOP;\n"
                   "activemask.b32 m;\nst.global.u32 [o], m;\n"
                   "st.global.u32 [l], m;\nret;\n}\n";

    check_lock(text, LANES);
    run(text, ARCH_VOLTA);
    CHECK_EQ(count(ISA_YIELD), 0);
    rig_free(&R);
}

/* Nor is a loop that counts on: work handed out by an atomic. */
TEST(a_counter_is_no_lock)
{
    const char *text =
        HEAD ENTRY "LOOP:\natom.global.add.u32 x, [l], 1;\n"
                   "setp.lt.u32 p, x, 100;\n@!p bra OUT;\n"
                   "red.global.add.u32 [l+4], 1;\nbra LOOP;\nOUT:\n"
                   "st.global.u32 [l+8], x;\n" TELL;

    check_lock(text, 100);
    run(text, ARCH_VOLTA);
    CHECK_EQ(count(ISA_YIELD), 0);
    rig_free(&R);
}

/* A search of memory that others write reads on. */
TEST(a_search_is_no_wait)
{
    run(HEAD ENTRY "LOOP:\nld.volatile.global.u32 x, [l+8];\n"
                   "add.s64 l, l, 4;\nadd.u32 i, i, 1;\n"
                   "setp.ne.u32 p, x, 0;\n@p bra OUT;\n"
                   "setp.lt.u32 q, i, t;\n@q bra LOOP;\nOUT:\n" TELL,
        ARCH_VOLTA);
    CHECK_EQ(count(ISA_YIELD), 0);
    for (unsigned l = 0; l < LANES; l++)
        CHECK_EQ(out[l], UINT32_MAX);
    rig_free(&R);
}

/* A queue of nodes: the first waits for the second to link itself, which is
 * behind the branch that the first has not taken. No order of the two sides
 * helps the stack; from Volta on both make progress. */
TEST(from_volta_on_both_sides_of_a_branch_make_progress)
{
    run(HEAD ENTRY
        ".reg .b64 a;\nsetp.eq.u32 p, t, 0;\n@p bra FIRST;\n"
        "setp.gt.u32 q, t, 1;\n@q bra END;\n"
        "st.volatile.global.u32 [l+8], t;\n" /* lane 1 tells, then waits */
        "WAIT:\nld.volatile.global.u32 x, [l+12];\nsetp.eq.u32 s, x, 0;\n"
        "@s bra WAIT;\nbra END;\n"
        "FIRST:\nld.volatile.global.u32 x, [l+8];\nsetp.eq.u32 s, x, 0;\n"
        "@s bra FIRST;\nst.volatile.global.u32 [l+12], x;\nEND:\n"
        "st.global.u32 [o], x;\nret;\n}\n",
        ARCH_VOLTA);
    CHECK_EQ(lock[3], 1);
    rig_free(&R);
}
