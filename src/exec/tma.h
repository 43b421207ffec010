/* src/exec/tma.h - bulk copies, the work of Hopper's tensor memory accelerator
 * [PTX85:cp.async.bulk] [PTX85:cp.async.bulk.tensor]: what one lane asks for,
 * and its effects on memory. When they happen is up to the caller; without
 * timing it is at once.
 *
 * Between the two memories lies an image of the box, as it would be in shared
 * memory without swizzle: dimension 0 fastest, no gaps. */
#ifndef EXEC_TMA_H
#define EXEC_TMA_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "mem/tensor_map.h"

typedef enum exec_tma_kind {
    TMA_LOAD,     /* global to shared memory */
    TMA_STORE,    /* and back */
    TMA_REDUCE,   /* shared memory into global memory */
    TMA_COPY,     /* shared memory to that of a CTA of the cluster */
    TMA_COMBINE,  /* or into it */
    TMA_PREFETCH, /* into the L2 */
    TMA_MAP,      /* a tensor map into the cache of those */
} exec_tma_kind;

enum { TMA_ALIGN = 16, TMA_ALIGN_TENSOR = 128 };

/* Rows of exec_mem.data of such an instruction; what comes behind the last two
 * is in `extra`. */
enum {
    TMA_W_SHARED,   /* addresses in shared memory: of the data, */
    TMA_W_MBARRIER, /* of the mbarrier */
    TMA_W_FIRST,    /* bytes, or up to four coordinates */
    TMA_W_MORE = 6, /* the third operand, see isa.def */
};

/* What a lane asks for, checked. Plain data but for `data`. */
typedef struct exec_tma {
    exec_tma_kind kind;
    bool tensor;        /* by `map`, else `bytes` from `global` on */
    uint8_t op, type;   /* of reductions: isa_atom, isa_atype */
    uint16_t ranks;     /* CTAs that it writes to, by rank; TMA_LOAD and
                           TMA_COPY */
    uint64_t global;    /* not tensor: where it begins there */
    uint64_t map_at;    /* tensor: generic address of the map */
    uint32_t shared;    /* offset in shared memory: of the source, or in all
                           CTAs that it writes to */
    uint32_t from;      /* TMA_COPY, TMA_COMBINE: of the source */
    uint32_t bytes;     /* of the box */
    uint32_t mbarrier;  /* offset in all CTAs that it writes to */
    int32_t at[5];      /* tensor: coordinates of the first position */
    uint16_t offset[3]; /* im2col: added to those of the pixels */
    tensor_map map;
    exec_fault place; /* of the lane, for what goes wrong later */
    uint8_t *data;    /* the image of the box; NULL: not yet read. From
                         the heap, the caller's to free */
} exec_tma;

/* What lane `lane` of `m`, the access of such an instruction, asks for. False:
 * *fault is filled. */
bool exec_tma_begin(const exec_warp *w, const exec_mem *m, unsigned lane,
                    const mem_view *view, exec_tma *t, exec_fault *fault);

/* ---- a box, run by run ---- */

typedef struct exec_tma_run {
    uint64_t global; /* address, if it is inside */
    uint32_t offset; /* in the image of the box */
    uint32_t bytes;
    bool inside; /* of the tensor */
} exec_tma_run;

typedef struct exec_tma_walk {
    uint32_t row[5];  /* im2col: the pixel in [1] */
    int64_t pixel[5]; /* im2col: its coordinates */
    uint32_t column;  /* positions done of the row */
    uint32_t offset;
    bool ends;
} exec_tma_walk;

exec_tma_walk exec_tma_walk_of(const exec_tma *t);
/* The next bytes that follow each other in both; false: there are none. */
bool exec_tma_next(const exec_tma *t, exec_tma_walk *k, exec_tma_run *run);

/* ---- effects ---- */

/* The image of the box, from global memory (TMA_LOAD) or from the shared
 * memory of `c`, whose warp asked. */
void exec_tma_fetch(exec_tma *t, const mem_view *view);
void exec_tma_take(exec_tma *t, const exec_cta *c);
/* From there to global memory; TMA_REDUCE: element by element into it. */
void exec_tma_put(const exec_tma *t, mem_view *view);
/* To the shared memory of `c`, and completes its bytes at the mbarrier there;
 * NULL: that CTA has ended. False: *fault is filled. */
bool exec_tma_place(const exec_tma *t, exec_cta *c, exec_fault *fault);

/* What goes wrong at the CTA of that rank: of kind FAULT_CGA_EXITED, or its
 * mbarrier is none. */
exec_fault exec_tma_failed(const exec_tma *t, enum exec_fault_kind kind,
                           unsigned rank);

/* All of that at once, for the lanes of `m`. */
bool exec_tma_at_once(exec_warp *w, const exec_mem *m, mem_view *view,
                      exec_fault *fault);

#endif
