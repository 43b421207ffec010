/* src/codegen/lower/lower_keep.c - how long caches are to keep lines:
 * priorities of accesses, cache policies, prefetches and orders to the L2
 * [PTX85:cache-eviction-priority-hints]. */
#include <string.h>

#include "codegen/lower/context.h"
#include "isa/isa.h"
#include "mem/keep.h"

/* Does the instruction have this modifier, which it keeps as text? */
static bool says(const ptx_inst *in, const char *what)
{
    size_t n = strlen(what);

    for (const char *at = in->mods; (at = strstr(at, what)); at += n)
        if (at[n] == '.' || !at[n])
            return true;
    return false;
}

/* The priority that begins at `at`, or in the L2 anywhere. */
static mem_keep priority_at(const char *at)
{
    static const struct {
        const char *text;
        mem_keep is;
    } all[] = {{"L2::evict_normal", MEM_KEEP_NORMAL},
               {"L2::evict_first", MEM_KEEP_FIRST},
               {"L2::evict_last", MEM_KEEP_LAST},
               {"L2::evict_unchanged", MEM_KEEP_UNCHANGED}};

    for (unsigned i = 0; at && i < sizeof all / sizeof *all; i++)
        if (!strncmp(at, all[i].text, strlen(all[i].text)))
            return all[i].is;
    return MEM_KEEP_DEFAULT;
}

void lo_keep(lower *l, const ptx_inst *in, cg_inst *to)
{
    bool load = isa_table[to->op].mods >> MOD_LTC & 1;
    const ptx_operand *policy = &in->ops[in->nops - 1];

    if (l->u->opt->arch < ARCH_AMPERE)
        return; /* older ones have no priorities, and results stay as they are
                 */
    CG_PUT(to, KEEP, priority_at(strstr(in->mods, "L2::evict_")));
    /* A register, which needs no instruction before `to`. */
    if (ptx_has(in, PTX_FLAG_L2_HINT) && in->nops > 2 &&
        policy->kind == PTX_OPD_REG)
        to->src[2] = lo_src(l, policy, PTX_TYPE_B64);
    if (!load)
        return;
    CG_PUT(to, L1SKIP, says(in, "L1::no_allocate"));
    CG_PUT(to, LTC,
           says(in, "L2::64B")    ? 1
           : says(in, "L2::128B") ? 2
           : says(in, "L2::256B") ? 3
                                  : 0);
}

static void put_cctl(lower *l, const ptx_inst *in, unsigned what)
{
    ptx_space space = (ptx_space)in->spaces[0];
    lo_addr a =
        lo_address(l, &in->ops[0], in->nspaces ? space : PTX_SPACE_NONE);
    cg_inst *i;

    if (a.space != PTX_SPACE_GLOBAL && a.space != PTX_SPACE_NONE)
        return;
    i = lo_mem(l, ISA_CCTL, &a);
    CG_PUT(i, PFLEVEL, what);
    if (l->u->opt->arch >= ARCH_AMPERE && what < PFLEVEL_APPLY)
        CG_PUT(i, KEEP, priority_at(strstr(in->mods, "L2::evict_")));
}

void lop_prefetch(lower *l, const ptx_inst *in)
{
    if (in->op == PTX_PREFETCHU)
        return; /* a hint */
    if (ptx_has_sub(in, PTX_SUB_TENSORMAP)) {
        lo_prefetch_map(l, in);
        return;
    }
    put_cctl(l, in,
             ptx_has_sub(in, PTX_SUB_LEVEL_L1) ? PFLEVEL_L1 : PFLEVEL_L2);
}

void lop_applypriority(lower *l, const ptx_inst *in)
{
    if (l->u->opt->arch >= ARCH_AMPERE)
        put_cctl(l, in, PFLEVEL_APPLY);
}

void lop_discard(lower *l, const ptx_inst *in)
{
    if (l->u->opt->arch >= ARCH_AMPERE)
        put_cctl(l, in, PFLEVEL_DISCARD);
}

/* createpolicy.fractional d, share; .range d, [a], primary, total; .cvt d, a:
 * access properties are policies [PTX85:createpolicy]. */
void lop_createpolicy(lower *l, const ptx_inst *in)
{
    const char *first = strstr(in->mods, "L2::evict_");
    const char *rest = first ? strstr(first + 1, "L2::evict_") : NULL;
    bool range = says(in, "range");
    cg_src a = cg_zero(), b, c = cg_zero();

    if (says(in, "cvt")) {
        lo_set(l, &in->ops[0], lo_src(l, &in->ops[1], PTX_TYPE_B64));
        return;
    }
    if (!first || in->nops != (range ? 4 : in->nops < 2 ? 1 : 2)) {
        lo_unsupported(l, "needs a priority of the L2, and a share or a range");
        return;
    }
    if (range) {
        lo_addr at = lo_address(l, &in->ops[1], PTX_SPACE_GLOBAL);

        a = cb_add64(&l->b, at.base, cg_imm(at.offset));
        b = lo_src(l, &in->ops[2], PTX_TYPE_U32);
        c = cb_reg(&l->b, lo_src(l, &in->ops[3], PTX_TYPE_U32), 1);
    } else {
        b = in->nops > 1 ? lo_src(l, &in->ops[1], PTX_TYPE_F32)
                         : cg_imm(0x3f800000);
    }
    a = cb_reg(&l->b, a, 2);
    b = cb_reg(&l->b, b, 1);
    cg_inst *i = cb_emit(&l->b, ISA_CRPOL);

    i->src[0] = a;
    i->src[1] = b;
    i->src[2] = c;
    CG_PUT(i, KEEPA, priority_at(first));
    CG_PUT(i, KEEPB, rest ? priority_at(rest) : MEM_KEEP_UNCHANGED);
    CG_PUT(i, KEEPBY, range);
    i->dst.reg = cg_reg_new(l->b.f, cg_class_of_words(2));
    lo_set(l, &in->ops[0], cg_r(i->dst.reg));
}
