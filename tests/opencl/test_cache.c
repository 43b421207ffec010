/* tests/opencl/test_cache.c - the folder of compiled programs. */
#include "opencl/program/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

/* A folder for the test, in which the cache's will be. */
static char root[] = "/tmp/heddle-cache-XXXXXX";

__attribute__((constructor)) static void make_root(void)
{
    if (!mkdtemp(root))
        abort();
    setenv("XDG_CACHE_HOME", root, 1);
    unsetenv("HEDDLE_CACHE");
}

__attribute__((destructor)) static void remove_root(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", root);
    if (system(command))
        abort();
}

static void empty_root(void)
{
    remove_root();
    CHECK_EQ(mkdir(root, 0700), 0);
}

static cache_key key(const char *text)
{
    cache_key k = cache_key_new();

    cache_key_text(&k, text);
    return k;
}

static void put(const char *name, const char *out, const char *files)
{
    cache_key k = key(name);
    cache_entry e = {(char *)out, strlen(out), (char *)"a warning\n"};

    cache_put(&k, &e, files, 0);
}

/* What is kept under that name, "-": nothing. */
static const char *get(const char *name)
{
    static char text[2048];
    cache_key k = key(name);
    cache_entry e;

    strcpy(text, "-");
    if (cache_get(&k, &e)) {
        CHECK_EQ(strlen(e.out), e.size);
        CHECK_STR(e.log, "a warning\n");
        strcpy(text, e.out);
        free(e.out);
        free(e.log);
    }
    return text;
}

static char *path_of(const char *name)
{
    cache_key k = key(name);
    char *path = malloc(256);

    snprintf(path, 256, "%s/heddle/%016llx%016llx", root,
             (unsigned long long)k.hash[0], (unsigned long long)k.hash[1]);
    return path;
}

static unsigned file_count(void)
{
    char path[64];
    unsigned n = 0;

    snprintf(path, sizeof path, "%s/heddle", root);
    DIR *d = opendir(path);
    CHECK(d != NULL);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

TEST(what_was_put_comes_back)
{
    CHECK_STR(get("a"), "-");
    put("a", "ptx of a", NULL);
    put("b", "ptx of b", "");
    CHECK_STR(get("a"), "ptx of a");
    CHECK_STR(get("b"), "ptx of b");
    put("a", "ptx of a again", NULL);
    CHECK_STR(get("a"), "ptx of a again");
}

TEST(keys_differ_by_where_texts_end)
{
    cache_key x = cache_key_new(), y = cache_key_new(), z = cache_key_new();

    cache_key_text(&x, "ab");
    cache_key_text(&x, "c");
    cache_key_text(&y, "a");
    cache_key_text(&y, "bc");
    cache_key_text(&z, "abc");
    CHECK(memcmp(&x, &y, sizeof x) && memcmp(&x, &z, sizeof x));
    CHECK(memcmp(&y, &z, sizeof y));
}

TEST(damaged_entries_are_not_used_and_go)
{
    put("c", "0123456789", NULL);
    char *path = path_of("c");
    struct stat s;
    CHECK_EQ(stat(path, &s), 0);
    for (off_t at = 0; at < s.st_size; at++) {
        char byte;

        put("c", "0123456789", NULL);
        int fd = open(path, O_RDWR);
        CHECK_EQ(pread(fd, &byte, 1, at), 1);
        byte ^= 0x20;
        CHECK_EQ(pwrite(fd, &byte, 1, at), 1);
        close(fd);
        CHECK_STR(get("c"), "-");
        CHECK_EQ(access(path, F_OK), -1);
    }
    for (off_t size = 0; size < s.st_size; size++) {
        put("c", "0123456789", NULL);
        CHECK_EQ(truncate(path, size), 0);
        CHECK_STR(get("c"), "-");
    }
    free(path);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    CHECK(f && fputs(text, f) >= 0);
    fclose(f);
}

TEST(entries_know_the_files_that_they_were_made_from)
{
    char header[64], files[80];

    snprintf(header, sizeof header, "%s/my header.h", root);
    snprintf(files, sizeof files, "%s\n", header);
    write_text(header, "#define X 1\n");
    put("d", "ptx of d", files);
    CHECK_STR(get("d"), "ptx of d");
    write_text(header, "#define X 2\n");
    CHECK_STR(get("d"), "-");
    put("d", "ptx of d", files);
    unlink(header);
    CHECK_STR(get("d"), "-");
    put("d", "ptx of d", files); /* it cannot be read: not kept */
    CHECK_STR(get("d"), "-");
}

TEST(the_entries_used_longest_ago_go_first)
{
    cache_key k = key("last");
    char big[1000];

    empty_root();
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    for (int i = 0; i < 8; i++) {
        char name[2] = {(char)('0' + i), 0}, *path;
        struct timespec t[2] = {{1000 + i, 0}, {1000 + i, 0}};

        put(name, big, NULL);
        path = path_of(name);
        CHECK_EQ(utimensat(AT_FDCWD, path, t, 0), 0);
        free(path);
    }
    CHECK(strcmp(get("0"), "-")); /* now it is the youngest */
    cache_entry e = {big, sizeof big - 1, (char *)"a warning\n"};
    cache_put(&k, &e, NULL, 4200); /* four of some 1050 bytes */
    CHECK_STR(get("1"), "-");
    CHECK_STR(get("5"), "-");
    CHECK(strcmp(get("6"), "-"));
    CHECK(strcmp(get("7"), "-"));
    CHECK(strcmp(get("0"), "-"));
    CHECK(strcmp(get("last"), "-"));
    CHECK_EQ(file_count(), 4);
}

TEST(off_or_nowhere)
{
    put("e", "ptx of e", NULL);
    setenv("HEDDLE_CACHE", "0", 1);
    CHECK_STR(get("e"), "-");
    put("f", "ptx of f", NULL);
    unsetenv("HEDDLE_CACHE");
    CHECK_STR(get("e"), "ptx of e");
    CHECK_STR(get("f"), "-");
    setenv("XDG_CACHE_HOME", "/proc/self/nowhere", 1); /* cannot be made */
    put("e", "x", NULL);
    CHECK_STR(get("e"), "-");
    setenv("XDG_CACHE_HOME", "relative", 1); /* counts as not set */
    setenv("HOME", root, 1);
    put("e", "at home", NULL);
    CHECK_STR(get("e"), "at home");
    CHECK_EQ(access("relative", F_OK), -1);
    setenv("XDG_CACHE_HOME", root, 1);
}
