/* src/curand/portable.h - what lets one text be C for the host and CUDA C for
 * devices, so that both give the same bits: in it are only operations that
 * IEEE 754 rounds in one way, and it is compiled without contraction. */
#ifndef CURAND_PORTABLE_H
#define CURAND_PORTABLE_H

#ifdef __CUDA__
#define RAND_FN static __device__ __forceinline__
#else
#define RAND_FN static inline
#endif

typedef unsigned rand_u32;
typedef unsigned long long rand_u64;

#endif
