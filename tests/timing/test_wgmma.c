/* tests/timing/test_wgmma.c - products of warp groups: what those of each width
 * take, with A in shared memory and in registers, and who waits for them. */
#include <math.h>

#include "rig.h"

static const char *const core[] = {RIG_CORE, NULL};

/* `n` products m64nWIDTHk16, one behind the other; descriptors are 0. */
static void put_products(strbuf *b, unsigned width, bool registers, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned s = 0; s < width / 8; s++)
            strbuf_printf(b,
                          "HGMMA.F32.F16A.F16B%s R%u, R4, R8, R%u, PT, %u;\n",
                          registers ? ".RA" : "", 16 + 4 * s, 16 + 4 * s, s);
}

static uint64_t cycles(rig *r, unsigned width, bool registers, unsigned n,
                       const char *rest)
{
    strbuf b = {0};
    uint64_t took;

    strbuf_puts(&b, ".shared 4096\n");
    put_products(&b, width, registers, n);
    strbuf_puts(&b, rest);
    took = rig_run(r, b.text, 1, 128, 0, 0);
    strbuf_fini(&b);
    return took;
}

static double each(rig *r, unsigned width, bool registers)
{
    enum { FEW = 8, MORE = 40 };

    return (double)(cycles(r, width, registers, MORE, "") -
                    cycles(r, width, registers, FEW, "")) /
           (MORE - FEW);
}

/* 64 x n x 16 products at 2048 a cycle: n / 2 cycles, 128 for n 256 as measured
 * [LUO:wgmma]; or 2048 bytes of A and 32 n of B at 128 a cycle. */
TEST(products_take_their_time_or_that_of_shared_memory)
{
    rig *r = rig_new("h100", core);

    for (unsigned n = 16; n <= 256; n *= 2)
        for (unsigned registers = 0; registers < 2; registers++) {
            double core_time = n / 2.0;
            double bytes = (registers ? 0 : 2048) + 32 * n;
            double want = fmax(core_time, bytes / 128);
            double got = each(r, n, registers);

            printf("m64n%uk16, A in %s: %.1f cycles, %.1f wanted\n", n,
                   registers ? "registers" : "shared memory", got, want);
            if (n >= 64) /* less is a chain: it has to await results */
                CHECK(fabs(got / want - 1) <= 0.05);
            CHECK(got >= want * 0.99);
        }
    rig_free(r);
}

TEST(a_wait_is_for_older_groups)
{
    rig *r = rig_new("h100", core);
    strbuf sums = {0}, all = {0}, but_one = {0};

    for (unsigned i = 0; i < 60; i++)
        strbuf_puts(&sums, "FADD R2, R2, R2;\n");
    strbuf_printf(&all, "WARPGROUP.COMMIT;\nWARPGROUP.DEPBAR.LE 0;\n%s",
                  sums.text);
    strbuf_printf(&but_one, "WARPGROUP.COMMIT;\nWARPGROUP.DEPBAR.LE 1;\n%s",
                  sums.text);
    uint64_t waits = cycles(r, 256, true, 1, all.text);
    uint64_t goes_on = cycles(r, 256, true, 1, but_one.text);

    printf("sums behind a product %llu cycles, beside it %llu\n",
           (unsigned long long)waits, (unsigned long long)goes_on);
    /* 128 cycles of the product, of which 64 issue its 32 steps: four registers
     * of C from two banks each */
    CHECK(waits >= goes_on + 64);
    strbuf_fini(&sums);
    strbuf_fini(&all);
    strbuf_fini(&but_one);
    rig_free(r);
}

/* One product of four warps, of which all but the first are late; the first
 * writes over B as soon as its wait is over. That is behind all of them: each
 * lane's first result is of the zeros that were there. */
static void overwrite(const rt_options *opt)
{
    rig *r = rig_open("h100", core, opt);
    struct rt_memory *m = rt_device_memory(r->d);
    uint32_t got[128];
    uint64_t p = rt_alloc(m, sizeof got, "p");
    strbuf b = {0};

    strbuf_puts(&b, ".shared 4096\nS2R R0, SR_TID.X;\nSHR.U32 R1, R0, 0x5;\n"
                    "ISETP.EQ.AND P0, PT, R1, RZ, PT;\n"
                    "SHL R2, R0, 0x2;\nMOV R10, c[0x0][p];\n"
                    "MOV R11, c[0x0][p+4];\nIMAD.WIDE R10, R0, 4, R10;\n"
                    "MOV R4, 0x3c003c00;\nMOV R5, R4;\nMOV R6, R4;\n"
                    "MOV R7, R4;\nMOV R8, RZ;\nMOV R9, RZ;\n@P0 BRA go;\n");
    for (unsigned i = 0; i < 400; i++)
        strbuf_puts(&b, "FADD R12, R12, R12;\n");
    strbuf_puts(&b, "go:\nWARPGROUP.ARRIVE;\n"
                    "HGMMA.F32.F16A.F16B.RA R16, R4, R8, R16, !PT, 0;\n"
                    "WARPGROUP.COMMIT;\nWARPGROUP.DEPBAR.LE 0;\n"
                    "@P0 STS [R2], R4;\nSTG.E [R10.64], R16;\n");
    rig_run(r, b.text, 1, 128, p, 0);
    CHECK(rt_read(m, p, got, sizeof got));
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(got[i], 0);
    strbuf_fini(&b);
    rig_free(r);
}

TEST(a_product_is_complete_when_all_four_warps_have_issued_it)
{
    overwrite(&(rt_options){.threads = 1});
    overwrite(&(rt_options){.threads = 1, .functional = true});
}
