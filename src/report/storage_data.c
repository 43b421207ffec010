/* src/report/storage_data.c - storage of machines as JSON and CSV, and its
 * sums. */
#include <inttypes.h>

#include "report/run.h"
#include "report/storage.h"
#include "text/json.h"

uint64_t report_storage_total(const report_machine *p, storage_total t)
{
    switch (t) {
    case STORAGE_CONTROL:
        return p->sum.bits - p->sum.bulk_bits;
    case STORAGE_DATA:
        return p->sum.bulk_bits;
    case STORAGE_ALL:
        return p->sum.bits;
    case STORAGE_COMPARED:
    case STORAGE_TOTALS:
        break;
    }
    return p->sum.comparator_bits;
}

uint64_t report_storage_bits(const report_machine *p, size_t i)
{
    return p->item[i].instances * p->item[i].bits;
}

static void put_json_structure(json *j, const report_machine *p, size_t i)
{
    const cost_structure *c = &cost_table[i];

    json_open(j, NULL, '{');
    json_text(j, "id", c->id);
    json_text(j, "name", c->name);
    json_text(j, "per", c->per);
    json_bool(j, "data", c->bulk);
    json_u64(j, "instances", p->item[i].instances);
    json_u64(j, "bits", p->item[i].bits);
    json_u64(j, "compared", p->item[i].comparator_bits);
    json_u64(j, "bits_total", report_storage_bits(p, i));
    json_text(j, "formula", c->formula);
    json_text(j, "compared_formula", c->compared);
    json_text(j, "source", c->source);
    json_close(j, '{');
}

void report_storage_json(const report_storage *x, FILE *to)
{
    json j = json_document(to);

    json_open(&j, "machines", '[');
    for (size_t k = 0; k < x->count; k++) {
        const report_machine *p = &x->machines[k];

        json_open(&j, NULL, '{');
        json_text(&j, "gpu", p->gpu);
        json_open(&j, "over", '{');
        for (unsigned i = 0; i < x->axis_count; i++)
            json_text(&j, x->axes[i].path, p->value[i]);
        json_close(&j, '{');
        json_text(&j, "contradiction", p->wrong);
        json_u64(&j, "control_bits", report_storage_total(p, STORAGE_CONTROL));
        json_u64(&j, "data_bits", report_storage_total(p, STORAGE_DATA));
        json_u64(&j, "bits", report_storage_total(p, STORAGE_ALL));
        json_u64(&j, "compared", report_storage_total(p, STORAGE_COMPARED));
        json_open(&j, "structures", '[');
        for (size_t i = 0; i < COST_STRUCTURES; i++)
            if (!x->some || x->wanted[i])
                put_json_structure(&j, p, i);
        json_close(&j, '[');
        json_close(&j, '{');
    }
    json_close(&j, '[');
    json_document_end(&j);
}

void report_storage_csv(const report_storage *x, FILE *to)
{
    fputs("gpu", to);
    for (unsigned k = 0; k < x->axis_count; k++)
        fprintf(to, ",%s", x->axes[k].path);
    fputs(",structure,per,data,instances,bits,compared,bits_total,"
          "compared_total\n",
          to);
    for (size_t n = 0; n < x->count; n++)
        for (size_t i = 0; i < COST_STRUCTURES; i++) {
            const report_machine *p = &x->machines[n];
            const cost_item *c = &p->item[i];

            if (x->some && !x->wanted[i])
                continue;
            report_csv_text(to, p->gpu);
            for (unsigned k = 0; k < x->axis_count; k++) {
                fputc(',', to);
                report_csv_text(to, p->value[k]);
            }
            fprintf(to,
                    ",%s,%s,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    ",%" PRIu64 "\n",
                    cost_table[i].id, cost_table[i].per, cost_table[i].bulk,
                    c->instances, c->bits, c->comparator_bits,
                    report_storage_bits(p, i),
                    c->instances * c->comparator_bits);
        }
}
