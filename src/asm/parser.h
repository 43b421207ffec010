/* src/asm/parser.h - state that the parts of the assembler share. A parser
 * owns its scratch arena and growing arrays; what it builds belongs to the
 * program. Internal to src/asm. */
#ifndef ASM_PARSER_H
#define ASM_PARSER_H

#include "asm/lex.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "isa/program.h"

typedef struct asm_label {
    uint32_t index;
    bool defined; /* seen by the second pass */
} asm_label;

/* Labels of one kernel, collected before it is read. */
typedef struct asm_scope {
    strmap *labels; /* to asm_label */
    uint32_t code_count;
    struct asm_scope *next;
} asm_scope;

/* A name that is resolved when the whole file has been read. */
typedef struct asm_pending {
    asm_token var, target; /* var.kind TOK_END: bank CBANK_SYMBOL */
    bool entry;            /* target is a kernel */
    isa_reloc reloc;
    struct asm_pending *next;
} asm_pending;

typedef struct asm_parser {
    const char *file;
    diag *dg;
    asm_lexer lx;
    asm_token tok;  /* not consumed yet */
    asm_token last; /* consumed last */
    bool silent;    /* first pass: no messages */
    bool failed;    /* the statement has an error: skip its rest */
    arena *scratch;
    isa_program *p;

    bool arch_given;
    strmap *sets;         /* .set, to int64_t */
    strmap *file_numbers; /* .file, to uint16_t */
    strmap *var_names;    /* to isa_var, the first of a name */
    asm_scope *scopes, **scopes_end;
    asm_scope *scope; /* of the kernel read last, NULL before the first */
    bool in_kernel;
    asm_pending *pending, **pending_end;

    isa_kernel k;         /* being read; arrays below */
    asm_token kernel_tok; /* its name */
    isa_inst *code;
    size_t code_room;
    uint32_t line;
    uint16_t file_number; /* of `line` */
    size_t files_room;
    asm_token registers; /* .registers and so on, if given */
    asm_token barriers;
    bool shared_given, params_given;
    strbuf *data; /* where .word goes: NULL, constants or initial */
    strbuf constants, initial; /* CBANK_CODE; of the last variable */
    bool data_given;
    uint32_t var; /* the last variable, while data may follow */
    size_t params_room, kernels_room, vars_room, relocs_room;
} asm_parser;

/* cursor.c: tokens. asm_fail reports once per statement and returns false. */
void asm_advance(asm_parser *a);
bool asm_fail(asm_parser *a, const asm_token *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool asm_is(const asm_token *t, const char *text);
bool asm_accept(asm_parser *a, int kind);
bool asm_expect(asm_parser *a, int kind, const char *what);
bool asm_at_end(const asm_parser *a); /* of the statement */

/* From the start of `first` to the end of the last token consumed. */
asm_token asm_span(const asm_parser *a, const asm_token *first);

/* The text of a name or string without quotes and escapes, in `to`. */
char *asm_text(const asm_token *t, arena *to);

#endif
