/* src/exec/mem.c - the second step of memory operations: checks, loads and
 * stores. Compiled once per level, see exec/sem/sem.h. */
#include "base/bits.h"
#include "exec/arrivals.h"
#include "exec/atom.h"
#include "exec/fault.h"
#include "exec/outside.h"
#include "exec/remote.h"
#include "exec/sem/sem.h"
#include "exec/services.h"
#include "exec/texture/texture.h"
#include "exec/tma.h"
#include "mem/touched.h"

/* ---- checks ---- */

static bool access_fault(const exec_warp *w, const exec_mem *m,
                         enum exec_fault_kind kind, unsigned lane,
                         exec_fault *fault)
{
    *fault = exec_fault_of(w, m, kind, lane);
    return false;
}

static bool check_global_lane(exec_warp *w, exec_mem *m, const mem_image *image,
                              unsigned lane, exec_fault *fault)
{
    uint64_t addr = m->addr[lane];

    if (addr % m->size)
        return access_fault(w, m, FAULT_MISALIGNED, lane, fault);
    return mem_valid(image, addr, m->size, &w->hint) ||
           exec_outside_global(w, m, image, lane, fault);
}

/* True if the executing lanes access consecutive places, lane l at
 * *first + l * size; *first is lane 0's, executing or not. */
static bool consecutive(const exec_mem *m, uint32_t lanes, uint64_t *first)
{
    unsigned some = bits_ctz32(lanes);
    uint64_t base = m->addr[some] - some * m->size, bits = 0;

    if (lanes == UINT32_MAX) {
        LANES(l) bits |= m->addr[l] ^ (base + l * m->size);
    } else {
        LANES(l)
        {
            uint64_t off = m->addr[l] ^ (base + l * m->size);
            bits |= lanes & exec_lane_bit[l] ? off : 0;
        }
    }
    *first = base;
    return !bits;
}

/* True if one look-up of a range covers the accesses of all lanes. */
static bool check_global_all(exec_warp *w, const exec_mem *m,
                             const mem_image *image)
{
    int64_t low = (int64_t)m->addr[0], high = low;
    uint64_t first, bits = 0;

    if (consecutive(m, m->mask, &first)) {
        unsigned from = bits_ctz32(m->mask), to = 32 - bits_clz32(m->mask);

        return first % m->size == 0 &&
               mem_valid(image, first + from * m->size, (to - from) * m->size,
                         &w->hint);
    }
    LANES(l)
    {
        int64_t addr = (int64_t)m->addr[l];
        low = addr < low ? addr : low;
        high = addr > high ? addr : high;
        bits |= m->addr[l];
    }
    return !(bits & (m->size - 1)) &&
           mem_valid(image, (uint64_t)low,
                     (uint64_t)high - (uint64_t)low + m->size, &w->hint);
}

bool sem_check(exec_warp *w, exec_mem *m, const mem_view *view,
               exec_fault *fault)
{
    const mem_image *image = mem_view_image(view);
    uint32_t lanes = m->space[EXEC_GLOBAL];

    if (!lanes || !(m->in->flags & (ISA_F_LOAD | ISA_F_STORE)))
        return true;
    /* Idle lanes repeat the address of another. */
    if (lanes == m->mask && check_global_all(w, m, image))
        return true;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (!check_global_lane(w, m, image, bits_ctz32(left), fault))
            return false;
    return true;
}

/* Shared or local memory: the bytes from 0 that the launch requested, and bytes
 * behind them that exist all the same, because space is handed out in units. Of
 * a size that goes by registers. */
typedef struct small {
    uint64_t bytes;
    uint32_t beyond;
    enum exec_fault_kind kind;
} small;

static small small_shared(const exec_launch *l)
{
    return (small){l->shared_bytes, l->shared_beyond, FAULT_SHARED_BOUNDS};
}

static small small_local(const exec_launch *l)
{
    return (small){exec_local_bytes(l), l->local_beyond, FAULT_LOCAL_BOUNDS};
}

