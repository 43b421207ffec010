/* src/probe/find/banks.c - register banks: which registers cannot be read
 * together.
 *
 * P3: a stream of FMUL Rd,Ri,Rj that reaches at most 99.5 % of the rate of FMUL
 * Rd,Ri,Ri means that Ri and Rj are in one bank [PPOPP:method]. Where banks
 * give two registers while an instruction issues no pair conflicts; then FFMA
 * Rd,Ri,Rj,Rk does if all three are in one bank. Rd is never one of them. */
#include "probe/find/banks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "probe/loop.h"

enum {
    SLOTS = 16,      /* bodies of a launch */
    EVERY = 4,       /* every fourth warp of a CTA runs: they have one
                        scheduler */
    BLOCK = 8,       /* registers that the kernel itself uses */
    DESTS = 12,      /* of a body in turn */
    EVERYWHERE = 63, /* registers that all families have */
    NUMBER = 16,
};

static const double same_bank = 0.995; /* [PPOPP:method] at most */

/* What is tried until something conflicts and all pairs agree on the classes:
 * few instructions of a warp, then as many of two warps of a scheduler as it
 * takes to see a few hundredths. */
static const probe_bank_way ways[] = {
    {.operands = 2, .warps = 1, .length = 32},
    {.operands = 3, .warps = 1, .length = 32},
    {.operands = 2, .warps = 2, .length = 56},
    {.operands = 3, .warps = 2, .length = 56},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct test {
    uint8_t reg[3];
    bool conflicts; /* what was found */
} test;

typedef struct prober {
    probe_run *r;
    const probe_bank_way *way;
    unsigned registers;
    uint32_t *clock;
    double base[SLOTS]; /* cycles without conflict */
    test *tests;
    size_t count, room;
} prober;

/* ---- Code ---- */

static bool uses(const test *t, unsigned operands, unsigned reg)
{
    for (unsigned i = 0; i < operands; i++)
        if (t->reg[i] == reg)
            return true;
    return false;
}

static bool uses_block(const test *t, unsigned operands, unsigned first)
{
    for (unsigned i = 0; i < operands; i++)
        if (t->reg[i] / BLOCK * BLOCK == first)
            return true;
    return false;
}

/* Destinations: registers that are neither read nor the kernel's. */
static void choose_dests(const test *t, unsigned home, unsigned dest[DESTS])
{
    unsigned n = 0;

    for (unsigned reg = 0; reg < EVERYWHERE && n < DESTS; reg++)
        if (reg / BLOCK * BLOCK != home && !uses(t, 3, reg))
            dest[n++] = reg;
    MUST(n == DESTS);
}

static void put_body(const prober *p, const test *t, unsigned home, strbuf *out)
{
    unsigned dest[DESTS];

    choose_dests(t, home, dest);
    for (unsigned i = 0; i < p->way->length; i++) {
        strbuf_printf(out, "    %s R%u, R%u, R%u",
                      p->way->operands == 2 ? "FMUL" : "FFMA", dest[i % DESTS],
                      t->reg[0], t->reg[1]);
        strbuf_printf(out, p->way->operands == 2 ? "\n" : ", R%u\n", t->reg[2]);
    }
}

static bool put_slot(const prober *p, const test *t, unsigned n,
                     const char *home_text, unsigned home, strbuf *out)
{
    char number[NUMBER];
    strbuf body = {0};

    snprintf(number, sizeof number, "%u", n);
    put_body(p, t, home, &body);
    const probe_var vars[] = {
        {"h", home_text}, {"n", number}, {"body", body.text}};
    bool ok = probe_expand("slot", vars, 3, out, p->r->dg);
    strbuf_fini(&body);
    return ok;
}

/* ---- Measuring ---- */

/* Two clocks of each slot of each warp, even of those that do not run. */
static size_t out_words(unsigned warps)
{
    return (size_t)2 * SLOTS * (EVERY * (warps - 1) + 1);
}

/* Cycles of each slot. */
static status run_slots(prober *p, const test *const *t, unsigned home,
                        double *cycles)
{
    unsigned warps = p->way->warps;
    char h[NUMBER], count[NUMBER], every[NUMBER];
    strbuf slots = {0};
    bool ok = true;

    snprintf(h, sizeof h, "%u", home);
    snprintf(count, sizeof count, "%d", SLOTS);
    snprintf(every, sizeof every, "%d", EVERY);
    for (unsigned i = 0; i < SLOTS && ok; i++)
        ok = put_slot(p, t[i], i, h, home, &slots);
    probe_kernel k = {
        .name = "banks",
        .vars = {{"h", h},
                 {"count", count},
                 {"every", every},
                 {"slots", slots.text}},
        .threads = 32 * (EVERY * (warps - 1) + 1),
        .out = p->clock,
        .out_words = out_words(warps),
    };
    status st = ok ? probe_launch_kernel(p->r, &k) : ST_INTERNAL;
    for (unsigned i = 0; i < SLOTS && st == ST_OK; i++) {
        uint32_t first = p->clock[2 * i], last = p->clock[2 * i + 1];

        for (unsigned w = 1; w < warps; w++) {
            const uint32_t *c = p->clock + 2 * ((size_t)w * EVERY * SLOTS + i);

            first = (int32_t)(c[0] - first) < 0 ? c[0] : first;
            last = (int32_t)(c[1] - last) > 0 ? c[1] : last;
        }
        cycles[i] = (uint32_t)(last - first);
    }
    strbuf_fini(&slots);
    return st;
}

/* The first block that none of the tests reads. */
static unsigned free_block(const prober *p, const test *t)
{
    unsigned home = 0;

    while (uses_block(t, p->way->operands, home))
        home += BLOCK;
    return home;
}

/* Runs all tests for conflicts; tests that need the same block of registers as
 * the kernel are run in turn. */
static status run_tests(prober *p)
{
    const test *slot[SLOTS];
    status st = ST_OK;

    for (unsigned home = 0; home < 4 * BLOCK && st == ST_OK; home += BLOCK)
        for (size_t at = 0; at < p->count && st == ST_OK;) {
            double cycles[SLOTS];
            unsigned n = 0;

            for (; at < p->count && n < SLOTS; at++)
                if (free_block(p, &p->tests[at]) == home)
                    slot[n++] = &p->tests[at];
            if (!n)
                break;
            for (unsigned i = n; i < SLOTS; i++)
                slot[i] = slot[0];
            st = run_slots(p, slot, home, cycles);
            for (unsigned i = 0; i < n && st == ST_OK; i++)
                ((test *)slot[i])->conflicts =
                    p->base[i] / cycles[i] <= same_bank;
        }
    return st;
}

/* What each slot takes without conflicts: all operands are one register. */
static status find_base(prober *p)
{
    const test none = {.reg = {30, 30, 30}};
    const test *slot[SLOTS];

    for (unsigned i = 0; i < SLOTS; i++)
        slot[i] = &none;
    return run_slots(p, slot, 0, p->base);
}

static void add_test(prober *p, unsigned a, unsigned b, unsigned c)
{
    GROW(p->tests, p->count + 1, p->room);
    p->tests[p->count++] = (test){.reg = {(uint8_t)a, (uint8_t)b, (uint8_t)c}};
}

/* ---- Classes ---- */

/* Three that conflict, or two of a pair and one of them again, with `first`;
 * false in *found: there are none. */
static status find_seed(prober *p, const probe_banks *banks, unsigned first,
                        test *seed, bool *found)
{
    bool pair = p->way->operands == 2;
    status st = ST_OK;

    *found = false;
    for (unsigned b = first + 1; b < banks->registers && !*found; b++) {
        p->count = 0;
        for (unsigned c = b + 1; !pair && c < banks->registers; c++)
            if (banks->of[b] < 0 && banks->of[c] < 0)
                add_test(p, first, b, c);
        if (pair && banks->of[b] < 0)
            add_test(p, first, b, b);
        st = run_tests(p);
        if (st != ST_OK)
            return st;
        for (size_t i = 0; i < p->count && !*found; i++)
            if (p->tests[i].conflicts) {
                *seed = p->tests[i];
                *found = true;
            }
    }
    return st;
}

/* All registers that conflict with those of the seed. */
static status collect_class(prober *p, probe_banks *banks, const test *seed)
{
    bool pair = p->way->operands == 2;
    int class = (int)banks->count++;

    p->count = 0;
    for (unsigned x = 0; x < banks->registers; x++)
        if (banks->of[x] < 0 && !uses(seed, 3, x))
            add_test(p, seed->reg[0], pair ? x : seed->reg[1], x);
    status st = run_tests(p);
    for (unsigned i = 0; i < 3; i++)
        banks->of[seed->reg[i]] = class;
    for (size_t i = 0; i < p->count; i++)
        if (p->tests[i].conflicts)
            banks->of[p->tests[i].reg[2]] = class;
    return st;
}

static status find_classes(prober *p, probe_banks *banks)
{
    status st = ST_OK;

    banks->count = 0;
    for (unsigned i = 0; i < banks->registers; i++)
        banks->of[i] = -1;
    for (unsigned i = 0; i < banks->registers && st == ST_OK; i++) {
        test seed;
        bool found = false;

        if (banks->of[i] < 0)
            st = find_seed(p, banks, i, &seed, &found);
        if (st == ST_OK && found)
            st = collect_class(p, banks, &seed);
        if (!banks->count && i == 4)
            break; /* one of the first would have found a partner */
    }
    return st;
}

/* A register of the class of `i` besides i and j; -1: there is none. */
static int partner(const probe_banks *banks, unsigned i, unsigned j)
{
    for (unsigned k = 0; k < banks->registers; k++)
        if (k != i && k != j && banks->of[k] == banks->of[i])
            return (int)k;
    return -1;
}

/* Every pair: those of a class must conflict, all others must not. */
static status check_pairs(prober *p, probe_banks *banks)
{
    bool pair = p->way->operands == 2;

    p->count = 0;
    for (unsigned i = 0; i < banks->registers; i++)
        for (unsigned j = i + 1; j < banks->registers; j++) {
            int k = pair ? (int)i : partner(banks, i, j);

            if (banks->of[i] >= 0 && k >= 0)
                add_test(p, i, j, (unsigned)k);
        }
    status st = run_tests(p);
    banks->pairs = p->count;
    banks->broken = 0;
    for (size_t t = 0; t < p->count; t++) {
        const uint8_t *reg = p->tests[t].reg;
        bool same = banks->of[reg[0]] == banks->of[reg[1]];

        banks->conflicts[reg[0]][reg[1]] = p->tests[t].conflicts;
        banks->broken += same != p->tests[t].conflicts;
    }
    return st;
}

static status try_way(prober *p, probe_banks *banks)
{
    p->clock = new0(out_words(p->way->warps), sizeof *p->clock);
    banks->way = p->way;
    status st = find_base(p);
    if (st == ST_OK)
        st = find_classes(p, banks);
    if (st == ST_OK && banks->count)
        st = check_pairs(p, banks);
    free(p->clock);
    return st;
}

status probe_banks_find(probe_run *r, unsigned registers, probe_banks *banks)
{
    prober p = {.r = r, .registers = registers};
    status st = ST_OK;

    *banks = (probe_banks){.registers = registers};
    for (unsigned i = 0; i < WAYS && st == ST_OK; i++) {
        p.way = &ways[i];
        st = try_way(&p, banks);
        if (banks->count && !banks->broken)
            break;
    }
    free(p.tests);
    return st;
}

/* P4: lanes in a cycle of FMULs and FFMAs by what they read. */
static status report_cost(probe_run *r, const probe_banks *banks)
{
    enum { PLAIN = 0x20 };
    unsigned same[3] = {0}, n = 0, other = 0;
    char text[2][3][64];
    static const char *const names[2][3] = {
        {"banks.fmul", "banks.fmul2", NULL},
        {"banks.ffma", "banks.ffma2", "banks.ffma3"}};
    static const char *const what[2][3] = {
        {"FMUL of two banks", "FMUL of one bank", NULL},
        {"FFMA of one register", "FFMA with two of a bank",
         "FFMA with three of a bank"}};
    status st = ST_OK;

    for (unsigned i = 8; i < banks->registers && n < 3; i++)
        if (banks->of[i] == banks->of[8])
            same[n++] = i;
    while (other < banks->registers - 1 && banks->of[other] == banks->of[8])
        other++;
    snprintf(text[0][0], 64, "FMUL R$(46 + k %% 16), R%u, R%u", same[0], other);
    snprintf(text[0][1], 64, "FMUL R$(46 + k %% 16), R%u, R%u", same[0],
             same[1]);
    snprintf(text[1][0], 64, "FFMA R$(46 + k %% 16), R%u, R%u, R%u", same[0],
             same[0], same[0]);
    snprintf(text[1][1], 64, "FFMA R$(46 + k %% 16), R%u, R%u, R%u", same[0],
             same[1], other);
    snprintf(text[1][2], 64, "FFMA R$(46 + k %% 16), R%u, R%u, R%u", same[0],
             same[1], same[2]);
    for (unsigned k = 0; k < 6 && st == ST_OK && n == 3; k++) {
        const char *id = names[k / 3][k % 3];
        double rate = 0;
        char share[48];

        if (!id)
            continue;
        st = probe_rate(r, text[k / 3][k % 3], PLAIN, &rate);
        if (st != ST_OK)
            break;
        probe_number(r, id, what[k / 3][k % 3], "lane/cycle", rate);
        snprintf(share, sizeof share, "peak.%s", strchr(id, '.') + 1);
        if (r->known.peak > 0)
            probe_number(r, share, what[k / 3][k % 3], "% of peak",
                         100 * rate / r->known.peak);
    }
    return st;
}

/* Cycles of an FMUL of one warp that reads two of `m` registers of a bank, in
 * turn. */
static status time_cycled(probe_run *r, const uint8_t *reg, unsigned m,
                          double *cycles)
{
    enum { LENGTH = 64 }; /* and twice as long */
    strbuf text = {0};

    for (unsigned i = 0; i < m; i++)
        strbuf_printf(&text, "%sFMUL R%u, R%u, R%u", i ? "\n    " : "",
                      50 + i % 8, reg[2 * i % m], reg[(2 * i + 1) % m]);
    probe_body b = {.text = text.text, .n = LENGTH / m};
    status st = probe_cost(r, &b, cycles);
    *cycles /= m;
    strbuf_fini(&text);
    return st;
}

/* Registers that need not be read again: the most of one bank for which
 * instructions that read two of them are not slower. */
static status report_operand_cache(probe_run *r, const probe_banks *banks)
{
    enum { MOST = 10, FIRST = 8, LAST = 50 };
    uint8_t reg[MOST];
    unsigned n = 0, kept = 0;
    double first = 0;
    status st = ST_OK;

    for (unsigned i = FIRST; i < LAST && i < banks->registers && n < MOST; i++)
        if (banks->of[i] == banks->of[FIRST])
            reg[n++] = (uint8_t)i;
    if (banks->way->operands != 2)
        return ST_OK; /* two do not conflict anyway */
    for (unsigned m = 1; m <= n && st == ST_OK; m++) {
        double cycles = 0;

        st = time_cycled(r, reg, m, &cycles);
        first = m > 1 ? first : cycles;
        if (cycles > 1.02 * first)
            break;
        kept = m;
    }
    if (st == ST_OK)
        probe_number(r, "banks.kept", "operands that are not read again",
                     "register", kept > 1 ? kept : 0);
    return st;
}

/* ---- Results ---- */

/* The bits of a register's number that its bank follows. */
static void report_bank_bits(probe_run *r, const probe_banks *banks)
{
    char text[64] = "bits";
    size_t at = strlen(text);

    for (unsigned bit = 0; bit < 8; bit++) {
        bool matters = false;

        for (unsigned i = 0; i < banks->registers; i++) {
            unsigned other = i ^ 1u << bit;

            if (other < banks->registers && banks->of[i] != banks->of[other])
                matters = true;
        }
        if (matters)
            at += (size_t)snprintf(text + at, sizeof text - at, " %u", bit);
    }
    probe_word(r, "banks.map", "a register's bank follows these of its number",
               text);
}

/* For the probes that come. */
static void keep_banks(probe_run *r, const probe_banks *banks)
{
    r->known.bank_count = banks->count;
    for (unsigned i = 0; i < EVERYWHERE; i++)
        r->known.bank[i] = (int8_t)banks->of[i];
}

/* A warp that comes to its turn again has lost what was kept, and costs a cycle
 * more: how many instructions a turn has, in whole groups; 0: it has no end. */
static void report_turn(probe_run *r)
{
    enum { GROUP = 7, LONGEST = 64 };
    const probe_value *kept = probe_found_get(r->found, "banks.kept");
    const probe_value *none = probe_found_get(r->found, "banks.fmul");
    const probe_value *same = probe_found_get(r->found, "banks.fmul2");

    if (!kept || !none || !same || kept->number < 2)
        return;
    double turn = 1 / (none->number / same->number - 1);
    probe_number(r, "banks.turn", "instructions of a warp before another's",
                 "inst",
                 turn > 0 && turn < LONGEST ? GROUP * round(turn / GROUP) : 0);
}

status probe_banks_report(probe_run *r, unsigned registers)
{
    static const char *const rows[] = {"FMUL", "FFMA"};
    probe_banks *banks = new_array(1, sizeof *banks);

    status st = probe_banks_find(r, registers, banks);
    if (st == ST_OK) {
        probe_number(r, "banks.count", "register banks that can be told apart",
                     "bank", banks->count ? banks->count : 1);
        if (banks->count) {
            probe_word(r, "banks.by",
                       "what conflicts: FMULs of two, or FFMAs of three",
                       rows[banks->way->operands - 2]);
            report_bank_bits(r, banks);
            keep_banks(r, banks);
            probe_number(r, "banks.pairs", "pairs that were looked at", "pair",
                         (double)banks->pairs);
            probe_number(r, "banks.broken", "pairs that are not as classes say",
                         "pair", (double)banks->broken);
            probe_found_matrix(r->found, banks->registers, banks->conflicts);
            st = report_cost(r, banks);
            if (st == ST_OK)
                st = report_operand_cache(r, banks);
            report_turn(r);
        }
    }
    free(banks);
    return st;
}

status probe_run_banks(probe_run *r)
{
    return probe_banks_report(r, EVERYWHERE);
}
status probe_run_all_banks(probe_run *r)
{
    return probe_banks_report(r, PROBE_REGISTERS);
}
