/* tests/unit/config/test_rules.c - each rule, broken by one assignment. */
#include "config/rules.h"

#include "base/must.h"
#include "config/preset.h"
#include "test.h"

#define GOES_WITH                                                              \
    ", which goes with issue by control codes: --gpu k20 has both, "           \
    "--gpu k20-single neither"

/* Assignments on top of a preset that break a rule, and what is said. Several
 * assignments are separated by blanks. */
static const struct {
    const char *preset, *set, *said;
} broken[] = {
    {"v100", "gpu.capability=35",
     "gpu.capability is 35, but this gpu.arch has 70 to 90"},
    {"v100",
     "sm.op.dot.unit=fma_heavy sm.unit.fma.private=0 "
     "sm.unit.fma.shared=4",
     "sm.op.dot.unit is fma_heavy, of which there is none"},
    {"a100", "gpu.capability=75",
     "gpu.capability is 75, but this gpu.arch has 80 to 90"},
    {"h100", "gpu.capability=80",
     "gpu.capability is 80, but this gpu.arch has 90 to 90"},
    {"gtx480", "gpu.arch=kepler",
     "gpu.capability is 20, but this gpu.arch has 30 to 37"},
    {"v100", "gpu.page_bytes=96K", "gpu.page_bytes is 98304, no power of two"},
    {"v100", "gpu.cluster.size=3 gpu.sms=81",
     "gpu.cluster.size is 3, not 1, 2 or 4"},
    {"k20-single", "gpu.sms=12 gpu.cluster.size=2 sm.fetch.front_end=gated",
     "gpu.cluster.size is 2, but front ends without power are the cluster's "
     "there"},
    {"v100", "gpu.cluster.size=2 sm.issue.hazard=codes",
     "gpu.cluster.size is 2, but the scoreboards of control codes know one SM"},
    {"v100", "gpu.cta.disabled=3,x",
     "gpu.cta.disabled is '3,x', not a list of SMs like \"0,4-7\""},
    {"v100", "gpu.cta.disabled=7-4",
     "gpu.cta.disabled is '7-4', not a list of SMs like \"0,4-7\""},
    {"v100", "gpu.cta.disabled=3,78-80",
     "gpu.cta.disabled names SM 80, but there are only 0 to 79"},
    {"k20", "gpu.cta.disabled=0-12", "gpu.cta.disabled leaves no SM for CTAs"},
    {"v100", "gpu.cta.queues=3 gpu.concurrent=2",
     "gpu.cta.queues is 3, more than gpu.concurrent (2)"},
    {"k20-single", "gpu.sms=12 gpu.cluster.size=2 gpu.cta.queues=2",
     "gpu.cta.queues is 2; clusters form by what one queue holds"},
    {"k20-single", "gpu.sms=12 gpu.cluster.size=2 gpu.cta.release=warp",
     "gpu.cta.release is warp, but members of a cluster hold the same slots"},
    {"k20-single", "gpu.sms=12 gpu.cluster.size=2 gpu.cta.disabled=1",
     "gpu.cta.disabled names SMs, but clusters need all of theirs"},
    {"k20-single",
     "gpu.sms=12 gpu.cluster.size=2 gpu.load_weight.tree=pipelined",
     "gpu.load_weight.tree is pipelined; rows of CTAs need their SMs at once"},
    {"v100", "gpu.window=66", "gpu.window is 66, more than noc.latency (65)"},
    {"v100", "gpu.max.cta_threads=4096",
     "gpu.max.cta_threads is 4096, more than sm.threads (2048)"},
    {"v100", "gpu.max.cta_x=1025",
     "gpu.max.cta_x is 1025, more than gpu.max.cta_threads (1024)"},
    {"v100", "sm.warps=32",
     "sm.threads is 2048, more than the 1024 of sm.warps (32)"},
    {"gtx480", "sm.registers=1024",
     "sm.registers_per_thread is 63, so a warp needs 2016, more than "
     "sm.registers (1024)"},
    {"gtx480", "sm.registers_per_thread=64",
     "sm.registers_per_thread is 64, but instructions of fermi name 63 "
     "registers and the constant zero (kepler and later: 255)"},
    {"v100", "sm.threads=1024 sm.warps=33 ",
     "sm.warps is 33, not a multiple of sm.issue.schedulers (4)"},
    {"gtx480", "sm.shared_bytes=16K",
     "sm.shared_per_cta is 49152, more than sm.shared_bytes (16384)"},
    {"v100", "sm.issue.hazard=codes sm.rf.write_width=2",
     "sm.rf.write_width is 2; control codes count on results whose registers "
     "are all written at once"},
    {"v100", "sm.table.mask=true sm.table.empty=zero_skip",
     "sm.table.mask needs slots that say by a bit whether they are used"},
    {"gtx480", "l1.queue=reod l1.sets=16 l1.reod.queues=32",
     "l1.reod.queues is 32, more than l1.sets (16)"},
    {"gtx480", "l1.queue=reod l1.globals=false l1.locals=false",
     "l1.queue is reod, but nothing is cached that could wait for a set"},
    {"gtx480", "l1.queue=mrpb l1.mrpb.queues=49",
     "l1.mrpb.queues is 49, more than sm.warps (48)"},
    {"gtx480", "l1.queue=mrpb l1.mrpb.signature=cta l1.mrpb.queues=9",
     "l1.mrpb.queues is 9, more than sm.ctas (8)"},
    {"k20", "l1.queue=mascar",
     "l1.mascar.owner is true, but schedulers that obey control codes choose "
     "no owner"},
    {"gtx480", "l1.queue=mascar gpu.cluster.size=2",
     "l1.mascar.owner is true, but each member's memory would choose another "
     "warp for all of a cluster"},
    {"gtx480", "sm.issue.two_level_active=49",
     "sm.issue.two_level_active is 49, more than sm.warps (48)"},
    {"v100", "sm.fetch.ports=3",
     "sm.fetch.ports is 3, which 4 schedulers cannot share evenly"},
    {"k20", "sm.rf.banks=8", "sm.rf.banks is 8; the kepler map has 4 banks"},
    {"v100", "sm.op.int_mul.unit=mul",
     "sm.op.int_mul.unit is mul, of which there is none"},
    {"gtx480", "sm.unit.xu.shared=3",
     "sm.unit.xu.shared is 3, more than sm.issue.schedulers (2)"},
    {"gtx480", "sm.l1i.bytes=2000",
     "sm.l1i.bytes is 2000, not a multiple of 4 ways of 128-byte lines"},
    {"gtx480", "sm.l1i.bytes=0",
     "sm.l1i.bytes is 0; without any first level fetch must be perfect"},
    {"gtx480", "sm.constant.l1.bytes=0",
     "sm.constant.l1.bytes is 0; without it constants must be perfect"},
    {"gtx480", "l1.sets=48",
     "l1.sets is 48; only index mod allows other than a power of two"},
    {"k20", "l2.sets=48",
     "l2.sets is 48; only index mod allows other than a power of two"},
    {"v100", "l1.sector=256", "l1.sector is 256, more than l1.line (128)"},
    {"k20", "l1.line=64 l1.sector=32",
     "l1.line is 64; caches of data have lines of 128 bytes"},
    {"gtx480", "l2.sector=16",
     "l2.sector is 16, less than the 32 bytes that are moved"},
    {"gtx480", "l1.line=256", "l1.line is 256, more than l2.line (128)"},
    {"v100", "l1.sector=16",
     "l1.sector is 16, not a multiple of l2.sector (32)"},
    {"v100", "sm.shared_bytes=128K",
     "sm.shared_bytes is 131072, which leaves nothing of the 130944 bytes it "
     "shares with the L1"},
    {"k20-single", "sm.issue.width=2",
     "sm.issue.width is 2; only control codes, which --gpu k20 obeys, say "
     "which "
     "instructions issue together"},
    {"k20-single", "sm.issue.scheduler=turn",
     "sm.issue.scheduler is turn" GOES_WITH},
    {"k20-single", "sm.fetch.choice=current",
     "sm.fetch.choice is current" GOES_WITH},
    {"k20-single", "sm.fetch.wrong_path=true",
     "sm.fetch.wrong_path is true" GOES_WITH},
    {"v100", "sm.dual.codes=true",
     "sm.dual.codes needs the control codes of kepler"},
    {"gtx480", "sm.table.group=5",
     "sm.table.group is 5, which does not divide the warps of a scheduler: "
     "sm.warps / sm.issue.schedulers = 48 / 2"},
    {"v100", "sm.table.group=16 sm.table.slots=17",
     "sm.table.group is 16; of 17 slots each a warp could have more than 256"},
    {"gtx480", "sm.table.group=4 gpu.cluster.size=2",
     "sm.table.group is 4, but SMs that share a front end hand over pending "
     "results by warp; use sm.table.group=1"},
    {"k20-single", "sm.issue.hazard=codes",
     "sm.issue.hazard is codes" GOES_WITH},
    {"k20", "sm.issue.hazard=codes sm.dual.waits=false",
     "sm.issue.hazard is codes, but codes make no warp wait"},
    {"k20", "sm.issue.hazard=table sm.table.mode=serial",
     "sm.table.mode is serial, one access a cycle, but a pair is checked at "
     "once; use sm.issue.width=1, or --gpu k20-single"},
    {"k20", "sm.issue.hazard=table sm.table.ready=2",
     "sm.table.ready is 2, but a pair is checked when it issues; use "
     "sm.issue.width=1, or --gpu k20-single"},
    {"k20", "sm.dual.pair=0x06",
     "sm.dual.pair is 0x06, one of three codes of a pair's second"},
    {"k20", "sm.fetch.ports=2",
     "sm.fetch.ports is 2; with sm.dual.codes each of 4 schedulers has a port"},
    {"k20", "gpu.sms=12 gpu.cluster.size=2",
     "gpu.cluster.size is 2, but SMs that obey control codes issue for "
     "themselves alone; use --gpu k20-single"},
    {"v100", "sm.rf.cache=reuse sm.rf.collect=units",
     "sm.rf.cache is reuse, which goes with operands that are read in a fixed "
     "window: sm.rf.collect=fixed or allocate"},
    {"k20-single", "sm.rf.cache=reuse sm.rf.collect=allocate",
     "sm.rf.cache is reuse, but only instructions from volta on "
     "have reuse bits"},
    {"k20", "sm.rf.collect=allocate",
     "sm.rf.collect is allocate, whose stage takes one instruction a cycle, "
     "not "
     "a pair"},
    {"k20", "sm.constant.hold=4",
     "sm.constant.hold is 4; schedulers that obey control codes turn to "
     "another "
     "warp at once"},
    {"gtx480", "sm.constant.hold=4 gpu.cluster.size=2",
     "sm.constant.hold is 4; members of a cluster look constants up before "
     "they "
     "issue"},
    {"gtx480", "sm.rf.collect=ports",
     "sm.rf.per_scheduler is false; dispatch ports are a scheduler's own"},
    {"k20", "sm.rf.read_ports=2",
     "sm.rf.read_ports is 2; for dispatch ports a bank reads one register a "
     "cycle; use sm.rf.collect=units, or --gpu k20-single"},
    {"k20", "sm.rf.bank_map=warp",
     "sm.rf.bank_map is warp; the banks of dispatch ports are those of the "
     "number"},
    {"k20", "sm.issue.hazard=counted sm.rf.write_width=1",
     "sm.rf.write_width is 1; a result that is counted is written at once"},
    {"v100", "l2.partitions=2 dram.channels=1 l2.slices=4",
     "dram.channels is 1, not a multiple of l2.partitions (2)"},
    {"v100", "l1.carveouts=8K",
     "l1.carveouts is '8K', not a list of sizes in KB like \"8,16,32\""},
    {"v100", "l2.interleave=64",
     "l2.line is 128, more than l2.interleave (64)"},
    {"v100", "dram.channels=24",
     "l2.slices is 64, not a multiple of dram.channels (24)"},
    {"v100", "dram.channels=2",
     "l2.slices is 64, more than 16 for each of dram.channels (2)"},
    {"v100", "dram.bank_groups=3",
     "dram.banks is 16, not a multiple of dram.bank_groups (3)"},
    {"v100", "dram.burst=16",
     "dram.burst makes accesses of 256 bytes, more than l2.line (128)"},
    {"v100", "dram.write_high=65",
     "dram.write_high is 65, more than dram.write_queue (64)"},
    {"v100", "dram.write_low=48",
     "dram.write_low is 48, not less than dram.write_high (48)"},
    {"v100", "dram.t_ras=41", "dram.t_ras is 41, more than dram.t_rc (40)"},
    {"v100", "dram.t_ccd_s=3", "dram.t_ccd_s is 3, more than dram.t_ccd_l (2)"},
    {"v100", "dram.t_rfc=3420",
     "dram.t_rfc is 3420, not less than dram.t_refi (3420)"},
};

