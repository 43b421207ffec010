/* src/exec/sem/sem_plain.c - operations as code has them most: without
 * modifiers, of operands that the plan has found, into registers. They do what
 * the bodies of the operations do. */
#include <math.h>

#include "base/bits.h"
#include "exec/sem/sem.h"

static inline uint32_t *target(const sem *x)
{
    return (uint32_t *)(x->reg + x->op->to);
}

/* A body: `value` of lane l, of rows a, b and c of words of a type. Where not
 * all lanes execute it is that of the operation. */
#define PLAIN(name, op_id, type, value)                                        \
    static void name(sem *x)                                                   \
    {                                                                          \
        const type *a = (const type *)sem_planned(x, 0),                       \
                   *b = (const type *)sem_planned(x, 1),                       \
                   *c = (const type *)sem_planned(x, 2);                       \
        type *d = (type *)target(x);                                           \
                                                                               \
        if (x->mask != UINT32_MAX) {                                           \
            SEM_NAME(op_id)(x);                                                \
            return;                                                            \
        }                                                                      \
        (void)a, (void)b, (void)c;                                             \
        LANES_IN_PLACE(l) d[l] = value;                                        \
    }

PLAIN(add_f32, FADD, float, sem_canon(a[l] + b[l]))
PLAIN(mul_f32, FMUL, float, sem_canon(a[l] * b[l]))
PLAIN(fma_f32, FFMA, float, sem_canon(fmaf(a[l], b[l], c[l])))
PLAIN(iadd2, IADD3, uint32_t, a[l] + b[l])
PLAIN(iadd3, IADD3, uint32_t, a[l] + b[l] + c[l])
PLAIN(imad, IMAD, uint32_t, a[l] * b[l] + c[l])
PLAIN(lop_and, LOP3, uint32_t, a[l] & b[l])
PLAIN(lop_or, LOP3, uint32_t, a[l] | b[l])
PLAIN(lop_xor, LOP3, uint32_t, a[l] ^ b[l])

/* The same where n is the same in all lanes: B, or the shift of LEA. */
#define SHIFTED(name, op_id, type, count, value)                               \
    static void name(sem *x)                                                   \
    {                                                                          \
        const type *a = (const type *)sem_planned(x, 0);                       \
        const uint32_t *b = sem_planned(x, 1);                                 \
        uint32_t *d = target(x), n = count;                                    \
                                                                               \
        if (x->mask != UINT32_MAX) {                                           \
            SEM_NAME(op_id)(x);                                                \
            return;                                                            \
        }                                                                      \
        (void)b;                                                               \
        LANES_IN_PLACE(l) d[l] = (uint32_t)(value);                            \
    }

SHIFTED(shift_left, SHL, uint32_t, *b, a[l] << n)
SHIFTED(shift_right, SHR, uint32_t, *b, a[l] >> n)
SHIFTED(shift_signed, SHR, int32_t, *b, a[l] >> n)
SHIFTED(lea, LEA, uint32_t, x->in->lut & 31, (a[l] << n) + b[l])

static inline void move_row(sem *x, const uint32_t *from)
{
    if (x->mask == UINT32_MAX)
        sem_copy_words(target(x), from, ISA_WARP);
    else
        sem_blend(target(x), from, x->mask);
}

static void move_b(sem *x) { move_row(x, sem_planned(x, 1)); }
static void move_c(sem *x) { move_row(x, sem_planned(x, 2)); }

/* d = a * b + c without signs, where d and c have 64 bits. */
static void wide(sem *x)
{
    const uint32_t *a = sem_planned(x, 0), *b = sem_planned(x, 1),
                   *lo = sem_planned(x, 2), *hi = lo + ISA_WARP;
    uint32_t *to = target(x), *upper = to + ISA_WARP;

    if (x->mask != UINT32_MAX) {
        SEM_NAME(IMADW)(x);
        return;
    }
    LANES_IN_PLACE(l)
    {
        uint64_t v = (uint64_t)a[l] * b[l] + (lo[l] | (uint64_t)hi[l] << 32);

        to[l] = (uint32_t)v;
        upper[l] = (uint32_t)(v >> 32);
    }
}

/* The same where b is a power of two, as the size of what an address counts;
 * `type` has the sign or not. */
#define SCALED(name, type)                                                     \
    static void name(sem *x)                                                   \
    {                                                                          \
        const type *a = (const type *)sem_planned(x, 0);                       \
        const uint32_t *lo = sem_planned(x, 2), *hi = lo + ISA_WARP;           \
        uint32_t *to = target(x), *upper = to + ISA_WARP;                      \
        unsigned up = bits_ctz32(*sem_planned(x, 1)), down = 32 - up;          \
                                                                               \
        if (x->mask != UINT32_MAX) {                                           \
            SEM_NAME(IMADW)(x);                                                \
            return;                                                            \
        }                                                                      \
        LANES_IN_PLACE(l)                                                      \
        {                                                                      \
            uint32_t low = (uint32_t)a[l] << up, sum = low + lo[l];            \
            uint32_t high = (uint32_t)(a[l] >> down) + hi[l];                  \
                                                                               \
            to[l] = sum;                                                       \
            upper[l] = high + (sum < low ? 1 : 0);                             \
        }                                                                      \
    }

