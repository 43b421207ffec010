/* src/isa/isa.h - the machine instruction set: one record per instruction.
 * Everything about operations comes from isa.def and its companions; this is
 * the only description of them. Owns nothing. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ISA_RZ = 255, /* reads zero, writes are dropped */
    ISA_PT = 7,   /* always true, writes are dropped */
    ISA_REGS_MAX = 255,
    ISA_PREDS = 7,     /* P0..P6 */
    ISA_WARP = 32,     /* lanes of a warp */
    ISA_BARRIERS = 16, /* convergence barriers B0..B15 (Volta and later) */
    /* Uniform registers UR0..UR62 and predicates UP0..UP6 (Ampere and later):
     * one value for the whole warp. URZ and UPT have the numbers of RZ and
     * PT. */
    ISA_UREGS = 63,
};

/* Families, the oldest first: up to Kepler and from Volta on they differ in
 * reconvergence, control codes, instruction bytes; those behind Volta have what
 * it has. */
typedef enum isa_arch {
    ARCH_FERMI,
    ARCH_KEPLER,
    ARCH_VOLTA,
    ARCH_AMPERE,
    ARCH_HOPPER
} isa_arch;
enum { ISA_ARCHS = 5 };

typedef enum isa_op {
#define INST(id, code, text, form, mods, class, flags, source) ISA_##id,
#include "isa/isa.def"
#undef INST
    ISA_COUNT
} isa_op;

/* Classes of instructions in timing. Unit, latency and issue interval of each
 * are parameters of the GPU (sm.op.<name>). */
typedef enum isa_class {
#define CLASS(id, name, help) ISA_CLASS_##id,
#include "isa/class.def"
#undef CLASS
    ISA_CLASSES
} isa_class;

/* Fixed properties of an operation. */
enum {
    ISA_F_LOAD = 1 << 0,   /* reads memory */
    ISA_F_STORE = 1 << 1,  /* writes memory */
    ISA_F_ATOMIC = 1 << 2, /* reads and writes memory indivisibly */
    ISA_F_GLOBAL = 1 << 3, /* address space of the access; generic ones */
    ISA_F_SHARED = 1 << 4, /*   have GLOBAL, SHARED and LOCAL set */
    ISA_F_LOCAL = 1 << 5,
    ISA_F_CONST = 1 << 6,   /* LDC: constant bank with a register index */
    ISA_F_BRANCH = 1 << 7,  /* may set the program counter */
    ISA_F_BARRIER = 1 << 8, /* CTA barrier */
    ISA_F_EXIT = 1 << 9,
    ISA_F_FENCE = 1 << 10,    /* orders memory accesses */
    ISA_F_CONVERGE = 1 << 11, /* changes the divergence state */
    ISA_F_CROSS = 1 << 12,    /* reads other lanes (shuffle, vote, match) */
    ISA_F_CLOCK = 1 << 13,    /* reads a clock: result depends on time */
    ISA_F_FLOAT = 1 << 14,    /* source modifiers mean float neg/abs */
    ISA_F_VARIABLE = 1 << 15, /* latency unknown at issue */
};

/* Modifier groups of isa_inst.mod, from isa/mod.def: field MOD_x of an
 * instruction is (mod >> MOD_x_SHIFT) & (2^MOD_x_WIDTH - 1). Groups that no
 * operation combines may overlap. */
enum {
#define MOD(id, shift, width, texts)                                           \
    MOD_##id##_SHIFT = (shift), MOD_##id##_WIDTH = (width),
#include "isa/mod.def"
#undef MOD
};
typedef enum isa_mod {
#define MOD(id, shift, width, texts) MOD_##id,
#include "isa/mod.def"
#undef MOD
    ISA_MODS
} isa_mod;

