/* tests/reference/random.c - programs made at random give the same memory by
 * the reference and by Heddle, however they are compiled.
 *   random [--programs N] [--seed S] [--quick] [--every-way] [--timing N]
 *          [--show] [--no-shrink] [--file F.ptx] [--list]
 * --quick: small programs, compiled in four ways instead of eight;
 * --every-way: all families, options and register budgets instead of a few of
 * each program; --timing N: every N-th program by the timing model too;
 * --show: only print the program; --file: this text instead, with the shape
 * and the data of the seed; --list: machine code of what fails. A program that
 * fails is printed after lines have been taken out of it for as long as it
 * still fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/must.h"
#include "base/rng.h"
#include "reference/job.h"

typedef struct way {
    isa_arch arch;
    bool optimise, schedule;
    unsigned registers;
} way;

typedef struct options {
    uint64_t seed, programs, timing;
    bool quick, every_way, show, shrink, list;
    const char *file;
} options;

static const unsigned budgets[] = {16, 24, 32, 63, 255};
static const char *const arch_name[] = {"fermi", "kepler", "volta"};

enum { FEWEST_WITH_CALLS = 20 }; /* registers */
enum { REFERENCE_FAILED = 1, HEDDLE_FAILED, DIFFERS };

/* ---- one program ---- */

static bool take_file(job *j, const char *path)
{
    diag *dg = diag_new();
    char *text;
    size_t size;
    bool good = file_read(path, dg, &text, &size) == ST_OK;

    if (good) {
        j->p.text.size = 0;
        strbuf_write(&j->p.text, text, size);
        free(text);
    } else {
        diag_print(dg, stdout, false);
    }
    diag_free(dg);
    return good;
}

static void describe(const way *w, char *text, size_t size)
{
    snprintf(text, size, "%s, %s, %s, %u registers", arch_name[w->arch],
             w->optimise ? "optimised" : "not optimised",
             w->schedule ? "scheduled" : "not scheduled", w->registers);
}

static cg_options options_of(const way *w, bool calls)
{
    cg_options o = cg_default_options(w->arch);

    o.contract = false;
    o.optimise = w->optimise;
    o.schedule = w->schedule;
    o.pairs = w->registers % 2; /* Kepler's, with 63 and 255 */
    o.max_registers = w->registers;
    if (calls && w->registers && w->registers < FEWEST_WITH_CALLS)
        o.max_registers = FEWEST_WITH_CALLS;
    return o;
}

/* How `w` fails; 0: it agrees with `want`. */
static int try_way(both_module *b, const both_launch *l, bool calls,
                   const both_result *want, const way *w, char *why,
                   size_t size)
{
    cg_options o = options_of(w, calls);
    both_result got;
    unsigned buffer;
    uint64_t at;
    int how = 0;

    if (!both_by_heddle(b, l, &o, &got)) {
        snprintf(why, size, "%s", got.error);
        how = HEDDLE_FAILED;
    } else if (both_differ(l, want, &got, &buffer, &at)) {
        job_describe(want, &got, l, buffer, at, why, size);
        how = DIFFERS;
    }
    both_result_free(&got);
    return how;
}

/* ---- making a failing program smaller ---- */

typedef struct lines {
    char **at;
    unsigned count;
} lines;

static lines split(char *text)
{
    lines l = {calloc(strlen(text) + 1, sizeof(char *)), 0};

    for (char *s = strtok(text, "\n"); s; s = strtok(NULL, "\n"))
        l.at[l.count++] = s;
    return l;
}

static char *join(const lines *l, const bool *out)
{
    strbuf s = {0};

    for (unsigned k = 0; k < l->count; k++)
        if (!out[k])
            strbuf_printf(&s, "%s\n", l->at[k]);
    return s.text;
}

static int failure_of(const char *text, const job *j, const way *w)
{
    both_module b;
    both_result want = {0};
    char why[512];
    int how = REFERENCE_FAILED;

    if (both_open(&b, "random.ptx", text) &&
        both_by_reference(&b, &j->l, &want))
        how = try_way(&b, &j->l, j->p.calls, &want, w, why, sizeof why);
    both_result_free(&want);
    both_close(&b);
    return how;
}

/* Takes out spans of `span` lines; true if one went. */
static bool thin_out(const lines *l, bool *out, unsigned span, int how,
                     const job *j, const way *w, unsigned *tries)
{
    bool *next = malloc(l->count), any = false;

    for (unsigned k = 0; k < l->count && *tries; k += span) {
        bool changed = false;
        memcpy(next, out, l->count);
        for (unsigned i = k; i < k + span && i < l->count; i++)
            if (!next[i] && !strstr(l->at[i], PROGRAM_KEEP))
                next[i] = changed = true;
        if (!changed)
            continue;
        char *text = join(l, next);
        --*tries;
        if (failure_of(text, j, w) == how) {
            memcpy(out, next, l->count);
            any = true;
        }
        free(text);
    }
    free(next);
    return any;
}

static void shrink(const job *j, const way *w, int how)
{
    char *text = strdup(j->p.text.text);
    lines l = split(text);
    bool *out = calloc(l.count + 1, 1);
    unsigned tries = 6000;

    for (unsigned span = l.count / 2; span; span /= 2)
        while (thin_out(&l, out, span, how, j, w, &tries) && span == 1)
            ;
    char *small = join(&l, out);
    printf("// seed %llu, made smaller\n%s\n", (unsigned long long)j->seed,
           small);
    free(small);
    free(out);
    free(l.at);
    free(text);
}

