/* src/sass/parse_parts.c - words and numbers of instructions. */
#include "sass/parse_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == '\t')
        ++*at;
}

bool sass_read_text(const char **at, const char *text)
{
    size_t n = strlen(text);

    skip_blanks(at);
    if (strncmp(*at, text, n))
        return false;
    if (in_word(text[n - 1]) && in_word((*at)[n]))
        return false;
    *at += n;
    return true;
}

bool sass_read_maybe(const char **at, const char *text)
{
    const char *from = *at;

    if (sass_read_text(at, text))
        return true;
    *at = from;
    return false;
}

/* ---- Numbers ---- */

/* Without a sign, 64 bits. */
static bool parse_digits(const char **at, uint64_t *value)
{
    bool hex;
    char *end;

    skip_blanks(at);
    hex = (*at)[0] == '0' && ((*at)[1] == 'x' || (*at)[1] == 'X');
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *value = strtoull(*at, &end, hex ? 16 : 10);
    if (errno || in_word(*end))
        return false;
    *at = end;
    return true;
}

bool sass_read_number(const char **at, int64_t *value)
{
    bool minus = sass_read_maybe(at, "-");
    uint64_t v;

    if (!parse_digits(at, &v) || v > INT64_MAX)
        return false;
    *value = minus ? -(int64_t)v : (int64_t)v;
    return true;
}

bool sass_read_signed(const char **at, sass_word *w, unsigned bit,
                      unsigned width)
{
    int64_t v, most = (INT64_C(1) << (width - 1)) - 1;

    if (!sass_read_number(at, &v) || v > most || v < -most - 1)
        return false;
    sass_set(w, bit, width, (uint64_t)v);
    return true;
}

bool sass_read_unsigned(const char **at, sass_word *w, unsigned bit,
                        unsigned width)
{
    int64_t v;

    if (!sass_read_number(at, &v) || v < 0 || v >> width)
        return false;
    sass_set(w, bit, width, (uint64_t)v);
    return true;
}

/* Decimal, and less than 1000. */
static bool short_number(const char **at, unsigned *number)
{
    unsigned v = 0, digits = 0;

    while (isdigit((unsigned char)**at) && digits++ < 3)
        v = v * 10 + (unsigned)(*(*at)++ - '0');
    *number = v;
    return digits && !in_word(**at);
}

/* ---- Names ---- */

bool sass_read_register(const char **at, bool uniform, unsigned *number)
{
    skip_blanks(at);
    if (uniform && *(*at)++ != 'U')
        return false;
    if (*(*at)++ != 'R')
        return false;
    if (**at == 'Z' && !in_word((*at)[1])) {
        ++*at;
        *number = uniform ? SASS_URZ : SASS_RZ;
        return true;
    }
    return short_number(at, number) && *number < (uniform ? SASS_URZ : SASS_RZ);
}

bool sass_read_predicate(const char **at, bool uniform, bool complement,
                         unsigned *number)
{
    bool negated = complement && sass_read_maybe(at, "!");

    skip_blanks(at);
    if (uniform && *(*at)++ != 'U')
        return false;
    if (*(*at)++ != 'P')
        return false;
    if (**at == 'T' && !in_word((*at)[1])) {
        ++*at;
        *number = SASS_PT;
    } else if (!short_number(at, number) || *number >= SASS_PT) {
        return false;
    }
    *number |= negated ? 8 : 0;
    return true;
}

bool sass_read_counted(const char **at, const char *letters, unsigned most,
                       unsigned *number)
{
    skip_blanks(at);
    if (strncmp(*at, letters, strlen(letters)))
        return false;
    *at += strlen(letters);
    return short_number(at, number) && *number <= most;
}

bool sass_read_place(const char **at, const sass_labels *labels,
                     uint64_t *address)
{
    const char *name;
    int64_t v;
    bool quoted;

    skip_blanks(at);
    if (isdigit((unsigned char)**at))
        return parse_digits(at, address);
    if (**at == '-') {
        if (!sass_read_number(at, &v))
            return false;
        *address = (uint64_t)v;
        return true;
    }
    quoted = sass_read_maybe(at, "`(");
    name = *at;
    while (in_word(**at) || **at == '.' || **at == '$')
        ++*at;
    return *at != name && labels &&
           labels->find(labels->context, name, (size_t)(*at - name), address) &&
           (!quoted || sass_read_text(at, ")"));
}
