/* src/pages/page_run_launches.c - the launches of a study, a row each. */
#include <inttypes.h>

#include "pages/page_run.h"

enum { SHOWN = 500 };

static const page_query_column launch_columns[] = {
    {{.name = "kernel"}, CELL_TEXT},
    {{.name = "workload"}, CELL_TEXT},
    {{.name = "launch", .number = true}, CELL_COUNT},
    {{.name = "status"}, CELL_STATUS},
    {{.name = "grid"}, CELL_TEXT},
    {{.name = "block"}, CELL_TEXT},
    {{.name = "registers", .number = true}, CELL_COUNT},
    {{.name = "shared", .unit = "B", .number = true}, CELL_COUNT},
    {{.name = "CTAs/SM", .number = true}, CELL_COUNT},
    {{.name = "limit"}, CELL_TEXT},
    {{.name = "cycles", .number = true}, CELL_COUNT},
    {{.name = "IPC", .number = true}, CELL_REAL},
    {{.name = "energy", .unit = "\u00b5J", .number = true}, CELL_MICRO}};

static const char launches_sql[] =
    "SELECT l.kernel, r.workload, l.seq + 1, l.status, l.grid_x || '\u00d7' ||"
    " l.grid_y || '\u00d7' || l.grid_z, l.block_x || '\u00d7' || l.block_y"
    " || '\u00d7' || l.block_z, l.registers, l.shared_bytes, l.ctas_per_sm,"
    " l.limiter, CASE WHEN l.functional THEN NULL ELSE l.cycles END,"
    " CAST(l.warp_insts AS REAL) / nullif(l.cycles, 0), l.energy_j,"
    " 'l' || ?2 || '-' || l.run || '-' || l.process || '-' || (l.seq + 1)"
    " FROM point p JOIN run r USING(run) JOIN launch l USING(run)"
    " WHERE p.study = ?1 ORDER BY p.number, l.launch LIMIT ?3";

void page_run_launches(page *p, const page_study *y, uint64_t launches,
                       unsigned id)
{
    page_section(p, "Launches");
    page_query_rows(p, y, "Every launch", "launches", launch_columns,
                    sizeof launch_columns / sizeof *launch_columns,
                    store_select(y->s, y->dg, launches_sql, "iii", y->study,
                                 (int64_t)id, (int64_t)SHOWN));
    if (launches > SHOWN)
        page_note(p, "The first %d of %s launches.", SHOWN,
                  word_grouped(launches).s);
}

uint64_t page_run_placed(const page_study *y, int64_t run, uint32_t process)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT l.run, l.process, l.seq FROM point p JOIN launch l USING(run)"
        " WHERE p.study = ?1 ORDER BY p.number, l.launch LIMIT ?2",
        "ii", y->study, (int64_t)SHOWN);
    uint64_t placed = 0;

    while (q && store_next(q, y->dg))
        if (store_int(q, 0) == run && store_int(q, 1) == (int64_t)process &&
            store_int(q, 2) == (int64_t)placed)
            placed++;
    store_done(q);
    return placed;
}
