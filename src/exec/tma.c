/* src/exec/tma.c - what an instruction asks for, and whether that is good. */
#include "exec/tma.h"

#include <string.h>

#include "base/bits.h"
#include "exec/async.h"
#include "exec/cga.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/remote.h"
#include "isa/check.h"

/* ---- faults ---- */

static bool bad(const exec_tma *t, const char *why, uint64_t at,
                exec_fault *fault)
{
    *fault = t->place;
    fault->kind = FAULT_BULK;
    fault->why = why;
    fault->addr = at;
    return false;
}

static bool bad_kind(const exec_tma *t, enum exec_fault_kind kind, uint64_t at,
                     exec_fault *fault)
{
    *fault = t->place;
    fault->kind = kind;
    fault->addr = at;
    return false;
}

/* ---- tensor maps ---- */

static bool is_in(uint64_t at, uint64_t window)
{
    return at - window < MEM_WINDOW_BYTES;
}

/* Parameters are in a constant bank, or in a copy in local memory. */
static bool read_map(const exec_warp *w, unsigned lane, const mem_view *view,
                     exec_tma *t, exec_fault *fault)
{
    uint64_t at = t->map_at, offset = at & (MEM_WINDOW_BYTES - 1);
    uint8_t *to = (uint8_t *)&t->map;

    if (is_in(at, MEM_PARAM_WINDOW)) {
        if (offset > CBANK_BYTES - TENSOR_MAP_BYTES)
            return bad_kind(t, FAULT_CONST_BOUNDS, at, fault);
        memcpy(to, w->cta->launch->cbank[CBANK_PARAM] + offset,
               TENSOR_MAP_BYTES);
        return true;
    }
    if (is_in(at, MEM_LOCAL_WINDOW)) {
        if (offset + TENSOR_MAP_BYTES > exec_local_room(w->cta->launch))
            return bad_kind(t, FAULT_LOCAL_BOUNDS, at, fault);
        for (unsigned i = 0; i < TENSOR_MAP_BYTES; i++) {
            uint64_t o = offset + i;

            to[i] = w->local[(o / 4 * ISA_WARP + lane) * 4 + o % 4];
        }
        return true;
    }
    if (at - MEM_SHARED_WINDOW < MEM_CGA_BYTES)
        return bad(t, "the tensor map is in shared memory", at, fault);
    if (at % TENSOR_MAP_ALIGN)
        return bad(t, "the tensor map is not at a multiple of 64", at, fault);
    if (!mem_valid(mem_view_image(view), at, TENSOR_MAP_BYTES, NULL))
        return bad_kind(t, FAULT_BOUNDS, at, fault);
    for (unsigned i = 0; i < TENSOR_MAP_BYTES; i += TENSOR_MAP_ALIGN)
        mem_view_read(view, at + i, to + i, TENSOR_MAP_ALIGN);
    return true;
}

/* The map that the instruction names, which must be what it takes it for. */
static bool take_map(const exec_warp *w, const exec_mem *m, unsigned lane,
                     const mem_view *view, exec_tma *t, exec_fault *fault)
{
    const char *why;

    t->map_at = m->addr[lane];
    t->place.size = TENSOR_MAP_BYTES;
    if (!read_map(w, lane, view, t, fault))
        return false;
    if ((why = tensor_map_check(&t->map))) {
        bad(t, "malformed tensor map", t->map_at, fault);
        fault->detail = why;
        return false;
    }
    if (t->kind == TMA_MAP)
        return true;
    if (t->map.last != ISA_GET(m->in, TDIM))
        return bad(t,
                   "the tensor map has another number of dimensions than the "
                   "instruction",
                   t->map_at, fault);
    if (t->map.im2col != ISA_GET(m->in, TIM2COL))
        return bad(t,
                   t->map.im2col ? "the tensor map is for im2col, the "
                                   "instruction for tiles"
                                 : "the tensor map is for tiles, the "
                                   "instruction for im2col",
                   t->map_at, fault);
    return true;
}

/* ---- reductions ---- */

static bool has_reduction(unsigned op, unsigned type)
{
    isa_inst in = isa_new(ISA_RED);

    ISA_PUT(&in, ATOMOP, op);
    ISA_PUT(&in, ATYPE, type);
    return !isa_check_atomic(&in);
}

static bool take_reduction(const exec_mem *m, exec_tma *t, exec_fault *fault)
{
    static const uint8_t types[TENSOR_TYPES] = {
        [TENSOR_U32] = ATYPE_U32,      [TENSOR_S32] = ATYPE_S32,
        [TENSOR_U64] = ATYPE_U64,      [TENSOR_S64] = ATYPE_S64,
        [TENSOR_F16] = ATYPE_F16,      [TENSOR_F32] = ATYPE_F32,
        [TENSOR_F32_FTZ] = ATYPE_F32,  [TENSOR_F64] = ATYPE_F64,
        [TENSOR_BF16] = ATYPE_BF16,    [TENSOR_TF32] = ATYPE_F32,
        [TENSOR_TF32_FTZ] = ATYPE_F32,
    };

    t->op = (uint8_t)ISA_GET(m->in, ATOMOP);
    if (!t->tensor) {
        t->type = (uint8_t)ISA_GET(m->in, ATYPE);
        return true;
    }
    t->type = types[t->map.type];
    if (tensor_bytes(t->map.type) >= 2 && t->map.type != TENSOR_U16 &&
        has_reduction(t->op, t->type))
        return true;
    return bad(t,
               "the reduction does not exist for the elements of the tensor "
               "map",
               t->map_at, fault);
}

