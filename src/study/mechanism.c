/* src/study/mechanism.c - see mechanism.h. */
#include "study/mechanism.h"

#include <string.h>

#define L1 "sm[*].l1."

/* clang-format off */
#define STALLS                                                                 \
    {VIEW_PART, "CSF", L1 "stall_set_full",                                    \
     "every line of the set is reserved"},                                     \
    {VIEW_PART, "MSHRF", L1 "stall_mshr_entry + " L1 "stall_mshr_merge",       \
     "no MSHR is free, or the line's has no room in its list"},                \
    {VIEW_PART, "MQF", L1 "stall_miss_queue", "the miss queue is full"},       \
    {VIEW_PART, "other", L1 "stall_data_port + " L1 "stall_reply",             \
     "the data array is busy, or there is no room for the reply"}
#define LOADS                                                                  \
    {VIEW_FIGURE, "hit %", "100 * (" L1 "global_read_hits + " L1               \
     "local_read_hits) / (" L1 "global_reads + " L1 "local_reads)",            \
     "loads that found all they asked for, in percent"},                       \
    {VIEW_FIGURE, "latency", L1 "read_latency / " L1 "read_replies",           \
     "cycles from a transaction's leaving the load and store unit to its "     \
     "data, mean"}
/* clang-format on */

static const char stalls_are[] =
    "cycles in which the L1 performs nothing, by cause";

static const view l1_stalls = {.title = stalls_are, .items = {STALLS, LOADS}};

/* As the figure of [REOD:stalls], and what queues do about it. */
static const view l1_queues = {
    .title = stalls_are,
    .items = {
        STALLS,
        {VIEW_BESIDE, "QF", L1 "stall_queue_full",
         "the queue of the oldest arrival is full, whatever else is performed"},
        {VIEW_BESIDE, "input", L1 "input_blocked",
         "an arrival waits and none is taken: the cycles to compare, as full "
         "queues take the place of other causes"},
        LOADS,
        {VIEW_FIGURE, "moved",
         "mean(" L1 "queue.early) + mean(" L1 "queue.late)",
         "places by which a request was performed before or after its turn, "
         "mean; those from 32 or 64 on count as so many"},
        {VIEW_FIGURE, "held", "mean(" L1 "queue.held)",
         "requests in a queue, mean over queues and cycles"},
        {VIEW_FIGURE, "Jain", "jain(" L1 "queue.grants)",
         "Jain's index of requests performed, over queues that had any"},
    }};

/* What the source's formula says of the front ends' energy, with the fraction
 * of time shared as it was counted: f g (S - 1) / S of it is saved, less what
 * is spent on links and power switches. These are shares of what the front ends
 * would have spent, of which the rest is left. */
#define SHARED "sm[*].shared_active / sm[*].active_cycles"
#define GATED                                                                  \
    "(" SHARED " * energy.gate.gated / 100 * (gpu.cluster.size - 1) / "        \
    "gpu.cluster.size)"
#define SPENT "(energy.link + energy.wake)"
#define PARTED(name, why)                                                      \
    {                                                                          \
        VIEW_FIGURE, #name, "sm[*].parted_" #name, "clusters dissolved: " why  \
    }

