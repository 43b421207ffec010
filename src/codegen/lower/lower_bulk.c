/* src/codegen/lower/lower_bulk.c - bulk copies, with and without tensor maps,
 * and what changes those maps [PTX85:cp.async.bulk] [PTX85:tensormap.replace].
 * One instruction each: exec/tma.h. Cache policies are hints that nothing
 * reads. */
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "codegen/lower/context.h"
#include "isa/check.h"
#include "isa/tensor.h"
#include "mem/image.h"
#include "mem/tensor_map.h"

/* Has the instruction this modifier, written with its dot? */
static bool has_word(const ptx_inst *in, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = in->mods; at && (at = strstr(at, word)); at += n)
        if (at[n] == '.' || !at[n])
            return true;
    return false;
}

static bool is_hopper(lower *l)
{
    if (l->u->opt->arch >= ARCH_HOPPER)
        return true;
    lo_unsupported(l, "the tensor memory accelerator exists from Hopper on, "
                      "sm_90: take --gpu h100");
    return false;
}

static bool refuse(lower *l, const char *why)
{
    lo_unsupported(l, why);
    return false;
}

/* ---- operands ---------------------------------------------------------- */

static cg_src shared_word(lower *l, const ptx_operand *o)
{
    lo_addr a = lo_address(l, o, PTX_SPACE_SHARED);
    cg_src w = cg_word(a.base, 0);

    if (a.offset)
        w = cb_add(&l->b, w, cg_imm(a.offset));
    return cb_reg(&l->b, w, 1);
}

/* A global or generic address; a parameter's, which a tensor map may be, is in
 * a window of its own. */
static cg_src wide_address(lower *l, const ptx_operand *o, ptx_space space)
{
    lo_addr a = lo_address(l, o, space);

    if (a.space == PTX_SPACE_PARAM)
        a.base = cb_add64(
            &l->b, cb_reg(&l->b, cg_imm((int64_t)MEM_PARAM_WINDOW), 2), a.base);
    if (a.offset)
        a.base = cb_add64(&l->b, a.base, cg_imm(a.offset));
    return cb_reg(&l->b, a.base, 2);
}

static cg_src word_of(lower *l, const ptx_operand *o)
{
    return cb_reg(&l->b, lo_src(l, o, PTX_TYPE_B32), 1);
}

/* 16 bits, that may be given in a wider register. */
static cg_src half_of(lower *l, const ptx_operand *o)
{
    cg_src s = lo_src(l, o, PTX_TYPE_B16);

    return cb_and(&l->b, cb_reg(&l->b, cg_word(s, 0), 1), cg_imm(0xffff));
}

static cg_src addresses(lower *l, cg_src at, cg_src shared, cg_src mbarrier)
{
    const cg_src w[4] = {cg_word(at, 0), cg_word(at, 1), shared, mbarrier};

    return lo_join(l, w, 4);
}

/* ---- what is written where ---------------------------------------------- */

typedef enum way { WAY_NONE, WAY_LOAD, WAY_STORE, WAY_COPY, WAY_PREFETCH } way;

static bool is_shared(unsigned space)
{
    return space == PTX_SPACE_SHARED_CTA || space == PTX_SPACE_SHARED_CLUSTER ||
           space == PTX_SPACE_SHARED;
}

static way way_of(const ptx_inst *in)
{
    if (ptx_has_sub(in, PTX_SUB_PREFETCH))
        return WAY_PREFETCH;
    if (in->nspaces != 2)
        return WAY_NONE;
    if (in->spaces[0] == PTX_SPACE_GLOBAL)
        return is_shared(in->spaces[1]) ? WAY_STORE : WAY_NONE;
    if (!is_shared(in->spaces[0]))
        return WAY_NONE;
    return in->spaces[1] == PTX_SPACE_GLOBAL ? WAY_LOAD
           : is_shared(in->spaces[1])        ? WAY_COPY
                                             : WAY_NONE;
}

/* Operands of this form, from the first to the last one that must be there;
 * those behind are the mask of CTAs and the policy, as the modifiers say. */
static bool has_operands(lower *l, const ptx_inst *in, unsigned needed,
                         bool multicast)
{
    unsigned count = needed + multicast + has_word(in, ".L2::cache_hint");

    return in->nops == count ||
           refuse(l, "it has not as many operands as its modifiers say");
}

