/* src/base/shell.h - words as a shell takes them. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/strbuf.h"

/* Appends the word, in quotes if it needs them. */
void shell_quote(const char *word, strbuf *out);

#endif
