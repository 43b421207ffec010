/* src/codegen/ir/ir_print.c - operations as text, for those who work on the
 * compiler. */
#include "codegen/ir/ir.h"
#include "isa/print.h"

typedef struct printer {
    const cg_func *f;
    map *place; /* cg_block * -> its number in the layout */
    bool allocated;
    strbuf *to;
} printer;

/* Virtual registers are v1, v2, ..., with `.1` behind them their second word;
 * p1, p2, ... are predicates. */
static void print_reg(const printer *p, vreg v, unsigned off)
{
    if (!v) {
        strbuf_puts(p->to, "RZ");
    } else if (p->allocated) {
        strbuf_printf(p->to, "R%u", p->f->regs[v].phys + off);
    } else {
        strbuf_printf(p->to, "v%u", v);
        if (p->f->regs[v].words > 1)
            strbuf_printf(p->to, ".%u", off);
    }
}

static void print_pred(const printer *p, cg_pred pred)
{
    if (pred.neg)
        strbuf_putc(p->to, '!');
    if (!pred.reg)
        strbuf_puts(p->to, "PT");
    else if (p->allocated)
        strbuf_printf(p->to, "P%u", p->f->regs[pred.reg].phys);
    else
        strbuf_printf(p->to, "p%u", pred.reg);
}

static void print_src(const printer *p, const cg_src *s)
{
    if (s->mod & SRC_NEG)
        strbuf_putc(p->to, '-');
    if (s->mod & SRC_NOT)
        strbuf_putc(p->to, '~');
    if (s->mod & SRC_ABS)
        strbuf_putc(p->to, '|');
    if (s->kind == SRC_REG) {
        print_reg(p, s->reg, s->off);
        if (s->val)
            strbuf_printf(p->to, "%+lld", (long long)s->val);
    } else if (s->kind == SRC_UREG) {
        strbuf_printf(p->to, "UR%u", (unsigned)s->val);
    } else if (s->kind == SRC_IMM) {
        strbuf_printf(p->to, "0x%llx", (long long)s->val);
    } else {
        strbuf_printf(p->to, "c[0x%x][0x%x]", (unsigned)(s->val >> 16),
                      (unsigned)(s->val & 0xffff));
    }
    if (s->mod & SRC_ABS)
        strbuf_putc(p->to, '|');
}

static void print_name(const cg_inst *in, strbuf *to)
{
    if (in->op < ISA_COUNT) {
        isa_inst plain = isa_new((isa_op)in->op);

        plain.mod = in->mod;
        isa_print_mnemonic(&plain, to);
    } else {
        strbuf_puts(to, cg_op_text(in->op));
    }
    if (in->lut)
        strbuf_printf(to, " #0x%x", in->lut);
}

/* What is written, then what is read, then where it goes. */
static void print_operands(const printer *p, const cg_inst *in)
{
    const char *before = " ";

    if (in->udst) {
        strbuf_printf(p->to, "%sUR%u", before, in->udst - 1u);
        before = ", ";
    }
    if (in->dst.reg) {
        strbuf_puts(p->to, before);
        print_reg(p, in->dst.reg, in->dst.off);
        before = ", ";
    }
    for (unsigned i = 0; i < 2; i++) {
        if (in->pdst[i]) {
            strbuf_puts(p->to, before);
            print_pred(p, cg_p(in->pdst[i]));
            before = ", ";
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        if (in->src[i].kind) {
            strbuf_puts(p->to, before);
            print_src(p, &in->src[i]);
            before = ", ";
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        if (in->psrc[i].reg || in->psrc[i].neg) {
            strbuf_puts(p->to, before);
            print_pred(p, in->psrc[i]);
            before = ", ";
        }
    }
}

/* block.id may be older than the last change of the layout. */
static map *block_places(const cg_func *f)
{
    map *place = map_new();

    MUST(place);
    for (uint32_t i = 0; i < f->nblocks; i++)
        map_put(place, (uintptr_t)f->blocks[i], i);
    return place;
}

static void print_block(const printer *p, const char *before, const cg_block *b)
{
    uint64_t at = 0;

    MUST(map_get(p->place, (uintptr_t)b, &at));
    strbuf_printf(p->to, "%s b%u", before, (unsigned)at);
}

static void print_targets(const printer *p, const cg_inst *in)
{
    strbuf *to = p->to;

    if (in->target)
        print_block(p, " ->", in->target);
    for (uint32_t i = 0; i < in->table_size; i++)
        print_block(p, i ? "," : " ->", in->table[i]);
    if (in->callee)
        strbuf_printf(to, " -> %s", in->callee->name);
    if (in->uniform)
        strbuf_puts(to, " (uniform)");
    if (in->ordered)
        strbuf_puts(to, " (the other side first)");
}

static void print_inst(const printer *p, const cg_inst *in)
{
    strbuf_puts(p->to, "    ");
    if (in->guard.reg) {
        strbuf_putc(p->to, '@');
        print_pred(p, in->guard);
        strbuf_putc(p->to, ' ');
    }
    print_name(in, p->to);
    print_operands(p, in);
    print_targets(p, in);
    strbuf_putc(p->to, '\n');
}

/* A block falls through to the next one, where nothing else is said. */
void cg_print(const cg_func *f, bool allocated, strbuf *to)
{
    const printer p = {f, block_places(f), allocated, to};

    for (uint32_t i = 0; i < f->nblocks; i++) {
        const cg_block *b = f->blocks[i];
        bool next = i + 1 < f->nblocks && b->fall == f->blocks[i + 1];

        strbuf_printf(to, "b%u:\n", i);
        CG_EACH(in, b) { print_inst(&p, in); }
        if (b->fall && !next) {
            print_block(&p, "    ->", b->fall);
            strbuf_putc(to, '\n');
        }
    }
    map_free(p.place);
}
