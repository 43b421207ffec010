/* Pairs that Kepler's control codes ask for are such that the machine grants,
 * and nothing is lost: in programs made at random, and in one that is all
 * additions. */
#include <glob.h>

#include "base/file.h"
#include "config/preset.h"
#include "config/sheet.h"
#include "unit/codegen/rig.h"

#include "test.h"
#include "unit/codegen/random_program.h"

enum { GROUP = 7, PAIR = 0x04 };

/* For a K20 that issues in pairs, and for one that does not. */
static cg_options options_of(bool pairs)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    cg_options o;

    CHECK_EQ(config_sheet_load(s, pairs ? "k20" : "k20-single", dg), ST_OK);
    o = cg_options_of(config_sheet_values(s));
    CHECK_EQ(o.pairs, pairs);
    config_sheet_free(s);
    diag_free(dg);
    return o;
}

static unsigned code_of(const isa_inst *in)
{
    return in->ctl >> CTL_CODE & 255;
}

static bool on_cores(const isa_inst *in)
{
    return in->class == ISA_CLASS_FP32 || in->class == ISA_CLASS_FP32_CMP ||
           in->class == ISA_CLASS_HALF || in->class == ISA_CLASS_INT_ADD ||
           in->class == ISA_CLASS_INT_CMP || in->class == ISA_CLASS_LOGIC ||
           in->class == ISA_CLASS_MOVE;
}

static bool meet(unsigned a, unsigned n, unsigned b, unsigned m)
{
    for (unsigned i = 0; i < n; i++)
        if (a + i >= b && a + i < b + m)
            return true;
    return false;
}

static const char *wrong(const isa_kernel *k, uint32_t pc)
{
    const isa_inst *a = &k->code[pc], *b = a + 1;

    if (pc % GROUP % 2 != 1)
        return "not the first of two that are decoded together";
    if (pc + 1 == k->code_count || pc / GROUP != (pc + 1) / GROUP)
        return "in two groups";
    if (code_of(b) == PAIR)
        return "three of them";
    if (a->flags & ISA_F_BRANCH || b->flags & ISA_F_BRANCH)
        return "with a branch";
    for (uint32_t i = 0; i < k->code_count; i++)
        if (k->code[i].op == ISA_BRA && k->code[i].val[0] == pc + 1)
            return "over the begin of a block";
    if (meet(a->dst, a->dst_regs, b->dst, b->dst_regs))
        return "with one result";
    for (unsigned i = 0; i < 3; i++)
        if (meet(a->dst, a->dst_regs, b->src[i], b->src_regs[i]))
            return "which depend on each other";
    if (a->pwrite & (b->pread | b->pwrite))
        return "which depend on each other by a predicate";
    return NULL;
}

/* Pairs of a kernel; *cores of them are both for the cores. */
static unsigned count_pairs(const isa_kernel *k, unsigned *cores)
{
    unsigned pairs = 0, of_group[2] = {UINT32_MAX, 0};

    *cores = 0;
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const isa_inst *in = &k->code[pc];

        if (code_of(in) != PAIR)
            continue;
        const char *why = wrong(k, pc);
        if (why)
            TEST_FAIL("a pair at %u %s", pc, why);
        pairs++;
        if (!on_cores(in) || !on_cores(in + 1))
            continue;
        ++*cores;
        if (of_group[0] != pc / GROUP)
            of_group[1] = 0;
        of_group[0] = pc / GROUP;
        CHECK(++of_group[1] <= 2);
    }
    return pairs;
}

static int by_text(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(isa_inst, ctl));
}

/* What is not a copy, without registers, sorted. */
static uint32_t bare(const isa_kernel *k, isa_inst *to)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->code_count; i++) {
        if (k->code[i].op == ISA_MOV)
            continue;
        to[n] = k->code[i];
        to[n].dst = 0;
        memset(to[n].src, 0, sizeof to[n].src);
        n++;
    }
    qsort(to, n, sizeof *to, by_text);
    return n;
}

/* The same instructions, in any order, whatever the registers? */
static bool same_instructions(const isa_kernel *a, const isa_kernel *b)
{
    isa_inst *x = calloc(a->code_count, sizeof *x);
    isa_inst *y = calloc(b->code_count, sizeof *y);
    uint32_t n, m;

    CHECK(x && y);
    n = bare(a, x);
    m = bare(b, y);
    bool same = n == m;
    for (size_t i = 0; same && i < n; i++)
        same = !by_text(&x[i], &y[i]);
    free(x);
    free(y);
    return same;
}

TEST(pairs_of_random_programs_can_issue_together)
{
    unsigned pairs = 0, cores;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        strbuf text = random_program(seed, 60);
        cg_options alone = options_of(false), o = options_of(true);
        rig without, with;

        CHECK_EQ(rig_compile(&without, "random.ptx", text.text, &alone), ST_OK);
        CHECK_EQ(rig_compile(&with, "random.ptx", text.text, &o), ST_OK);
        CHECK_EQ(count_pairs(&without.p->kernels[0], &cores), 0);
        pairs += count_pairs(&with.p->kernels[0], &cores);
        CHECK(same_instructions(&without.p->kernels[0], &with.p->kernels[0]));
        rig_free(&without);
        rig_free(&with);
        strbuf_fini(&text);
    }
    CHECK(pairs > 400);
}

