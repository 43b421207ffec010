#include "launchfile/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/must.h"
#include "base/plural.h"
#include "base/suggest.h"
#include "launchfile/buffer.h"
#include "launchfile/element.h"
#include "launchfile/npy.h"
#include "launchfile/plan_image.h"
#include "launchfile/plan_reader.h"

static const struct {
    const char *text;
    unsigned bytes;
} types[TYPE_NONE + 1] = {
    [TYPE_U8] = {"u8", 1},   [TYPE_U16] = {"u16", 2}, [TYPE_U32] = {"u32", 4},
    [TYPE_U64] = {"u64", 8}, [TYPE_S8] = {"s8", 1},   [TYPE_S16] = {"s16", 2},
    [TYPE_S32] = {"s32", 4}, [TYPE_S64] = {"s64", 8}, [TYPE_F16] = {"f16", 2},
    [TYPE_F32] = {"f32", 4}, [TYPE_F64] = {"f64", 8}, [TYPE_NONE] = {"none", 0},
};

/* What the languages call them; OpenCL C's long has 64 bits. */
static const struct {
    const char *text;
    plan_type type;
} aliases[] = {
    {"i8", TYPE_S8},       {"i16", TYPE_S16},     {"i32", TYPE_S32},
    {"i64", TYPE_S64},     {"int8", TYPE_S8},     {"int16", TYPE_S16},
    {"int32", TYPE_S32},   {"int64", TYPE_S64},   {"uint8", TYPE_U8},
    {"uint16", TYPE_U16},  {"uint32", TYPE_U32},  {"uint64", TYPE_U64},
    {"char", TYPE_S8},     {"uchar", TYPE_U8},    {"short", TYPE_S16},
    {"ushort", TYPE_U16},  {"int", TYPE_S32},     {"uint", TYPE_U32},
    {"long", TYPE_S64},    {"ulong", TYPE_U64},   {"b8", TYPE_U8},
    {"b16", TYPE_U16},     {"b32", TYPE_U32},     {"b64", TYPE_U64},
    {"half", TYPE_F16},    {"float", TYPE_F32},   {"double", TYPE_F64},
    {"float16", TYPE_F16}, {"float32", TYPE_F32}, {"float64", TYPE_F64},
};

plan_type plan_type_find(const char *text)
{
    for (unsigned t = 0; t < TYPE_NONE; t++)
        if (!strcmp(types[t].text, text))
            return (plan_type)t;
    for (size_t i = 0; i < COUNTOF(aliases); i++)
        if (!strcmp(aliases[i].text, text))
            return aliases[i].type;
    return TYPE_NONE;
}

const char *plan_type_unknown(const char *text, arena *mem)
{
    const char *names[TYPE_NONE + COUNTOF(aliases)], *near;
    size_t n = 0;

    for (unsigned t = 0; t < TYPE_NONE; t++)
        names[n++] = types[t].text;
    for (size_t i = 0; i < COUNTOF(aliases); i++)
        names[n++] = aliases[i].text;
    near = suggest_nearest(text, names, n);
    return arena_printf(mem,
                        "unknown type '%s'%s%s%s; there are u8 to u64, s8 to "
                        "s64 (i8 to i64, char to long), f16, f32, f64 (half, "
                        "float, double)",
                        text, near ? " (did you mean '" : "", near ? near : "",
                        near ? "'?)" : "");
}

const char *plan_type_text(plan_type t) { return types[t].text; }
unsigned plan_type_bytes(plan_type t) { return types[t].bytes; }

plan *plan_new(void)
{
    plan *p = new0(1, sizeof *p);

    p->mem = arena_new();
    p->buffers_end = &p->buffers;
    p->samplers_end = &p->samplers;
    p->launches_end = &p->launches;
    p->stream[p->streams++] = "0";
    p->dumps_end = &p->dumps;
    p->expects_end = &p->expects;
    return p;
}

void plan_free(plan *p)
{
    if (!p)
        return;
    arena_free(p->mem);
    free(p);
}

