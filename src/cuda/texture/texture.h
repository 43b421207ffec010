/* src/cuda/texture/texture.h - textures and surfaces: an image of what they
 * read, a sampler of how they read it, and the number that kernels know them
 * by. Objects and references are made of them. With the lock. */
#ifndef CUDA_TEXTURE_TEXTURE_H
#define CUDA_TEXTURE_TEXTURE_H

#include "cuda/door.h"
#include "runtime/image.h"

typedef struct cu_texture {
    struct cu_texture *next; /* retired ones */
    uint32_t image, sampler; /* rt_ numbers; sampler 0: a surface */
    bool viewed;             /* `view` was given */
    cudaResourceDesc resource;
    cudaResourceViewDesc view;
    cudaTextureDesc how;
} cu_texture;

/* What a kernel's register holds. */
static inline uint64_t texture_handle(const cu_texture *t)
{
    return tex_handle(t->image, t->sampler);
}

/* Of the resource, all or what `view` (or NULL) shows of it; `how` NULL: a
 * surface. NULL: reported, *code says how. */
cu_texture *texture_new(const cudaResourceDesc *resource,
                        const cudaTextureDesc *how,
                        const cudaResourceViewDesc *view, cudaError_t *code);
/* No command that the program gives from now on uses it; earlier ones may. */
void texture_retire(cu_texture *t);

/* The image that the resource is; cudaSuccess, or reported. `fractions`:
 * integers are read as fractions of their range. */
cudaError_t resource_image(const cudaResourceDesc *resource,
                           const cudaResourceViewDesc *view, bool fractions,
                           rt_image_desc *out);

/* May kernels store into it? cudaSuccess, or reported. */
cudaError_t surface_check(const cudaResourceDesc *resource);

/* A sampler of these modes, shared by all that have the same; 0: there are too
 * many. */
uint32_t sampler_take(const tex_sampler *s);
void sampler_give(uint32_t number);

#endif
