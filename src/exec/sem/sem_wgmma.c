/* src/exec/sem/sem_wgmma.c - a warp's part of the products of warp groups:
 * 16 rows of A, 8 columns of B. B, and A unless it is in registers, are tiles
 * in shared memory that a descriptor tells [PTX85:wgmma.matrix-descriptor]. */
#include "base/bits.h"
#include "exec/fault.h"
#include "exec/sem/product.h"
#include "exec/shared_swizzle.h"

enum { ROW = 32 }; /* bytes of a line along k, whatever its elements */

typedef struct tile {
    uint32_t start, lead, stride; /* bytes */
    shared_swizzle swizzle;
    bool turned; /* lines follow each other in memory, not k */
} tile;

static bool fail(sem *x, enum exec_fault_kind kind, uint64_t addr,
                 uint32_t size)
{
    *x->fault = exec_fault_at(x->w, kind, x->mask);
    x->fault->addr = addr;
    x->fault->size = size;
    x->result = EXEC_FAULT;
    return false;
}

/* All lanes give one descriptor. A pattern that begins elsewhere than at a
 * multiple of its size would need a base offset, which is not there. */
static bool read_descriptor(sem *x, unsigned i, bool turned, tile *t)
{
    static const shared_swizzle modes[] = {SWIZZLE_NONE, SWIZZLE_128,
                                           SWIZZLE_64, SWIZZLE_32};
    group g = source_rows(x, i);
    unsigned lane = bits_ctz32(x->mask);
    uint64_t d = g[0][lane] | (uint64_t)g[1][lane] << 32;
    const uint64_t unused = 0x3ff1c000c000c000;

    LANES(l)
    if (x->mask >> l & 1 && (g[0][l] != g[0][lane] || g[1][l] != g[1][lane]))
        return fail(x, FAULT_DESCRIPTOR, d, 0);
    *t = (tile){.start = (uint32_t)(d & 0x3fff) << 4,
                .lead = (uint32_t)(d >> 16 & 0x3fff) << 4,
                .stride = (uint32_t)(d >> 32 & 0x3fff) << 4,
                .swizzle = modes[d >> 62],
                .turned = turned};
    if (d & (unused | (uint64_t)7 << 49))
        return fail(x, FAULT_DESCRIPTOR, d, 0);
    if (t->swizzle != SWIZZLE_NONE &&
        (t->start & (8 * (uint32_t)t->swizzle - 1)) >= (uint32_t)t->swizzle)
        return fail(x, FAULT_DESCRIPTOR, d, 0);
    return true;
}

/* 16 bytes of the tile. */
static inline bool read_piece(sem *x, const tile *t, uint32_t at, void *to)
{
    at = shared_swizzled(t->start + at, t->swizzle);
    if (at + 16 > exec_shared_room(x->w->cta->launch))
        return fail(x, FAULT_SHARED_BOUNDS, at, 16);
    memcpy(to, x->w->cta->shared + at, 16);
    return true;
}

/* The lines from `first` on, each of two pieces along k. */
static bool read_lines(sem *x, const tile *t, unsigned first, unsigned lines,
                       uint8_t (*to)[ROW])
{
    uint32_t wide = t->swizzle; /* 16 if none: lines follow each other */
    uint32_t next = t->swizzle == SWIZZLE_NONE ? t->lead : 16;

    for (unsigned i = 0; i < lines; i++) {
        unsigned line = first + i;
        uint32_t at = line % 8 * wide + line / 8 * t->stride;

        if (!read_piece(x, t, at, to[i]) ||
            !read_piece(x, t, at + next, to[i] + 16))
            return false;
    }
    return true;
}

/* The same of a turned tile: a piece has 8 lines' elements at one k. */
static bool read_turned(sem *x, const tile *t, unsigned first, unsigned lines,
                        uint8_t (*to)[ROW])
{
    uint32_t wide = t->swizzle;

    for (unsigned i = 0; i < lines; i += 8)
        for (unsigned k = 0; k < 16; k++) {
            unsigned line = first + i;
            uint16_t piece[8];
            uint32_t at = t->swizzle == SWIZZLE_NONE
                              ? line / 8 * t->stride + k / 8 * t->lead
                              : line / (wide / 2) * t->lead +
                                    line % (wide / 2) * 2 + k / 8 * t->stride;

            if (!read_piece(x, t, at + k % 8 * wide, piece))
                return false;
            for (unsigned j = 0; j < 8; j++)
                memcpy(&to[i + j][2 * k], &piece[j], 2);
        }
    return true;
}

static bool read_tile(sem *x, const tile *t, unsigned first, unsigned lines,
                      uint8_t (*to)[ROW])
{
    return t->turned ? read_turned(x, t, first, lines, to)
                     : read_lines(x, t, first, lines, to);
}

/* Rows of A in registers, as of mma.m16n8: register r has bytes 4 (lane % 4)
 * and on of half r / 2 of row lane / 4 + r % 2 * 8. */
static void read_rows(group a, uint8_t (*to)[ROW])
{
    for (unsigned r = 0; r < 4; r++)
        LANES(l)
    memcpy(&to[l / 4 + r % 2 * 8][r / 2 * 16 + l % 4 * 4], &a[r][l], 4);
}

