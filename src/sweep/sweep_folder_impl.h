/* src/sweep/sweep_folder_impl.h - the inside of sweep_folder.h, for its own
 * files: sweep_folder.c (states, claims), sweep_index.c (points.txt) and
 * sweep_merge.c. */
#ifndef SWEEP_SWEEP_FOLDER_IMPL_H
#define SWEEP_SWEEP_FOLDER_IMPL_H

#include <sys/stat.h>

#include "base/map.h"
#include "sweep/sweep_folder.h"

/* Which state of a file was seen. */
typedef struct sweep_stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
} sweep_stamp;

struct sweep_folder {
    arena *mem;
    const char *path, *build;
    char uid[POINT_ID_SIZE];
    sweep_plan *plan;
    bool owns_plan;
    sweep_stamp index;   /* points.txt */
    sweep_stamp results; /* results.db, when `merged` was read from it */
    strmap *by_id;       /* 1 + the first point of that id */
    uint32_t *same;      /* 1 + the next one of the same id; 0: none */
    uint8_t *states;
    uint8_t *merged; /* of its run in results.db: SWEEP_LEFT: it is not there */
    size_t counts[SWEEP_STATES];
    bool placed; /* all that was merged before has its place */
};

/* DIR/name, in `mem`. */
const char *sweep_path_in(const sweep_folder *f, arena *mem, const char *name);
sweep_stamp sweep_stamp_of(const char *path);
status sweep_folder_failed(diag *dg, const char *what, const char *path);

/* The first point of that id; SWEEP_NONE. */
size_t sweep_find_id(const sweep_folder *f, const char *id);
/* Of all points of the same id. */
void sweep_put_state(sweep_folder *f, size_t point, sweep_state s);
void sweep_put_merged(sweep_folder *f, size_t point, sweep_state s);
/* Reads results.db again if it has changed. */
status sweep_read_merged(sweep_folder *f, diag *dg);

/* Waits for the folder's lock, or fails at once with -1. */
int sweep_folder_lock(const sweep_folder *f, bool wait);
/* Is `fd` still the file of that name? A lock on one that was removed meanwhile
 * is none. */
bool sweep_lock_is(int fd, const char *path);

/* ---- points.txt (sweep_index.c) ---- */

typedef struct sweep_index {
    char *text;                                      /* NULL: there is none */
    const char *uid, *folder, *build, *file, *shape; /* in `text` */
    const char *rows, *plan;
    size_t rows_size, plan_size;
    size_t filtered, invalid; /* points that were left out */
} sweep_index;

/* The caller frees out->text. */
status sweep_index_read(const char *path, diag *dg, sweep_index *out);
status sweep_index_write(const sweep_folder *f, diag *dg);
/* Points and machines with their ids, in place of sweep_plan_expand; of one
 * point if `only` is its id. False: they are not there. */
bool sweep_index_points(const sweep_index *x, sweep_plan *p, const char *only);
/* Of all that rows refer to. */
void sweep_index_shape(const sweep_plan *p, char out[POINT_ID_SIZE]);

#endif
