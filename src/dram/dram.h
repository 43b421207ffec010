/* src/dram/dram.h - a DRAM channel with its controller. Holds no data: they
 * are in the memory image. Owns its state, borrows ports and registry. Not
 * thread-safe.
 *
 * Requests from the L2 slices of the channel: MEM_READ, answered by one
 * MEM_DATA with the same tag to the port of the slice it came from, and
 * MEM_WRITE, not answered. A request is for one line, of which the wanted
 * sectors are transferred.
 *
 * The channel keeps its own time, in command clocks; `now` is always a core
 * cycle. What arrives in core cycle t takes part in decisions from the first
 * clock of core cycle t + 1 on. */
#ifndef DRAM_DRAM_H
#define DRAM_DRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "config/rules.h"
#include "mem/event_log.h"
#include "mem/port.h"
#include "stats/stats.h"

enum { DRAM_SLICES = CONFIG_CHANNEL_SLICES }; /* of one channel, at most */

typedef struct dram dram;

typedef struct dram_ports {
    mem_port *from_l2[DRAM_SLICES], *to_l2[DRAM_SLICES];
    unsigned slices;  /* that are connected */
    unsigned channel; /* number in the chip */
} dram_ports;

/* `name` is its path in the registry. */
dram *dram_new(const config *cfg, stats *reg, const char *name,
               const dram_ports *ports);
void dram_free(dram *b);

/* One core cycle. Returns the next one in which something can happen given
 * what is in the ports now; mem_port_wake of from_l2 may be earlier. */
uint64_t dram_tick(dram *b, uint64_t now);

/* Charges the time before `now` to the counters, as l1_settle. */
void dram_settle(dram *b, uint64_t now);

bool dram_idle(const dram *b); /* nothing waiting, writes included */
void dram_dump(const dram *b, FILE *f);

/* Where a line lies. `local` is mem_route_local of its address. */
typedef struct dram_place {
    uint32_t row, bank, column; /* column: line within the row */
} dram_place;
dram_place dram_map(const config *cfg, uint64_t local);

/* Calls an observer for every command; a read or write is one burst. Refresh
 * and automatic precharge have the clock at which they act. */
typedef enum dram_command {
    DRAM_CMD_ACTIVATE,
    DRAM_CMD_PRECHARGE,
    DRAM_CMD_READ,
    DRAM_CMD_WRITE,
    DRAM_CMD_REFRESH,
    DRAM_CMD_REFRESH_BANK
} dram_command;
typedef void dram_watcher(void *arg, uint64_t clock, dram_command cmd,
                          uint32_t bank, uint32_t row);
void dram_watch(dram *b, dram_watcher *watch, void *arg);

/* Records what happens into `log`, borrowed; NULL: no longer. */
void dram_trace(dram *b, event_log *log);

extern const stats_block dram_stats_block;

#endif
