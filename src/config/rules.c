/* src/config/rules.c - rules between parameters, one line each. */
#include "config/rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "config/param.h"

typedef struct check {
    const config *cfg;
    const config_sheet *sheet; /* NULL: no places */
    diag *dg;
} check;

/* The path of a field, and a compile error if there is no such field. */
#define AT(field) (sizeof(((config *)0)->field) ? #field : NULL)

static void add_rule_message(check *c, diag_level level, const char *path,
                             const char *text)
{
    const config_param *p = config_param_find(path);
    config_origin o = {0};

    MUST(p != NULL);
    if (c->sheet)
        o = config_sheet_origin(c->sheet, p);
    diag_add(c->dg, level, o.file, o.line, o.column, o.length, "%s", text);
}

/* "this one is wrong", and a note where the other value comes from. `other`
 * may be NULL. */
static void broken_rule(check *c, const char *path, const char *other,
                        const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static void broken_rule(check *c, const char *path, const char *other,
                        const char *fmt, ...)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%s ", path);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
    va_end(ap);
    add_rule_message(c, DIAG_ERROR, path, text);
    if (other && c->sheet) {
        config_origin o =
            config_sheet_origin(c->sheet, config_param_find(other));
        strbuf value = {0};

        config_value(c->cfg, config_param_find(other), &value);
        snprintf(text, sizeof text, "%s is %s%s", other, value.text,
                 o.kind == CONFIG_FROM_DEFAULT ? " by default" : " here");
        add_rule_message(c, DIAG_NOTE, other, text);
        strbuf_fini(&value);
    }
}

/* a <= b, both numbers of the configuration. */
#define AT_MOST(c, a, b)                                                       \
    do {                                                                       \
        if ((c)->cfg->a > (c)->cfg->b)                                         \
            broken_rule(c, AT(a), AT(b),                                       \
                        "is %" PRIu64 ", more than " #b " (%" PRIu64 ")",      \
                        (uint64_t)(c)->cfg->a, (uint64_t)(c)->cfg->b);         \
    } while (0)

#define MULTIPLE(c, a, b)                                                      \
    do {                                                                       \
        if ((c)->cfg->b && (c)->cfg->a % (c)->cfg->b)                          \
            broken_rule(c, AT(a), AT(b),                                       \
                        "is %" PRIu64 ", not a multiple of " #b " (%" PRIu64   \
                        ")",                                                   \
                        (uint64_t)(c)->cfg->a, (uint64_t)(c)->cfg->b);         \
    } while (0)

static void check_cluster(check *c)
{
    const config *g = c->cfg;

    if (!bits_is_pow2(g->gpu.cluster.size))
        broken_rule(c, AT(gpu.cluster.size), NULL, "is %u, not 1, 2 or 4",
                    g->gpu.cluster.size);
    if (g->gpu.cluster.size == 1)
        return;
    AT_MOST(c, gpu.cluster.size, gpu.sms);
    if (g->sm.fetch.front_end == CFG_FRONT_END_GATED)
        broken_rule(
            c, AT(gpu.cluster.size), AT(sm.fetch.front_end),
            "is %u, but front ends without power are the cluster's there",
            g->gpu.cluster.size);
    if (g->sm.issue.hazard == CFG_HAZARD_CODES)
        broken_rule(c, AT(gpu.cluster.size), AT(sm.issue.hazard),
                    "is %u, but the scoreboards of control codes know one SM",
                    g->gpu.cluster.size);
}

static void check_gpu(check *c)
{
    static const struct {
        unsigned least, most;
    } capability[] = {[CFG_ARCH_FERMI] = {20, 21},
                      [CFG_ARCH_KEPLER] = {30, 37},
                      [CFG_ARCH_VOLTA] = {70, 90},
                      [CFG_ARCH_AMPERE] = {80, 90},
                      [CFG_ARCH_HOPPER] = {90, 90}};
    const config *g = c->cfg;
    unsigned least = capability[g->gpu.arch].least;
    unsigned most = capability[g->gpu.arch].most;

    if (g->gpu.capability < least || g->gpu.capability > most)
        broken_rule(c, AT(gpu.capability), AT(gpu.arch),
                    "is %u, but this gpu.arch has %u to %u", g->gpu.capability,
                    least, most);
    check_cluster(c);
    if (!bits_is_pow2(c->cfg->gpu.page_bytes))
        broken_rule(c, AT(gpu.page_bytes), NULL,
                    "is %" PRIu64 ", no power of two", c->cfg->gpu.page_bytes);
    AT_MOST(c, gpu.window, noc.latency);
    AT_MOST(c, gpu.max.cta_threads, sm.threads);
    AT_MOST(c, gpu.max.cta_x, gpu.max.cta_threads);
    AT_MOST(c, gpu.max.cta_y, gpu.max.cta_threads);
    AT_MOST(c, gpu.max.cta_z, gpu.max.cta_threads);
}

