/* src/exec/mem.c - the second step of memory operations: checks, loads and
 * stores. Compiled once per level, see exec/sem.h. */
#include "base/bits.h"
#include "exec/atom.h"
#include "exec/fault.h"
#include "exec/sem.h"

/* ---- checks ---- */

static bool fail(const exec_warp *w, const exec_mem *m,
                 enum exec_fault_kind kind, unsigned lane, exec_fault *fault)
{
    *fault = exec_fault_at(w, kind, 1u << lane);
    fault->pc = m->pc;
    fault->addr = m->addr[lane];
    fault->size = m->size;
    fault->write = m->in->flags & ISA_F_STORE;
    return false;
}

static bool check_global_lane(exec_warp *w, const exec_mem *m,
                              const mem_image *image, unsigned lane,
                              exec_fault *fault)
{
    uint64_t addr = m->addr[lane];
    const mem_range *r;
    int64_t distance;

    if (addr % m->size)
        return fail(w, m, FAULT_MISALIGNED, lane, fault);
    if (mem_valid(image, addr, m->size, &w->hint))
        return true;
    r = mem_nearest(image, addr, &distance);
    return fail(w, m, r && !distance && !r->live ? FAULT_FREED : FAULT_BOUNDS,
                lane, fault);
}

bool sem_check(exec_warp *w, const exec_mem *m, const mem_view *view,
               exec_fault *fault)
{
    const mem_image *image = mem_view_image(view);
    uint32_t lanes = m->space[EXEC_GLOBAL];

    if (!lanes || !(m->in->flags & (ISA_F_LOAD | ISA_F_STORE)))
        return true;
    if (lanes == m->mask) { /* idle lanes repeat the address of another */
        uint64_t low = m->addr[0], high = low, bits = 0;

        LANES(l)
        {
            low = m->addr[l] < low ? m->addr[l] : low;
            high = m->addr[l] > high ? m->addr[l] : high;
            bits |= m->addr[l];
        }
        if (!(bits & (m->size - 1)) &&
            mem_valid(image, low, high - low + m->size, &w->hint))
            return true;
    }
    for (uint32_t left = lanes; left; left &= left - 1)
        if (!check_global_lane(w, m, image, bits_ctz32(left), fault))
            return false;
    return true;
}

/* Shared and local memory: `bytes` from 0. */
static bool check_small(const exec_warp *w, const exec_mem *m, uint32_t lanes,
                        uint64_t bytes, enum exec_fault_kind kind,
                        exec_fault *fault)
{
    uint64_t bits = 0, high = 0;

    if (lanes == m->mask) {
        LANES(l)
        {
            bits |= m->addr[l];
            high = m->addr[l] > high ? m->addr[l] : high;
        }
        if (!(bits & (m->size - 1)) && high + m->size <= bytes)
            return true;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (m->addr[l] % m->size)
            return fail(w, m, FAULT_MISALIGNED, l, fault);
        if (m->addr[l] + m->size > bytes)
            return fail(w, m, kind, l, fault);
    }
    return true;
}

static bool check(exec_warp *w, const exec_mem *m,
                  const uint32_t space[EXEC_SPACES], const mem_view *view,
                  exec_fault *fault)
{
    const exec_launch *l = w->cta->launch;

    if (space[EXEC_LOCAL] && (m->in->flags & ISA_F_ATOMIC))
        return fail(w, m, FAULT_SPACE, bits_ctz32(space[EXEC_LOCAL]), fault);
    if (space[EXEC_SHARED] &&
        !check_small(w, m, space[EXEC_SHARED], l->shared_bytes,
                     FAULT_SHARED_BOUNDS, fault))
        return false;
    if (space[EXEC_LOCAL] &&
        !check_small(w, m, space[EXEC_LOCAL], l->kernel->local_bytes,
                     FAULT_LOCAL_BOUNDS, fault))
        return false;
    return !space[EXEC_GLOBAL] || sem_check(w, m, view, fault);
}

/* ---- loads ---- */

/* True if lane l accesses addr[0] + l * size, for all lanes. */
static bool consecutive(const exec_mem *m)
{
    uint64_t bits = 0;

    LANES(l) bits |= m->addr[l] ^ (m->addr[0] + l * m->size);
    return !bits;
}

