/* src/probe/judge/probe_text.h - what probes found, beside what is configured
 * and what is published, in words, as CSV and as JSON. Borrows everything. */
#ifndef PROBE_JUDGE_PROBE_TEXT_H
#define PROBE_JUDGE_PROBE_TEXT_H

#include <stdio.h>

#include "config/config.h"
#include "probe/found.h"

typedef struct probe_sheet {
    const char *gpu; /* as it was named */
    const config *cfg;
    const probe_found *found;
    unsigned long long launches, cycles, warp_insts;
    double host_seconds;
    unsigned width; /* of text */
} probe_sheet;

void probe_text(const probe_sheet *s, FILE *to);
void probe_csv(const probe_sheet *s, FILE *to);
void probe_json(const probe_sheet *s, FILE *to);

#endif
