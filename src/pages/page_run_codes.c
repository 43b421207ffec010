#include "pages/page_run.h"
#include "text/word.h"

enum { TABLED = 40 };

static void put_percent(page *p, double share)
{
    page_number(p, 100 * share, "%s", word_percent(share).s);
}

static void put_codes_row(page *p, const stored_kernel *k)
{
    const figure_dual *d = &k->f.dual;

    page_cell(p, "%s", k->name);
    page_cell(p, "%s", k->workload);
    put_percent(p, word_share(d->single, k->f.slots));
    put_percent(p, word_share(d->alike, k->f.slots));
    put_percent(p, word_share(d->mixed, k->f.slots));
    put_percent(p, d->decode);
    put_percent(p, d->wrong_path);
    put_percent(p, d->shared);
    put_percent(p, d->banks);
    put_percent(p, d->cached);
}

void page_run_codes(page *p, const stored_kernels *k)
{
    static const page_column columns[] = {
        {.name = "kernel"},
        {.name = "workload"},
        {.name = "single",
         .exact = "%",
         .number = true,
         .help = "of the issue slots: one instruction"},
        {.name = "pairs, cores",
         .exact = "%",
         .number = true,
         .help = "of the issue slots: two for one kind of unit"},
        {.name = "pairs, others", .exact = "%", .number = true},
        {.name = "decoding",
         .exact = "%",
         .number = true,
         .help = "cycles in which a scheduler decodes"},
        {.name = "wrong path",
         .exact = "%",
         .number = true,
         .help = "cycles in which it decodes what is not needed"},
        {.name = "shared cores", .exact = "%", .number = true},
        {.name = "bank reads",
         .exact = "%",
         .number = true,
         .help = "of those that the banks could do"},
        {.name = "cached",
         .exact = "%",
         .number = true,
         .help = "operands that take no read of a bank"}};
    size_t n = 0;

    for (size_t i = 0; i < k->count; i++)
        n += k->row[i].f.dual.on && k->row[i].f.slots;
    if (!n)
        return;
    page_section(p, "Control codes");
    page_table(p, "Pairs, ports and banks", "codes", columns,
               sizeof columns / sizeof *columns);
    for (size_t i = 0, put = 0; i < k->count && put < TABLED; i++)
        if (k->row[i].f.dual.on && k->row[i].f.slots) {
            put_codes_row(p, &k->row[i]);
            put++;
        }
    page_table_end(p);
    if (n > TABLED)
        page_note(p, "The %d of %zu kernels that took longest.", TABLED, n);
}
