/* src/launchfile/plan_image.c - images and samplers of launch files, and their
 * way to the device and back. */
#include "launchfile/plan_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/suggest.h"
#include "launchfile/buffer.h"
#include "launchfile/element.h"
#include "launchfile/plan_reader.h"

/* ---- words ------------------------------------------------------------- */

static const char *const kinds[] = {
    [TEX_NONE] = "",
    [TEX_BUFFER] = "buffer",
    [TEX_1D] = "1d",
    [TEX_2D] = "2d",
    [TEX_3D] = "3d",
    [TEX_1D_ARRAY] = "1d_array",
    [TEX_2D_ARRAY] = "2d_array",
    [TEX_CUBE] = "cube",
    [TEX_CUBE_ARRAY] = "cube_array",
};

static const char *const orders[] = {
    [TEX_R] = "r",
    [TEX_A] = "a",
    [TEX_RG] = "rg",
    [TEX_RA] = "ra",
    [TEX_RGB] = "rgb",
    [TEX_RGBA] = "rgba",
    [TEX_BGRA] = "bgra",
    [TEX_ARGB] = "argb",
    [TEX_INTENSITY] = "intensity",
    [TEX_LUMINANCE] = "luminance",
    [TEX_RX] = "rx",
    [TEX_RGX] = "rgx",
    [TEX_RGBX] = "rgbx",
};

/* Channel types, and the elements of their files. */
static const char *const types[] = {
    [TEX_SNORM8] = "snorm8",
    [TEX_SNORM16] = "snorm16",
    [TEX_UNORM8] = "unorm8",
    [TEX_UNORM16] = "unorm16",
    [TEX_UNORM565] = "unorm565",
    [TEX_UNORM555] = "unorm555",
    [TEX_UNORM101010] = "unorm101010",
    [TEX_S8] = "s8",
    [TEX_S16] = "s16",
    [TEX_S32] = "s32",
    [TEX_U8] = "u8",
    [TEX_U16] = "u16",
    [TEX_U32] = "u32",
    [TEX_F16] = "f16",
    [TEX_F32] = "f32",
};

static const plan_type elements[] = {
    [TEX_SNORM8] = TYPE_S8,       [TEX_SNORM16] = TYPE_S16,
    [TEX_UNORM8] = TYPE_U8,       [TEX_UNORM16] = TYPE_U16,
    [TEX_UNORM565] = TYPE_U16,    [TEX_UNORM555] = TYPE_U16,
    [TEX_UNORM101010] = TYPE_U32, [TEX_S8] = TYPE_S8,
    [TEX_S16] = TYPE_S16,         [TEX_S32] = TYPE_S32,
    [TEX_U8] = TYPE_U8,           [TEX_U16] = TYPE_U16,
    [TEX_U32] = TYPE_U32,         [TEX_F16] = TYPE_F16,
    [TEX_F32] = TYPE_F32,
};

static const char *const filters[] = {"nearest", "linear"};
static const char *const addresses[] = {
    [TEX_ADDRESS_NONE] = "none",     [TEX_ADDRESS_EDGE] = "edge",
    [TEX_ADDRESS_BORDER] = "border", [TEX_ADDRESS_REPEAT] = "repeat",
    [TEX_ADDRESS_MIRROR] = "mirror",
};
static const char *const flags[] = {"false", "true"};

/* The number of a word; false: it is none, which is reported. No node: *out
 * stays as it is. */
static bool read_word(reader *r, const yml_node *n, const char *const *words,
                      size_t count, unsigned *out)
{
    if (!n)
        return true;
    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key ? n->key : "this"))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(words[i], n->text)) {
            *out = (unsigned)i;
            return true;
        }
    const char *near = suggest_nearest(n->text, words, count);
    if (near)
        yml_wrong(&r->y, n->at, "unknown '%s' (did you mean '%s'?)", n->text,
                  near);
    else
        yml_wrong(&r->y, n->at, "'%s' is no %s", n->text,
                  n->key ? n->key : "word of these");
    return false;
}

static bool read_real(reader *r, const yml_node *n, float *out)
{
    if (!n)
        return true;
    if (!yml_is_kind(&r->y, n, YML_SCALAR, n->key ? n->key : "this"))
        return false;
    if (element_parse(TYPE_F32, n->text, out))
        return true;
    yml_wrong(&r->y, n->at, "'%s' is no number", n->text);
    return false;
}