static const view shared_front = {
    .title = "sharing of front ends",
    .items =
        {
            {VIEW_FIGURE, "shared %", "100 * " SHARED,
             "f: cycles with a warp in which an SM shared a front end, in "
             "percent"},
            {VIEW_FIGURE, "formula",
             "100 * (" GATED " - (1 - " GATED ") * " SPENT
             " / (energy.front_end - " SPENT "))",
             "f g (S - 1) / S less links and power switches: the front ends' "
             "energy saved, in percent, by the source's formula"},
            {VIEW_FIGURE, "saved %",
             "100 * (1 - energy.front_end / base(energy.front_end))",
             "the same as simulated, against the base"},
            {VIEW_FIGURE, "of all %",
             "100 * (1 - energy.all / base(energy.all))",
             "all energy saved, in percent"},
            {VIEW_FIGURE, "EDP",
             "energy.all * gpu.cycles / (base(energy.all) * base(gpu.cycles))",
             "energy times delay, of the base's"},
            {VIEW_FIGURE, "front %", "100 * energy.front_end / energy.all",
             "the front ends' share of all energy, in percent"},
            {VIEW_FIGURE, "dyn. %",
             "100 * energy.front_dynamic / energy.dynamic",
             "the front ends' share of dynamic energy, in percent: 18 in the "
             "source"},
            {VIEW_FIGURE, "fetch %", "100 * energy.fetch / energy.all",
             "the share of fetch and decode in all energy, in percent: 12 in "
             "the "
             "source"},
            {VIEW_FIGURE, "slip %", "100 * sm[*].slip_cycles / sm[*].cycles",
             "cycles in which nothing issues and a warp waits only for other "
             "SMs"},
            {VIEW_FIGURE, "forms", "sm[*].forms", "clusters formed"},
            PARTED(branch, "lanes of some members' warps went elsewhere"),
            PARTED(exit, "a warp ended in some members only"),
            PARTED(tail, "CTAs were left that go in no row"),
            PARTED(launch, "CTAs of another launch found no other room"),
            PARTED(slip, "members waited for each other too often"),
            PARTED(indirect, "targets of indirect branches differed"),
        },
    .note = "the source: front ends 18 % of dynamic energy, fetch 12 % of all "
            "and front ends\n   20.2 %; of the front ends' energy 33.7 % is "
            "saved, of all 6.8 %; or 37.2 and 7.5 %"};

/* SMs of the machine, for sums over SMs. */
#define SMS "(sm[*].cycles / gpu.cycles)"

/* How evenly SMs hold warps, and why CTAs wait. */
static const view balance = {
    .title = "cycles in which the next CTA waits for an SM, by what all lack",
    .items = {
        {VIEW_PART, "ctas", "dispatch.stall_ctas", "slots for CTAs"},
        {VIEW_PART, "warps", "dispatch.stall_warps", "slots for warps"},
        {VIEW_PART, "regs", "dispatch.stall_registers", "registers"},
        {VIEW_PART, "shared", "dispatch.stall_shared", "shared memory"},
        {VIEW_PART, "pieces", "dispatch.stall_pieces",
         "registers or shared memory in one piece"},
        {VIEW_PART, "limit", "dispatch.stall_limit",
         "SMs have room, but take no more of the launch"},
        {VIEW_PART, "several", "dispatch.stall_several",
         "more than one of these, or some SMs one and some another"},
        {VIEW_FIGURE, "max/mean",
         "dispatch.held_most * " SMS " / dispatch.held",
         "warp slots held on the SM that holds most over those of the mean SM, "
         "over time: 1 is even"},
        {VIEW_FIGURE, "Jain",
         "dispatch.held_total_squares / (" SMS " * dispatch.held_squares)",
         "Jain's index of warp slots held, over time: 1 is even, 1 / SMs one "
         "SM alone"},
        {VIEW_FIGURE, "tail %", "100 * dispatch.tail / gpu.cycles",
         "of the time, from the end of the last CTA of the first SM that has "
         "done to the end"},
        {VIEW_FIGURE, "waited", "dispatch.queue_cycles / dispatch.ctas",
         "cycles that a CTA waits to be given to an SM, mean"},
        {VIEW_FIGURE, "cycles", "gpu.cycles", "from the first to the last"},
    }};

/* As the statistics of [GK110D:5.8]. */
#define PAIRS   "(sm[*].pairs_alike + sm[*].pairs_mixed)"
#define RESULTS "(sm[*].stall_raw_alu + sm[*].stall_raw_pred + sm[*].stall_waw)"
#define EMPTY   "(sm[*].stall_fetch + sm[*].stall_icache + sm[*].stall_branch)"

