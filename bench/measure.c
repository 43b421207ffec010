/* bench/measure.c - heddle-measure COMMAND...: runs it with its output thrown
 * away and prints {"wall_s", "user_s", "sys_s", "rss_kb"}. Its exit status
 * is the command's. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    posix_spawn_file_actions_t to_null;
    struct timespec begin, end;
    struct rusage use;
    pid_t pid;
    int how;

    if (argc < 2) {
        fputs("usage: heddle-measure COMMAND...\n", stderr);
        return 2;
    }
    posix_spawn_file_actions_init(&to_null);
    posix_spawn_file_actions_addopen(&to_null, 1, "/dev/null", O_WRONLY, 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (posix_spawnp(&pid, argv[1], &to_null, NULL, argv + 1, environ)) {
        perror(argv[1]);
        return 127;
    }
    if (wait4(pid, &how, 0, &use) < 0) {
        perror("wait4");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    posix_spawn_file_actions_destroy(&to_null);
    printf("{\"wall_s\": %.4f, \"user_s\": %.4f, \"sys_s\": %.4f, "
           "\"rss_kb\": %ld}\n",
           (double)(end.tv_sec - begin.tv_sec) +
               (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
           seconds(use.ru_utime), seconds(use.ru_stime), use.ru_maxrss);
    return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}
