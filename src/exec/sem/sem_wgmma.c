/* src/exec/sem/sem_wgmma.c - a warp's part of the products of warp groups:
 * 16 rows of A, 8 columns of B. B, and A unless it is in registers, are tiles
 * in shared memory that a descriptor tells [PTX85:wgmma.matrix-descriptor]. */
#include "base/bits.h"
#include "exec/async.h"
#include "exec/fault.h"
#include "exec/sem/product.h"
#include "exec/shared_swizzle.h"

/* Factors lie as those of mma.m16n8 would in registers (product.h): a line has
 * 32 bytes along k, whatever its elements, the first half of it in one register
 * and the second in another. */
enum { ROW = 32 };

typedef struct tile {
    uint32_t start, lead, stride; /* bytes */
    uint32_t room;                /* of the CTA */
    shared_swizzle swizzle;
    bool turned;  /* lines follow each other in memory, not k */
    bool watched; /* exec/async.h wants to know what is read */
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

/* The descriptor, or false: lanes differ. */
static bool same_descriptor(const sem *x, unsigned i, uint64_t *d)
{
    group g = source_rows(x, i);
    unsigned lane = bits_ctz32(x->mask);
    uint32_t low = g[0][lane], high = g[1][lane], differ = 0;

    *d = low | (uint64_t)high << 32;
    LANES(l) differ |= (g[0][l] ^ low) | (g[1][l] ^ high);
    if (!differ || x->mask == UINT32_MAX)
        return !differ;
    LANES(l)
    if (x->mask >> l & 1 && (g[0][l] != low || g[1][l] != high))
        return false;
    return true;
}

/* All lanes give one descriptor. The pieces of a row change places by its
 * address, as where the tensor memory accelerator puts them, so a tile may
 * begin at any row of the pattern: public kernels keep tiles behind 128 bytes.
 * A base offset, for patterns that begin elsewhere, is not understood. */
static bool read_descriptor(sem *x, unsigned i, bool turned, tile *t)
{
    static const shared_swizzle modes[] = {SWIZZLE_NONE, SWIZZLE_128,
                                           SWIZZLE_64, SWIZZLE_32};
    const uint64_t unused = 0x3ff1c000c000c000;
    uint64_t d;

    if (!same_descriptor(x, i, &d))
        return fail(x, FAULT_DESCRIPTOR, d, 0);
    *t = (tile){.start = (uint32_t)(d & 0x3fff) << 4,
                .lead = (uint32_t)(d >> 16 & 0x3fff) << 4,
                .stride = (uint32_t)(d >> 32 & 0x3fff) << 4,
                .room = exec_shared_room(x->w->cta->launch),
                .swizzle = modes[d >> 62],
                .turned = turned,
                .watched = x->w->cta->async != NULL};
    if (d & (unused | (uint64_t)7 << 49))
        return fail(x, FAULT_DESCRIPTOR, d, 0);
    return true;
}

/* 16 bytes of the CTA? */
static inline bool check_piece(sem *x, const tile *t, uint32_t at)
{
    if (__builtin_expect(t->watched, 0))
        exec_async_tile(x->w, at, 16);
    return at + 16 <= t->room || fail(x, FAULT_SHARED_BOUNDS, at, 16);
}

/* Where half `half` of line `i` of eight begins in the registers of A or B. */
static inline uint32_t *place(uint32_t (*to)[ISA_WARP], unsigned lines,
                              unsigned i, unsigned half)
{
    return &to[half * lines / 8 + i / 8][4 * (i % 8)];
}

/* Eight lines, the first at `at`, the second pieces `next` behind the first. */
static inline __attribute__((always_inline)) void
copy_lines(const uint8_t *shared, uint32_t at, uint32_t next, shared_swizzle s,
           uint32_t *to, uint32_t *second)
{
    for (unsigned j = 0; j < 8; j++, at += (uint32_t)s) {
        memcpy(to + 4 * j, shared + shared_swizzled(at, s), 16);
        memcpy(second + 4 * j, shared + shared_swizzled(at + next, s), 16);
    }
}

/* The lines from `first` on, each of two pieces along k. The swizzle changes
 * bits 4 to 6 of an address, so one look at the last of eight lines may tell
 * that all are in bounds. */
static bool read_lines(sem *x, const tile *t, unsigned first, unsigned lines,
                       uint32_t (*to)[ISA_WARP])
{
    const uint8_t *shared = x->w->cta->shared;
    uint32_t wide = t->swizzle; /* 16 if none: lines follow each other */
    uint32_t next = t->swizzle == SWIZZLE_NONE ? t->lead : 16;

    for (unsigned i = 0; i < lines; i += 8) {
        uint32_t at = t->start + (first + i) / 8 * t->stride;
        uint32_t *half = place(to, lines, i, 0),
                 *other = place(to, lines, i, 1);

        if (t->watched || ((at + 7 * wide + next) | 0x7f) >= t->room)
            for (unsigned j = 0; j < 16; j++)
                if (!check_piece(
                        x, t,
                        shared_swizzled(at + j / 2 * wide + j % 2 * next,
                                        t->swizzle)))
                    return false;
        switch (t->swizzle) {
#define MODE(mode)                                                             \
    case mode:                                                                 \
        copy_lines(shared, at, next, mode, half, other);                       \
        break;
            MODE(SWIZZLE_NONE)
            MODE(SWIZZLE_32)
            MODE(SWIZZLE_64)
            MODE(SWIZZLE_128)
#undef MODE
        }
    }
    return true;
}

/* The same of a turned tile: a piece has 8 lines' elements at one k. */
static bool read_turned(sem *x, const tile *t, unsigned first, unsigned lines,
                        uint32_t (*to)[ISA_WARP])
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

            at = shared_swizzled(t->start + at + k % 8 * wide, t->swizzle);
            if (!check_piece(x, t, at))
                return false;
            memcpy(piece, x->w->cta->shared + at, 16);
            for (unsigned j = 0; j < 8; j++)
                memcpy((char *)place(to, lines, i + j, k / 8) + 2 * (k % 8),
                       &piece[j], 2);
        }
    return true;
}