/* ---- images ------------------------------------------------------------ */

/* One number or up to three of them. */
static bool read_size(reader *r, const yml_node *n, uint32_t size[3])
{
    uint64_t v;
    unsigned i = 0;

    if (n->kind == YML_SCALAR) {
        if (!yml_number(&r->y, n, 0, UINT32_MAX, &v))
            return false;
        size[0] = (uint32_t)v;
        return true;
    }
    if (!yml_is_kind(&r->y, n, YML_LIST, n->key))
        return false;
    for (const yml_node *e = n->first; e; e = e->next, i++) {
        if (i == 3) {
            yml_wrong(&r->y, e->at, "%s has at most three numbers", n->key);
            return false;
        }
        if (!yml_number(&r->y, e, 0, UINT32_MAX, &v))
            return false;
        size[i] = (uint32_t)v;
    }
    return true;
}

static bool read_image_number(reader *r, const yml_node *n, uint64_t most,
                              uint32_t *out)
{
    uint64_t v;

    if (!n)
        return true;
    if (!yml_number(&r->y, n, 0, most, &v))
        return false;
    *out = (uint32_t)v;
    return true;
}

static bool read_shape(reader *r, const yml_node *n, rt_image_desc *d)
{
    unsigned kind = TEX_2D, order = TEX_RGBA, type = TEX_TYPES, linear = 0;
    const yml_node *size = yml_get(n, "size");
    bool good = true;

    if (!yml_get(n, "type") || !size) {
        yml_wrong(&r->y, n->key_at, "image '%s' needs a type and a size",
                  n->key);
        return false;
    }
    good &= read_word(r, yml_get(n, "kind"), kinds, COUNTOF(kinds), &kind);
    good &= read_word(r, yml_get(n, "order"), orders, COUNTOF(orders), &order);
    good &= read_word(r, yml_get(n, "type"), types, COUNTOF(types), &type);
    good &= read_word(r, yml_get(n, "linear"), flags, 2, &linear);
    good &= read_size(r, size, d->size);
    good &= read_image_number(r, yml_get(n, "layers"), UINT32_MAX, &d->layers);
    if (!good)
        return false;
    d->kind = (tex_kind)kind;
    d->order = (tex_order)order;
    d->type = (tex_type)type;
    d->linear = linear;
    if (kind != TEX_NONE && tex_format_bytes(d->order, d->type))
        return true;
    yml_wrong(&r->y, n->key_at, "image '%s': there is no such format or kind",
              n->key);
    return false;
}

/* The box that is the whole image, as runtime/image.h counts. */
static void whole_image(const rt_image_desc *d, uint32_t region[3])
{
    bool cube = d->kind == TEX_CUBE || d->kind == TEX_CUBE_ARRAY;
    uint32_t layers = d->layers ? d->layers : cube ? 6 : 1;

    for (unsigned k = 0; k < 3; k++)
        region[k] = d->size[k] ? d->size[k] : 1;
    region[2] *= layers;
}

static uint64_t element_count(const rt_image_desc *d, plan_type type)
{
    uint32_t region[3];

    whole_image(d, region);
    return (uint64_t)region[0] * region[1] * region[2] *
           (tex_format_bytes(d->order, d->type) / plan_type_bytes(type));
}

static void read_image(reader *r, const yml_node *n)
{
    static const char *const keys[] = {
        "kind", "size", "order", "type", "layers", "linear", "init",
        "file", "seed", "min",   "max",  "value",  NULL};
    plan_buffer *b = ARENA_NEW(r->p->mem, plan_buffer);
    const yml_node *file;

    b->name = arena_strdup(r->p->mem, n->key);
    b->at = reader_place(r, n->key_at);
    b->image = ARENA_NEW(r->p->mem, rt_image_desc);
    b->image->name = b->name;
    *r->p->buffers_end = b; /* even a wrong one, or each use is an error */
    r->p->buffers_end = &b->next;
    if (!yml_is_kind(&r->y, n, YML_MAP, "an image"))
        return;
    yml_check_keys(&r->y, n, keys);
    if (!read_shape(r, n, b->image))
        return;
    b->type = elements[b->image->type];
    b->count = element_count(b->image, b->type);
    reader_init(r, yml_get(n, "init"), b);
    if (!reader_options(r, n, b))
        return;
    if ((file = yml_get(n, "file"))) {
        b->file = reader_path(r, file);
        b->init = INIT_FILE;
    }
    const char *why =
        !buffer_name_good(b->name)   ? "a name begins with a letter or _"
        : file && yml_get(n, "init") ? "it has a file, so it needs no init"
                                     : buffer_check(b);
    if (why)
        yml_wrong(&r->y, n->key_at, "image '%s': %s", n->key, why);
}

