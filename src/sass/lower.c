/* src/sass/lower.c - what all rows share: operands by their letters, modifiers
 * by their names; and the rows about numbers. */
#include "sass/lower.h"

#include <string.h>

#include "sass/special.h"

void sass_refuse(sass_lowering *l, const char *why)
{
    if (!l->why)
        l->why = why;
}

/* ---- operands ---- */

static uint8_t register_number(unsigned number, bool uniform)
{
    return (uint8_t)(uniform && number == SASS_URZ ? ISA_RZ : number);
}

/* Where a source goes, and what it carries. */
static void lower_signs(sass_lowering *l, const sass_field *f)
{
    uint8_t mod = 0;

    if (f->neg != SASS_NOWHERE && sass_get(l->w, f->neg, 1))
        mod |= f->flags & FIELD_NOT ? SRC_NOT : SRC_NEG;
    if (f->abs != SASS_NOWHERE && sass_get(l->w, f->abs, 1))
        mod |= SRC_ABS;
    if (l->in.op == ISA_IADD3X || l->in.op == ISA_UIADD3X)
        mod = mod ? SRC_NEG : 0; /* there, a complement is written so */
    l->in.src_mod[f->index] = mod;
}

/* Which halves of a pair a source takes. */
static void lower_halves(sass_lowering *l, const sass_field *f)
{
    static const isa_mod groups[3] = {MOD_SWZA, MOD_SWZB, MOD_SWZC};
    static const uint8_t halves[4] = {SWZ_H1_H0, SWZ_F32, SWZ_H0_H0, SWZ_H1_H1};
    unsigned half = (unsigned)sass_get(l->w, f->half, 2);
    enum { SINGLE = 1 };

    if (half == SINGLE && l->in.op != ISA_HADD2)
        sass_refuse(l, "a single as a source of half pairs");
    else if (isa_table[l->in.op].mods >> groups[f->index] & 1)
        isa_mod_put(&l->in, groups[f->index], halves[half]);
    else if (half)
        sass_refuse(l, "chosen halves of this source");
}

static void lower_register(sass_lowering *l, const sass_field *f)
{
    unsigned number = (unsigned)sass_get(l->w, f->bit, f->width);
    bool uniform = f->flags & FIELD_UNIFORM;

    if (f->letter == 'd' || f->letter == 'D') {
        l->in.dst = register_number(number, uniform);
        return;
    }
    l->in.src[f->index] = register_number(number, uniform);
    l->in.src_kind[f->index] =
        uniform && number != SASS_URZ ? SRC_UREG : SRC_REG;
    lower_signs(l, f);
    if (f->half != SASS_NOWHERE)
        lower_halves(l, f);
    /* Matrices have no operand caches here. */
    if (f->reuse != SASS_NOWHERE && sass_get(l->w, f->reuse, 1) &&
        isa_table[l->in.op].class != ISA_CLASS_TENSOR)
        l->in.ctl |= 1u << (CTL_REUSE + f->index);
}

static void lower_constant(sass_lowering *l, const sass_field *f)
{
    l->in.src_kind[f->index] = SRC_CONST;
    l->in.val[f->index] =
        (uint32_t)(sass_get(l->w, 54, 5) << 16 | sass_get(l->w, 38, 16));
    lower_signs(l, f);
    if (f->half != SASS_NOWHERE)
        lower_halves(l, f);
}

static void lower_number(sass_lowering *l, const sass_field *f)
{
    l->in.src_kind[f->index] = SRC_IMM;
    l->in.val[f->index] = (uint32_t)sass_get(l->w, f->bit, f->width);
}

