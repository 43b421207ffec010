/* src/sweep/sweep_workloads.c - what a plan runs: programs of suites, launch
 * files, lone programs, kernels. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "replay/trace_list.h"
#include "sweep/sweep_impl.h"

typedef struct list {
    sweep_reader *r;
    size_t room, suite_room;
} list;

static bool text_ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && !strcmp(text + n - m, end);
}

static const char *path_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

static sweep_workload *add_plan_workload(list *l, const char *name,
                                         yml_place at)
{
    sweep_plan *p = l->r->p;

    for (size_t i = 0; i < p->workload_count; i++)
        if (!strcmp(p->workloads[i].is.label, name))
            yml_wrong(&l->r->y, at,
                      "two workloads are called '%s'; 'name' gives others",
                      name);
    ARENA_GROW(p->mem, p->workloads, p->workload_count, l->room);
    p->workloads[p->workload_count] =
        (sweep_workload){.is = {.name = name, .label = name}, .at = at};
    return &p->workloads[p->workload_count++];
}

/* ---- Lists of texts ---- */

static bool has_text(const char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(texts[i], text))
            return true;
    return false;
}

/* A text or a list of texts. */
static suite_texts read_texts(sweep_reader *r, const yml_node *n)
{
    suite_texts t = {0};

    if (!n)
        return t;
    t.text = ARENA_ARRAY(r->p->mem, const char *, n->count + 2);
    if (n->kind != YML_LIST) {
        const char *one = sweep_text(r, n, n->key);

        if (one)
            t.text[t.count++] = one;
        return t;
    }
    for (const yml_node *e = n->first; e; e = e->next)
        if (yml_is_kind(&r->y, e, YML_SCALAR, n->key))
            t.text[t.count++] = arena_strdup(r->p->mem, e->text);
    return t;
}

static suite_texts read_inputs(sweep_reader *r, const yml_node *item)
{
    const yml_node *n = item->kind == YML_MAP ? yml_get(item, "inputs") : NULL;
    suite_texts t = read_texts(r, n);

    for (size_t i = 0; i < t.count; i++) {
        t.text[i] = sweep_path(r, t.text[i]);
        if (access(t.text[i], R_OK) != 0)
            yml_wrong(&r->y, n->at, "there is no file '%s'", t.text[i]);
    }
    return t;
}

/* ---- Suites ---- */

static suite *read_suite(list *l, const char *path, yml_place at)
{
    sweep_plan *p = l->r->p;
    suite *s = NULL;

    for (size_t i = 0; i < p->suite_count; i++) {
        const char *known = p->suites[i]->path;

        if (!strcmp(known, path) || !strcmp(p->suites[i]->folder, path))
            return p->suites[i];
    }
    if (suite_read(path, l->r->y.dg, &s) != ST_OK) {
        yml_wrong(&l->r->y, at, "the suite '%s' cannot be used", path);
        return NULL;
    }
    ARENA_GROW(p->mem, p->suites, p->suite_count, l->suite_room);
    p->suites[p->suite_count++] = s;
    return s;
}

static const suite_program *find_program(list *l, const suite *s,
                                         const char *name, yml_place at)
{
    const suite_program *found = suite_find(s, name);
    const char **names;

    if (found)
        return found;
    names = ARENA_ARRAY(l->r->p->mem, const char *, s->count + 1);
    for (size_t i = 0; i < s->count; i++)
        names[i] = s->programs[i].name;
    yml_unknown(&l->r->y, at, "program", name, names, s->count);
    return NULL;
}

typedef struct choice {
    const char *prefix; /* of names, NULL: none */
    suite_texts sizes;
    suite_texts inputs;
    yml_place at;
} choice;

static void add_program(list *l, const suite *s, const suite_program *p,
                        const choice *c)
{
    arena *mem = l->r->p->mem;
    const char *name = p->name;

    if (c->prefix)
        name = arena_printf(mem, "%s/%s", c->prefix, name);
    for (size_t i = 0; i < c->sizes.count; i++) {
        const char *size = c->sizes.text[i];
        sweep_workload *w;

        if (p->size_count && !suite_size_find(p, size)) {
            yml_wrong(&l->r->y, c->at, "'%s' has no size '%s'", p->name, size);
            continue;
        }
        w = add_plan_workload(l,
                              c->sizes.count > 1 && p->size_count
                                  ? arena_printf(mem, "%s/%s", name, size)
                                  : name,
                              c->at);
        w->is.suite = s;
        w->is.program = p;
        w->is.size = p->size_count ? size : NULL;
        w->is.name = p->name;
        w->inputs = c->inputs.text;
        w->input_count = c->inputs.count;
        if (!p->size_count)
            return;
    }
}