static bool are_addresses(lower *l, const ptx_inst *in, unsigned set)
{
    for (unsigned i = 0; i < in->nops; i++)
        if (set >> i & 1 && in->ops[i].kind != PTX_OPD_ADDR)
            return refuse(l, "an address is missing");
    return true;
}

/* Forms that only sm_100 and later have. */
static bool is_hoppers(lower *l, const ptx_inst *in)
{
    static const char *const later[] = {
        ".cp_mask",        ".cta_group::1", ".cta_group::2",   ".tile::gather4",
        ".tile::scatter4", ".im2col::w",    ".im2col::w::128", ".ignore_oob"};

    for (size_t i = 0; i < COUNTOF(later); i++)
        if (has_word(in, later[i]))
            return refuse(l, "this form exists from sm_100 on");
    return true;
}

/* ---- reductions ---------------------------------------------------------- */

static bool reduction_of(const ptx_inst *in, unsigned *op)
{
    static const char *const words[] = {
        [ATOM_ADD] = ".add", [ATOM_MIN] = ".min", [ATOM_MAX] = ".max",
        [ATOM_INC] = ".inc", [ATOM_DEC] = ".dec", [ATOM_AND] = ".and",
        [ATOM_OR] = ".or",   [ATOM_XOR] = ".xor"};

    for (*op = 0; *op < COUNTOF(words); ++*op)
        if (has_word(in, words[*op]))
            return true;
    return false;
}

static bool type_of(ptx_type t, unsigned *to)
{
    static const struct {
        ptx_type type;
        enum isa_atype as;
    } all[] = {{PTX_TYPE_U32, ATYPE_U32}, {PTX_TYPE_B32, ATYPE_U32},
               {PTX_TYPE_S32, ATYPE_S32}, {PTX_TYPE_U64, ATYPE_U64},
               {PTX_TYPE_B64, ATYPE_U64}, {PTX_TYPE_S64, ATYPE_S64},
               {PTX_TYPE_F32, ATYPE_F32}, {PTX_TYPE_F64, ATYPE_F64},
               {PTX_TYPE_F16, ATYPE_F16}, {PTX_TYPE_BF16, ATYPE_BF16}};

    for (size_t i = 0; i < COUNTOF(all); i++)
        if (all[i].type == t) {
            *to = all[i].as;
            return true;
        }
    return false;
}

/* ---- ranges of bytes ----------------------------------------------------- */

static void emit_range(lower *l, unsigned op, uint32_t mod, cg_src at,
                       cg_src bytes, cg_src mask)
{
    cg_inst *i = cb_to(&l->b, op, (cg_dst){0}, at, bytes, mask);

    i->mod = mod;
}

static void prefetch_range(lower *l, const ptx_inst *in)
{
    cg_src at, bytes;

    if (!has_operands(l, in, 2, false) || !are_addresses(l, in, 1))
        return;
    at = wide_address(l, &in->ops[0], PTX_SPACE_GLOBAL);
    bytes = word_of(l, &in->ops[1]);
    at = addresses(l, at, cg_zero(), cg_zero());
    emit_range(l, ISA_UBLKPF, 0, at, bytes, cb_none());
}

/* Modifiers of a copy, or of a reduction; false: there is none such. */
static bool range_mods(lower *l, const ptx_inst *in, way to, isa_inst *as)
{
    const char *why;
    unsigned op, type;

    if (!ptx_has_sub(in, PTX_SUB_REDUCE)) {
        *as = isa_new(ISA_UBLKCP);
    } else {
        *as = isa_new(ISA_UBLKRED);
        if (!reduction_of(in, &op) || !type_of(lo_type(in, 0), &type))
            return refuse(l, NULL);
        ISA_PUT(as, ATOMOP, op);
        ISA_PUT(as, ATYPE, type);
    }
    ISA_PUT(as, TPATH,
            to == WAY_LOAD    ? TPATH_SG
            : to == WAY_STORE ? TPATH_GS
                              : TPATH_SS);
    if (to == WAY_LOAD && as->op == ISA_UBLKCP)
        ISA_PUT(as, TMCAST, has_word(in, ".multicast::cluster"));
    why = isa_tensor_check(as);
    if (!why && as->op == ISA_UBLKRED)
        why = isa_check_atomic(as);
    return !why || refuse(l, why);
}

