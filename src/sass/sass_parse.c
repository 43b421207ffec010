/* src/sass/sass_parse.c - from text to encodings: each encoding of that name is
 * tried along its fields, in printing order; of those that fit, the one counts
 * that prints as the text does. */
#include "sass/sass_parse.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sass/parse_parts.h"
#include "sass/sass_text.h"
#include "sass/shape.h"
#include "sass/special.h"

typedef struct sass_parser {
    const sass_table *t;
    const sass_encoding *e;
    const char *text, *farthest;
    uint64_t address;
    const sass_labels *labels;
    bool found;
    sass_word word; /* the first that fits, or one that prints the same */
} sass_parser;

static bool match_name(sass_parser *p, unsigned i, const char *at, sass_word w);
static bool match_operand(sass_parser *p, unsigned i, const char *at,
                          sass_word w, bool first);

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void note(sass_parser *p, const char *at)
{
    if (at > p->farthest)
        p->farthest = at;
}

/* ---- Floating-point immediates ---- */

static bool single_bits(double v, uint32_t *bits)
{
    float f = (float)v;

    memcpy(bits, &f, sizeof *bits);
    return !isinf(f) || isinf(v);
}

static bool double_bits(double v, uint32_t *upper)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    *upper = (uint32_t)(bits >> 32);
    return !(uint32_t)bits; /* an immediate has no lower half */
}

/* To the nearest. */
static bool half_bits(double v, uint32_t *bits)
{
    double size = fabs(v);
    int exponent = size > 0 ? ilogb(size) : -14;

    if (exponent < -14)
        exponent = -14;
    *bits = signbit(v) ? 0x8000 : 0;
    if (isinf(v)) {
        *bits |= 0x7c00;
        return true;
    }
    if (exponent > 15)
        return false;
    *bits += (uint32_t)((exponent + 14) * 1024) +
             (uint32_t)nearbyint(ldexp(size, 10 - exponent));
    return (*bits & 0x7fff) < 0x7c00;
}

static bool bfloat_bits(double v, uint32_t *bits)
{
    uint32_t single;

    if (!single_bits(v, &single))
        return false;
    *bits = (single + 0x7fff + (single >> 16 & 1)) >> 16;
    return true;
}

/* Infinities and NaNs: as compilers have them. */
static bool special_bits(const char **at, char kind, uint32_t *bits)
{
    static const struct {
        char kind;
        uint32_t infinity, quiet, signaling;
    } rows[] = {
        {'f', 0x7f800000, 0x7fc00000, 0x7fa00000},
        {'d', 0x7ff00000, 0x7ff80000, 0x7ff40000},
        {'h', 0x7c00, 0x7e00, 0x7d00},
        {'b', 0x7f80, 0x7fc0, 0x7fa0},
    };
    unsigned row = 0;
    bool minus = sass_read_maybe(at, "-");

    while (rows[row].kind != kind)
        row++;
    sass_read_maybe(at, "+");
    if (sass_read_maybe(at, "INF"))
        *bits = rows[row].infinity;
    else if (sass_read_maybe(at, "QNAN"))
        *bits = rows[row].quiet;
    else if (sass_read_maybe(at, "SNAN"))
        *bits = rows[row].signaling;
    else
        return false;
    if (minus)
        *bits |= kind == 'f' || kind == 'd' ? 0x80000000 : 0x8000;
    return true;
}

static bool parse_float(const char **at, char kind, uint32_t *bits)
{
    const char *from = *at;
    int64_t raw;
    char *end;
    double v;

    if (special_bits(at, kind, bits))
        return true;
    *at = from;
    if (strspn(from + strspn(from, " "), "0xX") >= 2 &&
        sass_read_number(at, &raw)) {
        *bits = (uint32_t)raw;
        return raw >= 0 && !(raw >> (kind == 'f' || kind == 'd' ? 32 : 16));
    }
    v = strtod(from, &end);
    if (end == from || in_name(*end))
        return false;
    *at = end;
    switch (kind) {
    case 'f':
        return single_bits(v, bits);
    case 'd':
        return double_bits(v, bits);
    case 'h':
        return half_bits(v, bits);
    default:
        return bfloat_bits(v, bits);
    }
}

