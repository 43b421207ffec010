#include "exec/spins.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "base/plural.h"
#include "exec/fault.h"

void exec_spins_fini(exec_spins *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->is[i].kernel);
        free(s->is[i].file);
        free(s->is[i].where);
        free(s->is[i].writer);
    }
    free(s->is);
    free(s->waits);
    *s = (exec_spins){.count = 0};
}

void exec_spins_copy(exec_spins *to, const exec_spins *from)
{
    *to = *from;
    to->is = NULL;
    to->waits = new_text_if(from->waits);
    if (!from->count)
        return;
    to->is = new_array(from->count, sizeof *to->is);
    for (size_t i = 0; i < from->count; i++) {
        to->is[i] = from->is[i];
        to->is[i].kernel = new_text_if(from->is[i].kernel);
        to->is[i].file = new_text_if(from->is[i].file);
        to->is[i].where = new_text_if(from->is[i].where);
        to->is[i].writer = new_text_if(from->is[i].writer);
    }
}

/* ---- In words ---- */

static const char *file_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool exec_spins_at_mbarrier(const exec_spins *s)
{
    const char *at = s->waits ? strstr(s->waits, " at mbarrier") : NULL;

    return at && (size_t)(at - s->waits) < strcspn(s->waits, "\n");
}

void exec_spins_short(const exec_spins *s, char *text, unsigned size)
{
    const exec_site *x = s->is;
    char line[24] = "", at[48] = "";

    if (size)
        text[0] = 0;
    if (!s->count || !size)
        return;
    if (x->line)
        snprintf(line, sizeof line, ":%" PRIu32, x->line);
    if (!x->nothing)
        snprintf(at, sizeof at, " on %s0x%" PRIx64, x->shared ? "shared " : "",
                 x->addr);
    snprintf(text, size, "%" PRIu64 " lane%s spin%s at %.24s%s%s", x->lanes,
             word_plural(x->lanes), x->lanes == 1 ? "s" : "",
             x->line && x->file ? file_name_of(x->file) : x->kernel, line, at);
}

static void put_count(strbuf *to, uint64_t n, const char *what)
{
    strbuf_printf(to, "%" PRIu64 " %s%s", n, what, word_plural(n));
}

static void put_site(const exec_spins *s, const exec_site *x, strbuf *to)
{
    strbuf_puts(to, "  ");
    put_count(to, x->lanes, "lane");
    strbuf_puts(to, " of ");
    put_count(to, x->warps, "warp");
    strbuf_puts(to, " in ");
    put_count(to, x->ctas, "CTA");
    strbuf_printf(to, " at %s", x->kernel);
    if (x->line)
        strbuf_printf(to, " (%s:%" PRIu32 ")", x->file ? x->file : "line",
                      x->line);
    strbuf_printf(to, ", instruction %" PRIu32 ":\n    ", x->pc);
    if (x->nothing) {
        strbuf_puts(to, "the loop reads nothing that could end it\n");
        return;
    }
    strbuf_printf(to, "%s of %" PRIu32 " bytes at 0x%" PRIx64 ", %s,\n    ",
                  x->atomic ? "an atomic" : "a load", x->size, x->addr,
                  x->where);
    strbuf_printf(to, "which finds 0x%" PRIx64 " each time;\n    ", x->value);
    for (const char *at = x->writer; at;) {
        const char *end = strstr(at, "; ");

        strbuf_write(to, at, end ? (size_t)(end - at) : strlen(at));
        strbuf_puts(to, end ? ";\n    " : "\n");
        at = end ? end + 2 : NULL;
    }
    if (x->polls)
        strbuf_puts(to, "    (it counts or looks at a clock meanwhile, so it "
                        "may give up)\n");
    (void)s;
}

static const char *unit(const exec_spins *s)
{
    return s->timed ? "cycle" : "warp instruction";
}

