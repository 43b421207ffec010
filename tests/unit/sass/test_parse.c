/* Text is read back to the words that print it; what people write otherwise is
 * read too; what is wrong is told by its place. */
#include "test.h"

#include "base/strbuf.h"
#include "sass/sass_parse.h"
#include "sass/sass_text.h"

static sass_word word_of(uint64_t lower, uint64_t upper)
{
    return (sass_word)upper << 64 | lower;
}

static const struct {
    unsigned sm;
    uint64_t lower, upper;
    const char *text;
} words[] = {
#include "words.def"
};

/* Stall, yield, barriers and waits, which text has apart. */
static const sass_word control = (sass_word)0x1ffff << SASS_CONTROL;

/* Bits of operand caches that text tells of. */
static sass_word told(const sass_encoding *e)
{
    sass_word all = (sass_word)7 << SASS_REUSE, shown = 0;

    for (unsigned i = e->operand; i < e->field_count; i++)
        if (e->fields[i].reuse != SASS_NOWHERE)
            shown |= (sass_word)1 << e->fields[i].reuse;
    return ~all | shown;
}

/* Words of ptxas, all bits but the control codes. */
TEST(text_becomes_the_words_that_print_it)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        sass_table *t = sass_table_new(words[i].sm);
        sass_word want = word_of(words[i].lower, words[i].upper), got = 0;
        const char *where = "";

        if (!sass_parse(t, words[i].text, 0, NULL, &got, &where))
            TEST_FAIL("sm_%u: %s, understood up to: %s", words[i].sm,
                      words[i].text, where);
        if ((got ^ want) & ~control & told(sass_find(t, want)))
            TEST_FAIL("sm_%u: %s is 0x%016llx 0x%016llx, not 0x%016llx "
                      "0x%016llx",
                      words[i].sm, words[i].text, (unsigned long long)got,
                      (unsigned long long)(got >> 64), (unsigned long long)want,
                      (unsigned long long)(want >> 64));
        sass_table_free(t);
    }
}

/* Every encoding with bits of all kinds set: what prints is read as a word that
 * prints the same. */
TEST(what_prints_is_read)
{
    static const unsigned capabilities[] = {70, 75, 80, 90};
    uint64_t seed = 88172645463325252u;

    for (size_t c = 0; c < 4; c++) {
        sass_table *t = sass_table_new(capabilities[c]);
        size_t n;
        const sass_encoding *e = sass_encodings(t, &n);

        for (size_t i = 0; i < 8 * n; i++) {
            sass_word w = 0, back = 0;
            strbuf text = {0}, again = {0};
            const char *where = "";

            for (unsigned half = 0; half < 2; half++) {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                w = w << 64 | seed;
            }
            w = e[i % n].value | (w & ~e[i % n].mask & ~control);
            if (sass_find(t, w) != &e[i % n])
                continue;
            sass_put(t, &e[i % n], w, 0x1000, &text);
            if (!sass_parse(t, text.text, 0x1000, NULL, &back, &where))
                TEST_FAIL("sm_%u: %s, understood up to: %s", capabilities[c],
                          text.text, where);
            sass_put(t, sass_find(t, back), back, 0x1000, &again);
            CHECK_STR(again.text, text.text);
            strbuf_fini(&text);
            strbuf_fini(&again);
        }
        sass_table_free(t);
    }
}

static void check_word(const char *text, uint64_t lower, uint64_t upper)
{
    sass_table *t = sass_table_new(80);
    sass_word got = 0;
    const char *where = "";

    if (!sass_parse(t, text, 0, NULL, &got, &where))
        TEST_FAIL("%s: understood up to: %s", text, where);
    CHECK_EQ((uint64_t)got, lower);
    CHECK_EQ((uint64_t)(got >> 64), upper);
    sass_table_free(t);
}

/* FADD R0, R0, 1: numbers as people write them, and as bits; blanks. */
TEST(numbers_are_read_as_people_write_them)
{
    check_word("FADD R0, R0, 1", 0x3f80000000007421, 0);
    check_word("FADD R0,R0,1.0", 0x3f80000000007421, 0);
    check_word("FADD  R0 , R0 , 0x3f800000", 0x3f80000000007421, 0);
    check_word("FADD R0, R0, 1e-1", 0x3dcccccd00007421, 0);
    check_word("FADD R0, R0, -INF", 0xff80000000007421, 0);
    check_word("IADD3 R9, R9, 13, RZ", 0x0000000d09097810, 0x07ffe0ff);
    check_word("IADD3 R9, R9, -1, RZ", 0xffffffff09097810, 0x07ffe0ff);
}