static const view pairs = {
    .title = "cycles of the schedulers, by what they issue or wait for",
    .items = {
        {VIEW_PART, "one", "sm[*].issued - " PAIRS, "an instruction is issued"},
        {VIEW_PART, "alike", "sm[*].pairs_alike",
         "two for the cores, the second for those that schedulers share"},
        {VIEW_PART, "mixed", "sm[*].pairs_mixed", "two for different units"},
        {VIEW_PART, "shared", "sm[*].stall_shared_unit",
         "the shared cores are the neighbour's"},
        {VIEW_PART, "collect", "sm[*].stall_collector",
         "no entry to gather operands in"},
        {VIEW_PART, "code", "sm[*].stall_stall_count",
         "warps wait as their codes say"},
        {VIEW_PART, "result", RESULTS, "results of units are awaited"},
        {VIEW_PART, "memory", "sm[*].stall_raw_mem", "data are awaited"},
        {VIEW_PART, "empty", EMPTY, "buffers are empty"},
        {VIEW_PART, "other",
         "sm[*].slots - sm[*].issued - sm[*].stall_shared_unit - "
         "sm[*].stall_collector - sm[*].stall_stall_count - " RESULTS
         " - sm[*].stall_raw_mem - " EMPTY,
         "another reason, mostly that there is no warp"},
        {VIEW_FIGURE, "IPC", "sm[*].warp_insts / sm[*].active_cycles",
         "warp instructions of an SM in a cycle with a warp"},
        {VIEW_FIGURE, "paired %", "200 * " PAIRS " / sm[*].warp_insts",
         "instructions that issue in pairs, in percent"},
        {VIEW_FIGURE, "late %", "100 * sm[*].pairs_late / sm[*].warp_insts",
         "that issue alone as their second is not ready, in percent"},
        {VIEW_FIGURE, "refused", "100 * sm[*].pairs_refused / sm[*].warp_insts",
         "whose code asks for a pair that cannot be, in percent"},
        {VIEW_FIGURE, "hit %",
         "100 * (sm[*].reg_reads - sm[*].bank_reads) / sm[*].reg_reads",
         "operands that the operand cache has, in percent"},
        {VIEW_FIGURE, "bank", "sm[*].bank_waits / sm[*].warp_insts",
         "cycles that an instruction waits for banks, mean"},
        {VIEW_FIGURE, "wrong %",
         "100 * sm[*].wrong_path / (sm.issue.schedulers * "
         "sm[*].active_cycles)",
         "cycles of decoders behind taken branches, in percent"},
        {VIEW_FIGURE, "turns", "sm[*].shared_turns / sm[*].pairs_alike",
         "times the shared cores changed hands, for each pair that had them"},
        {VIEW_FIGURE, "words KB", "sm.l1i.bytes / 8 / 1024",
         "of the instruction cache of an SM that control words take, an eighth "
         "of all code: 12.5 %"},
    }};

/* Where operands come from, and what waits for them. */
static const view operands = {
    .title = "cycles of the schedulers, by what they issue or wait for",
    .items = {
        {VIEW_PART, "issued", "sm[*].issued", "an instruction is issued"},
        {VIEW_PART, "unit", "sm[*].stall_unit_busy", "units are busy"},
        {VIEW_PART, "operands", "sm[*].stall_collector",
         "the stages behind issue are full: banks are busy"},
        {VIEW_PART, "code", "sm[*].stall_stall_count",
         "warps wait as their codes say"},
        {VIEW_PART, "result", RESULTS, "results of units are awaited"},
        {VIEW_PART, "memory", "sm[*].stall_raw_mem", "data are awaited"},
        {VIEW_PART, "constant", "sm[*].stall_constant",
         "constants are awaited"},
        {VIEW_PART, "empty", EMPTY, "buffers are empty"},
        {VIEW_PART, "other",
         "sm[*].slots - sm[*].issued - sm[*].stall_unit_busy - "
         "sm[*].stall_collector - sm[*].stall_stall_count - " RESULTS
         " - sm[*].stall_raw_mem - sm[*].stall_constant - " EMPTY,
         "another reason, mostly that there is no warp"},
        {VIEW_FIGURE, "IPC", "sm[*].warp_insts / sm[*].active_cycles",
         "warp instructions of an SM in a cycle with a warp"},
        {VIEW_FIGURE, "hit %", "100 * sm[*].operand_hits / sm[*].reg_reads",
         "operands that the register cache has, in percent"},
        {VIEW_FIGURE, "bank", "sm[*].bank_waits / sm[*].warp_insts",
         "cycles that an instruction waits for banks, mean"},
        {VIEW_FIGURE, "reads", "sm[*].bank_reads / sm[*].warp_insts",
         "registers that an instruction reads from banks, mean"},
        {VIEW_FIGURE, "holds", "1000 * sm[*].const_holds / sm[*].warp_insts",
         "times a scheduler waits for a constant, for 1000 instructions"},
    }};

