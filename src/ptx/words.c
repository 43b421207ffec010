#include "ptx/words.h"

#include <string.h>

#include "base/must.h"
#include "base/suggest.h"
#include "ptx/lex.h"

/* ---- the tables --------------------------------------------------------- */

static const char *const op_names[] = {
#define PTX_OP_ROW(id, text, ...) text,
#include "ptx/ptx_op.def"
#undef PTX_OP_ROW
};

static const struct {
    const char *text;
    uint8_t bits, kind, lanes;
} types[] = {
    {"", 0, PTX_KIND_NONE, 0},
#define PTX_TYPE_ROW(id, text, bits, kind, lanes)                              \
    {text, bits, PTX_KIND_##kind, lanes},
#include "ptx/ptx_type.def"
#undef PTX_TYPE_ROW
};

static const struct {
    const char *text;
    uint8_t bits, parts;
} sregs[] = {
    {"", 0, 0},
#define PTX_SREG_ROW(id, text, bits, parts) {"%" text, bits, parts},
#include "ptx/ptx_sreg.def"
#undef PTX_SREG_ROW
};

/* One row per meaning of a modifier word. */
static const struct {
    const char *text;
    uint8_t group;
    uint16_t value;
} mods[] = {
#define PTX_TYPE_ROW(id, text, bits, kind, lanes)                              \
    {text, WORD_TYPE, PTX_TYPE_##id},
#include "ptx/ptx_type.def"
#undef PTX_TYPE_ROW
#define PTX_ROUND_ROW(id, text) {text, WORD_ROUND, PTX_ROUND_##id},
#define PTX_CMP_ROW(id, text)   {text, WORD_CMP, PTX_CMP_##id},
#define PTX_BOOL_ROW(id, text)  {text, WORD_BOOL, PTX_BOOL_##id},
#define PTX_HALF_ROW(id, text)  {text, WORD_HALF, PTX_HALF_##id},
#define PTX_SPACE_ROW(id, text) {text, WORD_SPACE, PTX_SPACE_##id},
#define PTX_CACHE_ROW(id, text) {text, WORD_CACHE, PTX_CACHE_##id},
#define PTX_ORDER_ROW(id, text) {text, WORD_ORDER, PTX_ORDER_##id},
#define PTX_SCOPE_ROW(id, text) {text, WORD_SCOPE, PTX_SCOPE_##id},
#define PTX_FLAG_ROW(id, text)  {text, WORD_FLAG, PTX_FLAG_##id},
#define PTX_SUB_ROW(id, text)   {text, WORD_SUB, PTX_SUB_##id},
#include "ptx/ptx_mod.def"
#undef PTX_ROUND_ROW
#undef PTX_CMP_ROW
#undef PTX_BOOL_ROW
#undef PTX_HALF_ROW
#undef PTX_SPACE_ROW
#undef PTX_CACHE_ROW
#undef PTX_ORDER_ROW
#undef PTX_SCOPE_ROW
#undef PTX_FLAG_ROW
#undef PTX_SUB_ROW
    {"v2", WORD_VEC, 2},
    {"v4", WORD_VEC, 4},
    {"v8", WORD_VEC, 8},
    {"x1", WORD_NUM, 1},
    {"x2", WORD_NUM, 2},
    {"x4", WORD_NUM, 4},
    {"row", WORD_LAYOUT, PTX_LAYOUT_ROW},
    {"col", WORD_LAYOUT, PTX_LAYOUT_COL},
};

static const char *const space_names[] = {
    "",
#define PTX_SPACE_ROW(id, text) text,
#include "ptx/ptx_mod.def"
#undef PTX_SPACE_ROW
};

static const char *const cmp_names[] = {
    "",
#define PTX_CMP_ROW(id, text) text,
#include "ptx/ptx_mod.def"
#undef PTX_CMP_ROW
};

static const char *const sub_names[] = {
    "",
#define PTX_SUB_ROW(id, text) text,
#include "ptx/ptx_mod.def"
#undef PTX_SUB_ROW
};

_Static_assert(COUNTOF(mods) <= WORDS_MAX, "words numbers must fit");
_Static_assert(PTX_FLAG_COUNT <= 64, "flags are bits of a uint64_t");

/* ---- from the tables ---------------------------------------------------- */

const char *ptx_op_text(ptx_op op)
{
    return (unsigned)op < PTX_OP_COUNT ? op_names[op] : "?";
}

const char *ptx_type_text(ptx_type t)
{
    return (unsigned)t < PTX_TYPE_COUNT ? types[t].text : "?";
}

ptx_kind ptx_type_kind(ptx_type t) { return (ptx_kind)types[t].kind; }

unsigned ptx_type_bits(ptx_type t) { return types[t].bits; }

unsigned ptx_type_bytes(ptx_type t)
{
    return types[t].bits < 8 ? 1 : types[t].bits / 8;
}

unsigned ptx_type_lanes(ptx_type t) { return types[t].lanes; }

bool ptx_type_is_int(ptx_type t)
{
    return types[t].kind == PTX_KIND_UINT || types[t].kind == PTX_KIND_SINT ||
           types[t].kind == PTX_KIND_BITS;
}

const char *ptx_space_text(ptx_space s)
{
    return (unsigned)s < PTX_SPACE_COUNT ? space_names[s] : "?";
}

const char *ptx_sreg_text(ptx_sreg r)
{
    return (unsigned)r < PTX_SREG_COUNT ? sregs[r].text : "?";
}

unsigned ptx_sreg_bits(ptx_sreg r) { return sregs[r].bits; }

unsigned ptx_sreg_parts(ptx_sreg r) { return sregs[r].parts; }

const char *ptx_cmp_text(ptx_cmp c)
{
    return (unsigned)c < PTX_CMP_COUNT ? cmp_names[c] : "?";
}

const char *ptx_sub_text(ptx_sub s)
{
    return (unsigned)s < PTX_SUB_OTHER ? sub_names[s] : "?";
}

ptx_space ptx_space_base(ptx_space s)
{
    switch (s) {
    case PTX_SPACE_SHARED_CTA:
    case PTX_SPACE_SHARED_CLUSTER:
        return PTX_SPACE_SHARED;
    case PTX_SPACE_PARAM_ENTRY:
    case PTX_SPACE_PARAM_FUNC:
        return PTX_SPACE_PARAM;
    case PTX_SPACE_NONE:
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_CONST:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_LOCAL:
    case PTX_SPACE_PARAM:
    case PTX_SPACE_SHARED:
    case PTX_SPACE_TEX:
    case PTX_SPACE_COUNT:
        return s;
    }
    MUST(!"every value is above");
}

bool ptx_has_sub(const ptx_inst *in, ptx_sub s)
{
    for (unsigned i = 0; i < in->nsubs; i++)
        if (in->subs[i] == s)
            return true;
    return false;
}

/* ---- finding ------------------------------------------------------------ */

enum { SLOTS = 1024 }; /* a power of two, well above the number of words */

_Static_assert(COUNTOF(mods) + PTX_OP_COUNT < SLOTS / 2, "keep it sparse");

struct ptx_words {
    const ptx_word *ops[SLOTS];
    const ptx_word *mods[SLOTS];
    const ptx_word *sregs[SLOTS];
};

static const ptx_word **slot_of_word(const ptx_word **table, const char *s,
                                     size_t n, uint32_t hash)
{
    uint32_t i = hash % SLOTS;

    while (table[i] &&
           (table[i]->hash != hash || strncmp(table[i]->text, s, n) != 0 ||
            table[i]->text[n] != 0))
        i = (i + 1) % SLOTS;
    return &table[i];
}

static ptx_word *add_word(arena *a, const ptx_word **table, const char *text,
                          word_group group, uint16_t value)
{
    uint32_t hash = lex_hash(text, strlen(text));
    const ptx_word **slot = slot_of_word(table, text, strlen(text), hash);
    ptx_word *w = ARENA_NEW(a, ptx_word);

    *w = (ptx_word){.text = text,
                    .hash = hash,
                    .group = (uint8_t)group,
                    .value = value,
                    .other = *slot};
    *slot = w;
    return w;
}

ptx_words *words_new(arena *a)
{
    ptx_words *w = ARENA_NEW(a, ptx_words);

    for (unsigned i = 0; i < PTX_OP_COUNT; i++)
        add_word(a, w->ops, op_names[i], WORD_OP, (uint16_t)i);
    for (unsigned i = 1; i < PTX_SREG_COUNT; i++)
        add_word(a, w->sregs, sregs[i].text, WORD_SREG, (uint16_t)i);
    for (unsigned i = 0; i < COUNTOF(mods); i++) {
        ptx_word *m =
            add_word(a, w->mods, mods[i].text, mods[i].group, mods[i].value);
        m->number = m->other ? m->other->number : (uint16_t)i;
    }
    return w;
}

const ptx_word *words_find_op(const ptx_words *w, const char *s, size_t n,
                              uint32_t hash)
{
    return *slot_of_word((const ptx_word **)w->ops, s, n, hash);
}

const ptx_word *words_find_sreg(const ptx_words *w, const char *s, size_t n)
{
    return *slot_of_word((const ptx_word **)w->sregs, s, n, lex_hash(s, n));
}

const ptx_word *words_find_mod(const ptx_words *w, const char *s, size_t n,
                               uint32_t hash)
{
    return *slot_of_word((const ptx_word **)w->mods, s, n, hash);
}

/* ---- suggestions -------------------------------------------------------- */

const char *words_nearest_op(const char *name)
{
    return suggest_nearest(name, op_names, COUNTOF(op_names));
}

const char *words_nearest_mod(arena *a, const char *name)
{
    const char **names = ARENA_ARRAY(a, const char *, COUNTOF(mods));

    for (size_t i = 0; i < COUNTOF(mods); i++)
        names[i] = mods[i].text;
    return suggest_nearest(name, names, COUNTOF(mods));
}

const char *words_nearest_sreg(arena *a, const char *name)
{
    const char **names = ARENA_ARRAY(a, const char *, PTX_SREG_COUNT);

    for (size_t i = 1; i < PTX_SREG_COUNT; i++)
        names[i - 1] = sregs[i].text;
    return suggest_nearest(name, names, PTX_SREG_COUNT - 1);
}
