/* src/sass/inst_text.c - so far the number of the operation alone. */
#include "sass/inst_text.h"

#include <string.h>

void sass_print(unsigned sm, uint64_t address, const void *words, strbuf *out)
{
    uint64_t low;

    (void)sm, (void)address;
    memcpy(&low, words, sizeof low);
    strbuf_printf(out, "OP_0x%03x", (unsigned)(low & 0xfff));
}
