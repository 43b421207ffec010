/* src/codegen/opt/combine_addr.c - addresses: constants go to the offset of the
 * instruction; generic accesses whose window is certain, and constants read
 * through an address, become accesses to their own space. */
#include "codegen/opt/combine.h"

#include "isa/program.h"

enum { OFFSET_MAX = (1 << 23) - 1, DEPTH = 8 };

static bool has_address(const cg_inst *in)
{
    unsigned flags = cg_flags(in);

    if (in->op < ISA_COUNT &&
        (isa_table[in->op].class == ISA_CLASS_TEX ||
         isa_table[in->op].class == ISA_CLASS_TENSOR || isa_is_bulk(in->op)))
        return false; /* handles, coordinates, descriptors */
    return flags & (ISA_F_LOAD | ISA_F_STORE | ISA_F_ATOMIC) ||
           in->op == ISA_CCTL;
}

static bool take_offset(combine *c, cg_inst *in, cg_src base, int64_t add)
{
    int64_t offset = in->src[0].val + add;

    if (base.kind != SRC_REG || base.mod || offset > OFFSET_MAX ||
        offset < -OFFSET_MAX - 1)
        return false;
    base.val = offset;
    co_set_src(c, in, 0, base);
    return true;
}

/* `s` is x + constant at some depth of sums: the sum without the constant. It
 * is computed where each sum was, so that addresses at several distances from
 * each other, which a swizzled tile of shared memory has many of, become one
 * register with offsets. */
static bool without_constant(combine *c, cg_inst *in, const cg_src *s,
                             unsigned depth, cg_src *rest, int64_t *add)
{
    cg_inst *def = s->kind == SRC_REG && s->reg && !s->mod && depth
                       ? co_def(c, in, s, 1)
                       : NULL;

    if (!def || def->op != ISA_IADD3 || def->pdst[0] || def->mod)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        cg_src x = def->src[(i + 1) % 3], y = def->src[(i + 2) % 3];

        if (x.mod || y.mod)
            continue;
        if (co_known(&def->src[i], add)) {
            if (!*add || !co_is_zero(co_is_zero(&x) ? &x : &y))
                continue;
            *rest = co_is_zero(&x) ? y : x;
            return rest->kind == SRC_REG;
        }
        if (without_constant(c, def, &def->src[i], depth - 1, rest, add)) {
            *rest = co_value(c, def, ISA_IADD3, *rest, x, y);
            return true;
        }
    }
    return false;
}

static bool offset(combine *c, cg_inst *in)
{
    unsigned words = cg_src_words(in, 0);
    const cg_inst *def = co_def(c, in, &in->src[0], words);
    int64_t v;

    if (!def)
        return false;
    if (words == 1 && def->op == ISA_MOV && co_known(&def->src[1], &v))
        return take_offset(c, in, cg_zero(), (int32_t)v);
    if (words == 1 && def->op == ISA_IADD3 && !def->pdst[0]) {
        for (unsigned i = 1; i < 3; i++) {
            cg_src other = def->src[3 - i];

            if (co_known(&def->src[i], &v) && other.kind == SRC_REG &&
                !other.reg && take_offset(c, in, def->src[0], (int32_t)v))
                return true;
        }
        cg_src s = in->src[0], rest;

        s.val = 0;
        return without_constant(c, in, &s, DEPTH, &rest, &v) &&
               take_offset(c, in, rest, (int32_t)v);
    }
    if (words == 2 && def->op == CG_ADD64)
        for (unsigned i = 0; i < 2; i++)
            if (co_known(&def->src[i], &v) &&
                take_offset(c, in, def->src[!i], v))
                return true;
    return false;
}

/* ---- bases ------------------------------------------------------------- */

typedef struct root {
    bool found;
    unsigned bank; /* of the constant the address begins with */
    uint32_t at;
    cg_src rest; /* what is added to it, 32 bits */
} root;

static root of_constant(const cg_src *s)
{
    root r = {.rest = cg_zero()};

    if (s->kind == SRC_CONST && !s->mod) {
        r.found = true;
        r.bank = (unsigned)(s->val >> 16);
        r.at = (uint32_t)(s->val & 0xffff);
    }
    return r;
}

/* The pair was copied from two words of a constant bank. */
static root of_copies(const combine *c, const cg_inst *in, const cg_src *s)
{
    cg_src w0 = cg_word(*s, 0), w1 = cg_word(*s, 1);
    const cg_inst *a = co_def(c, in, &w0, 1), *b = co_def(c, in, &w1, 1);

    if (!a || !b || a->op != ISA_MOV || b->op != ISA_MOV ||
        a->src[1].kind != SRC_CONST || b->src[1].kind != SRC_CONST ||
        b->src[1].val != a->src[1].val + 4)
        return (root){.found = false};
    return of_constant(&a->src[1]);
}

static bool wants_root(const combine *c, const root *r)
{
    uint64_t at;

    if (r->bank == CBANK_PARAM)
        return r->at == C0_SHARED_WINDOW || r->at == C0_LOCAL_WINDOW;
    return r->bank == CBANK_SYMBOL && c->f->const_slots &&
           map_get(c->f->const_slots, r->at, &at);
}

static root find_root(combine *c, cg_inst *in, const cg_src *s, unsigned depth);

