/* Where a launch spent its time: rows by line and by instruction. */
#include "api/objects.h"
#include "report/profile.h"

size_t heddle_column_count(void) { return profile_column_count(); }

heddle_code heddle_column_info(size_t i, heddle_info *info)
{
    if (!info || i >= profile_column_count())
        return HEDDLE_BAD_ARGUMENT;
    profile_column is = profile_column_at(i);
    *info = (heddle_info){.name = is.name, .unit = is.unit, .help = is.help};
    return HEDDLE_OK;
}

static heddle_row row_of(heddle_result *r, profile_kind kind,
                         const profile_row *from)
{
    const report_launch *l = r->list.row;
    uint64_t *values =
        arena_alloc(r->row_mem, profile_column_count() * sizeof *values);
    strbuf text = {0};
    const char *t = profile_row_text(l, kind, from, &text);

    for (size_t i = 0; i < profile_column_count(); i++)
        values[i] = profile_cell(from, i);
    heddle_row out = {.file = profile_file(l, from),
                      .text = t ? arena_strdup(r->row_mem, t) : NULL,
                      .line = from->line,
                      .index = from->first < l->kernel->code_count
                                   ? from->first
                                   : HEDDLE_NO_INSTRUCTION,
                      .instructions = from->count,
                      .values = values};

    strbuf_fini(&text);
    return out;
}

/* Once, when somebody asks. */
static void make_rows(heddle_result *r, profile_kind kind)
{
    report_launch *l = r->list.row;

    if (r->rows[kind] || !l->profile)
        return;
    if (!r->row_mem)
        r->row_mem = arena_new();
    l->sources = api_module_sources(r->module);
    profile p = profile_make(l, kind);
    heddle_row *rows = ARENA_ARRAY(r->row_mem, heddle_row, p.count);
    for (size_t i = 0; i < p.count; i++)
        rows[i] = row_of(r, kind, &p.row[i]);
    r->rows[kind] = rows;
    r->row_count[kind] = p.count;
    profile_free(&p);
}

/* Readers may be called in callbacks: they do not take the simulation. */
static size_t count_of(const heddle_result *result, heddle_rows kind)
{
    heddle_result *r = (heddle_result *)result; /* what is made stays */
    api_call call;

    if (!result || (unsigned)kind > HEDDLE_BY_INSTRUCTION)
        return 0;
    api_guard(&call, r->sim);
    if (setjmp(call.out)) {
        api_unguard(&call);
        return 0;
    }
    make_rows(r, kind == HEDDLE_BY_LINE ? PROFILE_LINES : PROFILE_INSTS);
    api_unguard(&call);
    return r->row_count[kind];
}

size_t heddle_result_row_count(const heddle_result *result, heddle_rows kind)
{
    return count_of(result, kind);
}

heddle_code heddle_result_row(const heddle_result *result, heddle_rows kind,
                              size_t i, heddle_row *row)
{
    if (!row || i >= count_of(result, kind))
        return HEDDLE_BAD_ARGUMENT;
    *row = result->rows[kind][i];
    return HEDDLE_OK;
}
