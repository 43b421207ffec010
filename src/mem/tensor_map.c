/* src/mem/tensor_map.c - see tensor_map.h. */
#include "mem/tensor_map.h"

#include <stddef.h>

#include "base/bits.h"

unsigned tensor_bytes(unsigned type)
{
    static const uint8_t bytes[TENSOR_TYPES] = {
        [TENSOR_U8] = 1,      [TENSOR_U16] = 2,  [TENSOR_U32] = 4,
        [TENSOR_S32] = 4,     [TENSOR_U64] = 8,  [TENSOR_S64] = 8,
        [TENSOR_F16] = 2,     [TENSOR_F32] = 4,  [TENSOR_F32_FTZ] = 4,
        [TENSOR_F64] = 8,     [TENSOR_BF16] = 2, [TENSOR_TF32] = 4,
        [TENSOR_TF32_FTZ] = 4};

    return type < TENSOR_TYPES ? bytes[type] : 0;
}

unsigned tensor_unit(const tensor_map *m)
{
    return m->interleave ? 8u << m->interleave : tensor_bytes(m->type);
}

/* The first step counts with interleave only. */
uint32_t tensor_count(const tensor_map *m, unsigned i)
{
    uint32_t step = i || m->interleave ? m->step[i] : 1;

    return m->im2col ? m->box[i] : (m->box[i] + step - 1) / step;
}

uint64_t tensor_box_bytes(const tensor_map *m)
{
    uint64_t bytes = tensor_unit(m);
    unsigned dims = m->im2col ? 2 : m->last + 1u;

    for (unsigned i = 0; i < dims; i++)
        bytes *= tensor_count(m, i);
    return bytes;
}

/* Which NaN is not public: the one that arithmetic makes [guess]. */
uint64_t tensor_outside(const tensor_map *m)
{
    if (!m->nan)
        return 0;
    switch ((tensor_type)m->type) {
    case TENSOR_F16:
    case TENSOR_BF16:
        return 0x7fff;
    case TENSOR_F64:
        return 0xfff8000000000000;
    case TENSOR_F32:
    case TENSOR_F32_FTZ:
    case TENSOR_TF32:
    case TENSOR_TF32_FTZ:
        return 0x7fffffff;
    case TENSOR_U8:
    case TENSOR_U16:
    case TENSOR_U32:
    case TENSOR_S32:
    case TENSOR_U64:
    case TENSOR_S64:
    case TENSOR_TYPES:
        break;
    }
    return 0;
}

/* ---- checks [CUDA13:cuTensorMapEncodeTiled] ---- */

static const char *check_kinds(const tensor_map *m)
{
    if (m->type >= TENSOR_TYPES)
        return m->type < TENSOR_TYPES + 3
                   ? "elements of 4 and 6 bits exist from sm_100 on"
                   : "there is no such element type";
    if (m->interleave >= TENSOR_INTERLEAVES)
        return "there is no such interleave";
    if (m->swizzle >= TENSOR_SWIZZLES)
        return "swizzles but none, 32, 64 and 128 bytes exist from sm_100 on";
    if (m->nan > 1)
        return "there is no such fill";
    if (m->promotion > 3)
        return "there is no such L2 promotion";
    if (m->nan && (m->type < TENSOR_F16 || m->type >= TENSOR_TYPES))
        return "only elements of floating point can be filled with NaN";
    if (m->interleave == TENSOR_SLICES_32 && m->swizzle != TENSOR_SWIZZLE_32)
        return "interleave 32B needs swizzle 32B";
    return NULL;
}

static const char *check_places(const tensor_map *m)
{
    unsigned align = m->interleave == TENSOR_SLICES_32 ? 32 : 16;

    if (m->last >= TENSOR_DIMS)
        return "a tensor has 1 to 5 dimensions";
    if (m->interleave && m->last < 2)
        return "interleave needs at least 3 dimensions";
    if (m->address % align)
        return align == 32 ? "the address is no multiple of 32"
                           : "the address is no multiple of 16";
    for (unsigned i = 0; i < m->last; i++) {
        if (m->stride[i] % align)
            return align == 32 ? "a stride is no multiple of 32"
                               : "a stride is no multiple of 16";
        if (m->stride[i] >> 40)
            return "a stride is not less than 2^40";
    }
    for (unsigned i = 0; i <= m->last; i++)
        if (!m->step[i] || m->step[i] > 8)
            return "an element stride is not between 1 and 8";
    return NULL;
}

