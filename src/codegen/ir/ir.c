#include "codegen/ir/ir.h"

#include <string.h>

#include "isa/operand.h"
#include "isa/tensor.h"

static const char *const pseudo_text[] = {
#define CGOP(id, text, form) text,
#include "codegen/ir/pseudo.def"
#undef CGOP
};

static const char *const pseudo_form[] = {
#define CGOP(id, text, form) form,
#include "codegen/ir/pseudo.def"
#undef CGOP
};

/* ---- making ------------------------------------------------------------ */

cg_func *cg_func_new(arena *mem, const cg_options *opt, const char *name)
{
    cg_func *f = ARENA_NEW(mem, cg_func);

    f->mem = mem;
    f->opt = opt;
    f->name = name;
    f->pool = ARENA_NEW(mem, cg_pool);
    ARENA_GROW(mem, f->regs, 0, f->room_regs);
    f->regs[0] = (cg_reg){.cls = CG_W1, .words = 1};
    f->nregs = 1;
    f->nwords = 1;
    return f;
}

vreg cg_reg_new(cg_func *f, cg_class cls)
{
    static const uint8_t words[] = {1, 1, 2, 4};

    ARENA_GROW(f->mem, f->regs, f->nregs, f->room_regs);
    f->regs[f->nregs] =
        (cg_reg){.cls = (uint8_t)cls, .words = words[cls], .word = f->nwords};
    f->nwords += words[cls];
    return f->nregs++;
}

vreg cg_reg_fixed(cg_func *f, unsigned phys)
{
    MUST(phys < ABI_FIXED);
    if (!f->fixed[phys]) {
        vreg v = f->fixed[phys] = cg_reg_new(f, CG_W1);

        f->regs[v].fixed = f->regs[v].no_spill = true;
        f->regs[v].phys = (uint16_t)phys;
    }
    return f->fixed[phys];
}

cg_class cg_class_of_words(unsigned words)
{
    return words > 2 ? CG_W4 : words > 1 ? CG_W2 : CG_W1;
}

cg_block *cg_block_new(cg_func *f)
{
    cg_block *b = ARENA_NEW(f->mem, cg_block);

    b->id = UINT32_MAX;
    return b;
}

void cg_block_append(cg_func *f, cg_block *b)
{
    ARENA_GROW(f->mem, f->blocks, f->nblocks, f->room_blocks);
    b->id = f->nblocks;
    f->blocks[f->nblocks++] = b;
}

void cg_block_insert(cg_func *f, cg_block *b, cg_block *before)
{
    uint32_t at = before->id;

    MUST(f->blocks[at] == before);
    cg_block_append(f, b);
    memmove(&f->blocks[at + 1], &f->blocks[at],
            (f->nblocks - 1 - at) * sizeof(cg_block *));
    f->blocks[at] = b;
    for (uint32_t i = at; i < f->nblocks; i++)
        f->blocks[i]->id = i;
}

cg_inst *cg_inst_new(cg_func *f, unsigned op)
{
    cg_inst *in = ARENA_NEW(f->mem, cg_inst);

    in->op = (uint16_t)op;
    return in;
}

cg_inst *cg_inst_copy(cg_func *f, const cg_inst *from)
{
    cg_inst *in = ARENA_NEW(f->mem, cg_inst);

    *in = *from;
    in->prev = in->next = NULL;
    in->block = NULL;
    return in;
}

void cg_append(cg_block *b, cg_inst *in)
{
    in->block = b;
    in->next = NULL;
    in->prev = b->last;
    if (b->last)
        b->last->next = in;
    else
        b->first = in;
    b->last = in;
}

void cg_insert_before(cg_inst *in, cg_inst *before)
{
    cg_block *b = before->block;

    in->block = b;
    in->next = before;
    in->prev = before->prev;
    if (before->prev)
        before->prev->next = in;
    else
        b->first = in;
    before->prev = in;
}

void cg_insert_after(cg_inst *in, cg_inst *after)
{
    if (after->next)
        cg_insert_before(in, after->next);
    else
        cg_append(after->block, in);
}

void cg_remove(cg_inst *in)
{
    cg_block *b = in->block;

    if (in->prev)
        in->prev->next = in->next;
    else
        b->first = in->next;
    if (in->next)
        in->next->prev = in->prev;
    else
        b->last = in->prev;
    in->block = NULL;
}

void cg_redirect(cg_block *b, const cg_block *from, cg_block *to)
{
    cg_inst *last = b->last;

    if (b->fall == from)
        b->fall = to;
    if (last && last->op == ISA_BRA && last->target == from)
        last->target = to;
    for (uint32_t i = 0; last && i < last->table_size; i++)
        if (last->table[i] == from)
            last->table[i] = to;
}

uint32_t cg_constant_table(cg_func *f, uint32_t bytes)
{
    cg_pool *c = f->pool;
    uint32_t at = c->count, room = c->room;

    if (at + bytes > room) {
        while (at + bytes > room)
            room = room ? room * 2 : 256;
        c->bytes = arena_renew(f->mem, c->bytes, at, room, 1);
        c->room = room;
    }
    c->count = (at + bytes + 7) & ~7u;
    return at;
}

