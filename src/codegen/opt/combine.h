/* src/codegen/opt/combine.h - the patterns. Each matches an operation and the
 * definitions of its operands, and replaces it by a better one; unused
 * operations are removed later (dce.c). True if `in` changed. */
#ifndef CODEGEN_OPT_COMBINE_H
#define CODEGEN_OPT_COMBINE_H

#include "codegen/opt/rewrite.h"

bool co_int(combine *c, cg_inst *in);     /* combine_int.c */
bool co_logic(combine *c, cg_inst *in);   /* combine_logic.c */
bool co_bytes(combine *c, cg_inst *in);   /* combine_bytes.c */
bool co_wide(combine *c, cg_inst *in);    /* combine_wide.c */
bool co_address(combine *c, cg_inst *in); /* combine_addr.c */
bool co_float(combine *c, cg_inst *in);   /* combine_float.c */
bool co_pred(combine *c, cg_inst *in);    /* combine_pred.c */

#endif
