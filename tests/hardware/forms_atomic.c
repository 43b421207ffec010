/* tests/hardware/forms_atomic.c - what atomics leave in memory, and, by
 * threads that share a word, that none is lost. */
#include "number.h"

enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, CAS };

static const char *const names[] = {"add", "min", "max", "inc",  "dec",
                                    "and", "or",  "xor", "exch", "cas"};

static uint64_t low(uint64_t v, unsigned bits)
{
    return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static bool less(hw_type t, uint64_t a, uint64_t b)
{
    unsigned up = 64 - hw_bits(t);

    return hw_signed(t) ? (int64_t)(a << up) < (int64_t)(b << up) : a < b;
}

static uint64_t sum(const hw_form *f, uint64_t a, uint64_t b)
{
    hw_type t = f->type;

    if (!hw_float(t))
        return low(a + b, hw_bits(t));
    uint64_t r = hw_pack(
        t, hw_add(hw_unpack(t, a, f->ftz), hw_unpack(t, b, f->ftz), HW_RN),
        HW_RN, f->ftz, false);
    if (f->n == 2) {
        r &= 0xffff;
        r |= hw_pack(t,
                     hw_add(hw_unpack(t, a >> 16, false),
                            hw_unpack(t, b >> 16, false), HW_RN),
                     HW_RN, false, false)
             << 16;
    }
    return r;
}

static uint64_t apply(const hw_form *f, uint64_t a, uint64_t b, uint64_t c)
{
    switch (f->op) {
    case ADD:
        return sum(f, a, b);
    case MIN:
        return less(f->type, a, b) ? a : b;
    case MAX:
        return less(f->type, a, b) ? b : a;
    case INC:
        return a >= b ? 0 : a + 1;
    case DEC:
        return a == 0 || a > b ? b : a - 1;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case EXCH:
        return b;
    default:
        return a == b ? c : a;
    }
}

/* New value, and the old one: beside it, or mixed in if both have 64 bits. */
static uint64_t atom_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t a = in->v[0][i], b = in->v[1][i], c = in->v[2][i];
    uint64_t new = apply(f, a, b, c);

    return hw_float(f->type)       ? new
           : hw_bits(f->type) < 64 ? new | a << 32
                                   : new + a * 3;
}

static void add_atom(hw_list *l, int op, hw_type t, const char *space,
                     const char *type, const char *mods)
{
    unsigned bits = hw_bits(t);
    bool is_float = hw_float(t);
    hw_form *f = hw_list_add(l, "atomics", atom_ref, is_float ? t : HW_U64, t,
                             t, op == CAS ? t : HW_NONE);
    const char *end = is_float     ? "mov.b%u $d, x;"
                      : bits == 32 ? "mov.b64 $d, {x, y};"
                                   : "mad.lo.u64 $d, y, 3, x;";
    char tail[40];
    bool shared = space[0] == 's';

    f->op = op;
    f->type = t;
    f->n = t == HW_F16X2 || t == HW_BF16X2 ? 2 : 1;
    f->ftz = t == HW_F32 && !shared; /* only in global memory */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
    snprintf(tail, sizeof tail, end, bits);
#pragma GCC diagnostic pop
    hw_name(f, "atom.%s.%s%s.%s", space, names[op], mods, type);
    hw_text(f,
            "{.reg .b%u x, y; .reg .b64 at; %s st.%s.b%u [at], $a; %s y, [at], "
            "$b%s; ld.%s.b%u x, [at]; %s}",
            bits,
            shared ? ".shared .align 8 .b8 w[1024]; .reg .b32 z; "
                     "mov.u32 z, %tid.x; mul.wide.u32 at, z, 8; "
                     ".reg .b64 o; mov.u64 o, w; add.u64 at, at, o;"
                   : "mov.b64 at, $s;",
            space, bits, f->name, op == CAS ? ", $c" : "", space, bits, tail);
}

/* ---- all threads of a warp on one word ---- */

static uint64_t shared_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t r = f->op == MIN || f->op == AND ? ~(uint64_t)0 : 0;

    for (unsigned k = i & ~31u; k <= (i | 31u); k++)
        r = low(apply(f, low(r, hw_bits(f->type)), in->v[0][k], 0),
                hw_bits(f->type));
    return r;
}

static void add_contended(hw_list *l, int op, hw_type t, const char *type)
{
    hw_form *f = hw_list_add(l, "atomics", shared_ref, t, t, HW_NONE, HW_NONE);
    unsigned bits = hw_bits(t);

    f->op = op;
    f->type = t;
    hw_name(f, "red.global.%s.%s by a warp", names[op], type);
    hw_text(f,
            "{.reg .b64 at; .reg .b32 z; and.b64 at, $s, -256; "
            "mov.u32 z, %%laneid; setp.eq.u32 p, z, 0; "
            "@p st.global.b%u [at], %d; bar.warp.sync 0xffffffff; "
            "red.global.%s.%s [at], $a; bar.warp.sync 0xffffffff; "
            "ld.volatile.global.b%u $d, [at]; bar.warp.sync 0xffffffff;}",
            bits, op == MIN || op == AND ? -1 : 0, names[op], type, bits);
}

void hw_forms_atomic(hw_list *l)
{
    static const char *const spaces[] = {"global", "shared"};

    for (unsigned s = 0; s < 2; s++) {
        for (int op = ADD; op <= CAS; op++)
            for (int wide = 0; wide < 2; wide++) {
                bool bits = op >= AND, arith = op == MIN || op == MAX;
                hw_type t = wide ? HW_U64 : HW_U32;
                if (wide && (op == INC || op == DEC))
                    continue;
                add_atom(l, op, t, spaces[s],
                         bits   ? wide ? "b64" : "b32"
                         : wide ? "u64"
                                : "u32",
                         "");
                t = wide ? HW_S64 : HW_S32;
                if (arith)
                    add_atom(l, op, t, spaces[s], hw_type_text(t), "");
            }
        add_atom(l, ADD, HW_F32, spaces[s], "f32", "");
        add_atom(l, ADD, HW_F64, spaces[s], "f64", "");
        add_atom(l, ADD, HW_F16X2, spaces[s], "f16x2", ".noftz");
        add_atom(l, ADD, HW_BF16X2, spaces[s], "bf16x2", ".noftz");
    }
    for (int op = ADD; op <= XOR; op++)
        if (op != INC && op != DEC) {
            add_contended(l, op, HW_U32, op >= AND ? "b32" : "u32");
            add_contended(l, op, HW_U64, op >= AND ? "b64" : "u64");
        }
}
