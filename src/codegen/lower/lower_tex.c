/* src/codegen/lower/lower_tex.c - textures, surfaces and samplers. Where an
 * instruction names texture and sampler apart, their handles are joined here
 * (mem/tex.h); gradients become a level of detail. */
#include <string.h>

#include "codegen/lower/context.h"
#include "isa/operand.h"

/* ---- handles and coordinates ------------------------------------------- */

static cg_src symbol_handle(lower *l, const ptx_operand *o)
{
    const ptx_var *v = o->var;
    uint32_t at;

    if (ptx_space_base(v->space) != PTX_SPACE_PARAM)
        return cg_word(lo_symbol(l, o), 0);
    if (lo_kernel_param(l, v, &at))
        return cg_const(CBANK_PARAM, at);
    lo_param *p = lo_param_of(l, v);
    if (p && p->word)
        return cg_r(p->word[0]);
    lo_unsupported(l, "a texture in memory");
    return cg_zero();
}

/* The handle that an address or an operand within one names. */
static cg_src handle(lower *l, const ptx_operand *o)
{
    bool known = o->kind == PTX_OPD_ADDR || o->kind == PTX_OPD_SYM;

    if (o->kind == PTX_OPD_REG || (known && o->reg != PTX_NO_REG))
        return cg_word(lo_reg_src(l, o->reg), 0);
    if (known && o->var)
        return symbol_handle(l, o);
    lo_unsupported(l, "this kind of handle");
    return cg_zero();
}

/* Of [t, {c}] and [t, s, {c}]: there, the runtime binds images alone to t. */
static cg_src joined_handle(lower *l, const ptx_operand *o)
{
    cg_src image = handle(l, o);

    if (o->nelems < 2)
        return image;
    cg_src sampler = handle(l, &o->elems[0]);
    return cb_or(&l->b, image, sampler);
}

/* -1: a geometry that there is not. */
static int geometry(lower *l, const ptx_inst *in)
{
    static const uint8_t subs[] = {
        [GEOM_1D] = PTX_SUB_GEOM_1D,       [GEOM_2D] = PTX_SUB_GEOM_2D,
        [GEOM_3D] = PTX_SUB_GEOM_3D,       [GEOM_A1D] = PTX_SUB_GEOM_A1D,
        [GEOM_A2D] = PTX_SUB_GEOM_A2D,     [GEOM_CUBE] = PTX_SUB_GEOM_CUBE,
        [GEOM_ACUBE] = PTX_SUB_GEOM_ACUBE,
    };

    for (unsigned g = 0; g < COUNTOF(subs); g++)
        if (ptx_has_sub(in, (ptx_sub)subs[g]))
            return (int)g;
    lo_unsupported(l, "multisample images");
    return -1;
}

/* Dimensions in which texels lie next to each other. */
static unsigned dimensions(unsigned geom)
{
    static const uint8_t dims[] = {
        [GEOM_1D] = 1,  [GEOM_2D] = 2,   [GEOM_3D] = 3,    [GEOM_A1D] = 1,
        [GEOM_A2D] = 2, [GEOM_CUBE] = 3, [GEOM_ACUBE] = 3,
    };

    return dims[geom];
}

static bool has_layer(unsigned geom)
{
    return geom == GEOM_A1D || geom == GEOM_A2D || geom == GEOM_ACUBE;
}

/* `count` words in a register that is as wide as they need. */
static cg_src in_row(lower *l, const cg_src *s, unsigned count)
{
    if (count == 1)
        return cb_reg(&l->b, s[0], 1);
    vreg v = cg_reg_new(l->b.f, count == 2 ? CG_W2 : CG_W4);

    for (unsigned i = 0; i < count; i++)
        cb_to(&l->b, ISA_MOV, cb_dstw(v, i), cb_none(), s[i], cb_none());
    return cg_r(v);
}

/* The coordinates behind the handles. */
static cg_src texture_coordinates(lower *l, const ptx_operand *o, unsigned geom,
                                  ptx_type t)
{
    const ptx_operand *c = o->nelems ? &o->elems[o->nelems - 1] : NULL;
    unsigned count = dimensions(geom) + has_layer(geom), n = 1;
    cg_src s[4] = {cg_zero(), cg_zero(), cg_zero(), cg_zero()};

    if (!c) {
        lo_unsupported(l, "there are no coordinates");
        return cg_zero();
    }
    if (c->kind == PTX_OPD_VEC) {
        n = c->nelems;
        c = c->elems;
    }
    for (unsigned i = 0; i < n && i < count; i++)
        s[i] = lo_src(l, &c[i], i == 0 && has_layer(geom) ? PTX_TYPE_U32 : t);
    return in_row(l, s, count);
}

