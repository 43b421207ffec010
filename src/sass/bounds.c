/* src/sass/bounds.c - see bounds.h. */
#include "sass/bounds.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sass/encoding.h"
#include "sass/translate.h"

enum { FAR = 64, NO_BAR = 7 };

static const char *const use_names[SASS_USES] = {
    "register", "predicate", "guard", "uniform", "uniform_lane"};

static unsigned write_barrier(const isa_inst *in)
{
    return in->ctl >> CTL_WRITE_BAR & 7;
}

static unsigned stall(const isa_inst *in)
{
    unsigned cycles = in->ctl >> CTL_STALL & 15;

    return cycles ? cycles : 1;
}

static bool waits(const isa_inst *in) { return in->ctl >> CTL_WAIT & 0x3f; }

static bool overlap(unsigned a, unsigned na, unsigned b, unsigned nb)
{
    return na && nb && a < b + nb && b < a + na;
}

static bool reads_register(const isa_inst *in, const isa_inst *from)
{
    for (unsigned i = 0; i < 3; i++)
        if (overlap(in->src[i], in->src_regs[i], from->dst, from->dst_regs) ||
            overlap(in->src[i], in->src_regs[i], isa_second(from),
                    from->dst2_regs))
            return true;
    return false;
}

static bool reads_uniform(const isa_inst *in, const isa_inst *from)
{
    unsigned regs, plus = isa_uaddr(in, &regs);

    for (unsigned i = 0; i < 3; i++)
        if (overlap(in->src[i], in->usrc_regs[i], from->dst, from->udst_regs))
            return true;
    return overlap(plus, regs, from->dst, from->udst_regs);
}

/* How `in` uses the result of `from`; SASS_USES: it does not. */
static sass_use use_of(const isa_inst *in, const isa_inst *from)
{
    unsigned guard = in->guard & 7;

    if (guard != ISA_PT && from->pwrite >> guard & 1 && !isa_guard_uniform(in))
        return USE_GUARD;
    if (in->pread & from->pwrite)
        return USE_PREDICATE;
    if (reads_register(in, from))
        return USE_REGISTER;
    if (reads_uniform(in, from))
        return isa_is_uniform(in->op) ? USE_UNIFORM : USE_UNIFORM_LANE;
    return SASS_USES;
}

/* Jumps and barriers, and units that take operands from a queue, read later
 * than others: what is left in front of them says less. */
static bool reads_at_once(const isa_inst *in)
{
    return in->class != ISA_CLASS_BRANCH && in->class != ISA_CLASS_BARRIER &&
           !(in->flags & ISA_F_VARIABLE);
}

/* Ends what follows in a row. */
static bool ends_row(const isa_inst *in)
{
    return in->flags &
           (ISA_F_BRANCH | ISA_F_CONVERGE | ISA_F_BARRIER | ISA_F_EXIT);
}

static bool overwrites(const isa_inst *in, const isa_inst *from)
{
    return overlap(in->dst, in->dst_regs, from->dst, from->dst_regs) ||
           overlap(in->dst, in->dst_regs, isa_second(from), from->dst2_regs) ||
           overlap(isa_second(in), in->dst2_regs, from->dst, from->dst_regs) ||
           overlap(in->dst, in->udst_regs, from->dst, from->udst_regs) ||
           in->pwrite & from->pwrite;
}

static void note(sass_bound *b, uint32_t cycles)
{
    if (!b->pairs++ || cycles < b->cycles)
        b->cycles = cycles;
}

static void add_one(sass_bounds *b, const isa_inst *code, size_t count)
{
    uint32_t cycles = stall(&code[0]);

    for (size_t i = 1; i < count && cycles < FAR; i++) {
        if (waits(&code[i]))
            return;
        sass_use use = use_of(&code[i], &code[0]);

        if (use < SASS_USES) {
            if (reads_at_once(&code[i]) || use == USE_GUARD)
                note(&b->of[code[0].class][use], cycles);
            return;
        }
        if (ends_row(&code[i]) || overwrites(&code[i], &code[0]))
            return;
        cycles += stall(&code[i]);
    }
}

void sass_bounds_add(sass_bounds *b, const isa_inst *code, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const isa_inst *in = &code[i];
        bool gives = in->dst_regs || in->pwrite || in->udst_regs;

        if (gives && write_barrier(in) == NO_BAR && !ends_row(in))
            add_one(b, in, count - i);
    }
}

void sass_bounds_of(sass_bounds *b, const cubin *c)
{
    for (uint32_t i = 0; i < c->function_count; i++) {
        const cubin_section *s = &c->sections[c->functions[i].section];
        size_t count = s->size / SASS_BYTES;
        isa_inst *code = new0(count ? count : 1, sizeof *code);
        strbuf unknown = {0};

        if (s->bytes &&
            sass_translate(c->sm, s->bytes, s->size, code, &unknown))
            sass_bounds_add(b, code, count);
        strbuf_fini(&unknown);
        free(code);
    }
}

void sass_bounds_put(const sass_bounds *b, strbuf *out)
{
    for (unsigned k = 0; k < ISA_CLASSES; k++)
        for (unsigned u = 0; u < SASS_USES; u++)
            if (b->of[k][u].pairs)
                strbuf_printf(out, "%s\t%s\t%u\t%llu\n", isa_class_names[k],
                              use_names[u], b->of[k][u].cycles,
                              (unsigned long long)b->of[k][u].pairs);
}
