/* src/cuda/stream/window.c - access windows of streams, launches and nodes. */
#include "cuda/stream/window.h"

#include <string.h>

#include "cuda/functions.h"
#include "cuda/stream/stream.h"
#include "mem/keep.h"

static bool priority_of(int property, mem_keep *to)
{
    static const uint8_t all[] = {
        [cudaAccessPropertyNormal] = MEM_KEEP_NORMAL,
        [cudaAccessPropertyStreaming] = MEM_KEEP_FIRST,
        [cudaAccessPropertyPersisting] = MEM_KEEP_LAST};

    if (property < 0 || property > cudaAccessPropertyPersisting)
        return false;
    *to = (mem_keep)all[property];
    return true;
}

cudaError_t cu_window_read(const cudaAccessPolicyWindow *w, exec_hints *to)
{
    mem_keep hit, miss;
    uint32_t share;

    if (!w->num_bytes) {
        *to = (exec_hints){.carveout = to->carveout};
        return cudaSuccess;
    }
    if (w->num_bytes > CU_WINDOW_BYTES)
        return cu_fail(cudaErrorInvalidValue,
                       "an access window of %zu bytes: %d are possible",
                       w->num_bytes, CU_WINDOW_BYTES);
    if (!(w->hitRatio >= 0 && w->hitRatio <= 1))
        return cu_fail(cudaErrorInvalidValue,
                       "%g of an access window: the ratio is 0 to 1",
                       (double)w->hitRatio);
    if (!priority_of(w->hitProp, &hit) || !priority_of(w->missProp, &miss) ||
        miss == MEM_KEEP_LAST)
        return cu_fail(cudaErrorInvalidValue,
                       "properties %d and %d of an access window: hits are "
                       "normal (0), streaming (1) or persisting (2), misses "
                       "normal or streaming",
                       w->hitProp, w->missProp);
    memcpy(&share, &w->hitRatio, sizeof share);
    to->window_at = (uint64_t)(uintptr_t)w->base_ptr;
    to->window_bytes = w->num_bytes;
    to->window_policy =
        mem_keep_fraction(w->hitRatio > 0 ? hit : miss, miss, share);
    return cudaSuccess;
}

cudaAccessPolicyWindow cu_window_of(const exec_hints *h)
{
    static const int property[] = {[0] = cudaAccessPropertyNormal,
                                   [2] = cudaAccessPropertyStreaming,
                                   [4] = cudaAccessPropertyPersisting};
    uint64_t p = h->window_policy;

    if (!h->window_bytes)
        return (cudaAccessPolicyWindow){0};
    return (cudaAccessPolicyWindow){.base_ptr = (void *)(uintptr_t)h->window_at,
                                    .num_bytes = h->window_bytes,
                                    .hitRatio =
                                        (float)((p >> 52 & 15) + 1) / 16,
                                    .hitProp = property[p >> 56 & 7],
                                    .missProp = property[p >> 48 & 7]};
}

/* ---- Streams ---- */

EXPORT cudaError_t cudaStreamSetAttribute(cudaStream_t handle, int what,
                                          const void *value)
{
    CUDA_CALL();
    cu_stream *s = stream_get(handle);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!value)
        return cu_fail(cudaErrorInvalidValue, "there is no value");
    if (what != cudaLaunchAttributeAccessPolicyWindow)
        return cudaSuccess; /* others are hints */
    return cu_window_read(value, &s->hints);
}

EXPORT cudaError_t cudaStreamGetAttribute(cudaStream_t handle, int what,
                                          void *out)
{
    CUDA_CALL();
    const cu_stream *s = stream_get(handle);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    memset(out, 0, sizeof(((cudaLaunchAttribute *)0)->val));
    if (what == cudaLaunchAttributePriority)
        *(int *)out = s->priority;
    if (what == cudaLaunchAttributeAccessPolicyWindow)
        *(cudaAccessPolicyWindow *)out = cu_window_of(&s->hints);
    return cudaSuccess;
}

EXPORT cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    CUDA_CALL();
    const cu_stream *a = stream_get(from);
    cu_stream *b = a ? stream_get(to) : NULL;

    if (!b)
        return cudaErrorInvalidResourceHandle;
    b->hints = a->hints;
    return cudaSuccess;
}
