/* tests/unit/asm/test_roundtrip.c - every row of isa.def, with all modifier
 * values, kinds of operands and control information, survives print ->
 * assemble -> encode -> decode -> print. */
#include "asm/asm.h"
#include "base/must.h"
#include "isa/encode.h"
#include "isa/operand.h"
#include "isa/print.h"
#include "test.h"

typedef struct list {
    isa_arch arch;
    isa_inst *in;
    size_t count, room;
} list;

/* Keeps `in` if it is well formed; returns whether it was. */
static bool keep(list *l, isa_inst in)
{
    isa_finish(&in);
    if (isa_check(&in, l->arch))
        return false;
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->in = realloc(l->in, l->room * sizeof *l->in);
        CHECK(l->in);
    }
    l->in[l->count++] = in;
    return true;
}

/* Something simple in every operand. */
static isa_inst plain(isa_op op)
{
    isa_operand o[ISA_OPERANDS_MAX];
    unsigned n = isa_operands(op, o);
    isa_inst in = isa_new(op);

    for (unsigned i = 0; i < n; i++) {
        switch (o[i].kind) {
        case OPND_DST:
            in.dst = 4;
            break;
        case OPND_DST2: /* of more channels than there are */
            break;
        case OPND_PDST:
            in.pdst[o[i].index] = (uint8_t)(1 + o[i].index);
            break;
        case OPND_PSRC:
            in.psrc[o[i].index] = (uint8_t)(3 + o[i].index);
            break;
        case OPND_SRC:
        case OPND_REG:
        case OPND_MEM:
        case OPND_CMEM:
            if (o[i].letter != 'X' && o[i].letter != 'Q') {
                in.src[o[i].index] = (uint8_t)(8 + 4 * o[i].index);
                in.src_kind[o[i].index] = SRC_REG;
            }
            break;
        case OPND_NUM:
            in.lut = isa_table[op].class == ISA_CLASS_TENSOR ? 1 : 9;
            break;
        case OPND_BAR:
        case OPND_CONV:
        case OPND_SREG:
        case OPND_TARGET:
            break;
        }
    }
    if (op == ISA_USETMAXREG) {
        in.src[1] = ISA_RZ;
        in.src_kind[1] = SRC_IMM;
        in.val[1] = 24;
    }
    return in;
}

/* Of combinations of modifiers one in so many is looked at, by chance: builds
 * with sanitizers need ten times as long for each. All are in other builds. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STEP 7
#endif
#endif
#ifndef STEP
#define STEP 1
#endif

/* Every combination of modifier values. */
static void vary_modifiers(list *l, isa_inst in, unsigned group, unsigned *good)
{
    size_t length;

    while (group < ISA_MODS && !(isa_table[in.op].mods >> group & 1))
        group++;
    if (group == ISA_MODS) {
        static uint32_t chance;
        isa_inst cas = in;

        chance = chance * 1664525 + 1013904223;
        if (*good && (chance >> 16) % STEP)
            return;
        *good += keep(l, in);
        cas.src[2] = 16;
        cas.src_kind[2] = SRC_REG;
        if (isa_table[in.op].mods >> MOD_ATOMOP & 1)
            *good += keep(l, cas);
        return;
    }
    for (unsigned v = 0; isa_mod_text((isa_mod)group, v, &length); v++) {
        isa_mod_put(&in, (isa_mod)group, v);
        vary_modifiers(l, in, group + 1, good);
    }
}

static const uint32_t immediates[] = {
    0,          1,          0x7f,       0x12345678, 0x7fffffff, 0x80000000,
    0x80000001, 0xffff0000, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000,
    0x3dcccccd, 0x000000f0, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x7ff00000, 0xfff00000,
    0x7ff80000, 0x7fefffff, 0x3ff00000, 0x40091eb8, 0x4b800000, 0x501502f9,
};

