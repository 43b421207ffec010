/* tests/hardware/forms_video.c - video instructions, from the pseudocode of
 * the manual in 64 and 128 bits [PTX85:scalar-video-instructions]
 * [PTX85:simd-video-instructions]. */
#include <stdlib.h>
#include <string.h>

#include "form.h"

enum { ADD, SUB, ABSDIFF, MIN, MAX, AVRG, SET, SHL, SHR, MAD };
enum { NO_SECOND, SECOND_ADD, SECOND_MIN, SECOND_MAX };

static const char *const names[] = {
    [ADD] = "vadd", [SUB] = "vsub",   [ABSDIFF] = "vabsdiff", [MIN] = "vmin",
    [MAX] = "vmax", [AVRG] = "vavrg", [SET] = "vset",         [SHL] = "vshl",
    [SHR] = "vshr", [MAD] = "vmad",
};
static const char *const types[] = {"u32", "s32"};
static const char *const seconds[] = {"", ".add", ".min", ".max"};
static const char *const cmps[] = {"eq", "ne", "lt", "le", "gt", "ge"};

/* Parts of an operand; "" is all of it. */
static const char *const parts[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
/* Selections and masks of two and of four parts. */
static const char *const picks[2][4] = {{"", "h03", "h21", "h33"},
                                        {"", "b7210", "b0123", "b6543"}};
static const char *const masks[2][4] = {{"", "h0", "h1", "h10"},
                                        {"", "b310", "b2", "b3210"}};

/* All there is to know about one form; in hw_form.op as bits. */
typedef struct spec {
    unsigned op : 4, lanes : 3; /* 1: scalar */
    unsigned d : 1, a : 1, b : 1, sat : 1, wrap : 1;
    unsigned part_d : 3, part_a : 3, part_b : 3; /* or picks, masks */
    unsigned second : 2, cmp : 3;
    unsigned minus : 2, po : 1, shift : 2; /* vmad: a, c; 0, 7, 15 */
} spec;

static spec spec_of(const hw_form *f)
{
    spec s;
    int packed[2] = {f->op, f->n};

    memcpy(&s, packed, sizeof s);
    return s;
}

static int64_t extract(uint64_t v, unsigned at, unsigned bits, bool sign)
{
    v = v >> at & (((uint64_t)1 << bits) - 1);
    if (sign && v >> (bits - 1))
        v |= ~(uint64_t)0 << bits;
    return (int64_t)v;
}

static void place(const char *part, unsigned *at, unsigned *bits)
{
    *bits = part[0] == 'b' ? 8 : part[0] == 'h' ? 16 : 32;
    *at = part[0] ? (unsigned)(part[1] - '0') * *bits : 0;
}

static int64_t part_of(uint64_t v, const char *part, bool sign)
{
    unsigned at, bits;

    place(part, &at, &bits);
    return extract(v, at, bits, sign);
}

static __int128 clamp(__int128 v, bool sign, unsigned bits)
{
    __int128 least = sign ? -((__int128)1 << (bits - 1)) : 0;
    __int128 most = least + ((__int128)1 << bits) - 1;

    return v < least ? least : v > most ? most : v;
}

static bool holds(unsigned cmp, int64_t x, int64_t y)
{
    switch (cmp) {
    case 0:
        return x == y;
    case 1:
        return x != y;
    case 2:
        return x < y;
    case 3:
        return x <= y;
    case 4:
        return x > y;
    default:
        return x >= y;
    }
}

static __int128 operate(spec s, int64_t x, int64_t y)
{
    switch (s.op) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case ABSDIFF:
        return x > y ? x - y : y - x;
    case MIN:
        return x < y ? x : y;
    case MAX:
        return x > y ? x : y;
    case AVRG:
        return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
    case SET:
        return holds(s.cmp, x, y);
    default:
        y = s.wrap ? y & 31 : y > 32 ? 32 : y;
        return s.op == SHL ? (__int128)x * ((__int128)1 << y) : x >> y;
    }
}

