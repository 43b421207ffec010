#include "replay/opcode.h"

#include <string.h>

#include "isa/operand.h"

/* Operations whose replay would need what a trace does not have, so that they
 * are told as unknown: bulk copies, products of warp groups and what waits for
 * them, printf and the heap. */
bool replay_is_known(unsigned op)
{
    return !isa_is_bulk(op) && op != ISA_HGMMA && op != ISA_WGARRIVE &&
           op != ISA_WGCOMMIT && op != ISA_WGWAIT && op != ISA_UTMACMDFLUSH &&
           op != ISA_UTMAWAIT && op != ISA_MBWAIT && op != ISA_MBCOPIES &&
           op != ISA_CGAARV && op != ISA_CGAWAIT;
}

replay_act replay_act_of(const isa_inst *in)
{
    switch (in->op) {
    case ISA_EXIT:
        return REPLAY_EXIT;
    case ISA_BARSYNC:
    case ISA_BARARV:
    case ISA_BARAND:
    case ISA_BAROR:
    case ISA_BARPOPC:
        return REPLAY_BARRIER;
    case ISA_MEMBAR:
        return REPLAY_FENCE;
    case ISA_LDGDEPBAR:
    case ISA_DEPBAR:
        return REPLAY_COPIES;
    case ISA_CCTL:
    case ISA_PRINT:
        return REPLAY_COMPUTE;
    case ISA_NANOSLEEP:
        return in->src_kind[1] == SRC_IMM ? REPLAY_SLEEP : REPLAY_COMPUTE;
    default:
        return in->class == ISA_CLASS_MEM ? REPLAY_ACCESS : REPLAY_COMPUTE;
    }
}

/* ---- Names ---- */

static bool is_name(const char *name, const char *text, size_t size)
{
    return strlen(name) == size && !memcmp(name, text, size);
}

static bool find_exact(const char *text, size_t size, isa_op *op)
{
    static const struct {
        const char *name;
        isa_op op;
    } sass[] = {
#define SASS(name, op) {name, ISA_##op},
#include "replay/opcode.def"
#undef SASS
    };

    for (size_t i = 0; i < sizeof sass / sizeof sass[0]; i++) {
        if (is_name(sass[i].name, text, size)) {
            *op = sass[i].op;
            return true;
        }
    }
    for (unsigned i = 0; i < ISA_COUNT; i++) {
        if (is_name(isa_table[i].text, text, size)) {
            *op = (isa_op)i;
            return true;
        }
    }
    return false;
}

/* By as many parts of the name as possible; *used: their bytes. */
static bool find_op(const char *text, size_t size, isa_op *op, size_t *used)
{
    while (!find_exact(text, size, op)) {
        while (size && text[size - 1] != '.')
            size--;
        if (!size--)
            return false;
    }
    *used = size;
    return true;
}

/* ---- Modifiers ---- */

/* The value of `group` that is called `text`, `plus` appended; 0 is one that
 * need not be said, unless it has a name. */
static bool find_value(isa_mod group, const char *text, size_t size, char plus,
                       unsigned *value)
{
    for (unsigned v = 0;; v++) {
        size_t length;
        const char *name = isa_mod_text(group, v, &length);

        if (!name)
            return false;
        if (plus && (!length || name[--length] != plus))
            continue;
        if (length == size && size && !memcmp(name, text, size)) {
            *value = v;
            return true;
        }
    }
}

/* The first group of `op` that was not said yet and knows the word takes it. */
static bool put_word(isa_inst *in, isa_mod_set *left, const char *text,
                     size_t size, char plus)
{
    for (unsigned g = 0; g < ISA_MODS; g++) {
        unsigned value;

        if (!(*left >> g & 1) ||
            !find_value((isa_mod)g, text, size, plus, &value))
            continue;
        isa_mod_put(in, (isa_mod)g, value);
        *left &= ~((isa_mod_set)1 << g);
        return true;
    }
    return false;
}

/* Words of the vendor's that mean the same as another one here; others are of
 * no interest to timing. */
static void put_vendor_word(isa_inst *in, isa_mod_set *left, const char *text,
                            size_t size)
{
    static const char *const same[][2] = {
        {"STRONG", "RELAXED"},
        {"BYPASS", "CG"},
        {"32", ""},
        {"EF", "CS"},
    };

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (is_name(same[i][0], text, size))
            put_word(in, left, same[i][1], strlen(same[i][1]), 0);
}

static void put_modifiers(isa_inst *in, const char *text, size_t size)
{
    isa_mod_set left = isa_table[in->op].mods;

    while (size) {
        size_t length;

        text++; /* behind the dot */
        size--;
        for (length = 0; length < size && text[length] != '.';)
            length++;
        if (!put_word(in, &left, text, length, 0) &&
            !put_word(in, &left, text, length, 'A') &&
            !put_word(in, &left, text, length, 'B'))
            put_vendor_word(in, &left, text, length);
        text += length;
        size -= length;
    }
}

/* ---- Registers ---- */

/* The vendor writes a predicate before the result: then NVBit takes the result
 * for a source. */
static bool hides_result(unsigned op)
{
    const char *form = isa_table[op].form;

    return (form[0] == '?' && form[1] == 'p') ||
           (form[0] == 'p' && strchr(form, 'd'));
}

/* Of three operands that can be constants or immediates, but have only two
 * registers, B mostly is one. */
static void put_sources(isa_inst *in, const isa_operand *o, unsigned n,
                        const uint8_t *src, unsigned count)
{
    unsigned at[3], places = 0, free = 0, used = 0;

    for (unsigned i = 0; i < n && places < 3; i++) {
        if (o[i].kind != OPND_SRC && o[i].kind != OPND_REG &&
            o[i].kind != OPND_MEM && o[i].kind != OPND_CMEM)
            continue;
        at[places++] = o[i].index;
        free += o[i].kind == OPND_SRC;
    }
    for (unsigned i = 0; i < places && used < count; i++) {
        if (free == 3 && count - used == 1 && i == 1)
            continue;
        in->src[at[i]] = src[used++];
    }
}

static void put_registers(isa_inst *in, const replay_words *w)
{
    isa_operand o[ISA_OPERANDS_MAX];
    unsigned n = isa_operands(in->op, o), srcs = w->srcs;
    const uint8_t *src = w->src;
    bool result = false;

    for (unsigned i = 0; i < n; i++)
        result |= o[i].kind == OPND_DST && !o[i].uniform;
    if (isa_is_uniform(in->op))
        return;
    if (result && w->dsts) {
        in->dst = w->dst[0];
    } else if (result && srcs && hides_result(in->op)) {
        in->dst = *src++;
        srcs--;
    }
    put_sources(in, o, n, src, srcs);
}

bool replay_opcode(const replay_words *w, isa_inst *out)
{
    size_t used;
    isa_op op;

    if (!find_op(w->name, w->name_size, &op, &used) || !replay_is_known(op))
        return false;
    *out = isa_new(op);
    put_modifiers(out, w->name + used, w->name_size - used);
    put_registers(out, w);
    isa_finish(out);
    if (out->op == ISA_LDSM || out->op == ISA_STSM)
        out->bytes = 16; /* a row of a matrix */
    return true;
}
