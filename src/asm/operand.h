/* src/asm/operand.h - operands as written, before they are matched with the
 * form of the operation. */
#ifndef ASM_OPERAND_H
#define ASM_OPERAND_H

#include "asm/expr.h"

enum { ASM_OPERANDS_MAX = 12 };

typedef enum asm_operand_kind {
    AO_REG,
    AO_PRED,
    AO_BARRIER, /* Bn */
    AO_SREG,
    AO_MEM,   /* [register+offset] */
    AO_CONST, /* c[bank][register+offset] */
    AO_VALUE, /* number or expression */
    AO_NAME,  /* a single name: label or value */
} asm_operand_kind;

typedef struct asm_operand {
    asm_operand_kind kind;
    asm_token at;    /* all of it, for messages and names */
    unsigned reg;    /* register, predicate with PRED_NOT, barrier, sreg */
    unsigned mods;   /* SRC_* */
    bool uniform;    /* a register or predicate: UR1, UP0 */
    bool reuse;      /* .reuse */
    bool wide;       /* .64 of an address */
    uint8_t uaddr;   /* of an address: UADDR_* */
    bool has_reg;    /* AO_MEM, AO_CONST */
    int64_t bank;    /* AO_CONST */
    asm_value value; /* AO_VALUE; .i is the offset of memory and constants */
} asm_operand;

/* Reads one operand; false: an error was reported. */
bool asm_operand_read(asm_parser *a, asm_operand *o);

/* What it is, for messages: "a register". */
const char *asm_operand_what(const asm_operand *o);

/* "PT" or "P3", with or without '!' in front; of the uniform predicates "UPT"
 * or "UP3". */
bool asm_pred_read(asm_parser *a, unsigned *pred, bool *uniform);

/* True if `t` names a register, predicate, barrier or special register, so
 * that it cannot be a label. */
bool asm_is_reserved(const asm_token *t);

#endif