static bool check_small_lane(const exec_warp *w, const exec_mem *m,
                             const small *s, uint64_t addr, unsigned lane,
                             exec_fault *fault)
{
    const exec_launch *l = w->cta->launch;
    uint64_t end = addr + m->size;
    bool odd = addr % m->size;

    if (!odd && end <= s->bytes)
        return true;
    if (!odd &&
        end <= s->bytes + (s->kind == FAULT_SHARED_BOUNDS ? l->shared_slack
                                                          : l->local_slack))
        return true;
    access_fault(w, m, odd ? FAULT_MISALIGNED : s->kind, lane, fault);
    fault->addr = addr;
    fault->reach = end > s->bytes ? end - s->bytes : 0;
    if (odd || !l->outside || end > s->bytes + s->beyond)
        return false;
    exec_outside_add(w, fault);
    return true;
}

static bool check_small(const exec_warp *w, const exec_mem *m, uint32_t lanes,
                        small s, exec_fault *fault)
{
    uint64_t bits = 0;
    int64_t high = 0;

    if (lanes == m->mask) {
        LANES(l)
        {
            int64_t addr = (int64_t)m->addr[l]; /* see addresses(): < 2^32 */
            bits |= m->addr[l];
            high = addr > high ? addr : high;
        }
        if (!(bits & (m->size - 1)) && (uint64_t)high + m->size <= s.bytes)
            return true;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (!check_small_lane(w, m, &s, m->addr[l], l, fault))
            return false;
    }
    return true;
}

/* Lanes in other CTAs: those that a caller performs himself are only checked.
 */
static __attribute__((noinline, cold)) bool
perform_remote(exec_warp *w, exec_mem *m, unsigned spaces, exec_fault *fault)
{
    if (!exec_remote_check(w, m, fault))
        return false;
    return !(spaces >> EXEC_REMOTE & 1) || exec_remote_at_once(w, m, fault);
}

/* Addresses of 32 bits that mapa made for the CTA itself, which has none of its
 * own in the window of its cluster: they become its offsets. False: there are
 * none. */
static __attribute__((noinline, cold)) bool
strip_rank(const exec_warp *w, exec_mem *m, uint32_t lanes)
{
    uint32_t all = lanes == m->mask ? UINT32_MAX : lanes; /* idle ones repeat */
    bool some = false;

    for (uint32_t left = all; left; left &= left - 1) {
        uint64_t *at = &m->addr[bits_ctz32(left)];

        if (*at >> EXEC_REMOTE_SHIFT != w->cta->rank + 1)
            continue;
        *at &= bits_mask64(EXEC_REMOTE_SHIFT);
        some = true;
    }
    return some;
}

static bool check_spaces(exec_warp *w, exec_mem *m,
                         const uint32_t space[EXEC_SPACES],
                         const mem_view *view, exec_fault *fault)
{
    const exec_launch *l = w->cta->launch;

    if (space[EXEC_LOCAL] && (m->in->flags & ISA_F_ATOMIC))
        return access_fault(w, m, FAULT_SPACE, bits_ctz32(space[EXEC_LOCAL]),
                            fault);
    if (space[EXEC_SHARED] &&
        !check_small(w, m, space[EXEC_SHARED], small_shared(l), fault) &&
        !(strip_rank(w, m, space[EXEC_SHARED]) &&
          check_small(w, m, space[EXEC_SHARED], small_shared(l), fault)))
        return false;
    if (space[EXEC_LOCAL] &&
        !check_small(w, m, space[EXEC_LOCAL], small_local(l), fault))
        return false;
    return !space[EXEC_GLOBAL] || sem_check(w, m, view, fault);
}

/* ---- loads ---- */

