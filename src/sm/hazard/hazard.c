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
        return sm_table_new(cfg, cfg->sm.table.slots, st);
    case CFG_HAZARD_UNLIMITED:
        return sm_table_new(cfg, TABLE_SLOTS, st);
    case CFG_HAZARD_NONE:
        return sm_hazard_none_new();
    case CFG_HAZARD_CODES:
        return sm_control_codes_new(st);
    case CFG_HAZARD_COUNTED:
        return sm_counting_new();
    }
    MUST(!"a hazard policy of config/enums.def");
}

bool sm_hazard_refuses(const config *cfg, const isa_kernel *kernel,
                       sm_refusal *out)
{
    switch (cfg->sm.issue.hazard) {
    case CFG_HAZARD_TABLE:
        return sm_table_refuses(cfg, kernel, out) ||
               sm_table_refuses_r0(cfg, kernel, out);
    case CFG_HAZARD_UNLIMITED:
        return sm_table_refuses_r0(cfg, kernel, out);
    case CFG_HAZARD_CODES:
        return sm_control_codes_refuses(cfg, kernel, out);
    case CFG_HAZARD_SCOREBOARD:
    case CFG_HAZARD_NONE:
    case CFG_HAZARD_COUNTED:
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
    case CFG_HAZARD_SCOREBOARD:
    case CFG_HAZARD_NONE:
    case CFG_HAZARD_CODES:
    case CFG_HAZARD_COUNTED:
        return false;
    }
    MUST(!"a hazard policy of config/enums.def");
}
