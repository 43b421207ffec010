#include "runtime/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "exec/texture/texture.h"
#include "runtime/internal.h"

/* ---- tables ------------------------------------------------------------ */

/* Room for one more of `count` elements, what is new zeroed. */
#define GROW_ZEROED(list, count, room)                                         \
    do {                                                                       \
        uint32_t before = (room);                                              \
        GROW((list), (count) + 1, (room));                                     \
        memset((list) + before, 0, ((room)-before) * sizeof *(list));          \
    } while (0)

/* A free number from 1 on; 0: none. */
static uint32_t take_image(rt_memory *m)
{
    rt_images *t = &m->images;

    if (!t->image_count)
        t->image_count = t->image_free = 1; /* number 0 is none */
    for (; t->image_free < t->image_count; t->image_free++)
        if (t->image[t->image_free].kind == TEX_NONE)
            return t->image_free;
    if (t->image_count == TEX_IMAGES_MAX)
        return 0;
    GROW_ZEROED(t->image, t->image_count, t->image_room);
    GROW_ZEROED(t->owned, t->image_count, t->owned_room);
    return t->image_count++;
}

/* NULL: there is none. With the lock held. */
static const tex_image *find_image(const rt_memory *m, uint32_t image)
{
    const rt_images *t = &m->images;

    if (!image || image >= t->image_count || t->image[image].kind == TEX_NONE)
        return NULL;
    return &t->image[image];
}

bool rt_image_get(rt_memory *m, uint32_t image, tex_image *out)
{
    rt_lock(m);
    const tex_image *im = find_image(m, image);
    if (im)
        *out = *im;
    rt_unlock(m);
    return im != NULL;
}

void rt_images_update(rt_images *seen, const rt_images *of)
{
    if (seen->changes == of->changes)
        return;
    GROW(seen->image, of->image_count, seen->image_room);
    if (of->image_count)
        memcpy(seen->image, of->image, of->image_count * sizeof *of->image);
    GROW(seen->sampler, of->sampler_count, seen->sampler_room);
    if (of->sampler_count)
        memcpy(seen->sampler, of->sampler,
               of->sampler_count * sizeof *of->sampler);
    seen->image_count = of->image_count;
    seen->sampler_count = of->sampler_count;
    seen->changes = of->changes;
}

tex_table rt_images_table(const rt_images *t)
{
    return (tex_table){t->image, t->image_count, t->sampler, t->sampler_count};
}

void rt_images_fini(rt_images *t)
{
    free(t->image);
    free(t->owned);
    free(t->sampler);
    free(t->sampler_taken);
}

/* ---- making ------------------------------------------------------------ */

static uint32_t at_least(uint32_t n, uint32_t least)
{
    return n < least ? least : n;
}

static bool is_cube(tex_kind kind)
{
    return kind == TEX_CUBE || kind == TEX_CUBE_ARRAY;
}

/* The kind's own rules; NULL, or what is wrong. */
static const char *check_kind(const rt_image_desc *r, const tex_image *im,
                              const uint32_t size[3])
{
    bool array = r->kind == TEX_1D_ARRAY || r->kind == TEX_2D_ARRAY ||
                 r->kind == TEX_CUBE_ARRAY;
    unsigned dims = tex_kind_dims(r->kind);

    for (unsigned k = dims; k < 3; k++)
        if (size[k] != 1)
            return "it has more dimensions than its kind";
    if (is_cube(r->kind) ? im->layers % 6 || size[0] != size[1]
                         : im->layers != 1 && !array)
        return "the number of layers or the shape does not fit its kind";
    if (r->kind == TEX_CUBE && im->layers != 6)
        return "a cube has six layers";
    if (r->addr % (im->texel_bytes ? im->texel_bytes : 1) ||
        (im->texel_bytes &&
         (r->row % im->texel_bytes || r->slice % im->texel_bytes)))
        return "rows must begin at a multiple of a texel's bytes";
    return NULL;
}

static const char *describe_image(const rt_image_desc *r, tex_image *im)
{
    uint32_t size[3];
    const char *why;

    for (unsigned k = 0; k < 3; k++)
        size[k] = at_least(r->size[k], 1);
    *im = (tex_image){.kind = (uint8_t)r->kind,
                      .order = (uint8_t)r->order,
                      .type = (uint8_t)r->type,
                      .levels = (uint8_t)at_least(r->levels, 1),
                      .layers = at_least(r->layers, is_cube(r->kind) ? 6 : 1)};
    im->tiled = !r->linear && (r->tiles || !r->addr) && r->kind != TEX_BUFFER &&
                tex_kind_dims(r->kind) > 1;
    im->texel_bytes = (uint8_t)tex_format_bytes(r->order, r->type);
    if (r->kind == TEX_NONE || r->kind >= TEX_KINDS)
        return "there is no such kind of image";
    if (!im->texel_bytes)
        return "there is no such format";
    if (r->levels > TEX_LEVELS)
        return "it has too many levels";
    if ((why = check_kind(r, im, size)))
        return why;
    if (!tex_image_lay_out(im, size, r->row, r->slice))
        return "its rows overlap, or it is larger than all memory";
    return NULL;
}

