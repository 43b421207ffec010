/* src/base/must.h - checks for our own bugs, on in every build, and the last
 * words of a process that cannot go on. */
#ifndef BASE_MUST_H
#define BASE_MUST_H

#include <stdbool.h>

/* Prints the place and the condition, then aborts. `cond` has no effects. */
#define MUST(cond)                                                             \
    ((void)(__builtin_expect(!(cond), 0)                                       \
                ? (must_fail(__FILE__, __LINE__, #cond), 0)                    \
                : 0))

/* Accounting that costs too much for a release build: test builds only. */
#ifdef HEDDLE_CHECKS
#define MUST_CHECK(cond) MUST(cond)
#else
#define MUST_CHECK(cond) ((void)sizeof(!(cond)))
#endif

#define COUNTOF(a) (sizeof(a) / sizeof((a)[0]))

_Noreturn void must_fail(const char *file, int line, const char *cond);

/* What a thread is doing, printed to stderr when it fails. */
typedef struct must_hook {
    void (*tell)(void *arg); /* NULL: nobody knows */
    void *arg;
} must_hook;

/* From now on, for this thread. Returns what it was, to be put back. */
must_hook must_on_fail(must_hook hook);
must_hook must_hook_now(void); /* so that a thread's helpers can have it too */

/* How a thread can be left where it stands in place of ending the process: for
 * the library, whose caller goes on. `leave` gets what would be printed, and
 * whether memory ran out; it must not return. What the thread held is lost. */
typedef struct must_escape {
    void (*leave)(void *arg, bool memory, const char *text); /* NULL: none */
    void *arg;
} must_escape;

/* From now on, for this thread; its helpers have none. Returns what it was. */
must_escape must_leave_by(must_escape escape);
/* Leaves, if the thread can be left. */
void must_try_to_leave(bool memory, const char *text);

/* For must_fail and its like: only one thread goes on from here. If it fails
 * again, in its last words, it ends at once. */
void must_fail_alone(int exit_code); /* 0: it aborts */

/* Tells what the thread was doing, for ten seconds at most and whatever state
 * it left behind, then `why` again in the last line, as that is what parents
 * of a process show, and ends. */
_Noreturn void must_last_words(const char *why);

#endif
