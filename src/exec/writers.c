#include "exec/writers.h"

#include <string.h>

#include "base/bits.h"

static unsigned atom_at(uint64_t addr, bool shared, uint64_t cta)
{
    uint64_t key = addr / 4 + (shared ? cta * 0x51ed27 + 1 : 0);

    return (unsigned)(key * 0x9e3779b97f4a7c15u >> 58);
}

void exec_writers_atom(exec_writers *w, const exec_writer *by, uint32_t changed,
                       const uint64_t addr[ISA_WARP])
{
    for (uint32_t left = changed; left; left &= left - 1) {
        unsigned l = bits_ctz32(left), bit = exec_writers_bit(addr[l]);
        exec_writer *e = &w->atom[atom_at(addr[l], by->shared, by->cta)];

        *e = *by;
        e->addr = addr[l];
        e->lane = (uint8_t)l;
        if (!by->shared)
            w->written[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

void exec_writers_atomic(exec_writers *to, const exec_warp *w,
                         const exec_mem *m, uint64_t when)
{
    uint32_t shared = m->changed & m->space[EXEC_SHARED];
    exec_writer by = {.when = when,
                      .cta = w->cta->number,
                      .pc = m->pc,
                      .warp = (uint8_t)w->index,
                      .taken = true};

    exec_writers_atom(to, &by, m->changed & ~shared, m->addr);
    by.shared = true;
    exec_writers_atom(to, &by, shared, m->addr);
}

void exec_writers_clear(exec_writers *w) { memset(w, 0, sizeof *w); }

/* Are some of `size` bytes at `addr`, of one line, in `bytes`? */
static bool has_bytes(const uint64_t bytes[2], uint64_t addr, unsigned size)
{
    unsigned at = (unsigned)(addr % MEM_LINE);

    return bytes[at / 64] >> at % 64 & bits_mask64(size);
}

const exec_writer *exec_writers_find(const exec_writers *w, uint64_t addr,
                                     unsigned size, bool shared, uint64_t cta)
{
    unsigned at = exec_writers_bit(addr) % WRITERS_LINES;
    const exec_writer *a = &w->atom[atom_at(addr, shared, cta)];
    const exec_writer *s = &w->line[at].is;

    if (!a->taken || a->addr != addr || a->shared != shared ||
        (shared && a->cta != cta))
        a = NULL;
    if (shared || !s->taken || s->addr != addr - addr % MEM_LINE ||
        !has_bytes(w->line[at].bytes, addr, size))
        s = NULL;
    return !a || (s && s->when > a->when) ? s : a;
}

bool exec_writers_may(const exec_writers *w, uint64_t addr)
{
    unsigned bit = exec_writers_bit(addr);

    return w->written[bit / 64] >> bit % 64 & 1;
}