/* Where a label is, too: what a function returns to. */
static bool parse_immediate(const sass_parser *p, const char **at, char kind,
                            sass_word *w)
{
    const char *from = *at;
    uint32_t bits, upper;
    uint64_t place;
    int64_t v;

    switch (kind) {
    case 'i':
    case 'u':
        if (p->labels && from[strspn(from, " ")] == '.') {
            if (!sass_read_place(at, p->labels, &place))
                return false;
            bits = (uint32_t)place;
            break;
        }
        if (!sass_read_number(at, &v) || v > UINT32_MAX || v < INT32_MIN)
            return false;
        bits = (uint32_t)v;
        break;
    case 'f':
    case 'd':
        if (!parse_float(at, kind, &bits))
            return false;
        break;
    default:
        if (!parse_float(at, kind, &upper) || !sass_read_text(at, ",") ||
            !parse_float(at, kind, &bits))
            return false;
        bits |= upper << 16;
    }
    sass_set(w, 32, 32, bits);
    return true;
}

/* ---- Modifiers ---- */

/* Behind ".TEXT" at `at`; NULL: something else is there. */
static const char *behind(const char *at, const char *text, size_t length)
{
    if (*at != '.' || strncmp(at + 1, text, length) || in_name(at[1 + length]))
        return NULL;
    return at + 1 + length;
}

static bool match_group(sass_parser *p, unsigned i, const char *at, sass_word w)
{
    const sass_field *f = &p->e->fields[i];

    for (unsigned v = 0; v < 1u << f->width; v++) {
        size_t length;
        const char *text = sass_modifier_text(f->modifier, v, &length);
        const char *next = !text    ? NULL
                           : length ? behind(at, text, length)
                                    : at;

        if (!next)
            continue;
        sass_set(&w, f->bit, f->width, v);
        if (match_name(p, i + 1, next, w))
            return true;
    }
    return false;
}

static bool match_name(sass_parser *p, unsigned i, const char *at, sass_word w)
{
    const sass_field *f = &p->e->fields[i];
    const char *next;

    note(p, at);
    if (i == p->e->operand)
        return !*at || *at == ' ' ? match_operand(p, i, at, w, true) : false;
    if (f->kind == FIELD_GROUP)
        return match_group(p, i, at, w);
    next = behind(at, f->text, f->length);
    if (f->kind == FIELD_LITERAL)
        return next && match_name(p, i + 1, next, w);
    if (next) {
        sass_word set = w;

        sass_set(&set, f->bit, 1, 1);
        if (match_name(p, i + 1, next, set))
            return true;
    }
    return match_name(p, i + 1, at, w);
}

/* ---- Operands ---- */

/* ".B1" and the like behind an operand; one whose text is empty stands for
 * itself. */
static bool parse_behind(const sass_field *f, const char **at, sass_word *w)
{
    unsigned width, empty = UINT32_MAX;

    if (f->modifier == SASS_NOWHERE)
        return true;
    width = sass_modifiers[f->modifier].width;
    for (unsigned v = 0; v < 1u << width; v++) {
        size_t length;
        const char *text = sass_modifier_text(f->modifier, v, &length);
        const char *next = text && length ? behind(*at, text, length) : NULL;

        if (text && !length)
            empty = v;
        if (!next)
            continue;
        *at = next;
        sass_set(w, f->at, width, v);
        return true;
    }
    if (empty == UINT32_MAX)
        return false;
    sass_set(w, f->at, width, empty);
    return true;
}

static void parse_halves(const sass_field *f, const char **at, sass_word *w)
{
    if (f->half == SASS_NOWHERE)
        return;
    sass_set(w, f->half, 2,
             sass_read_maybe(at, ".F32")     ? 1
             : sass_read_maybe(at, ".H0_H0") ? 2
             : sass_read_maybe(at, ".H1_H1") ? 3
                                             : 0);
}

