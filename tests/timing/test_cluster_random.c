/* tests/timing/test_cluster_random.c - random programs on SMs that share front
 * ends: memory is left as by SMs of their own, the oracle finds no hazard,
 * energy adds up at any time, and nothing depends on how it is simulated. In
 * the environment SEED=s and N=n run n others from s on, SHOW=1 tells what runs
 * and SHOW=text the programs, too.
 */
#include "cluster.h"
#include "machine.h"

#include "energy/energy.h"
#include "schedulers.h"
#include "unit/sm/random.h"

static void pick_hazard(machine *m, rng *r)
{
    static const char *const hazard[] = {"scoreboard", "scoreboard", "table",
                                         "table",      "unlimited",  "none"};
    static const char *const release[] = {"slot", "register"};
    const char *h = PICK(r, hazard);

    machine_set(m, "sm.issue.hazard=%s", h);
    if (strcmp(h, "table"))
        return;
    machine_set(m, "sm.table.release=%s", PICK(r, release));
    machine_set(m, "sm.table.slots=%u", 2 + rng_below(r, 7));
    if (rng_below(r, 2))
        machine_set(m, "sm.table.mode=serial");
    machine_set(m, "sm.table.ready=%u", rng_below(r, 5));
    if (rng_below(r, 2))
        machine_set(m, "sm.table.ports=1");
    if (rng_below(r, 2))
        machine_set(m, "sm.table.mask=true");
}

static void pick(machine *m, rng *r)
{
    static const char *const queue[] = {"fifo", "fifo", "reod", "mrpb"};
    static const char *const reform[] = {"kernel", "row", "aligned"};
    static const char *const conflict[] = {"dissolve", "union"};
    static const char *const collect[] = {"none", "units", "fixed"};

    m->count = 0;
    machine_set(m, "gpu.sms=4");
    machine_set(m, "sm.issue.scheduler=%s",
                scheduler_name(rng_below(r, scheduler_count())));
    pick_hazard(m, r);
    machine_dispatch(m, r);
    machine_set(m, "sm.issue.release=%s", rng_below(r, 2) ? "same" : "next");
    machine_set(m, "sm.rf.collect=%s", PICK(r, collect));
    machine_set(m, "l1.queue=%s", PICK(r, queue));
    machine_set(m, "gpu.cluster.reform=%s", PICK(r, reform));
    machine_set(m, "gpu.cluster.backoff=%u", rng_below(r, 3));
    machine_set(m, "gpu.cluster.conflict=%s", PICK(r, conflict));
    machine_set(m, "gpu.cluster.slip=%u",
                rng_below(r, 4) ? 0 : rng_below(r, 30));
    machine_set(m, "gpu.cluster.slip_window=%u", 16 << rng_below(r, 7));
    machine_set(m, "gpu.cluster.broadcast=%u", 1 + rng_below(r, 3));
    machine_set(m, "gpu.cluster.ack=%u", 1 + rng_below(r, 4));
    machine_set(m, "gpu.cluster.credits=%u", rng_below(r, 9));
    machine_set(m, "gpu.cluster.load_port=%s",
                rng_below(r, 2) ? "true" : "false");
    machine_set(m, "gpu.cluster.sleep=%u", rng_below(r, 30));
    machine_set(m, "gpu.cluster.wake=%u", rng_below(r, 20));
    machine_set(m, "sm.lsu.queue=%u", 1 + rng_below(r, 8));
    if (rng_below(r, 3) == 0)
        machine_set(m, "sm.rf.results=1");
    if (rng_below(r, 3) == 0)
        machine_set(m, "sm.rf.write_width=%u", 1 + rng_below(r, 2));
    if (rng_below(r, 3) == 0)
        machine_set(m, "sm.issue.predicate=%u", rng_below(r, 4));
    if (rng_below(r, 3) == 0)
        machine_set(m, "sm.ctas=%u", 1 + rng_below(r, 3));
    if (rng_below(r, 4) == 0) /* textures go through the L1 */
        machine_set(m, "rocache.sets=0");
}

/* Values are then equal in all CTAs, and warps go the same way. */
static void make_alike(char *text)
{
    for (unsigned i = 16; i < 28; i++) {
        char start[16];

        snprintf(start, sizeof start, "IMAD R%u, R2", i);
        strstr(text, start)[strlen(start) - 1] = '0';
    }
}

/* Reads from the image in place of reciprocals; the caller frees both. */
static char *with_textures(const char *text)
{
    strbuf b = {0};
    unsigned p, q;

    for (const char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        if (sscanf(text, "MUFU.RCP R%u, R%u", &p, &q) == 2)
            strbuf_printf(&b,
                          "LOP3.LUT R39, R%u, 0x%x, RZ, 0xc0\n"
                          "TEX.1D.S32 R%u, c[0x0][i], R39, 0x1\n",
                          q, CLUSTER_TEXELS - 1, p);
        else
            strbuf_printf(&b, "%.*s\n", (int)(end - text), text);
    }
    return b.text;
}

