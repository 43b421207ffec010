/* src/replay/inst_list.h - the instructions that a trace of a kernel names,
 * each once. A trace has no code, only what was executed; its instructions get
 * the places that their addresses give them, so that caches of instructions see
 * what they would see. Owns everything in it. */
#ifndef REPLAY_INST_LIST_H
#define REPLAY_INST_LIST_H

#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "isa/program.h"
#include "replay/opcode.h"

enum {
    REPLAY_PC_MOST = 1 << 22, /* bytes of code: no kernel has a quarter */
    REPLAY_VARIANTS = 1 << 18,
};

typedef struct replay_inst {
    isa_inst in;
    char *text;     /* what the lines have behind the mask, up to addresses */
    uint32_t pc;    /* as the trace has it */
    uint32_t place; /* in the kernel's code, once that is made */
    uint8_t act;    /* replay_act */
    uint8_t bytes;  /* that a lane accesses */
    bool known;
    uint64_t executed; /* lines */
} replay_inst;

typedef struct replay_code {
    replay_inst *inst;
    uint32_t count, room;
    map *by_text; /* hash of pc and text to number */
} replay_code;

void replay_code_fini(replay_code *c);

/* The instruction at `pc` with that text; *fresh: it is new, and only `text`
 * and `pc` are filled in. NULL: there are too many. Until the next call. */
replay_inst *replay_code_at(replay_code *c, uint32_t pc, const char *text,
                            size_t size, bool *fresh);

/* Appends the names that are not known and how often each was executed, those
 * that come most often first; how many there are. */
size_t replay_code_unknown(const replay_code *c, strbuf *to);

/* The kernel's code, in the arena of `p`: each at its address, those of
 * functions that have the same addresses behind it. Returns the place of an
 * EXIT, for warps that end without one. */
uint32_t replay_code_make(replay_code *c, isa_program *p, isa_kernel *k);
/* The same of code that is known, where each has its place already. */
uint32_t replay_code_copy(const isa_kernel *from, isa_program *p,
                          isa_kernel *k);
/* `have` gets what `more` knows of the same kernel, of another launch. False:
 * it is another. */
bool replay_code_merge(isa_kernel *have, const isa_kernel *more);

#endif
