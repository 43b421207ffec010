/* src/codegen/lower/lower_mem.c - loads, stores and addresses. */
#include <string.h>

#include "base/must.h"
#include "codegen/ir/frame.h"
#include "codegen/lower/context.h"
#include "mem/image.h"

/* ---- addresses --------------------------------------------------------- */

bool lo_kernel_param(const lower *l, const ptx_var *v, uint32_t *at)
{
    for (uint32_t i = 0; i < l->kernel->nparams; i++)
        if (l->kernel->params[i] == v) {
            *at = l->param_at[i];
            return true;
        }
    return false;
}

/* A base register of 32 bits counts as 64 with zeros above. */
static cg_src base_register(lower *l, uint32_t reg)
{
    cg_src s = lo_reg_src(l, reg);

    if (l->b.f->regs[s.reg].words > 1)
        return s;
    return cb_pair(&l->b, s, cg_zero());
}

static void param_address(lower *l, const ptx_var *v, lo_addr *a)
{
    uint32_t at;
    lo_param *p;

    if (lo_kernel_param(l, v, &at)) {
        a->offset += (int32_t)at;
        return;
    }
    p = lo_param_of(l, v);
    MUST(p);
    if (p->word) {
        a->param = p;
        a->param_bytes = (uint32_t)v->size;
        return;
    }
    a->space = PTX_SPACE_LOCAL;
    a->base = cg_frame_base(l->b.f);
    a->offset += (int32_t)p->offset;
}

/* `.param` addresses in registers are addresses of kernel parameters in a
 * kernel, and of stack variables in a function. */
static ptx_space register_space(const lower *l, ptx_space space)
{
    if (space == PTX_SPACE_PARAM && l->fr->back)
        return PTX_SPACE_LOCAL;
    return space;
}

lo_addr lo_address(lower *l, const ptx_operand *o, ptx_space space)
{
    lo_addr a = {.space = ptx_space_base(space), .base = cg_zero()};
    const ptx_var *v = o->reg == PTX_NO_REG ? o->var : NULL;
    int64_t offset = o->imm;
    ptx_operand sym;

    a.offset = (int32_t)offset;
    if (o->reg != PTX_NO_REG) {
        a.base = base_register(l, o->reg);
        a.space = register_space(l, a.space);
        if (offset != a.offset) {
            a.base = cb_add64(&l->b, a.base, cg_imm(offset));
            a.offset = 0;
        }
        if (space == PTX_SPACE_SHARED_CLUSTER)
            lo_cga_address(l, &a);
        return a;
    }
    if (!v) { /* an absolute address */
        a.base = cb_reg(&l->b, cg_imm(offset), 2);
        a.offset = 0;
        return a;
    }
    a.space = ptx_space_base(v->space);
    if (a.space == PTX_SPACE_PARAM) {
        param_address(l, v, &a);
        return a;
    }
    if (a.space == PTX_SPACE_LOCAL) {
        a.base = cg_frame_base(l->b.f);
        a.offset += (int32_t)lo_local_offset(l, v);
        return a;
    }
    sym = *o;
    sym.imm = 0;
    a.base = lo_symbol(l, &sym);
    if (a.base.kind == SRC_IMM) {
        a.offset += (int32_t)a.base.val;
        a.base = cg_zero();
    } else if (a.base.kind == SRC_CONST) {
        a.base = cb_reg(&l->b, a.base, 2);
    }
    return a;
}

/* An operation with this address; its EXT is set as the space needs. */
cg_inst *lo_mem(lower *l, unsigned op, const lo_addr *a)
{
    cg_inst *i = cb_emit(&l->b, op);
    bool wide = isa_table[op].mods >> MOD_EXT & 1;

    i->src[0] = wide ? a->base : cg_word(a->base, 0);
    i->src[0].kind = SRC_REG;
    i->src[0].val = a->offset;
    if (wide)
        CG_PUT(i, EXT, 1);
    return i;
}

/* ---- elements ---------------------------------------------------------- */

typedef struct access {
    const ptx_inst *in;
    ptx_type type;
    unsigned bytes; /* of an element */
    unsigned count; /* of elements */
    const ptx_operand *elem;
} access;