/* Bytes of one line after the other. */
static void read_lines(const mem_view *view, uint64_t addr, uint8_t *to,
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
static inline void take_lane_words(uint32_t (*r)[ISA_WARP], unsigned lane,
                                   const uint8_t *from, unsigned size)
{
    uint16_t half;

    switch (size) {
    case 1:
        r[0][lane] = *from;
        break;
    case 2:
        memcpy(&half, from, 2);
        r[0][lane] = half;
        break;
    default:
        for (unsigned k = 0; k < size / 4; k++)
            memcpy(&r[k][lane], from + 4 * k, 4);
    }
}

/* Lanes that follow each other, the first at `first`. */
static void load_run(const exec_mem *m, uint32_t lanes, uint64_t first,
                     const mem_view *view, uint32_t (*r)[ISA_WARP])
{
    uint8_t run[16 * ISA_WARP];
    unsigned size = m->size, from = bits_ctz32(lanes);
    unsigned to = ISA_WARP - bits_clz32(lanes);

    if (size == 4) {
        read_lines(view, first + 4 * from, (uint8_t *)(r[0] + from),
                   4 * (to - from));
        return;
    }
    read_lines(view, first + from * size, run + from * size,
               (to - from) * size);
    if (size == 16)
        for (unsigned l = from; l < to; l++)
            take_lane_words(r, l, run + 16 * l, 16);
    else if (size == 8)
        for (unsigned l = from; l < to; l++)
            take_lane_words(r, l, run + 8 * l, 8);
    else
        for (unsigned l = from; l < to; l++)
            take_lane_words(r, l, run + l * size, size);
}

/* The words of all lanes; several in a turn, as compilers do not unroll it. */
static inline void load_words(const exec_mem *m, const uint8_t *from,
                              uint64_t base, uint32_t *r)
{
    for (unsigned l = 0; l < ISA_WARP; l += 4) {
        memcpy(&r[l], from + (m->addr[l] - base), 4);
        memcpy(&r[l + 1], from + (m->addr[l + 1] - base), 4);
        memcpy(&r[l + 2], from + (m->addr[l + 2] - base), 4);
        memcpy(&r[l + 3], from + (m->addr[l + 3] - base), 4);
    }
}

/* From memory that nothing lies over. */
static void load_lanes(const exec_mem *m, uint32_t lanes, const uint8_t *image,
                       uint32_t (*r)[ISA_WARP])
{
#define LOAD(bytes)                                                            \
    for (uint32_t left = lanes; left; left &= left - 1) {                      \
        unsigned l = bits_ctz32(left);                                         \
                                                                               \
        take_lane_words(r, l, image + (m->addr[l] - MEM_BASE), bytes);         \
    }
    if (m->size == 4 && lanes == m->mask) {
        load_words(m, image, MEM_BASE, r[0]);
        return;
    }
    switch (m->size) {
    case 1:
        LOAD(1)
        break;
    case 2:
        LOAD(2)
        break;
    case 4:
        LOAD(4)
        break;
    case 8:
        LOAD(8)
        break;
    default:
        LOAD(16)
    }
#undef LOAD
}

static void load_global(const exec_mem *m, uint32_t lanes, const mem_view *view,
                        uint32_t (*r)[ISA_WARP])
{
    const uint8_t *image = mem_host(mem_view_image(view), MEM_BASE);
    uint64_t last = NEVER, first;
    bool clean = true;

    if (consecutive(m, lanes, &first)) {
        load_run(m, lanes, first, view, r);
        return;
    }
    if (mem_view_empty(view)) {
        load_lanes(m, lanes, image, r);
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
            take_lane_words(r, l, image + (m->addr[l] - MEM_BASE), m->size);
        } else {
            mem_view_read(view, m->addr[l], bytes, m->size);
            take_lane_words(r, l, bytes, m->size);
        }
    }
}

static void load_shared(const exec_mem *m, uint32_t lanes,
                        const uint8_t *shared, uint32_t (*r)[ISA_WARP])
{
    if (lanes == m->mask && m->size == 4) {
        load_words(m, shared, 0, r[0]);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        take_lane_words(r, l, shared + m->addr[l], m->size);
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
            take_lane_words(r, l, local_byte(w, m->addr[l], l), m->size);
        else
            for (unsigned k = 0; k < m->size / 4; k++)
                memcpy(&r[k][l], local_byte(w, m->addr[l] + 4 * k, l), 4);
    }
}

/* The predicate of MBTEST from upper halves of mbarriers. */
static void test_phase(exec_warp *w, const exec_mem *m, uint32_t lanes,
                       const uint32_t high[ISA_WARP])
{
    uint32_t over[ISA_WARP];
    unsigned p = m->in->pdst[0];

    LANES(l) over[l] = (high[l] ^ m->data[0][l]) >> 31;
    if (p != ISA_PT)
        w->pred[p] = (w->pred[p] & ~lanes) | (sem_lanes(over) & lanes);
}

