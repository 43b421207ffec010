#include "cost/cost.h"

#include <ctype.h>

#include "base/must.h"
#include "config/param.h"
#include "config/preset.h"
#include "config/sheet.h"
#include "cost/cost_doc.h"
#include "test.h"

static cost_item item(const config *cfg, cost_id id)
{
    cost_item all[COST_STRUCTURES];

    cost_of(cfg, all);
    return all[id];
}

static config defaults(void)
{
    config cfg;

    config_defaults(&cfg);
    return cfg;
}

/* ---- Numbers worked out by hand ---- */

/* 16 KB in 4 ways of 128 bytes are 32 sets: of 40 address bits 7 are in the
 * line and 5 choose the set. A line's only sector is valid or not, awaited or
 * not, dirty or not, whole or not; an age among 4 has 2 bits. */
TEST(tags_of_fermis_l1)
{
    config cfg = defaults();
    cost_item c = item(&cfg, COST_l1_tags);

    CHECK_EQ(cfg.l1.sets * cfg.l1.ways * cfg.l1.line, 16384);
    CHECK_EQ(c.instances, 15);
    CHECK_EQ(c.bits, 128 * (28 + 4 + 2));
    CHECK_EQ(c.comparator_bits, 4 * (28 + 1));
    CHECK_EQ(item(&cfg, COST_l1_data).bits, 16384 * 8);
    CHECK_EQ(item(&cfg, COST_l1_masks).bits, 16384);
    /* Nothing is newer than below: neither dirty bits nor byte masks. */
    cfg.l1.local_write = CFG_L1_WRITE_EVICT;
    CHECK_EQ(item(&cfg, COST_l1_tags).bits, 128 * (28 + 2 + 2));
    CHECK_EQ(item(&cfg, COST_l1_masks).instances, 0);
    cfg.l1.alloc = CFG_ALLOC_ON_FILL;
    CHECK_EQ(item(&cfg, COST_l1_tags).bits, 128 * (28 + 1 + 2));
}

/* 48 KB: 96 sets, which 6 bits tell apart only in part. */
TEST(sets_that_are_no_power_of_two_keep_a_bit_more)
{
    config cfg = defaults();

    cfg.l1.sets = 96;
    cfg.l1.index = CFG_INDEX_MOD;
    CHECK_EQ(item(&cfg, COST_l1_tags).bits, 384 * (40 - 7 - 6 + 4 + 2));
}

/* 40 warp slots: a register of 0 to 40 has 6 bits, of 0 to 2560 12. A warp with
 * all registers and shared memory weighs 2560 (1/40 + 1 + 1) / 3 = 1728, of 11
 * bits. Both of each node of the tree with the bit of a match. */
TEST(load_registers_of_8_to_128_sms)
{
    static const struct {
        unsigned sms, slots, linear, memory;
    } row[] = {{8, 48, 96, 3520},
               {16, 96, 192, 7040},
               {32, 192, 384, 14080},
               {64, 384, 768, 28160},
               {128, 768, 1536, 56320}};

    for (unsigned i = 0; i < COUNTOF(row); i++) {
        config cfg = defaults();
        uint64_t term[COST_TERMS];

        cfg.gpu.sms = row[i].sms;
        cfg.sm.warps = 40;
        CHECK_EQ(item(&cfg, COST_load_registers).instances, 0);
        cfg.gpu.dispatch = CFG_DISPATCH_LOAD_WEIGHT;
        cost_item c = item(&cfg, COST_load_registers);
        CHECK_EQ(c.bits, row[i].slots);
        CHECK_EQ(c.comparator_bits, (row[i].sms - 1) * (1 + 6));
        CHECK_EQ(item(&cfg, COST_load_memory).instances, 0);
        cost_terms_of(&cfg, term);
        CHECK_EQ(term[COST_TERM_load_muxes], (row[i].sms - 1) * (6 + 3 + i));
        cfg.gpu.load_weight.weight = CFG_LOAD_WEIGHT_LINEAR;
        CHECK_EQ(item(&cfg, COST_load_registers).bits, row[i].linear);
        CHECK_EQ(item(&cfg, COST_load_memory).bits, row[i].memory);
    }
}

