/* workloads/cuda_api.h - what cuda.c uses of the CUDA runtime, declared for C
 * so that no toolkit is needed; names and values are CUDA's [CUDA12:runtime].
 */
#ifndef CUDA_API_H
#define CUDA_API_H

#include <stddef.h>

enum { CUDA_TO_DEVICE = 1, CUDA_TO_HOST = 2 }; /* enum cudaMemcpyKind */

/* enum cudaDeviceAttr */
enum {
    CUDA_MAX_THREADS_PER_BLOCK = 1,
    CUDA_MAX_SHARED_PER_BLOCK = 8,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76
};

enum { CUDA_STREAM_NON_BLOCKING = 1 };

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

struct cudaChannelFormatDesc {
    int x, y, z, w;
    int f; /* enum cudaChannelFormatKind */
};
enum { CUDA_CHANNEL_FLOAT = 2 };
enum { CUDA_ARRAY_SURFACE = 2 };

struct cudaResourceDesc {
    int resType; /* 0: an array */
    union {
        struct {
            void *array;
        } array;
        int reserved[32];
    } res;
    unsigned flags;
};

struct cudaTextureDesc {
    int addressMode[3]; /* 1: clamp */
    int filterMode;     /* 1: linear */
    int readMode;       /* 0: the element's type */
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

const char *cudaGetErrorString(int error);
int cudaGetLastError(void);
int cudaGetDeviceCount(int *count);
int cudaSetDevice(int device);
int cudaDeviceGetAttribute(int *value, int what, int device);
int cudaDeviceSynchronize(void);
int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaMemset(void *p, int value, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMallocArray(void **array, const struct cudaChannelFormatDesc *desc,
                    size_t width, size_t height, unsigned flags);
int cudaFreeArray(void *array);
int cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *from,
                        size_t pitch, size_t width, size_t height, int kind);
int cudaMemcpy2DFromArray(void *to, size_t pitch, const void *array, size_t x,
                          size_t y, size_t width, size_t height, int kind);
int cudaCreateTextureObject(unsigned long long *out,
                            const struct cudaResourceDesc *what,
                            const struct cudaTextureDesc *how,
                            const void *view);
int cudaDestroyTextureObject(unsigned long long texture);
int cudaCreateSurfaceObject(unsigned long long *out,
                            const struct cudaResourceDesc *what);
int cudaDestroySurfaceObject(unsigned long long surface);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamDestroy(void *stream);
int cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                     size_t shared, void *stream);

#endif
