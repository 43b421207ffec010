/* src/pages/page_explain_code.c - source, PTX and machine code of a kernel side
 * by side. What a page has no room for is left out, the coldest lines first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "page/chart/chart_code.h"
#include "pages/page_explain.h"

enum {
    FILES = 6,         /* of source */
    VIEW = 900 * 1000, /* bytes of a kernel */
    LEAST = 60 * 1000, /* a view of less makes no sense */
    ROW = 420,         /* bytes of a row without its text */
    PLAIN_ROW = 130,   /* likewise, of one without figures */
    TEXT = 240,        /* of its text, at most */
    FEW = 3            /* lines that are left out silently: PTX has a .loc
                          in between */
};

/* ---- Rows ---- */

static code_row row_of(uint32_t number, unsigned key, const char *text,
                       double slots, double warps)
{
    code_row r = {.key = key,
                  .number = number,
                  .text = text,
                  .slots = slots,
                  .warps = warps};

    for (unsigned i = 0; i < CODE_VALUES; i++)
        r.value[i] = NAN;
    return r;
}

static void find_values(code_row *r, const sm_profile_row *s)
{
    double *v = r->value;

    *v++ = (double)s->insts;
    *v++ = word_share(s->lanes, s->insts);
    *v++ = word_share(s->sectors, s->tx_insts);
    *v++ = word_share(s->sectors_least, s->tx_insts);
    *v++ = 100 * word_share(s->read_hits, s->reads);
    *v++ = word_share(s->shared_conflicts, s->mem_shared);
}

static const code_value values[CODE_VALUES] = {
    {"insts", "warp instructions issued", 0},
    {"lanes", "that executed, on average, of 32", 1},
    {"sectors", "of 32 bytes that an access moved, on average", 1},
    {"needed", "sectors that its bytes need at least", 1},
    {"L1 hit", "loads that found all data in the L1, in percent", 0},
    {"bank",
     "cycles that an access to shared memory lost to bank conflicts, "
     "on average",
     1}};

static void find_stall(code_row *r, const sm_profile_row *s)
{
    uint64_t most = 0, all = s->insts;

    for (unsigned i = 0; i < WHY_STALLS; i++) {
        all += s->stall[i];
        if (s->stall[i] > most) {
            most = s->stall[i];
            r->stall = sm_why_names[i];
        }
    }
    r->stalled = word_share(most, all);
}

static code_row *rows_of_insts(const look *k, arena *mem)
{
    code_row *rows = ARENA_ARRAY(mem, code_row, k->code.inst_count + 1);

    for (size_t i = 0; i < k->code.inst_count; i++) {
        const look_inst *is = &k->code.inst[i];

        rows[i] = row_of((uint32_t)i, is->line, is->text, is->share, is->waits);
        rows[i].begins = is->function;
        find_values(&rows[i], &is->sum);
        find_stall(&rows[i], &is->sum);
    }
    return rows;
}

/* Lines of text: with what the line cost, if `costs`. */
static code_row *rows_of_text(const look *k, const look_text *t, size_t count,
                              bool costs, arena *mem)
{
    code_row *rows = ARENA_ARRAY(mem, code_row, count + 1);

    for (size_t i = 0; i < count; i++) {
        const look_line *l = t[i].line ? &k->line[t[i].line - 1] : NULL;

        rows[i] =
            row_of(t[i].number, t[i].line,
                   *t[i].text || t[i].number ? t[i].text : "(no source line)",
                   l ? l->share : NAN, l ? l->waits : NAN);
        rows[i].begins = t[i].function;
        rows[i].nowhere = !t[i].number;
        if (!l || !costs)
            continue;
        find_values(&rows[i], &l->sum);
        rows[i].stall = l->stall;
        rows[i].stalled = l->reason;
    }
    return rows;
}

/* ---- What there is room for ---- */

static size_t bytes_of(const code_row *r, bool plain)
{
    size_t n = plain ? PLAIN_ROW : ROW;
    unsigned length = 0;

    for (const char *s = r->text; *s && length < TEXT; s++, length++)
        n += strchr("<>&\"'", *s) ? 6 : (unsigned char)*s < ' ' ? 3 : 1;
    return n;
}

static int hotter(const void *a, const void *b, void *arg)
{
    const code_row *rows = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    double p = isnan(rows[x].slots) ? -1 : rows[x].slots;
    double q = isnan(rows[y].slots) ? -1 : rows[y].slots;

    if (p != q)
        return p > q ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Takes away the coldest rows until `room` bytes hold the others, which are
 * taken off it. Gives the number of those taken away. */
static size_t fit(code_pane *pane, code_row *rows, size_t *room)
{
    size_t *order = new0(pane->count + 1, sizeof *order);
    bool *kept = new0(pane->count + 1, sizeof *kept);
    size_t n = 0, all = pane->count;
    uint32_t last = 0;

    for (size_t i = 0; i < all; i++)
        order[i] = i;
    qsort_r(order, all, sizeof *order, hotter, rows);
    for (size_t i = 0; i < all; i++) {
        size_t bytes = bytes_of(&rows[order[i]], pane->plain);

        if (bytes > *room)
            break;
        *room -= bytes;
        kept[order[i]] = true;
    }
    for (size_t i = 0; i < all; i++)
        if (kept[i]) {
            rows[n] = rows[i];
            rows[n].gap = n && rows[n].number > last + FEW;
            last = rows[n++].number;
        }
    free(order);
    free(kept);
    pane->rows = rows;
    pane->count = n;
    return all - n;
}

/* ---- Panes ---- */

typedef struct code_work {
    page *p;
    const explain *x;
    const look *k;
    code_pane pane[FILES + 2];
    size_t count, left_out;
    size_t number; /* of the kernel */
} code_work;

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && !strcmp(s + n - m, end);
}

