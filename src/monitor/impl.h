/* src/monitor/impl.h - a monitor, for the files of this folder.
 *
 * Two threads meet in struct monitor: the one that simulates, and the server's.
 * What both touch is under `lock`; `changed` tells either of the other. The
 * server's thread asks by setting `asked`, which the other looks at between two
 * windows without the lock. */
#ifndef MONITOR_IMPL_H
#define MONITOR_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"
#include "report/figure.h"
#include "sm/observe/inspect.h"

enum {
    MONITOR_POINTS = 240, /* of a chart; even */
    MONITOR_SLOTS = 64,   /* for warps, of an SM */
};

/* What was seen between two looks, as shares. */
typedef struct monitor_point {
    uint64_t to, cycles;  /* of the machine's time: until when, how many */
    double issued;        /* of the issue slots */
    double level[LEVELS]; /* of the peak bandwidth */
} monitor_point;

/* Of the whole run: the older it is, the more cycles a point has. */
typedef struct monitor_history {
    monitor_point is[MONITOR_POINTS];
    unsigned count;
    monitor_point open; /* not full yet: `held` of `every` looks */
    unsigned held, every;
} monitor_history;

void monitor_history_add(monitor_history *h, const monitor_point *p);
/* Point `i` <= count; that is the open one, which may have no cycles. */
const monitor_point *monitor_history_at(const monitor_history *h, unsigned i);

/* Since when a warp has executed nothing. */
typedef struct monitor_mark {
    bool there;
    uint32_t life;
    uint64_t executed, since; /* cycle */
} monitor_mark;

typedef struct monitor_server monitor_server;

typedef enum monitor_command {
    MONITOR_NONE,
    MONITOR_PAUSE,
    MONITOR_STEP,
    MONITOR_GO
} monitor_command;

struct monitor {
    monitor_options how;
    char *command, *program; /* copies */
    monitor_server *server;

    /* ---- of the thread that simulates ---- */
    size_t number, total; /* of launches */
    bool begun;           /* the launch has been looked at */
    uint64_t start;       /* its cycle */
    bool standing;        /* nothing is simulated before somebody says so */
    uint64_t until;       /* a step: stand still from that cycle on; 0: none */
    status failed;        /* why it stands still; ST_OK: it may go on */
    double stood_s;       /* seconds that it stood still, in all, */
    double stands_s;      /* and since when it does; 0: it does not */
    double launch_s;      /* and seconds that were simulated when the launch */
    double first_s;       /* and the first one began; < 0: not yet */
    double next_s;        /* when to look again */
    uint64_t *totals;     /* at the last look; NULL: none yet */
    size_t total_count;
    uint64_t *insts;     /* by SM: issued at the last look, */
    double *ipc;         /* and in a cycle before it */
    uint64_t seen;       /* cycle of the last look, */
    double seen_s;       /* when it was, in seconds simulated, */
    double cycles_s;     /* and cycles a second up to it; NAN: unknown */
    figures now, all;    /* since the look before; since the launch began */
    uint64_t now_cycles; /* of `now` */
    monitor_history history;
    monitor_mark *marks; /* MONITOR_SLOTS of each SM */

    /* ---- of both ---- */
    atomic_bool asked;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *text; /* JSON of the machine as it was, malloced; NULL: not yet */
    double text_s;
    uint64_t steps; /* of the command */
    monitor_command command_now;
    uint64_t commands, done; /* asked for, and performed */
    bool inspects;           /* a warp is wanted: */
    unsigned in_sm, slot;
    char *warp;       /* and that is it, JSON, malloced; NULL: not yet */
    double poll_s;    /* when somebody last looked; 0: never */
    bool ended, told; /* nothing more comes, and the browser knows */
    status end;
};

/* Seconds that were simulated. */
double monitor_ran(const monitor *m);

/* ---- snapshot.c: the thread that simulates ---- */

/* Works out what happened since the last look. */
void monitor_measure(monitor *m, rt_device *d, const gpu *g);
/* JSON of the machine, malloced. */
char *monitor_snapshot(monitor *m, const gpu *g);
/* JSON of what does not change, malloced. */
char *monitor_about(const monitor *m);

/* ---- warp_state.c ---- */

/* JSON of a warp, malloced; an object with `error` if there is none. */
char *monitor_warp(const monitor *m, const gpu *g, unsigned i, unsigned slot);
/* One instruction of a kernel as members of an open JSON object. */
struct json;
void monitor_put_place(struct json *j, const exec_launch *l, uint32_t pc);

/* ---- http.c: the server ---- */

/* NULL: `dg` says why. */
monitor_server *monitor_server_new(monitor *m, uint16_t port, diag *dg);
void monitor_server_free(monitor_server *s);
const char *monitor_server_address(const monitor_server *s);

/* ---- monitor.c: for the server's thread ---- */

/* JSON of how things are, malloced; *last: they stay so. */
char *monitor_state(monitor *m, bool *last);
/* Asks for it and waits for a moment. False: it is not done yet. */
bool monitor_ask(monitor *m, monitor_command c, uint64_t cycles);
/* The same of a warp of SM `number`; NULL: the simulation is busy. Malloced. */
char *monitor_ask_warp(monitor *m, unsigned number, unsigned slot);
/* A browser has got the last state. */
void monitor_told(monitor *m);

#endif
