/* src/base/bits.h - what the hardware has one instruction for. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* Position of the lowest set bit; x is not 0. */
static inline unsigned bits_ctz32(uint32_t x)
{
    return (unsigned)__builtin_ctz(x);
}
static inline unsigned bits_ctz64(uint64_t x)
{
    return (unsigned)__builtin_ctzll(x);
}

/* Zeros above the highest set bit; x is not 0. */
static inline unsigned bits_clz32(uint32_t x)
{
    return (unsigned)__builtin_clz(x);
}
static inline unsigned bits_clz64(uint64_t x)
{
    return (unsigned)__builtin_clzll(x);
}

/* Without the instruction, which not every host has, the builtins are calls. */
static inline unsigned bits_popcount32(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}
static inline unsigned bits_popcount64(uint64_t x)
{
    return bits_popcount32((uint32_t)x) + bits_popcount32((uint32_t)(x >> 32));
}

/* 0 is no power of two. */
static inline bool bits_is_pow2(uint64_t x) { return x && !(x & (x - 1)); }

/* Rounded down; x is not 0. */
static inline unsigned bits_log2(uint64_t x) { return 63 - bits_clz64(x); }

/* Rounded up; x is not 0. */
static inline unsigned bits_log2_up(uint64_t x)
{
    return bits_log2(x) + !bits_is_pow2(x);
}

/* The lowest n bits set, 0 <= n <= 64. */
static inline uint64_t bits_mask64(unsigned n)
{
    return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}
static inline uint32_t bits_mask32(unsigned n)
{
    return n >= 32 ? UINT32_MAX : ((uint32_t)1 << n) - 1;
}

/* `align` is a power of two. */
static inline uint64_t bits_align_up(uint64_t x, uint64_t align)
{
    return (x + align - 1) & ~(align - 1);
}
static inline uint64_t bits_align_down(uint64_t x, uint64_t align)
{
    return x & ~(align - 1);
}

/* Any divisor but 0. */
static inline uint64_t bits_div_up(uint64_t x, uint64_t by)
{
    return x / by + (x % by != 0);
}
static inline uint64_t bits_round_up(uint64_t x, uint64_t step)
{
    return bits_div_up(x, step) * step;
}

#endif
