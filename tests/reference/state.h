/* tests/reference/state.h - the machine of the reference: threads, their
 * frames and registers, memory; and what reads and writes operands.
 * Everything of a launch lives in its arena. */
#ifndef REFERENCE_STATE_H
#define REFERENCE_STATE_H

#include "base/arena.h"
#include "base/map.h"
#include "hardware/number.h"
#include "reference/ref.h"

typedef unsigned __int128 ref_bits; /* contents of any register */
typedef __int128 ref_int;

typedef struct ref_range { /* of global memory */
    uint64_t addr, size;
    uint8_t *bytes;
} ref_range;

/* One activation of a function. Its .local and .param variables lie in the
 * local memory of the thread from `base`. */
typedef struct ref_frame {
    const ptx_func *f;
    struct ref_frame *up; /* the caller */
    const ptx_call *call; /* in the caller; NULL for a kernel */
    ref_bits *reg;
    bool *written; /* each register */
    uint32_t pc;
    uint32_t base, end;
} ref_frame;

typedef enum ref_wait {
    REF_RUNS,
    REF_AT_BARRIER, /* of the CTA */
    REF_AT_WARP,    /* shfl.sync and the like */
    REF_EXITED
} ref_wait;

typedef struct ref_cta ref_cta;

typedef struct ref_thread {
    ref_cta *cta;
    ref_frame *top;
    ref_wait wait;
    const ptx_inst *at; /* what it waits in */
    uint32_t index[3], number, lane, warp;
    bool carry; /* CC.CF */
    uint8_t *local;
    uint32_t local_room;
    /* Waiting in a warp: */
    uint32_t members; /* all ones of the forms without .sync */
    /* Waiting at a barrier: */
    uint32_t bar;   /* its number */
    uint32_t count; /* threads that take part; 0: all of the CTA */
    bool vote;      /* of a reduction */
} ref_thread;

enum { REF_BARRIERS = 16, REF_WARP = 32 };

struct ref_cta {
    ref *r;
    uint32_t id[3];
    uint32_t threads;
    ref_thread *t;
    uint8_t *shared;
    uint64_t shared_bytes;
    /* Who has arrived at each barrier, waiting or not. */
    bool *arrived[REF_BARRIERS + 1];     /* the last: of the cluster */
    uint32_t expected[REF_BARRIERS + 1]; /* threads; 0: all */
};

struct ref {
    const ptx_module *m;
    arena *mem;  /* module variables and tables */
    map *places; /* ptx_var -> its offset, in its space or its frame */
    map *frames; /* ptx_func -> bytes of its frame */
    ref_range *ranges;
    uint32_t nranges, room;
    uint8_t *constants;
    uint64_t const_bytes, global_bytes, shared_bytes;

    /* The launch. */
    arena *run;
    const ref_launch *l;
    const ptx_func *kernel;
    uint64_t steps;
    bool failed;
    char error[512];
};

/* ---- errors ---- */

/* Notes the first failure with the place in the PTX and the thread. */
void ref_fail(ref_thread *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The reference does not know this form. */
void ref_unknown(ref_thread *t, const ptx_inst *in);

/* ---- operands (operand.c) ---- */

ptx_type ref_type(const ptx_inst *in, unsigned n); /* the n-th, or the last */
bool ref_is_float(ptx_type t);
bool ref_is_signed(ptx_type t);
uint64_t ref_mask(unsigned bits); /* that many ones */
/* The value of the low bits of `v`, by the sign of the type. */
ref_int ref_value(ptx_type t, uint64_t v);

/* As many bits as `t` has, zeros above. */
uint64_t ref_get(ref_thread *t, const ptx_operand *o, ptx_type type);
ref_int ref_get_int(ref_thread *t, const ptx_operand *o, ptx_type type);
uint32_t ref_get_u32(ref_thread *t, const ptx_operand *o);
bool ref_get_pred(ref_thread *t, const ptx_operand *o);
ref_bits ref_get_all(ref_thread *t, const ptx_operand *o, ptx_type type);
/* Into a register that may be wider: extended by the sign of the type. */
void ref_put(ref_thread *t, const ptx_operand *o, ptx_type type, uint64_t v);
void ref_put_pred(ref_thread *t, const ptx_operand *o, bool v);
void ref_put_all(ref_thread *t, const ptx_operand *o, ref_bits v);
/* d or p of `d|p`; a plain operand has no second part (NULL). */
const ptx_operand *ref_part(const ptx_operand *o, unsigned n);

/* ---- memory (memory.c) ---- */

/* Bytes at an address, of `size` bytes and aligned so; NULL: it has failed.
 * *space is the space that it lies in. */
uint8_t *ref_bytes(ref_thread *t, ptx_space space, uint64_t addr, uint64_t size,
                   ptx_space *in);
/* Address of [base + imm], and its space. */
uint64_t ref_address(ref_thread *t, const ptx_operand *o, ptx_space *space);
/* Offset of a variable in its space. */
uint64_t ref_offset(ref_thread *t, const ptx_var *v);
uint64_t ref_to_generic(ptx_space space, uint64_t addr);

/* ---- floating point (float.c) ---- */

hw_type ref_float(ptx_type t); /* of one value; HW_NONE if it is none */
hw_round ref_round(const ptx_inst *in);
hw_number ref_unpack(ptx_type t, uint64_t v, bool ftz);
/* Both halves of a packed type, or the one value. */
uint64_t ref_sum(ptx_type t, uint64_t a, uint64_t b, bool ftz);

/* cvt to and from formats of 4, 6 and 8 bits; false: it is none (narrow.c). */
bool ref_narrow(ref_thread *t, const ptx_inst *in);

/* ---- calls and waiting ---- */

void ref_enter(ref_thread *t, const ptx_func *f, const ptx_call *call);
void ref_leave(ref_thread *t); /* ret; of a kernel: exit */
void ref_wait_warp(ref_thread *t, const ptx_inst *in, uint32_t members);
/* Lets threads go on whose partners are there; false: nobody. */
bool ref_release_warps(ref_cta *c);
bool ref_release_barriers(ref_cta *c);

/* What an instruction does; the pc stands behind it. */
typedef void ref_op(ref_thread *t, const ptx_inst *in);

#define REF_OP(op, fn) ref_op ref_##fn;
#include "reference/ops.def"
#undef REF_OP

#endif
