/* src/exec/shared_swizzle.h - where bytes of swizzled tiles are in shared
 * memory [PTX85:wgmma] [PTX85:tensor-swizzling-modes]: within 1024, 512 or 256
 * bytes the 16-byte pieces of a row change places by the row's number, so that
 * rows below each other lie in different banks. Pure functions. */
#ifndef EXEC_SHARED_SWIZZLE_H
#define EXEC_SHARED_SWIZZLE_H

#include <stdint.h>

/* Bytes of a row of the pattern; none: nothing moves. */
typedef enum shared_swizzle {
    SWIZZLE_NONE = 16,
    SWIZZLE_32 = 32,
    SWIZZLE_64 = 64,
    SWIZZLE_128 = 128
} shared_swizzle;

/* The place of the byte at `addr`: bits 7, 8 and 9, as many as the row has
 * pieces, are added to bits 4, 5 and 6 without carry. */
static inline uint32_t shared_swizzled(uint32_t addr, shared_swizzle s)
{
    return addr ^ (addr >> 3 & ((uint32_t)s - 1) & 0x70);
}

#endif
