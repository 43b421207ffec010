/* tests/unit/study/test_workload.c - words of a command line as workloads. */
#include "study/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

typedef struct folder {
    char path[64], file[96];
} folder;

/* A suite of three programs. */
static void make(folder *f)
{
    FILE *to;

    strcpy(f->path, "/tmp/heddle-workload-XXXXXX");
    CHECK(mkdtemp(f->path) != NULL);
    snprintf(f->file, sizeof f->file, "%s/suite.yaml", f->path);
    to = fopen(f->file, "we");
    CHECK(to != NULL);
    fputs("programs:\n"
          "  - {name: a, run: [x], sizes: [small, big], tags: [fast]}\n"
          "  - {name: b, run: [x], tags: [slow, odd]}\n"
          "  - {name: c, run: [x], sizes: [small], tags: [fast]}\n",
          to);
    fclose(to);
}

static void clean(const folder *f)
{
    unlink(f->file);
    rmdir(f->path);
}

/* "label label ..." of what the words name, or "! error". */
static const char *labels(const char *sizes, const char *tag,
                          const plan_line *launch, const char *const *words,
                          size_t count)
{
    static char out[512];
    workload_list w;
    diag *dg = diag_new();
    size_t n = 0;

    workloads_init(&w);
    workloads_sizes(&w, sizes);
    if (tag)
        workloads_tag(&w, tag);
    w.launch = launch;
    *out = '\0';
    if (workloads_add(&w, words, count, dg) != ST_OK)
        snprintf(out, sizeof out, "! %s", diag_get(dg, 0)->text);
    else
        for (size_t i = 0; i < w.count; i++)
            n += (size_t)snprintf(out + n, sizeof out - n, "%s%s",
                                  i ? ", " : "", w.list[i].label);
    workloads_fini(&w);
    diag_free(dg);
    return out;
}

#define LABELS(sizes, tag, launch, ...)                                        \
    labels(sizes, tag, launch, (const char *const[]){__VA_ARGS__},             \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

TEST(programs_of_suites)
{
    folder f;

    make(&f);
    CHECK_STR(LABELS("small", NULL, NULL, f.path), "a, b, c");
    CHECK_STR(LABELS("small", NULL, NULL, f.file, "c", "a", "c"), "c, a");
    CHECK_STR(LABELS("small", "fast", NULL, f.path), "a, c");
    CHECK_STR(LABELS("small", "odd", NULL, f.path, "a", "b"), "b");
    CHECK(strstr(LABELS("small", "odd", NULL, f.path, "a"),
                 "no program named has the tag 'odd'"));
    CHECK(strstr(LABELS("small", "fats", NULL, f.path),
                 "has the tag 'fats' (did you mean 'fast'?)"));
    CHECK(strstr(LABELS("small", NULL, NULL, f.path, "aa"),
                 "no program 'aa' in "));
    clean(&f);
}

/* A program without sizes is one workload, whatever sizes are asked for. */
TEST(sizes)
{
    folder f;

    make(&f);
    CHECK_STR(LABELS("small,big", NULL, NULL, f.path),
              "a small, a big, b, c small, c big");
    CHECK_STR(LABELS("big", NULL, NULL, f.path, "a", "b"), "a, b");
    clean(&f);
}

/* A path in the folder of `f`, with that text in its file. */
static const char *put(const folder *f, const char *name, const char *text)
{
    static char path[8][96];
    static unsigned next;
    char *p = path[next++ % 8];
    FILE *to;

    snprintf(p, sizeof *path, "%s/%s", f->path, name);
    to = fopen(p, "we");
    CHECK(to != NULL);
    fputs(text, to);
    fclose(to);
    return p;
}

TEST(files)
{
    const char *ptx = ".version 6.0\n.target sm_70\n.address_size 64\n";
    const plan_line none = PLAN_LINE_NONE;
    plan_line one = PLAN_LINE_NONE;
    folder f;

    make(&f);
    const char *const yaml = put(&f, "l.yaml", "program: k.ptx\nkernel: k\n");
    const char *const k = put(&f, "k.ptx", ptx);
    const char *const b = put(&f, "b.ptx", ptx);
    const char *const sass = put(&f, "k.sass", ".arch volta\n.kernel add\n");

    one.launches = true;
    CHECK_STR(LABELS("small", NULL, &none, yaml, k), "l.yaml, k.ptx");
    CHECK_STR(LABELS("small", NULL, &one, sass), "k.sass");
    one.kernel = "add";
    CHECK_STR(LABELS("small", NULL, &one, k), "add");
    CHECK(strstr(LABELS("small", NULL, &one, yaml), "no FILE.ptx"));
    CHECK(strstr(LABELS("small", NULL, &one, k, b), "only one"));
    CHECK(strstr(LABELS("small", NULL, &none, "whatever"), "'whatever' is no"));
    unlink(k);
    CHECK(strstr(LABELS("small", NULL, &one, k), "cannot open"));
    CHECK(strstr(
        LABELS("small", NULL, &none, put(&f, "k.ptx", "#include <a.h>\n")),
        "this is no kernel"));
    unlink(k);
    unlink(b);
    unlink(sass);
    unlink(yaml);
    clean(&f);
}
