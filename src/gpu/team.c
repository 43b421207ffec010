#include "gpu/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Waiting: a window takes some microseconds, so threads spin before they give
 * up the core; a machine with fewer cores than threads needs the yield. */
enum { SPINS = 2000 };

struct team {
    pthread_t *thread;
    unsigned count; /* besides the caller */
    void (*enter)(void);
    void (*work)(void *arg, unsigned i);
    void *arg;
    unsigned items;
    atomic_uint next;  /* item to take */
    atomic_uint round; /* raised to start one; odd rounds are no different */
    atomic_uint busy;  /* threads that have not finished the round */
    atomic_bool quit;
};

static void relax(unsigned *spins)
{
    if (++*spins < SPINS) {
        __builtin_ia32_pause();
    } else {
        *spins = 0;
        sched_yield();
    }
}

static void work_off(team *t)
{
    for (;;) {
        unsigned i =
            atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (i >= t->items)
            return;
        t->work(t->arg, i);
    }
}

static void *member(void *arg)
{
    team *t = arg;
    unsigned seen = 0, spins = 0;

    if (t->enter)
        t->enter();
    for (;;) {
        unsigned round = atomic_load_explicit(&t->round, memory_order_acquire);

        if (round == seen) {
            relax(&spins);
            continue;
        }
        seen = round;
        spins = 0;
        if (atomic_load(&t->quit))
            return NULL;
        work_off(t);
        atomic_fetch_sub_explicit(&t->busy, 1, memory_order_release);
    }
}

team *team_new(unsigned threads, void (*enter)(void))
{
    team *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->enter = enter;
    t->thread = calloc(threads, sizeof *t->thread);
    if (!t->thread) {
        free(t);
        return NULL;
    }
    for (; t->count + 1 < threads; t->count++)
        if (pthread_create(&t->thread[t->count], NULL, member, t)) {
            team_free(t);
            return NULL;
        }
    return t;
}

void team_free(team *t)
{
    if (!t)
        return;
    atomic_store(&t->quit, true);
    atomic_fetch_add(&t->round, 1);
    for (unsigned i = 0; i < t->count; i++)
        pthread_join(t->thread[i], NULL);
    free(t->thread);
    free(t);
}

void team_run(team *t, void (*work)(void *arg, unsigned i), void *arg,
              unsigned items)
{
    unsigned spins = 0;

    t->work = work;
    t->arg = arg;
    t->items = items;
    atomic_store_explicit(&t->next, 0, memory_order_relaxed);
    atomic_store_explicit(&t->busy, t->count, memory_order_relaxed);
    if (t->count)
        atomic_fetch_add_explicit(&t->round, 1, memory_order_release);
    work_off(t);
    while (atomic_load_explicit(&t->busy, memory_order_acquire))
        relax(&spins);
}
