/* tests/reference/forms.c - every instruction form of tests/hardware, by the
 * reference and by Heddle's compiler and functional runner, for the operands
 * that are listed there:
 *   forms [-q] [TEXT]   those whose name contains TEXT; -q: few operands, and
 *                       one family for each form in turn
 * The results of the two must agree, and those of the reference with what
 * tests/hardware says of the form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/judge.h"
#include "reference/both.h"

typedef struct tally {
    unsigned passed, failed, unsupported;
} tally;

static const char *const arch_name[] = {"fermi", "kepler", "volta"};

static char *kernel_text(const hw_form *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    hw_module_begin(to);
    hw_kernel_write(to, f, 0);
    fclose(to);
    return text;
}

static void spread(const hw_form *f, const uint8_t *bytes, unsigned n,
                   uint64_t *to)
{
    unsigned size = hw_bits(f->d) / 8;

    memset(to, 0, HW_VECTORS * sizeof *to);
    for (unsigned i = 0; i < n; i++)
        memcpy(&to[i], bytes + i * HW_SLOT, size);
}

static void show(const hw_form *f, const hw_input *in, unsigned i,
                 const char *who, uint64_t got, uint64_t want)
{
    printf("FAIL %s: %s: vector %u:", f->name, who, i);
    for (unsigned k = 0; k < 3 && f->s[k]; k++)
        printf(" 0x%llx", (unsigned long long)in->v[k][i]);
    printf(" gives 0x%llx, not 0x%llx\n", (unsigned long long)got,
           (unsigned long long)want);
}

static uint64_t got[HW_VECTORS], want[HW_VECTORS], listed[HW_VECTORS];

/* Whether `got` is what `expected` says; operands behind `n` do not count. */
static bool agrees(const hw_form *f, const hw_input *in, const char *who,
                   const uint64_t *expected, unsigned n)
{
    uint64_t all[HW_VECTORS];

    memcpy(all, expected, sizeof all);
    for (unsigned i = n; i < HW_VECTORS; i++)
        all[i] = got[i];
    hw_verdict v = hw_judge(f, in, got, all);
    if (v.wrong)
        show(f, in, v.first, who, got[v.first], all[v.first]);
    return !v.wrong;
}

static bool check_heddle(both_module *b, const both_launch *l, const hw_form *f,
                         const hw_input *in, unsigned n, tally *t, int only)
{
    bool good = true;

    for (int arch = ARCH_FERMI; arch <= ARCH_VOLTA; arch++) {
        cg_options o = cg_default_options((isa_arch)arch);
        both_result r;
        if (only >= 0 && arch != only)
            continue;
        if (!both_by_heddle(b, l, &o, &r)) {
            t->unsupported++;
            both_result_free(&r);
            return good;
        }
        spread(f, r.bytes[0], n, got);
        good &= agrees(f, in, arch_name[arch], want, n);
        both_result_free(&r);
    }
    return good;
}

/* `only`: one family; -1: all. */
static void check(const hw_form *f, hw_input *in, unsigned n, tally *t,
                  int only)
{
    char *text = kernel_text(f);
    both_launch l = {
        .grid = {n / HW_CTA, 1, 1},
        .cta = {HW_CTA, 1, 1},
        .nbuffers = 4,
        .size = {n * HW_SLOT, n * HW_SLOT, n * HW_SLOT, n * HW_SLOT},
        .init = {NULL, in->v[0], in->v[1], in->v[2]}};
    both_module b;
    both_result r = {0};
    bool good = false;

    hw_input_fill(f, in);
    hw_reference(f, in, listed);
    if (!both_open(&b, f->name, text)) {
        diag_print(b.dg, stdout, false);
    } else if (!both_by_reference(&b, &l, &r)) {
        printf("FAIL %s: %s\n", f->name, r.error);
    } else {
        spread(f, r.bytes[0], n, want);
        memcpy(got, want, sizeof got);
        good = agrees(f, in, "reference", listed, n);
        good &= check_heddle(&b, &l, f, in, n, t, only);
    }
    t->passed += good;
    t->failed += !good;
    both_result_free(&r);
    both_close(&b);
    free(text);
}

int main(int argc, char **argv)
{
    static hw_input in;
    unsigned n = HW_VECTORS;
    const char *only = NULL;
    tally t = {0};
    hw_list l;

    for (int k = 1; k < argc; k++)
        if (!strcmp(argv[k], "-q"))
            n = 4 * HW_CTA;
        else
            only = argv[k];
    hw_list_init(&l);
    if (l.failed)
        return 1;
    for (unsigned k = 0; k < l.count; k++)
        if (!only || strstr(l.form[k].name, only))
            check(&l.form[k], &in, n, &t, n < HW_VECTORS ? (int)(k % 3) : -1);
    hw_list_free(&l);
    printf("%u of them only by the reference\n", t.unsupported);
    printf("%u passed, %u failed, 0 skipped\n", t.passed, t.failed);
    return t.failed || !t.passed;
}