/* Gives the image a number and makes it, with new memory if it has no address;
 * why not, or NULL. With the lock held. */
static const char *place_new_image(rt_memory *m, tex_image *im,
                                   const char *name, uint32_t *number)
{
    uint32_t n = take_image(m);
    bool owned = !im->addr;

    if (!n)
        return "there are too many images";
    if (owned)
        im->addr = mem_alloc(m->image, im->bytes, name);
    if (!im->addr || !mem_valid(m->image, im->addr, im->bytes, NULL))
        return "there is no room for its texels";
    im->name = mem_name(m->image, name);
    m->images.image[n] = *im;
    m->images.owned[n] = owned;
    m->images.changes++;
    *number = n;
    return NULL;
}

uint64_t rt_image_bytes(const rt_image_desc *r)
{
    tex_image im;

    return describe_image(r, &im) ? 0 : im.bytes;
}

uint32_t rt_image_new(rt_memory *m, const rt_image_desc *r, diag *dg)
{
    tex_image im;
    const char *why = describe_image(r, &im),
               *name = r->name ? r->name : "image";
    uint32_t n = 0;

    if (!why) {
        im.addr = r->addr;
        rt_lock(m);
        why = place_new_image(m, &im, name, &n);
        rt_unlock(m);
    }
    if (why)
        diag_error(dg, "image '%s': %s", name, why);
    return n;
}

uint32_t rt_image_view(rt_memory *m, uint32_t image, tex_order order,
                       tex_type type, diag *dg)
{
    const char *why = "a view of an image has texels of the same size";
    uint32_t n = 0;

    rt_lock(m);
    const tex_image *of = find_image(m, image);
    if (of && tex_format_bytes(order, type) == of->texel_bytes) {
        tex_image im = *of;

        im.order = (uint8_t)order;
        im.type = (uint8_t)type;
        why = place_new_image(m, &im, im.name, &n);
    }
    rt_unlock(m);
    if (why)
        diag_error(dg, "view of image %u: %s", image, why);
    return n;
}

bool rt_image_release(rt_memory *m, uint32_t image)
{
    rt_images *t = &m->images;

    rt_lock(m);
    bool was = find_image(m, image) != NULL;
    if (was) {
        if (t->owned[image])
            mem_release(m->image, t->image[image].addr);
        t->image[image].kind = TEX_NONE;
        if (image < t->image_free)
            t->image_free = image;
        t->changes++;
    }
    rt_unlock(m);
    return was;
}

/* ---- copying ----------------------------------------------------------- */

static bool is_inside(const tex_image *im, unsigned level,
                      const uint32_t origin[3], const uint32_t region[3])
{
    if (level >= im->levels)
        return false;
    for (unsigned k = 0; k < 3; k++) {
        uint64_t size = im->level[level].size[k];

        if (k == 2)
            size *= im->layers;
        if ((uint64_t)origin[k] + region[k] > size)
            return false;
    }
    return true;
}

/* Bytes from `x` on that lie together, at most `bytes`: a tile keeps 16. */
static uint64_t contiguous_bytes(const tex_image *im, uint64_t x,
                                 uint64_t bytes)
{
    uint64_t room = 16 - x % 16;

    return im->tiled && room < bytes ? room : bytes;
}

typedef struct box { /* a copy between an image and host memory */
    rt_memory *m;
    tex_image im;
    unsigned level;
    const uint32_t *origin, *region;
    uint64_t row, slice;
} box;

static bool box_of(box *b, rt_memory *m, uint32_t image, unsigned level,
                   const uint32_t origin[3], const uint32_t region[3],
                   uint64_t row, uint64_t slice)
{
    *b = (box){.m = m,
               .level = level,
               .origin = origin,
               .region = region,
               .row = row,
               .slice = slice};
    if (!rt_image_get(m, image, &b->im) ||
        !is_inside(&b->im, level, origin, region))
        return false;
    if (!b->row)
        b->row = (uint64_t)region[0] * b->im.texel_bytes;
    if (!b->slice)
        b->slice = b->row * region[1];
    return true;
}

/* One row of the box; `host` is its place there. */
static void copy_row(const box *b, uint32_t y, uint32_t z, uint8_t *host,
                     bool write)
{
    uint64_t x = (uint64_t)b->origin[0] * b->im.texel_bytes;
    uint64_t left = (uint64_t)b->region[0] * b->im.texel_bytes, n;

    for (; left; left -= n, x += n, host += n) {
        uint8_t *at =
            mem_host(b->m->image, tex_image_at(&b->im, b->level, x, y, z));

        n = contiguous_bytes(&b->im, x, left);
        memcpy(write ? at : host, write ? host : at, n);
    }
}