/* 8 CTAs, 48 warps, 32768 registers by 64, 48 KB by 128: 4 + 6 + 10 + 9 bits
 * of each of 15 SMs. */
TEST(free_resources_of_fermi)
{
    config cfg = defaults();

    CHECK_EQ(cfg.sm.shared_unit, 128);
    CHECK_EQ(item(&cfg, COST_dispatch_free).bits, 15 * (4 + 6 + 10 + 9));
    CHECK_EQ(item(&cfg, COST_dispatch_free).comparator_bits,
             15 * (4 + 6 + 10 + 9));
    CHECK_EQ(item(&cfg, COST_dispatch_gaps).instances, 0);
    cfg.gpu.cta.allocation = CFG_ALLOCATION_CONTIGUOUS;
    CHECK_EQ(item(&cfg, COST_dispatch_gaps).bits, 15 * (10 + 9));
}

/* 4096 bits for 64 warps of 64 registers, in every SM. */
TEST(scoreboard_has_a_bit_per_register)
{
    config cfg = defaults();

    cfg.sm.warps = cfg.sm.registers_per_thread = 64;
    cost_item c = item(&cfg, COST_scoreboard);
    CHECK_EQ(c.bits, 4096);
    CHECK_EQ(c.comparator_bits, 0);
    CHECK_EQ(c.instances, cfg.gpu.sms);
    CHECK_EQ(item(&cfg, COST_scoreboard_predicates).bits, 64 * 7);
    cfg.sm.issue.predicate = 8;
    CHECK_EQ(item(&cfg, COST_scoreboard_predicates).bits, 2 * 64 * 7);
    cfg.sm.issue.hazard = CFG_HAZARD_NONE;
    CHECK_EQ(item(&cfg, COST_scoreboard).instances, 0);
    CHECK_EQ(item(&cfg, COST_scoreboard).bits, 0);
    CHECK_EQ(item(&cfg, COST_scoreboard_predicates).bits, 0);
}

