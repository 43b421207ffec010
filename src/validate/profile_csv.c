/* src/validate/profile_csv.c - see profile_csv.h. Two kinds of tables: wide
 * ones have a launch a row and a column for each metric, long ones a metric a
 * row. Lines of the profiler and of the program may stand between. */
#include "validate/profile_csv.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/must.h"
#include "text/csv_rows.h"
#include "validate/profile_unit.h"

/* ---- Columns ---- */

typedef enum role {
    KERNEL,
    PROCESS,
    NUMBER, /* of the launch in its process */
    GRID,
    BLOCK,
    GRID_X, /* and y and z */
    BLOCK_X,
    COUNT,
    METRIC_NAME,
    METRIC_UNIT,
    METRIC_VALUE,
    ROLES
} role;

static const struct {
    const char *name;
    role is;
} columns[] = {
    {"Kernel Name", KERNEL},
    {"Kernel", KERNEL},
    {"Name", KERNEL},
    {"Process ID", PROCESS},
    {"ID", NUMBER},
    {"Grid Size", GRID},
    {"Block Size", BLOCK},
    {"Grid X", GRID_X},
    {"Block X", BLOCK_X},
    {"Invocations", COUNT},
    {"Metric Name", METRIC_NAME},
    {"Event Name", METRIC_NAME},
    {"Metric Unit", METRIC_UNIT},
    {"Metric Value", METRIC_VALUE},
    {"Average", METRIC_VALUE},
    {"Avg", METRIC_VALUE},
};

static const struct {
    const char *name;
    profile_kind is;
} metrics[] = {
#define METRIC(name, is) {name, PROFILE_##is},
#include "validate/profile_metric.def"
#undef METRIC
};

enum { METRICS = COUNTOF(metrics), NOWHERE = -1 };

/* The table that the rows belong to. */
typedef struct shape {
    size_t columns; /* 0: no table has begun */
    int at[ROLES], metric[METRICS];
    const char *unit[METRICS]; /* of a wide table; NULL: none was told */
    bool units_may_follow;
} shape;

typedef struct reader {
    csv_rows rows;
    arena *mem;
    diag *dg;
    profile *to;
    shape is;
    /* Which metric each launch's cycles, time and clock are from. */
    struct {
        size_t rank[PROFILE_KINDS];
        const char *process, *number;
    } * from;
    size_t from_room;
    bool bad;
} reader;

static void wrong(reader *r, unsigned line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void wrong(reader *r, unsigned line, const char *fmt, ...)
{
    va_list ap;
    char text[512];

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    diag_add(r->dg, DIAG_ERROR, r->to->path, line, 0, 0, "%s", text);
    r->bad = true;
}

static int column_of(const csv_row *row, const char *name)
{
    for (size_t i = 0; i < row->count; i++)
        if (!strcmp(row->cells[i], name))
            return (int)i;
    return NOWHERE;
}

static bool has_columns(const csv_row *row, const char *a, const char *b)
{
    return column_of(row, a) != NOWHERE && column_of(row, b) != NOWHERE;
}

/* Does a table begin here? */
static bool is_head(const csv_row *row)
{
    return has_columns(row, "Kernel Name", "ID") ||
           has_columns(row, "Kernel Name", "Invocations") ||
           has_columns(row, "Kernel", "Device") ||
           has_columns(row, "Name", "Grid X");
}

static bool is_long(const shape *s)
{
    return s->at[METRIC_NAME] != NOWHERE && s->at[METRIC_VALUE] != NOWHERE;
}

static void begin_table(reader *r, const csv_row *row)
{
    shape *s = &r->is;
    bool any = false;

    *s = (shape){.columns = row->count, .units_may_follow = true};
    for (role i = 0; i < ROLES; i++)
        s->at[i] = NOWHERE;
    for (size_t i = 0; i < COUNTOF(columns); i++)
        if (s->at[columns[i].is] == NOWHERE)
            s->at[columns[i].is] = column_of(row, columns[i].name);
    for (size_t i = 0; i < METRICS; i++) {
        s->metric[i] = column_of(row, metrics[i].name);
        any |= s->metric[i] != NOWHERE;
    }
    r->to->tool =
        column_of(row, "Kernel Name") != NOWHERE ? "Nsight Compute" : "nvprof";
    if (!any && !is_long(s))
        wrong(r, row->line,
              "the table has kernels, but neither cycles nor durations: "
              "measure them, as with ncu --csv --metrics "
              "sm__cycles_elapsed.max,gpu__time_duration.sum, or nvprof --csv "
              "--print-gpu-trace");
}

/* ---- Cells ---- */

static const char *cell(const reader *r, const csv_row *row, role is)
{
    return r->is.at[is] == NOWHERE ? "" : row->cells[r->is.at[is]];
}

/* Three numbers, whatever stands between them. */
static bool read_sizes(const char *text, uint32_t out[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long v;

        while (*text && !isdigit((unsigned char)*text))
            text++;
        v = strtoul(text, &end, 10);
        if (end == text || v > UINT32_MAX)
            return false;
        out[i] = (uint32_t)v;
        text = end;
    }
    return true;
}

static bool read_columns(const reader *r, const csv_row *row, role x,
                         uint32_t out[3])
{
    int at = r->is.at[x];

    if (at == NOWHERE || (size_t)at + 3 > row->count)
        return false;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long v = strtoul(row->cells[at + i], &end, 10);

        if (end == row->cells[at + i] || *end || v > UINT32_MAX)
            return false;
        out[i] = (uint32_t)v;
    }
    return true;
}

