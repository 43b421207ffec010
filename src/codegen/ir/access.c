#include "codegen/ir/access.h"

bool cg_orders_memory(const cg_inst *in)
{
    return cg_flags(in) & (ISA_F_BARRIER | ISA_F_FENCE) ||
           in->op == ISA_WARPSYNC || in->op == CG_ORDER;
}

bool cg_is_ordered_access(const cg_inst *in)
{
    unsigned flags = cg_flags(in);

    if (flags & ISA_F_ATOMIC || in->op == ISA_MBTEST || in->op == ISA_MBWAIT)
        return true;
    return flags & (ISA_F_LOAD | ISA_F_STORE) &&
           isa_table[in->op].mods >> MOD_ORDER & 1 &&
           CG_GET(in, ORDER) != ORDER_WEAK;
}

bool cg_is_access(const cg_inst *in)
{
    unsigned flags = cg_flags(in);

    if (in->op == ISA_LDC || cg_is_fetch(in) ||
        (in->op == ISA_LDG && CG_GET(in, CACHE) == CACHE_NC))
        return false;
    return flags & (ISA_F_LOAD | ISA_F_STORE) || in->op == ISA_CCTL;
}

unsigned cg_access_bytes(const cg_inst *in)
{
    static const uint8_t bytes[] = {4, 8, 16, 1, 1, 2, 2, 16};

    if (isa_table[in->op].mods >> MOD_ATYPE & 1)
        return 16;
    if (in->op == ISA_MBTEST || in->op == ISA_MBWAIT)
        return 8;
    return bytes[CG_GET(in, SIZE)];
}

bool cg_accesses_apart(const cg_inst *a, const cg_inst *b)
{
    enum { SPACES = ISA_F_GLOBAL | ISA_F_SHARED | ISA_F_LOCAL };
    const cg_src *x = &a->src[0], *y = &b->src[0];

    if (!(cg_flags(a) & cg_flags(b) & SPACES))
        return true;
    if (cg_flags(a) & ISA_F_GLOBAL && cg_flags(a) & ISA_F_SHARED)
        return false;
    if (isa_table[a->op].class == ISA_CLASS_TEX ||
        isa_table[b->op].class == ISA_CLASS_TEX)
        return false; /* no addresses to compare */
    if (a->op == ISA_HGMMA || b->op == ISA_HGMMA || isa_is_bulk(a->op) ||
        isa_is_bulk(b->op))
        return false; /* descriptors */
    if (x->reg != y->reg || x->off != y->off || a->op == ISA_CCTL ||
        b->op == ISA_CCTL)
        return false;
    return x->val + cg_access_bytes(a) <= y->val ||
           y->val + cg_access_bytes(b) <= x->val;
}
