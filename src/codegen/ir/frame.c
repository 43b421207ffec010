#include "codegen/ir/frame.h"

#include "base/bits.h"
#include "codegen/ir/build.h"

/* ---- sets of registers ------------------------------------------------- */

static void add_reg(cg_regset *s, unsigned reg)
{
    s->of[reg / 64] |= 1ull << (reg % 64);
}

static bool has_reg(const cg_regset *s, unsigned reg)
{
    return s->of[reg / 64] >> (reg % 64) & 1;
}

static void add_regset(cg_regset *to, const cg_regset *s)
{
    for (unsigned k = 0; k < 4; k++)
        to->of[k] |= s->of[k];
}

cg_regset cg_call_clobbers(const cg_inst *call)
{
    cg_regset s = {{0}};

    if (call->callee && call->callee->ready)
        return call->callee->clobbers;
    for (unsigned r = 0; r < 256; r++)
        if (!abi_is_saved(r) && r != ABI_SP)
            add_reg(&s, r);
    return s;
}

uint64_t cg_call_pred_clobbers(const cg_inst *call)
{
    return call->callee && call->callee->ready ? call->callee->pred_clobbers
                                               : UINT64_MAX;
}

static uint64_t preds_written(const cg_func *f)
{
    uint64_t s = 0;

    for (uint32_t i = 0; i < f->nblocks; i++) {
        CG_EACH(in, f->blocks[i])
        {
            for (unsigned k = 0; k < 2; k++)
                if (in->pdst[k])
                    s |= 1ull << f->regs[in->pdst[k]].phys;
            if (cg_is_call(in))
                s |= cg_call_pred_clobbers(in);
            if (in->op == ISA_R2P)
                s = UINT64_MAX;
        }
    }
    return s;
}

/* Physical registers that operations of `f` write. */
static cg_regset registers_written(const cg_func *f)
{
    cg_regset s = {{0}};

    for (uint32_t i = 0; i < f->nblocks; i++) {
        CG_EACH(in, f->blocks[i])
        {
            for (unsigned k = 0; in->dst.reg && k < cg_dst_words(in); k++)
                add_reg(&s, f->regs[in->dst.reg].phys + in->dst.off + k);
            if (cg_is_call(in)) {
                cg_regset c = cg_call_clobbers(in);

                add_regset(&s, &c);
            }
        }
    }
    return s;
}

/* ---- keeping registers ------------------------------------------------- */

static vreg physical(cg_func *f, unsigned reg, unsigned words)
{
    vreg v = cg_reg_new(f, cg_class_of_words(words));

    f->regs[v].phys = (uint16_t)reg;
    return v;
}

static cg_inst *frame_access(cg_func *f, unsigned op, uint32_t at,
                             unsigned words)
{
    cg_inst *in = cg_inst_new(f, op);

    in->src[0] = cg_frame_base(f);
    in->src[0].val = at;
    CG_PUT(in, SIZE, words == 4 ? SIZE_128 : words == 2 ? SIZE_64 : SIZE_32);
    return in;
}

static void keep_at(cg_func *f, unsigned reg, unsigned words, uint32_t at)
{
    cg_block *entry = f->blocks[0];
    vreg v = physical(f, reg, words);
    cg_inst *st = frame_access(f, ISA_STL, at, words);

    st->src[1] = cg_r(v);
    if (entry->first) {
        st->line = entry->first->line;
        cg_insert_before(st, entry->first);
    } else {
        cg_append(entry, st);
    }
    for (uint32_t i = 0; i < f->nblocks; i++) {
        cg_inst *ret = f->blocks[i]->last, *ld;

        if (!ret || ret->op != ISA_RET)
            continue;
        ld = frame_access(f, ISA_LDL, at, words);
        ld->dst = cb_dst(v);
        ld->line = ret->line;
        cg_insert_before(ld, ret);
    }
}

/* As many registers at once as lie side by side. */
static void keep_registers(cg_func *f, const cg_regset *s)
{
    for (unsigned r = 0; r < ISA_REGS_MAX;) {
        unsigned words = 1;
        uint32_t at;

        if (!has_reg(s, r) || !abi_is_saved(r)) {
            r++;
            continue;
        }
        while (words < 4 && r % (2 * words) == 0 && has_reg(s, r + words) &&
               (words < 2 || has_reg(s, r + 3)) && abi_is_saved(r + words))
            words *= 2;
        at = (uint32_t)bits_align_up(f->frame_bytes, 4 * words);
        f->frame_bytes = at + 4 * words;
        keep_at(f, r, words, at);
        r += words;
    }
}

