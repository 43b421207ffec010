/* src/isa/operand.h - the operands of an operation, taken from its form.
 * Owns and borrows nothing. */
#ifndef ISA_OPERAND_H
#define ISA_OPERAND_H

#include <stdbool.h>

#include "isa/isa.h"

enum { ISA_OPERANDS_MAX = 9 };

typedef enum isa_operand_kind {
    OPND_DST,
    OPND_DST2,
    OPND_PDST,
    OPND_SRC,
    OPND_REG,
    OPND_PSRC,
    OPND_MEM,
    OPND_CMEM,
    OPND_NUM,
    OPND_BAR,
    OPND_CONV,
    OPND_SREG,
    OPND_TARGET,
} isa_operand_kind;

typedef enum isa_operand_width {
    OPND_W32,
    OPND_W64,
    OPND_WSIZE,
    OPND_WATYPE,
    OPND_WGEOM,
    OPND_WCHANNELS,
    OPND_WCHANNELS1,
    OPND_WCHANNELS2,
    OPND_WTEXA,
    OPND_WTEXB,
    OPND_WMATD, /* isa/tensor.h */
    OPND_WMATA,
    OPND_WMATB,
    OPND_WMATC,
} isa_operand_width;

typedef struct isa_operand {
    char letter;
    bool optional;
    bool uniform; /* '^': of the uniform registers or predicates */
    isa_operand_kind kind;
    unsigned index; /* into src, psrc or pdst */
    isa_operand_width width;
    const char *help;
} isa_operand;

/* The operands of `op` in printing order; their number. */
unsigned isa_operands(isa_op op, isa_operand out[ISA_OPERANDS_MAX]);

/* Registers that operand `o` of `in` takes: 1, 2 or 4. */
unsigned isa_operand_regs(const isa_inst *in, const isa_operand *o);

/* Bytes per lane of a value of the SIZE or ATYPE group of `in`, of its
 * coordinates or channels; 4 and 8 for operands of fixed width. */
unsigned isa_operand_bytes(const isa_inst *in, const isa_operand *o);

/* Registers of the coordinates of an isa_geom, and of a set of channels: 1, 2
 * or 4. */
unsigned isa_geom_regs(unsigned geom);
unsigned isa_channel_regs(unsigned channels);

/* What TEX.V, TLD4.V and TXD.V take: words of A and B; of them, coordinates
 * with the layer, and a level. */
typedef struct isa_texture_row {
    unsigned a, b, coordinates, level;
} isa_texture_row;
isa_texture_row isa_texture_rows(const isa_inst *in);

/* How an immediate of this source operand is to be read. */
typedef enum isa_imm { IMM_INT, IMM_INT64, IMM_F32, IMM_F64, IMM_HALF } isa_imm;
isa_imm isa_operand_imm(isa_op op, const isa_operand *o);

/* Source modifiers (SRC_*) the operand may carry. */
unsigned isa_operand_mods(isa_op op, const isa_operand *o);

/* True if an optional operand is left out in text. */
bool isa_operand_absent(const isa_inst *in, const isa_operand *o);

/* True for operations with a branch target, which is in val[0]. */
bool isa_has_target(isa_op op);

#endif
