/* src/pages/page_compare_launches.c - single launches of a comparison, from its
 * results file. */
#include "pages/page_compare.h"

#define MOST "300"

/* Sizes that are 1 are left out at the end. */
#define SIZE(of)                                                               \
    "l." of "_x || CASE WHEN l." of "_y > 1 OR l." of                          \
    "_z > 1 THEN '×' || l." of "_y ELSE '' END || CASE WHEN l." of             \
    "_z > 1 THEN '×' || l." of "_z ELSE '' END AS " of

/* ?1 the study, ?2 the first point of this comparison and ?3 the one behind its
 * last, ?4 how many sides there are. A launch of the base is the one of the
 * same number among those of its run. Launches that failed come first, then
 * the first ones of all runs, until there are enough. */
/* clang-format off */
static const char launches_sql[] =
    "WITH every AS MATERIALIZED (SELECT p.number, p.label, r.workload, l.*,"
    " " SIZE("grid") ", " SIZE("block") ","
    " row_number() OVER (PARTITION BY p.number ORDER BY l.launch) AS nth"
    " FROM point p JOIN run r USING(run) JOIN launch l USING(run)"
    " WHERE p.study = ?1 AND p.number >= ?2 AND p.number < ?3),"
    " shown AS (SELECT *, row_number() OVER (PARTITION BY number"
    " ORDER BY status = 'ok', launch) AS rank FROM every"
    " ORDER BY rank, number LIMIT " MOST ")"
    " SELECT v.kernel, v.workload, v.label, v.nth, v.status, v.grid,"
    " v.block, v.ctas_per_sm, v.limiter,"
    " CASE WHEN v.functional THEN NULL ELSE v.cycles END,"
    " CASE WHEN v.number % ?4 THEN b.time_s / nullif(v.time_s, 0) END,"
    " CAST(v.warp_insts AS REAL) / nullif(v.cycles, 0), v.energy_j"
    " FROM shown v LEFT JOIN every b ON b.number = v.number - v.number % ?4"
    " AND b.nth = v.nth AND b.kernel = v.kernel"
    " ORDER BY v.number, v.nth";
/* clang-format on */

static const page_query_column columns[] = {
    {{.name = "kernel"}, CELL_TEXT},
    {{.name = "workload"}, CELL_TEXT},
    {{.name = "side"}, CELL_TEXT},
    {{.name = "launch", .number = true}, CELL_COUNT},
    {{.name = "status"}, CELL_STATUS},
    {{.name = "grid"}, CELL_TEXT},
    {{.name = "block"}, CELL_TEXT},
    {{.name = "CTAs/SM", .number = true, .help = "resident at most"},
     CELL_COUNT},
    {{.name = "limit", .help = "what limits resident CTAs"}, CELL_TEXT},
    {{.name = "cycles", .number = true}, CELL_COUNT},
    {{.name = "speed-up",
      .number = true,
      .help = "over the same launch on the base"},
     CELL_REAL},
    {{.name = "IPC",
      .number = true,
      .help = "warp instructions per cycle of the chip"},
     CELL_REAL},
    {{.name = "energy", .unit = "\u00b5J", .number = true}, CELL_MICRO}};

/* Of all its runs, kept or not. */
static uint64_t launch_count(const page_study *y, page_points at)
{
    store_query *q =
        store_select(y->s, y->dg,
                     "SELECT sum(launches) FROM point JOIN run USING(run)"
                     " WHERE study = ?1 AND number >= ?2 AND number < ?3",
                     "iii", y->study, at.first, at.end);
    uint64_t n = q && store_next(q, y->dg) ? (uint64_t)store_int(q, 0) : 0;

    store_done(q);
    return n;
}

void page_compare_launches(page *p, const compare *c, const page_study *y,
                           page_points at)
{
    uint64_t all = launch_count(y, at);
    size_t rows;

    if (!all)
        return;
    page_section(p, "Launches");
    rows = page_query_rows(p, y, "Single launches", "launches", columns,
                           sizeof columns / sizeof *columns,
                           store_select(y->s, y->dg, launches_sql, "iiii",
                                        y->study, at.first, at.end,
                                        (int64_t)c->side_count));
    if (rows < all)
        page_note(p,
                  "%zu of %s launches: those that failed and the first of "
                  "every run. A results file (--store) has up to 1000 of each "
                  "run, or as many as --store-launches says.",
                  rows, word_grouped(all).s);
}
