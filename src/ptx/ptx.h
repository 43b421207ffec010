/* src/ptx/ptx.h - the tree of a PTX module and what makes one from text.
 * Everything a ptx_module points to lives in the arena that was given to
 * ptx_parse, and so does a copy of every name; the source text is borrowed by
 * nothing after ptx_parse has returned.
 *
 * A module that ptx_parse returns has been checked: names are resolved to the
 * things they name, operand counts, modifiers and register sizes agree with
 * the manual. What the manual allows and the compiler cannot translate is the
 * compiler's to report. */
#ifndef PTX_PTX_H
#define PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"

/* ---- words of the language, each list from its .def --------------------- */

typedef enum ptx_op {
#define PTX_OP_ROW(id, ...) PTX_##id,
#include "ptx/ptx_op.def"
#undef PTX_OP_ROW
    PTX_OP_COUNT
} ptx_op;

typedef enum ptx_type {
    PTX_TYPE_NONE,
#define PTX_TYPE_ROW(id, text, bits, kind, lanes) PTX_TYPE_##id,
#include "ptx/ptx_type.def"
#undef PTX_TYPE_ROW
    PTX_TYPE_COUNT
} ptx_type;

typedef enum ptx_kind {
    PTX_KIND_NONE,
    PTX_KIND_UINT,
    PTX_KIND_SINT,
    PTX_KIND_BITS,
    PTX_KIND_FLOAT,
    PTX_KIND_PRED,
    PTX_KIND_OPAQUE, /* texref, samplerref, surfref */
    PTX_KIND_SMALL,  /* sub-byte and 8-bit formats of matrix instructions */
} ptx_kind;

/* The enumerations of modifiers each have a NONE that is 0. */
typedef enum ptx_round {
    PTX_ROUND_NONE,
#define PTX_ROUND_ROW(id, text) PTX_ROUND_##id,
#include "ptx/ptx_mod.def"
#undef PTX_ROUND_ROW
    PTX_ROUND_COUNT
} ptx_round;

typedef enum ptx_cmp {
    PTX_CMP_NONE,
#define PTX_CMP_ROW(id, text) PTX_CMP_##id,
#include "ptx/ptx_mod.def"
#undef PTX_CMP_ROW
    PTX_CMP_COUNT
} ptx_cmp;

typedef enum ptx_bool {
    PTX_BOOL_NONE,
#define PTX_BOOL_ROW(id, text) PTX_BOOL_##id,
#include "ptx/ptx_mod.def"
#undef PTX_BOOL_ROW
    PTX_BOOL_COUNT
} ptx_bool;

typedef enum ptx_half {
    PTX_HALF_NONE,
#define PTX_HALF_ROW(id, text) PTX_HALF_##id,
#include "ptx/ptx_mod.def"
#undef PTX_HALF_ROW
    PTX_HALF_COUNT
} ptx_half;

typedef enum ptx_space {
    PTX_SPACE_NONE, /* of an instruction: generic addressing */
#define PTX_SPACE_ROW(id, text) PTX_SPACE_##id,
#include "ptx/ptx_mod.def"
#undef PTX_SPACE_ROW
    PTX_SPACE_COUNT
} ptx_space;

typedef enum ptx_cache {
    PTX_CACHE_NONE,
#define PTX_CACHE_ROW(id, text) PTX_CACHE_##id,
#include "ptx/ptx_mod.def"
#undef PTX_CACHE_ROW
    PTX_CACHE_COUNT
} ptx_cache;

typedef enum ptx_order {
    PTX_ORDER_NONE,
#define PTX_ORDER_ROW(id, text) PTX_ORDER_##id,
#include "ptx/ptx_mod.def"
#undef PTX_ORDER_ROW
    PTX_ORDER_COUNT
} ptx_order;

typedef enum ptx_scope {
    PTX_SCOPE_NONE,
#define PTX_SCOPE_ROW(id, text) PTX_SCOPE_##id,
#include "ptx/ptx_mod.def"
#undef PTX_SCOPE_ROW
    PTX_SCOPE_COUNT
} ptx_scope;

