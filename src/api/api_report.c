/* What a result tells of a failure and of printed lines; JSON and hashes. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "api/objects.h"
#include "base/alloc.h"
#include "exec/fault.h"

/* ---- Faults ---- */

static heddle_fault_kind kind_of(enum exec_fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE:
        return HEDDLE_FAULT_NONE;
    case FAULT_BOUNDS:
        return HEDDLE_FAULT_BOUNDS;
    case FAULT_FREED:
        return HEDDLE_FAULT_FREED;
    case FAULT_MISALIGNED:
        return HEDDLE_FAULT_MISALIGNED;
    case FAULT_TRAP:
        return HEDDLE_FAULT_TRAP;
    case FAULT_SHARED_BOUNDS:
        return HEDDLE_FAULT_SHARED_BOUNDS;
    case FAULT_LOCAL_BOUNDS:
        return HEDDLE_FAULT_LOCAL_BOUNDS;
    case FAULT_PC:
        return HEDDLE_FAULT_CODE;
    case FAULT_CONST_BOUNDS:
        return HEDDLE_FAULT_CONST_BOUNDS;
    case FAULT_BARRIER:
        return HEDDLE_FAULT_BARRIER;
    case FAULT_SPACE:
        return HEDDLE_FAULT_SPACE;
    case FAULT_STACK:
        return HEDDLE_FAULT_STACK;
    case FAULT_CALL:
        return HEDDLE_FAULT_CALL;
    case FAULT_TEXTURE_HANDLE:
    case FAULT_TEXTURE_KIND:
    case FAULT_TEXTURE_BOUNDS:
    case FAULT_SAMPLER_HANDLE:
        return HEDDLE_FAULT_TEXTURE;
    case FAULT_ASSERT:
        return HEDDLE_FAULT_ASSERT;
    case FAULT_FREE:
        return HEDDLE_FAULT_FREE;
    case FAULT_HAZARD:
    case FAULT_OVERWRITE:
        return HEDDLE_FAULT_HAZARD;
    case FAULT_DESCRIPTOR:
        return HEDDLE_FAULT_DESCRIPTOR;
    case FAULT_REGISTERS:
        return HEDDLE_FAULT_REGISTERS;
    case FAULT_DEADLOCK:
        return HEDDLE_FAULT_DEADLOCK;
    case FAULT_BULK:
        return HEDDLE_FAULT_BULK;
    case FAULT_CGA_RANK:
    case FAULT_CGA_EXITED:
        return HEDDLE_FAULT_CLUSTER;
    }
    MUST(!"a kind of fault");
    return HEDDLE_FAULT_NONE;
}

heddle_code heddle_result_fault(const heddle_result *result,
                                heddle_fault *fault)
{
    if (!result || !fault)
        return HEDDLE_BAD_ARGUMENT;
    const exec_fault *f = &result->fault;
    *fault = (heddle_fault){.kind = HEDDLE_FAULT_NONE};
    if (result->code != HEDDLE_FAULT)
        return HEDDLE_NOT_FOUND;
    *fault = (heddle_fault){.kind = kind_of(f->kind),
                            .lane = f->lane,
                            .warp = f->warp,
                            .pc = f->pc,
                            .line = result->line,
                            .address = f->addr,
                            .bytes = f->size,
                            .write = f->write,
                            .file = result->file,
                            .what = exec_fault_kind_text(f->kind),
                            .text = heddle_result_error(result)};
    memcpy(fault->cta, f->cta, sizeof fault->cta);
    memcpy(fault->thread, f->thread, sizeof fault->thread);
    return HEDDLE_OK;
}

/* ---- Lines ---- */

size_t heddle_result_line_count(const heddle_result *result, uint64_t *lost)
{
    if (lost)
        *lost = result ? result->list.row->lines_lost : 0;
    return result ? result->list.row->line_count : 0;
}

