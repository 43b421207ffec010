#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/plural.h"
#include "isa/print.h"
#include "runtime/bank0.h"
#include "runtime/internal.h"
#include "runtime/launch_cga.h"
#include "sm/cta.h"
#include "sm/hazard/hazard.h"
#include "sm/sm.h"

/* ---- Checks ---- */

static bool exceeds_limit(diag *dg, const char *what, uint64_t got,
                          uint64_t most)
{
    if (got <= most)
        return false;
    diag_error(dg, "%s is %" PRIu64 ", but the GPU allows %" PRIu64, what, got,
               most);
    return true;
}

/* For calls whose depth the compiler cannot compute. */
static uint32_t stack_bytes(const rt_device *d, const isa_kernel *k)
{
    if (!k->open_stack)
        return 0;
    return (uint32_t)bits_align_up(rt_device_limits(d).stack_bytes, 16);
}

static bool check_shape(const rt_device *d, const rt_launch *l, diag *dg)
{
    const config *cfg = d->cfg;
    const isa_kernel *k = l->kernel;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    size_t before = diag_errors(dg);

    if (!threads || !l->grid[0] || !l->grid[1] || !l->grid[2]) {
        diag_error(dg, "grid %ux%ux%u with blocks of %ux%ux%u has no threads",
                   l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                   l->block[2]);
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        uint64_t all = (uint64_t)l->grid[i] * l->block[i];

        if (l->threads[i] &&
            (l->threads[i] > all || all - l->threads[i] >= l->block[i]))
            diag_error(dg, "%u threads in %c do not make %u blocks of %u",
                       l->threads[i], "xyz"[i], l -> grid[i], l -> block[i]);
    }
    exceeds_limit(dg, "grid x", l->grid[0], cfg->gpu.max.grid_x);
    exceeds_limit(dg, "grid y", l->grid[1], cfg->gpu.max.grid_y);
    exceeds_limit(dg, "grid z", l->grid[2], cfg->gpu.max.grid_z);
    exceeds_limit(dg, "block x", l->block[0], cfg->gpu.max.cta_x);
    exceeds_limit(dg, "block y", l->block[1], cfg->gpu.max.cta_y);
    exceeds_limit(dg, "block z", l->block[2], cfg->gpu.max.cta_z);
    exceeds_limit(dg, "the number of threads of a block", threads,
                  cfg->gpu.max.cta_threads);
    if (k->max_threads && threads > k->max_threads)
        diag_error(dg,
                   "the block has %" PRIu64 " thread%s, but kernel '%s' was "
                   "compiled for at most %u (.maxntid)",
                   threads, word_plural(threads), k->name, k->max_threads);
    if (k->req_threads[0] && memcmp(k->req_threads, l->block, sizeof l->block))
        diag_error(dg,
                   "the block is %ux%ux%u, but kernel '%s' requires %ux%ux%u "
                   "(.reqntid)",
                   l->block[0], l->block[1], l->block[2], k->name,
                   k->req_threads[0], k->req_threads[1], k->req_threads[2]);
    exceeds_limit(dg, "shared memory of a block, static and dynamic, in bytes",
                  (uint64_t)k->shared_bytes + l->shared_bytes,
                  cfg->sm.shared_per_cta);
    exceeds_limit(dg, "the number of registers of a thread", k->registers,
                  cfg->sm.registers_per_thread);
    if (k->launch_registers && cfg->gpu.cta.release == CFG_CTA_RELEASE_WARP)
        diag_error(dg,
                   "kernel '%s' moves registers between warps (setmaxnreg), "
                   "which a machine whose warps return theirs one by one does "
                   "not do (gpu.cta.release: warp)",
                   k->name);
    exceeds_limit(dg, "local memory of a thread, in bytes",
                  (uint64_t)k->local_bytes + stack_bytes(d, k),
                  cfg->gpu.max.local_bytes);
    return rt_cga_check(cfg, l, dg) && diag_errors(dg) == before;
}

/* ---- Grids whose CTAs wait for each other ---- */

/* Where the barrier of all CTAs is, as cooperative groups expect it: its own
 * size, then the counter [CUDA13:grid-workspace]. */
