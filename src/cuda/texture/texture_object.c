/* Texture and surface objects: handles that programs pass to kernels. */
#include <stddef.h>
#include <string.h>

#include "base/map.h"
#include "cuda/generation.h"
#include "cuda/texture/texture.h"

/* Part of the process's state; with the lock. */
static struct {
    map *objects; /* handle -> cu_texture */
} st;

/* NULL: it is none, reported. */
static cu_texture *object_get(uint64_t handle, bool surface)
{
    uint64_t found;

    if (st.objects && map_get(st.objects, handle, &found)) {
        cu_texture *t = (cu_texture *)(uintptr_t)found;

        if (!t->sampler == surface)
            return t;
    }
    cu_fail(cudaErrorInvalidValue, "%llu is no %s object, or was destroyed",
            (unsigned long long)handle, surface ? "surface" : "texture");
    return NULL;
}

static void object_add(cu_texture *t, unsigned long long *out)
{
    if (!st.objects)
        st.objects = map_new();
    map_put(st.objects, texture_handle(t), (uintptr_t)t);
    *out = texture_handle(t);
}

static cudaError_t object_destroy(uint64_t handle, bool surface)
{
    cu_texture *t = object_get(handle, surface);

    if (!t)
        return cudaErrorInvalidValue;
    map_del(st.objects, handle);
    texture_retire(t);
    return cudaSuccess;
}

/* ---- Descriptors ---- */

/* Bytes that the program's own structures have. */
static size_t resource_bytes(void)
{
    return cu_program_generation() < CUDA_13 ? offsetof(cudaResourceDesc, flags)
                                             : sizeof(cudaResourceDesc);
}

static size_t view_bytes(void)
{
    return cu_program_generation() < CUDA_13
               ? offsetof(cudaResourceViewDesc, reserved)
               : sizeof(cudaResourceViewDesc);
}

/* `second`: under the _v2 name of 11. */
static size_t how_bytes(bool second)
{
    return cu_program_generation() < CUDA_12 && !second
               ? offsetof(cudaTextureDesc, seamlessCubemap)
               : sizeof(cudaTextureDesc);
}

/* To the program, as far as it has room. */
static cudaError_t tell(void *to, const void *from, size_t bytes)
{
    if (!to)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    memcpy(to, from, bytes);
    return cudaSuccess;
}

/* ---- Textures ---- */

static cudaError_t create_texture(cudaTextureObject_t *out,
                                  const cudaResourceDesc *resource,
                                  const cudaTextureDesc *how,
                                  const cudaResourceViewDesc *view, bool second)
{
    cudaResourceViewDesc seen = {0};
    cudaResourceDesc of = {0};
    cudaTextureDesc modes = {0};
    cudaError_t code;

    if (!out || !resource || !how)
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the object, or no descriptor");
    memcpy(&of, resource, resource_bytes());
    memcpy(&modes, how, how_bytes(second));
    if (view)
        memcpy(&seen, view, view_bytes());
    cu_texture *t = texture_new(&of, &modes, view ? &seen : NULL, &code);
    if (t)
        object_add(t, out);
    return code;
}

EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out,
                                           const cudaResourceDesc *resource,
                                           const cudaTextureDesc *how,
                                           const cudaResourceViewDesc *view)
{
    CUDA_CALL();
    return create_texture(out, resource, how, view, false);
}

EXPORT cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *out,
                                              const cudaResourceDesc *resource,
                                              const cudaTextureDesc *how,
                                              const cudaResourceViewDesc *view)
{
    CUDA_CALL();
    return create_texture(out, resource, how, view, true);
}

EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle)
{
    CUDA_CALL();
    return object_destroy(handle, false);
}

EXPORT cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *out,
                                                    cudaTextureObject_t handle)
{
    CUDA_CALL();
    const cu_texture *t = object_get(handle, false);

    return t ? tell(out, &t->resource, resource_bytes())
             : cudaErrorInvalidValue;
}

EXPORT cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *out,
                                                   cudaTextureObject_t handle)
{
    CUDA_CALL();
    const cu_texture *t = object_get(handle, false);

    return t ? tell(out, &t->how, how_bytes(false)) : cudaErrorInvalidValue;
}

EXPORT cudaError_t cudaGetTextureObjectTextureDesc_v2(
    cudaTextureDesc *out, cudaTextureObject_t handle)
{
    CUDA_CALL();
    const cu_texture *t = object_get(handle, false);

    return t ? tell(out, &t->how, how_bytes(true)) : cudaErrorInvalidValue;
}

EXPORT cudaError_t cudaGetTextureObjectResourceViewDesc(
    cudaResourceViewDesc *out, cudaTextureObject_t handle)
{
    CUDA_CALL();
    const cu_texture *t = object_get(handle, false);

    if (!t)
        return cudaErrorInvalidValue;
    if (!t->viewed)
        return cu_fail(cudaErrorInvalidValue,
                       "the texture was made without a resource view");
    return tell(out, &t->view, view_bytes());
}

/* ---- Surfaces ---- */

EXPORT cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out,
                                           const cudaResourceDesc *resource)
{
    CUDA_CALL();
    cudaResourceDesc of = {0};

    if (!out || !resource)
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the object, or no descriptor");
    memcpy(&of, resource, resource_bytes());
    cudaError_t code = surface_check(&of);
    cu_texture *t =
        code == cudaSuccess ? texture_new(&of, NULL, NULL, &code) : NULL;
    if (t)
        object_add(t, out);
    return code;
}

EXPORT cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle)
{
    CUDA_CALL();
    return object_destroy(handle, true);
}

EXPORT cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *out,
                                                    cudaSurfaceObject_t handle)
{
    CUDA_CALL();
    const cu_texture *t = object_get(handle, true);

    return t ? tell(out, &t->resource, resource_bytes())
             : cudaErrorInvalidValue;
}
