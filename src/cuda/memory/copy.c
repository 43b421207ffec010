#include "cuda/memory/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/memory/array.h"
#include "cuda/memory/range.h"
#include "cuda/stream/capture.h"
#include "driver/checkpoint.h"
#include "driver/host_link.h"
#include "driver/room.h"
#include "runtime/memory.h"

/* ---- The command ---- */

typedef struct copy_command_st {
    drv_command base;
    cu_copy is;
    void *staged; /* what the program's memory held when it made the call;
                     owned, NULL: it is read when the command runs */
} copy_command_st;

static uint64_t copy_bytes(const cu_copy *c)
{
    return (uint64_t)c->width * c->height * c->depth;
}

/* A whole row after the other, without gaps. */
static bool is_dense(const cu_side *s, const cu_copy *c)
{
    return (c->height == 1 || s->pitch == c->width) &&
           (c->depth == 1 || s->slice == c->width * c->height);
}

static uint8_t *row_of(const cu_side *s, size_t y, size_t z)
{
    return side_moved(s, z * s->slice + y * s->pitch);
}

static void move_rows(const cu_copy *c)
{
    if (c->from.array || c->to.array) {
        array_move(c);
        return;
    }
    if (is_dense(&c->from, c) && is_dense(&c->to, c)) {
        memmove(c->to.bytes, c->from.bytes, copy_bytes(c));
        return;
    }
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            memmove(row_of(&c->to, y, z), row_of(&c->from, y, z), c->width);
}

/* Arrays leave nothing in caches. */
static void note_written(drv_device *d, const cu_copy *c)
{
    if (c->to.array)
        return;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            drv_room_copied(d, row_of(&c->to, y, z), c->width);
}

static drv_box box_of(const cu_side *s)
{
    return (drv_box){.bytes = s->array ? NULL : s->bytes,
                     .row = s->pitch,
                     .slice = s->slice,
                     .addr = s->array ? s->array->desc.addr : 0};
}

static int run_copy(drv_command *base)
{
    copy_command_st *c = (copy_command_st *)base;
    drv_device *d = base->queue->device;
    uint64_t bytes = copy_bytes(&c->is);
    drv_box from = box_of(&c->is.from), to = box_of(&c->is.to);

    drv_moves(&from, &to, c->is.width, c->is.height, c->is.depth);
    move_rows(&c->is);
    if (base->engine == DRV_WRITES || base->engine == DRV_COPIES)
        note_written(d, &c->is);
    switch (base->engine) {
    case DRV_READS:
    case DRV_WRITES:
        base->duration_ns = drv_link_ns(d, bytes);
        drv_link_moved(base, bytes, 0);
        break;
    case DRV_COPIES: /* it reads them and writes them */
        base->duration_ns = drv_memory_ns(d, 2 * bytes);
        drv_link_moved(base, 0, bytes);
        break;
    case DRV_NONE:
    case DRV_KERNELS:
    case DRV_ENGINES:
        break;
    }
    return 0;
}

static void end_copy(drv_command *base)
{
    free(((copy_command_st *)base)->staged);
}

drv_command *copy_command(cu_stream *s, const cu_copy *is)
{
    copy_command_st *c =
        drv_command_new(sizeof *c, &s->q, drv_event_new(&s->q), run_copy);

    if (!c)
        return NULL;
    c->is = *is;
    c->base.engine = is->engine;
    c->base.tells = true;
    c->base.fini = end_copy;
    if (is->from.array)
        drv_command_use(&c->base, array_object(is->from.array));
    if (is->to.array)
        drv_command_use(&c->base, array_object(is->to.array));
    return &c->base;
}

/* ---- What is checked ---- */

cudaError_t copy_box_bytes(const cu_side *s, size_t width, size_t height,
                           size_t depth, uint64_t *bytes)
{
    unsigned __int128 rows = (unsigned __int128)(height - 1) * s->pitch + width;
    unsigned __int128 all = (unsigned __int128)(depth - 1) * s->slice + rows;

    if (height > 1 && s->pitch < width)
        return cu_fail(cudaErrorInvalidValue,
                       "rows of %zu bytes do not fit a pitch of %zu", width,
                       s->pitch);
    if (depth > 1 && s->slice < rows)
        return cu_fail(cudaErrorInvalidValue,
                       "slices of %zu rows of %zu bytes, at a pitch of %zu, do "
                       "not fit %zu bytes",
                       height, width, s->pitch, s->slice);
    *bytes = all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
    return cudaSuccess;
}

/* Does the side lie on a device? A pointer into no allocation is the
 * program's. */
static bool is_device(const cu_side *s, const cu_range *r)
{
    return s->array || (r && r->kind != CU_RANGE_HOST);
}

