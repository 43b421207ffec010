/* tests/reference/vectors.c - the programs of tests/exec by the reference: it
 * gives what they expect, and all of what Heddle gives for each family. */
#include "base/file.h"
#include "base/must.h"
#include "reference/both.h"
#include "unit/codegen/vector.h"

static const char *const arch_name[] = {"fermi", "kepler", "volta"};

/* About lanes that meet again after a branch, which the manual leaves open. */
static bool is_of_one_machine(const char *name)
{
    static const char *const names[] = {"if_meets.ptx"};

    for (unsigned k = 0; k < COUNTOF(names); k++)
        if (!strcmp(name, names[k]))
            return true;
    return false;
}

typedef struct job {
    const char *file;
    both_module b;
    both_launch l;
    both_result want;
    unsigned failures;
} job;

static void complain(job *j, const char *who, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", j->file, who, what);
    j->failures++;
}

static void by_heddle(job *j)
{
    for (int arch = ARCH_FERMI; arch <= ARCH_VOLTA; arch++) {
        cg_options o = cg_default_options((isa_arch)arch);
        both_result got;
        unsigned buffer;
        uint64_t at;
        char text[64];

        o.contract = false;
        if (!both_by_heddle(&j->b, &j->l, &o, &got)) {
            complain(j, arch_name[arch], got.error);
        } else if (both_differ(&j->l, &j->want, &got, &buffer, &at)) {
            snprintf(text, sizeof text, "word %u of buffer %u differs",
                     (unsigned)(at / 4), buffer);
            complain(j, arch_name[arch], text);
        }
        both_result_free(&got);
    }
}

static bool run(job *j, const char *line)
{
    static vector_run v;

    read_run(line, &v);
    j->l = (both_launch){.dynamic = v.shared,
                         .nbuffers = 2,
                         .size = {4 * (v.in.n + 1), 4 * WORDS}};
    memcpy(j->l.grid, v.grid, sizeof v.grid);
    memcpy(j->l.cta, v.cta, sizeof v.cta);
    j->l.init[0] = v.in.w;
    both_result_free(&j->want);
    if (!both_by_reference(&j->b, &j->l, &j->want)) {
        /* What it does not know other tests judge. */
        if (strstr(j->want.error, "the reference does not know"))
            fprintf(stderr, "left out: %s\n", j->want.error);
        else
            complain(j, "reference", j->want.error);
        return false;
    }
    by_heddle(j);
    return true;
}

static void expect(job *j, const char *s)
{
    static words w;
    const uint8_t *out = j->want.bytes[1];
    unsigned at = 0;

    while (*s == ' ')
        s++;
    s = word_list(s, &w);
    if (!strncmp(s, " at ", 4))
        at = (unsigned)strtoul(s + 4, NULL, 0);
    for (unsigned i = 0; i < w.n; i++) {
        uint32_t got;
        char text[96];

        memcpy(&got, out + 4 * (at + i), 4);
        if (got == w.w[i])
            continue;
        snprintf(text, sizeof text, "word %u is 0x%08x, not 0x%08x", at + i,
                 got, w.w[i]);
        complain(j, "reference", text);
        return;
    }
}

static unsigned check_file(const char *name, const char *text)
{
    job j = {.file = name};
    bool ran = false;

    if (!both_open(&j.b, name, text)) {
        diag_print(j.b.dg, stderr, false);
        j.failures++;
        text = NULL;
    }
    for (const char *s = text; s; s = strchr(s, '\n')) {
        s += *s == '\n';
        if (!strncmp(s, "// run:", 7))
            ran = run(&j, s + 7);
        else if (!strncmp(s, "// expect:", 10) && ran)
            expect(&j, s + 10);
    }
    both_result_free(&j.want);
    both_close(&j.b);
    return j.failures;
}

TEST(vectors_give_the_same_by_the_reference)
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
        diag *dg = diag_new();
        char *text = NULL;
        size_t size;

        snprintf(path, sizeof path, "%s/%s", dir, e[i]->d_name);
        CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
        if (!is_of_one_machine(e[i]->d_name))
            failures += check_file(e[i]->d_name, text);
        free(text);
        diag_free(dg);
        free(e[i]);
    }
    free(e);
    CHECK_EQ(failures, 0);
}