static void lower_address(sass_lowering *l, const sass_field *f)
{
    bool described =
        f->described != SASS_NOWHERE && sass_get(l->w, f->described, 1);
    bool uniform = f->uniform != SASS_NOWHERE && !described;
    unsigned plus =
        uniform ? (unsigned)sass_get(l->w, f->uniform, 6) : SASS_URZ;

    l->in.src[0] = (uint8_t)sass_get(l->w, 24, 8);
    l->in.src_kind[0] = SRC_REG;
    l->in.val[0] = (uint32_t)sass_get_signed(l->w, f->bit, f->width);
    if (plus != SASS_URZ)
        l->in.uaddr = (uint8_t)(plus + 1);
    if (uniform && f->wide != SASS_NOWHERE && !sass_get(l->w, f->wide, 1) &&
        l->in.src[0] != ISA_RZ)
        l->in.uaddr |= UADDR_U32;
    if (f->scale != SASS_NOWHERE)
        ISA_PUT(&l->in, SCALE, sass_get(l->w, f->scale, 2));
}

static uint8_t predicate(uint64_t field) /* complement above the number */
{
    return (uint8_t)((field & 7) | (field & 8 ? PRED_NOT : 0));
}

static void lower_operand(sass_lowering *l, const sass_field *f)
{
    switch (f->kind) {
    case FIELD_REG:
        lower_register(l, f);
        break;
    case FIELD_IMM:
        lower_number(l, f);
        break;
    case FIELD_CONST:
        lower_constant(l, f);
        break;
    case FIELD_PDST:
        if (f->index < 2)
            l->in.pdst[f->index] = (uint8_t)sass_get(l->w, f->bit, 3);
        break;
    case FIELD_PSRC:
        if (f->index < 3)
            l->in.psrc[f->index] = predicate(sass_get(l->w, f->bit, 4));
        break;
    case FIELD_SREG:
        l->in.lut = (uint8_t)sass_special((unsigned)sass_get(l->w, f->bit, 8));
        if (l->in.lut == ISA_SREGS &&
            sass_get(l->w, f->bit, 8) != SASS_SHARED_WINDOW_HIGH)
            sass_refuse(l, "a special register that is not modelled");
        break;
    case FIELD_BARRIER:
        l->in.lut = (uint8_t)sass_get(l->w, f->bit, 4);
        break;
    case FIELD_ADDRESS:
        lower_address(l, f);
        break;
    case FIELD_TARGET:
        l->in.val[0] = sass_jump_target(l);
        break;
    default: /* numbers and shapes: whoever knows what they are */
        break;
    }
}

/* ---- modifiers ---- */

/* Names of modifier.def and of flags that mean a group of mod.def with the same
 * values; a group that is no flag may be left out of the operation, as long as
 * its value is 0. */
static const struct name {
    const char *name;
    isa_mod group;
} names[] = {
    {"FTZ", MOD_FTZ},     {"SAT", MOD_SAT},       {"NAN", MOD_NANP},
    {"EX", MOD_EX},       {"W", MOD_WRAP},        {"SH", MOD_SH},
    {"HI", MOD_HI},       {"BF", MOD_BF},         {"E", MOD_EXT},
    {"rnd", MOD_RND},     {"XORSIGN", MOD_XSIGN}, {"fcmp", MOD_FCMP},
    {"icmp", MOD_ICMP},   {"bool", MOD_BOOL},     {"mufu", MOD_MUFUFN},
    {"prmt", MOD_PRMTOP}, {"shfl", MOD_SHFLOP},   {"vote", MOD_VOTEOP},
    {"rndi", MOD_RNDI},   {"byte", MOD_BSEL},     {"mt", MOD_MATT},
    {"mnum", MOD_MATNUM}, {"step", MOD_STEP},     {"hform", MOD_HFORM},
    {"red", MOD_ATOMOP},  {"RELU", MOD_RELU},
};

static bool named(const sass_field *f, const char *name)
{
    size_t length = strlen(name);

    if (f->kind == FIELD_GROUP)
        return !strcmp(sass_modifiers[f->modifier].name, name);
    return f->kind == FIELD_FLAG && f->length == length &&
           !memcmp(f->text, name, length);
}