/* ---- results ----------------------------------------------------------- */

static void note_read(lo_frame *fr, const ptx_operand *o)
{
    if (o->reg != PTX_NO_REG &&
        (o->kind == PTX_OPD_REG || o->kind == PTX_OPD_ADDR))
        fr->read[o->reg] = true;
    for (uint32_t i = 0; o->elems && i < o->nelems; i++)
        note_read(fr, &o->elems[i]);
}

static void note_call(lo_frame *fr, const ptx_call *call)
{
    for (uint32_t i = 0; i < call->nargs; i++)
        note_read(fr, &call->args[i]);
    for (uint32_t i = 0; i < call->nrets; i++)
        note_read(fr, &call->rets[i]);
    note_read(fr, &call->target);
}

/* Marks the registers of the function that something may read. Results of
 * fetches are not counted as reads. */
static void note_reads(lower *l)
{
    lo_frame *fr = l->fr;

    if (fr->read)
        return;
    fr->read = ARENA_ARRAY(l->b.f->mem, bool, fr->fn->nregs + 1);
    for (uint32_t i = 0; i < fr->fn->ninsts; i++) {
        const ptx_inst *in = &fr->fn->insts[i];
        bool fetch = in->op == PTX_TEX || in->op == PTX_TLD4;

        for (uint32_t j = fetch; j < in->nops; j++)
            note_read(fr, &in->ops[j]);
        if (in->guarded)
            fr->read[in->guard] = true;
        if (in->call)
            note_call(fr, in->call);
    }
}

/* Channels of a result that something reads. */
static unsigned channels_of(lower *l, const ptx_operand *d, unsigned n)
{
    unsigned set = 0;

    note_reads(l);
    for (unsigned i = 0; i < n; i++)
        if (d[i].kind == PTX_OPD_REG && l->fr->read[d[i].reg])
            set |= 1u << i;
    return set;
}

static cg_src as_half(lower *l, cg_src s)
{
    return cb_op(&l->b, ISA_F2F_HS, s, cb_none(), cb_none());
}

/* The words of a result to its registers: `word` by channel. */
static void put_channels(lower *l, ptx_type t, const ptx_operand *d, unsigned n,
                         cg_src word[4])
{
    for (unsigned i = 0; i < n; i++) {
        cg_src s = word[i];

        if (d[i].kind != PTX_OPD_REG)
            continue;
        if (t == PTX_TYPE_F16) {
            s = as_half(l, s);
        } else if (t == PTX_TYPE_F16X2) {
            s = cb_op(&l->b, ISA_F2FP, word[2 * i + 1], word[2 * i], cb_none());
        }
        lo_set(l, &d[i], s);
    }
}

/* Gives `fetch`, whose operands are set, its destination, and hands it out. */
static void put_result(lower *l, const ptx_inst *in, cg_inst *fetch)
{
    const ptx_operand *d = &in->ops[0];
    ptx_type t = lo_type(in, 0);
    cg_src word[4];
    unsigned n = 1, at = 0;

    if (d->kind == PTX_OPD_PAIR) { /* the texels are resident */
        lo_set_pred(l, &d->elems[1], (cg_pred){0});
        d = &d->elems[0];
    }
    if (d->kind == PTX_OPD_VEC) {
        n = d->nelems;
        d = d->elems;
    }
    fetch->lut = (uint8_t)channels_of(l, d, n);
    if (t == PTX_TYPE_F16X2)
        fetch->lut = 15;
    if (!fetch->lut)
        fetch->lut = 1; /* for its faults */
    fetch->dst.reg =
        cg_reg_new(l->b.f, cg_class_of_words(isa_channel_regs(fetch->lut)));
    for (unsigned c = 0; c < 4; c++)
        word[c] = fetch->lut >> c & 1 ? cg_rw(fetch->dst.reg, at++) : cg_zero();
    put_channels(l, t, d, n, word);
}

static bool known_result(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);

    if (t == PTX_TYPE_U32 || t == PTX_TYPE_S32 || t == PTX_TYPE_F32 ||
        t == PTX_TYPE_F16 || t == PTX_TYPE_F16X2)
        return true;
    lo_unsupported(l, "results of this type");
    return false;
}

