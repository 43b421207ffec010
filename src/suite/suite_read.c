/* src/suite/suite_read.c - the file's half of suite/suite.h. */
#include <limits.h>
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/kind.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "config/yml_reader.h"
#include "suite/suite.h"

enum { TIMEOUT_S = 600, TIMEOUT_MOST_S = 30 * 86400 };

typedef struct reader {
    yml_reader y;
    suite *s;
    const suite_other *more; /* NULL: it is a suite */
} reader;

/* ---- Texts ---- */

static bool is_own_word(const suite *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->word_count; i++)
        if (strlen(s->words[i].name) == length &&
            !memcmp(s->words[i].name, name, length))
            return true;
    return false;
}

static void check_words(reader *r, const yml_node *n)
{
    static const char *const known[] = {"dir",  "build", "tmp",
                                        "name", "size",  "draw"};
    const char *name;
    size_t length;

    for (const char *at = n->text; *at; at++) {
        size_t i = 0;

        if (!suite_word(n->text, at, &name, &length) ||
            is_own_word(r->s, name, length))
            continue;
        while (i < COUNTOF(known) &&
               (strlen(known[i]) != length || memcmp(known[i], name, length)))
            i++;
        if (i == COUNTOF(known))
            yml_wrong(
                &r->y, n->at,
                "'{%.*s}' means nothing; there are {dir}, {build}, {tmp}, "
                "{name}, {size} and {draw}",
                (int)length, name);
    }
}

/* A text that is not empty, with words that mean something. */
static void read_suite_text(reader *r, const yml_node *n, const char *what,
                            const char **to)
{
    if (!yml_is_kind(&r->y, n, YML_SCALAR, what))
        return;
    if (!*n->text) {
        yml_wrong(&r->y, n->key ? n->key_at : n->at, "nothing is given for %s",
                  what);
        return;
    }
    check_words(r, n);
    *to = arena_strdup(r->s->mem, n->text);
}

static void read_texts(reader *r, const yml_node *n, const char *what,
                       suite_texts *to)
{
    size_t i = 0;

    if (!yml_is_kind(&r->y, n, YML_LIST, what))
        return;
    *to = (suite_texts){ARENA_ARRAY(r->s->mem, const char *, n->count + 1),
                        n->count};
    for (const yml_node *e = n->first; e; e = e->next, i++) {
        to->text[i] = ""; /* an argument may be empty */
        if (!yml_is_kind(&r->y, e, YML_SCALAR, what))
            continue;
        check_words(r, e);
        to->text[i] = arena_strdup(r->s->mem, e->text);
    }
}

static void read_regex(reader *r, const yml_node *n, const char **to)
{
    char why[256];
    regex_t re;
    int err;

    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key))
        return;
    err = regcomp(&re, n->text, REG_EXTENDED | REG_NEWLINE | REG_NOSUB);
    if (err) {
        regerror(err, &re, why, sizeof why);
        yml_wrong(&r->y, n->at, "'%s' is no regular expression: %s", n->text,
                  why);
        return;
    }
    regfree(&re);
    *to = arena_strdup(r->s->mem, n->text);
}

static bool read_suite_number(reader *r, const yml_node *n, unsigned least,
                              unsigned most, unsigned *to)
{
    uint64_t v;

    if (!yml_number(&r->y, n, least, most, &v))
        return false;
    *to = (unsigned)v;
    return true;
}

/* ---- Parts of a program ---- */

static void read_run_command(reader *r, const yml_node *n, suite_program *p)
{
    p->shell = n->kind == YML_SCALAR;
    if (p->shell) {
        p->run = (suite_texts){ARENA_ARRAY(r->s->mem, const char *, 1), 1};
        p->run.text[0] = "";
        read_suite_text(r, n, "run", &p->run.text[0]);
        return;
    }
    read_texts(r, n, "run", &p->run);
    if (n->kind == YML_LIST && !n->first)
        yml_wrong(&r->y, n->at, "nothing is given for run");
}

