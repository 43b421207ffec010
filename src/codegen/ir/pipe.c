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
        if (op.unit == CFG_UNIT_FMA_HEAVY) /* it takes time of all of fma */
            p.unit[i] = CFG_UNIT_FMA;
        p.busy[i] = (uint16_t)busy_time(cfg, &op);
    }
    return p;
}

cg_banks cg_banks_of(const config *cfg)
{
    bool pairs = cfg->sm.issue.width > 1;
    cg_banks b = {.count = (uint8_t)cfg->sm.rf.banks,
                  .ports = (uint8_t)cfg->sm.rf.read_ports,
                  .map = cfg->sm.rf.bank_map};

    if (cfg->sm.rf.collect == CFG_COLLECT_PORTS)
        b.cache = (uint8_t)cfg->sm.rf.operand_cache;
    if ((!pairs && cfg->sm.rf.collect < CFG_COLLECT_FIXED) ||
        b.map == CFG_BANK_MAP_WARP || cfg->sm.rf.banks > CG_BANKS_MAX)
        b.count = 0;
    return b;
}

/* [PPOPP:register-banks] */
unsigned cg_bank(const cg_banks *b, unsigned reg)
{
    if (b->map == CFG_BANK_MAP_KEPLER)
        return ((reg & 1) | (reg >> 1 & 2)) % b->count;
    return reg % b->count;
}
