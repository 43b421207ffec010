/* src/sm/table_stage.h - the hazard table as something that is accessed:
 * write-backs that queue for its ports, and a stage that checks an instruction
 * before it awaits issue in a buffer [LUT]. Each scheduler has a table for its
 * warps. And, whatever tracks hazards, results whose registers are written one
 * after the other. Nothing of this is reached unless sm.table or
 * sm.rf.write_width asks for it. */
#ifndef SM_TABLE_STAGE_H
#define SM_TABLE_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/limits.h"

struct sm;
struct sm_event;
struct sm_inst;

enum { TABLE_WRITES = 256 };

typedef struct sm_table_write {
    uint32_t pc;
    uint8_t warp;
    uint8_t first, count; /* registers of its result */
} sm_table_write;

typedef struct sm_scheduler_table {
    uint64_t queued; /* warps in `ready`, which are checked */
    uint64_t busy;   /* the cycle in which a write-back had the table, and */
    unsigned next;   /* whose turn it is: that warp or the next that runs */
    unsigned head, count;
    uint8_t ready[SM_WARPS]; /* ring: the first may issue */
    unsigned first, writes;
    sm_table_write write[TABLE_WRITES]; /* ring of write-backs */
} sm_scheduler_table;

typedef struct sm_table_stage {
    bool delays;    /* a result may have to wait: `ports` or `width` */
    bool stage;     /* checked instructions await issue */
    bool serial;    /* one access a cycle */
    unsigned depth; /* of `ready` */
    unsigned ports; /* 0: write-backs do not wait */
    unsigned buffer;
    unsigned width;            /* registers of a result at once; 0: all */
    uint64_t polled;           /* cycles before this one are accounted */
    uint8_t late[SM_WARPS];    /* results of a warp that wait */
    sm_scheduler_table *table; /* of each scheduler; NULL: no need */
} sm_table_stage;

void sm_table_stage_init(sm_table_stage *c, const config *cfg);
void sm_table_stage_fini(sm_table_stage *c);

/* A result may have to wait for a port, or for its turn to be written register
 * by register. True: what the event is for happens later, or has happened in
 * part. */
bool sm_table_stage_delays(struct sm *s, const struct sm_event *e);
/* Write-backs of this cycle reach the table. */
void sm_table_stage_write_back(struct sm *s);

/* Scheduler `n` has issued the first of its checked instructions. */
void sm_table_stage_issued(struct sm *s, unsigned n);
/* Nothing keeps the SM from issuing any more. True: the head of warp `w` has
 * passed the table before. */
bool sm_table_stage_goes_on(struct sm *s, unsigned w);
/* The next instruction of warp `w` is not the one that has passed the table. */
void sm_table_stage_forget(struct sm *s, unsigned w);
/* `si` of warp `w` has issued and will not write anything back: its result is
 * there. */
void sm_table_stage_drop(struct sm *s, unsigned w, const struct sm_inst *si);
/* The table of each scheduler checks the warp whose turn it is. */
void sm_table_stage_poll(struct sm *s);

/* `sm` is the SM. Other slots than before are free for these warps: those that
 * wait for slots may pass, those that have passed may have to wait. */
void sm_table_stage_room(void *sm, uint64_t warps);

/* Cycles before `now` were skipped: their turns pass. */
void sm_table_stage_skip(struct sm *s, uint64_t now);
/* The next cycle in which a table does more than let turns pass. */
uint64_t sm_table_stage_when(const struct sm *s);

#endif