plan_launch *plan_add_launch(plan *p)
{
    plan_launch *l = ARENA_NEW(p->mem, plan_launch);

    for (unsigned i = 0; i < 3; i++)
        l->grid[i] = l->block[i] = 1;
    l->repeat = 1;
    *p->launches_end = l;
    p->launches_end = &l->next;
    return l;
}

plan_buffer *plan_find_buffer(const plan *p, const char *name)
{
    for (plan_buffer *b = p->buffers; b; b = b->next)
        if (!strcmp(b->name, name))
            return b;
    return NULL;
}

const char *const *plan_kernels(const plan *p)
{
    size_t n = 0, count = 0;

    for (const plan_launch *l = p->launches; l; l = l->next)
        count++;
    const char **names = ARENA_ARRAY(p->mem, const char *, count + 1);
    for (const plan_launch *l = p->launches; l; l = l->next) {
        size_t i = 0;

        if (!l->kernel)
            return NULL;
        while (i < n && strcmp(names[i], l->kernel))
            i++;
        if (i == n)
            names[n++] = l->kernel;
    }
    return names;
}

static void complain(diag *dg, const plan_place *at, const char *text,
                     const char *name)
{
    diag_add(dg, DIAG_ERROR, at->file, at->line, at->column, at->length, text,
             name);
}

/* ---- Filling buffers ---- */

enum { FILL_ELEMENTS = 1 << 16 }; /* made at once */

static void fill_buffer(const plan_buffer *b, rt_device *d)
{
    unsigned size = plan_type_bytes(b->type);
    uint8_t *made = new_array((size_t)FILL_ELEMENTS * size, 1);
    rng r = buffer_rng(b);

    for (uint64_t i = 0; i < b->count; i += FILL_ELEMENTS) {
        uint64_t n = b->count - i;

        n = n < FILL_ELEMENTS ? n : FILL_ELEMENTS;
        buffer_fill(b, &r, i, n, made);
        MUST(rt_write(rt_device_memory(d), b->addr + i * size, made, n * size));
    }
    free(made);
}

/* The bytes of a buffer's or a comparison's file; *text must be freed. */
static status read_elements(const char *path, const plan_place *at,
                            plan_type *type, diag *dg, char **text,
                            const char **data, uint64_t *count)
{
    size_t size;
    status st = file_read(path, dg, text, &size);
    npy n;

    if (st != ST_OK) {
        if (at->file)
            complain(dg, at, "cannot read '%s'", path);
        return ST_CONFIG;
    }
    if (npy_is(*text, size)) {
        st = npy_read(path, *text, size, dg, &n);
        if (st == ST_OK && *type != TYPE_NONE && n.type != *type) {
            diag_add(dg, DIAG_ERROR, path, 0, 0, 0,
                     "it holds %s, but the buffer is %s",
                     plan_type_text(n.type), plan_type_text(*type));
            st = ST_CONFIG;
        }
        *data = n.data;
        *count = n.count;
        if (st == ST_OK)
            *type = n.type;
    } else if (*type == TYPE_NONE) {
        diag_add(dg, DIAG_ERROR, path, 0, 0, 0,
                 "it is no .npy file, so the buffer needs a type");
        st = ST_CONFIG;
    } else if (size % plan_type_bytes(*type)) {
        diag_add(dg, DIAG_ERROR, path, 0, 0, 0,
                 "%zu bytes are no whole number of elements of type %s", size,
                 plan_type_text(*type));
        st = ST_CONFIG;
    } else {
        *data = *text;
        *count = size / plan_type_bytes(*type);
    }
    if (st != ST_OK) {
        free(*text);
        *text = NULL;
    }
    return st;
}

static status place_buffer(plan_buffer *b, rt_device *d, const char *data,
                           diag *dg)
{
    uint64_t bytes = b->count * plan_type_bytes(b->type);

    if (!b->addr)
        b->addr = rt_alloc(rt_device_memory(d), bytes ? bytes : 1, b->name);
    if (!b->addr) {
        diag_add(dg, DIAG_ERROR, b->at.file, b->at.line, b->at.column,
                 b->at.length,
                 "no room for buffer '%s' of %" PRIu64 " bytes in the %" PRIu64
                 " bytes of device memory",
                 b->name, bytes, rt_device_config(d)->gpu.global_bytes);
        return ST_CONFIG;
    }
    if (data && bytes)
        MUST(rt_write(rt_device_memory(d), b->addr, data, bytes));
    else if (!data && b->init != INIT_ZERO)
        fill_buffer(b, d);
    return ST_OK;
}

