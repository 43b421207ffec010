#include "codegen/schedule/reuse.h"

#include <stdbool.h>

enum { SLOTS = 3, BANKS = 2 }; /* [HUERTA:register-file] */

/* What instructions behind the present one make of an entry of the cache. */
typedef struct next_read {
    bool any;
    bool written; /* before it is read */
    unsigned reg;
} next_read;

typedef struct reuse {
    next_read next[BANKS][SLOTS];
} reuse;

/* The warp may turn to other lanes, which have written other registers. */
static bool ends(const isa_inst *in)
{
    return in->flags & (ISA_F_BRANCH | ISA_F_CONVERGE | ISA_F_BARRIER) ||
           in->class == ISA_CLASS_BRANCH || in->class == ISA_CLASS_BARRIER;
}

/* Operands of others are read when ports are free, past the cache: ptxas marks
 * none of theirs, and keeps registers across them [PTXAS13:reuse]. Tensor cores
 * hold what they multiply by themselves. */
static bool asks(const isa_inst *in)
{
    return !(in->flags & ISA_F_VARIABLE || in->class == ISA_CLASS_MEM ||
             in->class == ISA_CLASS_LDC || in->class == ISA_CLASS_TEX ||
             in->class == ISA_CLASS_TENSOR);
}

static void write(reuse *u, const isa_inst *in)
{
    for (unsigned b = 0; b < BANKS; b++)
        for (unsigned s = 0; s < SLOTS; s++) {
            next_read *e = &u->next[b][s];

            e->written |= e->reg >= in->dst && e->reg - in->dst < in->dst_regs;
        }
}

/* Is what slot `s` reads wanted there again, and not wrong by then? */
static bool pays(const reuse *u, const isa_inst *in, unsigned s)
{
    bool wanted = false;

    if (in->src_regs[s] > BANKS)
        return false;
    for (unsigned r = in->src[s]; r < in->src[s] + in->src_regs[s]; r++) {
        const next_read *e = &u->next[r % BANKS][s];

        if (r >= ISA_RZ || !e->any || e->reg != r)
            continue;
        if (e->written)
            return false;
        wanted = true;
    }
    return wanted;
}

static void read(reuse *u, const isa_inst *in, unsigned s)
{
    for (unsigned i = in->src_regs[s]; i-- > 0;) {
        unsigned r = in->src[s] + i;

        if (r < ISA_RZ)
            u->next[r % BANKS][s] = (next_read){.any = true, .reg = r};
    }
}

void cg_reuse(isa_inst *code, uint32_t n)
{
    reuse u = {0};

    for (uint32_t i = n; i-- > 0;) {
        isa_inst *in = &code[i];

        if (ends(in)) {
            u = (reuse){0};
            continue;
        }
        write(&u, in);
        if (!asks(in))
            continue;
        for (unsigned s = 0; s < SLOTS; s++)
            if (pays(&u, in, s))
                in->ctl |= 1u << (CTL_REUSE + s);
        for (unsigned s = 0; s < SLOTS; s++)
            read(&u, in, s);
    }
}
