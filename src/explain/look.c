#include "explain/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "isa/tensor.h"
#include "report/profile.h"
#include "sm/sm.h"
#include "text/word.h"

/* ---- Operations ---- */

typedef enum work_kind {
    WORK_FP32,
    WORK_FP64,
    WORK_HALF,
    WORK_TENSOR,
    WORK_INT
} work_kind;

static const char *const work_names[LOOK_WORKS] = {
    [WORK_FP32] = "FP32",     [WORK_FP64] = "FP64", [WORK_HALF] = "half",
    [WORK_TENSOR] = "tensor", [WORK_INT] = "int",
};

/* A multiply-add by zero: the vendor's compiler moves constants by it. */
static bool is_move(const isa_inst *in)
{
    return (in->op == ISA_HFMA2 || in->op == ISA_IMAD) &&
           in->src_kind[0] == SRC_REG && in->src[0] == ISA_RZ;
}

/* Operations of one lane, or of a whole warp for tensor cores. */
static double ops_of(const isa_inst *in, work_kind *kind)
{
    isa_tensor t;

    if (is_move(in))
        return 0;
    switch (in->class) {
    case ISA_CLASS_FP32:
        *kind = WORK_FP32;
        return in->op == ISA_FFMA ? 2 : 1;
    case ISA_CLASS_FP64:
        *kind = WORK_FP64;
        return in->op == ISA_DFMA ? 2 : 1;
    case ISA_CLASS_HALF:
        *kind = WORK_HALF;
        return in->op == ISA_HFMA2 ? 4 : 2;
    case ISA_CLASS_TENSOR:
        *kind = WORK_TENSOR;
        t = isa_tensor_shape((isa_op)in->op, in->mod);
        return 2.0 * t.m * t.n * t.k / (in->op == ISA_HGMMA ? 4 : 1);
    case ISA_CLASS_INT_ADD:
    case ISA_CLASS_INT_MUL:
    case ISA_CLASS_INT_CMP:
    case ISA_CLASS_LOGIC:
    case ISA_CLASS_SHIFT:
        *kind = WORK_INT;
        return 1;
    default:
        return 0;
    }
}

/* Warp instructions per cycle of the chip. */
static double rate_of(const config *c, cfg_unit unit, unsigned interval)
{
    config_unit u = config_unit_get(c, unit);

    return (double)c->gpu.sms *
           (u.private * c->sm.issue.schedulers + u.shared) / interval;
}

static double peak_of(const config *c, work_kind kind)
{
    double hz = 1e3 * c->gpu.clock_khz, lanes = hz * ISA_WARP;
    unsigned rate = c->sm.tensor.warp_rate;

    switch (kind) {
    case WORK_FP32:
        return 2 * lanes *
               rate_of(c, c->sm.op.fp32.unit, c->sm.op.fp32.interval);
    case WORK_FP64:
        return 2 * lanes *
               rate_of(c, c->sm.op.fp64.unit, c->sm.op.fp64.interval);
    case WORK_HALF:
        return 4 * lanes *
               rate_of(c, c->sm.op.half.unit, c->sm.op.half.interval);
    case WORK_INT:
        return lanes *
               rate_of(c, c->sm.op.int_add.unit, c->sm.op.int_add.interval);
    case WORK_TENSOR:
        if (c->gpu.arch == CFG_ARCH_HOPPER)
            rate = c->sm.tensor.group_rate;
        return 2.0 * rate * hz *
               rate_of(c, c->sm.op.tensor.unit, c->sm.op.tensor.interval);
    }
    return 0;
}

static void count_work(look *k, const report_launch *l)
{
    double ops[LOOK_WORKS] = {0};
    size_t n = 0;

    for (uint32_t i = 0; i < l->kernel->code_count; i++) {
        work_kind kind = WORK_INT;
        double each = ops_of(&l->kernel->code[i], &kind);

        ops[kind] += each * (double)(kind == WORK_TENSOR ? l->profile[i].insts
                                                         : l->profile[i].lanes);
    }
    for (unsigned i = 0; i < LOOK_WORKS; i++)
        if (ops[i] > 0)
            k->work[n++] =
                (look_work){work_names[i], ops[i], peak_of(k->cfg, i)};
}

double look_intensity(const look *k, const look_work *w, unsigned level)
{
    uint64_t bytes = k->f.level[level].bytes;

    return bytes ? w->ops / (double)bytes : NAN;
}