static bool find_loop(void *context, const char *name, size_t length,
                      uint64_t *address)
{
    *address = *(uint64_t *)context;
    return length == 4 && !memcmp(name, "loop", 4);
}

/* The same words as where jumps print where they go, by name. */
TEST(jumps_go_to_labels)
{
    static const unsigned capabilities[] = {80, 90};
    static const uint64_t lower[] = {0xfffffff000007947, 0xfffffffc00fc7947};

    for (size_t i = 0; i < 2; i++) {
        sass_table *t = sass_table_new(capabilities[i]);
        uint64_t loop = 0x120;
        const sass_labels labels = {find_loop, &loop};
        sass_word w = 0;
        const char *where;

        CHECK(sass_parse(t, "BRA loop", 0x120, &labels, &w, &where));
        CHECK_EQ((uint64_t)w, lower[i]);
        CHECK_EQ((uint64_t)(w >> 64), 0x0383ffff);
        CHECK(sass_parse(t, "BRA `(loop)", 0x120, &labels, &w, &where));
        CHECK_EQ((uint64_t)w, lower[i]);
        CHECK(!sass_parse(t, "BRA lop", 0x120, &labels, &w, &where));
        CHECK_STR(where, " lop");
        CHECK(!sass_parse(t, "BRA 0x121", 0x120, &labels, &w, &where));
        sass_table_free(t);
    }
}

static void check_wrong(const char *text, const char *from)
{
    sass_table *t = sass_table_new(80);
    sass_word w;
    const char *where = "";

    if (sass_parse(t, text, 0, NULL, &w, &where))
        TEST_FAIL("%s is understood", text);
    CHECK_STR(where, from);
    sass_table_free(t);
}

TEST(what_is_wrong_is_told_by_its_place)
{
    check_wrong("FOO R1, R2", "FOO R1, R2");
    check_wrong("@P8 MOV R1, R2", "@P8 MOV R1, R2");
    check_wrong("IADD3 R1, R256, R3, R4", ", R256, R3, R4");
    check_wrong("IADD3 R1, R2, R3", "");
    check_wrong("IADD3 R1, R2, R3, R4, R5", ", R5");
    check_wrong("FADD.FTZ.BAR R1, R2, R3", ".BAR R1, R2, R3");
    check_wrong("LDG.E R1, [R2+0x800000]", ", [R2+0x800000]");
    check_wrong("BAR.SYNC 16", " 16");
    check_wrong("UMOV UR63, 0x1", " UR63, 0x1");
    check_wrong("FADD R0, R0, 1e39", ", 1e39");
    check_wrong("", "");
}

TEST(control_codes_are_read_as_they_print)
{
    for (uint64_t c = 0; c < 1u << 17; c += 0x3d) {
        sass_word w = (sass_word)c << SASS_CONTROL, back = 0;
        strbuf text = {0};
        const char *at;

        if ((c >> 5 & 7) == 6 || (c >> 8 & 7) == 6)
            continue; /* there are six barriers */
        sass_put_control(w, &text);
        strbuf_putc(&text, '!');
        at = text.text;
        CHECK(sass_parse_control(&at, &back));
        CHECK(back == w);
        CHECK_STR(at, "!");
        strbuf_fini(&text);
    }
}

TEST(wrong_control_codes_are_refused)
{
    static const char *const texts[] = {
        "",
        "[B------:R-:W-:Y:S16]",
        "[B------:R6:W-:Y:S01]",
        "[B-----:R-:W-:Y:S01]",
        "[B1-----:R-:W-:Y:S01]",
        "[B------:R-:W-:X:S01]",
        "[B------:R-:W-:Y:S1]",
        "[B------:R-:W-:Y:S01",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *at = texts[i];
        sass_word w = 0;

        CHECK(!sass_parse_control(&at, &w));
        CHECK(at == texts[i]);
    }
}
