/* src/isa/encode.c - the field table of encode.def, both ways. */
#include "isa/encode.h"

#include <string.h>

#include "isa/operand.h"

/* The one element of val[] an instruction uses: address offset and branch
 * target are in 0, and of the sources only one is no register. */
static unsigned value_index(const isa_inst *in)
{
    for (unsigned i = 0; i < 3; i++)
        if (in->src_kind[i] == SRC_IMM || in->src_kind[i] == SRC_CONST)
            return i;
    return 0;
}

/* Another one that it uses, in place of what isa_decode gets if it has none. */
static unsigned second_index(const isa_inst *in)
{
    unsigned first = value_index(in);

    if (in->op == ISA_LDGSTS)
        return 1;
    for (unsigned i = first + 1; i < 3; i++)
        if (in->src_kind[i] == SRC_IMM || in->src_kind[i] == SRC_CONST)
            return i;
    return 3;
}

static uint32_t second_of(const isa_inst *in)
{
    unsigned i = second_index(in);

    return i < 3 ? in->val[i] : 0;
}

static void put_encoded_bits(uint8_t *bytes, unsigned bit, unsigned width,
                             uint32_t v)
{
    for (unsigned i = 0; i < width; i++, bit++)
        bytes[bit / 8] |= (uint8_t)((v >> i & 1) << bit % 8);
}

static uint32_t get_bits(const uint8_t *bytes, unsigned bit, unsigned width)
{
    uint32_t v = 0;

    for (unsigned i = 0; i < width; i++, bit++)
        v |= (uint32_t)(bytes[bit / 8] >> bit % 8 & 1) << i;
    return v;
}

void isa_encode(const isa_inst *in, uint8_t out[ISA_CODE_BYTES])
{
    uint32_t code = isa_table[in->op].code;
    uint32_t value = in->val[value_index(in)], second = second_of(in);

    memset(out, 0, ISA_CODE_BYTES);
#define FIELD(bit, width, field, help) put_encoded_bits(out, bit, width, field);
#include "isa/encode.def"
#undef FIELD
}

/* A duplicate code does not compile. */
static unsigned find_code(uint32_t code)
{
    switch (code) {
#define INST(id, number, text, form, mods, class, flags, source)               \
    case number:                                                               \
        return ISA_##id;
#include "isa/isa.def"
#undef INST
    }
    return ISA_COUNT;
}

const char *isa_decode(const uint8_t bytes[ISA_CODE_BYTES], isa_arch arch,
                       isa_inst *out)
{
    isa_inst inst = {0}, *in = &inst;
    uint8_t again[ISA_CODE_BYTES];
    uint32_t code, value, second;
    const char *why;
    unsigned op;

#define FIELD(bit, width, field, help)                                         \
    field = (__typeof__(field))get_bits(bytes, bit, width);
#include "isa/encode.def"
#undef FIELD
    if ((op = find_code(code)) == ISA_COUNT)
        return "no such operation";
    in->op = (uint16_t)op;
    in->val[value_index(in)] = value;
    if (second_index(in) < 3)
        in->val[second_index(in)] = second;
    isa_finish(in);
    if ((why = isa_check(in, arch)))
        return why;
    isa_encode(in, again);
    if (memcmp(again, bytes, ISA_CODE_BYTES) != 0)
        return "bits that no field has, or not in canonical form";
    *out = inst;
    return NULL;
}
