/* tests/unit/base/test_file.c - reading and replacing real files. */
#include "base/file.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char folder[] = "/tmp/heddle-test-file-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    static bool made;

    if (!made)
        made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static unsigned files_in_folder(void)
{
    DIR *d = opendir(folder);
    unsigned n = 0;

    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

TEST(what_is_written_is_read)
{
    const char *path = path_of("data");
    diag *dg = diag_new();
    char *text = NULL, big[200000];
    size_t size = 0;

    memset(big, 'x', sizeof big);
    big[5] = '\0';
    CHECK_EQ(file_write(path, big, sizeof big, dg), ST_OK);
    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    CHECK_EQ(size, sizeof big);
    CHECK(!memcmp(text, big, size));
    CHECK_EQ(text[size], 0);
    free(text);
    CHECK_EQ(file_write(path, "", 0, dg), ST_OK);
    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    CHECK_EQ(size, 0);
    free(text);
    CHECK_EQ(files_in_folder(), 1);
    unlink(path);
    diag_free(dg);
}

TEST(a_missing_file_is_one_error_that_names_it)
{
    diag *dg = diag_new();
    char *text = NULL;
    size_t size;

    CHECK_EQ(file_read("/nonexistent/x", dg, &text, &size), ST_INPUT);
    CHECK(text == NULL);
    CHECK_EQ(diag_errors(dg), 1);
    CHECK_STR(diag_get(dg, 0)->file, "/nonexistent/x");
    CHECK_STR(diag_get(dg, 0)->text, "cannot open: No such file or directory");
    diag_free(dg);
}

TEST(a_folder_is_no_file)
{
    diag *dg = diag_new();
    char *text;
    size_t size;

    CHECK_EQ(file_read("/tmp", dg, &text, &size), ST_INPUT);
    CHECK_STR(diag_get(dg, 0)->text, "cannot read: Is a directory");
    CHECK_EQ(file_write("/tmp", "x", 1, dg), ST_IO);
    CHECK_EQ(file_write("/nonexistent/x", "x", 1, dg), ST_IO);
    CHECK_EQ(diag_errors(dg), 3);
    diag_free(dg);
}

TEST(a_path_that_cannot_be_written_is_known_before)
{
    const char *path = path_of("page");
    diag *dg = diag_new();
    char *text;
    size_t size;

    CHECK_EQ(file_can_write("/tmp", dg), ST_IO);
    CHECK_STR(diag_get(dg, 0)->text, "cannot write: Is a directory");
    CHECK_EQ(file_can_write("/nonexistent/x", dg), ST_IO);
    CHECK_STR(diag_get(dg, 1)->text,
              "cannot create: No such file or directory");
    CHECK_EQ(file_can_write("/dev/null", dg), ST_OK);
    CHECK_EQ(file_can_write(path, dg), ST_OK);
    CHECK_EQ(files_in_folder(), 0);
    CHECK_EQ(file_write(path, "old", 3, dg), ST_OK);
    CHECK_EQ(file_can_write(path, dg), ST_OK);
    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    CHECK_STR(text, "old");
    CHECK_EQ(files_in_folder(), 1);
    CHECK_EQ(diag_errors(dg), 2);
    free(text);
    unlink(path);
    diag_free(dg);
}

TEST(a_folder_is_told_from_files_links_and_nothing)
{
    const char *path = path_of("plain");
    char link[300], dangling[300];
    diag *dg = diag_new();

    CHECK_EQ(file_write(path, "x", 1, dg), ST_OK);
    CHECK(!file_is_folder(path));
    CHECK(file_is_folder(folder));
    CHECK(!file_is_folder(""));
    snprintf(link, sizeof link, "%s/to-folder", folder);
    snprintf(dangling, sizeof dangling, "%s/to-nothing", folder);
    CHECK_EQ(symlink(folder, link), 0);
    CHECK_EQ(symlink("nowhere", dangling), 0);
    CHECK(file_is_folder(link));
    CHECK(!file_is_folder(dangling));
    unlink(link);
    unlink(dangling);
    unlink(path);
    diag_free(dg);
}

TEST(a_full_disk_is_an_error)
{
    diag *dg = diag_new();

    if (access("/dev/full", W_OK) != 0) {
        diag_free(dg);
        TEST_SKIP("no /dev/full");
    }
    CHECK_EQ(file_write("/dev/full", "x", 1, dg), ST_IO);
    CHECK_STR(diag_get(dg, 0)->text, "cannot write: No space left on device");
    diag_free(dg);
}

TEST(a_failed_write_keeps_the_old_file)
{
    const char *path = path_of("old");
    diag *dg = diag_new();
    struct rlimit before, after;
    char *text, big[2000] = {0};
    size_t size;
    status st;

    CHECK_EQ(file_write(path, "old", 3, dg), ST_OK);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    after = before;
    after.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &after);
    st = file_write(path, big, sizeof big, dg);
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK_EQ(st, ST_IO);
    CHECK_STR(diag_get(dg, 0)->text, "cannot write: File too large");
    CHECK_EQ(files_in_folder(), 1);
    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    CHECK_STR(text, "old");
    free(text);
    unlink(path);
    diag_free(dg);
}

TEST(a_symbolic_link_stays_one)
{
    char target[256], name[256];
    diag *dg = diag_new();
    struct stat sb;
    char *text;
    size_t size;

    snprintf(target, sizeof target, "%s", path_of("target"));
    snprintf(name, sizeof name, "%s", path_of("link"));
    CHECK_EQ(file_write(target, "old", 3, dg), ST_OK);
    CHECK_EQ(symlink(target, name), 0);
    CHECK_EQ(file_write(name, "new", 3, dg), ST_OK);
    CHECK_EQ(lstat(name, &sb), 0);
    CHECK(S_ISLNK(sb.st_mode));
    CHECK_EQ(file_read(target, dg, &text, &size), ST_OK);
    CHECK_STR(text, "new");
    free(text);
    unlink(name);
    unlink(target);
    rmdir(folder);
    diag_free(dg);
}
