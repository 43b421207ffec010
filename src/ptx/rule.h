/* src/ptx/rule.h - the rows of ptx_op.def in a form that is quick to look up.
 * Lives in the arena given; a row is translated when it is first used. */
#ifndef PTX_RULE_H
#define PTX_RULE_H

#include "ptx/words.h"

typedef enum role_kind {
    ROLE_ANY,
    ROLE_DST,
    ROLE_SRC,
    ROLE_PRED, /* source */
    ROLE_PRED_DST,
    ROLE_ADDR,
    ROLE_LABEL,
    ROLE_TABLE,
    ROLE_IMM
} role_kind;

enum { ROLE_LAST_TYPE = 254, ROLE_FIXED_TYPE = 255, RULE_MAX_ROLES = 8 };

typedef struct role {
    uint8_t kind;
    uint8_t index; /* of the type, or ROLE_LAST_TYPE, ROLE_FIXED_TYPE */
    uint8_t fixed; /* ptx_type */
    bool vector;
    bool wide;
    bool wider_allowed;
    bool pair;
} role;

typedef struct rule {
    ptx_op op;
    uint8_t types_min, types_max;
    uint8_t nroles;
    uint8_t needed; /* operands at least */
    bool rest;      /* any number more */
    bool open;      /* every modifier allowed */
    bool hints_l1, hints_l2;
    role roles[RULE_MAX_ROLES];
    uint64_t allowed[WORDS_MAX / 64]; /* by word.number */
} rule;

typedef struct rules rules;

rules *rules_new(arena *a, const ptx_words *w);
const rule *rules_get(rules *rs, ptx_op op);

static inline bool rule_allows(const rule *r, const ptx_word *w)
{
    return r->open || (r->allowed[w->number / 64] >> (w->number % 64) & 1);
}

/* The modifiers allowed, as ".a .b .c". */
const char *rule_modifiers(arena *a, const rule *r);

#endif
