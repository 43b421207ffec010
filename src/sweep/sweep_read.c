/* src/sweep/sweep_read.c - the file of a plan; see sweep_plan.h. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/kind.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "config/preset.h"
#include "sweep/sweep_impl.h"

/* ---- For all readers ---- */

const char *sweep_text(sweep_reader *r, const yml_node *n, const char *what)
{
    if (!yml_is_kind(&r->y, n, YML_SCALAR, what))
        return NULL;
    if (*n->text)
        return n->text; /* the tree lives as long as the plan */
    yml_wrong(&r->y, n->key ? n->key_at : n->at, "nothing is given for %s",
              what);
    return NULL;
}

bool sweep_number(sweep_reader *r, const yml_node *n, bool bytes,
                  uint64_t least, uint64_t most, uint64_t *to)
{
    static const char letters[] = "KMGT";
    const char *letter;
    unsigned shift = 0;
    char *end;

    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key ? n->key : "a number"))
        return false;
    errno = 0;
    unsigned long long v = strtoull(n->text, &end, 0);
    if (bytes && *end && !end[1] && (letter = strchr(letters, *end))) {
        shift = 10 * (unsigned)(letter - letters + 1);
        end++;
    }
    if (!isdigit((unsigned char)*n->text) || *end || errno ||
        v > UINT64_MAX >> shift || v << shift < least || v << shift > most) {
        yml_wrong(&r->y, *n->text ? n->at : n->key_at,
                  "'%s' is no whole number from %llu to %llu%s", n->text,
                  (unsigned long long)least, (unsigned long long)most,
                  bytes ? " (K, M, G and T may follow)" : "");
        return false;
    }
    *to = v << shift;
    return true;
}

const char *sweep_path(sweep_reader *r, const char *path)
{
    arena *mem = r->p->mem;

    if (*path == '/')
        return arena_strdup(mem, path);
    while (!strncmp(path, "./", 2))
        path += 2;
    return *path && strcmp(path, ".") != 0
               ? arena_printf(mem, "%s/%s", r->p->folder, path)
               : arena_strdup(mem, r->p->folder);
}

/* ---- GPUs ---- */

/* A name without a '/' or '.' must be a preset's. */
static void check_preset(sweep_reader *r, const char *name, yml_place at)
{
    size_t n = config_preset_count();
    const char **names;

    if (strpbrk(name, "/.") || config_preset_find(name))
        return;
    names = ARENA_ARRAY(r->p->mem, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        names[i] = config_preset_get(i)->name;
    yml_unknown(&r->y, at, "preset", name, names, n);
}

static void add_gpu(sweep_reader *r, const char *name, yml_place at)
{
    sweep_plan *p = r->p;
    sweep_gpu *g = &p->gpus[p->gpu_count];
    size_t before = diag_errors(r->y.dg);

    check_preset(r, name, at);
    if (diag_errors(r->y.dg) != before)
        return;
    for (size_t i = 0; i < p->gpu_count; i++)
        if (!strcmp(p->gpus[i].name, name))
            yml_wrong(&r->y, at, "the GPU '%s' is there twice", name);
    *g = (sweep_gpu){.name = name,
                     .from = strpbrk(name, "/.") ? sweep_path(r, name) : name,
                     .sheet = config_sheet_new(),
                     .at = at};
    p->gpu_count++;
    if (config_sheet_load(g->sheet, g->from, r->y.dg) != ST_OK)
        yml_wrong(&r->y, at, "the GPU '%s' cannot be used", name);
    for (size_t i = 0; i < p->set.count && diag_errors(r->y.dg) == before; i++)
        config_sheet_set(g->sheet, p->set.set[i].assignment, CONFIG_FROM_SET,
                         r->y.dg);
}

static void read_gpus(sweep_reader *r, const yml_node *n)
{
    sweep_plan *p = r->p;

    p->gpus = ARENA_ARRAY(p->mem, sweep_gpu, n ? n->count + 2 : 2);
    if (!n) {
        add_gpu(r, "v100", (yml_place){1, 1, 1});
    } else if (n->kind == YML_LIST) {
        for (const yml_node *e = n->first; e; e = e->next)
            if (sweep_text(r, e, "a GPU"))
                add_gpu(r, e->text, e->at);
        if (!n->first)
            yml_wrong(&r->y, n->at, "the plan has no GPUs");
    } else if (sweep_text(r, n, "gpus")) {
        add_gpu(r, n->text, n->at);
    }
}

/* ---- Limits and options ---- */

static void read_limits(sweep_reader *r, const yml_node *n)
{
    static const char *const keys[] = {"time_s", "memory", NULL};
    const yml_node *v;
    uint64_t number;

    if (!yml_is_kind(&r->y, n, YML_MAP, "limits"))
        return;
    yml_check_keys(&r->y, n, keys);
    if ((v = yml_get(n, "time_s")) &&
        sweep_number(r, v, false, 1, UINT32_MAX / 2, &number))
        r->p->limits.time_s = (unsigned)number;
    if ((v = yml_get(n, "memory")) &&
        sweep_number(r, v, true, 1 << 20, UINT64_MAX >> 1, &number))
        r->p->limits.memory = number;
}

static void read_rule(sweep_reader *r, const yml_node *n)
{
    launch_filter *to = &r->p->setup.filter;
    const char *text = sweep_text(r, n, "timed");
    launch_filter_rule rule;
    size_t length;

    if (!text)
        return;
    if (!launch_filter_parse(text, &length, &rule)) {
        yml_wrong(&r->y, n->at,
                  "'%s' is not like gemm, gemm:3, gemm:3-7 or "
                  "'gemm*'",
                  text);
        return;
    }
    rule.kernel = arena_strndup(r->p->mem, text, length);
    to->rule[to->count++] = rule;
}

static void read_timed(sweep_reader *r, const yml_node *n)
{
    r->p->setup.filter.rule =
        ARENA_ARRAY(r->p->mem, launch_filter_rule, n->count + 1);
    if (n->kind != YML_LIST)
        read_rule(r, n);
    else
        for (const yml_node *e = n->first; e; e = e->next)
            read_rule(r, e);
}

void sweep_flag(sweep_reader *r, const yml_node *n, bool *to)
{
    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key))
        return;
    *to = !strcmp(n->text, "true");
    if (!*to && strcmp(n->text, "false") != 0)
        yml_wrong(&r->y, n->at, "%s must be true or false, not '%s'", n->key,
                  n->text);
}

