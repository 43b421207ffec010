/* tests/unit/sm/rig.h - an SM on a bench: programs in assembly, and fake
 * neighbours that answer every request after a fixed time. */
#ifndef SM_RIG_H
#define SM_RIG_H

#include "asm/asm.h"
#include "base/diag.h"
#include "config/sheet.h"
#include "exec/exec.h"
#include "isa/program.h"
#include "mem/image.h"
#include "mem/port.h"
#include "mem/view.h"
#include "sm/sm.h"
#include "stats/stats.h"
#include "test.h"

enum { RIG_FLIGHT = 4096, RIG_WINDOW = 16 };

/* A neighbour behind a pair of ports. */
typedef struct rig_fake {
    mem_port to, from;
    mem_msg flight[RIG_FLIGHT];
    uint64_t due[RIG_FLIGHT];
    unsigned head, count;
    unsigned latency;   /* from visible request to visible reply */
    unsigned per_cycle; /* requests taken in a cycle */
    uint64_t requests;
    uint64_t last_at; /* cycle in which the last request was taken */
} rig_fake;

typedef struct rig {
    config_sheet *sheet;
    stats *reg;
    mem_image *image;
    mem_view *view, *direct;
    isa_program *program;
    rig_fake l1, inet, cnet;
    sm *s;
    exec_launch launch;
    uint8_t *bank[CBANKS];
    uint64_t now, wake;
    bool skip;
    bool launched;
    uint64_t ctas_next; /* to start */
    uint64_t ended_at;  /* cycle of the last finished CTA */
    uint64_t ended;
} rig;

static inline void rig_fake_init(rig_fake *f, unsigned latency)
{
    mem_port_init(&f->to, 16, 1);
    mem_port_init(&f->from, 512, 1);
    f->latency = latency;
    f->per_cycle = 1;
}

static inline void rig_fake_tick(rig *r, rig_fake *f)
{
    mem_msg *m;

    for (unsigned n = 0; n < f->per_cycle; n++) {
        m = mem_port_peek(&f->to, r->now);
        if (!m)
            break;
        f->requests++;
        f->last_at = r->now;
        unsigned at = (f->head + f->count) % RIG_FLIGHT;
        CHECK(f->count < RIG_FLIGHT);
        f->flight[at] = *m;
        if ((m->kind == MEM_READ || m->kind == MEM_WRITE) && m->turn) {
            m->turn->take(m->turn);
            f->flight[at].turn = NULL;
        }
        f->due[at] = r->now + f->latency - 1;
        f->count++;
        mem_port_pop(&f->to, r->now);
    }
    while (f->count && f->due[f->head] <= r->now) {
        mem_msg a = f->flight[f->head];
        f->head = (f->head + 1) % RIG_FLIGHT;
        f->count--;
        if (a.atom)
            exec_atom_perform(a.atom, r->direct);
        if (a.kind == MEM_WRITE && !a.ack)
            continue;
        a.kind =
            a.kind == MEM_READ || a.kind == MEM_ATOMIC ? MEM_DATA : MEM_ACK;
        CHECK(mem_port_push(&f->from, r->now, &a));
    }
}

static inline uint64_t rig_fake_next(const rig_fake *f, uint64_t now)
{
    uint64_t t = mem_port_next(&f->to);

    if (t <= now)
        t = now + 1;
    if (f->count && f->due[f->head] < t)
        t = f->due[f->head];
    return t;
}

/* Bench with the defaults, then `settings`, lines of "path=value". */
static inline rig *rig_new(const char *settings)
{
    rig *r = calloc(1, sizeof *r);
    diag *dg = diag_new();
    char *copy = strdup(settings), *line = copy, *end;

    CHECK(r && dg && copy);
    r->sheet = config_sheet_new();
    for (; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (!strchr(line, '='))
            config_sheet_load(r->sheet, line, dg);
        else
            config_sheet_set(r->sheet, line, CONFIG_FROM_SET, dg);
    }
    diag_print(dg, stderr, false);
    CHECK_EQ(diag_errors(dg), 0);
    diag_free(dg);
    free(copy);
    r->reg = stats_new();
    r->image = mem_image_new(64 << 20);
    r->view = mem_view_new(r->image, false);
    r->direct = mem_view_new(r->image, true);
    for (unsigned i = 0; i < CBANKS; i++)
        r->bank[i] = calloc(1, CBANK_BYTES);
    rig_fake_init(&r->l1, 20);
    rig_fake_init(&r->inet, 50);
    rig_fake_init(&r->cnet, 60);
    sm_ports ports = {.l1_reorders = config_sheet_values(r->sheet)->l1.queue ==
                                     CFG_L1_QUEUE_REOD,
                      .to_l1 = &r->l1.to,
                      .from_l1 = &r->l1.from,
                      .to_net_i = &r->inet.to,
                      .from_net_i = &r->inet.from,
                      .to_net_c = &r->cnet.to,
                      .from_net_c = &r->cnet.from};
    r->s =
        sm_new(config_sheet_values(r->sheet), 0, r->reg, "sm", &ports, r->view);
    CHECK(r->s);
    r->skip = true;
    return r;
}

