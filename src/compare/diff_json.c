/* src/compare/diff_json.c - a side from what `heddle run --format json` and
 * `heddle exec --format json` wrote. They have all counters, but neither what
 * was in memory nor the configuration: only its hash, which identifies a
 * preset. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "compare/diff.h"
#include "config/preset.h"
#include "config/print.h"
#include "config/sheet.h"
#include "config/yml.h"
#include "report/counters.h"

typedef struct reader {
    const char *path;
    arena *mem;
    diag *dg;
    measure_run *to;
    stats_block blocks[REPORT_BLOCKS];
} reader;

/* ---- Members ---- */

static const char *text_of_key(const yml_node *map, const char *key)
{
    const yml_node *n = map && map->kind == YML_MAP ? yml_get(map, key) : NULL;

    return n && n->kind == YML_SCALAR ? n->text : NULL;
}

static uint64_t number_of_key(const yml_node *map, const char *key)
{
    const char *text = text_of_key(map, key);

    return text ? strtoull(text, NULL, 10) : 0;
}

static double real_of(const yml_node *map, const char *key)
{
    const char *text = text_of_key(map, key);

    return text ? strtod(text, NULL) : 0;
}

static const yml_node *child_of_kind(const yml_node *map, const char *key,
                                     yml_kind kind)
{
    const yml_node *n = map && map->kind == YML_MAP ? yml_get(map, key) : NULL;

    return n && n->kind == kind ? n : NULL;
}

/* Version and commit, or what had only a version; NULL: neither. */
static const char *version_of(const yml_node *root, arena *mem)
{
    const yml_node *is = child_of_kind(root, "heddle", YML_MAP);
    const char *version = text_of_key(is, "version"),
               *commit = text_of_key(is, "commit"),
               *alone = text_of_key(root, "heddle");

    if (version && commit && strcmp(commit, "unknown") != 0)
        return arena_printf(mem, "%s+%s", version, commit);
    return version ? arena_strdup(mem, version)
           : alone ? arena_strdup(mem, alone)
                   : NULL;
}

static status lacks(const reader *r, const char *what)
{
    diag_error(r->dg,
               "%s: this is not what 'heddle run' or 'heddle exec' writes with "
               "--format json: it has no '%s'",
               r->path, what);
    return ST_CONFIG;
}

/* ---- The machine ---- */

/* The preset of that hash, else that of the name. NULL: none. */
static const config *find_machine(const reader *r, const char *hash,
                                  const char *name, diff_side *out)
{
    const config *like = NULL;
    diag *quiet = diag_new();

    for (size_t i = 0; i < config_preset_count(); i++) {
        const config_preset *p = config_preset_get(i);
        config_sheet *s = config_sheet_new();
        char is[20];

        MUST(s && config_sheet_load(s, p->name, quiet) == ST_OK);
        config *cfg = ARENA_NEW(r->mem, config);
        *cfg = *config_sheet_values(s);
        snprintf(is, sizeof is, "%016" PRIx64, config_hash(cfg));
        if (!strcmp(is, hash) || (!like && !strcmp(cfg->gpu.name, name))) {
            like = cfg;
            out->gpu = arena_strdup(r->mem, p->name);
            out->guessed = strcmp(is, hash) != 0;
        }
        config_sheet_free(s);
        if (like && !out->guessed)
            break;
    }
    diag_free(quiet);
    return like;
}

static status read_machine(const reader *r, const yml_node *root,
                           diff_side *out)
{
    const yml_node *gpus = child_of_kind(root, "gpus", YML_LIST);
    const yml_node *first = gpus ? gpus->first : root;
    const char *name = text_of_key(first, gpus ? "name" : "gpu");
    const char *hash = text_of_key(first, "config_hash");

    if (!name || !hash)
        return lacks(r, name ? "config_hash" : "gpu");
    out->cfg = find_machine(r, hash, name, out);
    if (out->cfg)
        return ST_OK;
    diag_error(r->dg,
               "%s: no preset is called '%s', and JSON has no configuration; "
               "keep results with --store instead",
               r->path, name);
    return ST_CONFIG;
}

/* ---- Launches ---- */

/* "" if no counter has that name any more. */
static const char *unit_of(const reader *r, const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) : 0;

    for (unsigned b = 0; dot && b < REPORT_BLOCKS; b++)
        if (strlen(r->blocks[b].path) == n &&
            !memcmp(r->blocks[b].path, name, n))
            for (size_t i = 0; i < r->blocks[b].count; i++)
                if (!strcmp(r->blocks[b].desc[i].id, dot + 1))
                    return r->blocks[b].desc[i].unit;
    return "";
}

/* Launches have the same counters in the same order. */
static void add_counter(const reader *r, size_t hint, const yml_node *n)
{
    measure_sum *to = &r->to->sum;
    size_t i = hint;

    if (i >= to->counter_count || strcmp(to->counters[i].name, n->key) != 0)
        for (i = 0; i < to->counter_count; i++)
            if (!strcmp(to->counters[i].name, n->key))
                break;
    if (i == to->counter_count) {
        ARENA_GROW(r->mem, to->counters, i, to->counter_room);
        to->counters[to->counter_count++] = (measure_counter){
            .name = arena_strdup(r->mem, n->key), .unit = unit_of(r, n->key)};
    }
    to->counters[i].value += n->text ? strtoull(n->text, NULL, 10) : 0;
}