static access access_of_inst(const ptx_inst *in, const ptx_operand *value)
{
    access a = {.in = in, .type = lo_type(in, 0), .count = 1, .elem = value};

    a.bytes = ptx_type_bytes(a.type);
    if (value->kind == PTX_OPD_VEC) {
        a.count = value->nelems;
        a.elem = value->elems;
    }
    return a;
}

static enum isa_size size_of_bytes(unsigned bytes, bool sign)
{
    switch (bytes) {
    case 1:
        return sign ? SIZE_S8 : SIZE_U8;
    case 2:
        return sign ? SIZE_S16 : SIZE_U16;
    case 4:
        return SIZE_32;
    case 8:
        return SIZE_64;
    default:
        return SIZE_128;
    }
}

static void memory_mods(lower *l, const ptx_inst *in, cg_inst *to)
{
    static const uint8_t caches[PTX_CACHE_COUNT] = {[PTX_CACHE_CG] = CACHE_CG,
                                                    [PTX_CACHE_CS] = CACHE_CS,
                                                    [PTX_CACHE_LU] = CACHE_LU,
                                                    [PTX_CACHE_CV] = CACHE_CV};
    static const uint8_t orders[PTX_ORDER_COUNT] = {
        [PTX_ORDER_VOLATILE] = ORDER_VOLATILE,
        [PTX_ORDER_RELAXED] = ORDER_RELAXED,
        [PTX_ORDER_ACQUIRE] = ORDER_ACQUIRE,
        [PTX_ORDER_RELEASE] = ORDER_RELEASE,
        [PTX_ORDER_ACQ_REL] = ORDER_ACQ_REL};
    isa_mod_set has = isa_table[to->op].mods;

    if (has >> MOD_CACHE & 1)
        CG_PUT(to, CACHE,
               ptx_has(in, PTX_FLAG_NC) ? CACHE_NC : caches[in->cache]);
    if (has >> MOD_KEEP & 1)
        lo_keep(l, in, to);
    if (has >> MOD_ORDER & 1)
        CG_PUT(to, ORDER, orders[in->order]);
    if (has >> MOD_SCOPE & 1 && in->order > PTX_ORDER_VOLATILE)
        CG_PUT(to, SCOPE, lo_scope(in));
}

/* Stores a loaded element, `s` holding it in 32 bits (already extended) or in
 * as many words as it has, in a register that may be wider. */
static void set_element(lower *l, const access *a, unsigned i, cg_src s)
{
    const ptx_operand *d = &a->elem[i];
    vreg v = lo_dst(l, d);
    unsigned words;

    if (!v)
        return;
    words = l->b.f->regs[v].words;
    if (words == 2 && a->bytes < 8)
        s = cb_pair(&l->b, s,
                    lo_signed(a->type) ? cb_shr(&l->b, true, s, cg_imm(31))
                                       : cg_zero());
    lo_set(l, d, s);
}

/* Hands out the elements first.. of a wide value. */
static void spread_elements(lower *l, const access *a, unsigned first,
                            unsigned n, cg_src s)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned at = i * a->bytes;
        cg_src e = cg_word(s, at / 4);

        if (a->elem[first + i].kind == PTX_OPD_SINK)
            continue;
        if (a->bytes < 4 && n > 1) {
            unsigned bits = 8 * a->bytes;
            bool sign = lo_signed(a->type);

            e = cb_op(&l->b, ISA_BFE, e,
                      cg_imm((int64_t)(8 * (at % 4) | bits << 8)), cb_none());
            CG_PUT(cb_last(&l->b), U32, !sign);
        }
        set_element(l, a, first + i, e);
    }
}

/* ---- parameters -------------------------------------------------------- */

