#include "lookout/lookout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "gpu/inspect.h"
#include "lookout/lookout_impl.h"

static const double LOOK_S = 1; /* between two looks that nobody asks for */

lookout *lookout_new(const lookout_options *how)
{
    lookout *m = new0(1, sizeof *m);
    unsigned sms = how->cfg->gpu.sms;

    m->how = *how;
    m->how.program = m->program = how->program ? new_text(how->program) : NULL;
    m->first_s = -1;
    m->next_s = clock_s() + LOOK_S;
    m->cycles_s = NAN;
    m->insts = new0(sms, sizeof *m->insts);
    m->ipc = new0(sms, sizeof *m->ipc);
    m->marks = new0((size_t)sms * LOOKOUT_SLOTS, sizeof *m->marks);
    return m;
}

void lookout_free(lookout *m)
{
    if (!m)
        return;
    free(m->program);
    free(m->file);
    free(m->source_text);
    free(m->totals);
    free(m->insts);
    free(m->ipc);
    free(m->marks);
    free(m);
}

double lookout_ran(const lookout *m)
{
    return (m->stands_s > 0 ? m->stands_s : clock_s()) - m->stood_s;
}

/* ---- Launches ---- */

void lookout_launch(lookout *m, size_t number, size_t total)
{
    m->number = number;
    m->total = total;
    m->begun = false;
}

void lookout_source(lookout *m, uint64_t id, const char *file, const char *text)
{
    if (m->file && m->source_id == id)
        return;
    free(m->file);
    free(m->source_text);
    m->source_id = id;
    m->file = new_text(file);
    m->source_text = new_text(text);
}

static void begin_launch(lookout *m, const gpu *g)
{
    m->begun = true;
    m->start = m->seen = gpu_now(g);
    m->seen_s = m->launch_s = lookout_ran(m);
    if (m->first_s < 0)
        m->first_s = m->launch_s;
    if (m->totals)
        memset(m->totals, 0, m->total_count * sizeof *m->totals);
    for (unsigned i = 0; i < m->how.cfg->gpu.sms; i++)
        m->insts[i] = sm_warp_insts(gpu_sm(g, i));
    memset(m->marks, 0,
           (size_t)m->how.cfg->gpu.sms * LOOKOUT_SLOTS * sizeof *m->marks);
}

/* ---- Asks and answers ---- */

static void obey(lookout *m, const lookout_ask *a, uint64_t now)
{
    if (a->command == LOOKOUT_PAUSE) {
        m->standing = true;
        m->until = 0;
    } else if (a->command == LOOKOUT_STEP && m->failed == ST_OK) {
        m->standing = false;
        m->until = now + a->cycles;
    } else if (a->command == LOOKOUT_GO) {
        m->standing = false;
        m->until = 0;
        m->failed = ST_OK;
    }
    if (a->command != LOOKOUT_NONE)
        m->taken = a->number;
    if (a->inspects)
        m->wanted = *a;
}

static void take_asks(lookout *m, uint64_t now)
{
    const lookout_line *line = &m->how.line;

    for (lookout_ask a; line->take(line->arg, &a);)
        obey(m, &a, now);
}

/* Tells how things are, and the warp that is wanted. */
static void tell(lookout *m, rt_device *d, const gpu *g)
{
    double ran = lookout_ran(m);

    lookout_measure(m, d, g);
    char *text = lookout_snapshot(m, g);
    char *warp = m->wanted.inspects ? lookout_warp(m, g) : NULL;
    m->wanted.inspects = false;
    if (m->standing || !m->until)
        m->done = m->taken;
    m->how.line.tell(m->how.line.arg,
                     &(lookout_seen){.device = m->how.device,
                                     .text = text,
                                     .warp = warp,
                                     .done = m->done,
                                     .standing = m->standing,
                                     .launch_s = ran - m->launch_s,
                                     .all_s = ran - m->first_s,
                                     .is = gpu_progress_now(g)});
    free(text);
    free(warp);
    m->next_s = clock_s() + LOOK_S;
}

static bool is_stopped(const lookout *m) { return m->how.stop && *m->how.stop; }

/* Until somebody asks for something. False: nobody will. */
static bool wait_asked(const lookout *m)
{
    const lookout_line *line = &m->how.line;

    while (!is_stopped(m)) {
        if (line->asked(line->arg))
            return true;
        if (!line->wait(line->arg))
            return false;
    }
    return false;
}

uint64_t lookout_look(void *arg, rt_device *d, const gpu *g, status st)
{
    lookout *m = arg;
    uint64_t now = gpu_now(g);

    if (!m->begun)
        begin_launch(m, g);
    if (st == ST_OK && !(m->until && now >= m->until) &&
        !m->how.line.asked(m->how.line.arg) && clock_s() < m->next_s)
        return m->until;
    if (m->until && now >= m->until) {
        m->standing = true;
        m->until = 0;
    }
    if (st != ST_OK && m->how.hold) {
        m->failed = st;
        m->standing = true;
    }
    m->stands_s = clock_s();
    do {
        take_asks(m, now);
        tell(m, d, g);
    } while (m->standing && wait_asked(m));
    m->standing = false; /* nor does it if nobody can say go */
    m->failed = ST_OK;
    m->stood_s += clock_s() - m->stands_s;
    m->stands_s = 0;
    return m->until;
}
