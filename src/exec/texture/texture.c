#include "exec/texture/texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/fault.h"

enum { FRACTION = 8, ONE = 1 << FRACTION };

bool texture_fits_vendor(unsigned geom, tex_kind kind)
{
    return texture_fits(geom, kind) || (geom == GEOM_2D && kind == TEX_1D) ||
           (geom == GEOM_A2D && kind == TEX_1D_ARRAY);
}

bool texture_fits(unsigned geom, tex_kind kind)
{
    switch (geom) {
    case GEOM_1D:
        return kind == TEX_1D || kind == TEX_BUFFER;
    case GEOM_2D:
        return kind == TEX_2D;
    case GEOM_3D:
        return kind == TEX_3D;
    case GEOM_A1D:
        return kind == TEX_1D_ARRAY;
    case GEOM_A2D: /* faces of cubes are layers, too */
        return kind == TEX_2D_ARRAY || kind == TEX_CUBE ||
               kind == TEX_CUBE_ARRAY;
    case GEOM_CUBE:
        return kind == TEX_CUBE;
    default:
        return kind == TEX_CUBE_ARRAY;
    }
}

/* ---- one dimension ----------------------------------------------------- */

/* Texels along one dimension, BORDER for none, and their weights of ONE. */
enum { BORDER = -1 };
typedef struct axis {
    int64_t at[2];
    uint32_t weight[2];
} axis;

/* How coordinates of one dimension are to be read. */
typedef struct reading {
    tex_address address;
    bool normalised, integer, linear;
    int offset; /* texels */
    int64_t size;
} reading;

static int64_t modulo(int64_t i, int64_t n)
{
    int64_t r = i % n;

    return r < 0 ? r + n : r;
}

static int64_t texel_of(const reading *r, int64_t i)
{
    int64_t last = r->size - 1, turn;

    switch (r->address) {
    case TEX_ADDRESS_BORDER:
        return i < 0 || i > last ? BORDER : i;
    case TEX_ADDRESS_OGL:
        if (r->linear)
            return i < 0 || i > last ? BORDER : i;
        break;
    case TEX_ADDRESS_REPEAT:
        return modulo(i, r->size);
    case TEX_ADDRESS_MIRROR:
        turn = modulo(i, 2 * r->size);
        return turn > last ? 2 * r->size - 1 - turn : turn;
    case TEX_ADDRESS_NONE:
    case TEX_ADDRESS_EDGE:
    case TEX_ADDRESSES:
        break;
    }
    return i < 0 ? 0 : i > last ? last : i;
}

/* Position in texels [OCL12:image-addressing]; far outside it does not matter
 * how far. No rounding: a float times a size fits a double. */
static double texel_position(const reading *r, double c)
{
    enum { FAR = 1 << 30 };
    double n = (double)r->size, u;

    if (r->address == TEX_ADDRESS_REPEAT)
        u = (c - floor(c)) * n;
    else if (r->address == TEX_ADDRESS_MIRROR)
        u = fabs(c - 2.0 * rint(0.5 * c)) * n;
    else
        u = r->normalised ? c * n : c;
    if (u != u)
        return 0;
    if (r->address == TEX_ADDRESS_OGL)
        u = u < 0 ? 0 : u > n ? n : u;
    return u < -FAR ? -FAR : u > FAR ? FAR : u;
}

static axis axis_of(reading r, double c)
{
    /* Repetition is defined for normalised coordinates only; others are
     * clamped [CG:texture-addressing]. */
    if ((!r.normalised || r.integer) &&
        (r.address == TEX_ADDRESS_REPEAT || r.address == TEX_ADDRESS_MIRROR))
        r.address = TEX_ADDRESS_EDGE;
    if (r.integer)
        r.linear = r.normalised = false;
    double u = texel_position(&r, c);

    if (!r.linear)
        return (axis){{texel_of(&r, (int64_t)floor(u) + r.offset), BORDER},
                      {ONE, 0}};
    int64_t fixed = (int64_t)floor((u - 0.5) * ONE + 0.5);
    int64_t first = modulo(fixed, ONE) == fixed % ONE || fixed % ONE == 0
                        ? fixed / ONE
                        : fixed / ONE - 1;
    uint32_t part = (uint32_t)modulo(fixed, ONE);

    first += r.offset;
    return (axis){{texel_of(&r, first), texel_of(&r, first + 1)},
                  {ONE - part, part}};
}

