/* src/validate/truth_read.c - the file's half of truth.h. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/kind.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "config/yml_reader.h"
#include "probe/probe.h"
#include "report/counters.h"
#include "text/csv_rows.h"
#include "validate/truth.h"

typedef struct reader {
    yml_reader y;
    truth *t;
    bool halves;
} reader;

const char *truth_input_text(truth_input i)
{
    static const char *const texts[] = {
#define INPUT(id, text) text,
        TRUTH_INPUTS(INPUT)
#undef INPUT
    };

    return texts[i];
}

const char *truth_half_text(truth_half h)
{
    static const char *const texts[] = {
#define HALF(id, text) text,
        TRUTH_HALVES(HALF)
#undef HALF
    };

    return texts[h];
}

truth_half truth_half_of(const char *file, const char *row)
{
    uint64_t h =
        hash_bytes(row, strlen(row), hash_bytes(file, strlen(file), 0));

    return h & 1 ? TRUTH_HALF_REPORTING : TRUTH_HALF_TUNING;
}

bool truth_figure_known(const char *name, bool of_kernel)
{
    static const char *const sums[] = {
#define SUM(id, ...) #id,
#include "stats/sums.def"
#undef SUM
    };

    if (of_kernel)
        return !strcmp(name, "cycles") || !strcmp(name, "time_s");
    for (size_t i = 0; i < COUNTOF(sums); i++)
        if (!strcmp(name, sums[i]))
            return true;
    return report_counter_known(name, NULL);
}

/* ---- Values ---- */

static bool read_text(reader *r, const yml_node *n, const char **to)
{
    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key))
        return false;
    if (!*n->text) {
        yml_wrong(&r->y, n->key_at, "nothing is given for %s", n->key);
        return false;
    }
    *to = arena_strdup(r->t->mem, n->text);
    return true;
}

/* A number above 0 and what stands behind it. */
static bool read_positive(reader *r, const yml_node *n, double *to,
                          const char **behind)
{
    char *end;

    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key))
        return false;
    *to = strtod(n->text, &end);
    *behind = end + strspn(end, " ");
    if (end != n->text && isfinite(*to))
        return true;
    yml_wrong(&r->y, n->at, "%s: '%s' is no number", n->key, n->text);
    return false;
}

static void read_value(reader *r, const yml_node *n, truth_row *to)
{
    const char *behind;

    if (!read_positive(r, n, &to->value, &behind))
        return;
    if (*behind || !(to->value > 0))
        yml_wrong(&r->y, n->at, "%s: '%s' is no number above 0", n->key,
                  n->text);
}

static void read_input(reader *r, const yml_node *n, truth_row *to)
{
    const char *names[TRUTH_INPUT_COUNT];

    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key))
        return;
    for (truth_input i = 0; i < TRUTH_INPUT_COUNT; i++) {
        names[i] = truth_input_text(i);
        if (!strcmp(names[i], n->text)) {
            to->input = i;
            return;
        }
    }
    yml_unknown(&r->y, n->at, "certainty of the input", n->text, names,
                TRUTH_INPUT_COUNT);
}

static bool read_yes(reader *r, const yml_node *n)
{
    bool yes;

    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key))
        return false;
    yes = !strcmp(n->text, "true");
    if (!yes && strcmp(n->text, "false") != 0)
        yml_wrong(&r->y, n->at, "%s: expected true or false", n->key);
    return yes;
}

/* {NAME: value}, or {NAME: error %}; the row's value is known. */
static void read_others(reader *r, const yml_node *n, truth_row *to)
{
    const char *behind;
    double v;

    if (!yml_is_kind(&r->y, n, YML_MAP, n->key))
        return;
    to->others = ARENA_ARRAY(r->t->mem, truth_other, n->count + 1);
    to->other_count = 0;
    for (const yml_node *e = n->first; e; e = e->next) {
        if (!read_positive(r, e, &v, &behind))
            continue;
        if (!strcmp(behind, "%"))
            v = to->value * (1 + v / 100);
        else if (*behind)
            yml_wrong(&r->y, e->at, "%s: '%s' is no number and no error in %%",
                      e->key, e->text);
        to->others[to->other_count++] =
            (truth_other){arena_strdup(r->t->mem, e->key), v};
    }
}

