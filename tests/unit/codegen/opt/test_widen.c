/* tests/unit/codegen/opt/test_widen.c - loads side by side become wide ones
 * where that is allowed, and only there; results that are never read go. What
 * the code computes is compared with what it would without. */
#include "unit/codegen/rig.h"

#include "test.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define KERNEL                                                                 \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<40>;\n"               \
    ".reg .b64 %d<9>;\n.reg .f32 %f<20>;\n.reg .pred %p<3>;\n"                 \
    ".shared .align 16 .b8 tile[4096];\nld.param.u64 %d1, [out];\n"            \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\nshl.b32 %r3, %r1, 2;\n"         \
    "add.u32 %r4, %r2, %r3;\nst.shared.u32 [%r4], %r1;\nbar.sync 0;\n"
/* Thread t writes %r9. */
#define END                                                                    \
    "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\n"                      \
    "st.global.u32 [%d3], %r9;\nret;\n}\n"

enum { THREADS = 64 };

typedef struct loads {
    unsigned narrow, pairs, quads; /* of 32, 64, 128 bits */
} loads;

static rig R;

static loads count_loads(const isa_kernel *k, unsigned op)
{
    loads n = {0};

    for (uint32_t i = 0; i < k->code_count; i++) {
        if (k->code[i].op != op)
            continue;
        switch (ISA_GET(&k->code[i], SIZE)) {
        case SIZE_128:
            n.quads++;
            break;
        case SIZE_64:
            n.pairs++;
            break;
        default:
            n.narrow++;
        }
    }
    return n;
}

/* The loads of operation `op` in the code, which runs; thread t has to write
 * want(t). */
static loads run(const char *text, unsigned op, uint32_t (*want)(uint32_t t))
{
    cg_options o = cg_default_options(ARCH_VOLTA);
    uint64_t out;
    status st;
    loads n;

    st = rig_compile(&R, "k.ptx", text, &o);
    if (st != ST_OK)
        rig_tell(&R, st);
    CHECK_EQ(st, ST_OK);
    n = count_loads(&R.p->kernels[0], op);
    rig_prepare(&R, NULL, ARCH_VOLTA, (uint32_t[]){1, 1, 1},
                (uint32_t[]){THREADS, 1, 1}, 0);
    out = rig_alloc(&R, "out", 4 * THREADS, NULL);
    rig_param(&R, &out, 8);
    CHECK_EQ(rig_run(&R), ST_OK);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t v;

        memcpy(&v, mem_host(R.image, out + 4 * t), 4);
        CHECK_EQ(v, want(t));
    }
    rig_free(&R);
    return n;
}

#define LOAD(r, base, at) "ld.shared.u32 " r ", [" base "+" at "];\n"
#define FOLD                                                                   \
    "mul.lo.u32 %r9, %r5, 3;\nadd.u32 %r9, %r9, %r6;\n"                        \
    "mul.lo.u32 %r9, %r9, 3;\nadd.u32 %r9, %r9, %r7;\n"                        \
    "mul.lo.u32 %r9, %r9, 3;\nadd.u32 %r9, %r9, %r8;\n"

static uint32_t fold(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return ((a * 3 + b) * 3 + c) * 3 + d;
}

static uint32_t four_of(uint32_t t)
{
    uint32_t at = t / 4 * 4;

    return fold(at, at + 1, at + 2, at + 3);
}

/* Bits of an address that arithmetic makes 0: by a mask, by a shift. */
TEST(four_words_of_an_aligned_address_are_one_load)
{
#define FOUR                                                                   \
    LOAD("%r5", "%r11", "0")                                                   \
    LOAD("%r7", "%r11", "8")                                                   \
    LOAD("%r6", "%r11", "4") LOAD("%r8", "%r11", "12") FOLD END
    loads n = run(HEAD KERNEL "and.b32 %r10, %r3, -16;\n"
                              "add.u32 %r11, %r2, %r10;\n" FOUR,
                  ISA_LDS, four_of);

    CHECK_EQ(n.quads, 1);
    CHECK_EQ(n.narrow + n.pairs, 0);
    n = run(HEAD KERNEL "shr.u32 %r10, %r1, 2;\nshl.b32 %r10, %r10, 4;\n"
                        "add.u32 %r11, %r2, %r10;\n" FOUR,
            ISA_LDS, four_of);
    CHECK_EQ(n.quads, 1);
}

/* What no thread has written is 0. */
static uint32_t written(uint32_t i) { return i < THREADS ? i : 0; }

static uint32_t pairs_of(uint32_t t)
{
    uint32_t at = t / 2 * 2;

    return fold(at, at + 1, written(at + 2), written(at + 3));
}

static uint32_t unaligned_of(uint32_t t)
{
    return t + 4 <= THREADS ? fold(t, t + 1, t + 2, t + 3) : 0;
}

