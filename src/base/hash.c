/* src/base/hash.c - XXH3, whose results are fixed since xxHash 0.8.0. */
#include "base/hash.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>

#define XXH_STATIC_LINKING_ONLY /* a state on the stack */
#include <xxhash.h>

enum {
    PAGES = 4096,      /* looked up at once */
    SPARSE = 1 << 20,  /* bytes from which on that is worth while */
    ZEROS = 64 * 1024, /* bytes */
};

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

static void hash_zeros(XXH3_state_t *h, size_t size)
{
    static const uint8_t zeros[ZEROS];

    for (size_t n; size; size -= n) {
        n = size < ZEROS ? size : ZEROS;
        XXH3_64bits_update(h, zeros, n);
    }
}

/* In memory or swapped out: bits 63 and 62 of what the kernel tells. */
static bool is_touched(uint64_t page) { return page >> 62 != 0; }

/* The next pages, which begin at `at`, up to `end`: how many bytes are alike.
 */
static size_t alike(const uint64_t *page, size_t count, size_t bytes,
                    uintptr_t at, uintptr_t end)
{
    size_t n = 1;
    uintptr_t to;

    while (n < count && is_touched(page[n]) == is_touched(page[0]))
        n++;
    to = (at / bytes + n) * bytes;
    return (to < end ? to : end) - at;
}

uint64_t hash_sparse(const void *data, size_t size, uint64_t seed)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t at = (uintptr_t)data, end = at + size;
    uint64_t page[PAGES];
    XXH3_state_t h;
    int map =
        size < SPARSE ? -1 : open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

    if (map < 0)
        return hash_bytes(data, size, seed);
    XXH3_64bits_reset_withSeed(&h, seed);
    while (at < end) {
        ssize_t got =
            pread(map, page, sizeof page, (off_t)(at / bytes * sizeof *page));
        size_t count = got > 0 ? (size_t)got / sizeof *page : 0, n;

        if (!count) { /* it says no more */
            XXH3_64bits_update(&h, (const void *)at, end - at);
            break;
        }
        for (size_t i = 0; i < count && at < end; i += n) {
            size_t some = alike(page + i, count - i, bytes, at, end);

            if (is_touched(page[i]))
                XXH3_64bits_update(&h, (const void *)at, some);
            else
                hash_zeros(&h, some);
            n = (at + some) / bytes - at / bytes;
            at += some;
        }
    }
    close(map);
    return XXH3_64bits_digest(&h);
}