SCALED(scaled, uint32_t)
SCALED(scaled_signed, int32_t)

/* Comparisons into one predicate. */
#define COMPARED(name, type, how)                                              \
    static void name(sem *x)                                                   \
    {                                                                          \
        const type *a = (const type *)sem_planned(x, 0),                       \
                   *b = (const type *)sem_planned(x, 1);                       \
        unsigned cmp = ISA_GET(x->in, ICMP);                                   \
        uint32_t lanes = 0, *p = &x->w->pred[x->in->pdst[0]];                  \
                                                                               \
        LANES(l) lanes |= a[l] how b[l] ? exec_lane_bit[l] : 0;                \
        if (cmp == CMP_NE || cmp == CMP_GE || cmp == CMP_LE)                   \
            lanes = ~lanes;                                                    \
        *p = (*p & ~x->mask) | (lanes & x->mask);                              \
    }

COMPARED(is_equal, uint32_t, ==)
COMPARED(is_below, uint32_t, <)
COMPARED(is_above, uint32_t, >)
COMPARED(is_less, int32_t, <)
COMPARED(is_greater, int32_t, >)

/* ---- which ---- */

static exec_body *comparison(const isa_inst *in)
{
    bool no_sign = ISA_GET(in, U32);

    if (ISA_GET(in, EX) || ISA_GET(in, BOOL) != BOOL_AND ||
        in->psrc[0] != ISA_PT || in->pdst[0] == ISA_PT || in->pdst[1] != ISA_PT)
        return NULL;
    switch (ISA_GET(in, ICMP)) {
    case CMP_EQ:
    case CMP_NE:
        return is_equal;
    case CMP_LT:
    case CMP_GE:
        return no_sign ? is_below : is_less;
    case CMP_GT:
    case CMP_LE:
        return no_sign ? is_above : is_greater;
    default:
        return NULL;
    }
}

static exec_body *logic(const isa_inst *in)
{
    switch (in->lut) {
    case 0xc0:
        return lop_and;
    case 0xfc:
        return lop_or;
    case 0x3c:
        return lop_xor;
    default:
        return NULL;
    }
}

static exec_body *shift(const isa_inst *in)
{
    if (in->src_kind[1] != SRC_IMM || in->val[1] > 31)
        return NULL;
    return in->op == ISA_SHL  ? shift_left
           : ISA_GET(in, U32) ? shift_right
                              : shift_signed;
}

static exec_body *product(const isa_inst *in)
{
    bool no_sign = ISA_GET(in, U32);
    uint32_t b = in->val[1];

    if (in->src_kind[1] == SRC_IMM && b > 1 && b < 1u << 31 && !(b & (b - 1)))
        return no_sign ? scaled : scaled_signed;
    return no_sign ? wide : NULL;
}

static bool is_zero(const isa_inst *in, unsigned i)
{
    return in->src_kind[i] == SRC_REG && in->src[i] == ISA_RZ;
}

/* Of those with a result in a register. */
static exec_body *result(const isa_inst *in)
{
    const uint32_t odd = ISA_BITS(FTZ) | ISA_BITS(RND) | ISA_BITS(SAT);

    if (in->op == ISA_FADD)
        return in->mod & odd ? NULL : add_f32;
    if (in->op == ISA_FMUL)
        return in->mod & odd ? NULL : mul_f32;
    if (in->op == ISA_FFMA)
        return in->mod & odd ? NULL : fma_f32;
    if (in->op == ISA_IMAD)
        return is_zero(in, 0) ? move_c : imad;
    if (in->op == ISA_IMADW)
        return product(in);
    if (in->op == ISA_MOV)
        return move_b;
    if (in->op == ISA_SHL || in->op == ISA_SHR)
        return shift(in);
    if (in->pdst[0] != ISA_PT || in->pdst[1] != ISA_PT)
        return NULL;
    if (in->op == ISA_IADD3)
        return is_zero(in, 2) ? iadd2 : iadd3;
    if (in->op == ISA_LEA)
        return lea;
    return in->op == ISA_LOP3 ? logic(in) : NULL;
}

exec_body *sem_plain(const exec_op *op)
{
    /* What an operation has no use for is RZ, and found, too. */
    for (unsigned i = 0; i < 3; i++)
        if (!op->src[i].at && !op->src[i].of_warp)
            return NULL;
    if (op->in->op == ISA_ISETP)
        return comparison(op->in);
    return op->in->dst < ISA_RZ - 1 ? result(op->in) : NULL;
}