/* SMs that get no CTAs exist, and some are left. */
static void check_disabled(check *c)
{
    const config *g = c->cfg;
    const char *list = g->gpu.cta.disabled;
    unsigned left = 0, most = 0;

    if (!config_list_good(list)) {
        broken_rule(c, AT(gpu.cta.disabled), NULL,
                    "is '%s', not a list of SMs like \"0,4-7\"", list);
        return;
    }
    for (unsigned i = 0; i < g->gpu.sms; i++)
        left += !config_listed(list, i);
    for (const char *at = list; *at; at++) /* each number in it */
        if (at == list || strchr(",-", at[-1])) {
            unsigned n = (unsigned)strtoul(at, NULL, 10);

            most = n > most ? n : most;
        }
    if (most >= g->gpu.sms)
        broken_rule(c, AT(gpu.cta.disabled), AT(gpu.sms),
                    "names SM %u, but there are only 0 to %u", most,
                    g->gpu.sms - 1);
    else if (!left)
        broken_rule(c, AT(gpu.cta.disabled), AT(gpu.sms),
                    "leaves no SM for CTAs");
}

/* What clusters of SMs cannot have, which take CTAs in rows. */
static void check_clusters_ctas(check *c)
{
    const config *g = c->cfg;

    if (g->gpu.cta.queues > 1)
        broken_rule(c, AT(gpu.cta.queues), AT(gpu.cluster.size),
                    "is %u; clusters form by what one queue holds",
                    g->gpu.cta.queues);
    if (g->gpu.cta.release == CFG_CTA_RELEASE_WARP)
        broken_rule(c, AT(gpu.cta.release), AT(gpu.cluster.size),
                    "is warp, but members of a cluster hold the same slots");
    if (*g->gpu.cta.disabled)
        broken_rule(c, AT(gpu.cta.disabled), AT(gpu.cluster.size),
                    "names SMs, but clusters need all of theirs");
    if (g->gpu.load_weight.tree == CFG_LOAD_TREE_PIPELINED)
        broken_rule(c, AT(gpu.load_weight.tree), AT(gpu.cluster.size),
                    "is pipelined; rows of CTAs need their SMs at once");
    if (g->gpu.cta.block > 1)
        broken_rule(c, AT(gpu.cta.block), AT(gpu.cluster.size),
                    "is %u, but clusters take CTAs in rows, one for each SM",
                    g->gpu.cta.block);
    if (g->gpu.cta.limit == CFG_CTA_LIMIT_LAZY)
        broken_rule(c, AT(gpu.cta.limit), AT(gpu.cluster.size),
                    "is lazy, but members of a cluster hold the same slots");
}

static void check_cga(check *c)
{
    const config *g = c->cfg;

    if (g->gpu.capability < 90)
        broken_rule(c, AT(gpu.cga.most), AT(gpu.capability),
                    "is %u, but thread-block clusters exist from capability "
                    "9.0 on (gpu.capability=90)",
                    g->gpu.cga.most);
}

static void check_dispatch(check *c)
{
    const config *g = c->cfg;

    if (g->gpu.cga.most)
        check_cga(c);

    check_disabled(c);
    AT_MOST(c, gpu.cta.queues, gpu.concurrent);
    if (g->gpu.cta.limit == CFG_CTA_LIMIT_LAZY &&
        g->sm.issue.scheduler != CFG_SCHEDULER_GTO)
        broken_rule(c, AT(gpu.cta.limit), AT(sm.issue.scheduler),
                    "is lazy; only what the greedy scheduler issues tells how "
                    "many CTAs an SM needs: use sm.issue.scheduler=gto");
    if (g->gpu.cluster.size > 1)
        check_clusters_ctas(c);
}

