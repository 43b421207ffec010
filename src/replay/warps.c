#include "replay/warps.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "replay/cta_lines.h"

/* Memory of the device lies where Heddle has its own lines of local memory,
 * code and constants (sm/sm.h): what is there moves up. */
#define OWN_LINES_FROM 0x400000000ull
#define OWN_LINES_TO   0x700000000ull
#define MOVED_BY       0x10000000000ull

enum { LOCAL_MOST = 1 << 14 }; /* bytes of a thread: as Accel-Sim has it */

struct replay_warps {
    exec_front front; /* first */
    kernel_trace *trace;
    isa_program *program;
    uint32_t exit;        /* the place of the EXIT that no line has */
    uint64_t local_low;   /* of the trace, where local memory begins here, */
    uint64_t local_bytes; /* and so many of a thread */
    atomic_bool failed;
};

/* Where a warp is. */
typedef struct warp_lines {
    replay_cursor cursor;       /* behind the head of the next line */
    bool more;                  /* there is a next line: */
    uint32_t inst;              /* the number of its instruction */
    uint32_t arrived;           /* lanes at a barrier, while others run */
    bool copy_known;            /* a line has told, for the LDGSTS at */
    uint32_t copy_pc;           /* this place, where each lane copies to */
    uint32_t copy_to[ISA_WARP]; /* in shared memory */
} warp_lines;

/* exec_cta.traced */
typedef struct cta_replay {
    uint8_t *bytes;
    warp_lines warp[];
} cta_replay;

static warp_lines *lines_of(const exec_warp *w)
{
    return &((cta_replay *)w->cta->traced)->warp[w->index];
}

static replay_warps *replay_of(const exec_warp *w)
{
    return (replay_warps *)w->cta->launch->front;
}

/* ---- From line to line ---- */

/* The warp stands at its next line, or at none. */
static bool next_line(exec_warp *w)
{
    replay_warps *r = replay_of(w);
    warp_lines *l = lines_of(w);

    l->more = l->cursor.left != 0;
    if (!l->more) {
        w->simt.active = w->simt.live = 0;
        return false;
    }
    replay_record_head(&l->cursor);
    l->inst = l->cursor.inst;
    w->simt.pc =
        l->inst == REPLAY_END ? r->exit : r->trace->code.inst[l->inst].place;
    w->simt.active = l->cursor.mask;
    return true;
}

static void start(exec_warp *w) { next_line(w); }

static uint64_t begin(exec_front *front, exec_cta *c)
{
    replay_warps *r = (replay_warps *)front;
    unsigned warps = c->launch->warps;
    replay_cursor cursor[REPLAY_WARPS] = {{0}};
    size_t size;
    cta_replay *t = new0(1, sizeof *t + warps * sizeof t->warp[0]);

    c->traced = t;
    t->bytes = spool_get(r->trace->ctas, c->number, &size);
    if (!t->bytes) {
        atomic_store(&r->failed, true);
        return 1;
    }
    uint64_t there = cta_lines_unpack(t->bytes, size, cursor);
    for (unsigned i = 0; i < warps; i++)
        t->warp[i].cursor = cursor[i];
    return there;
}

static void end(exec_cta *c)
{
    cta_replay *t = c->traced;

    free(t->bytes);
    free(t);
}

/* ---- Accesses ---- */

/* Lanes of `mask` in the window from `base` on, whose addresses become offsets
 * in it. */
static uint32_t take_window(exec_mem *m, uint32_t mask, uint64_t base)
{
    uint32_t in = 0;

    for (uint32_t rest = base ? mask : 0; rest; rest &= rest - 1) {
        unsigned l = bits_ctz32(rest);

        if (m->addr[l] - base < REPLAY_WINDOW) {
            m->addr[l] -= base;
            in |= 1u << l;
        }
    }
    return in;
}

static void place_local(const replay_warps *r, exec_mem *m)
{
    for (uint32_t rest = m->space[EXEC_LOCAL]; rest; rest &= rest - 1) {
        unsigned l = bits_ctz32(rest);

        m->addr[l] =
            (m->addr[l] % REPLAY_WINDOW - r->local_low) % r->local_bytes;
    }
}

uint64_t replay_address(uint64_t addr)
{
    bool ours = addr >= OWN_LINES_FROM && addr < OWN_LINES_TO;

    return ours ? addr + MOVED_BY : addr;
}

static void place_global(exec_mem *m)
{
    for (uint32_t rest = m->space[EXEC_GLOBAL]; rest; rest &= rest - 1) {
        unsigned l = bits_ctz32(rest);

        m->addr[l] = replay_address(m->addr[l]);
    }
}

