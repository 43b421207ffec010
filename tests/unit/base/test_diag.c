/* tests/unit/base/test_diag.c - messages as the user sees them. */
#include "base/diag.h"

#include "test.h"

/* What diag_print writes; the caller frees it. */
static char *printed(const diag *dg, bool colour)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    diag_print(dg, f, colour);
    fclose(f);
    return text;
}

#define CHECK_PRINTED(dg, want)                                                \
    do {                                                                       \
        char *text_ = printed(dg, false);                                      \
        bool same_ = !strcmp(text_, want);                                     \
        if (!same_)                                                            \
            fprintf(stderr, "printed:\n%s", text_);                            \
        free(text_);                                                           \
        CHECK(same_);                                                          \
    } while (0)

TEST(place_line_and_caret)
{
    static const char source[] = "sm:\n  warsp: 48\n";
    diag *dg = diag_new();

    diag_source(dg, "gpu.yaml", source, strlen(source));
    diag_add(dg, DIAG_ERROR, "gpu.yaml", 2, 3, 5, "unknown key '%s'", "warsp");
    CHECK_PRINTED(dg, "gpu.yaml:2:3: error: unknown key 'warsp'\n"
                      "    warsp: 48\n"
                      "    ^~~~~\n");
    diag_free(dg);
}

TEST(less_place_less_text)
{
    diag *dg = diag_new();

    diag_error(dg, "no GPU");
    diag_add(dg, DIAG_WARNING, "a.ptx", 0, 0, 0, "empty");
    diag_add(dg, DIAG_NOTE, "a.ptx", 7, 0, 0, "no text known");
    CHECK_PRINTED(dg, "error: no GPU\n"
                      "a.ptx: warning: empty\n"
                      "a.ptx:7: note: no text known\n");
    CHECK_EQ(diag_count(dg), 3);
    CHECK_EQ(diag_errors(dg), 1);
    CHECK_EQ(diag_get(dg, 1)->length, 1);
    diag_free(dg);
}

TEST(tabs_and_multibyte_characters_keep_the_caret_in_place)
{
    static const char source[] = "\t\xc3\xa4\xc3\xb6 x";
    diag *dg = diag_new();

    diag_source(dg, "f", source, strlen(source));
    diag_add(dg, DIAG_ERROR, "f", 1, 7, 1, "here");
    CHECK_PRINTED(dg, "f:1:7: error: here\n"
                      "  \t\xc3\xa4\xc3\xb6 x\n"
                      "  \t   ^\n");
    diag_free(dg);
}

TEST(control_characters_are_not_sent_to_a_terminal)
{
    static const char source[] = "a\033[2Jb\r\n";
    diag *dg = diag_new();

    diag_source(dg, "f", source, strlen(source));
    diag_add(dg, DIAG_ERROR, "f", 1, 1, 1, "here");
    CHECK_PRINTED(dg, "f:1:1: error: here\n"
                      "  a?[2Jb\n"
                      "  ^\n");
    diag_free(dg);
}

TEST(of_a_very_long_line_only_the_place_is_shown)
{
    char source[100000];
    diag *dg = diag_new();
    char *text;

    memset(source, 'x', sizeof source);
    diag_source(dg, "f", source, sizeof source);
    diag_add(dg, DIAG_ERROR, "f", 1, 50001, 100000, "here");
    text = printed(dg, false);
    CHECK_EQ(strlen(text), strlen("f:1:50001: error: here\n") + 2 + 160 + 1 +
                               2 + 80 + 80 + 1);
    free(text);
    diag_free(dg);
}

TEST(places_outside_the_text_are_harmless)
{
    diag *dg = diag_new();

    diag_source(dg, "f", "one\n", 4);
    diag_add(dg, DIAG_ERROR, "f", 9, 9, 9, "line");
    diag_add(dg, DIAG_ERROR, "f", 1, 9, 9, "column");
    diag_add(dg, DIAG_ERROR, "f", 1, 4, 9, "end");
    diag_add(dg, DIAG_ERROR, "f", 2, 1, 1, "last line");
    CHECK_PRINTED(dg, "f:9:9: error: line\n"
                      "f:1:9: error: column\n  one\n"
                      "f:1:4: error: end\n  one\n     ^\n"
                      "f:2:1: error: last line\n  \n  ^\n");
    diag_free(dg);
}

TEST(errors_beyond_a_thousand_are_counted_only)
{
    diag *dg = diag_new();
    char *text;

    for (int i = 0; i < 1005; i++)
        diag_error(dg, "x");
    CHECK_EQ(diag_errors(dg), 1005);
    CHECK_EQ(diag_count(dg), 1000);
    text = printed(dg, false);
    CHECK_STR(text + strlen(text) - strlen("5 more errors\n"),
              "5 more errors\n");
    free(text);
    diag_free(dg);
}

TEST(texts_are_copies)
{
    char file[] = "a.yaml", source[] = "abc";
    diag *dg = diag_new();

    diag_source(dg, file, source, 3);
    diag_add(dg, DIAG_ERROR, file, 1, 2, 1, "%s", source);
    file[0] = source[0] = 'Z';
    CHECK_PRINTED(dg, "a.yaml:1:2: error: abc\n  abc\n   ^\n");
    diag_free(dg);
}

TEST(clear_forgets_messages_but_not_sources)
{
    diag *dg = diag_new();

    diag_source(dg, "f", "abc", 3);
    diag_error(dg, "gone");
    diag_clear(dg);
    CHECK_EQ(diag_count(dg), 0);
    CHECK_EQ(diag_errors(dg), 0);
    diag_add(dg, DIAG_ERROR, "f", 1, 1, 1, "here");
    CHECK_PRINTED(dg, "f:1:1: error: here\n  abc\n  ^\n");
    diag_free(dg);
}

TEST(colour_is_only_added_when_asked_for)
{
    diag *dg = diag_new();
    char *text;

    diag_error(dg, "x");
    text = printed(dg, true);
    CHECK_STR(text, "\033[1;31merror:\033[0m x\n");
    free(text);
    diag_free(dg);
    diag_free(NULL);
}
