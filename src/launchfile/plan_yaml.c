/* The launch file's half of launchfile/plan.h. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/kind.h"
#include "base/must.h"
#include "config/yml.h"
#include "launchfile/buffer.h"
#include "launchfile/element.h"
#include "launchfile/plan.h"
#include "launchfile/plan_reader.h"

plan_place reader_place(const reader *r, yml_place at)
{
    return (plan_place){r->y.path, at.line, at.column, at.length};
}

/* Paths are relative to the launch file. */
static const char *path_beside_file(const reader *r, const char *name)
{
    const char *slash = strrchr(r->y.path, '/');

    if (!slash || *name == '/')
        return arena_strdup(r->p->mem, name);
    return arena_printf(r->p->mem, "%.*s/%s", (int)(slash - r->y.path),
                        r->y.path, name);
}

static void read_tolerance(reader *r, const yml_node *n, double *out)
{
    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key))
        return;
    if (!element_parse(TYPE_F64, n->text, out) || !(*out >= 0))
        yml_wrong(&r->y, n->at, "'%s' is no number from 0 on", n->text);
}

/* NULL: there is no such node, or it is none. */
static const char *read_scalar(reader *r, const yml_node *n)
{
    if (!n || !yml_is_kind(&r->y, n, YML_SCALAR, n->key ? n->key : "this"))
        return NULL;
    return arena_strdup(r->p->mem, n->text);
}

/* A text that means nothing when it is empty: a name. */
static const char *read_plan_name(reader *r, const yml_node *n)
{
    const char *text = read_scalar(r, n);

    if (!text || *text)
        return text;
    yml_wrong(&r->y, n->key_at, "nothing is given for '%s'", n->key);
    return NULL;
}

const char *reader_path(reader *r, const yml_node *n)
{
    const char *text = read_plan_name(r, n);

    return text ? path_beside_file(r, text) : NULL;
}

/* ---- Buffers ---- */

void reader_init(reader *r, const yml_node *n, plan_buffer *b)
{
    if (!n || !yml_is_kind(&r->y, n, YML_SCALAR, "init"))
        return;
    if (!buffer_init_find(n->text, &b->init))
        yml_wrong(&r->y, n->at,
                  "unknown init '%s'; there are zero, iota, constant, uniform",
                  n->text);
}

static void read_element_type(reader *r, const yml_node *n, plan_buffer *b)
{
    b->type = TYPE_NONE;
    if (!n || !yml_is_kind(&r->y, n, YML_SCALAR, "type"))
        return;
    b->type = plan_type_find(n->text);
    if (b->type == TYPE_NONE)
        yml_wrong(&r->y, n->at, "%s", plan_type_unknown(n->text, r->p->mem));
}

