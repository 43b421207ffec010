/* tests/unit/slurm/test_slurm_watch.c - when Slurm is asked, jobs are submitted
 * again, and the watch ends. The sweep's jobs and its folder are made up here.
 */
#include "slurm/slurm_watch.h"

#include "base/diag.h"
#include "base/must.h"
#include "test.h"

/* What the neighbours answer, and how often they were asked. */
static struct {
    slurm_sums sums[4]; /* round by round; the last one goes on */
    unsigned round;
    status look, account, submit;
    unsigned looks, accounts, writes, submits, cancels, merges, shows, silent;
    unsigned stop_after; /* rounds, 0: never */
    strbuf said;
    volatile sig_atomic_t stop;
} n;

status sweep_folder_scan(sweep_folder *f, bool lock, diag *dg)
{
    (void)f, (void)dg;
    CHECK(lock); /* else points of those who were killed look like running */
    return ST_OK;
}

status sweep_folder_merge(sweep_folder *f, bool all, diag *dg)
{
    (void)f, (void)dg;
    CHECK(!all);
    n.merges++;
    return ST_OK;
}

status slurm_sweep_look(slurm_sweep *s, diag *dg)
{
    (void)s;
    n.looks++;
    if (n.look != ST_OK)
        diag_error(dg, "squeue does not answer");
    return n.look;
}

status slurm_sweep_account(slurm_sweep *s, double now_s, diag *dg)
{
    (void)s, (void)now_s, (void)dg;
    n.accounts++;
    return n.account;
}

slurm_sums slurm_sweep_sums(const slurm_sweep *s)
{
    (void)s;
    return n.sums[n.round < COUNTOF(n.sums) ? n.round : COUNTOF(n.sums) - 1];
}

status slurm_sweep_write(slurm_sweep *s, diag *dg, const char **script)
{
    (void)s, (void)dg;
    *script = "array-1.sh";
    n.writes++;
    return ST_OK;
}

status slurm_sweep_submit(slurm_sweep *s, diag *dg)
{
    (void)s;
    n.submits++;
    if (n.submit != ST_OK)
        diag_error(dg, "sbatch: error: invalid partition");
    return n.submit;
}

void slurm_sweep_cancel(slurm_sweep *s)
{
    (void)s;
    n.cancels++;
}

static void hear(void *arg, const char *line)
{
    CHECK(arg == &n);
    strbuf_printf(&n.said, "%s\n", line);
}

static void see(void *arg, const slurm_sums *sums, bool silent, double now_s)
{
    CHECK(arg == &n && sums && now_s > 0);
    n.shows++;
    n.silent += silent;
    n.round++;
    n.stop = n.stop_after && n.round >= n.stop_after;
}

static void begin(void) { memset(&n, 0, sizeof n); }

static status watch(void)
{
    const slurm_watch w = {
        .stop = &n.stop, .say = hear, .show = see, .arg = &n};
    diag *dg = diag_new();
    status st = slurm_watch_run(&w, dg);

    diag_free(dg);
    return st;
}

TEST(with_nothing_left_it_ends)
{
    begin();
    CHECK_EQ(watch(), ST_OK);
    CHECK_EQ(n.looks, 1);
    CHECK_EQ(n.accounts, 1);
    CHECK_EQ(n.submits, 0);
    CHECK_EQ(n.shows, 0);
}

TEST(lost_points_are_submitted_again)
{
    begin();
    n.sums[0].left = 2; /* nobody has them; in the next round all have ended */
    CHECK_EQ(watch(), ST_OK);
    CHECK_EQ(n.writes, 1);
    CHECK_EQ(n.submits, 1);
    CHECK_EQ(n.merges, 1);
    CHECK_EQ(n.shows, 1);
}

TEST(it_waits_for_points_that_tasks_hold)
{
    begin();
    n.sums[0].held = n.sums[1].held = 1;
    CHECK_EQ(watch(), ST_OK);
    CHECK_EQ(n.shows, 2);
    CHECK_EQ(n.submits, 0);
}

TEST(a_signal_ends_it_and_leaves_the_jobs)
{
    begin();
    for (unsigned i = 0; i < COUNTOF(n.sums); i++)
        n.sums[i].held = 1;
    n.stop_after = 1;
    CHECK_EQ(watch(), ST_INTERRUPTED);
    CHECK_EQ(n.cancels, 0);
}

TEST(a_slurm_that_does_not_answer_is_told_once)
{
    begin();
    n.look = ST_IO;
    for (unsigned i = 0; i < COUNTOF(n.sums); i++)
        n.sums[i].left = n.sums[i].held = 1;
    n.stop_after = 4; /* 3 seconds: two looks */
    CHECK_EQ(watch(), ST_INTERRUPTED);
    CHECK_EQ(n.looks, 2);
    CHECK_STR(n.said.text, "squeue does not answer\n");
    CHECK_EQ(n.silent, 4);
    CHECK_EQ(n.accounts, 0); /* what is not known is not given up */
    CHECK_EQ(n.submits, 0);
    strbuf_fini(&n.said);
}

TEST(a_refused_array_is_told_and_tried_later)
{
    begin();
    n.submit = ST_PROGRAM;
    for (unsigned i = 0; i < COUNTOF(n.sums); i++)
        n.sums[i].left = 1;
    n.stop_after = 2;
    CHECK_EQ(watch(), ST_INTERRUPTED);
    CHECK_EQ(n.submits, 1);
    CHECK_STR(n.said.text, "sbatch: error: invalid partition\n");
    strbuf_fini(&n.said);
}

TEST(where_it_makes_no_sense_the_jobs_are_cancelled)
{
    begin();
    n.account = ST_PROGRAM;
    n.sums[0].held = 1;
    CHECK_EQ(watch(), ST_PROGRAM);
    CHECK_EQ(n.cancels, 1);
}