static bool has_tag(const suite_program *p, suite_texts tags)
{
    for (size_t i = 0; i < tags.count; i++)
        if (has_text(p->tags.text, p->tags.count, tags.text[i]))
            return true;
    return false;
}

static void check_tags(list *l, const suite *s, suite_texts tags, yml_place at)
{
    for (size_t i = 0; i < tags.count; i++) {
        bool found = false;

        for (size_t k = 0; k < s->count; k++)
            found |= has_text(s->programs[k].tags.text,
                              s->programs[k].tags.count, tags.text[i]);
        if (!found)
            yml_wrong(&l->r->y, at, "no program of %s has the tag '%s'",
                      s->path, tags.text[i]);
    }
}

/* All programs of a suite, or those that the item names. */
static void add_suite(list *l, const yml_node *item, const char *path,
                      yml_place at)
{
    static const char *const keys[] = {"suite", "programs", "tags",   "size",
                                       "sizes", "name",     "inputs", NULL};
    static const char *const small[] = {"small"};
    sweep_reader *r = l->r;
    bool more = item->kind == YML_MAP;
    const yml_node *programs = more ? yml_get(item, "programs") : NULL;
    const yml_node *tags = more ? yml_get(item, "tags") : NULL;
    const yml_node *size = more ? yml_get(item, "sizes") : NULL;
    suite_texts names, wanted;
    choice c = {.inputs = read_inputs(r, item), .at = at};
    suite *s = read_suite(l, path, at);

    if (more) {
        yml_check_keys(&r->y, item, keys);
        size = size ? size : yml_get(item, "size");
        if (yml_get(item, "name"))
            c.prefix = sweep_text(r, yml_get(item, "name"), "name");
    }
    c.sizes = read_texts(r, size);
    if (!size)
        c.sizes = (suite_texts){(const char **)(uintptr_t)small, 1};
    names = read_texts(r, programs);
    wanted = read_texts(r, tags);
    if (!s)
        return;
    if (tags)
        check_tags(l, s, wanted, tags->at);
    for (size_t i = 0; i < names.count; i++) {
        const suite_program *p =
            find_program(l, s, names.text[i], programs->at);

        if (p)
            add_program(l, s, p, &c);
    }
    for (size_t i = 0; !programs && i < s->count; i++)
        if (!tags || has_tag(&s->programs[i], wanted))
            add_program(l, s, &s->programs[i], &c);
}

/* ---- Launch files ---- */

static void add_launch_file(list *l, const yml_node *item, const char *path,
                            yml_place at)
{
    static const char *const keys[] = {"launch", "name", "inputs", NULL};
    const char *name = path_name_of(path);
    suite_texts inputs = read_inputs(l->r, item);
    sweep_workload *w;

    if (item->kind == YML_MAP) {
        yml_check_keys(&l->r->y, item, keys);
        if (yml_get(item, "name"))
            name = sweep_text(l->r, yml_get(item, "name"), "name");
    } else if (text_ends_in(name, ".yaml")) {
        name = arena_strndup(l->r->p->mem, name, strlen(name) - 5);
    }
    if (access(path, R_OK) != 0)
        yml_wrong(&l->r->y, at, "there is no file '%s'", path);
    w = add_plan_workload(l, name ? name : "", at);
    w->is.launch_file = path;
    w->inputs = inputs.text;
    w->input_count = inputs.count;
}

/* ---- Lone programs ---- */

static suite_texts read_environment(sweep_reader *r, const yml_node *n)
{
    suite_texts t = {0};

    if (!n || !yml_is_kind(&r->y, n, YML_MAP, "env"))
        return t;
    t.text = ARENA_ARRAY(r->p->mem, const char *, n->count + 1);
    for (const yml_node *e = n->first; e; e = e->next)
        if (yml_is_kind(&r->y, e, YML_SCALAR, e->key))
            t.text[t.count++] =
                arena_printf(r->p->mem, "%s=%s", e->key, e->text);
    return t;
}

