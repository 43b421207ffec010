/* src/probe/template.h - assembly text from a template of probes/. In it,
 *
 *     $name, $(expression)      a variable's text, a number
 *     %for NAME EXPRESSION ... %end      so many times, NAME from 0 on
 *     %if EXPRESSION ... %else ... %end
 *     %include NAME                      another template
 *     %align EXPRESSION                  NOPs until the number of instructions
 *                                        is a multiple: the assembler begins
 *                                        kernels at a line of its own
 *
 * where % stands first in its line; lines of // are left out. Texts of
 * variables are expanded in turn. Expressions have whole numbers, names of
 * variables that are such, the operators of C from * to |, comparisons and
 * parentheses. Owns nothing. */
#ifndef PROBE_TEMPLATE_H
#define PROBE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/strbuf.h"

typedef struct probe_var {
    const char *name, *text;
} probe_var;

/* A template of the binary, made of probes/NAME.sass by the build. */
typedef struct probe_asset {
    const char *name, *text;
} probe_asset;

extern const probe_asset probe_assets[]; /* ended by a NULL name */

/* Appends the template of that name, filled in. False: what is wrong is in
 * `dg`. */
bool probe_expand(const char *name, const probe_var *vars, size_t count,
                  strbuf *out, diag *dg);

/* The same of a text; `name` is for messages. */
bool probe_expand_text(const char *name, const char *text,
                       const probe_var *vars, size_t count, strbuf *out,
                       diag *dg);

#endif