static void range(lower *l, const ptx_inst *in, way to)
{
    bool multicast = has_word(in, ".multicast::cluster");
    cg_src at, shared, bytes, mask = cb_none(), mbarrier = cg_zero();
    isa_inst as;

    if (!has_operands(l, in, to == WAY_STORE ? 3 : 4, multicast) ||
        !are_addresses(l, in, to == WAY_STORE ? 3 : 11) ||
        !range_mods(l, in, to, &as))
        return;
    if (to == WAY_STORE) {
        at = wide_address(l, &in->ops[0], PTX_SPACE_GLOBAL);
        shared = shared_word(l, &in->ops[1]);
    } else if (to == WAY_LOAD) {
        at = wide_address(l, &in->ops[1], PTX_SPACE_GLOBAL);
        shared = shared_word(l, &in->ops[0]);
    } else {
        at = cb_pair(&l->b, shared_word(l, &in->ops[0]), cg_zero());
        shared = shared_word(l, &in->ops[1]);
    }
    bytes = word_of(l, &in->ops[2]);
    if (to != WAY_STORE)
        mbarrier = shared_word(l, &in->ops[3]);
    if (multicast)
        mask = half_of(l, &in->ops[4]);
    at = addresses(l, at, shared, mbarrier);
    emit_range(l, as.op, as.mod, at, bytes, mask);
}

/* ---- boxes of tensors ---------------------------------------------------- */

static unsigned dimensions_of(const ptx_inst *in)
{
    static const char *const words[] = {".1d", ".2d", ".3d", ".4d", ".5d"};

    for (unsigned i = 0; i < COUNTOF(words); i++)
        if (has_word(in, words[i]))
            return i + 1;
    return 0;
}

typedef struct box {
    unsigned dims;
    bool im2col, multicast;
    const ptx_operand *map;
    const ptx_operand *shared, *mbarrier; /* NULL: none */
    const ptx_operand *offsets, *mask;
} box;

/* The operands of `in`, as they stand in each form. */
static bool box_of(lower *l, const ptx_inst *in, way to, box *b)
{
    bool load = to == WAY_LOAD, offsets;
    unsigned at = load ? 3 : to == WAY_STORE ? 2 : 1;

    *b = (box){.dims = dimensions_of(in),
               .im2col =
                   has_word(in, ".im2col") || has_word(in, ".im2col_no_offs"),
               .multicast = has_word(in, ".multicast::cluster")};
    offsets = b->im2col && to != WAY_STORE;
    if (!b->dims)
        return refuse(l, "it does not say how many dimensions");
    if (b->im2col && b->dims < 3)
        return refuse(l, "im2col takes 3, 4 or 5 dimensions");
    if (b->multicast && !load)
        return refuse(l, "only loads are multicast");
    if (!has_operands(l, in, at + offsets, b->multicast) ||
        !are_addresses(l, in, bits_mask32(at)))
        return false;
    b->map = &in->ops[load ? 1 : 0];
    b->shared = load ? &in->ops[0] : to == WAY_STORE ? &in->ops[1] : NULL;
    b->mbarrier = load ? &in->ops[2] : NULL;
    b->offsets = offsets ? &in->ops[at++] : NULL;
    b->mask = b->multicast ? &in->ops[at] : NULL;
    if (b->map->nelems != 1 || b->map->elems[0].kind != PTX_OPD_VEC ||
        b->map->elems[0].nelems != b->dims)
        return refuse(l, "it has not as many coordinates as dimensions");
    if (offsets &&
        (b->offsets->kind != PTX_OPD_VEC || b->offsets->nelems != b->dims - 2))
        return refuse(l, "it has not as many im2col offsets as its tensor has "
                         "dimensions between channels and images");
    return true;
}

/* Coordinates, as many words as the instruction takes. */
static cg_src coordinates(lower *l, const box *b)
{
    static const uint8_t words[] = {0, 1, 2, 4, 4, 4};
    cg_src w[4];

    for (unsigned i = 0; i < words[b->dims]; i++)
        w[i] = i < b->dims ? word_of(l, &b->map->elems[0].elems[i]) : cg_zero();
    return words[b->dims] == 1 ? w[0] : lo_join(l, w, words[b->dims]);
}

/* The fifth coordinate, the offsets, and in the same word as the third of them
 * the mask. */
