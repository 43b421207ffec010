/* src/base/status.h - the outcome of a call that can fail. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

/* One value per exit code class of `heddle`; cli maps them in one table. */
typedef enum status {
    ST_OK = 0,
    ST_MISMATCH,    /* results differ from what was expected; exit 1 */
    ST_USAGE,       /* the call or command line is wrong; exit 2 */
    ST_CONFIG,      /* a configuration is wrong; exit 3 */
    ST_PROGRAM,     /* a program is not accepted; exit 4 */
    ST_FAULT,       /* the simulated program did something illegal; exit 5 */
    ST_HANG,        /* nothing moves any more; exit 6 */
    ST_LIMIT,       /* a cycle or time limit was reached; exit 6 */
    ST_NOMEM,       /* the host ran out of memory; exit 7 */
    ST_IO,          /* a host file could not be written; exit 1 */
    ST_INPUT,       /* a file that is named could not be read; exit 3 */
    ST_INTERNAL,    /* our bug; exit 7 */
    ST_INTERRUPTED, /* stopped by the user; exit 130 */
} status;

#endif
