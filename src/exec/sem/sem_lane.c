/* src/exec/sem/sem_lane.c - lanes that read each other, and special registers.
 */
#include "exec/sem/sem.h"

#include "base/bits.h"
#include "exec/cga.h"

/* Source lane and range as the manual's pseudocode has them [PTX85:shfl]. A
 * lane out of range keeps its own value; one that does not execute reads as 0:
 * the manual leaves it open, but the vendor's samples sum up so
 * [NVSAMPLES:reduction]. */
SEM(SHFL)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP],
        from[ISA_WARP], ok[ISA_WARP], most[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);

    LANES(l)
    {
        uint32_t seg = c[l] >> 8 & 31;
        most[l] = (l & seg) | (c[l] & 31 & ~seg);
    }
    switch (ISA_GET(x->in, SHFLOP)) {
    case SHFL_UP: /* here `most` is the lowest lane */
        LANES(l) from[l] = l - (b[l] & 31);
        LANES(l) ok[l] = (int32_t)from[l] >= (int32_t)most[l];
        break;
    case SHFL_DOWN:
        LANES(l) from[l] = l + (b[l] & 31);
        LANES(l) ok[l] = from[l] <= most[l];
        break;
    case SHFL_BFLY:
        LANES(l) from[l] = l ^ (b[l] & 31);
        LANES(l) ok[l] = from[l] <= most[l];
        break;
    default:
        LANES(l)
        {
            uint32_t seg = c[l] >> 8 & 31;
            from[l] = (l & seg) | (b[l] & 31 & ~seg);
        }
        LANES(l) ok[l] = from[l] <= most[l];
    }
    LANES(l) from[l] = ok[l] ? from[l] & 31 : l;
    LANES(l) d[l] = x->mask >> from[l] & 1 ? a[from[l]] : 0;
    sem_put(x, d);
    if (x->in->pdst[0] != ISA_PT)
        sem_put_pred(x, 0, sem_lanes(ok));
}

SEM(VOTE)
{
    uint32_t d[ISA_WARP], votes = sem_pred(x, 0) & x->mask;
    bool all = votes == x->mask, any = votes != 0, p;
    unsigned how = ISA_GET(x->in, VOTEOP);

    p = how == VOTE_ALL ? all : how == VOTE_ANY ? any : all || !any;
    sem_put_pred(x, 0, p ? UINT32_MAX : 0);
    LANES(l) d[l] = votes;
    sem_put(x, d);
}

/* Lanes of the mask whose value is v. */
static uint32_t equal(const uint64_t v[ISA_WARP], uint64_t to, uint32_t mask)
{
    uint32_t lanes = 0;

    LANES(l) lanes |= v[l] == to ? exec_lane_bit[l] : 0;
    return lanes & mask;
}

static void match(sem *x, const uint64_t v[ISA_WARP])
{
    uint32_t d[ISA_WARP] = {0}, left = x->mask;
    uint32_t first = equal(v, v[bits_ctz32(left)], left);

    if (ISA_GET(x->in, MATCHOP)) { /* ALL */
        bool all = first == x->mask;
        LANES(l) d[l] = all ? x->mask : 0;
        sem_put_pred(x, 0, all ? UINT32_MAX : 0);
        sem_put(x, d);
        return;
    }
    while (left) {
        uint32_t same = equal(v, v[bits_ctz32(left)], left);
        LANES(l) d[l] |= same & exec_lane_bit[l] ? same : 0;
        left &= ~same;
    }
    sem_put(x, d);
}

SEM(MATCH)
{
    uint32_t ta[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta);
    uint64_t v[ISA_WARP];

    LANES(l) v[l] = a[l];
    match(x, v);
}

SEM(MATCHL)
{
    uint64_t v[ISA_WARP];

    sem_fetch64(x, 0, v);
    match(x, v);
}

static bool is_nan(uint32_t v) { return (v & 0x7fffffff) > 0x7f800000; }

/* The least, or greatest, float of the executing lanes. NaNs do not count as
 * long as there is another number, but with NAN [PTX85:redux.sync]. */
static uint32_t reduce_float(const sem *x, const uint32_t a[ISA_WARP], bool max)
{
    bool keep_nan = ISA_GET(x->in, NANP), any = false;
    uint32_t r = 0x7fffffff;
    int32_t best = 0;

    for (uint32_t left = x->mask; left; left &= left - 1) {
        uint32_t v = a[bits_ctz32(left)];
        int32_t order = (int32_t)v < 0 ? (int32_t)(v ^ 0x7fffffff) : (int32_t)v;

        if (is_nan(v) && keep_nan)
            return 0x7fffffff;
        if (is_nan(v) || (any && (max ? order <= best : order >= best)))
            continue;
        any = true;
        best = order;
        r = v;
    }
    return r;
}

