/* The advice for people. */
#include <math.h>
#include <string.h>

#include "base/must.h"
#include "explain/explain.h"
#include "text/word.h"

enum {
    KERNELS = 3, /* told of in full */
    LINES = 5,
    STATES = 3,
    BAR = 24,
    INDENT = 12, /* of what stands below a gain */
};

#define HELPS 1.005 /* times as fast */

/* Words of a text in lines of at most `width` columns behind `indent`. */
static void put_wrapped(const char *text, unsigned indent, unsigned width,
                        FILE *to)
{
    unsigned column = 0;

    while (*text) {
        size_t n = strcspn(text, " ");

        if (column && column + 1 + n > width) {
            fputc('\n', to);
            column = 0;
        }
        if (!column)
            column = (unsigned)fprintf(to, "%*s", (int)indent, "");
        else
            column += (unsigned)fprintf(to, " ");
        fwrite(text, 1, n, to);
        column += (unsigned)n;
        text += n;
        text += *text == ' ';
    }
    if (column)
        fputc('\n', to);
}

/* A line of source, cut to what fits; blanks for what is no printable
 * character. */
static void put_source(const char *s, unsigned room, FILE *to)
{
    for (unsigned n = 0; *s; s++) {
        bool more = ((unsigned char)*s & 0xc0) == 0x80; /* of UTF-8 */

        if (!more && ++n > room)
            return;
        fputc((unsigned char)*s < ' ' || *s == 0x7f ? ' ' : *s, to);
    }
}

/* ---- A kernel ---- */

static void put_size(const char *what, const uint32_t v[3], FILE *to)
{
    if (v[0])
        fprintf(to, "%s %ux%ux%u", what, v[0], v[1], v[2]);
    else
        fprintf(to, "%ss of several sizes", what);
}

static void put_occupancy(const look *k, FILE *to)
{
    if (!k->ctas)
        return;
    fprintf(to,
            "  occupancy: %u CTA%s of %u warp%s, %u of %u warps of an SM, "
            "limited by %s\n",
            k->ctas, word_plural(k->ctas), k->warps, word_plural(k->warps),
            k->ctas * k->warps, k->cfg->sm.warps, k->limiter);
    if (k->step.registers)
        fprintf(to, "    %u CTAs with %u registers a thread instead of %u\n",
                k->step.ctas, k->step.registers, k->registers);
    if (k->step.shared)
        fprintf(to, "    %u CTAs with %s of shared memory instead of %s\n",
                k->step.ctas, word_bytes((double)k->step.shared).s,
                word_bytes((double)k->shared_bytes).s);
}

static void put_head(const look *k, FILE *to)
{
    fprintf(to, "\n%s: %s cycles in %s launch%s, %s of the run\n  ", k->name,
            word_grouped(k->cycles).s, word_grouped(k->launches).s,
            k->launches == 1 ? "" : "es", word_percent(k->share).s);
    put_size("grid", k->grid, to);
    fputs(", ", to);
    put_size("block", k->block, to);
    fprintf(to, "; %u register%s, %llu B shared\n", k->registers,
            word_plural(k->registers), (unsigned long long)k->shared_bytes);
    put_occupancy(k, to);
    bounds_text(&k->b, to);
    if (k->b.first.kind == BOUND_WAIT)
        fprintf(to, "    %s\n", bound_wait_means(k->b.first.which));
}

static void put_bar(const char *name, double share, FILE *to)
{
    unsigned n = (unsigned)(share * BAR + 0.5);

    n = n > BAR ? BAR : n;
    fprintf(to, "    %-22s |%.*s%.*s| %7s\n", name, (int)n,
            "########################", (int)(BAR - n),
            "                        ", word_percent(share).s);
}

static void put_speeds(const look *k, FILE *to)
{
    fputs("\n  speed of light: of what each can, while SMs had warps\n", to);
    for (unsigned i = 0; i < BOUND_UNITS; i++)
        if (k->b.speed[i] >= 0.01)
            put_bar(bound_unit_name(i), k->b.speed[i], to);
}

static void put_states(const look *k, FILE *to)
{
    bool told[WHY_COUNT] = {false};

    fputs("\n  a warp's time:", to);
    for (unsigned n = 0; n < STATES; n++) {
        unsigned most = WHY_COUNT;

        for (unsigned i = 0; i < WHY_COUNT; i++)
            if (!told[i] && (most == WHY_COUNT || k->state[i] > k->state[most]))
                most = i;
        if (k->state[most] < 0.01)
            break;
        told[most] = true;
        fprintf(to, "%s %s %s", n ? "," : "", sm_why_names[most],
                word_percent(k->state[most]).s);
    }
    fputc('\n', to);
}

static const struct {
    unsigned level;
    const char *name;
} roofs[] = {{LEVEL_L1, "L1"}, {LEVEL_L2, "L2"}, {LEVEL_DRAM, "DRAM"}};

/* "FP32: 1.2 T/s of 14.1 T/s; 0.25 per byte of DRAM, whose roof is ..." */
static void put_roofline(const look *k, FILE *to)
{
    for (unsigned i = 0; i < LOOK_WORKS && k->work[i].ops > 0; i++) {
        const look_work *w = &k->work[i];
        double least = w->peak;
        const char *by = "its units";

        for (unsigned j = 0; j < COUNTOF(roofs); j++) {
            double roof = look_roof(k, w, roofs[j].level);

            if (roof < least) {
                least = roof;
                by = roofs[j].name;
            }
        }
        fprintf(to, "  %s: %sop/s of %sop/s", w->name,
                word_count(w->ops / k->time_s).s, word_count(w->peak).s);
        fprintf(to, "; %s op/byte of L1,",
                word_real(look_intensity(k, w, LEVEL_L1), 2).s);
        fprintf(to, " %s of L2,",
                word_real(look_intensity(k, w, LEVEL_L2), 2).s);
        fprintf(to, " %s of DRAM\n    roof by %s: %sop/s, %s reached\n",
                word_real(look_intensity(k, w, LEVEL_DRAM), 2).s, by,
                word_count(least).s,
                word_percent(w->ops / k->time_s / least).s);
    }
}