/* ---- one lane ---------------------------------------------------------- */

/* Coordinates of a lane, the layer taken off. */
typedef struct spot {
    double c[3];
    int offset[3];
    bool integer;
    unsigned dims;
    uint32_t layer;
} spot;

static float as_float(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, 4);
    return f;
}

/* Face and place on it of a direction [CG:cubemap-textures]. */
static void choose_face(spot *s)
{
    double x = s->c[0], y = s->c[1], z = s->c[2], u, v, major;
    uint32_t face;

    if (fabs(x) >= fabs(y) && fabs(x) >= fabs(z)) {
        face = x < 0;
        major = fabs(x);
        u = x < 0 ? z : -z;
        v = -y;
    } else if (fabs(y) >= fabs(z)) {
        face = 2 + (y < 0);
        major = fabs(y);
        u = x;
        v = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0);
        major = fabs(z);
        u = z < 0 ? -x : x;
        v = -y;
    }
    s->layer = 6 * s->layer + face;
    s->c[0] = (u / major + 1) / 2;
    s->c[1] = (v / major + 1) / 2;
    s->dims = 2;
}

static bool is_array(unsigned geom)
{
    return geom == GEOM_A1D || geom == GEOM_A2D || geom == GEOM_ACUBE;
}

static bool is_cube(unsigned geom)
{
    return geom == GEOM_CUBE || geom == GEOM_ACUBE;
}

/* Coordinates that follow the layer, if there is one. */
static unsigned coordinate_count(unsigned geom)
{
    static const uint8_t counts[] = {
        [GEOM_1D] = 1,  [GEOM_2D] = 2,   [GEOM_3D] = 3,    [GEOM_A1D] = 1,
        [GEOM_A2D] = 2, [GEOM_CUBE] = 3, [GEOM_ACUBE] = 3,
    };

    return counts[geom];
}

static bool is_gather(const isa_inst *in)
{
    return in->op == ISA_TLD4 || in->op == ISA_TLD4V;
}

static spot spot_of(const exec_mem *m, unsigned lane, const tex_image *im)
{
    const isa_inst *in = m->in;
    unsigned geom = ISA_GET(in, GEOM), first = is_array(geom);
    uint32_t offsets = m->extra[1][lane], layers = im->layers;
    spot s = {.dims = coordinate_count(geom)};

    if (im->kind == TEX_1D || im->kind == TEX_1D_ARRAY)
        s.dims = 1; /* the vendor's code has a row 0 as well */
    s.integer = !is_gather(in) && in->op != ISA_TXDV && ISA_GET(in, TCOORD);
    for (unsigned d = 0; d < s.dims; d++) {
        uint32_t bits = m->data[first + d][lane];

        s.c[d] = s.integer ? (double)(int32_t)bits : (double)as_float(bits);
        s.offset[d] = (int8_t)(offsets >> 8 * d);
    }
    if (first) {
        uint32_t n = is_cube(geom) ? layers / 6 : layers;

        s.layer = m->data[0][lane] < n ? m->data[0][lane] : n - 1;
    }
    if (is_cube(geom))
        choose_face(&s);
    return s;
}

