/* src/pages/page_explain_kernel.c - a kernel in charts: units, what warps wait
 * for, memory, occupancy; and the roofs of all. */
#include <math.h>
#include <string.h>

#include "base/must.h"
#include "pages/page_explain.h"

/* ---- Roofs ---- */

static const struct {
    unsigned level;
    const char *name;
} roof_levels[] = {{LEVEL_L1, "L1"}, {LEVEL_L2, "L2"}, {LEVEL_DRAM, "DRAM"}};

enum { ROOFS = COUNTOF(roof_levels) };

static word per_second(double v)
{
    word w;

    snprintf(w.s, sizeof w.s, "%.20sop/s", word_count(v).s);
    return w;
}

static word per_byte(double v)
{
    word w;

    snprintf(w.s, sizeof w.s, v < 0.1 ? "%.3g" : "%.2f", v);
    return w;
}

/* Kinds of arithmetic that any kernel has, with their peaks. */
static size_t find_flats(const explain *x, roof *to)
{
    size_t n = 0;

    for (size_t i = 0; i < x->look_count && i < EXPLAIN_KERNELS; i++)
        for (size_t w = 0; w < LOOK_WORKS && x->looks[i].work[w].ops > 0; w++) {
            const look_work *is = &x->looks[i].work[w];
            bool known = false;

            for (size_t k = 0; k < n; k++)
                known |= !strncmp(to[k].name, is->name, strlen(is->name));
            if (!known)
                to[n++] = (roof){arena_printf(x->mem, "%s, %s", is->name,
                                              per_second(is->peak).s),
                                 is->peak, 0};
        }
    return n;
}

static size_t find_points(const explain *x, roofline_point *to)
{
    size_t n = 0;

    for (size_t i = 0; i < x->look_count && i < EXPLAIN_KERNELS; i++)
        for (size_t w = 0; w < LOOK_WORKS && x->looks[i].work[w].ops > 0; w++)
            for (unsigned r = 0; r < ROOFS; r++) {
                const look *k = &x->looks[i];
                const look_work *is = &k->work[w];
                unsigned level = roof_levels[r].level;
                double at = look_intensity(k, is, level);

                if (at > 0)
                    to[n++] = (roofline_point){
                        arena_printf(x->mem, "%s, %s", k->name, is->name),
                        roof_levels[r].name,
                        at,
                        is->ops / k->time_s,
                        look_roof(k, is, level),
                        r};
            }
    return n;
}

void page_explain_roofs(page *p, const explain *x)
{
    roof slopes[ROOFS], flats[LOOK_WORKS * EXPLAIN_KERNELS];
    roofline_point points[LOOK_WORKS * EXPLAIN_KERNELS * ROOFS];
    size_t n = find_points(x, points);

    if (!n) {
        page_paragraph(p, "No kernel has arithmetic that is counted, or bytes "
                          "that moved.");
        return;
    }
    for (unsigned r = 0; r < ROOFS; r++) {
        double peak = x->looks[0].f.level[roof_levels[r].level].peak;

        slopes[r] = (roof){arena_printf(x->mem, "%s, %s", roof_levels[r].name,
                                        word_per_second(peak).s),
                           peak, r};
    }
    chart_roofline(
        p, &(roofline){.is = {"Work over bytes, below its roofs",
                              "a dot for each kernel, kind of arithmetic and "
                              "level that bytes came from: slopes are what the "
                              "level can move, level lines what the units can "
                              "compute",
                              "roofs", "kernel"},
                       .x = "operations per byte",
                       .y = "operations per second",
                       .slopes = slopes,
                       .slope_count = ROOFS,
                       .flats = flats,
                       .flat_count = find_flats(x, flats),
                       .points = points,
                       .count = n,
                       .x_show = per_byte,
                       .y_show = per_second});
    page_note(p, "A multiply-add is two operations, a matrix operation 2 m n "
                 "k, an integer operation one of each lane.");
}

/* ---- Units ---- */

static word percent(double v)
{
    word w;

    snprintf(w.s, sizeof w.s, "%.1f %%", v);
    return w;
}

static void put_speeds(page *p, const look *k)
{
    static const char *const series[] = {"percent"};
    double values[BOUND_UNITS];
    bars_row rows[BOUND_UNITS];
    size_t n = 0;

    for (unsigned i = 0; i < BOUND_UNITS; i++) {
        values[i] = 100 * k->b.speed[i];
        if (values[i] >= 0.1)
            rows[n++] = (bars_row){bound_unit_name(i), &values[i], NULL, false};
    }
    if (n)
        chart_bars(p, &(bars){.is = {"Speed of light",
                                     "of what each unit can do, while SMs had "
                                     "warps; beyond the crossbar from the "
                                     "first CTA on",
                                     "speed-of-light", "unit"},
                              .series = series,
                              .series_count = 1,
                              .rows = rows,
                              .count = n,
                              .show = percent,
                              .full = 100});
}

/* ---- Where time goes ---- */

