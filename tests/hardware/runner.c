/* tests/hardware/runner.c - runs every form on a real GPU through the CUDA
 * driver, found at run time, so that building needs no toolkit.
 *   runner FORMS.txt [RESULTS.bin]
 * FORMS.txt gets one line a form: hash of the results with NaNs made alike,
 * then how they compare with the reference. RESULTS.bin gets all results, in
 * the width of their type. Both begin with device and driver. */
#include <stdlib.h>
#include <string.h>

#include "cu.h"
#include "judge.h"

typedef struct board {
    cu_driver cu;
    cu_pointer at[4]; /* result and operands */
    hw_input in;
    uint64_t want[HW_VECTORS], got[HW_VECTORS];
} board;

static const char *start(board *b, FILE *to)
{
    cu_device d;
    const char *none = cu_open(&b->cu, &d);

    if (none)
        return none;
    fprintf(to, "# %s, compute capability %d.%d, CUDA driver API %d\n", d.name,
            d.major, d.minor, d.version);
    for (unsigned k = 0; k < 4; k++)
        if (b->cu.alloc(&b->at[k], HW_VECTORS * HW_SLOT))
            return "the device has no memory left";
    return NULL;
}

/* Each form is a module of its own: one that is refused hides no other. */
static void *load(board *b, const hw_form *f, unsigned number)
{
    char *text = NULL;
    size_t size = 0;
    void *module = NULL;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return NULL;
    hw_module_begin(to);
    hw_kernel_write(to, f, number);
    if (!fclose(to))
        module = cu_module(&b->cu, text, f->name);
    free(text);
    return module;
}

static bool run(board *b, const hw_form *f, unsigned number)
{
    const cu_driver *cu = &b->cu;
    void *module = load(b, f, number), *kernel = NULL;
    void *params[] = {&b->at[0], &b->at[1], &b->at[2], &b->at[3]};
    char name[32];

    if (!module)
        return false;
    snprintf(name, sizeof name, "form%u", number);
    memset(b->got, 0, sizeof b->got);
    bool good = !cu->function(&kernel, module, name) &&
                !cu->to_device(b->at[0], b->got, sizeof b->got);
    for (unsigned k = 0; k < 3; k++)
        good =
            good && !cu->to_device(b->at[k + 1], b->in.v[k], sizeof b->in.v[k]);
    good = good &&
           !cu->launch(kernel, HW_VECTORS / HW_CTA, 1, 1, HW_CTA, 1, 1, 0, NULL,
                       params, NULL) &&
           !cu->synchronize() && !cu->to_host(b->got, b->at[0], sizeof b->got);
    cu->module_unload(module);
    return good;
}

static void report(board *b, const hw_form *f, FILE *table, FILE *all)
{
    unsigned bytes = hw_bits(f->d) / 8;

    hw_reference(f, &b->in, b->want);
    hw_verdict v = hw_judge(f, &b->in, b->got, b->want);
    fprintf(table, "%016llx %u %u %u %u %g %s\n",
            (unsigned long long)hw_hash(f, b->got), v.equal, v.payload, v.close,
            v.wrong, v.ulp, f->name);
    if (v.wrong)
        fprintf(stderr, "%s: 0x%llx 0x%llx 0x%llx gives 0x%llx, not 0x%llx\n",
                f->name, (unsigned long long)b->in.v[0][v.first],
                (unsigned long long)b->in.v[1][v.first],
                (unsigned long long)b->in.v[2][v.first],
                (unsigned long long)b->got[v.first],
                (unsigned long long)b->want[v.first]);
    for (unsigned i = 0; all && i < HW_VECTORS; i++)
        fwrite(&b->got[i], bytes, 1, all);
}

int main(int argc, char **argv)
{
    hw_list l;
    board *b = calloc(1, sizeof *b);
    FILE *table = argc > 1 ? fopen(argv[1], "w") : NULL;
    FILE *all = argc > 2 ? fopen(argv[2], "wb") : NULL;

    hw_list_init(&l);
    if (!b || l.failed || !table || (argc > 2 && !all)) {
        fputs("usage: runner FORMS.txt [RESULTS.bin]\n", stderr);
        return 2;
    }
    const char *none = start(b, table);
    if (none) {
        fprintf(stderr, "runner: %s\n", none);
        return 77;
    }
    for (unsigned k = 0; k < l.count; k++) {
        const hw_form *f = &l.form[k];
        if (f->newer)
            continue;
        hw_input_fill(f, &b->in);
        if (run(b, f, k))
            report(b, f, table, all);
        else
            fprintf(table, "- 0 0 0 0 0 %s\n", f->name);
    }
    int bad = ferror(table) || (all && ferror(all));
    bad |= fclose(table) || (all && fclose(all));
    hw_list_free(&l);
    free(b);
    return bad;
}
