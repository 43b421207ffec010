/* tests/unit/gpu/test_address.c - where data in a row go: they fill all sets
 * of all slices, and all columns of all rows of all banks of all channels. */
#include "test.h"

#include "base/rng.h"
#include "config/sheet.h"
#include "dram/dram.h"
#include "mem/image.h"
#include "mem/spread.h"
#include "mem/tags.h"

static const char *const presets[] = {"gtx480", "k20", "v100"};
static const cfg_index kinds[] = {CFG_INDEX_MOD, CFG_INDEX_XOR,
                                  CFG_INDEX_IPOLY};

static config load(const char *name)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();

    CHECK_EQ(config_sheet_load(s, name, dg), ST_OK);
    config cfg = *config_sheet_values(s);
    config_sheet_free(s);
    diag_free(dg);
    return cfg;
}

/* How many lines from `start` on each set of each slice holds, [slice][set];
 * the caller frees. */
static uint32_t *lines_held(const config *cfg, uint64_t start, uint64_t bytes)
{
    uint32_t *held =
        calloc((size_t)cfg->l2.slices * cfg->l2.sets, sizeof *held);
    mem_route r;
    mem_tags t;

    mem_route_init(&r, cfg);
    mem_tags_init(&t, cfg->l2.sets, 1, cfg->l2.line, cfg->l2.index);
    for (uint64_t a = start; a < start + bytes; a += cfg->l2.line) {
        uint32_t set = mem_tags_set(&t, mem_route_in_slice(&r, a));
        held[mem_route_slice(&r, a) * cfg->l2.sets + set]++;
    }
    mem_tags_fini(&t);
    return held;
}

/* From a multiple of what a row of sets holds: each set gets as many. */
static void check_fills_evenly(const config *cfg, rng *g)
{
    uint64_t round = (uint64_t)cfg->l2.slices * cfg->l2.interleave;
    uint64_t span = round * cfg->l2.sets;
    uint32_t each = cfg->l2.interleave / cfg->l2.line;
    uint32_t *held = lines_held(cfg, span * rng_below(g, 1 << 20), span);

    for (size_t i = 0; i < (size_t)cfg->l2.slices * cfg->l2.sets; i++)
        CHECK_EQ(held[i], each);
    free(held);
}

TEST(lines_in_a_row_fill_all_sets_of_the_presets)
{
    rng g;

    rng_init(&g, 1, "presets");
    for (unsigned i = 0; i < COUNTOF(presets); i++) {
        config cfg = load(presets[i]);
        for (unsigned n = 0; n < 5; n++)
            check_fills_evenly(&cfg, &g);
    }
}

TEST(lines_in_a_row_fill_all_sets_of_any_shape)
{
    static const uint32_t slices[] = {1, 2, 3, 5, 6, 7, 8, 10, 12, 15, 32};
    config cfg = load("gtx480");
    rng g;

    rng_init(&g, 1, "shapes");
    for (unsigned n = 0; n < 300; n++) {
        cfg.l2.slices = slices[rng_below(&g, COUNTOF(slices))];
        cfg.dram.channels =
            cfg.l2.slices % 2 ? cfg.l2.slices : cfg.l2.slices / 2;
        cfg.l2.interleave = 128u << rng_below(&g, 4);
        cfg.l2.sets = n % 4 ? 1u << rng_below(&g, 7) : 1 + rng_below(&g, 96);
        cfg.l2.slice_hash = kinds[rng_below(&g, COUNTOF(kinds))];
        cfg.l2.index = kinds[rng_below(&g, COUNTOF(kinds))];
        check_fills_evenly(&cfg, &g);
    }
}

/* From anywhere else the ends are uneven, no more: of as much as the L2 holds
 * nearly all fits. */
TEST(data_as_large_as_the_l2_fit)
{
    rng g;

    rng_init(&g, 1, "fit");
    for (unsigned i = 0; i < 5 * COUNTOF(presets); i++) {
        config cfg = load(presets[i % COUNTOF(presets)]);
        size_t sets = (size_t)cfg.l2.slices * cfg.l2.sets;
        uint64_t lines = sets * cfg.l2.ways, fit = 0;
        uint64_t start = (uint64_t)rng_below(&g, 1 << 30) * cfg.l2.line;
        uint32_t *held = lines_held(&cfg, start, lines * cfg.l2.line);
        for (size_t s = 0; s < sets; s++)
            fit += held[s] < cfg.l2.ways ? held[s] : cfg.l2.ways;
        CHECK(fit * 100 >= lines * 97);
        free(held);
    }
}

/* Rows of all banks of all channels: each column of each once. */
static void check_dram(const config *cfg, rng *g)
{
    enum { ROWS = 4 };
    uint32_t columns = cfg->dram.row_bytes / MEM_LINE;
    uint32_t each = ROWS * cfg->dram.banks * columns; /* lines of a channel */
    uint64_t n = (uint64_t)each * cfg->dram.channels;
    uint32_t first_row = ROWS * rng_below(g, 1 << 10);
    uint64_t start = n / ROWS * first_row * MEM_LINE;
    bool *seen = calloc(n, sizeof *seen);
    mem_route r;

    mem_route_init(&r, cfg);
    for (uint64_t a = start; a < start + n * MEM_LINE; a += MEM_LINE) {
        dram_place p = dram_map(cfg, mem_route_local(&r, a));
        uint64_t at = mem_route_channel(&r, a);
        CHECK(p.row >= first_row && p.row < first_row + ROWS);
        CHECK(p.bank < cfg->dram.banks && p.column < columns);
        at = at * ROWS + p.row - first_row;
        at = (at * cfg->dram.banks + p.bank) * columns + p.column;
        CHECK(at < n && !seen[at]);
        seen[at] = true;
    }
    free(seen);
}

TEST(data_in_a_row_fill_all_rows_of_all_banks)
{
    rng g;

    rng_init(&g, 1, "dram");
    for (unsigned i = 0; i < COUNTOF(presets); i++)
        for (unsigned n = 0; n < 12; n++) {
            config cfg = load(presets[i]);
            if (n) {
                cfg.l2.interleave = 128u << rng_below(&g, 4);
                cfg.l2.slice_hash = kinds[rng_below(&g, COUNTOF(kinds))];
                cfg.dram.bank_xor = rng_below(&g, 2);
                cfg.dram.mapping = rng_below(&g, 2) ? CFG_DRAM_MAP_ROW_COL_BANK
                                                    : CFG_DRAM_MAP_ROW_BANK_COL;
            }
            check_dram(&cfg, &g);
        }
}