double look_roof(const look *k, const look_work *w, unsigned level)
{
    double at = look_intensity(k, w, level) * k->f.level[level].peak;

    return at < w->peak ? at : w->peak;
}

/* ---- Occupancy ---- */

static exec_launch launch_of(const report_launch *l, const isa_kernel *kernel)
{
    exec_launch x = {.kernel = kernel, .arch = l->arch};

    x.threads = l->block[0] * l->block[1] * l->block[2];
    x.warps = (uint32_t)bits_div_up(x.threads, ISA_WARP);
    x.shared_bytes = kernel->shared_bytes + l->shared_bytes;
    return x;
}

/* The most registers, or bytes of shared memory, with which one CTA more fits.
 */
static look_step next_step(const config *c, const report_launch *l,
                           unsigned now)
{
    isa_kernel copy = *l->kernel;
    exec_launch x = launch_of(l, &copy);
    uint32_t *registers =
        copy.launch_registers ? &copy.launch_registers : &copy.registers;
    look_step s = {0};

    for (unsigned r = *registers; r-- > 16;) {
        *registers = r;
        s.ctas = sm_occupancy(c, &x, NULL, NULL, NULL);
        if (s.ctas > now) {
            s.registers = r;
            return s;
        }
    }
    copy = *l->kernel;
    while (x.shared_bytes > copy.shared_reserved) {
        uint32_t unit = c->sm.shared_unit;

        x.shared_bytes -= x.shared_bytes - copy.shared_reserved < unit
                              ? x.shared_bytes - copy.shared_reserved
                              : unit;
        s.ctas = sm_occupancy(c, &x, NULL, NULL, NULL);
        if (s.ctas > now) {
            s.shared = x.shared_bytes;
            return s;
        }
    }
    return (look_step){0};
}

/* Registers of a thread from 16 to 255 in place of its own. */
static look_curve curve_by_registers(const config *c, const report_launch *l,
                                     unsigned now, arena *mem)
{
    isa_kernel copy = *l->kernel;
    exec_launch x = launch_of(l, &copy);
    uint32_t *registers =
        copy.launch_registers ? &copy.launch_registers : &copy.registers;
    enum { LEAST = 8, MOST = 255 };
    look_curve v = {.x = ARENA_ARRAY(mem, double, MOST),
                    .ctas = ARENA_ARRAY(mem, double, MOST),
                    .now = now};

    for (unsigned r = LEAST; r <= MOST; r++) {
        *registers = r;
        v.x[v.count] = r;
        v.ctas[v.count] = sm_occupancy(c, &x, NULL, NULL, NULL);
        v.count++;
    }
    return v;
}

/* Bytes of shared memory of a CTA, up to what an SM has. */
static look_curve curve_by_shared(const config *c, const report_launch *l,
                                  uint64_t now, arena *mem)
{
    enum { POINTS = 256 };
    isa_kernel copy = *l->kernel;
    exec_launch x = launch_of(l, &copy);
    uint64_t step = c->sm.shared_unit ? c->sm.shared_unit : 1;
    look_curve v = {.x = ARENA_ARRAY(mem, double, POINTS + 1),
                    .ctas = ARENA_ARRAY(mem, double, POINTS + 1),
                    .now = (double)now};

    while (c->sm.shared_bytes / step > POINTS)
        step *= 2;
    for (uint64_t b = 0; b <= c->sm.shared_bytes && v.count <= POINTS;
         b += step) {
        x.shared_bytes = b;
        v.x[v.count] = (double)b;
        v.ctas[v.count] = sm_occupancy(c, &x, NULL, NULL, NULL);
        v.count++;
    }
    return v;
}

static void look_at_occupancy(look *k, const report_launch *l, arena *mem)
{
    exec_launch x;

    if (!l->block[0])
        return;
    x = launch_of(l, l->kernel);
    k->warps = x.warps;
    k->ctas = sm_occupancy(k->cfg, &x, &k->limiter, NULL, NULL);
    k->step = next_step(k->cfg, l, k->ctas);
    k->by_registers = curve_by_registers(k->cfg, l, k->registers, mem);
    k->by_shared = curve_by_shared(k->cfg, l, x.shared_bytes, mem);
}