static unsigned vary_source(list *l, isa_inst in, const isa_operand *o)
{
    static const uint32_t constants[] = {0, 0x160, 0x2fff8, 0x40000, 0x30004};
    static const uint8_t registers[] = {0, 2, 252, 254, ISA_RZ};
    static const uint8_t uniform[] = {0, 1, 32, ISA_UREGS - 1};
    unsigned i = o->index, good = 0;

    for (unsigned m = 0; m < 8; m++) {
        in.src_mod[i] = (uint8_t)m;
        in.src_kind[i] = SRC_REG;
        for (size_t k = 0; k < COUNTOF(registers); k++) {
            in.src[i] = registers[k];
            good += keep(l, in);
        }
        in.src_kind[i] = SRC_UREG;
        for (size_t k = 0; k < COUNTOF(uniform); k++) {
            in.src[i] = uniform[k];
            good += keep(l, in);
        }
        in.src[i] = ISA_RZ;
        in.src_kind[i] = SRC_CONST;
        for (size_t k = 0; k < COUNTOF(constants); k++) {
            in.val[i] = constants[k];
            good += keep(l, in);
        }
        in.src_kind[i] = SRC_IMM;
        for (size_t k = 0; k < COUNTOF(immediates); k++) {
            in.val[i] = immediates[k];
            good += keep(l, in);
        }
    }
    in.src_mod[i] = 0;
    in.src_kind[i] = SRC_NONE;
    in.src[i] = ISA_RZ;
    in.val[i] = 0;
    keep(l, in);
    return good;
}

static unsigned vary_memory(list *l, isa_inst in)
{
    static const uint32_t offsets[] = {0,          1,          16,
                                       0x7fffffff, 0x80000000, 0xfffffff0};
    unsigned good = 0;

    for (unsigned r = 0; r < 256; r += 51)
        for (size_t k = 0; k < COUNTOF(offsets); k++)
            for (unsigned ext = 0; ext < 2; ext++) {
                in.src[0] = (uint8_t)r;
                in.val[0] = offsets[k];
                if (isa_table[in.op].mods >> MOD_EXT & 1)
                    ISA_PUT(&in, EXT, ext);
                good += keep(l, in);
                for (unsigned u = 1; u < 256; u += 25) {
                    isa_inst also = in;

                    also.uaddr = (uint8_t)u;
                    good += keep(l, also);
                }
            }
    return good;
}

static unsigned vary_number(list *l, isa_inst in)
{
    unsigned good = 0;

    for (unsigned v = 0; v < 256; v++) {
        in.lut = (uint8_t)v;
        good += keep(l, in);
    }
    return good;
}

static unsigned vary_operand(list *l, isa_inst in, const isa_operand *o)
{
    unsigned good = 0;

    switch (o->kind) {
    case OPND_DST:
        for (unsigned r = 0; r < 256; r++) {
            in.dst = (uint8_t)r;
            good += keep(l, in);
        }
        return good;
    case OPND_DST2:
        in.lut = 15;
        for (unsigned r = 0; r < 256; r++) {
            in.uaddr = (uint8_t)r;
            good += keep(l, in);
        }
        return good;
    case OPND_PDST:
        for (unsigned p = 0; p < 16; p++) {
            in.pdst[o->index] = (uint8_t)p;
            good += keep(l, in);
        }
        return good;
    case OPND_PSRC:
        for (unsigned p = 0; p < 32; p++) {
            in.psrc[o->index] = (uint8_t)p;
            good += keep(l, in);
        }
        return good;
    case OPND_SRC:
    case OPND_REG:
        return vary_source(l, in, o);
    case OPND_MEM:
        return vary_memory(l, in);
    case OPND_CMEM:
        return vary_memory(l, in) + vary_number(l, in);
    case OPND_BAR:
        good = vary_number(l, in);
        in.src_kind[0] = SRC_REG;
        in.src[0] = 7;
        return good + keep(l, in);
    case OPND_TARGET:
        for (unsigned t = 0; t < l->count && t < 9; t++) {
            in.val[0] = t;
            good += keep(l, in);
        }
        return good;
    case OPND_NUM:
    case OPND_CONV:
    case OPND_SREG:
        return vary_number(l, in);
    }
    MUST(!"every value is above");
}

static void vary_control(list *l, isa_inst in)
{
    for (unsigned g = 0; g < 16; g++) {
        in.guard = (uint8_t)g;
        keep(l, in);
    }
    in.ctl = CTL_NONE | 1u << CTL_HAS;
    for (unsigned bit = 0; bit < 20; bit++) {
        in.ctl ^= 1u << bit;
        keep(l, in);
    }
    for (unsigned code = 0; code < 256; code++) {
        in.ctl = CTL_NONE | 1u << CTL_HAS | code << CTL_CODE;
        keep(l, in);
    }
    for (unsigned reuse = 0; reuse < 8; reuse++) {
        in.ctl = CTL_NONE | 1u << CTL_HAS | reuse << CTL_REUSE | 15;
        in.line = reuse;
        keep(l, in);
    }
}

