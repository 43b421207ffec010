/* src/slurm/slurm_watch.c - see slurm_watch.h. */
#include "slurm/slurm_watch.h"

#include <poll.h>

#include "base/clock.h"

/* Intervals between queries of Slurm grow: whole clusters share one
 * slurmctld. */
#define LOOK_FIRST_S   2.0
#define LOOK_LAST_S    15.0
#define SCAN_S         1.0
#define MERGE_S        15.0
#define SUBMIT_S       10.0 /* between arrays while others run */
#define SUBMIT_AGAIN_S 30.0 /* after one was refused */

status slurm_watch_submit(slurm_sweep *s, diag *dg)
{
    const char *script;
    status st = slurm_sweep_write(s, dg, &script);

    if (st == ST_OK)
        st = slurm_sweep_submit(s, dg);
    return st;
}

/* A watch under way. */
typedef struct pace {
    const slurm_watch *is;
    slurm_sweep *slurm;
    diag *dg;
    double look_s, merge_s, submit_s; /* when next */
    double pause_s;                   /* between looks */
    bool silent;                      /* Slurm did not answer */
} pace;

/* A Slurm that does not answer for some time is no reason to stop: the jobs
 * go on without it. */
static void query_slurm(pace *w, double now_s)
{
    diag *dg = diag_new();

    if (slurm_sweep_look(w->slurm, dg) == ST_OK) {
        w->silent = false;
    } else if (!w->silent) {
        w->silent = true;
        w->is->say(w->is->arg, diag_get(dg, 0)->text);
    }
    diag_free(dg);
    w->look_s = now_s + w->pause_s;
    if (w->pause_s < LOOK_LAST_S)
        w->pause_s *= 1.05;
}

static void resubmit(pace *w, const slurm_sums *sums, double now_s)
{
    if (w->silent || (sums->held && now_s < w->submit_s))
        return;
    w->submit_s = now_s + SUBMIT_S;
    if (slurm_watch_submit(w->slurm, w->dg) == ST_OK) {
        w->pause_s = LOOK_FIRST_S;
        return;
    }
    for (size_t i = 0; i < diag_count(w->dg); i++)
        w->is->say(w->is->arg, diag_get(w->dg, i)->text);
    diag_clear(w->dg);
    w->silent = !sums->held; /* as if Slurm were silent, so that follow_jobs()
                                goes on */
    w->submit_s = w->look_s = now_s + SUBMIT_AGAIN_S;
}

static status follow_jobs(pace *w)
{
    for (;;) {
        double now_s = clock_s();
        slurm_sums sums;
        status st;

        if (*w->is->stop)
            return ST_INTERRUPTED;
        if (now_s >= w->look_s)
            query_slurm(w, now_s);
        if ((st = sweep_folder_scan(w->is->folder, true, w->dg)) != ST_OK)
            return st;
        if (!w->silent &&
            (st = slurm_sweep_account(w->slurm, now_s, w->dg)) != ST_OK) {
            slurm_sweep_cancel(w->slurm);
            return st;
        }
        sums = slurm_sweep_sums(w->slurm);
        if (sums.left)
            resubmit(w, &sums, now_s);
        else if (!sums.held)
            return ST_OK;
        if (now_s >= w->merge_s) {
            w->merge_s = now_s + MERGE_S;
            if ((st = sweep_folder_merge(w->is->folder, false, w->dg)) != ST_OK)
                return st;
        }
        w->is->show(w->is->arg, &sums, w->silent, now_s);
        poll(NULL, 0, (int)(SCAN_S * 1000)); /* ends with a signal */
    }
}

status slurm_watch_run(const slurm_watch *is, diag *dg)
{
    pace w = {.is = is, .slurm = is->slurm, .dg = dg, .pause_s = LOOK_FIRST_S};

    return follow_jobs(&w);
}
