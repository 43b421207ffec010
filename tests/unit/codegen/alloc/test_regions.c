/* setmaxnreg: no instruction uses registers that its thread does not have
 * there, which is found by following the code, not by asking the compiler; what
 * needs more is spilled, and only there; results are right. */
#include "base/strbuf.h"
#include "test.h"
#include "unit/codegen/rig.h"

enum { THREADS = 384, PRODUCERS = 128, MOST = 220 };

/* How the kernel is compiled, what consumers ask for, and values of a producer
 * and of a consumer that are live at once. */
typedef struct shape {
    const char *directives;
    unsigned inc, dec, few, many, option;
} shape;

/* Loads `n` words and adds them up, the last one first: all are live at once.
 * Times 3 in between, so that the order matters. */
static void put_sum(strbuf *b, unsigned n, unsigned barrier, unsigned threads)
{
    for (unsigned i = 0; i < n; i++)
        strbuf_printf(b, "ld.volatile.global.u32 %%v%u, [%%d2+%u];\n", i,
                      4 * THREADS * i);
    strbuf_printf(b, "bar.sync %u, %u;\nmov.u32 %%r3, 0;\n", barrier, threads);
    for (unsigned i = n; i-- > 0;)
        strbuf_printf(b, "mad.lo.u32 %%r3, %%r3, 3, %%v%u;\n", i);
}

static void put_kernel(strbuf *b, const shape *s)
{
    strbuf_printf(b,
                  ".version 8.0\n.target sm_90a\n.address_size 64\n"
                  ".visible .entry k(.param .u64 in, .param .u64 out)\n%s\n{\n"
                  ".reg .pred %%p<4>; .reg .b32 %%r<9>, %%v<%u>;\n"
                  ".reg .b64 %%d<9>;\n"
                  "mov.u32 %%r1, %%tid.x; ld.param.u64 %%d1, [in];\n"
                  "mad.wide.u32 %%d2, %%r1, 4, %%d1;\n"
                  "ld.param.u64 %%d1, [out]; mad.wide.u32 %%d3, %%r1, 4, "
                  "%%d1;\n"
                  "setp.lt.u32 %%p1, %%r1, %u; @%%p1 bra PRODUCER;\n",
                  s->directives, MOST, PRODUCERS);
    if (s->inc)
        strbuf_printf(b, "setmaxnreg.inc.sync.aligned.u32 %u;\n", s->inc);
    put_sum(b, s->many, 1, THREADS - PRODUCERS);
    strbuf_puts(b, "bra END;\nPRODUCER:\n");
    if (s->dec)
        strbuf_printf(b, "setmaxnreg.dec.sync.aligned.u32 %u;\n", s->dec);
    put_sum(b, s->few, 2, PRODUCERS);
    strbuf_puts(b, "END: st.global.u32 [%d3], %r3;\nret;\n}\n");
}

static void compile(rig *r, const shape *s)
{
    cg_options o = cg_default_options(ARCH_HOPPER);
    strbuf b = {0};

    put_kernel(&b, s);
    o.max_registers = s->option;
    status st = rig_compile(r, "t.ptx", b.text, &o);
    if (st != ST_OK)
        rig_tell(r, st);
    CHECK_EQ(st, ST_OK);
    r->k = &r->p->kernels[0];
    strbuf_fini(&b);
}

static bool arrive(uint32_t *limit, uint32_t pc, uint32_t n)
{
    bool lower = !limit[pc] || n < limit[pc];

    if (lower)
        limit[pc] = n;
    return lower;
}

/* The least that a thread can have at each instruction. */
static uint32_t *limits_of(const isa_kernel *k)
{
    uint32_t *limit = calloc(k->code_count + 1, sizeof *limit);
    bool more = arrive(limit, 0, isa_kernel_begins_with(k));

    while (more) {
        more = false;
        for (uint32_t pc = 0; pc < k->code_count; pc++) {
            const isa_inst *in = &k->code[pc];
            bool always = in->guard == ISA_PT;
            uint32_t n = in->op == ISA_USETMAXREG ? in->val[1] : limit[pc];

            if (!limit[pc])
                continue;
            if (in->op == ISA_BRA)
                more |= arrive(limit, in->val[0], n);
            if (!always || (in->op != ISA_BRA && in->op != ISA_EXIT))
                more |= arrive(limit, pc + 1, n);
        }
    }
    return limit;
}

/* The highest register that is used where threads have `has`, + 1. */
static uint32_t check_limits(const isa_kernel *k, uint32_t has)
{
    uint32_t *limit = limits_of(k), most = 0;

    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const isa_inst *in = &k->code[pc];
        uint32_t used = in->dst_regs ? in->dst + in->dst_regs : 0;

        for (unsigned s = 0; s < 3; s++)
            if (in->src_regs[s] && in->src[s] + in->src_regs[s] > used)
                used = in->src[s] + in->src_regs[s];
        if (limit[pc] && used > limit[pc])
            TEST_FAIL("instruction %u uses %u registers of %u", pc, used,
                      limit[pc]);
        if (limit[pc] == has && used > most)
            most = used;
    }
    free(limit);
    return most;
}

