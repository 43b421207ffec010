/* src/report/storage_data.c - storage of machines as JSON and CSV, and its
 * sums. */
#include "report/run.h"
#include "report/storage.h"
#include "text/csv.h"
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
    csv out = csv_start(to);

    csv_names(&out, "gpu");
    for (unsigned k = 0; k < x->axis_count; k++)
        csv_names(&out, x->axes[k].path);
    csv_names(&out, "structure,per,data,instances,bits,compared,bits_total,"
                    "compared_total");
    csv_line(&out);
    for (size_t n = 0; n < x->count; n++)
        for (size_t i = 0; i < COST_STRUCTURES; i++) {
            const report_machine *p = &x->machines[n];
            const cost_item *c = &p->item[i];

            if (x->some && !x->wanted[i])
                continue;
            csv_text(&out, p->gpu);
            for (unsigned k = 0; k < x->axis_count; k++)
                csv_text(&out, p->value[k]);
            csv_text(&out, cost_table[i].id);
            csv_text(&out, cost_table[i].per);
            csv_u64(&out, cost_table[i].bulk);
            csv_u64(&out, c->instances);
            csv_u64(&out, c->bits);
            csv_u64(&out, c->comparator_bits);
            csv_u64(&out, report_storage_bits(p, i));
            csv_u64(&out, c->instances * c->comparator_bits);
            csv_line(&out);
        }
}
