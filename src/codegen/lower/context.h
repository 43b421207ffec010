/* src/codegen/lower/context.h - what the files that translate PTX instructions
 * to operations share. A lower struct lives for one kernel; it borrows the
 * module. */
#ifndef CODEGEN_LOWER_CONTEXT_H
#define CODEGEN_LOWER_CONTEXT_H

#include "codegen/ir/build.h"
#include "codegen/lower/parts.h"

/* A .param variable of a function: in registers, a word each, unless its
 * address is taken; then on the stack. */
typedef struct lo_param {
    bool made;
    vreg *word; /* NULL: on the stack */
    uint32_t offset;
} lo_param;

typedef struct lo_frame { /* a function, or the kernel itself */
    const ptx_func *fn;
    struct lo_frame *up;
    vreg *reg;        /* of each ptx_reg, 0: not yet made */
    cg_block **block; /* by instruction: where a label stands */
    cg_block *back;   /* after a call; NULL: a kernel */
    lo_param *vars;   /* of fn->vars, for .param */
    lo_param *params; /* not for kernels */
    lo_param *rets;
    uint32_t *local_offset; /* of fn->vars, for .local */
    ptx_source first;       /* its first .loc */
    bool *address_taken;    /* of vars, then params, then rets */
    bool *read; /* by ptx_reg, see lower_tex.c; NULL: not yet worked out */
} lo_frame;

/* Words of which wide registers were made in the current block. */
enum { LO_JOINS = 64, LO_JOINED_WORDS = 4 };
typedef struct lo_joined {
    cg_src w[LO_JOINED_WORDS];
    unsigned words;
    vreg to;
} lo_joined;
typedef struct lo_joins {
    lo_joined of[LO_JOINS];
    unsigned count, next; /* which gives way when all are taken */
    const cg_block *block;
    const cg_inst *seen; /* the last operation whose result was looked at */
} lo_joins;

typedef struct lower {
    cg_build b; /* first, so that &l->b is where we are */
    cg_unit *u;
    lo_frame *fr;
    const ptx_inst *in;
    vreg carry;         /* of add.cc and the like; 0: none yet */
    uint32_t *param_at; /* offset of each kernel parameter in bank 0 */
    uint32_t param_bytes;
    uint32_t param_copy; /* of all of them in local memory, see lower_mem.c */
    bool param_copied;
    uint8_t param_maps; /* lo_only_map_params: 0 not asked, 1 no, 2 yes */
    map *shared_at;     /* ptx_var * -> offset + 1, shared variables used */
    isa_shared *shared; /* and their names */
    uint32_t shared_count, shared_room;
    uint32_t shared_bytes;
    uint32_t shared_least;  /* variables of a lesser alignment are not placed */
    uint32_t dynamic_align; /* of dynamic shared memory, 0 if there is none */
    const ptx_func *kernel;
    bool located; /* the kernel has .loc */
    lo_parts *parts;
    vreg link; /* of a function: where to return to */
    vreg top;  /* of the stack, where alloca moves it; 0: nowhere */
    /* Room in the frame of `scratch_of` for what services get. */
    const cg_func *scratch_of;
    uint32_t scratch_at, scratch_bytes;
    lo_joins joins;
} lower;

/* context.c */
/* Reports the current instruction as not supported; `why` may be NULL. */
void lo_unsupported(lower *l, const char *why);
/* A new part, at the end of l->parts. */
cg_func *lo_part_new(lower *l, const ptx_func *fn, const char *name);
/* The place of a shared variable, which it has from now on. */
uint32_t lo_shared_offset(lower *l, const ptx_var *v);
/* Where dynamic shared memory begins, aligned as its variables ask. */
uint32_t lo_dynamic_shared(const lower *l);
/* Ends of a piece of code that a false guard must jump over. */
typedef struct lo_skip {
    cg_block *join;
} lo_skip;
lo_skip lo_skip_begin(lower *l);
void lo_skip_end(lower *l, lo_skip s);

/* The instructions of l->fr, one after the other (lower_body.c). */
void lo_body(lower *l);
/* The first .loc of a function, file 0 if it has none. */
ptx_source lo_first_source(const ptx_func *fn);

/* d = the slow half of a division or root, called (lower_slow.c). False: it is
 * to stand where it is. `b` may be empty. */
