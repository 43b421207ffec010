/* Programs made at random - structured control flow, bounded loops, guards,
 * memory - give the same memory however they are compiled: without
 * optimisation, as usual, with few registers, without R0, for each family. */
#include "rig.h"

#include "random_program.h"
#include "test.h"

static bool uses_r0(const isa_kernel *k)
{
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const isa_inst *in = &k->code[pc];

        if (in->dst_regs && !in->dst)
            return true;
        for (unsigned i = 0; i < COUNTOF(in->src); i++)
            if (in->src_regs[i] && !in->src[i])
                return true;
    }
    return false;
}

/* The output of one way to compile and run; NULL if that failed. */
static uint8_t *outcome(const char *text, const cg_options *o, uint32_t *warps)
{
    const uint32_t one[3] = {1, 1, 1}, cta[3] = {THREADS, 1, 1};
    uint8_t *copy = NULL;
    uint64_t out, in = 0;
    rig r;
    status st = rig_compile(&r, "random.ptx", text, o);

    if (st == ST_OK && o->no_r0 && uses_r0(&r.p->kernels[0]))
        st = ST_INTERNAL;
    if (st == ST_OK) {
        rig_prepare(&r, NULL, o->arch, one, cta, 0);
        out = rig_alloc(&r, "out", 256 * THREADS, NULL);
        rig_param(&r, &in, 8);
        rig_param(&r, &out, 8);
        st = rig_run(&r);
        *warps = (uint32_t)r.totals.warp_instructions;
    }
    if (st == ST_OK) {
        copy = malloc(256 * THREADS);
        memcpy(copy, mem_host(r.image, out), 256 * THREADS);
    } else {
        rig_tell(&r, st);
    }
    rig_free(&r);
    return copy;
}

static bool differs(const char *text, uint64_t seed, const uint8_t *want,
                    const cg_options *o, const char *how)
{
    static const char *const arch[] = {"fermi", "kepler", "volta", "ampere"};
    uint32_t count;
    uint8_t *got = outcome(text, o, &count);
    bool bad = !got || memcmp(got, want, 256 * THREADS);

    for (unsigned i = 0; bad && got && i < 256 * THREADS; i += 4) {
        if (!memcmp(got + i, want + i, 4))
            continue;
        fprintf(stderr, "seed %llu, %s %s: thread %u word %u\n",
                (unsigned long long)seed, arch[o->arch], how, i / 256,
                i % 256 / 4);
        break;
    }
    free(got);
    return bad;
}

static bool try_seed(uint64_t seed)
{
    strbuf text = random_program(seed, 40);
    cg_options o = cg_default_options(ARCH_VOLTA);
    uint32_t count;
    uint8_t *want;
    bool bad = false;

    o.optimise = o.schedule = false;
    want = outcome(text.text, &o, &count);
    if (!want)
        bad = true;
    for (unsigned a = 0; a < 3 && want; a++) {
        o = cg_default_options((isa_arch)a);
        bad |= differs(text.text, seed, want, &o, "as usual");
        o.max_registers = 16 + seed % 9;
        o.pairs = true; /* of Kepler */
        bad |= differs(text.text, seed, want, &o, "with few registers");
        o.no_r0 = true;
        if (seed % 3 == a)
            bad |= differs(text.text, seed, want, &o, "without R0");
    }
    o = cg_default_options(ARCH_AMPERE);
    o.uniform = true;
    bad |= want && differs(text.text, seed, want, &o, "with uniform registers");
    o.max_registers = 16 + seed % 9;
    bad |= want && differs(text.text, seed, want, &o, "with few registers");
    if (bad && getenv("SHOW"))
        fputs(text.text, stderr);
    free(want);
    strbuf_fini(&text);
    return bad;
}

TEST(random_programs_agree)
{
    const char *only = getenv("SEED"), *many = getenv("SEEDS");
    uint64_t first = only ? strtoull(only, NULL, 0) : 1;
    uint64_t n = only ? 1 : many ? strtoull(many, NULL, 0) : 120;
    unsigned bad = 0;

    for (uint64_t s = first; s < first + n; s++)
        bad += try_seed(s);
    CHECK_EQ(bad, 0);
}
