/* src/replay/opcode.h - instructions of a trace as those of src/isa: the
 * vendor's name, and registers in the order in which NVBit finds them. Owns and
 * borrows nothing. */
#ifndef REPLAY_OPCODE_H
#define REPLAY_OPCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

enum {
    REPLAY_REGS = 32
}; /* registers that a line of a trace can name, each
      for results and sources */

/* What a line of a trace says of the instruction itself. */
typedef struct replay_words {
    const char *name; /* of the operation, with its modifiers */
    size_t name_size;
    uint8_t dst[REPLAY_REGS], src[REPLAY_REGS];
    unsigned dsts, srcs;
} replay_words;

/* What the replay of it does. */
typedef enum replay_act {
    REPLAY_COMPUTE, /* nothing but to take its time */
    REPLAY_ACCESS,  /* memory, where the trace has addresses */
    REPLAY_BARRIER, /* of the CTA */
    REPLAY_FENCE,
    REPLAY_COPIES, /* ends or awaits a group of LDGSTS */
    REPLAY_SLEEP,  /* for a time that is known */
    REPLAY_EXIT,
} replay_act;

replay_act replay_act_of(const isa_inst *in);

/* False: a trace does not have what its replay would need. */
bool replay_is_known(unsigned op);

/* The instruction for timing: class, registers, bytes. False: the name is not
 * known. */
bool replay_opcode(const replay_words *w, isa_inst *out);

#endif
