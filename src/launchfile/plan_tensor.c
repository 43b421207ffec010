/* src/launchfile/plan_tensor.c - tensor maps as arguments of launch files:
 * {tensormap: {buffer: a, type: f16, size: [64, 32], box: [64, 8]}}. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/plural.h"
#include "launchfile/plan_reader.h"
#include "mem/tensor_map.h"

struct plan_tensor {
    plan_buffer *buffer;
    tensor_spec spec; /* but for the address; its arrays are these */
    uint64_t dim[TENSOR_DIMS], stride[TENSOR_DIMS - 1];
    uint32_t box[TENSOR_DIMS], step[TENSOR_DIMS];
    int lower[TENSOR_DIMS - 2], upper[TENSOR_DIMS - 2];
};

static const char *const type_names[] = {
    "u8",  "u16",     "u32", "s32",  "u64",  "s64",     "f16",
    "f32", "f32.ftz", "f64", "bf16", "tf32", "tf32.ftz"};
_Static_assert(COUNTOF(type_names) == TENSOR_TYPES, "a name for each");
static const char *const interleave_names[] = {"none", "16", "32"};
static const char *const swizzle_names[] = {"none", "32", "64", "128"};
static const char *const fill_names[] = {"zero", "nan"};

/* Which of the names the value of `key` is; `unless` if there is none. */
static unsigned read_choice(reader *r, const yml_node *map, const char *key,
                            const char *const *names, unsigned count,
                            unsigned unless)
{
    const yml_node *n = yml_get(map, key);

    if (!n || !yml_is_kind(&r->y, n, YML_SCALAR, key))
        return unless;
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(n->text, names[i]))
            return i;
    yml_wrong(&r->y, n->at, "'%s' is no %s of a tensor map", n->text, key);
    return unless;
}

/* A number, or a list of at most `most`; how many. */
static unsigned read_numbers(reader *r, const yml_node *map, const char *key,
                             unsigned most, uint64_t *out)
{
    const yml_node *n = yml_get(map, key);
    unsigned count = 0;

    if (!n)
        return 0;
    if (n->kind == YML_SCALAR)
        return yml_number(&r->y, n, 0, UINT64_MAX >> 1, out);
    if (!yml_is_kind(&r->y, n, YML_LIST, key))
        return 0;
    for (const yml_node *e = n->first; e; e = e->next) {
        if (count == most) {
            yml_wrong(&r->y, e->at, "%s has at most %u numbers", key, most);
            return count;
        }
        if (!yml_number(&r->y, e, 0, UINT64_MAX >> 1, &out[count]))
            return 0;
        count++;
    }
    return count;
}

/* The same for 32 bits; what is not given is 1. */
static void read_words(reader *r, const yml_node *map, const char *key,
                       uint32_t out[TENSOR_DIMS])
{
    uint64_t wide[TENSOR_DIMS] = {1, 1, 1, 1, 1};

    read_numbers(r, map, key, TENSOR_DIMS, wide);
    for (unsigned i = 0; i < TENSOR_DIMS; i++)
        out[i] = wide[i] <= UINT32_MAX ? (uint32_t)wide[i] : UINT32_MAX;
}

/* Offsets of a pixel box, W first; they may be negative. */
static bool read_corner(reader *r, const yml_node *map, const char *key,
                        int out[TENSOR_DIMS - 2])
{
    const yml_node *n = yml_get(map, key);
    unsigned count = 0;

    if (!n)
        return false;
    if (!yml_is_kind(&r->y, n, YML_LIST, key))
        return true;
    for (const yml_node *e = n->first; e && count < TENSOR_DIMS - 2;
         e = e->next) {
        char *end = NULL;
        long v = e->kind == YML_SCALAR ? strtol(e->text, &end, 10) : 0;

        if (!end || *end || end == e->text || v < -32768 || v > 32767)
            yml_wrong(&r->y, e->at, "%s has numbers from -32768 to 32767", key);
        out[count++] = (int)v;
    }
    return true;
}