uint32_t cg_constant64(cg_func *f, uint64_t bits)
{
    const cg_pool *c = f->pool;

    for (uint32_t i = 0; i + 8 <= c->count; i += 8)
        if (!memcmp(c->bytes + i, &bits, 8))
            return i;
    uint32_t at = cg_constant_table(f, 8);
    memcpy(c->bytes + at, &bits, 8);
    return at;
}

/* ---- operands ---------------------------------------------------------- */

cg_src cg_word(cg_src s, unsigned i)
{
    switch (s.kind) {
    case SRC_REG:
        if (s.reg)
            s.off = (uint8_t)(s.off + i);
        return s;
    case SRC_IMM: {
        /* above 64 bits the sign goes on */
        cg_src w = cg_imm((int32_t)(s.val >> (i < 2 ? 32 * i : 63)));

        w.mod = s.mod;
        return w;
    }
    case SRC_CONST:
        s.val += 4 * (int64_t)i;
        return s;
    default:
        return s;
    }
}

bool cg_src_same(const cg_src *a, const cg_src *b)
{
    return a->kind == b->kind && a->mod == b->mod && a->reg == b->reg &&
           a->off == b->off && a->val == b->val;
}

/* ---- queries ----------------------------------------------------------- */

static const char *form_of(unsigned op)
{
    return op < ISA_COUNT ? isa_table[op].form : pseudo_form[op - ISA_COUNT];
}

const char *cg_op_text(unsigned op)
{
    return op < ISA_COUNT ? isa_table[op].text : pseudo_text[op - ISA_COUNT];
}

unsigned cg_flags(const cg_inst *in)
{
    return in->op < ISA_COUNT ? isa_table[in->op].flags : 0;
}

static unsigned words_of_size(const cg_inst *in)
{
    unsigned size = CG_GET(in, SIZE);

    return size == SIZE_64 ? 2 : size == SIZE_128 ? 4 : 1;
}

static unsigned words_of_atype(const cg_inst *in)
{
    unsigned t = CG_GET(in, ATYPE);

    if (t == ATYPE_B128)
        return 4;
    return t == ATYPE_U64 || t == ATYPE_S64 || t == ATYPE_F64 ? 2 : 1;
}

/* Of four registers the last may be unused. */
static unsigned words_of_geom(const cg_inst *in)
{
    unsigned geom = CG_GET(in, GEOM);

    return geom == GEOM_3D || geom == GEOM_A2D || geom == GEOM_CUBE
               ? 3
               : isa_geom_regs(geom);
}

unsigned cg_dst_words(const cg_inst *in)
{
    for (const char *s = form_of(in->op); *s; s++) {
        switch (*s) {
        case 'd':
            return 1;
        case 'D':
            return 2;
        case 'v':
            return words_of_size(in);
        case 'V':
            return words_of_atype(in);
        case 'r':
            return isa_channel_regs(in->lut);
        case 'e':
            return isa_tensor_regs(in->op, in->mod).d;
        default:
            break;
        }
    }
    return 0;
}

static unsigned memory_words(const cg_inst *in)
{
    bool ext = isa_table[in->op].mods >> MOD_EXT & 1 && CG_GET(in, EXT);

    return ext ? 2 : 1;
}

static unsigned letter_words(const cg_inst *in, char letter)
{
    switch (letter) {
    case 'w':
    case 'z':
        return words_of_size(in);
    case 'g':
        return words_of_geom(in);
    case 'W':
    case 'X':
    case 'y':
        return words_of_atype(in);
    case 'm':
        return memory_words(in);
    case 'f':
    case 'F':
        return isa_tensor_regs(in->op, in->mod).a;
    case 'j':
    case 'J':
        return isa_tensor_regs(in->op, in->mod).b;
    case 'i':
    case 'I':
        return isa_tensor_regs(in->op, in->mod).c;
    case 'A':
    case 'B':
    case 'C':
    case 'P':
        return 2;
    default:
        return 1;
    }
}

/* The letter of the form that stands for source i, 0 if there is none. */
static char src_letter(unsigned op, unsigned i)
{
    static const uint8_t source[128] = {
        ['a'] = 1, ['A'] = 1, ['m'] = 1, ['k'] = 1, ['h'] = 1, ['f'] = 1,
        ['F'] = 1, ['J'] = 2, ['I'] = 3, ['b'] = 2, ['B'] = 2, ['w'] = 2,
        ['W'] = 2, ['g'] = 2, ['j'] = 2, ['o'] = 2, ['c'] = 3, ['C'] = 3,
        ['X'] = 3, ['y'] = 3, ['z'] = 3, ['i'] = 3, ['Y'] = 3, ['P'] = 3,
    };

    for (const char *s = form_of(op); *s; s++)
        if (source[(unsigned char)*s] == i + 1)
            return *s;
    return 0;
}