heddle_code heddle_result_line(const heddle_result *result, size_t i,
                               heddle_line *line)
{
    if (!line || i >= heddle_result_line_count(result, NULL))
        return HEDDLE_BAD_ARGUMENT;
    const exec_line *l = &result->list.row->lines[i];
    *line = (heddle_line){.text = l->text,
                          .length = l->length,
                          .time = l->time,
                          .sm = l->sm,
                          .assertion = l->assertion};
    memcpy(line->cta, l->cta, sizeof line->cta);
    memcpy(line->thread, l->thread, sizeof line->thread);
    return HEDDLE_OK;
}

/* ---- JSON ---- */

static ssize_t append(void *to, const char *text, size_t size)
{
    strbuf_write(to, text, size);
    return (ssize_t)size;
}

static bool has_profile(const report_launch *l)
{
    return l->profile || (l->group && l->group->part[0].profile);
}

/* The report of `count` launches, of which `first` is the first. */
static bool put_json(const heddle_sim *sim, const heddle_result *first,
                     const report_launch *row, size_t count, status st,
                     strbuf *out)
{
    struct rusage use;
    report_run r = {.cfg = rt_device_config(sim->device),
                    .program = first ? first->module->name : "",
                    .launches = row,
                    .launch_count = count,
                    .status = st,
                    .functional = sim->opt.functional,
                    .threads = sim->opt.threads ? sim->opt.threads : 1,
                    .options = {.warm = sim->opt.warm}};

    for (size_t i = 0; i < count; i++) {
        r.options.per_block |= row[i].counters != NULL;
        r.options.by_line |= has_profile(&row[i]);
    }
    r.options.by_instruction = r.options.by_line;
    getrusage(RUSAGE_SELF, &use);
    r.max_rss_bytes = (uint64_t)use.ru_maxrss * 1024;
    out->size = 0;
    FILE *f = fopencookie(out, "w", (cookie_io_functions_t){.write = append});
    if (!f)
        return false;
    report_json(&r, f);
    return fclose(f) == 0;
}

/* Its lines are told with their texts. */
static void take_sources(heddle_result *r)
{
    if (has_profile(r->list.row))
        r->list.row->sources = api_module_sources(r->module);
}

static const char *json_of(heddle_result *r)
{
    take_sources(r);
    return put_json(r->sim, r, r->list.row, 1, r->list.row->status, &r->json)
               ? r->json.text
               : NULL;
}

const char *heddle_result_json(heddle_result *result)
{
    api_call call;

    if (!result)
        return NULL;
    if (result->json.size)
        return result->json.text;
    api_guard(&call, result->sim);
    if (setjmp(call.out)) {
        api_unguard(&call);
        return NULL;
    }
    const char *text = json_of(result);
    api_unguard(&call);
    return text;
}

static const char *json_of_all(heddle_sim *sim)
{
    const heddle_result *first = NULL;
    report_launch *row;
    status st = ST_OK;
    size_t n = 0;

    for (const heddle_result *r = sim->results; r; r = r->next)
        n++;
    row = new0(n + 1, sizeof *row);
    n = 0;
    for (heddle_result *r = sim->results; r; r = r->next) {
        if (!r->kept)
            continue;
        take_sources(r);
        first = first ? first : r;
        st = st == ST_OK ? r->list.row->status : st;
        row[n++] = *r->list.row;
    }
    bool made = put_json(sim, first, row, n, st, &sim->json);
    free(row);
    return made ? sim->json.text : NULL;
}

const char *heddle_json(heddle_sim *sim)
{
    API_BEGIN_OR(sim, NULL);
    const char *text = json_of_all(sim);
    api_end(&call, HEDDLE_OK);
    return text;
}

/* ---- Hash ---- */

static heddle_code take_hash(heddle_sim *sim, uint64_t *hash)
{
    if (!hash)
        return api_wrong(sim, "heddle_hash: `hash` is NULL");
    *hash = rt_hash(sim->device);
    return HEDDLE_OK;
}

heddle_code heddle_hash(heddle_sim *sim, uint64_t *hash)
{
    API_BEGIN(sim);
    return api_end(&call, take_hash(sim, hash));
}