typedef struct grid_workspace {
    uint32_t bytes, barrier;
} grid_workspace;

static bool prepare_workspace(rt_device *d, rt_banks *b, diag *dg)
{
    grid_workspace fresh = {.bytes = sizeof fresh};

    if (!b->workspace)
        b->workspace = rt_alloc(d->memory, sizeof fresh, "workspace of a grid");
    if (!b->workspace) {
        diag_error(dg,
                   "no simulated memory left for a cooperative launch: "
                   "%zu bytes",
                   sizeof fresh);
        return false;
    }
    return rt_write(d->memory, b->workspace, &fresh, sizeof fresh);
}

static bool check_all_fit(const rt_device *d, const rt_launch *l,
                          const rt_result *known, diag *dg)
{
    uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t most = (uint64_t)known->ctas_per_sm * d->cfg->gpu.sms;

    if (!l->cooperative || ctas <= most)
        return true;
    diag_error(dg,
               "the blocks of a cooperative launch wait for each other, but "
               "%" PRIu64 " of the %" PRIu64 " blocks of kernel '%s' fit the "
               "GPU at once (%u on each of %u SMs)",
               most, ctas, l->kernel->name, known->ctas_per_sm,
               d->cfg->gpu.sms);
    return false;
}

/* ---- Constant banks ---- */

/* Bytes [at, at + size) of a bank; what the launch before left behind is
 * cleared. */
static void put_bank_bytes(uint8_t *bank, size_t *used, size_t at,
                           const void *from, size_t size)
{
    if (size)
        memcpy(bank + at, from, size);
    if (at + size < *used)
        memset(bank + at + size, 0, *used - at - size);
    *used = at + size;
}

/* Three banks of CBANK_BYTES: the launch's, the code's, and one of zeros. */
static void fill_banks(const rt_device *d, rt_banks *b, exec_launch *e,
                       const rt_launch *l)
{
    const isa_kernel *k = l->kernel;

    if (!b->bytes)
        b->bytes = new0(3, CBANK_BYTES);
    e->cbank[CBANK_PARAM] = b->bytes;
    e->cbank[CBANK_CODE] = b->bytes + CBANK_BYTES;
    e->cbank[1] = b->bytes + 2 * CBANK_BYTES;
    e->cbank[CBANK_USER] = rt_module_constants(l->module);
    e->cbank[CBANK_SYMBOL] = l->module->symbol;
    put_bank_bytes(b->bytes, &b->used[0], isa_kernel_param_base(k, e->arch),
                   l->params, k->param_bytes);
    put_bank_bytes(b->bytes + CBANK_BYTES, &b->used[1], 0, k->constants,
                   k->constant_bytes);
    rt_bank0_fill(b->bytes, b, d, e, l);
}

/* Bytes that a CTA has behind its shared memory, and a thread behind its local
 * memory, as both are allocated in units. */
static uint32_t shared_rest(const rt_device *d, const exec_launch *e)
{
    return (uint32_t)(sm_cta_needs(d->cfg, e).shared_bytes -
                      sm_cta_shared(d->cfg, e));
}

static uint32_t local_rest(const exec_launch *e)
{
    enum { LOCAL_UNIT = 16 }; /* [MESA:qmd] */
    uint32_t local = exec_local_bytes(e);

    return (uint32_t)bits_align_up(local, LOCAL_UNIT) - local;
}

/* Slack of every CTA and thread takes memory, so it is limited; a kernel
 * without such memory gets none. */
enum {
    SHARED_SLACK = 64 << 10,
    LOCAL_SLACK = 1 << 10,
    BUFFER_SLACK = 64 << 20, /* that is worth proposing */
};

