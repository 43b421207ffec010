/* src/sm/decode.h - what the timing model asks about each instruction of the
 * kernel, worked out once per launch. Owns its table, borrows the kernel. */
#ifndef SM_DECODE_H
#define SM_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "isa/program.h"

enum {
    INST_MEM = 1 << 0,     /* goes to the load/store unit */
    INST_LDC = 1 << 1,     /* constant bank with a register index */
    INST_CONST = 1 << 2,   /* has constant operands */
    INST_TIMED = 1 << 3,   /* reads a clock */
    INST_BRANCH = 1 << 4,  /* may set the program counter */
    INST_LATE = 1 << 5,    /* result comes at a cycle unknown at issue */
    INST_RESULT = 1 << 6,  /* writes a register or predicate */
    INST_COPY = 1 << 7,    /* global to shared memory: LDGSTS */
    INST_UNIFORM = 1 << 8, /* has uniform operands */
    INST_SECOND = 1 << 9,  /* writes registers in a second place */
};

enum { INST_READS = 12 };

typedef struct sm_inst {
    uint64_t touch[4]; /* registers read or written, a bit each */
    const isa_inst *in;
    uint16_t latency;         /* issue to issue of a dependent one */
    uint16_t interval;        /* of the unit's input */
    uint16_t flags;           /* INST_* */
    uint8_t unit;             /* cfg_unit */
    uint8_t preds;            /* predicates read or written, a bit each */
    uint8_t guard;            /* bits of the guard and of predicates written */
    uint8_t class;            /* isa_class */
    uint8_t group;            /* instructions fetched at once from here */
    uint8_t reads;            /* registers in `read` */
    uint8_t bank[INST_READS]; /* of each, before the warp's offset */

    uint8_t read[INST_READS]; /* distinct source registers */
    uint8_t kept;    /* the last so many of them a tensor core still holds from
                        the instruction before */
    uint16_t more;   /* of a matrix operation: steps of 256 products behind the
                        first, each counted as its lanes once more */
    uint64_t result; /* the registers it writes: bits of touch[dst / 64] */
    uint32_t constant[3]; /* bank << 16 | offset */
    uint8_t consts;       /* of them, those that are operands */
    uint64_t line;        /* address of the instruction cache line */
    bool texture;         /* reads through the texture unit */
    bool slow; /* too slow for control codes, or of unknown latency */
    /* Under sm.dual.codes: cycles to the warp's next issue, by itself and as
     * the second of a pair. */
    uint8_t alone, second;
    bool heads;     /* issues together with the next one if that is ready */
    bool refused;   /* its code asks for a pair that can never be */
    bool turn_ends; /* another warp's turn: a branch or the end of a line */
    bool opens;     /* the first of a group behind one word of codes */
    uint16_t shared_bytes; /* HGMMA: of its tiles, that this warp reads */
    uint8_t nest; /* Volta, SMs that share a front end: regions from a BSSY
                     to its BSYNC that it stands in, as the code leads */
} __attribute__((aligned(128))) sm_inst;

_Static_assert(offsetof(sm_inst, read) == 64, "first line: what issue needs");

typedef struct sm_decoded {
    sm_inst *inst;
    uint32_t count;
    uint32_t room;
} sm_decoded;

/* Fills `c` for a kernel whose code lies `base` bytes behind SM_CODE_BASE;
 * reuses its memory. */
void sm_decode_load(sm_decoded *c, const config *cfg, const isa_kernel *kernel,
                    isa_arch arch, uint64_t base);
void sm_decode_fini(sm_decoded *c);

#endif
