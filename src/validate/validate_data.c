/* src/validate/validate_data.c - rows and scores as JSON and CSV. */

#include "text/csv.h"
#include "text/json.h"
#include "validate/validate.h"

/* ---- JSON ---- */

static void write_subject(json *j, const truth_row *is)
{
    json_text(j, "gpu", is->gpu);
    if (is->program)
        json_text(j, "program", is->program->name);
    if (is->launch_file)
        json_text(j, "launch", is->launch_file);
    if (is->probe)
        json_text(j, "probe", is->probe);
    if (is->kernel)
        json_text(j, "kernel", is->kernel);
    json_text(j, "metric", is->metric);
    json_text(j, "unit", is->unit);
}

static void write_row(json *j, const validate_row *r)
{
    const truth_row *is = r->is;

    json_open(j, NULL, '{');
    json_text(j, "file", r->of->path);
    json_text(j, "name", is->name);
    write_subject(j, is);
    json_text(j, "class", is->class);
    json_text(j, "input", truth_input_text(is->input));
    json_bool(j, "fitted", is->fitted);
    json_text(j, "half", truth_half_text(is->half));
    json_text(j, "source", is->source);
    json_real(j, "device", is->value);
    json_real(j, "ours", r->ours);
    json_real(j, "error", validate_error(r));
    json_text(j, "why", r->why);
    json_open(j, "others", '{');
    for (size_t i = 0; i < is->other_count; i++)
        json_real(j, is->others[i].name, is->others[i].value);
    json_close(j, '{');
    json_close(j, '{');
}

static void write_score(json *j, const validate *v, const validate_score *s)
{
    const agreement *a = &s->is;

    json_open(j, NULL, '{');
    json_text(j, "group", s->group);
    json_text(j, "name", s->name);
    json_u64(j, "rows", s->rows);
    json_u64(j, "n", a->count);
    json_real(j, "mape", a->mape);
    json_real(j, "median", a->median);
    json_real(j, "correlation", a->correlation);
    json_real(j, "geomean", a->geomean);
    json_text(j, "worst", a->count ? v->rows[a->worst].is->name : NULL);
    json_close(j, '{');
}

void validate_json(const validate *v, FILE *to)
{
    json j = json_document(to);

    json_bool(&j, "interrupted", v->interrupted);
    json_u64(&j, "cached", v->cached);
    json_open(&j, "rows", '[');
    for (size_t i = 0; i < v->count; i++)
        write_row(&j, &v->rows[i]);
    json_close(&j, '[');
    json_open(&j, "notes", '[');
    for (size_t i = 0; i < v->note_count; i++)
        json_text(&j, NULL, v->notes[i]);
    json_close(&j, '[');
    json_open(&j, "scores", '[');
    for (size_t i = 0; i < v->score_count; i++)
        write_score(&j, v, &v->scores[i]);
    json_close(&j, '[');
    json_document_end(&j);
}

/* ---- CSV ---- */

void validate_csv(const validate *v, FILE *to)
{
    csv c = csv_start(to);

    csv_names(&c,
              "file,row,gpu,program,kernel,metric,unit,class,input,fitted,half,"
              "source,device,ours,error,why");
    csv_line(&c);
    for (size_t i = 0; i < v->count; i++) {
        const validate_row *r = &v->rows[i];
        const truth_row *is = r->is;

        csv_text(&c, r->of->path);
        csv_text(&c, is->name);
        csv_text(&c, is->gpu);
        csv_text(&c, is->program       ? is->program->name
                     : is->launch_file ? is->launch_file
                                       : is->probe);
        csv_text(&c, is->kernel);
        csv_text(&c, is->metric);
        csv_text(&c, is->unit);
        csv_text(&c, is->class);
        csv_text(&c, truth_input_text(is->input));
        csv_text(&c, is->fitted ? "true" : "false");
        csv_text(&c, truth_half_text(is->half));
        csv_text(&c, is->source);
        csv_real(&c, is->value);
        csv_real(&c, r->ours);
        csv_real(&c, validate_error(r));
        csv_text(&c, r->why);
        csv_line(&c);
    }
}
