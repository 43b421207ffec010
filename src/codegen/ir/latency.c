#include "codegen/ir/latency.h"

#include "base/must.h"
#include "config/path.h"

/* ---- From the machine's parameters ---- */

static uint16_t rounded_latency(double cycles)
{
    return (uint16_t)(cycles < UINT16_MAX ? cycles + 0.5 : UINT16_MAX);
}

/* Loads of global memory are scheduled for the L2 also where an L1 may have
 * their data [fit:latencies], see docs/compiler.md. */
cg_latencies cg_latencies_of(const config *cfg)
{
    double l2 = config_path_l2(cfg), texture = config_path_texture(cfg);
    double local = cfg->l1.locals ? config_path_l1(cfg) : l2;
    cg_latencies l = {
        .guard = (uint16_t)cfg->sm.issue.predicate,
        .constant = rounded_latency(config_path_constant(cfg)),
        .texture = rounded_latency(texture),
        .global = rounded_latency(l2),
        .read_only = rounded_latency(config_has_read_only(cfg) ? texture : l2),
        .local = rounded_latency(local),
        .shared = rounded_latency(config_path_shared(cfg)),
        .atomic = rounded_latency(config_path_atomic(cfg)),
        .shared_atomic = rounded_latency(config_path_shared_atomic(cfg)),
        .uniform_lanes = (uint16_t)cfg->sm.uniform.lanes,
        .uniform_late = (uint16_t)cfg->sm.uniform.late,
        .uniform_guard = (uint16_t)cfg->sm.uniform.guard,
    };

    for (unsigned i = 0; i < ISA_CLASSES; i++) {
        config_op op;

        MUST(config_op_find(cfg, isa_class_names[i], &op));
        l.class[i] = (uint16_t)op.latency;
    }
    return l;
}

/* ---- Of an operation ---- */

static bool is_read_only(const isa_desc *d, uint32_t mod)
{
    const isa_inst in = {.mod = mod};

    return d->mods >> MOD_CACHE & 1 && ISA_GET(&in, CACHE) == CACHE_NC;
}

/* Generic addresses are taken for global ones, as most are. */
static int memory_latency(const cg_latencies *l, const isa_desc *d,
                          uint32_t mod)
{
    if (d->flags & ISA_F_ATOMIC)
        return d->flags & ISA_F_GLOBAL ? l->atomic : l->shared_atomic;
    if (d->flags & ISA_F_GLOBAL)
        return is_read_only(d, mod) ? l->read_only : l->global;
    return d->flags & ISA_F_SHARED ? l->shared : l->local;
}

/* Stores, reductions, prefetches and copies to shared memory. */
static bool has_no_result(const isa_desc *d)
{
    return !(d->flags & ISA_F_LOAD) ||
           (d->flags & ISA_F_STORE && !(d->flags & ISA_F_ATOMIC));
}

int cg_latency(const cg_latencies *l, unsigned op, uint32_t mod)
{
    if (op >= ISA_COUNT)
        return 1;
    const isa_desc *d = &isa_table[op];
    bool texture = d->class == ISA_CLASS_TEX && op != ISA_TXQ;

    if (d->class == ISA_CLASS_LDC)
        return l->constant;
    if (d->class != ISA_CLASS_MEM && !texture)
        return l->class[d->class];
    if (has_no_result(d))
        return 1;
    return texture ? l->texture : memory_latency(l, d, mod);
}
