/* src/sm/memory/constant.h - the constant cache: operands c[bank][offset] and
 * LDC. A warp is ready once every constant its head needs has been found; each
 * that was found stays noted, so that constants that evict each other cannot
 * hold it up for ever. Owns its tags. */
#ifndef SM_MEMORY_CONSTANT_H
#define SM_MEMORY_CONSTANT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "mem/port.h"
#include "sm/decode.h"
#include "sm/limits.h"
#include "sm/memory/read_cache.h"

struct sm;

enum { CONSTANT_MISSES = 64 };

typedef struct sm_constant_miss {
    uint64_t line;
    uint64_t warps;
    uint32_t delay;
    bool taken, unsent;
    bool cold; /* the line is used for the first time */
} sm_constant_miss;

typedef struct sm_constant {
    sm_read_cache l1;
    bool perfect;
    unsigned misses, unsent;
    uint32_t launch;  /* in tags, to drop replies for the launch before */
    uint64_t starved; /* warps that found no free entry */
    uint32_t found[SM_WARPS]; /* bit per operand, or lane of LDC */
    uint64_t base[SM_WARPS];  /* of the banks of each warp's launch */
    uint64_t port_free;       /* from when on LDC can read the next address */
    sm_constant_miss miss[CONSTANT_MISSES];
} sm_constant;

void sm_constant_init(sm_constant *c, const config *cfg);
void sm_constant_fini(sm_constant *c);
/* Before launches; `keep`: the cache stays as it is, else it is emptied. */
void sm_constant_clear(sm_constant *c, bool keep);

/* True if all constants of `si`, the head of `w`, have been found. Asks for
 * those that have not. */
bool sm_constant_ready(struct sm *s, unsigned w, const sm_inst *si);

/* For a load that has been issued: the addresses of lines that it reads and the
 * cache lacks, at most ISA_WARP, are requested and listed. Returns how many. */
unsigned sm_constant_lines(struct sm *s, unsigned w, const struct sm_inst *si,
                           uint64_t *line);
/* One of them is there; else it is requested, unless it is on its way. */
bool sm_constant_has(struct sm *s, unsigned w, uint64_t line);

/* Cycles from issue of the LDC at the head of `w` to its result. It has the
 * port of such loads once those before it are done, and keeps it for
 * sm.constant.pass cycles for each address that its lanes read. */
unsigned sm_constant_load(struct sm *s, unsigned w, const sm_inst *si);

void sm_constant_filled(struct sm *s, unsigned miss);
void sm_constant_reply(struct sm *s, const mem_msg *m);

/* Sends what found the port full. Returns the next cycle with work. */
uint64_t sm_constant_tick(struct sm *s);

#endif
