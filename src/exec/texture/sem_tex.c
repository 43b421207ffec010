/* src/exec/texture/sem_tex.c - the first step of texture and surface
 * instructions: handles, coordinates and data; exec/texture/texture.h does the
 * rest. */
#include <math.h>

#include "base/bits.h"
#include "exec/fault.h"
#include "exec/outside.h"
#include "exec/sem/access.h"
#include "exec/texture/texture.h"
#include "isa/operand.h"

static const tex_table *image_table(const sem *x)
{
    return x->w->cta->launch->textures;
}

static void texture_fault(sem *x, enum exec_fault_kind kind, unsigned lane,
                          uint32_t handle)
{
    const tex_image *im = tex_find_image(image_table(x), handle);

    *x->fault = exec_fault_at(x->w, kind, 1u << lane);
    x->fault->texture = im;
    x->fault->addr = handle;
    x->fault->write = x->in->flags & ISA_F_STORE;
    x->result = EXEC_FAULT;
}

static bool fits(const isa_inst *in, tex_kind kind)
{
    unsigned geom = ISA_GET(in, GEOM);

    return isa_table[in->op].form[0] == 'K' ? texture_fits_vendor(geom, kind)
                                            : texture_fits(geom, kind);
}

/* The image of a lane if it goes with the instruction, else a fault. */
static const tex_image *image_of(sem *x, unsigned lane, uint32_t handle)
{
    const tex_image *im = tex_find_image(image_table(x), handle);

    if (!im)
        texture_fault(x, FAULT_TEXTURE_HANDLE, lane, handle);
    else if (!fits(x->in, (tex_kind)im->kind))
        texture_fault(x, FAULT_TEXTURE_KIND, lane, handle);
    else
        return im;
    return NULL;
}

static bool check_handles(sem *x, const uint32_t *handle)
{
    uint32_t last = 0;
    tex_sampler s;

    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned lane = bits_ctz32(left);

        if (left != x->mask && handle[lane] == last)
            continue; /* looked at already */
        last = handle[lane];
        if (!image_of(x, lane, last))
            return false;
        if (!tex_find_sampler(image_table(x), last, &s)) {
            texture_fault(x, FAULT_SAMPLER_HANDLE, lane, last);
            return false;
        }
    }
    return true;
}

static void begin_texture_access(sem *x)
{
    exec_mem *m = x->mem;

    m->in = x->in;
    m->pc = x->w->simt.pc;
    m->mask = x->mask;
    memset(m->space, 0, sizeof m->space);
    m->space[EXEC_GLOBAL] = x->mask;
    m->size = x->in->bytes ? x->in->bytes : 4;
    x->result = EXEC_MEM;
}

static void fetch_texels(sem *x, const uint32_t *offsets, const uint32_t *level)
{
    uint32_t tmp[ISA_WARP];
    const uint32_t *handle = sem_fetch_raw(x, 0, tmp);
    exec_mem *m = x->mem;

    if (x->result == EXEC_FAULT || !check_handles(x, handle))
        return;
    begin_texture_access(x);
    LANES(l) m->addr[l] = handle[l];
    sem_take_words(x, 1, isa_geom_regs(ISA_GET(x->in, GEOM)), m->data);
    memcpy(m->extra[0], level, sizeof m->extra[0]);
    memcpy(m->extra[1], offsets, sizeof m->extra[1]);
}

SEM(TEX) { fetch_texels(x, exec_zero, exec_zero); }

SEM(TEXLO)
{
    uint64_t pair[ISA_WARP];
    uint32_t level[ISA_WARP], offsets[ISA_WARP];

    sem_fetch64(x, 2, pair);
    LANES(l) level[l] = (uint32_t)pair[l];
    LANES(l) offsets[l] = (uint32_t)(pair[l] >> 32);
    fetch_texels(x, offsets, level);
}

SEM(TLD4)
{
    uint32_t tmp[ISA_WARP];

    fetch_texels(x, sem_fetch_raw(x, 2, tmp), exec_zero);
}

/* ---- the vendor's forms ---- */

/* Their words, in the order in which they stand. */
static void copy_vendor_rows(sem *x, uint32_t (*to)[ISA_WARP])
{
    isa_texture_row r = isa_texture_rows(x->in);

    sem_take_words(x, 0, r.a, to);
    sem_take_words(x, 1, r.b, to + r.a);
}

static bool handle_within(const isa_inst *in)
{
    return in->src_kind[2] == SRC_REG && in->src[2] == ISA_RZ;
}

/* Bytes of offsets that have four bits each, or six of each byte. */
static uint32_t spread_offsets(uint32_t packed, bool bytes)
{
    uint32_t r = 0;

    for (unsigned d = 0; d < 3; d++) {
        uint32_t v = bytes ? packed >> 8 * d << 26 : packed >> 4 * d << 28;

        r |= ((uint32_t)((int32_t)v >> (bytes ? 26 : 28)) & 0xff) << 8 * d;
    }
    return r;
}