/* Texels of one level, their weights times `share`. */
static void add_level(texture_fetch *f, const spot *s, const exec_mem *m,
                      unsigned level, double share)
{
    const tex_image *im = f->image;
    bool gather = is_gather(m->in), cube = is_cube(ISA_GET(m->in, GEOM));
    axis a[3];

    for (unsigned d = 0; d < s->dims; d++) {
        reading r = {
            .address =
                cube ? TEX_ADDRESS_EDGE : (tex_address)f->sampler.address[d],
            .normalised = f->sampler.normalised || cube,
            .integer = s->integer,
            .linear = gather || (f->sampler.linear &&
                                 texture_is_real((tex_type)im->type)),
            .offset = s->offset[d],
            .size = im->level[level].size[d],
        };
        if (im->kind == TEX_BUFFER)
            r.address = TEX_ADDRESS_BORDER;
        a[d] = axis_of(r, s->c[d]);
    }
    for (unsigned k = 0; k < 1u << s->dims; k++) {
        texture_tap t = {.weight = share};
        int64_t at[3] = {0, 0, s->layer};

        for (unsigned d = 0; d < s->dims; d++) {
            at[d] = a[d].at[k >> d & 1];
            t.weight *= a[d].weight[k >> d & 1] / (double)ONE;
            t.border |= at[d] == BORDER;
        }
        if (t.weight == 0 && !gather)
            continue;
        if (!t.border)
            t.addr = tex_image_at(im, level, (uint64_t)at[0] * im->texel_bytes,
                                  (uint32_t)at[1], (uint32_t)at[2]);
        f->tap[f->count++] = t;
    }
}

static void add_levels(texture_fetch *f, const spot *s, const exec_mem *m,
                       unsigned lane)
{
    const tex_sampler *p = &f->sampler;
    double top = f->image->levels - 1.0, lod = p->bias;

    if (m->in->op != ISA_TEX)
        lod += (double)as_float(m->extra[0][lane]);
    lod = lod != lod              ? 0
          : lod < (double)p->low  ? (double)p->low
          : lod > (double)p->high ? (double)p->high
                                  : lod;
    lod = lod < 0 ? 0 : lod > top ? top : lod;
    if (!p->mip_linear) {
        add_level(f, s, m, (unsigned)floor(lod + 0.5), 1);
        return;
    }
    unsigned fixed = (unsigned)floor(lod * ONE + 0.5), part = fixed % ONE;
    add_level(f, s, m, fixed / ONE, (ONE - part) / (double)ONE);
    if (part)
        add_level(f, s, m, fixed / ONE + 1, part / (double)ONE);
}

/* The taps of `lane` of a TEX, TEX.LO or TLD4 whose handles are valid. Those
 * of TLD4 are in the order of its results. */
static void texture_resolve(const tex_table *t, const exec_mem *m,
                            unsigned lane, texture_fetch *f)
{
    uint32_t handle = (uint32_t)m->addr[lane];

    if (!f->known || f->handle != handle) { /* mostly all lanes have the same */
        f->image = tex_find_image(t, handle);
        tex_find_sampler(t, handle, &f->sampler);
        f->handle = handle;
        f->known = true;
    }
    f->count = 0;
    spot s = spot_of(m, lane, f->image);
    if (!is_gather(m->in)) {
        add_levels(f, &s, m, lane);
        return;
    }
    /* Counter-clockwise from the lower left: (0,1) (1,1) (1,0) (0,0). */
    static const uint8_t order[4] = {2, 3, 1, 0};
    texture_tap tap[4];
    add_level(f, &s, m, 0, 1);
    memcpy(tap, f->tap, sizeof tap);
    for (unsigned k = 0; k < 4; k++)
        f->tap[k] = tap[order[k]];
}

unsigned exec_texels(const exec_warp *w, const exec_mem *m,
                     uint64_t addr[EXEC_TAPS][ISA_WARP],
                     uint32_t mask[EXEC_TAPS])
{
    unsigned rows = 0;
    texture_fetch f;

    f.known = false;
    memset(mask, 0, EXEC_TAPS * sizeof *mask);
    for (uint32_t left = m->mask; left; left &= left - 1) {
        unsigned lane = bits_ctz32(left);

        texture_resolve(w->cta->launch->textures, m, lane, &f);
        for (unsigned k = 0; k < f.count; k++) {
            if (f.tap[k].border)
                continue;
            addr[k][lane] = f.tap[k].addr;
            mask[k] |= 1u << lane;
            rows = k + 1 > rows ? k + 1 : rows;
        }
    }
    return rows;
}

/* ---- results ----------------------------------------------------------- */

/* Outside of the image: the sampler's border colour, or 0, with alpha 1 for
 * orders without alpha [OCL12:border-colour]. */