static void read_shape(const reader *r, const csv_row *row, profile_launch *to)
{
    to->shaped = (read_sizes(cell(r, row, GRID), to->grid) &&
                  read_sizes(cell(r, row, BLOCK), to->block)) ||
                 (read_columns(r, row, GRID_X, to->grid) &&
                  read_columns(r, row, BLOCK_X, to->block));
}

/* ---- Launches ---- */

static profile_launch *add_launch(reader *r, const csv_row *row)
{
    profile *p = r->to;
    const char *name = cell(r, row, KERNEL), *count = cell(r, row, COUNT);
    profile_launch *to;
    size_t room = r->from_room;

    ARENA_GROW(r->mem, r->from, p->count, room);
    r->from_room = room;
    ARENA_GROW(r->mem, p->launches, p->count, p->room);
    to = &p->launches[p->count];
    *to = (profile_launch){.kernel = kernel_label_of(name, r->mem),
                           .count = 1,
                           .cycles = NAN,
                           .time_s = NAN,
                           .clock_hz = NAN,
                           .line = row->line};
    read_shape(r, row, to);
    if (*count) {
        double v = profile_number(count);

        if (!(v >= 1 && v < 1e15 && v == floor(v)))
            wrong(r, row->line, "'%s' is no number of launches", count);
        else
            to->count = (uint64_t)v;
    }
    for (size_t i = 0; i < PROFILE_KINDS; i++)
        r->from[p->count].rank[i] = METRICS;
    r->from[p->count].process = cell(r, row, PROCESS);
    r->from[p->count].number = cell(r, row, NUMBER);
    return &p->launches[p->count++];
}

/* The launch of a row of a long table: of the same number of the same process;
 * of sums over launches of the same kernel. */
static profile_launch *launch_of_row(reader *r, const csv_row *row)
{
    profile *p = r->to;
    profile_launch like = {0};

    read_shape(r, row, &like);
    for (size_t i = p->count; i-- > 0;) {
        const profile_launch *l = &p->launches[i];

        if (!strcmp(r->from[i].process, cell(r, row, PROCESS)) &&
            !strcmp(r->from[i].number, cell(r, row, NUMBER)) &&
            !strcmp(l->kernel.name, cell(r, row, KERNEL)) &&
            !memcmp(l->grid, like.grid, sizeof like.grid) &&
            !memcmp(l->block, like.block, sizeof like.block))
            return &p->launches[i];
    }
    return add_launch(r, row);
}

static double *value_of_kind(profile_launch *to, profile_kind kind)
{
    return kind == PROFILE_TIME    ? &to->time_s
           : kind == PROFILE_CLOCK ? &to->clock_hz
                                   : &to->cycles;
}

/* What a launch has of metric `m`, unless it has it of a better one. */
static void take_value(reader *r, profile_launch *to, size_t m,
                       const char *text, const char *unit, unsigned line)
{
    profile_kind kind = metrics[m].is;
    profile_kind slot = kind == PROFILE_PER_SM ? PROFILE_CYCLES : kind;
    size_t *rank = &r->from[to - r->to->launches].rank[slot];
    double v, factor;

    if (profile_absent(text) || *rank <= m)
        return;
    v = profile_number(text);
    factor = profile_unit(kind, unit);
    if (isnan(factor)) {
        wrong(r, line, "%s: %s%s%s", metrics[m].name,
              *unit ? "'" : "it has no unit", unit,
              *unit ? "' is no unit of it that is known" : "");
        return;
    }
    if (!(v > 0 && v * factor < 1e18)) {
        wrong(r, line, "%s: '%.40s' is no number above 0 that can be true",
              metrics[m].name, text);
        return;
    }
    *rank = m;
    *value_of_kind(to, slot) = v * factor;
    r->to->of_all_sms |= kind == PROFILE_PER_SM;
}