static bool names(const char *formula, const char *id)
{
    const char *at = formula;
    size_t n = strlen(id);

    while ((at = strstr(at, id))) {
        if (!isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
        at += n;
    }
    return false;
}

/* Some formula asks whether it is chosen. */
static bool has_formula(const char *id)
{
    for (size_t i = 0; i < COST_STRUCTURES; i++)
        if (names(cost_table[i].exists, id) ||
            names(cost_table[i].formula, id) ||
            names(cost_table[i].compared, id))
            return true;
    for (size_t i = 0; i < COST_TERMS; i++)
        if (names(cost_terms[i].value, id))
            return true;
    return false;
}

static unsigned excuses(const char *id)
{
    unsigned n = 0;

    for (size_t i = 0; i < cost_choice_count(); i++)
        n += !strcmp(cost_choice_get(i)->id, id) && *cost_choice_get(i)->help;
    return n;
}

/* A choice that nobody thought of when bits were counted is found here. */
TEST(every_choice_says_what_it_costs)
{
    static const struct {
        const char *type, *id, *name, *help;
    } all[] = {
#define ENUM_BEGIN(type)
#define VALUE(type, id, text, help) {#type, #id, "CFG_" #id, help},
#define ENUM_END(type)
#include "config/enums.def"
#undef ENUM_BEGIN
#undef VALUE
#undef ENUM_END
    };

    for (size_t i = 0; i < COUNTOF(all); i++) {
        /* What they name is counted, where it is, by other parameters. */
        bool policy = strcmp(all[i].type, "arch") != 0 &&
                      strcmp(all[i].type, "unit") != 0;

        if (policy && has_formula(all[i].name) + excuses(all[i].id) != 1)
            fprintf(stderr, "%s: see src/cost/choice.def\n", all[i].id);
        CHECK(!policy || has_formula(all[i].name) + excuses(all[i].id) == 1);
        CHECK(*all[i].help);
    }
}

/* Of 24 warps the oldest is found by comparing 23 times 5 bits. */
TEST(only_the_scheduler_that_is_chosen_costs)
{
    static const struct {
        cfg_scheduler policy;
        cost_id id;
        unsigned bits, compared;
    } all[] = {
        {CFG_SCHEDULER_LRR, COST_scheduler_lrr, 5, 0},
        {CFG_SCHEDULER_GTO, COST_scheduler_gto, 24 * 5 + 5, 23 * 5},
        {CFG_SCHEDULER_OLDEST, COST_scheduler_oldest, 24 * 5, 23 * 5},
        {CFG_SCHEDULER_TWO_LEVEL, COST_scheduler_two_level, 24 + 5, 0},
        {CFG_SCHEDULER_TURN, COST_scheduler_turn, 24 * 5 + 5, 23 * 5},
    };
    config cfg = defaults(); /* 48 warps, 2 schedulers, 15 SMs */

    for (unsigned i = 0; i < COUNTOF(all); i++) {
        cfg.sm.issue.scheduler = all[i].policy;
        for (unsigned k = 0; k < COUNTOF(all); k++) {
            cost_item c = item(&cfg, all[k].id);

            CHECK_EQ(c.instances, i == k ? 30 : 0);
            CHECK_EQ(c.bits, i == k ? all[k].bits : 0);
            CHECK_EQ(c.comparator_bits, i == k ? all[k].compared : 0);
        }
    }
}

/* 33 bits of line, a sector, 1 of 64 instructions, 1 of 32 transactions, and
 * one of 8 kinds are 48. */
TEST(transaction_in_the_queue_of_the_l1)
{
    config cfg = defaults();

    cfg.l1.queue_depth = 12;
    CHECK_EQ(item(&cfg, COST_l1_input).bits, 12 * 48);
    CHECK_EQ(item(&cfg, COST_l1_store_data).bits, 12 * (128 * 8 + 128));
}

static uint64_t bits(const config *cfg, cost_id id)
{
    return item(cfg, id).bits;
}

/* Q D e + Q (2 log2 D + 1) + log2 Q + sets log2(ways + 1) [REOD:cost], with
 * 48 bits for e. The source's 1.5, 1.5, 3 and 6 kbit are the first of these
 * alone. */
TEST(queues_in_front_of_the_l1)
{
    static const struct {
        unsigned queues, depth, entries, pointers;
    } all[] = {{4, 8, 1536, 4 * 7 + 2},
               {8, 4, 1536, 8 * 5 + 3},
               {8, 8, 3072, 8 * 7 + 3},
               {32, 4, 6144, 32 * 5 + 5},
               {1, 32, 1536, 11}};
    config cfg = defaults();

    cfg.l1.queue = CFG_L1_QUEUE_REOD;
    cfg.l1.mshrs = 128;
    for (unsigned i = 0; i < 5; i++) {
        cfg.l1.reod.queues = all[i].queues;
        cfg.l1.reod.depth = all[i].depth;
        CHECK_EQ(bits(&cfg, COST_reod_requests), all[i].entries);
        CHECK_EQ(bits(&cfg, COST_reod_control), all[i].pointers);
    }
    CHECK_EQ(bits(&cfg, COST_reod_reserved), 32 * 3);
    cfg.l1.reod.queues = 8;
    CHECK_EQ(bits(&cfg, COST_reod_outcomes), 8 * (3 + 2 + 7));
    CHECK_EQ(item(&cfg, COST_reod_outcomes).comparator_bits, 4 * (28 + 1));
    CHECK_EQ(item(&cfg, COST_reod_set_full).instances, 0);
    CHECK_EQ(bits(&cfg, COST_l1_input), 8 * 48); /* they are behind it */
    cfg.l1.reod.select = CFG_REOD_SELECT_SETBIT;
    CHECK_EQ(item(&cfg, COST_reod_outcomes).instances, 0);
    CHECK_EQ(bits(&cfg, COST_reod_set_full), 32);
    cfg.l1.reod.select = CFG_REOD_SELECT_BLIND;
    CHECK_EQ(item(&cfg, COST_reod_outcomes).instances, 0);
    CHECK_EQ(item(&cfg, COST_reod_set_full).instances, 0);
    cfg.l1.alloc = CFG_ALLOC_ON_FILL; /* nothing is reserved */
    CHECK_EQ(item(&cfg, COST_reod_reserved).instances, 0);
    cfg.l1.queue = CFG_L1_QUEUE_FIFO;
    CHECK_EQ(item(&cfg, COST_reod_requests).instances, 0);
}

/* Entries with an age of 6 bits, which is compared with their lines. */
TEST(queues_by_warp_in_front_of_the_l1)
{
    config cfg = defaults();

    cfg.l1.queue = CFG_L1_QUEUE_MRPB;
    CHECK_EQ(bits(&cfg, COST_mrpb_requests), 32 * (48 + 6));
    CHECK_EQ(item(&cfg, COST_mrpb_requests).comparator_bits, 32 * (33 + 6));
    CHECK_EQ(bits(&cfg, COST_mrpb_control), 8 * 5);
    cfg.l1.mrpb.drain = CFG_MRPB_DRAIN_GREEDY;
    CHECK_EQ(bits(&cfg, COST_mrpb_control), 8 * 5 + 3);
    cfg.l1.mrpb.drain = CFG_MRPB_DRAIN_LONGEST;
    CHECK_EQ(item(&cfg, COST_mrpb_control).comparator_bits, 7 * 3);
    CHECK_EQ(item(&cfg, COST_reod_requests).instances, 0);
}

/* 64 lines awaited, each one of 128 places; 8 transactions on each. */
/* 32 loads of 48 bits, which say which of two is older; pointers; of each of 48
 * warps one of 64 instructions or none. The owner is one of 48 warps. */
TEST(loads_put_aside_and_the_owner_of_memory)
{
    config cfg = defaults();

    CHECK_EQ(item(&cfg, COST_mascar_requests).instances, 0);
    cfg.l1.queue = CFG_L1_QUEUE_MASCAR;
    CHECK_EQ(bits(&cfg, COST_mascar_requests), 32 * (48 + 6));
    CHECK_EQ(item(&cfg, COST_mascar_requests).comparator_bits, 32 * (33 + 6));
    CHECK_EQ(bits(&cfg, COST_mascar_control), 2 * 5 + 1 + 48 * 7);
    CHECK_EQ(bits(&cfg, COST_mascar_owner), 2 + 6 + 2 * 48);
    cfg.l1.mascar.owner = false;
    CHECK_EQ(item(&cfg, COST_mascar_owner).instances, 0);
}

/* Eight tags of 40 - 5 - 7 bits in each of 32 sets, which one of eight is
 * replaced next, and 6 bits of references [LI15:tag-store]. */
TEST(tags_that_count_references)
{
    config cfg = defaults();

    CHECK_EQ(item(&cfg, COST_locality_tags).instances, 0);
    cfg.l1.bypass = CFG_L1_BYPASS_LOCALITY;
    CHECK_EQ(bits(&cfg, COST_locality_tags), 32 * 8 * (28 + 6 + 3));
    CHECK_EQ(item(&cfg, COST_locality_tags).comparator_bits,
             8 * (1 + 28) + 7 * 6);
}

TEST(mshrs_are_searched_by_line)
{
    config cfg = defaults();
    cost_item c = item(&cfg, COST_l1_mshrs);

    CHECK_EQ(c.bits, 64 * (1 + 33 + 1 + 7));
    CHECK_EQ(c.comparator_bits, 64 * 33);
    CHECK_EQ(item(&cfg, COST_l1_merges).bits, 64 * 8 * (6 + 5 + 1));
    cfg.l1.merges = 1000; /* no more wait than the LSU may have sent */
    CHECK_EQ(item(&cfg, COST_l1_merges).bits,
             32 * cfg.sm.lsu.pending * (6 + 5 + 1));
    cfg.l1.merges = 8;
}

static bool preset(const char *name, config *out)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    bool good = config_sheet_load(s, name, dg) == ST_OK;

    *out = *config_sheet_values(s);
    config_sheet_free(s);
    diag_free(dg);
    return good;
}