#define ISA_GET(in, group)                                                     \
    (((in)->mod >> MOD_##group##_SHIFT) & ((1u << MOD_##group##_WIDTH) - 1))
#define ISA_BITS(group)                                                        \
    (((1u << MOD_##group##_WIDTH) - 1) << MOD_##group##_SHIFT)
#define ISA_PUT(in, group, value)                                              \
    ((in)->mod = ((in)->mod & ~(((1u << MOD_##group##_WIDTH) - 1)              \
                                << MOD_##group##_SHIFT)) |                     \
                 ((uint32_t)(value) << MOD_##group##_SHIFT))

/* clang-format off */
/* Values of the groups; the order is that of the texts in mod.def. */
enum isa_rnd { RND_RN, RND_RM, RND_RP, RND_RZ };
enum isa_cmp { /* ISETP uses the first eight with T for NUM */
    CMP_F, CMP_LT, CMP_EQ, CMP_LE, CMP_GT, CMP_NE, CMP_GE, CMP_NUM,
    CMP_NAN, CMP_LTU, CMP_EQU, CMP_LEU, CMP_GTU, CMP_NEU, CMP_GEU, CMP_T
};
enum isa_bool { BOOL_AND, BOOL_OR, BOOL_XOR };
enum isa_itype { /* integer type of a conversion or shift */
    ITYPE_U32, ITYPE_S32, ITYPE_U8, ITYPE_S8, ITYPE_U16, ITYPE_S16,
    ITYPE_U64, ITYPE_S64
};
enum isa_size { /* access width of a memory operation */
    SIZE_32, SIZE_64, SIZE_128, SIZE_U8, SIZE_S8, SIZE_U16, SIZE_S16
};
enum { PFLEVEL_L2, PFLEVEL_L1, PFLEVEL_APPLY, PFLEVEL_DISCARD };
enum isa_cache { CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_NC };
enum isa_order { ORDER_WEAK, ORDER_VOLATILE, ORDER_RELAXED, ORDER_ACQUIRE,
                 ORDER_RELEASE, ORDER_ACQ_REL };
enum isa_proxy { PROXY_NONE, PROXY_ASYNC, PROXY_MBARRIER };
enum isa_scope { SCOPE_CTA, SCOPE_GPU, SCOPE_SYS };
enum isa_atom { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND,
                ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS, ATOM_ARRIVE, ATOM_DROP,
                ATOM_POPC_INC, ATOM_CAST, ATOM_ARRIVE80 };
enum isa_atype { ATYPE_U32, ATYPE_S32, ATYPE_U64, ATYPE_S64, ATYPE_F32,
                 ATYPE_F64, ATYPE_F16X2, ATYPE_BF16X2, ATYPE_F16, ATYPE_BF16,
                 ATYPE_B128 };
enum isa_mufu { MUFU_COS, MUFU_SIN, MUFU_EX2, MUFU_LG2, MUFU_RCP, MUFU_RSQ,
                MUFU_RCP64H, MUFU_RSQ64H, MUFU_SQRT, MUFU_TANH };
enum isa_rndi { RNDI_RN, RNDI_FLOOR, RNDI_CEIL, RNDI_TRUNC };
enum isa_shfl { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };
enum isa_vote { VOTE_ALL, VOTE_ANY, VOTE_EQ };
enum isa_prmt { PRMT_IDX, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR,
                PRMT_RC16 };
enum isa_redux { REDUX_SUM, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR,
                 REDUX_XOR, REDUX_FMIN, REDUX_FMAX };
enum isa_swz { SWZ_H1_H0, SWZ_H0_H0, SWZ_H1_H1, SWZ_F32 }; /* half pairs of a source */
enum isa_geom { GEOM_1D, GEOM_2D, GEOM_3D, GEOM_A1D, GEOM_A2D, GEOM_CUBE,
                GEOM_ACUBE };
enum isa_sbound { SBOUND_TRAP, SBOUND_CLAMP, SBOUND_ZERO };
enum isa_txquery {
    TXQ_WIDTH, TXQ_HEIGHT, TXQ_DEPTH, TXQ_CHANNEL_TYPE, TXQ_CHANNEL_ORDER,
    TXQ_NORMALIZED, TXQ_UNNORMALIZED, TXQ_FILTER, TXQ_ADDRESS_0,
    TXQ_ADDRESS_1, TXQ_ADDRESS_2, TXQ_SAMPLES, TXQ_LEVELS, TXQ_LAYERS,
    TXQ_LAYOUT, TXQ_KIND /* 1: an image, 2: a sampler alone */
};
enum isa_hfmt { HFMT_F16, HFMT_BF16 };
enum isa_f8fmt { F8FMT_E4M3, F8FMT_E5M2, F8FMT_E2M3, F8FMT_E3M2, F8FMT_E2M1,
                 F8FMT_UE8M0 };
enum isa_hform { HFORM_F16, HFORM_BF16, HFORM_TF32 };
enum isa_gform { GFORM_F16, GFORM_BF16, GFORM_TF32, GFORM_E4M3, GFORM_E5M2,
                 GFORM_S8, GFORM_U8, GFORM_B1 };
enum isa_tpath { TPATH_SG, TPATH_GS, TPATH_SS };
/* What an arrival at an mbarrier brings: arrivals and bytes, one, none, or as
 * many as a register says. */
enum isa_arrival { ARRIVAL_A1TR, ARRIVAL_A1T0, ARRIVAL_A0T1, ARRIVAL_A0TR,
                   ARRIVAL_A0TX, ARRIVAL_ART0 };
enum isa_iform { IFORM_S8, IFORM_U8, IFORM_S4, IFORM_U4 };
/* clang-format on */

/* Special registers, from isa/sreg.def (S2R, CS2R). */
typedef enum isa_sreg {
#define SREG(id, text, help) SR_##id,
#include "isa/sreg.def"
#undef SREG
    ISA_SREGS
} isa_sreg;

enum isa_src_kind {
    SRC_NONE,
    SRC_REG,   /* src[i] is the first register */
    SRC_IMM,   /* val[i]: 32 bits; for a 64-bit integer operand sign-extended,
                  for a double the upper half, for HALF operands both halves */
    SRC_CONST, /* val[i]: bank << 16 | byte offset; as wide as the operand */
    SRC_UREG,  /* src[i] is the first uniform register */
};
enum { SRC_NEG = 1, SRC_ABS = 2, SRC_NOT = 4 }; /* isa_inst.src_mod */
enum { PRED_NOT = 8 };                          /* added to a predicate */
enum { PRED_UNIFORM = 16 }; /* added to psrc[2] of PLOP3: a uniform one */

/* isa_inst.uaddr: what a uniform register adds to an address. Of an operation
 * with a second destination: 1 + that, 0 for none. */
enum {
    UADDR_REG = 0x7f, /* 1 + the register (a pair with .E); 0: none */
    UADDR_U32 = 0x80, /* with .E: source A is one register, without a sign */
};

/* Control information of one instruction (isa_inst.ctl). Volta and later:
 * stall, yield, barriers, reuse. Kepler: the 8-bit code in CTL_CODE. */
enum {
    CTL_STALL = 0,     /* 4 bits: cycles to the warp's next issue */
    CTL_YIELD = 4,     /* 1 bit */
    CTL_WRITE_BAR = 5, /* 3 bits, 7 = none */
    CTL_READ_BAR = 8,  /* 3 bits, 7 = none */
    CTL_WAIT = 11,     /* 6 bits, one per barrier */
    CTL_REUSE = 17,    /* 4 bits, one per source */
    CTL_CODE = 21,     /* 8 bits: Kepler scheduling code */
    CTL_HAS = 31,      /* 1 bit: set when control information was given */
};
/* Cycles that control codes wait for a result, at most: slower ones, and those
 * of unknown latency, are tracked by the machine. */
enum { CTL_COVERED = 15 };
#define CTL_NONE ((7u << CTL_WRITE_BAR) | (7u << CTL_READ_BAR))

/* One decoded instruction. The first part is what assembler, encoder and
 * compiler write; isa_finish derives the second from it. */
typedef struct isa_inst {
    uint16_t op;     /* isa_op */
    uint8_t guard;   /* predicate, PRED_NOT added if negated; ISA_PT */
    uint8_t dst;     /* first destination register, ISA_RZ if none */
    uint8_t pdst[2]; /* destination predicates, ISA_PT if none */
    uint8_t src[3];  /* registers of sources A, B, C; ISA_RZ if none */
    uint8_t src_kind[3];
    uint8_t src_mod[3];
    uint8_t psrc[3]; /* source predicates with PRED_NOT, ISA_PT if none */
    uint8_t lut;     /* LOP3/PLOP3 table, LEA shift, BAR number, Bn, sreg */
    uint8_t uaddr;   /* UADDR_* of memory operations, else 0 */
    uint32_t val[3]; /* per source; memory offset: val[0], signed 32 bits;
                        branch target: val[0], instruction index */
    uint32_t mod;    /* modifier groups */
    uint32_t ctl;    /* control information */
    uint32_t line;   /* source line, 0 unknown */
    uint16_t file;   /* of `line`: 1 is the program's first, 0 unknown */

    uint16_t flags;   /* ISA_F_* */
    uint8_t class;    /* isa_class */
    uint8_t dst_regs; /* registers written from dst on, 0 for RZ */
    uint8_t
        src_regs[3];   /* registers read from src[i] on, 0 if not a register */
    uint8_t pread;     /* bit mask of predicates read, guard included */
    uint8_t pwrite;    /* bit mask of predicates written */
    uint8_t bytes;     /* memory operations: bytes per lane */
    uint8_t udst_regs; /* uniform registers written from dst on */
    uint8_t usrc_regs[3]; /* and read from src[i] on */
    uint8_t upread;       /* likewise the uniform predicates */
    uint8_t upwrite;
    uint8_t dst2_regs; /* registers written from isa_second(in) on */
} isa_inst;

_Static_assert(sizeof(isa_inst) <= 64, "one cache line per instruction");

typedef unsigned __int128 isa_mod_set; /* a bit for each isa_mod */

typedef struct isa_desc {
    const char *id;
    uint16_t code;    /* never reused */
    const char *text; /* mnemonic, dots included */
    const char *form; /* operand order, see isa.def */
    isa_mod_set mods;
    uint8_t class;
    uint16_t flags;
    const char *source;
} isa_desc;

extern const isa_desc isa_table[ISA_COUNT];
extern const char *const isa_class_names[ISA_CLASSES];
extern const char *const isa_sreg_names[ISA_SREGS];

extern const char *const isa_class_helps[ISA_CLASSES];
extern const char *const isa_sreg_helps[ISA_SREGS];
extern const char *const isa_arch_names[ISA_ARCHS];

/* The modifier groups as data, for loops over all of them. */
typedef struct isa_mod_desc {
    const char *id;
    uint8_t shift, width;
    const char *texts; /* "A|B|C" */
} isa_mod_desc;

extern const isa_mod_desc isa_mod_table[ISA_MODS];

/* Text of a value, not NUL-terminated; NULL if the group has no such value. */
const char *isa_mod_text(isa_mod group, unsigned value, size_t *length);
unsigned isa_mod_get(const isa_inst *in, isa_mod group);
void isa_mod_put(isa_inst *in, isa_mod group, unsigned value);

/* An instruction with no operands: PT guard, RZ and PT everywhere. */
isa_inst isa_new(isa_op op);

/* Fills the derived part and brings the first part into its canonical form:
 * no value behind a register source, no register behind an immediate, an
 * optional source of RZ is SRC_NONE, memory sources are SRC_REG, control
 * information that was not given is CTL_NONE, no line has no file. Every
 * producer of instructions calls it once. */
void isa_finish(isa_inst *in);

/* NULL if well formed, else a text saying what is wrong (bad register
 * alignment, modifier the operation lacks, value out of range, ...). */
const char *isa_check(const isa_inst *in, isa_arch arch);

/* Does `op` ask for bulk copies (exec/tma.h)? */
static inline bool isa_is_bulk(unsigned op)
{
    return op >= ISA_UBLKCP && op <= ISA_UTMACCTL;
}

/* Is `op` of the uniform datapath: once for the warp, whatever lanes are
 * active, under a uniform guard? */
static inline bool isa_is_uniform(unsigned op)
{
    return op >= ISA_UMOV && op <= ISA_ULDC;
}

/* Is the guard of `in` a uniform predicate? Bulk copies have two kinds. */
static inline bool isa_guard_uniform(const isa_inst *in)
{
    return in->op >= ISA_UMOV && in->op <= ISA_UTMACCTL &&
           (in->op <= ISA_ULDC || in->src_kind[0] == SRC_UREG);
}

/* Does `in` read or write uniform registers or predicates? */
static inline bool isa_has_uniform(const isa_inst *in)
{
    return in->udst_regs || in->usrc_regs[0] || in->usrc_regs[1] ||
           in->usrc_regs[2] || in->upread || in->upwrite ||
           (in->uaddr & UADDR_REG && !in->dst2_regs);
}

/* The second destination, ISA_RZ if there is none. */
static inline unsigned isa_second(const isa_inst *in)
{
    return in->dst2_regs ? in->uaddr - 1u : ISA_RZ;
}

/* Compares this atomic operation before it stores? CAST, unlike CAS, gives 1 if
 * it has stored, else 0. */
static inline bool isa_atom_compares(unsigned op)
{
    return op == ATOM_CAS || op == ATOM_CAST;
}

/* Sources of `in` that can be other than registers at once: one, but for
 * shuffles by numbers and questions for spaces, as in the vendor's machine
 * code. */
unsigned isa_immediates(const isa_inst *in);

/* Is the uniform register of `in`, a copy, of the address that it copies to? */
static inline bool isa_is_to_shared(const isa_inst *in)
{
    return in->op == ISA_LDGSTS && ISA_GET(in, TOSHARED);
}

/* [R2.X4]: 1 for X4, 2 for X8, 3 for X16; 0: once. */
static inline unsigned isa_address_scale(const isa_inst *in)
{
    return in->flags & ISA_F_SHARED && !(in->flags & ISA_F_GLOBAL)
               ? ISA_GET(in, SCALE)
               : 0;
}

/* The uniform registers that an address takes: the first, and their number, 0
 * if there are none. */
unsigned isa_uaddr(const isa_inst *in, unsigned *regs);

/* Bytes of one instruction in instruction memory: 8 or 16. For Kepler every
 * eighth word is a control word; isa_address accounts for it. */
unsigned isa_bytes(isa_arch arch);
uint64_t isa_address(isa_arch arch, uint32_t index);

#endif
