/* src/sweep/sweep_merge.c - finished points of a sweep's folder brought into
 * its results.db. */
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
#include "base/shell.h"
#include "base/strbuf.h"
#include "sweep/sweep_folder_impl.h"

enum { BATCH = 500 }; /* points of a transaction */

typedef struct merger {
    sweep_folder *f;
    diag *dg;
    store *to;
    int64_t study;
    char (*names)[NAME_MAX + 1]; /* files of `points` that are finished */
    size_t count, room;
} merger;

static int file_by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Removes what a point left behind whose process was killed; nothing if a
 * process runs it. */
static void clear_merged(const sweep_folder *f, const char *name)
{
    char path[PATH_MAX], lock[PATH_MAX];
    int fd;

    snprintf(path, sizeof path, "%s/points/%s", f->path, name);
    snprintf(lock, sizeof lock, "%s/points/%.*s.lock", f->path,
             POINT_ID_SIZE - 1, name);
    fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && sweep_lock_is(fd, lock)) {
        unlink(path);
        unlink(lock);
    }
    close(fd);
}

/* Those of older plans, too: nothing that was simulated is lost. */
static status list_files(merger *m)
{
    char path[PATH_MAX];
    const struct dirent *e;
    DIR *d;

    snprintf(path, sizeof path, "%s/points", m->f->path);
    if (!(d = opendir(path)))
        return sweep_folder_failed(m->dg, "read", path);
    while ((e = readdir(d))) {
        size_t n = strspn(e->d_name, "0123456789abcdef");

        if (n != POINT_ID_SIZE - 1)
            continue;
        if (!strcmp(e->d_name + n, ".lock") ||
            !strncmp(e->d_name + n, ".tmp", 4))
            clear_merged(m->f, e->d_name);
        if (strcmp(e->d_name + n, ".db") != 0 &&
            strcmp(e->d_name + n, ".bad") != 0)
            continue;
        GROW(m->names, m->count + 1, m->room);
        snprintf(m->names[m->count++], sizeof *m->names, "%s", e->d_name);
    }
    closedir(d);
    if (m->count)
        qsort(m->names, m->count, sizeof *m->names, file_by_name);
    return ST_OK;
}

/* ---- Places ---- */

/* Runs a statement that has no result. */
#define DO(m, sql, types, ...)                                                 \
    do_one((m), store_select((m)->to, (m)->dg, sql, types, __VA_ARGS__))

static bool do_one(merger *m, store_query *q)
{
    size_t before = diag_errors(m->dg);

    if (!q)
        return false;
    while (store_next(q, m->dg))
        continue;
    store_done(q);
    return diag_errors(m->dg) == before;
}

static bool put_point_row(merger *m, size_t point)
{
    const sweep_plan *p = m->f->plan;
    sweep_factor *factors = new_array(p->axis_count + 3, sizeof *factors);
    size_t n;
    bool good;

    n = sweep_plan_factors(p, point, factors);
    good = DO(m,
              "INSERT OR REPLACE INTO point"
              " SELECT ?1, ?2, run, NULL FROM run WHERE id = ?3",
              "iit", m->study, (int64_t)point, p->points[point].id);
    for (size_t i = 0; i < n && good; i++)
        good = DO(m, "INSERT OR REPLACE INTO factor VALUES(?1, ?2, ?3, ?4)",
                  "iitt", m->study, (int64_t)point, factors[i].name,
                  factors[i].value);
    free(factors);
    return good;
}

/* All points of an id. */
static bool place_all(merger *m, size_t point)
{
    const sweep_folder *f = m->f;
    size_t i = point;

    for (; i != SWEEP_NONE; i = (size_t)f->same[i] - 1)
        if (!put_point_row(m, i))
            return false;
    return true;
}

static status make_study(merger *m)
{
    const sweep_folder *f = m->f;
    const sweep_plan *p = f->plan;
    strbuf command = {0};
    store_study is;
    status st;

    strbuf_puts(&command, "heddle sweep ");
    shell_quote(p->path, &command);
    strbuf_puts(&command, " -o ");
    shell_quote(f->path, &command);
    is = (store_study){.uid = f->uid,
                       .kind = "sweep",
                       .name = p->name,
                       .about = *p->about ? p->about : NULL,
                       .command = command.text,
                       .plan = p->text,
                       .places = p->count};
    st = store_add_study(m->to, &is, m->dg, &m->study);
    strbuf_fini(&command);
    return st;
}

/* What was merged before this plan, or this process, gets its place in the
 * plan; studies of older plans go. */
static status place_merged(merger *m)
{
    sweep_folder *f = m->f;
    size_t before = diag_errors(m->dg);
    bool *has, good = true;
    store_query *q;
    status st;

    if (f->placed)
        return ST_OK;
    st = sweep_read_merged(f, m->dg);
    has = new0(f->plan->count + 1, sizeof *has);
    q = store_select(m->to, m->dg, "SELECT number FROM point WHERE study = ?1",
                     "i", m->study);
    while (q && store_next(q, m->dg))
        if ((size_t)store_int(q, 0) < f->plan->count)
            has[store_int(q, 0)] = true;
    store_done(q);
    good = diag_errors(m->dg) == before &&
           DO(m, "DELETE FROM study WHERE kind = 'sweep' AND study <> ?1", "i",
              m->study);
    for (size_t i = 0; i < f->plan->count && good && st == ST_OK; i++)
        if (!has[i] && f->merged[i] != SWEEP_LEFT)
            good = put_point_row(m, i);
    free(has);
    f->placed = good && st == ST_OK;
    return f->placed ? ST_OK : ST_IO;
}