/* 80 SMs of 256 KB of registers and 128 KB of L1 and shared memory, as many
 * sets of three lines as these hold, 6 MB of L2: what the vendor says of a
 * V100. */
TEST(data_arrays_of_a_v100)
{
    config cfg;

    CHECK(preset("v100", &cfg));
    cost_item regs = item(&cfg, COST_registers), l1 = item(&cfg, COST_l1_data);
    cost_item l2 = item(&cfg, COST_l2_data);
    CHECK_EQ(regs.instances * regs.bits, 80ull * 256 * 1024 * 8);
    CHECK_EQ(l1.instances * l1.bits, 80ull * 341 * 3 * 128 * 8);
    CHECK_EQ(item(&cfg, COST_shared_memory).instances, 0);
    CHECK_EQ(l2.instances * l2.bits, 6ull * 1024 * 1024 * 8);
    /* Each of 32 lanes has its program counter; no stack. */
    CHECK_EQ(item(&cfg, COST_simt_stack).instances, 0);
    CHECK_EQ(item(&cfg, COST_convergence).bits, 64 * (32 * 35 + 16 * 32));
    /* 4 schedulers, each with its own file of 2 banks. */
    CHECK_EQ(item(&cfg, COST_operand_window).instances, 320);
    CHECK_EQ(item(&cfg, COST_collectors).instances, 0);
}

