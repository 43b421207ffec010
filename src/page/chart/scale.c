/* src/page/chart/scale.c - see scale.h. */
#include "page/chart/scale.h"

#include <math.h>
#include <stdio.h>

/* 1, 2 or 5 times a power of ten, at least `v`. */
static double round_step(double v)
{
    double power = pow(10, floor(log10(v)));

    for (int i = 0; i < 3; i++) {
        double step = power * (double[]){1, 2, 5}[i];

        if (step >= v * (1 - 1e-9))
            return step;
    }
    return 10 * power;
}

static void find_scale_range(const double *values, size_t count, double *low,
                             double *high)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        double v = values[i];

        if (isnan(v) || isinf(v))
            continue;
        *low = !any || v < *low ? v : *low;
        *high = !any || v > *high ? v : *high;
        any = true;
    }
}

static void add_tick(scale *s, double v)
{
    if (s->count < SCALE_TICKS)
        s->ticks[s->count++] = v;
}

static void add_steps(scale *s, double step)
{
    double first = ceil(s->low / step - 1e-9);

    for (int i = 0; i < SCALE_TICKS; i++) {
        double v = (first + i) * step;

        if (v > s->high + step * 1e-6)
            return;
        add_tick(s, fabs(v) < step * 1e-6 ? 0 : v);
    }
}

scale scale_linear(const double *values, size_t count)
{
    scale s = {0};
    double step;

    find_scale_range(values, count, &s.low, &s.high);
    s.low = s.low < 0 ? s.low : 0;
    s.high = s.high > 0 ? s.high : 0;
    if (!(s.high > s.low))
        s.high = s.low + 1;
    step = round_step((s.high - s.low) / 6);
    s.low = floor(s.low / step + 1e-9) * step;
    s.high = ceil(s.high / step - 1e-9) * step;
    add_steps(&s, step);
    return s;
}

scale scale_tight(const double *values, size_t count)
{
    scale s = {0};
    double step, room;

    find_scale_range(values, count, &s.low, &s.high);
    if (s.low > 0 && s.low < 0.4 * s.high)
        s.low = 0;
    room = s.high - s.low;
    if (!(room > 1e-9 * fabs(s.high)))
        room = s.high != 0 ? fabs(s.high) / 5 : 1;
    step = round_step(room / 6);
    s.low = floor((s.low - room * 0.04) / step + 1e-9) * step;
    s.high = ceil((s.high + room * 0.04) / step - 1e-9) * step;
    if (s.low < 0 && s.low + step >= 0 && room < s.high)
        s.low = 0;
    add_steps(&s, step);
    return s;
}

/* Ticks outwards from 1, no closer than `gap` percent. */
static void add_ratios(scale *s, const double *above, size_t count, double gap)
{
    double lower[SCALE_TICKS], last = scale_at(s, 1);
    size_t n = 0;

    for (size_t i = 0; i < count && n < SCALE_TICKS / 2 - 1; i++) {
        double v = 1 / above[i];

        if (v >= s->low && last - scale_at(s, v) >= gap) {
            last = scale_at(s, v);
            lower[n++] = v;
        }
    }
    while (n)
        add_tick(s, lower[--n]);
    add_tick(s, 1);
    last = scale_at(s, 1);
    for (size_t i = 0; i < count && s->count < SCALE_TICKS; i++)
        if (above[i] <= s->high && scale_at(s, above[i]) - last >= gap) {
            last = scale_at(s, above[i]);
            add_tick(s, above[i]);
        }
}

/* The largest of 1, 2 and 5 times a power of ten up to `v`. */
static double round_below(double v)
{
    double power = pow(10, floor(log10(v) + 1e-9)), most = power;

    for (int i = 0; i < 3; i++) {
        double step = power * (double[]){1, 2, 5}[i];

        most = step <= v * (1 + 1e-9) ? step : most;
    }
    return most;
}