static void add_kernel_sum(const reader *r, const char *name, uint64_t cycles,
                           uint64_t warp_insts, double time_s)
{
    measure_sum *to = &r->to->sum;
    size_t i = 0;

    while (i < to->kernel_count && strcmp(to->kernels[i].name, name) != 0)
        i++;
    if (i == to->kernel_count) {
        ARENA_GROW(r->mem, to->kernels, i, to->kernel_room);
        to->kernels[to->kernel_count++] =
            (measure_kernel){.name = arena_strdup(r->mem, name)};
    }
    to->kernels[i].timed++;
    to->kernels[i].cycles += cycles;
    to->kernels[i].warp_insts += warp_insts;
    to->kernels[i].time_s += time_s;
}

static void add_energy(measure_sum *to, const yml_node *launch)
{
    const yml_node *spent = child_of_kind(launch, "energy", YML_MAP);
    const yml_node *parts = child_of_kind(spent, "parts_fj", YML_MAP);
    const char *overflow = text_of_key(spent, "overflow");

    to->energy_fj += number_of_key(spent, "energy_fj");
    to->too_much |= overflow && !strcmp(overflow, "true");
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        to->part_fj[i] += number_of_key(parts, energy_part_table[i].name);
}

static void add_launch(const reader *r, const yml_node *n)
{
    measure_sum *to = &r->to->sum;
    const yml_node *counters = child_of_kind(n, "counters", YML_MAP);
    const yml_node *memory = child_of_kind(n, "memory", YML_MAP);
    const char *is = text_of_key(n, "status"), *name = text_of_key(n, "kernel");
    uint64_t cycles = number_of_key(n, "cycles");
    double time_s = real_of(n, "time_s");
    size_t i = 0;

    to->launches++;
    to->failed += !is || strcmp(is, "ok") != 0;
    if (!counters || !name)
        return; /* computed, not timed */
    to->timed++;
    to->cycles += cycles;
    to->time_s += time_s;
    to->warp_insts += number_of_key(n, "warp_insts");
    to->thread_insts += number_of_key(n, "thread_insts");
    add_kernel_sum(r, name, cycles, number_of_key(n, "warp_insts"), time_s);
    for (const yml_node *c = counters->first; c; c = c->next)
        add_counter(r, i++, c);
    for (unsigned l = 0; l < LEVELS; l++)
        if (child_of_kind(memory, figure_level_id(l), YML_MAP)) {
            to->level[l] = figure_level_name(l);
            to->bytes[l] +=
                number_of_key(yml_get(memory, figure_level_id(l)), "bytes");
        }
    add_energy(to, n);
}

static bool add_launch_list(const reader *r, const yml_node *map)
{
    const yml_node *list = child_of_kind(map, "launches", YML_LIST);

    for (const yml_node *n = list ? list->first : NULL; n; n = n->next)
        add_launch(r, n);
    return list != NULL;
}

/* ---- All of it ---- */

static void judge_report(const reader *r, const yml_node *root)
{
    const char *is = text_of_key(root, "status");
    bool good = text_of_key(root, "exit_status")
                    ? !number_of_key(root, "exit_status") &&
                          !number_of_key(root, "signal")
                    : is && !strcmp(is, "ok");

    r->to->result = (suite_result){
        .verdict = good ? SUITE_PASS : SUITE_FAIL,
        .why = good || !is ? NULL : arena_strdup(r->mem, is),
        .exit_code = (int)number_of_key(root, "exit_status"),
        .signal = (int)number_of_key(root, "signal"),
        .host_s = real_of(child_of_kind(root, "host", YML_MAP), "seconds"),
        .tail = "",
        .out = {.text = ""}};
    r->to->done = true;
    r->to->output_unknown = true;
}

/* "./kmeans --size 3" is of kmeans. */
static const char *name_of_report(const reader *r, const yml_node *root)
{
    const char *all = text_of_key(root, "program");

    if (!all)
        all = text_of_key(root, "command");
    if (!all)
        return diff_base_name(r->path);
    return diff_base_name(arena_strndup(r->mem, all, strcspn(all, " ")));
}

status diff_load_json(const char *path, const char *text, size_t size,
                      arena *mem, diag *dg, diff_side *out)
{
    reader r = {.path = path, .mem = mem, .dg = dg};
    const yml_node *processes, *p;
    yml_node *root;
    bool any;
    status st = yml_read(path, text, size, mem, dg, &root);

    if (st != ST_OK)
        return st;
    if (!version_of(root, mem))
        return lacks(&r, "heddle");
    if (yml_get(root, "sampled") ||
        child_of_kind(child_of_kind(root, "total", YML_MAP), "sampled",
                      YML_MAP)) {
        diag_error(dg,
                   "%s is of a sampled run: its counters are of what was "
                   "timed, and are not compared; run it without --sample",
                   path);
        return ST_USAGE;
    }
    if ((st = read_machine(&r, root, out)) != ST_OK)
        return st;
    report_counter_blocks(r.blocks);
    out->version = version_of(root, mem);
    out->entries = ARENA_NEW(mem, diff_entry);
    out->count = 1;
    out->entries->name = name_of_report(&r, root);
    r.to = &out->entries->run;
    processes = child_of_kind(root, "processes", YML_LIST);
    any = processes || add_launch_list(&r, root);
    for (p = processes ? processes->first : NULL; p; p = p->next)
        add_launch_list(&r, p);
    if (!any)
        return lacks(&r, "launches");
    judge_report(&r, root);
    return ST_OK;
}