/* 15 SMs in pairs: seven have one that follows, the last is by itself. In
 * fours, three of four and one of three. */
TEST(clusters_with_one_front_end)
{
    config cfg = defaults();

    CHECK_EQ(item(&cfg, COST_share_acks).instances, 0);
    CHECK_EQ(item(&cfg, COST_share_channel).instances, 0);
    cfg.gpu.cluster.size = 2;
    CHECK_EQ(item(&cfg, COST_share_channel).instances, 7);
    CHECK_EQ(item(&cfg, COST_share_answers).instances, 7);
    cfg.gpu.cluster.size = 4;
    CHECK_EQ(item(&cfg, COST_share_channel).instances, 4);
    CHECK_EQ(item(&cfg, COST_share_answers).instances, 11);
    cfg.gpu.sms = 13;
    CHECK_EQ(item(&cfg, COST_share_channel).instances, 3);
    CHECK_EQ(item(&cfg, COST_share_answers).instances, 9);
}

/* The source adds 4 bits to each entry: 1152 of 48 warps with 6 each. A bit
 * for each of 63 registers is a place, too. An instruction has 64 bits and
 * its constant 32, a warp of 48 is named by 6, an entry of 6 by 3; 4 credits
 * are 0 to 4. */
TEST(bits_of_a_shared_front_end)
{
    config cfg = defaults();

    cfg.gpu.cluster.size = 4;
    cfg.gpu.cluster.credits = 4;
    cfg.gpu.cluster.slip_window = 1024;
    CHECK_EQ(bits(&cfg, COST_share_acks), 48 * 63 * 4);
    cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
    cfg.sm.table.slots = 6;
    CHECK_EQ(bits(&cfg, COST_share_acks), 1152);
    CHECK_EQ(bits(&cfg, COST_share_outcomes), 48 * 3);
    CHECK_EQ(bits(&cfg, COST_share_channel), 2 * (1 + 64 + 32 + 6));
    CHECK_EQ(bits(&cfg, COST_share_answers), 6 + 3 + 1);
    CHECK_EQ(bits(&cfg, COST_share_credits), 3);
    CHECK_EQ(bits(&cfg, COST_share_slip), 2 * 11);
    cfg.gpu.cluster.slip = 0;
    CHECK_EQ(item(&cfg, COST_share_slip).instances, 0);
    CHECK_EQ(bits(&cfg, COST_share_empty), cfg.sm.ctas * 3);
    CHECK_EQ(item(&cfg, COST_share_backoff).instances, 0);
    cfg.gpu.cluster.reform = CFG_REFORM_ROW;
    CHECK_EQ(item(&cfg, COST_share_backoff).instances, 4);
    cfg.gpu.cluster.backoff = 0;
    CHECK_EQ(item(&cfg, COST_share_backoff).instances, 0);
    cfg.gpu.cluster.size = 2;
    CHECK_EQ(bits(&cfg, COST_share_acks), 48 * 6 * 2);
}