/* `bytes` bytes at `at` of a parameter in registers. */
static cg_src param_value(lower *l, const lo_addr *from, unsigned at,
                          unsigned bytes, bool sign)
{
    cg_src s;

    if (at >= from->param_bytes || bytes > from->param_bytes - at) {
        lo_unsupported(l, "it lies outside of the parameter");
        return cg_zero();
    }
    s = cg_r(from->param->word[at / 4]);
    if (bytes > 4) {
        vreg v = cg_reg_new(l->b.f, cg_class_of_words(bytes / 4));

        for (unsigned i = 0; i < bytes / 4; i++)
            cb_to(&l->b, ISA_MOV, cb_dstw(v, i), cb_none(),
                  cg_r(from->param->word[at / 4 + i]), cb_none());
        return cg_r(v);
    }
    if (bytes >= 4)
        return s;
    s = cb_op(&l->b, ISA_BFE, s, cg_imm(8 * (at % 4) | 8 * bytes << 8),
              cb_none());
    CG_PUT(cb_last(&l->b), U32, !sign);
    return s;
}

static void set_param(lower *l, const lo_addr *to, unsigned at, unsigned bytes,
                      cg_src s)
{
    vreg w;

    if (at >= to->param_bytes || bytes > to->param_bytes - at) {
        lo_unsupported(l, "it lies outside of the parameter");
        return;
    }
    w = to->param->word[at / 4];
    if (bytes >= 4) {
        for (unsigned i = 0; i < bytes / 4; i++)
            cb_to(&l->b, ISA_MOV, cb_dst(to->param->word[at / 4 + i]),
                  cb_none(), cg_word(s, i), cb_none());
        return;
    }
    if (at % 4 || to->param_bytes - at / 4 * 4 > bytes)
        s = cb_op(&l->b, ISA_BFI, s, cg_imm(8 * (at % 4) | 8 * bytes << 8),
                  cg_r(w));
    cb_copy(&l->b, w, s, 1);
}

/* A kernel parameter, or a .const variable, at a constant offset. */
static cg_src bank_value(lower *l, unsigned bank, uint32_t at, unsigned bytes,
                         bool sign)
{
    cg_src s = cg_const(bank, at), d;

    if (!(at % 4) && bytes >= 4)
        return s;
    s = cg_zero();
    s.val = at;
    d = cb_op(&l->b, ISA_LDC, s, cb_none(), cb_none());
    cb_last(&l->b)->lut = (uint8_t)bank;
    CG_PUT(cb_last(&l->b), SIZE, size_of_bytes(bytes, sign));
    return d;
}

static void load_bank(lower *l, const access *a, unsigned bank, uint32_t at)
{
    for (unsigned i = 0; i < a->count; i++)
        if (a->elem[i].kind != PTX_OPD_SINK)
            set_element(l, a, i,
                        bank_value(l, bank, at + i * a->bytes, a->bytes,
                                   lo_signed(a->type)));
}

static void load_param(lower *l, const access *a, const lo_addr *from)
{
    if (!from->param) {
        load_bank(l, a, CBANK_PARAM, (uint32_t)from->offset);
        return;
    }
    for (unsigned i = 0; i < a->count; i++)
        set_element(l, a, i,
                    param_value(l, from, (unsigned)from->offset + i * a->bytes,
                                a->bytes, lo_signed(a->type)));
}

/* ---- loads ------------------------------------------------------------- */

/* The operation that loads from a space, given the registers of the address:
 * parameters and constants at unknown places. */
unsigned lo_load_op(ptx_space space)
{
    switch (space) {
    case PTX_SPACE_SHARED:
        return ISA_LDS;
    case PTX_SPACE_LOCAL:
        return ISA_LDL;
    case PTX_SPACE_PARAM:
        return ISA_LDC;
    case PTX_SPACE_NONE:
        return ISA_LD;
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_CONST:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_PARAM_ENTRY:
    case PTX_SPACE_PARAM_FUNC:
    case PTX_SPACE_SHARED_CTA:
    case PTX_SPACE_SHARED_CLUSTER:
    case PTX_SPACE_TEX:
    case PTX_SPACE_COUNT:
        return ISA_LDG; /* constants too: see combine_addr.c */
    }
    MUST(!"every value is above");
}

/* Bytes of one load of several elements. From Volta on of constants 64 bits:
 * ptxas 11.8 makes two loads of ld.const.v4.f32 for sm_70 [PTXAS11:ldc]. */
static unsigned widest_load(const lower *l, const access *a, bool constant)
{
    unsigned most = constant && l->u->opt->arch >= ARCH_VOLTA ? 8 : 16;

    return a->bytes > most ? a->bytes : most;
}

