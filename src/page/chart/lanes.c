#include "page/chart/lanes.h"

#include <stdlib.h>

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t add64(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

lanes_bar lanes_one(uint64_t begin, uint64_t end, unsigned lane, unsigned what)
{
    return (lanes_bar){.begin = begin,
                       .end = end,
                       .lane = lane,
                       .what = what,
                       .count = 1,
                       .busy = end - begin,
                       .longest = end - begin};
}

/* ---- Rows ---- */

static int order_of(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_time(const void *x, const void *y)
{
    const lanes_bar *a = x, *b = y;

    if (a->lane != b->lane)
        return order_of(a->lane, b->lane);
    if (a->row != b->row)
        return order_of(a->row, b->row);
    if (a->begin != b->begin)
        return order_of(a->begin, b->begin);
    if (a->end != b->end)
        return order_of(a->end, b->end);
    return order_of(a->number, b->number);
}

/* The first row that is free then; if all are in use, that which is free
 * first. */
static unsigned free_row(const uint64_t *end, unsigned rows, uint64_t begin)
{
    unsigned best = 0;

    for (unsigned i = 0; i < rows; i++) {
        if (end[i] <= begin)
            return i;
        if (end[i] < end[best])
            best = i;
    }
    return rows < LANES_ROWS ? rows : best;
}

void lanes_pack(lanes_bar *bar, size_t n, unsigned *rows, size_t lanes)
{
    uint64_t end[LANES_ROWS];
    unsigned used = 0;

    for (size_t i = 0; i < lanes; i++)
        rows[i] = 1;
    for (size_t i = 0; i < n; i++)
        bar[i].row = 0;
    if (n)
        qsort(bar, n, sizeof *bar, by_time);
    for (size_t i = 0; i < n; i++) {
        lanes_bar *b = &bar[i];

        if (!i || b->lane != bar[i - 1].lane)
            used = 0;
        b->row = free_row(end, used, b->begin);
        if (b->row == used)
            end[used++] = b->end;
        else
            end[b->row] = max64(end[b->row], b->end);
        if (rows[b->lane] < used)
            rows[b->lane] = used;
    }
    if (n)
        qsort(bar, n, sizeof *bar, by_time);
}

/* ---- Merging ---- */

static bool is_short(const lanes_bar *b, uint64_t pixel)
{
    return b->count > 1 || b->end - b->begin < pixel;
}

static bool is_near(const lanes_bar *a, const lanes_bar *b, uint64_t pixel)
{
    return a->lane == b->lane && a->row == b->row &&
           (b->begin <= a->end || b->begin - a->end < pixel);
}

static void take_in(lanes_bar *a, const lanes_bar *b)
{
    uint64_t last = b->last ? b->last : b->number;

    a->mixed |= b->mixed || a->what != b->what;
    if (b->longest > a->longest) {
        a->what = b->what;
        a->longest = b->longest;
    }
    a->end = max64(a->end, b->end);
    a->flags |= b->flags;
    a->value = add64(a->value, b->value);
    a->busy = add64(a->busy, b->busy);
    a->count += b->count;
    if (!a->number)
        a->number = b->number;
    if (last && last != a->number)
        a->last = last;
}

size_t lanes_merge(lanes_bar *bar, size_t n, uint64_t pixel)
{
    size_t left = 0;

    for (size_t i = 0; i < n; i++) {
        lanes_bar *a = left ? &bar[left - 1] : NULL;

        if (a && is_short(a, pixel) && is_short(&bar[i], pixel) &&
            is_near(a, &bar[i], pixel))
            take_in(a, &bar[i]);
        else
            bar[left++] = bar[i];
    }
    return left;
}

size_t lanes_thin(lanes_bar *bar, size_t n, size_t most)
{
    for (uint64_t pixel = 1; n > most && pixel; pixel <<= 1)
        n = lanes_merge(bar, n, pixel);
    return n > most ? lanes_merge(bar, n, UINT64_MAX) : n;
}

/* ---- Shares over time ---- */

static int by_step(const void *x, const void *y)
{
    const lanes_step *a = x, *b = y;

    if (a->lane != b->lane)
        return order_of(a->lane, b->lane);
    return order_of(a->begin, b->begin);
}

static size_t join_steps(lanes_step *step, size_t n, uint64_t pixel)
{
    size_t left = 0;

    for (size_t i = 0; i < n; i++) {
        lanes_step *a = left ? &step[left - 1] : NULL;
        const lanes_step *b = &step[i];

        if (!a || a->lane != b->lane || b->end - a->begin >= pixel) {
            step[left++] = *b;
            continue;
        }
        double x = (double)(a->end - a->begin), y = (double)(b->end - b->begin);
        double all = (double)(max64(a->end, b->end) - a->begin);
        a->sms = (a->sms * x + b->sms * y) / all;
        a->warps = (a->warps * x + b->warps * y) / all;
        a->end = max64(a->end, b->end);
    }
    return left;
}

size_t lanes_join(lanes_step *step, size_t n, size_t most)
{
    if (n)
        qsort(step, n, sizeof *step, by_step);
    for (uint64_t pixel = 2; n > most && pixel; pixel <<= 1)
        n = join_steps(step, n, pixel);
    return n;
}

void lanes_means(const lanes_step *step, size_t n, unsigned lane, uint64_t end,
                 size_t columns, double *sms, double *warps)
{
    double width = (double)end / (double)columns;

    for (size_t i = 0; i < n; i++) {
        double from = (double)step[i].begin / width;
        double to = (double)step[i].end / width;

        if (step[i].lane != lane)
            continue;
        for (size_t c = (size_t)from; c < columns && (double)c < to; c++) {
            double low = from > (double)c ? from : (double)c;
            double high = to < (double)c + 1 ? to : (double)c + 1;

            if (high > low) {
                sms[c] += step[i].sms * (high - low);
                warps[c] += step[i].warps * (high - low);
            }
        }
    }
}
