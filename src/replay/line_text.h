/* src/replay/line_text.h - what a warp executes as lines of a trace. */
#ifndef REPLAY_LINE_TEXT_H
#define REPLAY_LINE_TEXT_H

#include "base/strbuf.h"
#include "exec/exec.h"

typedef struct line_part {
    char *text;    /* behind the mask, up to addresses, a blank at its end */
    uint8_t width; /* bytes that a lane accesses; 0: no addresses */
    uint8_t base;  /* which window the addresses are in, see .c */
    uint32_t immediate;
} line_part;

typedef struct line_texts {
    line_part *part; /* of each instruction */
    char (*pc)[12];  /* in front of the mask */
    uint32_t count;
} line_texts;

void line_texts_init(line_texts *t, const isa_kernel *k, isa_arch arch);
void line_texts_fini(line_texts *t);

/* Appends the line of the instruction at `pc` for the lanes of `mask`; `m`: its
 * access, NULL: it makes none. */
void line_text_put(const line_texts *t, uint32_t pc, uint32_t mask,
                   const exec_mem *m, strbuf *to);

#endif
