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
    unsigned k, stored;
    bool half;
    bool adds; /* C, else zero */
    const dot_rules *rules;
    uint8_t pick[16][DOT_K / 2]; /* k of the stored ones */
    matrix a, b;
} product;

/* What the stored elements of a row of A are multiplied by. */
static inline const matrix *picked(const product *m, unsigned row, matrix *to)
{
    if (m->stored == m->k)
        return &m->b;
    to->f =
        (dot_factors){to->value, to->sig, to->exp, m->b.f.far, m->b.f.special};
    for (unsigned j = 0; j < m->stored; j++)
        DOT_EACH(v)
        {
            unsigned at = m->pick[row][j] * DOT_VEC + v;

            to->value[j * DOT_VEC + v] = m->b.value[at];
            to->sig[j * DOT_VEC + v] = m->b.sig[at];
            to->exp[j * DOT_VEC + v] = m->b.exp[at];
        }
    return to;
}

/* Row `row` of C or D in its registers: columns 2 j and 2 j + 1 are in lane j
 * of four. */
static inline void get_row(const product *m, group c, unsigned row,
                           uint32_t acc[DOT_VEC])
{
    unsigned lane = result_lane(row, 0), at = row / 8 * 2;

    if (!m->adds)
        memset(acc, 0, DOT_VEC * sizeof acc[0]);
    else if (m->half)
        DOT_EACH(v)
    acc[v] = half_float_bits(
        half_f16_to_float(half_of(c, at + v % 2, lane + v / 2)));
    else for (unsigned j = 0; j < DOT_VEC / 2; j++)
    {
        acc[2 * j] = c[at][lane + j];
        acc[2 * j + 1] = c[at + 1][lane + j];
    }
}

static inline void put_row(const product *m, unsigned row,
                           const uint32_t acc[DOT_VEC], uint32_t (*d)[ISA_WARP])
{
    unsigned lane = result_lane(row, 0), at = row / 8 * 2;

    if (m->half)
        DOT_EACH(v)
    put_half(d, at + v % 2, lane + v / 2,
             half_f16_from_float(half_bits_float(acc[v])));
    else for (unsigned j = 0; j < DOT_VEC / 2; j++)
    {
        d[at][lane + j] = acc[2 * j];
        d[at + 1][lane + j] = acc[2 * j + 1];
    }
}

static inline void product_run(product *m)
{
    group c = source_rows(m->x, 2);
    unsigned fraction =
        dot_layout_of(m->aform).fraction + dot_layout_of(m->bform).fraction;
    uint32_t d[4][ISA_WARP], acc[DOT_VEC];
    bool plain = !m->half && !m->rules->exact && dot_is_plain(&m->a.f) &&
                 dot_is_plain(&m->b.f);
    matrix some;

    memset(d, 0,
           sizeof d[0] * (m->half ? 4 : 0)); /* halves join what is there */
    for (unsigned row = 0; row < 16; row++) {
        const matrix *factors = picked(m, row, &some);
        unsigned first = row * m->stored;

        get_row(m, c, row, acc);
        if (plain && !dot_is_special(acc)) {
            dot_row(&m->a.f, first, &factors->f, m->stored, m->rules, acc);
        } else {
            dot_side a = {&m->a.f, first, 1, 0};
            dot_side b = {&factors->f, 0, DOT_VEC, 1};

            dot_sum(&a, &b, m->stored, m->rules, fraction, acc, acc);
        }
        put_row(m, row, acc, d);
    }
    put_result_group(m->x, d, m->x->in->dst_regs);
}

#endif
