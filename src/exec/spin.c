#include "exec/spin.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/slice.h"

struct exec_mark {
    uint32_t pc, active, live, depth, back;
    uint32_t pred[ISA_PREDS + 1];
    uint32_t ureg[ISA_UREGS + 1];
    uint8_t upred;
    uint32_t part[ISA_BARRIERS][ISA_WARP]; /* Volta */
    simt_entry *entry;
    uint32_t (*reg)[ISA_WARP];
    uint32_t room; /* entries */
};

/* ---- States ---- */

static exec_mark *mark_new(const exec_warp *w)
{
    uint32_t rows = w->cta->launch->kernel->registers;
    exec_mark *m = new0(1, sizeof *m);

    m->reg = new_array(rows ? rows : 1, sizeof *m->reg);
    return m;
}

static void mark_free(exec_mark *m)
{
    if (!m)
        return;
    free(m->entry);
    free(m->reg);
    free(m);
}

static void mark_take(exec_mark *m, const exec_warp *w)
{
    const simt *s = &w->simt;

    m->pc = s->pc;
    m->active = s->active;
    m->live = s->live;
    m->depth = s->depth;
    m->back = simt_takes_turns(s) ? s->back : 0;
    memcpy(m->pred, w->pred, sizeof m->pred);
    simt_parts(s, m->part);
    memcpy(m->ureg, w->ureg, sizeof m->ureg);
    m->upred = w->upred;
    GROW(m->entry, m->depth, m->room);
    for (unsigned i = 0; i < m->depth; i++)
        m->entry[i] = *simt_at((simt *)s, i);
    memcpy(m->reg, w->reg, w->cta->launch->kernel->registers * sizeof *m->reg);
}

/* Does the warp stand where it stood? With uniform registers that count its
 * rounds it does not: which of them decide something is not looked for. */
static bool mark_stands(const exec_mark *m, const exec_warp *w)
{
    const simt *s = &w->simt;
    uint32_t part[ISA_BARRIERS][ISA_WARP];

    simt_parts(s, part);
    if (m->pc != s->pc || m->active != s->active || m->live != s->live ||
        m->depth != s->depth ||
        m->back != (simt_takes_turns(s) ? s->back : 0) ||
        memcmp(m->part, part, sizeof part) != 0 ||
        memcmp(m->ureg, w->ureg, sizeof m->ureg) != 0 || m->upred != w->upred)
        return false;
    for (unsigned i = 0; i < m->depth; i++)
        if (!simt_same(s, &m->entry[i], simt_at((simt *)s, i)))
            return false;
    return true;
}

/* Only lanes that live count. */
static exec_regs mark_differ(const exec_mark *m, const exec_warp *w)
{
    exec_regs d = {.preds = 0};
    uint32_t rows = w->cta->launch->kernel->registers;

    for (unsigned p = 0; p < ISA_PREDS; p++)
        d.preds |= (uint32_t)(((m->pred[p] ^ w->pred[p]) & m->live) != 0) << p;
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t bits = 0;

        if (!memcmp(m->reg[r], w->reg[r], sizeof *m->reg))
            continue;
        for (unsigned l = 0; l < ISA_WARP; l++)
            bits |= (m->reg[r][l] ^ w->reg[r][l]) & -(m->live >> l & 1);
        d.reg[r / 64] |= (uint64_t)(bits != 0) << r % 64;
    }
    return d;
}

static bool slice_is_empty(const exec_regs *s)
{
    return !(s->reg[0] | s->reg[1] | s->reg[2] | s->reg[3]) && !s->preds;
}

static exec_regs common_registers(const exec_regs *a, const exec_regs *b)
{
    exec_regs c = {.preds = a->preds & b->preds};

    for (unsigned i = 0; i < 4; i++)
        c.reg[i] = a->reg[i] & b->reg[i];
    return c;
}

/* ---- The observer ---- */

void exec_spin_begin(exec_spin *s, uint64_t now)
{
    *s = (exec_spin){.quiet = now};
}

void exec_spin_end(exec_spin *s)
{
    mark_free(s->mark);
    free(s->seen);
    free(s->poll);
    *s = (exec_spin){.quiet = 0};
}

static void note_progress(exec_spin *s, uint64_t now)
{
    s->changed = true;
    s->circle = s->marked = s->decided = false;
    s->rounds = 0;
    s->quiet = now;
}

static size_t seen_words(const exec_warp *w)
{
    return (w->code_count + 31) / 32;
}