unsigned sass_value(const sass_lowering *l, const char *name)
{
    for (unsigned i = 0; i < l->e->operand; i++)
        if (named(&l->e->fields[i], name))
            return (unsigned)sass_get(l->w, l->e->fields[i].bit,
                                      l->e->fields[i].width);
    return 0;
}

static void lower_modifier(sass_lowering *l, const sass_field *f)
{
    unsigned value = (unsigned)sass_get(l->w, f->bit, f->width);

    if (named(f, "u32")) {
        if (isa_table[l->in.op].mods >> MOD_U32 & 1)
            ISA_PUT(&l->in, U32, !value);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!named(f, names[i].name))
            continue;
        if (isa_table[l->in.op].mods >> names[i].group & 1)
            isa_mod_put(&l->in, names[i].group, value);
        else if (value && f->kind == FIELD_GROUP)
            sass_refuse(l, "a modifier that is not modelled");
    }
}

bool sass_lower(const sass_table *t, const sass_encoding *e, sass_word w,
                uint32_t index, isa_inst *out, const char **why)
{
    static void (*const lower[SASS_HOWS])(sass_lowering *) = {
#define HOW(name) sass_lower_##name,
#include "sass/how.def"
#undef HOW
    };
    sass_lowering l = {.t = t, .e = e, .w = w, .index = index};
    uint32_t control =
        (uint32_t)sass_get(w, SASS_CONTROL, SASS_CONTROL_BITS - 4);

    l.in = isa_new((isa_op)e->row->isa);
    l.in.guard = predicate(sass_get(w, SASS_GUARD, 4));
    /* The bit says that the warp goes on; no bit is a yield [CUASM:repos]. */
    l.in.ctl = (control ^ 1u << CTL_YIELD) | 1u << CTL_HAS;
    for (unsigned i = 0; i < e->operand; i++)
        if (e->fields[i].kind != FIELD_LITERAL)
            lower_modifier(&l, &e->fields[i]);
    for (unsigned i = e->operand; i < e->field_count; i++)
        lower_operand(&l, &e->fields[i]);
    lower[e->row->how](&l);
    *why = l.why;
    if (l.why)
        l.in = isa_new(ISA_BPT);
    isa_finish(&l.in);
    *out = l.in;
    return !l.why;
}

void sass_lower_NONE(sass_lowering *l)
{
    sass_refuse(l, "it is not executed yet");
}

void sass_lower_PLAIN(sass_lowering *l) { (void)l; }

/* It orders what is in order here anyway. */
void sass_lower_NOTHING(sass_lowering *l)
{
    uint32_t ctl = l->in.ctl;
    uint8_t guard = l->in.guard;

    l->in = isa_new(ISA_NOP);
    l->in.ctl = ctl;
    l->in.guard = guard;
}

/* ---- single and double precision ---- */

/* The factor that a product takes on its way (FMUL.D2) is 1 in all code of
 * today's compilers but for halves of large quotients. */
/* D8 to M8 around 4, which is none. */
void sass_lower_FMUL(sass_lowering *l)
{
    enum { ONE = 4 };
    unsigned by = sass_value(l, "pdiv");

    if (by == ONE)
        return;
    l->in.op = ISA_FMULS;
    ISA_PUT(&l->in, PSCALE, by < ONE ? by - 1 : by - 2);
}

/* The unit has no denormal numbers, which compilers scale before and behind. */
void sass_lower_MUFU(sass_lowering *l)
{
    unsigned what = sass_value(l, "mufu");

    ISA_PUT(&l->in, FTZ,
            what == MUFU_EX2 || what == MUFU_LG2 || what == MUFU_RCP ||
                what == MUFU_RSQ || what == MUFU_SQRT);
}

void sass_lower_FSET(sass_lowering *l) { ISA_PUT(&l->in, BF, 1); }

