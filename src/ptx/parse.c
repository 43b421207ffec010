/* The outermost level of a PTX text: its directives. */
#include <string.h>

#include "base/must.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "ptx/parser.h"

/* ---- .version, .target, .address_size ----------------------------------- */

static bool parse_version(parser *p)
{
    const char *s = p->t.text, *end = s + p->t.length;
    uint32_t part[2] = {0, 0};

    parse_next(p);
    s = p->t.text;
    end = s + p->t.length;
    if (p->t.kind != TOK_NUMBER)
        return parse_error_here(p, "expected a version such as 8.5");
    for (unsigned i = 0; i < 2; i++) {
        const char *from = s;
        for (; s < end && *s >= '0' && *s <= '9' && s - from < 4; s++)
            part[i] = part[i] * 10 + (uint32_t)(*s - '0');
        if (s == from || (i == 0 && (s == end || *s++ != '.')))
            return parse_error_here(p, "expected a version such as 8.5");
    }
    if (s != end || part[0] < 1 || part[0] > 9)
        return parse_error_here(p,
                                "PTX versions 1.0 to 9.x are known, not "
                                "%.*s",
                                (int)p->t.length, p->t.text);
    p->m->version_major = part[0];
    p->m->version_minor = part[1];
    parse_next(p);
    return true;
}

static bool parse_target_word(parser *p)
{
    const char *s = p->t.text;
    uint32_t n = p->t.length, sm = 0, i = 3;

    if (p->t.kind != TOK_NAME)
        return parse_error_here(p, "expected a target such as sm_70");
    if (n > 3 && !memcmp(s, "sm_", 3)) {
        for (; i < n && i < 7 && s[i] >= '0' && s[i] <= '9'; i++)
            sm = sm * 10 + (uint32_t)(s[i] - '0');
        if (i < n && (s[i] == 'a' || s[i] == 'f'))
            i++;
        if (i != n || sm < 10)
            return parse_error_here(p, "unknown target %.*s", (int)n, s);
        p->m->sm = sm;
        p->m->target = parse_text(p, &p->t);
    } else if (parse_is_word(p, "debug")) {
        p->m->debug = true;
    } else if (parse_is_word(p, "texmode_independent")) {
        p->m->texmode_independent = true;
    } else if (!parse_is_word(p, "texmode_unified") &&
               !parse_is_word(p, "map_f64_to_f32")) {
        return parse_error_here(p, "unknown target option %.*s", (int)n, s);
    }
    parse_next(p);
    return true;
}

static bool parse_target(parser *p)
{
    strbuf all = {0};
    bool ok;

    parse_next(p);
    for (;;) {
        token t = p->t;
        ok = parse_target_word(p);
        strbuf_printf(&all, "%s%.*s", all.size ? ", " : "", (int)t.length,
                      t.text);
        if (!ok || !parse_accept(p, ','))
            break;
    }
    p->m->target_text = arena_strdup(p->a, all.text);
    strbuf_fini(&all);
    return ok;
}

static bool parse_address_size(parser *p)
{
    uint64_t bits;
    token at;

    parse_next(p);
    at = p->t;
    if (!parse_uint(p, 64, "the address size", &bits))
        return false;
    if (bits != 32 && bits != 64)
        return parse_error(p, at.place, at.length,
                           "the address size is 32 or 64");
    p->m->address_size = (uint32_t)bits;
    return true;
}

/* ---- .file, .section, .pragma, .alias ----------------------------------- */

/* The path of .file 1 "folder" "name", which LLVM writes where the folder is
 * known [LLVM:file]; the token is at the name. */
static const char *join_path(parser *p, const char *folder)
{
    strbuf path = {0};
    const char *name = arena_strndup(p->a, p->t.text + 1, p->t.length - 2);

    if (*name == '/' || !*folder || !strcmp(folder, "."))
        return name;
    strbuf_printf(&path, "%s/%s", folder, name);
    name = arena_strdup(p->a, path.text);
    strbuf_fini(&path);
    return name;
}

/* .file 1 ["folder"] "path" [, time, size] : no semicolon, so the line ends
 * it. */