/* ---- all ways ---- */

static void list_code(both_module *b, const way *w, bool calls)
{
    cg_options o = options_of(w, calls);
    isa_program *p;
    strbuf s = {0};

    if (cg_compile(b->m, &o, b->dg, &p) != ST_OK)
        return;
    cg_list(p, NULL, &s);
    fputs(s.text, stdout);
    strbuf_fini(&s);
    isa_program_free(p);
}

static bool report(both_module *b, const job *j, const way *w, int how,
                   const char *why, const options *o)
{
    char text[128];

    describe(w, text, sizeof text);
    printf("FAIL seed %llu, %s: %s\n", (unsigned long long)j->seed, text, why);
    fflush(stdout);
    if (o->list)
        list_code(b, w, j->p.calls);
    if (o->shrink)
        shrink(j, w, how);
    return false;
}

/* Number `n` of the ways to compile program `seed`; false: there are no
 * more. The first three are as usual, the others vary. */
static bool nth_way(uint64_t seed, unsigned n, const options *o, way *w)
{
    if (n < 3) {
        *w = (way){(isa_arch)n, true, true, 0};
        return true;
    }
    n -= 3;
    if (o->every_way) {
        *w = (way){(isa_arch)(n % 3), n / 3 & 1, n / 6 & 1, 0};
        if (n >= 12 * COUNTOF(budgets))
            return false;
        w->registers = budgets[n / 12];
        return true;
    }
    rng r;
    rng_init(&r, seed * 16 + n, "ways");
    *w = (way){(isa_arch)((seed + n) % 3), rng_below(&r, 4) != 0,
               rng_below(&r, 3) != 0, 0};
    w->registers = budgets[rng_below(&r, COUNTOF(budgets))];
    return n < (o->quick ? 1 : 5);
}

static bool check_timing(both_module *b, const job *j, const both_result *want)
{
    static const char *const gpus[] = {"v100", "gtx480", "k20"};
    const char *preset = gpus[j->seed % COUNTOF(gpus)];

    for (unsigned threads = 1; threads <= 2; threads++) {
        both_result got;
        unsigned buffer;
        uint64_t at;
        bool ran = both_by_timing(b, &j->l, preset, threads, &got);
        bool bad = !ran || both_differ(&j->l, want, &got, &buffer, &at);
        if (bad)
            printf("FAIL seed %llu, timing model of %s, %u threads: %s\n",
                   (unsigned long long)j->seed, preset, threads,
                   ran ? "other memory" : got.error);
        both_result_free(&got);
        if (bad)
            return false;
    }
    return true;
}

static bool check(uint64_t seed, const options *o, uint64_t *work)
{
    static job j;
    both_module b;
    both_result want = {0};
    bool good = false;
    char why[512];
    way w;

    job_start(&j, seed, o->quick);
    if (o->file && !take_file(&j, o->file))
        return false;
    if (o->show) {
        fputs(j.p.text.text, stdout);
        program_fini(&j.p);
        return true;
    }
    if (!both_open(&b, "random.ptx", j.p.text.text)) {
        printf("FAIL seed %llu: the program is wrong\n",
               (unsigned long long)seed);
        diag_print(b.dg, stdout, false);
    } else if (!both_by_reference(&b, &j.l, &want)) {
        printf("FAIL seed %llu: %s\n", (unsigned long long)seed, want.error);
    } else {
        good = true;
        for (unsigned n = 0; nth_way(seed, n, o, &w) && good; n++) {
            int how = try_way(&b, &j.l, j.p.calls, &want, &w, why, sizeof why);
            if (how)
                good = report(&b, &j, &w, how, why, o);
        }
        if (good && o->timing && seed % o->timing == 0)
            good = check_timing(&b, &j, &want);
    }
    *work += want.work;
    both_result_free(&want);
    both_close(&b);
    program_fini(&j.p);
    return good;
}

static bool parse(int argc, char **argv, options *o)
{
    for (int k = 1; k < argc; k++) {
        const char *a = argv[k], *v = k + 1 < argc ? argv[k + 1] : "";
        uint64_t *number = !strcmp(a, "--programs") ? &o->programs
                           : !strcmp(a, "--seed")   ? &o->seed
                           : !strcmp(a, "--timing") ? &o->timing
                                                    : NULL;
        if (number) {
            *number = strtoull(v, NULL, 0);
            k++;
        } else if (!strcmp(a, "--quick")) {
            o->quick = true;
        } else if (!strcmp(a, "--every-way")) {
            o->every_way = true;
        } else if (!strcmp(a, "--show")) {
            o->show = true;
        } else if (!strcmp(a, "--file")) {
            o->file = v;
            k++;
        } else if (!strcmp(a, "--list")) {
            o->list = true;
        } else if (!strcmp(a, "--no-shrink")) {
            o->shrink = false;
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    options o = {.seed = 1, .programs = 300, .shrink = true};
    uint64_t failed = 0, work = 0;

    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: random [--programs N] [--seed S] "
                        "[--every-way] [--timing N] [--show] [--no-shrink] "
                        "[--file F.ptx] [--list]\n");
        return 2;
    }
    for (uint64_t k = 0; k < o.programs; k++)
        failed += !check(o.seed + k, &o, &work);
    if (o.show)
        return 0;
    printf("%llu thread instructions by the reference\n",
           (unsigned long long)work);
    printf("%llu passed, %llu failed, 0 skipped\n",
           (unsigned long long)(o.programs - failed),
           (unsigned long long)failed);
    return failed || !o.programs;
}
