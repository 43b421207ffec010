/* src/study/result_cache.c - see result_cache.h. */
#include "study/result_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/must.h"
#include "base/strbuf.h"

/* Behind a results file, which SQLite ignores. */
typedef struct seal {
    char magic[8];
    uint64_t hash; /* of what stands before */
    char id[32];
} seal;

static const char magic[8] = "heddler1";

enum {
    STALE_S = 3600, /* unfinished files of that age have lost their writer */
};

struct result_cache {
    char *dir;
    uint64_t limit;
    pthread_mutex_t lock; /* of all below */
    bool counted;
    uint64_t held;  /* bytes, when we last looked, and what we added */
    uint64_t added; /* since then */
};

result_cache *result_cache_open(const char *dir, uint64_t limit)
{
    result_cache *c = new0(1, sizeof *c);

    c->dir = new_text(dir);
    c->limit = limit;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void result_cache_close(result_cache *c)
{
    if (!c)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c->dir);
    free(c);
}

static bool make_cache_path(const char *dir)
{
    char *path = new_text(dir);
    bool good;

    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0700);
            *p = '/';
        }
    good = mkdir(path, 0700) == 0 || errno == EEXIST;
    free(path);
    return good;
}

/* In the folder; the caller frees it. */
static char *entry_path(const result_cache *c, const char *id)
{
    strbuf b = {0};

    strbuf_printf(&b, "%s/%s.db", c->dir, id);
    return b.text;
}

static seal make_seal(const char *id, const char *data, size_t size)
{
    seal s = {.hash = hash_bytes(data, size, size)};

    memcpy(s.magic, magic, sizeof magic);
    memcpy(s.id, id, strnlen(id, sizeof s.id));
    return s;
}

/* ---- Reading ---- */

bool result_cache_has(const result_cache *c, const char *id)
{
    char *path = c ? entry_path(c, id) : NULL;
    bool has = path && access(path, R_OK) == 0;

    free(path);
    return has;
}

bool result_cache_get(result_cache *c, const char *id, const char *to)
{
    diag *dg = diag_new();
    char *path = c ? entry_path(c, id) : NULL, *text;
    size_t size;
    bool good = false;

    if (path && dg && access(path, R_OK) == 0 &&
        file_read(path, dg, &text, &size) == ST_OK) {
        seal is = {0};

        if (size > sizeof is)
            is = make_seal(id, text, size - sizeof is);
        good = size > sizeof is &&
               !memcmp(text + size - sizeof is, &is, sizeof is);
        if (!good)
            unlink(path);
        else
            good = file_write(to, text, size - sizeof is, dg) == ST_OK;
        if (good) /* its date says when it was used last */
            utimensat(AT_FDCWD, path, NULL, 0);
        free(text);
    }
    diag_free(dg);
    free(path);
    return good;
}

/* ---- Eviction ---- */

typedef struct aged {
    char *name;
    uint64_t size;
    struct timespec used;
} aged;

static int older_first(const void *a, const void *b)
{
    const aged *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* What stands behind the id of an entry; NULL: no name of ours. */
static const char *behind_id(const char *name)
{
    size_t n = strspn(name, "0123456789abcdef");

    return n == sizeof((seal){0}).id && !strncmp(name + n, ".db", 3)
               ? name + n + 3
               : NULL;
}

/* The entries of the folder and their size together. Entries whose writing
 * began long ago and never ended are removed. */
static aged *list_entries(DIR *d, size_t *count, uint64_t *bytes)
{
    time_t now = time(NULL);
    aged *all = NULL;
    size_t n = 0, room = 0;

    *bytes = 0;
    for (struct dirent *e; (e = readdir(d));) {
        const char *end = behind_id(e->d_name);
        struct stat s;

        if (!end ||
            fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(s.st_mode))
            continue;
        if (*end) {
            if (s.st_mtim.tv_sec < now - STALE_S)
                unlinkat(dirfd(d), e->d_name, 0);
            continue;
        }
        GROW(all, n + 1, room);
        all[n++] = (aged){new_text(e->d_name), (uint64_t)s.st_size, s.st_mtim};
        MUST(all[n - 1].name != NULL);
        *bytes += (uint64_t)s.st_size;
    }
    *count = n;
    return all;
}

/* Makes room; what is left is counted. An eighth more than needed goes, so that
 * a full cache is not read for each entry. */
static void evict_entries(result_cache *c)
{
    DIR *d = opendir(c->dir);
    uint64_t bytes, most = c->limit - c->limit / 8;
    size_t n;

    if (!d)
        return;
    aged *all = list_entries(d, &n, &bytes);
    if (bytes > c->limit) {
        qsort(all, n, sizeof *all, older_first);
        for (size_t i = 0; i < n && bytes > most; i++) {
            unlinkat(dirfd(d), all[i].name, 0);
            bytes -= all[i].size;
        }
    }
    for (size_t i = 0; i < n; i++)
        free(all[i].name);
    free(all);
    closedir(d);
    c->counted = true;
    c->held = bytes;
    c->added = 0;
}

/* Others add, too, without our knowing: we look again now and then. */
static void account_entry(result_cache *c, uint64_t size)
{
    pthread_mutex_lock(&c->lock);
    c->held += size;
    c->added += size;
    if (!c->counted || c->held > c->limit || c->added > c->limit / 16)
        evict_entries(c);
    pthread_mutex_unlock(&c->lock);
}

/* ---- Writing ---- */

void result_cache_put(result_cache *c, const char *id, const char *from)
{
    diag *dg = diag_new();
    char *path = c ? entry_path(c, id) : NULL, *text;
    size_t size;

    if (path && dg && file_read(from, dg, &text, &size) == ST_OK) {
        seal is = make_seal(id, text, size);
        strbuf all = {0};

        strbuf_write(&all, text, size);
        strbuf_write(&all, (const char *)&is, sizeof is);
        free(text);
        if (all.size <= c->limit && make_cache_path(c->dir) &&
            file_write(path, all.text, all.size, dg) == ST_OK)
            account_entry(c, all.size);
        strbuf_fini(&all);
    }
    diag_free(dg);
    free(path);
}