static cudaError_t check_extent(const cu_side *s, const cu_range *r,
                                size_t width, size_t height, size_t depth,
                                const char *role)
{
    if (s->array)
        return array_check_box(s, width, height, depth, role);
    uint64_t bytes = 0;
    cudaError_t code = copy_box_bytes(s, width, height, depth, &bytes);
    if (code != cudaSuccess)
        return code;
    if (!s->bytes)
        return cu_fail(cudaErrorInvalidValue, "the %s is NULL", role);
    if (r && bytes > r->size - range_offset(r, s->bytes))
        return cu_fail(
            cudaErrorInvalidValue,
            "%llu bytes at %p, the %s, end %llu bytes behind the "
            "allocation of %llu bytes at %p",
            (unsigned long long)bytes, (void *)s->bytes, role,
            (unsigned long long)(bytes - (r->size - range_offset(r, s->bytes))),
            (unsigned long long)r->size, (void *)(uintptr_t)r->addr);
    return cudaSuccess;
}

/* A pointer that must be one of a device, or can be no other, but lies in no
 * allocation. */
static cudaError_t check_side(const cu_side *s, const cu_range *r, bool device,
                              const char *role)
{
    if (s->array || r)
        return cudaSuccess;
    if (!device && !rt_memory_holds(drv.image, (uintptr_t)s->bytes))
        return cudaSuccess;
    return cu_fail(cudaErrorInvalidValue,
                   "%p, the %s, is no device memory: not allocated, or freed",
                   (void *)s->bytes, role);
}

static cudaError_t check_direction(cudaMemcpyKind kind, const cu_copy *c,
                                   const cu_range *from, const cu_range *to)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cu_fail(cudaErrorInvalidMemcpyDirection,
                       "%d is no cudaMemcpyKind", (int)kind);
    cudaError_t code = check_side(&c->from, from,
                                  kind == cudaMemcpyDeviceToHost ||
                                      kind == cudaMemcpyDeviceToDevice,
                                  "source");
    if (code == cudaSuccess)
        code = check_side(&c->to, to,
                          kind == cudaMemcpyHostToDevice ||
                              kind == cudaMemcpyDeviceToDevice,
                          "destination");
    return code;
}

static cudaError_t check_elements(const cu_copy *c)
{
    size_t from = c->from.array ? array_element(c->from.array) : 0;
    size_t to = c->to.array ? array_element(c->to.array) : 0;

    if (!from || !to || from == to)
        return cudaSuccess;
    return cu_fail(cudaErrorInvalidValue,
                   "between arrays of elements of %zu and %zu bytes: they must "
                   "be of the same size",
                   from, to);
}

static drv_engine engine_of(bool from_device, bool to_device)
{
    if (from_device)
        return to_device ? DRV_COPIES : DRV_READS;
    return to_device ? DRV_WRITES : DRV_NONE;
}

/* ---- Submitting ---- */

/* The bytes as they are now: the program may change them after the call. */
static bool stage(copy_command_st *c)
{
    uint64_t bytes = copy_bytes(&c->is);
    cu_copy in = c->is;

    if (!(c->staged = alloc_try_array(bytes ? bytes : 1, 1)))
        return false;
    in.to = side_rows(c->staged, in.width, in.width * in.height);
    move_rows(&in);
    c->is.from = in.to;
    return true;
}

static cudaError_t enqueue_staged(cu_stream *s, const cu_copy *is)
{
    drv_command *c = copy_command(s, is);

    if (!c || !stage((copy_command_st *)c)) {
        if (c)
            drv_command_free(c);
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a command");
    }
    return stream_put(s, c);
}

static const cu_range *range_of(const cu_side *s)
{
    return s->array ? NULL : range_find(s->bytes);
}

cudaError_t copy_check(cu_copy *c, cudaMemcpyKind kind)
{
    const cu_range *from = range_of(&c->from), *to = range_of(&c->to);
    cudaError_t code = check_direction(kind, c, from, to);

    if (code == cudaSuccess)
        code = check_extent(&c->from, from, c->width, c->height, c->depth,
                            "source");
    if (code == cudaSuccess)
        code = check_extent(&c->to, to, c->width, c->height, c->depth,
                            "destination");
    if (code == cudaSuccess)
        code = check_elements(c);
    c->kind = kind;
    c->engine = engine_of(is_device(&c->from, from), is_device(&c->to, to));
    return code;
}

cudaError_t copy_submit(cudaStream_t stream, cu_copy *c, cudaMemcpyKind kind,
                        bool blocking)
{
    cu_stream *s = stream_get(stream);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!copy_bytes(c))
        return cudaSuccess;
    if (blocking && s->capture)
        return capture_refuse(s, "is given a copy that is waited for");
    cudaError_t code = copy_check(c, kind);
    if (code != cudaSuccess)
        return code;
    const cu_range *from = range_of(&c->from), *to = range_of(&c->to);
    /* What is not page-locked is read during the call, or written before it
     * returns; but not what a stream captures. */
    if (!blocking && !s->capture) {
        if (c->engine == DRV_WRITES && !from)
            return enqueue_staged(s, c);
        blocking = !c->to.array && !to;
    }
    code = op_submit(s, &(cu_op){.kind = CU_OP_COPY, .copy = *c});
    return code == cudaSuccess && blocking ? stream_wait(s) : code;
}

/* ---- The API ---- */

static cudaError_t copy_linear(void *to, const void *from, size_t size,
                               cudaMemcpyKind kind, cudaStream_t stream,
                               bool blocking)
{
    cu_copy c = copy_bytes_of(to, from, size);

    return copy_submit(stream, &c, kind, blocking);
}

