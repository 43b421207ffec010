/* src/study/mechanism_fit.h - on which machines a mechanism can be compared. */
#ifndef STUDY_MECHANISM_FIT_H
#define STUDY_MECHANISM_FIT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "config/config.h"
#include "study/mechanism.h"

/* Whether all sides of the mechanism are machines that can be, and one that it
 * does anything on, if they start from `cfg`, which is called `gpu`. If not the
 * reason is appended to *why: a clause without its full stop. */
bool mechanism_fits(const mechanism *m, const char *gpu, const config *cfg,
                    strbuf *why);

#endif