void cg_keep_barriers(cg_func *f)
{
    unsigned used = 0;

    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i])
    if (in->op == ISA_BSSY && in->lut >= used)
        used = in->lut + 1u;
    for (unsigned n = 0; n < used; n++) {
        vreg v = cg_reg_new(f, CG_W1);
        cg_inst *first = f->blocks[0]->first;

        while (first->op == CG_DEF)
            first = first->next; /* the arguments stay where they are */
        cg_build b = cb_before(f, first);
        cg_inst *in =
            cb_to(&b, ISA_BMOVS, cb_dst(v), cb_none(), cb_none(), cb_none());

        in->lut = (uint8_t)n;
        for (uint32_t i = 0; i < f->nblocks; i++) {
            cg_inst *at = f->blocks[i]->last;

            if (!at || at->op != ISA_RET)
                continue;
            while (at->prev && at->prev->op == CG_USE)
                at = at->prev;
            b = cb_before(f, at);
            in = cb_to(&b, ISA_BMOVL, (cg_dst){0}, cg_r(v), cb_none(),
                       cb_none());
            in->lut = (uint8_t)n;
        }
    }
}

/* ---- sizes ------------------------------------------------------------- */

static void settle_frame_inst(const cg_func *f, cg_inst *in)
{
    int64_t bytes = f->frame_bytes;

    if (in->op == CG_USE || in->op == CG_DEF) {
        cg_remove(in);
        return;
    }
    if (in->op != CG_FRAME)
        return;
    in->src[1] = cg_imm(in->lut ? -bytes : bytes);
    in->src[2] = cg_zero();
    in->op = ISA_IADD3;
    in->lut = 0;
    if (!bytes && f->regs[in->src[0].reg].phys == f->regs[in->dst.reg].phys &&
        in->src[0].reg)
        cg_remove(in);
}

void cg_frame(cg_func *f)
{
    cg_regset s = registers_written(f);

    f->frame_bytes = f->local_bytes + f->spill_bytes;
    MUST(!f->keeps_nothing || !f->frame_bytes);
    if (f->is_function && !f->keeps_nothing)
        keep_registers(f, &s);
    if (f->is_function || f->has_calls)
        f->frame_bytes =
            (uint32_t)bits_align_up(f->frame_bytes, f->frame_align);
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH_SAFE(in, f->blocks[i]) settle_frame_inst(f, in);
    for (unsigned r = 0; r < 256 && !f->keeps_nothing; r++)
        if ((abi_is_saved(r) || r == ABI_SP) && has_reg(&s, r))
            s.of[r / 64] &= ~(1ull << (r % 64));
    f->clobbers = s;
    f->pred_clobbers = preds_written(f);
    f->ready = true;
}

/* ---- the graph of calls ------------------------------------------------ */

enum { WHITE, ORDERED, GREY, BLACK }; /* cg_func.seen */

uint32_t cg_callees_first(cg_func *f, uint32_t *order, uint32_t n)
{
    if (f->seen != WHITE)
        return n;
    f->seen = ORDERED;
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i])
    if (in->op == ISA_CALL)
        n = cg_callees_first(in->callee, order, n);
    order[n++] = f->number;
    return n;
}

typedef struct depths {
    cg_func *const *all;
    uint32_t n;
    bool open;
} depths;

static uint32_t depth_of(depths *d, cg_func *f);

static uint32_t deeper(depths *d, cg_func *f, uint32_t most)
{
    uint32_t n = 0;

    if (f->seen == GREY)
        d->open = true;
    else
        n = depth_of(d, f);
    return n > most ? n : most;
}

static uint32_t depth_of(depths *d, cg_func *f)
{
    uint32_t most = 0;

    if (f->seen == BLACK)
        return f->stack_bytes;
    f->seen = GREY;
    d->open |= f->dynamic_frame;
    for (uint32_t i = 0; i < f->nblocks; i++) {
        CG_EACH(in, f->blocks[i])
        {
            if (in->op == ISA_CALL)
                most = deeper(d, in->callee, most);
            for (uint32_t k = 0; in->op == ISA_CALLX && k < d->n; k++)
                if (d->all[k]->has_handle)
                    most = deeper(d, d->all[k], most);
        }
    }
    f->seen = BLACK;
    f->stack_bytes = f->frame_bytes + most;
    return f->stack_bytes;
}

uint32_t cg_stack_need(cg_func *const *all, uint32_t n, bool *open)
{
    depths d = {.all = all, .n = n};
    uint32_t bytes = depth_of(&d, all[0]);

    *open = d.open;
    return bytes;
}

bool cg_is_reached(const cg_func *f) { return f->seen == BLACK; }
