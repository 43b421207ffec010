#include "replay/words.h"

#include <string.h>

bool word_next(const char **at, word *out)
{
    const char *p = *at;

    while (*p == ' ' || *p == '\t')
        p++;
    out->at = p;
    while (*p && *p != ' ' && *p != '\t')
        p++;
    out->size = (size_t)(p - out->at);
    *at = p;
    return out->size != 0;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

static bool number(word w, unsigned base, uint64_t most, uint64_t *out)
{
    uint64_t v = 0;

    if (!w.size)
        return false;
    for (size_t i = 0; i < w.size; i++) {
        unsigned d = (unsigned)digit_of(w.at[i]);

        if (d >= base || v > (most - (d <= most ? d : most)) / base || d > most)
            return false;
        v = v * base + d;
    }
    *out = v;
    return true;
}

bool word_decimal(word w, uint64_t most, uint64_t *out)
{
    return number(w, 10, most, out);
}

bool word_hex(word w, uint64_t most, uint64_t *out)
{
    if (w.size > 2 && w.at[0] == '0' && (w.at[1] == 'x' || w.at[1] == 'X'))
        w = (word){w.at + 2, w.size - 2};
    return number(w, 16, most, out);
}

bool word_signed(word w, int64_t *out)
{
    bool minus = w.size && w.at[0] == '-';
    uint64_t v;

    if (minus)
        w = (word){w.at + 1, w.size - 1};
    if (!word_decimal(w, (uint64_t)INT64_MAX + minus, &v))
        return false;
    *out = minus ? (int64_t)-v : (int64_t)v;
    return true;
}