static config_sheet *preset(const char *name, const char *assignments, diag *dg)
{
    config_sheet *s = config_sheet_new();
    char text[128], *save = NULL;

    CHECK_EQ(config_sheet_load(s, name, dg), ST_OK);
    snprintf(text, sizeof text, "%s", assignments);
    for (char *t = strtok_r(text, " ", &save); t;
         t = strtok_r(NULL, " ", &save))
        CHECK_EQ(config_sheet_set(s, t, CONFIG_FROM_SET, dg), ST_OK);
    return s;
}

static bool says(const diag *dg, const char *text)
{
    for (size_t i = 0; i < diag_count(dg); i++)
        if (diag_get(dg, i)->level == DIAG_ERROR &&
            !strcmp(diag_get(dg, i)->text, text))
            return true;
    return false;
}

TEST(defaults_and_presets_keep_all_rules)
{
    config cfg;
    diag *dg = diag_new();

    config_defaults(&cfg);
    CHECK_EQ(config_check(&cfg, dg), ST_OK);
    for (size_t i = 0; i < config_preset_count(); i++) {
        config_sheet *s = preset(config_preset_get(i)->name, "", dg);

        CHECK_EQ(config_sheet_check(s, dg), ST_OK);
        config_sheet_free(s);
    }
    CHECK_EQ(diag_count(dg), 0);
    diag_free(dg);
}

