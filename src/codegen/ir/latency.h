/* src/codegen/ir/latency.h - how long results take, as the compiler assumes:
 * the one table that all schedules are made for, derived from the parameters of
 * a machine. Plain data. */
#ifndef CODEGEN_IR_LATENCY_H
#define CODEGEN_IR_LATENCY_H

#include <stdint.h>

#include "config/config.h"
#include "isa/isa.h"

/* Cycles from issue to a usable result. Where memory answers they are an
 * estimate that only orders operations: its caches have the data, and nothing
 * else is on the way. */
typedef struct cg_latencies {
    uint16_t class[ISA_CLASSES]; /* where the pipeline answers */
    uint16_t guard; /* added where a predicate is used as a guard */
    uint16_t constant, texture;
    uint16_t global;    /* also of generic addresses */
    uint16_t read_only; /* of read-only data: ld.global.nc */
    uint16_t local, shared;
    uint16_t atomic, shared_atomic;
    /* Added where lanes, memory and guards of its own use a result of the
     * uniform datapath. */
    uint16_t uniform_lanes, uniform_late, uniform_guard;
} cg_latencies;

cg_latencies cg_latencies_of(const config *cfg);

/* Of operation `op` with modifiers `mod`; 1 if it writes memory and no
 * register, and of pseudo operations. */
int cg_latency(const cg_latencies *l, unsigned op, uint32_t mod);

#endif