/* ---- places ---- */

static uint32_t own_rank(const exec_cta *c) { return c->cga ? c->rank : 0; }

static uint32_t cta_count(const exec_cta *c)
{
    return c->cga ? c->cga->size : 1;
}

/* An address in shared::cluster: its offset and rank. */
static uint32_t split(const exec_warp *w, uint32_t at, uint32_t *rank)
{
    uint32_t upper = at >> EXEC_REMOTE_SHIFT;

    *rank = upper ? upper - 1 : own_rank(w->cta);
    return at & (uint32_t)bits_mask64(EXEC_REMOTE_SHIFT);
}

static bool check_shared(const exec_warp *w, const exec_tma *t, uint32_t at,
                         exec_fault *fault)
{
    const exec_launch *l = w->cta->launch;
    uint64_t room = (uint64_t)l->shared_bytes + l->shared_slack;
    unsigned align = t->tensor ? TMA_ALIGN_TENSOR : TMA_ALIGN;

    if (at % align)
        return bad(t,
                   t->tensor ? "the address in shared memory is no multiple of "
                               "128"
                             : "the address in shared memory is no multiple of "
                               "16",
                   at, fault);
    if (at + (uint64_t)t->bytes <= room)
        return true;
    bad(t, "the box does not fit into the shared memory of the CTA", at, fault);
    fault->reach = at + (uint64_t)t->bytes - room;
    return false;
}

/* The CTAs that get the data, and the mbarrier that they have for it. */
static bool take_targets(const exec_warp *w, const exec_mem *m, unsigned lane,
                         uint32_t to, exec_tma *t, exec_fault *fault)
{
    bool multicast =
        isa_table[m->in->op].mods >> MOD_TMCAST & 1 && ISA_GET(m->in, TMCAST);
    bool wide =
        isa_table[m->in->op].mods >> MOD_TWIDE & 1 && ISA_GET(m->in, TWIDE);
    uint32_t rank, other;

    t->shared = split(w, to, &rank);
    t->mbarrier = split(w, m->data[TMA_W_MBARRIER][lane], &other);
    t->ranks = (uint16_t)(1u << (rank & 15));
    if (multicast) {
        t->ranks = (uint16_t)(wide ? m->extra[0][lane] >> 16
                                   : m->data[TMA_W_MORE][lane]);
        rank = t->ranks ? 31 - bits_clz32(t->ranks) : 0;
        if (rank >= cta_count(w->cta))
            return bad(t,
                       "the multicast mask names a CTA that the cluster has "
                       "not",
                       t->shared, fault);
    } else if (rank >= cta_count(w->cta)) {
        bad_kind(t, FAULT_CGA_RANK, t->shared, fault);
        fault->rank = rank;
        return false;
    } else if (other != rank) {
        return bad(t, "the mbarrier is in another CTA than the destination",
                   t->mbarrier, fault);
    }
    if (t->mbarrier % 8)
        return bad(t, "the mbarrier is not at a multiple of 8", t->mbarrier,
                   fault);
    if (t->mbarrier + 8ull > w->cta->launch->shared_bytes)
        return bad_kind(t, FAULT_SHARED_BOUNDS, t->mbarrier, fault);
    if (t->ranks >> own_rank(w->cta) & 1 &&
        !exec_mbarrier_is_one(w->cta, t->mbarrier))
        return bad(t, "the mbarrier is not initialised", t->mbarrier, fault);
    return check_shared(w, t, t->shared, fault);
}

/* ---- global memory ---- */

static bool check_run(const exec_tma *t, uint64_t at, uint64_t bytes,
                      const mem_view *view, exec_fault *fault)
{
    const mem_image *image = mem_view_image(view);
    int64_t distance;
    const mem_range *r;

    if (mem_valid(image, at, bytes, NULL))
        return true;
    r = mem_nearest(image, at, &distance);
    bad_kind(t, r && !r->live && !distance ? FAULT_FREED : FAULT_BOUNDS, at,
             fault);
    fault->size = (uint32_t)bytes;
    fault->reach = r ? mem_reach(r, at, bytes) : 0;
    return false;
}

static bool check_box(const exec_tma *t, const mem_view *view,
                      exec_fault *fault)
{
    exec_tma_walk k = exec_tma_walk_of(t);
    exec_tma_run run;
    uint64_t low = UINT64_MAX, high = 0;

    while (exec_tma_next(t, &k, &run)) {
        if (!run.inside)
            continue;
        low = run.global < low ? run.global : low;
        high = run.global + run.bytes > high ? run.global + run.bytes : high;
    }
    if (low >= high || mem_valid(mem_view_image(view), low, high - low, NULL))
        return true;
    k = exec_tma_walk_of(t);
    while (exec_tma_next(t, &k, &run))
        if (run.inside && !check_run(t, run.global, run.bytes, view, fault))
            return false;
    return true;
}