/* ---- fetches ----------------------------------------------------------- */

/* Bytes of a vector of offsets. */
static cg_src pack_offsets(lower *l, const ptx_operand *o)
{
    cg_build *b = &l->b;
    cg_src e[3] = {cg_zero(), cg_zero(), cg_zero()}, s;
    unsigned n = 1, known = 0;
    uint32_t packed = 0;

    if (o->kind == PTX_OPD_VEC) {
        n = o->nelems < 3 ? o->nelems : 3;
        o = o->elems;
    }
    for (unsigned i = 0; i < n; i++)
        if (o[i].kind == PTX_OPD_IMM) {
            packed |= (uint32_t)(o[i].imm & 0xff) << 8 * i;
            known++;
        }
    if (known == n)
        return cg_imm((int32_t)packed);
    for (unsigned i = 0; i < n; i++)
        e[i] = cb_reg(b, lo_src(l, &o[i], PTX_TYPE_S32), 1);
    s = cb_op(b, ISA_PRMT, e[0], cg_imm(0x0040), e[1]);
    return cb_op(b, ISA_PRMT, s, cg_imm(0x0410), e[2]);
}

static cg_src query(lower *l, cg_src h, unsigned what, cg_src level)
{
    cg_src s = cb_op(&l->b, ISA_TXQ, h, level, cb_none());

    CG_PUT(cb_last(&l->b), TXQUERY, what);
    return s;
}

/* Texels per unit of coordinate d. */
static cg_src texels_per_unit(lower *l, cg_src h, unsigned geom, unsigned d,
                              vreg normalised)
{
    bool cube = geom == GEOM_CUBE || geom == GEOM_ACUBE;
    cg_src n = query(l, h, cube ? TXQ_WIDTH : TXQ_WIDTH + d, cg_zero());

    if (!cube)
        n = cb_sel(&l->b, cg_p(normalised), n, cg_imm(1));
    return cb_op(&l->b, ISA_I2F, n, cb_none(), cb_none());
}

/* log2 of the longer of the two gradients, in texels [PTX85:tex]: half of
 * log2 of the larger square. */
static cg_src level_of_gradients(lower *l, cg_src h, unsigned geom,
                                 const ptx_operand *g)
{
    cg_build *b = &l->b;
    cg_src sum[2] = {cg_zero(), cg_zero()}, s;
    vreg normalised = cb_isetp(
        b, CMP_NE, false, query(l, h, TXQ_NORMALIZED, cg_zero()), cg_zero());

    for (unsigned d = 0; d < dimensions(geom); d++) {
        cg_src unit = texels_per_unit(l, h, geom, d, normalised);

        for (unsigned k = 0; k < 2; k++) {
            const ptx_operand *e =
                g[k].kind == PTX_OPD_VEC ? g[k].elems : &g[k];
            if (g[k].kind == PTX_OPD_VEC ? d >= g[k].nelems : d > 0)
                continue;
            s = lo_src(l, &e[d], PTX_TYPE_F32);
            s = cb_op(b, ISA_FMUL, cb_reg(b, s, 1), unit, cb_none());
            sum[k] = cb_op(b, ISA_FFMA, s, s, sum[k]);
        }
    }
    s = cb_op(b, ISA_FMNMX, sum[0], sum[1], cb_none());
    cb_last(b)->psrc[0] = (cg_pred){0, true};
    s = cb_op(b, ISA_MUFU, s, cb_none(), cb_none());
    CG_PUT(cb_last(b), MUFUFN, MUFU_LG2);
    return cb_op(b, ISA_FMUL, s, cg_imm(0x3f000000), cb_none());
}

