#include "exec/slice.h"

enum { FLOW = ISA_F_BRANCH | ISA_F_CONVERGE | ISA_F_BARRIER };

static void add_to_slice(exec_regs *s, unsigned first, unsigned n)
{
    for (unsigned r = first; r < first + n && r < ISA_RZ; r++)
        s->reg[r / 64] |= (uint64_t)1 << r % 64;
}

static bool slice_has(const exec_regs *s, unsigned first, unsigned n)
{
    for (unsigned r = first; r < first + n && r < ISA_RZ; r++)
        if (s->reg[r / 64] >> r % 64 & 1)
            return true;
    return false;
}

static bool writes_slice(const isa_inst *in, const exec_regs *s)
{
    return slice_has(s, in->dst, in->dst_regs) ||
           slice_has(s, isa_second(in), in->dst2_regs) ||
           (in->pwrite & s->preds);
}

static void add_sources(exec_regs *s, const isa_inst *in)
{
    for (unsigned i = 0; i < 3; i++)
        add_to_slice(s, in->src[i], in->src_regs[i]);
    s->preds |= in->pread;
}

static bool same_slice(const exec_regs *a, const exec_regs *b)
{
    for (unsigned i = 0; i < 4; i++)
        if (a->reg[i] != b->reg[i])
            return false;
    return a->preds == b->preds;
}

exec_regs exec_slice_needed(const exec_loop *l, bool *clock)
{
    exec_regs s = {.preds = 0}, before;

    *clock = false;
    do {
        before = s;
        for (uint32_t pc = 0; pc < l->count; pc++) {
            const isa_inst *in = &l->code[pc];

            if (!exec_loop_has(l, pc))
                continue;
            if ((in->flags & (FLOW | ISA_F_LOAD | ISA_F_STORE)) ||
                in->class == ISA_CLASS_TEX || writes_slice(in, &s))
                add_sources(&s, in);
            *clock |= (in->flags & ISA_F_CLOCK) && writes_slice(in, &s);
        }
    } while (!same_slice(&s, &before));
    return s;
}

/* Is a value that `in` computes from `from` the same in each round? What it
 * takes from predicates may be: a condition of several parts. */
static bool passes_on(const isa_inst *in, const exec_regs *from,
                      const exec_regs *differ)
{
    bool uses = in->pread & from->preds;

    for (unsigned i = 0; i < 3; i++) {
        bool of_it = slice_has(from, in->src[i], in->src_regs[i]);

        if (of_it && !uses)
            uses = true;
        if (!of_it && slice_has(differ, in->src[i], in->src_regs[i]) &&
            !(in->pread & from->preds))
            return false;
    }
    return uses;
}

bool exec_slice_decides(const exec_loop *l, uint32_t pc,
                        const exec_regs *differ)
{
    exec_regs from = {.preds = l->code[pc].pwrite}, before;

    add_to_slice(&from, l->code[pc].dst, l->code[pc].dst_regs);
    add_to_slice(&from, isa_second(&l->code[pc]), l->code[pc].dst2_regs);
    do {
        before = from;
        for (uint32_t at = 0; at < l->count; at++) {
            const isa_inst *in = &l->code[at];

            if (!exec_loop_has(l, at) || !passes_on(in, &from, differ))
                continue;
            if (in->flags & FLOW)
                return true;
            add_to_slice(&from, in->dst, in->dst_regs);
            add_to_slice(&from, isa_second(in), in->dst2_regs);
            from.preds |= in->pwrite;
        }
    } while (!same_slice(&from, &before));
    return false;
}