static bool take_range(const exec_mem *m, unsigned lane, exec_tma *t,
                       exec_fault *fault)
{
    t->global = m->addr[lane];
    t->bytes = m->data[TMA_W_FIRST][lane];
    t->place.size = t->bytes;
    if (t->bytes % TMA_ALIGN)
        return bad(t, "the size is no multiple of 16", t->global, fault);
    if (t->kind != TMA_COPY && t->kind != TMA_COMBINE && t->global % TMA_ALIGN)
        return bad(t, "the address in global memory is no multiple of 16",
                   t->global, fault);
    return true;
}

static void take_coordinates(const exec_mem *m, unsigned lane, exec_tma *t)
{
    bool wide = ISA_GET(m->in, TWIDE);

    for (unsigned i = 0; i <= t->map.last; i++)
        t->at[i] = (int32_t)(i < 4 ? m->data[TMA_W_FIRST + i][lane]
                                   : m->data[TMA_W_MORE][lane]);
    if (!wide || !t->map.im2col)
        return;
    t->offset[0] = (uint16_t)m->data[TMA_W_MORE + 1][lane];
    t->offset[1] = (uint16_t)(m->data[TMA_W_MORE + 1][lane] >> 16);
    t->offset[2] = (uint16_t)m->extra[0][lane];
}

/* ---- an instruction ---- */

static exec_tma_kind kind_of(const isa_inst *in)
{
    switch (in->op) {
    case ISA_UBLKCP:
        return ISA_GET(in, TPATH) == TPATH_SG   ? TMA_LOAD
               : ISA_GET(in, TPATH) == TPATH_GS ? TMA_STORE
                                                : TMA_COPY;
    case ISA_UBLKRED:
        return ISA_GET(in, TPATH) == TPATH_SS ? TMA_COMBINE : TMA_REDUCE;
    case ISA_UTMALDG:
        return TMA_LOAD;
    case ISA_UTMASTG:
        return TMA_STORE;
    case ISA_UTMAREDG:
        return TMA_REDUCE;
    case ISA_UTMACCTL:
        return TMA_MAP;
    default:
        return TMA_PREFETCH;
    }
}

static bool is_tensor(unsigned op)
{
    return op == ISA_UTMALDG || op == ISA_UTMASTG || op == ISA_UTMAREDG ||
           op == ISA_UTMAPF || op == ISA_UTMACCTL;
}

/* Where the data are, or go, in shared memory. */
static bool take_shared(const exec_warp *w, const exec_mem *m, unsigned lane,
                        exec_tma *t, exec_fault *fault)
{
    uint32_t at = m->data[TMA_W_SHARED][lane], rank = 0;

    switch (t->kind) {
    case TMA_LOAD:
        return take_targets(w, m, lane, at, t, fault);
    case TMA_STORE:
    case TMA_REDUCE:
        t->shared = split(w, at, &rank);
        break;
    case TMA_COPY:
    case TMA_COMBINE:
        t->from = split(w, at, &rank);
        if (rank == own_rank(w->cta) && !check_shared(w, t, t->from, fault))
            return false;
        if (!take_targets(w, m, lane, (uint32_t)m->addr[lane], t, fault))
            return false;
        break;
    case TMA_PREFETCH:
    case TMA_MAP:
        return true;
    }
    if (rank != own_rank(w->cta))
        return bad(t, "the source is in the shared memory of another CTA", at,
                   fault);
    return t->kind == TMA_COPY || t->kind == TMA_COMBINE ||
           check_shared(w, t, t->shared, fault);
}

bool exec_tma_begin(const exec_warp *w, const exec_mem *m, unsigned lane,
                    const mem_view *view, exec_tma *t, exec_fault *fault)
{
    uint64_t bytes;

    *t = (exec_tma){.kind = kind_of(m->in),
                    .tensor = is_tensor(m->in->op),
                    .place = exec_fault_of(w, m, FAULT_NONE, lane)};
    t->place.write = t->kind != TMA_PREFETCH && t->kind != TMA_MAP;
    if (!t->tensor) {
        if (!take_range(m, lane, t, fault))
            return false;
    } else {
        if (!take_map(w, m, lane, view, t, fault))
            return false;
        if (t->kind == TMA_MAP)
            return true;
        bytes = tensor_box_bytes(&t->map);
        t->bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
        t->place.size = t->bytes;
        take_coordinates(m, lane, t);
    }
    if ((t->kind == TMA_REDUCE || t->kind == TMA_COMBINE) &&
        !take_reduction(m, t, fault))
        return false;
    if (!take_shared(w, m, lane, t, fault))
        return false;
    if (t->kind != TMA_COPY && t->kind != TMA_COMBINE &&
        !check_box(t, view, fault))
        return false;
    if (w->cta->async)
        exec_async_bulk(w, t);
    return true;
}
