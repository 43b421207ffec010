/* workloads/mixes/ref.c - groups in launches that wait for nothing: all alike,
 * or of unequal durations, sizes, needs or kernels, or so that to take turns
 * is the worst of all ways. The size is in groups for each SM (compute unit),
 * of which the knob `units` says how many there are, so that a mix fills any
 * GPU alike. */
#include <math.h>
#include <stdbool.h>

#include "tool/list.h"

enum {
    CHARGES = 192, /* of the groups that take longest */
    SHORT = 16,
    ITEMS = 32, /* a warp */
    SLOTS = 16, /* warps of the largest group */
    MOST = 10,  /* groups of a launch, where launches differ */
    LIST = 1 << 14,
    STEPS = 16, /* along it */
    COLUMNS = 64,
    EITHER = 1, /* group by group SHORT or CHARGES, one in four */
    ANY = 2,    /* group by group a multiple of SHORT */
};

typedef enum {
    UNIFORM,
    SKEWED,
    SIZES,  /* powers of two, as most kernels have them */
    WIDTHS, /* all */
    RESOURCES,
    KERNELS,
    ADVERSARIAL
} shape;

static const char *const shapes[] = {"uniform",     "skewed",    "sizes",
                                     "widths",      "resources", "kernels",
                                     "adversarial", NULL};

typedef enum { MULTIPLY, ADD, FOLLOW, POTENTIAL, MID, WIDE, KINDS } kind;

typedef struct task { /* a launch */
    kind kind;
    unsigned groups, warps; /* of a group */
    unsigned charges;       /* of a group, or EITHER or ANY */
} task;

typedef struct mix {
    wl *w;
    task *task;
    unsigned count, groups; /* groups: of all tasks */
} mix;

static void add_task(mix *m, task t)
{
    m->task[m->count++] = t;
    m->groups += t.groups;
}

/* In turns of so many groups, the SMs are all at the same place again. */
static unsigned period(unsigned units)
{
    unsigned p = SLOTS;

    while (p > 1 && units % p)
        p--;
    return p > 1 ? p : SLOTS;
}

/* Of three, each comes once before any comes again. */
static unsigned draw_kernel(wl *w, bool left[3])
{
    unsigned k = wl_below(w, 3);

    if (!left[0] && !left[1] && !left[2])
        left[0] = left[1] = left[2] = true;
    while (!left[k])
        k = (k + 1) % 3;
    left[k] = false;
    return k;
}

/* `left` are kernels that have not had their turn. */
static task draw(wl *w, shape is, unsigned groups, bool left[3])
{
    static const task kernels[] = {
        {MULTIPLY, 0, 8, 0}, {ADD, 0, 4, 0}, {FOLLOW, 0, 1, 0}};
    task t = {POTENTIAL, groups, 4, wl_get(w, "charges")};

    if (is == KERNELS)
        t = kernels[draw_kernel(w, left)];
    else if (is != UNIFORM && is != SKEWED)
        t.warps = is == WIDTHS ? 1 + wl_below(w, SLOTS) : 1u << wl_below(w, 5);
    if (is == RESOURCES)
        t.kind = POTENTIAL + wl_below(w, 3);
    if (is == SKEWED || is == RESOURCES)
        t.charges = is == SKEWED ? EITHER : ANY;
    t.groups = groups;
    return t;
}

static void draw_tasks(mix *m, shape is, unsigned groups, unsigned per_unit,
                       unsigned units)
{
    unsigned each = wl_get(m->w, "each"), every = period(units);
    bool turn[3] = {false};

    m->task = wl_scratch(m->w, (groups + 1) * sizeof *m->task);
    if (!each)
        each = per_unit < MOST ? per_unit : MOST;
    if (is == UNIFORM || is == SKEWED)
        each = groups;
    for (unsigned left = groups; left && is != ADVERSARIAL; left -= each) {
        each = each < left ? each : left;
        add_task(m, draw(m->w, is, each, turn));
    }
    for (unsigned left = groups; left && is == ADVERSARIAL;) {
        unsigned small = left <= every ? left - 1 : every - 1;

        add_task(m, (task){POTENTIAL, 1, SLOTS, CHARGES});
        if (small)
            add_task(m, (task){POTENTIAL, small, 1, SHORT});
        left -= small + 1;
    }
}

