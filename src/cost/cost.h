/* src/cost/cost.h - what a machine's structures cost in storage bits and in
 * comparators, from its configuration alone. One row per structure of a table
 * (cost/structure.def), whose formulas are computed and printed from the same
 * text; docs/cost.md is made of it. Constant tables and plain data. */
#ifndef COST_COST_H
#define COST_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

typedef enum cost_id {
#define STRUCTURE(id, name, place, bulk, exists, bits, compared, source, help) \
    COST_##id,
#include "cost/structure.def"
#undef STRUCTURE
    COST_STRUCTURES
} cost_id;

/* What describes a structure of any machine. Formulas are expressions over
 * parameters ("sm.warps * sm.registers_per_thread") and terms. */
typedef struct cost_structure {
    const char *id;   /* "scoreboard" */
    const char *name; /* of at most 20 characters */
    const char *per;  /* "scheduler", "SM", "L2 slice", "chip" */
    const char *exists, *formula, *compared;
    const char *source; /* tag */
    const char *help;
    bool bulk; /* a data array (register file, cache data): most of a chip, and
                  none of a control structure's cost */
} cost_structure;

extern const cost_structure cost_table[COST_STRUCTURES];

typedef struct cost_term {
    const char *id, *value, *source, *help;
} cost_term;

typedef enum cost_term_id {
#define TERM(id, value, source, help) COST_TERM_##id,
#define PLACE(id, name, count)
#include "cost/term.def"
#undef TERM
#undef PLACE
    COST_TERMS
} cost_term_id;

extern const cost_term cost_terms[COST_TERMS];

/* A choice of config/enums.def that costs nothing by itself, and why. */
typedef struct cost_choice {
    const char *id; /* "INDEX_MOD" */
    const char *help;
} cost_choice;

size_t cost_choice_count(void);
const cost_choice *cost_choice_get(size_t i);

/* The values of terms for that machine. */
void cost_terms_of(const config *cfg, uint64_t out[COST_TERMS]);

typedef struct cost_item {
    uint64_t instances;       /* on the chip; 0: it has none */
    uint64_t bits;            /* storage of one instance; 0 if there is none */
    uint64_t comparator_bits; /* bits compared in a cycle in one instance */
} cost_item;

/* Every structure of that machine. */
void cost_of(const config *cfg, cost_item out[COST_STRUCTURES]);

typedef struct cost_sum {
    uint64_t bits, comparator_bits; /* of the chip, all instances */
    uint64_t bulk_bits;             /* of these: data arrays */
} cost_sum;
cost_sum cost_total(const config *cfg);
/* The sum over the structures of a part of the energy, such as "hazard". False:
 * that machine has none, or the part has no rows. */
bool cost_of_part(const config *cfg, const char *part, cost_sum *out);

#endif
