#include "ptx/lex.h"

#include <string.h>

/* What a character can be part of. */
enum {
    BLANK = 1,
    NAME = 2,  /* inside a name */
    FIRST = 4, /* begins a name */
    DIGIT = 8, /* begins a number */
    HEX = 16,
    WORD = 32 /* inside the word behind a dot */
};

static const uint8_t class_of[256] = {
    [' '] = BLANK,
    ['\t'] = BLANK,
    ['\r'] = BLANK,
    ['\f'] = BLANK,
    ['\v'] = BLANK,
    ['0' ... '9'] = NAME | DIGIT | HEX | WORD,
    ['a' ... 'f'] = NAME | FIRST | HEX | WORD,
    ['g' ... 'z'] = NAME | FIRST | WORD,
    ['A' ... 'F'] = NAME | FIRST | HEX | WORD,
    ['G' ... 'Z'] = NAME | FIRST | WORD,
    ['_'] = NAME | FIRST | WORD,
    ['$'] = NAME | FIRST,
    ['%'] = NAME | FIRST,
    /* Any byte of UTF-8: nvcc and clang both let it into names. */
    [128 ... 255] = NAME | FIRST,
};

static bool is(char c, unsigned classes)
{
    return class_of[(uint8_t)c] & classes;
}

uint32_t lex_hash(const char *s, size_t n)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint8_t)s[i]) * 16777619u;
    return h;
}

void lex_init(lexer *lx, const char *file, const char *text, size_t size,
              diag *dg)
{
    *lx = (lexer){.file = file,
                  .at = text,
                  .end = text + size,
                  .line_start = text,
                  .line = 1,
                  .dg = dg};
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        lx->at += 3; /* byte order mark */
}

static void new_line(lexer *lx) /* lx->at is on the newline */
{
    lx->at++;
    lx->line++;
    lx->line_start = lx->at;
}

static uint32_t column_of(const lexer *lx, const char *at)
{
    return (uint32_t)(at - lx->line_start) + 1;
}

static void skip_to_line_end(lexer *lx)
{
    const char *nl = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));

    lx->at = nl ? nl : lx->end;
}

static void skip_block_comment(lexer *lx)
{
    ptx_place from = {lx->line, column_of(lx, lx->at)};

    lx->at += 2;
    while (lx->at < lx->end) {
        if (*lx->at == '\n') {
            new_line(lx);
        } else if (*lx->at == '*' && lx->at + 1 < lx->end && lx->at[1] == '/') {
            lx->at += 2;
            return;
        } else {
            lx->at++;
        }
    }
    diag_add(lx->dg, DIAG_ERROR, lx->file, from.line, from.column, 2,
             "the comment that begins here has no end");
}

/* Lines that are no PTX: `# 1 "file"` of a preprocessor and `@@DWARF`. */
static bool at_foreign_line(const lexer *lx)
{
    const char *p = lx->line_start;

    if (*lx->at == '@')
        return lx->at + 1 < lx->end && lx->at[1] == '@';
    if (*lx->at != '#')
        return false;
    while (p < lx->at && is(*p, BLANK))
        p++;
    return p == lx->at;
}

static void skip_blanks_and_comments(lexer *lx)
{
    while (lx->at < lx->end) {
        char c = *lx->at;
        char next = lx->at + 1 < lx->end ? lx->at[1] : 0;
        if (c == '\n')
            new_line(lx);
        else if (is(c, BLANK))
            lx->at++;
        else if (c == '/' && next == '/')
            skip_to_line_end(lx);
        else if (c == '/' && next == '*')
            skip_block_comment(lx);
        else if ((c == '#' || c == '@') && at_foreign_line(lx))
            skip_to_line_end(lx);
        else
            return;
    }
}

static const char *scan(const lexer *lx, const char *p, unsigned classes)
{
    while (p < lx->end && is(*p, classes))
        p++;
    return p;
}

/* .word, and .word::word... */
static const char *scan_dot(const lexer *lx, const char *p)
{
    p = scan(lx, p + 1, WORD);
    while (lx->end - p > 2 && p[0] == ':' && p[1] == ':' && is(p[2], WORD))
        p = scan(lx, p + 2, WORD);
    return p;
}

/* Digits, letters, and for decimal floats one point and a signed exponent.
 * What it is worth is the expression parser's business. */
static const char *scan_number(const lexer *lx, const char *p)
{
    const char *from = p;
    bool decimal = true;

    if (*p == '0' && lx->end - p > 1 && is(p[1], NAME))
        decimal = is(p[1], DIGIT) || p[1] == 'e' || p[1] == 'E';
    p = scan(lx, p, NAME);
    if (!decimal)
        return p;
    if (lx->end - p > 1 && *p == '.' && is(p[1], DIGIT))
        p = scan(lx, p + 1, NAME);
    else if (p < lx->end && *p == '.')
        p++;
    if (p > from && (p[-1] == 'e' || p[-1] == 'E') && lx->end - p > 1 &&
        (*p == '+' || *p == '-') && is(p[1], DIGIT))
        p = scan(lx, p + 1, DIGIT);
    return p;
}

