/* src/base/plural.h - the end of a noun behind a number. */
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

#include <stdint.h>

/* "1 SM", "80 SMs" */
const char *word_plural(uint64_t n);

#endif
