/* tests/hardware/check.c - what Heddle computes for every form, against the
 * reference and, if device.txt exists, against results from hardware.
 *   check [-a] [GPU [TEXT]]   forms whose name contains TEXT; -a lists all
 * unsupported.txt names the forms that Heddle refuses. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "config/sheet.h"
#include "judge.h"
#include "runtime/runtime.h"

typedef struct bench {
    rt_device *d;
    diag *dg;
    uint64_t at[4]; /* result and operands */
    hw_input in;
    uint64_t want[HW_VECTORS], got[HW_VECTORS];
} bench;

typedef struct options {
    bool all;
    const char *text, *gpu;
} options;

static bool start(bench *b, const char *preset)
{
    rt_options opt = {.functional = true};
    config_sheet *s = config_sheet_new();

    b->dg = diag_new();
    if (!s || !b->dg)
        return false;
    if (config_sheet_load(s, preset, b->dg) == ST_OK)
        b->d = rt_device_new(config_sheet_values(s), &opt, b->dg);
    config_sheet_free(s);
    if (!b->d)
        return false;
    for (unsigned k = 0; k < 4; k++)
        b->at[k] = rt_alloc(b->d, HW_VECTORS * HW_SLOT, "operand");
    return b->at[3] != 0;
}

/* The text of all forms, each a module of its own, so that one that cannot be
 * compiled does not hide the others. */
static bool load(bench *b, const hw_form *f, unsigned number, rt_module **out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    bool good = false;

    if (!to)
        return false;
    hw_module_begin(to);
    hw_kernel_write(to, f, number);
    if (fclose(to) == 0)
        good =
            rt_module_load_text(b->d, f->name, text, size, b->dg, out) == ST_OK;
    free(text);
    return good;
}

static bool run(bench *b, const hw_form *f, unsigned number)
{
    rt_module *m = NULL;
    rt_result r;

    if (!load(b, f, number, &m))
        return false;
    rt_launch l = {.module = m,
                   .kernel = rt_module_kernel(m, NULL, b->dg),
                   .grid = {HW_VECTORS / HW_CTA, 1, 1},
                   .block = {HW_CTA, 1, 1},
                   .params = b->at};
    memset(b->got, 0, sizeof b->got);
    bool good = rt_write(b->d, b->at[0], b->got, sizeof b->got);
    for (unsigned k = 0; k < 3; k++)
        good =
            good && rt_write(b->d, b->at[k + 1], b->in.v[k], sizeof b->in.v[k]);
    return good && l.kernel && rt_run(b->d, &l, b->dg, &r) == ST_OK &&
           rt_read(b->d, b->at[0], b->got, sizeof b->got);
}

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

typedef struct tally {
    unsigned passed, failed, skipped, measured;
} tally;

static void check_form(bench *b, const hw_form *f, unsigned number,
                       const options *o, tally *t)
{
    bool known_gap = unsupported(f->name), bad;
    uint64_t hash;

    hw_input_fill(f, &b->in);
    if (!run(b, f, number)) {
        t->skipped += known_gap;
        t->failed += !known_gap;
        if (!known_gap)
            diag_print(b->dg, stdout, false);
        diag_clear(b->dg);
        return;
    }
    hw_reference(f, &b->in, b->want);
    hw_verdict v = hw_judge(f, &b->in, b->got, b->want);
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
    if (!b || l.failed || !start(b, o.gpu)) {
        if (b && b->dg)
            diag_print(b->dg, stderr, false);
        return 1;
    }
    for (unsigned k = 0; k < l.count; k++)
        if (!o.text || strstr(l.form[k].name, o.text))
            check_form(b, &l.form[k], k, &o, &t);
    printf("%u of them compared with results of a device\n", t.measured);
    printf("%u passed, %u failed, %u skipped\n", t.passed, t.failed, t.skipped);
    hw_list_free(&l);
    rt_device_free(b->d);
    diag_free(b->dg);
    free(b);
    return t.failed || !t.passed;
}
