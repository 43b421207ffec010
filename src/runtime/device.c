#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "runtime/internal.h"

rt_device *rt_device_new(const config *cfg, const rt_options *opt, diag *dg)
{
    rt_device *d = calloc(1, sizeof *d);
    config *copy = malloc(sizeof *copy);

    if (!d || !copy) {
        diag_error(dg, "out of memory");
        free(copy);
        free(d);
        return NULL;
    }
    *copy = *cfg;
    d->cfg = copy;
    d->opt = *opt;
    d->image = mem_image_new(cfg->gpu.global_bytes);
    d->stats = stats_new();
    if (!d->image || !d->stats) {
        diag_error(dg,
                   "cannot reserve %llu bytes of address space for simulated "
                   "memory (gpu.global_bytes); is a limit set with ulimit -v?",
                   (unsigned long long)cfg->gpu.global_bytes);
        rt_device_free(d);
        return NULL;
    }
    return d;
}

void rt_device_free(rt_device *d)
{
    if (!d)
        return;
    while (d->modules) {
        rt_module *m = d->modules;

        d->modules = m->next;
        rt_module_free(m);
    }
    rt_images_fini(&d->images);
    gpu_free(d->gpu);
    stats_free(d->stats);
    mem_image_free(d->image);
    exec_host_free(d->host);
    free(d->before);
    free(d->after);
    free(d->diff);
    free(d->totals);
    free((void *)d->cfg);
    free(d);
}

const config *rt_device_config(const rt_device *d) { return d->cfg; }

uint64_t rt_alloc(rt_device *d, uint64_t size, const char *name)
{
    return mem_alloc(d->image, size, name);
}

bool rt_release(rt_device *d, uint64_t addr)
{
    return mem_release(d->image, addr);
}

bool rt_write(rt_device *d, uint64_t addr, const void *from, uint64_t size)
{
    if (!mem_valid(d->image, addr, size, NULL))
        return false;
    memcpy(mem_host(d->image, addr), from, size);
    return true;
}

bool rt_read(rt_device *d, uint64_t addr, void *to, uint64_t size)
{
    if (!mem_valid(d->image, addr, size, NULL))
        return false;
    memcpy(to, mem_host(d->image, addr), size);
    return true;
}

const stats *rt_stats(const rt_device *d) { return d->stats; }

uint64_t rt_hash(const rt_device *d)
{
    uint64_t parts[2] = {stats_hash(d->stats, NULL), mem_hash(d->image)};

    return hash_bytes(parts, sizeof parts, 0);
}

void rt_set_dump(rt_device *d, FILE *f) { d->dump = f; }
