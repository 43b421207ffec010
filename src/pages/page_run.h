/* src/pages/page_run.h - runs kept in a results file (by run, exec, suite) as a
 * page for people. */
#ifndef PAGES_PAGE_RUN_H
#define PAGES_PAGE_RUN_H

#include "base/arena.h"
#include "pages/page_words.h"
#include "study/kernels_load.h"

/* A study of a file. */
typedef struct page_study {
    store *s;
    int64_t study;
    arena *mem;
    diag *dg;
    const char *kind, *name, *about, *command, *created, *plan;
} page_study;

/* Every study of the file but for what it holds; the caller frees nothing, all
 * is in `mem`. */
status page_studies(store *s, arena *mem, diag *dg, page_study **out,
                    size_t *count);

/* Where the runs of a study come from. */
page_origin page_study_origin(const page_study *y);

/* Appends to `p`. ST_IO: the file is damaged, one error is in y->dg. */
status page_run(page *p, const page_study *y);

/* ---- For the files of this folder ---- */

/* Rows of a query as a table. A column that is a number is shown as its kind
 * says; NULL is "-". */
typedef enum page_cell_kind {
    CELL_TEXT,
    CELL_COUNT, /* 1,234 */
    CELL_REAL,  /* 1.234 */
    CELL_MILLI, /* thousandths: 1.234 of 0.001234 */
    CELL_MICRO,
    CELL_STATUS /* a row that is not "pass" or "ok" is bad */
} page_cell_kind;

typedef struct page_query_column {
    page_column is;
    page_cell_kind kind;
} page_query_column;

/* The same with the rows of a query, which is ended; NULL: no rows. A column of
 * it behind those is the place of the row. */
size_t page_query_rows(page *p, const page_study *y, const char *caption,
                       const char *file, const page_query_column *columns,
                       size_t count, store_query *q);

/* Rows are at k<id>-<number of the kernel>, the first of them. */
void page_run_kernels(page *p, const page_study *y, const stored_kernels *k,
                      unsigned id);
enum { PAGE_RUN_KERNELS = 300 };
/* Rows are at l<id>-<run>-<process>-<number of the launch, from 1>. */
void page_run_launches(page *p, const page_study *y, uint64_t launches,
                       unsigned id);
/* How many launches of a process have such a row, from the first on. */
uint64_t page_run_placed(const page_study *y, int64_t run, uint32_t process);
void page_run_timelines(page *p, const page_study *y, const stored_kernels *k,
                        unsigned id);
/* Of kernels on machines that issue by control codes. */
void page_run_codes(page *p, const stored_kernels *k);
void page_run_hists(page *p, const page_study *y, const stored_kernels *k);
void page_run_series(page *p, const page_study *y);
void page_run_outside(page *p, const page_study *y);
void page_run_waterfalls(page *p, const page_study *y);

#endif
