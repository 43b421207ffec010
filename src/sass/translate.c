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

/* Fetches of textures come in order, so that one may count on no scoreboard
 * where a later one does: here it counts on that, too. The scoreboards that
 * they use. */
static unsigned count_fetches(isa_inst *code, size_t count)
{
    enum { NONE = 7 };
    unsigned set = 0, last = 5;

    for (size_t i = count; i-- > 0;) {
        unsigned board = code[i].ctl >> CTL_WRITE_BAR & NONE;

        if (code[i].class != ISA_CLASS_TEX || !code[i].dst_regs)
            continue;
        if (board == NONE)
            code[i].ctl ^= (last ^ NONE) << CTL_WRITE_BAR;
        else
            last = board;
        set |= 1u << last;
    }
    return set;
}

/* DEPBAR.LE lets as many of them be under way as it says; here it waits for
 * all, as scoreboards only tell that. */
static void wait_for_fetches(const unsigned char *at, isa_inst *code,
                             size_t count)
{
    enum { BOARD = 44 };
    unsigned set = count_fetches(code, count);

    for (size_t i = 0; i < count; i++) {
        unsigned board =
            (unsigned)sass_get(word_at(at + i * SASS_BYTES), BOARD, 3);

        if (code[i].op == ISA_DEPBAR && set >> board & 1)
            code[i].ctl |= 1u << (CTL_WAIT + board);
    }
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
    wait_for_fetches(at, out, bytes / SASS_BYTES);
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