/* ---- Potentials ---- */

/* Of cell `i`, as kernel.cl has it. */
static float potential(const float *charge, unsigned n, unsigned i,
                       unsigned points)
{
    float x = 0.5f * (float)(i & 31), y = 0.5f * (float)(i >> 5 & 31);
    float z = 0.5f * (float)(i >> 10);
    double sum = 0;

    for (unsigned k = 0; k < n; k++) {
        const float *c = charge + 4 * (size_t)k;
        float dy = c[1] - y, dz = c[2] - z;

        for (unsigned p = 0; p < points; p++) {
            float d = c[0] - x - 0.125f * (float)p;

            sum += c[3] / sqrtf(d * d + dy * dy + dz * dz);
        }
    }
    return (float)(sum / points);
}

static unsigned items_of(const mix *m)
{
    unsigned n = 0;

    for (unsigned i = 0; i < m->count; i++)
        if (m->task[i].kind >= POTENTIAL)
            n += m->task[i].groups * m->task[i].warps * ITEMS;
    return n;
}

static unsigned draw_charges(wl *w, unsigned charges)
{
    if (charges == EITHER)
        return wl_below(w, 4) ? SHORT : CHARGES;
    if (charges == ANY)
        return SHORT * (1 + wl_below(w, CHARGES / SHORT));
    return charges;
}

static void gen_potentials(mix *m)
{
    static const char *const names[KINDS] = {[POTENTIAL] = "potential",
                                             [MID] = "potential_mid",
                                             [WIDE] = "potential_wide"};
    static const unsigned points[KINDS] = {
        [POTENTIAL] = 1, [MID] = 2, [WIDE] = 4};
    float *charge = wl_input_f32(m->w, "charge", CHARGES * 4);
    uint32_t *count = wl_input_u32(m->w, "count", m->groups);
    float *v = wl_expect_f32(m->w, "v", items_of(m), 1e-3);
    unsigned group = 0, item = 0;

    for (unsigned i = 0; i < CHARGES * 4; i++)
        charge[i] = i % 4 == 2   ? wl_uniform(m->w, -8, -4)
                    : i % 4 == 3 ? wl_uniform(m->w, 0, 1)
                                 : wl_uniform(m->w, 0, 16);
    for (const task *t = m->task; t < m->task + m->count; t++) {
        wl_stream(m->w, (unsigned)(t - m->task));
        wl_launch(m->w, names[t->kind], DIM1(t->groups), DIM1(t->warps * ITEMS),
                  "charge, count, v, %u, %u", group, item);
        for (unsigned g = 0; g < t->groups; g++, group++) {
            count[group] = draw_charges(m->w, t->charges);
            for (unsigned k = 0; k < t->warps * ITEMS; k++, item++)
                v[item] =
                    potential(charge, count[group], item, points[t->kind]);
        }
    }
}

/* ---- Three kernels ---- */

static unsigned groups_of(const mix *m, kind of)
{
    unsigned n = 0;

    for (unsigned i = 0; i < m->count; i++)
        if (m->task[i].kind == of)
            n += m->task[i].groups;
    return n;
}

