/* tests/unit/base/test_must.c - seen from outside, because it aborts. */
#include "base/must.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static void dump(void *arg)
{
    fprintf(stderr, "dump of %s\n", (const char *)arg);
    MUST(!"no second dump");
}

/* Runs `body` in a process of its own; its stderr comes back in `text`. */
static int run(void (*body)(void), char *text, size_t room)
{
    int p[2], how;
    size_t n = 0;
    ssize_t got;
    pid_t pid;

    CHECK_EQ(pipe(p), 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        dup2(p[1], 2);
        signal(SIGABRT, SIG_DFL);
        body();
        _exit(0);
    }
    close(p[1]);
    while ((got = read(p[0], text + n, room - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    close(p[0]);
    waitpid(pid, &how, 0);
    return how;
}

static void fails(void)
{
    must_on_fail(dump, "machine");
    MUST(1 + 1 == 3);
}

static void holds(void)
{
    must_on_fail(dump, "machine");
    MUST(1 + 1 == 2);
}

TEST(failure_names_the_place_dumps_once_and_aborts)
{
    char text[1000];
    int how = run(fails, text, sizeof text);

    CHECK(WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT);
    CHECK(strstr(text, "test_must.c:"));
    CHECK(strstr(text, "internal error: not true: 1 + 1 == 3\n"));
    CHECK(strstr(text, "dump of machine\n"));
    CHECK(strstr(strstr(text, "dump of machine") + 1, "dump of") == NULL);
}

TEST(success_says_nothing)
{
    char text[1000];
    int how = run(holds, text, sizeof text);

    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    CHECK_STR(text, "");
}

TEST(checks_of_test_builds_do_not_evaluate_in_others)
{
    int n = 0;

    MUST_CHECK(++n > 0);
#ifdef HEDDLE_CHECKS
    CHECK_EQ(n, 1);
#else
    CHECK_EQ(n, 0);
#endif
}
