/* heddle report, and the page that heddle compare leaves. */
#include "cli/commands/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/keep.h"
#include "compare/compare_store.h"
#include "pages/page_compare.h"
#include "pages/page_explain.h"
#include "pages/page_probe.h"
#include "pages/page_run.h"
#include "pages/page_sweep.h"
#include "pages/page_validate.h"
#include "sweep/sweep_folder.h"

/* ---- Pages ---- */

/* "-" is standard output. */
static int write_page(page *p, const char *path)
{
    diag *dg = diag_new();
    strbuf out = {0};
    status st = ST_OK;

    page_finish(p, &out);
    if (!strcmp(path, "-"))
        fwrite(out.text, 1, out.size, stdout);
    else
        st = file_write(path, out.text, out.size, dg);
    cli_report(dg);
    diag_free(dg);
    strbuf_fini(&out);
    return st == ST_OK ? cli_finish(0) : cli_exit_code(st);
}

/* Where and when: texts that live as long as this. */
typedef struct here {
    char date[32], host[128];
} here;

static page_origin origin(here *h, const char *command)
{
    time_t now = time(NULL);
    struct tm utc;

    *h = (here){.date = ""};
    if (gmtime_r(&now, &utc))
        strftime(h->date, sizeof h->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (gethostname(h->host, sizeof h->host - 1))
        *h->host = 0;
    return (page_origin){.command = command,
                         .date = h->date,
                         .host = h->host,
                         .version = version_text,
                         .build = cli_build()};
}

int report_compare(const compare *list, size_t count, const char *command,
                   store *s, int64_t study, const char *path)
{
    page_study y = {
        .s = s, .study = study, .mem = list[0].mem, .dg = diag_new()};
    page *p =
        page_new(page_compare_title(&list[0]), page_compare_about(&list[0]));
    here h;
    page_origin from = origin(&h, command);
    int code;

    for (size_t i = 0; i < count; i++) {
        if (count > 1)
            page_part(p, list[i].sides[0].gpus[0].name);
        page_compare(p, &list[i], &from, s ? &y : NULL, i);
    }
    cli_report(y.dg);
    code = diag_errors(y.dg) ? cli_exit_code(ST_IO) : write_page(p, path);
    diag_free(y.dg);
    page_free(p);
    return code;
}

/* Writes a page and frees it. */
static int write_whole(page *p, const char *path)
{
    int code = write_page(p, path);

    page_free(p);
    return code;
}

int report_validation(const validate *v, const char *command, const char *path)
{
    here h;
    page_origin from = origin(&h, command);

    return write_whole(page_validate(v, &from), path);
}

int report_probes(const probe_sheet *s, const char *command, const char *path)
{
    here h;
    page_origin from = origin(&h, command);

    return write_whole(page_probe(s, &from), path);
}

int report_explain(const explain *x, const what_if *w, const char *name,
                   const char *command, const char *path)
{
    here h;
    page_origin from = origin(&h, command);

    return write_whole(page_explain(x, w, name, &from), path);
}

/* ---- The command ---- */

enum { STUDIES_MOST = 64 };

typedef struct report_args {
    const char *output, *title;
    const char *studies[STUDIES_MOST]; /* numbers; none: all */
    unsigned study_count;
    arena *mem;
    diag *dg;
} report_args;

/* The studies of all files. */
typedef struct listed_study {
    page_study is;
    const sweep_plan *plan; /* of a sweep's folder; NULL: unknown */
} listed_study;

typedef struct report_list {
    store **files;
    sweep_folder **folders; /* of each file; NULL: it lies alone */
    size_t file_count;
    listed_study *study;
    size_t count, room;
} report_list;

static void take_report_option(cli_args *a, report_args *x)
{
    if (cli_is(a, "output"))
        x->output = a->value;
    else if (cli_is(a, "title"))
        x->title = a->value;
    else if (cli_is(a, "study") && x->study_count < STUDIES_MOST)
        x->studies[x->study_count++] = a->value;
}

static bool is_wanted(const report_args *x, const page_study *y)
{
    bool wanted = !x->study_count;

    for (unsigned i = 0; i < x->study_count; i++)
        wanted |= atoll(x->studies[i]) == y->study;
    return wanted;
}

/* A sweep's folder stands for the results in it, merged as far as they are; its
 * plan has the points that are missing. */
static status open_folder(const report_args *x, const char **path,
                          sweep_folder **out)
{
    struct stat is;
    status st;

    *out = NULL;
    if (stat(*path, &is) || !S_ISDIR(is.st_mode))
        return ST_OK;
    st = sweep_folder_open(*path, x->dg, out);
    if (st == ST_OK && sweep_folder_merge(*out, true, x->dg) != ST_OK)
        diag_add(x->dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "finished points that are not merged count as missing");
    *path = arena_printf(x->mem, "%s/results.db", *path);
    return st;
}

static void add_study(report_list *to, const page_study *y,
                      const sweep_folder *f)
{
    GROW(to->study, to->count + 1, to->room);
    to->study[to->count++] =
        (listed_study){*y, f ? sweep_folder_plan(f) : NULL};
}

static status open_report_file(const report_args *x, const char *path,
                               report_list *to)
{
    size_t at = to->file_count, n = 0;
    page_study *found = NULL;
    status st = open_folder(x, &path, &to->folders[at]);

    to->file_count++;
    if (st == ST_OK)
        st = store_open(path, x->dg, &to->files[at]);
    if (st == ST_OK)
        st = page_studies(to->files[at], x->mem, x->dg, &found, &n);
    for (size_t i = 0; i < n && st == ST_OK; i++)
        if (is_wanted(x, &found[i]))
            add_study(to, &found[i], to->folders[at]);
    return st;
}

/* "comparison of l1-size" */
static const char *study_title(const page_study *y)
{
    static const char *const kinds[][2] = {{"compare", "Comparison"},
                                           {"sweep", "Sweep"},
                                           {"suite", "Suite"},
                                           {"run", "Run"},
                                           {"exec", "Program"}};
    const char *kind = y->kind;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i][0], y->kind))
            kind = kinds[i][1];
    return y->name && *y->name
               ? arena_printf(y->mem, "%s: %s", kind, cli_last_part(y->name))
               : kind;
}