static uint32_t word(unsigned i) { return i * 2654435761u + 12345; }

/* Functional execution against the sum made here. */
static void check_result(rig *r, const shape *s)
{
    static const uint32_t grid[] = {2, 1, 1}, block[] = {THREADS, 1, 1};
    static uint32_t in[THREADS * MOST], zero[THREADS];
    uint64_t at[2];

    for (unsigned i = 0; i < COUNTOF(in); i++)
        in[i] = word(i);
    rig_prepare(r, NULL, ARCH_HOPPER, grid, block, 0);
    at[0] = rig_alloc(r, "in", sizeof in, in);
    at[1] = rig_alloc(r, "out", sizeof zero, zero);
    rig_param(r, &at[0], 8);
    rig_param(r, &at[1], 8);
    status st = rig_run(r);
    if (st != ST_OK)
        rig_tell(r, st);
    CHECK_EQ(st, ST_OK);
    uint32_t got[THREADS];

    memcpy(got, mem_host(r->image, at[1]), sizeof got);
    for (unsigned t = 0; t < THREADS; t++) {
        uint32_t sum = 0;

        for (unsigned i = t < PRODUCERS ? s->few : s->many; i-- > 0;)
            sum = sum * 3 + word(THREADS * i + t);
        CHECK_EQ(got[t], sum);
    }
}

#define FIT ".maxntid 384, 1, 1\n.minnctapersm 1"

/* 168 are what 65536 registers have for 384 threads, by 8 [PTXAS13]. */
TEST(consumers_use_what_the_producer_gave_back)
{
    static const shape s = {FIT, 240, 24, 8, 200, 0};
    rig r;

    compile(&r, &s);
    CHECK_EQ(r.k->launch_registers, 168);
    CHECK_EQ(r.k->spill_bytes, 0);
    CHECK(check_limits(r.k, 240) >= 200);
    CHECK(check_limits(r.k, 24) >= 8);
    check_result(&r, &s);
    rig_free(&r);
}

/* Without it the same values do not fit. */
TEST(a_kernel_that_keeps_its_registers_spills)
{
    static const shape s = {".maxnreg 168", 0, 0, 8, 200, 0};
    rig r;

    compile(&r, &s);
    CHECK_EQ(r.k->launch_registers, 0);
    CHECK(r.k->registers <= 168);
    CHECK(r.k->spill_bytes >= 4 * (200 - 168));
    check_result(&r, &s);
    rig_free(&r);
}

/* Only what the limit of its place asks for: 60 values and an address or two
 * for 24 registers in the producer, no more. */
TEST(what_does_not_fit_behind_dec_is_spilled_there)
{
    static const shape s = {FIT, 240, 24, 60, 200, 0};
    rig r;

    compile(&r, &s);
    CHECK(r.k->spill_bytes >= 4 * (60 - 24));
    CHECK(r.k->spill_bytes <= 4 * 64);
    CHECK(check_limits(r.k, 240) >= 200);
    check_result(&r, &s);
    rig_free(&r);
}

/* ptxas 13.0 -v reports the same numbers of such kernels [PTXAS13]. */
TEST(the_launch_has_what_ptxas_gives_it)
{
    static const struct {
        shape s;
        unsigned launch;
    } all[] = {
        {{FIT, 240, 24, 4, 4, 0}, 168},
        {{FIT, 160, 24, 4, 4, 0}, 160},
        {{FIT, 256, 24, 4, 4, 0}, 168},
        {{FIT, 0, 40, 4, 4, 0}, 168},
        {{".maxntid 384, 1, 1\n.minnctapersm 2", 240, 24, 4, 4, 0}, 80},
        {{".reqntid 384, 1, 1\n.minnctapersm 1", 240, 24, 4, 4, 0}, 168},
        {{".maxntid 100, 1, 1\n.minnctapersm 1", 240, 24, 4, 4, 0}, 240},
        {{".maxntid 100, 1, 1\n.minnctapersm 1", 0, 24, 4, 4, 0}, 255},
        {{".maxnreg 168", 240, 24, 4, 4, 0}, 168},
        {{"", 240, 24, 4, 4, 168}, 168},
        /* not known: the instruction is left out */
        {{"", 240, 24, 4, 4, 0}, 0},
        {{".maxntid 384, 1, 1", 240, 24, 4, 4, 0}, 0},
    };

    for (unsigned i = 0; i < COUNTOF(all); i++) {
        unsigned sets = 0;
        rig r;

        compile(&r, &all[i].s);
        for (uint32_t pc = 0; pc < r.k->code_count; pc++)
            sets += r.k->code[pc].op == ISA_USETMAXREG;
        CHECK_EQ(r.k->launch_registers, all[i].launch);
        CHECK_EQ(sets != 0, all[i].launch != 0);
        CHECK_EQ(diag_count(r.dg), all[i].launch ? 0 : 1);
        if (!all[i].launch)
            CHECK(strstr(diag_get(r.dg, 0)->text,
                         "registers at the launch are not known"));
        rig_free(&r);
    }
}