static void read_numbers(sweep_reader *r, const yml_node *n)
{
    session_setup *s = &r->p->setup;
    uint64_t threads = 1, registers = 0, stack = 0, warm = 0;
    const struct {
        const char *key;
        uint64_t most, *to;
        bool bytes;
    } numbers[] = {
        {"max_cycles", UINT64_MAX, &s->max_cycles, false},
        {"threads", 1024, &threads, false},
        {"skip_launches", UINT64_MAX, &s->filter.skip, false},
        {"max_launches", UINT64_MAX, &s->filter.max_timed, false},
        {"max_registers", 255, &registers, false},
        {"warm", RT_WARM_MOST, &warm, false},
        {"stack", 1 << 20, &stack, true},
        {"heap", UINT64_MAX >> 8, &s->rt.heap_bytes, true},
        {"print_buffer", UINT64_MAX >> 8, &s->rt.print_bytes, true},
        {"slack", 1 << 30, &s->slack_bytes, true},
        {"keep_stats", UINT64_MAX, &r->p->keep_stats, false},
        {"energy_series", UINT64_MAX >> 8, &s->sample_cycles, false}};

    for (size_t i = 0; i < COUNTOF(numbers); i++) {
        const yml_node *v = yml_get(n, numbers[i].key);

        if (v)
            sweep_number(r, v, numbers[i].bytes, 0, numbers[i].most,
                         numbers[i].to);
    }
    s->rt.threads = (unsigned)threads;
    s->rt.max_registers = (unsigned)registers;
    s->rt.stack_bytes = (uint32_t)stack;
    s->rt.warm = (unsigned)warm;
}

static void read_code(sweep_reader *r, const yml_node *n)
{
    const char *word = sweep_text(r, n, "code");

    if (word && !session_code_of(word, &r->p->setup.code))
        yml_wrong(&r->y, n->at, "code must be auto, ptx or sass, not '%s'",
                  word);
}

static void read_options(sweep_reader *r, const yml_node *n)
{
    static const char *const keys[] = {
        "max_cycles", "threads",       "timed",        "skip_launches",
        "functional", "max_registers", "max_launches", "stack",
        "heap",       "print_buffer",  "slack",        "energy_series",
        "keep_stats", "occupancy",     "strict",       "lenient",
        "as_cpu",     "code",          "warm",         NULL};
    session_setup *s = &r->p->setup;
    bool occupancy = false, strict = false;
    const struct {
        const char *key;
        bool *to;
    } flags[] = {{"functional", &s->rt.functional},
                 {"occupancy", &occupancy},
                 {"strict", &strict},
                 {"lenient", &s->lenient_kernels},
                 {"as_cpu", &s->as_cpu}};
    const yml_node *v;

    if (!yml_is_kind(&r->y, n, YML_MAP, "options"))
        return;
    yml_check_keys(&r->y, n, keys);
    read_numbers(r, n);
    for (size_t i = 0; i < COUNTOF(flags); i++)
        if ((v = yml_get(n, flags[i].key)))
            sweep_flag(r, v, flags[i].to);
    if ((v = yml_get(n, "timed")))
        read_timed(r, v);
    if ((v = yml_get(n, "code")))
        read_code(r, v);
    s->warps_cycles = occupancy ? SESSION_WARPS_CYCLES : 0;
    s->filter.functional = s->rt.functional;
    s->rt.lenient = !strict;
    if (strict && s->lenient_kernels)
        yml_wrong(&r->y, n->at, "strict and lenient contradict each other");
}

