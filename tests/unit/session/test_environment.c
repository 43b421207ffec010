/* tests/unit/session/test_environment.c - what a program's environment is made
 * of. */
#include "session/environment.h"
#include "test.h"

static char *const ours[] = {"HOME=/root", "PATH=/bin", "EMPTY=", "P=a:b",
                             NULL};

/* All of it, with a blank behind each. */
static const char *made(const char *const *entries)
{
    static char all[1000];
    arena *mem = arena_new();
    char **env = environment_make(ours, entries, mem);

    *all = '\0';
    for (size_t i = 0; env[i]; i++)
        strcat(strcat(all, env[i]), " ");
    arena_free(mem);
    return all;
}

#define MADE(...) made((const char *const[]){__VA_ARGS__, NULL})

TEST(without_entries_it_is_ours)
{
    CHECK_STR(made(NULL), "HOME=/root PATH=/bin EMPTY= P=a:b ");
}

TEST(an_entry_replaces_a_value_or_is_new)
{
    CHECK_STR(MADE("PATH=/usr/bin=x", "NEW=1"),
              "HOME=/root EMPTY= P=a:b PATH=/usr/bin=x NEW=1 ");
    CHECK_STR(MADE("PA=1"), "HOME=/root PATH=/bin EMPTY= P=a:b PA=1 ");
}

TEST(a_value_goes_before_what_there_is)
{
    CHECK_STR(MADE("P+=first", "EMPTY+=x", "NEW+=y"),
              "HOME=/root PATH=/bin P=first:a:b EMPTY=x NEW=y ");
}

TEST(a_value_goes_before_that_of_another_entry)
{
    CHECK_STR(MADE("P+=first", "P=own"),
              "HOME=/root PATH=/bin EMPTY= P=first:own ");
    CHECK_STR(MADE("P=own", "P+=first"),
              "HOME=/root PATH=/bin EMPTY= P=first:own ");
}
