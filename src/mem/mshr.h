/* src/mem/mshr.h - miss status holding registers: lines awaited from below and
 * the requests that wait for them. One entry per line, whose sectors are
 * fetched by one or several requests. Owns its entries and copies of the
 * waiting requests. The entry's index serves as the tag of the requests. */
#ifndef MEM_MSHR_H
#define MEM_MSHR_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/port.h"

#define MEM_NO_ENTRY UINT32_MAX

enum { MEM_MSHR_SECTORS = 8 }; /* of a line, at most */

typedef struct mem_mshr_entry {
    uint64_t line;
    uint32_t slot;        /* the owner's: where the line will go */
    uint32_t waiting;     /* requests in the list */
    uint32_t first, last; /* requests, by age */
    uint32_t next;        /* in the hash chain or the free list */
    uint8_t awaited;      /* sectors requested and not arrived */
    /* By sector: requests that want it, 16 bits each, sector 0 lowest. */
    uint64_t of[MEM_MSHR_SECTORS / 4];
} mem_mshr_entry;

typedef struct mem_mshr mem_mshr;

/* `merges`: requests that can wait for one sector, the one that fetched it
 * included. */
mem_mshr *mem_mshr_new(uint32_t entries, uint32_t merges);
/* The lists of all entries share `places`, besides one in each for the request
 * that took it; those who wait for a sector may have all of them. */
mem_mshr *mem_mshr_new_shared(uint32_t entries, uint32_t places);
void mem_mshr_free(mem_mshr *t);

uint32_t mem_mshr_count(const mem_mshr *t); /* entries in use */
bool mem_mshr_full(const mem_mshr *t);

uint32_t mem_mshr_find(const mem_mshr *t, uint64_t line);
mem_mshr_entry *mem_mshr_at(const mem_mshr *t, uint32_t e);

uint32_t mem_mshr_add(mem_mshr *t, uint64_t line); /* must not be full */
/* May a request wait there for these sectors? */
bool mem_mshr_mergeable(const mem_mshr *t, uint32_t e, uint8_t sectors);
void mem_mshr_merge(mem_mshr *t, uint32_t e, const mem_msg *m);

/* `sectors` have arrived. Then call next until it is NULL: it takes out, by
 * age, the requests all of whose sectors are there, and frees the entry when
 * nothing is awaited any more. A request lasts until the next is merged. */
void mem_mshr_arrive(mem_mshr *t, uint32_t e, uint8_t sectors);
const mem_msg *mem_mshr_next(mem_mshr *t, uint32_t e);

/* Calls `visit` for each entry in use, in the order of their indices. */
void mem_mshr_each(const mem_mshr *t,
                   void (*visit)(void *arg, uint32_t e,
                                 const mem_mshr_entry *entry),
                   void *arg);

#endif
