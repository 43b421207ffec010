/* src/cli/progress.h - one line on a terminal that says how far a run is.
 * Silent where stderr is no terminal. Owns nothing but itself. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/gpu.h"
#include "session/server.h"

typedef struct progress progress;

progress *progress_new(bool wanted); /* NULL: no progress; fine below */
void progress_free(progress *p);
void progress_launch(progress *p, const char *kernel, size_t number);
void progress_show(void *p, const gpu_progress *g); /* at most 10 a second */
/* Of a program with many launches and processes. */
void progress_session(void *p, const session_now *now);
void progress_clear(progress *p);

#endif
