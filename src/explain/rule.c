#include "explain/rule.h"

#include <math.h>
#include <string.h>

#include "base/must.h"
#include "config/param.h"
#include "text/word.h"

/* ---- Shares ---- */

/* Of the cycles of the launch those in which SMs have warps. */
static double active(const look *k) { return 1 - k->b.launching - k->b.idle; }

static double known(double share) { return isnan(share) ? 0 : share; }

static double larger(double a, double b) { return a > b ? a : b; }

static double waits(const look *k, bound_wait w)
{
    return active(k) * known(k->b.wait[w]);
}

static double speed(const look *k, bound_unit u)
{
    return active(k) * known(k->b.speed[u]);
}

/* What the memory behind the SMs has of the time: waiting, or busy. */
static double memory(const look *k)
{
    double most = waits(k, BOUND_WAIT_MEMORY) + waits(k, BOUND_WAIT_ACCESSES);
    static const bound_unit units[] = {BOUND_LSU,      BOUND_L1, BOUND_NOC_UP,
                                       BOUND_NOC_DOWN, BOUND_L2, BOUND_DRAM};

    for (unsigned i = 0; i < COUNTOF(units); i++)
        most = larger(most, speed(k, units[i]));
    return most < 1 ? most : 1;
}

static double miss_rate(const look *k, unsigned level)
{
    return 1 - known(k->f.level[level].hit_rate);
}

/* ---- Shared memory ---- */

static double most_banks(const look *k)
{
    double lost = known(k->f.banks.cycles) * active(k);

    return larger(lost, speed(k, BOUND_SHARED) * known(k->f.banks.lost));
}

static void set_banks(const look *k, strbuf *to)
{
    (void)k;
    strbuf_puts(to, "sm.shared.perfect=true");
}

static uint64_t line_banks(const sm_profile_row *r)
{
    return r->shared_conflicts;
}

static void figure_banks_of(const look *k, const look_line *w, strbuf *to)
{
    const sm_profile_row *r = w ? &w->sum : &k->all;

    strbuf_printf(to, "%.1f passes per access, %.1f of them for conflicts",
                  word_share(r->shared_passes, r->mem_shared),
                  word_share(r->shared_conflicts, r->mem_shared));
}

/* ---- Coalescing ---- */

static double excess(const sm_profile_row *r)
{
    return r->sectors > r->sectors_least
               ? 1 - (double)r->sectors_least / (double)r->sectors
               : 0;
}

static double most_coalesced(const look *k)
{
    return excess(&k->all) * memory(k);
}

static void set_coalesced(const look *k, strbuf *to)
{
    (void)k;
    strbuf_puts(to, "sm.lsu.perfect=true");
}

static uint64_t line_coalesced(const sm_profile_row *r)
{
    return r->sectors - r->sectors_least;
}

static void figure_coalesced(const look *k, const look_line *w, strbuf *to)
{
    const sm_profile_row *r = w ? &w->sum : &k->all;

    strbuf_printf(to,
                  "%.1f sectors of 32 bytes per access, its bytes need %.1f",
                  word_share(r->sectors, r->tx_insts),
                  word_share(r->sectors_least, r->tx_insts));
}

/* ---- Caches ---- */

/* What no SM has asked for before no cache would have: of the misses those
 * count that the L2 has, as somebody asked before. */
static double most_l1(const look *k)
{
    return memory(k) * miss_rate(k, LEVEL_L1) *
           known(k->f.level[LEVEL_L2].hit_rate);
}

static void set_l1(const look *k, strbuf *to)
{
    (void)k;
    strbuf_puts(to, "l1.perfect=true");
}

static uint64_t line_memory(const sm_profile_row *r)
{
    return r->stall[WHY_RAW_MEM] + r->stall[WHY_LSU];
}

static uint64_t line_misses(const sm_profile_row *r)
{
    return r->reads - r->read_hits;
}

static void figure_level_of(const look *k, unsigned level, strbuf *to)
{
    strbuf_printf(to, "%s of its loads hit in the %s",
                  word_percent(k->f.level[level].hit_rate).s,
                  k->f.level[level].name);
}

static void figure_l1(const look *k, const look_line *w, strbuf *to)
{
    if (w && w->sum.reads)
        strbuf_printf(
            to, "%s of its loads find all data in the L1",
            word_percent(word_share(w->sum.read_hits, w->sum.reads)).s);
    else
        figure_level_of(k, LEVEL_L1, to);
}