/* ---- What is run ---- */

static void read_program(reader *r, const yml_node *n, truth_row *to)
{
    const suite *s = r->t->suite;
    const char **names;

    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key))
        return;
    to->program = suite_find(s, n->text);
    if (to->program)
        return;
    names = ARENA_ARRAY(r->t->mem, const char *, s->count + 1);
    for (size_t i = 0; i < s->count; i++)
        names[i] = s->programs[i].name;
    yml_unknown(&r->y, n->at, "program", n->text, names, s->count);
}

static void read_launch_file(reader *r, const yml_node *n, truth_row *to)
{
    if (read_text(r, n, &to->launch_file) && *to->launch_file != '/')
        to->launch_file = arena_printf(r->t->mem, "%s/%s", r->t->suite->folder,
                                       to->launch_file);
}

static void read_probe(reader *r, const yml_node *n, truth_row *to)
{
    const char *names[64];
    size_t count = 0;

    if (!read_text(r, n, &to->probe) || probe_find(to->probe))
        return;
    for (; probe_table[count].name && count < COUNTOF(names); count++)
        names[count] = probe_table[count].name;
    yml_unknown(&r->y, n->at, "probe", n->text, names, count);
}

static void read_subject(reader *r, const yml_node *n, truth_row *to)
{
    const yml_node *program = yml_get(n, "program");
    const yml_node *launch = yml_get(n, "launch"), *probe = yml_get(n, "probe");

    if ((program != NULL) + (launch != NULL) + (probe != NULL) != 1) {
        yml_wrong(&r->y, n->at,
                  "row '%s' needs one of program, launch and probe", to->name);
        return;
    }
    if (program)
        read_program(r, program, to);
    else if (launch)
        read_launch_file(r, launch, to);
    else
        read_probe(r, probe, to);
}

/* ---- Metrics ---- */

static void check_figure(reader *r, yml_place at, const truth_row *to,
                         const char *name)
{
    char *near = NULL;

    if (truth_figure_known(name, to->kernel != NULL))
        return;
    if (to->kernel && truth_figure_known(name, false)) {
        yml_wrong(&r->y, at,
                  "'%s' is known of all kernels together; of one there are "
                  "cycles and time_s",
                  name);
        return;
    }
    report_counter_known(name, &near);
    yml_wrong(&r->y, at,
              "'%s' is neither cycles nor time_s nor a counter of 'heddle list "
              "stats'%s%s%s",
              name, near ? "; did you mean '" : "", near ? near : "",
              near ? "'?" : "");
    free(near);
}

static void read_metric(reader *r, yml_place at, truth_row *to)
{
    diag *dg;
    formula *f = NULL;

    if (to->probe || to->prints)
        return;
    dg = diag_new();
    if (formula_parse(to->metric, r->t->mem, dg, &f) != ST_OK)
        yml_wrong(&r->y, at, "metric: %s",
                  diag_count(dg) ? diag_get(dg, 0)->text : to->metric);
    diag_free(dg);
    for (size_t i = 0; f && i < formula_count(f); i++)
        check_figure(r, at, to, formula_name(f, i));
    to->formula = f;
}

/* Seconds may be told in parts of them, cycles in nothing else. */
static void read_unit(reader *r, yml_place at, truth_row *to)
{
    static const struct {
        const char *unit;
        double of_second;
    } times[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};

    to->scale = 1;
    if (to->probe || to->prints)
        return;
    if (!to->unit)
        to->unit = !strcmp(to->metric, "cycles")   ? "cycles"
                   : !strcmp(to->metric, "time_s") ? "s"
                                                   : "";
    if (!strcmp(to->metric, "cycles") && strcmp(to->unit, "cycles") != 0)
        yml_wrong(&r->y, at, "cycles have the unit cycles, not '%s'", to->unit);
    if (strcmp(to->metric, "time_s") != 0)
        return;
    for (size_t i = 0; i < COUNTOF(times); i++)
        if (!strcmp(times[i].unit, to->unit)) {
            to->scale = times[i].of_second;
            return;
        }
    yml_wrong(&r->y, at, "time_s has the unit s, ms, us or ns, not '%s'",
              to->unit);
}

