/* src/codegen/lower/lower_flow.c - branches, returns and ends of threads. */
#include "codegen/lower/context.h"

static cg_block *block_of(lower *l, const ptx_label *label)
{
    return l->fr->block[label->inst];
}

/* What follows cannot be reached until the next label. */
static void dead_end(lower *l)
{
    cg_block *next = cg_block_new(l->b.f);

    l->b.b->fall = NULL;
    cg_block_append(l->b.f, next);
    l->b.b = next;
}

void lop_bra(lower *l, const ptx_inst *in)
{
    cg_pred p = l->b.guard;
    cg_block *from = l->b.b;

    l->b.guard = (cg_pred){0};
    cb_branch(&l->b, p, block_of(l, in->ops[0].label));
    from->last->uniform = ptx_has(in, PTX_FLAG_UNI);
}

void lop_exit(lower *l, const ptx_inst *in)
{
    (void)in;
    cb_emit(&l->b, ISA_EXIT);
    if (!l->b.guard.reg)
        dead_end(l);
}

void lop_ret(lower *l, const ptx_inst *in)
{
    cg_pred p = l->b.guard;

    if (!l->fr->back) {
        lop_exit(l, in);
        return;
    }
    l->b.guard = (cg_pred){0};
    cb_branch(&l->b, p, l->fr->back);
}

void lop_trap(lower *l, const ptx_inst *in)
{
    cb_emit(&l->b, ISA_BPT);
    lop_exit(l, in);
}

void lop_nop(lower *l, const ptx_inst *in)
{
    (void)l;
    (void)in;
}

void lop_brx(lower *l, const ptx_inst *in)
{
    lo_skip skip = lo_skip_begin(l);
    const ptx_table *t = in->ops[1].table;
    cg_src index = lo_src(l, &in->ops[0], PTX_TYPE_U32);
    uint32_t at = cg_constant_table(l->b.f, 4 * t->count);
    cg_src scaled = cb_shl(&l->b, index, cg_imm(2)), to;
    cg_inst *br;

    scaled.val = at;
    to = cb_op(&l->b, ISA_LDC, scaled, cb_none(), cb_none());
    cb_last(&l->b)->lut = CBANK_CODE;
    to.val = at;
    br = cb_to(&l->b, ISA_BRX, (cg_dst){0}, to, cb_none(), cb_none());
    br->table_size = t->count;
    br->table = ARENA_ARRAY(l->b.f->mem, cg_block *, t->count);
    for (uint32_t i = 0; i < t->count; i++)
        br->table[i] = block_of(l, t->labels[i]);
    dead_end(l);
    lo_skip_end(l, skip);
}