static double most_l2(const look *k)
{
    double dram = speed(k, BOUND_DRAM);

    return larger(dram, waits(k, BOUND_WAIT_MEMORY) * miss_rate(k, LEVEL_L1) *
                            miss_rate(k, LEVEL_L2));
}

static void set_l2(const look *k, strbuf *to)
{
    (void)k;
    strbuf_puts(to, "l2.perfect=true");
}

static void figure_l2(const look *k, const look_line *w, strbuf *to)
{
    (void)w;
    figure_level_of(k, LEVEL_L2, to);
    strbuf_printf(to, "; DRAM moves %s, %s of its peak",
                  word_bytes((double)k->f.level[LEVEL_DRAM].bytes).s,
                  word_percent(k->b.speed[BOUND_DRAM]).s);
}

/* ---- Local memory ---- */

static double most_local(const look *k)
{
    return memory(k) * known(word_share(k->all.mem_local, k->all.tx_insts));
}

static void set_local(const look *k, strbuf *to)
{
    (void)k;
    strbuf_puts(to, "sm.lsu.perfect_local=true");
}

static uint64_t line_local(const sm_profile_row *r) { return r->mem_local; }

static void figure_local(const look *k, const look_line *w, strbuf *to)
{
    (void)w;
    strbuf_printf(
        to, "%s of the accesses that leave the SM are of local memory",
        word_percent(word_share(k->all.mem_local, k->all.tx_insts)).s);
    if (k->spill_bytes)
        strbuf_printf(to, "; %u bytes of each thread's registers are spilled",
                      k->spill_bytes);
}

/* ---- Latency ---- */

/* A unit that is busy hides what shorter latencies would gain. */
static double most_latency(const look *k)
{
    return waits(k, BOUND_WAIT_MEMORY) / 2;
}

static void set_latency(const look *k, strbuf *to)
{
    const config *c = k->cfg;

    strbuf_printf(to,
                  "l1.latency=%u,noc.latency=%u,l2.latency=%u,dram.latency=%u",
                  c->l1.latency / 2, c->noc.latency / 2, c->l2.latency / 2,
                  c->dram.latency / 2);
}

static void figure_latency(const look *k, const look_line *w, strbuf *to)
{
    (void)w;
    strbuf_printf(to, "%s warps of %u are there to hide it",
                  word_real(k->f.warps, 1).s, k->cfg->sm.warps);
}

static double most_arithmetic(const look *k)
{
    return waits(k, BOUND_WAIT_ARITHMETIC);
}

static void set_arithmetic(const look *k, strbuf *to)
{
    const char *before = "";

    (void)k;
#define CLASS(id, name, help)                                                  \
    if (k->f.slots && ISA_CLASS_##id != ISA_CLASS_MEM &&                       \
        ISA_CLASS_##id != ISA_CLASS_TEX && ISA_CLASS_##id != ISA_CLASS_LDC &&  \
        ISA_CLASS_##id != ISA_CLASS_TENSOR &&                                  \
        ISA_CLASS_##id != ISA_CLASS_BARRIER) {                                 \
        strbuf_printf(to, "%ssm.op." #name ".latency=%u", before,              \
                      (k->cfg->sm.op.name.latency + 1) / 2);                   \
        before = ",";                                                          \
    }
#include "isa/class.def"
#undef CLASS
}

static uint64_t line_arithmetic(const sm_profile_row *r)
{
    return r->stall[WHY_RAW_ALU] + r->stall[WHY_RAW_PRED] + r->stall[WHY_CODE];
}

static void figure_stalls(const look *k, const look_line *w, strbuf *to)
{
    if (w && w->stall)
        strbuf_printf(to, "%s of the slots there are lost for %s",
                      word_percent(w->reason).s, w->stall);
    else
        figure_latency(k, w, to);
}

/* ---- Occupancy ---- */

static double most_occupancy(const look *k)
{
    unsigned more = k->ctas * 2 * k->warps > k->cfg->sm.warps
                        ? k->cfg->sm.warps
                        : k->ctas * 2 * k->warps;
    double hidden = 1 - (double)(k->ctas * k->warps) / (more ? more : 1);

    return (waits(k, BOUND_WAIT_MEMORY) + waits(k, BOUND_WAIT_ARITHMETIC) +
            waits(k, BOUND_WAIT_BARRIER)) *
           larger(hidden, 0);
}

