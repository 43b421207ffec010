/* A profile for programs: JSON and CSV, all rows in order, none rounded. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/profile.h"
#include "sm/observe/inspect.h"

static uint64_t profile_value(const sm_profile_row *r, size_t i)
{
    uint64_t v;

    memcpy(&v, (const char *)r + sm_profile_block.desc[i].offset, sizeof v);
    return v;
}

const char *profile_file(const report_launch *l, const profile_row *row)
{
    return row->file && l->source ? l->source->files[row->file - 1] : NULL;
}

const char *profile_row_text(const report_launch *l, profile_kind kind,
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

/* ---- Columns ---- */

#define STALL(id, name, where, help) "stall_" #name,
static const char *const stall_names[WHY_STALLS] = {
#include "sm/stall.def"
};
#undef STALL
#define STALL(id, name, where, help) "wait_" #name,
static const char *const wait_names[WHY_COUNT] = {
#include "sm/stall.def"
    "wait_ready"};
#undef STALL

/* Behind the counters: slots and why they were empty, cycles of warps and what
 * they waited for. */
size_t profile_column_count(void)
{
    return sm_profile_block.count + 1 + WHY_STALLS + 1 + WHY_COUNT;
}

profile_column profile_column_at(size_t i)
{
    if (i < sm_profile_block.count) {
        const stat_desc *d = &sm_profile_block.desc[i];

        return (profile_column){d->id, d->unit, d->help};
    }
    i -= sm_profile_block.count;
    if (i == 0)
        return (profile_column){"slots", "slot", "issue slots, used and empty"};
    if (--i < WHY_STALLS)
        return (profile_column){stall_names[i], "slot", sm_why_help[i]};
    i -= WHY_STALLS;
    if (i == 0)
        return (profile_column){"warp_cycles", "cycle",
                                "cycles that warps were at it"};
    MUST(--i < WHY_COUNT);
    return (profile_column){wait_names[i], "cycle", sm_why_help[i]};
}

uint64_t profile_cell(const profile_row *r, size_t i)
{
    if (i < sm_profile_block.count)
        return profile_value(&r->sum, i);
    i -= sm_profile_block.count;
    if (i == 0)
        return r->slots;
    if (--i < WHY_STALLS)
        return r->sum.stall[i];
    i -= WHY_STALLS;
    return i == 0 ? r->waits : r->sum.wait[i - 1];
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
    json_text(j, "file", profile_file(l, row));
    json_u64(j, "line", row->line);
    json_text(j, kind == PROFILE_INSTS ? "instruction" : "source",
              profile_row_text(l, kind, row, &b));
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
    for (size_t i = 0; i < profile_column_count(); i++)
        csv_names(c, profile_column_at(i).name);
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
    csv_text(c, profile_file(l, row));
    csv_u64(c, row->line);
    if (kind == PROFILE_LINES)
        csv_u64(c, row->count);
    for (size_t i = 0; i < profile_column_count(); i++)
        csv_u64(c, profile_cell(row, i));
    csv_text(c, profile_row_text(l, kind, row, &b));
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