static void load_memory(lower *l, const access *a, lo_addr from, bool constant)
{
    unsigned total = a->bytes * a->count, op = lo_load_op(from.space);
    unsigned most = widest_load(l, a, constant);
    unsigned step = total > most ? most : total, n = step / a->bytes;

    for (unsigned first = 0; first < a->count; first += n) {
        cg_inst *i = lo_mem(l, op, &from);
        bool sign = lo_signed(a->type) && n == 1;

        if (op == ISA_LDC)
            i->lut = CBANK_PARAM;
        CG_PUT(i, SIZE, size_of_bytes(step, sign));
        memory_mods(l, a->in, i);
        if (constant)
            CG_PUT(i, CACHE, CACHE_NC);
        i->dst.reg = cg_reg_new(l->b.f, cg_class_of_words(cg_dst_words(i)));
        spread_elements(l, a, first, n, cg_r(i->dst.reg));
        from.offset += (int32_t)step;
    }
}

/* A .const variable named in the instruction. */
static bool load_constant(lower *l, const access *a, const ptx_operand *o)
{
    const cg_symbol *s;

    if (o->reg != PTX_NO_REG || !o->var ||
        ptx_space_base(o->var->space) != PTX_SPACE_CONST)
        return false;
    s = cu_use(l->u, o->var);
    if (!s || s->number == UINT32_MAX)
        return false;
    load_bank(l, a, CBANK_USER, s->offset + (uint32_t)o->imm);
    return true;
}

static bool known_hints(lower *l, const ptx_inst *in)
{
    if (in->nspaces > 1 || in->order == PTX_ORDER_SC) {
        lo_unsupported(l, "not with this order or space");
        return false;
    }
    return true;
}

void lop_ld(lower *l, const ptx_inst *in)
{
    ptx_space space = (ptx_space)in->spaces[0];
    access a = access_of_inst(in, &in->ops[0]);
    lo_addr from;

    if (!known_hints(l, in) || load_constant(l, &a, &in->ops[1]))
        return;
    from = lo_address(l, &in->ops[1], in->nspaces ? space : PTX_SPACE_NONE);
    if (from.space == PTX_SPACE_PARAM && (from.param || !from.base.reg))
        load_param(l, &a, &from);
    else
        load_memory(l, &a, from, from.space == PTX_SPACE_CONST);
}

/* ---- stores ------------------------------------------------------------ */

unsigned lo_store_op(ptx_space space)
{
    return space == PTX_SPACE_SHARED  ? ISA_STS
           : space == PTX_SPACE_LOCAL ? ISA_STL
           : space == PTX_SPACE_NONE  ? ISA_ST
                                      : ISA_STG;
}

/* Elements first.. as one wide register. */
static cg_src gather_elements(lower *l, const access *a, unsigned first,
                              unsigned n)
{
    cg_build *b = &l->b;
    unsigned words = (n * a->bytes + 3) / 4;
    vreg v;
    cg_src e[16];

    for (unsigned i = 0; i < n; i++)
        e[i] = lo_src(l, &a->elem[first + i], a->type);
    if (n == 1 && a->bytes < 8)
        return cb_reg(b, cg_word(e[0], 0), 1);
    if (n == 1 && e[0].kind == SRC_REG)
        return e[0];
    v = cg_reg_new(b->f, cg_class_of_words(words));
    for (unsigned w = 0; w < words; w++) {
        cg_src s;

        if (a->bytes >= 4) {
            unsigned per = a->bytes / 4;
            s = cg_word(e[w / per], w % per);
        } else if (a->bytes == 2) {
            s = cb_op(b, ISA_PRMT, e[2 * w], cg_imm(0x5410), e[2 * w + 1]);
        } else {
            s = cb_op(b, ISA_PRMT, e[4 * w], cg_imm(0x0040), e[4 * w + 1]);
            if (n >= 4) {
                cg_src t = cb_op(b, ISA_PRMT, e[4 * w + 2], cg_imm(0x0040),
                                 e[4 * w + 3]);
                s = cb_op(b, ISA_PRMT, s, cg_imm(0x5410), t);
            }
        }
        cb_to(b, ISA_MOV, cb_dstw(v, w), cb_none(), s, cb_none());
    }
    return cg_r(v);
}

