/* src/study/point_id.c - see point_id.h. A hash is two of 64 bits, each seeded
 * with what came before. */
#include "study/point_id.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "config/param.h"
#include "heddle/driver.h"
#include "launchfile/plan_line.h"
#include "replay/trace_list.h"

enum { DEEPEST = 32 }; /* folders in folders */

/* ---- Hashes ---- */

point_hash point_hash_start(void)
{
    return (point_hash){0, 0x9e3779b97f4a7c15}; /* any two seeds that differ */
}

void point_hash_bytes(point_hash *h, const void *data, size_t size)
{
    point_hash_number(h, size);
    h->a = hash_bytes(data, size, h->a);
    h->b = hash_bytes(data, size, h->b);
}

void point_hash_number(point_hash *h, uint64_t v)
{
    h->a = hash_bytes(&v, sizeof v, h->a);
    h->b = hash_bytes(&v, sizeof v, h->b);
}

void point_hash_text(point_hash *h, const char *text)
{
    if (text)
        point_hash_bytes(h, text, strlen(text));
    else
        point_hash_number(h, UINT64_MAX);
}

static void hash_join(point_hash *h, point_hash other)
{
    point_hash_number(h, other.a);
    point_hash_number(h, other.b);
}

void point_hash_print(point_hash h, char out[POINT_ID_SIZE])
{
    snprintf(out, POINT_ID_SIZE, "%016" PRIx64 "%016" PRIx64, h.a, h.b);
}

/* ---- Files ---- */

static bool hash_mapped(point_hash *h, int fd, size_t size)
{
    void *data;

    if (!size) {
        point_hash_bytes(h, "", 0);
        return true;
    }
    data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return false;
    point_hash_bytes(h, data, size);
    munmap(data, size);
    return true;
}

static bool hash_path(point_hash *h, const char *path, unsigned depth);

