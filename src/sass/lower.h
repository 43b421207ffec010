/* src/sass/lower.h - one instruction of machine code becomes one of isa.def:
 * never more, as control codes count instructions. */
#ifndef SASS_LOWER_H
#define SASS_LOWER_H

#include "sass/encoding.h"

/* What a lowering function works on. */
typedef struct sass_lowering {
    const sass_table *t;
    const sass_encoding *e;
    sass_word w;
    uint32_t index; /* of the instruction in its code */
    isa_inst in;
    const char *why; /* cannot be executed: the reason; else NULL */
} sass_lowering;

/* The instruction at byte 16 * `index` of its code. False: it cannot be
 * executed, and *why says so. `out` is then what stops the run there. */
bool sass_lower(const sass_table *t, const sass_encoding *e, sass_word w,
                uint32_t index, isa_inst *out, const char **why);

/* A row for each HOW of how.def; the plain mapping has been made before. */
#define HOW(name) void sass_lower_##name(sass_lowering *l);
#include "sass/how.def"
#undef HOW

/* ---- for these functions ---- */

enum { SASS_SHARED_WINDOW_HIGH = 47 }; /* number of a special register */

/* Field of a group or flag by its name; its value, 0 if the row has none. */
unsigned sass_value(const sass_lowering *l, const char *name);

/* "It is not executed yet", once. */
void sass_refuse(sass_lowering *l, const char *why);

/* The instruction that a jump goes to. */
uint32_t sass_jump_target(sass_lowering *l);

#endif
