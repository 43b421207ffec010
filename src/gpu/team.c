#include "gpu/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/must.h"
#include "gpu/bell.h"

/* Nanoseconds. A window takes from microseconds to some milliseconds, and
 * waking who sleeps takes tens of microseconds, so who waits looks for that
 * long before it sleeps. */
enum {
    LOOK = 100000,
    TURN = 4000000,        /* after which a thread looks at how it fared */
    AWAY = 1000000,        /* the caller had something else to do */
    REST_LEAST = 10000000, /* for which members go home */
    REST_MOST = 320000000,
};

/* One thread. Whether the machine has a core for each is found out by what they
 * got: if one wants to run and does not, the others wait for it, so that
 * members are of no use for a while. */
typedef struct member {
    alignas(64) team *t;
    unsigned number;     /* of its share; the caller's is 0 */
    uint64_t since, ran; /* on the clocks, when its turn began */
    uint64_t slept;      /* of its turn, as it wanted to */
    uint64_t look, rest;
    unsigned crowded;
} member;

/* The items of one thread, which others take when they have none left: from
 * call to call a thread does the same items, and finds what they read and write
 * in the caches of its core. */
typedef struct share {
    alignas(64) atomic_int left; /* items to take; less than 1 is none */
    unsigned begin, end;
} share;

struct team {
    pthread_t *thread;
    member *member;
    share *share;   /* of the caller and of each of them */
    unsigned count; /* besides the caller */
    uint64_t look;  /* 0: there is no core for all */
    void (*enter)(void);
    void (*work)(void *arg, unsigned i);
    void *arg;
    bool backwards;  /* the last item of a share first */
    must_hook doing; /* of the caller */
    member caller;
    uint64_t last;       /* when its last items were finished */
    atomic_uint crowded; /* turns in which it was held up */
    atomic_bool quit;
    bell call; /* there is work */
    bell end;  /* of the last item, if somebody else than the caller had it */
    bell home; /* work never comes again */
    alignas(64) atomic_uint open; /* items that are not finished */
};

/* Takes and finishes items of a share; how many. Who has taken none reads
 * nothing of the team: the caller may be about to change it. */
static unsigned work_share(team *t, share *s, bool first)
{
    unsigned done = 0;

    while (atomic_load_explicit(&s->left, memory_order_relaxed) > 0) {
        int left = atomic_fetch_sub_explicit(&s->left, 1, memory_order_acquire);
        if (left <= 0)
            break;
        if (first && !done)
            must_on_fail(t->doing);
        t->work(t->arg, t->backwards ? s->begin + (unsigned)left - 1
                                     : s->end - (unsigned)left);
        done++;
    }
    return done;
}

/* Its own share and what is left of the others. Returns true if it finished the
 * last item. */
static bool work_off(team *t, unsigned number)
{
    unsigned done = 0, shares = t->count + 1;

    for (unsigned i = 0; i < shares; i++)
        done += work_share(t, &t->share[(number + i) % shares], !done);
    return done && atomic_fetch_sub_explicit(&t->open, done,
                                             memory_order_acq_rel) == done;
}

static void begin_turn(member *m, uint64_t now)
{
    m->since = now;
    m->ran = clock_ran_ns();
    m->slept = 0;
}

/* True if it did not get the core for an eighth of its time. */
static bool is_held_up(const member *m, uint64_t now)
{
    uint64_t wanted = now - m->since - m->slept;
    uint64_t got = clock_ran_ns() - m->ran;

    return got < wanted - wanted / 8;
}

/* At the end of a turn in which somebody was held up a member goes home, longer
 * each time: others take the items. */
static void look_back(member *m)
{
    unsigned crowded = atomic_load(&m->t->crowded);
    uint64_t now = clock_ns();

    if (crowded == m->crowded && now - m->since < TURN)
        return;
    if (crowded != m->crowded || is_held_up(m, now)) {
        bell_wait(&m->t->home, 0, 0, m->rest);
        m->rest = m->rest < REST_MOST / 2 ? 2 * m->rest : REST_MOST;
        m->crowded = crowded;
    } else if (m->rest > REST_LEAST) {
        m->rest -= m->rest / 4;
    }
    begin_turn(m, clock_ns());
}