unsigned lo_access_bytes(const ptx_inst *in, const ptx_operand *value)
{
    access a = access_of_inst(in, value);

    return a.bytes * a.count;
}

enum isa_size lo_access_size(unsigned bytes)
{
    return size_of_bytes(bytes, false);
}

cg_src lo_gather(lower *l, const ptx_inst *in, const ptx_operand *value)
{
    access a = access_of_inst(in, value);

    return gather_elements(l, &a, 0, a.count);
}

void lo_spread(lower *l, const ptx_inst *in, const ptx_operand *to, cg_src s)
{
    access a = access_of_inst(in, to);

    spread_elements(l, &a, 0, a.count, s);
}

static void store_param(lower *l, const access *a, const lo_addr *to)
{
    for (unsigned i = 0; i < a->count; i++)
        set_param(l, to, (unsigned)to->offset + i * a->bytes, a->bytes,
                  lo_src(l, &a->elem[i], a->type));
}

void lop_st(lower *l, const ptx_inst *in)
{
    ptx_space space = (ptx_space)in->spaces[0];
    access a = access_of_inst(in, &in->ops[1]);
    unsigned total = a.bytes * a.count, step = total > 16 ? 16 : total, n;
    lo_addr to;

    if (!known_hints(l, in))
        return;
    n = step / a.bytes;
    to = lo_address(l, &in->ops[0], in->nspaces ? space : PTX_SPACE_NONE);
    if (to.param) {
        store_param(l, &a, &to);
        return;
    }
    if (to.space == PTX_SPACE_PARAM || to.space == PTX_SPACE_CONST) {
        lo_unsupported(l, "a store to read-only memory");
        return;
    }
    for (unsigned first = 0; first < a.count; first += n) {
        cg_src v = gather_elements(l, &a, first, n);
        cg_inst *i = lo_mem(l, lo_store_op(to.space), &to);

        i->src[1] = v;
        CG_PUT(i, SIZE, size_of_bytes(step, false));
        memory_mods(l, in, i);
        to.offset += (int32_t)step;
    }
    if (ptx_has_sub(in, PTX_SUB_ASYNC))
        lo_complete_tx(l, in, 2, total);
}

/* ---- conversions of addresses ------------------------------------------ */

static cg_src window(ptx_space space)
{
    return cg_const(CBANK_PARAM, space == PTX_SPACE_SHARED ? C0_SHARED_WINDOW
                                                           : C0_LOCAL_WINDOW);
}

/* Parameters of a kernel are in a constant bank, which generic addresses do not
 * reach: a copy in local memory stands for them. Where it begins. */
static int64_t param_copy(lower *l)
{
    cg_func *f = l->b.f;

    if (!l->param_copied) {
        l->param_copied = true;
        f->local_bytes = (f->local_bytes + 15u) & ~15u;
        l->param_copy = f->local_bytes;
        f->local_bytes += (l->param_bytes + 3u) & ~3u;
    }
    return l->param_copy;
}

/* The copy is made where its address is taken, and never changes. */
static void cvta_param(lower *l, const ptx_inst *in, cg_src s)
{
    uint32_t base = cbank_param_base(l->u->opt->arch);
    cg_src word, at = cg_frame_base(l->b.f);
    int64_t copy;

    if (!l->fr->fn->entry || at.reg) {
        lo_unsupported(l, "only parameters of a kernel have generic addresses");
        return;
    }
    if (!l->param_maps)
        l->param_maps = lo_only_map_params(l->fr->fn) ? 2 : 1;
    if (l->param_maps == 2 && !ptx_has(in, PTX_FLAG_TO)) {
        lo_set(l, &in->ops[0],
               cb_add64(&l->b, s,
                        cb_reg(&l->b, cg_imm((int64_t)MEM_PARAM_WINDOW), 2)));
        return;
    }
    copy = param_copy(l);
    if (ptx_has(in, PTX_FLAG_TO)) {
        s = cb_add64(&l->b, s, cg_neg(window(PTX_SPACE_LOCAL)));
        lo_set(l, &in->ops[0], cb_add64(&l->b, s, cg_imm(base - copy)));
        return;
    }
    for (uint32_t i = 0; i < l->param_bytes; i += 4) {
        word = cb_reg(&l->b, cg_const(CBANK_PARAM, base + i), 1);
        at.val = copy + i;
        cb_to(&l->b, ISA_STL, (cg_dst){0}, at, word, cb_none());
    }
    s = cb_add64(&l->b, s, window(PTX_SPACE_LOCAL));
    lo_set(l, &in->ops[0], cb_add64(&l->b, s, cg_imm(copy - base)));
}

