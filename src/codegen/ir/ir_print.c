/* src/codegen/ir/ir_print.c - operations as text, for debugging the compiler.
 */
#include "codegen/ir/ir.h"

static void print_reg(const cg_func *f, vreg v, unsigned off, strbuf *to)
{
    if (!v) {
        strbuf_puts(to, "RZ");
        return;
    }
    strbuf_printf(to, "v%u", v);
    if (f->regs[v].words > 1)
        strbuf_printf(to, ".%u", off);
}

static void print_pred(cg_pred p, strbuf *to)
{
    if (p.neg)
        strbuf_putc(to, '!');
    if (p.reg)
        strbuf_printf(to, "p%u", p.reg);
    else
        strbuf_puts(to, "PT");
}

static void print_src(const cg_func *f, const cg_src *s, strbuf *to)
{
    strbuf_puts(to, ", ");
    if (s->mod & SRC_NEG)
        strbuf_putc(to, '-');
    if (s->mod & SRC_NOT)
        strbuf_putc(to, '~');
    if (s->mod & SRC_ABS)
        strbuf_putc(to, '|');
    if (s->kind == SRC_REG) {
        print_reg(f, s->reg, s->off, to);
        if (s->val)
            strbuf_printf(to, "+%lld", (long long)s->val);
    } else if (s->kind == SRC_IMM) {
        strbuf_printf(to, "0x%llx", (long long)s->val);
    } else {
        strbuf_printf(to, "c[%u][0x%x]", (unsigned)(s->val >> 16),
                      (unsigned)(s->val & 0xffff));
    }
}

void cg_print_inst(const cg_func *f, const cg_inst *in, strbuf *to)
{
    if (in->guard.reg) {
        strbuf_putc(to, '@');
        print_pred(in->guard, to);
        strbuf_putc(to, ' ');
    }
    strbuf_printf(to, "%s.%x", cg_op_text(in->op), in->mod);
    if (in->lut)
        strbuf_printf(to, " #%u", in->lut);
    strbuf_putc(to, ' ');
    print_reg(f, in->dst.reg, in->dst.off, to);
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i])
            strbuf_printf(to, " p%u", in->pdst[i]);
    for (unsigned i = 0; i < 3; i++)
        if (in->src[i].kind)
            print_src(f, &in->src[i], to);
    for (unsigned i = 0; i < 3; i++) {
        if (in->psrc[i].reg || in->psrc[i].neg) {
            strbuf_printf(to, " %c:", "stu"[i]);
            print_pred(in->psrc[i], to);
        }
    }
    if (in->target)
        strbuf_printf(to, " -> b%u", in->target->id);
    strbuf_putc(to, '\n');
}

void cg_print(const cg_func *f, strbuf *to)
{
    for (uint32_t i = 0; i < f->nblocks; i++) {
        const cg_block *b = f->blocks[i];

        strbuf_printf(to, "b%u: (fall b%d)\n", i,
                      b->fall ? (int)b->fall->id : -1);
        CG_EACH(in, b)
        {
            strbuf_puts(to, "    ");
            cg_print_inst(f, in, to);
        }
    }
}
