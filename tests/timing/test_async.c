/* --check-async: programs that are right are clean; each without one of the
 * fences or waits that it needs is told, whatever came of it, on the machine
 * however it is simulated and without timing. */
#include "cga.h"

static const rt_options ways[] = {
    {.threads = 1, .check_async = true},
    {.threads = 3, .shuffle = 5, .check_async = true},
    {.threads = 1, .no_skip = true, .check_async = true},
    {.threads = 1, .functional = true, .check_async = true},
};

/* What stands in [n ... ]n is left out where piece n is to be missing; what
 * stands in {n ... }n is there then alone. Four warps; %d1: 64 kB, %r1: the
 * thread, %r2: buf. Each writes 16 bytes at %r3. */
#define BEGIN                                                                  \
    CGA_HEAD ".visible .entry k(.param .u64 out)\n"                            \
             "{ .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<16>;\n"       \
             ".reg .f32 %f<9>; .shared .align 1024 .b8 buf[4096];\n"           \
             ".shared .align 8 .b8 bar[8];\n"                                  \
             "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x;\n"                 \
             "mov.u32 %r2, buf; shl.b32 %r4, %r1, 4; add.u32 %r3, %r2, %r4;\n" \
             "cvt.u64.u32 %d2, %r4; add.u64 %d2, %d1, %d2;\n"                  \
             "setp.eq.u32 %p1, %r1, 0; mov.u32 %r9, bar; mov.u32 %r5, 0;\n"    \
             "xor.b32 %r6, %r3, 512;\n"
#define END "st.global.u32 [%d2+4096], %r5; ret; }\n"

#define ADD "add.u32 %r5, %r5, %r7;\n"
static const char copies[] = BEGIN
    "cp.async.ca.shared.global [%r3], [%d2], 16; cp.async.commit_group;\n"
    "[1 cp.async.wait_group 0;\n ]1"
    "ld.shared.u32 %r7, [%r3];\n" ADD "[2 bar.sync 0;\n ]2"
    "ld.shared.u32 %r7, [%r6];\n" ADD "bar.sync 0;\n"
    "cp.async.ca.shared.global [%r3], [%d2], 16; cp.async.commit_group;\n"
    "cp.async.ca.shared.global [%r3+2048], [%d2], 16; "
    "cp.async.commit_group;\n"
    "[3 cp.async.wait_group 1;\n ]3 {3 cp.async.wait_group 2;\n }3"
    "ld.shared.u32 %r7, [%r3];\n" ADD
    "cp.async.wait_all; bar.sync 0; ld.shared.u32 %r7, [%r6+2048];\n" ADD END;

#define PRODUCT                                                                \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "                       \
    "{%f0,%f1,%f2,%f3}, %d3, %d3, 1, 1, 1, 0, 0;\n"
static const char products[] = BEGIN
    "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0;\n"
    "mov.f32 %f3, %f0;\n"
    "st.shared.v4.u32 [%r3], {%r5, %r5, %r5, %r5};\n"
    "[1 fence.proxy.async;\n ]1"
    "[2 bar.sync 0;\n ]2"
    "shr.u32 %r8, %r2, 4; or.b32 %r8, %r8, 0x80000; mov.b64 %d3, {%r8, 16};\n"
    "wgmma.fence.sync.aligned;\n" PRODUCT PRODUCT
    "wgmma.commit_group.sync.aligned;\n"
    "{3 bra.uni L; L: add.f32 %f3, %f0, %f1;\n }3"
    "{4 st.shared.u32 [%r3], %r1;\n }4"
    "wgmma.wait_group.sync.aligned 0;\n"
    "bar.sync 0; add.f32 %f0, %f0, %f1;\n"
    "st.shared.u32 [%r3], %r1; fence.proxy.async; bar.sync 0;\n"
    "[5 wgmma.fence.sync.aligned;\n ]5" PRODUCT
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
    "add.f32 %f0, %f0, %f3; add.f32 %f0, %f0, %f2;\n"
    "mov.b32 %r5, %f0;\n" END;

