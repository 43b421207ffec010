/* src/cli/progress.h - one line on a terminal that says how far a run is, and,
 * once, how to time less of it if it takes long; where stderr is no terminal a
 * line a minute, or as often as HEDDLE_PROGRESS_SECONDS says. Owns nothing but
 * itself. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "session/server.h"

typedef struct progress progress;

/* `advice` is printed if it takes long; borrowed, NULL: none. NULL: no
 * progress; fine below. */
progress *progress_new(bool wanted, const char *advice);
void progress_free(progress *p);
/* A launch begins after so many that have ended, of `total`; 0: unknown. */
void progress_launch(progress *p, const char *kernel, size_t launches,
                     size_t total);
/* It has ended, after so many warp instructions of so many CTAs. */
void progress_ended(progress *p, const char *kernel, uint64_t ctas,
                    uint64_t insts);
/* Draws nothing, and knows how long it takes. */
void progress_mute(progress *p);
/* Seconds until the end of the launch, which is so far after `launch_s` that
 * were simulated, and of all of them; NAN: nobody knows. */
void progress_left(const progress *p, const gpu_progress *is, double launch_s,
                   double all_s, double *launch, double *all);
void progress_show(void *p, const gpu_progress *g); /* at most 10 a second */
/* Of a program with many launches and processes. */
void progress_session(void *p, const session_now *now);
void progress_clear(progress *p);

#endif
