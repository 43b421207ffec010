/* src/probe/probe.h - micro-benchmarks that find out what a machine is. They
 * see clock values that their kernels stored and launches that were refused,
 * nothing else: this folder includes no configuration and no simulator. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/status.h"
#include "probe/found.h"
#include "probe/machine.h"

typedef struct probe_run probe_run;

/* One probe, or a set of them that share their measurements. */
typedef struct probe_kind {
    const char *name; /* "latency" */
    const char *help;
    status (*run)(probe_run *r);
    const char *needs; /* names of others, with blanks between; NULL: none */
    unsigned families; /* a bit each */
    bool on_request;   /* runs only if it is named */
} probe_kind;

extern const probe_kind probe_table[]; /* ended by a NULL name */

const probe_kind *probe_find(const char *name); /* NULL: there is none */

typedef struct probe_options {
    const probe_machine *machine;
    const bool *wanted; /* by place in probe_table; what these need runs too */
    void (*begins)(void *arg, const probe_kind *k); /* NULL: not called */
    void *arg;
} probe_options;

/* Does a machine of that family have what the probe measures? */
bool probe_fits(const probe_kind *k, probe_family family);

/* Runs them in the order of the table; what was found is in *found in any
 * case. ST_OK, or what stopped it, which `dg` describes if the machine did
 * not. */
status probe_suite(const probe_options *o, probe_found *found, diag *dg);

#endif