typedef enum ptx_flag { /* bit numbers of ptx_inst.flags; see ptx_has */
#define PTX_FLAG_ROW(id, text) PTX_FLAG_##id,
#include "ptx/ptx_mod.def"
#undef PTX_FLAG_ROW
                        PTX_FLAG_COUNT
} ptx_flag;

typedef enum ptx_sub {
    PTX_SUB_NONE,
#define PTX_SUB_ROW(id, text) PTX_SUB_##id,
#include "ptx/ptx_mod.def"
#undef PTX_SUB_ROW
    PTX_SUB_OTHER, /* of wgmma, tcgen05 and the like: read ptx_inst.mods */
    PTX_SUB_COUNT
} ptx_sub;

typedef enum ptx_layout {
    PTX_LAYOUT_NONE,
    PTX_LAYOUT_ROW,
    PTX_LAYOUT_COL
} ptx_layout;

/* Special registers [PTX85:special-registers]. Vector ones are read by
 * component: %tid.y is PTX_SREG_TID with `sel` 1. */
typedef enum ptx_sreg {
    PTX_SREG_NONE,
#define PTX_SREG_ROW(id, text, bits, parts) PTX_SREG_##id,
#include "ptx/ptx_sreg.def"
#undef PTX_SREG_ROW
    PTX_SREG_COUNT
} ptx_sreg;

/* ---- places ------------------------------------------------------------- */

typedef struct ptx_place { /* in the PTX text, both from 1; 0: unknown */
    uint32_t line;
    uint32_t column;
} ptx_place;

typedef struct ptx_source { /* from .loc; file 0: none */
    uint32_t file;          /* number in .file */
    uint32_t line;
    uint32_t column;
} ptx_source;

/* ---- variables ---------------------------------------------------------- */

typedef struct ptx_func ptx_func;
typedef struct ptx_var ptx_var;

typedef enum ptx_linkage {
    PTX_LOCAL_SYMBOL,
    PTX_EXTERN,
    PTX_VISIBLE,
    PTX_WEAK,
    PTX_COMMON
} ptx_linkage;

/* The bytes [at, at + size) of the initialiser are
 * ((address of var or func) + addend) & mask, shifted right to bit 0. */
typedef struct ptx_reloc {
    uint64_t at;
    uint32_t size; /* bytes */
    bool generic;  /* generic(x): the generic address, else in its space */
    ptx_var *var;  /* one of var and func is set */
    ptx_func *func;
    int64_t addend;
    uint64_t mask; /* 0xff00(x); all ones without */
} ptx_reloc;

struct ptx_var {
    const char *name;
    ptx_type type;
    uint8_t vec; /* elements of .v2, .v4; 1 without */
    ptx_space space;
    ptx_linkage linkage;
    uint32_t align;  /* bytes: .align, else natural */
    bool has_align;  /* .align was written */
    bool unsized;    /* x[]: size counts nothing; given elsewhere */
    bool managed;    /* .attribute(.managed) */
    uint32_t ndims;  /* 0: not an array */
    uint64_t *dims;  /* 0: x[] */
    uint64_t size;   /* bytes; a predicate counts one */
    uint64_t number; /* position among params, rets, vars or globals */

    /* Initialiser: init_size bytes, zeros behind them. */
    bool has_init;
    uint64_t init_size;
    const uint8_t *init;
    uint32_t nrelocs;
    ptx_reloc *relocs;
    const char *opaque; /* { addr_mode_0 = ... } of a sampler, else NULL */

    /* .param .u64 .ptr .global .align 4 p */
    bool is_ptr;
    ptx_space ptr_space; /* NONE: generic */
    uint32_t ptr_align;  /* 0: not given */

    ptx_func *func; /* NULL: a variable of the module */
    uint32_t reg;   /* of a .reg parameter with a body; else PTX_NO_REG */
    ptx_place place;
};

#define PTX_NO_REG UINT32_MAX

/* ---- registers ---------------------------------------------------------- */

/* Virtual registers are scalar: `.reg .v2 .f32 v` makes v.x and v.y. A range
 * `.reg .b32 %r<9>` makes only the registers that the function uses. Names in
 * different scopes may repeat; numbers do not. */
typedef struct ptx_reg {
    const char *name;
    ptx_type type;
    ptx_place place; /* of its declaration */
} ptx_reg;

