/* The table of encodings is one: no word is two instructions, no bit is two
 * fields; what it prints, and that bits which no field has are noticed. */
#include "test.h"

#include "base/strbuf.h"
#include "sass/sass_text.h"

static const unsigned capabilities[] = {70, 75, 80, 86, 89, 90};
#define EACH_CAPABILITY(i)                                                     \
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)

static sass_word word_of(uint64_t lower, uint64_t upper)
{
    return (sass_word)upper << 64 | lower;
}

TEST(other_capabilities_have_no_table)
{
    CHECK(!sass_table_new(61));
    CHECK(!sass_table_new(100));
}

/* Two rows of the same bits 11..0 differ in a bit that both ask for. */
TEST(no_word_is_two_instructions)
{
    EACH_CAPABILITY(i)
    {
        sass_table *t = sass_table_new(capabilities[i]);
        size_t n;
        const sass_encoding *e = sass_encodings(t, &n);

        CHECK(n > 300);
        for (size_t a = 0; a < n; a++)
            for (size_t b = a + 1; b < n; b++)
                if (sass_get(e[a].value ^ e[b].value, 0, 12) == 0 &&
                    !((e[a].value ^ e[b].value) & e[a].mask & e[b].mask))
                    TEST_FAIL("sm_%u: %s (%s) and %s (%s), 0x%03x",
                              capabilities[i], e[a].row->text, e[a].row->mods,
                              e[b].row->text, e[b].row->mods,
                              (unsigned)sass_get(e[a].value, 0, 12));
        sass_table_free(t);
    }
}

/* What is asked for is free of other fields' variable bits: all ones in the
 * free bits, and none, are found again, or refused for a value of a group. */
TEST(free_bits_do_not_change_what_it_is)
{
    sass_table *t = sass_table_new(90);
    size_t n;
    const sass_encoding *e = sass_encodings(t, &n);

    for (size_t i = 0; i < n; i++) {
        const sass_encoding *zeros = sass_find(t, e[i].value),
                            *ones = sass_find(t, e[i].value | ~e[i].mask);

        CHECK(!zeros || zeros == &e[i]);
        CHECK(!ones || ones == &e[i]);
    }
    sass_table_free(t);
}

/* A bit that no field has makes it unknown, but in guard and control. */
TEST(bits_without_a_field_are_noticed)
{
    sass_table *t = sass_table_new(80);
    /* IADD3 R9, R9, R13, RZ */
    sass_word w = word_of(0x0000000d09097210, 0x07ffe0ff);

    CHECK(sass_find(t, w));
    CHECK(sass_find(t, w | word_of(0, 0x001fe80000000000))); /* control */
    CHECK(!sass_find(t, w | word_of(1ull << 45, 0)));
    CHECK(!sass_find(t, w ^ word_of(0, 1ull << 23))); /* carry in */
    CHECK(!sass_find(t, word_of(0x0000000000000fff, 0)));
    CHECK(sass_find_code(t, w | word_of(1ull << 45, 0)));
    CHECK(!sass_find_code(t, word_of(0xfff, 0)));
    sass_table_free(t);
}

static const struct {
    unsigned sm;
    uint64_t lower, upper;
    const char *text;
} words[] = {
#include "words.def"
};

/* Words that ptxas made of our own PTX. The printer was compared with 12,711
 * lines that CuAssembler collected of the vendor's disassembler for sm_70, 75,
 * 80 and 86 [CUASM:repos]: each was the same, to the letter. */
TEST(instructions_print_as_the_vendor_has_them)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        sass_table *t = sass_table_new(words[i].sm);
        sass_word w = word_of(words[i].lower, words[i].upper);
        const sass_encoding *e = sass_find(t, w);
        strbuf text = {0};

        if (!e)
            TEST_FAIL("unknown: %s", words[i].text);
        sass_put(t, e, w, 0, &text);
        if (strcmp(text.text, words[i].text))
            TEST_FAIL("%s, not %s", text.text, words[i].text);
        strbuf_fini(&text);
        sass_table_free(t);
    }
}

static void check_text(unsigned sm, uint64_t address, sass_word w,
                       const char *want)
{
    sass_table *t = sass_table_new(sm);
    const sass_encoding *e = sass_find(t, w);
    strbuf text = {0};

    CHECK(e);
    sass_put(t, e, w, address, &text);
    CHECK_STR(text.text, want);
    strbuf_fini(&text);
    sass_table_free(t);
}

/* The loop at the end of all code jumps to itself: 16 bytes back. Hopper has
 * the lower eight bits of the distance in words elsewhere. */
TEST(jumps_print_where_they_go)
{
    check_text(80, 0x120, word_of(0xfffffff000007947, 0x0383ffff), "BRA 0x120");
    check_text(90, 0x120, word_of(0xfffffffc00fc7947, 0x0383ffff), "BRA 0x120");
}

/* +INF and NaN have a blank behind them, large numbers an exponent. */
TEST(numbers_print_as_the_vendor_has_them)
{
    /* FADD R0, R0, immediate */
    check_text(80, 0, word_of(0x7f80000000007421, 0), "FADD R0, R0, +INF ");
    check_text(80, 0, word_of(0x7fc0000000007421, 0), "FADD R0, R0, +QNAN ");
    check_text(80, 0, word_of(0x5f80000000007421, 0),
               "FADD R0, R0, 1.84467440737095516160e+19");
    check_text(80, 0, word_of(0x3dcccccd00007421, 0),
               "FADD R0, R0, 0.10000000149011611938");
}

TEST(control_codes_print_by_their_fields)
{
    strbuf text = {0};

    /* waits for 0 and 5, reads 2, writes 3, stalls 11, may yield */
    sass_put_control(word_of(0, (uint64_t)0x10a6b << 41), &text);
    CHECK_STR(text.text, "[B"
                         "0----5:R2:W3:Y:S11]");
    strbuf_fini(&text);
}