static uint64_t finish(spec s, uint32_t v, uint32_t c)
{
    unsigned at, bits;
    bool less = s.d ? (int32_t)v < (int32_t)c : v < c;
    uint32_t mask;

    switch (s.second) {
    case SECOND_ADD:
        return v + c;
    case SECOND_MIN:
        return less ? v : c;
    case SECOND_MAX:
        return less ? c : v;
    default:
        place(parts[s.part_d], &at, &bits);
        mask = (uint32_t)((((uint64_t)1 << bits) - 1) << at);
        return ((v << at) & mask) | (c & ~mask);
    }
}

static uint64_t mad(spec s, int64_t x, int64_t y, uint32_t c)
{
    bool sign = s.a || s.b || s.minus;
    __int128 r = (__int128)x * y;
    __int128 z = sign ? (int32_t)c : (__int128)c;

    if (s.po)
        r = r + z + 1;
    else if (s.minus & 1)
        r = z - r;
    else if (s.minus & 2)
        r = r + (int32_t)~c + 1;
    else
        r = r + z;
    r >>= s.shift == 1 ? 7 : s.shift == 2 ? 15 : 0;
    return (uint32_t)(s.sat ? clamp(r, sign, 32) : r);
}

static uint64_t scalar_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    spec s = spec_of(f);
    int64_t x = part_of(in->v[0][i], parts[s.part_a], s.a);
    int64_t y = part_of(in->v[1][i], parts[s.part_b], s.b);
    uint32_t c = f->s[2] ? (uint32_t)in->v[2][i] : 0;
    unsigned at, bits;
    __int128 v;

    if (s.op == MAD)
        return mad(s, x, y, c);
    v = operate(s, x, y);
    place(parts[s.part_d], &at, &bits);
    if (s.sat)
        v = clamp(v, s.d, bits);
    return finish(s, (uint32_t)v, c);
}

/* Lane `lane` of the selection: of a, then of b. */
static int64_t picked(const char *pick, unsigned lanes, unsigned first,
                      unsigned lane, uint64_t a, uint64_t b, bool sign)
{
    unsigned bits = 32 / lanes;
    unsigned k = pick[0] ? (unsigned)(pick[lanes - lane] - '0') : first + lane;

    return extract(k < lanes ? a : b, k % lanes * bits, bits, sign);
}

static uint64_t simd_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    spec s = spec_of(f);
    unsigned lanes = s.lanes, wide = lanes == 4, bits = 32 / lanes;
    const char *mask = masks[wide][s.part_d];
    uint64_t a = in->v[0][i], b = in->v[1][i];
    uint32_t c = (uint32_t)in->v[2][i], d = s.second ? c : 0;

    for (unsigned k = 0; k < lanes; k++) {
        int64_t x = picked(picks[wide][s.part_a], lanes, 0, k, a, b, s.a);
        int64_t y = picked(picks[wide][s.part_b], lanes, lanes, k, a, b, s.b);
        __int128 v = operate(s, x, y);
        uint32_t all = (1u << bits) - 1;
        bool in_mask = !mask[0] || strchr(mask + 1, '0' + (int)k);

        if (s.sat)
            v = clamp(v, s.d, bits);
        if (s.second)
            d += in_mask ? (uint32_t)v : 0;
        else
            d |= ((in_mask ? (uint32_t)v : c >> k * bits) & all) << k * bits;
    }
    return d;
}

/* ---- the list ---- */

static void store(hw_form *f, spec s)
{
    int packed[2] = {0, 0};

    memcpy(packed, &s, sizeof s);
    f->op = packed[0];
    f->n = packed[1];
}