static void set_occupancy(const look *k, strbuf *to)
{
    const config *c = k->cfg;

    if (!k->limiter)
        return;
    if (!strcmp(k->limiter, "registers"))
        strbuf_printf(to, "sm.registers=%u", c->sm.registers * 2);
    else if (!strcmp(k->limiter, "shared memory"))
        strbuf_printf(to, "sm.shared_bytes=%llu",
                      (unsigned long long)c->sm.shared_bytes * 2);
    else if (!strcmp(k->limiter, "CTA slots"))
        strbuf_printf(to, "sm.ctas=%u", c->sm.ctas * 2);
    else
        strbuf_printf(to, "sm.warps=%u,sm.threads=%u", c->sm.warps * 2,
                      c->sm.threads * 2);
}

static void figure_occupancy(const look *k, const look_line *w, strbuf *to)
{
    (void)w;
    strbuf_printf(to, "%u CTA%s of %u warp%s fit%s an SM, by %s", k->ctas,
                  word_plural(k->ctas), k->warps, word_plural(k->warps),
                  k->ctas == 1 ? "s" : "", k->limiter ? k->limiter : "size");
    if (k->step.registers)
        strbuf_printf(to, "; %u with %u registers instead of %u", k->step.ctas,
                      k->step.registers, k->registers);
    else if (k->step.shared)
        strbuf_printf(to, "; %u with %s of shared memory instead of %s",
                      k->step.ctas, word_bytes((double)k->step.shared).s,
                      word_bytes((double)k->shared_bytes).s);
}

/* ---- Units ---- */

static bound_unit busiest_pipe(const look *k)
{
    bound_unit most = BOUND_FMA;

    for (unsigned i = BOUND_FMA; i <= BOUND_UNIFORM; i++)
        if (known(k->b.speed[i]) > known(k->b.speed[most]))
            most = (bound_unit)i;
    return most;
}

static double most_pipe(const look *k)
{
    double busy = speed(k, busiest_pipe(k));

    return larger(waits(k, BOUND_WAIT_PIPE), busy > 0.4 ? busy : 0) / 2;
}

static void set_pipe(const look *k, strbuf *to)
{
    static const char *const names[] = {"fma",    "alu",    "mul", "fp64",
                                        "half",   "xu",     "tex", "ctl",
                                        "tensor", "uniform"};
    const char *name = names[busiest_pipe(k) - BOUND_FMA];
    strbuf path = {0};

    static const char *const kinds[] = {"private", "shared"};
    for (unsigned i = 0; i < 2; i++) {
        strbuf_printf(&path, "sm.unit.%s.%s", name, kinds[i]);
        const config_param *p = config_param_find(path.text);
        uint64_t n = p ? config_number(k->cfg, p) : 0;

        if (n)
            strbuf_printf(to, "%s%s=%llu", to->size ? "," : "", path.text,
                          (unsigned long long)n * 2);
        strbuf_fini(&path);
        path = (strbuf){0};
    }
}

static uint64_t line_pipe(const sm_profile_row *r)
{
    return r->stall[WHY_UNIT] + r->stall[WHY_COLLECTOR];
}

static void figure_pipe(const look *k, const look_line *w, strbuf *to)
{
    bound_unit u = busiest_pipe(k);

    (void)w;
    strbuf_printf(to, "the %s is %s busy", bound_unit_name(u),
                  word_percent(k->b.speed[u]).s);
}

static uint64_t line_accesses(const sm_profile_row *r) { return r->tx; }

static double most_accesses(const look *k)
{
    double full = 0;

    for (unsigned i = 0; i < k->f.stall_count; i++)
        if (!strcmp(k->f.stalls[i].name, "lsu_full"))
            full = (double)k->f.stalls[i].slots / (double)k->f.slots;
    full = larger(full, waits(k, BOUND_WAIT_ACCESSES));
    /* Bank conflicts fill the queue as well: that is another rule's. */
    return full *
           (1 - speed(k, BOUND_SHARED) / larger(speed(k, BOUND_LSU), 1e-9));
}

