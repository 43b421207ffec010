/* src/cost/cost.c - evaluates the tables for a machine. */
#include "cost/cost.h"

#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "config/param.h"

/* clang-format off */

/* Every parameter as a 64-bit number, in the order and with the names of the
 * table: so a formula reads the same in C and in documents, and cannot
 * overflow. */
typedef struct machine {
#define SECTION(path, id, help) struct {
#define END(id) } id;
#define INT(sec, id, def, min, max, unit, source, help) uint64_t id;
#define POW2(sec, id, def, min, max, unit, source, help) uint64_t id;
#define SIZE(sec, id, def, min, max, unit, source, help) uint64_t id;
#define BOOL(sec, id, def, source, help) uint64_t id;
#define ENUM(sec, id, type, def, source, help) uint64_t id;
#define TEXT(sec, id, def, source, help) uint64_t id;
#include "config/params.def"
#undef SECTION
#undef END
#undef INT
#undef POW2
#undef SIZE
#undef BOOL
#undef ENUM
#undef TEXT
} machine;

#define TERM(id, value, source, help)
#define PLACE(id, name, count) static const char place_##id[] = name;
#include "cost/term.def"
#undef TERM
#undef PLACE

const cost_structure cost_table[COST_STRUCTURES] = {
#define STRUCTURE(id, name, place, bulk, exists, bits, compared, source, help) \
    {#id, name, place_##place, #exists, #bits, #compared, source, help, bulk},
#include "cost/structure.def"
#undef STRUCTURE
};

const cost_term cost_terms[COST_TERMS] = {
#define TERM(id, value, source, help) {#id, #value, source, help},
#define PLACE(id, name, count)
#include "cost/term.def"
#undef TERM
#undef PLACE
};

static const struct {
    cost_choice is;
    unsigned value; /* there is such a choice */
} choices[] = {
#define CHOICE(id, help) {{#id, help}, CFG_##id},
#include "cost/choice.def"
#undef CHOICE
};

/* clang-format on */

size_t cost_choice_count(void) { return COUNTOF(choices); }

const cost_choice *cost_choice_get(size_t i) { return &choices[i].is; }

/* Bits of a number below n. Formulas are evaluated before the rules between
 * parameters are checked, so n may be 0. */
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t bits_for(uint64_t n) { return n > 1 ? bits_log2_up(n) : 0; }

/* What of an address names a line within its set. Sets that are no power of
 * two leave a bit more. */
static uint64_t tag_bits(uint64_t address, uint64_t sets, uint64_t line)
{
    return address - (sets ? bits_log2(sets) : 0) - bits_for(line);
}

#define tags(sets, ways, line, state)                                          \
    ((sets) * (ways) *                                                         \
     (tag_bits(address_bits, sets, line) + (state) + bits_for(ways)))
#define compare(sets, ways, line)                                              \
    ((ways) * (1 + tag_bits(address_bits, sets, line)))

/* Both outputs may be NULL. */
static void evaluate_tables(const machine *m, cost_item *item, uint64_t *term)
{
    const __typeof__(m->gpu) gpu = m->gpu;
    const __typeof__(m->sm) sm = m->sm;
    const __typeof__(m->l1) l1 = m->l1;
    const __typeof__(m->rocache) rocache = m->rocache;
    const __typeof__(m->tlb) tlb = m->tlb;
    const __typeof__(m->noc) noc = m->noc;
    const __typeof__(m->l2) l2 = m->l2;
    const __typeof__(m->dram) dram = m->dram;

#define TERM(id, value, source, help) const uint64_t id = value;
#define PLACE(id, name, count)        const uint64_t place_of_##id = count;
#include "cost/term.def"
#undef TERM
#undef PLACE
    if (term) {
        const uint64_t values[COST_TERMS] = {
#define TERM(id, value, source, help) [COST_TERM_##id] = id,
#define PLACE(id, name, count)
#include "cost/term.def"
#undef TERM
#undef PLACE
        };
        memcpy(term, values, sizeof values);
    }
    if (!item)
        return;
#define STRUCTURE(id, name, place, bulk, exists, bits, compared, source, help) \
    if (exists)                                                                \
        item[COST_##id] = (cost_item){place_of_##place, bits, compared};
#include "cost/structure.def"
#undef STRUCTURE
}

static void of(const config *cfg, cost_item *item, uint64_t *term)
{
    union {
        machine m;
        uint64_t value[sizeof(machine) / sizeof(uint64_t)];
    } u;

    MUST(config_param_count() == COUNTOF(u.value));
    for (size_t i = 0; i < COUNTOF(u.value); i++)
        u.value[i] = config_number(cfg, config_param_get(i));
    evaluate_tables(&u.m, item, term);
}

void cost_of(const config *cfg, cost_item out[COST_STRUCTURES])
{
    memset(out, 0, COST_STRUCTURES * sizeof *out);
    of(cfg, out, NULL);
}

void cost_terms_of(const config *cfg, uint64_t out[COST_TERMS])
{
    of(cfg, NULL, out);
}

static void add_item(cost_sum *to, const cost_structure *is, const cost_item *x)
{
    uint64_t bits = x->instances * x->bits;

    to->bits += bits;
    to->bulk_bits += is->bulk ? bits : 0;
    to->comparator_bits += x->instances * x->comparator_bits;
}

cost_sum cost_total(const config *cfg)
{
    cost_item all[COST_STRUCTURES];
    cost_sum sum = {0};

    cost_of(cfg, all);
    for (size_t i = 0; i < COST_STRUCTURES; i++)
        add_item(&sum, &cost_table[i], &all[i]);
    return sum;
}

bool cost_of_part(const config *cfg, const char *part, cost_sum *out)
{
    static const struct {
        const char *part;
        cost_id id;
    } group[] = {
#define GROUP(part, structure) {part, COST_##structure},
#include "cost/group.def"
#undef GROUP
    };
    cost_item all[COST_STRUCTURES];
    bool any = false;

    *out = (cost_sum){0};
    cost_of(cfg, all);
    for (size_t i = 0; i < COUNTOF(group); i++) {
        const cost_item *x = &all[group[i].id];

        if (strcmp(group[i].part, part) != 0 || !x->instances)
            continue;
        add_item(out, &cost_table[group[i].id], x);
        any = true;
    }
    return any;
}