/* What is added to the root is computed where the address was: the ways to
 * its uses share it, and loops need not. */

/* x + y: one of them leads to the root. */
static root of_sum(combine *c, cg_inst *in, cg_inst *def, unsigned depth)
{
    for (unsigned i = 0; i < 2; i++) {
        root r = find_root(c, in, &def->src[i], depth);
        cg_src more = def->src[!i];
        uint8_t mod = more.mod;

        if (!r.found || !wants_root(c, &r))
            continue;
        more = cg_word(more, 0);
        if (more.kind == SRC_IMM && mod)
            more = cg_imm(-more.val);
        r.rest = co_value(c, def, ISA_IADD3, more, r.rest, cg_zero());
        return r;
    }
    return (root){.found = false};
}

/* x * y + root */
static root of_product(combine *c, cg_inst *in, cg_inst *def, unsigned depth)
{
    root r = find_root(c, in, &def->src[2], depth);

    if (r.found && wants_root(c, &r))
        r.rest = co_value(c, def, ISA_IMAD, def->src[0], def->src[1], r.rest);
    return r;
}

/* (x << n) + root */
static root of_lea(combine *c, cg_inst *in, cg_inst *def, unsigned depth)
{
    root r = find_root(c, in, &def->src[1], depth);

    if (r.found && wants_root(c, &r)) {
        cg_src s = co_value(c, def, ISA_SHL, cg_word(def->src[0], 0),
                            cg_imm(def->lut), cb_none());

        r.rest = co_value(c, def, ISA_IADD3, s, r.rest, cg_zero());
    }
    return r;
}

static root find_root(combine *c, cg_inst *in, const cg_src *s, unsigned depth)
{
    cg_inst *def;
    root r = of_constant(s);

    if (r.found || s->kind != SRC_REG || !s->reg || !depth)
        return r;
    r = of_copies(c, in, s);
    if (r.found)
        return r;
    def = co_def(c, in, s, 2);
    if (!def)
        return r;
    switch (def->op) {
    case CG_ADD64:
        return of_sum(c, in, def, depth - 1);
    case ISA_IMADW:
        return of_product(c, in, def, depth - 1);
    case CG_LEA64:
        return of_lea(c, in, def, depth - 1);
    default:
        return r;
    }
}

/* ---- other spaces ------------------------------------------------------ */

/* The operation in shared or local memory; 0: there is none. */
static unsigned window_op(unsigned op, bool shared)
{
    switch (op) {
    case ISA_LD:
        return shared ? ISA_LDS : ISA_LDL;
    case ISA_ST:
        return shared ? ISA_STS : ISA_STL;
    case ISA_ATOM:
        return shared ? ISA_ATOMS : 0;
    default:
        return 0;
    }
}

/* The modifiers of an operation that another one has, too. */
static uint32_t common_mods(const cg_inst *in, unsigned op)
{
    isa_mod_set both = isa_table[in->op].mods & isa_table[op].mods;
    uint32_t mask = 0;

    for (unsigned g = 0; g < ISA_MODS; g++)
        if (both >> g & 1)
            mask |= ((1u << isa_mod_table[g].width) - 1)
                    << isa_mod_table[g].shift;
    return in->mod & mask;
}

static void move_to(combine *c, cg_inst *in, unsigned op, cg_src base)
{
    cg_src data = in->src[1], more = in->src[2];
    uint32_t mod = common_mods(in, op);

    co_become(c, in, op, base, data, more);
    in->mod = mod;
}

static bool own_space(combine *c, cg_inst *in)
{
    root r;
    uint64_t at = 0;
    unsigned op = 0;
    int64_t offset_was = in->src[0].val;
    cg_src s = in->src[0];

    if (cg_src_words(in, 0) != 2)
        return false;
    s.val = 0;
    r = find_root(c, in, &s, DEPTH);
    if (!r.found || !wants_root(c, &r))
        return false;
    if (r.bank == CBANK_PARAM) {
        op = window_op(in->op, r.at == C0_SHARED_WINDOW);
    } else if (in->op == ISA_LDG || in->op == ISA_LD) {
        map_get(c->f->const_slots, r.at, &at);
        op = ISA_LDC;
    }
    if (!op)
        return false;
    r.rest.val = offset_was + (int64_t)at;
    if (r.rest.kind != SRC_REG)
        return false;
    move_to(c, in, op, r.rest);
    if (op == ISA_LDC)
        in->lut = CBANK_USER;
    return true;
}

/* A constant at a constant address needs no load. */
static bool known_constant(combine *c, cg_inst *in)
{
    uint32_t at = (uint32_t)in->src[0].val;
    unsigned bytes = 4 * cg_dst_words(in);

    if (in->op != ISA_LDC || in->src[0].reg || CG_GET(in, SIZE) > SIZE_64 ||
        at % bytes || in->src[0].val < 0 || at > 0xffff)
        return false;
    co_copy(c, in, cg_const(in->lut, at));
    return true;
}

bool co_address(combine *c, cg_inst *in)
{
    if (!has_address(in) || in->src[0].kind != SRC_REG)
        return false;
    if (known_constant(c, in))
        return true;
    if (!in->src[0].reg)
        return false;
    return offset(c, in) || own_space(c, in);
}
