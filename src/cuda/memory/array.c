#include "cuda/memory/array.h"

#include <stdlib.h>

#include "base/must.h"
#include "cuda/memory/range.h"
#include "driver/room.h"

/* Part of the process's state; with the lock. */
static struct {
    cu_array *first;
} st;

/* ---- Making ---- */

static void forget(cu_array *a)
{
    cu_array **at = &st.first;

    while (*at && *at != a)
        at = &(*at)->next;
    if (*at)
        *at = a->next;
}

/* Its image and, if it is no level, its memory. */
static void array_destroy(void *handle)
{
    cu_array *a = handle;

    for (unsigned l = 0; a->o.kind == CU_MIPMAP && l < TEX_LEVELS; l++) {
        cu_array *level = ((cu_mipmap *)a)->level[l];

        if (level)
            drv_release(&level->o);
    }
    if (a->image)
        rt_image_release(drv.image, a->image);
    cu_range *r = a->of ? NULL : range_at((void *)(uintptr_t)a->desc.addr);
    if (r)
        range_give(r);
    forget(a);
    free(a);
}

static cudaError_t make_image(cu_array *a)
{
    diag *dg = diag_new();

    a->image = rt_image_new(drv.image, &a->desc, dg);
    diag_free(dg);
    if (a->image)
        return cudaSuccess;
    return cu_fail(cudaErrorMemoryAllocation, "there are too many images");
}

static cudaError_t place_array(cu_array *a)
{
    if (!a->desc.addr) {
        cudaError_t code =
            range_take(a->device, CU_RANGE_ARRAY, rt_image_bytes(&a->desc),
                       a->flags, a->desc.name, &a->desc.addr);

        if (code != cudaSuccess)
            return code;
    }
    a->desc.tiles = true;
    return make_image(a);
}

cu_array *array_new(unsigned kind, const cu_array *like, cudaError_t *code)
{
    size_t size = kind == CU_MIPMAP ? sizeof(cu_mipmap) : sizeof(cu_array);
    cu_array *a =
        drv_object_new(kind, size, offsetof(cu_array, o), array_destroy);

    if (!a) {
        *code = cu_fail(cudaErrorMemoryAllocation, "no memory on the host");
        return NULL;
    }
    drv_object o = a->o;
    *a = *like;
    a->o = o;
    a->next = NULL;
    a->image = 0;
    if ((*code = place_array(a)) != cudaSuccess) {
        drv_release(&a->o);
        return NULL;
    }
    if (!a->of) {
        a->next = st.first;
        st.first = a;
    }
    return a;
}

static cu_array *first_of(const cu_device *d)
{
    cu_array *a = st.first;

    while (a && (a->device != d || !a->o.refs))
        a = a->next;
    return a;
}

void array_give_all(const cu_device *d)
{
    for (cu_array *a; (a = first_of(d));)
        drv_release(&a->o);
}

cu_array *array_get(cudaArray_const_t handle)
{
    if (drv_find_held(handle, CU_ARRAY))
        return (cu_array *)(uintptr_t)handle;
    cu_fail(cudaErrorInvalidResourceHandle, "%p is no array, or was freed",
            (const void *)handle);
    return NULL;
}

cu_mipmap *mipmap_get(cudaMipmappedArray_const_t handle)
{
    if (drv_find_held(handle, CU_MIPMAP))
        return (cu_mipmap *)(uintptr_t)handle;
    cu_fail(cudaErrorInvalidResourceHandle,
            "%p is no mipmapped array, or was freed", (const void *)handle);
    return NULL;
}

/* ---- Copies ---- */

cu_side array_side(cu_array *a, cudaPos at)
{
    return (cu_side){.array = a, .x = at.x * a->element, .y = at.y, .z = at.z};
}

static uint32_t at_least_one(uint32_t n) { return n ? n : 1; }

static uint32_t slices_of(const cu_array *a)
{
    return at_least_one(a->desc.layers ? a->desc.layers : a->desc.size[2]);
}

cudaError_t array_check_box(const cu_side *s, size_t width, size_t height,
                            size_t depth, const char *role)
{
    const cu_array *a = s->array;
    size_t row = a->desc.size[0] * a->element;
    size_t rows = at_least_one(a->desc.size[1]), slices = slices_of(a);

    if (width % a->element || s->x % a->element)
        return cu_fail(cudaErrorInvalidValue,
                       "%zu bytes from byte %zu of a row are no whole elements "
                       "of %zu bytes of the array that is the %s",
                       width, s->x, a->element, role);
    if (s->x > row || width > row - s->x || s->y > rows ||
        height > rows - s->y || s->z > slices || depth > slices - s->z)
        return cu_fail(cudaErrorInvalidValue,
                       "a box of %zu bytes, %zu rows, %zu slices at (%zu, %zu, "
                       "%zu) does not fit the array of %zu bytes, %zu rows, "
                       "%zu slices that is the %s",
                       width, height, depth, s->x, s->y, s->z, row, rows,
                       slices, role);
    return cudaSuccess;
}

static void origin_of(const cu_side *s, uint32_t origin[3])
{
    origin[0] = (uint32_t)(s->x / s->array->element);
    origin[1] = (uint32_t)s->y;
    origin[2] = (uint32_t)s->z;
}

void array_move(const cu_copy *c)
{
    const cu_array *any = c->from.array ? c->from.array : c->to.array;
    const uint32_t region[3] = {(uint32_t)(c->width / any->element),
                                (uint32_t)c->height, (uint32_t)c->depth};
    uint32_t from[3], to[3];

    if (c->from.array)
        origin_of(&c->from, from);
    if (c->to.array)
        origin_of(&c->to, to);
    if (!c->to.array)
        MUST(rt_image_read(drv.image, c->from.array->image, 0, from, region,
                           c->to.bytes, c->to.pitch, c->to.slice));
    else if (!c->from.array)
        MUST(rt_image_write(drv.image, c->to.array->image, 0, to, region,
                            c->from.bytes, c->from.pitch, c->from.slice));
    else
        MUST(rt_image_copy(drv.image, c->from.array->image, from,
                           c->to.array->image, to, region));
}
