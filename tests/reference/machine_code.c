/* tests/reference/machine_code.c - programs made at random give the same memory
 * by the reference and by the machine code that ptxas makes of them.
 *   machine_code [--programs N] [--seed S] [--quick] [--every-way] [--timing N]
 *                [--ptxas PATH] [--keep] [--no-shrink]
 * A program is compiled for one of sm_75, sm_80 and sm_90 at one level of
 * optimisation, with --every-way for all at all; --timing N: every N-th runs
 * under control codes, too. Lines that ptxas does not have for a target are
 * taken out first. --keep: files of what fails stay. What fails is printed,
 * with lines taken out for as long as it still fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/must.h"
#include "config/sheet.h"
#include "reference/job.h"
#include "runtime/runtime.h"

typedef struct way {
    unsigned sm, level;
} way;

typedef struct options {
    uint64_t seed, programs, timing;
    bool quick, every_way, keep, shrink;
    const char *ptxas;
} options;

enum { STACK = 16384, LINE = 512, ROUNDS = 8 };

typedef enum verdict {
    SAME,
    DIFFERS,
    FAILS,    /* while it runs */
    UNKNOWN,  /* has instructions that Heddle does not execute */
    REFUSED,  /* by ptxas */
    NO_RESULT /* by the reference */
} verdict;

/* ---- ptxas ---- */

static bool run_ptxas(const options *o, const way *w)
{
    char command[LINE];

    snprintf(command, sizeof command,
             "timeout 30 '%s' -O%u -fmad=false -arch=sm_%u k.ptx -o k.cubin "
             ">k.log 2>&1",
             o->ptxas, w->level, w->sm);
    return system(command) == 0;
}

