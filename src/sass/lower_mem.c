/* src/sass/lower_mem.c - memory: what is accessed, how, and in which order. */
#include "sass/lower.h"

#include <string.h>

/* Fields of these rows have this value if there is nothing to say. */
enum { EVICT_NORMAL = 1 };

static void lower_size(sass_lowering *l)
{
    static const uint8_t sizes[8] = {SIZE_U8, SIZE_S8, SIZE_U16, SIZE_S16,
                                     SIZE_32, SIZE_64, SIZE_128, SIZE_128};

    ISA_PUT(&l->in, SIZE, sizes[sass_value(l, "size")]);
}

/* STRONG is relaxed: what acquires or releases has a MEMBAR beside it. */
static void lower_order(sass_lowering *l)
{
    static const uint8_t scopes80[16] = {
        [5] = SCOPE_CTA, [7] = SCOPE_GPU, [10] = SCOPE_SYS};
    static const uint8_t scopes70[4] = {SCOPE_CTA, SCOPE_CTA, SCOPE_GPU,
                                        SCOPE_SYS};
    bool new = sass_table_sm(l->t) >= 80;
    unsigned v = sass_value(l, new ? "order80" : "order70");
    bool constant = new ? v == 4 : v < 4;
    bool strong = new ? v > 4 : v >= 8;

    if (constant && isa_table[l->in.op].mods >> MOD_CACHE & 1)
        ISA_PUT(&l->in, CACHE, CACHE_NC);
    if (!strong)
        return;
    ISA_PUT(&l->in, ORDER, ORDER_RELAXED);
    ISA_PUT(&l->in, SCOPE, new ? scopes80[v] : scopes70[v & 3]);
}

/* How long a line is kept. */
static void lower_eviction(sass_lowering *l)
{
    enum { FIRST, NORMAL, LAST, LAST_USE, UNCHANGED, NO_ALLOCATE };
    isa_mod_set mods = isa_table[l->in.op].mods;

    switch (sass_value(l, "evict")) {
    case FIRST:
        ISA_PUT(&l->in, CACHE, CACHE_CS);
        break;
    case LAST:
        ISA_PUT(&l->in, KEEP, 3);
        break;
    case LAST_USE:
        ISA_PUT(&l->in, CACHE, CACHE_LU);
        break;
    case UNCHANGED:
        ISA_PUT(&l->in, KEEP, 4);
        break;
    case NO_ALLOCATE:
        if (mods >> MOD_L1SKIP & 1)
            ISA_PUT(&l->in, L1SKIP, 1);
        break;
    default:
        break;
    }
    if (mods >> MOD_LTC & 1)
        ISA_PUT(&l->in, LTC, sass_value(l, "ltc"));
}

/* Predicates that loads give, or that choose zeros. */
static void refuse_predicates(sass_lowering *l)
{
    for (unsigned i = l->e->operand; i < l->e->field_count; i++)
        if (l->e->fields[i].kind == FIELD_PINVERSE &&
            sass_get(l->w, l->e->fields[i].bit, 4))
            sass_refuse(l, "a load under a second predicate");
    if (l->in.pdst[0] != ISA_PT)
        sass_refuse(l, "a predicate of what was accessed");
}

void sass_lower_GLOBAL(sass_lowering *l)
{
    refuse_predicates(l);
    lower_size(l);
    lower_order(l);
    lower_eviction(l);
}

void sass_lower_LOCAL(sass_lowering *l) { lower_size(l); }

void sass_lower_SHARED(sass_lowering *l) { lower_size(l); }

void sass_lower_LDSM(sass_lowering *l) { (void)l; }

void sass_lower_LDC(sass_lowering *l)
{
    bool uniform = isa_is_uniform(l->in.op);
    unsigned reg = (unsigned)sass_get(l->w, 24, 8);
    bool indexed = uniform ? sass_get(l->w, 91, 1) : true;

    l->in.src_kind[0] = SRC_REG;
    l->in.src[0] =
        (uint8_t)(!indexed || (uniform && reg == SASS_URZ) ? ISA_RZ : reg);
    l->in.lut = (uint8_t)sass_get(l->w, 54, 5);
    l->in.val[0] =
        (uint32_t)(l->in.src[0] == ISA_RZ ? (int64_t)sass_get(l->w, 38, 16)
                                          : sass_get_signed(l->w, 38, 16));
    lower_size(l);
}

/* A copy to shared memory: both addresses have a number. */
void sass_lower_LDGSTS(sass_lowering *l)
{
    bool shared = sass_get(l->w, 9, 3) == 6; /* the uniform register is there */
    unsigned size = sass_value(l, "size"), ur = (unsigned)sass_get(l->w, 64, 6);

    l->in.src_kind[0] = l->in.src_kind[1] = SRC_REG;
    l->in.src[0] = (uint8_t)sass_get(l->w, 24, 8);
    l->in.val[0] = (uint32_t)sass_get_signed(l->w, 32, 12);
    l->in.src[1] = (uint8_t)sass_get(l->w, 16, 8);
    l->in.val[1] = (uint32_t)sass_get_signed(l->w, 44, 20);
    ISA_PUT(&l->in, EXT, 1);
    ISA_PUT(&l->in, SIZE, size == 5 ? SIZE_64 : size == 6 ? SIZE_128 : SIZE_32);
    if (!sass_value(l, "bypass"))
        ISA_PUT(&l->in, CACHE, CACHE_CG);
    if (size < 4 || size > 6)
        sass_refuse(l, "a copy of such a size");
    l->in.psrc[0] = (uint8_t)((sass_get(l->w, 87, 3)) |
                              (sass_get(l->w, 90, 1) ? PRED_NOT : 0));
    ISA_PUT(&l->in, TOSHARED, shared && ur != SASS_URZ);
    if (ur != SASS_URZ && (shared || !sass_get(l->w, 76, 1)))
        l->in.uaddr = (uint8_t)(ur + 1);
    if (!sass_get(l->w, 70, 1))
        sass_refuse(l, "a copy from an address of 32 bits");
}

