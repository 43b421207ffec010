/* src/trace/waterfall.h - a window of a trace for a report: of one SM and one
 * launch, what each warp waited for and which instructions it had under way.
 * Kept as artifact "waterfall" of a results file: JSON, cycles of the launch,
 *
 *   {"version": 1, "launch": 1, "kernel": "spmv", "sm": 0,
 *    "from": 100, "to": 900, "cut": false,
 *    "why": ["unit_busy", ..., "ready", "not_chosen"],
 *    "unit": ["fma", ...],
 *    "code": [[pc, "0x0120 FFMA R1, ...", "spmv.cu:12" or null], ...],
 *    "warps": [{"warp": 0, "cta": 7, "index": 1,
 *      "waits": [[from, cycles, why, code], ...],
 *      "insts": [[code, issue, cycles, unit, lanes], ...],
 *      "requests": [[from, cycles, code, "L1 miss, L2 hit"], ...]}, ...]}
 *
 * `why`, `unit` and `code` are places in the lists above, code -1: none. The
 * waits of a warp follow each other; its instructions overlap, and so do the
 * memory requests. A slot that held several CTAs has several entries. `cut`:
 * there was more than a report can show, `to` is where it ends. */
#ifndef TRACE_WATERFALL_H
#define TRACE_WATERFALL_H

#include "trace/writer.h"

enum { WATERFALL_ROWS = 60000 }; /* of waits, instructions and requests */

trace_writer *trace_waterfall_new(void);
/* Valid until it is freed; NULL: nothing was traced. */
const char *trace_waterfall_text(const trace_writer *w, size_t *size);

#endif