/* {small: [--n, 64]}, or only names. */
static void read_sizes(reader *r, const yml_node *n, suite_program *p)
{
    suite_size *s;

    if (n->kind == YML_SCALAR && !yml_is_kind(&r->y, n, YML_LIST, "sizes"))
        return;
    s = p->sizes = ARENA_ARRAY(r->s->mem, suite_size, n->count + 1);
    p->size_count = n->count;
    for (const yml_node *e = n->first; e; e = e->next, s++) {
        s->name = "";
        if (n->kind == YML_MAP && e->kind == YML_LIST) {
            read_texts(r, e, "a size", &s->is);
        } else {
            s->is = (suite_texts){ARENA_ARRAY(r->s->mem, const char *, 1), 1};
            s->is.text[0] = "";
            read_suite_text(r, e, "a size", &s->is.text[0]);
        }
        s->name = n->kind == YML_MAP ? arena_strdup(r->s->mem, e->key)
                                     : s->is.text[0];
    }
}

static void read_env(reader *r, const yml_node *n, suite_program *p)
{
    size_t i = 0;

    if (!yml_is_kind(&r->y, n, YML_MAP, "env"))
        return;
    p->env = (suite_texts){ARENA_ARRAY(r->s->mem, const char *, n->count + 1),
                           n->count};
    for (const yml_node *e = n->first; e; e = e->next, i++) {
        p->env.text[i] = arena_printf(r->s->mem, "%s=", e->key);
        if (!yml_is_kind(&r->y, e, YML_SCALAR, e->key))
            continue;
        check_words(r, e);
        p->env.text[i] = arena_printf(r->s->mem, "%s=%s", e->key, e->text);
    }
}

/* `stdout_is` and `files`: what is made, and what it must be like. */
static void read_files(reader *r, const yml_node *out, const yml_node *files,
                       suite_expect *x)
{
    size_t most = (out != NULL) + (files ? files->count : 0);
    suite_compare *c;

    c = x->files = ARENA_ARRAY(r->s->mem, suite_compare, most + 1);
    if (out)
        read_suite_text(r, out, out->key, &c++->wanted);
    if (files && yml_is_kind(&r->y, files, YML_MAP, "files"))
        for (const yml_node *e = files->first; e; e = e->next, c++) {
            c->made = arena_strdup(r->s->mem, e->key);
            read_suite_text(r, e, e->key, &c->wanted);
        }
    x->file_count = (size_t)(c - x->files);
}

static void read_expect(reader *r, const yml_node *n, suite_expect *x)
{
    static const char *const keys[] = {
        "status", "stdout", "stdout_not", "stderr", "stdout_is",
        "files",  "ignore", "tolerance",  "memory", NULL};
    const struct {
        const char *key, **to;
    } patterns[] = {{"stdout", &x->out},
                    {"stdout_not", &x->out_not},
                    {"stderr", &x->err},
                    {"ignore", &x->ignore}};
    const yml_node *v;
    unsigned u;
    char *end;

    if (!yml_is_kind(&r->y, n, YML_MAP, "expect"))
        return;
    yml_check_keys(&r->y, n, keys);
    if ((v = yml_get(n, "status"))) {
        x->any_status = v->kind == YML_SCALAR && !strcmp(v->text, "any");
        if (!x->any_status && read_suite_number(r, v, 0, 255, &u))
            x->status = (int)u;
    }
    if ((v = yml_get(n, "memory"))) {
        x->any_memory = v->kind == YML_SCALAR && !strcmp(v->text, "any");
        if (!x->any_memory &&
            (v->kind != YML_SCALAR || strcmp(v->text, "equal") != 0))
            yml_wrong(&r->y, v->at, "memory: expected equal or any");
    }
    for (size_t i = 0; i < COUNTOF(patterns); i++)
        if ((v = yml_get(n, patterns[i].key)))
            read_regex(r, v, patterns[i].to);
    if (yml_get(n, "stdout_is") || yml_get(n, "files"))
        read_files(r, yml_get(n, "stdout_is"), yml_get(n, "files"), x);
    if ((v = yml_get(n, "tolerance")) &&
        yml_is_kind(&r->y, v, YML_SCALAR, v->key)) {
        x->words = true;
        x->tolerance = strtod(v->text, &end);
        if (end == v->text || *end || !(x->tolerance >= 0))
            yml_wrong(&r->y, v->at, "'%s' is no number from 0 on", v->text);
    }
}