/* All variations of `op`; false if it does not exist there. */
static bool generate(list *l, isa_op op)
{
    isa_inst in = plain(op);
    isa_operand o[ISA_OPERANDS_MAX];
    unsigned n = isa_operands(op, o), good = 0;

    l->count = 0;
    if (!keep(l, in))
        return false;
    vary_modifiers(l, in, 0, &good);
    CHECK(good);
    for (unsigned i = 0; i < n; i++)
        CHECK(vary_operand(l, in, &o[i]) || o[i].letter == 'X');
    vary_control(l, in);
    return true;
}

static isa_program *program_of(const list *l)
{
    isa_program *p = isa_program_new(l->arch);
    isa_kernel *k = ARENA_NEW(p->mem, isa_kernel);

    k->name = "k";
    k->code = l->in;
    k->code_count = (uint32_t)l->count;
    isa_kernel_usage(k, &k->registers, &k->barriers);
    p->kernels = k;
    p->kernel_count = 1;
    return p;
}

static isa_program *assemble(const strbuf *text)
{
    diag *dg = diag_new();
    isa_program *p = NULL;
    status st = asm_parse("t.sass", text->text, text->size, dg, &p);

    if (st != ST_OK)
        diag_print(dg, stderr, false);
    diag_free(dg);
    CHECK_EQ(st, ST_OK);
    return p;
}

static void check_same(const isa_inst *got, const isa_inst *want, isa_arch arch)
{
    strbuf a = {0}, b = {0};

    if (!memcmp(got, want, sizeof *got))
        return;
    isa_print(got, arch, &a, NULL, NULL);
    isa_print(want, arch, &b, NULL, NULL);
    TEST_FAIL("%s is not %s", a.text, b.text);
}

static void check_encoding(const isa_inst *in, isa_arch arch)
{
    uint8_t bytes[ISA_CODE_BYTES];
    isa_inst back;
    const char *why;

    isa_encode(in, bytes);
    if ((why = isa_decode(bytes, arch, &back)))
        TEST_FAIL("%s: %s", isa_table[in->op].text, why);
    check_same(&back, in, arch);
}

static void check_operation(list *l, isa_op op)
{
    asm_print_options all = {.address = true, .encoding = true};
    strbuf text = {0}, again = {0}, listing = {0};
    isa_program *p, *q, *r;

    if (!generate(l, op))
        return;
    p = program_of(l);
    asm_print(p, &text, NULL);
    q = assemble(&text);
    CHECK_EQ(q->kernels[0].code_count, l->count);
    for (size_t i = 0; i < l->count; i++) {
        check_same(&q->kernels[0].code[i], &l->in[i], l->arch);
        check_encoding(&q->kernels[0].code[i], l->arch);
    }
    asm_print(q, &again, NULL);
    CHECK_STR(again.text, text.text);
    asm_print(q, &listing, &all);
    r = assemble(&listing);
    CHECK(!memcmp(r->kernels[0].code, l->in, l->count * sizeof *l->in));
    strbuf_fini(&text);
    strbuf_fini(&again);
    strbuf_fini(&listing);
    isa_program_free(p);
    isa_program_free(q);
    isa_program_free(r);
}

static void check_arch(isa_arch arch)
{
    list l = {.arch = arch};

    for (unsigned op = 0; op < ISA_COUNT; op++)
        check_operation(&l, (isa_op)op);
    free(l.in);
}

TEST(every_operation_survives_on_fermi) { check_arch(ARCH_FERMI); }

TEST(every_operation_survives_on_kepler) { check_arch(ARCH_KEPLER); }

TEST(every_operation_survives_on_volta) { check_arch(ARCH_VOLTA); }

TEST(every_operation_survives_on_ampere) { check_arch(ARCH_AMPERE); }

TEST(every_operation_exists_somewhere)
{
    for (unsigned op = 0; op < ISA_COUNT; op++) {
        list l = {0};
        bool found = false;

        for (unsigned arch = 0; arch < ISA_ARCHS; arch++) {
            l.arch = (isa_arch)arch;
            found |= generate(&l, (isa_op)op);
        }
        free(l.in);
        if (!found)
            TEST_FAIL("%s", isa_table[op].text);
    }
}
