/* tests/hardware/sweep.c - forms of one operand over the whole range of it.
 *   sweep [GPU [STEP [TEXT]]]   forms whose name contains TEXT
 * Operands of 16 bits are all there are; of others every STEP-th word, where
 * STEP 1 is all 2^32 of them, and of doubles the word is the upper half. Each
 * line ends with a hash of the results: builds can be compared by it. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "judge.h"

typedef struct total {
    uint64_t operands, payload, close, wrong, hash;
    double ulp;
} total;

/* The operands from `at` on, `step` apart; behind the last one it repeats. */
static void fill(bench *b, const hw_form *f, uint64_t at, uint64_t step,
                 uint64_t end)
{
    for (unsigned i = 0; i < HW_VECTORS; i++) {
        uint64_t v = at + i * step < end ? at + i * step : end - 1;

        if (hw_bits(f->s[0]) == 64)
            v = v << 32 | (uint32_t)(v * 2654435761u);
        b->in.v[0][i] = v;
    }
}

static void report(const bench *b, const hw_form *f, unsigned i)
{
    printf("    0x%llx gives 0x%llx, not 0x%llx\n",
           (unsigned long long)b->in.v[0][i], (unsigned long long)b->got[i],
           (unsigned long long)b->want[i]);
    (void)f;
}

static bool sweep(bench *b, const hw_form *f, uint64_t step, total *t)
{
    uint64_t end = hw_bits(f->s[0]) == 16 ? 1u << 16 : (uint64_t)1 << 32;

    if (hw_bits(f->s[0]) == 16)
        step = 1;
    for (uint64_t at = 0; at < end; at += HW_VECTORS * step) {
        fill(b, f, at, step, end);
        if (!bench_run(b))
            return false;
        hw_reference(f, &b->in, b->want);
        hw_verdict v = hw_judge(f, &b->in, b->got, b->want);
        if (v.wrong && !t->wrong)
            report(b, f, v.first);
        t->operands += HW_VECTORS;
        t->payload += v.payload;
        t->close += v.close;
        t->wrong += v.wrong;
        t->hash = t->hash * 31 + hw_hash(f, b->got);
        t->ulp = v.ulp > t->ulp ? v.ulp : t->ulp;
    }
    return true;
}

int main(int argc, char **argv)
{
    uint64_t step = argc > 2 ? strtoull(argv[2], NULL, 0) : 65537;
    const char *text = argc > 3 ? argv[3] : "";
    bench *b = calloc(1, sizeof *b);
    unsigned forms = 0, bad = 0;
    hw_list l;

    hw_list_init(&l);
    if (!b || l.failed || !step || !bench_start(b, argc > 1 ? argv[1] : "v100"))
        return 1;
    for (unsigned k = 0; k < l.count; k++) {
        const hw_form *f = &l.form[k];
        total t = {0};

        if (f->s[1] || !strstr(f->name, text) || !strcmp(f->family, "warps") ||
            !strcmp(f->family, "atomics"))
            continue;
        forms++;
        if (!bench_load(b, f, k) || !sweep(b, f, step, &t) || t.wrong)
            bad++;
        printf("%s %s: %llu operands, %llu NaN, %llu close (%g ulp), %llu "
               "wrong, %016llx\n",
               t.wrong ? "FAIL" : "ok  ", f->name,
               (unsigned long long)t.operands, (unsigned long long)t.payload,
               (unsigned long long)t.close, t.ulp, (unsigned long long)t.wrong,
               (unsigned long long)t.hash);
    }
    printf("%u passed, %u failed, 0 skipped\n", forms - bad, bad);
    hw_list_free(&l);
    bench_end(b);
    free(b);
    return bad || !forms;
}