/* The only one of a suite. */
static void add_command(list *l, const yml_node *item)
{
    static const char *const keys[] = {"program", "name",   "folder", "env",
                                       "stdin",   "inputs", NULL};
    sweep_reader *r = l->r;
    arena *mem = r->p->mem;
    const yml_node *is = yml_get(item, "program");
    suite *s = ARENA_NEW(mem, suite);
    suite_program *p = ARENA_NEW(mem, suite_program);
    suite_texts inputs = read_inputs(r, item);
    const yml_node *n;
    sweep_workload *w;

    yml_check_keys(&r->y, item, keys);
    p->run = read_texts(r, is);
    if (!p->run.count) {
        yml_wrong(&r->y, is->key_at, "nothing is given for program");
        return;
    }
    p->name = path_name_of(p->run.text[0]);
    p->folder = r->p->folder;
    if ((n = yml_get(item, "name")) && sweep_text(r, n, "name"))
        p->name = arena_strdup(mem, n->text);
    if ((n = yml_get(item, "folder")) && sweep_text(r, n, "folder"))
        p->folder = sweep_path(r, n->text);
    if ((n = yml_get(item, "stdin")) && sweep_text(r, n, "stdin"))
        p->input = sweep_path(r, n->text);
    p->env = read_environment(r, yml_get(item, "env"));
    p->about = "";
    p->plain = true;
    p->timeout_s = UINT32_MAX;
    *s = (suite){.mem = mem,
                 .path = "",
                 .folder = p->folder,
                 .name = "",
                 .about = "",
                 .programs = p,
                 .count = 1};
    w = add_plan_workload(l, p->name, item->at);
    w->is.suite = s;
    w->is.program = p;
    w->inputs = inputs.text;
    w->input_count = inputs.count;
}

/* ---- Kernels ---- */

static void read_triple_node(sweep_reader *r, const yml_node *n, uint32_t to[3])
{
    const yml_node *e = n->kind == YML_LIST ? n->first : n;
    size_t i = 0;
    uint64_t v;

    if (n->kind == YML_MAP || (n->kind == YML_LIST && n->count > 3)) {
        yml_wrong(&r->y, n->at, "%s must be like 16, [16, 16] or [4, 4, 4]",
                  n->key);
        return;
    }
    for (; e && i < 3; e = n->kind == YML_LIST ? e->next : NULL)
        if (sweep_number(r, e, false, 1, UINT32_MAX, &v))
            to[i++] = (uint32_t)v;
}

/* "a=buf:f32=@in.npy": the file is in the plan's folder. */
static const char *place_file(sweep_reader *r, const char *arg)
{
    const char *at = strchr(arg, '@');

    if (!at)
        return arg;
    return arena_printf(r->p->mem, "%.*s%s", (int)(at + 1 - arg), arg,
                        sweep_path(r, at + 1));
}

static void read_outputs(sweep_reader *r, const yml_node *n, plan_texts *to)
{
    if (!yml_is_kind(&r->y, n, YML_MAP, n->key))
        return;
    to->text = ARENA_ARRAY(r->p->mem, const char *, n->count + 1);
    for (const yml_node *e = n->first; e; e = e->next)
        if (sweep_text(r, e, e->key))
            to->text[to->count++] = arena_printf(r->p->mem, "%s=%s", e->key,
                                                 sweep_path(r, e->text));
}

/* Errors in arguments are reported at their place. */
static void check_line(sweep_reader *r, const plan_line *l, yml_place at)
{
    diag *dg = diag_new();
    plan *p = plan_new();

    if (plan_add_line(p, l, dg) == ST_OK)
        plan_add_outputs(p, l, dg);
    for (size_t i = 0; i < diag_count(dg); i++)
        yml_wrong(&r->y, at, "%s", diag_get(dg, i)->text);
    plan_free(p);
    diag_free(dg);
}