static inline void rig_free(rig *r)
{
    sm_free(r->s);
    rig_fake *fake[] = {&r->l1, &r->inet, &r->cnet};
    for (unsigned i = 0; i < 3; i++) {
        mem_port_fini(&fake[i]->to);
        mem_port_fini(&fake[i]->from);
    }
    for (unsigned i = 0; i < CBANKS; i++)
        free(r->bank[i]);
    mem_view_free(r->view);
    mem_view_free(r->direct);
    mem_image_free(r->image);
    stats_free(r->reg);
    isa_program_free(r->program);
    config_sheet_free(r->sheet);
    free(r);
}

/* Begins the launch once more. */
static inline void rig_launch(rig *r)
{
    static const sm_place first;

    if (r->launched)
        sm_launch_end(r->s, 0);
    r->launched = true;
    sm_clear(r->s, false);
    sm_launch(r->s, 0, &r->launch, &first, r->now, NULL);
}

/* Assembles `text`, the body of a kernel, and gets ready to launch `ctas` CTAs
 * of `threads` threads. `head` are further directives. */
static inline void rig_program(rig *r, const char *head, const char *text,
                               unsigned ctas, unsigned threads)
{
    static const char *const arch[] = {"fermi", "kepler", "volta", "ampere",
                                       "hopper"};
    const config *cfg = config_sheet_values(r->sheet);
    diag *dg = diag_new();
    strbuf b = {0};

    strbuf_printf(&b, ".arch %s\n.kernel k\n%s\n%s\n.end\n",
                  arch[cfg->gpu.arch], head, text);
    isa_program_free(r->program);
    r->program = NULL;
    diag_source(dg, "rig", b.text, b.size);
    asm_parse("rig", b.text, b.size, dg, &r->program);
    diag_print(dg, stderr, false);
    CHECK(r->program);
    diag_free(dg);
    strbuf_fini(&b);
    r->launch = (exec_launch){
        .kernel = &r->program->kernels[0],
        .arch = r->program->arch,
        .grid = {ctas, 1, 1},
        .block = {threads, 1, 1},
        .threads = threads,
        .warps = (threads + 31) / 32,
        .shared_bytes = r->program->kernels[0].shared_bytes,
        .sms = 1,
        .sm_warps = cfg->sm.warps,
        .clock_khz = 1000000,
    };
    for (unsigned i = 0; i < CBANKS; i++)
        r->launch.cbank[i] = r->bank[i];
    r->ctas_next = 0;
    r->ended = 0;
    rig_launch(r);
}

/* 64-bit parameter `n` of the kernel. */
static inline void rig_param(rig *r, unsigned n, uint64_t value)
{
    const config *cfg = config_sheet_values(r->sheet);

    memcpy(r->bank[0] + cbank_param_base((isa_arch)cfg->gpu.arch) + 8 * n,
           &value, 8);
}

static inline void rig_step(rig *r)
{
    const sm_done *done;

    if (r->now % RIG_WINDOW == 0) {
        mem_view_commit(r->view);
        unsigned n = sm_finished(r->s, &done);
        r->ended += n;
        if (n)
            r->ended_at = done[n - 1].cycle;
        sm_set_window(r->s, r->now + RIG_WINDOW);
        sm_set_eager(r->s, !r->skip);
        while (r->ctas_next < r->launch.grid[0] && sm_fits(r->s, 0)) {
            uint32_t id[3] = {(uint32_t)r->ctas_next, 0, 0};
            sm_cta_start(r->s, r->now, 0, id, r->ctas_next++, NULL, 0);
            r->wake = r->now;
        }
    }
    rig_fake_tick(r, &r->l1);
    rig_fake_tick(r, &r->inet);
    rig_fake_tick(r, &r->cnet);
    uint64_t in = mem_port_next(&r->l1.from);
    if (mem_port_next(&r->inet.from) < in)
        in = mem_port_next(&r->inet.from);
    if (mem_port_next(&r->cnet.from) < in)
        in = mem_port_next(&r->cnet.from);
    if (!r->skip || r->wake <= r->now || in <= r->now)
        r->wake = sm_tick(r->s, r->now);
    r->now++;
}

/* Runs the launch to its end; returns the cycle of the last CTA's end. */
static inline uint64_t rig_run(rig *r, uint64_t limit)
{
    while (r->ended < r->launch.grid[0] || !sm_idle(r->s)) {
        if (sm_fault(r->s))
            break;
        if (r->now > limit) {
            sm_dump(r->s, stderr);
            CHECK(!"runs to its end");
        }
        rig_step(r);
    }
    sm_finish_stats(r->s, r->now);
    return r->ended_at;
}

static inline uint64_t rig_stat(rig *r, const char *id)
{
    char name[64];
    uint64_t v = 0;

    snprintf(name, sizeof name, "sm.%s", id);
    CHECK(stats_find(r->reg, NULL, name, &v));
    return v;
}

/* All stalls and issues make up all slots. */
static inline void rig_check_sum(rig *r)
{
    CHECK_EQ(stats_sum(r->reg, NULL, "sm.stall_*", NULL) +
                 rig_stat(r, "issued"),
             rig_stat(r, "slots"));
}

#endif
