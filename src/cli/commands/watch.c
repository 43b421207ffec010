/* heddle watch. */
#include "cli/commands/watch.h"

#include <stdio.h>
#include <string.h>

bool watch_option(watching *w, cli_args *a)
{
    if (cli_is(a, "port"))
        cli_u64(a, UINT16_MAX, &w->port);
    else if (cli_is(a, "paused"))
        w->paused = true;
    else if (cli_is(a, "hold"))
        w->hold = true;
    else
        return false;
    return true;
}

static monitor_left time_left(void *arg, const lookout_seen *is)
{
    const watching *w = arg;
    monitor_left left;

    progress_left(w->progress, &is->is, is->launch_s, is->all_s, &left.launch_s,
                  &left.all_s);
    return left;
}

bool watch_start(watching *w, monitor_options *how, diag *dg)
{
    how->port = (uint16_t)w->port;
    how->paused = w->paused;
    how->left = time_left;
    how->left_arg = w;
    w->monitor = monitor_new(how, dg);
    if (w->monitor)
        fprintf(stderr, "heddle watch: %s\n", monitor_address(w->monitor));
    return w->monitor != NULL;
}

void watch_end(watching *w, const char *how)
{
    if (w && w->monitor)
        monitor_end(w->monitor, how);
    if (w)
        monitor_free(w->monitor);
}

int cli_watch(int argc, char **argv)
{
    watching w = {.port = 0};

    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return exec_watched(&w, argc, argv);
    return run_watched(&w, argc, argv);
}
