/* src/sm/memory/coalesce.h - how the lanes of one access become line
 * transactions and shared-memory passes. Pure functions of addresses. */
#ifndef SM_MEMORY_COALESCE_H
#define SM_MEMORY_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"

/* A warp touches at most this many lines: those of the texels that a texture
 * fetch of 32 lanes mixes. */
enum { COALESCE_MAX = EXEC_TAPS * ISA_WARP };

typedef struct sm_tx {
    uint64_t line;     /* address */
    uint64_t bytes[2]; /* stores: bit per byte written */
    uint32_t lanes;    /* whose first byte lies in it */
    uint8_t sectors;
} sm_tx;

typedef struct sm_txs {
    unsigned count;
    sm_tx tx[COALESCE_MAX];
} sm_txs;

/* Adds the accesses of `size` naturally aligned bytes by the lanes of `mask`;
 * transactions are in the order of their lowest lanes. */
void sm_coalesce(sm_txs *out, const uint64_t addr[ISA_WARP], uint32_t mask,
                 unsigned size);

/* Bytes that the transactions touch, each once. */
unsigned sm_coalesce_bytes(const sm_txs *x);

/* sm.lsu.perfect: as many transactions, of as many sectors, as those bytes need
 * if they stood side by side. The lines are some of those that the access
 * touches, others for those of its neighbours: accesses that go through the
 * same lines word by word go through as many lines together as without. `addr`
 * is that of the first lane, `size` the bytes of each. */
void sm_coalesce_perfectly(sm_txs *x, uint64_t addr, unsigned size);

/* Shared memory, as its passes depend on it. */
typedef struct sm_banks {
    unsigned count, width; /* bytes of each */
    bool pair;             /* sm.shared.pair, of a load */
} sm_banks;

/* Cycles that shared memory needs for the lanes of `mask`. Lanes that read the
 * same word of a bank share a cycle. Accesses wider than a bank go by halves or
 * quarters of the warp. With `pair`, data that two lanes share is returned to
 * both at once: by wholes or halves where all lanes n and n^1, or n and n^2,
 * have the same addresses [NVFORUM:77228]. */
unsigned sm_shared_passes(const uint64_t addr[ISA_WARP], uint32_t mask,
                          unsigned size, const sm_banks *of);

/* The passes of the access that an instruction made last. Loops mostly repeat
 * it shifted by a constant, which changes no conflict. */
typedef struct sm_pattern {
    uint32_t delta[ISA_WARP]; /* words, from the first lane */
    uint32_t mask;
    uint32_t passes; /* 0: nothing noted */
    uint32_t key;    /* of the instruction */
} sm_pattern;

/* sm_shared_passes through a note. */
unsigned sm_shared_passes_noted(sm_pattern *p, uint32_t key,
                                const uint64_t addr[ISA_WARP], uint32_t mask,
                                unsigned size, const sm_banks *of);

/* sm_shared_passes for atomics, where lanes that meet in a bank take turns. */
unsigned sm_shared_atomic_passes(const uint64_t addr[ISA_WARP], uint32_t mask,
                                 unsigned banks, unsigned width);

#endif
