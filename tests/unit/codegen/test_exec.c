/* Every program of tests/exec, compiled in several ways for each family, does
 * what its own lines say:
 *     // run: [grid=X[,Y[,Z]]] [cta=X[,Y[,Z]]] [shared=BYTES] [stack=BYTES]
 *          [in=WORD,...]
 *     // expect: WORD,... [at INDEX]
 * The kernel, the first of the file, has two parameters, the addresses of the
 * input and of an output of zeros. A word is an integer, a float (1.5f), or a
 * double (1.5d), which takes two. `x*N` repeats a word, `a..b` counts. Several
 * `expect` lines may follow a `run`, several `run`s a program. */
#include "rig.h"

#include <dirent.h>

#include "base/file.h"
#include "test.h"

enum { WORDS = 16384 };

typedef struct words {
    uint32_t w[WORDS];
    unsigned n;
} words;

static void push(words *to, uint32_t w)
{
    CHECK(to->n < WORDS);
    to->w[to->n++] = w;
}

static const char *one_word(const char *s, words *to)
{
    char *end;
    long long v = strtoll(s, &end, 0);

    if (*end == '.' && end[1] == '.') {
        long long last = strtoll(end + 2, &end, 0);

        for (; v <= last; v++)
            push(to, (uint32_t)v);
        return end;
    }
    if (*end == '.' || *end == 'f' || *end == 'd' || *end == 'e') {
        double d = strtod(s, &end);
        float f = (float)d;
        uint32_t w[2];

        memcpy(w, &d, 8);
        if (*end == 'f')
            memcpy(w, &f, 4);
        push(to, w[0]);
        if (*end == 'd')
            push(to, w[1]);
        end++;
    } else {
        push(to, (uint32_t)v);
    }
    if (*end == '*') {
        long n = strtol(end + 1, &end, 0);
        uint32_t w = to->w[to->n - 1];

        while (--n > 0)
            push(to, w);
    }
    return end;
}

static const char *word_list(const char *s, words *to)
{
    to->n = 0;
    for (;;) {
        s = one_word(s, to);
        if (*s != ',')
            return s;
        while (*++s == ' ')
            ;
    }
}

typedef struct launch {
    uint32_t grid[3], cta[3], shared, stack;
    words in;
} launch;

static const char *three(const char *s, uint32_t v[3])
{
    for (unsigned i = 0; i < 3; i++) {
        char *end;

        v[i] = (uint32_t)strtoul(s, &end, 0);
        s = end;
        if (*s != ',')
            break;
        s++;
    }
    return s;
}

static void read_run(const char *s, launch *l)
{
    *l = (launch){.grid = {1, 1, 1}, .cta = {1, 1, 1}};
    for (;;) {
        while (*s == ' ')
            s++;
        if (!strncmp(s, "grid=", 5))
            s = three(s + 5, l->grid);
        else if (!strncmp(s, "cta=", 4))
            s = three(s + 4, l->cta);
        else if (!strncmp(s, "shared=", 7))
            l->shared = (uint32_t)strtoul(s + 7, (char **)&s, 0);
        else if (!strncmp(s, "stack=", 6))
            l->stack = (uint32_t)strtoul(s + 6, (char **)&s, 0);
        else if (!strncmp(s, "in=", 3))
            s = word_list(s + 3, &l->in);
        else
            break;
    }
    CHECK(*s == '\n' || *s == 0);
}

static const char *const arch_name[] = {"fermi", "kepler", "volta"};

typedef struct variant {
    const char *name;
    unsigned registers;
    bool optimise, schedule;
} variant;

static const variant variants[] = {
    {"as usual", 0, true, true},
    {"with 20 registers", 20, true, true},
    {"not optimised", 0, false, false},
};

typedef struct job {
    const char *file, *text;
    isa_arch arch;
    const variant *v;
    unsigned failures;
} job;

static void complain(job *j, const char *what)
{
    fprintf(stderr, "%s for %s, %s: %s\n", j->file, arch_name[j->arch],
            j->v->name, what);
    j->failures++;
}

static void compare(job *j, const uint32_t *out, const char *s)
{
    static words want;
    char text[200];
    unsigned at = 0;

    while (*s == ' ')
        s++;
    s = word_list(s, &want);
    if (!strncmp(s, " at ", 4))
        at = (unsigned)strtoul(s + 4, NULL, 0);
    for (unsigned i = 0; i < want.n; i++) {
        if (out[at + i] == want.w[i])
            continue;
        snprintf(text, sizeof text, "word %u is 0x%08x, not 0x%08x", at + i,
                 out[at + i], want.w[i]);
        complain(j, text);
        return;
    }
}

/* Runs what `run` says, returns the output; NULL if it failed. */
static uint32_t *run_one(job *j, rig *r, const char *run)
{
    static launch l;
    uint64_t in, out;
    status st;

    read_run(run, &l);
    rig_prepare(r, NULL, j->arch, l.grid, l.cta, l.shared);
    r->launch.stack_bytes = l.stack;
    in = rig_alloc(r, "in", 4 * (l.in.n + 1), NULL);
    memcpy(mem_host(r->image, in), l.in.w, 4 * l.in.n);
    out = rig_alloc(r, "out", 4 * WORDS, NULL);
    rig_param(r, &in, 8);
    rig_param(r, &out, 8);
    st = rig_run(r);
    if (st != ST_OK) {
        rig_tell(r, st);
        complain(j, "did not run to its end");
        return NULL;
    }
    return (uint32_t *)(void *)mem_host(r->image, out);
}

static void run_program(job *j)
{
    cg_options o = cg_default_options(j->arch);
    const char *s = j->text;
    uint32_t *out = NULL;
    rig r = {0};

    o.max_registers = j->v->registers;
    o.optimise = j->v->optimise;
    o.schedule = j->v->schedule;
    for (; s; s = strchr(s, '\n')) {
        s += *s == '\n';
        if (!strncmp(s, "// run:", 7)) {
            rig_free(&r);
            status st = rig_compile(&r, j->file, j->text, &o);
            out = NULL;
            if (st != ST_OK) {
                rig_tell(&r, st);
                complain(j, "does not compile");
                break;
            }
            out = run_one(j, &r, s + 7);
            if (!out)
                break;
        } else if (!strncmp(s, "// expect:", 10) && out) {
            compare(j, out, s + 10);
        }
    }
    rig_free(&r);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_ptx(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    const char *only = getenv("ONLY");

    return dot && !strcmp(dot, ".ptx") && (!only || strstr(e->d_name, only));
}

TEST(programs_of_tests_exec_do_what_they_say)
{
    const char *root = getenv("HEDDLE_SOURCE");
    struct dirent **e;
    char dir[512], path[1024];
    unsigned failures = 0;
    int n;

    snprintf(dir, sizeof dir, "%s/tests/exec", root ? root : ".");
    n = scandir(dir, &e, is_ptx, by_name);
    CHECK(n > 0);
    for (int i = 0; i < n; i++) {
        job j = {.file = e[i]->d_name};
        diag *dg = diag_new();
        char *text = NULL;
        size_t size;

        snprintf(path, sizeof path, "%s/%s", dir, e[i]->d_name);
        CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
        j.text = text;
        for (unsigned k = 0; k < 3 * COUNTOF(variants); k++) {
            j.arch = (isa_arch)(k % 3);
            j.v = &variants[k / 3];
            run_program(&j);
        }
        failures += j.failures;
        free(text);
        diag_free(dg);
        free(e[i]);
    }
    free(e);
    CHECK_EQ(failures, 0);
}
