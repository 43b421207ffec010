/* src/lookout/lookout.h - looks at a machine while it is simulated, between two
 * windows, for somebody who watches: tells how it is, and stands still, steps
 * and goes on as that one asks, over a lookout_line.
 *
 *     lookout_new; for each launch, or group: lookout_launch, then rt_run with
 *     lookout_look as rt_launch.look; lookout_free
 *
 * One for each device. All is called by the thread that simulates. Changes
 * nothing that is simulated. */
#ifndef LOOKOUT_LOOKOUT_H
#define LOOKOUT_LOOKOUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "runtime/runtime.h"

typedef enum lookout_command {
    LOOKOUT_NONE, /* only to look */
    LOOKOUT_PAUSE,
    LOOKOUT_STEP,
    LOOKOUT_GO,
    LOOKOUT_COMMANDS
} lookout_command;

typedef struct lookout_ask {
    lookout_command command;
    uint64_t number; /* of the last command; who asks counts them, from 1 */
    uint64_t cycles; /* of a step */
    bool inspects;   /* a warp is wanted: */
    unsigned device, sm, slot;
} lookout_ask;

/* What was seen, and done. */
typedef struct lookout_seen {
    unsigned device;
    const char *text;       /* JSON of the machine */
    const char *warp;       /* and of the warp that was wanted; NULL: none */
    uint64_t done;          /* number of the last command that is performed */
    bool standing;          /* nothing goes on before somebody asks */
    double launch_s, all_s; /* simulated of this launch, and of all */
    gpu_progress is;
} lookout_seen;

/* Between a lookout and who watches. */
typedef struct lookout_line {
    /* Has something been asked since? Quick: called between any windows. */
    bool (*asked)(void *arg);
    /* The next thing that was; false: there is no more. */
    bool (*take)(void *arg, lookout_ask *out);
    /* Until something is asked, or a moment; false: nobody watches any more. */
    bool (*wait)(void *arg);
    void (*tell)(void *arg, const lookout_seen *s);
    void *arg;
} lookout_line;

/* All is borrowed. */
typedef struct lookout_options {
    lookout_line line;
    unsigned device; /* its number */
    bool hold;       /* stand still where a launch has failed, too */
    const config *cfg;
    const char *program;               /* path: sources are beside it; copied */
    const volatile sig_atomic_t *stop; /* not 0: nothing waits any more */
} lookout_options;

typedef struct lookout lookout;

lookout *lookout_new(const lookout_options *how);
void lookout_free(lookout *l); /* NULL is fine */

/* A launch, or a group, begins after so many that have ended, of `total`; 0:
 * unknown. */
void lookout_launch(lookout *l, size_t number, size_t total);
/* The text of a source file, as the code names it; copied. The last one is
 * known; those of one `id` are the same. */
void lookout_source(lookout *l, uint64_t id, const char *file,
                    const char *text);
/* rt_launch.look; `l` is the lookout. */
uint64_t lookout_look(void *l, rt_device *d, const gpu *g, status st);

#endif
