/* A profile as a table for people. The wider the table may be, the more columns
 * it has, the ones with a value in this launch first; the source text gets the
 * rest of the width. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/profile.h"
#include "text/word.h"

enum { WIDTH_LEAST = 60, WIDTH_DEFAULT = 100, LINES_DEFAULT = 20 };

typedef struct table {
    const report_launch *launch;
    profile_kind kind;
    profile p;
    unsigned width; /* of the table */
    unsigned text;  /* column of the last one, which is text */
    FILE *to;
} table;

/* ---- cells ---- */

static word cell_slots(const table *t, const profile_row *r)
{
    return word_percent(word_share(r->slots, t->p.total.slots));
}

static word cell_warps(const table *t, const profile_row *r)
{
    return word_percent(word_share(r->waits, t->p.total.waits));
}

static word cell_share(const table *t, const profile_row *r)
{
    return word_percent(word_share(r->sum.insts, t->p.total.sum.insts));
}

static word cell_insts(const table *t, const profile_row *r)
{
    word w = word_count((double)r->sum.insts);
    size_t n = strlen(w.s);

    (void)t;
    if (n && w.s[n - 1] == ' ')
        w.s[n - 1] = 0;
    return w;
}

static word cell_lanes(const table *t, const profile_row *r)
{
    word w = {"-"};

    (void)t;
    if (r->sum.insts)
        snprintf(w.s, sizeof w.s, "%.1f",
                 (double)r->sum.lanes / (double)r->sum.insts);
    return w;
}

/* The `nth` reason for lost slots, largest first, with its share of those of
 * the row; of equal ones the first in stall.def. */
static word nth_stall(const profile_row *r, unsigned nth)
{
    const uint64_t *stall = r->sum.stall;
    uint64_t lost = r->slots - r->sum.insts;
    unsigned best = WHY_STALLS;
    bool seen[WHY_STALLS] = {false};
    word w = {""};

    for (unsigned k = 0; k <= nth; k++) {
        best = WHY_STALLS;
        for (unsigned i = 0; i < WHY_STALLS; i++)
            if (!seen[i] && stall[i] &&
                (best == WHY_STALLS || stall[i] > stall[best]))
                best = i;
        if (best == WHY_STALLS)
            return w;
        seen[best] = true;
    }
    if (nth && stall[best] * 200 < lost)
        return w; /* less than half a per cent */
    snprintf(w.s, sizeof w.s, "%-9s %3.0f %%", sm_why_names[best],
             100 * word_share(stall[best], lost));
    return w;
}

static word cell_stall(const table *t, const profile_row *r)
{
    (void)t;
    return nth_stall(r, 0);
}

static word cell_second(const table *t, const profile_row *r)
{
    (void)t;
    return nth_stall(r, 1);
}

static word cell_third(const table *t, const profile_row *r)
{
    (void)t;
    return nth_stall(r, 2);
}

static word ratio_word(uint64_t part, uint64_t all, int digits)
{
    return all && part ? word_real(word_share(part, all), digits) : (word){"-"};
}

/* Means of an access: most instructions of a line are none. */
static word cell_sectors(const table *t, const profile_row *r)
{
    (void)t;
    return ratio_word(r->sum.sectors, r->sum.tx_insts, 1);
}

static word cell_hits(const table *t, const profile_row *r)
{
    (void)t;
    return word_percent(word_share(r->sum.read_hits, r->sum.reads));
}

static word cell_conflicts(const table *t, const profile_row *r)
{
    (void)t;
    return ratio_word(r->sum.shared_conflicts, r->sum.mem_shared, 2);
}

static word cell_diverged(const table *t, const profile_row *r)
{
    (void)t;
    return r->sum.diverged
               ? word_percent(word_share(r->sum.diverged, r->sum.insts))
               : (word){"-"};
}

/* ---- columns ---- */

static bool has_conflicts(const sm_profile_row *all)
{
    return all->shared_conflicts != 0;
}

/* Accesses to several lines: by lanes far apart, or by wide ones. */
static bool is_scattered(const sm_profile_row *all)
{
    return all->tx > 2 * all->tx_insts;
}

