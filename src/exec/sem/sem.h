/* src/exec/sem/sem.h - what the bodies of instructions (sem_*.c) share.
 *
 * The files that include this are compiled once per level of the host's
 * vector instructions (EXEC_LEVEL: base, v3, v4), each with its own table of
 * bodies; the warp points at the table chosen at its start. All levels give
 * the same bits.
 *
 * A body computes all 32 lanes into a row of its own and then stores the row
 * under the mask of the executing lanes: lane loops have no branches, so they
 * become vector code, and the results of lanes that do not execute are dropped.
 * Branches on modifiers stand outside the lane loops. */
#ifndef EXEC_SEM_SEM_H
#define EXEC_SEM_SEM_H

#include <string.h>

#include "exec/plan.h"

#ifndef EXEC_LEVEL
#define EXEC_LEVEL base
#endif
#define SEM_JOIN2(a, b) a##_##b
#define SEM_JOIN(a, b)  SEM_JOIN2(a, b)
#define SEM_LEVEL(name) SEM_JOIN(name, EXEC_LEVEL)
#define SEM_NAME(id)    SEM_LEVEL(sem_##id)
#define SEM(id)         void SEM_NAME(id)(sem * x)
#define LANES(l)        for (unsigned l = 0; l < ISA_WARP; l++)

/* The same, where a lane's result may lie where its operands do, but never
 * where those of another lane do. clang complains where it does not follow, as
 * without optimisation and under sanitizers. */
#ifndef __clang__
#define LANES_IN_PLACE(l) _Pragma("GCC ivdep") LANES(l)
#elif defined EXEC_OPTIMISED
#define LANES_IN_PLACE(l)                                                      \
    _Pragma("clang loop vectorize(assume_safety)") LANES(l)
#else
#define LANES_IN_PLACE(l) LANES(l)
#endif

/* One instruction under execution. */
typedef struct sem {
    exec_warp *w;
    const isa_inst *in;
    exec_op *op;        /* its plan */
    uintptr_t reg;      /* the warp's registers, for operands of the plan */
    uint32_t mask;      /* lanes that execute, not 0 */
    exec_result result; /* EXEC_DONE unless the body sets another */
    exec_mem *mem;
    exec_bar *bar;
    exec_fault *fault;
    /* Of bodies that perform accesses (sem_once.c): the memory, and what makes
     * an address there one of the host's. */
    const mem_image *image;
    uint64_t to_host;
} sem;

struct exec_ops {
    exec_body *body[ISA_COUNT];
    bool (*perform)(exec_warp *w, exec_mem *m, unsigned spaces, mem_view *view,
                    exec_fault *fault);
    bool (*begin)(exec_warp *w, exec_mem *m, mem_view *view, exec_fault *fault);
    void (*part)(exec_warp *w, const exec_mem *m, enum exec_space space,
                 const uint32_t words[4], mem_view *view);
    bool (*check)(exec_warp *w, exec_mem *m, const mem_view *view,
                  exec_fault *fault);
    exec_result (*run)(exec_warp *w, exec_turn *t);
    exec_body *(*once)(const isa_inst *in, const exec_launch *l);
    exec_body *(*plain)(const exec_op *op);
};

/* A body for each row of isa.def: a missing one fails to link, a spare one
 * fails -Wmissing-prototypes. */
#define INST(id, code, text, form, mods, class, flags, source) SEM(id);
#include "isa/isa.def"
#undef INST

/* mem.c: exec_mem_perform and the like. */
#define sem_perform SEM_LEVEL(sem_perform)
#define sem_begin   SEM_LEVEL(sem_begin)
#define sem_part    SEM_LEVEL(sem_part)
#define sem_check   SEM_LEVEL(sem_check)
bool sem_perform(exec_warp *w, exec_mem *m, unsigned spaces, mem_view *view,
                 exec_fault *fault);
bool sem_begin(exec_warp *w, exec_mem *m, mem_view *view, exec_fault *fault);
void sem_part(exec_warp *w, const exec_mem *m, enum exec_space space,
              const uint32_t words[4], mem_view *view);
