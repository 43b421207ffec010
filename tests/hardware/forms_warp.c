/* tests/hardware/forms_warp.c - what lanes of a full warp tell each other. */
#include "form.h"

enum { UP, DOWN, BFLY, IDX };

/* Lane and whether it is in range, by the manual's pseudocode. */
static uint64_t shfl_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned lane = i & 31, base = i & ~31u;
    unsigned b = in->v[1][i] & 31, clamp = in->v[2][i] & 31;
    unsigned seg = in->v[2][i] >> 8 & 31;
    int most = (int)((lane & seg) | (clamp & ~seg)), j;
    int least = (int)(lane & seg);
    bool in_range;

    switch (f->op) {
    case UP:
        j = (int)lane - (int)b;
        in_range = j >= most;
        break;
    case DOWN:
        j = (int)(lane + b);
        in_range = j <= most;
        break;
    case BFLY:
        j = (int)(lane ^ b);
        in_range = j <= most;
        break;
    default:
        j = least | (int)(b & ~seg);
        in_range = j <= most;
    }
    if (!in_range)
        j = (int)lane;
    return (uint32_t)in->v[0][base + (unsigned)j] | (uint64_t)in_range << 32;
}

static void add_shfl(hw_list *l)
{
    static const char *const text[] = {"up", "down", "bfly", "idx"};

    for (int op = UP; op <= IDX; op++) {
        hw_form *f = hw_list_add(l, "warps", shfl_ref, HW_U64, HW_U32,
                                 HW_AMOUNT, HW_U32);
        f->op = op;
        hw_name(f, "shfl.sync.%s.b32", text[op]);
        hw_text(f,
                "{.reg .b32 x, y; %s x|p, $a, $b, $c, 0xffffffff; "
                "selp.u32 y, 1, 0, p; mov.b64 $d, {x, y};}",
                f->name);
    }
}

enum { ALL, ANY, UNI, BALLOT, MATCH_ANY, MATCH_ALL };

static uint64_t vote_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned base = i & ~31u;
    const uint64_t *v = in->v[0];
    uint32_t ballot = 0, same = 0;

    for (unsigned k = 0; k < 32; k++) {
        ballot |= (uint32_t)(v[base + k] & 1) << k;
        same |= (uint32_t)(v[base + k] == v[i]) << k;
    }
    switch (f->op) {
    case ALL:
        return ballot == ~0u;
    case ANY:
        return ballot != 0;
    case UNI:
        return ballot == 0 || ballot == ~0u;
    case BALLOT:
        return ballot;
    case MATCH_ANY:
        return same;
    default:
        return same == ~0u ? (uint64_t)1 << 32 | same : 0;
    }
}

static void add_votes(hw_list *l)
{
    static const char *const text[] = {"all", "any", "uni", "ballot"};
    hw_form *f;

    for (int op = ALL; op <= BALLOT; op++) {
        f = hw_list_add(l, "warps", vote_ref, HW_U32, HW_U32, HW_NONE, HW_NONE);
        f->op = op;
        hw_name(f, "vote.sync.%s.%s", text[op], op == BALLOT ? "b32" : "pred");
        hw_text(f,
                "{.reg .b32 x; and.b32 x, $a, 1; setp.ne.u32 p, x, 0; %s %s}",
                f->name,
                op == BALLOT ? "$d, p, 0xffffffff;"
                             : "q, p, 0xffffffff; selp.u32 $d, 1, 0, q;");
    }
    for (int wide = 0; wide < 2; wide++) {
        hw_type t = wide ? HW_U64 : HW_U32;
        f = hw_list_add(l, "warps", vote_ref, HW_U32, t, HW_NONE, HW_NONE);
        f->op = MATCH_ANY;
        hw_name(f, "match.any.sync.b%u", hw_bits(t));
        hw_text(f, "%s $d, $a, 0xffffffff;", f->name);
        f = hw_list_add(l, "warps", vote_ref, HW_U64, t, HW_NONE, HW_NONE);
        f->op = MATCH_ALL;
        hw_name(f, "match.all.sync.b%u", hw_bits(t));
        hw_text(f,
                "{.reg .b32 x, y; %s x|p, $a, 0xffffffff; "
                "selp.u32 y, 1, 0, p; mov.b64 $d, {x, y};}",
                f->name);
    }
}

enum { R_ADD, R_MIN, R_MAX, R_AND, R_OR, R_XOR };

static uint64_t redux_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned base = i & ~31u;
    uint32_t r = (uint32_t)in->v[0][base];

    for (unsigned k = 1; k < 32; k++) {
        uint32_t v = (uint32_t)in->v[0][base + k];
        bool less = hw_signed(f->d) ? (int32_t)v < (int32_t)r : v < r;
        switch (f->op) {
        case R_ADD:
            r += v;
            break;
        case R_MIN:
            r = less ? v : r;
            break;
        case R_MAX:
            r = less ? r : v;
            break;
        case R_AND:
            r &= v;
            break;
        case R_OR:
            r |= v;
            break;
        default:
            r ^= v;
        }
    }
    return r;
}

void hw_forms_warp(hw_list *l)
{
    static const char *const text[] = {"add", "min", "max", "and", "or", "xor"};

    add_shfl(l);
    add_votes(l);
    for (int op = R_ADD; op <= R_XOR; op++)
        for (int s = 0; s < (op < R_AND ? 2 : 1); s++) {
            hw_type t = s ? HW_S32 : HW_U32;
            hw_form *f =
                hw_list_add(l, "warps", redux_ref, t, t, HW_NONE, HW_NONE);
            f->op = op;
            hw_name(f, "redux.sync.%s.%s", text[op],
                    op < R_AND ? hw_type_text(t) : "b32");
            hw_text(f, "%s $d, $a, 0xffffffff;", f->name);
        }
}
