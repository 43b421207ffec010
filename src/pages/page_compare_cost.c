/* src/pages/page_compare_cost.c - the bits that both sides store and compare.
 */
#include <inttypes.h>
#include <math.h>

#include "compare/compare_cost.h"
#include "pages/page_compare.h"

static void put_pair(page *p, const char *name, const char *per,
                     const uint64_t bits[2])
{
    double b = (double)bits[0], v = (double)bits[1];

    page_cell(p, "%s", name);
    page_cell(p, "%s", per);
    page_number(p, b, "%s", word_grouped(bits[0]).s);
    page_number(p, v, "%s", word_grouped(bits[1]).s);
    page_number(p, v - b, "%s%s", v < b ? "\u2212" : "+",
                word_grouped((uint64_t)fabs(v - b)).s);
    page_number(p, b > 0 ? 100 * (v / b - 1) : NAN, "%s",
                b > 0 ? words_change(v / b - 1).s : "from 0");
}

static void put_sums(page *p, const compare_cost *x)
{
    const cost_sum *b = &x->sum[0], *v = &x->sum[1];

    page_row_sum(p);
    put_pair(p, "all control structures", "chip",
             (uint64_t[]){b->bits - b->bulk_bits, v->bits - v->bulk_bits});
    page_row_sum(p);
    put_pair(p, "all data arrays", "chip",
             (uint64_t[]){b->bulk_bits, v->bulk_bits});
    page_row_sum(p);
    put_pair(p, "compared in a cycle", "chip",
             (uint64_t[]){b->comparator_bits, v->comparator_bits});
}

static void put_cost_of_side(page *p, const compare *c, size_t s)
{
    const page_column columns[] = {
        {.name = "structure"},
        {.name = "per"},
        {.name = c->sides[0].label, .unit = "bit", .number = true},
        {.name = c->sides[s].label, .unit = "bit", .number = true},
        {.name = "difference", .unit = "bit", .number = true},
        {.name = "change", .exact = "%", .number = true}};
    const char *title = "Bits stored on the whole chip, structures that differ";
    compare_cost x;

    compare_cost_of(&c->sides[0], &c->sides[s], &x);
    if (!x.count) {
        page_paragraph(p,
                       "%s stores as many bits as %s in every structure: %s, "
                       "%s of them in data arrays.",
                       c->sides[s].label, c->sides[0].label,
                       word_grouped(x.sum[0].bits).s,
                       word_grouped(x.sum[0].bulk_bits).s);
        return;
    }
    page_table(p,
               c->side_count == 2
                   ? title
                   : arena_printf(c->mem, "%s: %s", title, c->sides[s].label),
               "bits", columns, 6);
    for (size_t i = 0; i < x.count; i++)
        put_pair(p, x.changed[i].is->name, x.changed[i].is->per,
                 x.changed[i].bits);
    put_sums(p, &x);
    page_table_end(p);
}

void page_compare_cost(page *p, const compare *c)
{
    page_section(p, "Storage");
    for (size_t s = 1; s < c->side_count; s++)
        put_cost_of_side(p, c, s);
}