static void add_plan_kernel(list *l, const yml_node *item)
{
    static const char *const keys[] = {
        "run",  "kernel", "grid",      "block", "cluster", "shared",
        "args", "expect", "tolerance", "name",  "inputs",  NULL};
    sweep_reader *r = l->r;
    const yml_node *is = yml_get(item, "run"), *n;
    plan_line *line = ARENA_NEW(r->p->mem, plan_line);
    suite_texts inputs = read_inputs(r, item), args;
    const char *name;
    uint64_t v = 0;
    char *end;

    *line = PLAN_LINE_NONE;
    yml_check_keys(&r->y, item, keys);
    if (!sweep_text(r, is, "run"))
        return;
    name = path_name_of(is->text);
    line->launches = true;
    line->program = sweep_path(r, is->text);
    if ((n = yml_get(item, "kernel")) && sweep_text(r, n, "kernel"))
        name = line->kernel = n->text;
    if ((n = yml_get(item, "grid")))
        read_triple_node(r, n, line->grid);
    if ((n = yml_get(item, "block")))
        read_triple_node(r, n, line->block);
    if ((n = yml_get(item, "cluster"))) {
        line->cluster[0] = line->cluster[1] = line->cluster[2] = 1;
        read_triple_node(r, n, line->cluster);
    }
    if ((n = yml_get(item, "shared")) &&
        sweep_number(r, n, true, 0, UINT32_MAX, &v))
        line->shared_bytes = (uint32_t)v;
    args = read_texts(r, yml_get(item, "args"));
    for (size_t i = 0; i < args.count; i++)
        args.text[i] = place_file(r, args.text[i]);
    line->args = (plan_texts){args.text, args.count};
    if ((n = yml_get(item, "expect")))
        read_outputs(r, n, &line->expects);
    if ((n = yml_get(item, "tolerance")) && sweep_text(r, n, "tolerance")) {
        line->tolerance = strtod(n->text, &end);
        if (*end || !(line->tolerance >= 0))
            yml_wrong(&r->y, n->at, "'%s' is no number from 0 on", n->text);
    }
    if ((n = yml_get(item, "name")) && sweep_text(r, n, "name"))
        name = n->text;
    if (access(line->program, R_OK) != 0)
        yml_wrong(&r->y, is->at, "there is no file '%s'", line->program);
    check_line(r, line, is->at);
    sweep_workload *w = add_plan_workload(l, name, item->at);
    w->is.launch = line;
    w->inputs = inputs.text;
    w->input_count = inputs.count;
}

/* ---- All ---- */

static void read_item(list *l, const yml_node *n)
{
    sweep_reader *r = l->r;
    const yml_node *is;
    const char *path;

    if (n->kind == YML_LIST) {
        yml_wrong(&r->y, n->at, "a workload must be a path or a mapping {...}");
    } else if (n->kind == YML_SCALAR) {
        if (!(path = sweep_text(r, n, "a workload")))
            return;
        path = sweep_path(r, path);
        if (file_is_folder(path) || text_ends_in(path, "suite.yaml"))
            add_suite(l, n, path, n->at);
        else if (text_ends_in(path, ".yaml") || trace_list_is(path))
            add_launch_file(l, n, path, n->at);
        else
            yml_wrong(&r->y, n->at,
                      "'%s' is no suite and no launch file; a program is "
                      "{program: [NAME, ARGUMENT...]}",
                      n->text);
    } else if ((is = yml_get(n, "suite"))) {
        if (sweep_text(r, is, "suite"))
            add_suite(l, n, sweep_path(r, is->text), is->at);
    } else if ((is = yml_get(n, "launch"))) {
        if (sweep_text(r, is, "launch"))
            add_launch_file(l, n, sweep_path(r, is->text), is->at);
    } else if (yml_get(n, "program")) {
        add_command(l, n);
    } else if (yml_get(n, "run")) {
        add_plan_kernel(l, n);
    } else {
        yml_wrong(&r->y, n->at,
                  "a workload has one of 'suite', 'launch', 'program' and "
                  "'run'");
    }
}

void sweep_read_workloads(sweep_reader *r, const yml_node *n)
{
    list l = {.r = r};

    if (n->kind == YML_LIST)
        for (const yml_node *e = n->first; e; e = e->next)
            read_item(&l, e);
    else
        read_item(&l, n);
    if (!r->p->workload_count && r->y.good)
        yml_wrong(&r->y, n->at, "the plan has no workloads");
}
