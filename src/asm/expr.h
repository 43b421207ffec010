/* src/asm/expr.h - numbers and expressions. Owns nothing. */
#ifndef ASM_EXPR_H
#define ASM_EXPR_H

#include "asm/parser.h"

/* An expression of 64-bit integers, or one floating-point number. */
typedef struct asm_value {
    int64_t i;
    bool is_float; /* `number` is the literal, possibly INF */
    bool is_plain; /* one literal, perhaps with a sign */
    bool is_hex;   /* that literal is hexadecimal: bits */
    bool minus;    /* sign of a float */
    asm_token number;
} asm_value;

/* False: an error was reported. */
bool asm_expr(asm_parser *a, asm_value *v);

/* Only an integer from `least` to `most`. */
bool asm_int(asm_parser *a, int64_t least, int64_t most, int64_t *value);

/* The value of a name: .set, parameter, constant or shared variable, label. */
bool asm_name_value(asm_parser *a, const asm_token *name, int64_t *value);

/* The bits of `v` as single or double precision; `at` is for messages. */
bool asm_value_f32(asm_parser *a, const asm_value *v, const asm_token *at,
                   uint32_t *bits);
bool asm_value_f64(asm_parser *a, const asm_value *v, const asm_token *at,
                   uint64_t *bits);

#endif
