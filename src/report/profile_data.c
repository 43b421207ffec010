/* A profile for programs: JSON and CSV, all rows in order, none rounded. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/profile.h"

static uint64_t profile_value(const sm_profile_row *r, size_t i)
{
    uint64_t v;

    memcpy(&v, (const char *)r + sm_profile_block.desc[i].offset, sizeof v);
    return v;
}

static const char *file_of(const report_launch *l, const profile_row *row)
{
    return row->file && l->source ? l->source->files[row->file - 1] : NULL;
}

/* The source line, or the instruction; NULL: unknown. */
static const char *row_text(const report_launch *l, profile_kind kind,
                            const profile_row *row, strbuf *b)
{
    const char *s = NULL;
    size_t n;

    b->size = 0;
    if (row->first == l->kernel->code_count)
        return NULL;
    if (kind == PROFILE_INSTS) {
        profile_inst_text(l, row->first, b);
        return b->text;
    }
    if (row->file)
        s = sources_line(l->sources, row->file - 1u, row->line, &n);
    if (!s)
        return NULL;
    strbuf_write(b, s, n);
    return b->text ? b->text : "";
}

/* ---- JSON ---- */

static void json_row(json *j, const report_launch *l, profile_kind kind,
                     const profile_row *row)
{
    strbuf b = {0};
    bool none = row->first == l->kernel->code_count;

    json_open(j, NULL, '{');
    if (kind == PROFILE_INSTS && !none) {
        json_u64(j, "index", row->first);
        json_u64(j, "address", isa_address(l->arch, row->first));
    } else if (kind == PROFILE_LINES) {
        json_u64(j, "instructions", row->count);
    }
    json_text(j, "file", file_of(l, row));
    json_u64(j, "line", row->line);
    json_text(j, kind == PROFILE_INSTS ? "instruction" : "source",
              row_text(l, kind, row, &b));
    for (size_t i = 0; i < sm_profile_block.count; i++)
        json_u64(j, sm_profile_block.desc[i].id, profile_value(&row->sum, i));
    if (!l->functional) {
        json_u64(j, "slots", row->slots);
        json_open(j, "stall_slots", '{');
        for (unsigned i = 0; i < WHY_STALLS; i++)
            json_u64(j, sm_why_names[i], row->sum.stall[i]);
        json_close(j, '{');
        json_u64(j, "warp_cycles", row->waits);
        json_open(j, "warp_cycles_by_state", '{');
        for (unsigned i = 0; i < WHY_COUNT; i++)
            json_u64(j, sm_why_names[i], row->sum.wait[i]);
        json_close(j, '{');
    }
    json_close(j, '{');
    strbuf_fini(&b);
}

void profile_json(json *j, const report_launch *l, profile_kind kind)
{
    profile p = profile_make(l, kind);

    json_open(j, kind == PROFILE_LINES ? "lines" : "instructions", '[');
    for (size_t i = 0; i < p.count; i++)
        json_row(j, l, kind, &p.row[i]);
    json_close(j, '[');
    profile_free(&p);
}

/* ---- CSV ---- */

void profile_csv_head(profile_kind kind, csv *c)
{
    csv_names(c, kind == PROFILE_LINES
                     ? "launch,kernel,file,line,instructions"
                     : "launch,kernel,index,address,file,line");
    for (size_t i = 0; i < sm_profile_block.count; i++)
        csv_names(c, sm_profile_block.desc[i].id);
    csv_names(c, "slots");
    for (unsigned i = 0; i < WHY_STALLS; i++)
        csv_name(c, "stall_", sm_why_names[i]);
    csv_names(c, "warp_cycles");
    for (unsigned i = 0; i < WHY_COUNT; i++)
        csv_name(c, "wait_", sm_why_names[i]);
    csv_names(c, kind == PROFILE_LINES ? "source" : "instruction");
    csv_line(c);
}

static void put_profile_csv_row(const report_launch *l, const uint32_t *pid,
                                size_t launch, profile_kind kind,
                                const profile_row *row, csv *c)
{
    bool none = row->first == l->kernel->code_count;
    strbuf b = {0};

    if (pid)
        csv_u64(c, *pid);
    csv_u64(c, launch);
    csv_text(c, l->kernel->name);
    if (kind == PROFILE_INSTS && none)
        csv_empty(c, 2);
    if (kind == PROFILE_INSTS && !none) {
        csv_u64(c, row->first);
        csv_u64(c, isa_address(l->arch, row->first));
    }
    csv_text(c, file_of(l, row));
    csv_u64(c, row->line);
    if (kind == PROFILE_LINES)
        csv_u64(c, row->count);
    for (size_t i = 0; i < sm_profile_block.count; i++)
        csv_u64(c, profile_value(&row->sum, i));
    csv_u64(c, row->slots);
    for (unsigned i = 0; i < WHY_STALLS; i++)
        csv_u64(c, row->sum.stall[i]);
    csv_u64(c, row->waits);
    for (unsigned i = 0; i < WHY_COUNT; i++)
        csv_u64(c, row->sum.wait[i]);
    csv_text(c, row_text(l, kind, row, &b));
    csv_line(c);
    strbuf_fini(&b);
}

void profile_csv(const report_launch *l, const uint32_t *pid, size_t launch,
                 profile_kind kind, csv *c)
{
    profile p = profile_make(l, kind);

    for (size_t i = 0; i < p.count; i++)
        put_profile_csv_row(l, pid, launch, kind, &p.row[i], c);
    profile_free(&p);
}