/* Launches as --timed has them: "gemm:3-7"; one, or a list. */
static void read_timed(reader *r, const yml_node *n, suite_program *p)
{
    const yml_node *e = n->kind == YML_LIST ? n->first : n;
    size_t count = n->kind == YML_LIST ? n->count : 1, length;

    p->timed = ARENA_ARRAY(r->s->mem, launch_filter_rule, count + 1);
    p->timed_count = 0;
    for (; count; e = e->next, count--) {
        launch_filter_rule *to = &p->timed[p->timed_count];

        if (!yml_is_kind(&r->y, e, YML_SCALAR, "timed"))
            continue;
        if (!*e->text || !launch_filter_parse(e->text, &length, to)) {
            yml_wrong(&r->y, e->at,
                      "timed: '%s' is not like gemm, gemm:3, gemm:3-7 or "
                      "'gemm*'",
                      e->text);
            continue;
        }
        to->kernel = arena_strndup(r->s->mem, e->text, length);
        p->timed_count++;
    }
}

/* ---- Programs ---- */

/* All but its name, on top of what `p` has. */
static void read_parts(reader *r, const yml_node *n, suite_program *p)
{
    const yml_node *v;

    if ((v = yml_get(n, "about")))
        read_suite_text(r, v, "about", &p->about);
    if ((v = yml_get(n, "run")))
        read_run_command(r, v, p);
    if ((v = yml_get(n, "build")))
        read_suite_text(r, v, "build", &p->build);
    if ((v = yml_get(n, "folder")))
        read_suite_text(r, v, "folder", &p->folder);
    if ((v = yml_get(n, "stdin")))
        read_suite_text(r, v, "stdin", &p->input);
    if ((v = yml_get(n, "inputs")))
        read_texts(r, v, "inputs", &p->inputs);
    if ((v = yml_get(n, "from")))
        read_suite_text(r, v, "from", &p->from);
    if ((v = yml_get(n, "timed")))
        read_timed(r, v, p);
    if ((v = yml_get(n, "env")))
        read_env(r, v, p);
    if ((v = yml_get(n, "sizes")))
        read_sizes(r, v, p);
    if ((v = yml_get(n, "tags")))
        read_texts(r, v, "tags", &p->tags);
    if ((v = yml_get(n, "timeout")))
        read_suite_number(r, v, 1, TIMEOUT_MOST_S, &p->timeout_s);
    if ((v = yml_get(n, "expect")))
        read_expect(r, v, &p->expect);
}

#define PARTS                                                                  \
    "about", "run", "build", "folder", "stdin", "inputs", "from", "timed",     \
        "env", "sizes", "tags", "timeout", "expect", NULL

