/* src/base/hash.c - XXH3, whose results are fixed since xxHash 0.8.0. */
#include "base/hash.h"

#include <xxhash.h>

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}
