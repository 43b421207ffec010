#include "probe/judge/probe_text.h"

#include <math.h>
#include <string.h>

#include "probe/judge/probe_codes.h"
#include "probe/judge/probe_truth.h"
#include "report/run.h"
#include "text/csv.h"
#include "text/json.h"
#include "text/table.h"
#include "text/word.h"

enum { WORD = 24 }; /* longer ones stand below their table */

/* A number with as many digits as are significant. */
static const char *significant_text(arena *mem, double v)
{
    if (isnan(v))
        return "-";
    if (fabs(v - round(v)) < 0.005)
        return arena_printf(mem, "%.0f", v);
    return arena_printf(mem, fabs(v) < 100 ? "%.2f" : "%.1f", v);
}

/* Of words: whether they are alike; "-": there is nothing to compare. */
static const char *sameness(const char *found, const char *is)
{
    return !is ? "-" : strcmp(is, found) ? "differs" : "same";
}

static const char *fit_word(const char *text)
{
    return !text ? "-" : strlen(text) > WORD ? "below" : text;
}

static const char *deviation(arena *mem, double found, double from)
{
    if (isnan(from) || from == 0)
        return "-";
    return arena_printf(mem, "%+.1f %%", 100 * (found / from - 1));
}

static void put_probe_text_row(table *t, arena *mem, const probe_sheet *s,
                               const probe_value *v)
{
    const probe_published *p = probe_published_find(s->cfg, v->id);

    table_cell(t, v->id);
    if (v->word) {
        const char *is = probe_truth_word(s->cfg, v->id);

        table_cell(t, fit_word(v->word));
        table_cell(t, fit_word(is));
        table_cell(t, sameness(v->word, is));
    } else {
        double is = probe_truth(s->cfg, v->id);

        table_cell(t, significant_text(mem, v->number));
        table_cell(t, significant_text(mem, is));
        table_cell(t, deviation(mem, v->number, is));
    }
    table_cell(t, v->unit);
    if (v->word) {
        table_cell(t, fit_word(p ? p->word : NULL));
        table_cell(t, sameness(v->word, p ? p->word : NULL));
    } else {
        table_cell(t, p ? significant_text(mem, p->value) : "-");
        table_cell(t, p ? deviation(mem, v->number, p->value) : "-");
    }
    table_cell(t, p ? p->source : "");
}

/* Control codes; equal ones share a row. */
static void put_codes(arena *mem, const probe_sheet *s, FILE *to)
{
    static const char *const heads[] = {"off", "cycles", "published", "off",
                                        "codes that are so"};
    probe_code_row *rows = arena_alloc(mem, PROBE_CODES * sizeof *rows);
    size_t count = probe_code_rows(s->found, s->cfg, mem, rows);
    table *t = table_new(mem, s->width);

    table_column(t, "code", true, true);
    table_column(t, "lanes/cycle", false, false);
    table_column(t, "published", false, false);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_column(t, heads[i], i == 4, false);
    for (size_t i = 0; i < count; i++) {
        const probe_code_row *r = &rows[i];

        table_cell(t, arena_printf(mem, "0x%02x", r->first));
        table_cell(t, significant_text(mem, r->rate));
        table_cell(t, significant_text(mem, r->rate_published));
        table_cell(t, deviation(mem, r->rate, r->rate_published));
        table_cell(t, significant_text(mem, r->wait));
        table_cell(t, significant_text(mem, r->wait_published));
        table_cell(t, deviation(mem, r->wait, r->wait_published));
        table_cell(t, r->codes);
    }
    table_print(t, 0, to);
    for (size_t i = 0; i < 2; i++)
        fprintf(to, "%s\n",
                probe_code_summary(s->found, s->cfg, mem,
                                   i ? "latency" : "throughput"));
}

/* What one probe found, from the value `i` on; the first of the next. */
static size_t put_probe(arena *mem, const probe_sheet *s, size_t i, FILE *to)
{
    static const char *const heads[] = {
        "found", "configured", "off", "unit", "published", "off", "source"};
    const probe_found *f = s->found;
    const char *probe = f->values[i].probe;
    table *t = table_new(mem, s->width);

    table_column(t, probe, true, true);
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        table_column(t, heads[k], k == 3 || k == 6, false);
    size_t from = i;
    for (; i < f->value_count && f->values[i].probe == probe; i++)
        put_probe_text_row(t, mem, s, &f->values[i]);
    table_print(t, 0, to);
    for (size_t k = from; k < i; k++)
        if (f->values[k].word && strlen(f->values[k].word) > WORD)
            fprintf(to, "%s: %s\n", f->values[k].id, f->values[k].word);
    return i;
}