static void take_wide_row(reader *r, const csv_row *row)
{
    profile_launch *to = add_launch(r, row);

    for (size_t i = 0; i < METRICS && !r->bad; i++)
        if (r->is.metric[i] != NOWHERE)
            take_value(r, to, i, row->cells[r->is.metric[i]],
                       r->is.unit[i] ? r->is.unit[i] : "", row->line);
}

static void take_long_row(reader *r, const csv_row *row)
{
    const char *name = cell(r, row, METRIC_NAME);
    profile_launch *to = launch_of_row(r, row);

    for (size_t i = 0; i < METRICS; i++)
        if (!strcmp(name, metrics[i].name))
            take_value(r, to, i, cell(r, row, METRIC_VALUE),
                       cell(r, row, METRIC_UNIT), row->line);
}

/* ---- Rows ---- */

/* Below the head of a wide table; it has no kernel. */
static void take_units(reader *r, const csv_row *row)
{
    for (size_t i = 0; i < METRICS; i++)
        if (r->is.metric[i] != NOWHERE)
            r->is.unit[i] = row->cells[r->is.metric[i]];
}

/* A copy or a fill is no kernel. */
static bool is_transfer(const char *name) { return *name == '['; }

static void take_table_row(reader *r, const csv_row *row)
{
    const char *name = cell(r, row, KERNEL);

    if (!*name && r->is.units_may_follow && !is_long(&r->is))
        take_units(r, row);
    else if (!*name)
        r->to->passed_over++;
    else if (!is_transfer(name) && is_long(&r->is))
        take_long_row(r, row);
    else if (!is_transfer(name))
        take_wide_row(r, row);
    r->is.units_may_follow = false;
}

/* "==PROF== ..." and "==1234== ..." */
static bool is_remark(const csv_row *row)
{
    return !strncmp(row->cells[0], "==", 2);
}

static void take_row(reader *r, const csv_row *row)
{
    bool last = r->rows.at == r->rows.end && r->rows.end[-1] != '\n';

    if (row->open)
        wrong(r, row->line,
              "the file ends within the quotes that begin here: it is cut");
    else if (is_remark(row))
        return;
    else if (is_head(row))
        begin_table(r, row);
    else if (r->is.columns && row->count == r->is.columns)
        take_table_row(r, row);
    else if (r->is.columns && last && row->count > 1)
        wrong(r, row->line,
              "the file ends in the middle of a line, which has %zu of %zu "
              "cells: it is cut",
              row->count, r->is.columns);
    else
        r->to->passed_over += r->is.columns != 0;
}

static bool has_values(const profile *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!isnan(p->launches[i].cycles) || !isnan(p->launches[i].time_s))
            return true;
    return false;
}

static void check_profile(reader *r)
{
    if (!r->is.columns)
        wrong(r, 0,
              "this is no output of ncu --csv, nor of nvprof --csv with "
              "--print-gpu-trace, --events or --metrics: no line has the names "
              "of its columns");
    else if (!r->to->count)
        wrong(r, 0, "it has no launch of a kernel");
    else if (!has_values(r->to))
        wrong(r, 0,
              "no launch has cycles or a duration: measure them, as with ncu "
              "--csv --metrics sm__cycles_elapsed.max");
}

status profile_read_text(const char *path, const char *text, size_t size,
                         arena *mem, diag *dg, profile *out)
{
    reader r = {
        .rows = csv_rows_of(text, size), .mem = mem, .dg = dg, .to = out};
    csv_row row;

    *out = (profile){.path = path, .tool = ""};
    while (!r.bad && csv_rows_next(&r.rows, mem, &row))
        take_row(&r, &row);
    if (!r.bad)
        check_profile(&r);
    return r.bad ? ST_CONFIG : ST_OK;
}

status profile_read(const char *path, arena *mem, diag *dg, profile *out)
{
    char *text = NULL;
    size_t size = 0;
    status st = file_read(path, dg, &text, &size);

    if (st == ST_OK)
        st = profile_read_text(path, text, size, mem, dg, out);
    free(text);
    return st;
}