bool lo_slow_call(lower *l, const ptx_inst *in, vreg d, cg_src a, cg_src b);
void lo_slow_body(lower *l, const ptx_inst *in); /* of the called function */
/* The operations themselves (lower_fdiv.c). */
cg_src lo_slow_result(lower *l, const ptx_inst *in, cg_src a, cg_src b);

/* operands (lower_opd.c) */
cg_src lo_src(lower *l, const ptx_operand *o, ptx_type t);
/* Operands 1 to 3, as far as there are, as sources. One after the other: an
 * argument list would leave the order, and so the numbers of registers that
 * are used before they are set, to the host's compiler. */
typedef struct lo_args {
    cg_src a, b, c;
} lo_args;
lo_args lo_sources(lower *l, const ptx_inst *in, ptx_type t);
cg_src lo_reg_src(lower *l, uint32_t ptx_reg_number);
cg_pred lo_pred(lower *l, const ptx_operand *o);
vreg lo_reg(lower *l, uint32_t number);
vreg lo_dst(lower *l, const ptx_operand *o);           /* 0 for a sink */
void lo_set(lower *l, const ptx_operand *d, cg_src s); /* d = s, any width */
void lo_set_pred(lower *l, const ptx_operand *d, cg_pred p);
unsigned lo_words(ptx_type t);
cg_src lo_ext(lower *l, cg_src s, ptx_type t);    /* 8 and 16 bits to 32 */
cg_src lo_symbol(lower *l, const ptx_operand *o); /* 64-bit address */
lo_param *lo_param_of(lower *l, const ptx_var *v);
uint32_t lo_local_offset(lower *l, const ptx_var *v);
/* Types of an instruction: t'th, the last one if there are fewer. */
ptx_type lo_type(const ptx_inst *in, unsigned t);
bool lo_signed(ptx_type t);
bool lo_is64(ptx_type t);
bool lo_is16(ptx_type t); /* 16 bits or less */

/* What translates one instruction; the names in lower_op.def. */
typedef void lo_fn(lower *l, const ptx_inst *in);
#define LOWER(op, fn) lo_fn lop_##fn;
#include "codegen/lower/lower_op.def"
#undef LOWER

/* The comparison of setp, set or vset. */
enum isa_cmp lo_compare(const ptx_inst *in);

/* The same for floating-point types. */
lo_fn lo_add_float, lo_mul_float, lo_fma_float, lo_abs_float, lo_neg_float,
    lo_minmax_float;

cg_src lo_fneg(cg_src s, unsigned bits); /* an immediate takes no modifier */
cg_src lo_fabs(cg_src s, unsigned bits);
bool lo_is_half(ptx_type t);              /* f16, bf16 and their pairs */
unsigned lo_rounding(const ptx_inst *in); /* isa_rnd */
/* Rounding, .ftz, .sat of a PTX instruction, into `to`. */
void lo_float_mods(const ptx_inst *in, cg_inst *to);
lo_fn lo_add_half, lo_mul_half, lo_fma_half, lo_minmax_half, lo_sign_half,
    lo_mufu_half;
cg_src lo_half_to_f32(lower *l, ptx_type t, cg_src s, bool upper);
cg_src lo_relu_half(lower *l, ptx_type t, cg_src s);   /* negative: zero */
cg_src lo_finite_half(lower *l, ptx_type t, cg_src s); /* no infinities */

/* division and roots */
cg_src lo_mulhi64(lower *l, bool is_signed, cg_src x, cg_src y);
cg_src lo_shl64(lower *l, cg_src x, cg_src n);
cg_src lo_shr64(lower *l, bool sign, cg_src x, cg_src n);
void lo_div_int(lower *l, const ptx_inst *in, bool want_rem);
void lo_div_float(lower *l, const ptx_inst *in);

/* memory */
typedef struct lo_addr {
    ptx_space space; /* base spaces only; NONE: generic */
    cg_src base;     /* 64 bits (word 0 is the address in a small space) */
    int32_t offset;
    lo_param *param; /* a parameter in registers, base unused */
    uint32_t param_bytes;
} lo_addr;
lo_addr lo_address(lower *l, const ptx_operand *o, ptx_space space);
cg_inst *lo_mem(lower *l, unsigned op, const lo_addr *a);
/* What an access says of how long caches are to keep its lines. */
void lo_keep(lower *l, const ptx_inst *in, cg_inst *to);
unsigned lo_load_op(ptx_space space); /* LDG, LDS, ... */
unsigned lo_store_op(ptx_space space);

