/* tests/unit/base/test_must.c - seen from outside, because it aborts. */
#include "base/must.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>

#include "base/alloc.h"
#include "ending.h"
#include "test.h"

static void dump(void *arg)
{
    fprintf(stderr, "dump of %s\n", (const char *)arg);
    MUST(!"no second dump");
}

static void fails(void)
{
    must_on_fail((must_hook){dump, "machine"});
    MUST(1 + 1 == 3);
}

static void holds(void)
{
    must_on_fail((must_hook){dump, "machine"});
    MUST(1 + 1 == 2);
}

TEST(failure_names_the_place_dumps_once_and_aborts)
{
    ending e = end_of(fails);

    CHECK_EQ(e.signal, SIGABRT);
    CHECK(strstr(e.text, "test_must.c:"));
    CHECK(strstr(e.text, "internal error: not true: 1 + 1 == 3\n"));
    CHECK(strstr(e.text, "dump of machine\n"));
    CHECK(strstr(strstr(e.text, "dump of machine") + 1, "dump of") == NULL);
}

TEST(success_says_nothing)
{
    ending e = end_of(holds);

    CHECK_EQ(e.code, 0);
    CHECK_STR(e.text, "");
}

static void tell(void *arg)
{
    fprintf(stderr, "thread of %s\n", (const char *)arg);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    fprintf(stderr, "that is all of %s\n", (const char *)arg);
}

static void *fail_in_a_thread(void *arg)
{
    must_on_fail((must_hook){tell, arg});
    MUST(!"it holds");
    return NULL;
}

static void two_threads_fail(void)
{
    pthread_t a, b;

    must_on_fail((must_hook){tell, "the first"});
    pthread_create(&a, NULL, fail_in_a_thread, "one");
    pthread_create(&b, NULL, fail_in_a_thread, "two");
    pthread_join(a, NULL);
}

TEST(of_two_threads_that_fail_one_tells_what_it_was_doing)
{
    ending e = end_of(two_threads_fail);

    CHECK_EQ(e.signal, SIGABRT);
    CHECK_EQ(e.lines, 4);
    CHECK(!strstr(e.text, "the first"));
    CHECK(strstr(e.text, "\nheddle: internal error, see above\n"));
    CHECK(!!strstr(e.text, "that is all of one\n") !=
          !!strstr(e.text, "that is all of two\n"));
}

static void crash(void *arg)
{
    (void)arg;
    fputs("dumping\n", stderr);
    raise(SIGSEGV);
}

static void fails_and_crashes(void)
{
    must_on_fail((must_hook){crash, NULL});
    MUST(!"it holds");
}

TEST(a_dump_that_crashes_does_not_hide_the_failure)
{
    ending e = end_of(fails_and_crashes);

    CHECK_EQ(e.signal, SIGABRT);
    CHECK(strstr(e.text, "it holds") && strstr(e.text, "dumping\n"));
}

TEST(what_was_told_before_is_put_back)
{
    must_hook one = {tell, "one"}, two = {tell, "two"};

    CHECK(must_on_fail(one).tell == NULL);
    CHECK_STR((const char *)must_on_fail(two).arg, "one");
    CHECK_STR((const char *)must_hook_now().arg, "two");
    CHECK_STR((const char *)must_on_fail((must_hook){0}).arg, "two");
}

TEST(checks_of_test_builds_do_not_evaluate_in_others)
{
    int n = 0;

    MUST_CHECK(++n > 0);
#ifdef HEDDLE_CHECKS
    CHECK_EQ(n, 1);
#else
    CHECK_EQ(n, 0);
#endif
}

typedef struct left {
    jmp_buf out;
    bool memory;
    char text[128];
} left;

static void leave(void *arg, bool memory, const char *text)
{
    left *l = arg;

    l->memory = memory;
    snprintf(l->text, sizeof l->text, "%s", text);
    longjmp(l->out, 1);
}

TEST(a_thread_with_an_escape_leaves_in_place_of_ending)
{
    static left l;
    must_escape before = must_leave_by((must_escape){leave, &l});

    CHECK(!before.leave);
    if (!setjmp(l.out))
        MUST(!"a bug");
    CHECK(!l.memory);
    CHECK(strstr(l.text, "test_must.c:") && strstr(l.text, "a bug"));
    if (!setjmp(l.out))
        new_array(SIZE_MAX / 2, 4);
    CHECK(l.memory);
    CHECK(strstr(l.text, "out of memory"));
    CHECK(must_leave_by(before).arg == &l);
}