static status place_plan_image(plan_buffer *b, rt_device *d, const char *data,
                               diag *dg)
{
    rng r = buffer_rng(b);
    void *made;
    status st;

    if (data)
        return plan_image_allocate(b, d, data, dg);
    if (b->count > rt_device_config(d)->gpu.global_bytes) {
        complain(dg, &b->at, "no room for image '%s'", b->name);
        return ST_CONFIG;
    }
    made = alloc_try_zeroed(b->count, plan_type_bytes(b->type));
    if (!made) {
        complain(dg, &b->at, "no room for image '%s' on this host", b->name);
        return ST_NOMEM;
    }
    buffer_fill(b, &r, 0, b->count, made);
    st = plan_image_allocate(b, d, made, dg);
    free(made);
    return st;
}

static status allocate_buffer(plan_buffer *b, rt_device *d, diag *dg)
{
    char *text = NULL;
    const char *data = NULL;
    status st = ST_OK;

    if (b->init == INIT_FILE) {
        uint64_t held = 0;

        st = read_elements(b->file, &b->at, &b->type, dg, &text, &data, &held);
        if (st == ST_OK && b->count && b->count != held) {
            diag_add(dg, DIAG_ERROR, b->file, 0, 0, 0,
                     "it holds %" PRIu64 " element%s, but buffer '%s' has "
                     "%" PRIu64,
                     held, word_plural(held), b->name, b->count);
            st = ST_CONFIG;
        }
        b->count = held;
    }
    if (st == ST_OK)
        st = b->image ? place_plan_image(b, d, data, dg)
                      : place_buffer(b, d, data, dg);
    free(text);
    return st;
}

/* ---- Arguments ---- */

/* What a number without a type is taken for; TYPE_NONE: none fits. */
static plan_type natural_type(const isa_param *prm)
{
    bool real = prm->kind == PARAM_FLOAT;

    switch (prm->size) {
    case 1:
        return TYPE_S8;
    case 2:
        return real ? TYPE_F16 : TYPE_S16;
    case 4:
        return real ? TYPE_F32 : TYPE_S32;
    case 8:
        return real ? TYPE_F64 : TYPE_S64;
    default:
        return TYPE_NONE;
    }
}

static bool put_argument_number(const plan_arg *a, const isa_param *prm,
                                uint8_t *to, diag *dg)
{
    const plan_place *at = &a->at;
    plan_type t = a->type == TYPE_NONE ? natural_type(prm) : a->type;

    if (prm->kind == PARAM_BYTES || t == TYPE_NONE) {
        diag_add(dg, DIAG_ERROR, at->file, at->line, at->column, at->length,
                 "parameter '%s' is a structure of %u byte%s; give its fields",
                 prm->name, prm->size, word_plural(prm->size));
        return false;
    }
    if (plan_type_bytes(t) != prm->size) {
        diag_add(dg, DIAG_ERROR, at->file, at->line, at->column, at->length,
                 "parameter '%s' has %u byte%s, but the argument '%s' of type "
                 "%s has %u",
                 prm->name, prm->size, word_plural(prm->size), a->text,
                 plan_type_text(t), plan_type_bytes(t));
        return false;
    }
    if (element_parse(t, a->text, to))
        return true;
    diag_add(dg, DIAG_ERROR, at->file, at->line, at->column, at->length,
             "'%s' is no %s (parameter '%s')", a->text, plan_type_text(t),
             prm->name);
    return false;
}