static void name(hw_form *f, spec s)
{
    static const char *const shifts[] = {"", ".shr7", ".shr15"};
    const char *second = s.op == MAD ? shifts[s.shift] : seconds[s.second];
    const char *dot[3], *part[3];
    char size[2] = {s.lanes > 1 ? (char)('0' + s.lanes) : 0, 0};
    bool wide = s.lanes == 4, three = f->s[2] != HW_NONE;

    part[0] = s.lanes > 1 ? masks[wide][s.part_d] : parts[s.part_d];
    part[1] = s.lanes > 1 ? picks[wide][s.part_a] : parts[s.part_a];
    part[2] = s.lanes > 1 ? picks[wide][s.part_b] : parts[s.part_b];
    for (unsigned k = 0; k < 3; k++)
        dot[k] = part[k][0] ? "." : "";
    if (s.op == SET)
        hw_name(f, "%s%s.%s.%s.%s%s %s %s %s", names[s.op], size, types[s.a],
                types[s.b], cmps[s.cmp], second, part[0], part[1], part[2]);
    else
        hw_name(f, "%s%s.%s.%s.%s%s%s%s%s %s %s %s%s%s", names[s.op], size,
                types[s.d], types[s.a], types[s.b], s.po ? ".po" : "",
                s.sat ? ".sat" : "",
                s.op == SHL || s.op == SHR ? s.wrap ? ".wrap" : ".clamp" : "",
                second, part[0], part[1], part[2], s.minus & 1 ? " -a" : "",
                s.minus & 2 ? " -c" : "");
    hw_text(f, "%.*s $d%s%s, %s$a%s%s, $b%s%s%s%s;", (int)strcspn(f->name, " "),
            f->name, dot[0], part[0], s.minus & 1 ? "-" : "", dot[1], part[1],
            dot[2], part[2], three ? s.minus & 2 ? ", -" : ", " : "",
            three ? "$c" : "");
}

static void add(hw_list *l, spec s, bool three)
{
    hw_form *f =
        hw_list_add(l, "video", s.lanes > 1 ? simd_ref : scalar_ref, HW_U32,
                    HW_U32, s.op == SHL || s.op == SHR ? HW_AMOUNT : HW_U32,
                    three ? HW_U32 : HW_NONE);

    store(f, s);
    name(f, s);
}

/* Each operation with every signedness, and parts and second operations in
 * turn. */
static void add_scalars(hw_list *l)
{
    unsigned n = 0;

    for (unsigned op = ADD; op <= SHR; op++)
        for (unsigned k = 0; k < 16; k++, n++) {
            spec s = {.op = op & 15,
                      .lanes = 1,
                      .d = k & 1,
                      .a = k >> 1 & 1,
                      .b = k >> 2 & 1,
                      .sat = k >> 3 & 1};
            if (op == AVRG || (op == SET && s.sat))
                continue;
            if (op == SHL || op == SHR) {
                s.wrap = s.b;
                s.b = 0;
            }
            s.cmp = n % 6;
            if (op == SET)
                s.d = 0;
            add(l, s, false);
            s.part_a = n % 7;
            s.part_b = n / 3 % 7;
            s.second = 1 + n % 3;
            add(l, s, true);
            s.second = 0;
            s.part_d = 1 + n % 6;
            add(l, s, true);
        }
}

static void add_mads(hw_list *l)
{
    for (unsigned k = 0; k < 64; k++) {
        spec s = {.op = MAD,
                  .lanes = 1,
                  .a = k & 1,
                  .b = k >> 1 & 1,
                  .sat = k >> 2 & 1,
                  .shift = k >> 3 & 3};
        unsigned how = k % 5;

        s.shift = s.shift == 3 ? 0 : s.shift;
        s.d = s.a | s.b;
        s.po = how == 1;
        s.minus = how == 2 ? 1 : how == 3 ? 2 : 0;
        s.d |= s.minus != 0;
        if (k >= 32) {
            s.part_a = 1 + k % 6;
            s.part_b = 1 + k / 2 % 6;
        }
        add(l, s, true);
    }
}

static void add_simds(hw_list *l)
{
    unsigned n = 0;

    for (unsigned op = ADD; op <= SET; op++)
        for (unsigned lanes = 2; lanes <= 4; lanes += 2)
            for (unsigned k = 0; k < 16; k++, n++) {
                spec s = {.op = op & 15,
                          .lanes = lanes & 7,
                          .d = k & 1,
                          .a = k >> 1 & 1,
                          .b = k >> 2 & 1,
                          .sat = k >> 3 & 1};

                if (op == SET && s.sat)
                    continue;
                s.cmp = n % 6;
                s.part_d = n % 4;
                s.part_a = n / 2 % 4;
                s.part_b = n / 3 % 4;
                s.second = !s.sat && n % 3 == 0;
                add(l, s, true);
            }
}

void hw_forms_video(hw_list *l)
{
    add_scalars(l);
    add_mads(l);
    add_simds(l);
}
