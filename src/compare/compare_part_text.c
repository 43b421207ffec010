/* src/compare/compare_part_text.c - what a part of the machine spends, stores
 * and compares on each side, for people. */
#include <math.h>

#include "compare/compare_part.h"
#include "text/word.h"

enum { SIDE = 13 };

static void put_part_ratio(double ratio, bool known, FILE *to)
{
    if (known)
        fprintf(to, " %7.3f", ratio);
    else
        fprintf(to, " %7s", "-");
}

static void put_part_side(const compare *c, size_t s,
                          const compare_part_side *y, FILE *to)
{
    bool known = y->energy.count > 0;

    fprintf(to, "%-*.*s", SIDE, SIDE, c->sides[s].label);
    put_part_ratio(y->energy.geometric, known, to);
    put_part_ratio(y->energy.least, known && s, to);
    put_part_ratio(y->energy.most, known && s, to);
    fprintf(to, " %8s", isnan(y->share) ? "-" : word_percent(y->share).s);
    if (y->exists)
        fprintf(to, " %13s %11s%s\n", word_grouped(y->bits).s,
                word_grouped(y->compared).s, y->front ? "  front" : "");
    else
        fprintf(to, " %13s %11s\n", "-", "-");
}

void compare_part_text(const compare *c, FILE *to)
{
    const compare_part_side *sides = compare_part_sides(c);

    if (!sides)
        return;
    fprintf(to,
            "\n%s: energy over the base's, its share of all, bits of the whole "
            "chip\n%-*s %7s %7s %7s %8s %13s %11s\n",
            c->part, SIDE, "side", "energy", "least", "most", "share", "stored",
            "compared");
    for (size_t s = 0; s < c->side_count; s++)
        put_part_side(c, s, &sides[s], to);
    fputs("  front: no other side beats it in speed, this energy and bits "
          "stored\n",
          to);
}
