#include "exec/grid_parts.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/cga.h"
#include "exec/grid_state.h"

enum {
    SHARES = 16, /* that a thread takes of a grid, about, */
    MOST = 64,   /* of so many CTAs at most */
    TURNS = 16,  /* of those of a share that do not end, before they are left
                    to one thread: they may wait for others after all */
};

/* A thread's. */
typedef struct part {
    exec_parts *all;
    exec_grid *grid; /* of one share after the other */
    exec_limits limits;
    exec_totals totals; /* of all of them */
    exec_fault fault;
    status st;
    uint64_t share; /* the one that failed */
} part;

struct exec_parts {
    exec_grid *grid;
    pthread_t caller; /* which alone tells the progress */
    unsigned count;
    uint64_t first, size;  /* CTAs: the first of all, and of a share */
    uint64_t shares, next; /* next is taken from by all */
    exec_totals *did;      /* by share */
    uint64_t failed;       /* the lowest share that has */
    bool halt;             /* one of them was left to one thread */
    part part[];
};

/* ---- which grids ---- */

static bool reads_time(const isa_inst *in)
{
    if (in->class != ISA_CLASS_SREG)
        return false;
    switch (in->lut) {
    case SR_CLOCKLO:
    case SR_CLOCKHI:
    case SR_CLOCK64:
    case SR_TIMER:
    case SR_TIMERLO:
    case SR_TIMERHI:
        return true;
    default:
        return false;
    }
}

/* May it be part of how CTAs wait for each other, or have another result when
 * they come in another order? Also what this simulator does not do for two at
 * a time. */
static bool tells_order(const isa_inst *in)
{
    unsigned mods = isa_table[in->op].mods, flags = isa_table[in->op].flags;

    switch (in->op) {
    case ISA_PRINT:
    case ISA_MALLOC:
    case ISA_FREE:
    case ISA_PREEXIT:
    case ISA_ACQBULK:
        return true;
    default:
        break;
    }
    if ((mods >> MOD_ATOMOP & 1 || flags & ISA_F_ATOMIC) &&
        flags & ISA_F_GLOBAL)
        return true;
    if (flags & ISA_F_GLOBAL && mods >> MOD_ORDER & 1 &&
        ISA_GET(in, ORDER) != ORDER_WEAK)
        return true;
    return (mods >> MOD_CACHE & 1 && ISA_GET(in, CACHE) == CACHE_CV) ||
           reads_time(in);
}

static bool is_suited(const exec_grid *g)
{
    const isa_kernel *k = g->l->kernel;

    if (!g->plan || g->plan->told || g->watcher || g->seen ||
        g->totals->insts || (g->limits && g->limits->warp_instructions) ||
        exec_cga_size(g->l) > 1)
        return false;
    for (uint32_t i = 0; i < k->code_count; i++)
        if (tells_order(&k->code[i]))
            return false;
    return true;
}

/* ---- threads ---- */

/* The sums of all so far; those who stop by. */
static exec_totals sums_now(const exec_totals *t)
{
    return (exec_totals){.ctas = __atomic_load_n(&t->ctas, __ATOMIC_RELAXED),
                         .warps = __atomic_load_n(&t->warps, __ATOMIC_RELAXED),
                         .warp_instructions = __atomic_load_n(
                             &t->warp_instructions, __ATOMIC_RELAXED),
                         .thread_instructions = __atomic_load_n(
                             &t->thread_instructions, __ATOMIC_RELAXED)};
}

/* A thread has done its share since its totals were `before`. */
static void tell_sums(part *p, const exec_totals *before, exec_totals *did)
{
    exec_totals *to = p->all->grid->totals;

#define TELL(of)                                                               \
    did->of = p->totals.of - before->of;                                       \
    __atomic_fetch_add(&to->of, did->of, __ATOMIC_RELAXED)
    TELL(ctas);
    TELL(warps);
    TELL(warp_instructions);
    TELL(thread_instructions);
#undef TELL
}

/* The caller tells what all have done: those who listen expect no other. */
static void tell_progress(void *arg, const exec_totals *own)
{
    const exec_parts *all = arg;
    const exec_limits *lim = all->grid->limits;

    (void)own;
    if (!pthread_equal(pthread_self(), all->caller))
        return;
    exec_totals now = sums_now(all->grid->totals);
    lim->progress(lim->progress_arg, &now);
}

static bool is_told_to_stop(void *arg)
{
    const exec_parts *all = arg;
    const exec_limits *lim = all->grid->limits;

    return lim->stop(lim->arg);
}

static void part_begin(exec_parts *all, unsigned i)
{
    const exec_grid *g = all->grid;
    part *p = &all->part[i];

    p->all = all;
    if (g->limits && g->limits->stop)
        p->limits = (exec_limits){.stop = is_told_to_stop, .arg = all};
    if (g->limits && g->limits->progress) {
        p->limits.progress = tell_progress;
        p->limits.progress_arg = all;
    }
    p->limits.look_first = UINT64_MAX; /* what spins is seen later */
    p->grid = exec_grid_new(g->l, g->view, &p->limits, &p->fault, &p->totals);
}

