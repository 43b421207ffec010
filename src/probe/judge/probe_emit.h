/* src/probe/judge/probe_emit.h - a configuration file from what probes found.
 */
#ifndef PROBE_JUDGE_PROBE_EMIT_H
#define PROBE_JUDGE_PROBE_EMIT_H

#include "base/strbuf.h"
#include "config/config.h"
#include "probe/found.h"

/* The preset that such a file extends: that of the machine's family. */
const char *probe_preset(const config *cfg);

/* Appends it. `base`: what the same probes found of that preset, whose values
 * are `cfg`: the difference is what the parameters have to make up. What no
 * probe finds stays the preset's. */
void probe_emit(const probe_found *found, const probe_found *base,
                const config *cfg, const char *preset, strbuf *out);

#endif
