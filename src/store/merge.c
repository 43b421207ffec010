/* src/store/merge.c - one file's rows become another's. Numbers of rows are a
 * file's own, so each is mapped to the number that the row has in the other. */
#include <string.h>
#include <sys/stat.h>

#include "base/must.h"
#include "store/store_impl.h"

/* What numbers are mapped: by the letter of a column. */
typedef enum key {
    KEY_STUDY,
    KEY_RUN,
    KEY_WRITTEN, /* runs whose rows are copied, too */
    KEY_CONFIG,
    KEY_NEW_CONFIG,
    KEY_PARAMETER,
    KEY_ORIGIN,
    KEY_NAME,
    KEY_LAUNCH,
    KEY_KERNEL,
    KEY_COUNT
} key;

static const char key_letters[KEY_COUNT + 1] = "srwcCponlk";

/* Tables whose rows are copied as they are but for the numbers in them: those
 * of columns behind the letters, too. In front of the columns stands the number
 * of the row itself if `own` says so. The first column says whose row it is: if
 * that is not copied, neither is the row. */
static const struct {
    const char *select, *letters;
    kept add;
    int own; /* a key, -1: none */
} copies[] = {
    {"SELECT config, parameter, value, origin FROM config", "Cp.o",
     KEPT_ADD_VALUE, -1},
    {"SELECT run, device, gpu, config FROM device", "w..c", KEPT_ADD_DEVICE,
     -1},
    {"SELECT * FROM launch ORDER BY launch", "w", KEPT_ADD_LAUNCH, KEY_LAUNCH},
    {"SELECT * FROM kernel ORDER BY kernel", "w", KEPT_ADD_KERNEL, KEY_KERNEL},
    {"SELECT launch, name, value FROM stat", "ln.", KEPT_ADD_STAT, -1},
    {"SELECT kernel, name, value FROM kernel_stat", "kn.", KEPT_ADD_KERNEL_STAT,
     -1},
    {"SELECT launch, name, cycle, value FROM series", "ln..", KEPT_ADD_SERIES,
     -1},
    {"SELECT kernel, name, lo, hi, n FROM hist", "kn...", KEPT_ADD_HIST, -1},
    {"SELECT run, kind, bytes, content FROM artifact", "w...",
     KEPT_ADD_ARTIFACT, -1},
};

typedef struct merger {
    store *to, *from;
    diag *dg;
    status st;
    map *keys[KEY_COUNT];
} merger;

/* ---- Errors ---- */

static bool bad_from(merger *m)
{
    m->st = store_failed(m->from, m->dg);
    return false;
}

/* Rows that contradict those they name are the source's fault. */
static bool bad_to(merger *m)
{
    if ((sqlite3_errcode(m->to->db) & 0xff) == SQLITE_CONSTRAINT) {
        diag_add(m->dg, DIAG_ERROR, m->from->path, 0, 0, 1,
                 "its rows contradict each other: %s",
                 sqlite3_errmsg(m->to->db));
        m->st = ST_CONFIG;
        return false;
    }
    m->st = store_failed(m->to, m->dg);
    return false;
}

/* ---- Rows ---- */

/* Calls `take` for every row of a query. */
static bool each(merger *m, const char *sql,
                 bool (*take)(merger *m, sqlite3_stmt *row))
{
    sqlite3_stmt *row;
    bool good = true;
    int rc;

    if (sqlite3_prepare_v2(m->from->db, sql, -1, &row, NULL) != SQLITE_OK)
        return bad_from(m);
    while ((rc = sqlite3_step(row)) == SQLITE_ROW && good)
        good = take(m, row);
    if (good && rc != SQLITE_DONE)
        good = bad_from(m);
    sqlite3_finalize(row);
    return good;
}

static const char *text(sqlite3_stmt *row, int i)
{
    return (const char *)sqlite3_column_text(row, i);
}

/* Column 1, the key of rows; NULL in damaged files only. */
static const char *unique_key(sqlite3_stmt *row)
{
    return text(row, 1) ? text(row, 1) : "";
}

/* Remembers what number column 0 has in the other file. */
static bool put_key(merger *m, key which, sqlite3_stmt *row, int64_t number)
{
    if (!number)
        return bad_to(m);
    map_put(m->keys[which], (uint64_t)sqlite3_column_int64(row, 0),
            (uint64_t)number);
    return true;
}

static int64_t get_key(const merger *m, key which, int64_t number)
{
    uint64_t got = 0;

    map_get(m->keys[which], (uint64_t)number, &got);
    return (int64_t)got;
}

/* The argument for column i of a row: that of its name, else number `n`. */
static int argument(sqlite3_stmt *add, sqlite3_stmt *row, int i, int n)
{
    bool named = sqlite3_bind_parameter_name(add, 1)[0] == ':';

    return named ? store_argument(add, sqlite3_column_name(row, i)) : n;
}

