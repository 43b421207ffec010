/* tests/unit/cli/test_signals.c - in processes of their own, since signals end
 * them. */
#include "cli/signals.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* How a process ends that runs `body`: its exit status, or 1000 + signal. */
static int run(void (*body)(void))
{
    int how;

    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signals_catch(NULL);
        body();
        _exit(*signals_stop());
    }
    CHECK(pid > 0);
    CHECK_EQ(waitpid(pid, &how, 0), pid);
    return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
}

/* As a job in the background would not have it. */
__attribute__((constructor)) static void listen(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

static void one(void) { raise(SIGINT); }

/* As timeout(1) does, or a terminal and a program that passes it on. */
static void several_at_once(void)
{
    raise(SIGTERM);
    raise(SIGTERM);
    raise(SIGINT);
}

static void one_and_later_another(void)
{
    raise(SIGINT);
    poll(NULL, 0, 300);
    raise(SIGTERM);
    _exit(99);
}

static void ignored(void)
{
    raise(SIGHUP);
    raise(SIGQUIT);
}

TEST(the_first_signal_is_noted)
{
    CHECK_EQ(run(one), SIGINT);
    CHECK_EQ(run(several_at_once), SIGTERM);
}

TEST(a_later_one_ends_the_process)
{
    CHECK_EQ(run(one_and_later_another), 128 + SIGTERM);
}

/* nohup(1) ignores SIGHUP. */
TEST(what_was_ignored_stays_so)
{
    sigset_t usual;

    signal(SIGHUP, SIG_IGN);
    CHECK_EQ(run(ignored), SIGQUIT);
    signals_catch(&usual);
    CHECK(!sigismember(&usual, SIGHUP) && sigismember(&usual, SIGINT));
    signal(SIGHUP, SIG_DFL);
}

/* The first interrupts what waits, those after it nothing. */
TEST(writing_goes_on_after_the_first)
{
    struct sigaction now;

    signals_catch(NULL);
    sigaction(SIGINT, NULL, &now);
    CHECK(!(now.sa_flags & SA_RESTART));
    raise(SIGINT);
    sigaction(SIGINT, NULL, &now);
    CHECK(now.sa_flags & SA_RESTART);
}
