/* src/codegen/ir/options.h - parameters of the machine for the compiler, and
 * options of compilation. */
#ifndef CODEGEN_IR_OPTIONS_H
#define CODEGEN_IR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/ir/latency.h"
#include "codegen/ir/pipe.h"
#include "config/config.h"
#include "isa/isa.h"

typedef struct cg_options {
    isa_arch arch;
    unsigned max_registers; /* per thread; 0: what the architecture has */
    unsigned sm_registers;  /* of an SM */
    bool contract;          /* mul and add without .rn may become one fma */
    bool schedule;          /* false: keep the order of the PTX text */
    bool optimise;          /* false: translate one by one, for debugging */
    cg_latencies latency;
    cg_pipes pipes;
    cg_banks banks;
    bool uniform; /* the uniform datapath is used */
    bool no_r0;   /* the machine cannot track R0, so nothing stands there */
    bool pairs;   /* Kepler: control codes can issue two instructions at once */
    const char *only; /* compile just this kernel; NULL: all of them */
    /* Kernels that cannot be translated are left out, if there are others: the
     * messages about them are warnings. */
    bool partial;
    bool need_all; /* with it: only variables that no kernel uses are left */
    struct cg_dump *dump; /* codegen/dump.h: what is shown; NULL: nothing */
} cg_options;

/* The architecture whose code a machine runs. */
isa_arch cg_arch_of(const config *cfg);

/* The defaults for a machine, and for the preset of an architecture that issues
 * one instruction at a time. */
cg_options cg_options_of(const config *cfg);
cg_options cg_default_options(isa_arch arch);

/* Registers a thread can have: 63 of Fermi, 255 of later ones. */
unsigned cg_register_limit(isa_arch arch);

#endif