/* One line of the program: branches and loops that depend on the CTA, exits of
 * some CTAs, warps or lanes, atomics that return something. */
static void change_line(strbuf *b, rng *r, const char *line, unsigned ctas)
{
    unsigned p, q;

    if (sscanf(line, "ISETP.GT.AND P%u, PT", &p) == 1 && !rng_below(r, 3))
        strbuf_printf(b, "ISETP.GT.AND P%u, PT, R1, 0x%x, PT\n", p,
                      rng_below(r, ctas));
    else if (sscanf(line, "ISETP.LT.AND P3, PT, R%u", &p) == 1 &&
             !rng_below(r, 3))
        strbuf_printf(b, "ISETP.LT.AND P3, PT, R%u, R38, PT\n", p);
    else if (sscanf(line, "LDG.E R%u, [R4+0x%x]", &p, &q) == 2 &&
             !rng_below(r, 3))
        strbuf_printf(b, "ATOMG.E.ADD R%u, [R4.64+0x%x], R%u\n", p, q, p);
    else
        strbuf_printf(b, "%s\n", line);
    if (rng_below(r, 40))
        return;
    strbuf_printf(b, "ISETP.%s.AND P0, PT, R%u, 0x%x, PT\n@P0 EXIT\n",
                  rng_below(r, 2) ? "EQ" : "GT", rng_below(r, 2),
                  rng_below(r, rng_below(r, 2) ? ctas : THREADS));
}

/* Makes another program of `text`, which it frees. */
static char *change(char *text, uint64_t seed, unsigned ctas)
{
    strbuf b = {0};
    char *rest = text, *line;
    bool body = false;
    rng r;

    rng_init(&r, seed, "change");
    while ((line = strsep(&rest, "\n"))) {
        if (!body && !strncmp(line, "STS", 3))
            strbuf_puts(&b, "LOP3.LUT R38, R1, 0x3, RZ, 0xc0\n");
        body = body || !strncmp(line, "STS", 3);
        if (body)
            change_line(&b, &r, line, ctas);
        else
            strbuf_printf(&b, "%s\n", line);
    }
    free(text);
    return b.text;
}

/* What slices of launches spent. */
typedef struct meter {
    energy sum;        /* of this launch */
    uint64_t stage[4]; /* slices in which clusters formed, shared, dissolved,
                          and front ends were off */
} meter;

static uint64_t slice_of(const rt_sample *s, const char *id)
{
    char name[64];

    snprintf(name, sizeof name, "sm[*].%s", id);
    return stats_total_sum(s->stats, s->totals, name, NULL);
}

static void check_sum(const energy *e, const energy_row *row)
{
    uint64_t part[ENERGY_PARTS] = {0}, sum = 0;

    for (unsigned i = 0; i < ENERGY_ROWS; i++)
        part[row[i].part] += row[i].fj;
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        CHECK_EQ(part[i], e->part_fj[i]);
        sum += part[i];
    }
    CHECK_EQ(sum, e->total_fj);
}

/* Cycles of front ends, in whatever state. */
static uint64_t front_ends(const energy_row *row)
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < ENERGY_ROWS; i++)
        if (!strncmp(row[i].id, "front_end", 9))
            cycles += row[i].count;
    return cycles;
}

/* Of any slice of time: rows make parts, parts the total; each cycle of an SM
 * is of one stage, and its front end on or off. */
static void measure(void *arg, const cluster_run *c, const rt_sample *s)
{
    static const char *const stages[] = {"forming_cycles", "shared_cycles",
                                         "dissolving_cycles", "gated_*"};
    meter *m = arg;
    energy e;
    energy_row row[ENERGY_ROWS];
    uint64_t all = slice_of(s, "cycles"), active = slice_of(s, "active_cycles"),
             cycles[4];

    energy_compute(c->r->cfg, s->stats, s->totals, s->cycles, &e);
    energy_rows(c->r->cfg, s->stats, s->totals, s->cycles, row);
    check_sum(&e, row);
    for (unsigned i = 0; i < COUNTOF(stages); i++) {
        cycles[i] = slice_of(s, stages[i]);
        m->stage[i] += cycles[i] > 0;
    }
    CHECK_EQ(all, c->r->cfg->gpu.sms * s->cycles);
    CHECK_EQ(front_ends(row), all);
    CHECK(cycles[0] + cycles[1] + cycles[2] <= all);
    CHECK(slice_of(s, "gated_active") <= active);
    CHECK(slice_of(s, "gated_idle") <= all - active);
    CHECK(cycles[3] <= cycles[1]); /* they are on where nothing is shared */
    energy_add(&m->sum, &e);
}