/* Bytes of one line after the other. */
static void read_run(const mem_view *view, uint64_t addr, uint8_t *to,
                     unsigned size)
{
    while (size) {
        unsigned room = MEM_LINE - (unsigned)(addr % MEM_LINE);
        unsigned n = size < room ? size : room;

        mem_view_read(view, addr, to, n);
        addr += n;
        to += n;
        size -= n;
    }
}

/* The words of one lane at `from`. */
static inline void take(uint32_t (*r)[ISA_WARP], unsigned lane,
                        const uint8_t *from, unsigned size)
{
    switch (size) {
    case 1:
        r[0][lane] = from[0];
        break;
    case 2: {
        uint16_t v;
        memcpy(&v, from, 2);
        r[0][lane] = v;
        break;
    }
    default:
        for (unsigned k = 0; k < size / 4; k++)
            memcpy(&r[k][lane], from + 4 * k, 4);
    }
}

static void load_global(const exec_mem *m, uint32_t lanes, const mem_view *view,
                        uint32_t (*r)[ISA_WARP])
{
    const uint8_t *image = mem_host(mem_view_image(view), MEM_BASE);
    uint64_t last = NEVER;
    bool clean = true;

    if (lanes == UINT32_MAX && consecutive(m)) {
        uint8_t run[16 * ISA_WARP];

        if (m->size == 4) {
            read_run(view, m->addr[0], (uint8_t *)r, 4 * ISA_WARP);
            return;
        }
        read_run(view, m->addr[0], run, m->size * ISA_WARP);
        LANES(l) take(r, l, run + l * m->size, m->size);
        return;
    }
    if (mem_view_empty(view) && m->size == 4 && lanes == m->mask) {
        LANES(l) memcpy(&r[0][l], image + (m->addr[l] - MEM_BASE), 4);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint64_t line = m->addr[l] & ~(uint64_t)(MEM_LINE - 1);
        uint8_t bytes[16];

        if (line != last) {
            clean = mem_view_clean(view, line);
            last = line;
        }
        if (clean) {
            take(r, l, image + (m->addr[l] - MEM_BASE), m->size);
        } else {
            mem_view_read(view, m->addr[l], bytes, m->size);
            take(r, l, bytes, m->size);
        }
    }
}

static void load_shared(const exec_mem *m, uint32_t lanes,
                        const uint8_t *shared, uint32_t (*r)[ISA_WARP])
{
    if (lanes == m->mask && m->size == 4) {
        LANES(l) memcpy(&r[0][l], shared + m->addr[l], 4);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        take(r, l, shared + m->addr[l], m->size);
    }
}

static uint8_t *local_byte(const exec_warp *w, uint64_t offset, unsigned lane)
{
    return w->local + (offset / 4 * ISA_WARP + lane) * 4 + offset % 4;
}

/* True if all lanes access the same words: rows of the interleaved memory. */
static bool same_row(const exec_mem *m, uint32_t lanes)
{
    uint64_t bits = 0;

    if (m->size < 4 || lanes != m->mask)
        return false;
    LANES(l) bits |= m->addr[l] ^ m->addr[0];
    return !bits;
}

static void load_local(const exec_warp *w, const exec_mem *m, uint32_t lanes,
                       uint32_t (*r)[ISA_WARP])
{
    if (same_row(m, lanes)) {
        memcpy(r, local_byte(w, m->addr[0], 0), m->size * ISA_WARP);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (m->size < 4)
            take(r, l, local_byte(w, m->addr[l], l), m->size);
        else
            for (unsigned k = 0; k < m->size / 4; k++)
                memcpy(&r[k][l], local_byte(w, m->addr[l] + 4 * k, l), 4);
    }
}

