/* cudaMemset and its relatives. */
#include <string.h>

#include "cuda/memory/copy.h"
#include "cuda/memory/range.h"
#include "cuda/stream/capture.h"
#include "driver/checkpoint.h"
#include "driver/host_link.h"
#include "driver/room.h"

typedef struct fill_command_st {
    drv_command base;
    cu_fill is;
} fill_command_st;

static void fill_row(uint8_t *at, const cu_fill *f)
{
    if (f->unit == 1) {
        memset(at, (int)(f->value & 0xff), f->width);
        return;
    }
    for (size_t i = 0; i + f->unit <= f->width; i += f->unit)
        memcpy(at + i, &f->value, f->unit);
}

static uint8_t *row_at(const cu_fill *f, size_t y, size_t z)
{
    return f->to.bytes + z * f->to.slice + y * f->to.pitch;
}

static int run_fill(drv_command *base)
{
    const cu_fill *f = &((fill_command_st *)base)->is;
    uint64_t bytes = (uint64_t)f->width * f->height * f->depth;

    for (size_t z = 0; z < f->depth; z++)
        for (size_t y = 0; y < f->height; y++) {
            fill_row(row_at(f, y, z), f);
            drv_room_copied(base->queue->device, row_at(f, y, z), f->width);
            drv_fills(row_at(f, y, z), f->width);
        }
    base->duration_ns = drv_memory_ns(base->queue->device, bytes);
    drv_link_moved(base, 0, bytes);
    return 0;
}

drv_command *fill_command(cu_stream *s, const cu_fill *is)
{
    fill_command_st *c =
        drv_command_new(sizeof *c, &s->q, drv_event_new(&s->q), run_fill);

    if (!c)
        return NULL;
    c->is = *is;
    c->base.engine = DRV_COPIES;
    c->base.fills = true;
    c->base.tells = true;
    return &c->base;
}

cudaError_t fill_check(const cu_fill *f)
{
    const cu_range *r = range_find(f->to.bytes);
    uint64_t bytes = 0;
    cudaError_t code =
        copy_box_bytes(&f->to, f->width, f->height, f->depth, &bytes);

    if (code != cudaSuccess)
        return code;
    if (!r)
        return cu_fail(cudaErrorInvalidValue,
                       "%p is no device memory: not allocated, or freed",
                       (void *)f->to.bytes);
    uint64_t left = r->size - range_offset(r, f->to.bytes);
    if (bytes > left)
        return cu_fail(cudaErrorInvalidValue,
                       "%llu bytes at %p: %llu are left of the allocation of "
                       "%llu bytes at %p",
                       (unsigned long long)bytes, (void *)f->to.bytes,
                       (unsigned long long)left, (unsigned long long)r->size,
                       (void *)(uintptr_t)r->addr);
    return cudaSuccess;
}

cudaError_t fill_submit(cudaStream_t stream, cu_fill *f, bool blocking)
{
    cu_stream *s = stream_get(stream);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!f->width || !f->height || !f->depth)
        return cudaSuccess;
    if (blocking && s->capture)
        return capture_refuse(s, "is given a fill that is waited for");
    const cu_range *r = range_find(f->to.bytes);
    cudaError_t code = fill_check(f);
    /* The program may look at these without a call [CUDA12:api-sync]. */
    blocking = blocking && r &&
               (r->kind == CU_RANGE_HOST || r->kind == CU_RANGE_MANAGED);
    if (code == cudaSuccess)
        code = op_submit(s, &(cu_op){.kind = CU_OP_FILL, .fill = *f});
    return code == cudaSuccess && blocking ? stream_wait(s) : code;
}

/* ---- The API ---- */

static cudaError_t fill_rows(void *to, size_t pitch, int value, size_t width,
                             size_t height, cudaStream_t stream, bool blocking)
{
    cu_fill f = {.to = side_rows(to, pitch, pitch * height),
                 .value = (uint8_t)value,
                 .unit = 1,
                 .width = width,
                 .height = height,
                 .depth = 1};

    if (width > pitch && height > 1)
        return cu_fail(cudaErrorInvalidValue,
                       "rows of %zu bytes do not fit a pitch of %zu", width,
                       pitch);
    return fill_submit(stream, &f, blocking);
}

EXPORT cudaError_t cudaMemset(void *to, int value, size_t size)
{
    CUDA_CALL();
    return fill_rows(to, size, value, size, 1, 0, true);
}

EXPORT cudaError_t cudaMemsetAsync(void *to, int value, size_t size,
                                   cudaStream_t stream)
{
    CUDA_CALL();
    return fill_rows(to, size, value, size, 1, stream, false);
}

EXPORT cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                                size_t height)
{
    CUDA_CALL();
    return fill_rows(to, pitch, value, width, height, 0, true);
}

EXPORT cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value,
                                     size_t width, size_t height,
                                     cudaStream_t stream)
{
    CUDA_CALL();
    return fill_rows(to, pitch, value, width, height, stream, false);
}

static cudaError_t fill_box(cudaPitchedPtr to, int value, cudaExtent size,
                            cudaStream_t stream, bool blocking)
{
    cu_fill f = {.to = side_rows(to.ptr, to.pitch, to.pitch * to.ysize),
                 .value = (uint8_t)value,
                 .unit = 1,
                 .width = size.width,
                 .height = size.height,
                 .depth = size.depth};

    return fill_submit(stream, &f, blocking);
}

EXPORT cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent size)
{
    CUDA_CALL();
    return fill_box(to, value, size, 0, true);
}

EXPORT cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value,
                                     cudaExtent size, cudaStream_t stream)
{
    CUDA_CALL();
    return fill_box(to, value, size, stream, false);
}
