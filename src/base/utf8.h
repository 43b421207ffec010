/* src/base/utf8.h - characters of UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

/* Bytes of the character at `s`, of text that ends with a NUL; 0 if it is none:
 * overlong, of a surrogate, or above 10FFFF [RFC3629:syntax]. */
unsigned utf8_length(const char *s);

#endif