static void copy_box(const box *b, uint8_t *host, bool write)
{
    for (uint32_t z = 0; z < b->region[2]; z++)
        for (uint32_t y = 0; y < b->region[1]; y++)
            copy_row(b, b->origin[1] + y, b->origin[2] + z,
                     host + z * b->slice + y * b->row, write);
}

bool rt_image_write(rt_memory *m, uint32_t image, unsigned level,
                    const uint32_t origin[3], const uint32_t region[3],
                    const void *from, uint64_t row, uint64_t slice)
{
    box b;

    if (!box_of(&b, m, image, level, origin, region, row, slice))
        return false;
    copy_box(&b, (uint8_t *)from, true);
    return true;
}

bool rt_image_read(rt_memory *m, uint32_t image, unsigned level,
                   const uint32_t origin[3], const uint32_t region[3], void *to,
                   uint64_t row, uint64_t slice)
{
    box b;

    if (!box_of(&b, m, image, level, origin, region, row, slice))
        return false;
    copy_box(&b, to, false);
    return true;
}

/* One row of the box; `texels` are 16 bytes of them. */
static void fill_row(const box *b, uint32_t y, uint32_t z,
                     const uint8_t texels[16])
{
    uint64_t x = (uint64_t)b->origin[0] * b->im.texel_bytes;
    uint64_t left = (uint64_t)b->region[0] * b->im.texel_bytes, n;

    for (; left; left -= n, x += n) {
        n = contiguous_bytes(&b->im, x, left < 16 ? left : 16);
        memcpy(mem_host(b->m->image, tex_image_at(&b->im, b->level, x, y, z)),
               texels, n);
    }
}

bool rt_image_fill(rt_memory *m, uint32_t image, unsigned level,
                   const uint32_t origin[3], const uint32_t region[3],
                   const uint32_t rgba[4])
{
    uint8_t texels[16];
    box b;

    if (!box_of(&b, m, image, level, origin, region, 0, 0))
        return false;
    texture_encode(&b.im, rgba, texels);
    for (unsigned k = b.im.texel_bytes; k < sizeof texels; k++)
        texels[k] = texels[k - b.im.texel_bytes];
    for (uint32_t z = 0; z < region[2]; z++)
        for (uint32_t y = 0; y < region[1]; y++)
            fill_row(&b, origin[1] + y, origin[2] + z, texels);
    return true;
}

bool rt_image_copy(rt_memory *m, uint32_t from, const uint32_t from_origin[3],
                   uint32_t to, const uint32_t to_origin[3],
                   const uint32_t region[3])
{
    tex_image a, b;
    uint32_t rows[3] = {region[0], 1, 1}, p[3], q[3];
    uint8_t *row;

    if (!rt_image_get(m, from, &a) || !rt_image_get(m, to, &b) ||
        !is_inside(&a, 0, from_origin, region) ||
        !is_inside(&b, 0, to_origin, region) || a.texel_bytes != b.texel_bytes)
        return false;
    row = new_array((size_t)region[0] * a.texel_bytes + 1, 1);
    for (uint32_t z = 0; z < region[2]; z++)
        for (uint32_t y = 0; y < region[1]; y++) {
            memcpy(p, from_origin, sizeof p);
            memcpy(q, to_origin, sizeof q);
            p[1] += y;
            p[2] += z;
            q[1] += y;
            q[2] += z;
            MUST(rt_image_read(m, from, 0, p, rows, row, 0, 0));
            MUST(rt_image_write(m, to, 0, q, rows, row, 0, 0));
        }
    free(row);
    return true;
}

/* ---- samplers ---------------------------------------------------------- */

static uint32_t take_sampler(rt_images *t, const tex_sampler *s)
{
    uint32_t i = 0;

    while (i < t->sampler_count && t->sampler_taken[i])
        i++;
    if (i == TEX_SAMPLERS_MAX - TEX_LITERALS)
        return 0;
    GROW_ZEROED(t->sampler, i, t->sampler_room);
    GROW_ZEROED(t->sampler_taken, i, t->taken_room);
    if (i == t->sampler_count)
        t->sampler_count++;
    t->sampler[i] = *s;
    t->sampler_taken[i] = true;
    t->changes++;
    return TEX_LITERALS + i;
}

uint32_t rt_sampling_new(rt_memory *m, const tex_sampler *s)
{
    rt_lock(m);
    uint32_t n = take_sampler(&m->images, s);
    rt_unlock(m);
    return n;
}

bool rt_sampler_release(rt_memory *m, uint32_t sampler)
{
    rt_images *t = &m->images;
    uint32_t i = sampler - TEX_LITERALS;

    rt_lock(m);
    bool was =
        sampler >= TEX_LITERALS && i < t->sampler_count && t->sampler_taken[i];
    if (was) {
        t->sampler_taken[i] = false;
        t->changes++;
    }
    rt_unlock(m);
    return was;
}
