#include "codegen/ir/options.h"

#include "base/diag.h"
#include "base/must.h"
#include "config/sheet.h"

unsigned cg_register_limit(isa_arch arch)
{
    return arch == ARCH_FERMI ? 63 : 255;
}

isa_arch cg_arch_of(const config *cfg)
{
    switch (cfg->gpu.arch) {
    case CFG_ARCH_FERMI:
        return ARCH_FERMI;
    case CFG_ARCH_KEPLER:
        return ARCH_KEPLER;
    case CFG_ARCH_VOLTA:
        return ARCH_VOLTA;
    case CFG_ARCH_AMPERE:
        return ARCH_AMPERE;
    case CFG_ARCH_HOPPER:
        return ARCH_HOPPER;
    }
    MUST(!"every value is above");
}

cg_options cg_options_of(const config *cfg)
{
    return (cg_options){.arch = cg_arch_of(cfg),
                        .sm_registers = cfg->sm.registers,
                        .contract = true,
                        .schedule = true,
                        .optimise = true,
                        .latency = cg_latencies_of(cfg),
                        .pipes = cg_pipes_of(cfg),
                        .banks = cg_banks_of(cfg),
                        .uniform = cfg->gpu.arch >= CFG_ARCH_AMPERE &&
                                   cfg->gpu.cluster.size <= 1 &&
                                   cfg->sm.uniform.compiled,
                        .pairs = cfg->sm.issue.width > 1};
}

cg_options cg_default_options(isa_arch arch)
{
    static const char *const presets[ISA_ARCHS] = {[ARCH_FERMI] = "gtx480",
                                                   [ARCH_KEPLER] = "k20-single",
                                                   [ARCH_VOLTA] = "v100",
                                                   [ARCH_AMPERE] = "a100",
                                                   [ARCH_HOPPER] = "h100"};
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    cg_options o;

    MUST(s && dg);
    MUST(config_sheet_load(s, presets[arch], dg) == ST_OK);
    o = cg_options_of(config_sheet_values(s));
    config_sheet_free(s);
    diag_free(dg);
    return o;
}