/* The pages of a comparison on each of its GPUs. *p NULL: it has the page for
 * itself, which is made here. */
static status put_comparison(const char *title, const page_study *y, page **p)
{
    page_origin from = page_study_origin(y);
    compare_study x;
    status st = compare_load(y->s, y->study, y->dg, &x);

    if (st != ST_OK)
        return st;
    if (!*p)
        *p = page_new(title          ? title
                      : x.count == 1 ? page_compare_title(&x.list[0])
                                     : study_title(y),
                      page_compare_about(&x.list[0]));
    for (size_t i = 0; i < x.count; i++) {
        if (x.count > 1)
            page_part(*p, arena_printf(y->mem, "%s on %s", study_title(y),
                                       x.list[i].sides[0].gpus[0].name));
        page_compare(*p, &x.list[i], &from, y, i);
    }
    compare_study_fini(&x);
    return diag_errors(y->dg) ? ST_IO : ST_OK;
}

static status put_study(const char *title, const listed_study *x, page **p)
{
    const page_study *y = &x->is;

    if (!strcmp(y->kind, "compare"))
        return put_comparison(title, y, p);
    if (!*p)
        *p = page_new(title ? title : study_title(y), y->about);
    return strcmp(y->kind, "sweep") ? page_run(*p, y)
                                    : page_sweep(*p, y, x->plan);
}

int report_study(store *s, int64_t study, const char *path)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    page_study *all = NULL;
    page *p = NULL;
    size_t n = 0;
    status st = page_studies(s, mem, dg, &all, &n);

    for (size_t i = 0; i < n && st == ST_OK; i++)
        if (all[i].study == study)
            st = put_study(NULL, &(listed_study){.is = all[i]}, &p);
    cli_report(dg);
    int code = st == ST_OK && p ? write_page(p, path)
                                : cli_exit_code(st == ST_OK ? ST_IO : st);
    page_free(p);
    diag_free(dg);
    arena_free(mem);
    return code;
}

static status put_studies(const report_args *x, const report_list *l, page **p)
{
    status st = ST_OK;

    if (l->count == 1)
        return put_study(x->title, &l->study[0], p);
    *p = page_new(x->title ? x->title
                           : arena_printf(x->mem, "%zu studies", l->count),
                  NULL);
    for (size_t i = 0; i < l->count && st == ST_OK; i++) {
        page_part(*p, study_title(&l->study[i].is));
        st = put_study(NULL, &l->study[i], p);
    }
    return st;
}

static int make_report(const report_args *x, const report_list *l)
{
    page *p = NULL;
    status st;
    int code;

    if (!l->count) {
        fputs(x->study_count ? "heddle report: no such study\n"
                             : "heddle report: there is no study in it\n",
              stderr);
        return cli_exit_code(ST_CONFIG);
    }
    st = put_studies(x, l, &p);
    cli_report(x->dg);
    code = st == ST_OK ? write_page(p, x->output) : cli_exit_code(st);
    page_free(p);
    return code;
}

int cli_report_page(int argc, char **argv)
{
    report_args x = {
        .output = "report.html", .mem = arena_new(), .dg = diag_new()};
    cli_args a = cli_start("report", argc, argv);
    report_list l = {0};
    status st = ST_OK;
    int code = 2;

    while (cli_next(&a))
        take_report_option(&a, &x);
    if (!a.wrong && !cli_operand(&a, 0))
        cli_usage(a.command, "expected a results file");
    else if (!a.wrong) {
        l.files = new0((size_t)argc, sizeof(store *));
        l.folders = new0((size_t)argc, sizeof(sweep_folder *));
        for (int i = 0; cli_operand(&a, i) && st == ST_OK; i++)
            st = open_report_file(&x, cli_operand(&a, i), &l);
        cli_report(x.dg);
        code = st == ST_OK ? make_report(&x, &l) : cli_exit_code(st);
    }
    for (size_t i = 0; i < l.file_count; i++) {
        store_close(l.files[i]);
        sweep_folder_close(l.folders[i]);
    }
    free(l.files);
    free(l.folders);
    free(l.study);
    diag_free(x.dg);
    arena_free(x.mem);
    return code;
}
