/* src/cli/progress.c - see progress.h. */
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
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
    bool visible, mute;
    double log_s;              /* between lines of a log; 0: a terminal */
    double spun;               /* since when lanes spin, 0: they do not, */
    char spin[GPU_SPIN_WORDS]; /* and on what */
    struct ended {             /* a launch of that kernel, as it came last */
        char *kernel;
        uint64_t ctas, insts;
    } * ended;
    size_t kernels;
    uint64_t ended_seen; /* of a session */
};

/* As often as the environment says, for tests and impatient people. */
static double log_seconds(void)
{
    const char *s = getenv("HEDDLE_PROGRESS_SECONDS");
    char *end = NULL;
    double v = s ? strtod(s, &end) : 0;

    if (!s || !*s)
        return PROGRESS_LOG_S;
    if (v > 0 && !*end)
        return v;
    fprintf(stderr,
            "heddle: HEDDLE_PROGRESS_SECONDS is '%.40s', which is no number of "
            "seconds above 0; a line of progress comes every %d\n",
            s, (int)PROGRESS_LOG_S);
    return PROGRESS_LOG_S;
}

progress *progress_new(bool wanted, const char *advice)
{
    progress *p = wanted ? new0(1, sizeof *p) : NULL;
    bool terminal = isatty(STDERR_FILENO);

    if (!p)
        return NULL;
    p->advice = terminal ? advice : NULL;
    p->log_s = terminal ? 0 : log_seconds();
    return p;
}

void progress_free(progress *p)
{
    for (size_t i = 0; p && i < p->kernels; i++)
        free(p->ended[i].kernel);
    if (p)
        free(p->ended);
    free(p);
}

void progress_mute(progress *p)
{
    if (p)
        p->mute = true;
}

static struct ended *ended_of(const progress *p, const char *kernel)
{
    for (size_t i = 0; kernel && i < p->kernels; i++)
        if (!strcmp(p->ended[i].kernel, kernel))
            return &p->ended[i];
    return NULL;
}

void progress_ended(progress *p, const char *kernel, uint64_t ctas,
                    uint64_t insts)
{
    struct ended *e = p ? ended_of(p, kernel) : NULL;

    if (!p)
        return;
    if (!e) {
        p->ended = renew(p->ended, p->kernels + 1, sizeof *p->ended);
        e = &p->ended[p->kernels++];
        e->kernel = new_text(kernel);
    }
    e->ctas = ctas;
    e->insts = insts;
}

static void begin_launch(progress *p, double now)
{
    p->began = now;
    p->spun = 0;
    p->spin[0] = 0;
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
    begin_launch(p, clock_s());
    if (!(p->log_s > 0) || p->shown == 0)
        p->shown = p->began;
}

/* Above the line, which is drawn again. */
static void print_advice(progress *p)
{
    progress_clear(p);
    fprintf(stderr, "heddle: %s, %zu launch%s ended\n  %s\n",
            progress_time(p->now.all_s).s, p->now.launches,
            p->now.launches == 1 ? "" : "es", p->advice);
    p->advice = NULL;
}

/* How long the same lanes have been seen to spin. */
static void note_spin(progress *p, double now)
{
    if (strcmp(p->spin, p->now.is.spin) != 0) {
        memcpy(p->spin, p->now.is.spin, sizeof p->spin);
        p->spun = p->spin[0] ? now : 0;
    }
    p->now.spin_s = p->spun > 0 ? now - p->spun : 0;
}

/* What earlier launches of its kernel took; 0: unknown. */
static uint64_t recall(const progress *p, const gpu_progress *is)
{
    const struct ended *e = ended_of(p, p->now.kernel);

    return e && e->ctas == is->ctas ? e->insts : 0;
}

void progress_left(const progress *p, const gpu_progress *is, double launch_s,
                   double all_s, double *launch, double *all)
{
    progress_now n = p->now;

    n.is = *is;
    n.launch_s = launch_s;
    n.all_s = all_s;
    n.insts = recall(p, is);
    *launch = progress_launch_left(&n);
    *all = progress_all_left(&n);
}

/* A line of its own, now and then. */
static void draw_log(progress *p)
{
    char line[600];

    progress_log_words(&p->now, line, sizeof line);
    fprintf(stderr, "%s\n", line);
}

/* A line that is longer than the terminal is wide could not be cleared. */
static void draw_progress(progress *p, double now)
{
    unsigned width = cli_width(stderr);
    char line[320];

    note_spin(p, now);
    if (p->mute || now - p->shown < (p->log_s > 0 ? p->log_s : 0.1))
        return;
    p->shown = now;
    p->now.launch_s = now - p->began;
    p->now.all_s = now - p->first;
    p->now.insts = recall(p, &p->now.is);
    if (p->log_s > 0) {
        draw_log(p);
        return;
    }
    if (p->advice && progress_takes_long(&p->now))
        print_advice(p);
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
    draw_progress(p, now);
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
    if (n->ended && n->launches != p->ended_seen)
        progress_ended(p, n->ended, n->ended_ctas, n->ended_insts);
    p->ended_seen = n->launches;
    if (n->launch != p->launch || n->pid != p->pid || !p->now.kernel) {
        p->launch = n->launch;
        p->pid = n->pid;
        begin_launch(p, now);
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
