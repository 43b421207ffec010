/* src/text/html.h - text as HTML: what comes from programs, users and files
 * never becomes markup. */
#ifndef TEXT_HTML_H
#define TEXT_HTML_H

#include "base/strbuf.h"

/* Appends `text` so that it is the same text in an element or a quoted
 * attribute: the five special characters are written as references, bytes that
 * are no UTF-8 and control characters but tab and newline become U+FFFD. */
void html_text(strbuf *out, const char *text);
/* The same as a string of JSON, with its quotes; safe inside <script>, too. */
void html_json(strbuf *out, const char *text);

#endif
