/* src/replay/header.h - what a trace says of its kernel, in front. */
#ifndef REPLAY_HEADER_H
#define REPLAY_HEADER_H

#include "replay/kernel_trace.h"

/* Up to the line that tells the format, which is the last of it. False: `in`
 * has the error. */
bool replay_header_read(replay_input *in, kernel_trace *k);

#endif