/* A of all executing lanes. */
static uint32_t reduce(sem *x)
{
    uint32_t ta[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta);
    unsigned how = ISA_GET(x->in, REDUXOP), first = bits_ctz32(x->mask);
    uint32_t flip = ISA_GET(x->in, U32) ? 0 : 0x80000000, r = a[first];

    if (how >= REDUX_FMIN)
        return reduce_float(x, a, how == REDUX_FMAX);
    for (uint32_t left = x->mask & (x->mask - 1); left; left &= left - 1) {
        uint32_t v = a[bits_ctz32(left)];

        switch (how) {
        case REDUX_SUM:
            r += v;
            break;
        case REDUX_MIN:
            r = (v ^ flip) < (r ^ flip) ? v : r;
            break;
        case REDUX_MAX:
            r = (v ^ flip) > (r ^ flip) ? v : r;
            break;
        case REDUX_AND:
            r &= v;
            break;
        case REDUX_OR:
            r |= v;
            break;
        default:
            r ^= v;
        }
    }
    return r;
}

SEM(REDUX)
{
    uint32_t d[ISA_WARP], r = reduce(x);

    LANES(l) d[l] = r;
    sem_put(x, d);
}

SEM(UREDUX)
{
    if (x->in->dst != ISA_RZ)
        x->w->ureg[x->in->dst] = reduce(x);
}

static uint64_t nanoseconds(const exec_warp *w)
{
    uint64_t khz = w->cta->launch->clock_khz;

    return khz ? (uint64_t)((unsigned __int128)w->clock * 1000000 / khz)
               : w->clock;
}

static void thread_index(const exec_warp *w, unsigned dim, uint32_t d[ISA_WARP])
{
    const uint32_t *size = w->cta->launch->block;
    uint32_t t[3];

    exec_thread(size, w->index * ISA_WARP, t);
    LANES(l)
    {
        d[l] = t[dim];
        if (++t[0] == size[0]) {
            t[0] = 0;
            if (++t[1] == size[1]) {
                t[1] = 0;
                t[2]++;
            }
        }
    }
}

/* Where the CTA is among thread-block clusters. */
static uint32_t in_cga(const exec_cta *c, unsigned sreg)
{
    uint32_t cluster[3], in[3], rank;

    exec_cga_of(c->launch, c->id, cluster, in, &rank);
    if (sreg == SR_CGARANK)
        return rank;
    return sreg < SR_CGACTAID_X ? cluster[sreg - SR_CGAID_X]
                                : in[sreg - SR_CGACTAID_X];
}

/* Registers with one value for the warp. */
static uint64_t uniform(const sem *x, unsigned sreg)
{
    const exec_warp *w = x->w;
    const exec_launch *l = w->cta->launch;

    switch (sreg) {
    case SR_CTAID_X:
    case SR_CTAID_Y:
    case SR_CTAID_Z:
        return w->cta->id[sreg - SR_CTAID_X];
    case SR_WARPID:
        return w->index;
    case SR_NWARPID:
        return l->sm_warps;
    case SR_SMID:
        return w->cta->sm;
    case SR_NSMID:
        return l->sms;
    case SR_GRIDID:
        return l->grid_id;
    case SR_CGAID_X:
    case SR_CGAID_Y:
    case SR_CGAID_Z:
    case SR_CGACTAID_X:
    case SR_CGACTAID_Y:
    case SR_CGACTAID_Z:
    case SR_CGARANK:
        return in_cga(w->cta, sreg);
    case SR_ACTIVE:
        return w->simt.active;
    case SR_CLOCKLO:
    case SR_CLOCK64:
        return w->clock;
    case SR_CLOCKHI:
        return w->clock >> 32;
    case SR_TIMER:
    case SR_TIMERLO:
        return nanoseconds(w);
    case SR_TIMERHI:
        return nanoseconds(w) >> 32;
    default:
        return 0;
    }
}

static void read_special(const sem *x, unsigned sreg, uint32_t d[ISA_WARP])
{
    switch (sreg) {
    case SR_TID_X:
    case SR_TID_Y:
    case SR_TID_Z:
        thread_index(x->w, sreg - SR_TID_X, d);
        break;
    case SR_LANEID:
        LANES(l) d[l] = l;
        break;
    case SR_EQMASK:
        LANES(l) d[l] = exec_lane_bit[l];
        break;
    case SR_LTMASK:
        LANES(l) d[l] = exec_lane_bit[l] - 1;
        break;
    case SR_LEMASK:
        LANES(l) d[l] = exec_lane_bit[l] | (exec_lane_bit[l] - 1);
        break;
    case SR_GTMASK:
        LANES(l) d[l] = ~(exec_lane_bit[l] | (exec_lane_bit[l] - 1));
        break;
    case SR_GEMASK:
        LANES(l) d[l] = ~(exec_lane_bit[l] - 1);
        break;
    default: {
        uint32_t v = (uint32_t)uniform(x, sreg);
        LANES(l) d[l] = v;
    }
    }
}

SEM(S2R)
{
    uint32_t d[ISA_WARP];

    read_special(x, x->in->lut, d);
    sem_put(x, d);
}

SEM(CS2R32)
{
    uint32_t d[ISA_WARP];

    read_special(x, x->in->lut, d);
    sem_put(x, d);
}

SEM(CS2R)
{
    uint32_t d[ISA_WARP];
    uint64_t wide[ISA_WARP], v = uniform(x, x->in->lut);

    if (x->in->lut == SR_CLOCK64 || x->in->lut == SR_TIMER) {
        LANES(l) wide[l] = v;
    } else {
        read_special(x, x->in->lut, d);
        LANES(l) wide[l] = d[l];
    }
    sem_put64(x, wide);
}
