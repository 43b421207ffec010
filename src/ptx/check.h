/* src/ptx/check.h - the two halves of checking an instruction, for check.c
 * and semantic.c alone. */
#ifndef PTX_CHECK_H
#define PTX_CHECK_H

#include "ptx/parser.h"

/* "add.s32" of the instruction, for messages. */
const char *check_text(parser *p, const ptx_inst *in);

/* Reports at the opcode; false. */
bool check_error(parser *p, const ptx_inst *in, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* semantic.c: whether modifiers and types go together. */
bool check_modifiers(parser *p, const ptx_inst *in);

/* Whether a register declared as `reg` can hold a value of type `want`, as
 * the manual's tables of operand type checking have it. */
bool check_reg_fits(ptx_type want, ptx_type reg, bool wider_allowed);

#endif