static void border(const texture_fetch *f, uint32_t rgba[4])
{
    const tex_image *im = f->image;

    memset(rgba, 0, 4 * sizeof *rgba);
    if (f->sampler.border_given) {
        memcpy(rgba, f->sampler.border, 4 * sizeof *rgba);
        return;
    }
    switch (im->order) {
    case TEX_R:
    case TEX_RG:
    case TEX_RGB:
    case TEX_LUMINANCE:
        if (im->kind != TEX_BUFFER)
            rgba[3] = texture_is_real((tex_type)im->type) ? 0x3f800000 : 1;
        break;
    default:
        break;
    }
}

static void read_tap(const texture_fetch *f, unsigned k, const mem_view *view,
                     uint32_t rgba[4])
{
    uint8_t texel[16];

    if (f->tap[k].border) {
        border(f, rgba);
        return;
    }
    if (mem_view_empty(view)) {
        texture_decode(f->image, mem_host(mem_view_image(view), f->tap[k].addr),
                       rgba);
        return;
    }
    mem_view_read(view, f->tap[k].addr, texel, f->image->texel_bytes);
    texture_decode(f->image, texel, rgba);
}

/* One texel as it is, or the weighted sum of several. */
static void filter_taps(const texture_fetch *f, const mem_view *view,
                        uint32_t rgba[4])
{
    double sum[4] = {0};

    read_tap(f, 0, view, rgba);
    if (f->count == 1)
        return;
    for (unsigned k = 0; k < f->count; k++) {
        if (k)
            read_tap(f, k, view, rgba);
        for (unsigned c = 0; c < 4; c++)
            sum[c] += f->tap[k].weight * (double)as_float(rgba[c]);
    }
    for (unsigned c = 0; c < 4; c++) {
        float x = (float)sum[c];

        memcpy(&rgba[c], &x, 4);
        if (x != x)
            rgba[c] = 0x7fffffff; /* as all single-precision results */
    }
}

static void gather_channel(const texture_fetch *f, unsigned channel,
                           const mem_view *view, uint32_t out[4])
{
    for (unsigned k = 0; k < 4; k++) {
        uint32_t rgba[4];

        read_tap(f, k, view, rgba);
        out[k] = rgba[channel];
    }
}

/* The channels that the instruction names: all in a row, or from the third on
 * in a second place. */
static void put_texel(exec_warp *w, const isa_inst *in, unsigned lane,
                      const uint32_t rgba[4])
{
    bool apart = isa_table[in->op].form[0] == 'K';
    unsigned n = 0;

    for (unsigned c = 0; c < 4; c++) {
        if (!(in->lut >> c & 1))
            continue;
        unsigned reg = apart && n >= 2 ? isa_second(in) : in->dst;

        if (reg != ISA_RZ)
            w->reg[reg + (apart ? n % 2 : n)][lane] = rgba[c];
        n++;
    }
}

bool texture_perform(exec_warp *w, const exec_mem *m, uint32_t lanes,
                     const mem_view *view, exec_fault *fault)
{
    const isa_inst *in = m->in;
    const mem_image *image = mem_view_image(view);
    texture_fetch f;

    f.known = false;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = bits_ctz32(lanes);
        uint32_t rgba[4];

        texture_resolve(w->cta->launch->textures, m, lane, &f);
        if (!mem_valid(image, f.image->addr, f.image->bytes, &w->hint)) {
            *fault = exec_fault_at(w, FAULT_FREED, 1u << lane);
            fault->pc = m->pc;
            fault->addr = f.image->addr;
            fault->size = f.image->texel_bytes;
            return false;
        }
        if (in->dst == ISA_RZ && !in->dst2_regs)
            continue;
        if (is_gather(in))
            gather_channel(&f, ISA_GET(in, TCOMP), view, rgba);
        else
            filter_taps(&f, view, rgba);
        put_texel(w, in, lane, rgba);
    }
    return true;
}

/* ---- surfaces ---------------------------------------------------------- */

static int64_t clamp_texel(int64_t v, int64_t last)
{
    return v < 0 ? 0 : v > last ? last : v;
}

/* Bytes from coordinates outside of an image to it, as if rows of texels lay
 * one behind the other. */
