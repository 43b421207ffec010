/* src/cli/progress.c - see progress.h. */
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/progress_words.h"

struct progress {
    progress_now now;
    const char *advice; /* not given yet; NULL: none, or it was */
    double first;       /* when the first launch began, 0: none did */
    double began, shown;
    uint64_t launch; /* of a session: which one is shown */
    uint32_t pid;
    bool visible;
};

progress *progress_new(bool wanted, const char *advice)
{
    progress *p = wanted && isatty(STDERR_FILENO) ? calloc(1, sizeof *p) : NULL;

    if (p)
        p->advice = advice;
    return p;
}

void progress_free(progress *p) { free(p); }

static void begin(progress *p, double now)
{
    p->began = now;
    p->now.is = (gpu_progress){.cycle = 0};
    if (p->first == 0)
        p->first = now;
}

void progress_launch(progress *p, const char *kernel, size_t launches,
                     size_t total)
{
    if (!p)
        return;
    p->now =
        (progress_now){.kernel = kernel, .launches = launches, .total = total};
    begin(p, clock_s());
    p->shown = p->began;
}

/* Above the line, which is drawn again. */
static void advise(progress *p)
{
    progress_clear(p);
    fprintf(stderr, "heddle: %s, %zu launch%s ended\n  %s\n",
            progress_time(p->now.all_s).s, p->now.launches,
            p->now.launches == 1 ? "" : "es", p->advice);
    p->advice = NULL;
}

/* A line that is longer than the terminal is wide could not be cleared. */
static void draw(progress *p, double now)
{
    unsigned width = cli_width(stderr);
    char line[320];

    if (now - p->shown < 0.1)
        return;
    p->shown = now;
    p->now.launch_s = now - p->began;
    p->now.all_s = now - p->first;
    if (p->advice && progress_takes_long(&p->now))
        advise(p);
    progress_words(&p->now, line, sizeof line);
    fprintf(stderr, "\r\033[K%.*s", width > 1 ? (int)width - 1 : 79, line);
    fflush(stderr);
    p->visible = true;
}

void progress_show(void *arg, const gpu_progress *g)
{
    progress *p = arg;
    double now;

    if (!p)
        return;
    now = clock_s();
    if (p->now.is.turns && !g->turns) /* the times before do not count */
        p->began = now;
    p->now.is = *g;
    draw(p, now);
}

/* While nothing is simulated the line is the program's. A launch is shown when
 * it takes its time: of thousands of short ones only every now and then. */
void progress_session(void *arg, const session_now *n)
{
    progress *p = arg;
    double now;

    if (!p)
        return;
    if (!n->kernel) {
        progress_clear(p);
        return;
    }
    now = clock_s();
    if (n->launch != p->launch || n->pid != p->pid || !p->now.kernel) {
        p->launch = n->launch;
        p->pid = n->pid;
        begin(p, now);
    }
    p->now.kernel = n->kernel;
    p->now.launches = (size_t)n->launches;
    p->now.functional = n->functional;
    if (p->shown == 0)
        p->shown = now; /* what ends soon is not worth a line */
    progress_show(p, &n->is);
}

void progress_clear(progress *p)
{
    if (!p || !p->visible)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->visible = false;
}