/* Why a table that is not that wide has a column all the same. */
typedef struct reason {
    bool (*holds)(const sm_profile_row *all); /* of this launch */
    unsigned from;                            /* in a table so wide */
    const char *legend;
} reason;

static const reason conflicts = {
    has_conflicts, 0,
    "bank: cycles that a shared access loses to bank conflicts, on average"};
static const reason scattered = {
    is_scattered, 100,
    "sectors: those of 32 bytes that a global or local access moves, on "
    "average"};

/* Columns by the width from which the table has them. */
static const struct {
    const char *title;
    int width; /* below 0: to the left */
    unsigned from;
    bool timed, functional;
    word (*print)(const table *t, const profile_row *r);
    const reason *tells; /* NULL: none */
} columns[] = {
    {"slots", 7, 0, true, false, cell_slots, NULL},
    {"warps", 7, 0, true, false, cell_warps, NULL},
    {"share", 7, 0, false, true, cell_share, NULL},
    {"insts", 6, 0, true, true, cell_insts, NULL},
    {"lanes", 5, 0, true, true, cell_lanes, NULL},
    {"split", 7, 140, true, false, cell_diverged, NULL},
    {"split", 7, 0, false, true, cell_diverged, NULL},
    {"sectors", 7, 130, true, false, cell_sectors, &scattered},
    {"L1 hit", 7, 130, true, false, cell_hits, NULL},
    {"bank", 5, 140, true, false, cell_conflicts, &conflicts},
    {"stalled by", -15, 0, true, false, cell_stall, NULL},
    {"", -15, 110, true, false, cell_second, NULL},
    {"", -15, 170, true, false, cell_third, NULL},
};

/* The launch has a value in column `i`. */
static bool has_column_counts(const table *t, size_t i)
{
    const reason *r = columns[i].tells;

    return r && t->width >= r->from && r->holds(&t->p.total.sum);
}

static bool has_column(const table *t, size_t i)
{
    return (t->width >= columns[i].from || has_column_counts(t, i)) &&
           (t->launch->functional ? columns[i].functional : columns[i].timed);
}

/* ---- text at the end of a row ---- */

/* What fits of a text behind `used` columns; blanks for what is no printable
 * character. */
static void put_source_text(const table *t, const char *s, size_t n,
                            unsigned used)
{
    unsigned room = t->width;

    for (size_t i = 0; i < n; i++) {
        bool more = ((unsigned char)s[i] & 0xc0) == 0x80; /* of UTF-8 */

        if (!more && ++used > room)
            break;
        fputc((unsigned char)s[i] < ' ' || s[i] == 0x7f ? ' ' : s[i], t->to);
    }
}

/* The last name of the path, or all of it if another file has the same. */
static const char *short_path(const table *t, uint16_t file)
{
    const isa_program *p = t->launch->source;
    const char *path = p->files[file - 1], *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    for (uint32_t i = 0; i < p->file_count; i++) {
        const char *other = strrchr(p->files[i], '/');

        other = other ? other + 1 : p->files[i];
        if (i + 1u != file && !strcmp(other, name))
            return path;
    }
    return name;
}

/* "saxpy.cu:12  y[i] = a * x[i] + y[i];" */
static void place_text(const table *t, uint16_t file, uint32_t line, strbuf *b)
{
    const char *s = NULL;
    size_t n;

    if (!line) {
        strbuf_puts(b, "(no source line)");
        return;
    }
    strbuf_printf(b, "%s:%" PRIu32, file ? short_path(t, file) : "line", line);
    if (file)
        s = sources_line(t->launch->sources, file - 1u, line, &n);
    if (s) {
        strbuf_puts(b, "  ");
        strbuf_write(b, s, n);
    }
}

static void row_text(const table *t, const profile_row *r, bool ordered,
                     strbuf *b)
{
    if (r->first == t->launch->kernel->code_count) {
        strbuf_puts(b, "(no instruction)");
    } else if (t->kind == PROFILE_LINES) {
        place_text(t, r->file, r->line, b);
    } else {
        strbuf_printf(b, "%4" PRIu32 "  ", r->first);
        profile_inst_text(t->launch, r->first, b);
        if (!ordered && r->line)
            strbuf_printf(b, "  // %s:%" PRIu32,
                          r->file ? short_path(t, r->file) : "line", r->line);
    }
}