/* In front; true: a bar is open. */
static bool parse_signs(const sass_field *f, const char **at, sass_word *w)
{
    bool bar;

    if (f->neg != SASS_NOWHERE)
        sass_set(w, f->neg, 1,
                 sass_read_maybe(at, f->flags & FIELD_NOT ? "~" : "-"));
    if (f->abs == SASS_NOWHERE)
        return false;
    bar = sass_read_maybe(at, "|");
    sass_set(w, f->abs, 1, bar);
    return bar;
}

static bool parse_source(const sass_field *f, const char **at, sass_word *w)
{
    bool uniform = f->flags & FIELD_UNIFORM, bar = parse_signs(f, at, w);
    bool inside = uniform && bar;
    unsigned number;

    if (!sass_read_register(at, uniform, &number))
        return false;
    sass_set(w, f->bit, f->width, number);
    if (inside)
        parse_halves(f, at, w);
    if (bar && !sass_read_text(at, "|"))
        return false;
    if (f->reuse != SASS_NOWHERE)
        sass_set(w, f->reuse, 1, sass_read_maybe(at, ".reuse"));
    if (!inside)
        parse_halves(f, at, w);
    return parse_behind(f, at, w);
}

static bool parse_constant(const sass_field *f, const char **at, sass_word *w)
{
    bool bar = parse_signs(f, at, w);

    if (!sass_read_text(at, "c[") || !sass_read_unsigned(at, w, 54, 5) ||
        !sass_read_text(at, "]") || !sass_read_text(at, "[") ||
        !sass_read_unsigned(at, w, 38, 16) || !sass_read_text(at, "]"))
        return false;
    parse_halves(f, at, w);
    return (!bar || sass_read_text(at, "|")) && parse_behind(f, at, w);
}

/* Register A of an address, and what is behind it; true: there is one. */
static bool parse_base(const sass_field *f, const char **at, sass_word *w)
{
    static const char *const scales[] = {".X4", ".X8", ".X16"};
    const char *from = *at;
    unsigned base;

    if (!sass_read_register(at, false, &base)) {
        *at = from;
        sass_set(w, 24, 8, SASS_RZ);
        if (f->wide != SASS_NOWHERE)
            sass_set(w, f->wide, 1, 1);
        return false;
    }
    sass_set(w, 24, 8, base);
    if (f->wide != SASS_NOWHERE) {
        sass_set(w, f->wide, 1, sass_read_maybe(at, ".64"));
        sass_read_maybe(at, ".U32");
    }
    for (unsigned i = 0; f->scale != SASS_NOWHERE && i < 3; i++)
        if (sass_read_maybe(at, scales[i]))
            sass_set(w, f->scale, 2, i + 1);
    return true;
}

/* [R2.64+UR4+0x10], desc[UR4][R2.64] */
static bool parse_address(const sass_field *f, const char **at, sass_word *w)
{
    bool described =
        f->described != SASS_NOWHERE && sass_read_maybe(at, "desc[");
    bool uniform = f->uniform != SASS_NOWHERE && !described, some;
    unsigned ur;

    if (described) {
        if (!sass_read_register(at, true, &ur) || !sass_read_text(at, "]"))
            return false;
        sass_set(w, f->uniform, 6, ur);
    }
    if (f->described != SASS_NOWHERE)
        sass_set(w, f->described, 1, described);
    if (!sass_read_text(at, "["))
        return false;
    some = parse_base(f, at, w);
    if (uniform) {
        if ((some && !sass_read_text(at, "+")) ||
            !sass_read_register(at, true, &ur))
            return false;
        sass_set(w, f->uniform, 6, ur);
        some = true;
    }
    sass_set(w, f->bit, f->width, 0);
    if (sass_read_maybe(at, "]"))
        return some;
    return (!some || sass_read_text(at, "+")) &&
           sass_read_signed(at, w, f->bit, f->width) && sass_read_text(at, "]");
}