static void load_spaces(exec_warp *w, const exec_mem *m,
                        const uint32_t space[EXEC_SPACES], const mem_view *view)
{
    unsigned words = (m->size + 3) / 4, size = ISA_GET(m->in, SIZE);
    uint32_t r[4][ISA_WARP];
    uint32_t lanes =
        space[EXEC_GLOBAL] | space[EXEC_SHARED] | space[EXEC_LOCAL];

    if (m->in->dst == ISA_RZ && m->in->op != ISA_MBTEST)
        return;
    if (lanes != UINT32_MAX)
        memset(r, 0, words * sizeof *r);
    if (space[EXEC_GLOBAL])
        load_global(m, space[EXEC_GLOBAL], view, r);
    if (space[EXEC_SHARED])
        load_shared(m, space[EXEC_SHARED], w->cta->shared, r);
    if (space[EXEC_LOCAL])
        load_local(w, m, space[EXEC_LOCAL], r);
    if (__builtin_expect(m->in->op == ISA_MBTEST, 0)) {
        test_phase(w, m, lanes, r[1]);
        return;
    }
    if (m->size < 4)
        LANES(l) r[0][l] = sem_widen(size, r[0][l]);
    for (unsigned k = 0; k < words; k++)
        sem_store(w, m->in->dst + k, r[k], lanes);
}

/* ---- stores ---- */

static inline void give_lane_words(uint8_t *to, const exec_mem *m,
                                   unsigned lane, unsigned size)
{
    uint32_t v[4] = {m->data[0][lane]};

    switch (size) {
    case 1:
        memcpy(to, v, 1);
        break;
    case 2:
        memcpy(to, v, 2);
        break;
    case 4:
        memcpy(to, v, 4);
        break;
    case 8:
        v[1] = m->data[1][lane];
        memcpy(to, v, 8);
        break;
    default:
        for (unsigned k = 1; k < 4; k++)
            v[k] = m->data[k][lane];
        memcpy(to, v, 16);
    }
}

/* Bytes of one line after the other. */
static void write_lines(mem_view *view, uint64_t addr, const uint8_t *from,
                        unsigned size)
{
    while (size) {
        unsigned room = MEM_LINE - (unsigned)(addr % MEM_LINE);
        unsigned n = size < room ? size : room;

        mem_view_write(view, addr, from, n);
        addr += n;
        from += n;
        size -= n;
    }
}

/* Lanes that follow each other within a line are written together; where
 * lanes write the same byte the highest one wins. */
static inline __attribute__((always_inline)) void
store_global(const exec_mem *m, uint32_t lanes, mem_view *view)
{
    uint8_t run[MEM_LINE];
    uint64_t start = 0, first;
    unsigned length = 0;

    if (m->size == 4 && lanes == UINT32_MAX && consecutive(m, lanes, &first)) {
        write_lines(view, first, (const uint8_t *)m->data[0], 4 * ISA_WARP);
        return;
    }
    if (mem_view_direct(view)) {
        uint8_t *image = mem_host(mem_view_image(view), MEM_BASE);
        mem_touched *t = mem_view_touched(view);

        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned l = bits_ctz32(left);

            give_lane_words(image + (m->addr[l] - MEM_BASE), m, l, m->size);
            if (__builtin_expect(t != NULL, 0))
                mem_touch(t, m->addr[l], m->size);
        }
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint64_t addr = m->addr[l];

        if (length && (addr != start + length || addr % MEM_LINE == 0)) {
            mem_view_write(view, start, run, length);
            length = 0;
        }
        if (!length)
            start = addr;
        give_lane_words(run + length, m, l, m->size);
        length += m->size;
    }
    mem_view_write(view, start, run, length);
}

static inline __attribute__((always_inline)) void
store_shared(const exec_mem *m, uint32_t lanes, uint8_t *shared)
{
    if (lanes == UINT32_MAX && m->size == 4) {
        LANES(l) memcpy(shared + m->addr[l], &m->data[0][l], 4);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        give_lane_words(shared + m->addr[l], m, l, m->size);
    }
}

static inline __attribute__((always_inline)) void
store(exec_warp *w, const exec_mem *m, const uint32_t space[EXEC_SPACES],
      mem_view *view)
{
    uint32_t local = space[EXEC_LOCAL];

    if (space[EXEC_GLOBAL])
        store_global(m, space[EXEC_GLOBAL], view);
    if (space[EXEC_SHARED])
        store_shared(m, space[EXEC_SHARED], w->cta->shared);
    if (local == UINT32_MAX && same_row(m, local)) {
        memcpy(local_byte(w, m->addr[0], 0), m->data, m->size * ISA_WARP);
        return;
    }
    for (uint32_t left = local; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (m->size < 4)
            give_lane_words(local_byte(w, m->addr[l], l), m, l, m->size);
        else
            for (unsigned k = 0; k < m->size / 4; k++)
                memcpy(local_byte(w, m->addr[l] + 4 * k, l), &m->data[k][l], 4);
    }
}