/* ---- atomics ---- */

static void lower_atomic_type(sass_lowering *l)
{
    static const uint8_t old[8] = {ATYPE_U32, ATYPE_S32,   ATYPE_U64,
                                   ATYPE_F32, ATYPE_F16X2, ATYPE_S64,
                                   ATYPE_F64, ATYPE_BF16X2};
    static const uint8_t integers[4] = {ATYPE_U32, ATYPE_S32, ATYPE_U64,
                                        ATYPE_S64};
    static const uint8_t reals[16] = {[0] = ATYPE_F16X2,
                                      [3] = ATYPE_BF16X2,
                                      [9] = ATYPE_F32,
                                      [12] = ATYPE_F32,
                                      [15] = ATYPE_F64};
    unsigned type = old[sass_value(l, "atype")];

    for (unsigned i = 0; i < l->e->operand; i++) {
        const sass_field *f = &l->e->fields[i];

        if (f->kind != FIELD_GROUP)
            continue;
        if (f->modifier == SASS_MOD_itype)
            type = integers[sass_get(l->w, f->bit, f->width) & 3];
        else if (f->modifier == SASS_MOD_ftype)
            type = reals[sass_get(l->w, f->bit, f->width)];
    }
    ISA_PUT(&l->in, ATYPE, type);
}

static void lower_atomic(sass_lowering *l, unsigned op)
{
    ISA_PUT(&l->in, ATOMOP, op);
    lower_atomic_type(l);
    if (isa_table[l->in.op].mods >> MOD_ORDER & 1)
        lower_order(l);
    if (l->in.pdst[0] != ISA_PT && l->in.op != ISA_ATOM)
        sass_refuse(l, "a predicate of what was accessed");
}

void sass_lower_ATOM(sass_lowering *l)
{
    unsigned op = l->in.op == ISA_RED     ? sass_value(l, "red")
                  : l->in.op == ISA_ATOMS ? sass_value(l, "atoms")
                                          : sass_value(l, "atom");

    if (op > ATOM_EXCH)
        sass_refuse(l, "this atomic operation");
    lower_atomic(l, op);
}

void sass_lower_CAS(sass_lowering *l)
{
    bool tells = strstr(l->e->row->text, "CAST");

    lower_atomic(l, tells ? ATOM_CAST : ATOM_CAS);
}

/* Adds one for each lane. What it returns is not used by today's compilers. */
void sass_lower_POPCINC(sass_lowering *l)
{
    l->in.src_kind[1] = SRC_REG;
    lower_atomic(l, ATOM_POPC_INC);
}

/* ---- fences and caches ---- */

void sass_lower_CCTL(sass_lowering *l)
{
    enum { PF1, PF2 };
    unsigned what = sass_value(l, "cctl");

    if (what > PF2) { /* what caches hold is never stale here */
        sass_lower_NOTHING(l);
        return;
    }
    l->in.src_kind[0] = SRC_REG;
    l->in.src[0] = (uint8_t)sass_get(l->w, 24, 8);
    l->in.val[0] = (uint32_t)sass_get(l->w, 32, 32);
    ISA_PUT(&l->in, PFLEVEL, what == PF1 ? PFLEVEL_L1 : PFLEVEL_L2);
}

void sass_lower_MEMBAR(sass_lowering *l)
{
    static const uint8_t scopes[8] = {SCOPE_CTA, SCOPE_CTA, SCOPE_GPU,
                                      SCOPE_SYS, SCOPE_SYS, SCOPE_SYS,
                                      SCOPE_SYS, SCOPE_SYS};

    ISA_PUT(&l->in, SCOPE, scopes[sass_value(l, "scope")]);
    ISA_PUT(&l->in, SC, sass_value(l, "memsem") == 0);
}

void sass_lower_QSPC(sass_lowering *l)
{
    l->in.lut = (uint8_t)sass_value(l, "qspc");
    if (l->in.dst != ISA_RZ || !sass_value(l, "E"))
        sass_refuse(l, "a question for a space of this kind");
    l->in.src_kind[1] = l->in.val[0] ? SRC_IMM : SRC_REG;
    l->in.val[1] = l->in.val[0];
    l->in.val[0] = 0;
    if (l->in.uaddr && l->in.src[0] != ISA_RZ)
        sass_refuse(l, "a question for a space of two registers");
    if (l->in.uaddr) {
        l->in.src_kind[0] = SRC_UREG;
        l->in.src[0] = (uint8_t)((l->in.uaddr & UADDR_REG) - 1);
    }
    l->in.uaddr = 0;
    l->in.mod = 0;
}
