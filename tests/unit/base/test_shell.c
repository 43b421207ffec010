/* tests/unit/base/test_shell.c - what a shell gets is what was meant. */
#include "base/shell.h"

#include "test.h"

static void check(const char *word, const char *want)
{
    strbuf b = {0};

    shell_quote(word, &b);
    CHECK_STR(b.text, want);
    strbuf_fini(&b);
}

TEST(words_are_quoted_if_they_need_it)
{
    check("l1.ways=2,4", "l1.ways=2,4");
    check("/a/b-c_d.yaml", "/a/b-c_d.yaml");
    check("", "''");
    check("a b", "'a b'");
    check("buf:u32[64]", "'buf:u32[64]'");
    check("$HOME", "'$HOME'");
    check("it's", "'it'\\''s'");
}
