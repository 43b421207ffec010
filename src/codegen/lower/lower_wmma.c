/* src/codegen/lower/lower_wmma.c - fragments of wmma.load and wmma.store.
 *
 * Which lane holds which element is the implementation's choice
 * [PTX85:wmma.load]. Ours: fragments are the operands of the machine's
 * products, so that wmma.mma moves nothing.
 *
 * Factors of halves, and their results, are laid out as for mma.m8n8k4, one
 * product to each quad-pair (lanes 4q..4q+3 and 16 above): q = 0..3 has rows
 * 8 (q % 2) and columns 8 (q / 2) of m16n16, rows 8q of m32n8, columns 8q of
 * m8n32. The four halves of a set follow each other along k.
 *
 * All others are laid out as for mma.m16n8, or m8n8: two of them side by side
 * for n 16, one above the other for m 32; m8n32 is the transpose of m32n8. */
#include "codegen/lower/context.h"

typedef struct place {
    unsigned row, col;
} place;

typedef struct fragment {
    const ptx_inst *in;
    char which;     /* 'a', 'b', 'c': results, too */
    ptx_type type;  /* of an element in memory */
    unsigned bits;  /* of an element in memory */
    unsigned words; /* that a lane holds */
    unsigned per;   /* elements in a word, at least 1 */
    bool col;       /* by columns in memory */
    bool volta;     /* as for mma.m8n8k4 */
    cg_src lane;
    cg_src at_row, at_col; /* of the lane's first element */
} fragment;

/* ---- what a lane holds ------------------------------------------------- */

/* Bits of the lane number under `mask`, moved left. */
static cg_src lane_bits(lower *l, const fragment *f, unsigned mask, int left)
{
    cg_src s = cb_and(&l->b, f->lane, cg_imm(mask));

    if (left > 0)
        return cb_shl(&l->b, s, cg_imm(left));
    return left < 0 ? cb_shr(&l->b, false, s, cg_imm(-left)) : s;
}

/* First row (or column) of the quad-pair's product. */
static cg_src quad_line(lower *l, const fragment *f, bool row)
{
    unsigned m = f->in->m, n = f->in->n;

    if (m == n)
        return row ? lane_bits(l, f, 4, 1) : lane_bits(l, f, 8, 0);
    return (row ? m : n) == 32 ? lane_bits(l, f, 12, 1) : cg_zero();
}

/* x and the bits of the lane number. */
static cg_src plus_bits(lower *l, const fragment *f, cg_src x, unsigned mask,
                        int left)
{
    cg_src y = lane_bits(l, f, mask, left);

    return x.kind == SRC_REG && !x.reg ? y : cb_add(&l->b, x, y);
}

/* Halves: rows of A lie in lanes, or columns of four elements. */
static void volta_lane(lower *l, fragment *f)
{
    bool a = f->which == 'a', along = a ? !f->col : f->col;
    bool half = f->type == PTX_TYPE_F16;
    cg_src line = cg_zero(), other = cg_zero();

    if (f->which == 'c') {
        line = plus_bits(l, f, quad_line(l, f, true), 16, -2);
        f->at_row = plus_bits(l, f, line, half ? 3 : 1, 0);
        f->at_col = quad_line(l, f, false);
        if (!half)
            f->at_col = plus_bits(l, f, f->at_col, 2, 0);
        return;
    }
    line = plus_bits(l, f, quad_line(l, f, a), 16, -2);
    if (along)
        line = plus_bits(l, f, line, 3, 0);
    else
        other = lane_bits(l, f, 3, 0);
    f->at_row = a ? line : other;
    f->at_col = a ? other : line;
}

static place volta_place(const fragment *f, unsigned e)
{
    bool a = f->which == 'a', along = a ? !f->col : f->col;
    unsigned line, k;

    if (f->which == 'c')
        return f->type == PTX_TYPE_F16 ? (place){0, e}
                                       : (place){e & 2, (e & 4) | (e & 1)};
    line = along ? 0 : e % 4;
    k = along ? e : e / 4 * 4;
    return a ? (place){line, k} : (place){k, line};
}

/* The fragment is that of the transposed product. */
static bool is_swapped(const fragment *f)
{
    return f->in->m == 8 && f->in->n == 32;
}