static bool read_tile(sem *x, const tile *t, unsigned first, unsigned lines,
                      uint32_t (*to)[ISA_WARP])
{
    return t->turned ? read_turned(x, t, first, lines, to)
                     : read_lines(x, t, first, lines, to);
}

/* A, if it is in shared memory, and B. */
static bool read_sides(sem *x, uint32_t a[4][ISA_WARP], uint32_t b[2][ISA_WARP])
{
    const isa_inst *in = x->in;
    tile t;

    if (!ISA_GET(in, GREGA) && (!read_descriptor(x, 0, ISA_GET(in, GTRA), &t) ||
                                !read_tile(x, &t, x->w->index % 4 * 16, 16, a)))
        return false;
    return read_descriptor(x, 1, ISA_GET(in, GTRB), &t) &&
           read_tile(x, &t, in->lut * 8u, 8, b);
}

/* The signs of all elements of a word. */
static uint32_t signs(unsigned bits)
{
    return bits == 8 ? 0x80808080 : bits == 16 ? 0x80008000 : 0x80000000;
}

static void float_part(sem *x, group a, group b, bool adds)
{
    static const dot_form forms[] = {DOT_F16, DOT_BF16, DOT_TF32, DOT_E4M3,
                                     DOT_E5M2};
    const isa_inst *in = x->in;
    product m;

    m.x = x;
    m.aform = forms[ISA_GET(in, GFORMA)];
    m.bform = forms[ISA_GET(in, GFORMB)];
    m.bits = isa_tensor_shape(in->op, in->mod).bits;
    m.k = m.stored = 8 * ROW / m.bits;
    m.half = ISA_GET(in, MMAD);
    m.adds = adds;
    m.minus_a = ISA_GET(in, GNEGA) ? signs(m.bits) : 0;
    m.minus_b = ISA_GET(in, GNEGB) ? signs(m.bits) : 0;
    m.rules = rules(x, CFG_NUMERICS_HOPPER, m.aform, m.half);
    product_run(&m, a, b);
}

/* Bytes of a row of A or a column of B in their order. */
static void line_bytes(group from, unsigned lines, unsigned i, uint8_t to[ROW])
{
    for (unsigned half = 0; half < 2; half++)
        memcpy(to + 16 * half, &from[half * lines / 8 + i / 8][4 * (i % 8)],
               16);
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

static void integer_part(sem *x, group ga, group gb, bool adds)
{
    const isa_inst *in = x->in;
    group c = source_rows(x, 2);
    uint32_t d[4][ISA_WARP];
    uint8_t a[16][ROW], b[8][ROW];

    for (unsigned i = 0; i < 16; i++)
        line_bytes(ga, 16, i, a[i]);
    for (unsigned i = 0; i < 8; i++)
        line_bytes(gb, 8, i, b[i]);
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
    uint32_t own[4][ISA_WARP], b[2][ISA_WARP];
    bool adds = sem_pred(x, 0) & x->mask;
    group a = ISA_GET(x->in, GREGA) ? source_rows(x, 0) : (group)own;

    if (!read_sides(x, own, b))
        return;
    if (ISA_GET(x->in, GFORMA) >= GFORM_S8)
        integer_part(x, a, (group)b, adds);
    else
        float_part(x, a, (group)b, adds);
    x->result = EXEC_GROUP;
}

SEM(WGARRIVE) { (void)x; }
SEM(WGCOMMIT)
{
    x->w->groups++;
    x->result = EXEC_COPIES;
}

SEM(WGWAIT) { x->result = EXEC_COPIES; }
