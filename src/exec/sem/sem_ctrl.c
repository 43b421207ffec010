/* src/exec/sem/sem_ctrl.c - branches, reconvergence, barriers. These bodies
 * move the program counter themselves where their operation has ISA_F_BRANCH,
 * ISA_F_CONVERGE or ISA_F_BARRIER. */
#include "exec/sem/sem.h"

#include "base/bits.h"
#include "exec/cga.h"
#include "exec/dependent.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/pool.h"
#include "exec/services.h"

static void control_fault(sem *x, enum exec_fault_kind kind)
{
    *x->fault = exec_fault_at(x->w, kind, x->mask);
    x->result = EXEC_FAULT;
}

/* The value of source i in the first executing lane. */
static uint32_t scalar(sem *x, unsigned i)
{
    uint32_t t[ISA_WARP];

    return sem_row(x, i, t)[bits_ctz32(x->mask)];
}

/* Lanes for which the predicate beside the guard holds as well. */
static uint32_t chosen(const sem *x) { return x->mask & sem_pred(x, 0); }

SEM(BRA)
{
    if (!simt_branch(&x->w->simt, chosen(x), x->in->val[0]))
        control_fault(x, FAULT_STACK);
}

/* Are the running lanes those of mask B that live? */
static bool converged(sem *x)
{
    uint32_t t[ISA_WARP], mask = sem_row(x, 1, t)[bits_ctz32(x->mask)];
    const simt *s = &x->w->simt;

    return s->active == (mask & s->live);
}

static void branch_if(sem *x, bool taken)
{
    uint32_t also = x->in->psrc[0] == ISA_PT ? 0 : chosen(x);

    if (!simt_branch(&x->w->simt, taken ? x->mask : also, x->in->val[0]))
        control_fault(x, FAULT_STACK);
}

SEM(BRAANY)
{
    uint32_t to = chosen(x) ? x->mask : 0;

    if (!simt_branch(&x->w->simt, to, x->in->val[0]))
        control_fault(x, FAULT_STACK);
}

SEM(BRADIV) { branch_if(x, !converged(x)); }
SEM(BRACONV) { branch_if(x, converged(x)); }

/* Bytes of the code become instructions. */
SEM(BRXB)
{
    uint32_t t[ISA_WARP], to[ISA_WARP];
    const uint32_t *a = sem_fetch_raw(x, 0, t);
    uint32_t lanes = chosen(x);
    uint32_t plus = x->in->uaddr ? x->w->ureg[x->in->uaddr - 1] : 0;

    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint32_t at = a[l] + plus + x->in->val[0];

        to[l] = at / 16;
        if (at % 16 == 0 && to[l] < x->w->code_count)
            continue;
        *x->fault = exec_fault_at(x->w, FAULT_CALL, left & -left);
        x->result = EXEC_FAULT;
        return;
    }
    if (!simt_branch_indirect(&x->w->simt, lanes, to))
        control_fault(x, FAULT_STACK);
}

static void indirect(sem *x)
{
    uint32_t t[ISA_WARP];

    if (!simt_branch_indirect(&x->w->simt, x->mask, sem_row(x, 0, t)))
        control_fault(x, FAULT_STACK);
}

SEM(BRX) { indirect(x); }
SEM(RET) { indirect(x); }

static void put_return_address(sem *x)
{
    uint32_t d[ISA_WARP];

    LANES(l) d[l] = x->w->simt.pc + 1;
    sem_put(x, d);
}

SEM(CALL)
{
    put_return_address(x);
    if (!simt_branch(&x->w->simt, x->mask, x->in->val[0]))
        control_fault(x, FAULT_STACK);
}

SEM(CALLX)
{
    uint32_t t[ISA_WARP], to[ISA_WARP];

    memcpy(to, sem_row(x, 0, t), sizeof to); /* the link may replace it */
    for (uint32_t left = x->mask; left; left &= left - 1) {
        if (to[bits_ctz32(left)] >= x->w->code_count) {
            *x->fault = exec_fault_at(x->w, FAULT_CALL, left & -left);
            x->result = EXEC_FAULT;
            return;
        }
    }
    put_return_address(x);
    if (!simt_branch_indirect(&x->w->simt, x->mask, to))
        control_fault(x, FAULT_STACK);
}

