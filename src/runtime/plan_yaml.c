/* The launch file's half of runtime/plan.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/must.h"
#include "base/suggest.h"
#include "config/yml.h"
#include "runtime/buffer.h"
#include "runtime/element.h"
#include "runtime/plan.h"
#include "runtime/plan_reader.h"

void reader_wrong(reader *r, yml_place at, const char *fmt, const char *text,
                  const char *more)
{
    r->good = false;
    diag_add(r->dg, DIAG_ERROR, r->path, at.line, at.column, at.length, fmt,
             text, more);
}

plan_place reader_place(const reader *r, yml_place at)
{
    return (plan_place){r->path, at.line, at.column, at.length};
}

/* Paths are relative to the launch file. */
static const char *beside(const reader *r, const char *name)
{
    const char *slash = strrchr(r->path, '/');

    if (!slash || *name == '/')
        return arena_strdup(r->p->mem, name);
    return arena_printf(r->p->mem, "%.*s/%s", (int)(slash - r->path), r->path,
                        name);
}

/* Every key of `map` must be one of the names; NULL ends them. */
void reader_check_keys(reader *r, const yml_node *map, const char *const *names)
{
    size_t count = 0;

    while (names[count])
        count++;
    for (const yml_node *n = map->first; n; n = n->next) {
        size_t i = 0;

        while (i < count && strcmp(names[i], n->key))
            i++;
        if (i < count)
            continue;
        const char *near = suggest_nearest(n->key, names, count);
        if (near)
            reader_wrong(r, n->key_at, "unknown key '%s' (did you mean '%s'?)",
                         n->key, near);
        else
            reader_wrong(r, n->key_at, "unknown key '%s'%s", n->key, "");
    }
}

bool reader_is_kind(reader *r, const yml_node *n, yml_kind kind,
                    const char *what)
{
    static const char *const names[] = {"a value", "a mapping {...}",
                                        "a list [...]"};

    if (n->kind == kind)
        return true;
    reader_wrong(r, n->at, "%s must be %s", what, names[kind]);
    return false;
}

bool reader_u64(reader *r, const yml_node *n, uint64_t most, uint64_t *out)
{
    char *end;

    if (!reader_is_kind(r, n, YML_SCALAR, n->key ? n->key : "this"))
        return false;
    errno = 0;
    unsigned long long v = strtoull(n->text, &end, 0);
    if (!isdigit((unsigned char)*n->text) || *end || errno || v > most) {
        char limit[32];

        snprintf(limit, sizeof limit, "%llu", (unsigned long long)most);
        reader_wrong(r, n->at, "'%s' is no whole number up to %s", n->text,
                     limit);
        return false;
    }
    *out = v;
    return true;
}

static void read_tolerance(reader *r, const yml_node *n, double *out)
{
    if (!reader_is_kind(r, n, YML_SCALAR, n->key))
        return;
    if (!element_parse(TYPE_F64, n->text, out) || !(*out >= 0))
        reader_wrong(r, n->at, "'%s' is no number from 0 on%s", n->text, "");
}

/* NULL: there is no such node, or it is none. */
static const char *read_text(reader *r, const yml_node *n)
{
    if (!n || !reader_is_kind(r, n, YML_SCALAR, n->key ? n->key : "this"))
        return NULL;
    return arena_strdup(r->p->mem, n->text);
}

/* A text that means nothing when it is empty: a name. */
static const char *read_name(reader *r, const yml_node *n)
{
    const char *text = read_text(r, n);

    if (!text || *text)
        return text;
    reader_wrong(r, n->key_at, "nothing is given for '%s'%s", n->key, "");
    return NULL;
}

const char *reader_path(reader *r, const yml_node *n)
{
    const char *text = read_name(r, n);

    return text ? beside(r, text) : NULL;
}

/* ---- Buffers ---- */

