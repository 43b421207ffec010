/* tests/hardware/check.c - what Heddle computes for every form, against the
 * reference and, if device.txt exists, against results from hardware.
 *   check [-a] [-f] [GPU [TEXT]]   forms whose name contains TEXT; -a lists
 *                                  all of them, -f makes a table of families
 * unsupported.txt names the forms that Heddle refuses. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "judge.h"

typedef struct options {
    bool all, families;
    const char *text, *gpu;
} options;

static void show(const bench *b, const hw_form *f, unsigned i)
{
    printf("    vector %u:", i);
    for (unsigned k = 0; k < 3 && f->s[k]; k++)
        printf(" 0x%llx", (unsigned long long)b->in.v[k][i]);
    printf(" gives 0x%llx, not 0x%llx\n", (unsigned long long)b->got[i],
           (unsigned long long)b->want[i]);
}

/* ---- tables beside this file ---- */

static FILE *open_table(const char *name)
{
    const char *root = getenv("HEDDLE_SOURCE");
    char path[1024];

    snprintf(path, sizeof path, "%s/tests/hardware/%s", root ? root : ".",
             name);
    return fopen(path, "r");
}

/* Whether unsupported.txt names the form. */
static bool unsupported(const char *name)
{
    FILE *from = open_table("unsupported.txt");
    char line[128];
    bool found = false;

    while (from && !found && fgets(line, sizeof line, from)) {
        line[strcspn(line, "\n")] = 0;
        found = !strcmp(line, name);
    }
    if (from)
        fclose(from);
    return found;
}

/* What device.txt, made by the runner on hardware, has for the form: its
 * hash. False: there is no such file, or no line. */
static bool measured(const char *name, uint64_t *hash)
{
    FILE *from = open_table("device.txt");
    char line[256];
    bool found = false;

    while (from && !found && fgets(line, sizeof line, from)) {
        unsigned long long h;
        int at = 0;
        line[strcspn(line, "\n")] = 0;
        found = sscanf(line, "%llx %*u %*u %*u %*u %*g %n", &h, &at) == 1 &&
                at && !strcmp(line + at, name);
        *hash = h;
    }
    if (from)
        fclose(from);
    return found;
}

/* ---- verdicts ---- */

enum { FAMILIES = 48 };

typedef struct family {
    const char *name;
    unsigned forms, run;
    unsigned long equal, payload, close, wrong;
} family;

typedef struct tally {
    unsigned passed, failed, skipped, measured;
    family family[FAMILIES];
} tally;

static family *family_of(tally *t, const hw_form *f)
{
    family *a = t->family;

    while (a < &t->family[FAMILIES - 1] && a->name &&
           strcmp(a->name, f->family) != 0)
        a++;
    a->name = f->family;
    return a;
}

static void add_verdict(family *a, const hw_verdict *v)
{
    a->run++;
    a->equal += v->equal;
    a->payload += v->payload;
    a->close += v->close;
    a->wrong += v->wrong;
}

static void print_families(const tally *t)
{
    for (const family *a = t->family; a->name; a++)
        printf("| %s | %u | %u | %lu | %lu | %lu | %lu |\n", a->name, a->forms,
               a->run, a->equal, a->payload, a->close, a->wrong);
}

static void check_form(bench *b, const hw_form *f, unsigned number,
                       const options *o, tally *t)
{
    bool known_gap = unsupported(f->name), bad;
    uint64_t hash;

    family_of(t, f)->forms++;
    hw_input_fill(f, &b->in);
    if (!bench_load(b, f, number) || !bench_run(b)) {
        t->skipped += known_gap;
        t->failed += !known_gap;
        if (!known_gap)
            diag_print(b->dg, stdout, false);
        diag_clear(b->dg);
        return;
    }
    hw_reference(f, &b->in, b->want);
    hw_verdict v = hw_judge(f, &b->in, b->got, b->want);
    add_verdict(family_of(t, f), &v);
    bad = v.wrong || known_gap;
    if (f->class != HW_APPROX && measured(f->name, &hash)) {
        t->measured++;
        if (hash != hw_hash(f, b->got)) {
            printf("FAIL %s: not what the device gave\n", f->name);
            bad = true;
        }
    }
    if (known_gap)
        printf("FAIL %s: runs, but unsupported.txt names it\n", f->name);
    if (v.wrong || o->all)
        printf("%s %s: %u equal, %u NaN, %u close (%g ulp), %u wrong\n",
               v.wrong ? "FAIL" : "ok  ", f->name, v.equal, v.payload, v.close,
               v.ulp, v.wrong);
    if (v.wrong)
        show(b, f, v.first);
    t->failed += bad;
    t->passed += !bad;
}

static options parse(int argc, char **argv)
{
    options o = {.gpu = "v100"};
    bool named = false;

    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "-a"))
            o.all = true;
        else if (!strcmp(argv[k], "-f"))
            o.families = true;
        else if (named)
            o.text = argv[k];
        else
            o.gpu = argv[k];
        named |= argv[k][0] != '-';
    }
    return o;
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    hw_list l;
    bench *b = calloc(1, sizeof *b);
    tally t = {0};

    hw_list_init(&l);
    if (!b || l.failed || !bench_start(b, o.gpu)) {
        if (b && b->dg)
            diag_print(b->dg, stderr, false);
        return 1;
    }
    for (unsigned k = 0; k < l.count; k++)
        if (!o.text || strstr(l.form[k].name, o.text))
            check_form(b, &l.form[k], k, &o, &t);
    if (o.families)
        print_families(&t);
    printf("%u of them compared with results of a device\n", t.measured);
    printf("%u passed, %u failed, %u skipped\n", t.passed, t.failed, t.skipped);
    hw_list_free(&l);
    bench_end(b);
    free(b);
    return t.failed || !t.passed;
}
