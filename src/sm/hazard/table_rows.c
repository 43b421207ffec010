/* src/sm/hazard/table_rows.c - see table_rows.h. */
#include "sm/hazard/table_rows.h"

void table_rows_init(table_rows *r, const config *cfg, unsigned group)
{
    *r = (table_rows){.group = group, .apart = cfg->sm.warps / group};
    for (unsigned w = 0; w < SM_WARPS; w++)
        r->owner[w] = (uint8_t)w;
}

static bool runs(const table_rows *r, unsigned warp)
{
    return r->running >> warp & 1;
}

/* The n-th warp of the line that runs. */
static unsigned running(const table_rows *r, unsigned line, unsigned n)
{
    unsigned i = 0;

    for (;; i++)
        if (runs(r, table_rows_warp(r, line, i)) && !n--)
            return table_rows_warp(r, line, i);
}

unsigned table_rows_due(const table_rows *r, unsigned home)
{
    unsigned run = 0, lent = 0;

    if (runs(r, home))
        return home;
    for (unsigned i = 0; i < r->group; i++) {
        unsigned warp = table_rows_warp(r, home, i);

        run += runs(r, warp);
        lent += !runs(r, warp) && warp < home;
    }
    return run ? running(r, home, lent % run) : r->owner[home];
}

unsigned table_rows_of(const table_rows *r, unsigned warp, bool open)
{
    unsigned rows = 0;

    for (unsigned i = 0; i < r->group; i++) {
        unsigned home = table_rows_warp(r, warp, i);

        if (r->owner[home] == warp &&
            (!open || table_rows_due(r, home) == warp))
            rows |= 1u << i;
    }
    return rows;
}