/* Members have the load unit and write ports of an SM by itself; what they get
 * beyond these is counted. A place of the queue is an instruction of 1 + 6 + 6
 * + 16 bits and an address of 40 and a word of 32 with a bit for each lane. */
TEST(what_sharing_sms_have_beyond_others_is_counted)
{
    config cfg = defaults();

    cfg.sm.lsu.queue = 8;
    uint64_t queue = bits(&cfg, COST_lsu_queue);
    CHECK_EQ(queue, 8 * (29 + 32 * 73));
    cfg.gpu.cluster.size = 2;
    CHECK_EQ(cfg.gpu.cluster.credits, 0);
    CHECK_EQ(bits(&cfg, COST_share_credits), 4); /* 0 to 8 */
    CHECK_EQ(item(&cfg, COST_share_queue).instances, 0);
    CHECK_EQ(item(&cfg, COST_share_port).instances, 0);
    cfg.gpu.cluster.credits = 16;
    cfg.gpu.cluster.load_port = true;
    CHECK_EQ(bits(&cfg, COST_share_queue), queue);
    CHECK_EQ(item(&cfg, COST_share_queue).instances, 7); /* slaves */
    CHECK_EQ(bits(&cfg, COST_lsu_queue), queue);
    CHECK_EQ(bits(&cfg, COST_share_port), 1 + 6 + 6 + 32 * 32);
}

/* ---- What holds for all ---- */

TEST(total_is_the_sum_of_all)
{
    for (size_t g = 0; g < config_preset_count(); g++) {
        cost_item all[COST_STRUCTURES];
        config cfg;
        uint64_t bits = 0, bulk = 0, compared = 0;

        CHECK(preset(config_preset_get(g)->name, &cfg));
        cost_of(&cfg, all);
        for (size_t i = 0; i < COST_STRUCTURES; i++) {
            bits += all[i].instances * all[i].bits;
            compared += all[i].instances * all[i].comparator_bits;
            if (cost_table[i].bulk)
                bulk += all[i].instances * all[i].bits;
        }
        cost_sum sum = cost_total(&cfg);
        CHECK_EQ(sum.bits, bits);
        CHECK_EQ(sum.bulk_bits, bulk);
        CHECK_EQ(sum.comparator_bits, compared);
        CHECK(sum.bulk_bits > sum.bits / 2);
    }
}

/* Twice of anything never stores less, and of what is stored, more. */
TEST(bits_grow_with_capacity)
{
    static const char *const paths[] = {
        "gpu.sms",          "sm.warps",
        "sm.ctas",          "sm.barriers",
        "sm.registers",     "sm.registers_per_thread",
        "sm.shared_bytes",  "sm.fetch.buffer",
        "sm.fetch.misses",  "sm.l0i.bytes",
        "sm.l1i.bytes",     "sm.l15.bytes",
        "sm.rf.collectors", "sm.rf.read_window",
        "sm.lsu.queue",     "sm.lsu.pending",
        "sm.lsu.stores",    "sm.constant.l1.bytes",
        "l1.sets",          "l1.ways",
        "l1.mshrs",         "l1.miss_queue",
        "l1.queue_depth",   "rocache.sets",
        "rocache.ways",     "rocache.mshrs",
        "noc.buffer",       "l2.slices",
        "l2.sets",          "l2.ways",
        "l2.mshrs",         "l2.merges",
        "l2.queue",         "l2.miss_queue",
        "dram.queue",       "dram.write_queue",
        "dram.banks",       "sm.constant.misses",
        "rocache.merges",   "rocache.miss_queue",
        "l2.coalescer"};

    for (size_t g = 0; g < config_preset_count(); g++)
        for (size_t i = 0; i < COUNTOF(paths); i++) {
            const config_param *p = config_param_find(paths[i]);
            config small, large;

            CHECK(p);
            CHECK(preset(config_preset_get(g)->name, &small));
            large = small;
            if (2 * config_number(&small, p) > p->max)
                continue;
            config_put_number(&large, p, 2 * config_number(&small, p));
            cost_sum a = cost_total(&small), b = cost_total(&large);
            bool there = config_number(&small, p) != 0 &&
                         (strcmp(paths[i], "sm.rf.collectors") != 0 ||
                          small.sm.rf.collect == CFG_COLLECT_UNITS) &&
                         (strcmp(paths[i], "sm.rf.read_window") != 0 ||
                          small.sm.rf.collect == CFG_COLLECT_FIXED);
            if (!strncmp(paths[i], "rocache.", 8))
                there = small.rocache.sets != 0;
            if (!strcmp(paths[i], "l2.merges"))
                there = !small.l2.coalescer;
            if (there ? b.bits <= a.bits : b.bits != a.bits)
                TEST_FAIL("%s of %s: %" PRIu64 " to %" PRIu64 " bits", paths[i],
                          config_preset_get(g)->name, a.bits, b.bits);
        }
}