/* ---- The file ---- */

static void read_invalid(sweep_reader *r, const yml_node *n)
{
    static const char *const words[] = {"refuse", "skip"};
    const char *text = sweep_text(r, n, "invalid");

    if (!text)
        return;
    r->p->skip_invalid = !strcmp(text, "skip");
    if (!r->p->skip_invalid && strcmp(text, "refuse") != 0)
        yml_unknown(&r->y, n->at, "way", text, words, COUNTOF(words));
}

static void read_sweep_plan(sweep_reader *r, const yml_node *root)
{
    static const char *const keys[] = {
        "name",   "about",   "gpus",    "set",      "base",
        "axes",   "zip",     "where",   "except",   "workloads",
        "limits", "options", "invalid", "measures", NULL};
    sweep_plan *p = r->p;
    const yml_node *v;

    if (!yml_is_kind(&r->y, root, YML_MAP, "a plan"))
        return;
    yml_check_keys(&r->y, root, keys);
    if ((v = yml_get(root, "name")) && sweep_text(r, v, "name"))
        p->name = v->text;
    if ((v = yml_get(root, "about")) && sweep_text(r, v, "about"))
        p->about = v->text;
    if ((v = yml_get(root, "set")))
        sweep_read_sets(r, v, "set", &p->set);
    read_gpus(r, yml_get(root, "gpus"));
    sweep_read_axes(r, yml_get(root, "axes"), yml_get(root, "zip"),
                    yml_get(root, "base"));
    if ((v = yml_get(root, "workloads")))
        sweep_read_workloads(r, v);
    else
        yml_wrong(&r->y, root->at, "the plan has no workloads");
    sweep_read_filter(r, yml_get(root, "where"), false);
    sweep_read_filter(r, yml_get(root, "except"), true);
    if ((v = yml_get(root, "limits")))
        read_limits(r, v);
    if ((v = yml_get(root, "options")))
        read_options(r, v);
    if ((v = yml_get(root, "invalid")))
        read_invalid(r, v);
    if ((v = yml_get(root, "measures")))
        sweep_read_measures(r, v);
}

/* "l1" of "plans/l1.yaml". */
static const char *name_of_plan(arena *mem, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');

    return arena_strndup(
        mem, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

status sweep_plan_read_text(const char *path, const char *folder,
                            const char *text, size_t size, diag *dg,
                            sweep_plan **out)
{
    sweep_reader r = {.y = {.dg = dg, .good = true}};
    arena *mem = arena_new();
    yml_node *root;
    sweep_plan *p;
    status st;

    p = r.p = ARENA_NEW(mem, sweep_plan);
    *p = (sweep_plan){.mem = mem,
                      .path = arena_strdup(mem, path),
                      .folder = arena_strdup(mem, folder),
                      .text = arena_strndup(mem, text, size),
                      .text_size = size,
                      .name = name_of_plan(mem, path),
                      .about = "",
                      .base_gpu = SWEEP_NONE};
    r.y.path = p->path;
    p->setup.rt.threads = 1;
    p->setup.rt.lenient = true;
    p->setup.hash = true;
    config_defaults(&r.scratch);
    st = yml_read(p->path, text, size, mem, dg, &root);
    if (st == ST_OK) {
        read_sweep_plan(&r, root);
        st = r.y.good ? ST_OK : ST_CONFIG;
    }
    if (st == ST_OK)
        *out = p;
    else
        sweep_plan_free(p);
    return st;
}

status sweep_plan_read(const char *path, diag *dg, sweep_plan **out)
{
    const char *slash = strrchr(path, '/');
    char *near = slash ? new_text_n(path, (size_t)(slash - path + 1)) : NULL;
    char *folder = realpath(near ? near : ".", NULL), *text = NULL;
    size_t size = 0;
    status st = file_read(path, dg, &text, &size);

    if (st == ST_OK &&
        !file_kind_is_yaml(path, text, size, FILE_PLAN, "plan of a sweep", dg))
        st = ST_CONFIG;
    if (st == ST_OK)
        st = sweep_plan_read_text(path, folder ? folder : "/", text, size, dg,
                                  out);
    free(text);
    free(folder);
    free(near);
    return st;
}
