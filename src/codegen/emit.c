/* src/codegen/emit.c - the final operations as instructions: branches and calls
 * get their targets, jumps to what follows anyway disappear. */
#include <string.h>

#include "codegen/ir/pass.h"
#include "codegen/schedule/ctl.h"

static uint8_t phys_pred(const cg_func *f, vreg p)
{
    return p ? (uint8_t)f->regs[p].phys : ISA_PT;
}

static uint8_t phys_psrc(const cg_func *f, cg_pred p)
{
    return (uint8_t)(phys_pred(f, p.reg) | (p.neg ? PRED_NOT : 0));
}

static uint8_t phys_reg(const cg_func *f, vreg v, unsigned off)
{
    return v ? (uint8_t)(f->regs[v].phys + off) : ISA_RZ;
}

static void emit_source(const cg_func *f, const cg_inst *in, unsigned i,
                        isa_inst *out)
{
    const cg_src *s = &in->src[i];

    out->src_kind[i] = s->kind;
    out->src_mod[i] = s->mod;
    if (s->kind == SRC_UREG) {
        out->src[i] = (uint8_t)s->val;
        if (isa_is_uniform(in->op))
            out->src_kind[i] = SRC_REG;
    } else if (s->kind == SRC_REG) {
        out->src[i] = phys_reg(f, s->reg, s->off);
        out->val[i] = (uint32_t)s->val;
    } else if (s->kind == SRC_IMM && cg_is_float_src(in->op, i) &&
               cg_src_words(in, i) == 2) {
        out->val[i] = (uint32_t)((uint64_t)s->val >> 32);
    } else {
        out->val[i] = (uint32_t)s->val;
    }
}

static isa_inst emit_inst(const cg_func *f, const cg_inst *in)
{
    isa_inst out = isa_new((isa_op)in->op);

    out.lut = in->lut;
    out.mod = in->mod;
    out.line = in->line;
    out.guard = phys_psrc(f, in->guard);
    if (in->dst.reg)
        out.dst = phys_reg(f, in->dst.reg, in->dst.off);
    if (in->udst)
        out.dst = (uint8_t)(in->udst - 1);
    for (unsigned i = 0; i < 2; i++)
        out.pdst[i] = phys_pred(f, in->pdst[i]);
    for (unsigned i = 0; i < 3; i++) {
        out.psrc[i] = phys_psrc(f, in->psrc[i]);
        if (in->src[i].kind)
            emit_source(f, in, i, &out);
    }
    if (in->target)
        out.val[0] = in->target->mark;
    if (in->callee)
        out.val[0] = in->callee->start;
    return out;
}

/* Turns `@p BRA next; (falls to) other` into `@!p BRA other`. */
static void invert_branches(cg_func *f)
{
    for (uint32_t i = 0; i + 1 < f->nblocks; i++) {
        cg_block *b = f->blocks[i];
        cg_inst *last = b->last;

        if (last && last->op == ISA_BRA && last->guard.reg && !last->ordered &&
            last->target == f->blocks[i + 1] && b->fall) {
            cg_block *other = b->fall;

            last->guard = cg_not(last->guard);
            b->fall = last->target;
            last->target = other;
        }
    }
}

/* Adds a jump where a block is not followed by what it falls into; drops one
 * that leads there anyway. */
static void fix_layout(cg_func *f)
{
    invert_branches(f);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        cg_block *b = f->blocks[i], *next = NULL;
        cg_inst *last = b->last;

        if (i + 1 < f->nblocks)
            next = f->blocks[i + 1];
        if (last && last->op == ISA_BRA && !last->guard.reg &&
            last->target == next) {
            cg_remove(last);
            b->fall = next;
        }
        if (b->fall && b->fall != next) {
            cg_inst *br = cg_inst_new(f, ISA_BRA);

            br->target = b->fall;
            br->line = last ? last->line : 0;
            cg_append(b, br);
            b->fall = NULL;
        }
    }
}

static uint32_t fill_tables(cg_func *f, uint32_t *all)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->nblocks; i++) {
        const cg_inst *last = f->blocks[i]->last;

        if (!last || last->op != ISA_BRX)
            continue;
        for (uint32_t k = 0; k < last->table_size; k++) {
            uint32_t to = last->table[k]->mark;

            memcpy(f->pool->bytes + last->src[0].val + 4 * k, &to, 4);
            all[n++] = to;
        }
    }
    return n;
}

/* Numbers the instructions of f from `n` on; the number behind the last. */
static uint32_t number_insts(cg_func *f, uint32_t n, uint32_t *jumps)
{
    fix_layout(f);
    f->start = n;
    for (uint32_t i = 0; i < f->nblocks; i++) {
        f->blocks[i]->mark = n;
        CG_EACH(in, f->blocks[i])
        {
            n++;
            *jumps += in->table_size;
        }
    }
    return n;
}

static void emit_func(const cg_func *f, isa_kernel *k, bool *leader)
{
    uint32_t at = f->start;

    for (uint32_t i = 0; i < f->nblocks; i++) {
        leader[f->blocks[i]->mark] = true;
        CG_EACH(in, f->blocks[i])
        {
            k->code[at] = emit_inst(f, in);
            isa_finish(&k->code[at++]);
        }
    }
    if (f->registers > k->registers)
        k->registers = f->registers;
    if (f->barriers > k->barriers)
        k->barriers = f->barriers;
}

/* The kernel's own and the most of a function. */
static uint32_t spilled(cg_func *const *f, uint32_t n)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < n; i++)
        most = f[i]->spill_bytes > most ? f[i]->spill_bytes : most;
    return f[0]->spill_bytes + most;
}

void cg_emit(cg_func *const *f, uint32_t n, arena *a, isa_kernel *k)
{
    uint32_t count = 0, jumps = 0, *table;
    arena *mem = f[0]->mem;
    bool *leader;

    for (uint32_t i = 0; i < n; i++)
        count = number_insts(f[i], count, &jumps);
    table = ARENA_ARRAY(mem, uint32_t, jumps + 1);
    jumps = 0;
    for (uint32_t i = 0; i < n; i++)
        jumps += fill_tables(f[i], table + jumps);
    leader = ARENA_ARRAY(mem, bool, count + 1);
    k->code = ARENA_ARRAY(a, isa_inst, count + 1);
    k->code_count = count;
    k->registers = 1;
    for (uint32_t i = 0; i < n; i++)
        emit_func(f[i], k, leader);
    k->spill_bytes = spilled(f, n);
    if (k->spill_bytes > k->local_bytes) /* of functions never called */
        k->spill_bytes = k->local_bytes;
    k->functions = ARENA_ARRAY(a, isa_function, n);
    for (uint32_t i = 1; i < n; i++)
        k->functions[k->function_count++] =
            (isa_function){arena_strdup(a, f[i]->name), f[i]->start};
    cg_control(f[0]->opt, k, leader, table, jumps);
}