/* The others: lane 4g + t. */
static void newer_lane(lower *l, fragment *f)
{
    cg_src g = cb_shr(&l->b, false, f->lane, cg_imm(2));
    cg_src t = cb_and(&l->b, f->lane, cg_imm(3));
    bool b = f->which == 'b';

    if (f->which == 'c') {
        t = cb_shl(&l->b, t, cg_imm(1));
        b = is_swapped(f);
    } else if (f->per > 1) {
        t = cb_mul(&l->b, t, cg_imm(f->per));
    }
    f->at_row = b ? t : g;
    f->at_col = b ? g : t;
}

static place newer_place(const fragment *f, unsigned e)
{
    unsigned m = f->in->m, n = f->in->n, word = e / f->per, line, k;
    bool swap = is_swapped(f), wide = m + n > 16; /* 16 rows at a time */
    bool first = (f->which == 'a') != swap && wide;
    unsigned deep = f->in->k / (4 * f->per); /* words along k */
    place p;

    if (f->which == 'c') {
        unsigned block = word / 4;

        p = (place){word % 4 / 2 * 8, word % 2};
        if (m == n)
            p.col += 8 * block;
        else
            p.row += 16 * block;
        return swap ? (place){p.col, p.row} : p;
    }
    if (first) {
        line = word / (2 * deep) * 16 + word % 2 * 8;
        k = word % (2 * deep) / 2;
    } else {
        line = word / deep * 8;
        k = word % deep;
    }
    k = 4 * f->per * k + e % f->per;
    return f->which == 'a' ? (place){line, k} : (place){k, line};
}

bool lo_wmma_bfloat(const lower *l)
{
    const ptx_module *m = l->u->m;

    for (uint32_t i = 0; i < m->nfuncs; i++)
        for (uint32_t k = 0; k < m->funcs[i]->ninsts; k++) {
            const ptx_inst *in = &m->funcs[i]->insts[k];

            if (in->op == PTX_WMMA && ptx_has_sub(in, PTX_SUB_MMA) &&
                lo_type(in, 1) == PTX_TYPE_BF16)
                return true;
        }
    return false;
}

static bool is_volta(lower *l, ptx_type type, char which, unsigned k)
{
    if (type == PTX_TYPE_F16)
        return true;
    return which == 'c' && type == PTX_TYPE_F32 && k == 16 &&
           !lo_wmma_bfloat(l);
}

/* Words that a lane must hold; halves of A and B are held twice. */
static unsigned fragment_words(const fragment *f)
{
    unsigned m = f->in->m, n = f->in->n, k = f->in->k;
    unsigned elements = f->which == 'a'   ? m * k
                        : f->which == 'b' ? k * n
                                          : m * n;

    if (f->volta && f->which != 'c')
        return 8;
    return elements * f->bits / (32 * ISA_WARP);
}

static place place_of_element(const fragment *f, unsigned e)
{
    return f->volta ? volta_place(f, e) : newer_place(f, e);
}

/* ---- where it is in memory --------------------------------------------- */

/* Addresses of the lane's elements: lines of the matrix are `lead` elements
 * apart. */
typedef struct window {
    fragment *f;
    lo_addr base;     /* of the lane's first element */
    cg_src lead;      /* elements from line to line */
    lo_addr line[32]; /* by line; made when first used */
    bool made[32];
} window;

static unsigned line_of(const fragment *f, place p)
{
    return f->col ? p.col : p.row;
}

static unsigned within(const fragment *f, place p)
{
    return f->col ? p.row : p.col;
}

/* a + x * y bytes */
static lo_addr move_by(lower *l, lo_addr a, cg_src x, cg_src y)
{
    cg_build *b = &l->b;

    if (a.space == PTX_SPACE_SHARED) {
        cg_src low = cb_mad(b, cb_reg(b, x, 1), y, cg_word(a.base, 0));
        a.base = cb_pair(b, low, cg_zero());
    } else {
        a.base = cb_wide(b, false, cb_reg(b, x, 1), y, a.base);
    }
    return a;
}

/* Bytes from line to line, when a line counts `n`; elements may be smaller
 * than a byte. */
static cg_src line_bytes(lower *l, const window *w, unsigned n)
{
    cg_src s = w->lead;

    if (s.kind == SRC_IMM)
        return cg_imm(s.val * n * (w->f->bits < 8 ? w->f->bits : 8) / 8);
    if (w->f->bits < 8)
        s = cb_shr(&l->b, false, s, cg_imm(w->f->bits == 4 ? 1 : 3));
    return n == 1 ? s : cb_mul(&l->b, s, cg_imm(n));
}