static cg_src wide_rest(lower *l, const box *b)
{
    cg_src w[4] = {cg_zero(), cg_zero(), cg_zero(), cg_zero()};
    cg_build *u = &l->b;

    if (b->dims == 5)
        w[0] = word_of(l, &b->map->elems[0].elems[4]);
    for (unsigned i = 0; b->offsets && i < b->offsets->nelems; i++) {
        cg_src o = half_of(l, &b->offsets->elems[i]);

        w[1 + i / 2] = i == 1 ? cb_or(u, w[1], cb_shl(u, o, cg_imm(16))) : o;
    }
    if (b->mask)
        w[2] = cb_or(u, cb_reg(u, w[2], 1),
                     cb_shl(u, half_of(l, b->mask), cg_imm(16)));
    return lo_join(l, w, 4);
}

static bool box_mods(lower *l, const ptx_inst *in, way to, const box *b,
                     isa_inst *as)
{
    unsigned op;

    if (ptx_has_sub(in, PTX_SUB_REDUCE)) {
        *as = isa_new(ISA_UTMAREDG);
        if (to != WAY_STORE || !reduction_of(in, &op))
            return refuse(l, NULL);
        ISA_PUT(as, ATOMOP, op);
    } else {
        *as = isa_new(to == WAY_LOAD    ? ISA_UTMALDG
                      : to == WAY_STORE ? ISA_UTMASTG
                                        : ISA_UTMAPF);
    }
    ISA_PUT(as, TDIM, b->dims - 1);
    ISA_PUT(as, TIM2COL, b->im2col);
    ISA_PUT(as, TWIDE, b->dims == 5 || b->offsets);
    if (to == WAY_LOAD)
        ISA_PUT(as, TMCAST, b->multicast);
    return true;
}

static void tensor(lower *l, const ptx_inst *in, way to)
{
    cg_src at, first, rest = cb_none(), shared = cg_zero(),
                      mbarrier = cg_zero();
    isa_inst as;
    cg_inst *i;
    box b;

    if (to == WAY_COPY || !box_of(l, in, to, &b) ||
        !box_mods(l, in, to, &b, &as)) {
        if (to == WAY_COPY)
            lo_unsupported(l, NULL);
        return;
    }
    at = wide_address(l, b.map, PTX_SPACE_NONE);
    if (b.shared)
        shared = shared_word(l, b.shared);
    if (b.mbarrier)
        mbarrier = shared_word(l, b.mbarrier);
    first = coordinates(l, &b);
    if (ISA_GET(&as, TWIDE))
        rest = wide_rest(l, &b);
    else if (b.mask)
        rest = half_of(l, b.mask);
    at = addresses(l, at, shared, mbarrier);
    i = cb_to(&l->b, as.op, (cg_dst){0}, at, first, rest);
    i->mod = as.mod;
}

void lo_prefetch_map(lower *l, const ptx_inst *in)
{
    cg_src at;

    if (l->u->opt->arch < ARCH_HOPPER) /* a hint */
        return;
    if (!are_addresses(l, in, 1))
        return;
    at = addresses(l, wide_address(l, &in->ops[0], PTX_SPACE_NONE), cg_zero(),
                   cg_zero());
    cb_to(&l->b, ISA_UTMACCTL, (cg_dst){0}, at, cb_none(), cb_none());
}

/* ---- cp ------------------------------------------------------------------ */

void lo_bulk(lower *l, const ptx_inst *in)
{
    way to = way_of(in);

    if (!is_hopper(l) || !is_hoppers(l, in))
        return;
    if (ptx_has_sub(in, PTX_SUB_COMMIT_GROUP)) {
        cb_emit(&l->b, ISA_UTMACMDFLUSH);
    } else if (ptx_has_sub(in, PTX_SUB_WAIT_GROUP)) {
        int64_t n = in->nops ? in->ops[0].imm : 0;
        cg_inst *i = cb_emit(&l->b, ISA_UTMAWAIT);

        i->lut = (uint8_t)(n < 255 ? n : 255);
        CG_PUT(i, TREAD, has_word(in, ".read"));
    } else if (to == WAY_NONE) {
        lo_unsupported(l, "there is no copy between these memories");
    } else if (ptx_has_sub(in, PTX_SUB_TENSOR)) {
        tensor(l, in, to);
    } else if (to == WAY_PREFETCH) {
        prefetch_range(l, in);
    } else {
        range(l, in, to);
    }
}

/* ---- tensor maps --------------------------------------------------------- */

typedef struct field {
    const char *word;
    uint16_t at, bytes; /* in tensor_map; of what is stored */
    uint16_t step;      /* with an ordinal: between two of them; 0: none */
    uint16_t count;
} field;