static bool put_arg(const plan_arg *a, const isa_param *prm, uint8_t *to,
                    diag *dg)
{
    bool handle = a->sampler || (a->buffer && a->buffer->image);
    uint64_t value;

    if (!a->buffer && !a->sampler)
        return put_argument_number(a, prm, to, dg);
    if (prm->size != 8 || prm->kind == PARAM_FLOAT) {
        diag_add(dg, DIAG_ERROR, a->at.file, a->at.line, a->at.column,
                 a->at.length,
                 "parameter '%s' of %u byte%s is no %s, but the argument is %s "
                 "'%s'",
                 prm->name, prm->size, word_plural(prm->size),
                 handle ? "handle" : "pointer",
                 !handle     ? "buffer"
                 : a->buffer ? "image"
                             : "sampler",
                 a->buffer ? a->buffer->name : a->sampler->name);
        return false;
    }
    value = handle ? plan_handle(a) : a->buffer->addr;
    memcpy(to, &value, 8);
    return true;
}

/* The parameter that field `f` of `prm` would be; false: nothing fits it. */
static bool field_of(const plan_arg *f, const isa_param *prm, isa_param *field,
                     diag *dg)
{
    bool pointer = f->buffer || f->sampler;

    *field = (isa_param){.name = prm->name,
                         .kind = pointer               ? PARAM_POINTER
                                 : f->type >= TYPE_F16 ? PARAM_FLOAT
                                                       : PARAM_INT};
    if (!pointer && f->type == TYPE_NONE) {
        diag_add(dg, DIAG_ERROR, f->at.file, f->at.line, f->at.column,
                 f->at.length, "the field '%s' of '%s' needs a type", f->text,
                 prm->name);
        return false;
    }
    field->size = pointer ? 8 : plan_type_bytes(f->type);
    return true;
}

/* The fields one behind the other, each aligned to its size. */
static bool put_struct(const plan_arg *a, const isa_param *prm, uint8_t *to,
                       diag *dg)
{
    uint64_t at = 0;
    uint32_t widest = 1;

    for (const plan_arg *f = a->fields; f; f = f->next) {
        isa_param field;

        if (!field_of(f, prm, &field, dg))
            return false;
        at = bits_align_up(at, field.size);
        if (at + field.size <= prm->size && !put_arg(f, &field, to + at, dg))
            return false;
        at += field.size;
        widest = field.size > widest ? field.size : widest;
    }
    at = bits_align_up(at, widest);
    if (at == prm->size)
        return true;
    diag_add(dg, DIAG_ERROR, a->at.file, a->at.line, a->at.column, a->at.length,
             "parameter '%s' has %u byte%s, but the fields given have %" PRIu64
             " with their alignment",
             prm->name, prm->size, word_plural(prm->size), at);
    return false;
}

status plan_arguments(const plan *p, const plan_launch *l, const isa_kernel *k,
                      diag *dg, void **params)
{
    uint8_t *out = new0(1, k->param_bytes ? k->param_bytes : 1);
    uint32_t given = 0;
    bool good = true;

    (void)p;
    for (const plan_arg *a = l->args; a; a = a->next, given++)
        if (given < k->param_count)
            good &= (a->tensor   ? plan_put_tensor
                     : a->fields ? put_struct
                                 : put_arg)(a, &k->params[given],
                                            out + k->params[given].offset, dg);
    if (given != k->param_count) {
        diag_add(dg, DIAG_ERROR, l->at.file, l->at.line, l->at.column,
                 l->at.length,
                 "kernel '%s' has %u parameter%s, but %u argument%s given",
                 k->name, k->param_count, k->param_count == 1 ? "" : "s", given,
                 given == 1 ? " is" : "s are");
        good = false;
    }
    if (!good) {
        free(out);
        return ST_USAGE;
    }
    *params = out;
    return ST_OK;
}

/* ---- Results ---- */

/* A copy of a buffer or of the texels of an image, which the caller frees; NULL
 * if memory runs out. */
static uint8_t *plan_fetch(const plan_buffer *b, rt_device *d)
{
    uint64_t bytes = b->count * plan_type_bytes(b->type);
    uint8_t *data = alloc_try_array(bytes, 1);

    if (data && b->image)
        plan_image_read(b, d, data);
    else if (data && bytes)
        MUST(rt_read(rt_device_memory(d), b->addr, data, bytes));
    return data;
}