/* Column i of the row, mapped, as argument n, if it is not named; false and 0,
 * which no row has, if its number is unknown. */
static bool bind(merger *m, sqlite3_stmt *add, int n, sqlite3_stmt *row, int i,
                 char letter)
{
    const char *at = letter == '.' ? NULL : strchr(key_letters, letter);
    int64_t number;

    n = argument(add, row, i, n);
    if (!at) {
        if (n)
            sqlite3_bind_value(add, n, sqlite3_column_value(row, i));
        return true;
    }
    number = get_key(m, (key)(at - key_letters), sqlite3_column_int64(row, i));
    sqlite3_bind_int64(add, n, number);
    return number != 0;
}

static bool copy_table(merger *m, size_t which)
{
    const char *letters = copies[which].letters;
    int own = copies[which].own, first = own >= 0;
    int known = (int)strlen(letters);
    sqlite3_stmt *row, *add = store_kept(m->to, copies[which].add);
    bool good = true;
    int rc;

    if (!add)
        return bad_to(m);
    if (sqlite3_prepare_v2(m->from->db, copies[which].select, -1, &row, NULL) !=
        SQLITE_OK)
        return bad_from(m);
    sqlite3_clear_bindings(add); /* columns that the source lacks are null */
    while ((rc = sqlite3_step(row)) == SQLITE_ROW && good) {
        if (!bind(m, add, 1, row, first, letters[0]))
            continue;
        for (int i = 1; i + first < sqlite3_column_count(row); i++)
            bind(m, add, i + 1, row, i + first, i < known ? letters[i] : '.');
        rc = sqlite3_step(add);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE)
            good = bad_to(m);
        else if (own >= 0)
            good = put_key(m, (key)own, row, store_added(m->to));
        sqlite3_reset(add);
    }
    if (good && rc != SQLITE_DONE)
        good = bad_from(m);
    sqlite3_finalize(row);
    return good;
}

/* ---- Rows that may be there already ---- */

static bool take_study(merger *m, sqlite3_stmt *row)
{
    store *to = m->to;
    sqlite3_stmt *add;
    int rc = store_put(to, KEPT_FIND_STUDY, "t", unique_key(row));

    if (rc == SQLITE_ROW)
        return put_key(m, KEY_STUDY, row, store_got(to, KEPT_FIND_STUDY));
    add = rc == SQLITE_DONE ? store_kept(to, KEPT_ADD_STUDY) : NULL;
    if (!add)
        return bad_to(m);
    for (int i = 1; i <= 8; i++)
        bind(m, add, i, row, i, '.');
    if (sqlite3_step(add) != SQLITE_DONE)
        return bad_to(m);
    return put_key(m, KEY_STUDY, row, store_added(to));
}

/* A run that did not pass is replaced by one that did; its rows go. */
static bool drop_rows(merger *m, int64_t run)
{
    static const kept drops[] = {KEPT_DROP_LAUNCHES, KEPT_DROP_KERNELS,
                                 KEPT_DROP_DEVICES, KEPT_DROP_ARTIFACTS};

    for (size_t i = 0; i < COUNTOF(drops); i++)
        if (store_put(m->to, drops[i], "i", run) != SQLITE_DONE)
            return bad_to(m);
    return true;
}

static bool merge_run(merger *m, sqlite3_stmt *row)
{
    bool passed = !strcmp(text(row, 4) ? text(row, 4) : "", "pass");
    sqlite3_stmt *found, *add;
    int rc = store_put(m->to, KEPT_FIND_RUN, "t", unique_key(row));
    int64_t run;

    if (rc == SQLITE_ROW) {
        found = m->to->kept[KEPT_FIND_RUN];
        run = sqlite3_column_int64(found, 0);
        if (sqlite3_column_int(found, 1) || !passed)
            return put_key(m, KEY_RUN, row, run);
        if (!drop_rows(m, run))
            return false;
    } else if (rc != SQLITE_DONE) {
        return bad_to(m);
    }
    add = store_kept(m->to, KEPT_ADD_RUN);
    if (!add)
        return bad_to(m);
    sqlite3_clear_bindings(add);
    for (int i = 1; i < sqlite3_column_count(row); i++)
        bind(m, add, i, row, i, '.');
    if (sqlite3_step(add) != SQLITE_ROW)
        return bad_to(m);
    run = store_got(m->to, KEPT_ADD_RUN);
    return put_key(m, KEY_RUN, row, run) && put_key(m, KEY_WRITTEN, row, run);
}

