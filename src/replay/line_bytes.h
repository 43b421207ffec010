/* src/replay/line_bytes.h - what a warp executed, as bytes: a few for each line
 * of a trace, so that the CTAs that are on the machine fit in memory. Plain
 * data.
 */
#ifndef REPLAY_LINE_BYTES_H
#define REPLAY_LINE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "isa/isa.h"

/* A line of a trace. */
typedef struct replay_record {
    uint32_t inst; /* number in the list of instructions */
    uint32_t mask;
    bool has_addresses;
    uint64_t addr[ISA_WARP]; /* of the lanes of `mask` */
} replay_record;

/* Up to where a warp's lines have been written or read. */
typedef struct replay_cursor {
    const uint8_t *at;
    uint32_t left;       /* lines from `at` on, of a reader */
    uint32_t inst, mask; /* of the line before */
    uint64_t addr;       /* first address of the last line that had any */
    uint8_t how;         /* this line gives addresses */
} replay_cursor;

void replay_record_put(replay_cursor *c, const replay_record *r, strbuf *to);

/* The next line, of which there is one. First its instruction and its lanes, in
 * c->inst and c->mask; then, before the next, its addresses, which are left out
 * if `addr` is NULL. False: there are none. */
void replay_record_head(replay_cursor *c);
bool replay_record_addresses(replay_cursor *c, uint64_t addr[ISA_WARP]);

#endif
