#include "runtime/sampled_rate.h"

#include <math.h>

/* Generations: of the first gap, of one behind a change, and of the longest;
 * and those behind a gap that are timed: one to settle, one to see the rate,
 * one that ends the launch. */
enum { GAP = 4, GAP_AGAIN = 2, GAP_MOST = 64, BEHIND = 3 };

static const double AGREES = 0.08;
static const double SAME = 0.0625; /* warps */

void sampled_rate_init(sampled_rate *r, uint64_t capacity, uint64_t now)
{
    *r = (sampled_rate){.generation = capacity, .cycle = now, .gap = GAP};
}

void sampled_rate_init_slices(sampled_rate *r, uint64_t cycles, uint64_t now)
{
    sampled_rate_init(r, cycles, now);
    r->slices = true;
    r->ended = now;
}

static bool agree(double a, double b)
{
    return fabs(a - b) <= AGREES * (a > b ? a : b);
}

static bool holds_others(const sampled_rate *r, uint64_t held)
{
    double before = (double)r->held, now = (double)held;

    return r->slices && fabs(now - before) > SAME * before;
}

/* The rate behind a gap is known. */
static void close_gap(sampled_rate *r, double rate, uint64_t held)
{
    if (holds_others(r, held)) {
        double cycles = r->missing / r->before, own = cycles * AGREES / 2;

        r->cycles += cycles - r->took;
        r->variance += own * own;
        r->missing = 0;
        r->gap = GAP_AGAIN;
        return;
    }
    double cycles = 2 * r->missing / (r->before + rate);
    double own = cycles * fabs(r->before - rate) / (r->before + rate);

    r->cycles += cycles - r->took;
    r->variance += own * own;
    r->missing = 0;
    r->gap = agree(r->before, rate)
                 ? r->gap < GAP_MOST / 2 ? 2 * r->gap : GAP_MOST
                 : GAP_AGAIN;
}

static void note_rate(sampled_rate *r, double rate, uint64_t held)
{
    if (r->rates && !holds_others(r, held)) {
        double step = (rate - r->last) / (rate + r->last) * 2;

        r->steps += step * step;
        r->step_count++;
    }
    r->stable = r->rates && agree(r->last, rate);
    r->mean = r->stable ? (r->last + rate) / 2 : rate;
    r->last = rate;
    r->rates++;
    if (r->missing > 0)
        close_gap(r, rate, held);
    r->held = held;
}

bool sampled_rate_over(const sampled_rate *r, uint64_t left)
{
    return left / r->generation <= BEHIND;
}

uint64_t sampled_rate_look(sampled_rate *r, uint64_t now, uint64_t ended,
                           uint64_t insts, uint64_t left, uint64_t held)
{
    uint64_t most;

    if (ended - r->ended < r->generation || now == r->cycle)
        return 0;
    if (r->since++ && insts > r->insts) {
        note_rate(r, (double)(insts - r->insts) / (double)(now - r->cycle),
                  held);
    } else if (r->slices && r->missing > 0) {
        r->missing += (double)(insts - r->insts);
        r->took += (double)(now - r->cycle);
    }
    r->cycle = now;
    r->insts = insts;
    r->ended = ended;
    if (r->since < 2 || !r->stable || sampled_rate_over(r, left))
        return 0;
    most = left - BEHIND * r->generation;
    return r->gap * r->generation < most ? r->gap * r->generation : most;
}

void sampled_rate_gap(sampled_rate *r, uint64_t from, uint64_t now,
                      uint64_t ended, uint64_t insts, uint64_t missing)
{
    r->before = r->mean;
    r->missing = (double)missing;
    r->took = 0;
    if (r->slices) { /* while it ran empty */
        r->missing += (double)(insts - r->insts);
        r->took = (double)(now - from);
    }
    r->since = 0;
    r->cycle = now;
    r->insts = insts;
    r->ended = ended;
}

sampled_cycles sampled_rate_guess(const sampled_rate *r)
{
    double open = r->missing > 0 ? r->missing / r->before - r->took : 0;
    double all = fmax(r->cycles + open, 0), noise = 0;

    /* Of what lies between neighbours half is of either. */
    if (r->step_count)
        noise = sqrt(r->steps / 2) / r->step_count;
    return (sampled_cycles){
        .cycles = all,
        .spread = sqrt(r->variance + open * open * AGREES * AGREES / 4),
        .error = noise * all};
}
