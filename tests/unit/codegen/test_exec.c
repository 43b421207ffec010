/* Every program of tests/exec, compiled in several ways for each family, does
 * what its own lines say (vector.h). */
#include "rig.h"

#include "base/file.h"
#include "vector.h"

static const char *const arch_name[] = {"fermi", "kepler", "volta"};

typedef struct variant {
    const char *name;
    unsigned registers;
    bool optimise, schedule, pairs; /* pairs: of Kepler */
} variant;

static const variant variants[] = {
    {"as usual", 0, true, true, false},
    {"with 20 registers, in pairs", 20, true, true, true},
    {"not optimised", 0, false, false, true},
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
    static vector_run l;
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
    o.pairs = j->v->pairs;
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