SEM(EXIT)
{
    simt_exit(&x->w->simt, chosen(x));
    if (!x->w->simt.live)
        x->result = EXEC_EXIT;
}

SEM(SSY)
{
    if (!simt_ssy(&x->w->simt, x->in->val[0]))
        control_fault(x, FAULT_STACK);
}

SEM(SYNC)
{
    if (!simt_sync(&x->w->simt, x->mask))
        control_fault(x, FAULT_STACK);
}

SEM(BSSY) { simt_bssy(&x->w->simt, x->in->lut % ISA_BARRIERS, x->mask); }

SEM(BSYNC)
{
    uint32_t lanes = chosen(x);

    if (lanes)
        simt_bsync(&x->w->simt, x->in->lut % ISA_BARRIERS, lanes);
    else
        simt_next(&x->w->simt);
}

SEM(BREAK)
{
    uint32_t lanes = chosen(x);

    if (lanes)
        simt_break(&x->w->simt, x->in->lut % ISA_BARRIERS, lanes);
    else
        simt_next(&x->w->simt);
}

SEM(BMOVS)
{
    sem_put(x, simt_part(&x->w->simt, x->in->lut % ISA_BARRIERS));
    simt_next(&x->w->simt);
}

SEM(BMOVL)
{
    uint32_t t[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, t);

    sem_blend(simt_part(&x->w->simt, x->in->lut % ISA_BARRIERS), a, x->mask);
    simt_next(&x->w->simt);
}

/* Lanes with another mask than the first come here again, on their own. */
SEM(WARPSYNC)
{
    uint32_t t[ISA_WARP], same = 0;
    const uint32_t *mask = sem_row(x, 1, t);
    uint32_t first = mask[bits_ctz32(x->mask)];
    simt *s = &x->w->simt;

    LANES(l) same |= mask[l] == first ? exec_lane_bit[l] : 0;
    same &= x->mask;
    if (same != x->mask && s->arch >= ARCH_VOLTA) {
        simt_branch(s, x->mask & ~same, s->pc);
        s->pc--;
    }
    simt_warpsync(s, same, first);
}
SEM(YIELD) { simt_yield(&x->w->simt); }

SEM(NANOSLEEP)
{
    *x->bar = (exec_bar){.count = scalar(x, 1)};
    x->result = EXEC_SLEEP;
}

SEM(BPT) { control_fault(x, FAULT_TRAP); }
SEM(NOP) { (void)x; }
SEM(MEMBAR) { x->result = EXEC_FENCE; }
SEM(LDGDEPBAR) { x->result = EXEC_COPIES; }
SEM(DEPBAR) { x->result = EXEC_COPIES; }
SEM(UTMACMDFLUSH) { x->result = EXEC_COPIES; }
SEM(UTMAWAIT) { x->result = EXEC_COPIES; }

/* ---- the heap ---- */

SEM(MALLOC)
{
    uint64_t a[ISA_WARP];

    sem_fetch64(x, 0, a);
    for (uint32_t left = x->mask; left; left &= left - 1)
        a[bits_ctz32(left)] = exec_services_malloc(x->w, a[bits_ctz32(left)]);
    sem_put64(x, a);
}

SEM(FREE)
{
    uint64_t a[ISA_WARP];

    sem_fetch64(x, 0, a);
    for (uint32_t left = x->mask; left; left &= left - 1) {
        if (exec_services_release(x->w, a[bits_ctz32(left)]))
            continue;
        *x->fault = exec_fault_at(x->w, FAULT_FREE, left & -left);
        x->result = EXEC_FAULT;
        return;
    }
}

/* ---- CTA barriers ---- */

enum { BAR_SYNC, BAR_ARRIVE, BAR_AND, BAR_OR, BAR_POPC };

