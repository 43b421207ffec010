#include "isa/tensor.h"

#include "base/must.h"

enum { MOD_NONE = ISA_MODS }; /* only one shape */

typedef struct tensor_row {
    uint8_t op, group, value;
    isa_tensor t;
} tensor_row;

static const tensor_row rows[] = {
#define TENSOR_OP(op)
#define TENSOR(op, group, value, m, n, k, bits)                                \
    {ISA_##op, MOD_##group, value, {m, n, k, bits}},
#include "isa/tensor.def"
#undef TENSOR
#undef TENSOR_OP
};

/* Where the rows of an operation begin. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
enum {
#define TENSOR_OP(op)                           BEGIN_##op, BEFORE_##op = BEGIN_##op - 1,
#define TENSOR(op, group, value, m, n, k, bits) JOIN(ROW_, __LINE__),
#include "isa/tensor.def"
#undef TENSOR
#undef TENSOR_OP
};
static const uint8_t begin[ISA_COUNT] = {
#define TENSOR_OP(op) [ISA_##op] = BEGIN_##op,
#define TENSOR(op, group, value, m, n, k, bits)
#include "isa/tensor.def"
#undef TENSOR
#undef TENSOR_OP
};

_Static_assert(ISA_COUNT <= 256, "tensor_row.op");

static unsigned get_mod_group(uint32_t mod, unsigned group)
{
    const isa_mod_desc *m = &isa_mod_table[group];

    return mod >> m->shift & ((1u << m->width) - 1);
}

static unsigned element_bits(isa_op op, uint32_t mod)
{
    if (op == ISA_HMMA)
        return get_mod_group(mod, MOD_HFORM) == HFORM_TF32 ? 32 : 16;
    return get_mod_group(mod, MOD_IFORMA) >= IFORM_S4 ? 4 : 8;
}

isa_tensor isa_tensor_shape(isa_op op, uint32_t mod)
{
    for (unsigned i = begin[op]; i < COUNTOF(rows) && rows[i].op == op; i++) {
        const tensor_row *r = &rows[i];
        isa_tensor t = r->t;

        if (r->group != MOD_NONE && get_mod_group(mod, r->group) != r->value)
            continue;
        if (!t.bits)
            t.bits = (uint8_t)element_bits(op, mod);
        return t;
    }
    return (isa_tensor){0};
}

/* A set of halves for one set of results in halves, else one step of them. */
static isa_tensor_groups volta_regs(uint32_t mod)
{
    bool mixed = get_mod_group(mod, MOD_MMAD) != get_mod_group(mod, MOD_MMAC);

    return (isa_tensor_groups){.d = 2, .a = 2, .b = 2, .c = mixed ? 4 : 2};
}

static uint8_t registers_of_bits(unsigned bits)
{
    unsigned n = bits / (32 * ISA_WARP);

    return n == 2 || n == 4 ? (uint8_t)n : 1;
}

static bool is_sparse(isa_op op)
{
    return op == ISA_HMMASP || op == ISA_IMMASP || op == ISA_QMMASP;
}

static bool is_float(isa_op op)
{
    return op == ISA_HMMA || op == ISA_HMMASP || op == ISA_QMMA ||
           op == ISA_QMMASP || op == ISA_HGMMA;
}

/* Addresses; bytes or coordinates, three in four registers; the rest. */
static isa_tensor_groups bulk_regs(isa_op op, uint32_t mod)
{
    static const uint8_t regs[] = {1, 2, 4, 4, 4};
    bool tensor = isa_table[op].mods >> MOD_TDIM & 1;
    bool wide = isa_table[op].mods >> MOD_TWIDE & 1;
    unsigned dim = tensor ? get_mod_group(mod, MOD_TDIM) : 0;

    return (isa_tensor_groups){.a = 4,
                               .b = dim < COUNTOF(regs) ? regs[dim] : 4,
                               .c = wide && get_mod_group(mod, MOD_TWIDE) ? 4
                                                                          : 1};
}

unsigned isa_bulk_uniform_regs(const isa_inst *in, unsigned source)
{
    static const uint8_t ahead[] = {
        [ISA_UTMALDG - ISA_UBLKCP] = 2,
        [ISA_UTMASTG - ISA_UBLKCP] = 1,
        [ISA_UTMAREDG - ISA_UBLKCP] = 1,
        [ISA_UTMAPF - ISA_UBLKCP] = 0,
    };

    if (source == 0)
        return 2;
    if (source == 2 || in->op == ISA_UBLKPF)
        return 1;
    if (isa_table[in->op].mods >> MOD_TDIM & 1)
        return ahead[in->op - ISA_UBLKCP] + ISA_GET(in, TDIM) + 1;
    return ISA_GET(in, TPATH) == TPATH_SG ? 2 : 1;
}

isa_tensor_groups isa_tensor_regs(isa_op op, uint32_t mod)
{
    isa_tensor t = isa_tensor_shape(op, mod);
    unsigned result = 32;

    if (isa_is_bulk(op))
        return bulk_regs(op, mod);
    if (op == ISA_HMMA884)
        return volta_regs(mod);
    if (op == ISA_LDSM || op == ISA_STSM) {
        uint8_t n = (uint8_t)(1u << (get_mod_group(mod, MOD_MATNUM) & 3));

        return (isa_tensor_groups){n, 1, n, 1};
    }
    if (op == ISA_HGMMA) {
        uint8_t n = get_mod_group(mod, MOD_MMAD) ? 2 : 4;

        return (isa_tensor_groups){n, get_mod_group(mod, MOD_GREGA) ? 4 : 2, 2,
                                   n};
    }
    if (op == ISA_DMMA)
        result = 64;
    else if (is_float(op) && get_mod_group(mod, MOD_MMAD))
        result = 16;
    return (isa_tensor_groups){
        .d = registers_of_bits(t.m * t.n * result),
        .a = is_sparse(op) ? 4 : registers_of_bits(t.m * t.k * t.bits),
        .b = registers_of_bits(t.k * t.n * t.bits),
        .c = registers_of_bits(t.m * t.n * result)};
}

/* How much cheaper or dearer than halves a multiply-add is, from the rates of
 * the A100: tf32 1/2, 8 bits 2, 4 bits 4, 1 bit 16, doubles 1/16
 * [CG:throughput]. */
unsigned isa_tensor_steps(isa_op op, uint32_t mod)
{
    isa_tensor t = isa_tensor_shape(op, mod);
    unsigned work = (unsigned)t.m * t.n * t.k / (is_sparse(op) ? 2 : 1);

    if (op == ISA_HMMA884) /* four products, in four steps or two */
        return get_mod_group(mod, MOD_MMAD) ? 2 : 1;
    switch (t.bits) {
    case 64:
        work *= 16;
        break;
    case 32:
        work *= 2;
        break;
    case 8:
        work /= 2;
        break;
    case 4:
        work /= 4;
        break;
    case 1:
        work /= 16;
        break;
    default:
        break;
    }
    return work >= 256 ? work / 256 : 1;
}

static const char *form_error(uint32_t mod)
{
    return get_mod_group(mod, MOD_HFORM) != HFORM_F16 &&
                   get_mod_group(mod, MOD_MMAD)
               ? "only halves have F16 results"
               : NULL;
}

static const char *width_error(uint32_t mod)
{
    return (get_mod_group(mod, MOD_IFORMA) >= IFORM_S4) !=
                   (get_mod_group(mod, MOD_IFORMB) >= IFORM_S4)
               ? "A and B must have elements of the same width"
               : NULL;
}

static const char *check_hmma(uint32_t mod)
{
    unsigned form = get_mod_group(mod, MOD_HFORM),
             k = isa_tensor_shape(ISA_HMMA, mod).k;

    if (form_error(mod))
        return form_error(mod);
    if (form == HFORM_TF32 ? k > 8 : k < 8)
        return "the shape does not exist for these elements";
    return NULL;
}

/* Rows of metadata have 16 bits, in one lane of four, or 32, in two. */
static const char *check_sparse(const isa_inst *in)
{
    return in->lut > (in->op == ISA_HMMASP ? 3 : 1)
               ? "the selector names lanes that do not exist"
               : NULL;
}

static bool is_fp8(unsigned form)
{
    return form == GFORM_E4M3 || form == GFORM_E5M2;
}

static bool is_byte(unsigned form)
{
    return form == GFORM_S8 || form == GFORM_U8;
}

static const char *check_hgmma(const isa_inst *in)
{
    unsigned a = ISA_GET(in, GFORMA), b = ISA_GET(in, GFORMB);
    bool turned = ISA_GET(in, GTRA) || ISA_GET(in, GTRB);

    if (a != b && !(is_fp8(a) && is_fp8(b)) && !(is_byte(a) && is_byte(b)))
        return "A and B must have elements of the same kind";
    if (ISA_GET(in, MMAD) && a != GFORM_F16 && !is_fp8(a))
        return "only halves and floats of 8 bits have F16 results";
    if (turned && a > GFORM_BF16)
        return "only elements of 16 bits can be transposed";
    if (ISA_GET(in, GTRA) && ISA_GET(in, GREGA))
        return "A in registers cannot be transposed";
    if (a >= GFORM_S8 && (ISA_GET(in, GNEGA) || ISA_GET(in, GNEGB)))
        return "integers cannot be negated";
    if (ISA_GET(in, SAT) && !is_byte(a))
        return "only integers of 8 bits saturate";
    return in->lut > 31 ? "there are 32 steps" : NULL;
}

static const char *check_imma(uint32_t mod)
{
    bool a = get_mod_group(mod, MOD_IFORMA) >= IFORM_S4;
    unsigned k = isa_tensor_shape(ISA_IMMA, mod).k;
    bool wide = isa_tensor_shape(ISA_IMMA, mod).m == 16;

    if (width_error(mod))
        return width_error(mod);
    if (a ? k < 32 : k > (wide ? 32 : 16))
        return "the shape does not exist for these elements";
    return NULL;
}

static const char *check_bulk(const isa_inst *in)
{
    if (ISA_GET(in, TPATH) > TPATH_SS)
        return "there is no such way";
    if (ISA_GET(in, TMCAST) && in->op == ISA_UBLKCP &&
        ISA_GET(in, TPATH) != TPATH_SG)
        return "only what comes from global memory is multicast";
    return NULL;
}

static const char *check_box(const isa_inst *in)
{
    if (ISA_GET(in, TDIM) >= 5)
        return "tensors have 1 to 5 dimensions";
    if (ISA_GET(in, TIM2COL) && ISA_GET(in, TDIM) < 2)
        return "im2col takes 3, 4 or 5 dimensions";
    if (ISA_GET(in, TDIM) == 4 && !ISA_GET(in, TWIDE))
        return "the fifth coordinate is missing";
    return NULL;
}

const char *isa_tensor_check(const isa_inst *in)
{
    switch (in->op) {
    case ISA_UBLKCP:
    case ISA_UBLKRED:
        return check_bulk(in);
    case ISA_UTMALDG:
    case ISA_UTMASTG:
    case ISA_UTMAREDG:
    case ISA_UTMAPF:
        return check_box(in);
    case ISA_HMMA884:
        return get_mod_group(in->mod, MOD_MMAD) &&
                       get_mod_group(in->mod, MOD_STEP) > 1
                   ? "F16 results take two steps"
                   : NULL;
    case ISA_HMMA:
        return check_hmma(in->mod);
    case ISA_IMMA:
        return check_imma(in->mod);
    case ISA_HGMMA:
        return check_hgmma(in);
    case ISA_HMMASP:
        return form_error(in->mod) ? form_error(in->mod) : check_sparse(in);
    case ISA_IMMASP:
        return width_error(in->mod) ? width_error(in->mod) : check_sparse(in);
    case ISA_QMMASP:
        return check_sparse(in);
    case ISA_LDGSTS:
        if (ISA_GET(in, SIZE) > SIZE_128)
            return "copies are of 4, 8 or 16 bytes";
        return ISA_GET(in, CACHE) > CACHE_CG ? "copies are cached or .CG"
                                             : NULL;
    default:
        return NULL;
    }
}