void lop_tex(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    int geom = geometry(l, in);
    ptx_type ct = lo_type(in, 1);
    unsigned next = 2;
    bool level = false;
    cg_src h, c, extra[2] = {cg_zero(), cg_zero()};
    cg_inst *i;

    if (geom < 0 || !known_result(l, in))
        return;
    h = joined_handle(l, &in->ops[1]);
    c = texture_coordinates(l, &in->ops[1], (unsigned)geom, ct);
    if (ptx_has_sub(in, PTX_SUB_LEVEL) && in->nops > next) {
        extra[0] = lo_src(l, &in->ops[next++], ct);
        level = true;
        if (ct == PTX_TYPE_S32) {
            extra[0] =
                cb_op(b, ISA_I2F, cb_reg(b, extra[0], 1), cb_none(), cb_none());
            CG_PUT(cb_last(b), ITYPE, ITYPE_S32);
        }
    } else if (ptx_has_sub(in, PTX_SUB_GRAD) && in->nops > next + 1) {
        extra[0] = level_of_gradients(l, h, (unsigned)geom, &in->ops[next]);
        level = true;
        next += 2;
    }
    if (in->nops > next && (in->ops[next].kind == PTX_OPD_VEC || geom == 0)) {
        extra[1] = pack_offsets(l, &in->ops[next++]);
        level = true;
    }
    if (in->nops > next) {
        lo_unsupported(l, "comparison of depths");
        return;
    }
    if (level)
        extra[0] = in_row(l, extra, 2);
    i = cb_to(b, level ? ISA_TEXLO : ISA_TEX, (cg_dst){0}, h, c,
              level ? extra[0] : cb_none());
    CG_PUT(i, GEOM, (unsigned)geom);
    CG_PUT(i, TCOORD, ct == PTX_TYPE_S32);
    put_result(l, in, i);
}

void lop_tld4(lower *l, const ptx_inst *in)
{
    static const uint8_t subs[4] = {PTX_SUB_R, PTX_SUB_G, PTX_SUB_B, PTX_SUB_A};
    int geom = geometry(l, in);
    cg_src h, c, offsets = cg_zero();
    cg_inst *i;

    if (geom < 0 || !known_result(l, in))
        return;
    h = joined_handle(l, &in->ops[1]);
    c = texture_coordinates(l, &in->ops[1], (unsigned)geom, PTX_TYPE_F32);
    if (in->nops > 2 && in->ops[2].kind == PTX_OPD_VEC)
        offsets = pack_offsets(l, &in->ops[2]);
    if (in->nops > 3 || (in->nops > 2 && in->ops[2].kind != PTX_OPD_VEC)) {
        lo_unsupported(l, "comparison of depths");
        return;
    }
    i = cb_to(&l->b, ISA_TLD4, (cg_dst){0}, h, c, offsets);
    CG_PUT(i, GEOM, (unsigned)geom);
    for (unsigned k = 0; k < 4; k++)
        if (ptx_has_sub(in, (ptx_sub)subs[k]))
            CG_PUT(i, TCOMP, k);
    put_result(l, in, i);
}

/* ---- queries ----------------------------------------------------------- */

static const uint8_t query_subs[] = {
    [TXQ_WIDTH] = PTX_SUB_WIDTH,
    [TXQ_HEIGHT] = PTX_SUB_HEIGHT,
    [TXQ_DEPTH] = PTX_SUB_DEPTH,
    [TXQ_CHANNEL_TYPE] = PTX_SUB_CHANNEL_DATA_TYPE,
    [TXQ_CHANNEL_ORDER] = PTX_SUB_CHANNEL_ORDER,
    [TXQ_NORMALIZED] = PTX_SUB_NORMALIZED_COORDS,
    [TXQ_UNNORMALIZED] = PTX_SUB_FORCE_UNNORMALIZED,
    [TXQ_FILTER] = PTX_SUB_FILTER_MODE,
    [TXQ_ADDRESS_0] = PTX_SUB_ADDR_MODE_0,
    [TXQ_ADDRESS_1] = PTX_SUB_ADDR_MODE_1,
    [TXQ_ADDRESS_2] = PTX_SUB_ADDR_MODE_2,
    [TXQ_SAMPLES] = PTX_SUB_NUM_SAMPLES,
    [TXQ_LEVELS] = PTX_SUB_NUM_MIPMAP_LEVELS,
    [TXQ_LAYERS] = PTX_SUB_ARRAY_SIZE,
    [TXQ_LAYOUT] = PTX_SUB_MEMORY_LAYOUT,
};

void lop_txq(lower *l, const ptx_inst *in)
{
    cg_src level = cg_zero(), h;

    for (unsigned q = 0; q < COUNTOF(query_subs); q++) {
        if (!ptx_has_sub(in, (ptx_sub)query_subs[q]))
            continue;
        h = handle(l, &in->ops[1]);
        if (in->nops > 2)
            level = cb_reg(&l->b, lo_src(l, &in->ops[2], PTX_TYPE_U32), 1);
        lo_set(l, &in->ops[0], query(l, h, q, level));
        return;
    }
    lo_unsupported(l, "this query");
}

