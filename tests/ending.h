/* tests/ending.h - how a process ends that runs a function. */
#ifndef TESTS_ENDING_H
#define TESTS_ENDING_H

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct ending {
    int code, signal; /* -1, 0 where it ended by the other */
    char text[8000];  /* of stderr */
    unsigned lines;
} ending;

/* Runs `body` in a process of its own, which exits with 0 if it returns. */
static inline ending end_of(void (*body)(void))
{
    ending e = {.code = -1};
    size_t n = 0;
    ssize_t got;
    int p[2], how;
    pid_t pid;

    if (pipe(p))
        return e;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        dup2(p[1], 2);
        signal(SIGABRT, SIG_DFL);
        body();
        _exit(0);
    }
    close(p[1]);
    while ((got = read(p[0], e.text + n, sizeof e.text - 1 - n)) > 0)
        n += (size_t)got;
    close(p[0]);
    waitpid(pid, &how, 0);
    if (WIFEXITED(how))
        e.code = WEXITSTATUS(how);
    else
        e.signal = WTERMSIG(how);
    for (size_t i = 0; i < n; i++)
        e.lines += e.text[i] == '\n';
    return e;
}

#endif
