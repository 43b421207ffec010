#include "base/plural.h"

const char *word_plural(uint64_t n) { return n == 1 ? "" : "s"; }
