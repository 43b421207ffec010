/* src/explain/rule.h - changes that could make a kernel faster: what of the
 * counters speaks for one, how the simulated machine tries it, which lines of
 * the source it is about, what a programmer does. */
#ifndef EXPLAIN_RULE_H
#define EXPLAIN_RULE_H

#include "base/strbuf.h"
#include "explain/look.h"

typedef struct explain_rule {
    const char *id;     /* of --try */
    const char *change; /* what is tried: "no bank conflicts" */
    const char *advice; /* what to do in the program; NULL: it is a question of
                           the machine alone */
    /* Share of the kernel's cycles that it could save at most, by the counters;
     * 0: it does not apply. An upper bound only as far as the counters tell. */
    double (*most)(const look *k);
    /* Appends "PATH=VALUE,..." that tries it; nothing: this machine has nothing
     * to set for it. NULL: no change of a machine is like it. */
    void (*sets)(const look *k, strbuf *to);
    /* Lines are ranked by it; NULL: it is of no line. */
    uint64_t (*of_line)(const sm_profile_row *r);
    /* Appends what the counters say: of the kernel, or of its worst line. */
    void (*figure)(const look *k, const look_line *worst, strbuf *to);
} explain_rule;

size_t explain_rule_count(void);
const explain_rule *explain_rule_get(size_t i);
const explain_rule *explain_rule_find(const char *id); /* NULL: none */

#endif
