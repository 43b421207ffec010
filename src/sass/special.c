/* src/sass/special.c - special registers, aliases, habits. */
#include "sass/special.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct special {
    uint8_t number;
    const char *text;
    uint8_t sreg;
} specials[] = {
#define SR_SREGS                    ISA_SREGS
#define SPECIAL(number, text, sreg) {number, text, SR_##sreg},
#include "sass/special.def"
#undef SPECIAL
};

static const struct special *special_of(unsigned number)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].number == number)
            return &specials[i];
    return NULL;
}

void sass_put_special(unsigned number, strbuf *out)
{
    const struct special *s = special_of(number);

    if (s)
        strbuf_puts(out, s->text);
    else
        strbuf_printf(out, "SR%u", number);
}

bool sass_special_named(const char *name, size_t length, unsigned *number)
{
    char *end;

    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strlen(specials[i].text) == length &&
            !memcmp(specials[i].text, name, length)) {
            *number = specials[i].number;
            return true;
        }
    if (length < 3 || memcmp(name, "SR", 2) || !isdigit((unsigned char)name[2]))
        return false;
    *number = (unsigned)strtoul(name + 2, &end, 10);
    return end == name + length && *number < 256;
}

unsigned sass_special(unsigned number)
{
    const struct special *s = special_of(number);

    return s ? s->sreg : ISA_SREGS;
}

bool sass_guard_uniform(const sass_encoding *e)
{
    return e->row->isa == ISA_MBINIT || isa_is_bulk(e->row->isa) ||
           (e->row->text[0] == 'U' && e->operand < e->field_count &&
            e->fields[e->operand].flags & FIELD_UNIFORM);
}

/* The multiplier of a product that is one immediate; 0: there is none. */
static uint32_t factor(const sass_encoding *e, sass_word w)
{
    return e->form == 4 ? (uint32_t)sass_get(w, 32, 32) : 0;
}

bool sass_has_alias(const sass_encoding *e)
{
    return !strcmp(e->row->text, "IMAD");
}

void sass_put_alias(const sass_encoding *e, sass_word w, strbuf *out)
{
    bool a_zero = sass_get(w, 24, 8) == SASS_RZ;
    bool c_first = e->form == 2 || e->form == 3;
    unsigned at_64 = (unsigned)sass_get(w, 64, 8);
    uint32_t by = factor(e, w);

    if (!sass_has_alias(e) || sass_get(w, 74, 1))
        return;
    if (e->form == 1 && a_zero && sass_get(w, 32, 8) == SASS_RZ)
        strbuf_puts(out, ".MOV");
    else if (c_first && a_zero && at_64 == SASS_RZ)
        strbuf_puts(out, ".MOV");
    else if (by == 1 && !a_zero)
        strbuf_puts(out, at_64 == SASS_RZ ? ".MOV" : ".IADD");
    else if (e->form == 4 && !by)
        strbuf_puts(out, ".MOV");
    else if (!(by & (by - 1)) && by && by != 0x10000 && at_64 == SASS_RZ)
        strbuf_puts(out, ".SHL");
}

char sass_immediate(const sass_encoding *e, sass_word w)
{
    unsigned function = (unsigned)sass_get(w, 74, 4);
    bool upper = e->row->isa == ISA_MUFU && (function == 6 || function == 7);

    return upper ? 'd' : e->row->imm;
}

bool sass_spaceless(const sass_encoding *e)
{
    return !strncmp(e->row->text, "HFMA2.MMA", 9);
}

bool sass_tight(const sass_encoding *e)
{
    switch (e->row->how) {
    case HOW_RET:
    case HOW_BRX:
    case HOW_BRXU:
        return true;
    default:
        return e->row->how == HOW_CALL && e->row->code == 0x344;
    }
}