/* The slices of `c` spent what it did. */
static void check_slices(const cluster_run *c, const meter *m)
{
    const stats *reg = rt_stats(c->r->d);
    uint64_t *totals = calloc(stats_total_count(reg), sizeof *totals);
    energy e;

    CHECK(totals != NULL);
    stats_totals(reg, c->r->last.counters, totals);
    energy_compute(c->r->cfg, reg, totals, c->cycles, &e);
    CHECK_EQ(m->sum.cycles, e.cycles);
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        CHECK_EQ(m->sum.part_fj[i], e.part_fj[i]);
    CHECK_EQ(m->sum.total_fj, e.total_fj);
    free(totals);
}

static cluster_run *run(const char *name, machine *m, unsigned size,
                        const cluster_job *j, rt_options opt)
{
    machine_set(m, "gpu.cluster.size=%u", size);
    cluster_run *c = cluster_run_well(name, m->sets, j, &opt, false);

    m->sets[--m->count] = NULL;
    if (getenv("SHOW"))
        fprintf(stderr,
                "size %u: %6llu cycles shared %llu followed %llu parted %llu "
                "branch %llu exit %llu tail %llu slip %llu\n",
                size, (unsigned long long)c->cycles,
                (unsigned long long)cluster_count(c, "sm[*].shared_active"),
                (unsigned long long)cluster_count(c, "sm[*].followed"),
                (unsigned long long)cluster_count(c, "sm[*].parted_*"),
                (unsigned long long)cluster_count(c, "sm[*].parted_branch"),
                (unsigned long long)cluster_count(c, "sm[*].parted_exit"),
                (unsigned long long)cluster_count(c, "sm[*].parted_tail"),
                (unsigned long long)cluster_count(c, "sm[*].parted_slip"));
    return c;
}

/* Runs `j` in slices and, simulated otherwise, at once. */
static cluster_run *twice(const char *name, machine *m, unsigned size,
                          const cluster_job *j, rt_options other, meter *by)
{
    cluster_job in_slices = *j;

    by->sum = (energy){0};
    in_slices.sample = measure;
    in_slices.sample_arg = by;
    in_slices.sample_cycles = 300;
    cluster_run *a = run(name, m, size, &in_slices, cluster_serial);
    cluster_run *b = run(name, m, size, j, other);
    check_slices(a, by);
    machine_same(a, b);
    cluster_free(b);
    return a;
}

static void try(const char *name, isa_arch arch, uint64_t seed, bool alike,
                meter *by)
{
    static const rt_options way[] = {{.threads = 2, .shuffle = 3},
                                     {.threads = 1, .no_skip = true}};
    machine m;
    rng r;
    char *text = program(seed, arch);
    cluster_job j = {.head = ".shared 5120\n.local 16\n",
                     .threads = THREADS,
                     .fill = 0x9e3779b1,
                     .texels = true};

    rng_init(&r, seed, "machine");
    pick(&m, &r);
    j.ctas = 1 + rng_below(&r, 14);
    j.threads = 1 + rng_below(&r, THREADS);
    if (alike)
        make_alike(text);
    else
        text = change(text, seed, j.ctas);
    j.text = with_textures(text);
    free(text);
    if (getenv("SHOW")) {
        if (getenv("SHOW")[0] == 't')
            puts(j.text);
        fprintf(stderr, "%s seed %u ctas %u x %u:", name, (unsigned)seed,
                j.ctas, j.threads);
        for (unsigned i = 0; i < m.count; i++)
            fprintf(stderr, " -s %s", m.sets[i]);
        fprintf(stderr, "\n");
    }
    cluster_run *plain = run(name, &m, 1, &j, cluster_serial);
    for (unsigned size = 2; size <= 4; size *= 2) {
        cluster_run *c = twice(name, &m, size, &j, way[rng_below(&r, 2)], by);

        machine_same_data(plain, c);
        cluster_free(c);
    }
    cluster_free(plain);
    free((char *)j.text);
}

static void several(const char *name, isa_arch arch)
{
    const char *from = getenv("SEED");
    unsigned n = from ? 1 : 3, first = from ? (unsigned)atoi(from) : 0;
    meter by = {0};

    if (getenv("N"))
        n = (unsigned)atoi(getenv("N"));
    for (unsigned i = 0; i < n; i++)
        try(name, arch, 1000 * arch + first + i, (first + i) % 2, &by);
    for (unsigned i = 0; i < COUNTOF(by.stage); i++)
        CHECK(from || by.stage[i] > 0);
}

TEST(random_programs_on_fermi) { several("gtx480", ARCH_FERMI); }
TEST(random_programs_on_kepler) { several("k20-single", ARCH_KEPLER); }
TEST(random_programs_on_volta) { several("v100", ARCH_VOLTA); }

/* Members whose warps have ended, or that have no CTA, while results of the
 * others compete for one port: theirs would come at other cycles. */
TEST(what_only_others_execute_passes)
{
    meter by = {0};

    try("gtx480", ARCH_FERMI, 224, false, &by);
    try("v100", ARCH_VOLTA, 2215, true, &by);
}
