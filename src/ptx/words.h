/* src/ptx/words.h - every word of the tables, found by its text.
 * A modifier word has one meaning or two: `.lo` is a comparison in setp and a
 * half in mul. Lives in the arena given; borrows the tables only. */
#ifndef PTX_WORDS_H
#define PTX_WORDS_H

#include "ptx/ptx.h"

typedef enum word_group {
    WORD_OP,
    WORD_SREG,
    /* The modifiers, by the field of ptx_inst that they fill. */
    WORD_TYPE,
    WORD_ROUND,
    WORD_CMP,
    WORD_BOOL,
    WORD_HALF,
    WORD_SPACE,
    WORD_CACHE,
    WORD_ORDER,
    WORD_SCOPE,
    WORD_FLAG,
    WORD_SUB,
    WORD_VEC,
    WORD_NUM,
    WORD_LAYOUT
} word_group;

typedef struct ptx_word {
    const char *text;
    uint32_t hash;
    uint16_t number; /* of modifiers: dense, for sets of them */
    uint8_t group;
    uint16_t value;
    const struct ptx_word *other; /* the second meaning of the same text */
} ptx_word;

/* Room for the number of every modifier word. */
#define WORDS_MAX 512

typedef struct ptx_words ptx_words;

ptx_words *words_new(arena *a);
const ptx_word *words_find_op(const ptx_words *w, const char *s, size_t n,
                              uint32_t hash);
const ptx_word *words_find_sreg(const ptx_words *w, const char *s, size_t n);
const ptx_word *words_find_mod(const ptx_words *w, const char *s, size_t n,
                               uint32_t hash);

/* The nearest name, NULL for none near enough. */
const char *words_nearest_op(const char *name);
const char *words_nearest_mod(arena *a, const char *name);
const char *words_nearest_sreg(arena *a, const char *name);

#endif