static void gen_multiply(mix *m, unsigned groups)
{
    size_t rows = (size_t)groups * SLOTS;
    float *a = wl_input_f32(m->w, "a", rows * COLUMNS);
    float *b = wl_input_f32(m->w, "b", COLUMNS * SLOTS);
    float *c = wl_expect_f32(m->w, "c", rows * SLOTS, 1e-4);

    for (size_t i = 0; i < rows * COLUMNS; i++)
        a[i] = wl_uniform(m->w, -1, 1);
    for (size_t i = 0; i < COLUMNS * SLOTS; i++)
        b[i] = wl_uniform(m->w, -1, 1);
    for (size_t i = 0; i < rows * SLOTS; i++) {
        double sum = 0;

        for (size_t k = 0; k < COLUMNS; k++)
            sum +=
                (double)a[i / SLOTS * COLUMNS + k] * b[k * SLOTS + i % SLOTS];
        c[i] = (float)sum;
    }
}

static void gen_add(mix *m, unsigned groups)
{
    size_t n = (size_t)groups * 1024;
    float *x = wl_input_f32(m->w, "x", n), *y = wl_input_f32(m->w, "y", n);
    float *z = wl_expect_f32(m->w, "z", n, 0);

    for (size_t i = 0; i < n; i++) {
        x[i] = wl_uniform(m->w, -1, 1);
        y[i] = wl_uniform(m->w, -1, 1);
        z[i] = x[i] + y[i];
    }
}

/* The list goes through all places, in an order drawn by lot. */
static void gen_follow(mix *m, unsigned groups)
{
    uint32_t *next = wl_input_u32(m->w, "next", LIST);
    uint32_t *end = wl_expect_u32(m->w, "end", (size_t)groups * ITEMS);
    uint32_t *order = wl_scratch(m->w, LIST * sizeof *order);

    for (unsigned i = 0; i < LIST; i++) {
        unsigned k = wl_below(m->w, i + 1);

        order[i] = order[k];
        order[k] = i;
    }
    for (unsigned i = 0; i < LIST; i++)
        next[order[i]] = order[(i + 1) % LIST];
    for (unsigned i = 0; i < groups * ITEMS; i++) {
        end[i] = i % LIST;
        for (unsigned k = 0; k < STEPS; k++)
            end[i] = next[end[i]];
    }
}

static void gen_kernels(mix *m)
{
    static const char *const names[] = {"multiply", "add", "follow"};
    static const char *const args[] = {"a, b, c, %u", "x, y, z, %u",
                                       "next, end, %u, 16"};
    unsigned first[3] = {0};

    gen_multiply(m, groups_of(m, MULTIPLY));
    gen_add(m, groups_of(m, ADD));
    gen_follow(m, groups_of(m, FOLLOW));
    for (const task *t = m->task; t < m->task + m->count; t++) {
        wl_stream(m->w, (unsigned)(t - m->task));
        wl_launch(m->w, names[t->kind], DIM1(t->groups), DIM1(t->warps * ITEMS),
                  args[t->kind], first[t->kind]);
        first[t->kind] += t->groups;
    }
}

static void gen(wl *w, unsigned per_unit)
{
    unsigned units = wl_get(w, "units"), is = wl_get(w, "shape");
    mix m = {.w = w};

    wl_require(w, units > 0, "how many SMs? say --units");
    wl_require(w, per_unit <= 1000, "too many groups");
    wl_require(w, wl_get(w, "charges") % 4 == 0, "charges come by fours");
    draw_tasks(&m, is, per_unit * units, per_unit, units);
    if (is == KERNELS)
        gen_kernels(&m);
    else
        gen_potentials(&m);
}

const workload wl_mixes = {
    "mixes", "groups of one kind or of several, from as many queues", 3,
    "groups for each SM", gen};

const wl_knob wl_mixes_knobs[WL_KNOBS] = {
    {"shape", "what differs", SIZES, UNIFORM, ADVERSARIAL, shapes},
    {"units", "SMs to fill; 0: as many as there are", 0, 0, 1024, NULL},
    {"each", "groups of a launch; 0: as many as an SM gets, 10 at most", 0, 0,
     1000, NULL},
    {"charges", "how long groups take that all take as long", CHARGES, 4,
     CHARGES, NULL}};