/* Each of the lines in a few of its own. */
static void put_waits(const char *lines, strbuf *to)
{
    strbuf_puts(to, "who waits at barriers:\n  ");
    for (const char *at = lines; *at; at++) {
        bool part = (*at == ';' || *at == ':') && at[1] == ' ';

        strbuf_putc(to, *at);
        if (*at == '\n')
            strbuf_puts(to, "  ");
        else if (part) {
            strbuf_puts(to, "\n    ");
            at++;
        }
    }
    strbuf_puts(to, "\n");
}

void exec_spins_text(const exec_spins *s, strbuf *to)
{
    if (s->waits)
        put_waits(s->waits, to);
    if (!s->count)
        return;
    put_count(to, s->warps, "warp");
    strbuf_printf(to, " of %" PRIu64 " spin%s", s->live,
                  s->warps == 1 ? "s" : "");
    strbuf_printf(to, ", seen from %s %" PRIu64 " to %" PRIu64, unit(s),
                  s->since, s->to);
    strbuf_puts(to, s->endless ? ", and nothing can end that:\n" : ":\n");
    for (size_t i = 0; i < s->count; i++)
        put_site(s, &s->is[i], to);
    if (s->more) {
        strbuf_puts(to, "  ");
        put_count(to, s->more, "lane");
        strbuf_puts(to, " elsewhere\n");
    }
    if (s->waiting) {
        strbuf_puts(to, "  ");
        put_count(to, s->waiting, "warp");
        strbuf_printf(to, " wait%s at a barrier of the CTA\n",
                      s->waiting == 1 ? "s" : "");
    }
    if (s->starved) {
        strbuf_puts(to, "  ");
        put_count(to, s->starved, "warp");
        strbuf_puts(to, " executed nothing meanwhile\n");
    }
    if (s->started < s->ctas) {
        strbuf_printf(to, "  %" PRIu64 " of ", s->ctas - s->started);
        put_count(to, s->ctas, "CTA");
        strbuf_puts(to, " have not begun: they need room that those which "
                        "spin hold\n");
    }
}

/* ---- Gathering ---- */

enum { SITES = 64 };

typedef struct site {
    exec_site is; /* without texts */
    unsigned launch;
    uint64_t last_warp, last_cta; /* counted, number + 1 */
} site;

struct exec_gather {
    const exec_machine *m;
    site site[SITES];
    size_t count;
    exec_spins sum;
    uint64_t busy;     /* warps that do something */
    uint64_t polls;    /* that may go on */
    uint64_t last;     /* when something happened */
    uint64_t slow;     /* the earliest of when it did last to a busy warp */
    uint64_t circling; /* warps */
    struct {
        uint64_t cta;
        uint32_t warp;
        unsigned launch;
    } who[SITES]; /* spin, the first of them */
    size_t whos;
};

exec_gather *exec_gather_new(const exec_machine *m)
{
    exec_gather *g = new0(1, sizeof *g);

    g->m = m;
    g->slow = UINT64_MAX;
    g->sum.timed = m->timed;
    return g;
}

static site *site_of(exec_gather *g, const exec_site *like, unsigned launch)
{
    for (size_t i = g->count; i-- > 0;) {
        site *s = &g->site[i];

        if (s->is.addr == like->addr && s->is.pc == like->pc &&
            s->launch == launch && s->is.shared == like->shared &&
            s->is.nothing == like->nothing && s->is.cta == like->cta)
            return s;
    }
    if (g->count == SITES)
        return NULL;
    g->site[g->count] = (site){.is = *like, .launch = launch};
    return &g->site[g->count++];
}

static void count_waiting_lanes(exec_gather *g, const exec_site *like,
                                const exec_warp *w, unsigned launch,
                                uint64_t lanes)
{
    uint64_t cta = w->cta->number, warp = cta * 64 + w->index + 1;
    site *s = site_of(g, like, launch);

    if (!s) {
        g->sum.more += lanes;
        return;
    }
    s->is.lanes += lanes;
    s->is.polls |= like->polls;
    s->is.warps += s->last_warp != warp;
    s->is.ctas += s->last_cta != cta + 1;
    s->last_warp = warp;
    s->last_cta = cta + 1;
}