/* The first and last comparison are minimum and maximum for doubles. */
void sass_lower_DSETP(sass_lowering *l)
{
    unsigned compare = sass_value(l, "dcmp");

    if (compare != CMP_F && compare != CMP_T) {
        ISA_PUT(&l->in, FCMP, compare);
        return;
    }
    if (sass_value(l, "bool") != BOOL_AND || l->in.psrc[0] != ISA_PT)
        sass_refuse(l, "minimum and maximum of doubles beside a predicate");
    l->in.op = ISA_DSETPM;
    l->in.mod = 0;
    l->in.psrc[0] = compare == CMP_F ? ISA_PT : ISA_PT | PRED_NOT;
}

/* ---- half pairs ---- */

void sass_lower_HALF(sass_lowering *l)
{
    bool single = sass_value(l, "F32");

    if (strstr(l->e->row->text, "BF16") || sass_value(l, "BF16_V2"))
        ISA_PUT(&l->in, HFMT, HFMT_BF16);
    if (sass_value(l, "RELU") && l->in.psrc[0] != ISA_PT)
        sass_refuse(l, "a limit under a predicate");
    l->in.psrc[0] = l->in.op == ISA_HFMA2 ? ISA_PT : l->in.psrc[0];
    if (single && l->in.op == ISA_HADD2)
        l->in.op = ISA_HADD2F;
    else if (single)
        sass_refuse(l, "products of halves in single precision");
}

void sass_lower_HSETP2(sass_lowering *l)
{
    if (sass_value(l, "H_AND"))
        sass_refuse(l, "one predicate for both halves");
    sass_lower_HALF(l);
}

/* ---- integers ---- */

void sass_lower_IMAD(sass_lowering *l)
{
    if (!sass_value(l, "X") && l->in.src_mod[1])
        sass_refuse(l, "a product with a negated factor");
}

/* With a carry on either side, it is a sum of three. */
void sass_lower_IMADW(sass_lowering *l)
{
    bool uniform = isa_is_uniform(l->in.op);

    if (l->in.src_mod[1] ||
        (l->in.src_mod[2] && (sass_value(l, "X") || l->in.pdst[0] != ISA_PT)))
        sass_refuse(l, "a wide product with a negated operand");
    if (sass_value(l, "X"))
        return;
    if (l->in.pdst[0] != ISA_PT) {
        l->in.op = uniform ? ISA_UIMADWX : ISA_IMADWX;
        l->in.psrc[0] = ISA_PT | PRED_NOT;
    }
}

void sass_lower_IMADHI(sass_lowering *l)
{
    if (l->in.src_mod[1] || l->in.src_mod[2])
        sass_refuse(l, "a wide product with a negated operand");
    if (!sass_value(l, "X"))
        l->in.psrc[0] = ISA_PT | PRED_NOT;
}

void sass_lower_VIADD(sass_lowering *l)
{
    l->in.src_kind[2] = SRC_REG;
    l->in.src[2] = ISA_RZ;
}

void sass_lower_VIMNMX(sass_lowering *l)
{
    enum { UNSIGNED, SIGNED, PAIRS };
    unsigned type = sass_value(l, "vtype");

    if (type >= PAIRS && l->in.op == ISA_IMNMX)
        l->in.op = ISA_VMNMX2;
    else if (type >= PAIRS)
        ISA_PUT(&l->in, PAIRS, 1);
    ISA_PUT(&l->in, U32, type == UNSIGNED || type == PAIRS);
}

void sass_lower_SIGN(sass_lowering *l)
{
    l->in.lut = (uint8_t)sass_get(l->w, 72, 8);
}

/* A sum of three of which the last is nothing in all code that is known. */
void sass_lower_UIADD3L(sass_lowering *l)
{
    if (sass_get(l->w, 64, 6) != SASS_URZ || l->in.src_mod[0] ||
        l->in.src_mod[1])
        sass_refuse(l, "a wide sum of this kind");
    l->in.src_kind[2] = SRC_NONE;
    l->in.src[2] = ISA_RZ;
    l->in.src_mod[2] = 0;
}

