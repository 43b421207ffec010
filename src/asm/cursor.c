/* src/asm/cursor.c - the place in the text where the assembler reads: tokens,
 * errors, texts of strings. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "asm/parser.h"

void asm_advance(asm_parser *a)
{
    a->last = a->tok;
    a->tok = asm_lex_next(&a->lx);
}

bool asm_fail(asm_parser *a, const asm_token *at, const char *fmt, ...)
{
    unsigned length = at->length ? (unsigned)at->length : 1;
    strbuf b = {0};
    va_list ap;

    if (a->silent || a->failed)
        return false;
    a->failed = true;
    va_start(ap, fmt);
    strbuf_vprintf(&b, fmt, ap);
    va_end(ap);
    if (at->kind == TOK_EOL && *at->text == '\n')
        length = 1;
    diag_add(a->dg, DIAG_ERROR, a->file, at->line, at->column, length, "%s",
             b.text);
    strbuf_fini(&b);
    return false;
}

bool asm_is(const asm_token *t, const char *text)
{
    return t->kind == TOK_NAME && strlen(text) == t->length &&
           !memcmp(t->text, text, t->length);
}

bool asm_accept(asm_parser *a, int kind)
{
    if (a->tok.kind != kind)
        return false;
    asm_advance(a);
    return true;
}

bool asm_expect(asm_parser *a, int kind, const char *what)
{
    if (asm_accept(a, kind))
        return true;
    if (a->tok.kind == TOK_BAD)
        return asm_fail(a, &a->tok, "%s", a->tok.why);
    return asm_fail(a, &a->tok, "expected %s", what);
}

bool asm_at_end(const asm_parser *a)
{
    return a->tok.kind == TOK_EOL || a->tok.kind == TOK_END;
}

asm_token asm_span(const asm_parser *a, const asm_token *first)
{
    asm_token t = *first;

    if (a->last.line == first->line && a->last.column >= first->column)
        t.length = a->last.column - first->column + a->last.length;
    return t;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* One character behind a backslash; moves *s to its last letter. */
static char escaped(const char **s, const char *end)
{
    int high, low;

    switch (**s) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'x':
        if (end - *s > 2 && (high = hex_digit((*s)[1])) >= 0 &&
            (low = hex_digit((*s)[2])) >= 0) {
            *s += 2;
            return (char)(16 * high + low);
        }
        return 'x';
    default:
        return **s;
    }
}

char *asm_text(const asm_token *t, arena *to)
{
    char *text = arena_alloc(to, t->length + 1), *out = text;
    const char *s, *end;

    if (t->kind != TOK_STRING) {
        memcpy(text, t->text, t->length);
        return text;
    }
    s = t->text + 1;
    end = t->text + t->length - 1;
    for (; s < end; s++) {
        if (*s == '\\' && s + 1 < end) {
            s++;
            *out++ = escaped(&s, end);
        } else {
            *out++ = *s;
        }
    }
    return text;
}
