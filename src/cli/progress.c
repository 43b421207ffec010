/* src/cli/progress.c - see progress.h. */
#include "cli/progress.h"

#include "base/clock.h"
#include "cli/cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct progress {
    const char *kernel;
    size_t number;
    double began, shown;
    uint64_t launch; /* of a session: which one is shown */
    uint32_t pid;
    bool visible;
};

progress *progress_new(bool wanted)
{
    return wanted && isatty(STDERR_FILENO) ? calloc(1, sizeof(progress)) : NULL;
}

void progress_free(progress *p) { free(p); }

void progress_launch(progress *p, const char *kernel, size_t number)
{
    if (!p)
        return;
    p->kernel = kernel;
    p->number = number;
    p->began = p->shown = clock_s();
}

/* A line that is longer than the terminal is wide could not be cleared. */
static void show(progress *p, const char *line)
{
    unsigned width = cli_width(stderr);

    fprintf(stderr, "\r\033[K%.*s", width > 1 ? (int)width - 1 : 79, line);
    fflush(stderr);
    p->visible = true;
}

void progress_show(void *arg, const gpu_progress *g)
{
    progress *p = arg;
    char eta[32] = "", cycles[32] = "", line[256];

    if (!p)
        return;
    double now = clock_s(), spent = now - p->began;
    if (now - p->shown < 0.1)
        return;
    p->shown = now;
    if (g->ctas_done && spent > 0.5)
        snprintf(eta, sizeof eta, ", %.0f s left",
                 spent * (double)(g->ctas - g->ctas_done) /
                     (double)g->ctas_done);
    if (g->cycle) /* functional launches have none */
        snprintf(cycles, sizeof cycles, "%" PRIu64 " cycles, ", g->cycle);
    snprintf(line, sizeof line,
             "%zu %.24s: %s%" PRIu64 " of %" PRIu64
             " CTAs, %.2f M warp instructions/s%s",
             p->number, p->kernel, cycles, g->ctas_done, g->ctas,
             (double)g->warp_insts / spent * 1e-6, eta);
    show(p, line);
}

/* While nothing is simulated the line is the program's. A launch is shown when
 * it takes its time: of thousands of short ones only every now and then. */
void progress_session(void *arg, const session_now *n)
{
    progress *p = arg;
    char line[256];

    if (!p)
        return;
    if (!n->kernel) {
        progress_clear(p);
        return;
    }
    if (n->launch != p->launch || n->pid != p->pid || !p->kernel) {
        p->launch = n->launch;
        p->pid = n->pid;
        p->began = clock_s();
    }
    p->kernel = n->kernel;
    p->number = (size_t)n->launches + 1;
    if (n->is.ctas) {
        progress_show(p, &n->is);
        return;
    }
    double now = clock_s();
    if (p->shown == 0)
        p->shown = now; /* what ends soon is not worth a line */
    if (now - p->shown < 0.1)
        return;
    p->shown = now;
    snprintf(line, sizeof line, "%zu %.24s%s: %.0f s", p->number, p->kernel,
             n->functional ? " (functional)" : "", now - p->began);
    show(p, line);
}

void progress_clear(progress *p)
{
    if (!p || !p->visible)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->visible = false;
}
