/* src/codegen/opt/unread.c - results that are overwritten on every way before
 * anything reads them: of variables that are computed anew and again, as in
 * unrolled loops. dce.c sees only those that nothing reads at all. */
#include "codegen/flow/live.h"
#include "codegen/ir/pass.h"

typedef struct unread {
    cg_live *live;
    bool *alive; /* by word, behind the operation that is looked at */
    bool read;   /* of one operation: something reads a result */
} unread;

static void look_at_result(void *arg, uint32_t word)
{
    unread *u = arg;

    u->read |= u->alive[word];
}

static void set_read(void *arg, uint32_t word)
{
    ((unread *)arg)->alive[word] = true;
}

static void set_words(unread *u, const cg_words *of, bool to)
{
    for (uint32_t i = 0; i < of->n; i++)
        u->alive[of->word[i]] = to;
}

typedef struct kill {
    unread *u;
    const cg_inst *in;
} kill;

static void set_written(void *arg, uint32_t word)
{
    const kill *k = arg;

    if (cg_kills(k->u->live, k->in, word))
        k->u->alive[word] = false;
}

static bool is_unread(unread *u, const cg_inst *in)
{
    if (cg_has_effect(in) || (!in->dst.reg && !in->pdst[0] && !in->pdst[1]))
        return false;
    u->read = false;
    cg_each_def(u->live->f, in, look_at_result, u);
    return !u->read;
}

static bool drop_in_block(unread *u, cg_block *b)
{
    bool changed = false;

    set_words(u, &u->live->out[b->id], true);
    for (cg_inst *in = b->last, *before; in; in = before) {
        before = in->prev;
        if (is_unread(u, in)) {
            cg_remove(in);
            changed = true;
            continue;
        }
        cg_each_def(u->live->f, in, set_written, &(kill){u, in});
        cg_each_use(u->live->f, in, set_read, u);
    }
    set_words(u, &u->live->in[b->id], false);
    return changed;
}

bool cg_drop_unread(cg_func *f)
{
    arena *a = arena_new();
    unread u = {.live = cg_live_new(a, f)};
    bool changed = false;

    u.alive = ARENA_ARRAY(a, bool, f->nwords + 1);
    for (uint32_t i = 0; i < f->nblocks; i++)
        changed |= drop_in_block(&u, f->blocks[i]);
    arena_free(a);
    return changed;
}