static void read_program(reader *r, const yml_node *n, suite_program *p)
{
    static const char *const keys[] = {"name", PARTS};
    const yml_node *name = n;

    p->name = "";
    if (n->kind != YML_SCALAR) {
        if (!yml_is_kind(&r->y, n, YML_MAP, "a program"))
            return;
        yml_check_keys(&r->y, n, keys);
        name = yml_get(n, "name");
        if (!name) {
            yml_wrong(&r->y, n->at, "a program needs a name");
            return;
        }
    }
    if (!yml_is_kind(&r->y, name, YML_SCALAR, "name"))
        return;
    if (!*name->text ||
        strspn(name->text, "abcdefghijklmnopqrstuvwxyz"
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789_.+-") != strlen(name->text)) {
        yml_wrong(&r->y, name->at,
                  "'%s' is no name: letters, digits and _ . + - are allowed",
                  name->text);
        return;
    }
    if (suite_find(r->s, name->text))
        yml_wrong(&r->y, name->at, "there are two programs '%s'", name->text);
    p->name = arena_strdup(r->s->mem, name->text);
    if (n->kind == YML_MAP)
        read_parts(r, n, p);
    if (!p->run.count)
        yml_wrong(&r->y, n->at, "'%s' has nothing to run", p->name);
}

/* A suite's, and those of a file of another kind. */
static void check_top_keys(reader *r, const yml_node *root)
{
    static const char *const own[] = {"name", "about", "build", "defaults",
                                      "programs"};
    const char *const *more = r->more ? r->more->keys : NULL;
    const char **keys;
    size_t n = 0;

    while (more && more[n])
        n++;
    keys = ARENA_ARRAY(r->s->mem, const char *, COUNTOF(own) + n + 1);
    for (size_t i = 0; i < COUNTOF(own) + n; i++)
        keys[i] = i < COUNTOF(own) ? own[i] : more[i - COUNTOF(own)];
    yml_check_keys(&r->y, root, keys);
}

static void read_suite(reader *r, const yml_node *root)
{
    static const char *const parts[] = {PARTS};
    suite_program first = {
        .about = "", .folder = "{dir}", .timeout_s = TIMEOUT_S};
    const yml_node *v;

    if (!yml_is_kind(&r->y, root, YML_MAP, "a suite"))
        return;
    check_top_keys(r, root);
    if ((v = yml_get(root, "name")))
        read_suite_text(r, v, "name", &r->s->name);
    if ((v = yml_get(root, "about")))
        read_suite_text(r, v, "about", &r->s->about);
    if ((v = yml_get(root, "build")))
        read_suite_text(r, v, "build", &r->s->build);
    if ((v = yml_get(root, "defaults")) &&
        yml_is_kind(&r->y, v, YML_MAP, "defaults")) {
        yml_check_keys(&r->y, v, parts);
        read_parts(r, v, &first);
    }
    v = yml_get(root, "programs");
    if (!v && r->more)
        return;
    if (!v) {
        yml_wrong(&r->y, root->at, "the suite has no programs");
        return;
    }
    if (!yml_is_kind(&r->y, v, YML_LIST, "programs"))
        return;
    r->s->programs = ARENA_ARRAY(r->s->mem, suite_program, v->count + 1);
    for (const yml_node *e = v->first; e; e = e->next) {
        suite_program p = first;

        read_program(r, e, &p);
        r->s->programs[r->s->count++] = p;
    }
    if (!r->s->count)
        yml_wrong(&r->y, v->key_at, "the suite has no programs");
}

/* ---- The file ---- */

/* The name of the folder, without the path. */
static const char *folder_name_of(const char *folder)
{
    const char *slash = strrchr(folder, '/');

    return slash && slash[1] ? slash + 1 : folder;
}

/* Of the file that the suite is in; it need not be there. */
static void name_places(suite *s, const char *path)
{
    char whole[PATH_MAX];
    const char *slash = strrchr(path, '/');

    s->path = arena_strdup(s->mem, path);
    s->folder = !slash ? "."
                : slash == path
                    ? "/"
                    : arena_strndup(s->mem, path, (size_t)(slash - path));
    if (realpath(s->folder, whole))
        s->folder = arena_strdup(s->mem, whole);
    s->name = folder_name_of(s->folder);
    s->about = "";
}

status suite_read_tree(const char *path, const yml_node *root,
                       const suite_other *more, diag *dg, suite **out)
{
    reader r = {.y = {.dg = dg, .good = true}, .more = more};
    arena *mem = arena_new();

    r.s = ARENA_NEW(mem, suite);
    r.s->mem = mem;
    name_places(r.s, path);
    r.y.path = r.s->path;
    if (more) {
        r.s->words = more->words;
        r.s->word_count = more->word_count;
    }
    read_suite(&r, root);
    if (r.y.good)
        *out = r.s;
    else
        suite_free(r.s);
    return r.y.good ? ST_OK : ST_CONFIG;
}

status suite_read_text(const char *path, const char *text, size_t size,
                       diag *dg, suite **out)
{
    arena *mem = arena_new();
    yml_node *root;
    status st = yml_read(path, text, size, mem, dg, &root);

    if (st == ST_OK)
        st = suite_read_tree(path, root, NULL, dg, out);
    arena_free(mem);
    return st;
}

status suite_read(const char *path, diag *dg, suite **out)
{
    strbuf file = {0};
    char *text = NULL;
    size_t size = 0;
    struct stat is;
    status st;

    strbuf_puts(&file, path);
    if (stat(path, &is) == 0 && S_ISDIR(is.st_mode))
        strbuf_puts(&file, path[strlen(path) - 1] == '/' ? "suite.yaml"
                                                         : "/suite.yaml");
    st = file_read(file.text, dg, &text, &size);
    if (st == ST_OK &&
        !file_kind_is_yaml(file.text, text, size, FILE_SUITE, "suite", dg))
        st = ST_CONFIG;
    if (st == ST_OK)
        st = suite_read_text(file.text, text, size, dg, out);
    free(text);
    strbuf_fini(&file);
    return st;
}