/* ---- atomics ---- */

static void note_arrival(exec_cta *c, uint64_t at, const mem_atom *a,
                         unsigned lane, const uint8_t after[8],
                         const exec_warp *w)
{
    uint64_t now;

    memcpy(&now, after, 8);
    exec_arrivals_note(c, (uint32_t)at, a->old[lane], now, a->a[lane], c->rank,
                       w->index);
}

static void atomic_shared(exec_warp *w, exec_mem *m, uint32_t lanes)
{
    mem_atom a;

    exec_atom_pack(m, lanes, &a);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint8_t *at = w->cta->shared + m->addr[l];
        uint8_t now[16];

        exec_atom_lane(&a, l, at, now, false);
        m->changed |= (uint32_t)(memcmp(at, now, m->size) != 0) << l;
        exec_atom_copy(at, now, m->size);
        if (__builtin_expect(exec_atom_arrives(a.op), 0))
            note_arrival(w->cta, m->addr[l], &a, l, now, w);
    }
    exec_atom_unpack(w, m->in, &a);
}

static void atomic(exec_warp *w, exec_mem *m, const uint32_t space[EXEC_SPACES],
                   mem_view *view)
{
    m->changed = 0;
    if (space[EXEC_SHARED])
        atomic_shared(w, m, space[EXEC_SHARED]);
    if (space[EXEC_GLOBAL]) {
        mem_atom a;

        exec_atom_pack(m, space[EXEC_GLOBAL], &a);
        exec_atom_perform(&a, view);
        m->changed |= a.changed;
        exec_atom_unpack(w, m->in, &a);
    }
}

/* ---- matrices and copies ---- */

/* Words that a row of 8 halves has: lane 4i + t has halves 2t, 2t + 1 of row
 * i, or, transposed, of column i. */
static void load_matrices(exec_warp *w, const exec_mem *m)
{
    bool transposed = ISA_GET(m->in, MATT);
    uint16_t tile[8][8];

    for (unsigned n = 0; n < 1u << ISA_GET(m->in, MATNUM); n++) {
        uint32_t r[ISA_WARP];

        memset(tile, 0, sizeof tile);
        for (unsigned i = 0; i < 8; i++)
            if (m->mask & exec_lane_bit[8 * n + i])
                memcpy(tile[i], w->cta->shared + m->addr[8 * n + i], 16);
        LANES(l)
        {
            unsigned i = l / 4, j = 2 * (l % 4);
            uint32_t low = transposed ? tile[j][i] : tile[i][j];
            uint32_t high = transposed ? tile[j + 1][i] : tile[i][j + 1];
            r[l] = low | high << 16;
        }
        if (m->in->dst != ISA_RZ)
            sem_store(w, m->in->dst + n, r, m->lanes);
    }
}

static void store_matrices(exec_warp *w, const exec_mem *m)
{
    bool transposed = ISA_GET(m->in, MATT);
    uint16_t tile[8][8];

    for (unsigned n = 0; n < 1u << ISA_GET(m->in, MATNUM); n++) {
        LANES(l)
        for (unsigned h = 0; h < 2; h++) {
            unsigned i = l / 4, j = 2 * (l % 4) + h;
            uint16_t v = (uint16_t)(m->data[n][l] >> 16 * h);
            *(transposed ? &tile[j][i] : &tile[i][j]) = v;
        }
        for (unsigned i = 0; i < 8; i++)
            if (m->mask & exec_lane_bit[8 * n + i])
                memcpy(w->cta->shared + m->addr[8 * n + i], tile[i], 16);
    }
}

/* LDGSTS: `bytes to read` of each lane, and zeros behind them. */
static void copy_lanes(exec_warp *w, const exec_mem *m, uint32_t lanes,
                       const mem_view *view)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left), n = m->data[1][l];
        uint8_t bytes[16] = {0};

        if (n)
            mem_view_read(view, m->addr[l], bytes, n < m->size ? n : m->size);
        memcpy(w->cta->shared + m->data[0][l], bytes, m->size);
    }
}

