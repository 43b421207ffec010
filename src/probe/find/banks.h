/* src/probe/find/banks.h - register banks, found by what conflicts. */
#ifndef PROBE_FIND_BANKS_H
#define PROBE_FIND_BANKS_H

#include "probe/harness.h"

/* How conflicts show. */
typedef struct probe_bank_way {
    unsigned operands, warps, length;
} probe_bank_way;

typedef struct probe_banks {
    const probe_bank_way *way;
    unsigned registers;      /* that were looked at */
    unsigned count;          /* classes; 0: nothing conflicts */
    int of[PROBE_REGISTERS]; /* class of a register, -1: none */
    size_t pairs, broken;    /* looked at; that contradict the classes */
    probe_pairs conflicts;   /* of each pair, smaller register first */
} probe_banks;

status probe_banks_find(probe_run *r, unsigned registers, probe_banks *banks);

/* Finds them, what conflicts cost and what operand caches there are. */
status probe_banks_report(probe_run *r, unsigned registers);

#endif
