/* src/config/sheet.c - applies trees of YAML and assignments to values. */
#include "config/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/kind.h"
#include "base/must.h"
#include "base/suggest.h"
#include "config/preset.h"
#include "config/yml.h"

enum { MOST_EXTENDS = 16 };

struct config_sheet {
    config values;
    config_origin *origins; /* one per parameter */
    arena *texts;
};

/* Files being read, each because the one before extends it. */
typedef struct chain {
    const struct chain *up;
    const char *file;
    unsigned depth;
} chain;

/* One file being applied. */
typedef struct apply {
    config_sheet *sheet;
    const char *file;
    diag *dg;
    const chain *chain;
    const yml_node **seen; /* node that set each parameter in this file */
} apply;

config_sheet *config_sheet_new(void)
{
    config_sheet *s = new0(1, sizeof *s);

    s->texts = arena_new();
    s->origins = new0(config_param_count(), sizeof *s->origins);
    config_defaults(&s->values);
    for (size_t i = 0; i < config_param_count(); i++)
        s->origins[i].note = "";
    return s;
}

void config_sheet_free(config_sheet *s)
{
    if (!s)
        return;
    arena_free(s->texts);
    free(s->origins);
    free(s);
}

const config *config_sheet_values(const config_sheet *s) { return &s->values; }

static size_t index_of(const config_param *p)
{
    return (size_t)(p - config_param_get(0));
}

config_origin config_sheet_origin(const config_sheet *s, const config_param *p)
{
    return s->origins[index_of(p)];
}

#define ERROR_AT(a, p, ...)                                                    \
    diag_add((a)->dg, DIAG_ERROR, (a)->file, (p).line, (p).column, (p).length, \
             __VA_ARGS__)

static void unknown_key(apply *a, const yml_node *n, const char *path)
{
    const char *near = config_param_suggest(path);
    const char *dot = strrchr(path, '.');
    size_t in = dot ? (size_t)(dot - path) : 0;

    /* A neighbour is named by its last part, others by the whole path. */
    if (near && strrchr(near, '.') &&
        in == (size_t)(strrchr(near, '.') - near) && !strncmp(near, path, in))
        near += in + 1;
    if (near)
        ERROR_AT(a, n->key_at, "unknown key '%s' (did you mean '%s'?)", n->key,
                 near);
    else
        ERROR_AT(a, n->key_at, "unknown key '%s'", n->key);
}

static void apply_value(apply *a, const yml_node *n, const config_param *p)
{
    config_sheet *s = a->sheet;
    size_t i = index_of(p);
    strbuf why = {0};

    if (n->kind != YML_SCALAR) {
        ERROR_AT(a, n->key_at, "%s takes a value, not a %s", p->path,
                 n->kind == YML_MAP ? "section" : "list");
        return;
    }
    if (a->seen[i]) {
        ERROR_AT(a, n->key_at, "%s is set twice, first on line %u", p->path,
                 a->seen[i]->key_at.line);
        return;
    }
    a->seen[i] = n;
    if (config_put(&s->values, p, n->text, &why))
        s->origins[i] =
            (config_origin){CONFIG_FROM_FILE, arena_strdup(s->texts, a->file),
                            n->at.line,       n->at.column,
                            n->at.length,     arena_strdup(s->texts, n->note)};
    else
        ERROR_AT(a, *n->text ? n->at : n->key_at, "%s", why.text);
    strbuf_fini(&why);
}

static void apply_section(apply *a, const yml_node *map, const char *prefix)
{
    for (const yml_node *n = map->first; n; n = n->next) {
        const config_param *p;
        strbuf path = {0};

        if (!*prefix && !strcmp(n->key, "extends"))
            continue; /* done before */
        strbuf_printf(&path, "%s%s%s", prefix, *prefix ? "." : "", n->key);
        p = config_param_find(path.text);
        if (p)
            apply_value(a, n, p);
        else if (!config_section_find(path.text))
            unknown_key(a, n, path.text);
        else if (n->kind == YML_MAP)
            apply_section(a, n, path.text);
        else if (n->kind == YML_LIST || *n->text)
            ERROR_AT(a, n->key_at, "'%s' is a section, not a %s", path.text,
                     n->kind == YML_LIST ? "list" : "value");
        strbuf_fini(&path);
    }
}

static status load_named(config_sheet *s, const char *name, const char *near,
                         const chain *up, diag *dg, strbuf *why);
static status read_yaml_text(config_sheet *s, const char *file,
                             const char *text, size_t size, const chain *up,
                             diag *dg);

static status apply_extends(apply *a, const yml_node *root)
{
    const yml_node *n = yml_get(root, "extends");
    strbuf why = {0};
    status st;

    if (!n)
        return ST_OK;
    if (n->kind != YML_SCALAR || !*n->text) {
        ERROR_AT(a, n->key_at, "extends needs the name of a preset or file");
        return ST_CONFIG;
    }
    if (n != root->first)
        ERROR_AT(a, n->key_at, "extends must be the first key");
    st = load_named(a->sheet, n->text, a->file, a->chain, a->dg, &why);
    if (why.text)
        ERROR_AT(a, n->at, "%s", why.text);
    strbuf_fini(&why);
    return st;
}