static uint64_t reach_of(const tex_image *im, const int64_t at[3],
                         const int64_t last[3], bool formatted)
{
    uint64_t row = (uint64_t)im->level[0].size[0] * im->texel_bytes;
    uint64_t step[3] = {formatted ? im->texel_bytes : 1, row,
                        row * im->level[0].size[1]};
    uint64_t reach = 0;

    for (unsigned d = 0; d < 3; d++)
        reach += (uint64_t)llabs(at[d] - clamp_texel(at[d], last[d])) * step[d];
    return reach;
}

texture_place texture_place_of(const tex_image *im, unsigned geom,
                               const uint32_t coord[4], unsigned bytes,
                               bool formatted, bool clamp)
{
    texture_place p = {.inside = true};
    unsigned first = is_array(geom), dims = coordinate_count(geom);
    unsigned unit = formatted ? 1 : bytes;
    int64_t at[3] = {0, 0, 0}, last[3] = {0, 0, 0};

    p.count = first + dims;
    for (unsigned i = 0; i < p.count; i++)
        p.at[i] = (int32_t)coord[i];
    for (unsigned d = 0; d < dims; d++) {
        at[d] = p.at[first + d];
        last[d] = (int64_t)im->level[0].size[d] - 1;
    }
    if (!formatted) /* the lowest coordinate counts bytes */
        last[0] = (last[0] + 1) * im->texel_bytes - (int64_t)unit;
    if (first) {
        at[2] = p.at[0];
        last[2] = (int64_t)im->layers - 1;
    }
    for (unsigned d = 0; d < 3; d++) {
        if (clamp)
            at[d] = clamp_texel(at[d], last[d]);
        p.inside &= at[d] >= 0 && at[d] <= last[d];
    }
    if (p.inside)
        p.addr = tex_image_at(
            im, 0, (uint64_t)at[0] * (formatted ? im->texel_bytes : 1),
            (uint32_t)at[1], (uint32_t)at[2]);
    else
        p.reach = reach_of(im, at, last, formatted);
    return p;
}

/* ---- queries ----------------------------------------------------------- */

/* PTX's numbers of addressing modes [PTX85:txq]. */
static uint32_t mode_number(unsigned address)
{
    static const uint8_t numbers[TEX_ADDRESSES] = {
        [TEX_ADDRESS_NONE] = 3,   [TEX_ADDRESS_EDGE] = 3,
        [TEX_ADDRESS_BORDER] = 4, [TEX_ADDRESS_REPEAT] = 0,
        [TEX_ADDRESS_MIRROR] = 1, [TEX_ADDRESS_OGL] = 2,
    };

    return numbers[address];
}

static uint32_t query_sampler(const tex_sampler *s, unsigned query)
{
    switch (query) {
    case TXQ_NORMALIZED:
        return s->normalised;
    case TXQ_UNNORMALIZED:
        return !s->normalised;
    case TXQ_FILTER:
        return s->linear;
    default:
        return mode_number(s->address[query - TXQ_ADDRESS_0]);
    }
}

uint32_t texture_query(const tex_table *t, uint32_t handle, unsigned query,
                       uint32_t level)
{
    const tex_image *im = tex_find_image(t, handle);
    tex_sampler s;

    if (query == TXQ_KIND)
        return im ? 1 : tex_find_sampler(t, handle, &s) ? 2 : 0;
    if (query >= TXQ_NORMALIZED && query <= TXQ_ADDRESS_2)
        return tex_find_sampler(t, handle, &s) ? query_sampler(&s, query) : 0;
    if (!im || level >= im->levels)
        return 0;
    switch (query) {
    case TXQ_WIDTH:
    case TXQ_HEIGHT:
    case TXQ_DEPTH:
        return im->level[level].size[query - TXQ_WIDTH];
    case TXQ_CHANNEL_TYPE:
        return TEX_CL_TYPE + im->type;
    case TXQ_CHANNEL_ORDER:
        return TEX_CL_ORDER + im->order;
    case TXQ_SAMPLES:
        return 1;
    case TXQ_LEVELS:
        return im->levels;
    case TXQ_LAYERS:
        return im->layers;
    default: /* TXQ_LAYOUT */
        return !im->tiled;
    }
}
