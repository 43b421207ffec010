#include "sm/hazard.h"

#include <stddef.h>

sm_hazard *sm_hazard_new(const config *cfg)
{
    switch (cfg->sm.issue.hazard) {
    case CFG_HAZARD_SCOREBOARD:
        return sm_scoreboard_new(cfg);
    case CFG_HAZARD_NONE:
        return sm_hazard_none_new(cfg);
    }
    return NULL;
}
