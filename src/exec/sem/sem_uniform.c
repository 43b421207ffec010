/* src/exec/sem/sem_uniform.c - the uniform datapath: what happens once for all
 * lanes. An operation that lanes have, too, is theirs, on rows that hold the
 * uniform value in each lane: so both give the same bits. */
#include "exec/sem/sem.h"

#include "base/bits.h"
#include "exec/fault.h"

enum { ROW_DST = 6, ROWS = 8 }; /* two for each source, two for the result */

static uint32_t lanes_if(bool v) { return v ? UINT32_MAX : 0; }

static void put_ureg(sem *x, unsigned r, uint32_t v)
{
    if (r != ISA_RZ)
        x->w->ureg[r] = v;
}

static void put_upred(sem *x, unsigned i, bool v)
{
    unsigned p = x->in->pdst[i];
    unsigned bit = p == ISA_PT ? 0 : 1u << p;

    x->w->upred = (uint8_t)((x->w->upred & ~bit) | (v ? bit : 0));
}

/* Brings the uniform sources into rows, which `in` names instead. */
static void spread_sources(const sem *x, isa_inst *in,
                           uint32_t rows[ROWS][ISA_WARP])
{
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < in->usrc_regs[i]; k++) {
            uint32_t v = x->w->ureg[in->src[i] + k];
            LANES(l) rows[2 * i + k][l] = v;
        }
        if (in->usrc_regs[i])
            in->src[i] = (uint8_t)(2 * i);
    }
    if (in->dst != ISA_RZ)
        in->dst = ROW_DST;
}

/* Executes `body`, of an operation of lanes, on the uniform registers and
 * predicates; the result is what it gives `lane`. */
static void on_uniform(sem *x, exec_body *body, unsigned lane)
{
    exec_warp *w = x->w;
    const isa_inst *as = x->in;
    isa_inst in = *as;
    uint32_t rows[ROWS][ISA_WARP] = {{0}}, pred[ISA_PREDS + 1], mask = x->mask;
    uint32_t(*reg)[ISA_WARP] = w->reg;
    exec_op *op = x->op;

    spread_sources(x, &in, rows);
    memcpy(pred, w->pred, sizeof pred);
    for (unsigned p = 0; p < ISA_PREDS; p++)
        w->pred[p] = lanes_if(w->upred >> p & 1);
    w->reg = rows;
    x->in = &in;
    x->op = &exec_op_bare;
    x->mask = UINT32_MAX;
    body(x);
    for (unsigned p = 0; p < ISA_PREDS; p++)
        w->upred = (uint8_t)((w->upred & ~(1u << p)) | (w->pred[p] & 1) << p);
    memcpy(w->pred, pred, sizeof pred);
    w->reg = reg;
    x->in = as;
    x->op = op;
    x->mask = mask;
    for (unsigned k = 0; k < as->udst_regs; k++)
        w->ureg[as->dst + k] = rows[ROW_DST + k][lane];
}

#define AS_LANES(id, lanes)                                                    \
    SEM(id) { on_uniform(x, SEM_NAME(lanes), 0); }

AS_LANES(UMOV, MOV)
AS_LANES(UIADD3, IADD3)
AS_LANES(UIADD3X, IADD3X)
AS_LANES(UIMAD, IMAD)
AS_LANES(UIMADW, IMADW)
AS_LANES(UIMADWX, IMADWX)
AS_LANES(UIMADHX, IMADHX)
AS_LANES(UISETP, ISETP)
AS_LANES(ULEA, LEA)
AS_LANES(ULEAHI, LEAHI)
AS_LANES(ULEAHIS, LEAHIS)
AS_LANES(ULEAX, LEAX)
AS_LANES(ULOP3, LOP3)
AS_LANES(UPLOP3, PLOP3)
AS_LANES(USHF_L, SHF_L)
AS_LANES(USHF_R, SHF_R)
AS_LANES(UPRMT, PRMT)
AS_LANES(USEL, SEL)
AS_LANES(UFLO, FLO)
AS_LANES(UPOPC, POPC)
AS_LANES(UBREV, BREV)
AS_LANES(UBMSK, BMSK)
AS_LANES(USGXT, SGXT)
AS_LANES(UP2UR, P2R)
AS_LANES(UR2UP, R2P)
AS_LANES(USIGN, SIGN)

/* A uniform source of 64 bits; numbers have a sign. */
static uint64_t wide_source(const sem *x, unsigned i)
{
    const isa_inst *in = x->in;

    if (in->src_kind[i] == SRC_IMM)
        return (uint64_t)(int64_t)(int32_t)in->val[i];
    if (!in->usrc_regs[i])
        return 0;
    return sem_ureg(x, in->src[i]) | (uint64_t)sem_ureg(x, in->src[i] + 1u)
                                         << 32;
}

SEM(UIADD3L)
{
    uint64_t sum = wide_source(x, 0) + wide_source(x, 1);

    if (x->in->dst == ISA_RZ)
        return;
    put_ureg(x, x->in->dst, (uint32_t)sum);
    put_ureg(x, x->in->dst + 1u, (uint32_t)(sum >> 32));
}

SEM(S2UR) { on_uniform(x, SEM_NAME(S2R), bits_ctz32(x->mask)); }

SEM(ULDC)
{
    const isa_inst *in = x->in;
    const uint8_t *bank =
        in->lut < CBANKS ? x->w->cta->launch->cbank[in->lut] : NULL;
    uint64_t at = (uint32_t)(sem_ureg(x, in->src[0]) + in->val[0]);
    uint32_t v[4] = {0};
    bool outside = !bank || at + in->bytes > CBANK_BYTES;

    if (outside || at % in->bytes) {
        *x->fault = exec_fault_at(
            x->w, outside ? FAULT_CONST_BOUNDS : FAULT_MISALIGNED, x->mask);
        x->fault->addr = at;
        x->fault->size = in->bytes;
        x->result = EXEC_FAULT;
        return;
    }
    memcpy(v, bank + at, in->bytes);
    for (unsigned k = 0; k < in->udst_regs; k++)
        put_ureg(x, in->dst + k, sem_widen(ISA_GET(in, SIZE), v[k]));
}

/* Where lanes differ the first has its way [guess]. */
SEM(R2UR)
{
    uint32_t ta[ISA_WARP], other[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta);
    uint32_t first = a[bits_ctz32(x->mask)];

    LANES(l) other[l] = a[l] != first;
    put_ureg(x, x->in->dst, first);
    if (x->in->pdst[0] != ISA_PT)
        sem_put_pred(x, 0, sem_lanes(other) & x->mask ? 0 : UINT32_MAX);
}

SEM(R2URP)
{
    uint32_t ta[ISA_WARP], differs[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta);
    uint32_t first = a[bits_ctz32(x->mask)];

    LANES(l) differs[l] = a[l] != first;
    put_ureg(x, x->in->dst, first);
    sem_put_pred(x, 0, sem_lanes(differs) | sem_pred(x, 0));
}

SEM(ELECT)
{
    uint32_t lanes = sem_pred(x, 0) & x->mask;

    put_ureg(x, x->in->dst, lanes ? bits_ctz32(lanes) : 0);
    sem_put_pred(x, 0, lanes & -lanes);
}

SEM(VOTEU)
{
    uint32_t votes = sem_pred(x, 0) & x->mask;
    bool all = votes == x->mask, any = votes != 0;
    unsigned how = ISA_GET(x->in, VOTEOP);

    put_ureg(x, x->in->dst, votes);
    put_upred(x, 0,
              how == VOTE_ALL   ? all
              : how == VOTE_ANY ? any
                                : all || !any);
}
