#include "replay/inst_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

void replay_code_fini(replay_code *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free(c->inst[i].text);
    free(c->inst);
    map_free(c->by_text);
    *c = (replay_code){0};
}

static bool is_at(const replay_inst *x, uint32_t pc, const char *text,
                  size_t size)
{
    return x->pc == pc && strlen(x->text) == size &&
           !memcmp(x->text, text, size);
}

replay_inst *replay_code_at(replay_code *c, uint32_t pc, const char *text,
                            size_t size, bool *fresh)
{
    uint64_t key = hash_bytes(text, size, pc), at;

    if (!c->by_text)
        c->by_text = map_new();
    for (; map_get(c->by_text, key, &at); key++) {
        if (is_at(&c->inst[at], pc, text, size)) {
            *fresh = false;
            return &c->inst[at];
        }
    }
    if (c->count == REPLAY_VARIANTS)
        return NULL;
    map_put(c->by_text, key, c->count);
    GROW(c->inst, c->count + 1, c->room);
    c->inst[c->count] = (replay_inst){.text = new_text_n(text, size), .pc = pc};
    *fresh = true;
    return &c->inst[c->count++];
}

/* ---- Names that are not known ---- */

typedef struct unknown {
    const char *name; /* in the text of an instruction, */
    size_t size;      /* up to the first dot */
    uint64_t executed;
} unknown;

/* The name of the operation stands behind the results. */
static unknown name_of(const replay_inst *x)
{
    const char *at = x->text;
    unsigned skip = (unsigned)strtoul(at, NULL, 10) + 1;

    while (skip--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return (unknown){at, strcspn(at, " "), x->executed};
}

static int by_count(const void *a, const void *b)
{
    const unknown *x = a, *y = b;
    size_t n = x->size < y->size ? x->size : y->size;

    if (x->executed != y->executed)
        return x->executed < y->executed ? 1 : -1;
    return memcmp(x->name, y->name, n);
}

size_t replay_code_unknown(const replay_code *c, strbuf *to)
{
    unknown *list = new_array(c->count, sizeof *list);
    size_t n = 0;

    for (uint32_t i = 0; i < c->count; i++) {
        unknown is = name_of(&c->inst[i]);
        size_t at = 0;

        if (c->inst[i].known)
            continue;
        while (at < n && (list[at].size != is.size ||
                          memcmp(list[at].name, is.name, is.size)))
            at++;
        if (at == n)
            list[n++] = is;
        else
            list[at].executed += is.executed;
    }
    qsort(list, n, sizeof *list, by_count);
    for (size_t i = 0; i < n; i++)
        strbuf_printf(to, "%s%.*s (%" PRIu64 ")", i ? ", " : "",
                      (int)list[i].size, list[i].name, list[i].executed);
    free(list);
    return n;
}

/* ---- The kernel ---- */

static int by_place(const void *a, const void *b)
{
    const replay_inst *x = *(replay_inst *const *)a;
    const replay_inst *y = *(replay_inst *const *)b;

    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Bytes from one instruction to the next: 16, of Pascal and before it 8. */
static uint32_t step_of(const replay_code *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->inst[i].pc % 16)
            return c->inst[i].pc % 8 ? 1 : 8;
    return 16;
}

/* Gives each its place; the number of places. */
static uint32_t give_places(replay_code *c)
{
    replay_inst **sorted = new_array(c->count, sizeof *sorted);
    uint32_t step = step_of(c), first, end, places;

    for (uint32_t i = 0; i < c->count; i++)
        sorted[i] = &c->inst[i];
    qsort(sorted, c->count, sizeof *sorted, by_place);
    first = sorted[0]->pc;
    end = (sorted[c->count - 1]->pc - first) / step + 1;
    places = end;
    for (uint32_t i = 0; i < c->count; i++) {
        bool again = i && sorted[i]->pc == sorted[i - 1]->pc;

        sorted[i]->place = again ? places++ : (sorted[i]->pc - first) / step;
    }
    free(sorted);
    return places;
}

/* An EXIT for warps that end without one: the last of the code, or one that is
 * put behind it. */
static uint32_t find_exit(isa_program *p, isa_kernel *k)
{
    isa_inst *longer;

    for (uint32_t i = k->code_count; i-- > 0;)
        if (k->code[i].op == ISA_EXIT)
            return i;
    longer = ARENA_ARRAY(p->mem, isa_inst, k->code_count + 1);
    if (k->code_count)
        memcpy(longer, k->code, k->code_count * sizeof *longer);
    longer[k->code_count] = isa_new(ISA_EXIT);
    isa_finish(&longer[k->code_count]);
    k->code = longer;
    return k->code_count++;
}

uint32_t replay_code_make(replay_code *c, isa_program *p, isa_kernel *k)
{
    isa_inst nop = isa_new(ISA_NOP);

    isa_finish(&nop);
    k->code_count = c->count ? give_places(c) : 0;
    k->code = ARENA_ARRAY(p->mem, isa_inst, k->code_count);
    for (uint32_t i = 0; i < k->code_count; i++)
        k->code[i] = nop;
    for (uint32_t i = 0; i < c->count; i++)
        k->code[c->inst[i].place] = c->inst[i].in;
    return find_exit(p, k);
}

uint32_t replay_code_copy(const isa_kernel *from, isa_program *p, isa_kernel *k)
{
    k->code_count = from->code_count;
    k->code = ARENA_ARRAY(p->mem, isa_inst, k->code_count);
    memcpy(k->code, from->code, k->code_count * sizeof *k->code);
    return find_exit(p, k);
}

static bool is_unknown(const isa_inst *in) { return in->op == ISA_NOP; }

bool replay_code_merge(isa_kernel *have, const isa_kernel *more)
{
    if (more->code_count > have->code_count ||
        have->registers != more->registers ||
        have->launch_registers != more->launch_registers ||
        have->shared_bytes != more->shared_bytes ||
        have->local_bytes != more->local_bytes)
        return false;
    for (uint32_t i = 0; i < more->code_count; i++)
        if (!is_unknown(&have->code[i]) && !is_unknown(&more->code[i]) &&
            memcmp(&have->code[i], &more->code[i], sizeof have->code[i]) != 0)
            return false;
    for (uint32_t i = 0; i < more->code_count; i++)
        if (is_unknown(&have->code[i]))
            have->code[i] = more->code[i];
    if (more->barriers > have->barriers)
        have->barriers = more->barriers;
    return true;
}