bool sem_check(exec_warp *w, exec_mem *m, const mem_view *view,
               exec_fault *fault);

/* turn.c: exec_run; sem_once.c and sem_plain.c: the body of exec_op.once, NULL
 * if it is that of the operation. */
#define sem_run   SEM_LEVEL(sem_run)
#define sem_once  SEM_LEVEL(sem_once)
#define sem_plain SEM_LEVEL(sem_plain)
exec_result sem_run(exec_warp *w, exec_turn *t);
exec_body *sem_once(const isa_inst *in, const exec_launch *l);
exec_body *sem_plain(const exec_op *op);

/* Register value of the lowest bytes of a loaded word; `size`: isa_size. */
static inline uint32_t sem_widen(unsigned size, uint32_t v)
{
    switch (size) {
    case SIZE_U8:
        return v & 0xff;
    case SIZE_S8:
        return (uint32_t)(int8_t)v;
    case SIZE_U16:
        return v & 0xffff;
    case SIZE_S16:
        return (uint32_t)(int16_t)v;
    default:
        return v;
    }
}

extern const uint32_t exec_zero[2 * ISA_WARP]; /* a pair of rows */
extern const uint32_t exec_lane_bit[ISA_WARP]; /* 1 << lane */

/* ---- operands (fetch.c) ---- */

#define sem_fetch32    SEM_LEVEL(sem_fetch32)
#define sem_fetch64    SEM_LEVEL(sem_fetch64)
#define sem_fetch_f32  SEM_LEVEL(sem_fetch_f32)
#define sem_fetch_raw  SEM_LEVEL(sem_fetch_raw)
#define sem_ftz        SEM_LEVEL(sem_ftz)
#define sem_blend      SEM_LEVEL(sem_blend)
#define sem_put64      SEM_LEVEL(sem_put64)
#define sem_lanes      SEM_LEVEL(sem_lanes)
#define sem_finish_f32 SEM_LEVEL(sem_finish_f32)

/* Uniform register `r`, URZ included. */
static inline uint32_t sem_ureg(const sem *x, unsigned r)
{
    return x->w->ureg[r == ISA_RZ ? ISA_UREGS : r];
}

/* Source i as 32-bit words in tmp or in the registers themselves: raw without
 * its modifiers, else with integer ones (abs, neg, not). */
const uint32_t *sem_fetch_raw(sem *x, unsigned i, uint32_t tmp[ISA_WARP]);
const uint32_t *sem_fetch32(sem *x, unsigned i, uint32_t tmp[ISA_WARP]);
/* With float neg and abs, and denormals flushed if `ftz`. */
const float *sem_fetch_f32(sem *x, unsigned i, bool ftz, float tmp[ISA_WARP]);
/* Source i as 64-bit integers, or as doubles for ISA_F_FLOAT operations. */
void sem_fetch64(sem *x, unsigned i, uint64_t to[ISA_WARP]);

/* Denormals to zeros of the same sign. */
void sem_ftz(float r[ISA_WARP]);

/* to = from in the lanes of mask. */
void sem_blend(uint32_t *to, const uint32_t *from, uint32_t mask);
void sem_put64(sem *x, const uint64_t r[ISA_WARP]);

/* Bit l is set where r[l] is not 0. */
uint32_t sem_lanes(const uint32_t r[ISA_WARP]);

/* For sem_put_f32. */
void sem_finish_f32(sem *x, float r[ISA_WARP], bool ftz, bool sat);

/* ---- small and hot ---- */

static inline uint32_t *sem_reg(const sem *x, unsigned r)
{
    return x->w->reg[r];
}

/* Source i as planned; NULL: it has to be looked for. */
static inline const uint32_t *sem_planned(const sem *x, unsigned i)
{
    const exec_src *s = &x->op->src[i];

    return (const uint32_t *)(s->at + (x->reg & s->of_warp));
}

static inline const uint32_t *sem_row(sem *x, unsigned i, uint32_t *tmp)
{
    const uint32_t *r = sem_planned(x, i);

    return __builtin_expect(r != NULL, 1) ? r : sem_fetch32(x, i, tmp);
}

