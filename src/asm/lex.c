/* src/asm/lex.c - tokens of assembly text. */
#include "asm/lex.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

void asm_lex_init(asm_lexer *lx, const char *text, size_t size)
{
    *lx = (asm_lexer){text, text + size, text, 1};
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static bool is_name(char c)
{
    return is_name_start(c) || isdigit((unsigned char)c);
}

static void newline(asm_lexer *lx)
{
    lx->line++;
    lx->line_start = lx->at;
}

/* Blanks and comments up to the end of the line. False: a comment that is not
 * closed. */
static bool skip_blank(asm_lexer *lx)
{
    while (lx->at < lx->end) {
        char c = *lx->at, next = lx->end - lx->at > 1 ? lx->at[1] : 0;

        if (c == '#' || (c == '/' && next == '/')) {
            while (lx->at < lx->end && *lx->at != '\n')
                lx->at++;
        } else if (c == '/' && next == '*') {
            const char *close =
                memmem(lx->at + 2, (size_t)(lx->end - lx->at) - 2, "*/", 2);
            if (!close)
                return false;
            for (close += 2; lx->at < close;)
                if (*lx->at++ == '\n')
                    newline(lx);
        } else if (c == ' ' || c == '\t' || c == '\r') {
            lx->at++;
        } else {
            break;
        }
    }
    return true;
}

/* A sign belongs to a number behind the e of a decimal or the p of a
 * hexadecimal one. */
static void lex_number(asm_lexer *lx)
{
    const char *start = lx->at;
    bool hex = lx->end - start > 1 && start[0] == '0' &&
               (start[1] == 'x' || start[1] == 'X');

    while (lx->at < lx->end) {
        char c = *lx->at, mark = hex ? 'p' : 'e';

        if (isalnum((unsigned char)c) || c == '.' || c == '_') {
            lx->at++;
        } else if ((c == '+' || c == '-') &&
                   tolower((unsigned char)lx->at[-1]) == mark) {
            lx->at++;
        } else {
            break;
        }
    }
}

static asm_token bad_token(asm_token t, const char *why)
{
    t.kind = TOK_BAD;
    t.why = why;
    return t;
}

static asm_token lex_string(asm_lexer *lx, asm_token t)
{
    const char *start = lx->at++;

    while (lx->at < lx->end && *lx->at != '\n' && *lx->at != '"')
        lx->at += *lx->at == '\\' && lx->end - lx->at > 1 && lx->at[1] != '\n'
                      ? 2
                      : 1;
    t.kind = TOK_STRING;
    t.length = (size_t)(lx->at - start);
    if (lx->at >= lx->end || *lx->at != '"')
        return bad_token(t, "the string is not closed");
    lx->at++;
    t.length++;
    return t;
}

static asm_token take_other(asm_lexer *lx, asm_token t)
{
    char c = *lx->at++;

    t.length = 1;
    t.kind = c;
    if ((c == '<' || c == '>') && lx->at < lx->end && *lx->at == c) {
        lx->at++;
        t.length = 2;
        t.kind = c == '<' ? TOK_SHL : TOK_SHR;
    } else if (!strchr(",:[]{}()+-*/%&|^~!@=", c) || !c) {
        return bad_token(t, "unexpected character");
    }
    return t;
}

asm_token asm_lex_next(asm_lexer *lx)
{
    bool closed = skip_blank(lx);
    asm_token t = {
        TOK_END, lx->at, 0, lx->line, (unsigned)(lx->at - lx->line_start) + 1,
        NULL};

    if (!closed) {
        lx->at = lx->end;
        t.length = 2;
        return bad_token(t, "the comment is not closed");
    }
    if (lx->at == lx->end)
        return t;
    if (*lx->at == '\n' || *lx->at == ';') {
        t.kind = TOK_EOL;
        t.length = 1;
        if (*lx->at++ == '\n')
            newline(lx);
        return t;
    }
    if (*lx->at == '"')
        return lex_string(lx, t);
    if (isdigit((unsigned char)*lx->at)) {
        t.kind = TOK_NUMBER;
        lex_number(lx);
    } else if (is_name_start(*lx->at)) {
        t.kind = TOK_NAME;
        while (lx->at < lx->end && is_name(*lx->at))
            lx->at++;
    } else {
        return take_other(lx, t);
    }
    t.length = (size_t)(lx->at - t.text);
    return t;
}

asm_token asm_lex_until(asm_lexer *lx, const asm_token *first, char last)
{
    asm_token t = *first;

    lx->at = first->text;
    while (lx->at < lx->end && *lx->at != '\n' && *lx->at != last)
        lx->at++;
    t.length = (size_t)(lx->at - t.text);
    if (lx->at == lx->end || *lx->at != last)
        return bad_token(t, "the control information is not closed");
    lx->at++;
    t.length++;
    return t;
}