void reader_init(reader *r, const yml_node *n, plan_buffer *b)
{
    if (!n || !reader_is_kind(r, n, YML_SCALAR, "init"))
        return;
    if (!buffer_init_find(n->text, &b->init))
        reader_wrong(
            r, n->at,
            "unknown init '%s'; there are zero, iota, constant, uniform%s",
            n->text, "");
}

static void read_type(reader *r, const yml_node *n, plan_buffer *b)
{
    b->type = TYPE_NONE;
    if (!n || !reader_is_kind(r, n, YML_SCALAR, "type"))
        return;
    b->type = plan_type_find(n->text);
    if (b->type == TYPE_NONE)
        reader_wrong(
            r, n->at,
            "unknown type '%s'; there are u8 to u64, s8 to s64, f16, f32, "
            "f64%s",
            n->text, "");
}

/* seed, min, max, value. False: one is wrong. */
bool reader_options(reader *r, const yml_node *map, plan_buffer *b)
{
    static const char *const names[] = {"seed", "min", "max", "value"};
    bool good = true;

    for (unsigned i = 0; i < COUNTOF(names); i++) {
        const yml_node *n = yml_get(map, names[i]);
        const char *text = read_text(r, n);
        const char *why = text ? buffer_set(b, names[i], text) : NULL;

        if (why)
            reader_wrong(r, n->at, "'%s': %s", n->text, why);
        good &= !why && (!n || text);
    }
    return good;
}

/* What a buffer must have and what does not go together. */
static void check_buffer(reader *r, const yml_node *n, plan_buffer *b)
{
    const char *why = NULL;

    if (!buffer_name_good(b->name))
        why = "a buffer's name begins with a letter or _";
    else if (b->file && yml_get(n, "init"))
        why = "it has a file, so it needs no init";
    else if (!b->file && !yml_get(n, "count"))
        why = "it needs a count or a file";
    else if (!b->file && !yml_get(n, "type"))
        why = "it needs a type";
    else
        why = buffer_check(b);
    if (why)
        reader_wrong(r, n->key_at, "buffer '%s': %s", n->key, why);
}

static void read_buffer(reader *r, const yml_node *n)
{
    static const char *const keys[] = {"type", "count", "init",  "file", "seed",
                                       "min",  "max",   "value", NULL};
    plan_buffer *b = ARENA_NEW(r->p->mem, plan_buffer);
    const yml_node *v;
    bool good = true;

    b->name = arena_strdup(r->p->mem, n->key);
    b->at = reader_place(r, n->key_at);
    if (plan_find_buffer(r->p, b->name))
        reader_wrong(r, n->key_at, "an image is called '%s', too%s", n->key,
                     "");
    *r->p->buffers_end = b; /* even a wrong one, or each use is an error */
    r->p->buffers_end = &b->next;
    if (!reader_is_kind(r, n, YML_MAP, "a buffer"))
        return;
    reader_check_keys(r, n, keys);
    read_type(r, yml_get(n, "type"), b);
    if ((v = yml_get(n, "count")))
        good &= reader_u64(r, v, PLAN_COUNT_MAX, &b->count);
    reader_init(r, yml_get(n, "init"), b);
    good &= reader_options(r, n, b);
    if ((v = yml_get(n, "file"))) {
        b->file = reader_path(r, v);
        b->init = INIT_FILE;
        good &= b->file != NULL;
    }
    if (good)
        check_buffer(r, n, b);
}

/* ---- Launches ---- */

static void read_triple(reader *r, const yml_node *n, uint32_t out[3])
{
    uint64_t v;
    unsigned i = 0;

    if (!n)
        return;
    if (n->kind == YML_SCALAR) {
        if (reader_u64(r, n, UINT32_MAX, &v))
            out[0] = (uint32_t)v;
        return;
    }
    if (!reader_is_kind(r, n, YML_LIST, n->key))
        return;
    if (!n->first)
        reader_wrong(r, n->at, "%s needs one to three numbers%s", n->key, "");
    for (const yml_node *e = n->first; e; e = e->next, i++) {
        if (i == 3) {
            reader_wrong(r, e->at, "%s has at most three numbers%s", n->key,
                         "");
            return;
        }
        if (reader_u64(r, e, UINT32_MAX, &v))
            out[i] = (uint32_t)v;
    }
}