void reader_images(reader *r, const yml_node *map)
{
    if (yml_is_kind(&r->y, map, YML_MAP, "images"))
        for (const yml_node *n = map->first; n; n = n->next)
            read_image(r, n);
}

/* ---- samplers ---------------------------------------------------------- */

static bool read_address(reader *r, const yml_node *n, tex_sampler *s)
{
    unsigned mode = TEX_ADDRESS_EDGE, i = 0;

    if (!n || n->kind == YML_SCALAR) {
        if (!read_word(r, n, addresses, COUNTOF(addresses), &mode))
            return false;
        memset(s->address, (int)mode, sizeof s->address);
        return true;
    }
    if (!yml_is_kind(&r->y, n, YML_LIST, "address"))
        return false;
    memset(s->address, TEX_ADDRESS_EDGE, sizeof s->address);
    for (const yml_node *e = n->first; e && i < 3; e = e->next, i++) {
        if (!read_word(r, e, addresses, COUNTOF(addresses), &mode))
            return false;
        s->address[i] = (uint8_t)mode;
    }
    return true;
}

/* Four numbers, of images of integers as integers. */
static bool read_border(reader *r, const yml_node *n, tex_sampler *s)
{
    unsigned i = 0;
    bool whole_number;

    if (!n)
        return true;
    if (!yml_is_kind(&r->y, n, YML_LIST, "border"))
        return false;
    for (const yml_node *e = n->first; e && i < 4; e = e->next, i++) {
        float f;

        whole_number = e->kind == YML_SCALAR && !strpbrk(e->text, ".eE") &&
                       element_parse(TYPE_S32, e->text, &s->border[i]);
        if (whole_number)
            continue;
        if (!read_real(r, e, &f))
            return false;
        memcpy(&s->border[i], &f, 4);
    }
    s->border_given = true;
    return true;
}

static void read_sampler(reader *r, const yml_node *n)
{
    static const char *const keys[] = {"filter",     "mip",    "address",
                                       "normalized", "border", "bias",
                                       "low",        "high",   NULL};
    plan_sampler *s = ARENA_NEW(r->p->mem, plan_sampler);
    unsigned linear = 0, mip = 0, normalised = 0;

    s->name = arena_strdup(r->p->mem, n->key);
    s->at = reader_place(r, n->key_at);
    s->is = tex_literal(0);
    *r->p->samplers_end = s;
    r->p->samplers_end = &s->next;
    if (!yml_is_kind(&r->y, n, YML_MAP, "a sampler"))
        return;
    yml_check_keys(&r->y, n, keys);
    if (!buffer_name_good(s->name) || plan_find_buffer(r->p, s->name))
        yml_wrong(&r->y, n->key_at,
                  "sampler '%s': a name begins with a letter or _ and is "
                  "given once",
                  n->key);
    read_word(r, yml_get(n, "filter"), filters, 2, &linear);
    read_word(r, yml_get(n, "mip"), filters, 2, &mip);
    read_word(r, yml_get(n, "normalized"), flags, 2, &normalised);
    read_address(r, yml_get(n, "address"), &s->is);
    read_border(r, yml_get(n, "border"), &s->is);
    read_real(r, yml_get(n, "bias"), &s->is.bias);
    read_real(r, yml_get(n, "low"), &s->is.low);
    read_real(r, yml_get(n, "high"), &s->is.high);
    s->is.linear = linear;
    s->is.mip_linear = mip;
    s->is.normalised = normalised;
}