/* Also where rules between parameters are broken: no division by zero, no
 * negative width. */
TEST(any_value_in_range_has_a_cost)
{
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        config cfg = defaults();

        if (p->kind == CONFIG_STRING)
            continue;
        config_put_number(&cfg, p, p->min);
        CHECK(cost_total(&cfg).bits >> 48 == 0);
        if (p->kind == CONFIG_SIZE)
            continue;
        config_put_number(&cfg, p, p->max);
        CHECK(cost_total(&cfg).bits >> 48 == 0);
    }
}

TEST(tables_fit_reports_and_documents)
{
    strbuf doc = {0};

    cost_doc(&doc);
    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        char row[80];

        CHECK(strlen(cost_table[i].name) <= 20);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(cost_table[k].name, cost_table[i].name) != 0);
        snprintf(row, sizeof row, "\n| `%s` | ", cost_table[i].id);
        CHECK(strstr(doc.text, row));
    }
    CHECK_STR(cost_table[COST_scoreboard].formula,
              "sm.warps * sm.registers_per_thread");
    CHECK_STR(cost_table[COST_scheduler_lrr].exists,
              "sm.issue.scheduler == CFG_SCHEDULER_LRR");
    strbuf_fini(&doc);
}

/* ---- The hazard table, against the figures of its source and others that
 * were worked out by hand ---- */

static cost_item table_of(unsigned warps, unsigned registers, unsigned slots,
                          bool valid)
{
    config cfg = defaults();

    cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
    cfg.sm.warps = warps;
    cfg.sm.registers_per_thread = registers;
    cfg.sm.table.slots = slots;
    cfg.sm.table.empty =
        valid ? CFG_TABLE_EMPTY_VALID : CFG_TABLE_EMPTY_ZERO_SKIP;
    cfg.sm.table.stored_full = !valid;
    return item(&cfg, COST_hazard_table);
}

/* 4 x (6 + 2) + 1 = 33 bits an entry, 2112 against 4096; a valid bit for each
 * slot and no flag is 36. */
TEST(entries_of_the_hazard_table)
{
    static const struct {
        unsigned registers, source, four, six;
    } row[] = {{32, 29, 32, 48},
               {64, 33, 36, 54},
               {128, 37, 40, 60},
               {256, 41, 44, 66}};

    for (size_t i = 0; i < COUNTOF(row); i++) {
        unsigned r = row[i].registers;

        CHECK_EQ(table_of(1, r, 4, false).bits, row[i].source);
        CHECK_EQ(table_of(1, r, 4, true).bits, row[i].four);
        CHECK_EQ(table_of(1, r, 6, true).bits, row[i].six);
    }
    static const unsigned total[][2] = {
        {8, 264}, {16, 528}, {32, 1056}, {48, 1584}, {64, 2112}};
    for (size_t i = 0; i < COUNTOF(total); i++)
        CHECK_EQ(table_of(total[i][0], 64, 4, false).bits, total[i][1]);
}

