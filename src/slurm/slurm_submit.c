/* Arrays of points: written, submitted. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/must.h"
#include "slurm/slurm_impl.h"

/* The limit of the options, times the factor; NULL: none. */
static const char *scaled_limit(slurm_sweep *s, const char *asked,
                                uint64_t (*read)(const char *), unsigned factor,
                                const char *unit)
{
    uint64_t v = asked ? read(asked) : 0;

    if (factor == 1 || !v)
        return asked;
    return arena_printf(s->mem, "%" PRIu64 "%s", v * factor, unit);
}

/* A path in an option of sbatch, where % stands for something. */
static const char *pattern(slurm_sweep *s, const char *path, const char *end)
{
    strbuf b = {0};
    const char *text;

    for (; *path; path++)
        strbuf_printf(&b, *path == '%' ? "%%%%" : "%c", *path);
    strbuf_puts(&b, end);
    text = arena_strdup(s->mem, b.text);
    strbuf_fini(&b);
    return text;
}

static slurm_script make_script(slurm_sweep *s, const char *log,
                                const char *const *command)
{
    return (slurm_script){
        .log = pattern(s, s->dir, arena_printf(s->mem, "/logs/%s.txt", log)),
        .partition = s->o->partition,
        .time = scaled_limit(s, s->o->time, slurm_minutes, s->time_factor, ""),
        .memory = scaled_limit(s, s->o->memory, slurm_megabytes,
                               s->memory_factor, "M"),
        .options = s->o->options,
        .option_count = s->o->option_count,
        .after = "",
        .token_file = arena_printf(s->mem, "%s/token", s->dir),
        .token = s->token,
        .command = command};
}

static status write_script(const char *path, const slurm_script *c, diag *dg)
{
    strbuf text = {0};
    status st;

    slurm_script_print(c, &text);
    st = file_write(path, text.text, text.size, dg);
    strbuf_fini(&text);
    return st;
}

static status write_points(slurm_sweep *s, const array *a, diag *dg)
{
    const sweep_plan *p = sweep_folder_plan(s->folder);
    strbuf text = {0};
    status st;

    strbuf_printf(&text, "%u\n", a->task_count);
    for (size_t i = 0; i < a->count; i++)
        strbuf_printf(&text, "%s\n", p->points[a->points[i]].id);
    st = file_write(slurm_in_dir(s, a->number, ".points"), text.text, text.size,
                    dg);
    strbuf_fini(&text);
    return st;
}

static status write_array(slurm_sweep *s, const array *a, diag *dg)
{
    const char *points = slurm_in_dir(s, a->number, ".points");
    const char *command[] = {s->o->heddle,
                             "sweep",
                             "worker",
                             "--verbose",
                             "--part",
                             arena_printf(s->mem, "{task}/%u", a->task_count),
                             "--points",
                             points,
                             sweep_folder_path(s->folder),
                             s->o->worker,
                             NULL};
    slurm_script c = make_script(
        s, arena_printf(s->mem, "array-%u-%%a", a->number), command);
    status st = write_points(s, a, dg);

    c.name = slurm_job_name(s, a->number);
    c.about = "Points of a sweep; written by 'heddle sweep --slurm'.";
    c.tasks = a->task_count;
    if (st == ST_OK)
        st = write_script(s->script, &c, dg);
    return st;
}

/* Limits that were too small are doubled once for each array. */
static void grow_limits(slurm_sweep *s)
{
    s->memory_factor *= s->memory_grows ? 2 : 1;
    s->time_factor *= s->time_grows ? 2 : 1;
    s->memory_grows = s->time_grows = false;
}

status slurm_sweep_write(slurm_sweep *s, diag *dg, const char **script)
{
    unsigned most = slurm_array_most();
    unsigned last = s->array_count ? s->arrays[s->array_count - 1].number : 0;
    size_t count = 0;
    array *a;
    status st;

    for (size_t i = 0; i < s->points; i++)
        count += slurm_to_submit(s, i);
    if (s->o->tasks && s->o->tasks < most)
        most = s->o->tasks;
    MUST(count != 0);
    grow_limits(s);
    a = slurm_add_array(s, last + 1, count,
                        count < most ? (unsigned)count : most);
    for (size_t i = 0; i < s->points; i++)
        if (slurm_to_submit(s, i))
            a->points[a->count++] = i;
    s->script = slurm_in_dir(s, a->number, ".sh");
    st = write_array(s, a, dg);
    if (st == ST_OK) {
        slurm_hold(s, a);
        *script = s->script;
    } else {
        s->array_count--;
    }
    return st;
}

/* As if it had never been. */
static void drop_last(slurm_sweep *s)
{
    const array *a = &s->arrays[s->array_count - 1];

    for (size_t i = 0; i < a->count; i++)
        s->fates[a->points[i]] = TO_SUBMIT;
    unlink(slurm_in_dir(s, a->number, ".points"));
    s->array_count--;
}

status slurm_sweep_submit(slurm_sweep *s, diag *dg)
{
    array *a = &s->arrays[s->array_count - 1];
    const char *path = slurm_in_dir(s, a->number, ".job");
    status st = slurm_submit(s->script, dg, &a->job);
    strbuf text = {0};

    if (st != ST_OK) {
        drop_last(s);
        return st;
    }
    for (unsigned k = 0; k < a->task_count; k++)
        a->tasks[k].state = SLURM_WAITING;
    strbuf_printf(&text, "%" PRIu64 "\n", a->job);
    st = file_write(path, text.text, text.size, dg);
    strbuf_fini(&text);
    return st;
}

status slurm_sweep_merge_job(slurm_sweep *s, diag *dg)
{
    const char *path = arena_printf(s->mem, "%s/merge.sh", s->dir);
    const char *command[] = {s->o->heddle, "sweep", "merge",
                             sweep_folder_path(s->folder), NULL};
    slurm_script c = make_script(s, "merge", command);
    strbuf jobs = {0};
    uint64_t job;
    status st;

    strbuf_puts(&jobs, "");
    slurm_sweep_jobs(s, ':', &jobs);
    c.name = arena_printf(s->mem, "heddle-%s-merge", s->token);
    c.about = "Merges a sweep; written by 'heddle sweep --slurm'.";
    c.after = jobs.text;
    st = write_script(path, &c, dg);
    strbuf_fini(&jobs);
    if (st == ST_OK)
        st = slurm_submit(path, dg, &job);
    return st;
}