static void mark_state(exec_spin *s, const exec_warp *w)
{
    if (!s->mark) {
        s->mark = mark_new(w);
        s->seen = new_array(seen_words(w), sizeof *s->seen);
        s->poll = new_array(SPIN_POLLS, sizeof *s->poll);
    }
    mark_take(s->mark, w);
    memset(s->seen, 0, seen_words(w) * sizeof *s->seen);
    s->marked = true;
    s->stands = false;
    s->steps = 0;
}

/* What differs from the mark decides nothing. */
static bool is_circle(const exec_spin *s, const exec_warp *w)
{
    const exec_loop l = {w->code, w->code_count, s->seen};
    bool clock;
    exec_regs needed = exec_slice_needed(&l, &clock);
    exec_regs both = common_registers(&needed, &s->differ);

    return !clock && slice_is_empty(&both);
}

/* Do accesses since the mark decide where the warp goes, and which? */
static bool find_deciding_polls(exec_spin *s, const exec_warp *w)
{
    const exec_loop l = {w->code, w->code_count, s->seen};
    bool some = false;

    for (unsigned i = 0; i < s->polls; i++) {
        exec_poll *p = &s->poll[i];

        p->decides = exec_loop_has(&l, p->pc) && (s->circle || p->times > 1) &&
                     exec_slice_decides(&l, p->pc, &s->differ);
        some |= p->decides;
    }
    return some;
}

/* A taken branch back. */
static void round_ends(exec_spin *s, const exec_warp *w)
{
    s->rounds++;
    if (s->changed || !s->marked) {
        if (!s->changed) {
            s->limit = 1;
            s->polls = 0;
            mark_state(s, w);
        }
        s->changed = false;
        return;
    }
    if (s->circle)
        return;
    s->steps++;
    s->stands = mark_stands(s->mark, w);
    if (s->stands) {
        s->differ = mark_differ(s->mark, w);
        /* Only where no lane is about to be let through, see exec/simt.h; a
         * state that differs slightly is compared closely only now and then. */
        if (simt_is_settled(&w->simt) &&
            (slice_is_empty(&s->differ) || s->steps == s->limit))
            s->circle = is_circle(s, w);
    }
    if (s->circle || s->steps < s->limit)
        return;
    s->limit *= 2;
    s->decided = s->stands && find_deciding_polls(s, w);
    mark_state(s, w);
}

void exec_spin_step(exec_spin *s, const exec_warp *w, uint32_t pc,
                    exec_result r, uint64_t now)
{
    const isa_inst *in = &w->code[pc];

    s->ran = true;
    if (s->marked)
        s->seen[pc / 32] |= 1u << pc % 32;
    if (r == EXEC_EXIT)
        s->ended = true;
    if (r == EXEC_BARRIER || r == EXEC_EXIT || in->op == ISA_MALLOC ||
        in->op == ISA_FREE || in->op == ISA_LDGSTS || isa_is_bulk(in->op))
        note_progress(s, now);
    else if ((in->flags & ISA_F_BRANCH) && w->simt.active && w->simt.pc <= pc)
        round_ends(s, w);
}

/* ---- Memory ---- */

static const uint8_t *host_of(const exec_warp *w, const exec_mem *m,
                              unsigned lane, const mem_view *view,
                              uint8_t bytes[16])
{
    uint64_t at = m->addr[lane];

    if (m->space[EXEC_SHARED] >> lane & 1)
        return w->cta->shared + at;
    if (m->space[EXEC_GLOBAL] >> lane & 1) {
        mem_view_read(view, at, bytes, m->size);
        return bytes;
    }
    for (unsigned i = 0; i < m->size; i++) /* see exec_warp.local */
        bytes[i] =
            w->local[((at + i) / 4 * ISA_WARP + lane) * 4 + (at + i) % 4];
    return bytes;
}

static uint32_t lanes_in(const exec_mem *m, unsigned spaces)
{
    uint32_t lanes = 0;

    for (unsigned k = 0; k < EXEC_SPACES; k++)
        lanes |= spaces >> k & 1 ? m->space[k] : 0;
    return lanes;
}

/* The bytes of a plain store lie there already; the access is valid. */
static bool stores_the_same(const exec_warp *w, const exec_mem *m,
                            uint32_t lanes, const mem_view *view)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint8_t bytes[16];
        uint32_t v[4] = {0};

        for (unsigned k = 0; 4 * k < m->size; k++)
            v[k] = m->data[k][l];
        if (memcmp(host_of(w, m, l, view, bytes), v, m->size) != 0)
            return false;
    }
    return true;
}

static bool is_plain_store(const isa_inst *in)
{
    return in->op == ISA_STG || in->op == ISA_STS || in->op == ISA_STL ||
           in->op == ISA_ST;
}