static void check_tma(check *c)
{
    const config *g = c->cfg;

    if (g->sm.tma.queue < 32)
        broken_rule(c, AT(sm.tma.queue), AT(sm.warps),
                    "is %u, but the lanes of a warp may all ask at once: use "
                    "32 or more, or 0",
                    g->sm.tma.queue);
    if (g->gpu.capability < 90)
        broken_rule(c, AT(sm.tma.queue), AT(gpu.capability),
                    "is %u, but bulk copies exist from capability 9.0 on "
                    "(gpu.capability=90)",
                    g->sm.tma.queue);
}

static void check_sm(check *c)
{
    const config *g = c->cfg;
    unsigned s = g->sm.issue.schedulers;

    if (g->sm.threads > 32 * g->sm.warps)
        broken_rule(c, AT(sm.threads), AT(sm.warps),
                    "is %u, more than the %u of sm.warps (%u)", g->sm.threads,
                    32 * g->sm.warps, g->sm.warps);
    if (32 * g->sm.registers_per_thread > g->sm.registers)
        broken_rule(c, AT(sm.registers_per_thread), AT(sm.registers),
                    "is %u, so a warp needs %u, more than sm.registers (%u)",
                    g->sm.registers_per_thread, 32 * g->sm.registers_per_thread,
                    g->sm.registers);
    if (g->gpu.arch == CFG_ARCH_FERMI && g->sm.registers_per_thread > 63)
        broken_rule(
            c, AT(sm.registers_per_thread), AT(gpu.arch),
            "is %u, but instructions of fermi name 63 registers and the "
            "constant zero (kepler and later: 255)",
            g->sm.registers_per_thread);
    if (g->sm.tma.queue)
        check_tma(c);
    MULTIPLE(c, sm.warps, sm.issue.schedulers);
    AT_MOST(c, sm.shared_per_cta, sm.shared_bytes);
    AT_MOST(c, sm.issue.two_level_active, sm.warps);
    if (s % g->sm.fetch.ports && g->sm.fetch.ports % s)
        broken_rule(c, AT(sm.fetch.ports), AT(sm.issue.schedulers),
                    "is %u, which %u schedulers cannot share evenly",
                    g->sm.fetch.ports, s);
    if (g->sm.rf.bank_map == CFG_BANK_MAP_KEPLER && g->sm.rf.banks != 4)
        broken_rule(c, AT(sm.rf.banks), AT(sm.rf.bank_map),
                    "is %u; the kepler map has 4 banks", g->sm.rf.banks);
}

/* An instruction that awaits issue behind the table is alone there. */
static void check_staged(check *c)
{
    const config *g = c->cfg;

    if (g->sm.issue.hazard != CFG_HAZARD_TABLE || g->sm.issue.width == 1)
        return;
    if (g->sm.table.mode == CFG_TABLE_MODE_SERIAL)
        broken_rule(
            c, AT(sm.table.mode), AT(sm.issue.width),
            "is serial, one access a cycle, but a pair is checked at once; use "
            "sm.issue.width=1, or --gpu k20-single");
    if (g->sm.table.ready)
        broken_rule(c, AT(sm.table.ready), AT(sm.issue.width),
                    "is %u, but a pair is checked when it issues; use "
                    "sm.issue.width=1, or --gpu k20-single",
                    (unsigned)g->sm.table.ready);
}

#define GOES_WITH                                                              \
    ", which goes with issue by control codes: --gpu k20 has both, "           \
    "--gpu k20-single neither"

/* Parameters that hold for issue by control codes only, and those that do not
 * hold for it. */
