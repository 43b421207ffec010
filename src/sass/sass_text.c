/* src/sass/sass_text.c - from encodings to text. */
#include "sass/sass_text.h"

#include <math.h>
#include <string.h>

#include "base/must.h"
#include "sass/shape.h"
#include "sass/special.h"

static void put_guard(const sass_encoding *e, sass_word w, strbuf *out)
{
    unsigned p = (unsigned)sass_get(w, SASS_GUARD, 3);
    bool negated = sass_get(w, SASS_GUARD + 3, 1);

    if (p == SASS_PT && !negated)
        return;
    strbuf_printf(out, "@%s%s", negated ? "!" : "",
                  sass_guard_uniform(e) ? "U" : "");
    if (p == SASS_PT)
        strbuf_puts(out, "PT ");
    else
        strbuf_printf(out, "P%u ", p);
}

static void put_predicate(unsigned p, unsigned flags, strbuf *out)
{
    strbuf_puts(out, flags & FIELD_UNIFORM ? "UP" : "P");
    if (p == SASS_PT)
        strbuf_putc(out, 'T');
    else
        strbuf_printf(out, "%u", p);
}

/* As nvdisasm has it: as many digits as tell a double from its neighbours, the
 * special ones by name and with a blank behind. */
static void put_float(double v, bool quiet, strbuf *out)
{
    if (isnan(v))
        strbuf_printf(out, "%c%s ", signbit(v) ? '-' : '+',
                      quiet ? "QNAN" : "SNAN");
    else if (isinf(v))
        strbuf_printf(out, "%cINF ", v < 0 ? '-' : '+');
    else
        strbuf_printf(out, fabs(v) < 2147483648.0 ? "%.20g" : "%.20e", v);
}

static double half_value(unsigned h)
{
    int exponent = (int)(h >> 10 & 31);
    double fraction = h & 1023, v;

    if (exponent == 31)
        v = fraction ? NAN : INFINITY;
    else if (exponent)
        v = ldexp(1024 + fraction, exponent - 25);
    else
        v = ldexp(fraction, -24);
    return h >> 15 ? -v : v;
}