static const char *check_row(const tensor_map *m)
{
    uint32_t row = m->box[0] * tensor_bytes(m->type);

    if (m->interleave)
        return NULL;
    if (!m->im2col && row % 16)
        return "the rows of the box are no multiple of 16 bytes";
    if (m->swizzle && row > 16u << m->swizzle)
        return "the rows of the box are longer than the swizzle";
    return NULL;
}

static const char *check_tiles(const tensor_map *m)
{
    for (unsigned i = 0; i <= m->last; i++)
        if (!m->box[i] || m->box[i] > 256)
            return "a side of the box is not between 1 and 256";
    return check_row(m);
}

static const char *check_im2col(const tensor_map *m)
{
    static const int16_t most[] = {32767, 127, 15};

    if (m->last < 2)
        return "im2col takes 3, 4 or 5 dimensions";
    if (m->interleave)
        return "im2col of interleaved tensors is not simulated";
    if (!m->box[0] || m->box[0] > 256)
        return "the channels of a pixel are not between 1 and 256";
    if (!m->box[1] || m->box[1] > 1024)
        return "the pixels of a column are not between 1 and 1024";
    for (unsigned i = 0; i + 1 < m->last; i++) {
        int limit = most[m->last - 2];

        if (m->lower[i] > limit || m->lower[i] < -limit - 1 ||
            m->upper[i] > limit || m->upper[i] < -limit - 1)
            return "a corner of the pixel box is out of range";
        if ((int64_t)tensor_dim(m, i + 1) + m->upper[i] <= m->lower[i])
            return "the pixel box is empty";
    }
    return check_row(m);
}

static const char *check_fields(const tensor_map *m)
{
    const char *why = check_kinds(m);

    if (!why)
        why = check_places(m);
    if (why)
        return why;
    return m->im2col ? check_im2col(m) : check_tiles(m);
}

/* Kernels make maps of their own out of zeros, a field at a time, which never
 * stores the mark. What is left of the zeros, or was never a map, is as no
 * encoder leaves it: a step of 0. */
const char *tensor_map_check(const tensor_map *m)
{
    const char *why = check_fields(m);

    if (m->magic == TENSOR_MAP_MAGIC)
        return why;
    return !m->magic && !why ? NULL
                             : "it was not made by cuTensorMapEncode, nor out "
                               "of zeros by tensormap.replace";
}

/* ---- encoding ---- */

static const char *take_corners(tensor_map *m, const tensor_spec *s)
{
    m->box[0] = s->channels;
    m->box[1] = s->pixels;
    for (unsigned i = 0; s->rank >= 3 && i < s->rank - 2; i++) {
        if (!s->lower || !s->upper)
            return "the corners of the pixel box are missing";
        if (s->lower[i] != (int16_t)s->lower[i] ||
            s->upper[i] != (int16_t)s->upper[i])
            return "a corner of the pixel box is out of range";
        m->lower[i] = (int16_t)s->lower[i];
        m->upper[i] = (int16_t)s->upper[i];
    }
    return NULL;
}

static const char *take_dimensions(tensor_map *m, const tensor_spec *s)
{
    if (!s->rank || s->rank > TENSOR_DIMS)
        return "a tensor has 1 to 5 dimensions";
    if (!s->address || !s->dim || !s->step || (s->rank > 1 && !s->stride) ||
        (!s->im2col && !s->box))
        return "an address, size, stride or box is missing";
    for (unsigned i = 0; i < s->rank; i++) {
        if (!s->dim[i] || s->dim[i] > (uint64_t)1 << 32)
            return "a dimension is not between 1 and 2^32";
        m->dim[i] = (uint32_t)s->dim[i];
        m->step[i] = s->step[i];
        if (!s->im2col)
            m->box[i] = s->box[i];
        if (i)
            m->stride[i - 1] = s->stride[i - 1];
    }
    return s->im2col ? take_corners(m, s) : NULL;
}

static uint8_t byte_of(unsigned v) { return (uint8_t)(v < 255 ? v : 255); }

const char *tensor_map_encode(tensor_map *m, const tensor_spec *s)
{
    tensor_map made = {.magic = TENSOR_MAP_MAGIC,
                       .address = s->address,
                       .last = byte_of(s->rank - 1),
                       .type = byte_of(s->type),
                       .interleave = byte_of(s->interleave),
                       .swizzle = byte_of(s->swizzle),
                       .nan = byte_of(s->fill),
                       .promotion = byte_of(s->promotion),
                       .im2col = s->im2col};
    const char *why = take_dimensions(&made, s);

    if (!why)
        why = tensor_map_check(&made);
    if (!why)
        *m = made;
    return why;
}