static bool parse_special(const sass_field *f, const char **at, sass_word *w)
{
    const char *name;
    unsigned number;

    while (**at == ' ')
        ++*at;
    name = *at;
    while (in_name(**at) || **at == '.')
        ++*at;
    if (!sass_special_named(name, (size_t)(*at - name), &number))
        return false;
    sass_set(w, f->bit, f->width, number);
    return true;
}

static bool parse_target(const sass_parser *p, const char **at, sass_word *w)
{
    uint64_t to;

    return sass_read_place(at, p->labels, &to) &&
           sass_set_jump(sass_table_sm(p->t), w,
                         (int64_t)(to - p->address - SASS_BYTES));
}

static bool parse_literal(const sass_field *f, const char **at)
{
    while (**at == ' ')
        ++*at;
    if (strncmp(*at, f->text, f->length) || in_name((*at)[f->length]))
        return false;
    *at += f->length;
    return true;
}

static bool parse_operand(const sass_parser *p, const sass_field *f,
                          const char **at, sass_word *w)
{
    unsigned v;

    switch (f->kind) {
    case FIELD_REG:
        return parse_source(f, at, w);
    case FIELD_IMM:
        return parse_immediate(p, at, sass_immediate(p->e, *w), w);
    case FIELD_CONST:
        return parse_constant(f, at, w);
    case FIELD_PDST:
    case FIELD_PSRC:
    case FIELD_PINVERSE:
        if (!sass_read_predicate(at, f->flags & FIELD_UNIFORM,
                                 f->kind != FIELD_PDST, &v))
            return false;
        sass_set(w, f->bit, f->width, f->kind == FIELD_PINVERSE ? v ^ 7 : v);
        return true;
    case FIELD_HEX:
        if (f->width == 32)
            return parse_immediate(p, at, 'u', w);
        return sass_read_unsigned(at, w, f->bit, f->width);
    case FIELD_SREG:
        return parse_special(f, at, w);
    case FIELD_BARRIER:
        if (!sass_read_counted(at, "B", 15, &v))
            return false;
        sass_set(w, f->bit, f->width, v);
        return true;
    case FIELD_TARGET:
        return parse_target(p, at, w);
    case FIELD_ADDRESS:
        return parse_address(f, at, w);
    case FIELD_SHAPE:
        return sass_parse_shape(f->shape, at, sass_table_sm(p->t), p->address,
                                p->labels, w);
    default:
        return parse_literal(f, at);
    }
}

/* What an operand is that is not printed; false: it always is. */
static bool unprinted(const sass_field *f, sass_word *w)
{
    uint64_t v = SASS_PT;

    if (f->kind == FIELD_HEX && f->unless != UINT16_MAX)
        v = f->unless;
    else if (f->kind == FIELD_SHAPE && f->shape == SHAPE_cctl)
        return sass_set(w, 24, 8, SASS_RZ), true;
    else if (f->kind == FIELD_HEX || !(f->flags & FIELD_OPTIONAL))
        return false;
    else if (f->kind == FIELD_REG)
        v = f->flags & FIELD_UNIFORM ? SASS_URZ : SASS_RZ;
    else if (f->kind == FIELD_PINVERSE)
        v = 0;
    sass_set(w, f->bit, f->width, v);
    return true;
}

/* All of the text is an instruction: does it print the same? */
static bool accept(sass_parser *p, const char *at, sass_word w)
{
    strbuf text = {0};
    bool same;

    while (*at == ' ')
        at++;
    note(p, at);
    if (*at || sass_find(p->t, w) != p->e)
        return false;
    sass_put(p->t, p->e, w, p->address, &text);
    same = !strcmp(text.text, p->text);
    strbuf_fini(&text);
    if (!p->found || same)
        p->word = w;
    p->found = true;
    return same;
}

/* A separator, but for the first. */
static bool separated(const sass_parser *p, const char **at, bool first)
{
    return first || sass_read_maybe(at, ",") || sass_tight(p->e);
}