TEST(each_rule_can_be_broken)
{
    for (size_t i = 0; i < COUNTOF(broken); i++) {
        diag *dg = diag_new();
        config_sheet *s = preset(broken[i].preset, broken[i].set, dg);
        status st = config_sheet_check(s, dg);
        bool found = says(dg, broken[i].said);

        if (!found) {
            fprintf(stderr, "not said: %s\n", broken[i].said);
            diag_print(dg, stderr, false);
        }
        CHECK(found);
        CHECK_EQ(st, ST_CONFIG);
        diag_clear(dg);
        CHECK_EQ(config_check(config_sheet_values(s), dg), ST_CONFIG);
        CHECK(says(dg, broken[i].said));
        config_sheet_free(s);
        diag_free(dg);
    }
}

TEST(an_error_shows_both_places)
{
    static const char text[] = "extends: gtx480\nsm:\n  shared_bytes: 16K\n";
    diag *dg = diag_new();
    config_sheet *s = config_sheet_new();
    const diag_item *it;

    CHECK_EQ(config_sheet_read(s, "t.yaml", text, strlen(text), dg), ST_OK);
    CHECK_EQ(config_sheet_check(s, dg), ST_CONFIG);
    CHECK_EQ(diag_count(dg), 2);
    it = diag_get(dg, 0);
    CHECK_EQ(it->level, DIAG_ERROR);
    CHECK_STR(it->file, "configs/gtx480.yaml");
    CHECK(it->line > 1 && it->column == 19 && it->length == 3);
    it = diag_get(dg, 1);
    CHECK_EQ(it->level, DIAG_NOTE);
    CHECK_STR(it->file, "t.yaml");
    CHECK_EQ(it->line, 3);
    CHECK_EQ(it->column, 17);
    CHECK_STR(it->text, "sm.shared_bytes is 16384 here");
    config_sheet_free(s);
    diag_free(dg);
}

TEST(the_note_says_when_a_value_is_a_default)
{
    diag *dg = diag_new();
    config_sheet *s = config_sheet_new();

    CHECK_EQ(config_sheet_set(s, "l1.line=256", CONFIG_FROM_SET, dg), ST_OK);
    CHECK_EQ(config_sheet_check(s, dg), ST_CONFIG);
    CHECK_STR(diag_get(dg, 0)->file, "--set l1.line=256");
    CHECK_STR(diag_get(dg, 1)->text, "l2.line is 128 by default");
    CHECK(diag_get(dg, 1)->file == NULL);
    config_sheet_free(s);
    diag_free(dg);
}
