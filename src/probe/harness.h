/* src/probe/harness.h - what probes have in common: kernels from templates,
 * their clocks, what earlier probes found. */
#ifndef PROBE_HARNESS_H
#define PROBE_HARNESS_H

#include "probe/probe.h"
#include "probe/template.h"

/* What later probes build on. */
typedef struct probe_known {
    double overhead;     /* cycles of an empty body */
    double issue;        /* cycles between independent instructions of a warp */
    unsigned loop;       /* instructions that surely fit the first I-cache */
    unsigned warps;      /* of a CTA at most */
    unsigned schedulers; /* warp instructions per cycle at most */
    double hop;          /* cycles of a hop without load: probe/find/chase.h */
    unsigned pair;       /* Kepler's code of the first of a pair; 0: none */
    unsigned second;     /* and of the second; 0: none is special */
    double peak;         /* lanes in a cycle by pairs; 0: not found */
    unsigned bank_count; /* 0: not found, or indistinguishable */
    int8_t bank[64];     /* of a register; -1: none */
} probe_known;

struct probe_run {
    const probe_machine *machine;
    probe_found *found;
    diag *dg;
    const probe_kind *kind; /* that runs */
    probe_known known;
};

/* A launch of a template: variables, then what probe_launch has. */
typedef struct probe_kernel {
    const char *name; /* of the template */
    probe_var vars[12];
    uint32_t ctas, threads, shared_bytes; /* 0 CTAs: one */
    uint64_t data;
    uint32_t args[PROBE_ARGS];
    uint32_t *out;
    size_t out_words;
} probe_kernel;

status probe_launch_kernel(probe_run *r, const probe_kernel *k);

/* A body between two clock reads (probes/timed.sass). */
typedef struct probe_body {
    const char *setup; /* instructions before; NULL: none */
    const char *text;  /* the body, where $i counts up to `n` */
    unsigned n;
    unsigned warps;        /* of one CTA; 0: one */
    unsigned threads;      /* instead of warps: of one CTA; 0: full warps */
    unsigned ctas;         /* 0: one */
    unsigned shared_bytes; /* static */
    unsigned passes;       /* 0: two, of which the last counts */
    probe_var vars[4];     /* more variables */
    uint64_t data;
    uint32_t args[PROBE_ARGS];
} probe_body;

/* Cycles from the first clock read to the last of any warp of the first CTA,
 * in the last pass. */
status probe_time(probe_run *r, const probe_body *b, double *cycles);
/* (cycles of 2n - cycles of n) / n: what one more costs. */
status probe_cost(probe_run *r, const probe_body *b, double *each);

void probe_number(probe_run *r, const char *id, const char *what,
                  const char *unit, double number);
void probe_word(probe_run *r, const char *id, const char *what,
                const char *word);

/* ---- The probes ---- */

status probe_run_overhead(probe_run *r);
status probe_run_latency(probe_run *r);
status probe_run_throughput(probe_run *r);
status probe_run_tensor(probe_run *r);
status probe_run_loads(probe_run *r);
status probe_run_caches(probe_run *r);
status probe_run_local(probe_run *r);
status probe_run_read_only(probe_run *r);
status probe_run_constant(probe_run *r);
status probe_run_shared(probe_run *r);
status probe_run_barrier(probe_run *r);
status probe_run_branch(probe_run *r);
status probe_run_atomic(probe_run *r);
status probe_run_icache(probe_run *r);
status probe_run_banks(probe_run *r);
status probe_run_all_banks(probe_run *r);
status probe_run_codes(probe_run *r);
status probe_run_pairs(probe_run *r);
status probe_run_patterns(probe_run *r);
status probe_run_shared_units(probe_run *r);
status probe_run_control(probe_run *r);
status probe_run_limits(probe_run *r);
status probe_run_stream(probe_run *r);

#endif