/* The place of a reason in sm_why_names; WHY_COUNT: none. */
static unsigned why_of(const char *name)
{
    unsigned i = 0;

    while (i < WHY_COUNT && strcmp(sm_why_names[i], name) != 0)
        i++;
    return i;
}

static void put_states(page *p, const look *k)
{
    const char *names[WHY_COUNT + 1] = {"issued"};
    double slots[WHY_COUNT + 1] = {0}, warps[WHY_COUNT + 1] = {0};
    stack_bar both[] = {{"a warp's cycles", warps}, {"issue slots", slots}};
    stack_group group = {k->name, both, 2};

    for (unsigned i = 0; i < WHY_COUNT; i++) {
        names[i + 1] = sm_why_names[i];
        warps[i + 1] = k->state[i];
    }
    slots[0] = word_share(k->f.issued, k->f.slots);
    for (unsigned i = 0; i < k->f.stall_count; i++) {
        unsigned why = why_of(k->f.stalls[i].name);

        if (why < WHY_COUNT)
            slots[why + 1] = word_share(k->f.stalls[i].slots, k->f.slots);
    }
    chart_stack(p, &(stack){.is = {"What warps wait for",
                                   "of the cycles of resident warps, and of "
                                   "the issue slots; in percent",
                                   "warp-states", "kernel"},
                            .parts = names,
                            .part_count = WHY_COUNT + 1,
                            .first = true,
                            .colour = words_stall_colour,
                            .groups = &group,
                            .count = 1});
}

/* ---- Memory ---- */

typedef struct memory_chart {
    flow_box box[6];
    flow_arrow arrow[6];
    size_t boxes, arrows;
} memory_chart;

static const char *hit_text(const explain *x, const figure_level *v)
{
    return isnan(v->hit_rate) ? "no loads looked there"
                              : arena_printf(x->mem, "%s of loads hit",
                                             word_percent(v->hit_rate).s);
}

static void add_box(memory_chart *c, const char *name, const char *about,
                    double from, double width, unsigned row, double busy)
{
    c->box[c->boxes++] = (flow_box){name, about, from, width, row, busy};
}

static void add_arrow(const explain *x, memory_chart *c, const look *k,
                      unsigned level, bound_unit unit, flow_arrow at)
{
    const figure_level *v = &k->f.level[level];
    double share = k->b.speed[unit];

    at.name = arena_printf(x->mem, "%s", word_bytes((double)v->bytes).s);
    at.about = isnan(share)
                   ? "of no known peak"
                   : arena_printf(x->mem, "%s of peak", word_percent(share).s);
    at.share = share;
    c->arrow[c->arrows++] = at;
}

static void put_memory_table(page *p, const look *k)
{
    static const page_column columns[] = {
        {.name = "level"},
        {.name = "bytes", .number = true},
        {.name = "accesses", .number = true},
        {.name = "loads that hit", .number = true},
        {.name = "bandwidth", .number = true},
        {.name = "peak", .number = true}};

    page_table(p, "Memory levels", "memory", columns, 6);
    for (unsigned i = 0; i < LEVELS; i++) {
        const figure_level *v = &k->f.level[i];

        if (!v->id)
            continue;
        page_cell(p, "%s", v->name);
        page_number(p, (double)v->bytes, "%s", word_bytes((double)v->bytes).s);
        page_number(p, (double)v->accesses, "%s", word_grouped(v->accesses).s);
        page_number(p, v->hit_rate, "%s", word_percent(v->hit_rate).s);
        page_number(p, v->bandwidth, "%s", word_per_second(v->bandwidth).s);
        page_number(p, v->peak, "%s", word_per_second(v->peak).s);
    }
    page_table_end(p);
}

static const char *shared_text(const explain *x, const figures *f)
{
    return f->banks.accesses
               ? arena_printf(x->mem, "%.1f passes each", f->banks.passes_each)
               : "not used";
}

