/* src/replay/cta_lines.h - what the warps of one CTA executed, while it is read
 * and as bytes. Owns its lists. A zeroed struct is an empty CTA. */
#ifndef REPLAY_CTA_LINES_H
#define REPLAY_CTA_LINES_H

#include "replay/kernel_trace.h"
#include "replay/line_bytes.h"

/* The number of the EXIT that no line has: behind warps that end without. */
#define REPLAY_END UINT32_MAX

typedef struct cta_lines {
    strbuf bytes;         /* of all warps, one behind the other */
    uint64_t warps, seen; /* that have lines; that were named */
    size_t at[REPLAY_WARPS];
    uint32_t count[REPLAY_WARPS]; /* lines */
    unsigned warp;                /* that is being written */
    replay_cursor cursor;
    bool exits; /* its last line is EXIT */
} cta_lines;

void cta_lines_clear(cta_lines *c);
void cta_lines_fini(cta_lines *c);

/* False: the warp was there before. */
bool cta_lines_begin_warp(cta_lines *c, unsigned warp);
void cta_lines_put(cta_lines *c, const replay_record *r, bool exits);
/* True: an EXIT had to be put behind its lines. */
bool cta_lines_end_warp(cta_lines *c, const uint32_t block[3]);
/* The same for a CTA without any lines: its first warp exits. */
bool cta_lines_end(cta_lines *c, const uint32_t block[3]);
void cta_lines_pack(const cta_lines *c, strbuf *to);

/* Puts a cursor at the beginning of each warp of such bytes; the warps that
 * have lines. */
uint64_t cta_lines_unpack(const uint8_t *data, size_t size,
                          replay_cursor cursor[REPLAY_WARPS]);

#endif