static const char loads[] = BEGIN
    "@!%p1 bra R;\n"
    "mbarrier.init.shared.b64 [%r9], 1;\n"
    "[1 fence.mbarrier_init.release.cluster;\n ]1"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 2048;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], "
    "[%d1], 2048, [%r9];\n"
    "R: bar.sync 0;\n"
    "[2 W: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0; @!%p2 bra W;\n "
    "]2"
    "ld.shared.u32 %r5, [%r3];\n" END;

static const char stores[] =
    BEGIN "st.shared.v4.u32 [%r3], {%r1, %r1, %r1, %r1};\n"
          "[1 fence.proxy.async.shared::cta;\n ]1"
          "[2 bar.sync 0;\n ]2 @!%p1 bra R;\n"
          "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r2], 2048;\n"
          "cp.async.bulk.commit_group;\n"
          "[3 cp.async.bulk.wait_group.read 0;\n ]3"
          "R: [4 bar.sync 0;\n ]4 st.shared.u32 [%r3], %r5;\n"
          "cp.async.bulk.wait_group 0;\n" END;

static const char peers[] =
    BEGIN "[1 barrier.cluster.arrive; barrier.cluster.wait;\n ]1"
          "mov.u32 %r10, %cluster_ctarank; xor.b32 %r10, %r10, 1;\n"
          "mapa.shared::cluster.u32 %r11, %r3, %r10;\n"
          "ld.shared::cluster.u32 %r5, [%r11];\n"
          "barrier.cluster.arrive; barrier.cluster.wait;\n" END;

/* Factors in registers: what is computed beside the product may get those that
 * held them, which is nothing the program does. */
static const char factors[] = BEGIN
    ".reg .b32 %a<4>; .reg .f32 %g<16>;\n"
    "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0;\n"
    "mov.f32 %f3, %f0; ld.global.v4.u32 {%a0,%a1,%a2,%a3}, [%d2];\n"
    "st.shared.v4.u32 [%r3], {%r5, %r5, %r5, %r5};\n"
    "fence.proxy.async; bar.sync 0;\n"
    "shr.u32 %r8, %r2, 4; or.b32 %r8, %r8, 0x80000; mov.b64 %d3, {%r8, 16};\n"
    "wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
    "{%f0,%f1,%f2,%f3}, {%a0,%a1,%a2,%a3}, %d3, 1, 1, 1, 0;\n"
    "wgmma.commit_group.sync.aligned;\n"
    "ld.global.v4.f32 {%g0,%g1,%g2,%g3}, [%d2+8192];\n"
    "ld.global.v4.f32 {%g4,%g5,%g6,%g7}, [%d2+16384];\n"
    "mul.f32 %g0, %g0, %g1; mul.f32 %g2, %g2, %g3; mul.f32 %g4, %g4, %g5;\n"
    "mul.f32 %g6, %g6, %g7; st.global.v4.f32 [%d2+8192], {%g0,%g2,%g4,%g6};\n"
    "wgmma.wait_group.sync.aligned 0;\n"
    "add.f32 %f0, %f0, %f3; add.f32 %f0, %f0, %f2; add.f32 %f0, %f0, %f1;\n"
    "mov.b32 %r5, %f0;\n" END;

static const struct {
    const char *text;
    uint32_t cga;
    const char *say[6]; /* what is told without piece 1, 2, ... */
} all[] = {
    {copies,
     1,
     {"reads what cp.async writes at",
      "reads what cp.async of another warp writes at",
      "reads what cp.async writes at"}},
    {products,
     1,
     {"through the async proxy what was written at",
      "through the async proxy what another warp wrote at",
      "that wgmma uses at", "writes what wgmma reads at",
      "it needs wgmma.fence between"}},
    {loads,
     1,
     {"an mbarrier that was initialised at", "what a bulk copy writes at"}},
    {stores,
     1,
     {"through the async proxy what was written at",
      /* or, where the store comes first, the other way round */
      "through the async proxy what another warp wrote at|writes what a bulk "
      "store reads at",
      "writes what a bulk store reads at",
      "through the async proxy what another warp wrote at|writes what a bulk "
      "store reads at"}},
    {factors, 1, {NULL}},
    {peers, 2, {"the shared memory of another CTA, which may not have begun"}},
};

