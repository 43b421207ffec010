/* src/sweep/sweep_folder.c - see sweep_folder.h. */
#include "sweep/sweep_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/must.h"
#include "sweep/sweep_folder_impl.h"

const char *sweep_state_text(sweep_state s)
{
    static const char *const texts[] = {"left", "running", "done", "failed"};

    return texts[s];
}

/* ---- Paths ---- */

const char *sweep_path_in(const sweep_folder *f, arena *mem, const char *name)
{
    return arena_printf(mem, "%s/%s", f->path, name);
}

static const char *point_path(const sweep_folder *f, arena *mem,
                              const char *folder, const char *id,
                              const char *end)
{
    return arena_printf(mem, "%s/%s/%s.%s", f->path, folder, id, end);
}

sweep_stamp sweep_stamp_of(const char *path)
{
    struct stat is;

    if (stat(path, &is) != 0)
        return (sweep_stamp){0};
    return (sweep_stamp){is.st_dev, is.st_ino, is.st_size, is.st_mtim};
}

static bool stamp_equal(sweep_stamp a, sweep_stamp b)
{
    return a.device == b.device && a.inode == b.inode && a.size == b.size &&
           a.changed.tv_sec == b.changed.tv_sec &&
           a.changed.tv_nsec == b.changed.tv_nsec;
}

status sweep_folder_failed(diag *dg, const char *what, const char *path)
{
    diag_add(dg, DIAG_ERROR, path, 0, 0, 1, "cannot %s: %s", what,
             strerror(errno));
    return ST_IO;
}

const char *sweep_folder_path(const sweep_folder *f) { return f->path; }
const sweep_plan *sweep_folder_plan(const sweep_folder *f) { return f->plan; }
const char *sweep_folder_build(const sweep_folder *f) { return f->build; }
const char *sweep_folder_uid(const sweep_folder *f) { return f->uid; }

const char *sweep_folder_tmp(const sweep_folder *f, size_t point, arena *mem)
{
    return point_path(f, mem, "points", f->plan->points[point].id, "tmp");
}

const char *sweep_folder_file(const sweep_folder *f, size_t point, arena *mem)
{
    return point_path(f, mem, "points", f->plan->points[point].id, "db");
}

const char *sweep_folder_log(const sweep_folder *f, size_t point, arena *mem)
{
    return point_path(f, mem, "logs", f->plan->points[point].id, "txt");
}

bool sweep_folder_changed(const sweep_folder *f)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/points.txt", f->path);
    return !stamp_equal(f->index, sweep_stamp_of(path));
}

int sweep_folder_lock(const sweep_folder *f, bool wait)
{
    char path[PATH_MAX];
    int fd;

    snprintf(path, sizeof path, "%s/lock", f->path);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (fd >= 0 && flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)) != 0) {
        if (errno == EINTR && wait)
            continue;
        close(fd);
        fd = -1;
    }
    return fd;
}

/* ---- Opening ---- */

/* Its tables by id. */
static void index_points(sweep_folder *f)
{
    const sweep_plan *p = f->plan;

    f->by_id = strmap_new();
    f->same = ARENA_ARRAY(f->mem, uint32_t, p->count + 1);
    f->states = ARENA_ARRAY(f->mem, uint8_t, p->count + 1);
    f->merged = ARENA_ARRAY(f->mem, uint8_t, p->count + 1);
    for (size_t i = p->count; i-- > 0;) {
        uintptr_t next = (uintptr_t)strmap_get(f->by_id, p->points[i].id);

        f->same[i] = (uint32_t)next;
        strmap_put(f->by_id, p->points[i].id, (void *)(uintptr_t)(i + 1));
    }
    f->counts[SWEEP_LEFT] = p->count;
}

size_t sweep_find_id(const sweep_folder *f, const char *id)
{
    return (size_t)(uintptr_t)strmap_get(f->by_id, id) - 1;
}

static sweep_folder *new_folder(const char *dir)
{
    sweep_folder *f = new0(1, sizeof *f);
    char whole[PATH_MAX];

    f->mem = arena_new();
    f->path = arena_strdup(f->mem, realpath(dir, whole) ? whole : dir);
    return f;
}

void sweep_folder_close(sweep_folder *f)
{
    if (!f)
        return;
    strmap_free(f->by_id);
    if (f->owns_plan)
        sweep_plan_free(f->plan);
    arena_free(f->mem);
    free(f);
}

/* A study is what it is made of: two folders of the same points have the
 * same. */
