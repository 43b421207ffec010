/* src/dram/dram_impl.h - what the source files of the channel share. */
#ifndef DRAM_DRAM_IMPL_H
#define DRAM_DRAM_IMPL_H

#include "dram/dram.h"
#include "mem/clock.h"
#include "mem/event_log.h"
#include "mem/ring.h"
#include "mem/sector.h"
#include "mem/spread.h"
#include "stats/bins.h"

typedef __typeof__(((config *)0)->dram) dram_config;

typedef struct dram_stats {
#define STAT(id, unit, help)           uint64_t id;
#define HIST(id, bins, of, unit, help) uint64_t id[HIST_##bins];
#include "dram/dram_stats.def"
#undef STAT
#undef HIST
} dram_stats;

#define DRAM_NONE UINT32_MAX /* no request, no row */

typedef enum dram_kind { DRAM_READ, DRAM_WRITE, DRAM_KINDS } dram_kind;

typedef struct dram_request {
    mem_msg msg;      /* `when`: core cycle of its arrival */
    uint64_t seq;     /* age: lower is older */
    uint64_t arrived; /* clock from which it takes part */
    uint32_t row, bank;
    uint32_t next, prev;     /* in its bank's list, or the free list */
    uint32_t younger, older; /* in the list of its kind */
    uint8_t slice;           /* port it came from */
    uint8_t kind;            /* dram_kind */
    uint8_t bursts;          /* still to be transferred */
    bool opened, closed;     /* an activate, a precharge was given for it */
} dram_request;

/* The requests of one kind that wait for a bank, by age, and the one to be
 * served next: the oldest to the open row, else the oldest. */
typedef struct dram_list {
    uint64_t seq; /* of `pick` */
    uint32_t first, last, pick;
    bool hit; /* `pick` is to the open row */
} dram_list;

typedef struct dram_bank {
    uint64_t act_ok, col_ok, pre_ok; /* clocks from which commands may come */
    uint32_t row;                    /* open, or DRAM_NONE */
    uint32_t group;
    dram_list list[DRAM_KINDS];
} dram_bank;

/* The bank of a group whose column command comes first; valid while `known`,
 * which is as long as that cannot change: t_rcd of every open bank has passed,
 * and neither rows nor requests have changed. */
typedef struct dram_group {
    uint64_t ok;    /* next column command */
    uint64_t ready; /* that of the bank; NEVER: no request to an open row */
    uint64_t seq;   /* of the bank's request; NEVER: there is none */
    uint32_t bank;
    bool known;
} dram_group;

typedef enum dram_cmd { DRAM_WAIT, DRAM_ACT, DRAM_PRE, DRAM_COL } dram_cmd;

/* The decision that stands until a request arrives or a command is given. */
typedef struct dram_next {
    uint64_t at;  /* clock; NEVER if nothing waits */
    dram_cmd cmd; /* DRAM_WAIT: decide again at `at` */
    uint32_t request;
    bool late; /* out of turn */
} dram_next;

struct dram {
    config cfg_all;  /* for dram_map */
    dram_config cfg; /* = cfg_all.dram */
    config_ratio clock;
    mem_route route;
    dram_ports port;
    unsigned slack;     /* core cycles commands may be given late */
    unsigned bl;        /* clocks of one burst on the data bus */
    unsigned sectors;   /* of one burst */
    dram_request *pool; /* queue + write_queue */
    uint32_t free;      /* first of the free list */
    dram_bank *bank;
    uint64_t *waiting[DRAM_KINDS]; /* bit per bank with requests */
    uint64_t *open[DRAM_KINDS];    /* of those: some to the open row */
    unsigned words;                /* of `waiting` */
    dram_group *group;
    uint64_t *members; /* [group][word] banks of each group */
    uint64_t row_from; /* no row command is possible before this clock */
    uint32_t oldest[DRAM_KINDS], youngest[DRAM_KINDS], count[DRAM_KINDS];
    uint64_t seq;
    dram_kind mode; /* what is being served */
    bool forced;    /* writes, until there are few */
    bool open_hit;  /* a request of `mode` waits for an open row's column */
    dram_next next;
    uint64_t slot[2]; /* next free on the bus of row, of column commands */
    uint64_t own;     /* decisions were made for clocks before this */
    uint64_t rd_ok, wr_ok, act_ok; /* of the channel */
    uint64_t faw[4]; /* when the last four activates leave the window */
    unsigned faw_at;
    uint64_t refresh_from;  /* when the next refresh should be given, */
    uint64_t refresh_due;   /* and when it will be looked at */
    uint64_t refresh_until; /* of the channel */
    uint32_t refresh_turn;  /* bank */
    uint64_t busy_until;
    uint64_t counted; /* first clock not yet in the counters */
    unsigned turn;    /* slice that comes first */
    /* Replies of each slice, due in core cycles: from banks, from writes. */
    mem_ring data[DRAM_SLICES], early[DRAM_SLICES];
    uint64_t reply_at;                 /* when the first of them is due */
    uint32_t outstanding[DRAM_SLICES]; /* outstanding reads: accepted and not
                                     answered */
    event_log *log;                    /* NULL: not traced */
    dram_watcher *watch;
    void *watch_arg;
    dram_stats st;
};

static inline void dram_observe(const dram *b, uint64_t at, dram_command cmd,
                                uint32_t bank, uint32_t row)
{
    if (b->watch)
        b->watch(b->watch_arg, at, cmd, bank, row);
}

/* A request enters or leaves a queue in core cycle `at`. */
void dram_note_queue(dram *b, uint64_t at, trace_kind kind, dram_kind queue);

/* Counts the clocks before `own`, in which nothing has changed. */
void dram_count(dram *b, uint64_t own);

/* Gives all commands of clocks before `end`. */
void dram_run(dram *b, uint64_t end);

/* Puts an arrived request in the lists. True if what is next is to be decided
 * again; the passing of time alone changes no decision. */
bool dram_enter(dram *b, uint32_t r);
void dram_decide(dram *b);

/* A read has its last data at clock `own`. */
void dram_answer(dram *b, const dram_request *r, uint64_t own);

#endif