static void begin_vendor_fetch(sem *x, const uint32_t *handle)
{
    exec_mem *m = x->mem;

    if (!check_handles(x, handle))
        return;
    begin_texture_access(x);
    LANES(l) m->addr[l] = handle[l];
}

static void fetch_vendor(sem *x)
{
    const isa_inst *in = x->in;
    isa_texture_row r = isa_texture_rows(in);
    uint32_t row[2 * 4][ISA_WARP], tmp[ISA_WARP];
    const uint32_t *handle = sem_fetch_raw(x, 2, tmp);
    unsigned next = r.coordinates;
    exec_mem *m = x->mem;

    if (x->result == EXEC_FAULT)
        return;
    copy_vendor_rows(x, row);
    if (handle_within(in))
        handle = row[next++];
    begin_vendor_fetch(x, handle);
    if (x->result == EXEC_FAULT)
        return;
    memcpy(m->data, row, r.coordinates * sizeof *row);
    memcpy(m->extra[0], r.level ? row[next++] : exec_zero, sizeof *row);
    if (r.level && in->op == ISA_TEXV && ISA_GET(in, TCOORD))
        LANES(l)
        {
            float level = (float)(int32_t)m->extra[0][l];
            memcpy(&m->extra[0][l], &level, 4);
        }
    LANES(l)
    m->extra[1][l] = ISA_GET(in, TOFF)
                         ? spread_offsets(row[next][l], in->op == ISA_TLD4V)
                         : 0;
}

SEM(TEXV) { fetch_vendor(x); }
SEM(TLD4V) { fetch_vendor(x); }

/* log2 of the longer of the two gradients, in texels [PTX85:tex]. */
static uint32_t gradient_level(const tex_table *t, uint32_t handle,
                               unsigned dims, const uint32_t (*g)[ISA_WARP],
                               unsigned lane)
{
    const tex_image *im = tex_find_image(t, handle);
    double sum[2] = {0, 0};
    tex_sampler s;
    float level;
    uint32_t bits;

    tex_find_sampler(t, handle, &s);
    for (unsigned k = 0; k < 2 * dims; k++) {
        float v;

        memcpy(&v, &g[k][lane], 4);
        double texels =
            (double)v * (s.normalised ? im->level[0].size[k / 2] : 1);
        sum[k % 2] += texels * texels;
    }
    level = (float)(0.5 * log2(sum[0] > sum[1] ? sum[0] : sum[1]));
    memcpy(&bits, &level, 4);
    return bits;
}

SEM(TXDV)
{
    const isa_inst *in = x->in;
    isa_texture_row r = isa_texture_rows(in);
    uint32_t row[2 * 4][ISA_WARP], tmp[ISA_WARP];
    const uint32_t *handle = sem_fetch_raw(x, 2, tmp);
    unsigned within = handle_within(in), geom = ISA_GET(in, GEOM);
    bool layered = geom == GEOM_A1D || geom == GEOM_A2D;
    unsigned dims = r.coordinates - layered;
    exec_mem *m = x->mem;

    if (x->result == EXEC_FAULT)
        return;
    copy_vendor_rows(x, row);
    begin_vendor_fetch(x, within ? row[0] : handle);
    if (x->result == EXEC_FAULT)
        return;
    memcpy(m->data[layered], row[within], dims * sizeof *row);
    if (layered)
        memcpy(m->data[0], row[within + dims], sizeof *row);
    memset(m->extra[1], 0, sizeof m->extra[1]);
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        m->extra[0][l] =
            gradient_level(image_table(x), (uint32_t)m->addr[l], dims,
                           (const uint32_t(*)[ISA_WARP])(row + r.a), l);
    }
}

SEM(TXQ)
{
    uint32_t tmp[2][ISA_WARP], r[ISA_WARP];
    const uint32_t *handle = sem_fetch_raw(x, 0, tmp[0]);
    const uint32_t *level = sem_fetch_raw(x, 1, tmp[1]);
    unsigned query = ISA_GET(x->in, TXQUERY);

    LANES(l) r[l] = texture_query(image_table(x), handle[l], query, level[l]);
    sem_put(x, r);
}

/* ---- surfaces ---------------------------------------------------------- */

/* A lane outside of a surface: nothing is written, zeros are read. With .trap
 * it is a fault, unless the launch is lenient (image_slack). */
static bool drop_lane(sem *x, unsigned lane, uint32_t handle,
                      const texture_place *p)
{
    exec_mem *m = x->mem;

    m->space[EXEC_GLOBAL] &= ~(1u << lane);
    if (ISA_GET(x->in, SBOUND) == SBOUND_ZERO ||
        p->reach <= x->w->cta->launch->image_slack)
        return true;
    texture_fault(x, FAULT_TEXTURE_BOUNDS, lane, handle);
    memcpy(x->fault->coord, p->at, sizeof x->fault->coord);
    x->fault->coords = (uint8_t)p->count;
    x->fault->reach = p->reach;
    if (!x->w->cta->launch->outside)
        return false;
    x->result = EXEC_MEM;
    exec_outside_add(x->w, x->fault);
    return true;
}