/* ---- Rows ---- */

/* What rows may have in common. */
#define COMMON                                                                 \
    "gpu", "kernel", "metric", "unit", "source", "class", "input", "fitted"

/* A preset, or a file beside the truth file. */
static void read_gpu(reader *r, const yml_node *n, const char **to)
{
    if (read_text(r, n, to) && strchr(*to, '/') && **to != '/')
        *to = arena_printf(r->t->mem, "%s/%s", r->t->suite->folder, *to);
}

static void read_common(reader *r, const yml_node *n, truth_row *to)
{
    const struct {
        const char *key, **to;
    } texts[] = {{"kernel", &to->kernel},
                 {"metric", &to->metric},
                 {"unit", &to->unit},
                 {"source", &to->source},
                 {"class", &to->class}};
    const yml_node *v;

    if ((v = yml_get(n, "gpu")))
        read_gpu(r, v, &to->gpu);

    for (size_t i = 0; i < COUNTOF(texts); i++)
        if ((v = yml_get(n, texts[i].key)))
            read_text(r, v, texts[i].to);
    if ((v = yml_get(n, "input")))
        read_input(r, v, to);
    if ((v = yml_get(n, "fitted")))
        to->fitted = read_yes(r, v);
}

static void check_half(reader *r, const yml_node *n, truth_row *to)
{
    if (!r->halves)
        return;
    to->half = truth_half_of(r->t->name, to->name);
    if (to->fitted && to->half == TRUTH_HALF_REPORTING)
        yml_wrong(&r->y, n->at,
                  "row '%s' is in the half that only reports, so no parameter "
                  "may be fitted to it",
                  to->name);
}

static void check_row(reader *r, const yml_node *n, truth_row *to)
{
    const yml_node *metric = yml_get(n, "metric"), *unit = yml_get(n, "unit");

    if (!yml_get(n, "value"))
        yml_wrong(&r->y, n->at, "row '%s' has no value", to->name);
    if (!to->source)
        yml_wrong(&r->y, n->at,
                  "row '%s' has no source: who measured it, and where it is "
                  "published",
                  to->name);
    if (to->probe && !metric)
        yml_wrong(&r->y, n->at,
                  "row '%s' needs as its metric the name of a value of that "
                  "probe, such as load.l1",
                  to->name);
    if (to->probe && to->kernel)
        yml_wrong(&r->y, n->at, "row '%s': a probe has no kernel", to->name);
    if (to->prints && (!to->program || metric || to->kernel))
        yml_wrong(&r->y, n->at,
                  "row '%s': prints is of a program, without metric and kernel",
                  to->name);
    if (!to->metric)
        to->metric = to->prints ? to->prints : "cycles";
    read_metric(r, metric ? metric->at : n->at, to);
    read_unit(r, unit ? unit->at : n->at, to);
    if (!to->unit)
        to->unit = "";
    check_half(r, n, to);
}

static void read_row(reader *r, const yml_node *n, truth_row *to)
{
    static const char *const keys[] = {"name",   "program", "launch",
                                       "probe",  "prints",  "value",
                                       "others", COMMON,    NULL};
    const yml_node *v;

    to->name = "";
    if (!yml_is_kind(&r->y, n, YML_MAP, "a row"))
        return;
    yml_check_keys(&r->y, n, keys);
    if (!(v = yml_get(n, "name"))) {
        yml_wrong(&r->y, n->at, "a row needs a name");
        return;
    }
    if (!read_text(r, v, &to->name))
        return;
    for (const truth_row *o = r->t->rows; o < to; o++)
        if (!strcmp(o->name, to->name))
            yml_wrong(&r->y, v->at, "there are two rows '%s'", to->name);
    read_common(r, n, to);
    read_subject(r, n, to);
    if ((v = yml_get(n, "prints")))
        read_text(r, v, &to->prints);
    if ((v = yml_get(n, "value")))
        read_value(r, v, to);
    if ((v = yml_get(n, "others")))
        read_others(r, v, to);
    check_row(r, n, to);
}