typedef struct ptx_regdecl { /* one name of a .reg line, for printing */
    const char *name;
    ptx_type type;
    uint8_t vec;
    bool range;
    uint32_t count; /* of a range */
    uint32_t scope;
    ptx_place place;
} ptx_regdecl;

/* ---- operands ----------------------------------------------------------- */

typedef enum ptx_operand_kind {
    PTX_OPD_NONE,
    PTX_OPD_REG,   /* reg; sel for video parts */
    PTX_OPD_IMM,   /* imm: 64-bit integer, already folded */
    PTX_OPD_FIMM,  /* imm: bits of `type`, F32 or F64 */
    PTX_OPD_VEC,   /* {elem, ...} */
    PTX_OPD_ADDR,  /* [base + imm]; base: reg, var, func or none, see below */
    PTX_OPD_SYM,   /* address of var or func, + imm */
    PTX_OPD_LABEL, /* label */
    PTX_OPD_SREG,  /* sreg, sel */
    PTX_OPD_PAIR,  /* d|p: elem[0], elem[1] */
    PTX_OPD_SINK,  /* _ */
    PTX_OPD_TABLE, /* table: .branchtargets of brx.idx */
} ptx_operand_kind;

typedef struct ptx_label ptx_label;
typedef struct ptx_table ptx_table;
typedef struct ptx_operand ptx_operand;

enum { PTX_SREG_WHOLE = 4 }; /* all components: mov.v4.u32 {...}, %tid */

/* Parts of a register that video instructions name: r.b0 .. r.b3, r.h0, r.h1;
 * packed selections such as .b3210 and .h10 stay in `part`. */
struct ptx_operand {
    uint8_t kind;     /* ptx_operand_kind */
    uint8_t type;     /* ptx_type: REG its declared one, FIMM its format,
                         SREG its width; else NONE */
    uint8_t sel;      /* SREG: 0..3 for .x .y .z .w, or PTX_SREG_WHOLE */
    uint8_t nelems;   /* VEC, PAIR; ADDR: coordinates behind the base */
    bool negated;     /* !p, or -r in vmad */
    bool is_unsigned; /* IMM: written with a U, or above INT64_MAX */
    uint32_t reg;     /* REG, ADDR: index into ptx_func.regs or PTX_NO_REG */
    int64_t imm;      /* IMM, FIMM; ADDR, SYM: bytes added */
    union {
        ptx_var *var; /* ADDR, SYM: base, NULL for none */
        ptx_label *label;
        ptx_table *table;
        ptx_sreg sreg;
    };
    ptx_func *func;     /* SYM: address of a function */
    ptx_operand *elems; /* VEC, PAIR; ADDR of tex, suld, bulk tensors:
                           [base, {elems}] or [base, sampler, {elems}] with
                           each as one operand */
    const char *part;   /* "b0", "h10" of a video operand, else NULL */
    ptx_place place;
    uint32_t length; /* characters in the text */
};

/* ---- instructions ------------------------------------------------------- */

typedef struct ptx_call {
    ptx_func *func;     /* NULL: indirect, through `target` */
    ptx_operand target; /* REG */
    uint32_t nrets;
    ptx_operand *rets; /* REG, SYM of .param variables, or SINK */
    uint32_t nargs;
    ptx_operand *args;  /* REG, SYM of .param variables, IMM, FIMM */
    ptx_func *proto;    /* of .callprototype, else NULL */
    ptx_table *targets; /* of .calltargets, else NULL */
} ptx_call;

#define PTX_MAX_TYPES 4
#define PTX_MAX_SUBS  6