static status read_yaml_text(config_sheet *s, const char *file,
                             const char *text, size_t size, const chain *up,
                             diag *dg)
{
    chain here = {up, file, up ? up->depth + 1 : 0};
    size_t before = diag_errors(dg);
    arena *tree = arena_new();
    apply a = {s, file, dg, &here, NULL};
    status st = ST_NOMEM;
    yml_node *root;

    a.seen = ARENA_ARRAY(tree, const yml_node *, config_param_count());
    st = yml_read(file, text, size, tree, dg, &root);
    if (st != ST_OK)
        goto done;
    if (root->kind != YML_MAP) {
        ERROR_AT(&a, root->at, "a configuration must be 'key: value' lines");
        st = ST_CONFIG;
        goto done;
    }
    st = apply_extends(&a, root);
    apply_section(&a, root, "");
    if (st == ST_OK && diag_errors(dg) != before)
        st = ST_CONFIG;
done:
    arena_free(tree);
    return st;
}

status config_sheet_read(config_sheet *s, const char *file, const char *text,
                         size_t size, diag *dg)
{
    return read_yaml_text(s, file, text, size, NULL, dg);
}

static status load_preset(config_sheet *s, const char *name, const chain *up,
                          diag *dg, strbuf *why)
{
    const config_preset *p = config_preset_find(name);
    const char *names[64], *near;
    size_t n = config_preset_count();

    if (p)
        return read_yaml_text(s, p->file, p->text, p->size, up, dg);
    if (n > COUNTOF(names))
        n = COUNTOF(names);
    strbuf_printf(why, "no preset '%s'", name);
    for (size_t i = 0; i < n; i++)
        names[i] = config_preset_get(i)->name;
    near = suggest_nearest(name, names, n);
    if (near)
        strbuf_printf(why, " (did you mean '%s'?)", near);
    strbuf_puts(why, "; there are");
    for (size_t i = 0; i < n; i++)
        strbuf_printf(why, "%s %s", i ? "," : "", names[i]);
    strbuf_puts(why, "; a file has a '/' or '.' in its name");
    return ST_CONFIG;
}

/* Relative to the folder of `near`, the file that names it. */
static void resolve_path(const char *name, const char *near, strbuf *out)
{
    const char *slash = near ? strrchr(near, '/') : NULL;

    if (slash && name[0] != '/')
        strbuf_write(out, near, (size_t)(slash - near) + 1);
    strbuf_puts(out, name);
}

/* An error in `name` itself is in *why, and the caller adds its place; errors
 * inside the file are in `dg`. */
static status load_named(config_sheet *s, const char *name, const char *near,
                         const chain *up, diag *dg, strbuf *why)
{
    strbuf path = {0};
    char *text = NULL;
    size_t size;
    status st;

    if (up && up->depth + 1 >= MOST_EXTENDS) {
        strbuf_puts(why, "more than 16 files extend each other");
        return ST_CONFIG;
    }
    if (!strpbrk(name, "/."))
        return load_preset(s, name, up, dg, why);
    resolve_path(name, near, &path);
    for (const chain *c = up; c; c = c->up) {
        if (!strcmp(c->file, path.text)) {
            strbuf_printf(why, "'%s' extends itself", path.text);
            st = ST_CONFIG;
            goto done;
        }
    }
    st = file_read(path.text, dg, &text, &size);
    if (st == ST_OK)
        st = file_kind_is_yaml(path.text, text, size, FILE_CONFIG,
                               "configuration of a GPU", dg)
                 ? read_yaml_text(s, path.text, text, size, up, dg)
                 : ST_CONFIG;
done:
    free(text);
    strbuf_fini(&path);
    return st;
}

status config_sheet_load(config_sheet *s, const char *name, diag *dg)
{
    strbuf why = {0};
    status st = load_named(s, name, NULL, NULL, dg, &why);

    if (why.text)
        diag_error(dg, "%s", why.text);
    strbuf_fini(&why);
    return st;
}

static void unknown_path(const char *label, const char *path, diag *dg)
{
    const char *near = config_param_suggest(path);

    if (config_section_find(path))
        diag_add(dg, DIAG_ERROR, label, 0, 0, 1, "'%s' is a section", path);
    else if (near)
        diag_add(dg, DIAG_ERROR, label, 0, 0, 1,
                 "unknown key '%s' (did you mean '%s'?)", path, near);
    else
        diag_add(dg, DIAG_ERROR, label, 0, 0, 1, "unknown key '%s'", path);
}

status config_sheet_set(config_sheet *s, const char *assignment,
                        config_origin_kind kind, diag *dg)
{
    const char *equals = strchr(assignment, '=');
    const char *label =
        arena_printf(s->texts, "%s %s",
                     kind == CONFIG_FROM_AXIS ? "axis" : "--set", assignment);
    const config_param *p;
    strbuf why = {0};
    char *path;

    if (!equals || equals == assignment) {
        diag_add(dg, DIAG_ERROR, label, 0, 0, 1, "must be path=value");
        return ST_CONFIG;
    }
    path = arena_strndup(s->texts, assignment, (size_t)(equals - assignment));
    p = config_param_find(path);
    if (!p) {
        unknown_path(label, path, dg);
        return ST_CONFIG;
    }
    if (!config_put(&s->values, p, equals + 1, &why)) {
        diag_add(dg, DIAG_ERROR, label, 0, 0, 1, "%s", why.text);
        strbuf_fini(&why);
        return ST_CONFIG;
    }
    s->origins[index_of(p)] =
        (config_origin){.kind = kind, .file = label, .note = ""};
    return ST_OK;
}
