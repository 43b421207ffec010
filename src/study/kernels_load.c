/* src/study/kernels_load.c - see stored.h. */
#include "study/kernels_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/must.h"
#include "config/param.h"
#include "report/counters.h"

/* ---- Configurations ---- */

/* Parameters that this version does not know are left out. */
static void set_stored_param(config *cfg, const char *path, const char *value)
{
    const config_param *p = config_param_find(path);
    size_t n = strlen(value);
    strbuf why = {0};
    char *text;

    if (!p)
        return;
    text =
        n > 1 && *value == '"' ? new_text_n(value + 1, n - 2) : new_text(value);
    MUST(text != NULL);
    config_put(cfg, p, text, &why);
    strbuf_fini(&why);
    free(text);
}

const config *stored_config(store *s, int64_t run, int64_t device, arena *mem,
                            diag *dg)
{
    config *cfg = ARENA_NEW(mem, config);
    store_query *q = store_select(s, dg,
                                  "SELECT path, value FROM run_config"
                                  " WHERE run = ?1 AND device = ?2",
                                  "ii", run, device);
    bool any = false;

    config_defaults(cfg);
    while (q && store_next(q, dg)) {
        set_stored_param(cfg, store_text(q, 0), store_text(q, 1));
        any = true;
    }
    store_done(q);
    return any ? cfg : NULL;
}

/* ---- Counters ---- */

/* Every counter there is, of one instance of each kind of block: names for the
 * sums that were kept. */
typedef struct every_counter {
    stats *names;
    void *zeros;
    uint64_t *totals;
    size_t count;
} every_counter;

static const char *instance(arena *mem, const char *kind)
{
    char *path = arena_strdup(mem, kind);

    for (char *star = path; (star = strchr(star, '*'));)
        *star = '0';
    return path;
}

static void every_counter_init(every_counter *x, arena *mem)
{
    stats_block blocks[REPORT_BLOCKS];
    size_t room = 0;

    report_counter_blocks(blocks);
    x->names = stats_new();
    for (unsigned b = 0; b < REPORT_BLOCKS; b++)
        for (size_t i = 0; i < blocks[b].count; i++)
            if (blocks[b].desc[i].offset + sizeof(uint64_t) > room)
                room = blocks[b].desc[i].offset + sizeof(uint64_t);
    x->zeros = arena_alloc(mem, room);
    for (unsigned b = 0; b < REPORT_BLOCKS; b++)
        stats_add(x->names, instance(mem, blocks[b].path), blocks[b].desc,
                  blocks[b].count, x->zeros);
    x->count = stats_total_count(x->names);
    x->totals = ARENA_ARRAY(mem, uint64_t, x->count);
}

/* The figures of a kernel. */
static void compute(store *s, every_counter *x, int64_t kernel,
                    const config *cfg, diag *dg, stored_kernel *to)
{
    store_query *q =
        store_select(s, dg,
                     "SELECT n.path, x.value FROM kernel_stat x JOIN"
                     " name n ON n.name = x.name WHERE x.kernel = ?1"
                     " AND n.kind = 'counter'",
                     "i", kernel);

    memset(x->totals, 0, x->count * sizeof *x->totals);
    while (q && store_next(q, dg)) {
        size_t i = stats_total_find(x->names, store_text(q, 0));

        if (i != SIZE_MAX)
            x->totals[i] = (uint64_t)store_int(q, 1);
    }
    store_done(q);
    figures_compute(&(report_launch){.cfg = cfg,
                                     .stats = x->names,
                                     .totals = x->totals,
                                     .cycles = to->cycles,
                                     .warp_insts = to->warp_insts,
                                     .thread_insts = to->thread_insts},
                    &to->f);
}

/* ---- Kernels ---- */

#define READ_COUNT(q, i)   (uint64_t) store_int(q, i)
#define READ_SECONDS(q, i) store_real(q, i)

launch_sums stored_sums(const store_query *q, int first)
{
    launch_sums is;

#define SUM(id, kind, ...) is.id = READ_##kind(q, first++);
#include "stats/sums.def"
#undef SUM
    return is;
}

static const char *copy_stored_text(arena *mem, const store_query *q,
                                    int column)
{
    return store_null(q, column) ? NULL
                                 : arena_strdup(mem, store_text(q, column));
}

/* The last configuration, kept for the next kernel of the same device. */
typedef struct stored_machine {
    int64_t run, device;
    const config *cfg;
} stored_machine;

static void read_kernel(store *s, const store_query *q, arena *mem, diag *dg,
                        every_counter *x, stored_machine *on, stored_kernel *to)
{
    int64_t device = store_int(q, 2);

    *to = (stored_kernel){.run = store_int(q, 1),
                          .kernel = store_int(q, 0),
                          .device = device,
                          .workload = copy_stored_text(mem, q, 3),
                          .label = copy_stored_text(mem, q, 4),
                          .gpu = copy_stored_text(mem, q, 5),
                          .name = copy_stored_text(mem, q, 6),
                          .energy_j = store_real(q, 7),
                          .sums = stored_sums(q, 8)};
    if (on->run != to->run || on->device != device)
        *on = (stored_machine){to->run, device,
                               stored_config(s, to->run, device, mem, dg)};
    if (to->timed && on->cfg)
        compute(s, x, store_int(q, 0), on->cfg, dg, to);
}

static size_t count_kernels(store *s, int64_t study, diag *dg)
{
    store_query *q = store_select(s, dg,
                                  "SELECT count(*) FROM point p JOIN kernel k"
                                  " USING(run) WHERE p.study = ?1",
                                  "i", study);
    size_t n = q && store_next(q, dg) ? (size_t)store_int(q, 0) : 0;

    store_done(q);
    return n;
}

status kernels_load(store *s, int64_t study, arena *mem, diag *dg,
                    stored_kernels *out)
{
    size_t before = diag_errors(dg), room = count_kernels(s, study, dg);
    stored_machine on = {.run = -1};
    every_counter x;
    store_query *q;

    *out = (stored_kernels){.row = ARENA_ARRAY(mem, stored_kernel, room + 1)};
    every_counter_init(&x, mem);
    q = store_select(
        s, dg,
        "SELECT k.kernel, k.run, k.device, r.workload, p.label,"
        " d.gpu, k.name, k.energy_j"
#define SUM(id, ...) ", k." #id
#include "stats/sums.def"
#undef SUM
        " FROM point p JOIN kernel k USING(run) JOIN run r USING(run)"
        " LEFT JOIN device d ON d.run = k.run AND d.device = k.device"
        " WHERE p.study = ?1 ORDER BY k.time_s DESC, k.warp_insts"
        " DESC, p.number, k.kernel",
        "i", study);
    while (q && out->count < room && store_next(q, dg))
        read_kernel(s, q, mem, dg, &x, &on, &out->row[out->count++]);
    store_done(q);
    stats_free(x.names);
    return diag_errors(dg) != before ? ST_IO : ST_OK;
}
