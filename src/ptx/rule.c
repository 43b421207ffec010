#include "ptx/rule.h"

#include <string.h>

#include "base/must.h"
#include "ptx/lex.h"

static const struct {
    uint8_t types_min, types_max;
    const char *mods, *operands;
} rows[] = {
#define PTX_OP_ROW(id, text, types_min, types_max, mods, operands)             \
    {types_min, types_max, mods, operands},
#include "ptx/ptx_op.def"
#undef PTX_OP_ROW
};

struct rules {
    arena *a;
    const ptx_words *w;
    rule *of[PTX_OP_COUNT];
};

rules *rules_new(arena *a, const ptx_words *w)
{
    rules *rs = ARENA_NEW(a, rules);

    rs->a = a;
    rs->w = w;
    return rs;
}

static void allow(rule *r, const ptx_words *w, const char *s, size_t n)
{
    if (n == 1 && *s == '*') {
        r->open = true;
        return;
    }
    if (n == 5 && !memcmp(s, "L1::*", 5)) {
        r->hints_l1 = true;
        return;
    }
    if (n == 5 && !memcmp(s, "L2::*", 5)) {
        r->hints_l2 = true;
        return;
    }
    const ptx_word *m = words_find_mod(w, s, n, lex_hash(s, n));
    MUST(m); /* ptx_op.def names a word that ptx_mod.def lacks */
    r->allowed[m->number / 64] |= 1ull << (m->number % 64);
}

static const char *read_role_type(role *ro, const ptx_words *w, const char *s)
{
    size_t n = strcspn(s, " ~|");

    if (*s == '.') {
        const ptx_word *m =
            words_find_mod(w, s + 1, n - 1, lex_hash(s + 1, n - 1));
        MUST(m && m->group == WORD_TYPE);
        ro->index = ROLE_FIXED_TYPE;
        ro->fixed = (uint8_t)m->value;
        return s + n;
    }
    for (; *s == 'v' || *s == 'w'; s++) {
        ro->vector |= *s == 'v';
        ro->wide |= *s == 'w';
    }
    ro->index = *s == 'L' ? ROLE_LAST_TYPE : (uint8_t)(*s - '0');
    return s + 1;
}

static const char *read_role(role *ro, const ptx_words *w, const char *s)
{
    static const char letters[] = "*dspP@lti";
    static const role_kind kinds[] = {ROLE_ANY,   ROLE_DST,      ROLE_SRC,
                                      ROLE_PRED,  ROLE_PRED_DST, ROLE_ADDR,
                                      ROLE_LABEL, ROLE_TABLE,    ROLE_IMM};
    const char *letter = strchr(letters, *s);

    MUST(letter && *s);
    ro->kind = (uint8_t)kinds[letter - letters];
    s++;
    if (ro->kind == ROLE_DST || ro->kind == ROLE_SRC)
        s = read_role_type(ro, w, s);
    for (; *s && *s != ' '; s++) {
        if (*s == '~')
            ro->wider_allowed = true;
        else if (*s == '|' && s[1] == 'p')
            ro->pair = true;
    }
    return s;
}

static void read_operand_roles(rule *r, const ptx_words *w, const char *s)
{
    bool optional = false;

    while (*s) {
        if (*s == ' ') {
            s++;
        } else if (*s == '?') {
            optional = true;
            s++;
        } else if (*s == '.') {
            r->rest = true;
            s += 3;
        } else {
            MUST(r->nroles < RULE_MAX_ROLES);
            s = read_role(&r->roles[r->nroles++], w, s);
            if (!optional)
                r->needed = r->nroles;
        }
    }
}

const rule *rules_get(rules *rs, ptx_op op)
{
    if (rs->of[op])
        return rs->of[op];
    rule *r = ARENA_NEW(rs->a, rule);
    r->op = op;
    r->types_min = rows[op].types_min;
    r->types_max = rows[op].types_max;
    for (const char *s = rows[op].mods; *s;) {
        size_t n = strcspn(s, " ");
        if (n)
            allow(r, rs->w, s, n);
        s += n + (s[n] == ' ');
    }
    read_operand_roles(r, rs->w, rows[op].operands);
    rs->of[op] = r;
    return r;
}

const char *rule_modifiers(arena *a, const rule *r)
{
    const char *s = rows[r->op].mods;
    char *out = arena_alloc(a, 2 * strlen(s) + 2), *o = out;

    while (*s) {
        size_t n = strcspn(s, " ");
        if (n) {
            if (o != out)
                *o++ = ' ';
            *o++ = '.';
            memcpy(o, s, n);
            o += n;
        }
        s += n + (s[n] == ' ');
    }
    *o = 0;
    return out;
}
