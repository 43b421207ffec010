/* src/text/word.h - numbers as short texts for people. */
#ifndef TEXT_WORD_H
#define TEXT_WORD_H

#include <stdint.h>

#include "base/plural.h"

/* A short text, returned by value: it lives until the end of the statement. */
typedef struct word {
    char s[32];
} word;

word word_grouped(uint64_t v);   /* 1234567 as 1,234,567 */
word word_bytes(double v);       /* "12.3 GB" */
word word_per_second(double v);  /* of bytes */
word word_duration(double s);    /* "12.3 us" */
word word_joules(double v);      /* "12.3 mJ" */
word word_percent(double share); /* "12.3 %", NAN: "-" */
word word_real(double v, int digits);

/* With a blank behind it, or behind the prefix: "12 ", "1.2 M ". */
word word_count(double v);

double word_share(uint64_t part, uint64_t all); /* NAN of nothing */

#endif