/* seed, min, max, value. False: one is wrong. */
bool reader_options(reader *r, const yml_node *map, plan_buffer *b)
{
    static const char *const names[] = {"seed", "min", "max", "value"};
    bool good = true;

    for (unsigned i = 0; i < COUNTOF(names); i++) {
        const yml_node *n = yml_get(map, names[i]);
        const char *text = read_scalar(r, n);
        const char *why = text ? buffer_set(b, names[i], text) : NULL;

        if (why)
            yml_wrong(&r->y, n->at, "'%s': %s", n->text, why);
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
        yml_wrong(&r->y, n->key_at, "buffer '%s': %s", n->key, why);
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
        yml_wrong(&r->y, n->key_at, "an image is called '%s', too", n->key);
    *r->p->buffers_end = b; /* even a wrong one, or each use is an error */
    r->p->buffers_end = &b->next;
    if (!yml_is_kind(&r->y, n, YML_MAP, "a buffer"))
        return;
    yml_check_keys(&r->y, n, keys);
    read_element_type(r, yml_get(n, "type"), b);
    if ((v = yml_get(n, "count")))
        good &= yml_number(&r->y, v, 0, PLAN_COUNT_MAX, &b->count);
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

static void read_dimensions(reader *r, const yml_node *n, uint32_t out[3])
{
    uint64_t v;
    unsigned i = 0;

    if (!n)
        return;
    if (n->kind == YML_SCALAR) {
        if (yml_number(&r->y, n, 0, UINT32_MAX, &v))
            out[0] = (uint32_t)v;
        return;
    }
    if (!yml_is_kind(&r->y, n, YML_LIST, n->key))
        return;
    if (!n->first)
        yml_wrong(&r->y, n->at, "%s needs one to three numbers", n->key);
    for (const yml_node *e = n->first; e; e = e->next, i++) {
        if (i == 3) {
            yml_wrong(&r->y, e->at, "%s has at most three numbers", n->key);
            return;
        }
        if (yml_number(&r->y, e, 0, UINT32_MAX, &v))
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
        !strcmp(n->first->key, "tensormap")) {
        reader_tensor_map(r, n->first, a);
        return;
    }
    if (n->kind == YML_MAP && n->count == 1 &&
        !strcmp(n->first->key, "struct")) {
        read_struct(r, n->first, a);
        return;
    }
    if (n->kind == YML_MAP && n->count == 1) {
        a->type = plan_type_find(n->first->key);
        a->text = read_scalar(r, n->first);
        if (a->type == TYPE_NONE)
            yml_wrong(&r->y, n->first->key_at, "%s",
                      plan_type_unknown(n->first->key, r->p->mem));
        else if (a->text && !element_parse(a->type, a->text, scratch))
            yml_wrong(&r->y, n->first->at, "'%s' is no %s", a->text,
                      plan_type_text(a->type));
        return;
    }
    if (!yml_is_kind(&r->y, n, YML_SCALAR,
                     "an argument (a buffer, a number or {TYPE: number})"))
        return;
    a->text = arena_strdup(r->p->mem, n->text);
    a->buffer = plan_find_buffer(r->p, a->text);
    a->sampler = plan_find_sampler(r->p, a->text);
    if (!a->buffer && !a->sampler && !element_parse(TYPE_F64, a->text, scratch))
        yml_wrong(&r->y, n->at, "'%s' is neither a buffer nor a number",
                  a->text);
}

/* A structure by value, whose fields are no structures. */
static void read_struct(reader *r, const yml_node *n, plan_arg *a)
{
    plan_arg **end = &a->fields;

    if (!yml_is_kind(&r->y, n, YML_LIST, "a structure"))
        return;
    if (!n->first)
        yml_wrong(&r->y, n->at, "a structure has fields");
    for (const yml_node *e = n->first; e; e = e->next) {
        if (e->kind == YML_MAP && e->count == 1 &&
            !strcmp(e->first->key, "struct")) {
            yml_wrong(&r->y, e->first->key_at,
                      "write the fields of a structure in a structure among "
                      "its own");
            continue;
        }
        *end = ARENA_NEW(r->p->mem, plan_arg);
        read_arg(r, e, *end);
        end = &(*end)->next;
    }
}

/* Streams are identified by name; stream 0 is that of launches that
 * name none. */
static unsigned read_stream(reader *r, const yml_node *n)
{
    const char *name = read_plan_name(r, n);
    plan *p = r->p;

    for (unsigned i = 0; name && i < p->streams; i++)
        if (!strcmp(p->stream[i], name))
            return i;
    if (!name)
        return 0;
    if (p->streams == PLAN_STREAMS_MAX) {
        yml_wrong(&r->y, n->at, "there are at most %d streams",
                  PLAN_STREAMS_MAX);
        return 0;
    }
    p->stream[p->streams] = name;
    return p->streams++;
}

/* Launches that all name the same stream run one after the other, as those do
 * that name none. */
static void drop_only_stream(plan *p)
{
    for (const plan_launch *l = p->launches; l; l = l->next)
        if (l->stream != p->launches->stream)
            return;
    for (plan_launch *l = p->launches; l; l = l->next)
        l->stream = 0;
    p->streams = 1;
}

/* What a launch binds, all see that are in flight. */
static void check_streams(reader *r)
{
    drop_only_stream(r->p);
    for (const plan_launch *l = r->p->launches; l; l = l->next)
        if (r->p->streams > 1 && l->binds)
            yml_wrong(&r->y,
                      (yml_place){l->at.line, l->at.column, l->at.length},
                      "a launch of a file with several streams cannot bind; "
                      "pass textures as arguments");
}

static void read_launch(reader *r, const yml_node *n)
{
    static const char *const keys[] = {"kernel",  "grid",   "block", "shared",
                                       "args",    "repeat", "bind",  "stream",
                                       "cluster", NULL};
    plan_launch *l = plan_add_launch(r->p);
    const yml_node *v;
    uint64_t u;

    l->at = reader_place(r, n->at);
    if (!yml_is_kind(&r->y, n, YML_MAP, "a launch"))
        return;
    yml_check_keys(&r->y, n, keys);
    l->kernel = read_plan_name(r, yml_get(n, "kernel"));
    read_dimensions(r, yml_get(n, "grid"), l->grid);
    read_dimensions(r, yml_get(n, "block"), l->block);
    if (yml_get(n, "cluster")) {
        l->cluster[0] = l->cluster[1] = l->cluster[2] = 1;
        read_dimensions(r, yml_get(n, "cluster"), l->cluster);
    }
    if ((v = yml_get(n, "shared")) && yml_number(&r->y, v, 0, UINT32_MAX, &u))
        l->shared_bytes = (uint32_t)u;
    if ((v = yml_get(n, "repeat")) && yml_number(&r->y, v, 0, 1000000000, &u)) {
        l->repeat = (uint32_t)u;
        if (!u)
            yml_wrong(&r->y, v->at, "repeat is at least 1");
    }
    if ((v = yml_get(n, "stream")))
        l->stream = read_stream(r, v);
    if ((v = yml_get(n, "bind")))
        reader_binds(r, v, l);
    v = yml_get(n, "args");
    if (!v || !yml_is_kind(&r->y, v, YML_LIST, "args"))
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
        yml_wrong(&r->y, n->key_at, "no buffer '%s'", n->key);
    if (expect && n->kind == YML_MAP) {
        const yml_node *t = yml_get(n, "tolerance");

        yml_check_keys(&r->y, n, keys);
        file = yml_get(n, "file");
        if (t)
            read_tolerance(r, t, &o->tolerance);
        if (!file)
            yml_wrong(&r->y, n->key_at, "'%s' needs a file", n->key);
    }
    if (file && yml_is_kind(&r->y, file, YML_SCALAR, "a file"))
        o->file = reader_path(r, file);
    if (!o->buffer || !o->file)
        return;
    plan_output ***end = expect ? &r->p->expects_end : &r->p->dumps_end;
    **end = o;
    *end = &o->next;
}

static void read_launch_file(reader *r, const yml_node *root)
{
    static const char *const keys[] = {"program", "gpu",      "buffers",
                                       "images",  "samplers", "launches",
                                       "dump",    "expect",   NULL};
    const yml_node *v;

    if (!yml_is_kind(&r->y, root, YML_MAP, "a launch file"))
        return;
    yml_check_keys(&r->y, root, keys);
    r->p->program = reader_path(r, yml_get(root, "program"));
    r->p->gpu = read_plan_name(r, yml_get(root, "gpu"));
    if ((v = yml_get(root, "images")))
        reader_images(r, v);
    if ((v = yml_get(root, "samplers")))
        reader_samplers(r, v);
    if ((v = yml_get(root, "buffers")) &&
        yml_is_kind(&r->y, v, YML_MAP, "buffers"))
        for (const yml_node *n = v->first; n; n = n->next)
            read_buffer(r, n);
    v = yml_get(root, "launches");
    if (!v)
        yml_wrong(&r->y, root->at, "a launch file needs 'launches'");
    else if (yml_is_kind(&r->y, v, YML_LIST, "launches") && !v->first)
        yml_wrong(&r->y, v->at, "there must be at least one launch");
    else if (v->kind == YML_LIST)
        for (const yml_node *n = v->first; n; n = n->next)
            read_launch(r, n);
    check_streams(r);
    if ((v = yml_get(root, "dump")) && yml_is_kind(&r->y, v, YML_MAP, "dump"))
        for (const yml_node *n = v->first; n; n = n->next)
            read_output(r, n, false);
    if ((v = yml_get(root, "expect")) &&
        yml_is_kind(&r->y, v, YML_MAP, "expect"))
        for (const yml_node *n = v->first; n; n = n->next)
            read_output(r, n, true);
}

status plan_read_text(plan *p, const char *path, const char *text, size_t size,
                      diag *dg)
{
    reader r = {.y = {arena_strdup(p->mem, path), dg, true}, .p = p};
    yml_node *root;

    diag_source(dg, path, text, size);
    status st = yml_read(path, text, size, p->mem, dg, &root);
    if (st != ST_OK)
        return st;
    read_launch_file(&r, root);
    return r.y.good ? ST_OK : ST_CONFIG;
}

status plan_read(plan *p, const char *path, diag *dg)
{
    char *text;
    size_t size;
    status st = file_read(path, dg, &text, &size);

    if (st != ST_OK)
        return st;
    st = file_kind_is_yaml(path, text, size, FILE_LAUNCH, "launch file", dg)
             ? plan_read_text(p, path, text, size, dg)
             : ST_CONFIG;
    free(text);
    return st;
}