static void layer_first(unsigned geom, uint32_t c[4])
{
    unsigned last = geom == GEOM_A1D ? 1 : geom == GEOM_A2D ? 2 : 0;
    uint32_t layer = c[last];

    for (unsigned i = last; i > 0; i--)
        c[i] = c[i - 1];
    c[0] = layer;
}

static bool surface_address(sem *x, unsigned lane, uint32_t handle,
                            bool formatted, const uint32_t (*coord)[ISA_WARP])
{
    exec_mem *m = x->mem;
    const tex_image *im = image_of(x, lane, handle);
    unsigned geom = ISA_GET(x->in, GEOM), how = ISA_GET(x->in, SBOUND);
    uint32_t c[4] = {0};

    if (!im)
        return false;
    for (unsigned i = 0; i < isa_geom_regs(geom); i++)
        c[i] = coord[i][lane];
    if (ISA_GET(x->in, SLAST))
        layer_first(geom, c);
    texture_place p =
        texture_place_of(im, geom, c, m->size, formatted, how == SBOUND_CLAMP);
    m->addr[lane] = p.addr;
    return p.inside || drop_lane(x, lane, handle, &p);
}

/* Addresses of all lanes; false: a fault, or no lane is inside. */
static bool surface(sem *x, const uint32_t *handle, bool formatted)
{
    exec_mem *m = x->mem;
    uint32_t coord[4][ISA_WARP];

    sem_take_words(x, 1, isa_geom_regs(ISA_GET(x->in, GEOM)), coord);
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned lane = bits_ctz32(left);

        if (!surface_address(x, lane, handle[lane], formatted,
                             (const uint32_t(*)[ISA_WARP])coord))
            return false;
    }
    m->mask = m->space[EXEC_GLOBAL];
    if (!m->mask) {
        x->result = EXEC_DONE;
        return false;
    }
    if (m->mask != UINT32_MAX) { /* as other accesses have it */
        uint64_t some = m->addr[bits_ctz32(m->mask)];
        LANES(l) m->addr[l] = m->mask & exec_lane_bit[l] ? m->addr[l] : some;
    }
    return true;
}

static const uint32_t *surface_begin(sem *x, uint32_t tmp[ISA_WARP])
{
    const uint32_t *handle = sem_fetch_raw(x, 0, tmp);

    if (x->result == EXEC_FAULT)
        return NULL;
    begin_texture_access(x);
    return handle;
}

SEM(SULD)
{
    uint32_t tmp[ISA_WARP];
    const uint32_t *handle = surface_begin(x, tmp);

    if (!handle)
        return;
    surface(x, handle, false);
    uint32_t outside = x->mask & ~x->mem->space[EXEC_GLOBAL];
    if (x->result == EXEC_FAULT || !outside || x->in->dst == ISA_RZ)
        return;
    for (unsigned k = 0; k < x->in->dst_regs; k++)
        sem_store(x->w, x->in->dst + k, exec_zero, outside);
}

SEM(SUSTB)
{
    uint32_t tmp[ISA_WARP];
    const uint32_t *handle = surface_begin(x, tmp);

    if (handle && surface(x, handle, false))
        sem_take_words(x, 2, (x->in->bytes + 3u) / 4, x->mem->data);
}

/* All lanes store texels of the same size. */
static bool encode(sem *x, const uint32_t *handle)
{
    exec_mem *m = x->mem;
    uint32_t rgba[4][ISA_WARP] = {{0}};

    sem_take_words(x, 2, x->in->bytes / 4, rgba);
    m->size = 0;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned lane = bits_ctz32(left);
        const tex_image *im = image_of(x, lane, handle[lane]);
        uint32_t v[4], texel[4];

        if (!im)
            return false;
        if (m->size && im->texel_bytes != m->size) {
            texture_fault(x, FAULT_TEXTURE_KIND, lane, handle[lane]);
            return false;
        }
        m->size = im->texel_bytes;
        for (unsigned c = 0; c < 4; c++)
            v[c] = rgba[c][lane];
        texture_encode(im, v, (uint8_t *)texel);
        for (unsigned c = 0; c < 4; c++)
            m->data[c][lane] = texel[c];
    }
    return true;
}

SEM(SUSTP)
{
    uint32_t tmp[ISA_WARP];
    const uint32_t *handle = surface_begin(x, tmp);

    if (handle && encode(x, handle))
        surface(x, handle, true);
}

static void reduce_surface(sem *x, bool formatted)
{
    uint32_t tmp[ISA_WARP];
    const uint32_t *handle = surface_begin(x, tmp);

    if (handle && surface(x, handle, formatted))
        sem_take_words(x, 2, (x->in->bytes + 3u) / 4, x->mem->data);
}

SEM(SURED) { reduce_surface(x, false); }
SEM(SUREDP) { reduce_surface(x, true); }