unsigned cg_src_words(const cg_inst *in, unsigned i)
{
    char letter = src_letter(in->op, i);

    return letter ? letter_words(in, letter) : 0;
}

bool cg_has_src(const cg_inst *in, unsigned i)
{
    return in->src[i].kind != SRC_NONE;
}

bool cg_is_float_src(unsigned op, unsigned i)
{
    return op < ISA_COUNT && isa_table[op].flags & ISA_F_FLOAT &&
           src_letter(op, i);
}

unsigned cg_src_mods(unsigned op, unsigned i)
{
    char letter = src_letter(op, i);

    if (!letter || !strchr("abcABC", letter))
        return 0;
    if (op == CG_ADD64)
        return SRC_NEG;
    if (op >= ISA_COUNT)
        return 0;
    if (isa_table[op].flags & ISA_F_FLOAT)
        return SRC_NEG | SRC_ABS;
    switch (op) {
    case ISA_LOP3:
        return SRC_NOT;
    case ISA_IADD3:
    case ISA_IADD3X:
        return SRC_NEG;
    default:
        return 0;
    }
}

static bool imm_legal(const cg_inst *in, unsigned i, int64_t val)
{
    if (cg_src_words(in, i) != 2)
        return true;
    if (cg_is_float_src(in->op, i))
        return !(uint32_t)val;
    if (in->op >= ISA_COUNT)
        return true; /* decided when it is split */
    return val == (int32_t)val;
}

bool cg_src_legal(const cg_inst *in, unsigned i, const cg_src *s)
{
    char letter = src_letter(in->op, i);

    if (!letter || s->mod & ~cg_src_mods(in->op, i))
        return false;
    if (s->kind == SRC_REG)
        return cg_src_words(in, i) == 1 || !(s->off % cg_src_words(in, i));
    if (!strchr("abcABC", letter))
        return false;
    if (s->kind == SRC_IMM)
        return !s->mod && imm_legal(in, i, s->val);
    if (s->kind == SRC_UREG)
        return !(s->val % cg_src_words(in, i));
    return s->kind == SRC_CONST &&
           !(s->val % (cg_src_words(in, i) == 2 ? 8 : 4));
}

bool cg_src_fits(const cg_inst *in, unsigned i, const cg_src *s)
{
    if (!cg_src_legal(in, i, s))
        return false;
    if (s->kind == SRC_REG)
        return true;
    for (unsigned j = 0; j < 3; j++)
        if (j != i &&
            (in->src[j].kind == SRC_IMM || in->src[j].kind == SRC_CONST ||
             in->src[j].kind == SRC_UREG))
            return false;
    return true;
}

bool cg_is_fetch(const cg_inst *in)
{
    return in->op == ISA_TEX || in->op == ISA_TEXLO || in->op == ISA_TLD4;
}

bool cg_is_branch(const cg_inst *in)
{
    switch (in->op) {
    case ISA_BRA:
    case ISA_BRX:
    case ISA_RET:
        return true;
    case ISA_EXIT:
        return !in->guard.reg;
    default:
        return false;
    }
}

bool cg_has_effect(const cg_inst *in)
{
    unsigned flags = cg_flags(in);
    enum {
        KEEP = ISA_F_STORE | ISA_F_ATOMIC | ISA_F_BRANCH | ISA_F_BARRIER |
               ISA_F_EXIT | ISA_F_FENCE | ISA_F_CONVERGE
    };

    if (flags & KEEP)
        return true;
    switch (in->op) {
    case ISA_BPT:
    case ISA_NANOSLEEP:
    case ISA_MBWAIT:
    case ISA_MBTEST:
    case ISA_CCTL:
    case ISA_CALL:
    case ISA_CALLX:
    case ISA_PRINT:
    case ISA_MALLOC:
    case ISA_FREE:
    case CG_USE:
    case CG_DEF:
    case CG_FRAME:
    case CG_ORDER:
        return true;
    default:
        /* A volatile or ordered load. */
        return flags & ISA_F_LOAD && isa_table[in->op].mods >> MOD_ORDER & 1 &&
               CG_GET(in, ORDER) != ORDER_WEAK;
    }
}

unsigned cg_successors(const cg_block *b, cg_block **out, unsigned room)
{
    unsigned n = 0;
    const cg_inst *last = b->last;

    if (last && last->op == ISA_BRA)
        out[n++] = last->target;
    if (last && last->op == ISA_BRX) {
        for (uint32_t i = 0; i < last->table_size && n < room; i++)
            out[n++] = last->table[i];
        return n;
    }
    if (b->fall && n < room)
        out[n++] = b->fall;
    return n;
}

uint32_t cg_number(cg_func *f)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->nblocks; i++) {
        f->blocks[i]->id = i;
        CG_EACH(in, f->blocks[i])
        {
            in->at = n++;
            in->block = f->blocks[i];
        }
    }
    return n;
}
