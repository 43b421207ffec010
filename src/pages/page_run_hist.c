/* src/pages/page_run_hist.c - distributions that runs kept, of the kernels that
 * took longest. */
#include <math.h>
#include <string.h>

#include "pages/page_run.h"

enum { KERNELS = 8, BINS = 128 };

static size_t read_bins(const page_study *y, const stored_kernel *k,
                        int64_t name, hist_bin *out)
{
    store_query *q =
        store_select(y->s, y->dg,
                     "SELECT lo, hi, n FROM hist WHERE kernel = ?1"
                     " AND name = ?2 AND n > 0 ORDER BY lo LIMIT ?3",
                     "iii", k->kernel, name, (int64_t)BINS);
    size_t n = 0;

    while (q && n < BINS && store_next(q, y->dg))
        out[n++] = (hist_bin){store_real(q, 0),
                              store_null(q, 1) ? INFINITY : store_real(q, 1),
                              (uint64_t)store_int(q, 2)};
    store_done(q);
    return n;
}

static void put_hist_of_kernels(page *p, const page_study *y,
                                const stored_kernels *k,
                                const store_query *name)
{
    const char *path = arena_strdup(y->mem, store_text(name, 1));
    const char *dot = strrchr(path, '.');
    hist_row rows[KERNELS];
    size_t n = 0;

    for (size_t i = 0; i < k->count && n < KERNELS; i++) {
        hist_bin *bins = ARENA_ARRAY(y->mem, hist_bin, BINS);
        size_t count = read_bins(y, &k->row[i], store_int(name, 0), bins);

        if (count)
            rows[n++] = (hist_row){strcmp(k->row[i].workload, k->row[i].name)
                                       ? arena_printf(y->mem, "%s / %s",
                                                      k->row[i].workload,
                                                      k->row[i].name)
                                       : k->row[i].name,
                                   bins, count};
    }
    if (n)
        chart_hists(
            p, &(hists){.is = {path,
                               store_null(name, 3)
                                   ? ""
                                   : arena_strdup(y->mem, store_text(name, 3)),
                               dot ? dot + 1 : path, "kernel"},
                        .unit = store_null(name, 2)
                                    ? ""
                                    : arena_strdup(y->mem, store_text(name, 2)),
                        .rows = rows,
                        .count = n});
}

void page_run_hists(page *p, const page_study *y, const stored_kernels *k)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT name, path, unit, help FROM name WHERE name IN (SELECT h.name"
        " FROM point p JOIN kernel k USING(run) JOIN hist h USING(kernel)"
        " WHERE p.study = ?1) ORDER BY name",
        "i", y->study);
    size_t n = 0;

    while (q && store_next(q, y->dg)) {
        if (!n++)
            page_section(p, "Distributions");
        put_hist_of_kernels(p, y, k, q);
    }
    store_done(q);
}
