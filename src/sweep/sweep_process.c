/* src/sweep/sweep_process.c - see sweep_process.h. From /proc of Linux. */
#include "sweep/sweep_process.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"

/* The start of /proc/PID/NAME. */
static bool read_proc(pid_t pid, const char *name, char *to, size_t size)
{
    char path[64];
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, to, size - 1);
    close(fd);
    to[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* 0: it is gone. The name in brackets may have anything in it. */
static pid_t session_of(pid_t pid)
{
    char text[512];
    long parent, group, session;
    const char *end;
    char state;

    if (!read_proc(pid, "stat", text, sizeof text) ||
        !(end = strrchr(text, ')')) ||
        sscanf(end + 1, " %c %ld %ld %ld", &state, &parent, &group, &session) !=
            4)
        return 0;
    return state == 'Z' ? 0 : (pid_t)session;
}

/* The next process of a folder that is read; 0: no more. */
static pid_t next_process(DIR *d)
{
    const struct dirent *e;

    while (d && (e = readdir(d)))
        if (isdigit((unsigned char)*e->d_name))
            return (pid_t)strtol(e->d_name, NULL, 10);
    return 0;
}

void process_end_session(pid_t session, int number)
{
    DIR *d = opendir("/proc");
    pid_t pid;

    while ((pid = next_process(d)))
        if (session_of(pid) == session)
            kill(pid, number);
    if (d)
        closedir(d);
}

uint64_t process_memory(pid_t pid)
{
    static const char *const words[] = {"RssAnon:", "RssShmem:"};
    char text[4096];
    uint64_t sum = 0;

    if (!read_proc(pid, "status", text, sizeof text))
        return 0;
    for (size_t i = 0; i < COUNTOF(words); i++) {
        const char *at = strstr(text, words[i]);

        if (at)
            sum += strtoull(at + strlen(words[i]), NULL, 10) << 10;
    }
    return sum;
}

void process_session_memory(const pid_t *sessions, uint64_t *bytes,
                            size_t count)
{
    DIR *d = opendir("/proc");
    pid_t pid;

    while ((pid = next_process(d))) {
        pid_t session = session_of(pid);

        for (size_t i = 0; i < count; i++)
            if (sessions[i] == session)
                bytes[i] += process_memory(pid);
    }
    if (d)
        closedir(d);
}