static int entry_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int not_dots(const struct dirent *e)
{
    return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static bool hash_folder(point_hash *h, const char *path, unsigned depth)
{
    struct dirent **list;
    int n = scandir(path, &list, not_dots, entry_by_name);
    bool good = n >= 0;

    for (int i = 0; i < n; i++) {
        strbuf one = {0};

        strbuf_printf(&one, "%s/%s", path, list[i]->d_name);
        point_hash_text(h, list[i]->d_name);
        good = good && hash_path(h, one.text, depth + 1);
        strbuf_fini(&one);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    return good;
}

static bool hash_path(point_hash *h, const char *path, unsigned depth)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat is;
    bool good = fd >= 0 && fstat(fd, &is) == 0 && depth < DEEPEST;

    if (good) {
        point_hash_number(h, is.st_mode & S_IFMT);
        if (S_ISDIR(is.st_mode))
            good = hash_folder(h, path, depth);
        else if (S_ISREG(is.st_mode))
            good = hash_mapped(h, fd, (size_t)is.st_size);
    }
    if (fd >= 0)
        close(fd);
    return good;
}

/* Content and kind of a file; of a folder, all that is in it, by name. False:
 * it cannot be read. */
static bool hash_file(point_hash *h, const char *path)
{
    return hash_path(h, path, 0);
}

point_hash point_id_heddle(void)
{
    point_hash h = point_hash_start();

    point_hash_text(&h, HEDDLE_VERSION);
    if (!hash_file(&h, "/proc/self/exe"))
        point_hash_number(&h, 0);
    return h;
}

point_hash point_id_driver(const char *path)
{
    point_hash h = point_hash_start();
    const char *slash = path ? strrchr(path, '/') : NULL;
    strbuf cuda = {0};

    if (!path || !hash_file(&h, path))
        point_hash_number(&h, 0);
    if (path)
        strbuf_printf(&cuda, "%.*s" HEDDLE_CUDA_LIBRARY,
                      slash ? (int)(slash + 1 - path) : 0, path);
    if (!path || !hash_file(&h, cuda.text))
        point_hash_number(&h, 0);
    strbuf_fini(&cuda);
    return h;
}

/* ---- Configurations and setups ---- */

/* The program is part of an id, so the table of parameters is. */
point_hash point_id_config(const config *cfg)
{
    point_hash h = point_hash_start();
    size_t n = config_param_count();
    uint64_t *numbers = new_array(n, sizeof *numbers);

    for (size_t i = 0; i < n; i++) {
        const config_param *p = config_param_get(i);

        numbers[i] = config_number(cfg, p);
        if (p->kind == CONFIG_STRING)
            point_hash_text(&h, config_text(cfg, p));
    }
    point_hash_bytes(&h, numbers, n * sizeof *numbers);
    free(numbers);
    return h;
}

point_hash point_id_setup(const session_setup *s)
{
    const uint64_t numbers[] = {
        s->rt.functional || s->filter.functional,
        s->rt.max_registers,
        s->rt.print_bytes,
        s->rt.heap_bytes,
        s->rt.stack_bytes,
        s->rt.warm,
        s->max_cycles,
        s->sample_cycles,
        s->warps_cycles,
        s->slack_bytes,
        s->as_cpu,
        s->code,
        s->rt.lenient,
        s->lenient_kernels,
        s->filter.skip,
        s->filter.max_timed,
        s->filter.sample,
    };
    point_hash h = point_hash_start();

    point_hash_bytes(&h, numbers, sizeof numbers);
    for (size_t i = 0; i < s->filter.count; i++) {
        point_hash_text(&h, s->filter.rule[i].kernel);
        point_hash_number(&h, s->filter.rule[i].first);
        point_hash_number(&h, s->filter.rule[i].last);
    }
    return h;
}

/* ---- Workloads ---- */

typedef struct subject {
    point_hash h;
    arena *mem;
    const char *folder;  /* where relative names begin */
    const char *missing; /* the first one */
} subject;

static const char *path_in_folder(subject *s, const char *path)
{
    return *path == '/' || !*s->folder
               ? path
               : arena_printf(s->mem, "%s/%s", s->folder, path);
}

static void must_have(subject *s, const char *path)
{
    const char *whole = path_in_folder(s, path);

    if (!hash_file(&s->h, whole) && !s->missing)
        s->missing = whole;
}

/* A word of a command that may be the name of a file. */
static void may_have(subject *s, const char *word)
{
    const char *whole = path_in_folder(s, word);
    struct stat is;

    if (*word && stat(whole, &is) == 0 && S_ISREG(is.st_mode))
        hash_file(&s->h, whole);
}

/* The words of a shell's command. */
static void may_have_all(subject *s, const char *text)
{
    static const char ends[] = " \t\n'\"|&;<>()=";

    while (*text) {
        size_t n = strcspn(text, ends);

        if (n)
            may_have(s, arena_strndup(s->mem, text, n));
        text += n + (text[n] != '\0');
    }
}

/* What is run by that name; without a slash it is looked for as a shell
 * does. */
static void must_have_program(subject *s, const char *name)
{
    const char *path = getenv("PATH");

    if (strchr(name, '/')) {
        must_have(s, name);
        return;
    }
    while (path && *path) {
        size_t n = strcspn(path, ":");
        const char *one = arena_printf(s->mem, "%.*s/%s", (int)n, path, name);

        if (n && access(one, X_OK) == 0) {
            must_have(s, one);
            return;
        }
        path += n + (path[n] == ':');
    }
    s->missing = s->missing ? s->missing : arena_strdup(s->mem, name);
}

static void must_have_files(subject *s, const plan *p)
{
    if (p->program)
        must_have(s, p->program);
    for (const plan_buffer *b = p->buffers; b; b = b->next)
        if (b->file)
            must_have(s, b->file);
    for (const plan_output *o = p->expects; o; o = o->next)
        must_have(s, o->file);
}

/* All that a trace consists of, and the code beside it. */
static void hash_trace(subject *s, const char *path)
{
    trace_list list = {0};
    diag *dg = diag_new();

    must_have(s, path);
    trace_list_read(path, dg, &list); /* errors come when it is run */
    for (size_t i = 0; i < list.count; i++) {
        const char *kernel = list.step[i].path, *end;

        if (!kernel)
            continue;
        must_have(s, kernel);
        end = strstr(kernel, ".traceg");
        if (end)
            may_have(s, arena_printf(s->mem, "%.*s.hobj", (int)(end - kernel),
                                     kernel));
    }
    trace_list_fini(&list);
    diag_free(dg);
}

static void hash_launch_file(subject *s, const char *path)
{
    plan *p = plan_new();
    diag *dg = diag_new();

    must_have(s, path);
    plan_read(p, path, dg); /* errors come when it is run */
    must_have_files(s, p);
    diag_free(dg);
    plan_free(p);
}

/* Texts but for the names of files, whose content is hashed. */
static void hash_line(subject *s, const plan_line *l)
{
    plan *p = plan_new();
    diag *dg = diag_new();

    point_hash_text(&s->h, l->kernel);
    point_hash_bytes(&s->h, l->grid, sizeof l->grid);
    point_hash_bytes(&s->h, l->block, sizeof l->block);
    if (l->cluster[0])
        point_hash_bytes(&s->h, l->cluster, sizeof l->cluster);
    point_hash_number(&s->h, l->shared_bytes);
    for (size_t i = 0; i < l->args.count; i++)
        point_hash_bytes(&s->h, l->args.text[i], strcspn(l->args.text[i], "@"));
    for (size_t i = 0; i < l->expects.count; i++)
        point_hash_bytes(&s->h, l->expects.text[i],
                         strcspn(l->expects.text[i], "="));
    point_hash_bytes(&s->h, &l->tolerance, sizeof l->tolerance);
    p->program = l->program;
    if (plan_add_line(p, l, dg) == ST_OK)
        plan_add_outputs(p, l, dg);
    must_have_files(s, p);
    diag_free(dg);
    plan_free(p);
}

static void hash_expectations(subject *s, const suite_expect *x,
                              const suite_values *v)
{
    const uint64_t numbers[] = {x->any_status, x->any_memory,
                                (uint64_t)x->status, x->words, x->file_count};

    point_hash_bytes(&s->h, numbers, sizeof numbers);
    point_hash_bytes(&s->h, &x->tolerance, sizeof x->tolerance);
    point_hash_text(&s->h, x->out);
    point_hash_text(&s->h, x->err);
    point_hash_text(&s->h, x->out_not);
    point_hash_text(&s->h, x->ignore);
    for (size_t i = 0; i < x->file_count; i++) {
        point_hash_text(&s->h, x->files[i].made);
        point_hash_text(&s->h, x->files[i].wanted);
        may_have(s, suite_expand(s->mem, x->files[i].wanted, v));
    }
}

/* Texts as they are written: folders may have other names elsewhere. */
static void hash_texts(subject *s, suite_texts t)
{
    point_hash_number(&s->h, t.count);
    for (size_t i = 0; i < t.count; i++)
        point_hash_text(&s->h, t.text[i]);
}

static void hash_timed(subject *s, const suite_program *p)
{
    for (size_t i = 0; i < p->timed_count; i++) {
        point_hash_text(&s->h, p->timed[i].kernel);
        point_hash_number(&s->h, p->timed[i].first);
        point_hash_number(&s->h, p->timed[i].last);
    }
}

static void hash_program(subject *s, const suite_program *p,
                         const suite_values *v)
{
    const char *folder = suite_expand(s->mem, p->folder, v);
    const char **words;

    point_hash_number(&s->h, p->shell);
    point_hash_text(&s->h, p->plain ? NULL : v->name); /* {name} in a text */
    hash_texts(s, p->run);
    hash_texts(s, p->env);
    point_hash_text(&s->h, p->plain ? NULL : p->folder);
    if (v->size)
        hash_texts(s, v->size->is);
    hash_expectations(s, &p->expect, v);
    if (p->input)
        must_have(s, suite_expand(s->mem, p->input, v));
    s->folder =
        *folder == '/' ? folder : arena_printf(s->mem, "%s/%s", v->dir, folder);
    hash_timed(s, p);
    for (size_t i = 0; i < p->inputs.count; i++)
        must_have(s, suite_expand(s->mem, p->inputs.text[i], v));
    if (p->shell) {
        may_have_all(s, suite_expand(s->mem, p->run.text[0], v));
        return;
    }
    words = p->plain ? p->run.text : suite_expand_all(s->mem, p->run, v);
    must_have_program(s, words[0]);
    for (size_t i = 1; p->plain ? i < p->run.count : words[i] != NULL; i++)
        may_have(s, words[i]);
}

point_hash point_id_workload(const workload *w, const char *build,
                             const char *const *inputs, size_t input_count,
                             arena *mem, const char **missing)
{
    subject s = {.h = point_hash_start(), .mem = mem, .folder = ""};

    if (w->launch_file && trace_list_is(w->launch_file)) {
        hash_trace(&s, w->launch_file);
    } else if (w->launch_file) {
        hash_launch_file(&s, w->launch_file);
    } else if (w->launch) {
        hash_line(&s, w->launch);
    } else {
        suite_values v = suite_values_of(w->suite, w->program, build);

        v.size = w->size ? suite_size_find(w->program, w->size) : NULL;
        s.folder = v.dir;
        hash_program(&s, w->program, &v);
    }
    s.folder = "";
    for (size_t i = 0; i < input_count; i++)
        must_have(&s, inputs[i]);
    *missing = s.missing;
    return s.h;
}

void point_id(const point_parts *p, char out[POINT_ID_SIZE])
{
    point_hash h = point_hash_start();

    hash_join(&h, p->heddle);
    if (p->program)
        hash_join(&h, p->driver);
    hash_join(&h, p->machine);
    hash_join(&h, p->workload);
    hash_join(&h, p->setup);
    point_hash_print(h, out);
}