/* Could exec_mem_perform fail? Then nothing is looked at here. */
static bool is_valid(const exec_warp *w, const exec_mem *m, uint32_t lanes,
                     const mem_view *view)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint64_t end = m->addr[l] + m->size;

        if (m->addr[l] % m->size)
            return false;
        if (m->space[EXEC_SHARED] >> l & 1
                ? end > exec_shared_room(w->cta->launch)
            : m->space[EXEC_LOCAL] >> l & 1
                ? end > exec_local_room(w->cta->launch)
                : !mem_valid(mem_view_image(view), m->addr[l], m->size, NULL))
            return false;
    }
    return true;
}

void exec_spin_before(exec_spin *s, const exec_warp *w, const exec_mem *m,
                      unsigned spaces, const mem_view *view, uint64_t now)
{
    uint32_t lanes = lanes_in(m, spaces);
    unsigned flags = m->in->flags;

    if (!(flags & ISA_F_STORE) && m->in->op != ISA_PRINT)
        return;
    if ((flags & ISA_F_ATOMIC) && (flags & ISA_F_LOAD))
        return; /* it is looked at when it is done */
    if (!is_plain_store(m->in) || !is_valid(w, m, lanes, view) ||
        !stores_the_same(w, m, lanes, view))
        note_progress(s, now);
}

/* Notes an access. A second one that finds something else is no round. */
static void note_poll(exec_spin *s, const exec_poll *p, uint64_t now)
{
    exec_poll *old, *end;

    if (!s->marked)
        return;
    old = s->poll;
    end = s->poll + s->polls;
    while (old < end && (old->pc != p->pc || old->lanes != p->lanes))
        old++;
    if (old == end) {
        if (s->polls == SPIN_POLLS) {
            note_progress(s, now);
            return;
        }
        s->poll[s->polls++] = *p;
        return;
    }
    for (uint32_t left = p->lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (old->addr[l] != p->addr[l] || old->value[l] != p->value[l]) {
            note_progress(s, now);
            return;
        }
    }
    old->times++;
}

static uint64_t result_of(const exec_warp *w, const isa_inst *in, unsigned lane)
{
    if (in->dst == ISA_RZ)
        return 0;
    return w->reg[in->dst][lane] |
           (in->dst_regs > 1 ? (uint64_t)w->reg[in->dst + 1][lane] << 32 : 0);
}

void exec_spin_after(exec_spin *s, const exec_warp *w, const exec_mem *m,
                     unsigned spaces, uint64_t now)
{
    uint32_t lanes = lanes_in(m, spaces & ~(1u << EXEC_LOCAL));
    bool atomic = m->in->flags & ISA_F_ATOMIC;
    exec_poll p = {.pc = m->pc,
                   .lanes = lanes,
                   .shared = m->space[EXEC_SHARED] & lanes,
                   .size = m->size,
                   .times = 1,
                   .atomic = atomic};

    if (m->space[EXEC_REMOTE]) /* what others do there is not seen */
        note_progress(s, now);
    if (!lanes || !(m->in->flags & ISA_F_LOAD) || exec_is_fetch(m->in) ||
        m->in->op == ISA_LDSM || m->in->op == ISA_PRINT ||
        m->in->op == ISA_LDGSTS || isa_is_bulk(m->in->op))
        return;
    if (atomic && m->changed) {
        note_progress(s, now);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        p.addr[l] = m->addr[l];
        p.value[l] = result_of(w, m->in, l);
    }
    note_poll(s, &p, now);
}

void exec_spin_atom(exec_spin *s, const exec_warp *w, uint32_t pc,
                    const mem_atom *a, uint64_t now)
{
    exec_poll p = {.pc = pc,
                   .lanes = a->lanes,
                   .size = w->code[pc].bytes,
                   .times = 1,
                   .atomic = true};

    if (a->changed) {
        note_progress(s, now);
        return;
    }
    memcpy(p.addr, a->addr, sizeof p.addr);
    memcpy(p.value, a->old, sizeof p.value);
    note_poll(s, &p, now);
}

/* ---- The answer ---- */

exec_round exec_spin_round(exec_spin *s, const exec_warp *w)
{
    enum { ROUNDS = 3 };
    bool decided;

    if (!s->marked || s->ended || (!s->circle && s->rounds < ROUNDS))
        return ROUND_NONE;
    decided = s->steps ? s->stands && find_deciding_polls(s, w) : s->decided;
    return s->circle ? ROUND_CIRCLE : decided ? ROUND_POLLS : ROUND_NONE;
}