static const field fields[] = {
    {".global_address", offsetof(tensor_map, address), 8, 0, 1},
    {".rank", offsetof(tensor_map, last), 1, 0, 1},
    {".box_dim", offsetof(tensor_map, box), 4, 4, 5},
    {".global_dim", offsetof(tensor_map, dim), 4, 4, 5},
    {".global_stride", offsetof(tensor_map, stride), 8, 8, 4},
    {".element_stride", offsetof(tensor_map, step), 4, 4, 5},
    {".elemtype", offsetof(tensor_map, type), 1, 0, 1},
    {".interleave_layout", offsetof(tensor_map, interleave), 1, 0, 1},
    {".swizzle_mode", offsetof(tensor_map, swizzle), 1, 0, 1},
    {".fill_mode", offsetof(tensor_map, nan), 1, 0, 1},
};

static const field *field_of(const ptx_inst *in)
{
    for (size_t i = 0; i < COUNTOF(fields); i++)
        if (has_word(in, fields[i].word))
            return &fields[i];
    return NULL;
}

/* Before PTX 8.5 a new stride came without its lowest 4 bits, which are 0
 * [CUTLASS:copy_sm90_desc] [TRITON:tma]. */
static bool in_units_of_16(const lower *l, const field *f)
{
    const ptx_module *m = l->u->m;

    return f->at == offsetof(tensor_map, stride) &&
           m->version_major * 10 + m->version_minor < 85;
}

/* Stores the new value where the map has it. */
static void replace(lower *l, const ptx_inst *in)
{
    const field *f = field_of(in);
    unsigned value = f && f->step ? 2 : 1;
    int64_t ordinal;
    cg_inst *i;
    lo_addr a;
    cg_src v;

    if (!f || !has_word(in, ".tile") || in->nops != value + 1 ||
        !are_addresses(l, in, 1)) {
        lo_unsupported(l, NULL);
        return;
    }
    ordinal = value == 2 ? in->ops[1].imm : 0;
    if (ordinal < 0 || ordinal >= f->count) {
        lo_unsupported(l, "there is no such dimension");
        return;
    }
    v = lo_src(l, &in->ops[value], f->bytes == 8 ? PTX_TYPE_B64 : PTX_TYPE_B32);
    if (in_units_of_16(l, f))
        v = lo_shl64(l, v, cg_imm(4));
    v = cb_reg(&l->b, v, f->bytes == 8 ? 2 : 1);
    a = lo_address(l, &in->ops[0],
                   in->nspaces == 0           ? PTX_SPACE_NONE
                   : is_shared(in->spaces[0]) ? PTX_SPACE_SHARED
                                              : PTX_SPACE_GLOBAL);
    a.offset += f->at + (int32_t)ordinal * f->step;
    i = lo_mem(l, lo_store_op(a.space), &a);
    i->src[1] = v;
    CG_PUT(i, SIZE,
           f->bytes == 8   ? SIZE_64
           : f->bytes == 4 ? SIZE_32
                           : SIZE_U8);
}

/* The map goes from shared to global memory, and a fence behind it. */
static void copy_map(lower *l, const ptx_inst *in)
{
    lo_addr to, from;

    if (in->nops != 3 || !are_addresses(l, in, 3) ||
        in->ops[2].kind != PTX_OPD_IMM || in->ops[2].imm != TENSOR_MAP_BYTES) {
        lo_unsupported(l, NULL);
        return;
    }
    to = lo_address(l, &in->ops[0], PTX_SPACE_GLOBAL);
    from = lo_address(l, &in->ops[1], PTX_SPACE_SHARED);
    for (unsigned n = 0; n < TENSOR_MAP_BYTES / 16; n++) {
        cg_inst *i = lo_mem(l, ISA_LDS, &from);
        vreg v = i->dst.reg = cg_reg_new(l->b.f, CG_W4);

        CG_PUT(i, SIZE, SIZE_128);
        i = lo_mem(l, ISA_STG, &to);
        i->src[1] = cg_r(v);
        CG_PUT(i, SIZE, SIZE_128);
        to.offset += 16;
        from.offset += 16;
    }
    CG_PUT(cb_emit(&l->b, ISA_MEMBAR), SCOPE, lo_scope(in));
}

void lop_tensormap(lower *l, const ptx_inst *in)
{
    if (!is_hopper(l))
        return;
    if (has_word(in, ".replace"))
        replace(l, in);
    else if (has_word(in, ".cp_fenceproxy"))
        copy_map(l, in);
    else
        lo_unsupported(l, NULL);
}
