/* The place in the text where the parser reads: tokens, errors, and the few
 * words that stand at several levels of a text. */
#include <stdarg.h>
#include <string.h>

#include "base/must.h"
#include "base/strbuf.h"
#include "ptx/parser.h"

/* ---- tokens ------------------------------------------------------------- */

void parse_next(parser *p)
{
    p->behind = (ptx_place){p->t.place.line, p->t.place.column + p->t.length};
    lex_next(&p->lx, &p->t);
}

bool parse_is_word(const parser *p, const char *text)
{
    size_t n = strlen(text);
    const token *t = &p->t;

    if (t->kind == TOK_DOT)
        return t->length == n + 1 && !memcmp(t->text + 1, text, n);
    return t->kind == TOK_NAME && t->length == n && !memcmp(t->text, text, n);
}

bool parse_is_dot(const parser *p, const char *text)
{
    return p->t.kind == TOK_DOT && parse_is_word(p, text);
}

bool parse_accept(parser *p, int kind)
{
    if (p->t.kind != kind)
        return false;
    parse_next(p);
    return true;
}

char *parse_text(parser *p, const token *t)
{
    return arena_strndup(p->a, t->text, t->length);
}

/* ---- errors ------------------------------------------------------------- */

static void report_error(parser *p, ptx_place at, uint32_t length,
                         const char *fmt, va_list ap)
{
    strbuf b = {0};

    strbuf_vprintf(&b, fmt, ap);
    diag_add(p->dg, DIAG_ERROR, p->m->file, at.line, at.column,
             length ? length : 1, "%s", b.text ? b.text : "");
    strbuf_fini(&b);
}

bool parse_error(parser *p, ptx_place at, uint32_t length, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    report_error(p, at, length, fmt, ap);
    va_end(ap);
    return false;
}

bool parse_error_here(parser *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    report_error(p, p->t.place, p->t.length, fmt, ap);
    va_end(ap);
    return false;
}

bool parse_expect(parser *p, int kind, const char *where)
{
    if (p->t.kind == kind) {
        parse_next(p);
        return true;
    }
    if (p->t.kind == TOK_END)
        return parse_error(p, p->behind, 1,
                           "expected '%c' after the %s, but "
                           "the text ends here",
                           kind, where);
    /* What is missing at the end of a line is shown there. */
    if (p->t.place.line != p->behind.line)
        return parse_error(p, p->behind, 1, "expected '%c' after the %s", kind,
                           where);
    return parse_error_here(p, "expected '%c' after the %s, found '%.*s'", kind,
                            where, (int)p->t.length, p->t.text);
}

bool parse_may_suggest(parser *p) { return p->suggestions++ < 64; }

/* ---- words -------------------------------------------------------------- */

bool parse_space(parser *p, ptx_space *out)
{
    static const ptx_space spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_CONST,
                                       PTX_SPACE_SHARED, PTX_SPACE_LOCAL,
                                       PTX_SPACE_PARAM,  PTX_SPACE_TEX};

    for (unsigned i = 0; i < COUNTOF(spaces); i++) {
        if (parse_is_word(p, ptx_space_text(spaces[i]))) {
            *out = spaces[i];
            parse_next(p);
            return true;
        }
    }
    return false;
}

bool parse_linkage(parser *p, ptx_linkage *out)
{
    static const char *const texts[] = {
        [PTX_EXTERN] = "extern",
        [PTX_VISIBLE] = "visible",
        [PTX_WEAK] = "weak",
        [PTX_COMMON] = "common",
    };

    for (unsigned i = PTX_EXTERN; i <= PTX_COMMON; i++) {
        if (parse_is_word(p, texts[i])) {
            *out = (ptx_linkage)i;
            parse_next(p);
            return true;
        }
    }
    return false;
}

void parse_add_top(parser *p, ptx_top_kind kind, uint32_t index,
                   const char *text)
{
    *LIST_PUSH(&p->tops, p->scratch, ptx_top) = (ptx_top){kind, index, text};
}
