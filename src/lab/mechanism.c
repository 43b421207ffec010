/* src/lab/mechanism.c - see mechanism.h. */
#include "lab/mechanism.h"

#include <string.h>

#define L1 "sm[*].l1."

/* The source's figure of stalls, and what else tells how an L1 is used. */
static const view l1_stalls = {
    .title = "cycles in which the L1 performs nothing, by cause",
    .items = {
        {VIEW_PART, "CSF", L1 "stall_set_full",
         "every line of the set is reserved"},
        {VIEW_PART, "MSHRF", L1 "stall_mshr_entry + " L1 "stall_mshr_merge",
         "no MSHR is free, or the line's has no room in its list"},
        {VIEW_PART, "MQF", L1 "stall_miss_queue", "the miss queue is full"},
        {VIEW_PART, "other", L1 "stall_data_port + " L1 "stall_reply",
         "the data array is busy, or there is no room for the reply"},
        {VIEW_FIGURE, "hit %",
         "100 * (" L1 "global_read_hits + " L1 "local_read_hits) / (" L1
         "global_reads + " L1 "local_reads)",
         "loads that found all they asked for, in percent"},
        {VIEW_FIGURE, "latency", L1 "read_latency / " L1 "read_replies",
         "cycles from a transaction's leaving the load and store unit to its "
         "data, mean"},
    }};

/* One row each. The rival says all parameters that the variants say, so that
 * a comparison means the same on every GPU. */
static const mechanism table[] = {
    {.name = "scheduler",
     .about = "which ready warp issues: greedy then oldest, in two levels or "
              "the oldest, against loose round robin",
     .against = "lrr:sm.issue.scheduler=lrr",
     .with = {"gto:sm.issue.scheduler=gto",
              "two-level:sm.issue.scheduler=two_level",
              "oldest:sm.issue.scheduler=oldest"},
     .page = "compare.md"},
    {.name = "l1-size",
     .about = "48 KB of L1 against 16 KB, which a Fermi SM can choose",
     .gpu = "gtx480",
     .against = "16K:l1.carveout=fixed,l1.sets=32,l1.ways=4",
     .with = {"48K:l1.carveout=fixed,l1.sets=64,l1.ways=6"},
     .view = &l1_stalls,
     .page = "compare.md"},
    {.name = "l1-alloc",
     .about = "a line of the L1 is taken when data returns, against when the "
              "load misses",
     .against = "on-miss:l1.alloc=on_miss",
     .with = {"on-fill:l1.alloc=on_fill"},
     .view = &l1_stalls,
     .page = "compare.md"},
    {.name = "coalesce",
     .about = "transactions that carry only the sectors touched, against whole "
              "lines",
     .against = "line:sm.lsu.coalesce=line",
     .with = {"sector:sm.lsu.coalesce=sector"},
     .page = "compare.md"},
    {.name = "dram-scheduler",
     .about = "DRAM serves open rows first, against the order of arrival",
     .against = "fcfs:dram.scheduler=fcfs",
     .with = {"fr-fcfs:dram.scheduler=fr_fcfs"},
     .page = "compare.md"},
    {.name = "hazard-table",
     .about = "pending results in a few slots for each warp, against a "
              "scoreboard of a bit for each register",
     .gpu = "gtx480",
     .against = "scoreboard:sm.issue.hazard=scoreboard",
     .with = {"S1:sm.issue.hazard=table,sm.table.slots=1",
              "S2:sm.issue.hazard=table,sm.table.slots=2",
              "S3:sm.issue.hazard=table,sm.table.slots=3",
              "S4:sm.issue.hazard=table,sm.table.slots=4",
              "S6:sm.issue.hazard=table,sm.table.slots=6",
              "S8:sm.issue.hazard=table,sm.table.slots=8"},
     .part = "hazard",
     .page = "mechanisms/hazard-table.md"},
    {.name = "hazard-bound",
     .about = "what perfect knowledge of register hazards would gain over the "
              "scoreboard: a bound, no hardware",
     .against = "scoreboard:sm.issue.hazard=scoreboard",
     .with = {"none:sm.issue.hazard=none"},
     .part = "hazard",
     .page = "compare.md"},
};

size_t mechanism_count(void) { return sizeof table / sizeof *table; }

const mechanism *mechanism_get(size_t i) { return &table[i]; }

const mechanism *mechanism_find(const char *name)
{
    for (size_t i = 0; i < mechanism_count(); i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}
