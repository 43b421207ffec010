/* src/compare/compare_runs.c - see compare_runs.h. */
#include "compare/compare_runs.h"

#include <string.h>

#include "base/must.h"
#include "study/measure_load.h"

/* All comparisons have the same workloads, and as many sides. */
size_t compare_run_count(const compare *list, size_t gpus)
{
    return gpus * list->count * compare_runs_each(list);
}

compare_place compare_place_of(const compare *list, size_t i)
{
    size_t sides = compare_runs_each(list), each = list->count * sides;

    return (compare_place){i / each, i % each / sides, i % sides};
}

measure_run *compare_run_at(const compare *list, compare_place at)
{
    return &list[at.gpu].workloads[at.w].runs[at.s];
}

static size_t number_at(const compare *list, compare_place at)
{
    return (at.gpu * list->count + at.w) * compare_runs_each(list) + at.s;
}

size_t compare_run_number(const compare *list, size_t gpus,
                          const measure_side *side, const workload *w)
{
    compare_place at = {0};

    for (; at.gpu < gpus; at.gpu++)
        for (at.s = 0; at.s < compare_runs_each(list); at.s++)
            if (&list[at.gpu].sides[at.s] == side) {
                while (&list[at.gpu].workloads[at.w].is != w)
                    at.w++;
                return number_at(list, at);
            }
    MUST(!"a side of one of them");
}

/* ---- What runs are made of ---- */

/* A program of the user's own may read files that are not hashed. */
static bool is_known(const workload *w) { return !w->suite || *w->suite->path; }

/* Of a workload on each side of each GPU. */
static void identify_workload(const compare *list, size_t gpus, size_t w,
                              point_parts *p, char (*ids)[POINT_ID_SIZE])
{
    const point_hash is = p->workload;

    for (size_t g = 0; g < gpus; g++) {
        char(*id)[POINT_ID_SIZE] =
            &ids[number_at(list, (compare_place){g, w, 0})];

        for (size_t s = 0; s < compare_runs_each(list); s++) {
            const measure_side *side = &list[g].sides[s];

            p->machine = point_id_config(side->gpus[0].cfg);
            p->workload = is;
            if (list->workloads[w].drawn && side->draw)
                point_hash_number(&p->workload, side->draw);
            p->setup = point_id_setup(side->job.setup);
            point_id(p, id[s]);
            for (size_t k = 0; k < s; k++)
                if (!strcmp(id[k], id[s]))
                    id[s][0] = '\0';
        }
    }
}

void compare_identify(const compare *list, size_t gpus, const char *driver,
                      char (*ids)[POINT_ID_SIZE])
{
    const char *build = list->sides->job.build, *missing;
    point_parts p = {.heddle = point_id_heddle(),
                     .driver = point_id_driver(driver)};
    arena *mem = arena_new();

    memset(ids, 0, compare_run_count(list, gpus) * sizeof *ids);
    for (size_t w = 0; w < list->count; w++) {
        const workload *is = &list->workloads[w].is;

        p.program = is->program != NULL;
        p.workload = point_id_workload(is, build, NULL, 0, mem, &missing);
        if (!missing && is_known(is))
            identify_workload(list, gpus, w, &p, ids);
    }
    arena_free(mem);
}

bool compare_run_load(compare *list, compare_place at, const char *path,
                      const char *id, diag *dg)
{
    measure_run *r = compare_run_at(list, at);
    arena *mem = arena_new();
    store *s = NULL;
    bool whole = false;
    int64_t run;

    if (store_open(path, dg, &s) == ST_OK &&
        (run = measure_find(s, id, dg)) != 0 &&
        measure_load(s, run, list[at.gpu].sides[at.s].gpus[0].cfg, mem, dg, r,
                     &whole) &&
        whole && r->result.verdict == SUITE_PASS) {
        r->mem = mem;
        mem = NULL;
    } else {
        *r = (measure_run){0};
    }
    store_close(s);
    arena_free(mem);
    return r->done;
}

void compare_unbuilt(compare *list, size_t gpus, size_t w, const char *why)
{
    for (size_t g = 0; g < gpus; g++)
        for (size_t s = 0; s < compare_runs_each(list); s++) {
            measure_run *r = compare_run_at(list, (compare_place){g, w, s});

            r->result = (suite_result){
                .verdict = SUITE_UNBUILT, .why = why, .tail = why};
            r->done = true;
        }
}
