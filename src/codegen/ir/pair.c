#include "codegen/ir/pair.h"

/* Units of the GK110 besides its cores [CG:throughput]; what has none here
 * issues alone. */
static unsigned unit_of(const isa_inst *in)
{
    enum { ALONE, CORES, MULTIPLIER, DOUBLE, SPECIAL, LOAD, TEXTURE, CONTROL };
    static const uint8_t unit[ISA_CLASSES] = {
        [ISA_CLASS_FP32] = CORES,        [ISA_CLASS_FP32_CMP] = CORES,
        [ISA_CLASS_HALF] = CORES,        [ISA_CLASS_INT_ADD] = CORES,
        [ISA_CLASS_INT_CMP] = CORES,     [ISA_CLASS_LOGIC] = CORES,
        [ISA_CLASS_MOVE] = CORES,        [ISA_CLASS_INT_MUL] = MULTIPLIER,
        [ISA_CLASS_SHIFT] = MULTIPLIER,  [ISA_CLASS_BITS] = MULTIPLIER,
        [ISA_CLASS_DOT] = MULTIPLIER,    [ISA_CLASS_CONV] = MULTIPLIER,
        [ISA_CLASS_CONV64] = MULTIPLIER, [ISA_CLASS_FP64] = DOUBLE,
        [ISA_CLASS_SFU] = SPECIAL,       [ISA_CLASS_SHUFFLE] = LOAD,
        [ISA_CLASS_MEM] = LOAD,          [ISA_CLASS_TEX] = TEXTURE,
        [ISA_CLASS_NOP] = CONTROL,
    };

    return unit[in->class];
}

bool cg_on_cores(const isa_inst *in)
{
    return in->class == ISA_CLASS_FP32 ||
           unit_of(in) == unit_of(&(isa_inst){.class = ISA_CLASS_FP32});
}

static bool registers_overlap(unsigned a, unsigned n, unsigned b, unsigned m)
{
    return n && m && a < b + m && b < a + n;
}

static bool reads_register(const isa_inst *in, unsigned reg, unsigned n)
{
    for (unsigned i = 0; i < 3; i++)
        if (registers_overlap(in->src[i], in->src_regs[i], reg, n))
            return true;
    return false;
}

/* Does `b` need, or overwrite, what `a` gives? */
static bool needs_result(const isa_inst *a, const isa_inst *b)
{
    return reads_register(b, a->dst, a->dst_regs) ||
           registers_overlap(a->dst, a->dst_regs, b->dst, b->dst_regs) ||
           (a->pwrite & (b->pread | b->pwrite));
}

bool cg_pairs(const isa_inst *a, const isa_inst *b)
{
    unsigned first = unit_of(a), second = unit_of(b);

    if (!first || !second || needs_result(a, b))
        return false;
    return first != second || cg_on_cores(a);
}

/* Stays where it is: what jumps, waits, orders memory, sees other lanes or the
 * time. */
static bool stays(const isa_inst *in)
{
    return !unit_of(in) ||
           in->flags & (ISA_F_BRANCH | ISA_F_CONVERGE | ISA_F_CLOCK |
                        ISA_F_CROSS | ISA_F_FENCE | ISA_F_BARRIER);
}

static bool is_memory_inst(const isa_inst *in)
{
    return in->flags & (ISA_F_LOAD | ISA_F_STORE | ISA_F_ATOMIC) ||
           in->class == ISA_CLASS_MEM || in->class == ISA_CLASS_TEX;
}

static void add_registers(uint64_t set[4], unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n; i++)
        set[i / 64] |= (uint64_t)1 << (i % 64);
}

cg_touched cg_touches(const isa_inst *in)
{
    cg_touched t = {.pread = in->pread,
                    .pwritten = in->pwrite,
                    .stays = stays(in),
                    .memory = is_memory_inst(in)};

    add_registers(t.written, in->dst, in->dst_regs);
    for (unsigned i = 0; i < 3; i++)
        add_registers(t.read, in->src[i], in->src_regs[i]);
    return t;
}

bool cg_stays_behind(const cg_touched *b, const cg_touched *a)
{
    uint64_t both =
        (a->pwritten & (b->pread | b->pwritten)) | (a->pread & b->pwritten);

    if (a->stays || b->stays || (a->memory && b->memory))
        return true;
    for (unsigned i = 0; i < 4; i++)
        both |= (a->written[i] & (b->read[i] | b->written[i])) |
                (a->read[i] & b->written[i]);
    return both != 0;
}
