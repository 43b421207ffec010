/* src/replay/line.h - an instruction of a trace: one line. */
#ifndef REPLAY_LINE_H
#define REPLAY_LINE_H

#include "replay/input.h"
#include "replay/inst_list.h"
#include "replay/line_bytes.h"
#include "replay/words.h"

typedef struct replay_line {
    uint32_t pc;
    word text;        /* of the instruction: from its results to its sources */
    const char *rest; /* of the line: addresses and more */
    replay_record is;
} replay_line;

/* Takes the beginning of `text` apart: all but `rest`, is.inst and addresses.
 * has_number: of the source's line, in front. False: `in` has the error. */
bool replay_line_begin(replay_input *in, const char *text, bool has_number,
                       replay_line *out);
/* What it says of the instruction itself. */
bool replay_line_words(replay_input *in, const replay_line *l,
                       replay_words *out);
/* The rest: addresses, and immediates where the version has them. *width: what
 * it says of the bytes that a lane accesses, 0: nothing. */
bool replay_line_end(replay_input *in, replay_line *l, unsigned version,
                     unsigned *width, uint64_t *immediate);

#endif