static uint32_t min_u32(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

static uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void add_slack(const rt_device *d, exec_launch *e)
{
    uint64_t slack = d->opt.slack_bytes;

    e->shared_slack = e->shared_bytes ? min_u32(slack, SHARED_SLACK) : 0;
    e->local_slack = exec_local_bytes(e) ? min_u32(slack, LOCAL_SLACK) : 0;
    e->image_slack = slack;
    e->shared_beyond = e->shared_slack;
    e->local_beyond = e->local_slack;
}

/* Accesses that a device would not notice: memory is mapped and handed out in
 * whole pages and units, though less was requested; and the slack that the user
 * gives. */
static void let_pass(const rt_device *d, rt_banks *b, exec_launch *e)
{
    add_slack(d, e);
    if (d->opt.check_async) {
        if (b->async)
            exec_findings_clear(b->async);
        else
            b->async = exec_findings_new(d->cfg->gpu.sms);
        e->async = b->async;
    }
    if (!d->opt.lenient)
        return;
    if (b->outside) /* of a launch that was lost */
        exec_outside_clear(b->outside);
    else
        b->outside = exec_outside_new(d->cfg->gpu.sms);
    e->outside = b->outside;
    e->page_bytes = d->cfg->gpu.page_bytes;
    e->shared_beyond = max_u32(e->shared_slack, shared_rest(d, e));
    e->local_beyond = max_u32(e->local_slack, local_rest(e));
}

void rt_banks_fini(rt_device *d, rt_banks *b)
{
    if (b->workspace)
        rt_release(d->memory, b->workspace);
    free(b->bytes);
    exec_outside_free(b->outside);
    exec_findings_free(b->async);
}

exec_strays rt_take_strays(const rt_device *d, const exec_launch *e)
{
    return exec_strays_take(e, d->seen);
}

/* ---- Running ---- */

void rt_prepare_machine(rt_device *d)
{
    gpu_options opt = {.threads = d->opt.threads,
                       .no_skip = d->opt.no_skip,
                       .shuffle = d->opt.shuffle,
                       .profile_windows = d->opt.profile_windows};

    if (d->broken && d->gpu) {
        d->cycles_before += gpu_now(d->gpu);
        gpu_free(d->gpu);
        d->gpu = NULL;
    }
    d->broken = false;
    if (!d->gpu) {
        stats_restart(d->stats);
        d->gpu = gpu_new(d->cfg, d->seen, d->stats, &opt);
        gpu_persist(d->gpu, d->persist_bytes);
    }
    rt_counters_init(&d->counters, d->stats);
    rt_copies_tell(d);
    if (d->warming)
        rt_warming_tell(d->warming, d->gpu);
}

const exec_seen *rt_device_warming(rt_device *d)
{
    if (!d->gpu || d->broken || d->cfg->l2.perfect)
        return NULL;
    if (!d->warming)
        d->warming = rt_warming_new(d->cfg);
    return rt_warming_seen(d->warming);
}

/* Would it be no fault with --lenient? */
static bool lenient_helps(const rt_device *d, const exec_launch *e,
                          const exec_fault *f)
{
    uint64_t at = f->addr;

    if (e->outside)
        return false;
    if (f->kind == FAULT_BOUNDS || f->kind == FAULT_FREED)
        return mem_beside(d->seen, &at, d->cfg->gpu.page_bytes);
    if (f->kind == FAULT_SHARED_BOUNDS)
        return f->reach <= shared_rest(d, e);
    if (f->kind == FAULT_LOCAL_BOUNDS)
        return f->reach <= local_rest(e);
    return f->kind == FAULT_TEXTURE_BOUNDS;
}

/* The BYTES of --slack that would cover the access; 0: none, or too many. Those
 * of a buffer lie in its range already. */
static uint64_t slack_needed(const rt_device *d, const exec_launch *e,
                             const exec_fault *f)
{
    uint64_t needed = f->reach, most = BUFFER_SLACK;

    if (!d->opt.slack_offered || !needed)
        return 0;
    if (f->kind == FAULT_BOUNDS) {
        const mem_range *r = mem_nearest_named(d->seen, f->addr, RT_SLACK_NAME);

        if (!r)
            return 0;
        needed = d->opt.slack_bytes + mem_reach(r, f->addr, f->size);
    } else if (f->kind == FAULT_SHARED_BOUNDS) {
        most = e->shared_bytes ? SHARED_SLACK : 0;
    } else if (f->kind == FAULT_LOCAL_BOUNDS) {
        most = exec_local_bytes(e) ? LOCAL_SLACK : 0;
    } else if (f->kind != FAULT_TEXTURE_BOUNDS) {
        return 0;
    }
    return needed <= most ? needed : 0;
}

/* Which options let it pass. */
static void put_options(const rt_device *d, const exec_launch *e,
                        const exec_fault *f, char *text, size_t room)
{
    bool lenient = lenient_helps(d, e, f);
    uint64_t slack = slack_needed(d, e, f);
    size_t n = strlen(text);

    if (lenient)
        n += (size_t)snprintf(text + n, room - n,
                              "; no device would notice: --lenient lets it "
                              "pass%s",
                              slack ? "," : "");
    if (slack && n < room)
        snprintf(text + n, room - n, "%s --slack %" PRIu64 "%s",
                 lenient ? " as does" : ";", slack,
                 lenient ? "" : " would let it pass");
}

static void describe_fault(rt_device *d, const exec_launch *e,
                           const exec_fault *f, diag *dg)
{
    char text[1024];

    exec_fault_text(f, e, d->seen, text, sizeof text);
    put_options(d, e, f, text, sizeof text);
    const isa_kernel *k = e->kernel;
    const isa_inst *in = f->pc < k->code_count ? &k->code[f->pc] : NULL;
    const char *file = in ? isa_kernel_file(k, in) : NULL;
    if (file)
        diag_add(dg, DIAG_ERROR, file, in->line, 0, 0, "%s", text);
    else
        diag_error(dg, "%s", text);
}

bool rt_is_functional(const rt_device *d, const rt_launch *l)
{
    return d->opt.functional || l->functional;
}

static void describe_hang(rt_device *d, const exec_launch *e, bool functional,
                          diag *dg)
{
    const exec_spins *s = rt_spins(d, functional, ST_HANG);

    if (s && s->endless && !exec_spins_at_mbarrier(s)) {
        char text[GPU_SPIN_WORDS];

        exec_spins_short(s, text, sizeof text);
        diag_error(dg,
                   "kernel '%s' hangs: its warps spin, and nothing that could "
                   "end that is left; %s",
                   e->kernel->name, text);
        return;
    }
    if (s && s->waits)
        diag_error(dg, "kernel '%s' hangs: %.*s", e->kernel->name,
                   (int)strcspn(s->waits, "\n"), s->waits);
    else
        diag_error(dg,
                   "kernel '%s' hangs: no warp can ever continue (a barrier "
                   "that some threads never reach?)",
                   e->kernel->name);
    if (d->dump && d->gpu && !functional && !(s && s->endless))
        gpu_dump(d->gpu, d->dump);
}

void rt_describe(rt_device *d, const exec_launch *e, status st,
                 const exec_fault *f, const rt_launch *l, diag *dg)
{
    switch (st) {
    case ST_FAULT:
        describe_fault(d, e, f, dg);
        break;
    case ST_HANG:
        describe_hang(d, e, rt_is_functional(d, l), dg);
        break;
    case ST_LIMIT:
        diag_error(dg,
                   "kernel '%s' was stopped after %" PRIu64 " %s "
                   "(--max-cycles)",
                   e->kernel->name, l->max_cycles,
                   rt_is_functional(d, l) ? "warp instructions" : "cycles");
        break;
    case ST_NOMEM:
        diag_error(dg, "out of memory while kernel '%s' was to run",
                   e->kernel->name);
        break;
    case ST_IO:
        diag_error(dg, "the trace of kernel '%s' cannot be written: %s",
                   e->kernel->name,
                   d->traces ? trace_folder_error(d->traces) : "?");
        break;
    case ST_OK:
    case ST_MISMATCH:
    case ST_USAGE:
    case ST_CONFIG:
    case ST_PROGRAM:
    case ST_INPUT:
    case ST_INTERNAL:
    case ST_INTERRUPTED:
        break;
    }
}

/* Of all that the launch has taken until now. */
static void take_sample(rt_timed *t, uint64_t cycles)
{
    rt_device *d = t->device;

    if (cycles == t->last)
        return;
    if (t->launch->watch)
        stats_series_add(t->launch->watched, d->stats, cycles);
    if (t->launch->sample) {
        rt_counters_sample(&d->counters, d->stats);
        t->launch->sample(t->launch->sample_arg,
                          &(rt_sample){.start = t->last,
                                       .cycles = cycles - t->last,
                                       .stats = d->stats,
                                       .totals = d->counters.step});
    }
    t->last = cycles;
}

static void sample(void *arg, uint64_t cycles)
{
    rt_timed *t = arg;

    take_sample(t, t->before + cycles);
}

const exec_spins *rt_spins(const rt_device *d, bool functional, status st)
{
    const exec_spins *s = &d->spun;

    if (st == ST_OK || (!functional && !d->gpu))
        return NULL;
    if (!functional)
        s = gpu_spins(d->gpu);
    return s->count || s->waits ? s : NULL;
}

/* Reports progress, and now and then the results so far. */
static void report_progress(void *arg, const gpu_progress *p)
{
    static const double FIRST_S = 0.2, AGAIN_S = 1;
    rt_timed *t = arg;
    const rt_launch *l = t->launch;
    double now = clock_s();

    if (l->progress)
        l->progress(l->progress_arg, p);
    if (now - (t->last_report_s > 0 ? t->last_report_s : t->began) <
        (t->last_report_s > 0 ? AGAIN_S : FIRST_S))
        return;
    t->last_report_s = now;
    rt_result is = {.status = ST_INTERRUPTED,
                    .cycles = p->cycle,
                    .ctas = p->ctas_done,
                    .host_seconds = now - t->began,
                    .spins = rt_spins(t->device, false, ST_INTERRUPTED)};
    gpu_settle(t->device->gpu);
    rt_counters_sofar(&t->device->counters, t->device->stats, &is);
    l->sofar(l->sofar_arg, t->device, &is);
}

static uint64_t be_looked_at(void *arg, const gpu *g, status st)
{
    rt_timed *t = arg;

    return t->launch->look(t->launch->look_arg, t->device, g, st);
}

const uint64_t *rt_totals_now(rt_device *d)
{
    rt_result is;

    gpu_settle(d->gpu);
    rt_counters_sofar(&d->counters, d->stats, &is);
    return is.totals;
}

void rt_timed_begin(rt_timed *t, rt_device *d, const rt_launch *l)
{
    *t = (rt_timed){.device = d,
                    .launch = l,
                    .began = clock_s(),
                    .run = {.max_cycles = l->max_cycles,
                            .stop = l->stop,
                            .alone = l->alone,
                            .linger = l->linger,
                            .unwatched = l->front != NULL,
                            .progress = l->progress,
                            .progress_arg = l->progress_arg,
                            .trace = l->trace}};
    if (l->sofar) {
        t->run.progress = report_progress;
        t->run.progress_arg = t;
    }
    if (l->look) {
        t->run.look = be_looked_at;
        t->run.look_arg = t;
    }
    if (l->sample_cycles) {
        t->run.sample = sample;
        t->run.sample_arg = t;
        t->run.sample_cycles = l->sample_cycles;
    }
    gpu_settle(d->gpu);
    rt_counters_begin(&d->counters, d->stats, l->counters);
    if (l->sample_cycles && l->watch) /* without memory nothing is sampled */
        stats_series_begin(l->watched, d->stats, l->watch, l->sample_cycles);
}

void rt_timed_end(rt_timed *t, uint64_t cycles, rt_result *out)
{
    rt_device *d = t->device;

    if (t->launch->sample_cycles)
        take_sample(t, cycles);
    rt_counters_end(&d->counters, d->stats, t->launch->counters, out);
    out->cycles = cycles;
    out->host_seconds = clock_s() - t->began;
}

/* The launch as exec and the timing model get it, without its view of memory
 * and its banks. */
static exec_launch make_launch(const rt_device *d, const rt_launch *l)
{
    const config *cfg = d->cfg;
    exec_launch e = {
        .kernel = l->kernel,
        .arch = l->module->program->arch,
        .grid = {l->grid[0], l->grid[1], l->grid[2]},
        .block = {l->block[0], l->block[1], l->block[2]},
        .size = {l->threads[0], l->threads[1], l->threads[2]},
        .threads = l->block[0] * l->block[1] * l->block[2],
        .shared_bytes = l->kernel->shared_reserved + l->kernel->shared_bytes +
                        l->shared_bytes,
        .stack_bytes = stack_bytes(d, l->kernel),
        .grid_id = d->launches,
        .sms = cfg->gpu.sms,
        .sm_warps = cfg->sm.warps,
        .clock_khz = cfg->gpu.clock_khz,
        .trace_pc = l->trace_pc,
        .numerics = (uint8_t)cfg->sm.tensor.numerics,
        .hints = l->hints,
        .front = l->front,
    };

    e.warps = (e.threads + ISA_WARP - 1) / ISA_WARP;
    rt_cga_of(l, e.cga);
    return e;
}

static bool check_fit(const rt_device *d, const exec_launch *e, diag *dg,
                      rt_result *out)
{
    uint64_t need, have;

    out->ctas_per_sm = sm_occupancy(d->cfg, e, &out->limiter, &need, &have);
    if (!out->ctas_per_sm)
        diag_error(dg,
                   "a block of kernel '%s' does not fit an SM: it needs "
                   "%" PRIu64 " of %s, and there are %" PRIu64,
                   e->kernel->name, need, out->limiter, have);
    return out->ctas_per_sm && rt_cga_fits(d->cfg, e, out->ctas_per_sm, dg);
}

/* Can every instruction issue, as pending registers are tracked? */
static bool check_hazards(const rt_device *d, const exec_launch *e, diag *dg)
{
    const isa_kernel *k = e->kernel;
    sm_refusal no;
    strbuf text = {0};

    if (!sm_hazard_refuses(d->cfg, k, &no))
        return true;
    isa_inst in = k->code[no.pc];
    const char *file = isa_kernel_file(k, &in);

    in.ctl = CTL_NONE;
    isa_print(&in, e->arch, &text, NULL, NULL);
    strbuf_puts(&text, "'");
    if (no.why)
        strbuf_printf(&text, ": %s", no.why);
    else
        strbuf_printf(&text, ", needs %u %s, and %s is %u", no.need, no.what,
                      no.from, no.have);
    diag_add(dg, DIAG_ERROR, file, file ? in.line : 0, 0, 0,
             "kernel '%s' cannot run on this GPU: instruction %u, '%s", k->name,
             no.pc, text.text ? text.text : "?");
    strbuf_fini(&text);
    return false;
}

/* What is allocated now is what the launch sees. */
static void look_at_memory(rt_device *d)
{
    rt_lock(d->memory);
    mem_image_update(d->seen);
    rt_images_update(&d->seen_images, &d->memory->images);
    rt_unlock(d->memory);
}

/* What a front needs: it has no values, and warps of its own order. */
static bool check_front(const rt_device *d, const rt_launch *l, diag *dg)
{
    if (l->front && rt_is_functional(d, l))
        diag_error(dg,
                   "kernel '%s' is a trace, which has no values to compute "
                   "with",
                   l->kernel->name);
    else if (l->front && d->cfg->gpu.cluster.size > 1)
        diag_error(dg, "SMs that share a front end (gpu.cluster.size) run no "
                       "traces");
    else if (l->front && l->module->program->arch < ARCH_VOLTA)
        diag_error(dg, "traces run on GPUs of Volta or later");
    else
        return true;
    return false;
}

status rt_prepare(rt_device *d, const rt_launch *l, rt_banks *b, exec_launch *e,
                  diag *dg, rt_result *out)
{
    const isa_program *program = l->module->program;

    memset(out, 0, sizeof *out);
    if (!check_shape(d, l, dg) || !check_front(d, l, dg))
        return out->status = ST_USAGE;
    *e = make_launch(d, l);
    if (!check_fit(d, e, dg, out) || !check_all_fit(d, l, out, dg) ||
        (!rt_is_functional(d, l) && !check_hazards(d, e, dg)))
        return out->status = ST_USAGE;
    uint8_t services = l->module->services[l->kernel - program->kernels];
    if (!rt_services_prepare(d, services, e, dg) ||
        (l->cooperative && !prepare_workspace(d, b, dg)))
        return out->status = ST_NOMEM;
    look_at_memory(d);
    fill_banks(d, b, e, l);
    let_pass(d, b, e);
    d->textures = rt_images_table(&d->seen_images);
    e->textures = &d->textures;
    return ST_OK;
}

/* ---- Alone ---- */

/* A launch with all that its kernel launches. */
typedef struct running {
    rt_device *d;
    const rt_launch *launch; /* what runs now, */
    exec_launch e;
    rt_child *child; /* and owns it; NULL: the caller's */
    rt_child *queue; /* is to run when that has ended */
    diag *dg;
    rt_result *out;
} running;

/* What runs now has ended. */
static void end_running(running *r)
{
    rt_device *d = r->d;
    exec_strays strays = rt_take_strays(d, &r->e);

    exec_strays_add(&d->strays, &strays);
    exec_strays_fini(&strays);
    d->launches++;
    rt_children_take(d, &r->e, r->launch, &r->queue, r->dg);
    if (r->e.services)
        rt_lines_take(d, r->e.kernel->name, &d->lines, r->dg);
}

/* The next. False: there is none. */
static bool run_next(running *r)
{
    end_running(r);
    rt_child *next =
        rt_children_next(r->d, &r->queue, &r->d->banks, &r->e, r->dg);
    rt_child_free(r->child);
    r->child = next;
    if (next)
        r->launch = &next->launch;
    return next != NULL;
}

static status run_timed(running *r)
{
    rt_device *d = r->d;
    rt_result *out = r->out;
    status st = ST_OK;
    rt_timed t;
    gpu_result g;

    rt_prepare_machine(d);
    rt_warm_up(d, &r->e, r->launch);
    uint64_t start = gpu_now(d->gpu);
    rt_timed_begin(&t, d, r->launch);
    do {
        t.before = gpu_now(d->gpu) - start;
        st = gpu_launch(d->gpu, &r->e, &t.run, r->launch->profile, &g);
        out->ctas += g.ctas;
    } while (st == ST_OK && run_next(r));
    out->start = d->cycles_before + start;
    rt_timed_end(&t, g.end - start, out);
    d->broken = st != ST_OK;
    out->spins = rt_spins(d, false, st);
    out->fault = g.fault;
    return st;
}

static status run_one_untimed(running *r)
{
    rt_untimed *u = rt_untimed_new(r->d, &r->e, r->launch, &r->out->fault);
    status st = ST_OK;

    for (bool ended = false; st == ST_OK && !ended;)
        st = rt_untimed_run(u, true, &ended);
    rt_untimed_end(u, r->out);
    return st;
}

static status run_functional(running *r)
{
    status st;

    do {
        st = run_one_untimed(r);
    } while (st == ST_OK && run_next(r));
    r->out->spins = rt_spins(r->d, true, st);
    return st;
}

/* What runs now has failed, and what is to run after it is lost. */
static void end_failed(running *r)
{
    end_running(r);
    rt_describe(r->d, &r->e, r->out->status, &r->out->fault, r->launch, r->dg);
    rt_children_forget(r->d);
    rt_children_drop(&r->queue);
    rt_child_free(r->child);
}

status rt_run(rt_device *d, const rt_launch *l, diag *dg, rt_result *out)
{
    running r = {.d = d, .launch = l, .dg = dg, .out = out};
    bool untimed = rt_is_functional(d, l);

    if (rt_prepare(d, l, &d->banks, &r.e, dg, out) != ST_OK)
        return out->status;
    rt_lines_clear(&d->lines);
    exec_strays_fini(&d->strays);
    must_hook before = rt_run_begins(d, l->kernel->name, untimed);
    out->status = untimed ? run_functional(&r) : run_timed(&r);
    rt_run_ends(d, before);
    if (out->status != ST_FAULT)
        out->fault = (exec_fault){.kind = FAULT_NONE};
    if (out->status != ST_OK)
        end_failed(&r);
    out->lines = d->lines.line;
    out->line_count = d->lines.count;
    out->lines_lost = d->lines.lost;
    out->strays = d->strays;
    return out->status;
}