static void make_uid(sweep_folder *f)
{
    const sweep_plan *p = f->plan;
    point_hash h = point_hash_start();

    point_hash_bytes(&h, p->text, p->text_size);
    for (size_t i = 0; i < p->count; i++)
        point_hash_text(&h, p->points[i].id);
    point_hash_print(h, f->uid);
}

/* A folder that is new, empty, or a sweep's. */
static status make_dirs(const char *dir, diag *dg)
{
    static const char *const parts[] = {"points", "logs"};
    char path[PATH_MAX];
    struct dirent *e;
    bool other = false, ours = false;
    DIR *d;

    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return sweep_folder_failed(dg, "make the folder", dir);
    if (!(d = opendir(dir)))
        return sweep_folder_failed(dg, "read", dir);
    while ((e = readdir(d))) {
        ours |= !strcmp(e->d_name, "points.txt") ||
                !strcmp(e->d_name, "lock") || !strcmp(e->d_name, "points");
        other |= strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    }
    closedir(d);
    if (other && !ours) {
        diag_add(dg, DIAG_ERROR, dir, 0, 0, 1,
                 "this folder is no sweep's, and not empty");
        return ST_CONFIG;
    }
    for (size_t i = 0; i < COUNTOF(parts); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, parts[i]);
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return sweep_folder_failed(dg, "make the folder", path);
    }
    return ST_OK;
}

/* Is the plan that is there already the same? */
static bool is_same(const sweep_folder *f, const sweep_index *x)
{
    return x->text && !strcmp(x->uid, f->uid) &&
           !strcmp(x->folder, f->plan->folder) && !strcmp(x->build, f->build);
}

status sweep_folder_make(const char *dir, sweep_plan *p, const char *build,
                         diag *dg, sweep_folder **out)
{
    status st = make_dirs(dir, dg);
    sweep_index there;
    sweep_folder *f;
    const char *path;
    int lock;

    if (st != ST_OK)
        return st;
    f = new_folder(dir);
    f->plan = p;
    f->build = arena_strdup(f->mem, build);
    path = sweep_path_in(f, f->mem, "points.txt");
    make_uid(f);
    lock = sweep_folder_lock(f, true);
    if (lock < 0) {
        st = sweep_folder_failed(dg, "write to the folder", f->path);
    } else {
        diag *quiet = diag_new(); /* what is damaged is written again */

        sweep_index_read(path, quiet, &there);
        diag_free(quiet);
        if (!is_same(f, &there))
            st = sweep_index_write(f, dg);
        free(there.text);
        f->index = sweep_stamp_of(path);
        close(lock);
    }
    if (st == ST_OK) {
        index_points(f);
        st = sweep_folder_scan(f, false, dg);
    }
    if (st == ST_OK)
        *out = f;
    else
        sweep_folder_close(f);
    return st;
}

/* The plan as it was written, with its points. */
static status read_folder_plan(sweep_folder *f, const sweep_index *x,
                               const char *only, diag *dg)
{
    status st = sweep_plan_read_text(x->file, x->folder, x->plan, x->plan_size,
                                     dg, &f->plan);
    char shape[POINT_ID_SIZE];

    if (st != ST_OK)
        return st;
    f->owns_plan = true;
    sweep_index_shape(f->plan, shape);
    if (strcmp(shape, x->shape) != 0) {
        diag_add(dg, DIAG_ERROR, f->path, 0, 0, 1,
                 "what the plan names has changed since the sweep began, "
                 "workloads or mechanisms: run 'heddle sweep' with the plan "
                 "again");
        return ST_CONFIG;
    }
    f->plan->filtered = x->filtered;
    f->plan->invalid = x->invalid;
    if (sweep_index_points(x, f->plan, only))
        return ST_OK;
    if (only)
        diag_add(dg, DIAG_ERROR, f->path, 0, 0, 1,
                 "the sweep has no point '%s'", only);
    else
        diag_add(dg, DIAG_ERROR, f->path, 0, 0, 1, "points.txt is damaged");
    return ST_CONFIG;
}

static status open_folder(const char *dir, const char *only, diag *dg,
                          sweep_folder **out)
{
    sweep_folder *f = new_folder(dir);
    const char *path = sweep_path_in(f, f->mem, "points.txt");
    sweep_index x;
    status st = sweep_index_read(path, dg, &x);

    if (st == ST_OK && !x.text) {
        diag_add(dg, DIAG_ERROR, dir, 0, 0, 1,
                 "this is no folder of a sweep: it has no points.txt");
        st = ST_CONFIG;
    }
    f->index = sweep_stamp_of(path);
    if (st == ST_OK) {
        f->build = arena_strdup(f->mem, x.build);
        memcpy(f->uid, x.uid, sizeof f->uid);
        st = read_folder_plan(f, &x, only, dg);
    }
    if (st == ST_OK)
        index_points(f);
    free(x.text);
    if (st == ST_OK)
        *out = f;
    else
        sweep_folder_close(f);
    return st;
}