/* As many as the machine can be given. */
static unsigned times(unsigned v, unsigned by, unsigned most)
{
    return v > most / by ? most : v * by;
}

static void set_misses(const look *k, strbuf *to)
{
    const config *c = k->cfg;

    strbuf_printf(to,
                  "l1.mshrs=%u,l1.merges=%u,l1.miss_queue=%u,sm.lsu.pending=%u,"
                  "sm.lsu.queue=%u",
                  times(c->l1.mshrs, 8, 65536), times(c->l1.merges, 8, 4096),
                  times(c->l1.miss_queue, 8, 65536),
                  times(c->sm.lsu.pending, 4, 4096),
                  times(c->sm.lsu.queue, 4, 256));
}

static void figure_misses(const look *k, const look_line *w, strbuf *to)
{
    (void)w;
    strbuf_printf(to, "%s of the slots find the load/store queue full",
                  word_percent(k->b.wait[BOUND_WAIT_ACCESSES]).s);
}

static double most_atomics(const look *k)
{
    return speed(k, BOUND_ATOMICS) > 0.2 ? speed(k, BOUND_ATOMICS) : 0;
}

static void set_atomics(const look *k, strbuf *to)
{
    (void)k;
    strbuf_puts(to, "l2.atomic_same=0,l2.atomic_lanes=32");
}

static void figure_atomics(const look *k, const look_line *w, strbuf *to)
{
    (void)w;
    strbuf_printf(to, "atomic units of the L2 are %s busy",
                  word_percent(k->b.speed[BOUND_ATOMICS]).s);
}

/* ---- Fetch, launch ---- */

static double most_code(const look *k) { return waits(k, BOUND_WAIT_CODE); }

static void set_code(const look *k, strbuf *to)
{
    (void)k;
    strbuf_puts(to, "sm.fetch.perfect=true");
}

static uint64_t line_code(const sm_profile_row *r)
{
    return r->stall[WHY_ICACHE] + r->stall[WHY_FETCH];
}

static double most_constants(const look *k)
{
    return waits(k, BOUND_WAIT_CONSTANT);
}

static void set_constants(const look *k, strbuf *to)
{
    (void)k;
    strbuf_puts(to, "sm.constant.perfect=true");
}

static uint64_t line_constants(const sm_profile_row *r)
{
    return r->stall[WHY_CONSTANT];
}

static double most_launch(const look *k) { return known(k->b.launching); }

static void set_launch(const look *k, strbuf *to)
{
    if (k->cfg->gpu.launch_latency)
        strbuf_puts(to, "gpu.launch_latency=0");
}

static void figure_launch(const look *k, const look_line *w, strbuf *to)
{
    (void)w;
    strbuf_printf(to,
                  "%s of the cycles of %s launch%s pass before the first CTA",
                  word_percent(k->b.launching).s, word_grouped(k->launches).s,
                  k->launches == 1 ? "" : "es");
}

/* ---- What no change of the machine is like ---- */

static double most_divergence(const look *k)
{
    return active(k) * (1 - known(k->lanes));
}

static uint64_t line_divergence(const sm_profile_row *r)
{
    return r->insts * ISA_WARP - r->lanes;
}

static void figure_divergence(const look *k, const look_line *w, strbuf *to)
{
    double lanes =
        w ? word_share(w->sum.lanes, w->sum.insts) : k->lanes * ISA_WARP;

    strbuf_printf(to, "%.1f lanes of 32 execute", lanes);
}

static double most_barrier(const look *k)
{
    return waits(k, BOUND_WAIT_BARRIER);
}

static uint64_t line_barrier(const sm_profile_row *r)
{
    return r->stall[WHY_BARRIER];
}

static double most_idle(const look *k) { return known(k->b.idle); }

static void figure_idle(const look *k, const look_line *w, strbuf *to)
{
    uint64_t ctas = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    uint64_t places = (uint64_t)k->cfg->gpu.sms * k->ctas;

    (void)w;
    strbuf_printf(to, "%s of the slots are of SMs without a warp",
                  word_percent(k->b.idle).s);
    if (ctas && places)
        strbuf_printf(to, "; %s CTA%s in %s place%s", word_grouped(ctas).s,
                      word_plural(ctas), word_grouped(places).s,
                      word_plural(places));
}