/* matrices (lower_mma.c): operations of Volta and later */
enum { LO_VOLTA = 70 }; /* compute capability */
/* False, and reported, if the architecture has nothing of the kind; a warning,
 * once, if capability `since` is newer than it. */
bool lo_newer(lower *l, unsigned since);
/* Words of an operand: a register, or a vector of them; their number. */
enum { LO_WORDS = 16 };
unsigned lo_list(lower *l, const ptx_operand *o, cg_src w[LO_WORDS]);
void lo_set_list(lower *l, const ptx_operand *o, const cg_src *w, unsigned n);
/* n words, 1, 2 or 4, or an accumulator, in one register, which nobody may
 * write (lower_join.c). */
cg_src lo_join(lower *l, const cg_src *w, unsigned n);
bool lo_wmma_shape(lower *l, const ptx_inst *in); /* else reported */
void lo_wmma_load(lower *l, const ptx_inst *in);  /* lower_wmma.c */
void lo_wmma_store(lower *l, const ptx_inst *in);
/* The type of an accumulator of single precision does not show the type of the
 * factors: if a module multiplies bfloat16, all are for that. */
bool lo_wmma_bfloat(const lower *l);

/* Of a cluster, which is one CTA, and of an instruction without: the GPU. */
unsigned lo_scope(const ptx_inst *in); /* isa_scope */
void lo_cluster_barrier(lower *l, const ptx_inst *in);
/* st.async, red.async: `bytes` have come at the mbarrier of operand `at`,
 * behind the access, as requests to one SM keep their order. */
void lo_complete_tx(lower *l, const ptx_inst *in, unsigned at, unsigned bytes);
/* An address in shared::cluster, of 32 bits, becomes a generic one. */
void lo_cga_address(lower *l, lo_addr *a);
/* Is the generic address one that mapa gave of the CTA itself? */
vreg lo_is_own_cta(lower *l, cg_src s);

/* Bulk copies (lower_bulk.c): cp.async.bulk and its kin, and a tensor map that
 * is prefetched. */
lo_fn lo_bulk, lo_prefetch_map;

/* Do generic addresses of the parameters of `fn` lead to nothing but what takes
 * tensor maps? (map_params.c) */
bool lo_only_map_params(const ptx_func *fn);

/* calls (lower_call.c) */
void lo_lower_parts(lower *l);
void lo_begin_alloca(lower *l, const ptx_func *fn);

/* frames (lower_frame.c) */
lo_frame *lo_frame_new(lower *l, const ptx_func *fn, lo_frame *up);
/* The register that a parameter of `fr` in a register is. */
vreg lo_register_param(lower *l, lo_frame *fr, const ptx_var *v);
/* `fn` is being taken in already, or too much is. */
bool lo_is_open(const lo_frame *fr, const ptx_func *fn);
void lo_inline(lower *l, const ptx_func *fn, const ptx_call *call);
/* A parameter in registers or on the stack; its words. */
lo_param lo_param_new(lower *l, const ptx_var *v, bool on_stack);
lo_param lo_value_param(lower *l, const ptx_operand *o, const ptx_var *as);
cg_src lo_argument_word(lower *l, const lo_param *from, unsigned i);
void lo_copy_param(lower *l, const lo_param *to, const lo_param *from,
                   uint64_t size);
cg_src lo_frame_address(lower *l, int64_t offset); /* 64 bits, local */

/* lower_host.c: functions that the run-time performs. */
void lo_service(lower *l, const ptx_func *fn, const ptx_call *call);

/* True for a parameter of the kernel; *at is its place in CBANK_PARAM. */
bool lo_kernel_param(const lower *l, const ptx_var *v, uint32_t *at);
/* A value or vector of the instruction's type: its bytes, as one register, and
 * from one register. */
unsigned lo_access_bytes(const ptx_inst *in, const ptx_operand *value);
enum isa_size lo_access_size(unsigned bytes);
cg_src lo_gather(lower *l, const ptx_inst *in, const ptx_operand *value);
void lo_spread(lower *l, const ptx_inst *in, const ptx_operand *to, cg_src s);

#endif
