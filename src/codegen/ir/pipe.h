/* src/codegen/ir/pipe.h - which unit of a scheduler an instruction runs on and
 * for how long it occupies it, as the compiler assumes: derived from the
 * parameters of a machine. Plain data. */
#ifndef CODEGEN_IR_PIPE_H
#define CODEGEN_IR_PIPE_H

#include <stdint.h>

#include "config/config.h"
#include "isa/isa.h"

enum { CG_PIPES = CFG_UNIT_TENSOR + 1 };

typedef struct cg_pipes { /* by class */
    uint8_t unit[ISA_CLASSES];
    /* Of the unit's time, all that a scheduler has of it, in 16ths of a cycle:
     * what several instances share, each does in part. */
    uint16_t busy[ISA_CLASSES];
} cg_pipes;

cg_pipes cg_pipes_of(const config *cfg);

#endif
