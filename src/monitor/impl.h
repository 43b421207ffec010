/* src/monitor/impl.h - a monitor, for the files of this folder.
 *
 * Two threads meet in struct monitor: the one that a lookout's line ends in,
 * and the server's. What both touch is under `lock`; `changed` tells either of
 * the other. The server's thread asks by setting `asked`, which the other looks
 * at between two windows without the lock, and by ringing `bell`, if there is
 * one. */
#ifndef MONITOR_IMPL_H
#define MONITOR_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"

typedef struct monitor_server monitor_server;

struct monitor {
    monitor_options how;
    char *command; /* copy */
    char **about;  /* JSON of each device, malloced */
    monitor_server *server;
    int bell; /* a descriptor; < 0: none */

    /* ---- of both threads ---- */
    atomic_bool asked;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    lookout_ask ask;         /* that was not taken yet, if `asked` */
    uint64_t commands, done; /* asked for, and performed */
    bool halts;              /* a launch that begins stands still */
    bool looks;              /* a look is under way */
    char *text;              /* JSON of the machine, malloced; NULL: not yet */
    double text_s;           /* when it was told */
    unsigned device;         /* which it is of */
    bool standing;           /* so the text stays true */
    monitor_left left;
    char *warp;          /* JSON, malloced; NULL: not yet */
    session_now program; /* what it does; its texts are not kept, but */
    char *kernel;        /* this, malloced; */
    uint32_t pid;        /* of which process the text is; 0: of none */
    double poll_s;       /* when somebody last looked; 0: never */
    char *end;           /* nothing more comes: how it ended; NULL: it may */
    bool told;           /* and the browser knows */
};

/* ---- monitor.c: for the server's thread ---- */

/* JSON of how things are, malloced; *last: they stay so. */
char *monitor_state(monitor *m, bool *last);
/* Asks for it and waits for a moment. False: it is not done yet. */
bool monitor_ask(monitor *m, lookout_command c, uint64_t cycles);
/* The same of a warp of SM `number`; NULL: the simulation is busy. Malloced. */
char *monitor_ask_warp(monitor *m, unsigned number, unsigned slot);
/* A browser has got the last state. */
void monitor_told(monitor *m);

/* ---- about.c ---- */

/* JSON of what does not change of a device, malloced. */
char *monitor_about(const config *c, const char *command);

/* ---- http.c: the server ---- */

/* NULL: `dg` says why. */
monitor_server *monitor_server_new(monitor *m, uint16_t port, diag *dg);
void monitor_server_free(monitor_server *s);
const char *monitor_server_address(const monitor_server *s);

#endif
