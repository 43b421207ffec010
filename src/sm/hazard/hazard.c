#include "sm/hazard/hazard.h"

#include <stddef.h>

#include "base/must.h"
#include "sm/hazard/control_codes.h"
#include "sm/hazard/table.h"

sm_hazard *sm_hazard_new(const config *cfg, sm_stats *st)
{
    switch (cfg->sm.issue.hazard) {
    case CFG_HAZARD_SCOREBOARD:
        return sm_scoreboard_new();
    case CFG_HAZARD_TABLE:
        return sm_table_new(cfg, cfg->sm.table.slots, cfg->sm.table.group, st);
    case CFG_HAZARD_UNLIMITED:
        return sm_table_new(cfg, TABLE_SLOTS, 1, st);
    case CFG_HAZARD_NONE:
        return sm_hazard_none_new();
    case CFG_HAZARD_CODES:
        return cfg->gpu.arch == CFG_ARCH_KEPLER ? sm_kepler_codes_new(cfg, st)
                                                : sm_control_codes_new(st);
    case CFG_HAZARD_COUNTED:
        return sm_counting_new();
    }
    MUST(!"a hazard policy of config/enums.def");
}

void sm_hazard_attach(sm_hazard *h, const uint64_t *now,
                      void (*room)(void *room_of, uint64_t warps),
                      void *room_of)
{
    for (; h; h = h->inner) {
        h->now = now;
        h->room = room;
        h->room_of = room_of;
    }
}

/* Kepler's codes, with a table for what they do not cover. */
static bool has_inner_table(const config *cfg)
{
    return cfg->gpu.arch == CFG_ARCH_KEPLER &&
           cfg->sm.dual.pending == CFG_PENDING_TABLE;
}

/* Members of a cluster have no uniform registers in common, nor do they tell
 * each other of theirs. */
static bool refuses_uniform(const config *cfg, const isa_kernel *kernel,
                            sm_refusal *out)
{
    if (cfg->gpu.cluster.size <= 1)
        return false;
    for (uint32_t pc = 0; pc < kernel->code_count; pc++)
        if (isa_has_uniform(&kernel->code[pc])) {
            *out = (sm_refusal){
                .pc = pc,
                .why = "uniform registers are not tracked where SMs share a "
                       "front end: gpu.cluster.size"};
            return true;
        }
    return false;
}

/* Results in two places have no slots in a table, and no counts. */
static bool refuses_second(const isa_kernel *kernel, sm_refusal *out)
{
    for (uint32_t pc = 0; pc < kernel->code_count; pc++)
        if (kernel->code[pc].dst2_regs) {
            *out = (sm_refusal){
                .pc = pc,
                .why = "results in two places are not tracked by this policy: "
                       "sm.issue.hazard"};
            return true;
        }
    return false;
}

bool sm_hazard_refuses(const config *cfg, const isa_kernel *kernel,
                       sm_refusal *out)
{
    if (refuses_uniform(cfg, kernel, out))
        return true;
    switch (cfg->sm.issue.hazard) {
    case CFG_HAZARD_TABLE:
        return refuses_second(kernel, out) ||
               sm_table_refuses(cfg, kernel, out) ||
               sm_table_refuses_r0(cfg, kernel, out);
    case CFG_HAZARD_UNLIMITED:
        return refuses_second(kernel, out) ||
               sm_table_refuses_r0(cfg, kernel, out);
    case CFG_HAZARD_CODES:
        return sm_control_codes_refuses(cfg, kernel, out) ||
               (has_inner_table(cfg) &&
                (sm_table_refuses(cfg, kernel, out) ||
                 sm_table_refuses_r0(cfg, kernel, out)));
    case CFG_HAZARD_COUNTED:
        return refuses_second(kernel, out);
    case CFG_HAZARD_SCOREBOARD:
    case CFG_HAZARD_NONE:
        return false;
    }
    MUST(!"a hazard policy of config/enums.def");
}

bool sm_hazard_lacks_r0(const config *cfg)
{
    switch (cfg->sm.issue.hazard) {
    case CFG_HAZARD_TABLE:
    case CFG_HAZARD_UNLIMITED:
        return cfg->sm.table.empty != CFG_TABLE_EMPTY_VALID;
    case CFG_HAZARD_CODES:
        return has_inner_table(cfg) &&
               cfg->sm.table.empty != CFG_TABLE_EMPTY_VALID;
    case CFG_HAZARD_SCOREBOARD:
    case CFG_HAZARD_NONE:
    case CFG_HAZARD_COUNTED:
        return false;
    }
    MUST(!"a hazard policy of config/enums.def");
}
