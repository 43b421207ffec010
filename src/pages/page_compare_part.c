/* src/pages/page_compare_part.c - the part of a machine that a comparison is
 * about: what it spends, stores and compares, side by side. */
#include <math.h>

#include "compare/compare_part.h"
#include "pages/page_compare.h"

static void put_ratio_cell(page *p, double ratio, bool known)
{
    page_number(p, known ? ratio : NAN, "%s",
                known ? words_times(ratio).s : "-");
}

static void put_bits_cell(page *p, uint64_t bits, bool exists)
{
    page_number(p, exists ? (double)bits : NAN, "%s",
                exists ? word_grouped(bits).s : "-");
}

static void put_part_side_row(page *p, const compare *c, size_t s,
                              const compare_part_side *y)
{
    const mean *m = &y->energy;
    double speed = s ? c->summaries[s].speedup.geometric : 1;

    page_cell(p, "%s", c->sides[s].label);
    put_ratio_cell(p, speed, !s || compare_complete(c, s));
    put_ratio_cell(p, m->geometric, m->count > 0);
    put_ratio_cell(p, m->least, m->count > 0);
    put_ratio_cell(p, m->most, m->count > 0);
    page_number(p, energy_joules(y->fj), "%s",
                word_joules(energy_joules(y->fj)).s);
    page_number(p, 100 * y->share, "%s",
                isnan(y->share) ? "-" : word_percent(y->share).s);
    put_bits_cell(p, y->bits, y->exists);
    put_bits_cell(p, y->compared, y->exists);
    page_cell(p, "%s", y->front ? "yes" : "");
}

void page_compare_part(page *p, const compare *c)
{
    const compare_part_side *sides = compare_part_sides(c);
    const page_column columns[] = {
        {.name = "side"},
        {.name = "speed-up", .number = true},
        {.name = "energy",
         .unit = "geo. mean",
         .help = "of this part, over the base's",
         .number = true},
        {.name = "least", .number = true},
        {.name = "most", .number = true},
        {.name = "energy", .exact = "J", .number = true},
        {.name = "of all", .exact = "%", .number = true},
        {.name = "stored",
         .unit = "bit",
         .help = "of the whole chip",
         .number = true},
        {.name = "compared",
         .unit = "bit",
         .help = "in a cycle, of the whole chip",
         .number = true},
        {.name = "front",
         .help = "no other side beats it in speed, energy of this part and "
                 "bits stored"}};

    if (!sides)
        return;
    page_section(p, arena_printf(c->mem, "What %s costs", c->part));
    page_table(
        p,
        arena_printf(c->mem, "Energy, storage and comparators of %s", c->part),
        "part", columns, sizeof columns / sizeof *columns);
    for (size_t s = 0; s < c->side_count; s++)
        put_part_side_row(p, c, s, &sides[s]);
    page_table_end(p);
}
