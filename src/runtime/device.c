#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "gpu/team.h"
#include "runtime/internal.h"

rt_device *rt_device_new(const config *cfg, const rt_options *opt, diag *dg)
{
    return rt_device_new_on(cfg, opt, NULL, dg);
}

rt_device *rt_device_new_on(const config *cfg, const rt_options *opt,
                            rt_memory *memory, diag *dg)
{
    rt_device *d = new0(1, sizeof *d);
    config *copy = new_array(1, sizeof *copy);

    *copy = *cfg;
    d->cfg = copy;
    d->opt = *opt;
    d->own_memory = !memory;
    d->memory = memory ? memory : rt_memory_new(cfg->gpu.global_bytes, dg);
    if (!d->memory) {
        rt_device_free(d);
        return NULL;
    }
    d->seen = mem_image_share(d->memory->image);
    d->stats = stats_new();
    if (opt->trace_folder)
        d->traces = trace_folder_new(opt->trace_folder, opt->trace_pack);
    return d;
}

void rt_device_free(rt_device *d)
{
    if (!d)
        return;
    while (d->modules)
        rt_module_unload(d->modules);
    rt_device_end_services(d);
    rt_banks_fini(d, &d->banks);
    gpu_free(d->gpu);
    team_free(d->crew);
    stats_free(d->stats);
    rt_images_fini(&d->seen_images);
    mem_image_free(d->seen);
    if (d->own_memory)
        rt_memory_free(d->memory);
    rt_counters_fini(&d->counters);
    exec_strays_fini(&d->strays);
    rt_lines_fini(&d->lines);
    exec_spins_fini(&d->spun);
    rt_copies_fini(d);
    rt_warming_free(d->warming);
    trace_folder_free(d->traces);
    free((void *)d->cfg);
    free(d);
}

const config *rt_device_config(const rt_device *d) { return d->cfg; }

rt_memory *rt_device_memory(const rt_device *d) { return d->memory; }

uint64_t rt_cycles_ns(const rt_device *d, uint64_t cycles)
{
    uint64_t khz = d->cfg->gpu.clock_khz, million = 1000000;

    return cycles / khz * million + cycles % khz * million / khz;
}

uint64_t rt_now_ns(const rt_device *d)
{
    return rt_cycles_ns(d, d->cycles_before + (d->gpu ? gpu_now(d->gpu) : 0));
}

const stats *rt_stats(const rt_device *d) { return d->stats; }

uint64_t rt_hash(const rt_device *d)
{
    rt_lock(d->memory);
    uint64_t parts[2] = {stats_hash(d->stats, NULL),
                         mem_hash(d->memory->image)};
    rt_unlock(d->memory);
    return hash_bytes(parts, sizeof parts, 0);
}

const window_sums *rt_windows(const rt_device *d)
{
    return d->gpu ? gpu_windows(d->gpu) : NULL;
}

void rt_set_dump(rt_device *d, FILE *f) { d->dump = f; }