static void barrier(sem *x, uint8_t kind)
{
    const isa_inst *in = x->in;
    exec_bar *bar = x->bar;
    simt *s = &x->w->simt;
    uint32_t number = in->src_kind[0] == SRC_REG ? scalar(x, 0) : in->lut;
    uint32_t count = in->src_kind[1] == SRC_NONE ? 0 : scalar(x, 1);
    uint32_t pred = sem_pred(x, 0) & x->mask, pc = s->pc;

    if (in->src_kind[0] == SRC_REG && in->src_kind[1] == SRC_REG &&
        in->src[0] == in->src[1]) { /* both in one register */
        number &= 0xf;
        count = count >> 16 & 0xfff;
    }
    if (number >= 16 || count % ISA_WARP) {
        control_fault(x, FAULT_BARRIER);
        return;
    }
    if (kind == BAR_ARRIVE)
        simt_next(s);
    else if (!simt_cta_barrier(s, number, x->mask, &pred))
        return; /* the rest of the warp runs first */
    *bar = (exec_bar){
        .number = number,
        .pc = pc,
        .count = count,
        .lanes = kind == BAR_ARRIVE ? x->mask : s->live,
        .kind = kind,
        .pred = pred,
        .dst = kind == BAR_POPC ? in->dst : ISA_RZ,
        .pdst = kind == BAR_AND || kind == BAR_OR ? in->pdst[0] : ISA_PT,
    };
    x->result = EXEC_BARRIER;
}

SEM(BARSYNC) { barrier(x, BAR_SYNC); }
SEM(BARARV) { barrier(x, BAR_ARRIVE); }
SEM(BARAND) { barrier(x, BAR_AND); }
SEM(BAROR) { barrier(x, BAR_OR); }
SEM(BARPOPC) { barrier(x, BAR_POPC); }

SEM(B2R)
{
    uint32_t d[ISA_WARP];

    LANES(l) d[l] = x->w->reduced;
    sem_put(x, d);
    if (x->in->pdst[0] != ISA_PT)
        sem_put_pred(x, 0, x->w->reduced ? UINT32_MAX : 0);
}

/* ---- the barrier of a thread-block cluster ---- */

SEM(CGAARV)
{
    uint32_t pc = x->w->simt.pc;

    simt_next(&x->w->simt);
    *x->bar = (exec_bar){.number = EXEC_CGA_BARRIER,
                         .pc = pc,
                         .lanes = x->mask,
                         .kind = EXEC_BAR_CGA_ARRIVE};
    x->result = EXEC_BARRIER;
}

SEM(CGAWAIT)
{
    uint32_t none = 0, pc = x->w->simt.pc;

    if (!simt_cta_barrier(&x->w->simt, EXEC_CGA_BARRIER, x->mask, &none))
        return; /* the rest of the warp runs first */
    *x->bar = (exec_bar){.number = EXEC_CGA_BARRIER,
                         .pc = pc,
                         .lanes = x->w->simt.live,
                         .kind = EXEC_BAR_CGA_WAIT};
    x->result = EXEC_BARRIER;
}

/* ---- the CTA's pool of registers ---- */

SEM(USETMAXREG)
{
    uint32_t n = x->in->val[1], none = 0, pc = x->w->simt.pc;
    bool more = ISA_GET(x->in, POOL);

    if (more ? n < x->w->has : n > x->w->has) {
        control_fault(x, FAULT_REGISTERS);
        x->fault->size = x->w->has;
        x->fault->write = !more;
        return;
    }
    if (!simt_cta_barrier(&x->w->simt, EXEC_POOL, x->mask, &none))
        return; /* the rest of the warp runs first */
    x->w->wants = (uint16_t)n;
    *x->bar =
        (exec_bar){.number = EXEC_POOL, .pc = pc, .lanes = x->w->simt.live};
    x->result = EXEC_BARRIER;
}

/* ---- dependent launches ---- */

static void depend(sem *x, uint32_t number)
{
    uint32_t pc = x->w->simt.pc;

    simt_next(&x->w->simt);
    *x->bar = (exec_bar){.number = number, .pc = pc, .lanes = x->mask};
    x->result = EXEC_BARRIER;
}

SEM(PREEXIT) { depend(x, EXEC_PREEXIT); }
SEM(ACQBULK) { depend(x, EXEC_ACQBULK); }