static void put_memory(page *p, const explain *x, const look *k)
{
    const figures *f = &k->f;
    memory_chart c = {.boxes = 0};

    add_box(&c, "SM: registers, load/store unit",
            arena_printf(x->mem, "load/store unit %s busy",
                         word_percent(k->b.speed[BOUND_LSU]).s),
            0, 100, 0, k->b.speed[BOUND_LSU]);
    add_box(&c, "Shared memory", shared_text(x, f), 0, 34, 1,
            k->b.speed[BOUND_SHARED]);
    add_box(&c, "L1", hit_text(x, &f->level[LEVEL_L1]), 37, 63, 1,
            k->b.speed[BOUND_L1]);
    add_box(&c, "Crossbar", "requests and stores down, data up", 0, 100, 2,
            fmax(k->b.speed[BOUND_NOC_UP], k->b.speed[BOUND_NOC_DOWN]));
    add_box(&c, "L2", hit_text(x, &f->level[LEVEL_L2]), 0, 100, 3,
            k->b.speed[BOUND_L2]);
    add_box(&c, "DRAM",
            isnan(f->row_hit_rate)
                ? "not used"
                : arena_printf(x->mem, "%s find their row open",
                               word_percent(f->row_hit_rate).s),
            0, 100, 4, k->b.speed[BOUND_DRAM]);
    add_arrow(x, &c, k, LEVEL_SHARED, BOUND_SHARED,
              (flow_arrow){.x = 2, .row = 0, .up = true, .down = true});
    add_arrow(x, &c, k, LEVEL_L1, BOUND_L1,
              (flow_arrow){.x = 38, .row = 0, .up = true, .down = true});
    add_arrow(x, &c, k, LEVEL_NOC_UP, BOUND_NOC_UP,
              (flow_arrow){.x = 38, .row = 1, .down = true});
    add_arrow(x, &c, k, LEVEL_NOC_DOWN, BOUND_NOC_DOWN,
              (flow_arrow){.x = 68, .row = 1, .up = true});
    add_arrow(x, &c, k, LEVEL_L2, BOUND_L2,
              (flow_arrow){.x = 38, .row = 2, .up = true, .down = true});
    add_arrow(x, &c, k, LEVEL_DRAM, BOUND_DRAM,
              (flow_arrow){.x = 38, .row = 3, .up = true, .down = true});
    chart_flow(p, &(flow){.is = {"Memory",
                                 "bytes that moved between levels; wider and "
                                 "darker: closer to what can move",
                                 "memory", "level"},
                          .boxes = c.box,
                          .arrows = c.arrow,
                          .box_count = c.boxes,
                          .arrow_count = c.arrows});
    put_memory_table(p, k);
    chart_end(p);
}

/* ---- Occupancy ---- */

static word whole(double v) { return word_real(v, 0); }

static void put_curve(page *p, const look_curve *c, const char *title,
                      const char *file, const char *x, chart_word *show)
{
    if (c->count)
        chart_steps(p, &(stairs){.is = {title,
                                        "CTAs that fit an SM; the dot is the "
                                        "kernel as it is",
                                        file, NULL},
                                 .x = x,
                                 .y = "CTAs of an SM",
                                 .at = c->x,
                                 .values = c->ctas,
                                 .count = c->count,
                                 .now = c->now,
                                 .x_show = show});
}

static void put_occupancy(page *p, const look *k)
{
    if (!k->ctas) {
        page_paragraph(p, "Its launches are of several sizes.");
        return;
    }
    page_open(p, "p", NULL);
    page_strong(p, "%u CTA%s of %u warp%s", k->ctas, word_plural(k->ctas),
                k->warps, word_plural(k->warps));
    page_printf(p, " fit an SM: %u of its %u warps, limited by ",
                k->ctas * k->warps, k->cfg->sm.warps);
    page_strong(p, "%s", k->limiter);
    page_printf(p, ". On average %s warps were there.",
                word_real(k->f.warps, 1).s);
    if (k->step.registers)
        page_printf(p, " %u fit with %u registers a thread instead of %u.",
                    k->step.ctas, k->step.registers, k->registers);
    if (k->step.shared)
        page_printf(p, " %u fit with %s of shared memory instead of %s.",
                    k->step.ctas, word_bytes((double)k->step.shared).s,
                    word_bytes((double)k->shared_bytes).s);
    page_close(p, "p");
    page_open(p, "div", "pair");
    put_curve(p, &k->by_registers, "By registers", "by-registers",
              "registers of a thread", whole);
    put_curve(p, &k->by_shared, "By shared memory", "by-shared",
              "bytes of shared memory of a CTA", word_bytes);
    page_close(p, "div");
}

/* ---- All of it ---- */

static const char *size_text(const explain *x, const uint32_t v[3])
{
    return v[0] ? arena_printf(x->mem, "%u\u00d7%u\u00d7%u", v[0], v[1], v[2])
                : "of several sizes";
}

void page_explain_facts(page *p, const explain *x, size_t i)
{
    const look *k = &x->looks[i];
    page_fact f[] = {
        {"cycles", arena_printf(x->mem, "%s", word_grouped(k->cycles).s)},
        {"launches", arena_printf(x->mem, "%s", word_grouped(k->launches).s)},
        {"grid", size_text(x, k->grid)},
        {"block", size_text(x, k->block)},
        {"registers", arena_printf(x->mem, "%u", k->registers)},
        {"shared",
         arena_printf(x->mem, "%s", word_bytes((double)k->shared_bytes).s)},
        {"lanes of 32",
         arena_printf(x->mem, "%s", word_real(k->lanes * ISA_WARP, 1).s)}};

    page_facts(p, f, COUNTOF(f));
}

void page_explain_kernel(page *p, const explain *x, size_t i)
{
    const look *k = &x->looks[i];

    page_section(p, "Speed of light");
    put_speeds(p, k);
    page_section(p, "What warps wait for");
    put_states(p, k);
    page_section(p, "Memory");
    put_memory(p, x, k);
    page_section(p, "Occupancy");
    put_occupancy(p, k);
}
