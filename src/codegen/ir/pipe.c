#include "codegen/ir/pipe.h"

#include "base/must.h"

static unsigned busy_time(const config *cfg, const config_op *op)
{
    config_unit u = config_unit_get(cfg, op->unit);
    unsigned schedulers = cfg->sm.issue.schedulers;
    unsigned instances = u.private * schedulers + u.shared;

    /* A unit that is missing has no code that runs on it. */
    return instances ? 16 * op->interval * schedulers / instances : 0;
}

cg_pipes cg_pipes_of(const config *cfg)
{
    cg_pipes p;

    for (unsigned i = 0; i < ISA_CLASSES; i++) {
        config_op op;

        MUST(config_op_find(cfg, isa_class_names[i], &op));
        p.unit[i] = (uint8_t)op.unit;
        p.busy[i] = (uint16_t)busy_time(cfg, &op);
    }
    return p;
}
