/* src/lab/mechanism.c - see mechanism.h. */
#include "lab/mechanism.h"

#include <string.h>

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
     .page = "compare.md"},
    {.name = "l1-alloc",
     .about = "a line of the L1 is taken when data returns, against when the "
              "load misses",
     .against = "on-miss:l1.alloc=on_miss",
     .with = {"on-fill:l1.alloc=on_fill"},
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
     .page = "mechanisms/hazard-table.md"},
    {.name = "hazard-bound",
     .about = "what perfect knowledge of register hazards would gain over the "
              "scoreboard: a bound, no hardware",
     .against = "scoreboard:sm.issue.hazard=scoreboard",
     .with = {"none:sm.issue.hazard=none"},
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
