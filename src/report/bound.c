#include "report/bound.h"

#include <math.h>
#include <string.h>

#include "base/must.h"
#include "isa/tensor.h"
#include "text/word.h"

#define HALF_OF_IT 0.5 /* of the slots, to be what bounds a launch */
#define FULL       0.7 /* of what a unit can, to be what bounds it */

/* ---- Names ---- */

static const struct {
    const char *id, *name, *what;
} units[BOUND_UNITS] = {
#define UNIT(id, name, what) {#id, name, what},
#include "report/bound.def"
};

static const struct {
    const char *id, *name, *means;
} waits[BOUND_WAITS] = {
#define WAIT(id, name, means) {#id, name, means},
#include "report/bound.def"
};

static const struct {
    const char *stall;
    bound_wait wait;
} stalls[] = {
#define STALL_IS(stall, wait) {#stall, BOUND_WAIT_##wait},
#include "report/bound.def"
};

const char *bound_unit_name(unsigned unit) { return units[unit].name; }
const char *bound_wait_means(unsigned wait) { return waits[wait].means; }

const char *bound_name(const bound *b)
{
    switch (b->kind) {
    case BOUND_NOTHING:
        return "nothing that was timed";
    case BOUND_LAUNCH:
        return "the launch itself";
    case BOUND_SMALL:
        return "a grid that is too small";
    case BOUND_TAIL:
        return "SMs that end before others";
    case BOUND_UNIT:
        return units[b->which].name;
    case BOUND_WAIT:
        return waits[b->which].name;
    }
    MUST(!"every value is above");
}

const char *bound_sure_name(bound_sure s)
{
    switch (s) {
    case BOUND_CLEARLY:
        return "clearly";
    case BOUND_MOSTLY:
        return "mostly";
    case BOUND_PARTLY:
        return "partly";
    }
    MUST(!"every value is above");
}

bound_text bound_figure(const bound *b)
{
    const char *of = "of the slots";
    bound_text t;

    switch (b->kind) {
    case BOUND_NOTHING:
        t.s[0] = '\0';
        return t;
    case BOUND_LAUNCH:
        of = "of the cycles, before any CTA";
        break;
    case BOUND_SMALL:
    case BOUND_TAIL:
        of = "of the slots have no warp";
        break;
    case BOUND_UNIT:
        of = units[b->which].what;
        break;
    case BOUND_WAIT:
        of = "of the slots with warps";
        break;
    }
    snprintf(t.s, sizeof t.s, "%s %s", word_percent(b->share).s, of);
    return t;
}

/* ---- Units ---- */

static double count(const report_launch *l, const char *pattern)
{
    return (double)stats_total_sum(l->stats, l->totals, pattern, NULL);
}

static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

static unsigned pipe_of(cfg_unit unit)
{
    switch (unit) {
    case CFG_UNIT_FMA:
    case CFG_UNIT_FMA_HEAVY:
        return BOUND_FMA;
    case CFG_UNIT_ALU:
        return BOUND_ALU;
    case CFG_UNIT_MUL:
        return BOUND_MUL;
    case CFG_UNIT_FP64:
        return BOUND_FP64;
    case CFG_UNIT_HALF:
        return BOUND_HALF;
    case CFG_UNIT_XU:
        return BOUND_XU;
    case CFG_UNIT_TEX:
        return BOUND_TEX;
    case CFG_UNIT_CTL:
        return BOUND_CTL;
    case CFG_UNIT_TENSOR:
        return BOUND_TENSOR;
    case CFG_UNIT_UNIFORM:
        return BOUND_UNIFORM;
    case CFG_UNIT_LSU:
        return BOUND_LSU;
    }
    MUST(!"every value is above");
}

/* Cycles for 256 multiply-adds of halves, by the first matrix operation of the
 * kernel: `thread_tensor` counts them for each lane (sm_inst.more). */
static double tensor_interval(const report_launch *l)
{
    const config *c = l->cfg;

    for (uint32_t i = 0; l->kernel->code && i < l->kernel->code_count; i++)
        switch (l->kernel->code[i].op) {
        case ISA_HMMA884:
            return c->sm.op.tensor.interval;
        case ISA_DMMA:
            return c->sm.op.tensor.interval / (double)c->sm.tensor.double_rate *
                   16;
        case ISA_HGMMA:
            return 256.0 / c->sm.tensor.group_rate;
        default:
            break;
        }
    return c->sm.op.tensor.interval * 256.0 / c->sm.tensor.warp_rate;
}

