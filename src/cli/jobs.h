/* src/cli/jobs.h - commands that do many independent things: on several
 * threads, until a signal stops them. */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include <stddef.h>

#include "base/arena.h"

enum { JOBS_MOST = 256 };

/* Calls one(arg, i) for each i < count, in that order, on up to `jobs` threads,
 * of which this is one. Once a signal was noted (cli/signals.h) no more are
 * begun. */
void jobs_run(size_t count, unsigned jobs, void (*one)(void *arg, size_t i),
              void *arg);

/* The folder that this command is in; what {build} stands for. */
const char *jobs_own_folder(arena *mem);
/* The default of {build}: the folder in which Heddle is built, or where its
 * programs are installed. */
const char *jobs_build_folder(arena *mem);
/* A suite that is not here but comes with Heddle, where it is installed;
 * otherwise `path` itself. */
const char *jobs_suite(arena *mem, const char *path);
const char *jobs_absolute(arena *mem, const char *path);
/* Where folders for single runs are made. */
const char *jobs_tmp(void);

#endif
