/* src/sass/translate.c - machine code, instruction by instruction. */
#include "sass/translate.h"

#include <string.h>

#include "sass/lower.h"
#include "sass/sass_text.h"

static sass_word word_at(const unsigned char *at)
{
    sass_word w = 0;

    for (unsigned i = SASS_BYTES; i-- > 0;)
        w = w << 8 | at[i];
    return w;
}

static void put_unknown(const sass_table *t, const sass_encoding *e,
                        sass_word w, uint64_t address, const char *why,
                        strbuf *out)
{
    strbuf_printf(out, "/*%04llx*/ 0x%016llx 0x%016llx ",
                  (unsigned long long)address, (unsigned long long)w,
                  (unsigned long long)(w >> 64));
    if (e)
        sass_put(t, e, w, address, out);
    else
        strbuf_printf(out, "opcode 0x%03x", (unsigned)sass_get(w, 0, 12));
    strbuf_printf(out, ": %s\n", why);
}

bool sass_translate(unsigned sm, const void *text, size_t bytes, isa_inst *out,
                    strbuf *unknown)
{
    const unsigned char *at = text;
    sass_table *t = sass_table_new(sm);
    bool good = true;

    if (!t) {
        strbuf_printf(unknown, "machine code of sm_%u is not known\n", sm);
        return false;
    }
    for (size_t i = 0; i < bytes / SASS_BYTES; i++) {
        sass_word w = word_at(at + i * SASS_BYTES);
        const sass_encoding *e = sass_find(t, w);
        const char *why = sass_find_code(t, w)
                              ? "a form of it that is not known"
                              : "an operation that is not known";

        if (e && sass_lower(t, e, w, (uint32_t)i, &out[i], &why))
            continue;
        put_unknown(t, e, w, i * SASS_BYTES, why, unknown);
        if (!e) {
            out[i] = isa_new(ISA_BPT);
            isa_finish(&out[i]);
        }
        good = false;
    }
    sass_table_free(t);
    return good;
}

void sass_print(unsigned sm, uint64_t address, const void *words, strbuf *out)
{
    sass_word w = word_at(words);
    sass_table *t = sass_table_new(sm);
    const sass_encoding *e = t ? sass_find(t, w) : NULL;

    if (e)
        sass_put(t, e, w, address, out);
    else
        strbuf_printf(out, "? opcode 0x%03x", (unsigned)sass_get(w, 0, 12));
    sass_table_free(t);
}