static void find_base(lower *l, window *w, const ptx_inst *in,
                      const ptx_operand *addr, const ptx_operand *lead)
{
    fragment *f = w->f;
    ptx_space space = in->nspaces ? (ptx_space)in->spaces[0] : PTX_SPACE_NONE;
    unsigned width = f->which == 'a'   ? (f->col ? in->m : in->k)
                     : f->which == 'b' ? (f->col ? in->k : in->n)
                                       : (f->col ? in->m : in->n);
    cg_src line = f->col ? f->at_col : f->at_row;
    cg_src at = f->col ? f->at_row : f->at_col;
    unsigned bytes = f->bits < 8 ? 1 : f->bits / 8;

    w->base = lo_address(l, addr, space);
    w->lead = lead ? lo_src(l, lead, PTX_TYPE_U32) : cg_imm(width);
    if (f->bits < 8)
        at =
            cb_shr(&l->b, false, cb_mul(&l->b, at, cg_imm(f->bits)), cg_imm(3));
    w->base = move_by(l, w->base, at, cb_reg(&l->b, cg_imm(bytes), 1));
    w->base = move_by(l, w->base, line, line_bytes(l, w, bytes));
}

/* The address of the e'th element. */
static lo_addr element_address(lower *l, window *w, unsigned e)
{
    const fragment *f = w->f;
    place p = place_of_element(f, e);
    unsigned line = line_of(f, p), bytes = f->bits < 8 ? 1 : f->bits / 8;
    lo_addr a = w->base;

    MUST(line < COUNTOF(w->line));
    if (line && w->lead.kind == SRC_IMM) {
        a.offset += (int32_t)(line * w->lead.val * f->bits / 8);
    } else if (line) {
        if (!w->made[line])
            w->line[line] = move_by(l, w->base, cg_imm(line),
                                    cb_reg(&l->b, line_bytes(l, w, bytes), 1));
        w->made[line] = true;
        a = w->line[line];
    }
    a.offset += (int32_t)(within(f, p) * f->bits / 8);
    return a;
}

/* Elements from e on that one access of a lane can take: neighbours in
 * memory, a power of two, 16 bytes at most. */
static unsigned run_length(const fragment *f, unsigned e, unsigned count)
{
    place first = place_of_element(f, e);
    unsigned most = 128 / f->bits, n = 1;

    while (n < most && e + n < count) {
        place p = place_of_element(f, e + n);

        if (line_of(f, p) != line_of(f, first) ||
            within(f, p) != within(f, first) + n)
            break;
        n++;
    }
    while (n & (n - 1))
        n &= n - 1;
    return n;
}

static enum isa_size size_of_bits(unsigned bits)
{
    return bits == 8    ? SIZE_U8
           : bits == 16 ? SIZE_U16
           : bits == 32 ? SIZE_32
           : bits == 64 ? SIZE_64
                        : SIZE_128;
}

/* ---- loads and stores -------------------------------------------------- */

/* True if fragments have elements of type `t` [PTX85:wmma-matrix-data-types].
 */
static bool is_element(ptx_type t, bool c)
{
    if (t == PTX_TYPE_F16 || t == PTX_TYPE_F64)
        return true;
    if (t == PTX_TYPE_F32 || t == PTX_TYPE_S32)
        return c;
    if (t == PTX_TYPE_BF16 || t == PTX_TYPE_TF32 || t == PTX_TYPE_S8 ||
        t == PTX_TYPE_U8 || t == PTX_TYPE_S4 || t == PTX_TYPE_U4 ||
        t == PTX_TYPE_B1)
        return !c;
    return false;
}

static bool begin_fragment(lower *l, const ptx_inst *in, bool store,
                           fragment *f)
{
    ptx_type t = lo_type(in, 0);
    unsigned words, bits = ptx_type_bits(t);

    if (in->nops < 2 || in->ops[!store].kind != PTX_OPD_ADDR) {
        lo_unsupported(l, NULL);
        return false;
    }
    if (!lo_wmma_shape(l, in) ||
        !lo_newer(l, t == PTX_TYPE_F16 || t == PTX_TYPE_F32 ? LO_VOLTA : 75))
        return false;
    *f = (fragment){.in = in, .type = t, .bits = bits};
    f->which = store                        ? 'c'
               : ptx_has_sub(in, PTX_SUB_A) ? 'a'
               : ptx_has_sub(in, PTX_SUB_B) ? 'b'
                                            : 'c';
    if (t == PTX_TYPE_TF32)
        f->bits = bits = 32;
    f->per = bits < 32 ? 32 / bits : 1;
    f->col = in->layouts[0] == PTX_LAYOUT_COL;
    f->volta = is_volta(l, t, f->which, in->k);
    f->words = fragment_words(f);
    words = in->ops[store].kind == PTX_OPD_VEC ? in->ops[store].nelems : 1;
    if (!is_element(t, f->which == 'c') ||
        words * (bits == 64 ? 2 : 1) != f->words || f->words > LO_WORDS ||
        (f->bits < 8 && f->col != (f->which == 'b'))) {
        lo_unsupported(l, "there is no such fragment");
        return false;
    }
    f->lane = cb_sreg(&l->b, SR_LANEID);
    if (f->volta)
        volta_lane(l, f);
    else
        newer_lane(l, f);
    return true;
}

