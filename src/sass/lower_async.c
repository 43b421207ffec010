/* src/sass/lower_async.c - mbarriers, bulk copies and what orders them. */
#include "sass/lower.h"

/* ---- mbarriers ---- */

void sass_lower_MBINIT(sass_lowering *l)
{
    if (sass_get(l->w, 16, 6) != SASS_URZ)
        sass_refuse(l, "an exchange that returns what was there");
    l->in.dst = ISA_RZ;
    l->in.src[0] = ISA_RZ;
    l->in.src_kind[0] = SRC_REG;
    l->in.val[0] = (uint32_t)sass_get_signed(l->w, 40, 24);
    l->in.uaddr = (uint8_t)(sass_get(l->w, 24, 6) + 1);
}

/* Code for Ampere knows arrivals by one thread each. */
void sass_lower_MBARRIVE(sass_lowering *l)
{
    bool old = sass_table_sm(l->t) < 90;
    unsigned how = old ? ARRIVAL_A1T0 : sass_value(l, "arrival");

    ISA_PUT(&l->in, ATYPE, ATYPE_U64);
    ISA_PUT(&l->in, ATOMOP,
            old                       ? ATOM_ARRIVE80
            : sass_value(l, "OPTOUT") ? ATOM_DROP
                                      : ATOM_ARRIVE);
    ISA_PUT(&l->in, ARRIVAL, how);
    ISA_PUT(&l->in, ANYCTA, sass_value(l, "RED"));
    if (how == ARRIVAL_A1T0 || how == ARRIVAL_A0T1) { /* says nothing */
        l->in.src[1] = ISA_RZ;
        l->in.src_kind[1] = SRC_NONE;
    }
}

void sass_lower_MBCOPIES(sass_lowering *l)
{
    bool old = sass_table_sm(l->t) < 90;

    if (!old && sass_value(l, "ARVCNT") == sass_value(l, "TRANSCNT"))
        sass_refuse(l, "an arrival of this kind");
    ISA_PUT(&l->in, TWOCOUNTS, old);
    ISA_PUT(&l->in, ARRIVAL,
            sass_value(l, "TRANSCNT") ? ARRIVAL_A0TX : ARRIVAL_A1T0);
}

/* ---- bulk copies ---- */

static void uniform_source(sass_lowering *l, unsigned source, unsigned bit)
{
    unsigned ur = (unsigned)sass_get(l->w, bit, 6);

    l->in.src_kind[source] = SRC_UREG;
    l->in.src[source] = (uint8_t)ur;
    if (ur == SASS_URZ)
        sass_refuse(l, "a bulk copy by URZ");
}

static void lower_range(sass_lowering *l)
{
    static const uint8_t types[16] = {
        ATYPE_U32, ATYPE_S32, ATYPE_U64, ATYPE_S64,  ATYPE_F16,
        ATYPE_F32, 0,         ATYPE_F64, ATYPE_BF16,
    };
    enum { NONE, TO_SHARED, TO_GLOBAL, BETWEEN };
    unsigned path = sass_value(l, "bulk");

    if (l->in.op == ISA_UBLKPF) {
        uniform_source(l, 0, 24);
        uniform_source(l, 1, 64);
        return;
    }
    /* First what is far away, or is written. */
    uniform_source(l, 0, path == TO_SHARED ? 24 : 32);
    uniform_source(l, 1, path == TO_SHARED ? 32 : 24);
    uniform_source(l, 2, 64);
    ISA_PUT(&l->in, TPATH,
            path == TO_SHARED   ? TPATH_SG
            : path == TO_GLOBAL ? TPATH_GS
                                : TPATH_SS);
    if (l->in.op == ISA_UBLKRED)
        ISA_PUT(&l->in, ATYPE, types[sass_value(l, "btype")]);
    else
        ISA_PUT(&l->in, TMCAST, sass_value(l, "MULTICAST"));
}

static void lower_box(sass_lowering *l)
{
    unsigned dims = sass_value(l, "tdim");
    bool columns = sass_value(l, "IM2COL");
    bool offsets =
        columns && (l->in.op == ISA_UTMALDG || l->in.op == ISA_UTMAPF);

    uniform_source(l, 0, 24);
    uniform_source(l, 1, 32);
    if (l->e->row->code == 0x3b4 || l->e->row->code == 0x3b8)
        uniform_source(l, 2, 64);
    else if (offsets || sass_value(l, "MULTICAST"))
        sass_refuse(l, "a box without its offsets or CTAs");
    ISA_PUT(&l->in, TDIM, dims);
    ISA_PUT(&l->in, TIM2COL, columns);
    ISA_PUT(&l->in, TWIDE, dims == 4 || offsets);
    if (l->in.op == ISA_UTMALDG)
        ISA_PUT(&l->in, TMCAST, sass_value(l, "MULTICAST"));
}

/* Descriptors are hints for the L2. */
void sass_lower_BULK(sass_lowering *l)
{
    if (l->in.op == ISA_UTMACCTL)
        uniform_source(l, 0, 24);
    else if (isa_table[l->in.op].mods >> MOD_TDIM & 1)
        lower_box(l);
    else
        lower_range(l);
}

/* What threads wrote, before bulk copies read it. */
void sass_lower_FENCEVIEW(sass_lowering *l)
{
    ISA_PUT(&l->in, SCOPE, SCOPE_CTA);
    ISA_PUT(&l->in, PROXY, PROXY_ASYNC);
}