TEST(loads_are_as_wide_as_their_address_is_aligned)
{
    loads n = run(HEAD KERNEL "and.b32 %r10, %r3, -8;\n"

                              "add.u32 %r11, %r2, %r10;\n" FOUR,
                  ISA_LDS, pairs_of);

    CHECK_EQ(n.pairs, 2);
    CHECK_EQ(n.narrow + n.quads, 0);
    n = run(HEAD KERNEL
            "mov.u32 %r9, 0;\nsetp.gt.u32 %p1, %r1, 60;\n"
            "@%p1 bra L;\nadd.u32 %r11, %r2, %r3;\n" LOAD("%r5", "%r11", "0")
                LOAD("%r7", "%r11", "8") LOAD("%r6", "%r11", "4")
                    LOAD("%r8", "%r11", "12") FOLD "L:\n" END,
            ISA_LDS, unaligned_of);
    CHECK_EQ(n.narrow, 4);
}

static uint32_t loop_of(uint32_t t)
{
    uint32_t sum = 0;

    (void)t;
    for (uint32_t i = 0; i < THREADS; i++)
        sum += i;
    return sum;
}

/* What goes round is a multiple of 16 from the start and by each step. */
TEST(loops_keep_what_is_known_of_an_address)
{
#define LOOP(step)                                                             \
    "mov.u32 %r9, 0;\nmov.u32 %r10, 0;\nL:\nadd.u32 %r11, %r2, %r10;\n" LOAD(  \
        "%r5", "%r11", "0") LOAD("%r6", "%r11", "4") LOAD("%r7", "%r11", "8")  \
        LOAD("%r8", "%r11",                                                    \
             "12") "add.u32 %r9, %r9, %r5;\nadd.u32 %r9, %r9, %r6;\n"          \
                   "add.u32 %r9, %r9, %r7;\nadd.u32 %r9, %r9, %r8;\n"          \
                   "add.u32 %r10, %r10, " step ";\n"                           \
                   "setp.lt.u32 %p1, %r10, 256;\n@%p1 bra L;\n" END
    CHECK_EQ(run(HEAD KERNEL LOOP("16"), ISA_LDS, loop_of).quads, 1);
}

static uint32_t stored_of(uint32_t t)
{
    uint32_t at = t / 4 * 4;

    return fold(at, at + 1, 77, at + 3);
}

/* A store between them that may be to the same place; one that cannot be. */
TEST(loads_do_not_pass_stores)
{
#define STORED(to)                                                             \
    "and.b32 %r10, %r3, -16;\nadd.u32 %r11, %r2, %r10;\n"                      \
    "mov.u32 %r12, 77;\n" LOAD("%r5", "%r11", "0")                             \
        LOAD("%r6", "%r11", "4") "st.shared.u32 [%r11+" to                     \
                                 "], %r12;\n" LOAD("%r7", "%r11", "8")         \
                                     LOAD("%r8", "%r11", "12") FOLD END
    loads n = run(HEAD KERNEL STORED("8"), ISA_LDS, stored_of);

    CHECK_EQ(n.quads, 0);
    n = run(HEAD KERNEL STORED("1024"), ISA_LDS, four_of);
    CHECK_EQ(n.quads, 1);
}

static uint32_t changed_of(uint32_t t)
{
    uint32_t at = t / 4 * 4;

    return fold(at, at + 1, at + 2, at + 3) + 64 * fold(0, 0, 1, 1);
}

/* Others write behind a barrier what is read there. */
TEST(loads_do_not_pass_barriers)
{
    loads n = run(
        HEAD KERNEL "and.b32 %r10, %r3, -16;\nadd.u32 %r11, %r2, %r10;\n" LOAD(
            "%r5", "%r11", "0")
            LOAD("%r6", "%r11",
                 "4") "bar.sync 0;\n"
                      "add.u32 %r12, %r1, 64;\nst.shared.u32 [%r4], %r12;\n"
                      "bar.sync 0;\n" LOAD("%r7", "%r11", "8")
                          LOAD("%r8", "%r11", "12") FOLD END,
        ISA_LDS, changed_of);

    CHECK_EQ(n.quads, 0);
    CHECK_EQ(n.pairs, 2);
    n = run(
        HEAD KERNEL "and.b32 %r10, %r3, -16;\nadd.u32 %r11, %r2, %r10;\n" LOAD(
            "%r5", "%r11", "0")
            LOAD("%r6", "%r11", "4") "bar.sync 0;\n" LOAD("%r7", "%r11", "8")
                LOAD("%r8", "%r11", "12") FOLD END,
        ISA_LDS, four_of);
    CHECK_EQ(n.quads, 0);
}

static uint32_t twice_of(uint32_t t) { return fold(t, t, t, t); }

TEST(equal_loads_are_one)
{
    loads n = run(HEAD KERNEL LOAD("%r5", "%r4", "0") LOAD("%r6", "%r4", "0")
                      LOAD("%r7", "%r4", "0") LOAD("%r8", "%r4", "0") FOLD END,
                  ISA_LDS, twice_of);

    CHECK_EQ(n.narrow, 1);
    n = run(HEAD KERNEL "ld.volatile.shared.u32 %r5, [%r4];\n"
                        "ld.volatile.shared.u32 %r6, [%r4];\n"
                        "mov.u32 %r7, %r1;\nmov.u32 %r8, %r1;\n" FOLD END,
            ISA_LDS, twice_of);
    CHECK_EQ(n.narrow, 2);
}