static char *whole_file(const char *path)
{
    diag *dg = diag_new();
    char *text = NULL;
    size_t size;

    if (file_read(path, dg, &text, &size) != ST_OK)
        text = NULL;
    diag_free(dg);
    return text;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    MUST(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* The line behind this end of one is to stay. */
static bool is_kept(const char *at)
{
    const char *line = at + (*at == '\n');
    const char *keep = strstr(line, PROGRAM_KEEP);

    return keep && keep < strchrnul(line, '\n');
}

/* The lines that k.log complains of become empty; false: there are none. */
static bool drop_lines(char *text)
{
    char *log = whole_file("k.log");
    bool any = false;

    for (const char *at = log; at && (at = strstr(at, ", line ")); at++) {
        unsigned line = (unsigned)strtoul(at + 7, NULL, 10);
        char *s = text;

        for (line--; line && s; line--)
            s = strchr(s + (*s == '\n'), '\n');
        if (s && is_kept(s)) {
            any = false;
            break;
        }
        for (s += s && *s == '\n'; s && *s && *s != '\n'; s++) {
            any = any || *s != ' ';
            *s = ' ';
        }
    }
    free(log);
    return any;
}

/* What ptxas 13 does otherwise than the manual, or what that leaves open. */
static const struct {
    const char *op;
    bool guarded; /* only under a guard, which ptxas does not heed */
} otherwise[] = {
    {"testp.", true},   /* the predicate is set by all lanes */
    {"set.", true},     /* the result's old value is narrowed, too */
    {"div.u16", false}, /* by zero */
    {"div.s16", false}, {"rem.u16", false},
    {"rem.s16", false}, {"cvt.rna.tf32", false}, /* of NaN */
    {"slct.", false},                            /* by the largest number */
    {"vmad.", false}, /* of operands of both signs: as if both had one */
    {"bfe.s", false}, /* fields that lie outside */
    {"bfi.", false},    {"shr.u16", false}, /* by numbers above 65535 */
    {"shr.s16", false}, {"shl.b16", false},
};

static void blank_line(char *line)
{
    memset(line, ' ', (size_t)(strchrnul(line, '\n') - line));
}

static void drop_otherwise(char *text)
{
    for (char *line = text; *line;) {
        char *end = strchrnul(line, '\n'), kept = *end;
        bool drop = false;

        *end = '\0';
        for (unsigned i = 0; i < COUNTOF(otherwise); i++)
            drop = drop || (strstr(line, otherwise[i].op) &&
                            (!otherwise[i].guarded || *line == '@'));
        *end = kept;
        if (drop)
            blank_line(line);
        line = kept ? end + 1 : end;
    }
}

/* Makes k.cubin of `text` for the target, without what that does not have. */
static bool compile(const options *o, const way *w, char *text)
{
    char *target = strstr(text, ".target sm_");

    if (!target)
        return false;
    /* which ptxas does not have */
    for (char *s = text; (s = strstr(s, " .noinline"));)
        memset(s, ' ', strlen(" .noinline"));
    snprintf(target, 15, ".target sm_%u\n", w->sm);
    target[14] = ' ';
    drop_otherwise(text);
    for (unsigned i = 0; i < ROUNDS; i++) {
        write_file("k.ptx", text);
        if (run_ptxas(o, w))
            return true;
        if (!drop_lines(text))
            return false;
    }
    return false;
}

/* ---- running it ---- */

static bool prepare(rt_device *d, const both_launch *l, rt_launch *launch,
                    uint64_t at[])
{
    memcpy(launch->grid, l->grid, sizeof launch->grid);
    memcpy(launch->block, l->cta, sizeof launch->block);
    launch->params = at;
    for (unsigned k = 0; k < l->nbuffers; k++) {
        uint8_t *zeros = calloc(1, l->size[k]);

        at[k] = rt_alloc(rt_device_memory(d), l->size[k], "buffer");
        bool good =
            at[k] && rt_write(rt_device_memory(d), at[k],
                              l->init[k] ? l->init[k] : zeros, l->size[k]);
        free(zeros);
        if (!good)
            return false;
    }
    return true;
}

static verdict run_device(rt_device *d, const both_launch *l, diag *dg,
                          rt_module **m, both_result *out)
{
    uint64_t at[BOTH_BUFFERS];
    rt_launch launch = {.max_cycles = 20000000};
    rt_result r;

    if (rt_module_load(d, "k.cubin", dg, m) != ST_OK)
        return UNKNOWN;
    launch.module = *m;
    if (!(launch.kernel = rt_module_kernel(*m, "test", dg)))
        return UNKNOWN;
    if (!prepare(d, l, &launch, at) || rt_run(d, &launch, dg, &r) != ST_OK)
        return FAILS;
    for (unsigned k = 0; k < l->nbuffers; k++) {
        out->bytes[k] = calloc(1, l->size[k] + 1);
        if (!rt_read(rt_device_memory(d), at[k], out->bytes[k], l->size[k]))
            return FAILS;
    }
    return SAME;
}

static verdict run_cubin(const both_launch *l, const way *w, bool timed,
                         both_result *out)
{
    rt_options opt = {.functional = !timed, .stack_bytes = STACK, .threads = 1};
    config_sheet *s = config_sheet_new();
    verdict v = FAILS;
    diag *dg = diag_new();
    rt_device *d = NULL;
    rt_module *m = NULL;

    memset(out, 0, sizeof *out);
    if (config_sheet_load(s, w->sm >= 90 ? "h100" : "a100", dg) == ST_OK &&
        (!timed || config_sheet_set(s, "sm.issue.hazard=codes", CONFIG_FROM_SET,
                                    dg) == ST_OK))
        d = rt_device_new(config_sheet_values(s), &opt, dg);
    if (d)
        v = run_device(d, l, dg, &m, out);
    if (v != SAME)
        snprintf(out->error, sizeof out->error, "%s",
                 diag_count(dg) ? diag_get(dg, 0)->text : "no message");
    rt_module_unload(m);
    rt_device_free(d);
    config_sheet_free(s);
    diag_free(dg);
    return v;
}

static verdict compare(const char *text, const job *j, const way *w, bool timed,
                       char *why, size_t size)
{
    both_result want, got = {0};
    both_module b;
    unsigned buffer;
    uint64_t at;
    verdict v = NO_RESULT;

    memset(&want, 0, sizeof want);
    snprintf(why, size, "the reference does not run it");
    if (both_open(&b, "random.ptx", text) &&
        both_by_reference(&b, &j->l, &want)) {
        v = run_cubin(&j->l, w, timed, &got);
        if (v != SAME) {
            snprintf(why, size, "%s", got.error);
        } else if (both_differ(&j->l, &want, &got, &buffer, &at)) {
            job_describe(&want, &got, &j->l, buffer, at, why, size);
            v = DIFFERS;
        }
    }
    both_result_free(&want);
    both_result_free(&got);
    both_close(&b);
    return v;
}

/* ---- making it smaller ---- */

/* Blanks lines `first` to first + span - 1; false: nothing changed. */
static bool blank(char *text, unsigned first, unsigned span)
{
    unsigned line = 0;
    bool any = false;

    for (char *s = text; *s; line++) {
        char *end = strchrnul(s, '\n'), kept = *end;

        *end = '\0';
        if (line >= first && line < first + span && !strstr(s, PROGRAM_KEEP)) {
            any = any || strspn(s, " ") != strlen(s);
            memset(s, ' ', strlen(s));
        }
        *end = kept;
        s = *end ? end + 1 : end;
    }
    return any;
}

static void shrink(const job *j, const options *o, const way *w, bool timed,
                   verdict how, char *text)
{
    unsigned lines = 0, tries = 700;
    char why[LINE];

    for (const char *s = text; *s; s++)
        lines += *s == '\n';
    for (unsigned span = lines / 2; span && tries; span /= 2)
        for (unsigned k = 0; k < lines && tries; k += span) {
            char *next = strdup(text);

            if (blank(next, k, span)) {
                tries--;
                if (compile(o, w, next) &&
                    compare(next, j, w, timed, why, sizeof why) == how)
                    memcpy(text, next, strlen(text));
            }
            free(next);
        }
    printf("// seed %llu, sm_%u, -O%u, made smaller\n",
           (unsigned long long)j->seed, w->sm, w->level);
    for (char *s = strtok(text, "\n"); s; s = strtok(NULL, "\n"))
        if (strspn(s, " ") != strlen(s))
            puts(s);
}

/* ---- all ---- */

typedef struct counts {
    uint64_t same, wrong, unknown, refused;
} counts;

static void try_way(const job *j, const options *o, const way *w, counts *n)
{
    char *text = strdup(j->p.text.text), why[LINE] = "";
    bool timed = o->timing && j->seed % o->timing == 0;
    verdict v = REFUSED;

    if (compile(o, w, text))
        v = compare(text, j, w, false, why, sizeof why);
    bool by_codes = v == SAME && timed;

    if (by_codes)
        v = compare(text, j, w, true, why, sizeof why);
    n->same += v == SAME;
    n->refused += v == REFUSED || v == NO_RESULT;
    n->unknown += v == UNKNOWN;
    if (v == UNKNOWN)
        printf("SKIP seed %llu, sm_%u, -O%u: %s\n", (unsigned long long)j->seed,
               w->sm, w->level, why);
    if (v == DIFFERS || v == FAILS) {
        n->wrong++;
        printf("FAIL seed %llu, sm_%u, -O%u%s: %s\n",
               (unsigned long long)j->seed, w->sm, w->level,
               by_codes ? ", by control codes" : "", why);
        fflush(stdout);
        if (o->shrink)
            shrink(j, o, w, by_codes, v, text);
    }
    free(text);
}

static void check(uint64_t seed, const options *o, counts *n)
{
    static const unsigned sms[] = {75, 80, 90}, levels[] = {0, 1, 3};
    static job j;

    job_start(&j, seed, o->quick);
    for (unsigned k = 0; k < COUNTOF(sms) * COUNTOF(levels); k++) {
        way w = {sms[k % 3], levels[k / 3]};

        if (o->every_way || k == seed % 9)
            try_way(&j, o, &w, n);
    }
    program_fini(&j.p);
}

static bool parse(int argc, char **argv, options *o)
{
    for (int k = 1; k < argc; k++) {
        const char *a = argv[k], *v = k + 1 < argc ? argv[k + 1] : "";
        uint64_t *number = !strcmp(a, "--programs") ? &o->programs
                           : !strcmp(a, "--seed")   ? &o->seed
                           : !strcmp(a, "--timing") ? &o->timing
                                                    : NULL;
        bool *flag = !strcmp(a, "--quick")       ? &o->quick
                     : !strcmp(a, "--every-way") ? &o->every_way
                     : !strcmp(a, "--keep")      ? &o->keep
                                                 : NULL;
        if (number) {
            *number = strtoull(v, NULL, 0);
            k++;
        } else if (flag) {
            *flag = true;
        } else if (!strcmp(a, "--no-shrink")) {
            o->shrink = false;
        } else if (!strcmp(a, "--ptxas")) {
            o->ptxas = v;
            k++;
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    options o = {.seed = 1,
                 .programs = 300,
                 .shrink = true,
                 .ptxas = "/usr/local/cuda/bin/ptxas"};
    char folder[] = "/tmp/machine-code-XXXXXX";
    counts n = {0};

    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: machine_code [--programs N] [--seed S] "
                        "[--quick] [--every-way] [--timing N] "
                        "[--ptxas PATH] [--keep] [--no-shrink]\n");
        return 2;
    }
    if (access(o.ptxas, X_OK)) {
        printf("0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    MUST(mkdtemp(folder) && chdir(folder) == 0);
    for (uint64_t k = 0; k < o.programs; k++)
        check(o.seed + k, &o, &n);
    if (!o.keep) {
        unlink("k.ptx");
        unlink("k.cubin");
        unlink("k.log");
        rmdir(folder);
    } else {
        printf("files are in %s\n", folder);
    }
    printf("%llu refused by ptxas\n", (unsigned long long)n.refused);
    printf("%llu passed, %llu failed, %llu skipped\n",
           (unsigned long long)n.same, (unsigned long long)n.wrong,
           (unsigned long long)n.unknown);
    return n.wrong || !n.same;
}