static void check_dual(check *c)
{
    const config *g = c->cfg;
    bool turn = g->sm.issue.scheduler == CFG_SCHEDULER_TURN;
    bool current = g->sm.fetch.choice == CFG_FETCH_CHOICE_CURRENT;

    if (!g->sm.dual.codes) {
        if (g->sm.issue.width > 1)
            broken_rule(
                c, AT(sm.issue.width), AT(sm.dual.codes),
                "is %u; only control codes, which --gpu k20 obeys, say which "
                "instructions issue together",
                g->sm.issue.width);
        if (turn)
            broken_rule(c, AT(sm.issue.scheduler), AT(sm.dual.codes),
                        "is turn" GOES_WITH);
        if (g->sm.issue.hazard == CFG_HAZARD_CODES &&
            g->gpu.arch == CFG_ARCH_KEPLER)
            broken_rule(c, AT(sm.issue.hazard), AT(sm.dual.codes),
                        "is codes" GOES_WITH);
        if (current)
            broken_rule(c, AT(sm.fetch.choice), AT(sm.dual.codes),
                        "is current" GOES_WITH);
        if (g->sm.fetch.wrong_path)
            broken_rule(c, AT(sm.fetch.wrong_path), AT(sm.dual.codes),
                        "is true" GOES_WITH);
        return;
    }
    if (g->gpu.arch != CFG_ARCH_KEPLER)
        broken_rule(c, AT(sm.dual.codes), AT(gpu.arch),
                    "needs the control codes of kepler");
    if (g->sm.dual.pair - g->sm.dual.tail < 3)
        broken_rule(c, AT(sm.dual.pair), AT(sm.dual.tail),
                    "is 0x%02x, one of three codes of a pair's second",
                    g->sm.dual.pair);
    if (g->sm.issue.hazard == CFG_HAZARD_CODES && !g->sm.dual.waits)
        broken_rule(c, AT(sm.issue.hazard), AT(sm.dual.waits),
                    "is codes, but codes make no warp wait");
    check_staged(c);
    if (g->gpu.cluster.size > 1)
        broken_rule(
            c, AT(gpu.cluster.size), AT(sm.dual.codes),
            "is %u, but SMs that obey control codes issue for themselves "
            "alone; use --gpu k20-single",
            g->gpu.cluster.size);
    if (g->sm.fetch.ports != g->sm.issue.schedulers)
        broken_rule(
            c, AT(sm.fetch.ports), AT(sm.issue.schedulers),
            "is %u; with sm.dual.codes each of %u schedulers has a port",
            g->sm.fetch.ports, g->sm.issue.schedulers);
}

static void check_rf(check *c)
{
    const config *g = c->cfg;

    if (g->sm.rf.collect == CFG_COLLECT_PORTS && !g->sm.rf.per_scheduler)
        broken_rule(c, AT(sm.rf.per_scheduler), AT(sm.rf.collect),
                    "is false; dispatch ports are a scheduler's own");
    if (g->sm.rf.collect == CFG_COLLECT_PORTS && g->sm.rf.read_ports != 1)
        broken_rule(
            c, AT(sm.rf.read_ports), AT(sm.rf.collect),
            "is %u; for dispatch ports a bank reads one register a cycle; use "
            "sm.rf.collect=units, or --gpu k20-single",
            g->sm.rf.read_ports);
    if (g->sm.rf.collect == CFG_COLLECT_PORTS &&
        g->sm.rf.bank_map == CFG_BANK_MAP_WARP)
        broken_rule(
            c, AT(sm.rf.bank_map), AT(sm.rf.collect),
            "is warp; the banks of dispatch ports are those of the number");
}

enum { TABLE_SLOTS_MOST = 256 }; /* as TABLE_SLOTS of sm/hazard/table.h */

/* Lines of the hazard table. */
static void check_groups(check *c)
{
    const config *g = c->cfg;
    unsigned group = g->sm.table.group;

    if (group == 1)
        return;
    if (g->sm.warps % (g->sm.issue.schedulers * group))
        broken_rule(c, AT(sm.table.group), AT(sm.warps),
                    "is %u, which does not divide the warps of a scheduler: "
                    "sm.warps / sm.issue.schedulers = %u / %u",
                    group, g->sm.warps, g->sm.issue.schedulers);
    if (group * g->sm.table.slots > TABLE_SLOTS_MOST)
        broken_rule(c, AT(sm.table.group), AT(sm.table.slots),
                    "is %u; of %u slots each a warp could have more than %u",
                    group, (unsigned)g->sm.table.slots, TABLE_SLOTS_MOST);
    if (g->gpu.cluster.size > 1)
        broken_rule(c, AT(sm.table.group), AT(gpu.cluster.size),
                    "is %u, but SMs that share a front end hand over pending "
                    "results by warp; use sm.table.group=1",
                    group);
}