typedef struct ptx_inst {
    ptx_op op;
    bool guarded;
    bool guard_negated;
    uint32_t guard; /* register of @p, index into ptx_func.regs */

    /* Modifiers, in typed fields and as they were written: ".global.v2.f32" */
    const char *mods;
    uint64_t flags; /* bits ptx_flag */
    uint8_t ntypes;
    uint8_t types[PTX_MAX_TYPES]; /* ptx_type, in order */
    uint8_t nsubs;
    uint8_t subs[PTX_MAX_SUBS]; /* ptx_sub, in order */
    uint8_t round;              /* ptx_round */
    uint8_t cmp;                /* ptx_cmp */
    uint8_t boolop;             /* ptx_bool */
    uint8_t half;               /* ptx_half */
    uint8_t nspaces;
    uint8_t spaces[2];  /* ptx_space; NONE: generic */
    uint8_t cache;      /* ptx_cache */
    uint8_t order;      /* ptx_order */
    uint8_t scope;      /* ptx_scope */
    uint8_t vec;        /* .v2, .v4, .v8; 1 without */
    uint8_t num;        /* .x1, .x2, .x4 of ldmatrix; 0 without */
    uint8_t layouts[2]; /* ptx_layout: .row.col */
    uint16_t m, n, k;   /* .m16n8k16; 0 without */

    uint8_t nops; /* destinations first, as written; none for CALL */
    ptx_operand *ops;
    ptx_call *call; /* CALL only */

    ptx_place place;   /* of the opcode */
    ptx_source source; /* the last .loc before it */
} ptx_inst;

/* ---- bodies ------------------------------------------------------------- */

struct ptx_label {
    const char *name;
    uint32_t inst; /* the instruction behind it; ninsts at the end */
    uint32_t scope;
    ptx_place place;
};

struct ptx_table { /* L: .branchtargets a, b;  L: .calltargets f, g; */
    const char *name;
    bool calls;
    uint32_t count;
    ptx_label **labels; /* branch targets */
    ptx_func **funcs;   /* call targets */
    ptx_place place;
};

/* The body as written, with its nested scopes, for the printer. */
typedef enum ptx_item_kind {
    PTX_ITEM_INST,   /* index into insts */
    PTX_ITEM_LABEL,  /* index into labels */
    PTX_ITEM_REGS,   /* index into regdecls */
    PTX_ITEM_VAR,    /* index into vars */
    PTX_ITEM_OPEN,   /* { */
    PTX_ITEM_CLOSE,  /* } */
    PTX_ITEM_LOC,    /* text: the whole .loc line */
    PTX_ITEM_PRAGMA, /* text: the quoted string */
    PTX_ITEM_TABLE,  /* index into tables */
    PTX_ITEM_PROTO,  /* index into protos */
} ptx_item_kind;

typedef struct ptx_item {
    ptx_item_kind kind;
    uint32_t index;
    const char *text;
} ptx_item;

struct ptx_func {
    const char *name; /* of a .callprototype: its label */
    ptx_linkage linkage;
    bool entry;    /* .entry: a kernel */
    bool has_body; /* else a declaration only */
    bool skipped;  /* it has one, which is not in the tree: ptx_parse_some */
    bool taken;    /* its address is, somewhere */
    bool noreturn;
    bool noinline;   /* .noinline, or a pragma of that name */
    uint32_t number; /* position in ptx_module.funcs */
    ptx_place place;

    uint32_t nrets;
    ptx_var **rets; /* space PARAM, or REG in old code */
    uint32_t nparams;
    ptx_var **params;

    /* Performance directives; 0: not given. */
    uint32_t maxntid[3];
    uint32_t reqntid[3];
    uint32_t minnctapersm;
    uint32_t maxnctapersm;
    uint32_t maxnreg;
    uint32_t reqnctapercluster[3];
    uint32_t maxclusterrank;
    bool explicitcluster;
    uint32_t npragmas;
    const char **pragmas; /* between header and body */

    uint32_t nregs;
    ptx_reg *regs;
    uint32_t nvars;
    ptx_var **vars; /* .local .shared .param .const .global in any scope */
    uint32_t nlabels;
    ptx_label **labels;
    uint32_t ntables;
    ptx_table **tables;
    uint32_t nprotos;
    ptx_func **protos;
    uint32_t ninsts;
    ptx_inst *insts; /* the body, flat; branches go to ptx_label.inst */
    uint32_t nregdecls;
    ptx_regdecl *regdecls;
    uint32_t nitems;
    ptx_item *items;
    ptx_func *alias_of; /* .alias name, of; else NULL */
};

/* ---- modules ------------------------------------------------------------ */

