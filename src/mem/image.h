/* src/mem/image.h - the contents of simulated global memory and the ranges
 * allocated in it. Owns one sparse mapping of the host. Not thread-safe for
 * allocation; but others may allocate while a simulation works on a copy of
 * the list of ranges (mem_image_share). Reads and writes of the bytes follow
 * the rule of mem/view.h. */
#ifndef MEM_IMAGE_H
#define MEM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/spread.h"

enum {
    MEM_LINE = 128,  /* bytes of a cache line, everywhere */
    MEM_SECTOR = 32, /* bytes of a sector */
};
/* Address of the first byte. */
#define MEM_BASE (MEM_BASE_LOW | MEM_HIGH)
/* Generic addresses in these windows mean shared and local memory. */
#define MEM_SHARED_WINDOW 0x100000000ull
#define MEM_LOCAL_WINDOW  0x200000000ull
#define MEM_PARAM_WINDOW  0x300000000ull /* of tensor maps alone */
#define MEM_WINDOW_BYTES  0x01000000ull
#define MEM_CGA_BYTES                                                          \
    (18 * MEM_WINDOW_BYTES) /* shared: own, 16 CTAs of a                       \
                               cluster, and none */

typedef struct mem_image mem_image;

typedef struct mem_range {
    uint64_t addr, size;
    const char *name; /* for messages; owned by the image */
    bool live;        /* false: freed, kept for messages, or ... */
    bool reserved;    /* ... addresses alone: see mem_reserve */
    unsigned number;  /* in order of allocation, from 0 */
} mem_range;

/* Mapped at the host's address MEM_BASE where that is free, so that there the
 * addresses of the simulated memory and the host's are the same. NULL: no
 * address space. */
mem_image *mem_image_new(uint64_t size_bytes);
void mem_image_free(mem_image *m);
bool mem_identity(const mem_image *m); /* the addresses are the same */
/* Is it an address of this memory, allocated or not? */
bool mem_holds(const mem_image *m, uint64_t addr);

/* The same bytes with a list of ranges of its own, for reading only: empty at
 * first, as that of `of` was at the last mem_image_update. Nothing may be
 * allocated in it; `of` must outlive it. */
mem_image *mem_image_share(mem_image *of);
void mem_image_update(mem_image *m);

/* 256-byte aligned, zero-filled with its guard, never adjacent to another range
 * (a guard of at least 256 bytes); 0 if simulated memory is used up. */
uint64_t mem_alloc(mem_image *m, uint64_t size, const char *name);
/* At a multiple of `align`, a power of two. */
uint64_t mem_alloc_aligned(mem_image *m, uint64_t size, uint64_t align,
                           const char *name);
/* A copy of `text`, the same for the same; lives as long as the image. */
const char *mem_name(mem_image *m, const char *text);
/* Would it take memory that was never handed out? */
bool mem_is_new(const mem_image *m, uint64_t size, uint64_t align);
bool mem_release(mem_image *m, uint64_t addr); /* false: no such live range */
uint64_t mem_used(const mem_image *m);

/* Addresses without memory, found as mem_alloc_aligned finds them; 0: simulated
 * memory is used up. What lies in them is all the caller's business: the host's
 * pages there, and which of them are live ranges (neighbours are one). When the
 * addresses are given back none may be live, and the pages must be the image's
 * as they were. */
uint64_t mem_reserve(mem_image *m, uint64_t size, uint64_t align,
                     const char *name);
void mem_reserved_set(mem_image *m, uint64_t addr, uint64_t size, bool live);
void mem_unreserve(mem_image *m, uint64_t addr);

/* True if [addr, addr+size) lies in one live range. Remembers nothing: pass
 * `hint` (may be NULL, start at 0) to make repeated calls fast. */
bool mem_valid(const mem_image *m, uint64_t addr, uint64_t size,
               unsigned *hint);

/* The range that holds addr, else the nearest one; NULL if there is none.
 * *distance is 0 inside, else bytes from the first byte of the range (negative)
 * or from its last one: the byte just behind the end is at 1. */
const mem_range *mem_nearest(const mem_image *m, uint64_t addr,
                             int64_t *distance);

/* The nearest live range with that name; NULL: there is none. Searches all. */
const mem_range *mem_nearest_named(const mem_image *m, uint64_t addr,
                                   const char *name);

/* Bytes between the range and the far end of an access; 0: it is inside. */
static inline uint64_t mem_reach(const mem_range *r, uint64_t addr,
                                 uint64_t size)
{
    uint64_t end = r->addr + r->size;

    if (addr < r->addr)
        return r->addr - addr;
    return addr + size > end ? addr + size - end : 0;
}

/* An access outside of every live range, from *addr on, on a device that maps
 * `page` bytes (a power of two) at once. False: nothing is mapped there, as no
 * live range has a byte in that page or begins or ends within 256 bytes. Else
 * *addr becomes the place of the bytes that stand for it. The bytes behind a
 * live range, up to its guard, are its own, so the address stays; all others
 * lie in memory that is never allocated, so such an access changes no range,
 * present or future. */
bool mem_beside(const mem_image *m, uint64_t *addr, uint64_t page);

/* Host bytes behind a simulated address, or behind what mem_beside gave; the
 * caller has checked it. */
uint8_t *mem_host(const mem_image *m, uint64_t addr);
/* The simulated address of host bytes of the image. */
uint64_t mem_address(const mem_image *m, const uint8_t *host);

/* While `u` is not NULL it logs all that is published in this image, not in
 * others of the same bytes. Borrowed. */
struct mem_undo;
void mem_image_watch(mem_image *m, struct mem_undo *u);
struct mem_undo *mem_image_watched(const mem_image *m);

/* Direct views of this image, and of those that share it from now on, tell what
 * they write (mem/touched.h). Borrowed. */
struct mem_touched;
void mem_image_track(mem_image *m, struct mem_touched *t);
struct mem_touched *mem_image_tracked(const mem_image *m);

/* hash_bytes of what lies in one range; pages that nobody has touched stay so.
 */
uint64_t mem_hash_bytes(const mem_image *m, uint64_t addr, uint64_t size,
                        uint64_t seed);
/* Hash of all live ranges, their addresses and contents. */
uint64_t mem_hash(const mem_image *m);

#endif
