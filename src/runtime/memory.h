/* src/runtime/memory.h - simulated memory: what is allocated in it, images and
 * samplers. A device has one of its own or shares one with other devices, so
 * that buffers need not be moved between them. Owns all of it; must outlive
 * the devices that share it.
 *
 * Any thread may call these functions at any time, also while a launch runs:
 * a launch sees what was allocated, and the images and samplers there were,
 * when it began. Bytes that a launch works on are the caller's business: what
 * it reads or writes must not be released before its end, and of what is
 * written meanwhile at either side any order may be seen. Two sides never
 * disturb each other beyond a line (MEM_LINE). */
#ifndef RUNTIME_MEMORY_H
#define RUNTIME_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

typedef struct rt_memory rt_memory;

/* NULL: the error is in `dg`. */
rt_memory *rt_memory_new(uint64_t bytes, diag *dg);
void rt_memory_free(rt_memory *m); /* NULL is fine */

/* The host finds what is at a simulated address at the same address of its
 * own. So it is with the first memory of a process, unless something else lies
 * there. */
bool rt_memory_identity(const rt_memory *m);
/* Is it a simulated address, allocated or not? */
bool rt_memory_holds(const rt_memory *m, uint64_t addr);
uint64_t rt_memory_used(rt_memory *m); /* bytes in allocations */

/* 0: simulated memory is used up. Zero-filled. `name` is for messages. */
uint64_t rt_alloc(rt_memory *m, uint64_t size, const char *name);
/* At a multiple of `align`, a power of two. */
uint64_t rt_alloc_aligned(rt_memory *m, uint64_t size, uint64_t align,
                          const char *name);
/* Would it take memory that was never handed out? Addresses go upwards until
 * there is none left; only then is what was released used again. */
bool rt_memory_is_new(rt_memory *m, uint64_t size, uint64_t align);
bool rt_release(rt_memory *m, uint64_t addr); /* false: there is none */
/* Addresses without memory, of which parts become memory and cease to be: what
 * of mem/image.h this is. 0: simulated memory is used up. */
uint64_t rt_reserve(rt_memory *m, uint64_t size, uint64_t align,
                    const char *name);
void rt_reserved_set(rt_memory *m, uint64_t addr, uint64_t size, bool live);
void rt_unreserve(rt_memory *m, uint64_t addr);
/* First address and bytes of the allocation that holds `addr`; false: none
 * does. */
bool rt_memory_find(rt_memory *m, uint64_t addr, uint64_t *first,
                    uint64_t *size);

/* Kernels that are computed without timing tell from now on which lines they
 * write, as do their copies and fills: mem/touched.h. Before there are devices;
 * borrowed. */
struct mem_touched;
void rt_memory_track(rt_memory *m, struct mem_touched *t);
/* The bytes at an address that rt_memory_holds, allocated or not. */
uint8_t *rt_memory_at(const rt_memory *m, uint64_t addr);

/* False: not inside one allocation. */
bool rt_write(rt_memory *m, uint64_t addr, const void *from, uint64_t size);
bool rt_read(rt_memory *m, uint64_t addr, void *to, uint64_t size);
/* Hash of bytes in one allocation, which costs little where they were never
 * touched. */
uint64_t rt_memory_hash(rt_memory *m, uint64_t addr, uint64_t size,
                        uint64_t seed);
/* The bytes themselves, until the allocation is released. NULL: not inside one
 * allocation. */
uint8_t *rt_host(rt_memory *m, uint64_t addr, uint64_t size);
/* The address of such a byte. */
uint64_t rt_address(const rt_memory *m, const uint8_t *host);

#endif
