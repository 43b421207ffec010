/* src/codegen/ir/ir.h - machine operations over virtual registers, in blocks.
 * The representation of the compiler from lowering to emission. A virtual
 * register is 1, 2 or 4 words or a predicate; operands name a register and the
 * first word within it, so that halves of a pair can be read and written alone.
 * The form is not SSA, but most words have one definition that dominates their
 * uses, which defuse.h finds. Everything lives in the arena of the function. */
#ifndef CODEGEN_IR_IR_H
#define CODEGEN_IR_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "codegen/ir/abi.h"
#include "codegen/ir/options.h"
#include "isa/isa.h"
#include "isa/program.h"

typedef uint32_t vreg; /* 0: none; reads zero or true */

enum {
    CG_FIRST = ISA_COUNT - 1,
#define CGOP(id, text, form) CG_##id,
#include "codegen/ir/pseudo.def"
#undef CGOP
    CG_OPS
};

typedef enum cg_class { CG_PRED, CG_W1, CG_W2, CG_W4 } cg_class;

typedef struct cg_reg {
    uint8_t cls;   /* cg_class */
    uint8_t words; /* 1 for a predicate */
    bool no_spill; /* made by spilling */
    bool fixed;    /* a register of the ABI: `phys` is given */
    bool same;     /* in all lanes, says cg_mark_uniform */
    uint16_t phys; /* first physical register, after allocation */
    uint32_t word; /* number of its first word */
} cg_reg;

typedef struct cg_src {
    uint8_t kind; /* isa_src_kind */
    uint8_t mod;  /* SRC_NEG and the like */
    uint8_t off;  /* first word within reg */
    vreg reg;     /* SRC_REG; 0 reads zero */
    int64_t val;  /* immediate, const operand, or offset of an address;
                     SRC_UREG: its first uniform register */
} cg_src;

typedef struct cg_pred { /* a predicate that is read */
    vreg reg;            /* 0: true */
    bool neg;
} cg_pred;

typedef struct cg_dst {
    vreg reg; /* 0: dropped */
    uint8_t off;
} cg_dst;

typedef struct cg_block cg_block;
typedef struct cg_inst cg_inst;

struct cg_inst {
    cg_inst *prev, *next;
    cg_block *block;
    uint16_t op; /* isa_op or CG_x */
    uint8_t lut;
    bool mark;    /* scratch of a pass */
    bool uniform; /* branches: all lanes agree */
    bool ordered; /* branches: lanes that fall through have to run first */
    bool fuse;    /* a product or sum that may become part of an FMA */
    cg_pred guard;
    cg_dst dst;
    uint8_t udst; /* 1 + the uniform register that is written; 0: none */
    vreg pdst[2];
    cg_src src[3];
    cg_pred psrc[3];
    uint32_t mod;     /* modifier groups of isa.h */
    uint32_t line;    /* source line: a number of cu_line, 0 unknown */
    uint32_t at;      /* position, see cg_number */
    cg_block *target; /* BRA, SSY, BSSY */
    cg_block **table; /* BRX: may go to these; their instruction numbers
                         stand in CBANK_CODE from src[0].val on */
    uint32_t table_size;
    uint32_t ctl;           /* control information, see isa.h */
    struct cg_func *callee; /* CALL */
};

struct cg_block {
    uint32_t id; /* position in cg_func.blocks */
    cg_inst *first, *last;
    cg_block *fall; /* where control goes that the last instruction leaves */
    bool apart; /* lanes of a warp may come here one after another, or some of
                   them only, say cg_mark_uniform and cg_reconverge */
    uint32_t depth; /* of loops around it */
    uint32_t limit; /* registers that a thread has there; 0: see cg_allocate */
    uint32_t mark;
};

/* Bank CBANK_CODE, of a kernel and all its functions. */
typedef struct cg_pool {
    uint8_t *bytes;
    uint32_t count, room;
} cg_pool;

/* Physical registers, a bit each. */
typedef struct cg_regset {
    uint64_t of[4];
} cg_regset;

typedef struct cg_func {
    arena *mem;
    const cg_options *opt;
    const char *name;
    cg_block **blocks; /* in layout order; [0] is the entry */
    uint32_t nblocks, room_blocks;
    cg_reg *regs; /* [0] is none */
    uint32_t nregs, room_regs;
    uint32_t nwords;        /* word 0 is none */
    const map *const_slots; /* offsets in CBANK_SYMBOL that hold addresses of
                               constants -> offsets in CBANK_USER; borrowed */
    cg_pool *pool;          /* shared by the functions of a kernel */
    vreg fixed[ABI_FIXED];  /* by physical register; 0: not yet made */
    bool is_function;       /* called; else the kernel itself */
    bool has_calls;
    bool keeps_nothing; /* of the registers; and has no frame */
    bool reads_shared;  /* with its callees, what other threads write: by
                           atomics, volatile and stronger loads */
    bool writes_shared; /* with its callees, what other threads may read */
    bool ready;         /* allocated: `clobbers` is valid */
    cg_regset clobbers; /* written, by its callees too; for callers */
    uint64_t pred_clobbers;
    uint32_t local_bytes; /* of variables; spills come behind */
    uint32_t spill_bytes;
    uint32_t frame_bytes; /* all of it, after cg_frame */
    uint32_t frame_align;
    bool dynamic_frame;        /* alloca */
    bool has_handle;           /* may be called through a register */
    uint8_t seen;              /* scratch of walks over the calls */
    uint32_t number;           /* among the functions of the kernel */
    uint32_t stack_bytes;      /* with its callees */
    uint32_t start;            /* its first instruction, after emission */
    uint32_t registers;        /* used, after allocation */
    uint32_t launch_registers; /* that a thread begins with, if it changes them:
                                  cg_find_regions; before: that it can begin
                                  with, 0 unknown */
    uint32_t barriers;
} cg_func;

