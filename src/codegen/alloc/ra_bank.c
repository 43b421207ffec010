/* src/codegen/alloc/ra_bank.c - registers that one instruction reads go to
 * different banks, or to each no more than it serves while the unit is busy
 * with the instruction anyway. After colouring: each node in turn moves to the
 * bank where it gets in the way the least, among the registers that no
 * neighbour has. Nothing is spilled for it, and a thread takes no more
 * registers than cost nothing. */
#include "codegen/alloc/ra.h"

#include <stdlib.h>
#include <string.h>

/* Threads get registers by ROOM [PPT:35] [PPT:70], and not more of them than
 * FREE cost resident threads [CG42:features] [CUDA12:features]. Places whose
 * numbers are the same modulo CLASSES lie in one bank. */
enum { ROOM = 8, FREE = 32, CACHE_MAX = 16, CLASSES = 8 };

/* A copy takes an instruction: it weighs as much as two conflicts. */
enum { SWEEPS = 4, WORDS = 13, COPY = 8 };

/* What an instruction reads from the banks: words of registers. */
typedef struct reader {
    double weight;
    uint32_t word[WORDS]; /* `fresh` words that the cache lacks, then the cached
                             ones */
    uint8_t n, fresh;
    uint8_t in_time; /* reads of one bank that take no longer than it does */
    bool copies;     /* the first to the second: nothing, if they are one */
} reader;

typedef struct use {
    uint32_t reader, next; /* use + 1 */
} use;

typedef struct spread {
    ra *r;
    reader *reader;
    uint32_t nreaders;
    use *use;
    uint32_t nuses;
    uint32_t *first;            /* by root: use + 1 */
    uint32_t cached[CACHE_MAX]; /* the latest of them first */
    unsigned ncached;
} spread;

/* ---- what is read ------------------------------------------------------ */

/* True if the cache has the word, which is the latest now. */
static bool touch_cached_word(spread *s, uint32_t word)
{
    unsigned at = 0, room = s->r->f->opt->banks.cache;
    bool found;

    MUST(room <= CACHE_MAX);
    if (!room)
        return false;
    while (at < s->ncached && s->cached[at] != word)
        at++;
    found = at < s->ncached;
    if (!found && s->ncached < room)
        s->ncached++;
    if (!found && at == room)
        at = room - 1;
    memmove(&s->cached[1], &s->cached[0], at * sizeof s->cached[0]);
    s->cached[0] = word;
    return found;
}

static void forget_cached_word(void *arg, uint32_t word)
{
    spread *s = arg;
    unsigned kept = 0;

    word = ra_canon(s->r, word);
    for (unsigned i = 0; i < s->ncached; i++)
        if (s->cached[i] != word)
            s->cached[kept++] = s->cached[i];
    s->ncached = kept;
}

static void note_read(spread *s, reader *rd, uint32_t word)
{
    uint32_t cached[WORDS];
    unsigned n = 0;

    for (unsigned i = 0; i < rd->n; i++)
        if (rd->word[i] == word)
            return;
    if (rd->n == WORDS)
        return;
    rd->word[rd->n++] = word;
    if (touch_cached_word(s, word))
        return;
    /* words that the cache lacks come first */
    for (unsigned i = rd->fresh; i + 1u < rd->n; i++)
        cached[n++] = rd->word[i];
    memcpy(&rd->word[rd->fresh + 1], cached, n * sizeof cached[0]);
    rd->word[rd->fresh++] = word;
}

static void link_use(spread *s, vreg root)
{
    uint32_t last = s->first[root];

    if (last && s->use[last - 1].reader == s->nreaders)
        return;
    s->use[s->nuses] = (use){s->nreaders, last};
    s->first[root] = ++s->nuses;
}

/* Those that issue in pairs have no cycle to spare. */
static unsigned reads_in_time(const cg_options *o, const cg_inst *in)
{
    unsigned cycles = in->op < ISA_COUNT && !o->pairs
                          ? o->pipes.busy[isa_table[in->op].class] / 16u
                          : 1;

    return (cycles ? cycles : 1) * o->banks.ports;
}

static void read_inst(spread *s, const cg_inst *in, double weight)
{
    reader *rd = &s->reader[s->nreaders];

    *rd = (reader){.weight = weight,
                   .in_time = (uint8_t)reads_in_time(s->r->f->opt, in)};
    for (unsigned i = 0; i < 3; i++) {
        const cg_src *src = &in->src[i];

        if (src->kind != SRC_REG || !src->reg)
            continue;
        for (unsigned k = 0; k < cg_src_words(in, i); k++)
            note_read(
                s, rd,
                ra_canon(s->r, cg_word_of(s->r->f, src->reg, src->off + k)));
    }
    cg_each_def(s->r->f, in, forget_cached_word, s);
    if (in->op == ISA_MOV && rd->n && in->dst.reg) {
        rd->copies = true;
        rd->word[rd->n++] =
            ra_canon(s->r, cg_word_of(s->r->f, in->dst.reg, in->dst.off));
    }
    if (rd->n < 2)
        return;
    for (unsigned i = 0; i < rd->n; i++)
        link_use(s, s->r->owner[rd->word[i]]);
    s->nreaders++;
}