/* Instructions by class times the cycles that each keeps its unit. */
static void pipes(const report_launch *l, double active, double speed[])
{
    const config *c = l->cfg;
    double busy[BOUND_UNITS] = {0}, of[BOUND_UNITS] = {0};

#define CLASS(id, name, help)                                                  \
    if (strcmp(#name, "tensor") != 0)                                          \
        busy[pipe_of(c->sm.op.name.unit)] +=                                   \
            count(l, "sm[*].inst_" #name) * c->sm.op.name.interval;
#include "isa/class.def"
#undef CLASS
    busy[BOUND_TENSOR] =
        count(l, "sm[*].thread_tensor") / ISA_WARP * tensor_interval(l);
#define PIPE(id, name)                                                         \
    of[BOUND_##id] = c->sm.unit.name.private * c->sm.issue.schedulers +        \
                     c->sm.unit.name.shared;
    PIPE(FMA, fma)
    PIPE(ALU, alu)
    PIPE(MUL, mul)
    PIPE(FP64, fp64)
    PIPE(HALF, half)
    PIPE(XU, xu)
    PIPE(TEX, tex)
    PIPE(CTL, ctl)
    PIPE(TENSOR, tensor)
    PIPE(UNIFORM, uniform)
#undef PIPE
    for (unsigned i = BOUND_FMA; i <= BOUND_UNIFORM; i++)
        speed[i] = ratio(busy[i], active * of[i]);
}

static void units_of(const report_launch *l, const figures *f, bounds *b)
{
    const config *c = l->cfg;
    double active = count(l, "sm[*].active_cycles");
    /* Of the time of the launch from its first CTA on. */
    double from_first = 1 - b->launching;
    static const uint8_t far[][2] = {{BOUND_L1, LEVEL_L1},
                                     {BOUND_NOC_UP, LEVEL_NOC_UP},
                                     {BOUND_NOC_DOWN, LEVEL_NOC_DOWN},
                                     {BOUND_L2, LEVEL_L2},
                                     {BOUND_DRAM, LEVEL_DRAM}};
    double l2_cycles = (double)l->cycles * c->l2.slices *
                       (c->l2.clock_khz ? c->l2.clock_khz : c->gpu.clock_khz) /
                       c->gpu.clock_khz * from_first;

    pipes(l, active, b->speed);
    b->speed[BOUND_ISSUE] =
        ratio((double)f->issued, active * c->sm.issue.schedulers);
    b->speed[BOUND_LSU] = ratio(count(l, "sm[*].lsu_busy"), active);
    b->speed[BOUND_SHARED] = ratio((double)f->banks.passes, active);
    b->speed[BOUND_ATOMICS] = ratio(count(l, "l2[*].atomic_cycles"), l2_cycles);
    for (unsigned i = 0; i < COUNTOF(far); i++) {
        const figure_level *v = &f->level[far[i][1]];

        b->speed[far[i][0]] = ratio(v->bandwidth, v->peak * from_first);
    }
    /* Of the L1s only those that had something to do. */
    b->speed[BOUND_L1] *= from_first * c->gpu.sms * (double)l->cycles / active;
}

/* ---- Which it is ---- */

static void waits_of(const figures *f, double with_warps, bounds *b)
{
    for (unsigned i = 0; i < f->stall_count; i++)
        for (unsigned k = 0; k < COUNTOF(stalls); k++)
            if (!strcmp(f->stalls[i].name, stalls[k].stall))
                b->wait[stalls[k].wait] += (double)f->stalls[i].slots;
    for (unsigned i = 0; i < BOUND_WAITS; i++)
        b->wait[i] = ratio(b->wait[i], with_warps);
}

static bound strongest(const double share[], unsigned n, bound_kind kind,
                       const bound *but)
{
    bound b = {.kind = BOUND_NOTHING};

    for (unsigned i = 0; i < n; i++) {
        if (but && but->kind == kind && but->which == i)
            continue;
        if (share[i] > b.share)
            b = (bound){.kind = kind, .which = i, .share = share[i]};
    }
    return b;
}

/* What has the most of the slots while warps are there. The load/store unit is
 * busy while the shared memory is: where that is most of it, it is no other. */
static bound of_active(const bounds *b, const bound *but)
{
    double speed[BOUND_UNITS];
    bound unit, wait;

    memcpy(speed, b->speed, sizeof speed);
    if (speed[BOUND_SHARED] >= 0.75 * speed[BOUND_LSU])
        speed[BOUND_LSU] = 0;
    unit = strongest(speed, BOUND_UNITS, BOUND_UNIT, but);
    wait = strongest(b->wait, BOUND_WAITS, BOUND_WAIT, but);
    if (unit.share >= FULL && !(but && but->kind == BOUND_UNIT))
        return unit;
    return wait.share >= unit.share ? wait : unit;
}

/* Are there fewer CTAs than places for them? */
static bool is_small(const report_launch *l)
{
    uint64_t places = (uint64_t)l->cfg->gpu.sms * l->ctas_per_sm;

    return l->grid[0] &&
           (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] <= places;
}

static bound of_empty(const report_launch *l, const bounds *b)
{
    if (b->launching >= b->idle)
        return (bound){.kind = BOUND_LAUNCH, .share = b->launching};
    return (bound){.kind = is_small(l) ? BOUND_SMALL : BOUND_TAIL,
                   .share = b->idle};
}

/* How much of the launch it is. */
static double weight(const bounds *b, const bound *x)
{
    switch (x->kind) {
    case BOUND_NOTHING:
        return 0;
    case BOUND_LAUNCH:
    case BOUND_SMALL:
    case BOUND_TAIL:
        return x->share;
    case BOUND_UNIT:
    case BOUND_WAIT:
        return x->share * (1 - b->launching - b->idle);
    }
    MUST(!"every value is above");
}

static bound_sure how_sure(const bounds *b)
{
    double first = weight(b, &b->first), next = weight(b, &b->next);

    /* A unit that is busy makes warps wait: that is no rival. */
    if (b->first.kind == BOUND_UNIT && b->first.share >= FULL)
        return first >= 0.6 ? BOUND_CLEARLY : BOUND_MOSTLY;
    if (first >= 0.6 && first >= 2 * next)
        return BOUND_CLEARLY;
    return first >= 0.4 && first > next ? BOUND_MOSTLY : BOUND_PARTLY;
}

void bounds_compute(const report_launch *l, const figures *f, bounds *out)
{
    double with_warps, all = (double)f->slots;

    *out = (bounds){.launching = NAN};
    if (!l->totals || !f->slots || !l->cycles)
        return;
    out->launching = (double)f->launching / (double)l->cycles;
    with_warps = all - count(l, "sm[*].stall_no_warp");
    out->idle = 1 - with_warps / all - out->launching;
    out->idle = out->idle > 0 ? out->idle : 0;
    units_of(l, f, out);
    waits_of(f, with_warps, out);
    bound empty = of_empty(l, out), active = of_active(out, NULL);
    if (out->launching + out->idle >= HALF_OF_IT) {
        out->first = empty;
        out->next = active;
    } else {
        out->first = active;
        out->next = of_active(out, &active);
        if (weight(out, &empty) > weight(out, &out->next))
            out->next = empty;
    }
    out->sure = how_sure(out);
}

/* ---- Text, JSON ---- */

void bounds_text(const bounds *b, FILE *to)
{
    if (b->first.kind == BOUND_NOTHING)
        return;
    fprintf(to, "\n  bound %s by %s: %s\n", bound_sure_name(b->sure),
            bound_name(&b->first), bound_figure(&b->first).s);
    if (b->next.kind != BOUND_NOTHING)
        fprintf(to, "    next: %s, %s\n", bound_name(&b->next),
                bound_figure(&b->next).s);
}

static const char *kind_id(bound_kind kind)
{
    switch (kind) {
    case BOUND_NOTHING:
        return "nothing";
    case BOUND_LAUNCH:
        return "launch";
    case BOUND_SMALL:
        return "small_grid";
    case BOUND_TAIL:
        return "tail";
    case BOUND_UNIT:
        return "unit";
    case BOUND_WAIT:
        return "wait";
    }
    MUST(!"every value is above");
}

/* "NOC_UP" as "noc_up". */
static const char *lower(const char *id, char to[32])
{
    size_t i = 0;

    for (; id[i] && i < 31; i++)
        to[i] =
            (char)(id[i] >= 'A' && id[i] <= 'Z' ? id[i] - 'A' + 'a' : id[i]);
    to[i] = '\0';
    return to;
}

static void put_bound(json *j, const char *key, const bound *b)
{
    char id[32];

    json_open(j, key, '{');
    json_text(j, "kind", kind_id(b->kind));
    if (b->kind == BOUND_UNIT)
        json_text(j, "which", lower(units[b->which].id, id));
    if (b->kind == BOUND_WAIT)
        json_text(j, "which", lower(waits[b->which].id, id));
    json_text(j, "name", bound_name(b));
    json_real(j, "share", b->share);
    json_close(j, '{');
}

void bounds_json(json *j, const bounds *b)
{
    char id[32];

    if (b->first.kind == BOUND_NOTHING)
        return;
    json_open(j, "bound", '{');
    put_bound(j, "by", &b->first);
    json_text(j, "sure", bound_sure_name(b->sure));
    put_bound(j, "next", &b->next);
    json_real(j, "launching", b->launching);
    json_real(j, "without_warps", b->idle);
    json_open(j, "units", '{');
    for (unsigned i = 0; i < BOUND_UNITS; i++)
        if (!isnan(b->speed[i]))
            json_real(j, lower(units[i].id, id), b->speed[i]);
    json_close(j, '{');
    json_open(j, "waits", '{');
    for (unsigned i = 0; i < BOUND_WAITS; i++)
        json_real(j, lower(waits[i].id, id), b->wait[i]);
    json_close(j, '{');
    json_close(j, '{');
}