static bool check_copy(exec_warp *w, exec_mem *m, const mem_view *view,
                       exec_fault *fault)
{
    const small shared = small_shared(w->cta->launch);

    for (uint32_t left = m->lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (m->data[1][l] &&
            !check_global_lane(w, m, mem_view_image(view), l, fault))
            return false;
        if (!check_small_lane(w, m, &shared, m->data[0][l], l, fault))
            return false;
    }
    return true;
}

bool sem_perform(exec_warp *w, exec_mem *m, unsigned spaces, mem_view *view,
                 exec_fault *fault)
{
    uint32_t space[EXEC_SPACES];
    unsigned flags = m->in->flags;

    if (m->in->op == ISA_PRINT)
        return exec_services_print(w, m, view, fault);
    if (isa_is_bulk(m->in->op))
        return exec_tma_at_once(w, m, view, fault);
    for (unsigned k = 0; k < EXEC_SPACES; k++)
        space[k] = spaces >> k & 1 ? m->space[k] : 0;
    if (!(flags & (ISA_F_LOAD | ISA_F_STORE)))
        return true; /* a prefetch */
    if (exec_is_fetch(m->in))
        return texture_perform(w, m, space[EXEC_GLOBAL], view, fault);
    if (m->in->op == ISA_LDGSTS) {
        if (!check_copy(w, m, view, fault))
            return false;
        copy_lanes(w, m, m->lanes, view);
        return true;
    }
    if (!check_spaces(w, m, space, view, fault))
        return false;
    if (__builtin_expect(m->space[EXEC_REMOTE] != 0, 0) &&
        !perform_remote(w, m, spaces, fault))
        return false;
    if (flags & ISA_F_ATOMIC)
        atomic(w, m, space, view);
    else if (m->in->op == ISA_LDSM)
        load_matrices(w, m);
    else if (m->in->op == ISA_STSM)
        store_matrices(w, m);
    else if (flags & ISA_F_LOAD)
        load_spaces(w, m, space, view);
    else
        store(w, m, space, view);
    return true;
}

/* ---- by turns ---- */

static __attribute__((cold, noinline)) void
move_spaces(exec_warp *w, const exec_mem *m, const uint32_t space[EXEC_SPACES],
            mem_view *view)
{
    if (m->in->flags & ISA_F_LOAD)
        load_spaces(w, m, space, view);
    else
        store(w, m, space, view);
}

bool sem_begin(exec_warp *w, exec_mem *m, mem_view *view, exec_fault *fault)
{
    const uint32_t space[EXEC_SPACES] = {[EXEC_SHARED] = m->space[EXEC_SHARED]};

    if (m->in->op == ISA_LDGSTS) {
        if (!check_copy(w, m, view, fault))
            return false;
        copy_lanes(w, m, m->lanes & ~m->space[EXEC_GLOBAL], view);
        return true;
    }
    if (!check_spaces(w, m, m->space, view, fault) ||
        (m->space[EXEC_REMOTE] && !perform_remote(w, m, 0, fault)))
        return false;
    if (space[EXEC_SHARED])
        move_spaces(w, m, space, view);
    return true;
}

/* Word `k` of lanes' local memory, as an access of its own. */
static void part_word(exec_warp *w, const exec_mem *m, unsigned k,
                      uint32_t lanes, mem_view *view)
{
    const uint32_t space[EXEC_SPACES] = {[EXEC_LOCAL] = lanes};
    isa_inst in = *m->in;
    exec_mem one = *m;

    one.in = &in;
    one.size = m->size < 4 ? m->size : 4;
    one.mask = lanes;
    LANES(l) one.addr[l] += 4 * k;
    if (!(in.flags & ISA_F_LOAD))
        memcpy(one.data[0], m->data[k], sizeof one.data[0]);
    else if (in.dst != ISA_RZ)
        in.dst = (uint8_t)(in.dst + k);
    move_spaces(w, &one, space, view);
}

void sem_part(exec_warp *w, const exec_mem *m, enum exec_space kind,
              const uint32_t words[4], mem_view *view)
{
    const uint32_t space[EXEC_SPACES] = {[EXEC_GLOBAL] = words[0]};

    if (kind == EXEC_LOCAL) {
        for (unsigned k = 0; k < 4; k++)
            if (words[k])
                part_word(w, m, k, words[k], view);
    } else if (m->in->op == ISA_LDGSTS) {
        copy_lanes(w, m, words[0], view);
    } else {
        move_spaces(w, m, space, view);
    }
}
