/* src/study/crossing.c - see crossing.h. */
#include "study/crossing.h"

#include <math.h>

#include "study/pareto.h"

static double scale_axis(const crossing_line *l, double x)
{
    return l->logarithmic ? log(x) : x;
}

static double unscale(const crossing_line *l, double s)
{
    return l->logarithmic ? exp(s) : s;
}

/* Above the level, below it, at it. */
static int side(double ratio, double level)
{
    double r = pareto_round(ratio), v = pareto_round(level);

    return r > v ? 1 : r < v ? -1 : 0;
}

/* `first` and `last` are the places at the level, none if first > last. */
static double crossing_at(const crossing_line *l, size_t from, size_t to,
                          double level, size_t first, size_t last)
{
    double a = scale_axis(l, l->x[from]), b = scale_axis(l, l->x[to]);
    double p = log(l->ratio[from] / level), q = log(l->ratio[to] / level);

    if (first == last)
        return l->x[first];
    if (first < last)
        return unscale(
            l, (scale_axis(l, l->x[first]) + scale_axis(l, l->x[last])) / 2);
    return unscale(l, a + (b - a) * (p / (p - q)));
}

size_t crossing_find(const crossing_line *l, double level, crossing *out,
                     size_t room)
{
    size_t n = 0, from = l->count, first = 1, last = 0, unknown = 0;
    int was = 0;

    for (size_t i = 0; i < l->count; i++) {
        int now = isnan(l->ratio[i]) ? 0 : side(l->ratio[i], level);

        if (isnan(l->ratio[i])) {
            unknown++;
            continue;
        }
        if (!now) { /* at the level: wait where it goes from there */
            first = first > last ? i : first;
            last = i;
            continue;
        }
        if (was && was != now) {
            if (n < room)
                out[n] = (crossing){from, i, now > 0,
                                    crossing_at(l, from, i, level, first, last),
                                    unknown};
            n++;
        }
        was = now;
        from = i;
        first = 1;
        last = 0;
        unknown = 0;
    }
    return n;
}

size_t crossing_nearest(const crossing_line *l, double level)
{
    size_t best = l->count;
    double least = INFINITY;

    for (size_t i = 0; i < l->count; i++) {
        double d = pareto_round(fabs(log(l->ratio[i] / level)));

        if (d < least) {
            least = d;
            best = i;
        }
    }
    return best;
}

bool crossing_logarithmic(const double *x, size_t count)
{
    bool powers = true, equal = count > 2;

    for (size_t i = 0; i < count; i++) {
        int e;

        if (!(x[i] > 0))
            return false;
        powers = powers && frexp(x[i], &e) == 0.5;
        if (i > 1)
            equal = equal &&
                    fabs(x[i] * x[i - 2] / (x[i - 1] * x[i - 1]) - 1) < 1e-9;
    }
    return powers || equal;
}
