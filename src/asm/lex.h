/* src/asm/lex.h - assembly text as tokens. Borrows the text. */
#ifndef ASM_LEX_H
#define ASM_LEX_H

#include <stddef.h>

/* Other kinds are the character itself. */
typedef enum asm_token_kind {
    TOK_END = 256, /* of the text */
    TOK_EOL,       /* newline or semicolon */
    TOK_NAME,      /* letters, digits, _ . $ */
    TOK_NUMBER,
    TOK_STRING, /* with its quotes */
    TOK_SHL,
    TOK_SHR,
    TOK_BAD, /* `why` is the error */
} asm_token_kind;

typedef struct asm_token {
    int kind;
    const char *text; /* not NUL-terminated */
    size_t length;
    unsigned line, column; /* from 1 */
    const char *why;       /* TOK_BAD */
} asm_token;

typedef struct asm_lexer {
    const char *at, *end, *line_start;
    unsigned line;
} asm_lexer;

void asm_lex_init(asm_lexer *lx, const char *text, size_t size);
asm_token asm_lex_next(asm_lexer *lx);

/* From `first`, the last token taken, to the next `last` on the line; without
 * one the rest of the line, and kind TOK_BAD. */
asm_token asm_lex_until(asm_lexer *lx, const asm_token *first, char last);

#endif
