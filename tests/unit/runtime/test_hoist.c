/* tests/unit/runtime/test_hoist.c - what is compiled for a machine knows how
 * long its memory takes: where each access is followed by its use, all of them
 * come first, so that they are under way together. */
#include "base/must.h"
#include "config/preset.h"
#include "config/sheet.h"
#include "runtime/runtime.h"
#include "test.h"

enum { NUMBER = 4 };

/* printf formats of one access: register, then offset. */
static const struct {
    const char *name, *text;
} accesses[] = {
    {"global", "ld.global.u32 r%u, [d0+%u];\n"},
    {"generic", "ld.u32 r%u, [d0+%u];\n"},
    {"read-only", "ld.global.nc.u32 r%u, [d0+%u];\n"},
    {"local", "ld.local.u32 r%u, [d1+%u];\n"},
    {"shared", "ld.shared.u32 r%u, [d2+%u];\n"},
    {"constant", "ld.const.u32 r%u, [d3+%u];\n"},
    {"atomic", "atom.global.add.u32 r%u, [d0+%u], 1;\n"},
    {"shared atomic", "atom.shared.add.u32 r%u, [d2+%u], 1;\n"},
};

static strbuf kernel(const char *access)
{
    strbuf text = {0};

    strbuf_puts(&text,
                ".version 6.0\n.target sm_70\n.address_size 64\n"
                ".const .align 4 .b8 c[64];\n"
                ".visible .entry k(.param .u64 a, .param .u64 b) {\n"
                ".reg .b32 r<8>;\n.reg .b64 d<5>;\n"
                ".local .align 4 .b8 l[64];\n.shared .align 4 .b8 s[64];\n"
                "ld.param.u64 d0, [a];\nld.param.u64 d4, [b];\n"
                "mov.u64 d1, l;\nadd.s64 d1, d1, d4;\n"
                "mov.u64 d2, s;\nadd.s64 d2, d2, d4;\n"
                "mov.u64 d3, c;\nadd.s64 d3, d3, d4;\nmov.u32 r0, 0;\n");
    for (unsigned i = 1; i <= NUMBER; i++) {
        strbuf_printf(&text, access, i, 4 * i); /* NOLINT: one of the table */
        strbuf_printf(&text, "xor.b32 r0, r0, r%u;\nmul.lo.u32 r0, r0, 5;\n",
                      i);
    }
    strbuf_puts(&text, "st.global.u32 [d0+64], r0;\nret;\n}\n");
    return text;
}

static bool is_access(const isa_inst *in)
{
    return in->dst_regs &&
           (in->class == ISA_CLASS_MEM || in->class == ISA_CLASS_LDC);
}

static bool reads(const isa_inst *in, unsigned reg)
{
    for (unsigned i = 0; i < 3; i++)
        if (reg - (unsigned)in->src[i] < in->src_regs[i])
            return true;
    return false;
}

/* Accesses in front of the first instruction that uses the result of one. */
static unsigned count_hoisted(const isa_kernel *k)
{
    unsigned result[NUMBER], n = 0;

    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];

        for (unsigned j = 0; j < n; j++)
            if (reads(in, result[j]))
                return n;
        if (is_access(in) && n < NUMBER)
            result[n++] = in->dst;
    }
    return n;
}

static void check(const config *cfg, const char *name, const char *access)
{
    const rt_options how = {.threads = 1};
    strbuf text = kernel(access);
    diag *dg = diag_new();
    isa_program *p = NULL;

    if (rt_compile(cfg, &how, "k.ptx", text.text, text.size, dg, &p) != ST_OK)
        TEST_FAIL("%s", diag_count(dg) ? diag_get(dg, 0)->text : "?");
    unsigned n = count_hoisted(&p->kernels[0]);
    if (n != NUMBER)
        TEST_FAIL("%s, %s: %u of %u come first", cfg->gpu.name, name, n,
                  (unsigned)NUMBER);
    isa_program_free(p);
    diag_free(dg);
    strbuf_fini(&text);
}

TEST(accesses_come_before_the_uses_that_may_wait)
{
    for (size_t i = 0; i < config_preset_count(); i++) {
        config_sheet *s = config_sheet_new();
        diag *dg = diag_new();

        CHECK_EQ(config_sheet_load(s, config_preset_get(i)->name, dg), ST_OK);
        for (unsigned k = 0; k < COUNTOF(accesses); k++)
            check(config_sheet_values(s), accesses[k].name, accesses[k].text);
        config_sheet_free(s);
        diag_free(dg);
    }
}
