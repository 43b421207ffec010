#include "gpu/bell.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { LOOKS = 32 }; /* between two looks at the clock */

unsigned bell_heard(bell *b)
{
    return atomic_load_explicit(&b->rung, memory_order_acquire);
}

/* A sleeper counts itself before it looks for the last time, and who rings
 * looks for sleepers after it has rung: one of them sees the other. */
void bell_ring(bell *b)
{
    atomic_fetch_add(&b->rung, 1);
    if (atomic_load(&b->asleep))
        syscall(SYS_futex, &b->rung, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL,
                0);
}

static bool look_out(bell *b, unsigned heard, uint64_t look, uint64_t from)
{
    do {
        for (unsigned i = 0; i < LOOKS; i++) {
            if (bell_heard(b) != heard)
                return true;
            __builtin_ia32_pause();
        }
    } while (clock_ns() - from < look);
    return false;
}

static void sleep_on(bell *b, unsigned heard, uint64_t most)
{
    struct timespec t = {.tv_sec = (time_t)(most / 1000000000),
                         .tv_nsec = (long)(most % 1000000000)};

    atomic_fetch_add(&b->asleep, 1);
    while (atomic_load(&b->rung) == heard) {
        syscall(SYS_futex, &b->rung, FUTEX_WAIT_PRIVATE, heard,
                most ? &t : NULL, NULL, 0);
        if (most) /* a signal may shorten it, too */
            break;
    }
    atomic_fetch_sub(&b->asleep, 1);
}

uint64_t bell_wait(bell *b, unsigned heard, uint64_t look, uint64_t most)
{
    uint64_t from;

    if (bell_heard(b) != heard)
        return 0;
    from = clock_ns();
    if (look && look_out(b, heard, look, from))
        return 0;
    from = clock_ns();
    sleep_on(b, heard, most);
    return clock_ns() - from;
}