/* ---- making ------------------------------------------------------------ */

cg_func *cg_func_new(arena *mem, const cg_options *opt, const char *name);
vreg cg_reg_new(cg_func *f, cg_class cls);
vreg cg_reg_fixed(cg_func *f, unsigned phys); /* see codegen/ir/abi.h */
cg_class cg_class_of_words(unsigned words);
cg_block *cg_block_new(cg_func *f); /* not yet in the layout */
void cg_block_append(cg_func *f, cg_block *b);
void cg_block_insert(cg_func *f, cg_block *b, cg_block *before);

cg_inst *cg_inst_new(cg_func *f, unsigned op);
cg_inst *cg_inst_copy(cg_func *f, const cg_inst *from);
void cg_append(cg_block *b, cg_inst *in);
void cg_insert_before(cg_inst *in, cg_inst *before);
void cg_insert_after(cg_inst *in, cg_inst *after);
void cg_remove(cg_inst *in);
/* What goes from the end of `b` to `from` goes to `to`. */
void cg_redirect(cg_block *b, const cg_block *from, cg_block *to);

/* Offset of 8 bytes in bank CBANK_CODE; equal values share one place. */
uint32_t cg_constant64(cg_func *f, uint64_t bits);
uint32_t cg_constant_table(cg_func *f, uint32_t bytes);

/* ---- operands ---------------------------------------------------------- */

static inline cg_src cg_zero(void) { return (cg_src){.kind = SRC_REG}; }
static inline cg_src cg_r(vreg v)
{
    return (cg_src){.kind = SRC_REG, .reg = v};
}
static inline cg_src cg_rw(vreg v, unsigned off)
{
    return (cg_src){.kind = SRC_REG, .reg = v, .off = (uint8_t)off};
}
static inline cg_src cg_imm(int64_t v)
{
    return v ? (cg_src){.kind = SRC_IMM, .val = v} : cg_zero();
}
static inline cg_src cg_const(unsigned bank, uint32_t offset)
{
    return (cg_src){.kind = SRC_CONST,
                    .val = (int64_t)((uint32_t)bank << 16 | offset)};
}
cg_src cg_word(cg_src s, unsigned i); /* word i of a wide operand */
static inline cg_src cg_neg(cg_src s)
{
    s.mod ^= SRC_NEG;
    return s;
}
static inline cg_pred cg_p(vreg p) { return (cg_pred){p, false}; }
static inline cg_pred cg_not(cg_pred p) { return (cg_pred){p.reg, !p.neg}; }
bool cg_src_same(const cg_src *a, const cg_src *b);

/* ---- queries ----------------------------------------------------------- */

const char *cg_op_text(unsigned op);
unsigned cg_flags(const cg_inst *in);     /* ISA_F_x; 0 of pseudo ones */
unsigned cg_dst_words(const cg_inst *in); /* 0 without destination */
unsigned cg_src_words(const cg_inst *in, unsigned i);
bool cg_has_src(const cg_inst *in, unsigned i);
unsigned cg_src_mods(unsigned op, unsigned i); /* SRC_x that it may carry */
bool cg_is_float_src(unsigned op, unsigned i);

/* True if the operand of an instruction of this kind may hold `s`, looking at
 * this operand alone (its value and width). */
bool cg_src_legal(const cg_inst *in, unsigned i, const cg_src *s);
/* The same, and at most one operand is not a register. */
bool cg_src_fits(const cg_inst *in, unsigned i, const cg_src *s);

static inline bool cg_is_call(const cg_inst *in)
{
    return in->op == ISA_CALL || in->op == ISA_CALLX;
}
/* TEX and TLD4: what they read does not change while the kernel runs. */
bool cg_is_fetch(const cg_inst *in);
bool cg_is_branch(const cg_inst *in);  /* ends its block */
bool cg_has_effect(const cg_inst *in); /* must stay, result used or not */
unsigned cg_successors(const cg_block *b, cg_block **out, unsigned room);

/* Numbers blocks and instructions (block.id, inst.at, ascending in layout
 * order); the count of instructions. */
uint32_t cg_number(cg_func *f);

static inline uint32_t cg_word_of(const cg_func *f, vreg v, unsigned off)
{
    return f->regs[v].word + off;
}

/* All blocks, an operation a line; `allocated`: with physical registers. */
void cg_print(const cg_func *f, bool allocated, strbuf *to);

#define CG_GET(in, group)        ISA_GET(in, group)
#define CG_PUT(in, group, value) ISA_PUT(in, group, value)

#define CG_EACH(in, b) for (cg_inst *in = (b)->first; in; in = in->next)
/* The loop may remove or replace `in`. */
#define CG_EACH_SAFE(in, b)                                                    \
    for (cg_inst *in = (b)->first, *in##_next = in ? in->next : 0; in;         \
         in = in##_next, in##_next = in ? in->next : 0)

#endif