/* What issue and operand reads of modern cores cannot go with. */
static void check_modern(check *c)
{
    const config *g = c->cfg;
    bool reuse = g->sm.rf.cache == CFG_RF_CACHE_REUSE;

    if (reuse && g->sm.rf.collect < CFG_COLLECT_FIXED)
        broken_rule(c, AT(sm.rf.cache), AT(sm.rf.collect),
                    "is reuse, which goes with operands that are read in a "
                    "fixed window: sm.rf.collect=fixed or allocate");
    if (reuse && g->gpu.arch < CFG_ARCH_VOLTA)
        broken_rule(c, AT(sm.rf.cache), AT(gpu.arch),
                    "is reuse, but only instructions from volta on have reuse "
                    "bits");
    if (g->sm.rf.collect == CFG_COLLECT_ALLOCATE && g->sm.dual.codes)
        broken_rule(c, AT(sm.rf.collect), AT(sm.dual.codes),
                    "is allocate, whose stage takes one instruction a cycle, "
                    "not a pair");
    if (g->sm.constant.hold && g->sm.dual.codes)
        broken_rule(c, AT(sm.constant.hold), AT(sm.dual.codes),
                    "is %u; schedulers that obey control codes turn to another "
                    "warp at once",
                    g->sm.constant.hold);
    if (g->sm.constant.hold && g->gpu.cluster.size > 1)
        broken_rule(c, AT(sm.constant.hold), AT(gpu.cluster.size),
                    "is %u; members of a cluster look constants up before they "
                    "issue",
                    g->sm.constant.hold);
}

static void check_hazard(check *c)
{
    const config *g = c->cfg;

    if (g->sm.rf.write_width && g->sm.issue.hazard == CFG_HAZARD_CODES)
        broken_rule(
            c, AT(sm.rf.write_width), AT(sm.issue.hazard),
            "is %u; control codes count on results whose registers are all "
            "written at once",
            g->sm.rf.write_width);
    if (g->sm.rf.write_width && g->sm.issue.hazard == CFG_HAZARD_COUNTED)
        broken_rule(c, AT(sm.rf.write_width), AT(sm.issue.hazard),
                    "is %u; a result that is counted is written at once",
                    g->sm.rf.write_width);
    check_groups(c);
    if (g->sm.table.mask && g->sm.table.empty != CFG_TABLE_EMPTY_VALID)
        broken_rule(c, AT(sm.table.mask), AT(sm.table.empty),
                    "needs slots that say by a bit whether they are used");
}

/* A class whose unit has no instance cannot run. Only the tensor class may be
 * missing: programs that use it are refused. */
static void check_units(check *c)
{
    const config *g = c->cfg;

    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        char other[96];
        cfg_unit unit;
        config_unit n;

        if (strncmp(p->path, "sm.op.", 6) || strcmp(p->id, "unit") ||
            !strcmp(p->path, "sm.op.tensor.unit"))
            continue;
        unit = (cfg_unit)config_number(g, p);
        n = config_unit_get(g, unit);
        snprintf(
            other, sizeof other, "sm.unit.%s.private",
            p->choices[unit == CFG_UNIT_FMA_HEAVY ? CFG_UNIT_FMA : unit].text);
        if (n.private + n.shared == 0)
            broken_rule(c, p->path, other, "is %s, of which there is none",
                        p->choices[unit].text);
    }
    for (cfg_unit u = 0; u <= CFG_UNIT_UNIFORM; u++) {
        unsigned shared = config_unit_get(g, u).shared;
        const config_param *names = config_param_find("sm.op.nop.unit");
        char path[96];

        snprintf(path, sizeof path, "sm.unit.%s.shared",
                 names->choices[u].text);
        if (shared > g->sm.issue.schedulers)
            broken_rule(c, path, AT(sm.issue.schedulers),
                        "is %u, more than sm.issue.schedulers (%u)", shared,
                        g->sm.issue.schedulers);
    }
}

