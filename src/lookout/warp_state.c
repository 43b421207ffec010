/* src/lookout/warp_state.c - a warp, its lanes and its registers, as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/source.h"
#include "gpu/inspect.h"
#include "isa/print.h"
#include "lookout/lookout_impl.h"
#include "text/json.h"

enum { AROUND = 8 }; /* instructions that are shown before and behind its own */

static void put_instruction(json *j, const char *key, const exec_launch *l,
                            const isa_inst *at)
{
    isa_inst in = *at;
    strbuf text = {0};

    in.ctl = CTL_NONE;
    isa_print(&in, l->arch, &text, NULL, NULL);
    json_text(j, key, text.text ? text.text : "");
    strbuf_fini(&text);
}

void lookout_put_place(json *j, const exec_launch *l, uint32_t pc)
{
    const isa_kernel *k = l->kernel;
    const isa_inst *in = pc < k->code_count ? &k->code[pc] : NULL;
    const char *file = in ? isa_kernel_file(k, in) : NULL;

    json_u64(j, "pc", pc);
    if (in)
        put_instruction(j, "instruction", l, in);
    else
        json_text(j, "instruction", NULL);
    json_text(j, "file", file);
    json_u64(j, "line", file ? in->line : 0);
}

/* ---- Code around it ---- */

static void put_source(json *j, const lookout *m, const char *file,
                       uint32_t line)
{
    sources *s = sources_new(&file, 1, m->program);
    size_t n = 0;

    if (m->file && !strcmp(m->file, file))
        sources_put(s, 0, m->source_text, strlen(m->source_text));
    const char *at = sources_line(s, 0, line, &n);
    char *text = at ? new_text_n(at, n) : NULL;

    json_text(j, "source", text);
    free(text);
    sources_free(s);
}

static void put_code(json *j, const lookout *m, const exec_launch *l,
                     uint32_t pc)
{
    const isa_kernel *k = l->kernel;
    uint32_t from = pc > AROUND ? pc - AROUND : 0;

    json_open(j, "code", '[');
    for (uint32_t i = from; i <= pc + AROUND && i < k->code_count; i++) {
        json_open(j, NULL, '{');
        lookout_put_place(j, l, i);
        json_close(j, '{');
    }
    json_close(j, '[');
    const char *file =
        pc < k->code_count ? isa_kernel_file(k, &k->code[pc]) : NULL;
    if (file)
        put_source(j, m, file, k->code[pc].line);
    else
        json_text(j, "source", NULL);
}

/* ---- Values ---- */

static void put_row(json *j, const uint32_t *value, unsigned n)
{
    json_open(j, NULL, '[');
    for (unsigned i = 0; i < n; i++)
        json_u64(j, NULL, value[i]);
    json_close(j, '[');
}

/* Uniform registers up to the last that is used. */
static void put_uniform(json *j, const exec_warp *x)
{
    unsigned n = ISA_UREGS;

    while (n && !x->ureg[n - 1])
        n--;
    json_open(j, "uniform", '[');
    for (unsigned i = 0; i < n; i++)
        json_u64(j, NULL, x->ureg[i]);
    json_close(j, '[');
    json_u64(j, "uniform_predicates", x->upred);
}

/* A trace has no values. */
static void put_values(json *j, const exec_warp *x)
{
    const exec_launch *l = x->cta->launch;
    unsigned n = x->has ? x->has : l->kernel->registers;

    if (n > l->kernel->registers)
        n = l->kernel->registers;
    json_bool(j, "values", !l->front);
    if (l->front)
        return;
    json_open(j, "registers", '[');
    for (unsigned i = 0; i < n; i++)
        put_row(j, x->reg[i], ISA_WARP);
    json_close(j, '[');
    json_open(j, "predicates", '[');
    for (unsigned i = 0; i < ISA_PREDS; i++)
        json_u64(j, NULL, x->pred[i]);
    json_close(j, '[');
    if (l->arch >= ARCH_AMPERE)
        put_uniform(j, x);
}

/* ---- Lanes ---- */

static void put_lanes(json *j, const exec_warp *x)
{
    static const char *const places[] = {
        [PLACE_RUNS] = "runs",      [PLACE_ENDED] = "ended",
        [PLACE_READY] = "ready",    [PLACE_MEETS] = "meets",
        [PLACE_WARPSYNC] = "meets", [PLACE_CTA] = "barrier",
    };

    json_open(j, "lanes", '[');
    for (unsigned i = 0; i < ISA_WARP && !x->cta->launch->front; i++) {
        uint32_t pc = 0;
        simt_place at = simt_place_of(&x->simt, i, &pc);

        json_open(j, NULL, '{');
        json_text(j, "place", places[at]);
        json_u64(j, "pc", pc);
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void put_warp(json *j, const lookout *m, const gpu *g, unsigned i,
                     unsigned slot)
{
    const sm *s = gpu_sm(g, i);
    sm_warp_state w = sm_inspect(s, slot);
    const exec_cta *c = w.x->cta;
    char *words = NULL;
    size_t size;
    FILE *f = open_memstream(&words, &size);

    ALLOC_MUST(f);
    sm_put_wait(s, slot, f);
    fclose(f);
    json_text(j, "kernel", c->launch->kernel->name);
    json_u64(j, "cta", c->number);
    json_open(j, "cta_id", '[');
    for (unsigned k = 0; k < 3; k++)
        json_u64(j, NULL, c->id[k]);
    json_close(j, '[');
    json_u64(j, "warp", w.x->index);
    json_text(j, "why", sm_why_names[w.why]);
    json_text(j, "words", words);
    json_text(j, "help", sm_why_help[w.why]);
    json_u64(j, "waits", gpu_now(g) - m->marks[i * LOOKOUT_SLOTS + slot].since);
    json_u64(j, "executed", w.x->executed);
    json_u64(j, "active", w.x->simt.active);
    json_u64(j, "live", w.x->simt.live);
    lookout_put_place(j, c->launch, w.pc);
    put_code(j, m, c->launch, w.pc);
    put_lanes(j, w.x);
    put_values(j, w.x);
    free(words);
}

char *lookout_warp(const lookout *m, const gpu *g)
{
    unsigned i = m->wanted.sm, slot = m->wanted.slot;
    json_memory text;
    json *j = json_memory_begin(&text);

    json_u64(j, "sm", i);
    json_u64(j, "slot", slot);
    json_u64(j, "now", gpu_now(g));
    json_u64(j, "cycle", gpu_now(g) - m->start);
    if (m->wanted.device != m->how.device)
        json_text(j, "error", "another GPU is simulated now");
    else if (i < m->how.cfg->gpu.sms && slot < LOOKOUT_SLOTS &&
             (sm_resident(gpu_sm(g, i)) >> slot & 1))
        put_warp(j, m, g, i, slot);
    else
        json_text(j, "error", "there is no warp in that slot now");
    return json_memory_end(&text);
}