static bool read_sides(sem *x, uint8_t a[16][ROW], uint8_t b[8][ROW])
{
    const isa_inst *in = x->in;
    tile t;

    if (ISA_GET(in, GREGA))
        read_rows(source_rows(x, 0), a);
    else if (!read_descriptor(x, 0, ISA_GET(in, GTRA), &t) ||
             !read_tile(x, &t, x->w->index % 4 * 16, 16, a))
        return false;
    return read_descriptor(x, 1, ISA_GET(in, GTRB), &t) &&
           read_tile(x, &t, in->lut * 8u, 8, b);
}

/* Element k of a line. */
static uint32_t element(const uint8_t *line, unsigned bits, unsigned k)
{
    uint16_t h;
    uint32_t w;

    if (bits == 8)
        return line[k];
    if (bits == 16) {
        memcpy(&h, line + 2 * k, 2);
        return h;
    }
    memcpy(&w, line + 4 * k, 4);
    return w;
}

static inline __attribute__((always_inline)) void
spread(const uint8_t a[16][ROW], const uint8_t b[8][ROW], unsigned bits,
       uint32_t minus_a, uint32_t minus_b, uint32_t *to_a, uint32_t *to_b)
{
    unsigned n = 8 * ROW / bits;

    for (unsigned i = 0; i < 16; i++)
        for (unsigned k = 0; k < n; k++)
            to_a[i * n + k] = element(a[i], bits, k) ^ minus_a;
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < 8; i++)
            to_b[k * 8 + i] = element(b[i], bits, k) ^ minus_b;
}

static void float_part(sem *x, const uint8_t a[16][ROW],
                       const uint8_t b[8][ROW], bool adds)
{
    static const dot_form forms[] = {DOT_F16, DOT_BF16, DOT_TF32, DOT_E4M3,
                                     DOT_E5M2};
    uint32_t all_a[16 * DOT_K], all_b[8 * DOT_K];
    const isa_inst *in = x->in;
    unsigned bits = isa_tensor_shape(in->op, in->mod).bits;
    uint32_t sign = 1u << (bits - 1);
    uint32_t na = ISA_GET(in, GNEGA) ? sign : 0;
    uint32_t nb = ISA_GET(in, GNEGB) ? sign : 0;
    product m;

    m.x = x;
    m.aform = forms[ISA_GET(in, GFORMA)];
    m.bform = forms[ISA_GET(in, GFORMB)];
    m.k = m.stored = 8 * ROW / bits;
    m.half = ISA_GET(in, MMAD);
    m.adds = adds;
    m.rules = rules(x, CFG_NUMERICS_HOPPER, m.aform, m.half);
    if (bits == 8)
        spread(a, b, 8, na, nb, all_a, all_b);
    else if (bits == 16)
        spread(a, b, 16, na, nb, all_a, all_b);
    else
        spread(a, b, 32, na, nb, all_a, all_b);
    matrix_read(&m.a, m.aform, all_a, 16 * m.k);
    matrix_read(&m.b, m.bform, all_b, 8 * m.k);
    product_run(&m);
}

static int64_t integer_sum(const uint8_t *a, const uint8_t *b, unsigned fa,
                           unsigned fb)
{
    int32_t sum = 0;

    for (unsigned k = 0; k < ROW; k++)
        sum += fa == GFORM_B1
                   ? (int32_t)bits_popcount32(a[k] & b[k])
                   : (fa == GFORM_S8 ? (int8_t)a[k] : (int32_t)a[k]) *
                         (fb == GFORM_S8 ? (int8_t)b[k] : (int32_t)b[k]);
    return sum;
}

static void integer_part(sem *x, const uint8_t a[16][ROW],
                         const uint8_t b[8][ROW], bool adds)
{
    const isa_inst *in = x->in;
    group c = source_rows(x, 2);
    uint32_t d[4][ISA_WARP];

    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 8; j++) {
            unsigned lane = result_lane(i, j), at = i / 8 * 2 + j % 2;
            int64_t sum = integer_sum(a[i], b[j], ISA_GET(in, GFORMA),
                                      ISA_GET(in, GFORMB));

            sum += adds ? (int32_t)c[at][lane] : 0;
            if (ISA_GET(in, SAT))
                sum = sum > INT32_MAX   ? INT32_MAX
                      : sum < INT32_MIN ? INT32_MIN
                                        : sum;
            d[at][lane] = (uint32_t)sum;
        }
    put_result_group(x, d, 4);
}

SEM(HGMMA)
{
    uint8_t a[16][ROW], b[8][ROW];
    bool adds = sem_pred(x, 0) & x->mask;

    if (!read_sides(x, a, b))
        return;
    if (ISA_GET(x->in, GFORMA) >= GFORM_S8)
        integer_part(x, (const uint8_t(*)[ROW])a, (const uint8_t(*)[ROW])b,
                     adds);
    else
        float_part(x, (const uint8_t(*)[ROW])a, (const uint8_t(*)[ROW])b, adds);
    x->result = EXEC_GROUP;
}

SEM(WGARRIVE) { (void)x; }
SEM(WGCOMMIT) { x->result = EXEC_COPIES; }
SEM(WGWAIT) { x->result = EXEC_COPIES; }
