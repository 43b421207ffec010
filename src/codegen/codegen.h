/* src/codegen/codegen.h - the compiler from PTX to machine code.
 * Borrows the module; the program it makes copies what it keeps. */
#ifndef CODEGEN_CODEGEN_H
#define CODEGEN_CODEGEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/source.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "isa/program.h"
#include "ptx/ptx.h"

typedef struct cg_options {
    isa_arch arch;
    unsigned max_registers; /* per thread; 0: what the architecture has */
    bool contract;          /* mul and add without .rn may become one fma */
    bool schedule;          /* false: keep the order of the PTX text */
    bool optimise;          /* false: translate one by one, for debugging */
    /* Cycles from issue to a usable result; what ISA_F_VARIABLE operations
     * take is an estimate that only orders them. */
    uint16_t latency[ISA_CLASSES];
    uint16_t guard_latency; /* added where a predicate is used as a guard */
    bool no_r0; /* the machine cannot track R0, so nothing stands there */
    bool pairs; /* Kepler: control codes ask for two instructions at once */
    const char *only; /* compile just this kernel; NULL: all of them */
    /* Kernels that cannot be translated are left out, if there are others:
     * what is said about them are warnings. */
    bool partial;
    bool need_all; /* with it: only variables that no kernel uses are left */
} cg_options;

/* The defaults for an architecture. */
cg_options cg_default_options(isa_arch arch);

/* Registers a thread can have: 63 of Fermi, 255 of later ones. */
unsigned cg_register_limit(isa_arch arch);

/* Everything that cannot be translated is reported to `dg`, all of it at
 * once; then, ST_PROGRAM. On ST_OK the caller owns *out; otherwise *out is
 * untouched. */
status cg_compile(const ptx_module *m, const cg_options *opt, diag *dg,
                  isa_program **out);

/* Appends a listing: figures of each kernel, then its machine code, with the
 * source lines between where they are known (`from` may be NULL). */
void cg_list(const isa_program *p, const sources *from, strbuf *to);

#endif
