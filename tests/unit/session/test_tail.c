/* Bytes that both sides of a session see. */
#include "session/shared_tail.h"

#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

static void check_rest(const shared_tail *t, uint64_t received,
                       const char *want)
{
    const char *bytes;
    size_t n = shared_tail_rest(t, received, &bytes);

    CHECK_EQ(n, strlen(want));
    CHECK(!n || !memcmp(bytes, want, n));
}

/* Whatever of it was sent before the writer died, the rest is there. */
TEST(the_rest_begins_where_sending_ended)
{
    int fd;
    shared_tail *mine = shared_tail_new(&fd), *other;
    size_t n;

    CHECK(mine && fd >= 0);
    other = shared_tail_open(fd);
    CHECK(other);
    close(fd);
    shared_tail_sent(mine, 5); /* something that never was in it */
    check_rest(other, 5, "");
    CHECK(shared_tail_put(mine, "abc", 3));
    CHECK(shared_tail_put(mine, "de", 2));
    check_rest(other, 5, "abcde");
    check_rest(other, 7, "cde"); /* died in the middle of sending */
    check_rest(other, 10, "");   /* or just before it said so */
    check_rest(other, 4, "");    /* cannot be */
    CHECK(!memcmp(shared_tail_bytes(mine, &n), "abcde", 5));
    CHECK_EQ(n, 5);
    shared_tail_sent(mine, 2); /* two more behind these */
    check_rest(other, 12, "");
    CHECK(shared_tail_put(mine, "f", 1));
    check_rest(other, 12, "f");
    shared_tail_free(mine);
    check_rest(other, 12, "f"); /* the writer is gone */
    shared_tail_free(other);
}

TEST(a_full_tail_takes_no_more)
{
    char bytes[1000] = {0};
    int fd;
    shared_tail *t = shared_tail_new(&fd);
    size_t n = 0, held;

    while (shared_tail_put(t, bytes, sizeof bytes))
        n += sizeof bytes;
    CHECK(n > 0);
    shared_tail_bytes(t, &held);
    CHECK_EQ(held, n);
    shared_tail_sent(t, 0);
    CHECK(shared_tail_put(t, bytes, sizeof bytes));
    shared_tail_free(t);
    close(fd);
}

TEST(a_question_is_seen_until_it_is_forgotten)
{
    int fd;
    shared_tail *mine = shared_tail_new(&fd), *other = shared_tail_open(fd);

    CHECK(other && !shared_tail_asked(mine));
    shared_tail_ask(other);
    CHECK(shared_tail_asked(mine));
    shared_tail_forget(mine);
    CHECK(!shared_tail_asked(mine));
    shared_tail_free(mine);
    shared_tail_free(other);
    close(fd);
}

/* Descriptors come from programs: nothing that could shrink is looked at. */
TEST(other_memory_is_refused)
{
    int fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    CHECK(fd >= 0);
    CHECK(!shared_tail_open(fd));
    CHECK_EQ(ftruncate(fd, 1 << 20), 0);
    CHECK(!shared_tail_open(fd));
    CHECK(!shared_tail_open(-1));
    CHECK(!shared_tail_open(0));
    close(fd);
    shared_tail_free(NULL);
}