/* Sorts the lanes by space, as the operation and the windows say. */
static void sort_lanes(const replay_warps *r, const isa_inst *in, exec_mem *m)
{
    const kernel_trace *k = r->trace;
    uint32_t mask = m->mask, shared, local;

    shared =
        in->flags & ISA_F_SHARED ? take_window(m, mask, k->shared_base) : 0;
    local = in->flags & ISA_F_LOCAL ? take_window(m, mask, k->local_base) : 0;
    if (!(in->flags & ISA_F_GLOBAL))
        *(in->flags & ISA_F_SHARED ? &shared : &local) = mask;
    m->space[EXEC_SHARED] = shared;
    m->space[EXEC_LOCAL] = local & ~shared;
    m->space[EXEC_GLOBAL] = mask & ~shared & ~local;
    for (uint32_t rest = shared; rest; rest &= rest - 1)
        m->addr[bits_ctz32(rest)] %= REPLAY_WINDOW;
    place_local(r, m);
    place_global(m);
}

/* Lanes that do not access anything repeat the address of one that does. */
static void fill_idle_lanes(exec_mem *m)
{
    uint64_t some = m->mask ? m->addr[bits_ctz32(m->mask)] : 0;

    for (unsigned l = 0; l < ISA_WARP; l++) {
        if (!(m->mask >> l & 1))
            m->addr[l] = some;
        m->addr[l] &= ~(uint64_t)(m->size - 1);
    }
}

/* Before Hopper all of shared memory of a CTA lies below this. */
static bool is_in_shared(const kernel_trace *k, uint64_t addr)
{
    return addr < REPLAY_WINDOW ||
           (k->shared_base && addr - k->shared_base < REPLAY_WINDOW);
}

/* LDGSTS has two lines: where it copies to, in shared memory, and what, in
 * global memory. The first only tells. True: it was that. */
static bool takes_target(const replay_warps *r, warp_lines *l, exec_mem *m)
{
    unsigned some = bits_ctz32(m->mask);

    if (!is_in_shared(r->trace, m->addr[some])) {
        for (unsigned i = 0; i < ISA_WARP; i++) {
            bool known = l->copy_known && l->copy_pc == m->pc;

            m->data[0][i] = known ? l->copy_to[i] : i * m->size;
            m->data[1][i] = m->size;
        }
        l->copy_known = false;
        return false;
    }
    for (unsigned i = 0; i < ISA_WARP; i++)
        l->copy_to[i] =
            (uint32_t)((m->mask >> i & 1 ? m->addr[i] : m->addr[some]) %
                       REPLAY_WINDOW);
    l->copy_pc = m->pc;
    l->copy_known = true;
    return true;
}

static exec_result access_memory(exec_warp *w, const replay_inst *x,
                                 exec_mem *m)
{
    replay_warps *r = replay_of(w);
    const isa_inst *in = &w->code[w->simt.pc];

    m->in = in;
    m->pc = w->simt.pc;
    m->mask = m->lanes = w->simt.active;
    m->size = x->bytes;
    m->changed = 0;
    memset(m->space, 0, sizeof m->space);
    if (!replay_record_addresses(&lines_of(w)->cursor, m->addr))
        return EXEC_DONE; /* a trace need not have them */
    if (in->op == ISA_LDGSTS) {
        if (takes_target(r, lines_of(w), m))
            return EXEC_DONE;
        m->space[EXEC_GLOBAL] = m->mask;
        place_global(m);
    } else if (in->op == ISA_LDSM || in->op == ISA_STSM) {
        m->mask &= bits_mask32(8u << ISA_GET(in, MATNUM));
        sort_lanes(r, in, m);
    } else {
        sort_lanes(r, in, m);
    }
    fill_idle_lanes(m);
    return EXEC_MEM;
}

/* ---- Others ---- */

/* The warp arrives when all its lanes have: those that have exited are no more
 * awaited, and those that never come are not, either, when the warp ends. Which
 * barrier it is, and how many threads meet there, Accel-Sim's traces do not
 * tell: as there it is the first one, for all. */
static exec_result meet_barrier(exec_warp *w, exec_bar *bar)
{
    const isa_inst *in = &w->code[w->simt.pc];
    warp_lines *l = lines_of(w);

    l->arrived |= w->simt.active;
    if (w->simt.live & ~l->arrived)
        return EXEC_DONE;
    *bar = (exec_bar){.number = in->src_kind[0] == SRC_REG ? 0 : in->lut,
                      .count = in->src_kind[1] == SRC_IMM ? in->val[1] : 0,
                      .pc = w->simt.pc,
                      .lanes = l->arrived,
                      .kind = in->op == ISA_BARARV,
                      .dst = ISA_RZ,
                      .pdst = ISA_PT};
    l->arrived = 0;
    return EXEC_BARRIER;
}

