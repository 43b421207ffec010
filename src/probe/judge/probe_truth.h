/* src/probe/judge/probe_truth.h - what a probe should find on a configured
 * machine, and what is published of the real ones, for the printers of results.
 * The probes themselves use neither. */
#ifndef PROBE_JUDGE_PROBE_TRUTH_H
#define PROBE_JUDGE_PROBE_TRUTH_H

#include "config/config.h"

/* The number that the configuration implies; NAN: it follows from no parameter
 * alone. */
double probe_truth(const config *cfg, const char *id);
/* The word, where it is one; NULL. */
const char *probe_truth_word(const config *cfg, const char *id);

typedef struct probe_published {
    cfg_arch arch; /* of probe_real */
    const char *id;
    double value;       /* NAN: a word is */
    const char *word;   /* NULL: a number is */
    const char *source; /* tag */
} probe_published;

/* The real device that a family is compared with: "Tesla K20". */
const char *probe_real(const config *cfg);

/* NULL: nothing is published. */
const probe_published *probe_published_find(const config *cfg, const char *id);

#endif