static unsigned elements_of(const fragment *f)
{
    return f->bits == 64 ? f->words / 2 : f->words * f->per;
}

/* Elements of less than a word, one to a register, as words. */
static void pack_fragment(lower *l, const fragment *f, const cg_src *e,
                          cg_src *w)
{
    cg_build *b = &l->b;

    for (unsigned i = 0; i < f->words; i++) {
        if (f->bits == 16) {
            w[i] = cb_op(b, ISA_PRMT, e[2 * i], cg_imm(0x5410), e[2 * i + 1]);
            continue;
        }
        cg_src low = cb_op(b, ISA_PRMT, e[4 * i], cg_imm(0x0040), e[4 * i + 1]);
        cg_src high =
            cb_op(b, ISA_PRMT, e[4 * i + 2], cg_imm(0x0040), e[4 * i + 3]);
        w[i] = cb_op(b, ISA_PRMT, low, cg_imm(0x5410), high);
    }
}

void lo_wmma_load(lower *l, const ptx_inst *in)
{
    cg_src w[LO_WORDS], small[4 * LO_WORDS];
    unsigned count, n;
    fragment f;
    window win = {.f = &f};
    bool whole = true;

    if (!begin_fragment(l, in, false, &f))
        return;
    find_base(l, &win, in, &in->ops[1], in->nops > 2 ? &in->ops[2] : NULL);
    count = elements_of(&f);
    for (unsigned e = 0; e < count; e += n) {
        n = run_length(&f, e, count);
        unsigned bits = n * f.bits;
        lo_addr a = element_address(l, &win, e);
        cg_inst *i = lo_mem(l, lo_load_op(a.space), &a);

        CG_PUT(i, SIZE, size_of_bits(bits));
        i->dst.reg = cg_reg_new(l->b.f, cg_class_of_words(cg_dst_words(i)));
        if (bits < 32) {
            whole = false;
            small[e] = cg_r(i->dst.reg);
            MUST(n == 1);
        } else {
            for (unsigned k = 0; k < bits / 32; k++)
                w[e * f.bits / 32 + k] = cg_rw(i->dst.reg, k);
        }
    }
    if (!whole)
        pack_fragment(l, &f, small, w);
    lo_set_list(l, &in->ops[0], w, f.words);
}

/* The e'th element in the low bits of a register. */
static cg_src fragment_element(lower *l, const fragment *f, const cg_src *w,
                               unsigned e)
{
    unsigned at = e % f->per * f->bits;

    return at ? cb_shr(&l->b, false, w[e / f->per], cg_imm(at)) : w[e / f->per];
}

void lo_wmma_store(lower *l, const ptx_inst *in)
{
    cg_src w[LO_WORDS];
    unsigned count, n;
    fragment f;
    window win = {.f = &f};

    if (!begin_fragment(l, in, true, &f))
        return;
    if (lo_list(l, &in->ops[1], w) != f.words) {
        lo_unsupported(l, "there is no such fragment");
        return;
    }
    find_base(l, &win, in, &in->ops[0], in->nops > 2 ? &in->ops[2] : NULL);
    count = elements_of(&f);
    for (unsigned e = 0; e < count; e += n) {
        n = run_length(&f, e, count);
        unsigned bits = n * f.bits, words = bits / 32;
        lo_addr a = element_address(l, &win, e);
        cg_src v = bits < 32 ? cb_reg(&l->b, fragment_element(l, &f, w, e), 1)
                             : lo_join(l, &w[e * f.bits / 32], words);
        cg_inst *i = lo_mem(l, lo_store_op(a.space), &a);

        i->src[1] = v;
        CG_PUT(i, SIZE, size_of_bits(bits));
    }
}
