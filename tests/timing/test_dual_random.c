/* tests/timing/test_dual_random.c - random programs with control codes on whole
 * machines that obey them, beside the other mechanisms: memory is left as
 * without timing, energy adds up, and nothing depends on how it is simulated.
 * In the environment SEED=s and N=n run n others from s on; SHOW=1 tells what
 * runs. */
#include "energy/energy.h"
#include "machine.h"
#include "unit/sm/dual_random.h"

static void pick_hazard(machine *m, rng *r)
{
    static const char *const hazard[] = {"counted",   "counted", "scoreboard",
                                         "unlimited", "none",    "table",
                                         "table",     "table"};
    static const char *const release[] = {"slot", "register"};
    const char *h = PICK(r, hazard);
    bool table = !strcmp(h, "table");
    bool stage = table && !rng_below(r, 3);

    machine_set(m, "sm.issue.hazard=%s", h);
    machine_set(m, "sm.issue.width=%u", stage ? 1 : 1 + !!rng_below(r, 4));
    if (strcmp(h, "counted") != 0 && !rng_below(r, 3))
        machine_set(m, "sm.rf.write_width=%u", 1 + rng_below(r, 2));
    if (!table)
        return;
    machine_set(m, "sm.table.release=%s", PICK(r, release));
    machine_set(m, "sm.table.slots=%u", 2 + rng_below(r, 7));
    if (rng_below(r, 2))
        machine_set(m, "sm.table.ports=1");
    if (rng_below(r, 2))
        machine_set(m, "sm.table.mask=true");
    if (!stage)
        return;
    if (rng_below(r, 2))
        machine_set(m, "sm.table.mode=serial");
    machine_set(m, "sm.table.ready=%u", rng_below(r, 5));
}

static void pick_memory(machine *m, rng *r)
{
    static const char *const queue[] = {"fifo", "reod", "mrpb"};

    machine_set(m, "l1.globals=true");
    machine_set(m, "l1.queue=%s", PICK(r, queue));
    machine_set(m, "sm.lsu.queue=%u", 1 + rng_below(r, 8));
    if (!rng_below(r, 4))
        machine_set(m, "gpu.cta.queues=4");
    if (rng_below(r, 2)) {
        machine_set(m, "sm.fetch.front_end=gated");
        machine_set(m, "sm.fetch.sleep=%u", rng_below(r, 40));
    }
}

static void pick(machine *m, rng *r)
{
    static const char *const scheduler[] = {"turn", "turn",      "lrr",
                                            "gto",  "two_level", "oldest"};
    static const char *const collect[] = {"ports", "ports", "none", "units",
                                          "fixed"};

    m->count = 0;
    machine_set(m, "gpu.sms=3");
    machine_set(m, "sm.issue.scheduler=%s", PICK(r, scheduler));
    pick_hazard(m, r);
    machine_dispatch(m, r);
    pick_memory(m, r);
    machine_set(m, "sm.issue.release=%s", rng_below(r, 2) ? "same" : "next");
    machine_set(m, "sm.rf.collect=%s", PICK(r, collect));
    machine_set(m, "sm.rf.operand_cache=%u", rng_below(r, 8));
    if (!rng_below(r, 3))
        machine_set(m, "sm.dual.arbiter=alternate");
    if (!rng_below(r, 3))
        machine_set(m, "sm.unit.fma.shared=%u", 2 * rng_below(r, 3));
    if (!rng_below(r, 3))
        machine_set(m, "sm.fetch.wrong_path=false");
}

/* Parts make the total, and an operand is read from its bank or found. */
static void check_energy(const cluster_run *c)
{
    const stats *reg = rt_stats(c->r->d);
    uint64_t *totals = calloc(stats_total_count(reg), sizeof *totals);
    uint64_t sum = 0;
    energy_row row[ENERGY_ROWS];
    energy e;

    CHECK(totals != NULL);
    stats_totals(reg, c->r->last.counters, totals);
    energy_compute(c->r->cfg, reg, totals, c->cycles, &e);
    energy_rows(c->r->cfg, reg, totals, c->cycles, row);
    for (unsigned i = 0; i < ENERGY_ROWS; i++)
        sum += row[i].fj;
    CHECK_EQ(sum, e.total_fj);
    CHECK_EQ(cluster_count(c, "sm[*].bank_reads") +
                 cluster_count(c, "sm[*].operand_hits"),
             cluster_count(c, "sm[*].reg_reads"));
    CHECK_EQ(cluster_count(c, "sm[*].issued") +
                 cluster_count(c, "sm[*].issued_second"),
             cluster_count(c, "sm[*].warp_insts"));
    free(totals);
}

static void try(uint64_t seed, uint64_t *pairs)
{
    static const rt_options way[] = {{.threads = 2, .shuffle = 3},
                                     {.threads = 1, .no_skip = true},
                                     {.functional = true}};
    machine m;
    rng r;
    char *text = dual_program(seed);
    cluster_job j = {
        .head = ".shared 5120\n.local 16\n", .text = text, .fill = 0x9e3779b1};

    rng_init(&r, seed, "machine");
    pick(&m, &r);
    j.ctas = 1 + rng_below(&r, 12);
    j.threads = 1 + rng_below(&r, THREADS);
    if (getenv("SHOW")) {
        fprintf(stderr, "seed %u ctas %u x %u:", (unsigned)seed, j.ctas,
                j.threads);
        for (unsigned i = 0; i < m.count; i++)
            fprintf(stderr, " -s %s", m.sets[i]);
        fprintf(stderr, "\n");
    }
    cluster_run *a = cluster_run_well("k20", m.sets, &j, &cluster_serial, 0);
    check_energy(a);
    *pairs += cluster_count(a, "sm[*].issued_second");
    for (unsigned i = 0; i < COUNTOF(way); i++) {
        cluster_run *b = cluster_run_well("k20", m.sets, &j, &way[i], false);

        if (!way[i].functional)
            machine_same(a, b);
        machine_same_data(a, b);
        cluster_free(b);
    }
    cluster_free(a);
    free(text);
}

TEST(random_programs_beside_other_mechanisms)
{
    const char *from = getenv("SEED");
    unsigned n = getenv("N") ? (unsigned)atoi(getenv("N")) : from ? 1 : 3;
    unsigned first = from ? (unsigned)atoi(from) : 0;
    uint64_t pairs = 0;

    for (unsigned i = 0; i < n; i++)
        try(5000 + first + i, &pairs);
    CHECK(from || pairs > 0);
}