/* `first`: no operand is in front of it. */
static bool match_operand(sass_parser *p, unsigned i, const char *at,
                          sass_word w, bool first)
{
    const sass_field *f = &p->e->fields[i];
    const char *next = at;
    sass_word with = w;

    note(p, at);
    if (i == p->e->field_count)
        return accept(p, at, w);
    if (separated(p, &next, first) && parse_operand(p, f, &next, &with) &&
        match_operand(p, i + 1, next, with, false))
        return true;
    return unprinted(f, &w) && match_operand(p, i + 1, at, w, first);
}

/* ---- Instructions ---- */

typedef struct guard {
    bool given, uniform;
    unsigned predicate;
} guard;

static bool parse_guard(const char **at, guard *g)
{
    *g = (guard){.predicate = SASS_PT};
    if (!sass_read_maybe(at, "@"))
        return true;
    const char *from = *at;

    g->given = true;
    if (sass_read_predicate(at, false, true, &g->predicate))
        return true;
    *at = from;
    g->uniform = true;
    return sass_read_predicate(at, true, true, &g->predicate);
}

/* `at`: behind the guard. True: it prints the same, so that no other has to be
 * looked at. */
static bool try_encoding(sass_parser *p, const char *at, const guard *g)
{
    static const char *const aliases[] = {".MOV", ".IADD", ".SHL"};
    const sass_encoding *e = p->e;
    size_t n = strlen(e->row->text);
    sass_word w = e->value | e->usual;

    if (strncmp(at, e->row->text, n) || in_name(at[n]) ||
        (g->given && g->uniform != sass_guard_uniform(e)))
        return false;
    sass_set(&w, SASS_GUARD, 4, g->predicate);
    at += n;
    if (match_name(p, 0, at, w))
        return true;
    for (size_t i = 0; sass_has_alias(e) && i < COUNTOF(aliases); i++) {
        const char *next = behind(at, aliases[i] + 1, strlen(aliases[i]) - 1);

        if (next && match_name(p, 0, next, w))
            return true;
    }
    return false;
}

bool sass_parse(const sass_table *t, const char *text, uint64_t address,
                const sass_labels *labels, sass_word *out, const char **where)
{
    sass_parser p = {.t = t,
                     .text = text,
                     .farthest = text,
                     .address = address,
                     .labels = labels};
    const char *at = text;
    size_t count;
    const sass_encoding *all = sass_encodings(t, &count);
    guard g;

    if (!parse_guard(&at, &g)) {
        *where = text;
        return false;
    }
    while (*at == ' ')
        at++;
    p.farthest = at;
    for (size_t i = 0; i < count; i++) {
        p.e = &all[i];
        if (try_encoding(&p, at, &g))
            break;
    }
    *out = p.word;
    *where = p.farthest;
    return p.found;
}

bool sass_parse_control(const char **text, sass_word *w)
{
    const char *at = *text;
    unsigned waits = 0, yield, stall, places[2];

    if (strncmp(at, "[B", 2))
        return false;
    at += 2;
    for (unsigned i = 0; i < 6; i++, at++) {
        if (*at == (char)('0' + i))
            waits |= 1u << i;
        else if (*at != '-')
            return false;
    }
    for (unsigned i = 0; i < 2; i++, at += 3) {
        if (at[0] != ':' || at[1] != "RW"[i] ||
            !((at[2] >= '0' && at[2] < '6') || at[2] == '-'))
            return false;
        places[i] = at[2] == '-' ? 7 : (unsigned)(at[2] - '0');
    }
    if (at[0] != ':' || (at[1] != 'Y' && at[1] != '-') || at[2] != ':' ||
        at[3] != 'S' || !isdigit((unsigned char)at[4]) ||
        !isdigit((unsigned char)at[5]) || at[6] != ']')
        return false;
    yield = at[1] == '-';
    stall = (unsigned)(at[4] - '0') * 10 + (unsigned)(at[5] - '0');
    if (stall > 15)
        return false;
    sass_set(w, SASS_CONTROL, SASS_CONTROL_BITS - 4,
             stall | yield << 4 | places[1] << 5 | places[0] << 8 |
                 waits << 11);
    *text = at + 7;
    return true;
}