static float single_value(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static double double_value(uint32_t upper)
{
    uint64_t bits = (uint64_t)upper << 32;
    double d;

    memcpy(&d, &bits, sizeof d);
    return d;
}

static void put_signed(uint32_t v, strbuf *out)
{
    if (v >> 31)
        strbuf_printf(out, "-0x%x", -v);
    else
        strbuf_printf(out, "0x%x", v);
}

static void put_immediate(char kind, uint32_t v, strbuf *out)
{
    switch (kind) {
    case 'i':
        put_signed(v, out);
        break;
    case 'f':
        put_float(single_value(v), v >> 22 & 1, out);
        break;
    case 'd':
        put_float(double_value(v), v >> 19 & 1, out);
        break;
    case 'h':
        put_float(half_value(v >> 16), v >> 25 & 1, out);
        strbuf_puts(out, ", ");
        put_float(half_value(v & 0xffff), v >> 9 & 1, out);
        break;
    case 'b':
        put_float(single_value(v & 0xffff0000), v >> 22 & 1, out);
        strbuf_puts(out, ", ");
        put_float(single_value(v << 16), v >> 6 & 1, out);
        break;
    default:
        strbuf_printf(out, "0x%x", v);
    }
}

/* ".NAME" of a modifier; nothing if the text is empty. */
static void put_modifier(unsigned id, unsigned value, strbuf *out)
{
    size_t length = 0;
    const char *text = sass_modifier_text(id, value, &length);

    if (length) {
        strbuf_putc(out, '.');
        strbuf_write(out, text, length);
    }
}

static void put_halves(const sass_field *f, sass_word w, strbuf *out)
{
    static const char *const names[] = {"", ".F32", ".H0_H0", ".H1_H1"};

    if (f->half != SASS_NOWHERE)
        strbuf_puts(out, names[sass_get(w, f->half, 2)]);
}

/* In front of a register or a constant: its sign; true: a bar to close. */
static bool put_signs(const sass_field *f, sass_word w, strbuf *out)
{
    if (f->neg != SASS_NOWHERE && sass_get(w, f->neg, 1))
        strbuf_putc(out, f->flags & FIELD_NOT ? '~' : '-');
    if (f->abs == SASS_NOWHERE || !sass_get(w, f->abs, 1))
        return false;
    strbuf_putc(out, '|');
    return true;
}

static void put_register(const sass_field *f, sass_word w, strbuf *out)
{
    unsigned number = (unsigned)sass_get(w, f->bit, f->width);
    bool uniform = f->flags & FIELD_UNIFORM, bar = put_signs(f, w, out);
    bool inside = uniform && bar; /* where the halves stand */

    sass_put_register(number, uniform, out);
    if (inside)
        put_halves(f, w, out);
    if (bar)
        strbuf_putc(out, '|');
    if (f->reuse != SASS_NOWHERE && sass_get(w, f->reuse, 1))
        strbuf_puts(out, ".reuse");
    if (!inside)
        put_halves(f, w, out);
    if (f->modifier != SASS_NOWHERE)
        put_modifier(
            f->modifier,
            (unsigned)sass_get(w, f->at, sass_modifiers[f->modifier].width),
            out);
}

static void put_constant(const sass_encoding *e, const sass_field *f,
                         sass_word w, strbuf *out)
{
    bool bar = put_signs(f, w, out);

    strbuf_printf(out, "c[0x%x]%s[0x%x]", (unsigned)sass_get(w, 54, 5),
                  f->half != SASS_NOWHERE && !sass_spaceless(e) ? " " : "",
                  (unsigned)sass_get(w, 38, 16));
    put_halves(f, w, out);
    if (bar)
        strbuf_putc(out, '|');
    if (f->modifier != SASS_NOWHERE)
        put_modifier(
            f->modifier,
            (unsigned)sass_get(w, f->at, sass_modifiers[f->modifier].width),
            out);
}

/* [R2.64+UR4+0x10], desc[UR4][R2.64] */
static void put_address(const sass_field *f, sass_word w, strbuf *out)
{
    static const char *const scales[] = {"", ".X4", ".X8", ".X16"};
    unsigned base = (unsigned)sass_get(w, 24, 8);
    int64_t offset = sass_get_signed(w, f->bit, f->width);
    bool described =
        f->described != SASS_NOWHERE && sass_get(w, f->described, 1);
    bool uniform = f->uniform != SASS_NOWHERE && !described;
    bool has_base = base != SASS_RZ || (!uniform && !offset);

    if (described) {
        strbuf_puts(out, "desc[");
        sass_put_register((unsigned)sass_get(w, f->uniform, 6), true, out);
        strbuf_putc(out, ']');
    }
    strbuf_putc(out, '[');
    if (has_base) {
        sass_put_register(base, false, out);
        if (f->wide != SASS_NOWHERE)
            strbuf_puts(out, sass_get(w, f->wide, 1) ? ".64" : ".U32");
        if (f->scale != SASS_NOWHERE)
            strbuf_puts(out, scales[sass_get(w, f->scale, 2)]);
    }
    if (uniform) {
        if (has_base)
            strbuf_putc(out, '+');
        sass_put_register((unsigned)sass_get(w, f->uniform, 6), true, out);
    }
    if (offset) {
        strbuf_puts(out, has_base || uniform ? "+" : "");
        strbuf_printf(out, offset < 0 ? "-0x%llx" : "0x%llx",
                      (unsigned long long)(offset < 0 ? -offset : offset));
    }
    strbuf_putc(out, ']');
}

/* Is an operand left out? */
static bool absent(const sass_field *f, sass_word w)
{
    uint64_t v = f->width ? sass_get(w, f->bit, f->width) : 0;

    if (f->kind == FIELD_HEX)
        return f->unless != UINT16_MAX && v == f->unless;
    if (!(f->flags & FIELD_OPTIONAL))
        return false;
    if (f->kind == FIELD_REG)
        return v == (f->flags & FIELD_UNIFORM ? SASS_URZ : SASS_RZ);
    return v == (f->kind == FIELD_PINVERSE ? 0 : SASS_PT);
}

static void put_operand(const sass_table *t, const sass_encoding *e,
                        const sass_field *f, sass_word w, uint64_t address,
                        strbuf *out)
{
    unsigned v = f->width && f->width <= 32
                     ? (unsigned)sass_get(w, f->bit, f->width)
                     : 0;

    switch (f->kind) {
    case FIELD_REG:
        put_register(f, w, out);
        break;
    case FIELD_IMM:
        put_immediate(sass_immediate(e, w), v, out);
        break;
    case FIELD_CONST:
        put_constant(e, f, w, out);
        break;
    case FIELD_PDST:
        put_predicate(v, f->flags, out);
        break;
    case FIELD_PINVERSE:
        v ^= 7;
        /* fall through */
    case FIELD_PSRC:
        if (v & 8)
            strbuf_putc(out, '!');
        put_predicate(v & 7, f->flags, out);
        break;
    case FIELD_HEX:
        put_immediate(e->row->imm == 'i' ? 'i' : 'u', v, out);
        break;
    case FIELD_SREG:
        sass_put_special(v, out);
        break;
    case FIELD_BARRIER:
        strbuf_printf(out, "B%u", v);
        break;
    case FIELD_TARGET:
        strbuf_printf(
            out, "0x%llx",
            (unsigned long long)(address + SASS_BYTES) +
                (unsigned long long)sass_jump_bytes(sass_table_sm(t), w));
        break;
    case FIELD_ADDRESS:
        put_address(f, w, out);
        break;
    case FIELD_SHAPE:
        sass_shapes[f->shape].print(t, w, address, out);
        break;
    case FIELD_LITERAL:
        strbuf_write(out, f->text, f->length);
        break;
    }
}

static void put_name(const sass_encoding *e, sass_word w, strbuf *out)
{
    strbuf_puts(out, e->row->text);
    sass_put_alias(e, w, out);
    for (unsigned i = 0; i < e->operand; i++) {
        const sass_field *f = &e->fields[i];

        if (f->kind == FIELD_GROUP) {
            put_modifier(f->modifier, (unsigned)sass_get(w, f->bit, f->width),
                         out);
        } else if (f->kind == FIELD_LITERAL || sass_get(w, f->bit, 1)) {
            strbuf_putc(out, '.');
            strbuf_write(out, f->text, f->length);
        }
    }
}

void sass_put(const sass_table *t, const sass_encoding *e, sass_word w,
              uint64_t address, strbuf *out)
{
    const char *between = " ";

    put_guard(e, w, out);
    put_name(e, w, out);
    for (unsigned i = e->operand; i < e->field_count; i++) {
        size_t before = out->size;

        if (absent(&e->fields[i], w))
            continue;
        strbuf_puts(out, between);
        size_t begin = out->size;

        put_operand(t, e, &e->fields[i], w, address, out);
        if (out->size == begin) { /* a shape that has nothing to say */
            out->size = before;
            out->text[before] = '\0';
        } else {
            between = sass_tight(e) ? " " : ", ";
        }
    }
}

void sass_put_control(sass_word w, strbuf *out)
{
    unsigned c = (unsigned)sass_get(w, SASS_CONTROL, SASS_CONTROL_BITS);
    unsigned read = c >> 8 & 7, write = c >> 5 & 7;

    strbuf_puts(out, "[B");
    for (unsigned i = 0; i < 6; i++)
        strbuf_putc(out, c >> (11 + i) & 1 ? (char)('0' + i) : '-');
    strbuf_printf(
        out, ":R%c:W%c:%c:S%02u]", read == 7 ? '-' : (char)('0' + read),
        write == 7 ? '-' : (char)('0' + write), c >> 4 & 1 ? '-' : 'Y', c & 15);
}
