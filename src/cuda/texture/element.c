#include "cuda/texture/element.h"

#include "base/must.h"

/* ---- Descriptors ---- */

static bool channels_of(const cudaChannelFormatDesc *d, tex_order *order)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    unsigned n = 0;

    while (n < 4 && bits[n] == d->x)
        n++;
    for (unsigned i = n; i < 4; i++)
        if (bits[i])
            return false;
    *order = n == 1 ? TEX_R : n == 2 ? TEX_RG : TEX_RGBA;
    return n != 3;
}

/* Of channels of so many bits; TEX_TYPES: there are none. */
static tex_type type_of(cudaChannelFormatKind kind, int bits)
{
    int size = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : -1;
    static const tex_type types[3][3] = {
        [cudaChannelFormatKindSigned] = {TEX_S8, TEX_S16, TEX_S32},
        [cudaChannelFormatKindUnsigned] = {TEX_U8, TEX_U16, TEX_U32},
        [cudaChannelFormatKindFloat] = {TEX_TYPES, TEX_F16, TEX_F32},
    };
    static const tex_type normalised[] = {TEX_UNORM8, TEX_UNORM16, TEX_SNORM8,
                                          TEX_SNORM16};
    unsigned n = (unsigned)kind - cudaChannelFormatKindUnsignedNormalized8X1;

    if (size < 0)
        return TEX_TYPES;
    if ((unsigned)kind < COUNTOF(types))
        return types[kind][size];
    return n / 3 < COUNTOF(normalised) ? normalised[n / 3] : TEX_TYPES;
}

cudaError_t element_format(const cudaChannelFormatDesc *d, cu_element *out)
{
    cu_element f = {.type = type_of(d->f, d->x)};

    if (f.type == TEX_TYPES || !channels_of(d, &f.order))
        return cu_fail(cudaErrorInvalidChannelDescriptor,
                       "there are no elements of %d, %d, %d, %d bits of kind "
                       "%d: 1, 2 or 4 channels have 8, 16 or 32 bits each, "
                       "floating-point ones 16 or 32",
                       d->x, d->y, d->z, d->w, (int)d->f);
    f.bytes = tex_format_bytes(f.order, f.type);
    *out = f;
    return cudaSuccess;
}

cudaError_t element_view_format(cudaResourceViewFormat v, cu_element *out)
{
    static const tex_order orders[] = {TEX_R, TEX_RG, TEX_RGBA};
    static const tex_type types[] = {TEX_U8,  TEX_S8,  TEX_U16, TEX_S16,
                                     TEX_U32, TEX_S32, TEX_F16, TEX_F32};
    unsigned n = (unsigned)v - cudaResViewFormatUnsignedChar1;

    if (v < cudaResViewFormatUnsignedChar1 || v > cudaResViewFormatFloat4)
        return cu_fail(cudaErrorInvalidValue,
                       "format %d of a resource view: there are 1 to %d "
                       "(block-compressed formats are not supported)",
                       (int)v, (int)cudaResViewFormatFloat4);
    *out = (cu_element){.order = orders[n % 3], .type = types[n / 3]};
    out->bytes = tex_format_bytes(out->order, out->type);
    return cudaSuccess;
}

/* ---- Reading ---- */

tex_type element_fractions(tex_type type)
{
    return type == TEX_S8    ? TEX_SNORM8
           : type == TEX_S16 ? TEX_SNORM16
           : type == TEX_U8  ? TEX_UNORM8
           : type == TEX_U16 ? TEX_UNORM16
                             : type;
}

bool element_is_real(tex_type type) { return type < TEX_S8 || type > TEX_U32; }
