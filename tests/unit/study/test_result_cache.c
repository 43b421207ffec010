/* tests/unit/study/test_result_cache.c - what was put is what is got, whatever
 * happens to the folder between. */
#include "study/result_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "test.h"

#define A "0123456789abcdef0123456789abcdea"
#define B "0123456789abcdef0123456789abcdeb"

typedef struct place {
    char root[64], dir[96], from[96], to[96];
} place;

static place begin(void)
{
    place p;

    strcpy(p.root, "/tmp/heddle-cache-XXXXXX");
    CHECK(mkdtemp(p.root) != NULL);
    snprintf(p.dir, sizeof p.dir, "%s/a/b", p.root);
    snprintf(p.from, sizeof p.from, "%s/from", p.root);
    snprintf(p.to, sizeof p.to, "%s/to", p.root);
    return p;
}

static void end(const place *p)
{
    char command[160];

    snprintf(command, sizeof command, "rm -rf '%s'", p->root);
    CHECK_EQ(system(command), 0);
}

static void write_text(const char *path, const char *text, size_t size)
{
    diag *dg = diag_new();

    CHECK_EQ(file_write(path, text, size, dg), ST_OK);
    diag_free(dg);
}

static size_t read_text(const char *path, char *to, size_t room)
{
    diag *dg = diag_new();
    char *text;
    size_t size;

    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    CHECK(size < room);
    memcpy(to, text, size + 1);
    free(text);
    diag_free(dg);
    return size;
}

static bool exists(const place *p, const char *id)
{
    char path[160];

    snprintf(path, sizeof path, "%s/%s.db", p->dir, id);
    return access(path, F_OK) == 0;
}

static void put_text(const place *p, result_cache *c, const char *id,
                     const char *text)
{
    write_text(p->from, text, strlen(text));
    result_cache_put(c, id, p->from);
}

TEST(what_was_put_is_got)
{
    place p = begin();
    result_cache *c = result_cache_open(p.dir, 10000);
    char text[100];

    CHECK(!result_cache_get(c, A, p.to));
    put_text(&p, c, A, "results of a");
    put_text(&p, c, B, "of b");
    CHECK(result_cache_get(c, A, p.to));
    CHECK_EQ(read_text(p.to, text, sizeof text), 12);
    CHECK_STR(text, "results of a");
    put_text(&p, c, A, "newer"); /* replaces */
    result_cache_close(c);
    c = result_cache_open(p.dir, 10000); /* another process */
    CHECK(result_cache_get(c, A, p.to));
    read_text(p.to, text, sizeof text);
    CHECK_STR(text, "newer");
    result_cache_close(c);
    CHECK(!result_cache_get(NULL, A, p.to));
    result_cache_put(NULL, A, p.from);
    end(&p);
}

/* Every byte of an entry, and every length. */
TEST(damaged_entries_are_removed)
{
    place p = begin();
    result_cache *c = result_cache_open(p.dir, 10000);
    char path[160], whole[200];
    size_t size;

    snprintf(path, sizeof path, "%s/%s.db", p.dir, A);
    put_text(&p, c, A, "results");
    size = read_text(path, whole, sizeof whole);
    for (size_t i = 0; i < size; i++) {
        whole[i] ^= 4;
        write_text(path, whole, size);
        whole[i] ^= 4;
        CHECK(!result_cache_get(c, A, p.to));
        CHECK(!exists(&p, A));
        write_text(path, whole, i);
        CHECK(!result_cache_get(c, A, p.to));
    }
    CHECK(access(p.to, F_OK) != 0);
    write_text(path, whole, size);
    CHECK(result_cache_get(c, A, p.to));
    /* An entry that was given another's name. */
    snprintf(path, sizeof path, "%s/%s.db", p.dir, B);
    write_text(path, whole, size);
    CHECK(!result_cache_get(c, B, p.to));
    result_cache_close(c);
    end(&p);
}

/* 100 bytes and 48 behind them: six fit in 900, and after the seventh five
 * stay, which are within 7/8 of the limit. */
TEST(entries_used_least_recently_go_first)
{
    place p = begin();
    result_cache *c = result_cache_open(p.dir, 900);
    char text[101] = {0}, id[40], path[160];

    memset(text, 'x', 100);
    for (int i = 0; i < 6; i++) {
        struct timespec then[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};

        snprintf(id, sizeof id, "%032d", i);
        put_text(&p, c, id, text);
        snprintf(path, sizeof path, "%s/%s.db", p.dir, id);
        CHECK_EQ(utimensat(AT_FDCWD, path, then, 0), 0);
    }
    snprintf(id, sizeof id, "%032d", 0);
    CHECK(result_cache_get(c, id, p.to)); /* its date is now */
    put_text(&p, c, A, text);
    for (int i = 0; i < 6; i++) {
        snprintf(id, sizeof id, "%032d", i);
        CHECK_EQ(exists(&p, id), i != 1 && i != 2);
    }
    CHECK(exists(&p, A));
    result_cache_close(c);
    end(&p);
}

TEST(what_is_larger_than_the_limit_is_not_kept)
{
    place p = begin();
    result_cache *c = result_cache_open(p.dir, 50);

    put_text(&p, c, A, "abc");
    CHECK(!exists(&p, A));
    put_text(&p, c, B, "ab");
    CHECK(exists(&p, B));
    result_cache_close(c);
    end(&p);
}

TEST(folders_that_cannot_be_are_no_error)
{
    place p = begin();
    result_cache *c;

    write_text(p.from, "results", 7);
    c = result_cache_open(p.from, 1000); /* a file */
    result_cache_put(c, A, p.from);
    CHECK(!result_cache_get(c, A, p.to));
    result_cache_close(c);
    c = result_cache_open(p.dir, 1000);
    result_cache_put(c, A, p.to); /* not there */
    result_cache_put(c, A, p.from);
    CHECK(!result_cache_get(c, A, "/nowhere/at/all"));
    CHECK(exists(&p, A)); /* which is not its fault */
    result_cache_close(c);
    end(&p);
}

/* Four processes put and get the same few ids in a cache that is too small:
 * whoever gets something gets it whole. */
TEST(processes_share_a_folder)
{
    place p = begin();
    pid_t pid[4];

    for (int k = 0; k < 4; k++) {
        if ((pid[k] = fork()) != 0)
            continue;
        result_cache *c = result_cache_open(p.dir, 4000);
        char from[128], to[128], id[40], text[700], got[700];

        snprintf(from, sizeof from, "%s/from%d", p.root, k);
        snprintf(to, sizeof to, "%s/to%d", p.root, k);
        for (int i = 0; i < 150; i++) {
            int n = (i * 7 + k) % 13;

            snprintf(id, sizeof id, "%032d", n);
            memset(text, 'a' + n, sizeof text);
            write_text(from, text, 600);
            result_cache_put(c, id, from);
            if (result_cache_get(c, id, to) &&
                (read_text(to, got, sizeof got) != 600 ||
                 memcmp(got, text, 600)))
                _exit(1);
        }
        result_cache_close(c);
        _exit(0);
    }
    for (int k = 0; k < 4; k++) {
        int how = -1;

        CHECK_EQ(waitpid(pid[k], &how, 0), pid[k]);
        CHECK_EQ(how, 0);
    }
    end(&p);
}