status plan_hash(const plan *p, rt_device *d, uint64_t *hash)
{
    *hash = 0;
    for (const plan_buffer *b = p->buffers; b; b = b->next) {
        uint64_t bytes = b->count * plan_type_bytes(b->type);
        uint8_t *data;

        if (!b->image && bytes) {
            *hash = rt_memory_hash(rt_device_memory(d), b->addr, bytes, *hash);
            continue;
        }
        data = plan_fetch(b, d);
        if (!data)
            return ST_NOMEM;
        *hash = hash_bytes(data, bytes, *hash);
        free(data);
    }
    return ST_OK;
}

static void compare_elements(plan_type t, const uint8_t *got,
                             const uint8_t *want, plan_check *out)
{
    unsigned size = plan_type_bytes(t);

    if (!memcmp(got, want, out->count * size))
        return;
    for (uint64_t i = 0; i < out->count; i++, got += size, want += size) {
        if (!memcmp(got, want, size))
            continue;
        double g = element_get(t, got), w = element_get(t, want);
        double away = fabs(g - w);
        double most = fmax(fabs(g), fabs(w));
        double relative = most > 0 ? away / most : 0;
        double error = away < relative ? away : relative;

        if (isnan(g) || isnan(w) || isinf(g) || isinf(w))
            error = isnan(g) && isnan(w) ? 0 : INFINITY;
        if (error > out->worst)
            out->worst = error;
        if (error <= out->what->tolerance && out->what->tolerance > 0)
            continue;
        if (!out->differ++) {
            out->first = i;
            out->got = g;
            out->want = w;
        }
    }
}

/* The file of `e`, as many elements as its buffer has; *text must be freed. */
static status read_expected(const plan_output *e, diag *dg, char **text,
                            const char **want)
{
    plan_type type = e->buffer->type;
    uint64_t count = 0;
    status st = read_elements(e->file, &e->at, &type, dg, text, want, &count);

    if (st != ST_OK || count == e->buffer->count)
        return st;
    diag_add(dg, DIAG_ERROR, e->file, 0, 0, 0,
             "it holds %" PRIu64 " element%s, but buffer '%s' has %" PRIu64,
             count, word_plural(count), e->buffer->name, e->buffer->count);
    free(*text);
    *text = NULL;
    return ST_CONFIG;
}

status plan_compare(const plan *p, const plan_output *e, rt_device *d, diag *dg,
                    plan_check *out)
{
    char *text = NULL;
    const char *want = NULL;

    (void)p;
    memset(out, 0, sizeof *out);
    out->what = e;
    status st = read_expected(e, dg, &text, &want);
    if (st != ST_OK)
        return st;
    out->count = e->buffer->count;
    uint8_t *got = plan_fetch(e->buffer, d);
    if (got)
        compare_elements(e->buffer->type, got, (const uint8_t *)want, out);
    free(got);
    free(text);
    return !got ? ST_NOMEM : out->differ ? ST_MISMATCH : ST_OK;
}

/* Expectations are read here only to find what is wrong with them before the
 * launches rather than after. */
status plan_allocate(plan *p, rt_device *d, diag *dg)
{
    status worst = plan_samplers_allocate(p, d, dg);

    for (plan_buffer *b = p->buffers; b; b = b->next) {
        status st = allocate_buffer(b, d, dg);
        worst = st != ST_OK ? st : worst;
    }
    for (plan_output *e = p->expects; e && worst == ST_OK; e = e->next) {
        char *text = NULL;
        const char *want;

        worst = read_expected(e, dg, &text, &want);
        free(text);
    }
    return worst;
}

static bool is_npy_name(const char *path)
{
    size_t n = strlen(path);

    return n > 4 && !strcmp(path + n - 4, ".npy");
}

status plan_dump(const plan *p, const plan_output *o, rt_device *d, diag *dg)
{
    const plan_buffer *b = o->buffer;
    uint8_t *data = plan_fetch(b, d);
    strbuf text = {0};

    (void)p;
    if (!data)
        return ST_NOMEM;
    if (is_npy_name(o->file))
        npy_write(b->type, b->count, data, &text);
    else
        strbuf_write(&text, (const char *)data,
                     b->count * plan_type_bytes(b->type));
    status st = file_write(o->file, text.text ? text.text : "", text.size, dg);
    strbuf_fini(&text);
    free(data);
    return st;
}