static bool parse_file(parser *p)
{
    token at = p->t;
    const char *rest;
    size_t n;
    uint64_t number;

    lex_line(&p->lx, &at, &rest, &n);
    const char *after = p->lx.at;
    p->lx.at = rest;
    parse_next(p);
    if (!parse_uint(p, UINT32_MAX, "a file number", &number))
        return false;
    if (p->t.kind != TOK_STRING || p->t.length < 2)
        return parse_error_here(p, "expected the name of the file");
    ptx_file *f = LIST_PUSH(&p->files, p->scratch, ptx_file);
    f->number = (uint32_t)number;
    f->path = arena_strndup(p->a, p->t.text + 1, p->t.length - 2);
    if (memchr(p->lx.at, '"', (size_t)(after - p->lx.at))) {
        parse_next(p);
        if (p->t.kind == TOK_STRING && p->t.length >= 2)
            f->path = join_path(p, f->path);
    }
    while (f->path[0] == '.' && f->path[1] == '/')
        f->path += 2;
    parse_add_top(p, PTX_TOP_FILE, p->files.count - 1,
                  arena_strndup(p->a, rest, n));
    if (p->lx.at < after)
        p->lx.at = after;
    parse_next(p);
    return true;
}

static bool parse_section(parser *p)
{
    const char *from = p->t.text;
    token at = p->t;

    parse_next(p);
    if (p->t.kind == TOK_NAME || p->t.kind == TOK_DOT ||
        p->t.kind == TOK_STRING)
        parse_next(p);
    if (p->t.kind != '{')
        return parse_error_here(p, "expected '{' after the section's name");
    if (!lex_skip_braces(&p->lx))
        return parse_error(p, at.place, at.length,
                           "the section that begins here has no end");
    parse_add_top(p, PTX_TOP_SECTION, 0,
                  arena_strndup(p->a, from, (size_t)(p->lx.at - from)));
    parse_next(p);
    return true;
}

static bool parse_pragma(parser *p)
{
    parse_next(p);
    do {
        if (p->t.kind != TOK_STRING)
            return parse_error_here(p, "expected a string behind .pragma");
        parse_add_top(p, PTX_TOP_PRAGMA, 0, parse_text(p, &p->t));
        parse_next(p);
    } while (parse_accept(p, ','));
    return parse_expect(p, ';', "pragma");
}

static ptx_func *func_named(parser *p)
{
    if (p->t.kind != TOK_NAME) {
        parse_error_here(p, "expected the name of a function");
        return NULL;
    }
    symbol *s = parse_find_symbol(p, &p->t);
    if (!s || s->kind != SYMBOL_FUNC) {
        parse_error_here(p, "no function is named '%.*s'", (int)p->t.length,
                         p->t.text);
        return NULL;
    }
    parse_next(p);
    return s->func;
}

static bool parse_alias(parser *p) /* .alias name, of; */
{
    parse_next(p);
    ptx_func *f = func_named(p);
    if (!f || !parse_expect(p, ',', "alias"))
        return false;
    token at = p->t;
    ptx_func *of = func_named(p);
    if (!of)
        return false;
    if (of->alias_of || of == f || f->has_body)
        return parse_error(p, at.place, at.length,
                           "'%s' cannot be an alias of '%s'", f->name,
                           of->name);
    f->alias_of = of;
    parse_add_top(p, PTX_TOP_ALIAS, f->number, NULL);
    return parse_expect(p, ';', "alias");
}

/* ---- the loop ----------------------------------------------------------- */

static bool unknown_directive(parser *p)
{
    static const char *const known[] = {
        ".version", ".target", ".address_size", ".file",    ".section",
        ".pragma",  ".alias",  ".extern",       ".visible", ".weak",
        ".common",  ".entry",  ".func",         ".global",  ".const",
        ".shared",  ".tex"};
    char *text = arena_strndup(p->scratch, p->t.text, p->t.length);
    const char *near = parse_may_suggest(p)
                           ? suggest_nearest(text, known, COUNTOF(known))
                           : NULL;

    if (p->t.kind == TOK_END)
        return parse_error_here(p, "a declaration is missing at the end");
    return parse_error_here(p, "'%s' cannot begin a declaration%s%s%s", text,
                            near ? "; did you mean " : "", near ? near : "",
                            near ? "?" : "");
}

static bool parse_symbol(parser *p)
{
    ptx_linkage linkage = PTX_LOCAL_SYMBOL;
    ptx_space space;

    parse_linkage(p, &linkage);
    if (parse_is_word(p, "entry"))
        return parse_func(p, linkage, true);
    if (parse_is_word(p, "func"))
        return parse_func(p, linkage, false);
    if (parse_is_word(p, "reg"))
        return parse_error_here(p, "registers are declared inside functions");
    if (parse_space(p, &space))
        return parse_vars(p, linkage, space);
    return unknown_directive(p);
}

static bool parse_top(parser *p)
{
    static const struct {
        const char *word;
        bool (*parse)(parser *p);
    } directives[] = {
        {"version", parse_version},
        {"target", parse_target},
        {"address_size", parse_address_size},
        {"file", parse_file},
        {"section", parse_section},
        {"pragma", parse_pragma},
        {"alias", parse_alias},
    };

    if (p->t.kind == TOK_DOT)
        for (unsigned i = 0; i < COUNTOF(directives); i++)
            if (parse_is_word(p, directives[i].word))
                return directives[i].parse(p);
    return parse_symbol(p);
}