/* The program without piece `n`; 0: the right one. */
static void put_text(strbuf *to, const char *from, unsigned n)
{
    for (const char *at = from; *at; at++) {
        bool open = *at == '[' || (*at == '{' && at[2] == ' ');
        bool number = at[0] && at[1] >= '1' && at[1] <= '9';

        if (open && number && at[2] == ' ') {
            bool keep = (unsigned)(at[1] - '0') == n ? *at == '{' : *at == '[';
            char end[] = {*at == '[' ? ']' : '}', at[1], 0};
            const char *stop = strstr(at, end);

            CHECK(stop != NULL);
            if (keep)
                strbuf_write(to, at + 2, (size_t)(stop - at - 2));
            at = stop + 1;
            continue;
        }
        strbuf_putc(to, *at);
    }
}

/* Is one of the texts of `say`, with | between, in `text`? */
static bool says(const char *text, const char *say)
{
    char one[256];
    const char *bar = strchr(say, '|');

    if (!bar)
        return strstr(text, say) != NULL;
    snprintf(one, sizeof one, "%.*s", (int)(bar - say), say);
    return strstr(text, one) || strstr(text, bar + 1);
}

static void check(unsigned i, unsigned n, unsigned way)
{
    static const char *const sets[] = {"gpu.sms=8", "gpu.gpc.sms=4",
                                       "gpu.gpc.larger=0", NULL};
    const char *say = n ? all[i].say[n - 1] : NULL;
    strbuf text = {0};
    cga_run run;
    bool told = false;

    put_text(&text, all[i].text, n);
    cga_launch_on(&run, "h100", sets, &ways[way], text.text,
                  (rt_launch){.grid = {all[i].cga, 1, 1},
                              .block = {128, 1, 1},
                              .cga = {all[i].cga, 1, 1}},
                  NULL, 65536);
    rig_must(run.r, run.st);
    for (size_t k = 0; k < run.last.strays.count; k++) {
        const exec_stray *s = &run.last.strays.is[k];

        CHECK_EQ(s->kind, STRAY_ASYNC);
        CHECK(s->line != 0 && s->count > 0);
        if (!say)
            TEST_FAIL("program %u is right, way %u, but: line %u %s", i, way,
                      s->line, s->text);
        told |= says(s->text, say);
    }
    if (say && !told)
        TEST_FAIL("program %u without %u, way %u: not '%s', but '%s'", i, n,
                  way, say,
                  run.last.strays.count ? run.last.strays.is[0].text : "");
    strbuf_fini(&text);
    cga_end(&run);
}

TEST(right_programs_are_clean)
{
    for (unsigned i = 0; i < COUNTOF(all); i++)
        for (unsigned k = 0; k < COUNTOF(ways); k++)
            check(i, 0, k);
}

TEST(each_missing_piece_is_told)
{
    for (unsigned i = 0; i < COUNTOF(all); i++)
        for (unsigned n = 1; n <= COUNTOF(all[i].say) && all[i].say[n - 1]; n++)
            for (unsigned k = 0; k < COUNTOF(ways); k++)
                check(i, n, k);
}

/* Accesses to registers that are told in a kernel with these directives: it
 * uses a result that it has not waited for. */
static size_t told_of(const char *directives)
{
    rig *r = rig_open("h100", (const char *const[]){RIG_CORE, NULL}, &ways[0]);
    strbuf b = {0};
    size_t n;

    strbuf_printf(&b,
                  ".shared 4096\n%sWARPGROUP.ARRIVE;\n"
                  "HGMMA.F32.F16A.F16B R16, R4, R8, R16, PT, 0;\n"
                  "WARPGROUP.COMMIT;\nFADD R2, R16, R16;\n"
                  "WARPGROUP.DEPBAR.LE 0;\n",
                  directives);
    rig_run(r, b.text, 1, 128, 0, 0);
    n = r->last.strays.count;
    strbuf_fini(&b);
    rig_free(r);
    return n;
}

TEST(registers_of_a_kernel_that_spills_are_not_looked_at)
{
    CHECK_EQ(told_of(""), 1);
    CHECK_EQ(told_of(".local 4\n.spill 4\n"), 0);
}
