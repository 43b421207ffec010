/* src/cli/progress_words.c - see progress_words.h. */
#include "cli/progress_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Before that a launch is too young for an estimate. */
static const double ESTIMATE_S = 0.5;

word progress_time(double seconds)
{
    word w;

    if (seconds >= 5400)
        snprintf(w.s, sizeof w.s, "%.1f h", seconds / 3600);
    else if (seconds >= 90)
        snprintf(w.s, sizeof w.s, "%.0f min", seconds / 60);
    else
        snprintf(w.s, sizeof w.s, "%.0f s", seconds);
    return w;
}

/* No CTA has ended, and an earlier launch says how many instructions it takes.
 * One that takes more is another. */
static bool by_instructions(const progress_now *n)
{
    return !n->is.ctas_done && n->is.warp_insts && !n->is.spin[0] &&
           n->is.warp_insts < n->insts;
}

/* How much of the launch is done, with the times that warm up. */
static double share_done(const progress_now *n)
{
    unsigned turns = n->is.turns ? n->is.turns : 1;

    if (!n->is.ctas)
        return 0;
    double ctas = (double)n->is.ctas_done / (double)n->is.ctas;
    if (by_instructions(n))
        ctas = (double)n->is.warp_insts / (double)n->insts;
    return (n->is.turn + ctas) / turns;
}

double progress_launch_left(const progress_now *n)
{
    double done = share_done(n);

    if (!(done > 0) || n->launch_s < ESTIMATE_S)
        return NAN;
    return n->launch_s * (1 - done) / done;
}

double progress_all_left(const progress_now *n)
{
    double done = (double)n->launches + share_done(n);

    if (n->total < 2)
        return n->total ? progress_launch_left(n) : NAN;
    if (!(done > 0) || n->all_s < ESTIMATE_S)
        return NAN;
    return n->all_s * ((double)n->total - done) / done;
}

/* "launch 3 of 12, k, warm-up 1 of 2" */
static int put_launch_prefix(const progress_now *n, char *to, size_t size)
{
    char launch[64] = "", warm[64] = "";

    if (n->total > 1)
        snprintf(launch, sizeof launch, "launch %zu of %zu, ", n->launches + 1,
                 n->total);
    else if (!n->total)
        snprintf(launch, sizeof launch, "launch %zu, ", n->launches + 1);
    if (n->is.turns)
        snprintf(warm, sizeof warm, ", warm-up %u of %u", n->is.turn + 1,
                 n->is.turns - 1);
    return snprintf(to, size, "%s%.24s%s%s: ", launch, n->kernel,
                    n->functional ? " (functional)" : "", warm);
}

/* ", about 34 s left" and what the estimate is based on. */
static int put_left(const progress_now *n, char *to, size_t size)
{
    double left = n->total ? progress_all_left(n) : progress_launch_left(n);
    int k = 0;

    if (!isnan(left))
        k = snprintf(to, size, ", about %s left%s", progress_time(left).s,
                     !n->total            ? " of it"
                     : n->total > 1       ? " by launches"
                     : by_instructions(n) ? " by instructions"
                                          : "");
    if (!n->total)
        k += snprintf(to + k, size - (size_t)k, ", %s so far",
                      progress_time(n->all_s).s);
    return k;
}

void progress_words(const progress_now *n, char *to, size_t size)
{
    char who[160], left[96] = "", cycles[48] = "";

    put_launch_prefix(n, who, sizeof who);
    if (!n->is.ctas) {
        snprintf(to, size, "%s%s", who, progress_time(n->launch_s).s);
        return;
    }
    put_left(n, left, sizeof left);
    if (n->spin_s >= PROGRESS_SPIN_S && n->is.spin[0]) {
        snprintf(to, size, "%s%s (%s); %s of %s CTAs", who, n->is.spin,
                 progress_time(n->spin_s).s, word_grouped(n->is.ctas_done).s,
                 word_grouped(n->is.ctas).s);
        return;
    }
    if (n->is.cycle) /* functional launches have none */
        snprintf(cycles, sizeof cycles, "%s cycles, ",
                 word_grouped(n->is.cycle).s);
    snprintf(
        to, size, "%s%s of %s CTAs%s; %s%swarp instructions/s", who,
        word_grouped(n->is.ctas_done).s, word_grouped(n->is.ctas).s, left,
        cycles,
        word_count(n->launch_s > 0 ? (double)n->is.warp_insts / n->launch_s : 0)
            .s);
}

void progress_log_words(const progress_now *n, char *to, size_t size)
{
    char line[320], more[160] = "";

    progress_words(n, line, sizeof line);
    if (n->is.warp_insts)
        snprintf(more, sizeof more, "; %swarp instructions%s",
                 word_count((double)n->is.warp_insts).s,
                 by_instructions(n) ? ", an earlier launch of it had " : "");
    snprintf(to, size, "heddle: %s: %s%s%s", progress_time(n->launch_s).s, line,
             more, by_instructions(n) ? word_count((double)n->insts).s : "");
}

bool progress_takes_long(const progress_now *n)
{
    return n->all_s >= PROGRESS_ADVICE_S && !n->functional &&
           !(progress_all_left(n) < PROGRESS_ADVICE_S);
}
