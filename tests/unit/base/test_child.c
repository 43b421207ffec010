/* tests/unit/base/test_child.c - real programs of the system. */
#include "base/child.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static child_result sh(const char *script, child_request q)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    diag *dg = diag_new();
    child_result r = {0};

    q.argv = argv;
    CHECK_EQ(child_run(&q, dg, &r), ST_OK);
    diag_free(dg);
    return r;
}

TEST(both_outputs_and_the_exit_code_come_back)
{
    child_result r = sh("echo out; echo err >&2; exit 3", (child_request){0});

    CHECK_EQ(r.exit_code, 3);
    CHECK_EQ(r.signal, 0);
    CHECK_STR(r.out, "out\n");
    CHECK_STR(r.err, "err\n");
    CHECK(!r.timed_out && !r.truncated);
    child_result_fini(&r);
}

TEST(input_larger_than_any_pipe_goes_through)
{
    enum { N = 3 << 20 };
    char *big = malloc(N);

    for (size_t i = 0; i < N; i++)
        big[i] = (char)('a' + i % 26);
    child_result r = sh("cat", (child_request){.input = big, .input_size = N});
    CHECK_EQ(r.out_size, N);
    CHECK(!memcmp(r.out, big, N));
    child_result_fini(&r);
    free(big);
}

TEST(unread_input_does_not_kill_us)
{
    enum { N = 3 << 20 };
    char *big = calloc(N, 1);
    child_result r =
        sh("echo done", (child_request){.input = big, .input_size = N});

    CHECK_EQ(r.exit_code, 0);
    CHECK_STR(r.out, "done\n");
    child_result_fini(&r);
    free(big);
}

TEST(no_input_is_an_empty_one)
{
    child_result r = sh("wc -c", (child_request){0});

    CHECK_EQ(atoi(r.out), 0);
    child_result_fini(&r);
}

TEST(a_long_output_is_cut_but_read_to_its_end)
{
    child_result r = sh("head -c 1000000 /dev/zero; echo end >&2",
                        (child_request){.max_output = 1000});

    CHECK(r.truncated);
    CHECK_EQ(r.out_size, 1000);
    CHECK_STR(r.err, "end\n");
    CHECK_EQ(r.exit_code, 0);
    child_result_fini(&r);
}

/* Dead, though perhaps nobody has asked for its exit code. */
static bool is_dead(long pid)
{
    char path[64], state = 'Z';
    FILE *f;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    f = fopen(path, "r");
    if (!f)
        return true;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(f);
    return state == 'Z' || state == 'X';
}

TEST(a_timeout_ends_the_program_and_its_children)
{
    time_t start = time(NULL);
    child_result r =
        sh("sleep 60 & echo $!; sleep 60", (child_request){.timeout_ms = 200});
    bool dead = false;

    CHECK(r.timed_out);
    CHECK_EQ(r.signal, SIGKILL);
    CHECK_EQ(r.exit_code, -1);
    for (int i = 0; i < 200 && !dead; i++) {
        dead = is_dead(atol(r.out));
        usleep(10000);
    }
    CHECK(dead);
    CHECK(time(NULL) - start < 20);
    child_result_fini(&r);
}

TEST(a_timeout_also_ends_a_program_that_closed_its_outputs)
{
    child_result r =
        sh("exec >&- 2>&-; sleep 60", (child_request){.timeout_ms = 200});

    CHECK(r.timed_out);
    child_result_fini(&r);
}

/* On a busy machine a program takes longer, and no more of the processor. */
TEST(processor_time_is_not_that_of_the_clock)
{
    child_result r =
        sh("i=0; while [ $i -lt 150000 ]; do i=$((i + 1)); done; sleep 2.2",
           (child_request){.cpu_ms = 2000});

    CHECK(!r.timed_out);
    CHECK_EQ(r.exit_code, 0);
    child_result_fini(&r);
}

TEST(processor_time_is_that_of_all_processes)
{
    child_result r = sh("while :; do :; done & while :; do :; done",
                        (child_request){.cpu_ms = 500, .timeout_ms = 60000});

    CHECK(r.timed_out);
    CHECK(r.cpu_ms >= 500 && r.cpu_ms < 5000);
    child_result_fini(&r);
}

TEST(a_program_that_takes_no_processor_time_ends)
{
    child_result r =
        sh("sleep 60", (child_request){.cpu_ms = 300, .timeout_ms = 30000});

    CHECK(r.timed_out);
    CHECK(r.cpu_ms < 300);
    child_result_fini(&r);
}

TEST(a_signal_is_told_from_an_exit)
{
    child_result r = sh("kill -TERM $$", (child_request){0});

    CHECK_EQ(r.signal, SIGTERM);
    CHECK_EQ(r.exit_code, -1);
    child_result_fini(&r);
}

TEST(a_missing_program_is_an_error_that_names_it)
{
    const char *const argv[] = {"heddle-no-such-program", NULL};
    diag *dg = diag_new();
    child_result r;

    setenv("PATH", "/usr/bin:/bin", 1); /* folders that all may read */
    CHECK_EQ(child_run(&(child_request){.argv = argv}, dg, &r), ST_IO);
    CHECK_STR(diag_get(dg, 0)->text, "cannot run heddle-no-such-program: No "
                                     "such file or directory");
    diag_free(dg);
}