void probe_text(const probe_sheet *s, FILE *to)
{
    const probe_found *f = s->found;
    arena *mem = arena_new();

    fprintf(to, "%s (%s), from its clocks alone; published: %s\n\n",
            s->cfg->gpu.name, s->gpu, probe_real(s->cfg));
    for (size_t i = 0; i < f->value_count;) {
        const char *probe = f->values[i].probe;

        if (!strcmp(probe, "codes")) {
            put_codes(mem, s, to);
            while (i < f->value_count && f->values[i].probe == probe)
                i++;
        } else {
            i = put_probe(mem, s, i, to);
        }
        fputc('\n', to);
    }
    fprintf(to, "%llu launches, %s cycles, %s warp instructions, %s\n",
            s->launches, word_grouped(s->cycles).s,
            word_grouped(s->warp_insts).s, word_duration(s->host_seconds).s);
    arena_free(mem);
}

void probe_csv(const probe_sheet *s, FILE *to)
{
    const probe_found *f = s->found;
    csv c = csv_start(to);

    csv_names(&c, "probe,id,unit,found,configured,published,source,what");
    csv_line(&c);
    for (size_t i = 0; i < f->value_count; i++) {
        const probe_value *v = &f->values[i];
        const probe_published *p = probe_published_find(s->cfg, v->id);

        csv_text(&c, v->probe);
        csv_text(&c, v->id);
        csv_text(&c, v->unit);
        if (v->word) {
            csv_text(&c, v->word);
            csv_text(&c, probe_truth_word(s->cfg, v->id));
            csv_text(&c, p ? p->word : NULL);
        } else {
            csv_real(&c, v->number);
            csv_real(&c, probe_truth(s->cfg, v->id));
            csv_real(&c, p ? p->value : NAN);
        }
        csv_text(&c, p ? p->source : NULL);
        csv_text(&c, v->what);
        csv_line(&c);
    }
}

static void put_json_value(json *j, const probe_sheet *s, const probe_value *v)
{
    const probe_published *p = probe_published_find(s->cfg, v->id);

    json_open(j, NULL, '{');
    json_text(j, "probe", v->probe);
    json_text(j, "id", v->id);
    json_text(j, "what", v->what);
    json_text(j, "unit", v->unit);
    if (v->word) {
        json_text(j, "found", v->word);
        json_text(j, "configured", probe_truth_word(s->cfg, v->id));
        json_text(j, "published", p ? p->word : NULL);
    } else {
        json_real(j, "found", v->number);
        json_real(j, "configured", probe_truth(s->cfg, v->id));
        json_real(j, "published", p ? p->value : NAN);
        json_real(j, "deviation",
                  p && p->value != 0 ? v->number / p->value - 1 : NAN);
    }
    json_text(j, "source", p ? p->source : NULL);
    json_close(j, '{');
}

static void put_json_curve(json *j, const probe_curve *c)
{
    json_open(j, NULL, '{');
    json_text(j, "probe", c->probe);
    json_text(j, "id", c->id);
    json_text(j, "line", c->line);
    json_text(j, "what", c->what);
    json_text(j, "x_is", c->x_is);
    json_text(j, "y_is", c->y_is);
    json_open(j, "points", '[');
    for (size_t i = 0; i < c->count; i++) {
        json_open(j, NULL, '[');
        json_real(j, NULL, c->x[i]);
        json_real(j, NULL, c->y[i]);
        json_close(j, '[');
    }
    json_close(j, '[');
    json_close(j, '{');
}

void probe_json(const probe_sheet *s, FILE *to)
{
    json j = json_document(to);

    json_text(&j, "gpu", s->gpu);
    json_text(&j, "name", s->cfg->gpu.name);
    json_u64(&j, "launches", s->launches);
    json_u64(&j, "cycles", s->cycles);
    json_u64(&j, "warp_insts", s->warp_insts);
    json_open(&j, "values", '[');
    for (size_t i = 0; i < s->found->value_count; i++)
        put_json_value(&j, s, &s->found->values[i]);
    json_close(&j, '[');
    json_open(&j, "curves", '[');
    for (size_t i = 0; i < s->found->curve_count; i++)
        put_json_curve(&j, &s->found->curves[i]);
    json_close(&j, '[');
    json_document_end(&j);
}