static void put_lines(const look *k, unsigned width, FILE *to)
{
    if (!k->line_count)
        return;
    fputs("\n  where the issue slots go\n", to);
    for (size_t i = 0; i < k->line_count && i < LINES; i++) {
        const look_line *l = &k->line[i];
        int n = fprintf(to, "    %7s  %-10s %s", word_percent(l->share).s,
                        l->stall ? l->stall : "issued", l->place);

        if (*l->text && n + 12u < width) {
            fputs("  ", to);
            put_source(l->text, width - (unsigned)n - 2, to);
        }
        fputc('\n', to);
    }
}

/* ---- Changes ---- */

static void put_reason(const explain *x, const explain_trial *t, unsigned width,
                       FILE *to)
{
    if (x->look_count > 1)
        fprintf(to, "%*s%s\n", INDENT, "", x->looks[t->kernel].name);
    if (t->worst) {
        int n = fprintf(to, "%*s%s  ", INDENT, "", t->worst->place);

        if (n > 0 && (unsigned)n < width)
            put_source(t->worst->text, width - (unsigned)n, to);
        fputc('\n', to);
    }
    if (*t->figure)
        put_wrapped(t->figure, INDENT, width, to);
    if (t->rule->advice)
        put_wrapped(t->rule->advice, INDENT, width, to);
}

static void put_kernel_gains(const explain *x, const explain_trial *t, FILE *to)
{
    const char *before = "  (";

    if (x->look_count < 2)
        return;
    for (size_t i = 0; i < x->look_count; i++)
        if (explain_tells_gain(t, i, KERNELS)) {
            fprintf(to, "%s%s %.2f x", before, x->looks[i].name,
                    t->kernel_gain[i]);
            before = ", ";
        }
    fputs(*before == ',' ? ")" : "", to);
}

static bool is_told(const explain_trial *t, bool helps)
{
    return t->gain > 0 && (t->gain >= HELPS) == helps;
}

static void put_tried(const explain *x, bool helps, const char *title,
                      unsigned width, FILE *to)
{
    bool any = false;

    for (size_t i = 0; i < x->trial_count; i++) {
        const explain_trial *t = &x->trials[i];

        if (!is_told(t, helps))
            continue;
        if (!any)
            fprintf(to, "\n%s\n", title);
        any = true;
        fprintf(to, "  %7.2f x  %s: %s", t->gain, t->rule->id, t->rule->change);
        put_kernel_gains(x, t, to);
        fputc('\n', to);
        if (t->other_results)
            put_wrapped(EXPLAIN_OTHER_RESULTS, INDENT, width, to);
        if (helps)
            put_reason(x, t, width, to);
    }
}

static void put_failed(const explain *x, FILE *to)
{
    for (size_t i = 0; i < x->trial_count; i++)
        if (x->trials[i].problem)
            fprintf(to, "\n  %s: %s\n    no result: %s\n",
                    x->trials[i].rule->id, x->trials[i].rule->change,
                    x->trials[i].problem);
}

static bool is_left(const explain_trial *t, bool can_be_tried)
{
    return !t->wanted && t->most >= EXPLAIN_LEAST &&
           (*t->sets != '\0') == can_be_tried;
}

static void put_left(const explain *x, bool can_be_tried, const char *title,
                     unsigned width, FILE *to)
{
    bool any = false;

    for (size_t i = 0; i < x->trial_count; i++) {
        const explain_trial *t = &x->trials[i];

        if (!is_left(t, can_be_tried))
            continue;
        if (!any)
            fprintf(to, "\n%s\n", title);
        any = true;
        fprintf(to, "  < %5.2f x  %s: %s\n", explain_at_most(t->most),
                t->rule->id, t->rule->change);
        put_reason(x, t, width, to);
    }
}

/* Does a rule promise or gain enough to be told of? */
static bool is_anything(const explain *x)
{
    for (size_t i = 0; i < x->trial_count; i++)
        if (x->trials[i].most >= EXPLAIN_LEAST || x->trials[i].gain >= HELPS)
            return true;
    return false;
}

void explain_text(const explain *x, unsigned width, FILE *to)
{
    for (size_t i = 0; i < x->look_count && i < KERNELS; i++) {
        const look *k = &x->looks[i];

        put_head(k, to);
        put_speeds(k, to);
        put_states(k, to);
        put_roofline(k, to);
        put_lines(k, width, to);
    }
    if (x->look_count > KERNELS)
        fprintf(to, "\n%zu other kernels: --format json tells of all\n",
                x->look_count - KERNELS);
    put_tried(x, true,
              "what would help: each change was tried in the simulator", width,
              to);
    put_tried(x, false, "tried as well: these would not help", width, to);
    put_failed(x, to);
    put_left(x, true,
             "not tried (--try NAME,... or --try all does); at most, by the "
             "counters",
             width, to);
    put_left(x, false,
             "no change of the machine is like these; at most, by the counters",
             width, to);
    if (!is_anything(x))
        fputs("\nno rule says that there is something to gain\n", to);
}