/* What k20-single has in the place of codes. */
#define CONVENTIONAL                                                           \
    "sm.dual.codes=false,sm.issue.width=1,sm.issue.scheduler=gto,"             \
    "sm.issue.hazard=scoreboard,sm.issue.branch=2,sm.fetch.decode=2,"          \
    "sm.fetch.choice=turn,sm.fetch.wrong_path=false,sm.l1i.bytes=4K,"          \
    "sm.l1i.latency=1,sm.rf.collect=units,sm.rf.read_ports=2,sm.rf.results=3"

#define CLUSTERS(size, slip, reform, conflict)                                 \
    "gpu.cluster.size=" #size ",gpu.cluster.slip=" #slip                       \
    ",gpu.cluster.reform=" reform ",gpu.cluster.conflict=" conflict
/* Load units and write ports as in SMs by themselves, or beyond them. */
#define SAME_HARDWARE ",gpu.cluster.credits=0,gpu.cluster.load_port=false,"
#define MORE_HARDWARE ",gpu.cluster.credits=16,gpu.cluster.load_port=true,"
#define PRIVATE       "sm.fetch.front_end=private"

/* Parts of modern-issue: what is simulated of a Volta by default, and what was
 * found in later cores. */
#define ISSUE_HAZARD "sm.issue.hazard=scoreboard,"
#define ISSUE_ORDER  "sm.issue.scheduler=gto,sm.constant.hold=0,"
#define ISSUE_READS  "sm.rf.collect=fixed,sm.rf.cache=none"
#define ISSUE_BASE   ISSUE_HAZARD ISSUE_ORDER ISSUE_READS
#define ISSUE_MODERN                                                           \
    "sm.issue.scheduler=cggty,sm.constant.hold=4,sm.rf.collect=allocate,"      \
    "sm.rf.cache=reuse"

#define L1_16K ",l1.carveout=fixed,l1.sets=32,l1.ways=4,"

/* Weights and slots of all warps of a CTA change hands at once; or, as the
 * source has it, those of each as it is sent and as it ends. */
#define CTAS_AT_ONCE                                                           \
    ",gpu.load_weight.update=cta,gpu.cta.release=cta,gpu.cta.overlap=true"
#define WARP_BY_WARP                                                           \
    ",gpu.load_weight.update=warp,gpu.cta.release=warp,gpu.cta.overlap=false"
#define GREEDY     "sm.issue.scheduler=gto,"
#define LOAD_SLOTS "gpu.dispatch=load_weight,gpu.load_weight.weight=slots"
#define ALL_SINGLY ",gpu.cta.block=1,gpu.cta.limit=none"

/* One row each. The rival sets all parameters that the variants set, so that a
 * comparison means the same on every GPU. */