/* A bit for each register of a slot in place of the offset: four for two. */
TEST(slots_released_by_register_keep_masks)
{
    config cfg = defaults();

    cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
    cfg.sm.table.rid_bits = 6;
    uint64_t slots = item(&cfg, COST_hazard_table).bits;
    cfg.sm.table.release = CFG_TABLE_RELEASE_REGISTER;
    CHECK_EQ(item(&cfg, COST_hazard_table).bits,
             slots + cfg.sm.warps * cfg.sm.table.slots * 2);
    cfg.sm.table.offset_bits = 3;
    CHECK_EQ(item(&cfg, COST_hazard_table).bits,
             slots + cfg.sm.warps * cfg.sm.table.slots * 6);
}

/* The same bits, and whose each row is: one of four. Comparators for all slots
 * that a warp may have. */
TEST(divided_slots_keep_owners)
{
    config cfg = defaults();

    cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
    cost_item own = item(&cfg, COST_hazard_table);
    CHECK_EQ(item(&cfg, COST_hazard_owners).bits, 0);
    cfg.sm.table.group = 4;
    CHECK_EQ(item(&cfg, COST_hazard_table).bits, own.bits);
    CHECK_EQ(item(&cfg, COST_hazard_table).comparator_bits,
             4 * own.comparator_bits);
    CHECK_EQ(item(&cfg, COST_hazard_owners).bits, 2 * cfg.sm.warps);
}

/* Kepler's codes leave a scoreboard, or slots; Volta's have counters. */
TEST(trusted_codes_keep_what_they_do_not_cover)
{
    config cfg = defaults();

    cfg.sm.issue.hazard = CFG_HAZARD_CODES;
    cfg.gpu.arch = CFG_ARCH_KEPLER;
    CHECK_EQ(item(&cfg, COST_scoreboard).bits,
             cfg.sm.warps * cfg.sm.registers_per_thread);
    CHECK_EQ(item(&cfg, COST_control_codes).bits, 0);
    cfg.sm.dual.pending = CFG_PENDING_TABLE;
    CHECK_EQ(item(&cfg, COST_scoreboard).bits, 0);
    CHECK(item(&cfg, COST_hazard_table).bits > 0);
    cfg.gpu.arch = CFG_ARCH_VOLTA;
    CHECK_EQ(item(&cfg, COST_hazard_table).bits, 0);
    CHECK_EQ(item(&cfg, COST_control_codes).bits, cfg.sm.warps * 40);
}

/* A bit for each slot, for the next instruction of each warp. */
TEST(instructions_that_remember_slots_keep_masks)
{
    config cfg = defaults();

    cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
    CHECK_EQ(item(&cfg, COST_hazard_mask).bits, 0);
    cfg.sm.table.mask = true;
    CHECK_EQ(item(&cfg, COST_hazard_mask).bits,
             cfg.sm.warps * cfg.sm.table.slots);
    cfg.sm.issue.hazard = CFG_HAZARD_SCOREBOARD;
    CHECK_EQ(item(&cfg, COST_hazard_mask).bits, 0);
}

/* The table is smaller up to so many slots. */
TEST(slots_that_a_scoreboard_is_worth)
{
    static const unsigned most[][2] = {{32, 4}, {64, 7}, {128, 14}, {256, 25}};

    for (size_t i = 0; i < COUNTOF(most); i++) {
        CHECK(table_of(64, most[i][0], most[i][1], false).bits <
              64 * most[i][0]);
        CHECK(table_of(64, most[i][0], most[i][1] + 1, false).bits >=
              64 * most[i][0]);
    }
}

/* Three sources and a result are compared with four slots of six bits, by each
 * scheduler; a scoreboard compares nothing. */
TEST(comparators_of_the_hazard_table)
{
    config cfg = defaults();

    CHECK_EQ(table_of(64, 64, 4, true).comparator_bits,
             cfg.sm.issue.schedulers * 4 * 4 * 6);
}
