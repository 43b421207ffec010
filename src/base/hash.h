/* src/base/hash.h - 64-bit hash of bytes, the same on every host. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);

/* The same value of private memory without a file behind it, of which perhaps
 * little was ever touched: pages that were not are known to be zero, and stay
 * untouched. */
uint64_t hash_sparse(const void *data, size_t size, uint64_t seed);

#endif