status sweep_folder_open(const char *dir, diag *dg, sweep_folder **out)
{
    sweep_folder *f;
    status st = open_folder(dir, NULL, dg, &f);

    if (st == ST_OK)
        st = sweep_folder_scan(f, false, dg);
    else
        return st;
    if (st == ST_OK)
        *out = f;
    else
        sweep_folder_close(f);
    return st;
}

status sweep_folder_open_point(const char *dir, const char *id, diag *dg,
                               sweep_folder **out)
{
    return open_folder(dir, id, dg, out);
}

/* ---- States ---- */

sweep_state sweep_folder_state(const sweep_folder *f, size_t point)
{
    return (sweep_state)f->states[point];
}

size_t sweep_folder_count(const sweep_folder *f, sweep_state s)
{
    return f->counts[s];
}

void sweep_put_state(sweep_folder *f, size_t point, sweep_state s)
{
    size_t i = sweep_find_id(f, f->plan->points[point].id);

    for (; i != SWEEP_NONE; i = (size_t)f->same[i] - 1) {
        f->counts[f->states[i]]--;
        f->states[i] = (uint8_t)s;
        f->counts[s]++;
    }
}

void sweep_put_merged(sweep_folder *f, size_t point, sweep_state s)
{
    size_t i = sweep_find_id(f, f->plan->points[point].id);

    for (; i != SWEEP_NONE; i = (size_t)f->same[i] - 1)
        f->merged[i] = (uint8_t)s;
}

status sweep_folder_results(const sweep_folder *f, diag *dg, store **out)
{
    char path[PATH_MAX];
    struct stat is;

    *out = NULL;
    snprintf(path, sizeof path, "%s/results.db", f->path);
    if (stat(path, &is) != 0)
        return errno == ENOENT ? ST_OK : sweep_folder_failed(dg, "read", path);
    return store_open_begun(path, dg, out);
}

status sweep_read_merged(sweep_folder *f, diag *dg)
{
    char path[PATH_MAX];
    store *s = NULL;
    store_query *q;
    size_t before;
    status st;

    snprintf(path, sizeof path, "%s/results.db", f->path);
    sweep_stamp now = sweep_stamp_of(path);
    if (stamp_equal(now, f->results))
        return ST_OK;
    st = sweep_folder_results(f, dg, &s);
    if (st != ST_OK || !s)
        return st;
    before = diag_errors(dg);
    memset(f->merged, SWEEP_LEFT, f->plan->count);
    q = store_select(s, dg, "SELECT id, status = 'pass' FROM run", "");
    while (q && store_next(q, dg)) {
        size_t i = sweep_find_id(f, store_text(q, 0));

        if (i != SWEEP_NONE)
            sweep_put_merged(f, i, store_int(q, 1) ? SWEEP_DONE : SWEEP_FAILED);
    }
    st = q && diag_errors(dg) == before ? ST_OK : ST_IO;
    store_done(q);
    store_close(s);
    f->results = now;
    return st;
}

/* The end of a name in `points`, behind the id; NULL: it is no point's. */
static const char *end_of_point_name(const char *name, char id[POINT_ID_SIZE])
{
    size_t n = strspn(name, "0123456789abcdef");

    if (n != POINT_ID_SIZE - 1 || name[n] != '.')
        return NULL;
    memcpy(id, name, n);
    id[n] = '\0';
    return name + n + 1;
}

static bool is_locked(const sweep_folder *f, const char *id)
{
    char path[PATH_MAX];
    bool locked;
    int fd;

    snprintf(path, sizeof path, "%s/points/%s.lock", f->path, id);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return locked;
}

/* Files in `points`; those that finished count more than locks. */
static status read_point_files(sweep_folder *f, bool locks, diag *dg)
{
    char path[PATH_MAX], id[POINT_ID_SIZE];
    const struct dirent *e;
    DIR *d;

    snprintf(path, sizeof path, "%s/points", f->path);
    if (!(d = opendir(path)))
        return sweep_folder_failed(dg, "read", path);
    while ((e = readdir(d))) {
        const char *end = end_of_point_name(e->d_name, id);
        size_t i = end ? sweep_find_id(f, id) : SWEEP_NONE;

        if (i == SWEEP_NONE)
            continue;
        if (!strcmp(end, "db"))
            sweep_put_state(f, i, SWEEP_DONE);
        else if (!strcmp(end, "bad") && f->states[i] != SWEEP_DONE)
            sweep_put_state(f, i, SWEEP_FAILED);
        else if (locks && !strcmp(end, "lock") && f->states[i] == SWEEP_LEFT &&
                 is_locked(f, id))
            sweep_put_state(f, i, SWEEP_RUNNING);
    }
    closedir(d);
    return ST_OK;
}

