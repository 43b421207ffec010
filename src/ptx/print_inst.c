#include "ptx/ptx.h"

#include <inttypes.h>
#include <string.h>

static void print_reg(const ptx_func *f, uint32_t reg, strbuf *to)
{
    strbuf_puts(to, reg < f->nregs ? f->regs[reg].name : "?");
}

static void print_operand(const ptx_func *f, const ptx_operand *o, strbuf *to);

static void print_list(const ptx_func *f, const ptx_operand *o, uint32_t n,
                       strbuf *to)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            strbuf_puts(to, ", ");
        print_operand(f, &o[i], to);
    }
}

static void print_imm(const ptx_operand *o, strbuf *to)
{
    if (o->is_unsigned)
        strbuf_printf(to, "0x%" PRIx64 "U", (uint64_t)o->imm);
    else if (o->imm == INT64_MIN) /* its digits alone are unsigned */
        strbuf_puts(to, "(-9223372036854775807-1)");
    else
        strbuf_printf(to, "%" PRId64, o->imm);
}

static void print_fimm(const ptx_operand *o, strbuf *to)
{
    if (o->type == PTX_TYPE_F32)
        strbuf_printf(to, "0f%08" PRIX32, (uint32_t)o->imm);
    else
        strbuf_printf(to, "0d%016" PRIX64, (uint64_t)o->imm);
}

static void print_offset(int64_t imm, strbuf *to)
{
    if (imm < 0)
        strbuf_printf(to, "+%" PRId64, imm);
    else if (imm)
        strbuf_printf(to, "+%" PRId64, imm);
}

static void print_address(const ptx_func *f, const ptx_operand *o, strbuf *to)
{
    strbuf_putc(to, '[');
    if (o->reg != PTX_NO_REG) {
        print_reg(f, o->reg, to);
        print_offset(o->imm, to);
    } else if (o->var) {
        strbuf_puts(to, o->var->name);
        print_offset(o->imm, to);
    } else {
        print_imm(o, to);
    }
    if (o->nelems) {
        strbuf_puts(to, ", ");
        print_list(f, o->elems, o->nelems, to);
    }
    strbuf_putc(to, ']');
}

static void print_name_of(const ptx_operand *o, strbuf *to)
{
    strbuf_puts(to, o->var ? o->var->name : o->func ? o->func->name : "?");
    print_offset(o->imm, to);
}

static void print_operand(const ptx_func *f, const ptx_operand *o, strbuf *to)
{
    if (o->negated)
        strbuf_putc(to, o->type == PTX_TYPE_PRED ? '!' : '-');
    switch ((ptx_operand_kind)o->kind) {
    case PTX_OPD_NONE:
        break;
    case PTX_OPD_REG:
        print_reg(f, o->reg, to);
        if (o->part)
            strbuf_printf(to, ".%s", o->part);
        break;
    case PTX_OPD_IMM:
        print_imm(o, to);
        break;
    case PTX_OPD_FIMM:
        print_fimm(o, to);
        break;
    case PTX_OPD_VEC:
        strbuf_putc(to, '{');
        print_list(f, o->elems, o->nelems, to);
        strbuf_putc(to, '}');
        break;
    case PTX_OPD_ADDR:
        print_address(f, o, to);
        break;
    case PTX_OPD_SYM:
        print_name_of(o, to);
        break;
    case PTX_OPD_LABEL:
        strbuf_puts(to, o->label->name);
        break;
    case PTX_OPD_SREG:
        strbuf_puts(to, ptx_sreg_text(o->sreg));
        if (ptx_sreg_parts(o->sreg) > 1 && o->sel != PTX_SREG_WHOLE)
            strbuf_printf(to, ".%c", "xyzw"[o->sel & 3]);
        break;
    case PTX_OPD_PAIR:
        print_operand(f, &o->elems[0], to);
        strbuf_putc(to, '|');
        print_operand(f, &o->elems[1], to);
        break;
    case PTX_OPD_SINK:
        strbuf_putc(to, '_');
        break;
    case PTX_OPD_TABLE:
        strbuf_puts(to, o->table->name);
        break;
    }
}

static void print_call(const ptx_func *f, const ptx_call *c, strbuf *to)
{
    strbuf_putc(to, ' ');
    if (c->nrets) {
        strbuf_putc(to, '(');
        print_list(f, c->rets, c->nrets, to);
        strbuf_puts(to, "), ");
    }
    if (c->func)
        strbuf_puts(to, c->func->name);
    else
        print_operand(f, &c->target, to);
    strbuf_puts(to, ", (");
    print_list(f, c->args, c->nargs, to);
    strbuf_putc(to, ')');
    if (c->proto)
        strbuf_printf(to, ", %s", c->proto->name);
    if (c->targets)
        strbuf_printf(to, ", %s", c->targets->name);
}

void ptx_print_inst(const ptx_func *f, const ptx_inst *in, strbuf *to)
{
    if (in->guarded) {
        strbuf_puts(to, in->guard_negated ? "@!" : "@");
        print_reg(f, in->guard, to);
        strbuf_putc(to, ' ');
    }
    strbuf_puts(to, ptx_op_text(in->op));
    strbuf_puts(to, in->mods);
    if (in->call) {
        print_call(f, in->call, to);
    } else if (in->nops) {
        strbuf_putc(to, ' ');
        print_list(f, in->ops, in->nops, to);
    }
    strbuf_putc(to, ';');
}
