/* src/cli/progress_jobs.h - one line on a terminal, of commands that do many
 * things at once: how many are done, which are under way, how long it will
 * take. Drawn by a thread of its own from the first second on; silent where
 * stderr is no terminal. Thread-safe; borrows names. */
#ifndef CLI_PROGRESS_JOBS_H
#define CLI_PROGRESS_JOBS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress_jobs progress_jobs;

/* `advice` is printed once, when one of them takes more than half a minute;
 * NULL: none; borrowed. NULL: no line, which is fine below. */
progress_jobs *progress_jobs_new(size_t count, bool wanted, const char *advice);
void progress_jobs_free(progress_jobs *p); /* the line vanishes */

void progress_jobs_begin(progress_jobs *p, size_t job, const char *name);
void progress_jobs_end(progress_jobs *p, size_t job, bool good);

/* Between the two the terminal belongs to the caller; briefly. */
void progress_jobs_hide(progress_jobs *p);
void progress_jobs_show(progress_jobs *p);

#endif
