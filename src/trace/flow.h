/* src/trace/flow.h - matches events with the instruction that each is about,
 * and follows its memory requests. The writers of traces are built on it.
 *
 * Owns the instructions under way; borrows the launch. An instruction is under
 * way from its first event until it has retired or was dropped and all its
 * requests are answered. */
#ifndef TRACE_FLOW_H
#define TRACE_FLOW_H

#include "base/strbuf.h"
#include "config/config.h"
#include "isa/program.h"
#include "mem/event_log.h"
#include "trace/joint_code.h"

/* What is traced. */
typedef struct trace_launch {
    uint64_t number; /* of the launch, from 1 */
    const isa_kernel *kernel;
    const trace_joint_code
        *codes; /* several, of which `kernel` is made; NULL */
    isa_arch arch;
    const config *cfg;
    uint32_t grid[3], block[3];
} trace_launch;

/* Where a request is: TX(id, name, help). */
typedef enum trace_place {
#define TX(id, name, help) TX_##id,
#include "trace/place.def"
#undef TX
    TX_PLACES
} trace_place;

extern const char *const trace_places[TX_PLACES];

/* A transaction of an instruction. */
typedef struct trace_tx {
    uint64_t line, born; /* born: cycle in which it left the LSU */
    unsigned number;     /* of the instruction's */
    uint8_t kind;        /* mem_kind: MEM_READ, MEM_WRITE, MEM_ATOMIC */
    uint8_t sectors;
    uint8_t place, before; /* trace_place; the one before this event */
    uint8_t l1, l2;        /* trace_access, ACCESSES: unknown */
    uint64_t own;          /* the Perfetto writer's */
} trace_tx;

typedef struct trace_inst {
    uint32_t inst, pc;
    uint16_t sm;
    uint8_t warp;
    bool issued, retired, dropped;
    uint8_t unit;   /* cfg_unit, once it executes */
    uint32_t lanes; /* once it has issued */
    uint64_t first; /* cycle of its first event */
    uint64_t issue;
    trace_tx *tx;
    unsigned tx_count, tx_room, tx_open;
    uint64_t own; /* the Kanata writer's */
    struct trace_inst *previous, *next;
} trace_inst;

/* Gets each event with the instruction and the request that it is about, as
 * they are after it; NULL: none, or one from before the trace. A DRAM event
 * comes once for each request that waits for its line. */
typedef void trace_flow_event(void *arg, const trace_event *e, trace_inst *in,
                              trace_tx *tx);

typedef struct trace_flow trace_flow;

/* */
trace_flow *trace_flow_new(const trace_launch *l);
void trace_flow_free(trace_flow *f); /* NULL is fine */
void trace_flow_take(trace_flow *f, const trace_event *e,
                     trace_flow_event *tell, void *arg);
/* The next instruction under way, NULL at the end. */
trace_inst *trace_flow_next(const trace_flow *f, const trace_inst *before);

/* ---- Words ---- */

/* What keeps a warp, as TRACE_WAIT has it: "raw_mem", "not_chosen". */
const char *trace_why(unsigned why);
const char *trace_unit(unsigned unit);
/* Why a cache refused a request, from TRACE_L1_REFUSE or TRACE_L2_REFUSE. */
const char *trace_refusal(const trace_event *e);
/* Appends address and text of the instruction at `pc`. */
void trace_text(const trace_launch *l, uint32_t pc, strbuf *b);
/* Appends "file.cu:12"; false: unknown. */
bool trace_line(const trace_launch *l, uint32_t pc, strbuf *b);

#endif
