/* tests/unit/gpu/contract_sm.h - an SM on the bench of contract.h: it asks its
 * caches and the network by itself, as the warps of a program do. */
#ifndef CONTRACT_SM_H
#define CONTRACT_SM_H

#include "asm/asm.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "contract.h"
#include "isa/program.h"
#include "sm/sm.h"

enum { SM_CTAS = 4, SM_THREADS = 64, SM_WINDOW = 16 };

typedef struct sm_own {
    sm *sm;
    isa_program *program;
    exec_launch launch;
    uint8_t *bank[CBANKS];
    mem_port *answers[3];
    unsigned started, ended;
    bool busy;
} sm_own;

/* Every kind of access, on lines that are `stride` bytes of a thread wide. */
static isa_program *sm_program(unsigned stride)
{
    diag *dg = diag_new();
    isa_program *out = NULL;
    strbuf t = {0};

    strbuf_printf(&t,
                  ".arch fermi\n.kernel k\n.local 64\n"
                  "S2R R1, SR_TID.X\nMOV R3, 0x%x\n"
                  "IMAD.WIDE.U32 R4, R1, R3, c[0x0][0x140]\n"
                  "MOV R2, 0x1\n",
                  stride);
    for (unsigned i = 0; i < 8; i++)
        strbuf_printf(&t,
                      "LDG.E R7, [R4+0x%x]\nMOV R8, c[0x0][0x%x]\n"
                      "IADD3 R7, R7, R8, RZ\nSTL [0x%x], R7\n"
                      "LDL R9, [0x%x]\nSTG.E [R4+0x%x], R9\n"
                      "ATOMG.E.ADD R10, [R4+0x%x], R2\n"
                      "RED.E.ADD [R4+0x%x], R2\n",
                      i * 0x400, 0x400 + i * 0x200, i * 4, i * 4, i * 0x400,
                      i * 0x200, i * 0x100);
    strbuf_puts(&t, "EXIT\n.end\n");
    diag_source(dg, "contract", t.text, t.size);
    asm_parse("contract", t.text, t.size, dg, &out);
    diag_print(dg, stderr, false);
    MUST(out != NULL);
    diag_free(dg);
    strbuf_fini(&t);
    return out;
}

static uint64_t tick_sm(void *self, uint64_t now)
{
    sm_own *own = self;
    uint64_t next = own->busy ? now : sm_expects(own->sm, now);

    for (unsigned i = 0; i < 3; i++)
        if (mem_port_peek(own->answers[i], now))
            next = now;
    if (next == now)
        next = sm_tick(own->sm, now);
    if (own->busy && sm_idle(own->sm))
        own->busy = false;
    return next;
}

static void sm_begin(bench *b, sm_own *own, rng *g)
{
    static const sm_place first;

    own->program = sm_program(4u << rng_below(g, 6));
    own->launch = (exec_launch){
        .kernel = &own->program->kernels[0],
        .arch = own->program->arch,
        .grid = {SM_CTAS, 1, 1},
        .block = {SM_THREADS, 1, 1},
        .threads = SM_THREADS,
        .warps = SM_THREADS / 32,
        .sms = 1,
        .sm_warps = b->cfg.sm.warps,
        .clock_khz = 1000000,
    };
    for (unsigned i = 0; i < CBANKS; i++) {
        own->bank[i] = calloc(1, CBANK_BYTES);
        own->launch.cbank[i] = own->bank[i];
    }
    memcpy(own->bank[0] + cbank_param_base(own->program->arch), &b->base, 8);
    sm_clear(own->sm, false);
    sm_launch(own->sm, 0, &own->launch, &first, 0, NULL);
}

static void build_sm(bench *b, rng *g)
{
    sm_own *own = b->own = calloc(1, sizeof *own);
    face *f[3];

    MUST(own != NULL);
    b->cfg.gpu.arch = CFG_ARCH_FERMI;
    for (unsigned i = 0; i < 3; i++) {
        f[i] = face_add(b, g, false, 4);
        own->answers[i] = &f[i]->to;
    }
    sm_ports p = {.to_l1 = &f[0]->from,
                  .from_l1 = &f[0]->to,
                  .to_net_i = &f[1]->from,
                  .from_net_i = &f[1]->to,
                  .to_net_c = &f[2]->from,
                  .from_net_c = &f[2]->to};
    own->sm = sm_new(&b->cfg, 0, b->reg, "sm", &p, b->view);
    MUST(own->sm != NULL);
    part *k = part_add(b, own, tick_sm);
    for (unsigned i = 0; i < 3; i++)
        part_face(k, f[i]);
    b->window = SM_WINDOW;
    sm_begin(b, own, g);
}

static void free_sm(bench *b)
{
    sm_own *own = b->own;

    sm_launch_end(own->sm, 0);
    sm_free(own->sm);
    isa_program_free(own->program);
    for (unsigned i = 0; i < CBANKS; i++)
        free(own->bank[i]);
    free(own);
}

static bool idle_sm(const bench *b)
{
    const sm_own *own = b->own;

    return own->ended == SM_CTAS && sm_idle(own->sm);
}

static void settle_sm(bench *b, uint64_t now)
{
    sm_own *own = b->own;

    CONTRACT(b, !sm_fault(own->sm));
    sm_finish_stats(own->sm, now);
}

static void window_sm(bench *b, uint64_t now)
{
    sm_own *own = b->own;
    const sm_done *done;

    mem_view_commit(b->view);
    own->ended += sm_finished(own->sm, &done);
    sm_set_window(own->sm, now + SM_WINDOW);
    sm_set_eager(own->sm, b->pace.every);
    while (own->started < SM_CTAS && sm_fits(own->sm, 0)) {
        uint32_t id[3] = {own->started, 0, 0};

        sm_cta_start(own->sm, now, 0, id, own->started++, NULL, 0);
        own->busy = true;
        b->part[0].block.due.next = now;
    }
}

#endif
