/* src/sass/translate.c - of machine code, so far only what ends a kernel. */
#include "sass/translate.h"

#include <inttypes.h>
#include <string.h>

enum { INST_BYTES = 16, OPCODE = 0xfff };

static bool translate_one(const uint64_t word[2], size_t index, isa_inst *out)
{
    switch (word[0] & OPCODE) {
    case 0x918:
        *out = isa_new(ISA_NOP);
        break;
    case 0x94d:
        *out = isa_new(ISA_EXIT);
        break;
    case 0x947:
        *out = isa_new(ISA_BRA);
        out->val[0] = (uint32_t)index; /* padding: to itself */
        break;
    default:
        return false;
    }
    isa_finish(out);
    return true;
}

bool sass_translate(unsigned sm, const void *text, size_t bytes, isa_inst *out,
                    strbuf *unknown)
{
    bool good = true;

    (void)sm;
    for (size_t i = 0; i < bytes / INST_BYTES; i++) {
        uint64_t word[2];

        memcpy(word, (const char *)text + INST_BYTES * i, sizeof word);
        if (translate_one(word, i, &out[i]))
            continue;
        strbuf_printf(
            unknown, "%04zx %016" PRIx64 " %016" PRIx64 " opcode %#x\n",
            INST_BYTES * i, word[0], word[1], (unsigned)(word[0] & OPCODE));
        good = false;
    }
    return good;
}