/* Of the form 1, 2 or 5 times a power of ten, or only of the power. */
static void add_log_ticks(scale *s, bool powers)
{
    for (double power = pow(10, floor(log10(s->low) + 1e-9));
         power <= s->high * (1 + 1e-9); power *= 10)
        for (int i = 0; i < (powers ? 1 : 3); i++) {
            double v = power * (double[]){1, 2, 5}[i];

            if (v >= s->low * (1 - 1e-9) && v <= s->high * (1 + 1e-9))
                add_tick(s, v);
        }
}

scale scale_log(const double *values, size_t count)
{
    enum { FEW = 3 }; /* powers of ten */
    scale s = {.log = true};
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        double v = values[i];

        if (!(v > 0) || isinf(v))
            continue;
        s.low = !any || v < s.low ? v : s.low;
        s.high = !any || v > s.high ? v : s.high;
        any = true;
    }
    if (!any)
        s.low = s.high = 1;
    s.low = round_below(s.low / 1.15);
    s.high = round_step(s.high * 1.15);
    add_log_ticks(&s, s.high / s.low > pow(10, FEW));
    return s;
}

scale scale_ratio(const double *values, size_t count)
{
    /* Their reciprocals are round, or usual, too. */
    static const double wide[] = {1.25, 1.5, 2,   3,   4,    5,   8,
                                  10,   20,  50,  100, 200,  500, 1000,
                                  1e4,  1e5, 1e6, 1e9, 1e12, 1e15};
    scale s = {.low = 1, .high = 1, .log = true};
    double room;

    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0) || isinf(values[i]))
            continue;
        s.low = values[i] < s.low ? values[i] : s.low;
        s.high = values[i] > s.high ? values[i] : s.high;
    }
    room = log(s.high / s.low);
    room = room < log(1.02) ? log(1.02) : room;
    s.low *= exp(-0.06 * room);
    s.high *= exp(0.06 * room);
    if (s.high / s.low < 1.8)
        add_steps(&s, round_step((s.high - s.low) / 6));
    else
        add_ratios(&s, wide, sizeof wide / sizeof *wide, 9);
    return s;
}

double scale_at(const scale *s, double v)
{
    double at = s->log ? log(v / s->low) / log(s->high / s->low)
                       : (v - s->low) / (s->high - s->low);

    return at < 0 ? 0 : at > 1 ? 100 : 100 * at;
}

/* The digits that give `v` with an error of at most `most`. */
static int digits_of(double v, double most)
{
    int digits;

    for (digits = 0; digits < 9; digits++) {
        double power = pow(10, digits);

        if (fabs(round(v * power) / power - v) <= most)
            break;
    }
    return digits;
}

/* "38.5 M" */
static word large(double v, double step)
{
    double unit = fabs(v) >= 1e12  ? 1e12
                  : fabs(v) >= 1e9 ? 1e9
                  : fabs(v) >= 1e6 ? 1e6
                                   : 1e3;
    word w;

    snprintf(w.s, sizeof w.s, "%.*f %c", digits_of(step / unit, 1e-6), v / unit,
             unit == 1e12  ? 'T'
             : unit == 1e9 ? 'G'
             : unit == 1e6 ? 'M'
                           : 'k');
    return w;
}

word scale_tick(const scale *s, size_t i)
{
    double v = s->ticks[i], step = fabs(v), size = fabs(v);
    word w;

    for (size_t k = 1; k < s->count; k++)
        step = fmin(step, fabs(s->ticks[k] - s->ticks[k - 1]));
    if (size >= 1e5 && size < 1e15)
        return large(v, step);
    if (size >= 1e15 || (size > 0 && size < 1e-3))
        snprintf(w.s, sizeof w.s, "%.3g", v);
    else
        snprintf(w.s, sizeof w.s, "%.*f",
                 s->log ? digits_of(v, fmin(5e-3 * size, step / 10))
                        : digits_of(step, 1e-6 * step),
                 v);
    return w;
}
