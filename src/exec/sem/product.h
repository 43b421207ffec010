/* src/exec/sem/product.h - products of 16 rows of A and 8 columns of B whose
 * results lie as those of mma.m16n8 [PTX85:mma], and what else the bodies of
 * matrix operations share. Owns and borrows nothing. */
#ifndef EXEC_SEM_PRODUCT_H
#define EXEC_SEM_PRODUCT_H

#include "exec/half.h"
#include "exec/sem/dot.h"
#include "exec/sem/sem.h"
#include "isa/tensor.h"

typedef const uint32_t (*group)[ISA_WARP];

/* Factors of a warp's product: rows of A, or B by k and column. */
typedef struct matrix {
    float value[16 * DOT_K];
    int32_t sig[16 * DOT_K], exp[16 * DOT_K];
    dot_factors f;
} matrix;

static inline void matrix_read(matrix *m, dot_form form, const uint32_t *bits,
                               unsigned n)
{
    m->f = (dot_factors){m->value, m->sig, m->exp, false, false};
    dot_read(form, bits, n, &m->f);
}

static inline const dot_rules *rules(const sem *x, cfg_numerics own,
                                     dot_form form, bool half)
{
    return dot_rules_of((cfg_numerics)x->w->cta->launch->numerics, own, form,
                        half);
}

/* The registers of source i. */
static inline group source_rows(const sem *x, unsigned i)
{
    static const uint32_t zero[4][ISA_WARP];

    return x->in->src[i] == ISA_RZ ? zero : (group)sem_reg(x, x->in->src[i]);
}

static inline void put_result_group(sem *x, uint32_t (*d)[ISA_WARP], unsigned n)
{
    if (x->in->dst == ISA_RZ)
        return;
    for (unsigned r = 0; r < n; r++)
        sem_store(x->w, x->in->dst + r, d[r], x->mask);
}

static inline uint32_t half_of(group g, unsigned index, unsigned lane)
{
    return g[index / 2][lane] >> 16 * (index % 2) & 0xffff;
}

static inline void put_half(uint32_t (*d)[ISA_WARP], unsigned index,
                            unsigned lane, uint32_t h)
{
    unsigned at = 16 * (index % 2);

    d[index / 2][lane] = (d[index / 2][lane] & ~(0xffffu << at)) | (h & 0xffff)
                                                                       << at;
}

static inline unsigned result_lane(unsigned row, unsigned col)
{
    return 4 * (row & 7) + col / 2;
}

/* A product of 16 rows, 8 columns. Factors of A: k of them in a row, `stored`
 * of those, if it is sparse; `pick` says which. */
typedef struct product {
    sem *x;
    dot_form aform, bform;
    unsigned bits;      /* of an element */
    unsigned k, stored; /* both sides' lines have at most 16 words of 32 bits */
    bool half;
    bool adds; /* C, else zero */
    uint32_t minus_a,
        minus_b; /* what the words of the factors are xored with */
    const dot_rules *rules;
    uint8_t pick[16][DOT_K / 2]; /* k of the stored ones */
} product;

/* Multiplies and stores the results. Factors as of mma.m16n8 [PTX85:mma]:
 * register r of lane l has word 4 (r / 2) + l % 4 along k of row
 * l / 4 + r % 2 * 8 of A, and word 4 r + l % 4 of column l / 4 of B. */
#define product_run SEM_LEVEL(product_run)
void product_run(const product *m, group a, group b);

#endif