static inline const float *sem_row_f32(sem *x, unsigned i, bool ftz, float *tmp)
{
    const uint32_t *r = ftz ? NULL : sem_planned(x, i);

    return __builtin_expect(r != NULL, 1) ? (const float *)r
                                          : sem_fetch_f32(x, i, ftz, tmp);
}

/* Vectors that every compiler takes for such: it would copy a row by smaller
 * ones. */
typedef uint32_t sem_part_row
    __attribute__((vector_size(32), aligned(4), may_alias));

static inline void sem_copy_words(uint32_t *to, const void *from,
                                  unsigned words)
{
    for (unsigned i = 0; i < words; i += 8)
        *(sem_part_row *)(to + i) =
            *(const sem_part_row *)((const uint8_t *)from + 4 * i);
}

static inline void sem_store(exec_warp *w, unsigned reg, const uint32_t *r,
                             uint32_t mask)
{
    if (reg == ISA_RZ)
        return;
    if (mask == UINT32_MAX)
        sem_copy_words(w->reg[reg], r, ISA_WARP);
    else
        sem_blend(w->reg[reg], r, mask);
}

static inline void sem_put(sem *x, const uint32_t r[ISA_WARP])
{
    sem_store(x->w, x->in->dst, r, x->mask);
}

/* Where LANES_IN_PLACE puts the result, for sem_put_in_place: the destination
 * itself if all lanes execute. */
static inline uint32_t *sem_target(const sem *x, uint32_t tmp[ISA_WARP])
{
    return x->mask == UINT32_MAX && x->in->dst != ISA_RZ
               ? sem_reg(x, x->in->dst)
               : tmp;
}

static inline void sem_put_in_place(sem *x, const uint32_t *d)
{
    if (x->mask != UINT32_MAX && x->in->dst != ISA_RZ)
        sem_blend(sem_reg(x, x->in->dst), d, x->mask);
}

/* Lanes whose source predicate i is true. */
static inline uint32_t sem_pred(const sem *x, unsigned i)
{
    unsigned p = x->in->psrc[i];

    if (__builtin_expect(p & PRED_UNIFORM, 0))
        return -((x->w->upred >> (p & 7) ^ p >> 3) & 1u);
    return x->w->pred[p & 7] ^ -(uint32_t)(p >> 3);
}

static inline void sem_put_pred(sem *x, unsigned i, uint32_t lanes)
{
    unsigned p = x->in->pdst[i];

    if (p != ISA_PT)
        x->w->pred[p] = (x->w->pred[p] & ~x->mask) | (lanes & x->mask);
}

static inline uint32_t sem_bool(unsigned how, uint32_t a, uint32_t b)
{
    return how == BOOL_AND ? a & b : how == BOOL_OR ? a | b : a ^ b;
}

/* Comparison results of SETP: p = hit bool s, q = !hit bool s. */
static inline void sem_put_setp(sem *x, uint32_t hit)
{
    unsigned how = ISA_GET(x->in, BOOL);
    uint32_t s = sem_pred(x, 0);

    sem_put_pred(x, 0, sem_bool(how, hit, s));
    sem_put_pred(x, 1, sem_bool(how, ~hit, s));
}

static inline uint32_t sem_bits(float f)
{
    uint32_t u;

    memcpy(&u, &f, 4);
    return u;
}

static inline float sem_float(uint32_t u)
{
    float f;

    memcpy(&f, &u, 4);
    return f;
}

static inline uint64_t sem_bits64(double d)
{
    uint64_t u;

    memcpy(&u, &d, 8);
    return u;
}

static inline double sem_double(uint64_t u)
{
    double d;

    memcpy(&d, &u, 8);
    return d;
}

/* The one NaN of single-precision results [PTX85:floating-point]. */
static inline float sem_canon(float f)
{
    return f != f ? sem_float(0x7fffffff) : f;
}

/* Stores results whose NaNs are canonical, after FTZ and SAT. */
static inline void sem_put_f32(sem *x, float r[ISA_WARP], bool ftz, bool sat)
{
    if (ftz || sat)
        sem_finish_f32(x, r, ftz, sat);
    else
        sem_put(x, (const uint32_t *)r);
}

#endif
