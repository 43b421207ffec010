/* src/ptx/symtab.h - names and what they stand for, scope within scope.
 * Names are interned: one `name` per text. Each has a stack of symbols, the
 * innermost scope's on top. Labels live in a name space of their own, since
 * they are used before they are seen. Lives in the arena given. */
#ifndef PTX_SYMTAB_H
#define PTX_SYMTAB_H

#include "ptx/ptx.h"

typedef enum symbol_kind {
    SYMBOL_VAR,
    SYMBOL_FUNC,
    SYMBOL_REG,    /* first: its number */
    SYMBOL_VECTOR, /* .v2, .v4 register: first .. first + count - 1 */
    SYMBOL_RANGE,  /* %r<count>: numbers are given at the first use */
    SYMBOL_BAD,    /* undeclared and already reported */
} symbol_kind;

typedef struct ptx_name ptx_name;

typedef struct symbol {
    symbol_kind kind;
    uint32_t depth; /* of its scope; 0: the module */
    ptx_var *var;
    ptx_func *func;
    ptx_type type;
    uint32_t first;
    uint32_t count;
    ptx_place place;
    ptx_name *of;
    struct symbol *below;   /* same name, outer scope */
    struct symbol *sibling; /* same scope */
} symbol;

/* What `L:` stands for. */
typedef struct mark {
    uint32_t scope;
    ptx_label *label; /* one of the three */
    ptx_table *table;
    ptx_func *proto;
    ptx_place place;
    struct mark *next; /* same name, other scope */
} mark;

struct ptx_name {
    const char *text;
    uint32_t length;
    uint32_t hash;
    symbol *top;
    mark *marks; /* of the function being parsed */
    ptx_name *chain;
};

typedef struct symtab symtab;

symtab *symtab_new(arena *a);
ptx_name *symtab_name(symtab *t, const char *s, uint32_t n, uint32_t hash);
ptx_name *symtab_find(const symtab *t, const char *s, uint32_t n,
                      uint32_t hash);

/* Scopes are numbered per function, from 0, which is its outermost. */
void symtab_open(symtab *t);
void symtab_close(symtab *t);
uint32_t symtab_depth(const symtab *t); /* 0: the module */
uint32_t symtab_scope(const symtab *t);
void symtab_end_func(symtab *t); /* drops marks; scopes count from 0 again */

/* Declares in the current scope; NULL if the scope has that name already. */
symbol *symtab_add(symtab *t, ptx_name *n, symbol_kind kind, ptx_place place);
/* The same in the scope at `depth`, which is one that is open. */
symbol *symtab_add_at(symtab *t, ptx_name *n, symbol_kind kind, ptx_place place,
                      uint32_t depth);
symbol *symtab_here(const symtab *t,
                    const ptx_name *n); /* current scope only */

mark *symtab_mark(symtab *t, ptx_name *n, ptx_place place); /* NULL: is there */
mark *symtab_find_mark(const symtab *t, const ptx_name *n, uint32_t scope);

/* Names of all open scopes, for suggestions. */
size_t symtab_visible(const symtab *t, arena *a, const char ***names);

#endif
