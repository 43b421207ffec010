#include "opencl/program/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/must.h"
#include "base/strbuf.h"

/* A file of the cache: this head, then per file its hash and path, then the
 * log, then the output. */
typedef struct head {
    char magic[8];
    uint64_t hash; /* of all that follows */
    uint64_t file_bytes, log_bytes, out_bytes;
} head;

static const char magic[8] = "heddle1\n";

/* ---- Keys ---- */

cache_key cache_key_new(void)
{
    return (cache_key){{0x9ae16a3b2f90404f, 0xc3a5c85c97cb3127}};
}

void cache_key_add(cache_key *k, const void *data, size_t size)
{
    for (unsigned i = 0; i < 2; i++) {
        k->hash[i] = hash_bytes(data, size, k->hash[i]);
        k->hash[i] = hash_bytes(&size, sizeof size, k->hash[i]);
    }
}

void cache_key_text(cache_key *k, const char *text)
{
    cache_key_add(k, text ? text : "\1", text ? strlen(text) + 1 : 1);
}

/* ---- Places ---- */

/* The folder, which the caller frees; NULL: there is no cache. */
static char *folder(void)
{
    const char *off = getenv("HEDDLE_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    strbuf b = {0};

    if (off && !strcmp(off, "0"))
        return NULL;
    if (xdg && *xdg == '/')
        strbuf_printf(&b, "%s/heddle", xdg);
    else if (home && *home == '/')
        strbuf_printf(&b, "%s/.cache/heddle", home);
    return b.text;
}

static bool make_cache_folders(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0700);
            *p = '/';
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static char *entry_path(const char *dir, const cache_key *k)
{
    strbuf b = {0};

    strbuf_printf(&b, "%s/%016llx%016llx", dir, (unsigned long long)k->hash[0],
                  (unsigned long long)k->hash[1]);
    return b.text;
}

/* ---- Files that were included ---- */

static bool hash_file(const char *path, uint64_t *hash)
{
    diag *dg = diag_new();
    char *text;
    size_t size;
    bool good = dg && file_read(path, dg, &text, &size) == ST_OK;

    if (good) {
        *hash = hash_bytes(text, size, size);
        free(text);
    }
    diag_free(dg);
    return good;
}

/* "HASH PATH\n" for each; false: one cannot be read. */
static bool describe_files(const char *files, strbuf *to)
{
    for (const char *end; files && *files; files = end + 1) {
        uint64_t hash;
        char *path;

        end = strchr(files, '\n');
        if (!end)
            return false;
        path = new_text_n(files, (size_t)(end - files));
        bool good = path && hash_file(path, &hash);
        if (good)
            strbuf_printf(to, "%016llx %s\n", (unsigned long long)hash, path);
        free(path);
        if (!good)
            return false;
    }
    return true;
}

/* `text` is what describe_files wrote, with a NUL behind it. */
static bool files_unchanged(char *text)
{
    for (char *line = text, *end; *line; line = end + 1) {
        uint64_t hash, then;
        char *path;

        end = strchr(line, '\n');
        if (!end)
            return false;
        *end = '\0';
        then = strtoull(line, &path, 16);
        if (*path != ' ' || !hash_file(path + 1, &hash) || hash != then)
            return false;
    }
    return true;
}

/* ---- Reading ---- */

static bool unpack_entry(const char *text, size_t size, cache_entry *out)
{
    head h;
    char *files;
    bool good;

    if (size < sizeof h)
        return false;
    memcpy(&h, text, sizeof h);
    const char *body = text + sizeof h;
    size_t left = size - sizeof h;
    if (memcmp(h.magic, magic, sizeof magic) || h.file_bytes > left ||
        h.log_bytes > left - h.file_bytes ||
        h.out_bytes != left - h.file_bytes - h.log_bytes ||
        h.hash != hash_bytes(body, left, left))
        return false;
    files = new_text_n(body, h.file_bytes);
    good = files && files_unchanged(files);
    free(files);
    if (!good)
        return false;
    out->log = new_text_n(body + h.file_bytes, h.log_bytes);
    out->size = h.out_bytes;
    out->out = alloc_try_array(h.out_bytes + 1, 1);
    if (!out->log || !out->out) {
        free(out->log);
        free(out->out);
        return false;
    }
    memcpy(out->out, body + h.file_bytes + h.log_bytes, h.out_bytes);
    out->out[h.out_bytes] = '\0';
    return true;
}

bool cache_get(const cache_key *k, cache_entry *out)
{
    char *dir = folder(), *path = dir ? entry_path(dir, k) : NULL, *text;
    diag *dg = diag_new();
    size_t size;
    bool good = false;

    if (path && dg && access(path, R_OK) == 0 &&
        file_read(path, dg, &text, &size) == ST_OK) {
        good = unpack_entry(text, size, out);
        free(text);
        if (good) /* the date of last use, for eviction */
            utimensat(AT_FDCWD, path, NULL, 0);
        else
            unlink(path);
    }
    diag_free(dg);
    free(path);
    free(dir);
    return good;
}

/* ---- Writing ---- */

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

/* The regular files of the folder, their number and size. */
static aged *list_entries(int at, DIR *d, size_t *count, uint64_t *bytes)
{
    aged *all = NULL;
    size_t n = 0, room = 0;

    *bytes = 0;
    for (struct dirent *e; (e = readdir(d));) {
        struct stat s;

        if (fstatat(at, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(s.st_mode))
            continue;
        GROW(all, n + 1, room);
        all[n++] = (aged){new_text(e->d_name), (uint64_t)s.st_size, s.st_mtim};
        *bytes += (uint64_t)s.st_size;
    }
    *count = n;
    return all;
}

static void evict_entries(const char *dir, uint64_t limit)
{
    DIR *d = opendir(dir);
    uint64_t bytes;
    size_t n;

    if (!d)
        return;
    aged *all = list_entries(dirfd(d), d, &n, &bytes);
    if (bytes > limit)
        qsort(all, n, sizeof *all, older_first);
    for (size_t i = 0; i < n && bytes > limit; i++) {
        unlinkat(dirfd(d), all[i].name, 0);
        bytes -= all[i].size;
    }
    for (size_t i = 0; i < n; i++)
        free(all[i].name);
    free(all);
    closedir(d);
}

void cache_put(const cache_key *k, const cache_entry *e, const char *files,
               uint64_t limit)
{
    char *dir = folder();
    strbuf all = {0}, named = {0};
    head h = {.log_bytes = strlen(e->log), .out_bytes = e->size};

    if (!dir || !describe_files(files, &named) || !make_cache_folders(dir))
        goto done;
    h.file_bytes = named.size;
    memcpy(h.magic, magic, sizeof magic);
    strbuf_write(&all, (const char *)&h, sizeof h);
    if (named.size)
        strbuf_write(&all, named.text, named.size);
    strbuf_puts(&all, e->log);
    strbuf_write(&all, e->out, e->size);
    h.hash = hash_bytes(all.text + sizeof h, all.size - sizeof h,
                        all.size - sizeof h);
    memcpy(all.text, &h, sizeof h);

    diag *dg = diag_new();
    char *path = entry_path(dir, k);
    if (dg && file_write(path, all.text, all.size, dg) == ST_OK)
        evict_entries(dir, limit ? limit : CACHE_BYTES);
    free(path);
    diag_free(dg);
done:
    strbuf_fini(&all);
    strbuf_fini(&named);
    free(dir);
}
