/* Bytes that both sides of a session see. */
#include "session/shared_tail.h"

#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

static void check_rest(const tail *t, uint64_t received, const char *want)
{
    const char *bytes;
    size_t n = tail_rest(t, received, &bytes);

    CHECK_EQ(n, strlen(want));
    CHECK(!n || !memcmp(bytes, want, n));
}

/* Whatever of it was sent before the writer died, the rest is there. */
TEST(the_rest_begins_where_sending_ended)
{
    int fd;
    tail *mine = tail_new(&fd), *other;
    size_t n;

    CHECK(mine && fd >= 0);
    other = tail_open(fd);
    CHECK(other);
    close(fd);
    tail_sent(mine, 5); /* something that never was in it */
    check_rest(other, 5, "");
    CHECK(tail_put(mine, "abc", 3));
    CHECK(tail_put(mine, "de", 2));
    check_rest(other, 5, "abcde");
    check_rest(other, 7, "cde"); /* died in the middle of sending */
    check_rest(other, 10, "");   /* or just before it said so */
    check_rest(other, 4, "");    /* cannot be */
    CHECK(!memcmp(tail_bytes(mine, &n), "abcde", 5));
    CHECK_EQ(n, 5);
    tail_sent(mine, 2); /* two more behind these */
    check_rest(other, 12, "");
    CHECK(tail_put(mine, "f", 1));
    check_rest(other, 12, "f");
    tail_free(mine);
    check_rest(other, 12, "f"); /* the writer is gone */
    tail_free(other);
}

TEST(a_full_tail_takes_no_more)
{
    char bytes[1000] = {0};
    int fd;
    tail *t = tail_new(&fd);
    size_t n = 0, held;

    while (tail_put(t, bytes, sizeof bytes))
        n += sizeof bytes;
    CHECK(n > 0);
    tail_bytes(t, &held);
    CHECK_EQ(held, n);
    tail_sent(t, 0);
    CHECK(tail_put(t, bytes, sizeof bytes));
    tail_free(t);
    close(fd);
}

/* Descriptors come from programs: nothing that could shrink is looked at. */
TEST(other_memory_is_refused)
{
    int fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    CHECK(fd >= 0);
    CHECK(!tail_open(fd));
    CHECK_EQ(ftruncate(fd, 1 << 20), 0);
    CHECK(!tail_open(fd));
    CHECK(!tail_open(-1));
    CHECK(!tail_open(0));
    close(fd);
    tail_free(NULL);
}