static bool take_config(merger *m, sqlite3_stmt *row)
{
    int rc = store_put(m->to, KEPT_FIND_CONFIG, "t", unique_key(row));
    int64_t number;

    if (rc == SQLITE_ROW)
        return put_key(m, KEY_CONFIG, row, store_got(m->to, KEPT_FIND_CONFIG));
    if (rc == SQLITE_DONE)
        rc = store_put(m->to, KEPT_ADD_CONFIG, "t", unique_key(row));
    if (rc != SQLITE_DONE)
        return bad_to(m);
    number = store_added(m->to);
    return put_key(m, KEY_CONFIG, row, number) &&
           put_key(m, KEY_NEW_CONFIG, row, number);
}

static bool take_parameter(merger *m, sqlite3_stmt *row)
{
    return put_key(
        m, KEY_PARAMETER, row,
        store_parameter(m->to, unique_key(row), text(row, 2), text(row, 3)));
}

static bool take_origin(merger *m, sqlite3_stmt *row)
{
    return put_key(m, KEY_ORIGIN, row, store_origin(m->to, unique_key(row)));
}

static bool merge_name(merger *m, sqlite3_stmt *row)
{
    return put_key(m, KEY_NAME, row,
                   store_name(m->to, unique_key(row), text(row, 2),
                              text(row, 3), text(row, 4)));
}

/* A place that is taken stays as it is, unless its run failed and this one
 * passed: column 4. */
static bool take_point(merger *m, sqlite3_stmt *row)
{
    int64_t study = get_key(m, KEY_STUDY, sqlite3_column_int64(row, 0)),
            run = get_key(m, KEY_RUN, sqlite3_column_int64(row, 2)),
            number = sqlite3_column_int64(row, 1);
    int rc = store_put(m->to, KEPT_FIND_POINT, "ii", study, number);

    if (rc == SQLITE_ROW &&
        (store_got(m->to, KEPT_FIND_POINT) || !sqlite3_column_int(row, 4)))
        return true;
    if (rc == SQLITE_ROW)
        rc = store_put(m->to, KEPT_DROP_POINT, "ii", study, number);
    if (rc == SQLITE_DONE)
        rc = store_put(m->to, KEPT_ADD_POINT, "iiit", study, number, run,
                       text(row, 3));
    return rc == SQLITE_DONE || bad_to(m);
}

/* Those of places that are there already are there, too. */
static bool take_factor(merger *m, sqlite3_stmt *row)
{
    int64_t study = get_key(m, KEY_STUDY, sqlite3_column_int64(row, 0));

    return store_put(m->to, KEPT_KEEP_FACTOR, "iitt", study,
                     sqlite3_column_int64(row, 1), text(row, 2),
                     text(row, 3)) == SQLITE_DONE ||
           bad_to(m);
}

/* ---- All of it ---- */

static bool copy_all(merger *m)
{
    static const struct {
        const char *select;
        bool (*take)(merger *m, sqlite3_stmt *row);
    } shared[] = {
        {"SELECT study, uid, kind, name, about, command, plan, created,"
         " places FROM study ORDER BY study",
         take_study},
        {"SELECT * FROM run ORDER BY run", merge_run},
        {"SELECT p.study, p.number, p.run, p.label, r.status = 'pass'"
         " FROM point p JOIN run r USING(run)",
         take_point},
        {"SELECT study, number, name, value FROM factor", take_factor},
        {"SELECT config, hash FROM configuration", take_config},
        {"SELECT parameter, path, unit, help FROM parameter", take_parameter},
        {"SELECT origin, text FROM origin", take_origin},
        {"SELECT name, path, unit, kind, help FROM name", merge_name},
    };

    for (size_t i = 0; i < COUNTOF(shared); i++)
        if (!each(m, shared[i].select, shared[i].take))
            return false;
    for (size_t i = 0; i < COUNTOF(copies); i++)
        if (!copy_table(m, i))
            return false;
    return true;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* Reads one state of the file, whatever others write to it meanwhile. */
static status merge_rows(merger *m)
{
    bool good;

    for (size_t i = 0; i < KEY_COUNT; i++) {
        m->keys[i] = map_new();
    }
    good = sqlite3_exec(m->from->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK ||
           bad_from(m);
    good = good && copy_all(m);
    for (size_t i = 0; i < KEY_COUNT; i++)
        map_free(m->keys[i]);
    return good ? ST_OK : m->st;
}

status store_merge(store *to, const char *from, diag *dg)
{
    merger m = {.to = to, .dg = dg};
    status st;

    if (is_same_file(to->path, from))
        return ST_OK;
    st = store_open(from, dg, &m.from);
    if (st != ST_OK)
        return st;
    st = store_enter(to, dg);
    if (st == ST_OK) {
        st = merge_rows(&m);
        if (st == ST_OK)
            st = store_leave(to, true, dg);
        else
            store_leave(to, false, dg);
    }
    store_close(m.from);
    return st;
}
