/* tests/unit/sm/dies.h - our own bugs abort: seen from another process. */
#ifndef SM_DIES_H
#define SM_DIES_H

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* True if `body` ends in a failed MUST. */
static inline bool dies(void (*body)(void *arg), void *arg)
{
    int how;

    fflush(NULL);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        dup2(open("/dev/null", O_WRONLY), 2);
        signal(SIGABRT, SIG_DFL);
        body(arg);
        _exit(0);
    }
    CHECK_EQ(waitpid(pid, &how, 0), pid);
    return WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT;
}

#endif