static double most_issue(const look *k)
{
    double used = speed(k, BOUND_ISSUE);

    return used >= 0.5 ? used : 0;
}

static uint64_t line_issue(const sm_profile_row *r) { return r->insts; }

static void figure_issue(const look *k, const look_line *w, strbuf *to)
{
    (void)w;
    strbuf_printf(to, "%s of the issue slots are used",
                  word_percent(k->b.speed[BOUND_ISSUE]).s);
}

/* ---- The table ---- */

static const explain_rule rules[] = {
    {"banks", "no bank conflicts",
     "pad rows of the shared array by one element, or let neighbouring lanes "
     "take neighbouring words",
     most_banks, set_banks, line_banks, figure_banks_of},
    {"coalescing", "accesses of a warp side by side",
     "let neighbouring lanes access neighbouring words: structures of arrays, "
     "or a tile in shared memory",
     most_coalesced, set_coalesced, line_coalesced, figure_coalesced},
    {"reuse", "all loads hit in the L1",
     "keep what is used again in registers or shared memory: tiles, "
     "blocking, a layout that fits a line",
     most_l1, set_l1, line_misses, figure_l1},
    {"local", "local memory costs nothing",
     "more registers for a thread or less live data, if it is spills; indices "
     "known at compile time, or shared memory, if it is arrays",
     most_local, set_local, line_local, figure_local},
    {"dram", "everything is in the L2",
     "move fewer bytes: smaller types, one pass instead of several, a part of "
     "the data at a time that fits the L2; what is read once has to come",
     most_l2, set_l2, line_misses, figure_l2},
    {"latency", "half the latency of memory",
     "have more loads under way: unroll, load early, load wider, more warps",
     most_latency, set_latency, line_memory, figure_latency},
    {"arithmetic", "half the latency of arithmetic",
     "give each thread independent work: unroll, several accumulators",
     most_arithmetic, set_arithmetic, line_arithmetic, figure_stalls},
    {"occupancy", "twice of what limits the CTAs of an SM",
     "use less of it: __launch_bounds__ or -maxrregcount, smaller tiles, "
     "CTAs of another size",
     most_occupancy, set_occupancy, NULL, figure_occupancy},
    {"pipe", "twice the busiest pipe",
     "use it less: cheaper instructions, another precision, tensor cores",
     most_pipe, set_pipe, line_pipe, figure_pipe},
    {"misses", "eight times the misses under way",
     "fewer and wider accesses; asynchronous copies to shared memory",
     most_accesses, set_misses, line_accesses, figure_misses},
    {"atomics", "atomics of one word side by side",
     "add up in registers or shared memory first, then one atomic for a warp "
     "or CTA",
     most_atomics, set_atomics, line_memory, figure_atomics},
    {"code", "instructions are always there",
     "shorter code: less unrolling, fewer inlined calls", most_code, set_code,
     line_code, figure_stalls},
    {"constants", "constants are always there",
     "constants that all lanes share, and fewer of them; launch more work at "
     "once, so that the first misses count less",
     most_constants, set_constants, line_constants, figure_stalls},
    {"launch", "launches without latency",
     "fewer, larger launches: join kernels, use graphs", most_launch,
     set_launch, NULL, figure_launch},
    {"issue", "fewer instructions",
     "each instruction less counts: strength reduction, wider loads, less "
     "address arithmetic",
     most_issue, NULL, line_issue, figure_issue},
    {"divergence", "all lanes execute",
     "sort work so that lanes of a warp go the same way; shorter branches",
     most_divergence, NULL, line_divergence, figure_divergence},
    {"barriers", "no waiting at barriers",
     "less work between barriers for some warps only, smaller CTAs, barriers "
     "of a warp",
     most_barrier, NULL, line_barrier, figure_stalls},
    {"fill", "a grid that fills the GPU to its end",
     "more and smaller CTAs, a multiple of what the GPU holds at once; other "
     "work in another stream",
     most_idle, NULL, NULL, figure_idle},
};

size_t explain_rule_count(void) { return COUNTOF(rules); }

const explain_rule *explain_rule_get(size_t i) { return &rules[i]; }

const explain_rule *explain_rule_find(const char *id)
{
    for (size_t i = 0; i < COUNTOF(rules); i++)
        if (!strcmp(rules[i].id, id))
            return &rules[i];
    return NULL;
}
