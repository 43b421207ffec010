#include "base/utf8.h"

unsigned utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    unsigned n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    unsigned second = s[0] == 0xe0   ? 0xa0
                      : s[0] == 0xf0 ? 0x90
                                     : 0x80; /* least: none is overlong */
    unsigned last = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;

    if (n == 1)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4 || s[1] < second || s[1] > last)
        return 0;
    for (unsigned i = 2; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}