typedef struct ptx_file { /* .file 1 "k.cu" */
    uint32_t number;
    const char *path;
} ptx_file;

/* Order of the declarations as written. */
typedef enum ptx_top_kind {
    PTX_TOP_VAR,
    PTX_TOP_EXTERN,    /* an .extern of a variable that is defined further on */
    PTX_TOP_PROTOTYPE, /* a function without its body */
    PTX_TOP_FUNC,
    PTX_TOP_ALIAS,
    PTX_TOP_PRAGMA,
    PTX_TOP_SECTION,
    PTX_TOP_FILE
} ptx_top_kind;

typedef struct ptx_top {
    ptx_top_kind kind;
    uint32_t index;   /* into globals, funcs or files */
    const char *text; /* PRAGMA, SECTION, FILE: as written */
} ptx_top;

typedef struct ptx_module {
    const char *file; /* of the PTX text */
    uint32_t version_major;
    uint32_t version_minor;
    const char *target;      /* "sm_70", "sm_90a" */
    uint32_t sm;             /* 70, 90 */
    const char *target_text; /* all of it: "sm_20, texmode_independent" */
    bool debug;              /* .target ... debug */
    bool texmode_independent;
    uint32_t address_size; /* 32 or 64 */
    uint32_t nfiles;
    ptx_file *files;
    uint32_t nglobals;
    ptx_var **globals;
    uint32_t nfuncs;
    ptx_func **funcs; /* entries and functions, each once */
    uint32_t ntops;
    ptx_top *tops;
} ptx_module;

/* ---- what can be done with them ----------------------------------------- */

/* Parses and checks. All errors of the text go to `dg`; on ST_OK there are
 * none and *out is the module, else *out is untouched (ST_PROGRAM). `text`
 * need not end in NUL and may be freed afterwards. */
status ptx_parse(const char *file, const char *text, size_t size, arena *a,
                 diag *dg, ptx_module **out);

/* The same, but of kernels only the bodies of those that `wanted` says yes to
 * are parsed; braces of the others are counted, and nothing else of them is
 * looked at: they are `skipped`. For texts of which little is needed, as a tree
 * takes many times the bytes of its text. */
status ptx_parse_some(const char *file, const char *text, size_t size, arena *a,
                      diag *dg, bool (*wanted)(void *arg, const char *kernel),
                      void *arg, ptx_module **out);

/* Appends the module as PTX that parses to an equal one. */
void ptx_print(const ptx_module *m, strbuf *to);

/* One instruction with its guard, without newline: for listings. */
void ptx_print_inst(const ptx_func *f, const ptx_inst *in, strbuf *to);

ptx_func *ptx_find_func(const ptx_module *m, const char *name); /* or NULL */
ptx_var *ptx_find_global(const ptx_module *m, const char *name);
const char *ptx_file_path(const ptx_module *m, uint32_t number); /* or NULL */

const char *ptx_op_text(ptx_op op);
const char *ptx_type_text(ptx_type t);
ptx_kind ptx_type_kind(ptx_type t);
unsigned ptx_type_bits(ptx_type t);  /* of the whole value */
unsigned ptx_type_bytes(ptx_type t); /* in memory; at least 1 */
unsigned ptx_type_lanes(ptx_type t); /* 2 of f16x2, else 1 */
bool ptx_type_is_int(ptx_type t);    /* UINT, SINT or BITS */
const char *ptx_space_text(ptx_space s);
const char *ptx_sreg_text(ptx_sreg r); /* with its % */
unsigned ptx_sreg_bits(ptx_sreg r);
unsigned ptx_sreg_parts(ptx_sreg r); /* 4: read by .x .y .z .w */
const char *ptx_cmp_text(ptx_cmp c);
const char *ptx_sub_text(ptx_sub s);

/* .shared::cta is .shared, .param::entry is .param; for switches. */
ptx_space ptx_space_base(ptx_space s);

static inline bool ptx_has(const ptx_inst *in, ptx_flag f)
{
    return in->flags >> f & 1;
}

bool ptx_has_sub(const ptx_inst *in, ptx_sub s);

static inline ptx_type ptx_type0(const ptx_inst *in)
{
    return (ptx_type)in->types[0];
}

#endif
