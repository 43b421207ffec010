/* src/study/point_id.h - names of runs by what they are made of: equal ids,
 * equal results. Heddle's own programs, the configuration, the workload with
 * the content of its files, and what else changes results go in; names of
 * folders, threads and limits do not. */
#ifndef STUDY_POINT_ID_H
#define STUDY_POINT_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "study/measure.h"

enum { POINT_ID_SIZE = 33 }; /* 32 hexadecimal digits and a NUL */

typedef struct point_hash {
    uint64_t a, b;
} point_hash;

point_hash point_hash_start(void);
void point_hash_bytes(point_hash *h, const void *data, size_t size);
void point_hash_text(point_hash *h, const char *text); /* NULL is not "" */
void point_hash_number(point_hash *h, uint64_t v);
void point_hash_print(point_hash h, char out[POINT_ID_SIZE]);

/* Version and content of Heddle itself, of this program; and, for workloads
 * that are programs, of the drivers: of OpenCL at `path`, of CUDA beside it. */
point_hash point_id_heddle(void);
point_hash point_id_driver(const char *path);

/* A workload: what is run, with the content of all files its command names,
 * what is expected of it, and `inputs`. `build` is what {build} stands for.
 * *missing is a file that is not there, in the arena, or NULL. */
point_hash point_id_workload(const workload *w, const char *build,
                             const char *const *inputs, size_t input_count,
                             arena *mem, const char **missing);

/* What of a setup changes results. */
point_hash point_id_setup(const session_setup *s);
point_hash point_id_config(const config *cfg);

/* What a run is made of; `driver` counts for programs only. */
typedef struct point_parts {
    point_hash heddle, driver, machine, workload, setup;
    bool program;
} point_parts;
void point_id(const point_parts *p, char out[POINT_ID_SIZE]);

#endif