/* Behind an error: to the end of the declaration. */
static void skip_declaration(parser *p)
{
    while (p->t.kind != TOK_END) {
        if (p->t.kind == ';') {
            parse_next(p);
            return;
        }
        if (p->t.kind == '{') {
            lex_skip_braces(&p->lx);
            parse_next(p);
            if (p->t.kind == ';')
                parse_next(p);
            return;
        }
        parse_next(p);
        if (p->t.kind == TOK_DOT &&
            (parse_is_word(p, "visible") || parse_is_word(p, "entry") ||
             parse_is_word(p, "func") || parse_is_word(p, "version") ||
             parse_is_word(p, "target") || parse_is_word(p, "address_size")))
            return;
    }
}

static void parse_module(parser *p)
{
    bool said = false;

    parse_next(p);
    while (p->t.kind != TOK_END) {
        if (p->t.kind == ';') {
            parse_next(p);
            continue;
        }
        if (!p->m->version_major && !said && !parse_is_word(p, "version")) {
            parse_error_here(p, "PTX begins with .version, not with '%.*s'",
                             (int)p->t.length, p->t.text);
            said = true;
        }
        if (!parse_top(p))
            skip_declaration(p);
    }
    if (!p->m->version_major && !said)
        parse_error_here(p, "the text has no .version; is it PTX?");
    else if (!p->m->target && !said)
        parse_error(p, (ptx_place){1, 0}, 1, "the text has no .target sm_NN");
}

/* Texts are kept as C strings, so none may have a NUL. */
static bool has_nul(const char *file, const char *text, size_t size, diag *dg)
{
    const char *at = memchr(text, 0, size), *line = text;
    unsigned number = 1;

    if (!at)
        return false;
    for (const char *s = text; s < at; s++)
        if (*s == '\n') {
            line = s + 1;
            number++;
        }
    diag_add(dg, DIAG_ERROR, file, number, (unsigned)(at - line) + 1, 1,
             "a NUL within the text");
    return true;
}

status ptx_parse(const char *file, const char *text, size_t size, arena *a,
                 diag *dg, ptx_module **out)
{
    return ptx_parse_some(file, text, size, a, dg, NULL, NULL, out);
}

status ptx_parse_some(const char *file, const char *text, size_t size, arena *a,
                      diag *dg, bool (*wanted)(void *arg, const char *kernel),
                      void *arg, ptx_module **out)
{
    size_t errors = diag_errors(dg);
    parser p = {.a = a,
                .scratch = arena_new(),
                .dg = dg,
                .wanted = wanted,
                .wanted_arg = arg};

    diag_source(dg, file, text, size);
    while (size && !text[size - 1]) /* which drivers put at the end */
        size--;
    if (has_nul(file, text, size, dg)) {
        arena_free(p.scratch);
        return ST_PROGRAM;
    }
    p.m = ARENA_NEW(a, ptx_module);
    p.m->file = arena_strdup(a, file);
    p.m->address_size = 32; /* [PTX85:address_size] without the directive */
    lex_init(&p.lx, p.m->file, text, size, dg);
    p.w = words_new(p.scratch);
    p.st = symtab_new(a); /* owns the texts of all names */
    p.rules = rules_new(p.scratch, p.w);
    parse_module(&p);
    p.m->globals = list_take(&p.globals, a, &p.m->nglobals);
    p.m->funcs = list_take(&p.funcs, a, &p.m->nfuncs);
    p.m->tops = list_take(&p.tops, a, &p.m->ntops);
    p.m->files = list_take(&p.files, a, &p.m->nfiles);
    arena_free(p.scratch);
    if (diag_errors(dg) != errors)
        return ST_PROGRAM;
    *out = p.m;
    return ST_OK;
}

/* ---- looking things up -------------------------------------------------- */

ptx_func *ptx_find_func(const ptx_module *m, const char *text)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (!strcmp(m->funcs[i]->name, text))
            return m->funcs[i];
    return NULL;
}

ptx_var *ptx_find_global(const ptx_module *m, const char *text)
{
    for (uint32_t i = 0; i < m->nglobals; i++)
        if (!strcmp(m->globals[i]->name, text))
            return m->globals[i];
    return NULL;
}

const char *ptx_file_path(const ptx_module *m, uint32_t number)
{
    if (number && number <= m->nfiles && m->files[number - 1].number == number)
        return m->files[number - 1].path; /* as compilers number them */
    for (uint32_t i = 0; i < m->nfiles; i++)
        if (m->files[i].number == number)
            return m->files[i].path;
    return NULL;
}
