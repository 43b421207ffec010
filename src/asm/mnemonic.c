/* src/asm/mnemonic.c - FFMA.FTZ.SAT: the longest operation name that is a
 * prefix, then one value of each modifier group, in any order. Where two groups
 * have the same texts (I2I) the first value is the first group's. */
#include "asm/mnemonic.h"

#include <string.h>

#include "base/must.h"
#include "base/suggest.h"

enum { MODIFIERS_MAX = 8 * ISA_MODS };

/* The operation with the longest text that `t` starts with, up to a point. */
static const isa_desc *find_operation(const asm_token *t)
{
    const isa_desc *best = NULL;
    size_t most = 0;

    for (unsigned i = 0; i < ISA_COUNT; i++) {
        size_t n = strlen(isa_table[i].text);

        if (n > most && n <= t->length &&
            !memcmp(t->text, isa_table[i].text, n) &&
            (n == t->length || t->text[n] == '.')) {
            most = n;
            best = &isa_table[i];
        }
    }
    return best;
}

static bool unknown_operation(asm_parser *a, const asm_token *t)
{
    const char *texts[ISA_COUNT], *near;
    char *word = asm_text(t, a->scratch);
    asm_token at = *t;

    for (unsigned i = 0; i < ISA_COUNT; i++)
        texts[i] = isa_table[i].text;
    near = suggest_nearest(word, texts, ISA_COUNT);
    if (!near && strchr(word, '.')) { /* the modifiers may be right */
        at.length = strcspn(word, ".");
        word[at.length] = 0;
        near = suggest_nearest(word, texts, ISA_COUNT);
    }
    return near ? asm_fail(a, &at, "unknown instruction %s; did you mean %s?",
                           word, near)
                : asm_fail(a, &at, "unknown instruction %s", word);
}

static bool unknown_modifier(asm_parser *a, const isa_desc *d,
                             const asm_token *part)
{
    const char *texts[MODIFIERS_MAX], *near;
    char *word = asm_text(part, a->scratch);
    size_t count = 0, length;

    for (unsigned g = 0; g < ISA_MODS; g++) {
        const char *s;

        for (unsigned v = 0;
             d->mods >> g & 1 && (s = isa_mod_text((isa_mod)g, v, &length));
             v++) {
            MUST(count < MODIFIERS_MAX);
            texts[count++] = arena_strndup(a->scratch, s, length);
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!strcmp(texts[i], word))
            return asm_fail(a, part, "%s has a modifier like .%s already",
                            d->text, word);
    near = suggest_nearest(word, texts, count);
    return near ? asm_fail(a, part, "%s has no modifier .%s; did you mean .%s?",
                           d->text, word, near)
                : asm_fail(a, part, "%s has no modifier .%s", d->text, word);
}

/* Value of `part` in group `g`, or -1. */
static int find_value(isa_mod g, const asm_token *part)
{
    const char *s;
    size_t length;

    for (unsigned v = 0; (s = isa_mod_text(g, v, &length)); v++)
        if (length && length == part->length && !memcmp(s, part->text, length))
            return (int)v;
    return -1;
}

static bool take_modifier(asm_parser *a, const isa_desc *d, isa_inst *in,
                          const asm_token *part, isa_mod_set *given)
{
    for (unsigned g = 0; g < ISA_MODS; g++) {
        int v;

        if (!(d->mods >> g & 1) || *given >> g & 1)
            continue;
        if ((v = find_value((isa_mod)g, part)) < 0)
            continue;
        isa_mod_put(in, (isa_mod)g, (unsigned)v);
        *given |= (isa_mod_set)1 << g;
        return true;
    }
    return unknown_modifier(a, d, part);
}

/* Groups whose first text is not empty must be given. */
static bool check_given(asm_parser *a, const isa_desc *d, const asm_token *t,
                        isa_mod_set given)
{
    for (unsigned g = 0; g < ISA_MODS; g++) {
        size_t length;

        if (!(d->mods >> g & 1) || given >> g & 1)
            continue;
        isa_mod_text((isa_mod)g, 0, &length);
        if (length)
            return asm_fail(a, t, "%s needs a modifier: one of %s", d->text,
                            isa_mod_table[g].texts);
    }
    return true;
}

bool asm_mnemonic(asm_parser *a, const asm_token *t, isa_inst *in)
{
    const isa_desc *d = find_operation(t);
    isa_mod_set given = 0;
    size_t at;

    if (!d)
        return unknown_operation(a, t);
    *in = isa_new((isa_op)(d - isa_table));
    for (at = strlen(d->text); at < t->length;) {
        asm_token part = *t;
        const char *point;

        part.text += ++at; /* behind the point */
        part.column += (unsigned)at;
        point = memchr(part.text, '.', t->length - at);
        part.length = point ? (size_t)(point - part.text) : t->length - at;
        at += part.length;
        if (!take_modifier(a, d, in, &part, &given))
            return false;
    }
    return check_given(a, d, t, given);
}
