/* src/sweep/sweep_index.c - points.txt of a sweep's folder: a few lines of
 * words, the ids, the plan. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "sweep/sweep_folder_impl.h"

/* Rows of points: id, GPU, combination, workload. */
#define FIRST_LINE "heddle sweep 1"

/* Cuts off the next line; NULL: there is none. */
static char *cut_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');

    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line;
}

/* What stands behind the word on the next line. */
static const char *member(char **at, const char *word)
{
    size_t n = strlen(word);
    char *line = cut_line(at);

    return line && !strncmp(line, word, n) && line[n] == ' ' ? line + n + 1
                                                             : NULL;
}

static bool parse(char *at, size_t size, sweep_index *x)
{
    char *end = at + size, *rest;
    const char *line = cut_line(&at), *number;

    if (!line || strcmp(line, FIRST_LINE) != 0 ||
        !(x->uid = member(&at, "uid")) ||
        !(x->folder = member(&at, "folder")) ||
        !(x->build = member(&at, "build")) ||
        !(x->file = member(&at, "file")) ||
        !(x->shape = member(&at, "shape")) ||
        !(number = member(&at, "left-out")))
        return false;
    x->filtered = strtoull(number, &rest, 10);
    x->invalid = strtoull(rest, NULL, 10);
    if (!(number = member(&at, "bytes")))
        return false;
    x->rows = at;
    x->rows_size = strtoull(number, NULL, 10);
    if (strlen(x->uid) != POINT_ID_SIZE - 1 ||
        x->rows_size > (size_t)(end - at))
        return false;
    at += x->rows_size;
    if (!(number = member(&at, "plan")))
        return false;
    x->plan = at;
    x->plan_size = strtoull(number, NULL, 10);
    return x->plan_size == (size_t)(end - at);
}

status sweep_index_read(const char *path, diag *dg, sweep_index *out)
{
    size_t size;
    status st;

    *out = (sweep_index){0};
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return ST_OK;
    st = file_read(path, dg, &out->text, &size);
    if (st != ST_OK)
        return st;
    if (parse(out->text, size, out))
        return ST_OK;
    free(out->text);
    out->text = NULL;
    diag_add(dg, DIAG_ERROR, path, 0, 0, 1,
             "this is no list of points of a sweep, or it was cut off");
    return ST_CONFIG;
}

/* The row at `at`; NULL: there is none, or it is damaged. Otherwise the next
 * one. */
static const char *read_row(const char *at, sweep_point *point,
                            sweep_machine *machine)
{
    char *end;

    if (strspn(at, "0123456789abcdef") != POINT_ID_SIZE - 1)
        return NULL;
    memcpy(point->id, at, POINT_ID_SIZE - 1);
    point->id[POINT_ID_SIZE - 1] = '\0';
    machine->gpu = strtoull(at + POINT_ID_SIZE - 1, &end, 10);
    machine->combination = strtoull(end, &end, 10);
    point->workload = strtoull(end, &end, 10);
    return *end == '\n' ? end + 1 : NULL;
}

/* Rows are in the order of machines. */
static void add_point_row(sweep_plan *p, sweep_point point,
                          sweep_machine machine)
{
    const sweep_machine *last = p->machines + p->machine_count - 1;

    if (!p->machine_count || last->gpu != machine.gpu ||
        last->combination != machine.combination)
        p->machines[p->machine_count++] = machine;
    point.machine = p->machine_count - 1;
    p->points[p->count++] = point;
}

bool sweep_index_points(const sweep_index *x, sweep_plan *p, const char *only)
{
    const char *at = x->rows, *end = x->rows + x->rows_size;
    size_t most = x->rows_size / POINT_ID_SIZE;

    if (only && !(at = memmem(at, x->rows_size, only, strlen(only))))
        return false;
    most = only ? 1 : most;
    p->points = ARENA_ARRAY(p->mem, sweep_point, most + 1);
    p->machines = ARENA_ARRAY(p->mem, sweep_machine, most + 1);
    while (at < end && p->count < most) {
        sweep_point point = {0};
        sweep_machine machine = {0};

        at = read_row(at, &point, &machine);
        if (!at || machine.gpu >= p->gpu_count ||
            point.workload >= p->workload_count)
            return false;
        add_point_row(p, point, machine);
    }
    return true;
}

void sweep_index_shape(const sweep_plan *p, char out[POINT_ID_SIZE])
{
    point_hash h = point_hash_start();

    for (size_t i = 0; i < p->gpu_count; i++)
        point_hash_text(&h, p->gpus[i].name);
    for (size_t i = 0; i < p->workload_count; i++)
        point_hash_text(&h, p->workloads[i].is.label);
    for (size_t i = 0; i < p->axis_count; i++) {
        const sweep_axis *a = &p->axes[i];

        point_hash_text(&h, a->name);
        point_hash_number(&h, a->group);
        for (size_t k = 0; k < a->count; k++)
            point_hash_text(&h, a->values[k].label);
    }
    point_hash_print(h, out);
}

status sweep_index_write(const sweep_folder *f, diag *dg)
{
    const sweep_plan *p = f->plan;
    arena *mem = arena_new();
    char shape[POINT_ID_SIZE];
    strbuf b = {0}, rows = {0};
    status st;

    for (size_t i = 0; i < p->count; i++) {
        const sweep_machine *m = &p->machines[p->points[i].machine];

        strbuf_printf(&rows, "%s %zu %" PRIu64 " %zu\n", p->points[i].id,
                      m->gpu, m->combination, p->points[i].workload);
    }
    sweep_index_shape(p, shape);
    strbuf_printf(&b,
                  FIRST_LINE "\nuid %s\nfolder %s\nbuild %s\nfile %s\n"
                             "shape %s\nleft-out %zu %zu\nbytes %zu\n",
                  f->uid, p->folder, f->build, p->path, shape, p->filtered,
                  p->invalid, rows.size);
    strbuf_write(&b, rows.text, rows.size);
    strbuf_printf(&b, "plan %zu\n", p->text_size);
    strbuf_write(&b, p->text, p->text_size);
    st = file_write(sweep_path_in(f, mem, "plan.yaml"), p->text, p->text_size,
                    dg);
    if (st == ST_OK)
        st =
            file_write(sweep_path_in(f, mem, "points.txt"), b.text, b.size, dg);
    strbuf_fini(&b);
    strbuf_fini(&rows);
    arena_free(mem);
    return st;
}