/* Instructions that read two registers of one bank, of those that read two. */
static void count_conflicts(const isa_kernel *k, unsigned *bad, unsigned *all)
{
    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];
        bool seen[256] = {false};
        unsigned of_bank[2][2] = {{0}}, n = 0, most = 0;

        for (unsigned s = 0; s < 3; s++)
            for (unsigned r = in->src[s]; r < in->src[s] + in->src_regs[s]; r++)
                if (!seen[r]) {
                    unsigned *of = &of_bank[r / 4 % 2][r % 2];

                    seen[r] = true;
                    n++;
                    most = ++*of > most ? *of : most;
                }
        *all += n > 1;
        *bad += most > 1;
    }
}

/* Of two registers in four banks one in four share theirs by chance, of three
 * five in eight. */
TEST(registers_read_together_lie_in_different_banks)
{
    unsigned bad[2] = {0}, all[2] = {0};

    for (uint64_t seed = 1; seed <= 40; seed++) {
        strbuf text = random_program(seed, 60);
        unsigned registers[2];

        for (unsigned with = 0; with < 2; with++) {
            cg_options o = options_of(with);
            rig r;

            CHECK_EQ(rig_compile(&r, "random.ptx", text.text, &o), ST_OK);
            count_conflicts(&r.p->kernels[0], &bad[with], &all[with]);
            registers[with] = r.p->kernels[0].registers;
            CHECK_EQ(r.p->kernels[0].spill_bytes, 0);
            rig_free(&r);
        }
        CHECK(registers[1] <= 32 ||
              (registers[1] + 7) / 8 == (registers[0] + 7) / 8);
        strbuf_fini(&text);
    }
    printf("%u of %u, %u of %u\n", bad[0], all[0], bad[1], all[1]);
    CHECK(bad[0] * 4 > all[0]);
    CHECK(bad[1] * 2 < bad[0]);
}

typedef struct sums {
    unsigned files, pairs, bad[2], all[2];
} sums;

/* Compiles the file for single issue and for pairs. */
static void add_file(sums *s, const char *path)
{
    diag *dg = diag_new();
    size_t size;
    char *text;

    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    for (unsigned with = 0; with < 2; with++) {
        cg_options o = options_of(with);
        unsigned cores;
        rig r;

        o.partial = true;
        if (rig_compile(&r, path, text, &o) == ST_OK) {
            for (uint32_t i = 0; i < r.p->kernel_count; i++) {
                const isa_kernel *k = &r.p->kernels[i];

                count_conflicts(k, &s->bad[with], &s->all[with]);
                s->pairs += count_pairs(k, &cores);
            }
            s->files += with;
        }
        rig_free(&r);
    }
    free(text);
    diag_free(dg);
}

TEST(pairs_of_the_workloads_can_issue_together)
{
    const char *root = getenv("HEDDLE_SOURCE");
    char pattern[4096];
    sums s = {0};
    glob_t g;

    snprintf(pattern, sizeof pattern, "%s/workloads/*/ptx/nvcc13.ptx",
             root ? root : ".");
    if (glob(pattern, 0, NULL, &g))
        TEST_SKIP("HEDDLE_SOURCE does not name the sources");
    for (size_t i = 0; i < g.gl_pathc; i++)
        add_file(&s, g.gl_pathv[i]);
    globfree(&g);
    printf("%u files, %u pairs; %u of %u, %u of %u\n", s.files, s.pairs,
           s.bad[0], s.all[0], s.bad[1], s.all[1]);
    CHECK(s.files > 15);
    CHECK(s.pairs > 500);
    CHECK(s.bad[1] * 2 < s.bad[0]);
}

TEST(independent_additions_use_the_shared_cores_half_of_the_time)
{
    cg_options o = options_of(true);
    strbuf text = {0};
    unsigned cores;
    rig r;

    strbuf_puts(&text, ".version 8.5\n.target sm_35\n.address_size 64\n"
                       ".visible .entry k(.param .u64 p) {\n.reg .f32 %f<80>;\n"
                       ".reg .u64 %a;\nld.param.u64 %a, [p];\n");
    for (unsigned i = 1; i <= 16; i++)
        strbuf_printf(&text, "ld.global.f32 %%f%u, [%%a+%u];\n", i, 4 * i);
    for (unsigned i = 17; i < 73; i++)
        strbuf_printf(&text, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", i,
                      i - 16, 1 + i % 16, i - 16);
    for (unsigned i = 57; i < 73; i++)
        strbuf_printf(&text, "st.global.f32 [%%a+%u], %%f%u;\n", 4 * i, i);
    strbuf_puts(&text, "ret;\n}\n");
    CHECK_EQ(rig_compile(&r, "fma.ptx", text.text, &o), ST_OK);
    CHECK(count_pairs(&r.p->kernels[0], &cores) >= cores);
    printf("%u pairs\n", cores);
    CHECK(cores >= 14); /* of 8 groups of 7 */
    rig_free(&r);
    strbuf_fini(&text);
}