static exec_result perform(exec_warp *w, const replay_inst *x, exec_mem *m,
                           exec_bar *bar)
{
    switch ((replay_act)x->act) {
    case REPLAY_ACCESS:
        return access_memory(w, x, m);
    case REPLAY_BARRIER:
        return meet_barrier(w, bar);
    case REPLAY_FENCE:
        return EXEC_FENCE;
    case REPLAY_COPIES:
        return EXEC_COPIES;
    case REPLAY_EXIT:
        w->simt.live &= ~w->simt.active;
        break;
    case REPLAY_SLEEP:
        *bar = (exec_bar){.count = w->code[w->simt.pc].val[1]};
        return EXEC_SLEEP;
    case REPLAY_COMPUTE:
        break;
    }
    return EXEC_DONE;
}

static exec_result step(exec_warp *w, exec_mem *m, exec_bar *bar,
                        exec_fault *fault)
{
    static const replay_inst end_of_lines = {.act = REPLAY_EXIT};
    warp_lines *l = lines_of(w);
    const replay_inst *x = &end_of_lines;
    exec_result what = EXEC_DONE;
    uint8_t how = l->cursor.how;

    (void)fault;
    if (!l->more) { /* its CTA could not be read */
        w->simt.active = w->simt.live = 0;
        return EXEC_EXIT;
    }
    if (l->inst != REPLAY_END)
        x = &replay_of(w)->trace->code.inst[l->inst];
    w->executed++;
    w->ran = w->simt.active;
    if (w->ran)
        what = perform(w, x, m, bar);
    if (how && x->act != REPLAY_ACCESS)
        replay_record_addresses(&l->cursor, NULL);
    return next_line(w) ? what : EXEC_EXIT;
}

/* ---- The kernel ---- */

/* The part of local memory that the trace uses: the stack begins anywhere in
 * its window. Where that is too much parts of it lie on each other. */
static void place_stack(replay_warps *r, isa_kernel *k)
{
    const kernel_trace *t = r->trace;
    uint64_t bytes;

    r->local_low = bits_align_down(t->local_low, 16);
    bytes = bits_align_up(t->local_high - r->local_low, 16);
    r->local_bytes = bytes < LOCAL_MOST ? bytes : LOCAL_MOST;
    k->local_bytes = (uint32_t)r->local_bytes;
}

static void make_kernel(replay_warps *r, isa_kernel *k)
{
    const kernel_trace *t = r->trace;
    const isa_kernel *own = t->own ? &t->own->kernels[0] : NULL;
    uint32_t registers, barriers;

    k->name = arena_strdup(r->program->mem, t->name);
    r->exit = own ? replay_code_copy(own, r->program, k)
                  : replay_code_make(&r->trace->code, r->program, k);
    isa_kernel_usage(k, &registers, &barriers);
    k->registers = registers > t->registers ? registers : t->registers;
    if (k->registers > ISA_REGS_MAX)
        k->registers = ISA_REGS_MAX;
    k->barriers = barriers;
    k->shared_bytes = t->shared_bytes;
    r->local_bytes = REPLAY_WINDOW;
    if (own) {
        k->registers = own->registers;
        k->launch_registers = own->launch_registers;
        k->local_bytes = own->local_bytes;
        k->open_stack = own->open_stack;
    } else if (t->local_high > t->local_low) {
        place_stack(r, k);
    }
}

replay_warps *replay_warps_new(kernel_trace *k, isa_arch arch)
{
    replay_warps *r = new0(1, sizeof *r);

    r->trace = k;
    r->front =
        (exec_front){.begin = begin, .start = start, .step = step, .end = end};
    r->program = isa_program_new(arch);
    r->program->kernel_count = 1;
    r->program->kernels = ARENA_ARRAY(r->program->mem, isa_kernel, 1);
    r->program->kernels[0] = (isa_kernel){0};
    make_kernel(r, &r->program->kernels[0]);
    return r;
}

void replay_warps_free(replay_warps *r)
{
    if (!r)
        return;
    isa_program_free(r->program);
    free(r);
}

isa_program *replay_warps_program(replay_warps *r)
{
    isa_program *p = r->program;

    r->program = NULL;
    return p;
}

exec_front *replay_warps_front(replay_warps *r) { return &r->front; }

bool replay_warps_failed(replay_warps *r) { return atomic_load(&r->failed); }
