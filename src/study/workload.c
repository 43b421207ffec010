/* src/study/workload.c - see workload.h. */
#include "study/workload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/kind.h"
#include "base/suggest.h"
#include "replay/trace_list.h"
#include "runtime/runtime.h"
#include "study/mechanism.h"

void workloads_init(workload_list *w)
{
    *w = (workload_list){.mem = arena_new()};
    workloads_sizes(w, "small");
}

void workloads_fini(workload_list *w)
{
    for (size_t i = 0; i < w->suite_count; i++)
        suite_free(w->suites[i]);
    free(w->suites);
    arena_free(w->mem);
}

static void add_text(arena *mem, suite_texts *t, const char *text)
{
    t->text =
        arena_renew(mem, t->text, t->count, t->count + 1, sizeof *t->text);
    t->text[t->count++] = text;
}

void workloads_sizes(workload_list *w, const char *text)
{
    w->sizes.count = 0;
    do {
        size_t n = strcspn(text, ",");

        add_text(w->mem, &w->sizes, arena_strndup(w->mem, text, n));
        text += n + (text[n] == ',');
    } while (*text);
}

void workloads_tag(workload_list *w, const char *tag)
{
    add_text(w->mem, &w->tags, tag);
}

/* ---- Adding ---- */

static workload *add_named_workload(workload_list *w, const char *name)
{
    ARENA_GROW(w->mem, w->list, w->count, w->room);
    w->list[w->count] = (workload){.name = name, .label = name};
    return &w->list[w->count++];
}

void workloads_add_of_suite(workload_list *w, const suite *s,
                            const suite_program *p)
{
    for (size_t i = 0; i < w->sizes.count; i++) {
        workload *x = add_named_workload(w, p->name);

        x->suite = s;
        x->program = p;
        if (!p->size_count)
            break; /* the only one it has */
        x->size = w->sizes.text[i];
        if (w->sizes.count > 1)
            x->label = arena_printf(w->mem, "%s %s", p->name, x->size);
    }
}

void workloads_add_program(workload_list *w, const char *const *argv)
{
    arena *mem = w->mem;
    char *here = getcwd(NULL, 0);
    suite *s = ARENA_NEW(mem, suite);
    suite_program *p = ARENA_NEW(mem, suite_program);
    const char *slash = strrchr(argv[0], '/');

    s->folder = arena_strdup(mem, here ? here : "/");
    s->path = s->name = "";
    s->programs = p;
    s->count = 1;
    p->name = slash ? slash + 1 : argv[0];
    p->about = "";
    p->folder = s->folder;
    p->plain = true;
    p->run.text = (const char **)(uintptr_t)argv;
    while (argv[p->run.count])
        p->run.count++;
    p->timeout_s = UINT32_MAX;
    free(here);
    workloads_add_of_suite(w, s, p);
}

/* ---- Words ---- */

static bool text_ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && !strcmp(text + n - m, end);
}

static bool is_suite(const char *path)
{
    return text_ends_in(path, "suite.yaml") || file_is_folder(path);
}

static bool is_kernel(const char *path)
{
    return text_ends_in(path, ".ptx") || text_ends_in(path, ".sass") ||
           text_ends_in(path, ".hobj") || text_ends_in(path, ".cubin");
}

static bool is_file(const char *path)
{
    return is_suite(path) || is_kernel(path) || trace_list_is(path) ||
           text_ends_in(path, ".yaml");
}

static const char *file_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *workload_file_name(arena *mem, const char *path)
{
    const char *name = file_name_of(path), *folder;

    if ((strcmp(name, "launch.yaml") != 0 &&
         strcmp(name, "kernelslist.g") != 0) ||
        name - path < 2)
        return name;
    folder = file_name_of(arena_strndup(mem, path, (size_t)(name - path) - 1));
    return *folder && *folder != '.' ? folder : name;
}

/* A suite, words[0], and the names of its programs; *taken words. */
static status add_suite(workload_list *w, const char *const *words,
                        size_t count, diag *dg, size_t *taken)
{
    const suite_program **chosen = NULL;
    suite_texts names = {.text = (const char **)(uintptr_t)(words + 1)};
    suite *s = NULL;
    status st = suite_read(words[0], dg, &s);
    size_t n = 0;

    if (st != ST_OK)
        return st;
    GROW(w->suites, w->suite_count + 1, w->suite_room);
    w->suites[w->suite_count++] = s;
    while (1 + names.count < count && !is_file(words[1 + names.count]))
        names.count++;
    st = suite_choose(s, names, w->tags, dg, &chosen, &n);
    for (size_t i = 0; i < n; i++)
        workloads_add_of_suite(w, s, chosen[i]);
    *taken = 1 + names.count;
    return st;
}