static void find_readers(spread *s)
{
    const cg_func *f = s->r->f;
    uint32_t insts = 0;

    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i]) insts++;
    s->reader = ARENA_ARRAY(s->r->mem, reader, insts + 1);
    s->use = ARENA_ARRAY(s->r->mem, use, WORDS * (size_t)insts + 1);
    s->first = ARENA_ARRAY(s->r->mem, uint32_t, f->nregs);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        s->ncached = 0;
        CG_EACH(in, f->blocks[i])
        read_inst(s, in, ra_frequency(f->blocks[i]));
    }
}

/* ---- what it costs ----------------------------------------------------- */

/* The register of a word if node `v` stands at `at`. */
static unsigned register_of_word(const ra *r, uint32_t word, vreg v,
                                 unsigned at)
{
    vreg x = r->owner[word];

    return (x == v ? at : r->node[x].colour) + word - r->f->regs[x].word;
}

/* Reads of one bank beyond those in time, for the first `n` words. */
static unsigned read_conflicts(const ra *r, const reader *rd, unsigned n,
                               vreg v, unsigned at)
{
    unsigned of_bank[CG_BANKS_MAX] = {0}, most = rd->in_time;

    for (unsigned i = 0; i < n; i++) {
        unsigned bank =
            cg_bank(&r->f->opt->banks, register_of_word(r, rd->word[i], v, at));

        if (++of_bank[bank] > most)
            most = of_bank[bank];
    }
    return most - rd->in_time;
}

/* Of node `v` at `at`. Another warp may have come between, and the cache has
 * nothing then. */
static double bank_cost(const spread *s, vreg v, unsigned at, bool copies)
{
    double sum = 0;

    for (uint32_t u = s->first[v]; u; u = s->use[u - 1].next) {
        const reader *rd = &s->reader[s->use[u - 1].reader];

        if (!rd->copies)
            sum +=
                rd->weight * (3 * read_conflicts(s->r, rd, rd->fresh, v, at) +
                              read_conflicts(s->r, rd, rd->n, v, at));
        else if (copies && register_of_word(s->r, rd->word[0], v, at) !=
                               register_of_word(s->r, rd->word[1], v, at))
            sum += COPY * rd->weight;
    }
    return sum;
}

/* ---- moving ------------------------------------------------------------ */

/* May some place be better than `least`? Not all copies can be had there. */
static bool may_gain(const spread *s, vreg v, double least)
{
    for (unsigned at = 0; at < CLASSES && least > 0; at += s->r->node[v].size)
        if (bank_cost(s, v, at, false) < least)
            return true;
    return false;
}

/* The lowest place in the best class of places; where it is if none is better
 * than that. */
static unsigned best_place(const spread *s, vreg v, unsigned room)
{
    const ra_node *n = &s->r->node[v];
    unsigned best = n->colour;
    double least = bank_cost(s, v, best, true);
    bool forbidden[256], seen[CLASSES] = {false};

    if (!may_gain(s, v, least))
        return best;
    ra_forbidden(s->r, v, forbidden);
    seen[best % CLASSES] = true;
    room = n->limit < room ? n->limit : room;
    for (unsigned at = 0; at + n->size <= room; at += n->size) {
        if (forbidden[at] || seen[at % CLASSES])
            continue;
        seen[at % CLASSES] = true;
        double c = bank_cost(s, v, at, true);
        if (c < least) {
            least = c;
            best = at;
        }
    }
    return best;
}

/* The number in use, rounded up to what costs no threads; of a function the
 * number in use, since its callers lose what it writes. */
static unsigned room_of(const ra *r)
{
    unsigned room = (r->used + ROOM - 1) / ROOM * ROOM;

    if (r->f->is_function)
        return r->used;
    room = room < FREE ? FREE : room;
    return room < r->limit ? room : r->limit;
}

void ra_spread(ra *r)
{
    spread s = {.r = r};
    unsigned room = room_of(r);
    bool moved = true;

    find_readers(&s);
    for (unsigned sweep = 0; sweep < SWEEPS && moved; sweep++) {
        moved = false;
        for (uint32_t i = 0; i < r->norder; i++) {
            vreg v = r->order[i];
            unsigned at = best_place(&s, v, room);

            moved |= at != r->node[v].colour;
            r->node[v].colour = (uint16_t)at;
            if (at + r->node[v].size > r->used)
                r->used = at + r->node[v].size;
        }
    }
}
