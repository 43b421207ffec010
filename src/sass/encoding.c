/* src/sass/encoding.c - rows of encoding.def become encodings: what has to be
 * so, and fields in printing order. */
#include "sass/encoding.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sass/shape.h"

const sass_modifier sass_modifiers[SASS_MODIFIERS] = {
#define MODIFIER(name, width, texts) {#name, width, texts},
#include "sass/modifier.def"
#undef MODIFIER
};

const sass_row sass_rows[] = {
#define SASS(code, forms, since, until, text, imm, mods, operands, isa, how)   \
    {code, forms, since,    until,     text,                                   \
     imm,  mods,  operands, ISA_##isa, HOW_##how},
#include "sass/encoding.def"
#undef SASS
};
const size_t sass_row_count = sizeof sass_rows / sizeof *sass_rows;

enum { CODES = 4096, ENCODINGS_MAX = 2048 };

struct sass_table {
    unsigned sm;
    uint16_t first[CODES]; /* encoding + 1; 0: none */
    size_t count;
    sass_encoding at[ENCODINGS_MAX];
};

const char *sass_modifier_text(unsigned id, unsigned value, size_t *length)
{
    const char *at = sass_modifiers[id].texts;

    for (; value; value--)
        at = strchr(at, '|') + 1;
    *length = strcspn(at, "|");
    return *at == '?' ? NULL : at;
}

/* Bits that the instruction does not own: guard, control, reuse. */
static sass_word shared_bits(void)
{
    return ((sass_word)0xf << SASS_GUARD) |
           ((sass_word)((1u << SASS_CONTROL_BITS) - 1) << SASS_CONTROL);
}

static sass_word bits(unsigned bit, unsigned width)
{
    return (sass_word)((UINT64_C(2) << (width - 1)) - 1) << bit;
}

/* The compiler of one encoding. */
typedef struct builder {
    sass_encoding *e;
    sass_word free; /* bits of fields */
    unsigned sm, psrc, pdst;
} builder;

static void require(builder *b, unsigned bit, unsigned width, unsigned value)
{
    b->e->mask |= bits(bit, width);
    b->e->value |= (sass_word)value << bit;
}

static sass_field *add(builder *b, sass_kind kind)
{
    sass_field *f = &b->e->fields[b->e->field_count++];

    MUST(b->e->field_count <= SASS_FIELDS);
    *f = (sass_field){.kind = (uint8_t)kind,
                      .reuse = SASS_NOWHERE,
                      .neg = SASS_NOWHERE,
                      .abs = SASS_NOWHERE,
                      .half = SASS_NOWHERE,
                      .modifier = SASS_NOWHERE,
                      .uniform = SASS_NOWHERE,
                      .wide = SASS_NOWHERE,
                      .scale = SASS_NOWHERE,
                      .described = SASS_NOWHERE,
                      .unless = UINT16_MAX};
    return f;
}

static void take(builder *b, sass_field *f, unsigned bit, unsigned width)
{
    f->bit = (uint8_t)bit;
    f->width = (uint8_t)width;
    b->free |= bits(bit, width);
}

static unsigned number(const char **at)
{
    unsigned v = 0;

    while (isdigit((unsigned char)**at))
        v = v * 10 + (unsigned)(*(*at)++ - '0');
    return v;
}

static unsigned modifier_named(const char *name, size_t length)
{
    for (unsigned i = 0; i < SASS_MODIFIERS; i++)
        if (strlen(sass_modifiers[i].name) == length &&
            !memcmp(sass_modifiers[i].name, name, length))
            return i;
    MUST(!"a modifier that modifier.def lacks");
    return 0;
}

/* "=TEXT", up to the blank. */
static void add_literal(builder *b, const char *text, size_t length)
{
    sass_field *f = add(b, FIELD_LITERAL);

    f->text = text;
    f->length = (uint8_t)length;
}

/* One word of the column of modifiers. */
static void add_modifier(builder *b, const char *word, size_t length)
{
    const char *at = word;

    if (*word == '=') {
        add_literal(b, word + 1, length - 1);
    } else if (*word == '~') {
        at++;
        unsigned bit = number(&at);

        at++;
        unsigned width = number(&at);

        b->free |= bits(bit, width);
        if (*at == '=') {
            at++;
            b->e->usual |= (sass_word)number(&at) << bit;
        }
    } else if (isdigit((unsigned char)*word)) {
        unsigned bit = number(&at), width = 1;

        if (*at == '/') {
            at++;
            width = number(&at);
        }
        at++;
        require(b, bit, width, number(&at));
    } else {
        size_t name = strcspn(word, ":");

        at = word + name + 1;
        if (islower((unsigned char)*word)) {
            sass_field *f = add(b, FIELD_GROUP);

            f->modifier = (uint8_t)modifier_named(word, name);
            take(b, f, number(&at), sass_modifiers[f->modifier].width);
        } else {
            sass_field *f = add(b, FIELD_FLAG);

            f->text = word;
            f->length = (uint8_t)name;
            take(b, f, number(&at), 1);
        }
    }
}

/* Where minus, absolute value and halves of what stands at `bit` are. */
static void place_signs(builder *b, sass_field *f, unsigned flags)
{
    bool half = flags & FIELD_HALF;
    unsigned neg = f->bit == 24 ? 72 : f->bit == 64 ? (half ? 84 : 75) : 63;
    unsigned abs = f->bit == 24 ? 73 : f->bit == 64 ? (half ? 83 : 74) : 62;

    if (flags & (FIELD_NEG | FIELD_NOT)) {
        f->neg = (uint8_t)neg;
        b->free |= bits(neg, 1);
    }
    if (flags & FIELD_ABS) {
        f->abs = (uint8_t)abs;
        b->free |= bits(abs, 1);
    }
    if (half) {
        unsigned third = b->e->row->isa == ISA_VHMNMX ? 76 : 81;

        f->half = (uint8_t)(f->bit == 24 ? 74 : f->bit == 64 ? third : 60);
        b->free |= bits(f->half, 2);
    }
}

static void add_register(builder *b, unsigned bit, unsigned flags)
{
    sass_field *f = add(b, FIELD_REG);

    take(b, f, bit, flags & FIELD_UNIFORM ? 6 : 8);
    f->flags = (uint8_t)flags;
    place_signs(b, f, flags);
}

/* What stands at 63..32, as the form says. */
static void add_slot(builder *b, unsigned flags)
{
    static const sass_slot slots[8] = {SLOT_REG,   SLOT_REG, SLOT_IMM,
                                       SLOT_CONST, SLOT_IMM, SLOT_CONST,
                                       SLOT_UREG,  SLOT_UREG};
    sass_slot slot = slots[b->e->form];

    switch (slot) {
    case SLOT_REG:
        add_register(b, 32, flags);
        break;
    case SLOT_UREG:
        add_register(b, 32, flags | FIELD_UNIFORM);
        break;
    case SLOT_IMM:
        take(b, add(b, FIELD_IMM), 32, 32);
        break;
    case SLOT_CONST: {
        sass_field *f = add(b, FIELD_CONST);

        f->bit = 32;
        b->free |= bits(38, 21);
        f->flags = (uint8_t)flags;
        place_signs(b, f, flags);
        break;
    }
    }
}

/* Operand caches are of operations with a latency that is known. */
static bool reuses(const sass_encoding *e)
{
    const isa_desc *op = &isa_table[e->row->isa];

    if (op->class == ISA_CLASS_BRANCH)
        return false;
    return !(op->flags & ISA_F_VARIABLE) || op->class == ISA_CLASS_TENSOR ||
           e->row->how == HOW_I2FP;
}

/* Sums of two have their second source in the place of C. */
static bool is_second_c(const sass_encoding *e)
{
    return strspn(e->row->forms, "1237") == 4;
}

/* A source, where the form puts it. */
static void add_source(builder *b, char letter, unsigned flags)
{
    unsigned form = b->e->form;
    bool c_first = form == 2 || form == 3 || form == 7;

    switch (letter) {
    case 'a':
        add_register(b, 24, flags);
        break;
    case 'b':
        if (c_first)
            add_register(b, 64, flags);
        else
            add_slot(b, flags);
        break;
    case 'c':
        if (c_first)
            add_slot(b, flags);
        else
            add_register(b, 64, flags);
        break;
    case 'y':
        add_slot(b, flags);
        break;
    case 'v':
        add_register(b, 32, flags);
        break;
    default:
        add_register(b, 64, flags);
    }
    sass_field *f = &b->e->fields[b->e->field_count - 1];

    f->index = letter == 'a' ? 0 : letter == 'c' || letter == 'z' ? 2 : 1;
    if (f->kind == FIELD_REG && !(f->flags & FIELD_UNIFORM) && reuses(b->e))
        f->reuse =
            (uint8_t)(SASS_REUSE +
                      (letter == 'y' && is_second_c(b->e) ? 2 : f->index));
}

/* "M" or "m", and what follows it. */
static const char *add_address(builder *b, char kind, const char *at)
{
    sass_field *f = add(b, FIELD_ADDRESS);

    take(b, f, kind == 'M' ? 32 : 40, kind == 'M' ? 32 : 24);
    b->free |= bits(24, 8);
    for (;;) {
        char letter = *at;
        const char *bit = at + 1;
        unsigned n = letter && isdigit((unsigned char)*bit) ? number(&bit) : 0;

        switch (letter) {
        case 'u':
            f->uniform = (uint8_t)n;
            b->free |= bits(n, 6);
            break;
        case 'w':
            f->wide = (uint8_t)n;
            b->free |= bits(n, 1);
            break;
        case 's':
            f->scale = (uint8_t)n;
            b->free |= bits(n, 2);
            break;
        case 'd':
            f->described = (uint8_t)n;
            b->free |= bits(n, 1);
            break;
        default:
            return at;
        }
        at = bit;
    }
}

static void add_shape(builder *b, const char *name, size_t length)
{
    sass_field *f = add(b, FIELD_SHAPE);
    unsigned id = sass_shape_named(name, length);

    f->shape = (uint8_t)id;
    if (b->sm >= 90 && *name == 'j')
        b->free |= bits(16, 8);
    for (const char *at = sass_shapes[id].bits; *at;) {
        unsigned bit = number(&at);

        at++;
        b->free |= bits(bit, number(&at));
        while (*at == ' ')
            at++;
    }
}

static const char *read_flags(const char *at, unsigned *flags)
{
    for (;; at++) {
        switch (*at) {
        case '-':
            *flags |= FIELD_NEG;
            break;
        case '|':
            *flags |= FIELD_ABS;
            break;
        case '~':
            *flags |= FIELD_NOT;
            break;
        case 'h':
            *flags |= FIELD_HALF;
            break;
        case '?':
            *flags |= FIELD_OPTIONAL;
            break;
        default:
            return at;
        }
    }
}

/* Numbers in front of `at`: a bit, or a bit and a width. */
static const char *read_place(builder *b, const char *at, sass_field *f,
                              unsigned width)
{
    unsigned bit = number(&at);

    if (!width) {
        at++;
        width = number(&at);
    }
    take(b, f, bit, width);
    return at;
}

/* "u" and what follows: a uniform register, with '~' its complement. */
static const char *add_uniform(builder *b, const char *at)
{
    sass_field *f = add(b, FIELD_REG);

    at = read_place(b, at, f, 6);
    f->flags = FIELD_UNIFORM;
    if (*at != '~')
        return at;
    f->flags |= FIELD_NOT;
    f->neg = (uint8_t)(f->bit + 6);
    b->free |= bits(f->neg, 1);
    return at + 1;
}

/* One word of the column of operands, up to what may stand behind. */
static const char *add_operand(builder *b, const char *at, unsigned flags)
{
    char letter = *at++;
    sass_field *f;

    switch (letter) {
    case 'D':
        flags |= FIELD_OPTIONAL;
        /* fall through */
    case 'd':
        f = add(b, FIELD_REG);
        take(b, f, 16, flags & FIELD_UNIFORM ? 6 : 8);
        f->flags = (uint8_t)flags;
        break;
    case 'u':
        return add_uniform(b, at);
    case 'p':
        f = add(b, FIELD_PDST);
        at = read_place(b, at, f, 3);
        f->index = (uint8_t)b->pdst++;
        break;
    case 'q':
    case 'i':
        f = add(b, letter == 'q' ? FIELD_PSRC : FIELD_PINVERSE);
        at = read_place(b, at, f, 4);
        f->index = (uint8_t)b->psrc++;
        break;
    case 'x':
        f = add(b, FIELD_HEX);
        at = read_place(b, at, f, 0);
        if (*at == '!') {
            at++;
            f->unless = (uint16_t)number(&at);
        }
        break;
    case 's':
        f = add(b, FIELD_SREG);
        at = read_place(b, at, f, 8);
        break;
    case 'B':
        f = add(b, FIELD_BARRIER);
        at = read_place(b, at, f, 4);
        break;
    case 'j':
        f = add(b, FIELD_TARGET);
        take(b, f, 34, 48);
        if (b->sm >= 90)
            b->free |= bits(16, 8);
        break;
    case 'm':
    case 'M':
        return add_address(b, letter, at);
    default:
        at = read_flags(at, &flags);
        add_source(b, letter, flags);
        f = &b->e->fields[b->e->field_count - 1];
    }
    f->letter = letter;
    at = read_flags(at, &flags);
    f->flags |= (uint8_t)(flags & (FIELD_OPTIONAL | FIELD_UNIFORM));
    return at;
}

static void add_operand_word(builder *b, const char *word, size_t length)
{
    const char *at = word, *end = word + length;
    unsigned flags = 0;

    if (*at == '^') {
        flags = FIELD_UNIFORM;
        at++;
    }
    if (*at == '=') {
        add_literal(b, at + 1, (size_t)(end - at) - 1);
        return;
    }
    if (*at == '@') {
        add_shape(b, at + 1, (size_t)(end - at) - 1);
        return;
    }
    at = add_operand(b, at, flags);
    sass_field *f = &b->e->fields[b->e->field_count - 1];

    if (*at == ':' && f->kind == FIELD_IMM) { /* its bits are the number's */
        at += strcspn(at, "/");
    } else if (*at == ':') {
        size_t name = strcspn(at + 1, "@");

        f->modifier = (uint8_t)modifier_named(at + 1, name);
        at += name + 2;
        f->at = (uint8_t)number(&at);
        b->free |= bits(f->at, sass_modifiers[f->modifier].width);
    }
    if (*at == '/') {
        at++;
        f->index = (uint8_t)number(&at);
    }
    MUST(at == end);
}

static void each_word(builder *b, const char *words,
                      void (*what)(builder *, const char *, size_t))
{
    while (*words) {
        size_t length = strcspn(words, " ");

        what(b, words, length);
        words += length;
        while (*words == ' ')
            words++;
    }
}

static void build(sass_encoding *e, const sass_row *row, unsigned form,
                  unsigned sm)
{
    builder b = {.e = e, .sm = sm};

    *e = (sass_encoding){.row = row, .form = (uint8_t)form};
    require(&b, 0, 12, form ? row->code | form << 9 : row->code);
    if (form >= 6)
        require(&b, 91, 1, 1);
    each_word(&b, row->mods, add_modifier);
    e->operand = e->field_count;
    each_word(&b, row->operands, add_operand_word);
    e->mask |= ~(b.free | shared_bits());
}

static void enter(sass_table *t, const sass_row *row, unsigned form)
{
    MUST(t->count < ENCODINGS_MAX);
    sass_encoding *e = &t->at[t->count++];

    build(e, row, form, t->sm);
    uint16_t *last = &t->first[sass_get(e->value, 0, 12)];

    while (*last)
        last = &t->at[*last - 1].next;
    *last = (uint16_t)t->count;
}

sass_table *sass_table_new(unsigned sm)
{
    sass_table *t = sm >= 70 && sm < 100 ? calloc(1, sizeof *t) : NULL;

    if (!t)
        return NULL;
    t->sm = sm;
    for (size_t i = 0; i < sass_row_count; i++) {
        const sass_row *row = &sass_rows[i];

        if (sm < row->since || sm > row->until)
            continue;
        if (!*row->forms)
            enter(t, row, 0);
        for (const char *form = row->forms; *form; form++)
            enter(t, row, (unsigned)(*form - '0'));
    }
    return t;
}

void sass_table_free(sass_table *t) { free(t); }

unsigned sass_table_sm(const sass_table *t) { return t->sm; }

const sass_encoding *sass_encodings(const sass_table *t, size_t *count)
{
    *count = t->count;
    return t->at;
}

const sass_encoding *sass_find_code(const sass_table *t, sass_word w)
{
    unsigned i = t->first[sass_get(w, 0, 12)];

    return i ? &t->at[i - 1] : NULL;
}

/* Are all values of the groups of `e` known? */
static bool values_known(const sass_encoding *e, sass_word w)
{
    for (unsigned i = 0; i < e->field_count; i++) {
        const sass_field *f = &e->fields[i];
        size_t length;

        if (f->modifier == SASS_NOWHERE)
            continue;
        unsigned bit = f->kind == FIELD_GROUP ? f->bit : f->at;

        if (!sass_modifier_text(
                f->modifier,
                (unsigned)sass_get(w, bit, sass_modifiers[f->modifier].width),
                &length))
            return false;
    }
    return true;
}

const sass_encoding *sass_find(const sass_table *t, sass_word w)
{
    for (unsigned i = t->first[sass_get(w, 0, 12)]; i; i = t->at[i - 1].next) {
        const sass_encoding *e = &t->at[i - 1];

        if ((w & e->mask) == e->value && values_known(e, w))
            return e;
    }
    return NULL;
}

int64_t sass_jump_bytes(unsigned sm, sass_word w)
{
    int64_t words = sass_get_signed(w, 34, 48);

    if (sm >= 90)
        words = words * 256 + (int64_t)sass_get(w, 16, 8);
    return words * 4;
}

bool sass_set_jump(unsigned sm, sass_word *w, int64_t bytes)
{
    const sass_word high = bits(34, 48), low = bits(16, 8);
    int64_t words = bytes / 4;

    if (bytes % 4)
        return false;
    if (sm >= 90) {
        *w = (*w & ~low) | (sass_word)(words & 255) << 16;
        words >>= 8;
    }
    *w = (*w & ~high) | ((sass_word)(uint64_t)words << 34 & high);
    return sass_jump_bytes(sm, *w) == bytes;
}