static void count_poll(exec_gather *g, const exec_poll *p, const exec_warp *w,
                       unsigned launch, bool may_end)
{
    for (uint32_t left = p->lanes & w->simt.live; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        bool shared = p->shared >> l & 1;

        count_waiting_lanes(g,
                            &(exec_site){.pc = p->pc,
                                         .shared = shared,
                                         .atomic = p->atomic,
                                         .polls = may_end,
                                         .size = p->size,
                                         .cta = shared ? w->cta->number : 0,
                                         .addr = p->addr[l],
                                         .value = p->value[l]},
                            w, launch, 1);
    }
}

void exec_gather_warp(exec_gather *g, exec_spin *s, const exec_warp *w,
                      unsigned launch, bool waits)
{
    exec_round r = waits ? ROUND_NONE : exec_spin_round(s, w);
    bool found = false;

    g->sum.live++;
    g->last = s->quiet > g->last ? s->quiet : g->last;
    if (waits) {
        g->sum.waiting++;
        return;
    }
    if (r == ROUND_NONE) {
        g->busy++;
        g->sum.starved += !s->ran;
        g->slow = s->quiet < g->slow ? s->quiet : g->slow;
        return;
    }
    g->sum.warps++;
    if (g->whos < SITES) {
        g->who[g->whos].cta = w->cta->number;
        g->who[g->whos].warp = w->index;
        g->who[g->whos++].launch = launch;
    }
    g->circling += r == ROUND_CIRCLE;
    g->polls += r == ROUND_POLLS;
    for (unsigned i = 0; i < s->polls; i++) {
        if (!s->poll[i].decides)
            continue;
        count_poll(g, &s->poll[i], w, launch,
                   r == ROUND_POLLS && simt_is_settled(&w->simt));
        found = true;
    }
    if (!found)
        count_waiting_lanes(g, &(exec_site){.pc = w->simt.pc, .nothing = true},
                            w, launch, bits_popcount32(w->simt.active));
}

bool exec_gather_still(const exec_gather *g, uint64_t from)
{
    return g->circling && !g->busy && !g->polls && g->last <= from;
}

bool exec_gather_slow(const exec_gather *g, uint64_t from)
{
    return g->slow <= from;
}

bool exec_gather_circles(const exec_gather *g) { return g->circling != 0; }

static char *take_text(strbuf *b)
{
    char *text = b->text;

    MUST(text != NULL);
    *b = (strbuf){0};
    return text;
}

static char *where_of(const exec_gather *g, const exec_site *x)
{
    int64_t distance = 0;
    const mem_range *r = mem_nearest(g->m->image, x->addr, &distance);
    strbuf b = {0};

    if (x->shared) {
        strbuf_printf(&b, "in the shared memory of CTA %" PRIu64, x->cta);
    } else if (r && !distance) {
        uint64_t at = x->addr - r->addr;

        strbuf_printf(&b, "byte %" PRIu64 " of allocation %u", at, r->number);
        if (r->name && r->name[0])
            strbuf_printf(&b, " '%s'", r->name);
        if (x->size && at && at % x->size == 0)
            strbuf_printf(&b, " (element %" PRIu64 ")", at / x->size);
    } else {
        strbuf_puts(&b, "outside every allocation");
    }
    return take_text(&b);
}

static bool is_spinning(const exec_gather *g, const exec_writer *by)
{
    for (size_t i = 0; i < g->whos; i++)
        if (g->who[i].cta == by->cta && g->who[i].warp == by->warp &&
            g->who[i].launch == by->launch)
            return true;
    return false;
}