EXPORT cudaError_t cudaMemcpy(void *to, const void *from, size_t size,
                              cudaMemcpyKind kind)
{
    CUDA_CALL();
    return copy_linear(to, from, size, kind, 0, true);
}

EXPORT cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                                   cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDA_CALL();
    return copy_linear(to, from, size, kind, stream, false);
}

EXPORT cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from,
                                  int from_device, size_t size)
{
    CUDA_CALL();
    (void)to_device, (void)from_device; /* the pointers say it */
    return copy_linear(to, from, size, cudaMemcpyDeviceToDevice, 0, true);
}

EXPORT cudaError_t cudaMemcpyPeerAsync(void *to, int to_device,
                                       const void *from, int from_device,
                                       size_t size, cudaStream_t stream)
{
    CUDA_CALL();
    (void)to_device, (void)from_device;
    return copy_linear(to, from, size, cudaMemcpyDeviceToDevice, stream, false);
}

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from,
                             size_t from_pitch, size_t width, size_t height,
                             cudaMemcpyKind kind, cudaStream_t stream,
                             bool blocking)
{
    cu_copy c = {.from = side_rows(from, from_pitch, from_pitch * height),
                 .to = side_rows(to, to_pitch, to_pitch * height),
                 .width = width,
                 .height = height,
                 .depth = 1};

    if (width > to_pitch || width > from_pitch)
        return cu_fail(cudaErrorInvalidPitchValue,
                       "rows of %zu bytes do not fit pitches of %zu and %zu",
                       width, to_pitch, from_pitch);
    return copy_submit(stream, &c, kind, blocking);
}

EXPORT cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                size_t from_pitch, size_t width, size_t height,
                                cudaMemcpyKind kind)
{
    CUDA_CALL();
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, 0,
                     true);
}

EXPORT cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch,
                                     const void *from, size_t from_pitch,
                                     size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDA_CALL();
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind,
                     stream, false);
}

/* ---- Boxes ---- */

/* A side of cudaMemcpy3DParms: texels where there is an array. */
static cu_side side_box(cudaArray_t array, cudaPos at, cudaPitchedPtr in)
{
    size_t slice = in.pitch * in.ysize;

    if (array)
        return array_side(array, at);
    cu_side s = side_rows(in.ptr, in.pitch, slice);
    s.bytes = side_moved(&s, at.z * slice + at.y * in.pitch + at.x);
    return s;
}

cudaError_t copy_of_box(const cudaMemcpy3DParms *p, cu_copy *c)
{
    if (!p)
        return cu_fail(cudaErrorInvalidValue, "there are no parameters");
    if (!p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr)
        return cu_fail(cudaErrorInvalidValue,
                       "source and destination are each an array or a "
                       "pointer, not both and not none");
    if ((p->srcArray && !array_get(p->srcArray)) ||
        (p->dstArray && !array_get(p->dstArray)))
        return cudaErrorInvalidResourceHandle;
    *c = (cu_copy){.from = side_box(p->srcArray, p->srcPos, p->srcPtr),
                   .to = side_box(p->dstArray, p->dstPos, p->dstPtr),
                   .width = p->extent.width,
                   .height = p->extent.height,
                   .depth = p->extent.depth};
    /* With an array the width counts its elements. */
    size_t element = p->srcArray   ? array_element(p->srcArray)
                     : p->dstArray ? array_element(p->dstArray)
                                   : 1;
    c->width *= element;
    return cudaSuccess;
}

static cudaError_t copy_box(const cudaMemcpy3DParms *p, cudaStream_t stream,
                            bool blocking)
{
    cu_copy c;
    cudaError_t code = copy_of_box(p, &c);

    return code == cudaSuccess ? copy_submit(stream, &c, p->kind, blocking)
                               : code;
}

EXPORT cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p)
{
    CUDA_CALL();
    return copy_box(p, 0, true);
}

EXPORT cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p,
                                     cudaStream_t stream)
{
    CUDA_CALL();
    return copy_box(p, stream, false);
}

/* The devices are those of the arrays and pointers. */
static cudaError_t copy_peer_box(const cudaMemcpy3DPeerParms *p,
                                 cudaStream_t stream, bool blocking)
{
    if (!p)
        return cu_fail(cudaErrorInvalidValue, "there are no parameters");
    const cudaMemcpy3DParms box = {.srcArray = p->srcArray,
                                   .srcPos = p->srcPos,
                                   .srcPtr = p->srcPtr,
                                   .dstArray = p->dstArray,
                                   .dstPos = p->dstPos,
                                   .dstPtr = p->dstPtr,
                                   .extent = p->extent,
                                   .kind = cudaMemcpyDeviceToDevice};

    return copy_box(&box, stream, blocking);
}

EXPORT cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p)
{
    CUDA_CALL();
    return copy_peer_box(p, 0, true);
}

EXPORT cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p,
                                         cudaStream_t stream)
{
    CUDA_CALL();
    return copy_peer_box(p, stream, false);
}