static uint32_t table_of(uint32_t t)
{
    uint32_t at = t % 2 * 4;

    return fold(at + 1, at + 2, at + 3, at + 4);
}

TEST(constants_are_joined_too)
{
    loads n =
        run(HEAD ".const .align 16 .b32 c[8] = {1,2,3,4,5,6,7,8};\n" KERNEL
                 "and.b32 %r10, %r1, 1;\nmul.wide.u32 %d5, %r10, 16;\n"
                 "mov.u64 %d6, c;\nadd.u64 %d7, %d6, %d5;\n"
                 "ld.const.u32 %r5, [%d7];\nld.const.u32 %r6, [%d7+4];\n"
                 "ld.const.u32 %r7, [%d7+8];\n"
                 "ld.const.u32 %r8, [%d7+12];\n" FOLD END,
            ISA_LDC, table_of);

    CHECK_EQ(n.pairs, 2); /* Volta's LDC brings 64 bits at most */
    CHECK_EQ(n.narrow + n.quads, 0);
    n = run(HEAD ".const .align 16 .b32 c[8] = {1,2,3,4,5,6,7,8};\n" KERNEL
                 "and.b32 %r10, %r1, 1;\nmul.wide.u32 %d5, %r10, 16;\n"
                 "mov.u64 %d6, c;\nadd.u64 %d7, %d6, %d5;\n"
                 "ld.const.v4.u32 {%r5, %r6, %r7, %r8}, [%d7];\n" FOLD END,
            ISA_LDC, table_of);
    CHECK_EQ(n.pairs, 2);
    CHECK_EQ(n.narrow + n.quads, 0);
}

static uint32_t rounds_of(uint32_t t)
{
    uint32_t sum = 0, i = 0;

    (void)t;
    for (unsigned round = 0; round < 2; round++) {
        sum += 2 * i + 1 + 3 * (2 * i + 2);
        i++;
        sum += 5 * (2 * i + 1);
        i++;
    }
    return sum;
}

/* Both words of an entry are at one place, however often it is computed from a
 * counter that goes round; behind a step, which only some lanes might take, it
 * is another place. */
TEST(places_by_a_counter_are_computed_once_a_step)
{
#define ENTRY "mul.wide.u32 %d5, %r10, 8;\nadd.u64 %d7, %d6, %d5;\n"
    loads n =
        run(HEAD ".const .align 8 .b32 c[8] = {1,2,3,4,5,6,7,8};\n" KERNEL
                 "setp.lt.u32 %p2, %r1, 64;\nmov.u64 %d6, c;\nmov.u32 %r9, "
                 "0;\nmov.u32 %r10, 0;\nL:\n" ENTRY
                 "ld.const.u32 %r5, [%d7];\nadd.u32 %r9, %r9, %r5;\n" ENTRY
                 "ld.const.u32 %r6, [%d7+4];\n"
                 "mad.lo.u32 %r9, %r6, 3, %r9;\n"
                 "@%p2 add.u32 %r10, %r10, 1;\n" ENTRY
                 "ld.const.u32 %r7, [%d7];\nmad.lo.u32 %r9, %r7, 5, %r9;\n"
                 "add.u32 %r10, %r10, 1;\n"
                 "setp.lt.u32 %p1, %r10, 4;\n@%p1 bra L;\n" END,
            ISA_LDC, rounds_of);

    CHECK_EQ(n.pairs, 1);
    CHECK_EQ(n.narrow, 1);
}

static uint32_t powers_of(uint32_t t)
{
    for (unsigned i = 0; i < 8; i++)
        t = t * t + 5;
    return t;
}

/* A variable that is computed again and again: nothing is copied. */
TEST(variables_that_are_computed_anew_take_no_copies)
{
#define STEP "mad.lo.u32 %r9, %r9, %r9, 5;\n"
    cg_options o = cg_default_options(ARCH_VOLTA);
    const char *text = HEAD KERNEL
        "mov.u32 %r9, %r1;\nmov.u32 %r10, 0;\nL:\n" STEP STEP STEP STEP
        "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 2;\n"
        "@%p1 bra L;\n" END;
    unsigned copies = 0;

    run(text, ISA_LDS, powers_of);
    CHECK_EQ(rig_compile(&R, "k.ptx", text, &o), ST_OK);
    for (uint32_t i = 0; i < R.p->kernels[0].code_count; i++) {
        const isa_inst *in = &R.p->kernels[0].code[i];

        copies += in->op == ISA_MOV && in->src_regs[1];
        copies += in->op == ISA_IMAD && !in->src_regs[0] && in->src_regs[2];
    }
    CHECK_EQ(copies, 1); /* of the thread's number, before the loop */
    rig_free(&R);
}