void reader_samplers(reader *r, const yml_node *map)
{
    if (yml_is_kind(&r->y, map, YML_MAP, "samplers"))
        for (const yml_node *n = map->first; n; n = n->next)
            read_sampler(r, n);
}

plan_sampler *plan_find_sampler(const plan *p, const char *name)
{
    for (plan_sampler *s = p->samplers; s; s = s->next)
        if (!strcmp(s->name, name))
            return s;
    return NULL;
}

/* ---- uses -------------------------------------------------------------- */

/* The image or sampler of that name, into `a`. */
static void use_image_or_sampler(reader *r, const yml_node *n, plan_arg *a)
{
    if (!yml_is_kind(&r->y, n, YML_SCALAR, "an image or sampler"))
        return;
    plan_buffer *b = plan_find_buffer(r->p, n->text);
    plan_sampler *s = plan_find_sampler(r->p, n->text);

    if (b && b->image && !a->buffer)
        a->buffer = b;
    else if (s && !a->sampler)
        a->sampler = s;
    else
        yml_wrong(&r->y, n->at, "no image or sampler '%s', or one too many",
                  n->text);
}

void reader_texture(reader *r, const yml_node *n, plan_arg *a)
{
    a->at = reader_place(r, n->at);
    if (n->kind == YML_LIST)
        for (const yml_node *e = n->first; e; e = e->next)
            use_image_or_sampler(r, e, a);
    else
        use_image_or_sampler(r, n, a);
}

void reader_binds(reader *r, const yml_node *map, plan_launch *l)
{
    plan_arg **end = &l->binds;

    if (!yml_is_kind(&r->y, map, YML_MAP, "bind"))
        return;
    for (const yml_node *n = map->first; n; n = n->next) {
        plan_arg *a = ARENA_NEW(r->p->mem, plan_arg);

        reader_texture(r, n, a);
        a->text = arena_strdup(r->p->mem, n->key);
        a->at = reader_place(r, n->key_at);
        *end = a;
        end = &a->next;
    }
}

uint64_t plan_handle(const plan_arg *a)
{
    uint32_t image = a->buffer ? (uint32_t)a->buffer->addr : 0;

    return tex_handle(image, a->sampler ? a->sampler->number : 0);
}

status plan_bind(const plan_launch *l, rt_module *m, diag *dg)
{
    status st = ST_OK;

    for (const plan_arg *a = l->binds; a; a = a->next) {
        if (rt_module_bind(m, a->text, (uint32_t)plan_handle(a)))
            continue;
        diag_add(
            dg, DIAG_ERROR, a->at.file, a->at.line, a->at.column, a->at.length,
            "the program has no texture, surface or sampler '%s'", a->text);
        st = ST_USAGE;
    }
    return st;
}

/* ---- the device -------------------------------------------------------- */

status plan_image_allocate(plan_buffer *b, rt_device *d, const void *texels,
                           diag *dg)
{
    static const uint32_t origin[3] = {0, 0, 0};
    uint32_t region[3];

    if (!b->addr)
        b->addr = rt_image_new(rt_device_memory(d), b->image, dg);
    if (!b->addr) {
        diag_add(dg, DIAG_NOTE, b->at.file, b->at.line, b->at.column,
                 b->at.length, "the image is described here");
        return ST_CONFIG;
    }
    whole_image(b->image, region);
    MUST(rt_image_write(rt_device_memory(d), (uint32_t)b->addr, 0, origin,
                        region, texels, 0, 0));
    return ST_OK;
}

void plan_image_read(const plan_buffer *b, rt_device *d, void *texels)
{
    static const uint32_t origin[3] = {0, 0, 0};
    uint32_t region[3];

    whole_image(b->image, region);
    MUST(rt_image_read(rt_device_memory(d), (uint32_t)b->addr, 0, origin,
                       region, texels, 0, 0));
}

status plan_samplers_allocate(plan *p, rt_device *d, diag *dg)
{
    for (plan_sampler *s = p->samplers; s; s = s->next) {
        if (!s->number)
            s->number = rt_sampling_new(rt_device_memory(d), &s->is);
        if (!s->number) {
            diag_add(dg, DIAG_ERROR, s->at.file, s->at.line, s->at.column,
                     s->at.length, "too many samplers");
            return ST_CONFIG;
        }
    }
    return ST_OK;
}