static const mechanism table[] = {
    {.name = "scheduler",
     .about = "which ready warp issues: greedy then oldest, in two levels or "
              "the oldest, against loose round robin",
     .where = "any GPU: more where warps share lines, or wait for memory at "
              "the same time",
     .against = "lrr:sm.issue.scheduler=lrr",
     .with = {"gto:sm.issue.scheduler=gto",
              "two-level:sm.issue.scheduler=two_level",
              "oldest:sm.issue.scheduler=oldest"},
     .page = "compare.md"},
    {.name = "l1-size",
     .about = "48 KB of L1 against 16 KB, which a Fermi SM can choose",
     .where = "a Fermi's own choice; later SMs have more, or divide it by what "
              "the kernel needs",
     .gpu = "gtx480",
     .against = "16K:l1.carveout=fixed,l1.sets=32,l1.ways=4",
     .with = {"48K:l1.carveout=fixed,l1.sets=64,l1.ways=6"},
     .view = &l1_stalls,
     .page = "compare.md"},
    {.name = "l1-alloc",
     .about = "a line of the L1 is taken when data returns, against when the "
              "load misses",
     .where = "any L1 that holds global loads; from Volta on its lines are "
              "taken as data returns",
     .against = "on-miss:l1.alloc=on_miss",
     .with = {"on-fill:l1.alloc=on_fill"},
     .view = &l1_stalls,
     .page = "compare.md"},
    {.name = "coalesce",
     .about = "transactions that carry only the sectors touched, against whole "
              "lines",
     .where = "any GPU: more where lanes of a warp touch few bytes of a line",
     .against = "line:sm.lsu.coalesce=line",
     .with = {"sector:sm.lsu.coalesce=sector"},
     .page = "compare.md"},
    {.name = "dram-scheduler",
     .about = "DRAM serves open rows first, against the order of arrival",
     .where = "any GPU: more where several streams share a bank",
     .against = "fcfs:dram.scheduler=fcfs",
     .with = {"fr-fcfs:dram.scheduler=fr_fcfs"},
     .page = "compare.md"},
    {.name = "reod",
     .about =
         "queues by set in front of the L1, so that a full set holds up no "
         "others, against one queue",
     .where =
         "L1s of few sets that reserve a line at the miss, as a Fermi's; one "
         "that takes lines as data returns, as from Volta on, has no full sets",
     .gpu = "gtx480",
     .needs = "l1.globals",
     .without = "its L1 holds no global loads, so queues in front of it have "
                "next to nothing to order",
     .set = "l1.sets=32,l1.ways=4,l1.index=mod,l1.mshrs=128",
     .against = "fifo:l1.queue=fifo",
     .with = {"8x4:l1.queue=reod,l1.reod.queues=8,l1.reod.depth=4",
              "4x8:l1.queue=reod,l1.reod.queues=4,l1.reod.depth=8",
              "8x8:l1.queue=reod,l1.reod.queues=8,l1.reod.depth=8",
              "32x4:l1.queue=reod,l1.reod.queues=32,l1.reod.depth=4",
              "8x4-blind:l1.queue=reod,l1.reod.queues=8,l1.reod.depth=4,"
              "l1.reod.select=blind",
              "8x4-setbit:l1.queue=reod,l1.reod.queues=8,l1.reod.depth=4,"
              "l1.reod.select=setbit",
              "1x32:l1.queue=reod,l1.reod.queues=1,l1.reod.depth=32"},
     .view = &l1_queues,
     .page = "mechanisms/reod.md"},
    {.name = "reod-rivals",
     .about =
         "what helps where sets are full: queues, ways, hashing, loads put "
         "aside, lines not kept",
     .where = "what reod is for; all sides have such an L1 here, whatever the "
              "GPU has",
     .gpu = "gtx480",
     .needs = "l1.globals",
     .without = "its L1 holds no global loads, so queues in front of it have "
                "next to nothing to order",
     .set = "l1.mshrs=128",
     .against = "fifo:l1.queue=fifo" L1_16K "l1.index=mod,l1.alloc=on_miss",
     .with = {"reod:l1.queue=reod,l1.reod.queues=8,l1.reod.depth=4" L1_16K
              "l1.index=mod,l1.alloc=on_miss",
              "buffer:l1.queue=reod,l1.reod.queues=1,l1.reod.depth=32" L1_16K
              "l1.index=mod,l1.alloc=on_miss",
              "8-ways:l1.queue=fifo,l1.carveout=fixed,l1.sets=16,l1.ways=8,"
              "l1.index=mod,l1.alloc=on_miss",
              "hashed:l1.queue=fifo" L1_16K "l1.index=xor,l1.alloc=on_miss",
              "streaming:l1.queue=fifo" L1_16K "l1.index=mod,l1.alloc=on_fill",
              "mrpb:l1.queue=mrpb,l1.mrpb.queues=8,l1.mrpb.depth=4" L1_16K
              "l1.index=mod,l1.alloc=on_miss",
              "mrpb-order:l1.queue=mrpb,l1.mrpb.queues=8,l1.mrpb.depth=4,"
              "l1.mrpb.bypass=false" L1_16K "l1.index=mod,l1.alloc=on_miss",
              "bypass:l1.queue=mrpb,l1.mrpb.queues=1,l1.mrpb.depth=32" L1_16K
              "l1.index=mod,l1.alloc=on_miss",
              "mascar:l1.queue=mascar,l1.mascar.depth=32" L1_16K
              "l1.index=mod,l1.alloc=on_miss",
              "aside:l1.queue=mascar,l1.mascar.depth=32,l1.mascar.owner="
              "false" L1_16K "l1.index=mod,l1.alloc=on_miss",
              "owner:l1.queue=mascar,l1.mascar.depth=0" L1_16K
              "l1.index=mod,l1.alloc=on_miss",
              "locality:l1.queue=fifo,l1.bypass=locality" L1_16K
              "l1.index=mod,l1.alloc=on_miss",
              "locality-reod:l1.queue=reod,l1.reod.queues=8,l1.reod.depth=4,"
              "l1.bypass=locality" L1_16K "l1.index=mod,l1.alloc=on_miss"},
     .view = &l1_queues,
     .page = "mechanisms/reod.md"},
    {.name = "hazard-table",
     .about = "pending results in a few slots for each warp, against a "
              "scoreboard of a bit for each register",
     .where = "SMs that have a scoreboard, as up to Kepler; from Volta on the "
              "compiler's codes are the rival: hazard-codes",
     .gpu = "gtx480",
     .against = "scoreboard:sm.issue.hazard=scoreboard",
     .with = {"S1:sm.issue.hazard=table,sm.table.slots=1",
              "S2:sm.issue.hazard=table,sm.table.slots=2",
              "S3:sm.issue.hazard=table,sm.table.slots=3",
              "S4:sm.issue.hazard=table,sm.table.slots=4",
              "S6:sm.issue.hazard=table,sm.table.slots=6",
              "S8:sm.issue.hazard=table,sm.table.slots=8"},
     .part = "hazard",
     .page = "mechanisms/hazard-table.md"},
    {.name = "hazard-groups",
     .about = "slots divided among the warps that run, and few or many for "
              "each, against a scoreboard",
     .where = "what hazard-table is for, of programs that do not fill an SM "
              "with warps",
     .gpu = "gtx480",
     .against = "scoreboard:sm.issue.hazard=scoreboard",
     .with = {"S4:sm.issue.hazard=table,sm.table.slots=4",
              "S16:sm.issue.hazard=table,sm.table.slots=16",
              "D4:sm.issue.hazard=table,sm.table.slots=4,sm.table.group=4"},
     .part = "hazard",
     .page = "mechanisms/hazard-table.md"},
    {.name = "hazard-codes",
     .about = "control codes of the compiler, and pending results in a few "
              "slots, against a scoreboard",
     .where = "Volta and later, whose compilers write control codes",
     .gpu = "v100",
     .against = "scoreboard:sm.issue.hazard=scoreboard",
     .with = {"S4:sm.issue.hazard=table,sm.table.slots=4",
              "M4:sm.issue.hazard=table,sm.table.slots=4,sm.table.mask=true",
              "S6:sm.issue.hazard=table,sm.table.slots=6",
              "S8:sm.issue.hazard=table,sm.table.slots=8",
              "S16:sm.issue.hazard=table,sm.table.slots=16",
              "D4:sm.issue.hazard=table,sm.table.slots=4,sm.table.group=4",
              "codes:sm.issue.hazard=codes"},
     .part = "hazard",
     .page = "mechanisms/hazard-table.md"},
    {.name = "hazard-waits",
     .about =
         "Kepler's codes trusted for fixed latencies, others in few slots, "
         "against a scoreboard",
     .where = "a GK110 that obeys Kepler's codes",
     .gpu = "k20",
     .against = "scoreboard:sm.issue.hazard=scoreboard",
     .with = {"counted:sm.issue.hazard=counted",
              "S4:sm.issue.hazard=table,sm.table.slots=4",
              "codes:sm.issue.hazard=codes,sm.dual.pending=scoreboard",
              "codes-S2:sm.issue.hazard=codes,sm.dual.pending=table,"
              "sm.table.slots=2",
              "codes-S4:sm.issue.hazard=codes,sm.dual.pending=table,"
              "sm.table.slots=4",
              "codes-D2:sm.issue.hazard=codes,sm.dual.pending=table,"
              "sm.table.slots=2,sm.table.group=4"},
     .part = "hazard",
     .page = "mechanisms/hazard-table.md"},
    {.name = "dispatch",
     .about = "who gets the next CTA: the lightest by load registers, fewest "
              "CTAs, any or the first, against turns",
     .where = "grids of several waves whose CTAs take unequal times; even ones "
              "lose nothing or little",
     .gpu = "gtx480",
     .against = "turns:gpu.dispatch=round_robin" CTAS_AT_ONCE,
     .with = {"first-fit:gpu.dispatch=first_fit" CTAS_AT_ONCE,
              "random:gpu.dispatch=random" CTAS_AT_ONCE,
              "least:gpu.dispatch=least_ctas" CTAS_AT_ONCE,
              "load:gpu.dispatch=load_weight,gpu.load_weight.weight="
              "slots" CTAS_AT_ONCE,
              "source:gpu.dispatch=load_weight,gpu.load_weight.weight="
              "slots" WARP_BY_WARP,
              "linear:gpu.dispatch=load_weight,gpu.load_weight.weight="
              "linear" CTAS_AT_ONCE},
     .view = &balance,
     .draws = 8,
     .page = "mechanisms/load-weight-dispatch.md"},
    {.name = "dispatch-rivals",
     .about = "rivals of load weights: times of earlier launches, CTAs in "
              "pairs, as many as an SM needs",
     .where = "what dispatch is for; kernels in thread-block clusters are "
              "refused, as CTAs "
              "go in blocks",
     .gpu = "gtx480",
     .against =
         "turns:" GREEDY "gpu.dispatch=round_robin" ALL_SINGLY CTAS_AT_ONCE,
     .with = {"load:" GREEDY LOAD_SLOTS ALL_SINGLY CTAS_AT_ONCE,
              "source:" GREEDY LOAD_SLOTS ALL_SINGLY WARP_BY_WARP,
              "turns-warp:" GREEDY
              "gpu.dispatch=round_robin" ALL_SINGLY WARP_BY_WARP,
              "measured:" GREEDY "gpu.dispatch=load_weight,"
              "gpu.load_weight.weight=measured" ALL_SINGLY CTAS_AT_ONCE,
              "pairs:" GREEDY "gpu.dispatch=round_robin,gpu.cta.block=2,"
              "gpu.cta.limit=none" CTAS_AT_ONCE,
              "lazy:" GREEDY "gpu.dispatch=round_robin,gpu.cta.block=1,"
              "gpu.cta.limit=lazy" CTAS_AT_ONCE,
              "lazy-pairs:" GREEDY "gpu.dispatch=round_robin,gpu.cta.block=2,"
              "gpu.cta.limit=lazy" CTAS_AT_ONCE,
              "lazy-load:" GREEDY LOAD_SLOTS ",gpu.cta.block=1,"
              "gpu.cta.limit=lazy" CTAS_AT_ONCE},
     .view = &balance,
     .draws = 8,
     .page = "mechanisms/load-weight-dispatch.md"},
    {.name = "shared-front-end",
     .about = "one front end at work for two or four neighbouring SMs, against "
              "one for each",
     .where = "programs whose CTAs run alike, for energy more than for time; "
              "kernels in thread-block clusters are refused",
     .gpu = "gtx480",
     .against =
         "own:" CLUSTERS(1, 25, "kernel", "dissolve") SAME_HARDWARE PRIVATE,
     .with = {"gated:" CLUSTERS(1, 25, "kernel", "dissolve") SAME_HARDWARE
              "sm.fetch.front_end=gated",
              "S2:" CLUSTERS(2, 25, "kernel", "dissolve") SAME_HARDWARE PRIVATE,
              "S4:" CLUSTERS(4, 25, "kernel", "dissolve") SAME_HARDWARE PRIVATE,
              "S2-waits:" CLUSTERS(2, 0, "kernel", "dissolve")
                  SAME_HARDWARE PRIVATE,
              "S4-waits:" CLUSTERS(4, 0, "kernel", "dissolve")
                  SAME_HARDWARE PRIVATE,
              "S2-row:" CLUSTERS(2, 25, "row", "dissolve")
                  SAME_HARDWARE PRIVATE,
              "S2-union:" CLUSTERS(2, 0, "kernel", "union")
                  SAME_HARDWARE PRIVATE,
              "S2-more:" CLUSTERS(2, 25, "kernel", "dissolve")
                  MORE_HARDWARE PRIVATE},
     .view = &shared_front,
     .page = "mechanisms/shared-front-end.md"},
    {.name = "dual-issue",
     .about = "two instructions of a warp at once where control codes ask for "
              "it, against one",
     .where = "a GK110 alone: schedulers of later SMs issue one instruction",
     .gpu = "k20",
     .against = "single:sm.issue.width=1",
     .with = {"dual:sm.issue.width=2",
              /* The program for pairs; its codes for pairs have no effect. */
              "unpaired:sm.issue.width=2,sm.dual.pair=0x1f",
              "alternate:sm.issue.width=2,sm.dual.arbiter=alternate",
              "own-cores:sm.issue.width=2,sm.unit.fma.shared=4",
              "scoreboard:" CONVENTIONAL},
     .view = &pairs,
     .part = "hazard",
     .page = "mechanisms/dual-issue.md"},
    {.name = "dual-rules",
     .about = "what each rule of a GK110's dual issue that is inferred costs: "
              "without it, against all of them",
     .where = "what dual-issue is for",
     .gpu = "k20",
     .against = "all:sm.issue.width=2",
     .with = {"C2:sm.dual.first=true", "C3:sm.dual.refused=1",
              "X1:sm.unit.fma.shared=4", "R1:sm.rf.entries=2",
              "R2:sm.rf.operand_cache=0", "F1:sm.dual.line=0",
              "F3:sm.fetch.wrong_path=false"},
     .view = &pairs,
     .page = "mechanisms/dual-issue.md"},
    {.name = "modern-issue",
     .about =
         "issue and operands as found in Turing and later, against a Volta "
         "as simulated",
     .where = "Volta and later; a100, h100 and h200 have its parts that their "
              "sources name",
     .gpu = "v100",
     .against = "base:" ISSUE_BASE,
     .with = {"cggty:" ISSUE_HAZARD "sm.issue.scheduler=cggty,"
              "sm.constant.hold=0," ISSUE_READS,
              "hold:" ISSUE_HAZARD "sm.issue.scheduler=cggty,"
              "sm.constant.hold=4," ISSUE_READS,
              "reuse:" ISSUE_HAZARD ISSUE_ORDER
              "sm.rf.collect=fixed,sm.rf.cache=reuse",
              "allocate:" ISSUE_HAZARD ISSUE_ORDER
              "sm.rf.collect=allocate,sm.rf.cache=none",
              "all:" ISSUE_HAZARD ISSUE_MODERN,
              "all-codes:sm.issue.hazard=codes," ISSUE_MODERN,
              "all-S4:sm.issue.hazard=table,sm.table.slots=4," ISSUE_MODERN,
              "all-S8:sm.issue.hazard=table,sm.table.slots=8," ISSUE_MODERN},
     .view = &operands,
     .part = "registers",
     .page = "mechanisms/modern-issue.md"},
    {.name = "hazard-bound",
     .about = "what perfect knowledge of register hazards would gain over the "
              "scoreboard: a bound, no hardware",
     .where =
         "any GPU: what is left for the better of two ways to track hazards",
     .against = "scoreboard:sm.issue.hazard=scoreboard",
     .with = {"none:sm.issue.hazard=none"},
     .part = "hazard",
     .page = "compare.md"},
};

size_t mechanism_count(void) { return sizeof table / sizeof *table; }

const mechanism *mechanism_get(size_t i) { return &table[i]; }

const char *mechanism_set(const mechanism *m, const char *gpu)
{
    return m->gpu && gpu && !strcmp(m->gpu, gpu) ? m->set : NULL;
}

const mechanism *mechanism_find(const char *name)
{
    for (size_t i = 0; i < mechanism_count(); i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}
