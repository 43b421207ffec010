#include "cuda/memory/array.h"

#include <stdlib.h>

#include "base/must.h"

cu_array *array_get(cudaArray_const_t handle)
{
    if (drv_find(handle, CU_ARRAY))
        return (cu_array *)(uintptr_t)handle;
    cu_fail(cudaErrorInvalidResourceHandle, "%p is no array, or was freed",
            (const void *)handle);
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