/* ---- Lines ---- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Without blanks around it. */
static const char *text_of(const report_launch *l, const profile_row *r,
                           arena *mem)
{
    const char *s = NULL;
    size_t n = 0;

    if (r->file && l->sources)
        s = sources_line(l->sources, r->file - 1u, r->line, &n);
    while (s && n && (unsigned char)*s <= ' ') {
        s++;
        n--;
    }
    while (s && n && (unsigned char)s[n - 1] <= ' ')
        n--;
    return s ? arena_strndup(mem, s, n) : "";
}

static const char *place_of(const report_launch *l, const profile_row *r,
                            arena *mem)
{
    if (!r->line)
        return "(no source line)";
    if (!r->file || !l->source)
        return arena_printf(mem, "line %u", r->line);
    return arena_printf(mem, "%s:%u", last_part(l->source->files[r->file - 1]),
                        r->line);
}

static void find_reason(look_line *to, const profile_row *r)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < WHY_STALLS; i++)
        if (r->sum.stall[i] > most) {
            most = r->sum.stall[i];
            to->stall = sm_why_names[i];
        }
    to->reason = r->slots ? (double)most / (double)r->slots : 0;
}

static void look_at_lines(look *k, const report_launch *l, arena *mem)
{
    profile p = profile_make(l, PROFILE_LINES);
    size_t *order = profile_hottest(&p, false);

    k->line = ARENA_ARRAY(mem, look_line, p.count);
    for (size_t i = 0; i + 1 < p.count; i++) { /* the last one is no place */
        const profile_row *r = &p.row[order[i]];
        look_line *to = &k->line[k->line_count];

        if (r->first == l->kernel->code_count)
            continue;
        k->line_count++;
        *to = (look_line){.place = place_of(l, r, mem),
                          .text = text_of(l, r, mem),
                          .file = r->file,
                          .number = r->line,
                          .insts = r->count,
                          .share = (double)r->slots / (double)p.total.slots,
                          .waits = word_share(r->waits, p.total.waits),
                          .sum = r->sum};
        find_reason(to, r);
    }
    k->all = p.total.sum;
    for (unsigned i = 0; i < WHY_COUNT && p.total.waits; i++)
        k->state[i] = (double)p.total.sum.wait[i] / (double)p.total.waits;
    free(order);
    profile_free(&p);
}

const look_line *look_worst(const look *k,
                            uint64_t (*of)(const sm_profile_row *))
{
    const look_line *worst = NULL;
    uint64_t most = 0;

    for (size_t i = 0; i < k->line_count; i++)
        if (of(&k->line[i].sum) > most) {
            most = of(&k->line[i].sum);
            worst = &k->line[i];
        }
    return worst;
}

/* ---- Kernels ---- */

static void look_at_kernel(look *k, const kernel_sum *s, arena *mem)
{
    const report_launch *l = &s->sum;

    *k = (look){.name = arena_strdup(mem, s->name),
                .device = l->device,
                .cfg = l->cfg,
                .launches = s->timed,
                .cycles = l->cycles,
                .time_s = s->f.time_s,
                .registers = isa_kernel_begins_with(l->kernel),
                .shared_bytes = l->kernel->shared_bytes + l->shared_bytes,
                .spill_bytes = l->kernel->spill_bytes,
                .lanes = s->lanes,
                .f = s->f};
    memcpy(k->grid, l->grid, sizeof k->grid);
    memcpy(k->block, l->block, sizeof k->block);
    bounds_compute(l, &s->f, &k->b);
    look_at_occupancy(k, l, mem);
    if (!l->profile)
        return;
    count_work(k, l);
    look_at_lines(k, l, mem);
    look_code_make(k, l, mem);
}

look *looks_make(const report_program *p, arena *mem, size_t *count)
{
    uint64_t cycles = 0;
    kernel_sums all;
    look *list;

    kernel_sums_make(&all, p);
    list = ARENA_ARRAY(mem, look, all.count + 1);
    *count = 0;
    for (size_t i = 0; i < all.count; i++)
        if (all.row[i].timed && all.row[i].sum.cycles)
            look_at_kernel(&list[(*count)++], &all.row[i], mem);
    for (size_t i = 0; i < *count; i++)
        cycles += list[i].cycles;
    for (size_t i = 0; i < *count; i++)
        list[i].share = (double)list[i].cycles / (double)cycles;
    kernel_sums_free(&all);
    return list;
}