static void add_pane(code_work *w, code_pane pane, code_row *rows, size_t *room)
{
    w->left_out += fit(&pane, rows, room);
    if (pane.count)
        w->pane[w->count++] = pane;
}

static void add_files(code_work *w, size_t *room)
{
    const look *k = w->k;

    for (size_t i = 0; i < k->code.file_count && i < FILES; i++) {
        const look_file *f = &k->code.file[i];

        add_pane(w,
                 (code_pane){.title = *f->name ? f->name : "(no file)",
                             .file = "source",
                             .number = "line",
                             .below = w->count > 0,
                             .count = f->count},
                 rows_of_text(k, f->row, f->count, true, w->x->mem), room);
    }
}

static void add_ptx(code_work *w, size_t *room)
{
    const look_code *c = &w->k->code;

    if (c->ptx_count)
        add_pane(w,
                 (code_pane){.title = "PTX",
                             .file = "ptx",
                             .number = "line",
                             .plain = true,
                             .count = c->ptx_count},
                 rows_of_text(w->k, c->ptx, c->ptx_count, false, w->x->mem),
                 room);
}

static void add_insts(code_work *w, size_t *room)
{
    add_pane(w,
             (code_pane){.title = "machine code",
                         .file = "machine-code",
                         .number = "inst.",
                         .count = w->k->code.inst_count},
             rows_of_insts(w->k, w->x->mem), room);
}

static bool is_shown(const code_work *w, size_t key)
{
    for (size_t i = 0; i < w->count; i++)
        for (size_t r = 0; r < w->pane[i].count; r++)
            if (w->pane[i].rows[r].key == key)
                return true;
    return false;
}

/* What links lead to though there is no room for it. */
static void put_anchors(const code_work *w)
{
    const explain *x = w->x;

    for (size_t i = 0; i < x->trial_count; i++) {
        const explain_trial *t = &x->trials[i];
        size_t key = t->worst ? (size_t)(t->worst - w->k->line) + 1 : 0;
        bool again = false;

        if (t->kernel != w->number || !t->worst || is_shown(w, key))
            continue;
        for (size_t k = 0; k < i; k++)
            again |= x->trials[k].worst == t->worst;
        if (!again)
            page_anchor(w->p,
                        arena_printf(x->mem, "c%zu-%zu", w->number + 1, key));
    }
}

/* What is missing, and why. */
static void put_notes(const code_work *w)
{
    const look_code *c = &w->k->code;
    bool ptx_is_source = c->file_count && ends_with(c->file[0].name, ".ptx");

    if (c->file_count && !c->file[0].known)
        page_note(w->p,
                  "The text of %s is not where the program says, nor beside "
                  "it: only lines with instructions are here, without text.",
                  *c->file[0].name ? c->file[0].name : "the source");
    if (!c->ptx_count && !ptx_is_source)
        page_note(w->p, "The PTX is not at hand, or has no .loc.");
    if (c->file_count > FILES)
        page_note(w->p, "The %d files with most slots of %zu.", (int)FILES,
                  c->file_count);
    if (w->left_out)
        page_note(w->p,
                  "%zu lines have no room on a page that should stay small: "
                  "the coldest ones are left out. heddle run --by-instruction "
                  "tells of all.",
                  w->left_out);
}

void page_explain_code(page *p, const explain *x, size_t i, size_t *room)
{
    code_work w = {.p = p, .x = x, .k = &x->looks[i], .number = i};
    size_t most = *room < VIEW ? *room : VIEW, left = 0;
    size_t part[] = {most * 3 / 10, most * 2 / 10, most * 5 / 10};
    code_view v = {.is = {arena_printf(x->mem, "Code of %s", w.k->name),
                          "lines of the same colour belong together; slots: "
                          "issue slots used or lost there, warps: cycles that "
                          "warps spent there, both in percent of the kernel",
                          "code", NULL},
                   .id = (unsigned)i + 1,
                   .value_count = CODE_VALUES};

    page_section(p, "Code");
    if (!w.k->code.inst_count || most < LEAST) {
        page_paragraph(p, w.k->code.inst_count
                              ? "There is no room for it on this page: "
                                "kernels that took longer have theirs."
                              : "It was not profiled.");
        put_anchors(&w);
        return;
    }
    add_files(&w, &part[0]);
    part[1] += part[0];
    add_ptx(&w, &part[1]);
    part[2] += part[1];
    add_insts(&w, &part[2]);
    left = part[2];
    *room -= most - (left < most ? left : most);
    memcpy(v.values, values, sizeof v.values);
    v.panes = w.pane;
    v.count = w.count;
    put_notes(&w);
    put_anchors(&w);
    chart_code(p, &v);
}

void page_explain_line(page *p, const explain *x, size_t k,
                       const look_line *line)
{
    const look *is = &x->looks[k];
    size_t key = (size_t)(line - is->line) + 1;
    char place[48];

    snprintf(place, sizeof place, "c%zu-%zu", k + 1, key);
    if (k < EXPLAIN_KERNELS && key <= is->line_count)
        page_link(p, place, "%s", line->place);
    else
        page_printf(p, "%s", line->place);
    if (*line->text) {
        page_printf(p, " ");
        page_code(p, "%.*s", 120, line->text);
    }
}