/* Every cache that exists holds a whole number of sets. */
static void check_read_cache(check *c, const char *path, uint64_t bytes,
                             unsigned line, unsigned ways)
{
    char at[64];

    snprintf(at, sizeof at, "%s.bytes", path);
    if (bytes % ((uint64_t)line * ways) != 0)
        broken_rule(c, at, NULL,
                    "is %" PRIu64
                    ", not a multiple of %u ways of %u-byte lines",
                    bytes, ways, line);
}

static void check_read_caches(check *c)
{
    const config *g = c->cfg;

#define ONE(f) check_read_cache(c, #f, g->f.bytes, g->f.line, g->f.ways)
    ONE(sm.l0i);
    ONE(sm.l1i);
    ONE(sm.l15);
    ONE(sm.constant.l1);
#undef ONE
    if (!g->sm.l0i.bytes && !g->sm.l1i.bytes && !g->sm.fetch.perfect)
        broken_rule(c, AT(sm.l1i.bytes), AT(sm.l0i.bytes),
                    "is 0; without any first level fetch must be perfect");
    if (!g->sm.constant.l1.bytes && !g->sm.constant.perfect)
        broken_rule(c, AT(sm.constant.l1.bytes), AT(sm.constant.perfect),
                    "is 0; without it constants must be perfect");
}

static void check_sets(check *c, const char *sets, const char *index,
                       cfg_index how, unsigned n)
{
    if (how != CFG_INDEX_MOD && !bits_is_pow2(n))
        broken_rule(c, sets, index,
                    "is %u; only index mod allows other than a power "
                    "of two",
                    n);
}

/* What messages between caches carry, see mem/port.h. */
enum { LINE_BYTES = 128, SECTOR_BYTES = 32 };

static void check_line(check *c, const char *line, unsigned bytes,
                       const char *sector, unsigned part)
{
    if (bytes != LINE_BYTES)
        broken_rule(c, line, NULL,
                    "is %u; caches of data have lines of %d bytes", bytes,
                    LINE_BYTES);
    if (part < SECTOR_BYTES)
        broken_rule(c, sector, NULL,
                    "is %u, less than the %d bytes that are moved", part,
                    SECTOR_BYTES);
}

static void check_reod(check *c)
{
    const config *g = c->cfg;

    if (g->l1.queue != CFG_L1_QUEUE_REOD)
        return;
    AT_MOST(c, l1.reod.queues, l1.sets);
    if (!g->l1.globals && !g->l1.locals)
        broken_rule(c, AT(l1.queue), AT(l1.globals),
                    "is reod, but nothing is cached that could wait for a set");
}

/* A queue that no warp or CTA of the SM enters. */
static void check_mrpb(check *c)
{
    const config *g = c->cfg;

    if (g->l1.queue != CFG_L1_QUEUE_MRPB)
        return;
    if (g->l1.mrpb.signature == CFG_MRPB_SIGNATURE_WARP)
        AT_MOST(c, l1.mrpb.queues, sm.warps);
    else
        AT_MOST(c, l1.mrpb.queues, sm.ctas);
}

static void check_mascar(check *c)
{
    const config *g = c->cfg;

    if (g->l1.queue != CFG_L1_QUEUE_MASCAR)
        return;
    if (g->l1.mascar.owner && g->sm.dual.codes)
        broken_rule(c, AT(l1.mascar.owner), AT(sm.dual.codes),
                    "is true, but schedulers that obey control codes choose no "
                    "owner");
    if (g->l1.mascar.owner && g->gpu.cluster.size > 1)
        broken_rule(c, AT(l1.mascar.owner), AT(gpu.cluster.size),
                    "is true, but each member's memory would choose another "
                    "warp for all of a cluster");
}