/* ---- rows ---- */

static void print_cells(const table *t, const profile_row *r)
{
    fputs("  ", t->to);
    for (size_t i = 0; i < COUNTOF(columns); i++)
        if (has_column(t, i))
            fprintf(t->to, "%*s  ", columns[i].width,
                    r ? columns[i].print(t, r).s : columns[i].title);
}

static void print_row(const table *t, const profile_row *r, const char *text,
                      size_t n)
{
    print_cells(t, r);
    put_source_text(t, text, n, t->text);
    fputc('\n', t->to);
}

static void print_title(const table *t)
{
    const char *what = t->kind == PROFILE_LINES ? "source line" : "instruction";

    fprintf(t->to, "\n  by %s%s\n", what,
            t->launch->functional
                ? ""
                : "; slots: issue slots used or lost there; warps: time "
                  "spent there");
    for (size_t i = 0; i < COUNTOF(columns); i++)
        if (has_column(t, i) && has_column_counts(t, i))
            fprintf(t->to, "  %s\n", columns[i].tells->legend);
    print_row(t, NULL, what, strlen(what));
}

static bool row_is_empty(const profile_row *r)
{
    return !r->slots && !r->waits && !r->sum.insts;
}

/* What the table leaves out, and the sum. */
static void print_rest(const table *t, const profile_row *rest, size_t left)
{
    const profile_row *none = &t->p.row[t->p.count - 1];
    strbuf b = {0};

    if (left) {
        strbuf_printf(&b, "(%zu other%s; --top 0 shows all)", left,
                      word_plural(left));
        print_row(t, rest, b.text, b.size);
    }
    if (!row_is_empty(none))
        print_row(t, none, "(no instruction)", 16);
    print_row(t, &t->p.total, "total", 5);
    strbuf_fini(&b);
}

static void add_rows(profile_row *to, const profile_row *r)
{
    sm_profile_sum(&to->sum, &r->sum);
    to->slots += r->slots;
    to->waits += r->waits;
}

/* A line of its own before the first instruction of each source line. */
static void print_place(const table *t, const profile_row *r,
                        const profile_row *before)
{
    strbuf b = {0};

    if (r->line &&
        (!before || before->line != r->line || before->file != r->file)) {
        fputs("  ", t->to);
        place_text(t, r->file, r->line, &b);
        put_source_text(t, b.text, b.size, 2);
        fputc('\n', t->to);
    }
    strbuf_fini(&b);
}

static void print_rows(const table *t, size_t most)
{
    size_t *order = most ? profile_hottest(&t->p, t->launch->functional) : NULL;
    size_t rows = t->p.count - 1, shown = 0, left = 0;
    profile_row rest = {.count = 0};
    strbuf b = {0};

    for (size_t i = 0; i < rows; i++) {
        const profile_row *r = &t->p.row[order ? order[i] : i];

        if (order && (shown == most || row_is_empty(r))) {
            left += !row_is_empty(r);
            add_rows(&rest, r);
            continue;
        }
        if (!order && t->kind == PROFILE_INSTS)
            print_place(t, r, i ? r - 1 : NULL);
        b.size = 0;
        row_text(t, r, !order, &b);
        print_row(t, r, b.text, b.size);
        shown++;
    }
    print_rest(t, &rest, left);
    strbuf_fini(&b);
    free(order);
}

void profile_text(const report_options *o, const report_launch *l,
                  profile_kind kind, FILE *to)
{
    table t = {.launch = l, .kind = kind, .to = to};
    size_t most = o->has_top              ? o->top
                  : kind == PROFILE_LINES ? LINES_DEFAULT
                                          : 0;

    t.width = o->width ? o->width : WIDTH_DEFAULT;
    t.width = t.width < WIDTH_LEAST ? WIDTH_LEAST : t.width;
    t.text = 2;
    t.p = profile_make(l, kind);
    for (size_t i = 0; i < COUNTOF(columns); i++)
        if (has_column(&t, i))
            t.text += (unsigned)abs(columns[i].width) + 2;
    print_title(&t);
    print_rows(&t, most);
    profile_free(&t.p);
}
