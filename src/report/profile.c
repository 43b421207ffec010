/* Rows of a profile, from the counters of instructions. */
#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/print.h"

static void add_to_row(profile_row *to, const sm_profile_row *from)
{
    sm_profile_sum(&to->sum, from);
    to->slots += from->insts;
    for (unsigned i = 0; i < WHY_STALLS; i++)
        to->slots += from->stall[i];
    for (unsigned i = 0; i < WHY_COUNT; i++)
        to->waits += from->wait[i];
}

static int by_place(const void *a, const void *b)
{
    const profile_row *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Adjacent rows of one line become one. */
static size_t merge_rows(profile_row *row, size_t count)
{
    size_t n = 0;

    qsort(row, count, sizeof *row, by_place);
    for (size_t i = 0; i < count; i++) {
        profile_row *last = n ? &row[n - 1] : NULL;

        if (last && last->file == row[i].file && last->line == row[i].line) {
            add_to_row(last, &row[i].sum);
            last->count += row[i].count;
        } else {
            row[n++] = row[i];
        }
    }
    return n;
}

profile profile_make(const report_launch *l, profile_kind kind)
{
    uint32_t n = l->kernel->code_count;
    profile p = {.row = new0((size_t)n + 1, sizeof *p.row), .count = n};

    for (uint32_t i = 0; i <= n; i++) {
        p.row[i].first = i;
        add_to_row(&p.row[i], &l->profile[i]);
        add_to_row(&p.total, &l->profile[i]);
        if (i == n)
            break;
        p.row[i].count = 1;
        p.row[i].file = l->kernel->code[i].file;
        p.row[i].line = l->kernel->code[i].line;
    }
    p.total.count = n;
    if (kind == PROFILE_LINES) {
        profile_row none = p.row[n];

        p.count = merge_rows(p.row, n);
        p.row[p.count] = none;
    }
    p.count++;
    return p;
}

void profile_free(profile *p) { free(p->row); }

typedef struct order {
    uint64_t weight;
    size_t row;
} order;

static int heavier(const void *a, const void *b)
{
    const order *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

size_t *profile_hottest(const profile *p, bool functional)
{
    order *all = new0(p->count, sizeof *all);
    size_t *rows = new0(p->count, sizeof *rows);

    for (size_t i = 0; i < p->count; i++)
        all[i] = (order){functional ? p->row[i].sum.insts : p->row[i].slots, i};
    /* The last one is no place in the program. */
    qsort(all, p->count - 1, sizeof *all, heavier);
    for (size_t i = 0; i < p->count; i++)
        rows[i] = all[i].row;
    free(all);
    return rows;
}

void profile_inst_text(const report_launch *l, uint32_t index, strbuf *to)
{
    isa_inst in = l->kernel->code[index];

    in.ctl = CTL_NONE;
    isa_print(&in, l->arch, to, NULL, NULL);
}