/* Strides that are not given: the tensor has no gaps. */
static void default_strides(struct plan_tensor *t, unsigned given)
{
    uint64_t unit = t->spec.interleave ? 8ull << t->spec.interleave
                                       : tensor_bytes(t->spec.type);

    for (unsigned i = 0; i + 1 < t->spec.rank; i++) {
        if (i >= given)
            t->stride[i] = (i ? t->stride[i - 1] : unit) * t->dim[i];
    }
}

static void read_im2col(reader *r, const yml_node *map, struct plan_tensor *t)
{
    uint64_t channels = 0, pixels = 0;
    bool lower = read_corner(r, map, "lower", t->lower);
    bool upper = read_corner(r, map, "upper", t->upper);

    read_numbers(r, map, "channels", 1, &channels);
    read_numbers(r, map, "pixels", 1, &pixels);
    t->spec.im2col = lower || upper || channels || pixels;
    t->spec.channels = channels < UINT32_MAX ? (uint32_t)channels : UINT32_MAX;
    t->spec.pixels = pixels < UINT32_MAX ? (uint32_t)pixels : UINT32_MAX;
    if (t->spec.im2col && yml_get(map, "box"))
        yml_wrong(&r->y, map->at,
                  "a tensor map has a box, or channels and pixels");
}

void reader_tensor_map(reader *r, const yml_node *map, plan_arg *a)
{
    static const char *const keys[] = {
        "buffer", "type",       "size",    "stride", "box",
        "step",   "interleave", "swizzle", "fill",   "lower",
        "upper",  "channels",   "pixels",  NULL};
    struct plan_tensor *t = ARENA_NEW(r->p->mem, struct plan_tensor);
    const yml_node *n;

    a->tensor = t;
    if (!yml_is_kind(&r->y, map, YML_MAP, "a tensor map"))
        return;
    yml_check_keys(&r->y, map, keys);
    n = yml_get(map, "buffer");
    if (n && yml_is_kind(&r->y, n, YML_SCALAR, "buffer"))
        t->buffer = plan_find_buffer(r->p, n->text);
    if (!t->buffer || t->buffer->image)
        yml_wrong(&r->y, n ? n->at : map->at,
                  "a tensor map needs the name of a buffer");
    t->spec = (tensor_spec){.dim = t->dim,
                            .stride = t->stride,
                            .box = t->box,
                            .step = t->step,
                            .lower = t->lower,
                            .upper = t->upper};
    t->spec.type = read_choice(r, map, "type", type_names, TENSOR_TYPES, 0);
    if (!yml_get(map, "type"))
        yml_wrong(&r->y, map->at, "a tensor map needs a type");
    t->spec.interleave =
        read_choice(r, map, "interleave", interleave_names, 3, 0);
    t->spec.swizzle = read_choice(r, map, "swizzle", swizzle_names, 4, 0);
    t->spec.fill = read_choice(r, map, "fill", fill_names, 2, 0);
    t->spec.rank = read_numbers(r, map, "size", TENSOR_DIMS, t->dim);
    default_strides(t,
                    read_numbers(r, map, "stride", TENSOR_DIMS - 1, t->stride));
    read_words(r, map, "box", t->box);
    read_words(r, map, "step", t->step);
    read_im2col(r, map, t);
}

bool plan_put_tensor(const plan_arg *a, const isa_param *prm, uint8_t *to,
                     diag *dg)
{
    const struct plan_tensor *t = a->tensor;
    tensor_spec spec = t->spec;
    const plan_place *at = &a->at;
    tensor_map map;
    const char *why;

    if (prm->size != TENSOR_MAP_BYTES) {
        diag_add(dg, DIAG_ERROR, at->file, at->line, at->column, at->length,
                 "parameter '%s' has %u byte%s, but a tensor map has %d",
                 prm->name, prm->size, word_plural(prm->size),
                 TENSOR_MAP_BYTES);
        return false;
    }
    spec.address = t->buffer->addr;
    why = tensor_map_encode(&map, &spec);
    if (why) {
        diag_add(dg, DIAG_ERROR, at->file, at->line, at->column, at->length,
                 "there is no such tensor map: %s", why);
        return false;
    }
    memcpy(to, &map, sizeof map);
    return true;
}