/* ---- Points of published curves ---- */

/* Columns of such a file. */
enum { CURVE, LINE, X, VALUE, PART, SOURCE, COLUMNS };

/* A row for a point of a curve for which there is a program of that name, which
 * prints points in the same way. */
static void add_point(reader *r, const yml_node *n, const csv_row *point,
                      const truth_row *first)
{
    arena *mem = r->t->mem;
    const char *const *is = point->cells;
    truth_row *to;
    char *end;

    if (point->count != COLUMNS) {
        yml_wrong(&r->y, n->at,
                  "points: line %u has %zu columns, not "
                  "curve,line,x,value,part,source",
                  point->line, point->count);
        return;
    }
    r->t->rows = arena_renew(mem, r->t->rows, r->t->count, r->t->count + 2,
                             sizeof *r->t->rows);
    to = &r->t->rows[r->t->count];
    *to = *first;
    if (!(to->program = suite_find(r->t->suite, is[CURVE])))
        return;
    r->t->count++;
    to->name = arena_printf(mem, "%s %s%s%s", is[CURVE], is[LINE],
                            *is[LINE] ? " " : "", is[X]);
    to->prints = to->metric =
        arena_printf(mem, "%s,%s,%s,", is[CURVE], is[LINE], is[X]);
    to->class = is[PART];
    to->source = is[SOURCE];
    to->scale = 1;
    to->unit = to->unit ? to->unit : "";
    to->value = strtod(is[VALUE], &end);
    if (*end || !(to->value > 0) || !isfinite(to->value))
        yml_wrong(&r->y, n->at, "points: line %u: '%s' is no number above 0",
                  point->line, is[VALUE]);
    check_half(r, n, to);
}

static void read_points(reader *r, const yml_node *n, const truth_row *first)
{
    arena *mem = r->t->mem;
    const char *path;
    char *text = NULL;
    size_t size = 0;
    csv_row row;

    if (!read_text(r, n, &path))
        return;
    if (*path != '/')
        path = arena_printf(mem, "%s/%s", r->t->suite->folder, path);
    if (file_read(path, r->y.dg, &text, &size) != ST_OK) {
        r->y.good = false;
        return;
    }
    csv_rows rows = csv_rows_of(arena_strdup(mem, text), size);
    free(text);
    while (csv_rows_next(&rows, mem, &row))
        if (*row.cells[0] != '#' && strcmp(row.cells[0], "curve") != 0)
            add_point(r, n, &row, first);
    if (!r->t->count)
        yml_wrong(&r->y, n->at, "points: no curve of %s is a program here",
                  path);
}

static void read_rows(reader *r, const yml_node *root)
{
    static const char *const keys[] = {COMMON, NULL};
    truth_row first = {.gpu = "v100", .class = "", .input = TRUTH_UNKNOWN};
    const yml_node *v;

    if ((v = yml_get(root, "gpu")))
        read_gpu(r, v, &first.gpu);
    if ((v = yml_get(root, "every_row")) &&
        yml_is_kind(&r->y, v, YML_MAP, v->key)) {
        yml_check_keys(&r->y, v, keys);
        read_common(r, v, &first);
    }
    v = yml_get(root, "rows");
    if (yml_get(root, "points")) {
        read_points(r, yml_get(root, "points"), &first);
        if (!v)
            return;
    }
    if (!v || (v->kind == YML_LIST && !v->first)) {
        yml_wrong(&r->y, v ? v->key_at : root->at, "there are no rows");
        return;
    }
    if (!yml_is_kind(&r->y, v, YML_LIST, "rows"))
        return;
    r->t->rows = arena_renew(r->t->mem, r->t->rows, r->t->count,
                             r->t->count + v->count + 1, sizeof *r->t->rows);
    for (const yml_node *e = v->first; e; e = e->next) {
        r->t->rows[r->t->count] = first;
        read_row(r, e, &r->t->rows[r->t->count++]);
    }
}

