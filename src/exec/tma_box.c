/* src/exec/tma_box.c - the positions of a box, see tma.h. */
#include "exec/tma.h"

exec_tma_walk exec_tma_walk_of(const exec_tma *t)
{
    exec_tma_walk k = {.ends = !t->bytes};

    for (unsigned i = 0; t->tensor && i < TENSOR_DIMS; i++)
        k.pixel[i] = t->at[i];
    return k;
}

static bool is_within(const tensor_map *m, unsigned i, int64_t c)
{
    return c >= 0 && (uint64_t)c < tensor_dim(m, i);
}

/* Up to `left` positions of dimension 0 from `c` on that are all inside or all
 * outside; `row`: the others are inside. */
static uint32_t stretch(const tensor_map *m, int64_t c, uint32_t left, bool row,
                        bool *inside)
{
    int64_t size = (int64_t)tensor_dim(m, 0), most = left;

    *inside = row && is_within(m, 0, c);
    if (m->interleave && m->step[0] > 1)
        return 1;
    if (*inside && size - c < most)
        most = size - c;
    else if (row && c < 0 && -c < most)
        most = -c;
    return (uint32_t)most;
}

/* ---- tiles ---- */

/* To the next row; false: that was the last. */
static bool next_row(const tensor_map *m, exec_tma_walk *k)
{
    k->column = 0;
    for (unsigned i = 1; i <= m->last; i++) {
        if (++k->row[i] < tensor_count(m, i))
            return true;
        k->row[i] = 0;
    }
    return false;
}

static void next_of_tile(const exec_tma *t, exec_tma_walk *k, exec_tma_run *run)
{
    const tensor_map *m = &t->map;
    uint32_t all = tensor_count(m, 0), unit = tensor_unit(m), n;
    int64_t c = (int64_t)t->at[0] +
                (int64_t)k->column * (m->interleave ? m->step[0] : 1);
    uint64_t row = m->address;
    bool inside = true;

    for (unsigned i = 1; i <= m->last; i++) {
        int64_t at = (int64_t)t->at[i] + (int64_t)k->row[i] * m->step[i];

        inside &= is_within(m, i, at);
        row += (uint64_t)at * m->stride[i - 1];
    }
    n = stretch(m, c, all - k->column, inside, &run->inside);
    run->global = row + (uint64_t)c * unit;
    run->offset = k->offset;
    run->bytes = n * unit;
    k->offset += run->bytes;
    k->column += n;
    k->ends = k->column == all && !next_row(m, k);
}

/* ---- columns of pixels: dimension 1, W, first, images last ---- */

static void next_pixel(const tensor_map *m, exec_tma_walk *k)
{
    k->column = 0;
    k->row[1]++;
    for (unsigned i = 1; i < m->last; i++) {
        k->pixel[i] += m->step[i];
        if (k->pixel[i] < (int64_t)tensor_dim(m, i) + m->upper[i - 1])
            return;
        k->pixel[i] = m->lower[i - 1];
    }
    k->pixel[m->last] += m->step[m->last];
}

static void next_of_column(const exec_tma *t, exec_tma_walk *k,
                           exec_tma_run *run)
{
    const tensor_map *m = &t->map;
    uint32_t all = m->box[0], unit = tensor_bytes(m->type), n;
    int64_t c = (int64_t)t->at[0] + k->column;
    uint64_t pixel = m->address;
    bool inside = true;

    for (unsigned i = 1; i <= m->last; i++) {
        int64_t at = k->pixel[i] + (i < m->last ? t->offset[i - 1] : 0);

        inside &= is_within(m, i, at);
        pixel += (uint64_t)at * m->stride[i - 1];
    }
    n = stretch(m, c, all - k->column, inside, &run->inside);
    run->global = pixel + (uint64_t)c * unit;
    run->offset = k->offset;
    run->bytes = n * unit;
    k->offset += run->bytes;
    k->column += n;
    if (k->column == all)
        next_pixel(m, k);
    k->ends = k->row[1] == m->box[1];
}

bool exec_tma_next(const exec_tma *t, exec_tma_walk *k, exec_tma_run *run)
{
    if (k->ends)
        return false;
    if (t->tensor && t->map.im2col) {
        next_of_column(t, k, run);
    } else if (t->tensor) {
        next_of_tile(t, k, run);
    } else {
        *run = (exec_tma_run){
            .global = t->global, .bytes = t->bytes, .inside = true};
        k->ends = true;
    }
    return true;
}