static const char *scan_string(const lexer *lx, const char *p)
{
    for (p++; p < lx->end && *p != '\n'; p++) {
        if (*p == '"')
            return p + 1;
        if (*p == '\\' && lx->end - p > 1 && p[1] != '\n')
            p++;
    }
    return NULL;
}

static int two_characters(char a, char b)
{
    if (a == '<')
        return b == '<' ? TOK_SHL : b == '=' ? TOK_LE : 0;
    if (a == '>')
        return b == '>' ? TOK_SHR : b == '=' ? TOK_GE : 0;
    if (a == '=' && b == '=')
        return TOK_EQ;
    if (a == '!' && b == '=')
        return TOK_NE;
    if (a == '&' && b == '&')
        return TOK_ANDAND;
    if (a == '|' && b == '|')
        return TOK_OROR;
    return 0;
}

static bool take_punctuation(lexer *lx, token *t)
{
    char c = *lx->at;

    if (!memchr(";,:(){}[]<>+-*/~!&|^?@=", c, 23)) {
        diag_add(lx->dg, DIAG_ERROR, lx->file, t->place.line, t->place.column,
                 1,
                 c > ' ' ? "unexpected character '%c'"
                         : "unexpected character 0x%02x",
                 c > ' ' ? c : (uint8_t)c);
        lx->at++;
        return false;
    }
    t->kind = lx->at + 1 < lx->end ? two_characters(c, lx->at[1]) : 0;
    t->length = t->kind ? 2 : 1;
    if (!t->kind)
        t->kind = c;
    lx->at += t->length;
    return true;
}

static void lex_quoted(lexer *lx, token *t)
{
    const char *end = scan_string(lx, lx->at);

    t->kind = TOK_STRING;
    if (!end) {
        skip_to_line_end(lx);
        end = lx->at;
        diag_add(lx->dg, DIAG_ERROR, lx->file, t->place.line, t->place.column,
                 1, "the string that begins here has no closing quote");
    }
    t->length = (uint32_t)(end - t->text);
    lx->at = end;
}

void lex_next(lexer *lx, token *t)
{
again:
    skip_blanks_and_comments(lx);
    t->text = lx->at;
    t->place = (ptx_place){lx->line, column_of(lx, lx->at)};
    if (lx->at >= lx->end) {
        t->kind = TOK_END;
        t->length = 0;
        return;
    }
    char c = *lx->at;
    if (is(c, FIRST)) {
        t->kind = TOK_NAME;
        /* A lone % is an operator of constant expressions. */
        if (c == '%' && !(lx->end - lx->at > 1 && is(lx->at[1], NAME))) {
            t->kind = '%';
            t->length = 1;
            lx->at++;
            return;
        }
        lx->at = scan(lx, lx->at + 1, NAME);
        t->hash = lex_hash(t->text, (size_t)(lx->at - t->text));
    } else if (c == '.' && lx->end - lx->at > 1 && is(lx->at[1], WORD)) {
        t->kind = TOK_DOT;
        lx->at = scan_dot(lx, lx->at);
        t->hash = lex_hash(t->text + 1, (size_t)(lx->at - t->text) - 1);
    } else if (is(c, DIGIT)) {
        t->kind = TOK_NUMBER;
        lx->at = scan_number(lx, lx->at);
    } else if (c == '"') {
        lex_quoted(lx, t);
        return;
    } else {
        if (!take_punctuation(lx, t))
            goto again;
        return;
    }
    t->length = (uint32_t)(lx->at - t->text);
}

void lex_line(lexer *lx, const token *from, const char **text, size_t *size)
{
    const char *p = from->text + from->length;
    bool quoted = false;

    lx->at = p;
    for (; p < lx->end && *p != '\n'; p++) {
        if (*p == '"')
            quoted = !quoted;
        if (!quoted && *p == '/' && lx->end - p > 1 && p[1] == '/')
            break;
    }
    while (lx->at < p && is(*lx->at, BLANK))
        lx->at++;
    *text = lx->at;
    lx->at = p;
    while (p > *text && is(p[-1], BLANK))
        p--;
    *size = (size_t)(p - *text);
}

/* Behind what can have no brace in it; most of a body is that. */
static void skip_plain(lexer *lx)
{
    const char *p = lx->at;

    while (p < lx->end && (is(*p, BLANK | NAME) || *p == ',' || *p == ';' ||
                           *p == '.' || *p == '[' || *p == ']')) {
        p++;
        if (p < lx->end && *p == '\n') {
            lx->at = p;
            new_line(lx);
            p = lx->at;
        }
    }
    lx->at = p;
}

bool lex_skip_braces(lexer *lx)
{
    unsigned depth = 1;
    token t;

    while (depth) {
        skip_plain(lx);
        lex_next(lx, &t);
        if (t.kind == TOK_END)
            return false;
        if (t.kind == '{')
            depth++;
        if (t.kind == '}')
            depth--;
    }
    return true;
}
