/* src/replay/words.h - the words of a line, and numbers in them. Plain data. */
#ifndef REPLAY_WORDS_H
#define REPLAY_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct word {
    const char *at;
    size_t size;
} word;

/* The next word of the line from *at on; false: it has none. */
bool word_next(const char **at, word *out);
/* The whole word is a number of up to `most`: of digits, of hexadecimal ones
 * with or without 0x, or of digits with a sign. */
bool word_decimal(word w, uint64_t most, uint64_t *out);
bool word_hex(word w, uint64_t most, uint64_t *out);
bool word_signed(word w, int64_t *out);

#endif
