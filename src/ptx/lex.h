/* src/ptx/lex.h - the words of PTX text, one at a time.
 * Borrows the text. Complains of characters and comments that cannot be. */
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "ptx/ptx.h"

/* Punctuation of one character is its own kind: ';', '{', ... */
typedef enum tok_kind {
    TOK_END = 0,
    TOK_NAME = 256, /* add, %r1, $L__BB0_1, _ */
    TOK_DOT,        /* .global, .shared::cta, .1d */
    TOK_NUMBER,     /* 1, 0x1fU, 0f3F800000, 1.5e3 */
    TOK_STRING,     /* "nounroll", with its quotes */
    TOK_SHL,
    TOK_SHR,
    TOK_LE,
    TOK_GE,
    TOK_EQ,
    TOK_NE,
    TOK_ANDAND,
    TOK_OROR
} tok_kind;

typedef struct token {
    int kind;
    uint32_t length;
    const char *text;
    ptx_place place;
    uint32_t hash; /* of a NAME's and a DOT's text; see lex_hash */
} token;

typedef struct lexer {
    const char *file;
    const char *at;
    const char *end;
    const char *line_start;
    uint32_t line;
    diag *dg;
} lexer;

void lex_init(lexer *lx, const char *file, const char *text, size_t size,
              diag *dg);
void lex_next(lexer *lx, token *t);

/* The rest of the line up to its end or a comment, without blanks around it;
 * for .loc and .file, which no semicolon ends. */
void lex_line(lexer *lx, const token *from, const char **text, size_t *size);

/* Moves behind the '}' that closes the '{' which was the last token. False
 * at the end of the text. */
bool lex_skip_braces(lexer *lx);

/* What token.hash is: of the characters behind the dot of a TOK_DOT. */
uint32_t lex_hash(const char *s, size_t n);

#endif