static void read_struct(reader *r, const yml_node *n, plan_arg *a);

static void read_arg(reader *r, const yml_node *n, plan_arg *a)
{
    uint8_t scratch[8];

    a->type = TYPE_NONE;
    a->at = reader_place(r, n->at);
    if (n->kind == YML_MAP && n->count == 1 &&
        !strcmp(n->first->key, "texture")) {
        reader_texture(r, n->first, a);
        return;
    }
    if (n->kind == YML_MAP && n->count == 1 &&
        !strcmp(n->first->key, "struct")) {
        read_struct(r, n->first, a);
        return;
    }
    if (n->kind == YML_MAP && n->count == 1) {
        a->type = plan_type_find(n->first->key);
        a->text = read_text(r, n->first);
        if (a->type == TYPE_NONE)
            reader_wrong(r, n->first->key_at, "unknown type '%s'%s",
                         n->first->key, "");
        else if (a->text && !element_parse(a->type, a->text, scratch))
            reader_wrong(r, n->first->at, "'%s' is no %s", a->text,
                         plan_type_text(a->type));
        return;
    }
    if (!reader_is_kind(r, n, YML_SCALAR,
                        "an argument (a buffer, a number or {TYPE: number})"))
        return;
    a->text = arena_strdup(r->p->mem, n->text);
    a->buffer = plan_find_buffer(r->p, a->text);
    a->sampler = plan_find_sampler(r->p, a->text);
    if (!a->buffer && !a->sampler && !element_parse(TYPE_F64, a->text, scratch))
        reader_wrong(r, n->at, "'%s' is neither a buffer nor a number%s",
                     a->text, "");
}

/* A structure by value, whose fields are no structures. */
static void read_struct(reader *r, const yml_node *n, plan_arg *a)
{
    plan_arg **end = &a->fields;

    if (!reader_is_kind(r, n, YML_LIST, "a structure"))
        return;
    if (!n->first)
        reader_wrong(r, n->at, "a structure has fields%s%s", "", "");
    for (const yml_node *e = n->first; e; e = e->next) {
        if (e->kind == YML_MAP && e->count == 1 &&
            !strcmp(e->first->key, "struct")) {
            reader_wrong(r, e->first->key_at,
                         "write the fields of a structure in a structure among "
                         "its own%s%s",
                         "", "");
            continue;
        }
        *end = ARENA_NEW(r->p->mem, plan_arg);
        read_arg(r, e, *end);
        end = &(*end)->next;
    }
}

static void read_launch(reader *r, const yml_node *n)
{
    static const char *const keys[] = {"kernel", "grid",   "block", "shared",
                                       "args",   "repeat", "bind",  NULL};
    plan_launch *l = plan_add_launch(r->p);
    const yml_node *v;
    uint64_t u;

    l->at = reader_place(r, n->at);
    if (!reader_is_kind(r, n, YML_MAP, "a launch"))
        return;
    reader_check_keys(r, n, keys);
    l->kernel = read_name(r, yml_get(n, "kernel"));
    read_triple(r, yml_get(n, "grid"), l->grid);
    read_triple(r, yml_get(n, "block"), l->block);
    if ((v = yml_get(n, "shared")) && reader_u64(r, v, UINT32_MAX, &u))
        l->shared_bytes = (uint32_t)u;
    if ((v = yml_get(n, "repeat")) && reader_u64(r, v, 1000000000, &u)) {
        l->repeat = (uint32_t)u;
        if (!u)
            reader_wrong(r, v->at, "repeat is at least 1%s%s", "", "");
    }
    if ((v = yml_get(n, "bind")))
        reader_binds(r, v, l);
    v = yml_get(n, "args");
    if (!v || !reader_is_kind(r, v, YML_LIST, "args"))
        return;
    plan_arg **end = &l->args;
    for (const yml_node *e = v->first; e; e = e->next) {
        plan_arg *a = ARENA_NEW(r->p->mem, plan_arg);

        read_arg(r, e, a);
        *end = a;
        end = &a->next;
    }
}