/* ---- Files ---- */

/* Is it that file that an error is about, and not results.db? */
static bool is_about(const diag *why, const char *path)
{
    const char *file = diag_count(why) ? diag_get(why, 0)->file : NULL;

    return file && !strcmp(file, path);
}

/* A file that is damaged is none: its point runs again, and it loses its name
 * in the list. */
static status merge_one(merger *m, char *name)
{
    diag *why = diag_new();
    char path[PATH_MAX], id[POINT_ID_SIZE];
    size_t point;
    status st;

    snprintf(path, sizeof path, "%s/points/%s", m->f->path, name);
    memcpy(id, name, POINT_ID_SIZE - 1);
    id[POINT_ID_SIZE - 1] = '\0';
    point = sweep_find_id(m->f, id);
    st = store_merge(m->to, path, why);
    if (st == ST_CONFIG && is_about(why, path) && access(path, F_OK) == 0) {
        diag_add(m->dg, DIAG_WARNING, path, 0, 0, 1,
                 "its point must run again: %s", diag_get(why, 0)->text);
        unlink(path);
        *name = '\0';
        if (point != SWEEP_NONE)
            sweep_put_state(m->f, point, SWEEP_LEFT);
        st = ST_OK;
    } else if (st != ST_OK && diag_count(why)) {
        diag_add(m->dg, DIAG_ERROR, diag_get(why, 0)->file, 0, 0, 1, "%s",
                 diag_get(why, 0)->text);
    } else if (point != SWEEP_NONE && !place_all(m, point)) {
        st = ST_IO;
    }
    diag_free(why);
    return st;
}

/* Files go when the transaction is on the disk. */
static void remove_files(merger *m, size_t first, size_t count)
{
    char path[PATH_MAX];

    for (size_t i = first; i < first + count; i++) {
        snprintf(path, sizeof path, "%s/points/%s", m->f->path, m->names[i]);
        if (*m->names[i])
            unlink(path);
    }
}

/* What the transaction holds, so that results.db need not be read again. */
static void note_merged(merger *m, size_t first, size_t count)
{
    sweep_folder *f = m->f;
    char path[PATH_MAX], id[POINT_ID_SIZE];

    for (size_t i = first; i < first + count; i++) {
        size_t point;

        if (!*m->names[i])
            continue;
        memcpy(id, m->names[i], POINT_ID_SIZE - 1);
        id[POINT_ID_SIZE - 1] = '\0';
        point = sweep_find_id(f, id);
        if (point != SWEEP_NONE && f->merged[point] != SWEEP_DONE)
            sweep_put_merged(f, point,
                             m->names[i][POINT_ID_SIZE] == 'd' ? SWEEP_DONE
                                                               : SWEEP_FAILED);
    }
    snprintf(path, sizeof path, "%s/results.db", f->path);
    f->results = sweep_stamp_of(path);
}

static status merge_batch(merger *m, size_t first, size_t count)
{
    status st = store_begin(m->to, m->dg);

    if (st != ST_OK)
        return st;
    st = make_study(m);
    if (st == ST_OK)
        st = place_merged(m);
    for (size_t i = first; i < first + count && st == ST_OK; i++)
        st = merge_one(m, m->names[i]);
    if (st != ST_OK) {
        store_cancel(m->to);
        m->f->placed = false;
        return st;
    }
    st = store_end(m->to, m->dg);
    if (st != ST_OK)
        return st;
    note_merged(m, first, count);
    remove_files(m, first, count);
    return ST_OK;
}

static status merge_all(merger *m)
{
    char path[PATH_MAX];
    status st = list_files(m);

    snprintf(path, sizeof path, "%s/results.db", m->f->path);
    if (st != ST_OK || (!m->count && m->f->placed))
        return st;
    if (!m->count && access(path, F_OK) != 0)
        return ST_OK;
    st = store_create(path, m->dg, &m->to);
    if (st == ST_OK && !m->count)
        st = merge_batch(m, 0, 0); /* places */
    for (size_t i = 0; i < m->count && st == ST_OK; i += BATCH)
        st = merge_batch(m, i, m->count - i < BATCH ? m->count - i : BATCH);
    store_close(m->to);
    return st;
}

status sweep_folder_merge(sweep_folder *f, bool wait, diag *dg)
{
    merger m = {.f = f, .dg = dg};
    int lock = sweep_folder_lock(f, wait);
    status st;

    if (lock < 0)
        return errno == EWOULDBLOCK
                   ? ST_OK
                   : sweep_folder_failed(dg, "write to the folder", f->path);
    st = merge_all(&m);
    free(m.names);
    close(lock);
    return st;
}

status sweep_folder_forget_failed(sweep_folder *f, diag *dg)
{
    char path[PATH_MAX];
    status st = sweep_folder_merge(f, true, dg);
    store *s = NULL;
    int lock;

    snprintf(path, sizeof path, "%s/results.db", f->path);
    if (st != ST_OK || access(path, F_OK) != 0)
        return st;
    lock = sweep_folder_lock(f, true);
    if (lock < 0)
        return sweep_folder_failed(dg, "write to the folder", f->path);
    st = store_create(path, dg, &s);
    if (st == ST_OK)
        st = store_do(s,
                      "DELETE FROM point WHERE run IN"
                      " (SELECT run FROM run WHERE status <> 'pass');"
                      "DELETE FROM run WHERE status <> 'pass'",
                      dg);
    store_close(s);
    close(lock);
    return st == ST_OK ? sweep_folder_scan(f, false, dg) : st;
}
