/* src/driver/checkpoint_log.h - what a program did that a checkpoint depends
 * on, in order: written into the checkpoint's stream, and compared with it when
 * the program is run again. Borrows what it is given. */
#ifndef DRIVER_CHECKPOINT_LOG_H
#define DRIVER_CHECKPOINT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "session/checkpoint_file.h"

typedef enum log_kind {               /* part of the format: never reused */
                        LOG_TAKE = 1, /* memory: `at`, `bytes` */
                        LOG_GIVE = 2, /* memory: `at` */
                        LOG_WRITE =
                            3, /* a copy of the program's bytes: `at`, `bytes`,
                                  `hash` of them; `at` 0: to texels */
                        LOG_READ =
                            4, /* the program is about to see `at`, `bytes` */
                        LOG_FILL = 5,    /* `at`, `bytes` */
                        LOG_COMMAND = 6, /* another than a launch has run: `at`,
                                            its engine */
                        LOG_LAUNCH = 7,  /* `at`, its device; `bytes`, dynamic
                                            shared memory;  `hash` of its
                                            arguments, and all below */
                        LOG_PIN = 8, /* memory of the program's own becomes a
                    GPU's: `at`, the byte of a page where it begins */
                        LOG_KINDS
} log_kind;

typedef struct log_event {
    uint8_t kind; /* a log_kind */
    uint64_t at, bytes, hash;
    const char *name; /* of a kernel */
    uint32_t grid[3], block[3];
} log_event;

void log_put(checkpoint_out *to, const log_event *e);
/* False: the stream has no such thing. The name is in `name`. */
bool log_get(checkpoint_in *from, log_event *e, strbuf *name);

bool log_same(const log_event *a, const log_event *b);
/* "launches 'bfs' (grid 4x1x1, block 256x1x1)": what the program did. */
void log_describe(const log_event *e, strbuf *to);

#endif
