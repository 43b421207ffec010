/* src/ptx/parser.h - what the files of the parser share: its state, and the
 * functions by which they call each other. Private to the parser.
 *
 * A parse function returns false when it has reported an error; the statement
 * loop then skips to the next ';' and goes on, so that one run reports all
 * errors of a file. */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include "base/must.h"
#include "ptx/lex.h"
#include "ptx/list.h"
#include "ptx/ptx.h"
#include "ptx/rule.h"
#include "ptx/symtab.h"
#include "ptx/words.h"

/* Nesting of { } scopes, initialisers and expressions that is accepted. */
enum { PARSE_MAX_DEPTH = 200 };

typedef struct parser {
    arena *a;       /* of the module */
    arena *scratch; /* freed when parsing ends */
    diag *dg;
    lexer lx;
    token t;          /* the token looked at */
    ptx_place behind; /* where the token before it ends */
    ptx_words *w;
    symtab *st;
    rules *rules;
    ptx_module *m;

    /* Of which kernels the bodies are parsed; NULL: of all. */
    bool (*wanted)(void *arg, const char *kernel);
    void *wanted_arg;

    list globals;         /* ptx_var * */
    list funcs;           /* ptx_func * */
    list tops;            /* ptx_top */
    list files;           /* ptx_file */
    uint64_t init_bytes;  /* of all initialisers so far */
    unsigned suggestions; /* names looked for so far */

    /* The function being parsed. */
    ptx_func *f;
    ptx_source source;
    bool inner_ranges;      /* a range was declared in an inner scope */
    uint64_t range_lengths; /* bit n: a range name of n characters exists */
    uint32_t nopen;         /* braces */
    list regs;              /* ptx_reg */
    list vars;              /* ptx_var * */
    list labels;            /* ptx_label * */
    list tables;            /* ptx_table * */
    list protos;            /* ptx_func * */
    list insts;             /* ptx_inst */
    list regdecls;          /* ptx_regdecl */
    list items;             /* ptx_item */
    list fixups;            /* fixup */
} parser;

/* A name in the label name space, resolved at the end of the function into
 * the one of the three places that is set. */
typedef struct fixup {
    ptx_name *name;
    uint32_t scope;
    ptx_place place;
    ptx_label **label;
    ptx_table **table;
    ptx_func **proto;
} fixup;

/* A number at parse time. */
typedef struct constant {
    bool is_float;
    bool is_unsigned;
    ptx_type type; /* of a float: F32 or F64, the format of bits */
    uint64_t bits;
} constant;

/* ---- cursor.c: tokens, errors ------------------------------------------- */

void parse_next(parser *p);
void parse_add_top(parser *p, ptx_top_kind kind, uint32_t index,
                   const char *text);
bool parse_is_word(const parser *p, const char *word); /* NAME or DOT text */
bool parse_is_dot(const parser *p, const char *word);  /* a DOT text */
bool parse_accept(parser *p, int kind);
bool parse_expect(parser *p, int kind, const char *where);
char *parse_text(parser *p, const token *t); /* in the module's arena */

/* Looking for the name meant is slow: only the first errors get one. */
bool parse_may_suggest(parser *p);

bool parse_linkage(parser *p, ptx_linkage *out); /* false: none is here */
bool parse_space(parser *p, ptx_space *out);     /* of a variable */

/* Both return false, so that callers can return them. */
bool parse_error(parser *p, ptx_place at, uint32_t length, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool parse_error_here(parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- expr.c ------------------------------------------------------------- */

bool parse_constant(parser *p, constant *out); /* a whole expression */
bool parse_addend(parser *p, constant *out);   /* no + and - at its top */
bool parse_uint(parser *p, uint64_t most, const char *what, uint64_t *out);
/* As raw bits of a type; false if a float is to become an integer. */
bool constant_as(const constant *c, ptx_type t, uint64_t *bits);

/* ---- decl.c ------------------------------------------------------------- */

bool parse_regs(parser *p); /* behind .reg */
/* [linkage] .space ... ; behind the space token. */
bool parse_vars(parser *p, ptx_linkage linkage, ptx_space space);
bool parse_param(parser *p, bool nameless, ptx_var **out);
void parse_bind_var(parser *p, ptx_var *v);
symbol *parse_find_symbol(parser *p, const token *t); /* NULL: undeclared */

/* ---- init.c ------------------------------------------------------------- */

bool parse_initialiser(parser *p, ptx_var *v); /* behind = */

/* ---- func.c, body.c ----------------------------------------------------- */

bool parse_func(parser *p, ptx_linkage linkage, bool entry);
bool parse_proto(parser *p, ptx_name *label, ptx_place place);
void parse_body(parser *p); /* behind { */
ptx_item *parse_item(parser *p, ptx_item_kind kind, uint32_t index);

/* ---- parse_inst.c, parse_operand.c -------------------------------------- */

bool parse_inst(parser *p);
bool parse_operand(parser *p, ptx_operand *out);
bool parse_undeclared(parser *p, const token *t);

/* ---- check.c ------------------------------------------------------------ */

bool check_inst(parser *p, const rule *r, const ptx_inst *in);

#endif
