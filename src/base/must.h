/* src/base/must.h - checks for our own bugs, on in every build. */
#ifndef BASE_MUST_H
#define BASE_MUST_H

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

/* Called by must_fail before it aborts, to dump the machine; NULL is none. */
void must_on_fail(void (*hook)(void *arg), void *arg);

#endif
