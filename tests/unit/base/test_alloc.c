/* tests/unit/base/test_alloc.c - what ends the process is seen from outside. */
#include "base/alloc.h"

#include <stdlib.h>

#include "ending.h"
#include "test.h"

TEST(zeroed_memory_is_zero_and_takes_no_elements)
{
    uint32_t *p = new0(100, sizeof *p);

    for (unsigned i = 0; i < 100; i++)
        CHECK_EQ(p[i], 0);
    free(p);
    CHECK((p = new0(0, sizeof *p)));
    free(p);
    CHECK((p = new_array(5, 0)));
    free(p);
}

TEST(copies_are_their_own)
{
    char text[] = "twelve bytes";
    char *whole = new_text(text), *part = new_text_n(text, 6);
    char *bytes = new_copy(text, 3, 2);

    text[0] = 'x';
    CHECK_STR(whole, "twelve bytes");
    CHECK_STR(part, "twelve");
    CHECK(!memcmp(bytes, "twelve", 6));
    free(whole);
    free(part);
    free(bytes);
}

TEST(aligned_memory_is_aligned_and_zero)
{
    unsigned char *p = new_aligned(64, 100);

    CHECK_EQ((uintptr_t)p % 64, 0);
    for (unsigned i = 0; i < 100; i++)
        CHECK_EQ(p[i], 0);
    free(p);
}

/* An array that doubles moves at most 2 n elements in all: 20 times up to a
 * million of them. */
TEST(an_array_grows_with_what_is_put_into_it)
{
    uint32_t *at = NULL, count = 0, room = 0;
    unsigned moves = 0;

    while (count < 1000000) {
        uint32_t before = room;

        GROW(at, count + 1, room);
        moves += room != before;
        at[count] = count;
        count++;
        CHECK(room >= count && room >= before);
    }
    for (uint32_t i = 0; i < count; i++)
        CHECK_EQ(at[i], i);
    CHECK(moves <= 20);
    GROW(at, 5000000, room);
    CHECK_EQ(room, 5000000);
    free(at);
}

static void too_many(void) { free(new0(SIZE_MAX / 8, 16)); }

static void too_large(void) { free(new_array((size_t)PTRDIFF_MAX / 2, 1)); }

static void too_many_for_room(void)
{
    uint8_t few = 250, *at = new_array(few, 1);

    GROW(at, 251u, few);
    free(at);
}

TEST(a_product_that_overflows_is_no_small_allocation)
{
    ending e = end_of(too_many);

    CHECK_EQ(e.code, ALLOC_EXIT);
    CHECK(strstr(e.text, "heddle: out of memory: more bytes than can be "
                         "counted for too_many ("));
    CHECK(alloc_try_zeroed(SIZE_MAX / 8, 16) == NULL);
    CHECK(alloc_try_array(SIZE_MAX / 8, 16) == NULL);
    CHECK(alloc_try_renew(NULL, SIZE_MAX / 8, 16) == NULL);
}

/* AddressSanitizer: as malloc does, not an error of its own. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

TEST(what_the_host_lacks_ends_in_a_sentence_and_exit_code_7)
{
    ending e = end_of(too_large);
    const char *said = strstr(e.text, "heddle: out of memory: "
                                      "4611686018427387903 bytes for "
                                      "too_large (");

    CHECK_EQ(e.code, 7);
    CHECK(said && strstr(said, "ulimit -v"));
    CHECK(strchr(said, '\n') == said + strlen(said) - 1); /* one line */
}

TEST(a_room_that_its_type_cannot_count_is_a_bug)
{
    ending e = end_of(too_many_for_room);

    CHECK_EQ(e.signal, SIGABRT);
    CHECK(strstr(e.text, "internal error"));
}

#ifdef HEDDLE_CHECKS
static void second_fails(void)
{
    alloc_fail_nth(2, 0);
    free(new0(1, 8));
    fputs("first\n", stderr);
    free(new0(3, 8));
    fputs("second\n", stderr);
}

TEST(the_nth_allocation_fails_if_a_test_says_so)
{
    ending e = end_of(second_fails);

    CHECK_EQ(e.code, 7);
    CHECK(strstr(e.text, "first\n") && !strstr(e.text, "second\n"));
    CHECK(strstr(e.text, "out of memory: 24 bytes for second_fails ("));
}

TEST(what_may_fail_returns_nothing_and_leaves_the_old)
{
    char *p = new_text("kept");

    alloc_fail_nth(1, 1);
    CHECK(alloc_try_renew(p, 100, 1) == NULL);
    CHECK(alloc_try_zeroed(1, 1) == NULL);
    CHECK(alloc_try_array(1, 1) == NULL);
    CHECK(alloc_try_aligned(64, 1) == NULL);
    alloc_fail_nth(0, 0);
    CHECK_STR(p, "kept");
    free(p);
}

static void tell(void *arg)
{
    fprintf(stderr, "while %s\n", (const char *)arg);
    free(new0(1, 1)); /* fails, too */
    fputs("not reached\n", stderr);
}

static void says_what_it_did(void)
{
    must_on_fail((must_hook){tell, "weaving"});
    alloc_fail_nth(1, 1);
    free(new0(1, 8));
}

TEST(the_last_words_tell_what_was_done_and_fail_only_once)
{
    ending e = end_of(says_what_it_did);

    CHECK_EQ(e.code, 7);
    CHECK(strstr(e.text, "while weaving\n") && !strstr(e.text, "not reached"));
    CHECK_EQ(e.lines, 2);
}
#endif