static void check_l1(check *c)
{
    const config *g = c->cfg;

    check_sets(c, AT(l1.sets), AT(l1.index), g->l1.index, g->l1.sets);
    AT_MOST(c, l1.sector, l1.line);
    AT_MOST(c, l1.line, l2.line);
    MULTIPLE(c, l1.sector, l2.sector);
    if (g->l1.line / g->l1.sector > 32)
        broken_rule(c, AT(l1.line), AT(l1.sector), "has more than 32 sectors");
    if (g->l1.carveout != CFG_CARVEOUT_FIXED &&
        g->sm.shared_bytes >= config_l1_bytes(g))
        broken_rule(c, AT(sm.shared_bytes), AT(l1.carveout),
                    "is %" PRIu64 ", which leaves nothing of the %" PRIu64
                    " bytes it shares with the L1",
                    g->sm.shared_bytes, config_l1_bytes(g));
    if (!config_list_good(g->l1.carveouts))
        broken_rule(c, AT(l1.carveouts), NULL,
                    "is '%s', not a list of sizes in KB like \"8,16,32\"",
                    g->l1.carveouts);
    check_line(c, AT(l1.line), g->l1.line, AT(l1.sector), g->l1.sector);
    check_reod(c);
    check_mrpb(c);
    check_mascar(c);
}

static void check_rocache(check *c)
{
    const config *g = c->cfg;

    if (!g->rocache.sets)
        return;
    check_sets(c, AT(rocache.sets), AT(rocache.index), g->rocache.index,
               g->rocache.sets);
    MULTIPLE(c, rocache.sector, l2.sector);
}

static void check_l2(check *c)
{
    const config *g = c->cfg;

    check_sets(c, AT(l2.sets), AT(l2.index), g->l2.index, g->l2.sets);
    AT_MOST(c, l2.sector, l2.line);
    AT_MOST(c, l2.line, l2.interleave);
    if (g->l2.line / g->l2.sector > 32)
        broken_rule(c, AT(l2.line), AT(l2.sector), "has more than 32 sectors");
    MULTIPLE(c, l2.slices, dram.channels);
    if (g->l2.slices / g->dram.channels > CONFIG_CHANNEL_SLICES)
        broken_rule(c, AT(l2.slices), AT(dram.channels),
                    "is %u, more than %d for each of dram.channels (%u)",
                    g->l2.slices, CONFIG_CHANNEL_SLICES, g->dram.channels);
    check_line(c, AT(l2.line), g->l2.line, AT(l2.sector), g->l2.sector);
    MULTIPLE(c, dram.channels, l2.partitions);
}

static void check_dram(check *c)
{
    const config *g = c->cfg;
    unsigned access = g->dram.bus_bytes * g->dram.burst;

    MULTIPLE(c, dram.banks, dram.bank_groups);
    MULTIPLE(c, dram.row_bytes, l2.line);
    if (access > g->l2.line)
        broken_rule(c, AT(dram.burst), AT(l2.line),
                    "makes accesses of %u bytes, more than l2.line (%u)",
                    access, g->l2.line);
    AT_MOST(c, dram.write_high, dram.write_queue);
    if (g->dram.write_low >= g->dram.write_high)
        broken_rule(c, AT(dram.write_low), AT(dram.write_high),
                    "is %u, not less than dram.write_high (%u)",
                    g->dram.write_low, g->dram.write_high);
    AT_MOST(c, dram.t_ras, dram.t_rc);
    AT_MOST(c, dram.t_ccd_s, dram.t_ccd_l);
    if (g->dram.refresh && g->dram.t_rfc >= g->dram.t_refi)
        broken_rule(c, AT(dram.t_rfc), AT(dram.t_refi),
                    "is %u, not less than dram.t_refi (%u)", g->dram.t_rfc,
                    g->dram.t_refi);
    if (g->dram.refresh && g->dram.t_rfc_bank >= g->dram.t_refi)
        broken_rule(c, AT(dram.t_rfc_bank), AT(dram.t_refi),
                    "is %u, not less than dram.t_refi (%u)", g->dram.t_rfc_bank,
                    g->dram.t_refi);
}

static status check_all(check *c)
{
    size_t before = diag_errors(c->dg);

    check_gpu(c);
    check_dispatch(c);
    check_sm(c);
    check_dual(c);
    check_rf(c);
    check_modern(c);
    check_hazard(c);
    check_units(c);
    check_read_caches(c);
    check_l1(c);
    check_rocache(c);
    check_l2(c);
    check_dram(c);
    return diag_errors(c->dg) == before ? ST_OK : ST_CONFIG;
}

status config_sheet_check(const config_sheet *s, diag *dg)
{
    return check_all(&(check){config_sheet_values(s), s, dg});
}

status config_check(const config *cfg, diag *dg)
{
    return check_all(&(check){cfg, NULL, dg});
}