void lop_cvta(lower *l, const ptx_inst *in)
{
    ptx_space space = ptx_space_base((ptx_space)in->spaces[0]);
    ptx_type t = lo_type(in, 0);
    cg_src s = lo_src(l, &in->ops[1], PTX_TYPE_U64);
    bool windowed = space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;

    if (!lo_is64(t)) {
        lo_unsupported(l, "32-bit addresses; compile for .address_size 64");
        return;
    }
    if (space == PTX_SPACE_PARAM) {
        cvta_param(l, in, s);
        return;
    }
    if (windowed && ptx_has(in, PTX_FLAG_TO))
        s = cb_add64(&l->b, s, cg_neg(window(space)));
    else if (windowed)
        s = cb_add64(&l->b, s, window(space));
    lo_set(l, &in->ops[0], s);
}

/* In the `bytes` from the beginning of a window on. */
static vreg is_in_window(lower *l, cg_src s, ptx_space space, uint64_t bytes)
{
    cg_src at = cb_add64(&l->b, s, cg_neg(window(space)));

    return cb_isetp64(&l->b, CMP_LT, false, at, cg_imm((int64_t)bytes));
}

void lop_isspacep(lower *l, const ptx_inst *in)
{
    ptx_space space = ptx_space_base((ptx_space)in->spaces[0]);
    cg_src s = lo_src(l, &in->ops[1], PTX_TYPE_U64);
    vreg p, q;

    if (l->u->m->address_size == 32) {
        lo_unsupported(l, "32-bit addresses");
        return;
    }
    switch (space) {
    case PTX_SPACE_SHARED:
    case PTX_SPACE_LOCAL:
        p = is_in_window(l, s, space,
                         in->spaces[0] == PTX_SPACE_SHARED_CLUSTER
                             ? MEM_CGA_BYTES
                             : MEM_WINDOW_BYTES);
        if (in->spaces[0] == PTX_SPACE_SHARED_CTA) {
            q = lo_is_own_cta(l, s);
            p = cb_plop(&l->b, LUT_A | LUT_B, cg_p(p), cg_p(q), (cg_pred){0});
        }
        lo_set_pred(l, &in->ops[0], cg_p(p));
        break;
    case PTX_SPACE_PARAM: {
        cg_src at = cb_add64(&l->b, s, cg_neg(window(PTX_SPACE_LOCAL)));

        at = cb_add64(&l->b, at, cg_imm(-param_copy(l)));
        p = cb_isetp64(&l->b, CMP_LT, false, at, cg_imm(l->param_bytes));
        lo_set_pred(l, &in->ops[0], cg_p(p));
        break;
    }
    case PTX_SPACE_GLOBAL:
        p = is_in_window(l, s, PTX_SPACE_SHARED, MEM_WINDOW_BYTES);
        q = is_in_window(l, s, PTX_SPACE_LOCAL, MEM_WINDOW_BYTES);
        lo_set_pred(l, &in->ops[0],
                    cg_p(cb_plop(&l->b, ~(LUT_A | LUT_B) & 0xff, cg_p(p),
                                 cg_p(q), (cg_pred){0})));
        break;
    case PTX_SPACE_NONE:
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_CONST:
    case PTX_SPACE_PARAM_ENTRY:
    case PTX_SPACE_PARAM_FUNC:
    case PTX_SPACE_SHARED_CTA:
    case PTX_SPACE_SHARED_CLUSTER:
    case PTX_SPACE_TEX:
    case PTX_SPACE_COUNT:
        lo_set_pred(l, &in->ops[0], (cg_pred){0, true});
    }
}