static status add_kernel_workload(workload_list *w, const char *path, diag *dg)
{
    plan_line *l;

    for (size_t i = 0; i < w->count && !w->same_launch; i++)
        if (w->list[i].launch) {
            diag_error(dg,
                       "%s and %s: only one kernel can be described so; "
                       "write launch files for several",
                       w->list[i].launch->program, path);
            return ST_USAGE;
        }
    l = ARENA_NEW(w->mem, plan_line);
    *l = w->launch ? *w->launch : PLAN_LINE_NONE;
    l->program = path;
    add_named_workload(w, l->kernel && !w->same_launch ? l->kernel
                                                       : file_name_of(path))
        ->launch = l;
    return ST_OK;
}

/* Nothing takes its options. */
static status check_launch(const workload_list *w, diag *dg)
{
    if (!w->launch || (!w->launch->launches && !w->launch->expects.count))
        return ST_OK;
    for (size_t i = 0; i < w->count; i++)
        if (w->list[i].launch)
            return ST_OK;
    diag_error(
        dg,
        "--kernel, --grid, --block, --cluster, --shared, --arg and --expect "
        "describe the launch of a kernel, but no FILE.ptx is named");
    return ST_USAGE;
}

/* What is no workload by its name. */
static status wrong_file(const char *path, diag *dg)
{
    char *text;
    size_t size;
    status st = file_read(path, dg, &text, &size);

    if (st != ST_OK)
        return st;
    file_kind_refuse(path, file_kind_of(path, text, size),
                     "suite, launch file or kernel (FILE.ptx)", dg);
    free(text);
    return ST_PROGRAM;
}

/* Errors in files are reported before anything runs. */
static status check_file(const char *path, diag *dg)
{
    char *text;
    size_t size;
    status st = file_read(path, dg, &text, &size);

    if (st != ST_OK)
        return st;
    if (is_kernel(path))
        st = rt_is_kernel(path, text, size, dg) ? ST_OK : ST_PROGRAM;
    else if (!file_kind_is_yaml(path, text, size, FILE_LAUNCH, "launch file",
                                dg))
        st = ST_CONFIG;
    free(text);
    return st;
}

/* A list of traces that can be read: they are checked when they are run. */
static status check_trace(const char *path, diag *dg)
{
    trace_list list = {0};
    status st = trace_list_read(path, dg, &list);

    for (size_t i = 0; i < list.count && st == ST_OK; i++)
        if (list.step[i].path && access(list.step[i].path, R_OK) != 0) {
            diag_error(dg, "there is no file '%s'", list.step[i].path);
            st = ST_INPUT;
        }
    trace_list_fini(&list);
    return st;
}

/* A mechanism's name with a slip in it stands where workloads do. */
static status unknown_word(const workload_list *w, const char *word, diag *dg)
{
    size_t count = mechanism_count();
    const char **names = ARENA_ARRAY(w->mem, const char *, count), *near;

    for (size_t i = 0; i < count; i++)
        names[i] = mechanism_get(i)->name;
    near = suggest_nearest(word, names, count);
    if (access(word, F_OK) == 0 || (strchr(word, '/') && !near))
        return wrong_file(word, dg);
    diag_error(dg,
               "'%s' is no suite, launch file or kernel (FILE.ptx); "
               "programs stand behind --%s%s%s",
               word, near ? " (or did you mean the mechanism '" : "",
               near ? near : "", near ? "'?)" : "");
    return ST_USAGE;
}

status workloads_add(workload_list *w, const char *const *words, size_t count,
                     diag *dg)
{
    size_t taken;

    for (size_t i = 0; i < count; i += taken) {
        status st = ST_OK;

        taken = 1;
        if (is_suite(words[i])) {
            st = add_suite(w, words + i, count - i, dg, &taken);
        } else if (is_kernel(words[i])) {
            st = check_file(words[i], dg);
            if (st == ST_OK)
                st = add_kernel_workload(w, words[i], dg);
        } else if (trace_list_is(words[i])) {
            st = check_trace(words[i], dg);
            add_named_workload(w, workload_file_name(w->mem, words[i]))
                ->launch_file = words[i];
        } else if (text_ends_in(words[i], ".yaml")) {
            st = check_file(words[i], dg);
            add_named_workload(w, workload_file_name(w->mem, words[i]))
                ->launch_file = words[i];
        } else {
            st = unknown_word(w, words[i], dg);
        }
        if (st != ST_OK)
            return st;
    }
    return check_launch(w, dg);
}

bool workloads_programs(const workload_list *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->list[i].program)
            return true;
    return false;
}
