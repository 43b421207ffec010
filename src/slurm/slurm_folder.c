/* What is in the folder `slurm` of a sweep. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "slurm/slurm_impl.h"

/* ---- Texts and files ---- */

const char *slurm_in_dir(slurm_sweep *s, unsigned number, const char *end)
{
    return arena_printf(s->mem, "%s/array-%u%s", s->dir, number, end);
}

const char *slurm_job_name(slurm_sweep *s, unsigned number)
{
    return arena_printf(s->mem, "heddle-%s-%u", s->token, number);
}

static status cannot(diag *dg, const char *what, const char *path)
{
    diag_error(dg, "cannot %s %s: %s", what, path, strerror(errno));
    return ST_IO;
}

/* ---- Points by their ids ---- */

static int by_id(const void *a, const void *b, void *arg)
{
    const sweep_plan *p = arg;

    return strcmp(p->points[*(const size_t *)a].id,
                  p->points[*(const size_t *)b].id);
}

static void sort_points(slurm_sweep *s)
{
    const sweep_plan *p = sweep_folder_plan(s->folder);

    for (size_t i = 0; i < s->points; i++)
        s->by_id[i] = i;
    qsort_r(s->by_id, s->points, sizeof *s->by_id, by_id, (void *)p);
}

/* SWEEP_NONE: it is not in the plan, or not any more. */
static size_t find_point(const slurm_sweep *s, const char *id)
{
    const sweep_plan *p = sweep_folder_plan(s->folder);
    size_t lo = 0, hi = s->points;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = strcmp(p->points[s->by_id[mid]].id, id);

        if (order == 0)
            return s->by_id[mid];
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return SWEEP_NONE;
}

/* ---- Arrays that are there ---- */

array *slurm_add_array(slurm_sweep *s, unsigned number, size_t points,
                       unsigned tasks)
{
    array *a;

    GROW(s->arrays, s->array_count + 1, s->array_room);
    a = &s->arrays[s->array_count++];
    *a = (array){.number = number,
                 .points = ARENA_ARRAY(s->mem, size_t, points + 1),
                 .tasks = ARENA_ARRAY(s->mem, task, tasks + 1),
                 .task_count = tasks};
    return a;
}

void slurm_hold(slurm_sweep *s, const array *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->points[i] != SWEEP_NONE) {
            s->fates[a->points[i]] = SUBMITTED;
            s->holder[a->points[i]] = (size_t)(a - s->arrays);
        }
}

/* 0: it was not written any more; Slurm may know the job by its name. */
static uint64_t read_job(slurm_sweep *s, unsigned number)
{
    const char *path = slurm_in_dir(s, number, ".job");
    diag *dg = diag_new();
    uint64_t job = 0;
    char *text;
    size_t size;

    if (access(path, R_OK) == 0 && file_read(path, dg, &text, &size) == ST_OK) {
        job = strtoull(text, NULL, 10);
        free(text);
    }
    diag_free(dg);
    return job;
}

/* Cuts up the text: the number of tasks, then the ids. */
static void read_array_points(slurm_sweep *s, unsigned number, char *text)
{
    size_t lines = 0;
    unsigned long tasks;
    char *id;
    array *a;

    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    tasks = strtoul(text, &id, 10);
    if (*id++ != '\n' || !tasks || tasks >= lines)
        return; /* not ours */
    a = slurm_add_array(s, number, lines, (unsigned)tasks);
    a->job = read_job(s, number);
    for (char *end; (end = strchr(id, '\n')); id = end + 1) {
        *end = '\0';
        a->points[a->count++] = find_point(s, id);
    }
    slurm_hold(s, a);
}

static status read_arrays(slurm_sweep *s, diag *dg)
{
    for (unsigned number = 1;; number++) {
        const char *path = slurm_in_dir(s, number, ".points");
        char *text;
        size_t size;
        status st;

        if (access(path, F_OK) != 0)
            return ST_OK;
        if ((st = file_read(path, dg, &text, &size)) != ST_OK)
            return st;
        read_array_points(s, number, text);
        free(text);
    }
}

/* ---- Opening ---- */

static status make_slurm_folders(slurm_sweep *s, diag *dg)
{
    const char *logs = arena_printf(s->mem, "%s/logs", s->dir);
    const char *token = arena_printf(s->mem, "%s/token", s->dir);

    if (mkdir(s->dir, 0777) != 0 && errno != EEXIST)
        return cannot(dg, "make", s->dir);
    if (mkdir(logs, 0777) != 0 && errno != EEXIST)
        return cannot(dg, "make", logs);
    return file_write(token, s->token, strlen(s->token), dg);
}

static status take_lock(slurm_sweep *s, diag *dg)
{
    const char *path = arena_printf(s->mem, "%s/lock", s->dir);

    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->lock < 0)
        return cannot(dg, "write", path);
    if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
        return ST_OK;
    if (errno != EWOULDBLOCK)
        return cannot(dg, "lock", path);
    diag_error(dg,
               "another command watches the jobs of %s; see it with 'heddle "
               "sweep status %s'",
               sweep_folder_path(s->folder), sweep_folder_path(s->folder));
    return ST_CONFIG;
}

/* The same for the same folder, and another for a copy of it. */
static void make_token(slurm_sweep *s)
{
    const char *path = sweep_folder_path(s->folder);

    snprintf(s->token, sizeof s->token, "%016" PRIx64,
             hash_bytes(path, strlen(path), 0));
}

status slurm_sweep_open(sweep_folder *f, const slurm_options *o, diag *dg,
                        slurm_sweep **out)
{
    slurm_sweep *s = new0(1, sizeof *s);
    status st;

    *s = (slurm_sweep){.mem = arena_new(),
                       .folder = f,
                       .o = o,
                       .lock = -1,
                       .points = sweep_folder_plan(f)->count,
                       .memory_factor = 1,
                       .time_factor = 1};
    s->dir = arena_printf(s->mem, "%s/slurm", sweep_folder_path(f));
    s->fates = ARENA_ARRAY(s->mem, fate, s->points + 1);
    s->holder = ARENA_ARRAY(s->mem, size_t, s->points + 1);
    s->tries = ARENA_ARRAY(s->mem, unsigned, s->points + 1);
    s->by_id = ARENA_ARRAY(s->mem, size_t, s->points + 1);
    make_token(s);
    sort_points(s);
    if (!slurm_path_good(s->dir) || !slurm_path_good(o->heddle)) {
        diag_error(dg, "Slurm cannot have quotes or \\ in a path: %s",
                   slurm_path_good(s->dir) ? o->heddle : s->dir);
        st = ST_CONFIG;
    } else if ((st = make_slurm_folders(s, dg)) == ST_OK &&
               (st = take_lock(s, dg)) == ST_OK) {
        st = read_arrays(s, dg);
    }
    if (st == ST_OK)
        *out = s;
    else
        slurm_sweep_close(s);
    return st;
}

void slurm_sweep_close(slurm_sweep *s)
{
    if (!s)
        return;
    if (s->lock >= 0)
        close(s->lock);
    free(s->arrays);
    arena_free(s->mem);
    free(s);
}