/* The same for the caller, whose other affairs are none of ours. */
static void caller_looks_back(team *t, uint64_t began)
{
    member *m = &t->caller;
    uint64_t now = clock_ns();

    if (began - t->last > AWAY) {
        begin_turn(m, now);
    } else if (now - m->since >= TURN) {
        if (is_held_up(m, now))
            atomic_fetch_add(&t->crowded, 1);
        begin_turn(m, now);
    }
    t->last = now;
}

/* Waits for the call after the one that it has heard. Looking for it is only
 * worth while if it mostly comes soon. */
static unsigned await(member *m, unsigned heard)
{
    uint64_t slept = bell_wait(&m->t->call, heard, m->look, BELL_FOR_EVER);

    m->look = slept > LOOK ? 0 : m->t->look;
    m->slept += slept;
    return bell_heard(&m->t->call);
}

static void *run_member(void *arg)
{
    member *m = arg;
    unsigned heard = 0;

    if (m->t->enter)
        m->t->enter();
    m->look = m->t->look;
    begin_turn(m, clock_ns());
    for (;;) {
        heard = await(m, heard);
        if (atomic_load(&m->t->quit))
            return NULL;
        if (work_off(m->t, m->number))
            bell_ring(&m->t->end);
        look_back(m);
    }
}

/* Cores that the threads of this process may use. */
static long cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set)) /* it is too small for them */
        return sysconf(_SC_NPROCESSORS_ONLN);
    return CPU_COUNT(&set);
}

team *team_new(unsigned threads, void (*enter)(void))
{
    team *t = new_aligned(alignof(team), sizeof *t);

    *t = (team){.enter = enter, .look = (long)threads <= cores() ? LOOK : 0};
    t->caller.t = t;
    t->thread = new0(threads, sizeof *t->thread);
    t->member = new_aligned(alignof(member), threads * sizeof *t->member);
    t->share = new_aligned(alignof(share), threads * sizeof *t->share);
    for (; t->count + 1 < threads; t->count++) {
        member *m = &t->member[t->count];

        *m = (member){.t = t, .number = t->count + 1, .rest = REST_LEAST};
        if (pthread_create(&t->thread[t->count], NULL, run_member, m))
            break; /* fewer do the same work */
    }
    return t;
}

void team_free(team *t)
{
    if (!t)
        return;
    atomic_store(&t->quit, true);
    bell_ring(&t->home);
    bell_ring(&t->call);
    for (unsigned i = 0; i < t->count; i++)
        pthread_join(t->thread[i], NULL);
    free(t->thread);
    free(t->member);
    free(t->share);
    free(t);
}

unsigned team_members(const team *t) { return t->count; }

/* Whoever sees items of a share sees what they are, and how many there are. */
static void share_out(team *t, unsigned items)
{
    unsigned shares = t->count + 1;

    for (unsigned i = 0; i < shares; i++) {
        unsigned begin = (unsigned)((uint64_t)items * i / shares);
        share *s = &t->share[i];

        s->begin = begin;
        s->end = (unsigned)((uint64_t)items * (i + 1) / shares);
        atomic_store_explicit(&s->left, (int)(s->end - begin),
                              memory_order_release);
    }
}

void team_run(team *t, void (*work)(void *arg, unsigned i), void *arg,
              unsigned items, bool backwards)
{
    unsigned heard = bell_heard(&t->end);
    uint64_t began;

    if (!t->count || items < 2) {
        for (unsigned i = 0; i < items; i++)
            work(arg, backwards ? items - 1 - i : i);
        return;
    }
    t->work = work;
    t->arg = arg;
    t->backwards = backwards;
    t->doing = must_hook_now();
    began = clock_ns();
    atomic_store_explicit(&t->open, items, memory_order_relaxed);
    share_out(t, items);
    bell_ring(&t->call);
    if (!work_off(t, 0))
        t->caller.slept += bell_wait(&t->end, heard, t->look, BELL_FOR_EVER);
    caller_looks_back(t, began);
}
