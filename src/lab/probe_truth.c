#include "lab/probe_truth.h"

#include <math.h>
#include <string.h>

/* ---- Configured ---- */

/* Behind "prefix." of an id; NULL: it does not begin so. */
static const char *behind(const char *id, const char *prefix)
{
    size_t n = strlen(prefix);

    return !strncmp(id, prefix, n) ? id + n : NULL;
}

static double load_path(const config *c)
{
    return c->sm.lsu.latency + c->sm.lsu.write_back;
}

static double latency_of(const config *c, const char *class)
{
    config_op op;

    if (!strcmp(class, "ldc"))
        return load_path(c) + c->sm.constant.l1.latency;
    return config_op_find(c, class, &op) ? op.latency : NAN;
}

/* Lanes in a cycle: as many as units take, and schedulers issue. */
static double throughput_of(const config *c, const char *class)
{
    unsigned schedulers = c->sm.issue.schedulers;
    config_op op;

    if (!config_op_find(c, class, &op))
        return NAN;
    config_unit u = config_unit_get(c, op.unit);
    if (op.unit == CFG_UNIT_ALU && !u.private && !u.shared)
        u = config_unit_get(c, CFG_UNIT_FMA);
    double units = (double)u.private * schedulers + u.shared;

    return 32 * fmin(units / op.interval, schedulers);
}

double probe_truth(const config *cfg, const char *id)
{
    const char *class;

    if ((class = behind(id, "latency.")))
        return latency_of(cfg, class);
    if ((class = behind(id, "throughput.")))
        return throughput_of(cfg, class);
    return NAN;
}

const char *probe_truth_word(const config *cfg, const char *id)
{
    (void)cfg;
    (void)id;
    return NULL;
}

/* ---- Published ---- */

static const probe_published table[] = {
#define PUBLISHED(gpu, id, value, source) {gpu, id, value, source},
#include "lab/probe_published.def"
#undef PUBLISHED
};

const probe_published *probe_published_find(const config *cfg, const char *id)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].gpu, cfg->gpu.name) && !strcmp(table[i].id, id))
            return &table[i];
    return NULL;
}