static unsigned shift_of(const sass_lowering *l)
{
    return (unsigned)sass_get(l->w, 75, 5);
}

void sass_lower_LEA(sass_lowering *l)
{
    bool carry = sass_get(l->w, 74, 1);

    l->in.lut = (uint8_t)shift_of(l);
    if (!carry && l->in.op != ISA_LEA && l->in.op != ISA_ULEA)
        l->in.psrc[0] = ISA_PT | PRED_NOT;
}

void sass_lower_LOP3(sass_lowering *l)
{
    bool pand = sass_value(l, "PAND");

    l->in.lut = (uint8_t)sass_get(l->w, 72, 8);
    if (!pand && l->in.psrc[0] == (ISA_PT | PRED_NOT)) { /* joins nothing */
        l->in.psrc[0] = ISA_PT;
        return;
    }
    if (isa_is_uniform(l->in.op)) {
        sass_refuse(l, "a uniform predicate that joins the result's");
        l->in.psrc[0] = ISA_PT;
        return;
    }
    l->in.op = ISA_LOP3P;
    ISA_PUT(&l->in, BOOL, pand ? BOOL_AND : BOOL_OR);
}

void sass_lower_PLOP3(sass_lowering *l)
{
    l->in.lut = (uint8_t)(sass_get(l->w, 72, 5) << 3 | sass_get(l->w, 64, 3));
    if (sass_get(l->w, 67, 1) && !isa_is_uniform(l->in.op) &&
        (l->in.psrc[2] & 7) != ISA_PT)
        l->in.psrc[2] |= PRED_UNIFORM;
    if (l->in.pdst[1] == ISA_PT)
        return;
    if (isa_is_uniform(l->in.op)) {
        sass_refuse(l, "a second uniform predicate from a second table");
        return;
    }
    l->in.op = ISA_PLOP3T;
    l->in.src_kind[1] = SRC_IMM;
    l->in.val[1] = (uint32_t)sass_get(l->w, 16, 8);
}

void sass_lower_SHF(sass_lowering *l)
{
    static const uint8_t types[4] = {3, 2, 1, 0}; /* S64 U64 S32 U32 */
    bool right = sass_value(l, "shfd");

    if (right)
        l->in.op = isa_is_uniform(l->in.op) ? ISA_USHF_R : ISA_SHF_R;
    ISA_PUT(&l->in, STYPE, types[sass_value(l, "shft")]);
}

void sass_lower_MOV(sass_lowering *l)
{
    if (sass_get(l->w, 72, 4) != 15)
        sass_refuse(l, "a move of some lanes of each four");
}

void sass_lower_IDP(sass_lowering *l)
{
    bool a_signed = sass_get(l->w, 73, 1), b_signed = sass_get(l->w, 74, 1);

    ISA_PUT(&l->in, AU8, !a_signed);
    ISA_PUT(&l->in, BU8, !b_signed);
    if (l->in.op == ISA_IDP2A)
        ISA_PUT(&l->in, DOTHI, sass_value(l, "lohi"));
}

void sass_lower_VABSDIFF(sass_lowering *l)
{
    ISA_PUT(&l->in, U32, !sass_value(l, "s8"));
    ISA_PUT(&l->in, SAD, sass_value(l, "ACC"));
}

/* ---- predicates as bits ---- */

enum { PREDICATES = 0x7f };

void sass_lower_P2R(sass_lowering *l)
{
    uint32_t mask = (uint32_t)sass_get(l->w, 32, 32);

    if (mask & ~(uint32_t)PREDICATES)
        sass_refuse(l, "bits beside those of predicates");
    l->in.lut = (uint8_t)mask;
    l->in.src_mod[0] = 0;
}

void sass_lower_R2P(sass_lowering *l)
{
    ISA_PUT(&l->in, BSEL, sass_get(l->w, 76, 2));
    l->in.lut = (uint8_t)(sass_get(l->w, 32, 8) & PREDICATES);
}