void lop_istypep(lower *l, const ptx_inst *in)
{
    bool sampler = ptx_has_sub(in, PTX_SUB_SAMPLERREF);
    cg_src h = handle(l, &in->ops[1]);
    cg_src kind = query(l, h, TXQ_KIND, cg_zero());

    lo_set_pred(
        l, &in->ops[0],
        cg_p(cb_isetp(&l->b, CMP_EQ, false, kind, cg_imm(sampler ? 2 : 1))));
}

/* ---- surfaces ---------------------------------------------------------- */

static void surface_mods(const ptx_inst *in, int geom, cg_inst *to)
{
    CG_PUT(to, GEOM, (unsigned)geom);
    CG_PUT(to, SBOUND,
           ptx_has_sub(in, PTX_SUB_CLAMP)  ? SBOUND_CLAMP
           : ptx_has_sub(in, PTX_SUB_ZERO) ? SBOUND_ZERO
                                           : SBOUND_TRAP);
    if (isa_table[to->op].mods >> MOD_CACHE & 1)
        CG_PUT(to, CACHE,
               in->cache == PTX_CACHE_CG   ? CACHE_CG
               : in->cache == PTX_CACHE_CS ? CACHE_CS
               : in->cache == PTX_CACHE_CV ? CACHE_CV
                                           : CACHE_CA);
}

void lop_suld(lower *l, const ptx_inst *in)
{
    int geom = geometry(l, in);
    unsigned bytes = lo_access_bytes(in, &in->ops[0]);
    cg_src h, c;
    cg_inst *i;

    if (geom < 0)
        return;
    if (ptx_has_sub(in, PTX_SUB_P)) {
        lo_unsupported(l, "a formatted load");
        return;
    }
    h = handle(l, &in->ops[1]);
    c = texture_coordinates(l, &in->ops[1], (unsigned)geom, PTX_TYPE_S32);
    i = cb_to(&l->b, ISA_SULD, (cg_dst){0}, h, c, cb_none());
    surface_mods(in, geom, i);
    CG_PUT(i, SIZE, lo_access_size(bytes));
    i->dst.reg = cg_reg_new(l->b.f, cg_class_of_words(cg_dst_words(i)));
    lo_spread(l, in, &in->ops[0], cg_r(i->dst.reg));
}

void lop_sust(lower *l, const ptx_inst *in)
{
    int geom = geometry(l, in);
    bool formatted = ptx_has_sub(in, PTX_SUB_P);
    unsigned bytes = lo_access_bytes(in, &in->ops[1]);
    cg_src h, c, v;
    cg_inst *i;

    if (geom < 0)
        return;
    h = handle(l, &in->ops[0]);
    c = texture_coordinates(l, &in->ops[0], (unsigned)geom, PTX_TYPE_S32);
    v = lo_gather(l, in, &in->ops[1]);
    i = cb_to(&l->b, formatted ? ISA_SUSTP : ISA_SUSTB, (cg_dst){0}, h, c, v);
    surface_mods(in, geom, i);
    CG_PUT(i, SIZE, lo_access_size(bytes));
}

void lop_sured(lower *l, const ptx_inst *in)
{
    static const struct {
        uint8_t sub, op;
    } ops[] = {{PTX_SUB_ADD, ATOM_ADD},
               {PTX_SUB_MIN, ATOM_MIN},
               {PTX_SUB_MAX, ATOM_MAX},
               {PTX_SUB_AND, ATOM_AND},
               {PTX_SUB_OR, ATOM_OR}};
    int geom = geometry(l, in);
    ptx_type t = lo_type(in, 0);
    unsigned words = lo_words(t), type;
    cg_src h, c, v;
    cg_inst *i;

    if (geom < 0)
        return;
    type = words == 2 ? (lo_signed(t) ? ATYPE_S64 : ATYPE_U64)
                      : (lo_signed(t) ? ATYPE_S32 : ATYPE_U32);
    h = handle(l, &in->ops[0]);
    c = texture_coordinates(l, &in->ops[0], (unsigned)geom, PTX_TYPE_S32);
    v = cb_reg(&l->b, lo_src(l, &in->ops[1], t), words);
    i = cb_to(&l->b, ptx_has_sub(in, PTX_SUB_P) ? ISA_SUREDP : ISA_SURED,
              (cg_dst){0}, h, c, v);
    surface_mods(in, geom, i);
    CG_PUT(i, ATYPE, type);
    for (unsigned k = 0; k < COUNTOF(ops); k++)
        if (ptx_has_sub(in, (ptx_sub)ops[k].sub))
            CG_PUT(i, ATOMOP, ops[k].op);
}
