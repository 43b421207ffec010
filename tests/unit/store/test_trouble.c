#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "unit/store/thing.h"

enum { RUNS = 30 };

/* Adds runs until something goes wrong; a byte to `told` for each that is in
 * the file. The status of the last. */
static status add_runs(const char *name, unsigned count, int told)
{
    thing *t = thing_new();
    store *s = NULL;
    status st = store_create(in_folder(name), t->dg, &s);

    t->run.id = NULL;
    for (unsigned i = 0; i < count && st == ST_OK; i++) {
        st = store_add(s, &t->run, t->dg);
        if (st == ST_OK && write(told, "x", 1) != 1)
            abort();
    }
    if (st != ST_OK && diag_errors(t->dg) != 1)
        abort();
    store_close(s);
    thing_free(t);
    return st;
}

/* In a process of its own. */
static pid_t start(const char *name, unsigned count, uint64_t file_limit,
                   int out[2])
{
    pid_t pid;

    CHECK_EQ(pipe(out), 0);
    fflush(NULL);
    pid = fork();
    CHECK(pid >= 0);
    if (pid)
        return pid;
    if (file_limit) {
        struct rlimit limit = {file_limit, file_limit};

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    _exit((int)add_runs(name, count, out[1]));
}

static unsigned count_told(int out[2])
{
    unsigned n = 0;
    char c;

    close(out[1]);
    while (read(out[0], &c, 1) == 1)
        n++;
    close(out[0]);
    return n;
}

/* Runs in the file, after it was found to be whole. */
static unsigned count_runs(const char *name)
{
    diag *dg = diag_new();
    store *s = NULL;
    unsigned n;
    char *text;

    CHECK_EQ(store_open(in_folder(name), dg, &s), ST_OK);
    CHECK_ASK(s, dg, "SELECT * FROM pragma_integrity_check", "ok");
    CHECK_ASK(s, dg, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    /* All of a run or nothing. */
    CHECK_ASK(s, dg,
              "SELECT count(*) FROM run WHERE launches <> (SELECT"
              " count(*) FROM launch WHERE launch.run = run.run)",
              "0");
    text = ask(s, dg, "SELECT count(*) FROM run");
    n = (unsigned)atoi(text);
    free(text);
    store_close(s);
    diag_free(dg);
    return n;
}

TEST(a_disk_that_is_full_leaves_what_was_added)
{
    int out[2], how;
    pid_t pid = start("full.db", 10000, 400000, out);
    unsigned told = count_told(out);

    CHECK_EQ(waitpid(pid, &how, 0), pid);
    CHECK(WIFEXITED(how));
    CHECK_EQ(WEXITSTATUS(how), ST_IO);
    CHECK(told > 1);
    CHECK_EQ(count_runs("full.db"), told);
}

TEST(a_kill_at_any_moment_leaves_what_was_added)
{
    for (unsigned i = 1; i <= 5; i++) {
        int out[2], how;
        char c;
        pid_t pid = start("killed.db", 100000, 0, out);
        unsigned told = 0, there;

        while (told < 7 * i && read(out[0], &c, 1) == 1)
            told++;
        usleep(300 * i); /* somewhere within the next one */
        kill(pid, SIGKILL);
        CHECK_EQ(waitpid(pid, &how, 0), pid);
        told += count_told(out);
        there = count_runs("killed.db");
        /* Perhaps one was added and not told any more. */
        CHECK(there == told || there == told + 1);
        unlink(in_folder("killed.db"));
    }
}

TEST(two_writers_take_turns)
{
    int a[2], b[2], how;
    pid_t one = start("two.db", RUNS, 0, a), two = start("two.db", RUNS, 0, b);

    CHECK_EQ(waitpid(one, &how, 0), one);
    CHECK_EQ(how, 0);
    CHECK_EQ(waitpid(two, &how, 0), two);
    CHECK_EQ(how, 0);
    CHECK_EQ(count_told(a) + count_told(b), 2 * RUNS);
    CHECK_EQ(count_runs("two.db"), 2 * RUNS);
}

TEST(a_file_that_may_not_be_written_can_be_read)
{
    bool root = geteuid() == 0;
    diag *dg = diag_new();
    store *s = NULL;

    store_close(create("fixed.db", dg));
    CHECK_EQ(chmod(in_folder("fixed.db"), 0444), 0);
    CHECK_EQ(chmod(folder, root ? 0755 : 0555), 0);
    if (root && seteuid(65534) != 0) {
        diag_free(dg);
        TEST_SKIP("root may write anywhere");
    }
    CHECK_EQ(store_create(in_folder("fixed.db"), dg, &s), ST_IO);
    CHECK(strstr(first_error(dg), "no permission"));
    CHECK_EQ(store_open(in_folder("fixed.db"), dg, &s), ST_OK);
    store_close(s);
    CHECK_EQ(store_create(in_folder("new.db"), dg, &s), ST_IO);
    if (root)
        CHECK_EQ(seteuid(0), 0);
    CHECK_EQ(chmod(folder, 0755), 0);
    diag_free(dg);
}

/* Bytes changed anywhere: opening, asking and merging end without a crash. */
TEST(damage_anywhere_is_survived)
{
    thing *t = thing_new();
    store *s = create("whole.db", t->dg);
    FILE *f;
    char *bytes, *copy;
    long size;
    uint64_t seed = 1;

    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    store_close(s);
    f = fopen(in_folder("whole.db"), "rb");
    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    size = ftell(f);
    rewind(f);
    bytes = malloc((size_t)size);
    copy = malloc((size_t)size);
    CHECK(bytes && copy);
    CHECK_EQ(fread(bytes, 1, (size_t)size, f), size);
    fclose(f);
    for (int i = 0; i < 40; i++) {
        diag *dg = diag_new();
        store *to = NULL;

        memcpy(copy, bytes, (size_t)size);
        for (int k = 0; k < 20; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(seed >> 33) % (uint64_t)size] = (char)(seed >> 20);
        }
        f = fopen(in_folder("hurt.db"), "wb");
        CHECK(f && fwrite(copy, 1, (size_t)size, f) == (size_t)size);
        CHECK_EQ(fclose(f), 0);
        to = create("to.db", dg);
        if (store_merge(to, in_folder("hurt.db"), dg) != ST_OK)
            CHECK(diag_errors(dg) > 0);
        CHECK_ASK(to, dg, "SELECT * FROM pragma_integrity_check", "ok");
        store_close(to);
        diag_free(dg);
    }
    free(bytes);
    free(copy);
    thing_free(t);
}
