/* src/codegen/ir/pipe.h - which unit of a scheduler an instruction runs on, for
 * how long it occupies it, and in which banks its registers lie, as the
 * compiler assumes: derived from the parameters of a machine. Plain data. */
#ifndef CODEGEN_IR_PIPE_H
#define CODEGEN_IR_PIPE_H

#include <stdint.h>

#include "config/config.h"
#include "isa/isa.h"

/* Units by number; fma_heavy counts as fma. */
enum { CG_PIPES = CFG_UNIT_UNIFORM + 1 };

typedef struct cg_pipes { /* by class */
    uint8_t unit[ISA_CLASSES];
    /* Of the unit's time, all that a scheduler has of it, in 16ths of a cycle:
     * what several instances share, each does in part. */
    uint16_t busy[ISA_CLASSES];
} cg_pipes;

cg_pipes cg_pipes_of(const config *cfg);

typedef struct cg_banks {
    uint8_t count; /* of registers; 0: conflicts are not looked at */
    uint8_t ports; /* reads of a bank in a cycle */
    uint8_t cache; /* registers read last that are not read again */
    cfg_bank_map map;
} cg_banks;

enum { CG_BANKS_MAX = 4 };

/* Of machines that issue in pairs, and of those without operand collectors,
 * where conflicts hold up what comes behind. */
cg_banks cg_banks_of(const config *cfg);

unsigned cg_bank(const cg_banks *b, unsigned reg);

#endif
