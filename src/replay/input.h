/* src/replay/input.h - the lines of a trace, of a file that may be larger than
 * memory: text, or text compressed with xz or zstd, by its first bytes; or, by
 * its name, Accel-Sim's container. Owns the file; borrows the diag, which gets
 * at most one error. */
#ifndef REPLAY_INPUT_H
#define REPLAY_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/status.h"

typedef struct replay_input replay_input;

/* On ST_OK the caller closes *out; ST_INPUT: it cannot be read. */
status replay_input_open(const char *path, diag *dg, replay_input **out);
/* The same of bytes, which are borrowed; `name` is for messages. */
status replay_input_bytes(const char *name, const void *data, size_t size,
                          diag *dg, replay_input **out);
void replay_input_close(replay_input *in); /* NULL is fine */

/* The next line, NUL-terminated and without its end, valid until the next call.
 * NULL: there is none, or the file is broken; replay_input_failed tells. */
char *replay_input_line(replay_input *in, size_t *size);
bool replay_input_failed(const replay_input *in);

/* An error at the last line. */
void replay_input_error(replay_input *in, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *replay_input_name(const replay_input *in);

#endif