status sweep_folder_scan(sweep_folder *f, bool locks, diag *dg)
{
    size_t n = f->plan->count;
    status st;

    /* In this order: what is merged meanwhile is seen in one of both. */
    memset(f->states, SWEEP_LEFT, n);
    memset(f->counts, 0, sizeof f->counts);
    f->counts[SWEEP_LEFT] = n;
    st = read_point_files(f, locks, dg);
    if (st == ST_OK)
        st = sweep_read_merged(f, dg);
    for (size_t i = 0; i < n; i++) {
        sweep_state now = (sweep_state)f->states[i],
                    was = (sweep_state)f->merged[i];

        if (was == SWEEP_LEFT || now == SWEEP_DONE || now == SWEEP_FAILED)
            continue;
        f->counts[now]--;
        f->states[i] = (uint8_t)was;
        f->counts[was]++;
    }
    return st;
}

/* ---- Running ---- */

/* Has it been finished since the last look? */
static bool is_finished(sweep_folder *f, size_t point)
{
    static const struct {
        const char *end;
        sweep_state is;
    } ends[] = {{"db", SWEEP_DONE}, {"bad", SWEEP_FAILED}};
    const char *id = f->plan->points[point].id;
    char path[PATH_MAX];
    diag *dg;

    for (size_t i = 0; i < COUNTOF(ends); i++) {
        snprintf(path, sizeof path, "%s/points/%s.%s", f->path, id,
                 ends[i].end);
        if (access(path, F_OK) == 0) {
            sweep_put_state(f, point, ends[i].is);
            return true;
        }
    }
    dg = diag_new();
    sweep_read_merged(f, dg); /* an error comes again when it is merged */
    diag_free(dg);
    if (f->merged[point] == SWEEP_LEFT)
        return false;
    sweep_put_state(f, point, (sweep_state)f->merged[point]);
    return true;
}

bool sweep_lock_is(int fd, const char *path)
{
    struct stat a, b;

    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

sweep_claim sweep_folder_claim(sweep_folder *f, size_t point, int *fd)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/points/%s.lock", f->path,
             f->plan->points[point].id);
    for (;;) {
        /* Children hold it, too. */
        *fd = open(path, O_RDWR | O_CREAT, 0666);
        if (*fd < 0)
            return SWEEP_LOST;
        if (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
            bool taken = errno == EWOULDBLOCK;

            close(*fd);
            if (taken)
                sweep_put_state(f, point, SWEEP_RUNNING);
            return taken ? SWEEP_TAKEN : SWEEP_LOST;
        }
        if (sweep_lock_is(*fd, path))
            break;
        close(*fd);
    }
    if (is_finished(f, point)) {
        unlink(path);
        close(*fd);
        return SWEEP_FINISHED;
    }
    sweep_put_state(f, point, SWEEP_RUNNING);
    return SWEEP_MINE;
}

void sweep_folder_release(sweep_folder *f, size_t point, int fd)
{
    char path[PATH_MAX];

    if (!is_finished(f, point))
        sweep_put_state(f, point, SWEEP_LEFT);
    snprintf(path, sizeof path, "%s/points/%s.lock", f->path,
             f->plan->points[point].id);
    unlink(path);
    close(fd);
}

static bool reach_disk(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fdatasync(fd) == 0;

    if (fd >= 0)
        close(fd);
    return good;
}

status sweep_folder_finish(sweep_folder *f, size_t point, bool passed, diag *dg)
{
    const char *id = f->plan->points[point].id;
    char tmp[PATH_MAX], path[PATH_MAX];

    snprintf(tmp, sizeof tmp, "%s/points/%s.tmp", f->path, id);
    snprintf(path, sizeof path, "%s/points/%s.%s", f->path, id,
             passed ? "db" : "bad");
    if (!reach_disk(tmp) || rename(tmp, path) != 0)
        return sweep_folder_failed(dg, "write", path);
    sweep_put_state(f, point, passed ? SWEEP_DONE : SWEEP_FAILED);
    return ST_OK;
}
