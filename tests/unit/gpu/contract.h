/* tests/unit/gpu/contract.h - blocks behind mem/port.h on a bench. Their
 * neighbours know nothing of them but what port.h says: some ask and count the
 * answers, some answer what they are asked, and each rests when it likes. What
 * they do depends on the cycle and on what they were told before it, so a run
 * can be repeated at another pace and compared. */
#ifndef CONTRACT_H
#define CONTRACT_H

#include "mem/spread.h" /* before block.h: a block of addresses is meant */

#include "base/rng.h"
#include "config/config.h"
#include "exec/exec.h"
#include "gpu/block.h"
#include "mem/image.h"
#include "mem/sector.h"
#include "mem/view.h"
#include "stats/stats.h"
#include "test.h"

enum {
    FACES = 8,
    PARTS = 5,
    ASKS = 1200, /* of a neighbour, at most */
    EVENTS = 1 << 15,
    BUSY = 2500,    /* cycles in which neighbours ask */
    LIMIT = 400000, /* cycles after which an answer is missing */
    QUIET = 300,    /* cycles behind the last answer */
    SPAN = 8,       /* a neighbour rests so many cycles at a time */
};

/* How a run goes through the cycles. */
typedef struct pace {
    const char *name;
    bool every; /* blocks are ticked in every cycle, else when they are due */
    bool last;  /* blocks come after their neighbours, in backward order */
    bool bare;  /* ports without `wake` and `space` */
} pace;

typedef struct ask {
    mem_msg m;
    uint64_t pushed, answered; /* cycles; when the answer was visible */
} ask;

/* Two ports of a block and the neighbour there. */
typedef struct face {
    bool asks;         /* the neighbour asks the block, else it is asked */
    mem_port to, from; /* the block */
    ask *ask;
    unsigned asked, refused;
    unsigned owed; /* answers to the neighbour */
    mem_msg next;
    bool offered;  /* `next` was refused */
    mem_msg *held; /* answers of the neighbour, `when` they are due */
    unsigned holds;
} face;

/* A block, as its own tick and what watches it. */
typedef struct part {
    void *self;
    uint64_t (*tick)(void *self, uint64_t now);
    block block;
    uint64_t ticked; /* last */
} part;

typedef struct event {
    uint64_t cycle, addr;
    uint32_t tag;
    uint8_t face, kind;
} event;

typedef struct bench bench;

/* A kind of block. */
typedef struct subject {
    const char *name;
    /* A random one: sets parts, faces and `least`. */
    void (*build)(bench *b, rng *g);
    void (*free)(bench *b);
    bool (*idle)(const bench *b);
    void (*settle)(bench *b, uint64_t now);
    /* A random request; NULL: it asks by itself. */
    void (*make)(bench *b, const face *f, rng *g, mem_msg *m);
    void (*window)(bench *b, uint64_t now); /* begins; NULL: none */
    /* Is what comes to the face meant for it? NULL: there is but one. */
    bool (*belongs)(const bench *b, const face *f, const mem_msg *m);
    bool through; /* what it passes on is no longer its own */
} subject;

struct bench {
    const subject *what;
    pace pace;
    uint64_t seed;
    config cfg;
    stats *reg;
    mem_image *image;
    mem_view *view, *direct;
    uint64_t base; /* of 64 KiB in the image */
    void *own;     /* of the subject */
    face face[FACES];
    part part[PARTS];
    unsigned faces, parts, window;
    uint64_t least;      /* cycles from a push to the visible answer */
    uint64_t deaf_until; /* nobody takes anything from the block before */
    uint64_t now;
    event *event;
    unsigned events;
};