/* ---- Results ---- */

static void read_output(reader *r, const yml_node *n, bool expect)
{
    static const char *const keys[] = {"file", "tolerance", NULL};
    plan_output *o = ARENA_NEW(r->p->mem, plan_output);
    const yml_node *file = n;

    o->at = reader_place(r, n->key_at);
    o->buffer = plan_find_buffer(r->p, n->key);
    if (!o->buffer)
        reader_wrong(r, n->key_at, "no buffer '%s'%s", n->key, "");
    if (expect && n->kind == YML_MAP) {
        const yml_node *t = yml_get(n, "tolerance");

        reader_check_keys(r, n, keys);
        file = yml_get(n, "file");
        if (t)
            read_tolerance(r, t, &o->tolerance);
        if (!file)
            reader_wrong(r, n->key_at, "'%s' needs a file%s", n->key, "");
    }
    if (file && reader_is_kind(r, file, YML_SCALAR, "a file"))
        o->file = reader_path(r, file);
    if (!o->buffer || !o->file)
        return;
    plan_output ***end = expect ? &r->p->expects_end : &r->p->dumps_end;
    **end = o;
    *end = &o->next;
}

static void read_plan(reader *r, const yml_node *root)
{
    static const char *const keys[] = {"program", "gpu",      "buffers",
                                       "images",  "samplers", "launches",
                                       "dump",    "expect",   NULL};
    const yml_node *v;

    if (!reader_is_kind(r, root, YML_MAP, "a launch file"))
        return;
    reader_check_keys(r, root, keys);
    r->p->program = reader_path(r, yml_get(root, "program"));
    r->p->gpu = read_name(r, yml_get(root, "gpu"));
    if ((v = yml_get(root, "images")))
        reader_images(r, v);
    if ((v = yml_get(root, "samplers")))
        reader_samplers(r, v);
    if ((v = yml_get(root, "buffers")) &&
        reader_is_kind(r, v, YML_MAP, "buffers"))
        for (const yml_node *n = v->first; n; n = n->next)
            read_buffer(r, n);
    v = yml_get(root, "launches");
    if (!v)
        reader_wrong(r, root->at, "a launch file needs 'launches'%s%s", "", "");
    else if (reader_is_kind(r, v, YML_LIST, "launches") && !v->first)
        reader_wrong(r, v->at, "there must be at least one launch%s%s", "", "");
    else if (v->kind == YML_LIST)
        for (const yml_node *n = v->first; n; n = n->next)
            read_launch(r, n);
    if ((v = yml_get(root, "dump")) && reader_is_kind(r, v, YML_MAP, "dump"))
        for (const yml_node *n = v->first; n; n = n->next)
            read_output(r, n, false);
    if ((v = yml_get(root, "expect")) &&
        reader_is_kind(r, v, YML_MAP, "expect"))
        for (const yml_node *n = v->first; n; n = n->next)
            read_output(r, n, true);
}

status plan_read_text(plan *p, const char *path, const char *text, size_t size,
                      diag *dg)
{
    reader r = {
        .p = p, .path = arena_strdup(p->mem, path), .dg = dg, .good = true};
    yml_node *root;

    diag_source(dg, path, text, size);
    status st = yml_read(path, text, size, p->mem, dg, &root);
    if (st != ST_OK)
        return st;
    read_plan(&r, root);
    return r.good ? ST_OK : ST_CONFIG;
}

status plan_read(plan *p, const char *path, diag *dg)
{
    char *text;
    size_t size;
    status st = file_read(path, dg, &text, &size);

    if (st != ST_OK)
        return ST_CONFIG;
    st = plan_read_text(p, path, text, size, dg);
    free(text);
    return st;
}