static void load(exec_warp *w, const exec_mem *m,
                 const uint32_t space[EXEC_SPACES], const mem_view *view)
{
    unsigned words = (m->size + 3) / 4, size = ISA_GET(m->in, SIZE);
    uint32_t r[4][ISA_WARP];
    uint32_t lanes =
        space[EXEC_GLOBAL] | space[EXEC_SHARED] | space[EXEC_LOCAL];

    if (m->in->dst == ISA_RZ)
        return;
    if (lanes != UINT32_MAX)
        memset(r, 0, words * sizeof *r);
    if (space[EXEC_GLOBAL])
        load_global(m, space[EXEC_GLOBAL], view, r);
    if (space[EXEC_SHARED])
        load_shared(m, space[EXEC_SHARED], w->cta->shared, r);
    if (space[EXEC_LOCAL])
        load_local(w, m, space[EXEC_LOCAL], r);
    if (m->size < 4)
        LANES(l) r[0][l] = sem_widen(size, r[0][l]);
    for (unsigned k = 0; k < words; k++)
        sem_store(w, m->in->dst + k, r[k], lanes);
}

/* ---- stores ---- */

static inline void give(uint8_t *to, const exec_mem *m, unsigned lane)
{
    if (m->size < 4)
        memcpy(to, &m->data[0][lane], m->size);
    else
        for (unsigned k = 0; k < m->size / 4; k++)
            memcpy(to + 4 * k, &m->data[k][lane], 4);
}

/* Lanes that follow each other within a line are written together; where
 * lanes write the same byte the highest one wins. */
static void store_global(const exec_mem *m, uint32_t lanes, mem_view *view)
{
    uint8_t run[MEM_LINE];
    uint64_t start = 0;
    unsigned length = 0;

    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint64_t addr = m->addr[l];

        if (length && (addr != start + length || addr % MEM_LINE == 0)) {
            mem_view_write(view, start, run, length);
            length = 0;
        }
        if (!length)
            start = addr;
        give(run + length, m, l);
        length += m->size;
    }
    mem_view_write(view, start, run, length);
}

static void store(exec_warp *w, const exec_mem *m,
                  const uint32_t space[EXEC_SPACES], mem_view *view)
{
    uint32_t local = space[EXEC_LOCAL];

    if (space[EXEC_GLOBAL])
        store_global(m, space[EXEC_GLOBAL], view);
    for (uint32_t left = space[EXEC_SHARED]; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        give(w->cta->shared + m->addr[l], m, l);
    }
    if (local == UINT32_MAX && same_row(m, local)) {
        memcpy(local_byte(w, m->addr[0], 0), m->data, m->size * ISA_WARP);
        return;
    }
    for (uint32_t left = local; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (m->size < 4)
            give(local_byte(w, m->addr[l], l), m, l);
        else
            for (unsigned k = 0; k < m->size / 4; k++)
                memcpy(local_byte(w, m->addr[l] + 4 * k, l), &m->data[k][l], 4);
    }
}

/* ---- atomics ---- */

static void atomic_shared(exec_warp *w, const exec_mem *m, uint32_t lanes)
{
    mem_atom a;

    exec_atom_pack(m, lanes, &a);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint8_t *at = w->cta->shared + m->addr[l];
        uint64_t now;

        a.old[l] = 0;
        memcpy(&a.old[l], at, m->size);
        now = exec_atom_apply(a.op, a.type, a.old[l], a.a[l], a.b[l], false);
        memcpy(at, &now, m->size);
    }
    exec_atom_unpack(w, m->in, &a);
}

static void atomic(exec_warp *w, const exec_mem *m,
                   const uint32_t space[EXEC_SPACES], mem_view *view)
{
    if (space[EXEC_SHARED])
        atomic_shared(w, m, space[EXEC_SHARED]);
    if (space[EXEC_GLOBAL]) {
        mem_atom a;

        exec_atom_pack(m, space[EXEC_GLOBAL], &a);
        exec_atom_perform(&a, view);
        exec_atom_unpack(w, m->in, &a);
    }
}

bool sem_perform(exec_warp *w, const exec_mem *m, unsigned spaces,
                 mem_view *view, exec_fault *fault)
{
    uint32_t space[EXEC_SPACES];
    unsigned flags = m->in->flags;

    for (unsigned k = 0; k < EXEC_SPACES; k++)
        space[k] = spaces >> k & 1 ? m->space[k] : 0;
    if (!(flags & (ISA_F_LOAD | ISA_F_STORE)))
        return true; /* a prefetch */
    if (!check(w, m, space, view, fault))
        return false;
    if (flags & ISA_F_ATOMIC)
        atomic(w, m, space, view);
    else if (flags & ISA_F_LOAD)
        load(w, m, space, view);
    else
        store(w, m, space, view);
    return true;
}