/* ---- Files ---- */

static void read_truth(reader *r, const yml_node *root)
{
    const yml_node *v;

    r->t->name = r->t->suite->name;
    if (!yml_get(root, "name"))
        r->t->name = strrchr(r->t->path, '/') ? strrchr(r->t->path, '/') + 1
                                              : r->t->path;
    r->t->about = r->t->suite->about;
    if ((v = yml_get(root, "device")))
        read_text(r, v, &r->t->device);
    if ((v = yml_get(root, "halves")))
        r->halves = read_yes(r, v);
    read_rows(r, root);
}

status truth_read_text(const char *path, const char *text, size_t size,
                       const truth_places *where, diag *dg, truth **out)
{
    static const char *const keys[] = {"gpu",    "device", "every_row", "rows",
                                       "halves", "points", NULL};
    arena *mem = arena_new();
    truth *t = ARENA_NEW(mem, truth);
    reader r = {.y = {.path = path, .dg = dg, .good = true}, .t = t};
    const suite_named words[] = {{"programs", where->programs},
                                 {"inputs", where->inputs}};
    suite_named *kept = ARENA_ARRAY(mem, suite_named, COUNTOF(words));
    suite_other more = {keys, kept, COUNTOF(words)};
    yml_node *root;
    status st;

    memcpy(kept, words, sizeof words);
    *t = (truth){.mem = mem, .path = arena_strdup(mem, path), .device = ""};
    st = yml_read(path, text, size, mem, dg, &root);
    if (st == ST_OK)
        st = suite_read_tree(path, root, &more, dg, &t->suite);
    if (st == ST_OK) {
        read_truth(&r, root);
        st = r.y.good ? ST_OK : ST_CONFIG;
    }
    if (st == ST_OK)
        *out = t;
    else
        truth_free(t);
    return st;
}

status truth_read(const char *path, const truth_places *where, diag *dg,
                  truth **out)
{
    char *text = NULL;
    size_t size = 0;
    status st = file_read(path, dg, &text, &size);

    if (st == ST_OK &&
        !file_kind_is_yaml(path, text, size, FILE_TRUTH, "truth file", dg))
        st = ST_CONFIG;
    if (st == ST_OK)
        st = truth_read_text(path, text, size, where, dg, out);
    free(text);
    return st;
}

void truth_free(truth *t)
{
    if (!t)
        return;
    suite_free(t->suite);
    arena_free(t->mem);
}

/* ---- Folders ---- */

static status add_file(truth_list *l, const char *path,
                       const truth_places *where, diag *dg)
{
    truth *t = NULL;
    status st = truth_read(path, where, dg, &t);

    if (st != ST_OK)
        return st;
    GROW(l->list, l->count + 1, l->room);
    l->list[l->count++] = t;
    return ST_OK;
}

static int is_yaml(const struct dirent *e)
{
    size_t n = strlen(e->d_name);

    return n > 5 && !strcmp(e->d_name + n - 5, ".yaml") && *e->d_name != '.';
}

status truth_list_add(truth_list *l, const char *path,
                      const truth_places *where, diag *dg)
{
    struct dirent **files = NULL;
    status st = ST_OK;
    int n;

    if (!file_is_folder(path))
        return add_file(l, path, where, dg);
    n = scandir(path, &files, is_yaml, alphasort);
    if (n < 0)
        diag_error(dg, "cannot read %s: %s", path, strerror(errno));
    else if (n == 0)
        diag_error(dg, "%s has no truth files: there is no NAME.yaml", path);
    if (n <= 0)
        st = n < 0 ? ST_INPUT : ST_CONFIG;
    for (int i = 0; i < n; i++) {
        strbuf whole = {0};
        status one;

        strbuf_printf(&whole, "%s/%s", path, files[i]->d_name);
        one = add_file(l, whole.text, where, dg);
        st = st == ST_OK ? one : st;
        strbuf_fini(&whole);
        free(files[i]);
    }
    free(files);
    return st;
}

void truth_list_fini(truth_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        truth_free(l->list[i]);
    free(l->list);
    *l = (truth_list){0};
}