/* Where the writer is now. */
static void put_writer_place(strbuf *b, const exec_gather *g,
                             const exec_writer *by)
{
    const exec_warp *w = g->m->warp(g->m->self, by);
    const isa_kernel *k = g->m->launch(g->m->self, by->launch)->kernel;
    uint32_t pc = 0;

    if (!w) {
        strbuf_puts(b, "; it has ended since");
        return;
    }
    if (by->lane >= ISA_WARP)
        return;
    switch (simt_place_of(&w->simt, by->lane, &pc)) {
    case PLACE_ENDED:
        strbuf_puts(b, "; that lane has ended since");
        return;
    case PLACE_RUNS:
        strbuf_puts(b, is_spinning(g, by) ? "; that lane spins itself, at "
                                          : "; that lane runs at ");
        break;
    case PLACE_READY:
        strbuf_puts(b, "; that lane goes on, when others of its warp let it, "
                       "at ");
        break;
    case PLACE_MEETS:
    case PLACE_WARPSYNC:
        strbuf_puts(b, "; that lane waits for others of its warp to go on "
                       "together at ");
        break;
    case PLACE_CTA:
        strbuf_puts(b, "; that lane waits at the barrier of the CTA at ");
        break;
    }
    exec_place_text(b, k, pc);
}

static char *writer_of(const exec_gather *g, const exec_site *x)
{
    bool may = true;
    const exec_writer *by =
        g->m->find(g->m->self, x->addr, x->size, x->shared, x->cta, &may);
    strbuf b = {0};

    if (!by) {
        strbuf_puts(&b, may ? "who wrote it last is not known"
                            : "nobody has written it since the launch began");
        return take_text(&b);
    }
    const exec_launch *l = g->m->launch(g->m->self, by->launch);
    strbuf_printf(&b,
                  "last written in %s %" PRIu64 " by CTA %" PRIu64 " warp %u",
                  g->sum.timed ? "cycle" : "warp instruction", by->when,
                  by->cta, by->warp);
    if (by->lane < ISA_WARP)
        strbuf_printf(&b, " lane %u", by->lane);
    strbuf_puts(&b, " at ");
    exec_place_text(&b, l->kernel, by->pc);
    put_writer_place(&b, g, by);
    return take_text(&b);
}

static int by_lanes(const void *a, const void *b)
{
    const site *x = a, *y = b;

    if (x->is.lanes != y->is.lanes)
        return x->is.lanes < y->is.lanes ? 1 : -1;
    if (x->is.pc != y->is.pc)
        return x->is.pc > y->is.pc ? 1 : -1;
    if (x->is.cta != y->is.cta)
        return x->is.cta > y->is.cta ? 1 : -1;
    return (x->is.addr > y->is.addr) - (x->is.addr < y->is.addr);
}

static void describe_site(const exec_gather *g, site *s)
{
    const isa_kernel *k = g->m->launch(g->m->self, s->launch)->kernel;
    const isa_inst *in = &k->code[s->is.pc];

    s->is.kernel = new_text(k->name ? k->name : "?");
    s->is.line = in->line;
    s->is.file = in->line ? new_text(isa_kernel_file(k, in)) : NULL;
    if (s->is.nothing)
        return;
    s->is.where = where_of(g, &s->is);
    s->is.writer = writer_of(g, &s->is);
}

exec_spins exec_gather_end(exec_gather *g)
{
    exec_spins out;

    if (g->count)
        qsort(g->site, g->count, sizeof *g->site, by_lanes);
    for (size_t i = SPINS_REPORTED; i < g->count; i++)
        g->sum.more += g->site[i].is.lanes;
    g->sum.count = g->count < SPINS_REPORTED ? g->count : SPINS_REPORTED;
    if (g->sum.count)
        g->sum.is = new_array(g->sum.count, sizeof *g->sum.is);
    for (size_t i = 0; i < g->sum.count; i++) {
        describe_site(g, &g->site[i]);
        g->sum.is[i] = g->site[i].is;
    }
    out = g->sum;
    free(g);
    return out;
}