/* What goes wrong, with the point at which it does. */
#define CONTRACT(b, cond)                                                      \
    do {                                                                       \
        if (!(cond))                                                           \
            TEST_FAIL(                                                         \
                "%s, seed %" PRIu64 ", %s, cycle %" PRIu64 ": not true: %s",   \
                (b)->what->name, (b)->seed, (b)->pace.name, (b)->now, #cond);  \
    } while (0)

/* -- chance ------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x >> 32;
}

typedef enum habit { ASKING, HEARING, MORE, HABITS } habit;

static uint64_t chance(const bench *b, const face *f, habit h, uint64_t when)
{
    uint64_t who = (uint64_t)(f - b->face) * HABITS + h;

    return mix(mix(b->seed * 131 + who) + when);
}

/* Neighbours rest in a third of the time, each habit by itself. */
static bool rests(const bench *b, const face *f, habit h)
{
    return chance(b, f, h, b->now / SPAN) % 3 == 0;
}

/* -- neighbours --------------------------------------------------------- */

static bool wants_answer(const mem_msg *m)
{
    return m->kind != MEM_WRITE || m->ack;
}

static unsigned answer_kind(const mem_msg *m)
{
    return m->kind == MEM_READ || m->kind == MEM_ATOMIC ? MEM_DATA : MEM_ACK;
}

static void note(bench *b, const face *f, const mem_msg *m)
{
    MUST(b->events < EVENTS);
    b->event[b->events++] = (event){.cycle = b->now,
                                    .addr = m->addr,
                                    .tag = m->tag,
                                    .face = (uint8_t)(f - b->face),
                                    .kind = m->kind};
}

/* Request number `asked` of the neighbour: the same at every pace. While
 * nobody hears, only what needs an answer, or some blocks could go on. */
static void make(bench *b, face *f)
{
    rng g;

    rng_init(&g, mix(b->seed * FACES + (uint64_t)(f - b->face)) + f->asked,
             "ask");
    do {
        f->next = (mem_msg){.tag = f->asked, .sectors = 0xf, .born = b->now};
        b->what->make(b, f, &g, &f->next);
    } while (b->deaf_until && !wants_answer(&f->next));
}

static void ask_block(bench *b, face *f)
{
    while (b->now < BUSY + b->deaf_until && f->asked < ASKS &&
           !rests(b, f, ASKING)) {
        if (!f->offered)
            make(b, f);
        f->offered = !mem_port_push(&f->to, b->now, &f->next);
        if (f->offered) {
            f->refused++;
            return;
        }
        f->owed += wants_answer(&f->next);
        f->ask[f->asked++] = (ask){.m = f->next, .pushed = b->now};
        if (chance(b, f, MORE, b->now) % 2)
            return;
    }
}

/* An answer to what was asked, once and not too early. */
static void check_answer(const bench *b, face *f, const mem_msg *m)
{
    CONTRACT(b, m->tag < f->asked);
    ask *a = &f->ask[m->tag];
    CONTRACT(b, wants_answer(&a->m));
    CONTRACT(b, !a->answered);
    CONTRACT(b, m->kind == answer_kind(&a->m));
    CONTRACT(b, m->addr == a->m.addr);
    CONTRACT(b, m->client == a->m.client);
    CONTRACT(b, m->atom == a->m.atom);
    CONTRACT(b, m->when >= a->pushed + b->least);
    a->answered = m->when;
    f->owed--;
}

static void hold(bench *b, face *f, const mem_msg *m)
{
    mem_msg *h = &f->held[f->holds++];

    MUST(f->holds <= EVENTS);
    if (m->atom)
        exec_atom_perform(m->atom, b->direct);
    *h = *m;
    h->kind = (uint8_t)answer_kind(m);
    h->payload =
        h->kind == MEM_DATA ? (uint16_t)mem_sectors_bytes(m->sectors) : 0;
    h->dst = m->src;
    h->when = b->now + 1 + chance(b, f, MORE, m->addr + b->now) % 120;
}

static void hear_block(bench *b, face *f)
{
    mem_msg *m;

    while (b->now >= b->deaf_until && !rests(b, f, HEARING) &&
           (m = mem_port_peek(&f->from, b->now))) {
        note(b, f, m);
        CONTRACT(b, !b->what->belongs || b->what->belongs(b, f, m));
        if (f->asks)
            check_answer(b, f, m);
        else if (wants_answer(m))
            hold(b, f, m);
        mem_port_pop(&f->from, b->now);
    }
}

/* Answers may overtake each other. */
static void answer_block(bench *b, face *f)
{
    for (unsigned i = 0; i < f->holds && !rests(b, f, ASKING);) {
        if (f->held[i].when > b->now) {
            i++;
            continue;
        }
        if (!mem_port_push(&f->to, b->now, &f->held[i]))
            return;
        memmove(&f->held[i], &f->held[i + 1],
                (--f->holds - i) * sizeof *f->held);
    }
}

static void neighbours(bench *b)
{
    for (face *f = b->face; f < b->face + b->faces; f++) {
        hear_block(b, f);
        if (f->asks)
            ask_block(b, f);
        else
            answer_block(b, f);
    }
}

/* -- blocks ------------------------------------------------------------- */

static unsigned visible(const mem_port *p, uint64_t now)
{
    unsigned n = 0;

    while (n < p->count && p->ring[(p->head + n) & p->mask].when <= now)
        n++;
    return n;
}

static bench *watched; /* whose part is ticked */

/* A tick takes only what it can see, and says when the next is due. */
static uint64_t watched_tick(void *self, uint64_t now)
{
    part *p = self;
    bench *b = watched;
    unsigned before[BLOCK_PORTS], head[BLOCK_PORTS];

    for (unsigned i = 0; i < p->block.ins; i++) {
        before[i] = visible(p->block.in[i], now);
        head[i] = p->block.in[i]->head;
    }
    uint64_t next = p->tick(p->self, now);

    for (unsigned i = 0; i < p->block.ins; i++)
        CONTRACT(b, p->block.in[i]->head - head[i] <= before[i]);
    CONTRACT(b, next > now);
    p->ticked = now;
    return next;
}

/* Of ports without `wake`: what was pushed behind the last tick. */
static bool part_due(const bench *b, const part *p)
{
    if (b->pace.every || p->block.due.next <= b->now)
        return true;
    for (unsigned i = 0; b->pace.bare && i < p->block.ins; i++)
        if (mem_port_wake(p->block.in[i], p->ticked) <= b->now)
            return true;
    return false;
}

static void blocks(bench *b)
{
    for (unsigned i = 0; i < b->parts; i++) {
        part *p = &b->part[b->pace.last ? b->parts - 1 - i : i];

        if (part_due(b, p))
            block_tick(&p->block, b->now);
    }
}

/* Requests that the subject has and owes an answer to. */
static int inside(const bench *b)
{
    int n = 0;

    for (const face *f = b->face; f < b->face + b->faces; f++) {
        if (f->asks)
            n += (int)f->owed - (int)f->from.count;
        else if (b->what->through)
            n -= (int)(f->holds + f->from.count);
    }
    return n;
}

/* Nothing is left to do for anybody. */
static bool drained(const bench *b)
{
    for (const face *f = b->face; f < b->face + b->faces; f++)
        if (f->owed || f->holds || f->to.count || f->from.count)
            return false;
    return b->what->idle(b);
}

static void cycle(bench *b)
{
    if (b->window && b->now % b->window == 0)
        b->what->window(b, b->now);
    if (b->pace.last)
        neighbours(b);
    watched = b;
    blocks(b);
    if (!b->pace.last)
        neighbours(b);
    if (inside(b) > 0)
        CONTRACT(b, !b->what->idle(b));
    b->now++;
}

/* -- the bench ---------------------------------------------------------- */

/* Connects a block to the bench; its ports follow with part_in, part_out. */
static part *part_add(bench *b, void *self,
                      uint64_t (*tick)(void *self, uint64_t now))
{
    part *p = &b->part[b->parts++];

    MUST(b->parts <= PARTS);
    p->self = self;
    p->tick = tick;
    p->block = (block){.tick = watched_tick, .self = p};
    return p;
}

/* A face with ports of random size and latency; answers and what is asked
 * come at most `most` cycles later. */
static face *face_add(bench *b, rng *g, bool asks, unsigned most)
{
    face *f = &b->face[b->faces++];

    MUST(b->faces <= FACES);
    f->asks = asks;
    /* One by one: arguments are drawn in an order of the compiler's. */
    unsigned to = 1 + rng_below(g, 5), to_latency = 1 + rng_below(g, 4);
    unsigned from = 1 + rng_below(g, 5), from_latency = 1 + rng_below(g, most);

    mem_port_init(&f->to, to, to_latency);
    mem_port_init(&f->from, from, from_latency);
    f->ask = calloc(ASKS, sizeof *f->ask);
    f->held = calloc(EVENTS, sizeof *f->held);
    MUST(f->ask && f->held);
    return f;
}

static void part_face(part *p, face *f)
{
    p->block.in[p->block.ins++] = &f->to;
    p->block.out[p->block.outs++] = &f->from;
}

static bench *bench_new(const subject *what, uint64_t seed, pace how)
{
    bench *b = calloc(1, sizeof *b);
    rng g;

    MUST(b != NULL);
    b->what = what;
    b->seed = seed;
    b->pace = how;
    b->reg = stats_new();
    b->event = calloc(EVENTS, sizeof *b->event);
    b->image = mem_image_new(1 << 21);
    b->base = mem_alloc(b->image, 1 << 16, "a");
    b->view = mem_view_new(b->image, false);
    b->direct = mem_view_new(b->image, true);
    MUST(b->event && b->image && b->view && b->direct);
    config_defaults(&b->cfg);
    rng_init(&g, seed, what->name);
    what->build(b, &g);
    for (unsigned i = 0; !how.bare && i < b->parts; i++)
        block_connect(&b->part[i].block);
    return b;
}

static void bench_free(bench *b)
{
    b->what->free(b);
    for (face *f = b->face; f < b->face + b->faces; f++) {
        mem_port_fini(&f->to);
        mem_port_fini(&f->from);
        free(f->ask);
        free(f->held);
    }
    mem_view_free(b->view);
    mem_view_free(b->direct);
    mem_image_free(b->image);
    stats_free(b->reg);
    free(b->event);
    free(b);
}

/* Until all is done and a while longer; or, as what is done late without being
 * seen may differ, up to the end of a run at another pace. */
static void bench_run(bench *b, const bench *as)
{
    uint64_t end = as ? as->now : 0;

    while (!end || b->now < end) {
        cycle(b);
        if (!end && b->now >= BUSY + b->deaf_until && drained(b))
            end = b->now + QUIET;
        CONTRACT(b, b->now < LIMIT);
    }
    CONTRACT(b, drained(b));
    b->what->settle(b, b->now);
}

#endif
