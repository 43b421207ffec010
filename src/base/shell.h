/* src/base/shell.h - words as a shell takes them. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/strbuf.h"

/* Appends the word, in quotes if it needs them. */
void shell_quote(const char *word, strbuf *out);
/* The same of several, NULL at the end, with blanks between them and what is
 * there. */
void shell_quote_all(const char *const *words, strbuf *out);

#endif