exec_parts *exec_parts_new(exec_grid *g, unsigned n)
{
    uint64_t ctas = g->end - g->begun;

    if (n > ctas)
        n = (unsigned)ctas;
    if (n < 2 || g->in_flight || !is_suited(g))
        return NULL;
    exec_parts *p = new0(1, sizeof *p + n * sizeof p->part[0]);

    p->grid = g;
    p->caller = pthread_self();
    p->count = n;
    p->first = g->begun;
    p->size = ctas / n / SHARES;
    p->size = p->size < 1 ? 1 : p->size > MOST ? MOST : p->size;
    p->shares = (ctas + p->size - 1) / p->size;
    p->did = new0(p->shares, sizeof *p->did);
    p->failed = UINT64_MAX;
    for (unsigned i = 0; i < n; i++)
        part_begin(p, i);
    return p;
}

/* The first CTA behind a share, or of it. */
static uint64_t share_end(const exec_parts *all, uint64_t share)
{
    uint64_t end = all->first + share * all->size;

    return end < all->grid->end ? end : all->grid->end;
}

/* The CTAs of a share, until all have ended (true), one fails, or they have had
 * their turns. */
static bool run_share(part *p, uint64_t share)
{
    exec_grid *g = p->grid;
    exec_totals before = p->totals;
    uint32_t patience = g->patience;
    bool ended = false;

    g->begun = share_end(p->all, share);
    g->end = share_end(p->all, share + 1);
    for (unsigned n = 0; n < TURNS && p->st == ST_OK && !ended; n++) {
        g->patience = patience;
        p->st = exec_grid_run(g, &ended);
    }
    g->patience = patience;
    tell_sums(p, &before, &p->all->did[share]);
    return ended;
}

static void note_failed(exec_parts *all, uint64_t share)
{
    uint64_t was = __atomic_load_n(&all->failed, __ATOMIC_RELAXED);

    while (share < was &&
           !__atomic_compare_exchange_n(&all->failed, &was, share, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void exec_parts_work(exec_parts *all, unsigned i)
{
    bool ended = true;

    if (i >= all->count) /* there are not so many CTAs */
        return;
    part *p = &all->part[i];

    while (ended && !__atomic_load_n(&all->halt, __ATOMIC_RELAXED)) {
        uint64_t at = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);

        /* All in front of one that failed run, so that the first is known. */
        if (at >= all->shares ||
            at > __atomic_load_n(&all->failed, __ATOMIC_RELAXED))
            return;
        ended = run_share(p, at);
        if (p->st != ST_OK) {
            p->share = at;
            note_failed(all, at);
            return;
        }
    }
    if (!ended)
        __atomic_store_n(&all->halt, true, __ATOMIC_RELAXED);
}

/* ---- the end ---- */

/* What a thread has set aside becomes the grid's, in order of CTAs. */
static void take_aside(exec_grid *g, exec_grid *from)
{
    for (place *p = from->aside, *next; p; p = next) {
        place **at = &g->aside;

        next = p->next;
        while (*at && (*at)->cta.number < p->cta.number)
            at = &(*at)->next;
        p->next = *at;
        *at = p;
        if (!p->next)
            g->last = p;
        for (uint32_t i = 0; i < g->l->warps; i++)
            p->warps[i].plan = g->plan;
        g->in_flight++;
    }
    from->aside = NULL;
}

/* It fails as `is` did; what CTAs behind did does not count. */
static void fail_as(exec_grid *g, const exec_parts *p, part *is)
{
    exec_totals *t = g->totals;

    *t = (exec_totals){0};
    for (uint64_t i = 0; i <= is->share; i++) {
        t->ctas += p->did[i].ctas;
        t->warps += p->did[i].warps;
        t->warp_instructions += p->did[i].warp_instructions;
        t->thread_instructions += p->did[i].thread_instructions;
    }
    *g->fault = is->fault;
    g->found = is->grid->found;
    is->grid->found = (exec_spins){0};
}

status exec_parts_end(exec_parts *p)
{
    exec_grid *g = p->grid;
    part *first = NULL;
    status st;

    g->begun = share_end(p, p->next < p->shares ? p->next : p->shares);
    for (unsigned i = 0; i < p->count; i++) {
        part *is = &p->part[i];

        if (is->st != ST_OK && (!first || is->share < first->share))
            first = is;
    }
    st = first ? first->st : ST_OK;
    if (first)
        fail_as(g, p, first);
    for (unsigned i = 0; i < p->count; i++) {
        if (st == ST_OK)
            take_aside(g, p->part[i].grid);
        exec_grid_free(p->part[i].grid);
    }
    free(p->did);
    free(p);
    return st;
}
