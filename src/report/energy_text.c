#include <math.h>
#include <stdlib.h>

#include "energy/sharing.h"
#include "report/energy.h"
#include "text/word.h"

enum { PARTS_ROW = 3, PARTS_NARROW = 2 }; /* printed side by side */

/* A part below this share of the total is one of the others. */
static const double SHOWN = 0.01;

typedef struct line {
    const char *name;
    uint64_t fj;
} line;

static int by_energy(const void *a, const void *b)
{
    const line *x = a, *y = b;

    return x->fj < y->fj ? 1 : x->fj > y->fj ? -1 : x < y ? -1 : x > y;
}

/* Parts worth a line, largest first, and the others as one. */
static unsigned choose_parts(const energy *e, line to[ENERGY_PARTS + 1])
{
    uint64_t rest = e->total_fj;
    unsigned n = 0;

    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        if ((double)e->part_fj[i] < SHOWN * (double)e->total_fj)
            continue;
        to[n++] = (line){energy_part_table[i].name, e->part_fj[i]};
        rest -= e->part_fj[i];
    }
    qsort(to, n, sizeof *to, by_energy);
    if (rest)
        to[n++] = (line){"others", rest};
    return n;
}

static void print_parts(const energy *e, bool narrow, FILE *to)
{
    unsigned row = narrow ? PARTS_NARROW : PARTS_ROW;
    line part[ENERGY_PARTS + 1];
    unsigned n = choose_parts(e, part);

    for (unsigned i = 0; i < n; i++)
        fprintf(to, "    %-12s %7s %6s W%s", part[i].name,
                word_percent(word_share(part[i].fj, e->total_fj)).s,
                word_real(energy_watts(e, part[i].fj), 1).s,
                (i + 1) % row == 0 || i + 1 == n ? "\n" : "");
}

/* What sharing saves by the source's formula. */
static void print_sharing(const report_launch *l, const energy *e, FILE *to)
{
    energy_sharing is;

    if (!energy_sharing_of(l->cfg, l->stats, l->totals, e, &is))
        return;
    fprintf(to, "    front ends shared by %u: %s of the time;", is.size,
            word_percent(is.shared).s);
    fprintf(to, " by f g (S - 1) / S %s saved,\n", word_percent(is.formula).s);
    fprintf(to, "      %s spent on links and power switches: %s, ",
            word_percent(is.overhead).s, word_percent(is.saved).s);
    fprintf(to, "%s of all energy\n", word_percent(is.of_all).s);
    fputs("    the source: front end 18 % of dynamic energy and 20.2 % of all, "
          "fetch 12 %,\n      33.7 % of the front end's energy saved, 6.8 % of "
          "all\n",
          to);
}

void energy_text(const report_launch *l, const figures *f, bool narrow,
                 FILE *to)
{
    const energy *e = &f->energy;

    if (e->overflow) {
        fputs("\n  energy: more than 18 kJ, too much to be told\n", to);
        return;
    }
    if (!e->total_fj || !e->cycles)
        return;
    fprintf(to, "\n  energy  %s = 100 %%, on average %s W, EDP %.3g J s\n",
            word_joules(energy_joules(e->total_fj)).s,
            word_real(energy_watts(e, e->total_fj), 1).s, energy_edp(e));
    print_parts(e, narrow, to);
    fprintf(to, "    front end: %s of dynamic energy,",
            word_percent(energy_front_of_dynamic(e)).s);
    fprintf(to, " %s of all;%s model: %s\n",
            word_percent(energy_front_of_total(e)).s, narrow ? "\n     " : "",
            l->cfg->energy.status);
    print_sharing(l, e, to);
}
