/* src/sass/encoding.h - the machine code of NVIDIA GPUs from Volta to Hopper:
 * the rows of encoding.def, compiled for one capability into what decoder,
 * printer, encoder and lowering walk along. A table owns its encodings and
 * borrows nothing; it does not change once it is made. */
#ifndef SASS_ENCODING_H
#define SASS_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

/* An instruction: 128 bits, bit 0 the lowest of the first byte in memory. */
typedef unsigned __int128 sass_word;

enum { SASS_BYTES = 16 };

static inline uint64_t sass_get(sass_word w, unsigned bit, unsigned width)
{
    return (uint64_t)(w >> bit) & ((UINT64_C(2) << (width - 1)) - 1);
}

/* The same as a number with a sign. */
static inline int64_t sass_get_signed(sass_word w, unsigned bit, unsigned width)
{
    return (int64_t)(sass_get(w, bit, width) << (64 - width)) >> (64 - width);
}

/* Fields that all instructions have. */
enum {
    SASS_GUARD = 12,    /* predicate, then its complement */
    SASS_CONTROL = 105, /* stall 4, yield 1, write and read barrier 3 each,
                           mask of barriers waited for 6 */
    SASS_REUSE = 122,   /* A, B, C */
    SASS_CONTROL_BITS = 21,
};

enum { SASS_RZ = 255, SASS_URZ = 63, SASS_PT = 7 };

typedef struct sass_modifier {
    const char *name;
    uint8_t width;
    const char *texts; /* as in modifier.def */
} sass_modifier;

typedef enum sass_modifier_id {
#define MODIFIER(name, width, texts) SASS_MOD_##name,
#include "sass/modifier.def"
#undef MODIFIER
    SASS_MODIFIERS
} sass_modifier_id;

extern const sass_modifier sass_modifiers[SASS_MODIFIERS];

/* Text of a value, not NUL-terminated and without its first dot; NULL if it is
 * not known. */
const char *sass_modifier_text(unsigned id, unsigned value, size_t *length);

/* What a form makes of bits 63..32. */
typedef enum sass_slot { SLOT_REG, SLOT_IMM, SLOT_CONST, SLOT_UREG } sass_slot;

typedef enum sass_kind {
    FIELD_FLAG,    /* modifier: a bit and the text of it */
    FIELD_GROUP,   /* modifier: a value of modifier.def */
    FIELD_LITERAL, /* modifier or operand: a text */
    FIELD_REG,     /* operands: a register at `bit`, as `slot` says */
    FIELD_IMM,     /* 32 bits at 32 */
    FIELD_CONST,   /* bank and offset at 38 */
    FIELD_PDST,
    FIELD_PSRC,
    FIELD_PINVERSE,
    FIELD_HEX,
    FIELD_SREG,
    FIELD_BARRIER,
    FIELD_TARGET,
    FIELD_ADDRESS,
    FIELD_SHAPE, /* shape.def */
} sass_kind;

enum {
    FIELD_NEG = 1,
    FIELD_ABS = 2,
    FIELD_NOT = 4,      /* prints as '~', sits where minus does */
    FIELD_HALF = 8,     /* half pairs: which halves */
    FIELD_UNIFORM = 16, /* a uniform register or predicate */
    FIELD_OPTIONAL = 32,
};

enum { SASS_NOWHERE = 255 };

typedef struct sass_field {
    uint8_t kind; /* sass_kind */
    char letter;  /* of encoding.def */
    uint8_t bit, width;
    uint8_t flags;          /* FIELD_NEG ... */
    uint8_t index;          /* source or predicate of the isa_inst */
    uint8_t reuse;          /* bit of reuse, SASS_NOWHERE */
    uint8_t neg, abs, half; /* where these are, SASS_NOWHERE */
    uint8_t modifier, at;   /* modifier behind it; SASS_NOWHERE */
    uint8_t uniform, wide, scale, described; /* of addresses: u, w, s, d */
    uint8_t shape;
    uint16_t unless; /* not printed if it has this value */
    const char *text;
    uint8_t length;
} sass_field;

/* Functions of lowering, see lower.h. */
typedef enum sass_how {
#define HOW(name) HOW_##name,
#include "sass/how.def"
#undef HOW
    SASS_HOWS
} sass_how;

typedef struct sass_row {
    uint16_t code;
    const char *forms;
    uint16_t since, until;
    const char *text;
    char imm;
    const char *mods, *operands;
    uint16_t isa; /* isa_op */
    uint8_t how;  /* sass_how */
} sass_row;

extern const sass_row sass_rows[];
extern const size_t sass_row_count;

enum { SASS_FIELDS = 20 };

typedef struct sass_encoding {
    const sass_row *row;
    sass_word mask, value; /* what has to be so, guard and control left out */
    sass_word usual;       /* what compilers write where nothing is said */
    uint8_t form;          /* bits 11..9 where they say where sources are */
    uint8_t field_count, operand; /* the first that is an operand */
    sass_field fields[SASS_FIELDS];
    uint16_t next; /* of the same bits 11..0, + 1 */
} sass_encoding;

typedef struct sass_table sass_table;

/* For a capability, 70 to 90. NULL if there is no memory, or it is another. */
sass_table *sass_table_new(unsigned sm);
void sass_table_free(sass_table *t); /* NULL is fine */
unsigned sass_table_sm(const sass_table *t);

/* What `w` is; NULL if no row says so. */
const sass_encoding *sass_find(const sass_table *t, sass_word w);

/* A row whose bits 11..0 are those of `w`, whatever the others are: for
 * messages; NULL if there is none. */
const sass_encoding *sass_find_code(const sass_table *t, sass_word w);

/* All of them. */
const sass_encoding *sass_encodings(const sass_table *t, size_t *count);

/* Bytes from behind a jump to where it goes. */
int64_t sass_jump_bytes(unsigned sm, sass_word w);
/* False: `bytes` are none that it can have. */
bool sass_set_jump(unsigned sm, sass_word *w, int64_t bytes);

#endif
