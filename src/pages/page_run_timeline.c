/* src/pages/page_run_timeline.c - what programs did when: a lane for each
 * stream, copies and waits, and the use of the SMs, process by process. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "page/chart/chart_timeline.h"
#include "pages/page_run.h"
#include "report/timeline.h"

enum {
    RUNS = 4,      /* that are drawn */
    PROCESSES = 8, /* of each */
    OWN = 4,       /* kernels that have a colour of their own */
    OTHER = 8,     /* colour of the others */
    SHAPES = 2000, /* kinds of launches: of more no grids are told */
    NOTHING = UINT32_MAX
};

static const unsigned kernel_colours[OWN] = {0, 3, 1, 6};

static const struct kind {
    const char *name, *unit;
    unsigned colour;
} kinds[ACTIVITY_KINDS] = {
    [ACTIVITY_KERNEL] = {"kernels", "cycles", 0},
    [ACTIVITY_H2D] = {"copy, host to device", "bytes", 2},
    [ACTIVITY_D2H] = {"copy, device to host", "bytes", 5},
    [ACTIVITY_D2D] = {"copy on the device", "bytes", 4},
    [ACTIVITY_MEMSET] = {"memset", "bytes", 7},
    [ACTIVITY_HOST] = {"function of the host", "", 15},
    [ACTIVITY_WAIT] = {"the host waits", "", CHART_REST}};

/* What is drawn of a process. */
typedef struct drawing {
    const page_study *y;
    const stored_kernels *kernels;
    const timeline *all;
    const timeline_process *of;
    int64_t run;
    unsigned id;
    unsigned devices;
    timeline_lane *lane;
    size_t lanes, lane_room;
    unsigned *use_lane;    /* of each device */
    size_t *order;         /* of streams */
    unsigned *stream_lane; /* of device and stream; NOTHING: none */
    unsigned host_lane;
    timeline_what *what;
    size_t whats, what_room;
    unsigned *colour; /* of each name */
    strmap *known;    /* whats, by text */
    const char *keys[OWN + 1 + ACTIVITY_KINDS];
    unsigned key_colours[OWN + 1 + ACTIVITY_KINDS];
    size_t key_count;
    uint64_t end;
    unsigned flags; /* of any bar */
} drawing;

/* ---- Lanes ---- */

static unsigned add_lane(drawing *d, const char *name, bool use, bool thin)
{
    ARENA_GROW(d->y->mem, d->lane, d->lanes, d->lane_room);
    d->lane[d->lanes] = (timeline_lane){name, use, thin};
    return (unsigned)d->lanes++;
}

static const char *of_device(const drawing *d, unsigned device,
                             const char *name)
{
    return d->devices > 1 ? arena_printf(d->y->mem, "GPU %u, %s", device, name)
                          : name;
}

static bool has_use(const timeline_process *o, unsigned device)
{
    for (size_t i = 0; i < o->uses; i++)
        if (o->use[i].device == device)
            return true;
    return false;
}

static void count_devices(drawing *d)
{
    enum { MOST = 1024 };

    d->devices = 1;
    for (size_t i = 0; i < d->of->count; i++)
        if (d->of->bar[i].kind != ACTIVITY_WAIT &&
            d->of->bar[i].device >= d->devices && d->of->bar[i].device < MOST)
            d->devices = d->of->bar[i].device + 1;
}

static int by_name(const void *x, const void *y, void *names)
{
    const char *a = ((const char **)names)[*(const size_t *)x];
    const char *b = ((const char **)names)[*(const size_t *)y];
    size_t m = strlen(a), n = strlen(b);

    return m != n ? (m > n) - (m < n) : strcmp(a, b);
}

/* So that "queue 2" stands before "queue 10". */
static void order_streams(drawing *d)
{
    size_t n = d->all->streams;

    d->order = ARENA_ARRAY(d->y->mem, size_t, n + 1);
    for (size_t i = 0; i < n; i++)
        d->order[i] = i;
    qsort_r(d->order, n, sizeof *d->order, by_name, (void *)d->all->stream);
}

/* The host above, then the streams of each device. */
static void make_lanes(drawing *d)
{
    const timeline_process *o = d->of;
    size_t streams = d->all->streams;
    bool waits = false;

    count_devices(d);
    order_streams(d);
    d->use_lane = ARENA_ARRAY(d->y->mem, unsigned, d->devices);
    d->stream_lane = ARENA_ARRAY(d->y->mem, unsigned, d->devices *streams + 1);
    memset(d->stream_lane, 0xff,
           (d->devices * streams + 1) * sizeof *d->stream_lane);
    for (size_t i = 0; i < o->count; i++)
        waits |= o->bar[i].kind == ACTIVITY_WAIT;
    if (waits)
        d->host_lane = add_lane(d, "host", false, true);
    for (size_t i = 0; i < o->count; i++)
        if (o->bar[i].kind != ACTIVITY_WAIT && o->bar[i].device < d->devices)
            d->stream_lane[o->bar[i].device * streams + o->bar[i].stream] = 0;
    for (unsigned g = 0; g < d->devices; g++) {
        d->use_lane[g] = has_use(o, g)
                             ? add_lane(d, of_device(d, g, "SMs"), true, false)
                             : NOTHING;
        for (size_t i = 0; i < streams; i++) {
            unsigned *lane = &d->stream_lane[g * streams + d->order[i]];

            if (*lane != NOTHING)
                *lane =
                    add_lane(d, of_device(d, g, d->all->stream[d->order[i]]),
                             false, false);
        }
    }
}

/* ---- What bars are of ---- */

typedef struct busy {
    uint64_t ns;
    size_t name;
} busy;

static int by_busy(const void *x, const void *y)
{
    const busy *a = x, *b = y;

    if (a->ns != b->ns)
        return a->ns < b->ns ? 1 : -1;
    return (a->name > b->name) - (a->name < b->name);
}

static void add_key(drawing *d, const char *name, unsigned colour)
{
    d->keys[d->key_count] = name;
    d->key_colours[d->key_count++] = colour;
}

/* The kernels that took longest have colours of their own. */
static void colour_kernels(drawing *d)
{
    size_t n = d->all->names, own;
    busy *of = ARENA_ARRAY(d->y->mem, busy, n + 1);

    d->colour = ARENA_ARRAY(d->y->mem, unsigned, n + 1);
    for (size_t i = 0; i < n; i++) {
        of[i].name = i;
        d->colour[i] = OTHER;
    }
    for (size_t i = 0; i < d->of->count; i++) {
        const timeline_bar *b = &d->of->bar[i];

        if (b->kind == ACTIVITY_KERNEL)
            of[b->name].ns += b->end_ns - b->begin_ns + 1;
    }
    qsort(of, n, sizeof *of, by_busy);
    for (own = 0; own < OWN && own < n && of[own].ns; own++) {
        d->colour[of[own].name] = kernel_colours[own];
        add_key(d, d->all->name[of[own].name], kernel_colours[own]);
    }
    if (own < n && of[own].ns)
        add_key(d, "other kernels", OTHER);
}

static void name_kinds(drawing *d)
{
    for (unsigned k = ACTIVITY_KERNEL + 1; k < ACTIVITY_KINDS; k++)
        for (size_t i = 0; i < d->of->count; i++)
            if (d->of->bar[i].kind == k) {
                add_key(d, kinds[k].name, kinds[k].colour);
                break;
            }
}

/* Where the kernel has a row. */
static const char *kernel_place(const drawing *d, const timeline_bar *b)
{
    const stored_kernels *k = d->kernels;

    for (size_t i = 0; i < k->count && i < PAGE_RUN_KERNELS; i++)
        if (k->row[i].run == d->run && k->row[i].device == b->device &&
            !strcmp(k->row[i].name, d->all->name[b->name]))
            return arena_printf(d->y->mem, "k%u-%zu", d->id, i);
    return NULL;
}

static const char *shape_of(const drawing *d, const timeline_bar *b)
{
    if (!b->grid[0] || d->whats >= SHAPES)
        return "";
    return arena_printf(d->y->mem,
                        "grid %u\u00d7%u\u00d7%u, block %u\u00d7%u\u00d7%u",
                        b->grid[0], b->grid[1], b->grid[2], b->block[0],
                        b->block[1], b->block[2]);
}

static unsigned what_of(drawing *d, const timeline_bar *b)
{
    bool kernel = b->kind == ACTIVITY_KERNEL;
    const char *about = kernel ? shape_of(d, b) : "";
    const char *text =
        kernel ? arena_printf(d->y->mem, "%u %u %s", b->name, b->device, about)
               : kinds[b->kind].name;
    uintptr_t known = (uintptr_t)strmap_get(d->known, text);

    if (known)
        return (unsigned)(known - 1);
    ARENA_GROW(d->y->mem, d->what, d->whats, d->what_room);
    d->what[d->whats] = (timeline_what){
        .name = kernel ? d->all->name[b->name] : kinds[b->kind].name,
        .about = about,
        .unit = kinds[b->kind].unit,
        .place = kernel ? kernel_place(d, b) : NULL,
        .colour = kernel ? d->colour[b->name] : kinds[b->kind].colour};
    strmap_put(d->known, text, (void *)(uintptr_t)(++d->whats));
    return (unsigned)(d->whats - 1);
}

/* ---- Bars ---- */

static unsigned lane_of(const drawing *d, const timeline_bar *b)
{
    if (b->kind == ACTIVITY_WAIT)
        return d->host_lane;
    return b->device < d->devices
               ? d->stream_lane[b->device * d->all->streams + b->stream]
               : NOTHING;
}

static lanes_bar *make_bars(drawing *d, size_t *count)
{
    lanes_bar *all = ARENA_ARRAY(d->y->mem, lanes_bar, d->of->count + 1);

    *count = 0;
    for (size_t i = 0; i < d->of->count; i++) {
        const timeline_bar *b = &d->of->bar[i];
        unsigned lane = lane_of(d, b);
        lanes_bar *to = &all[*count];

        if (lane == NOTHING)
            continue;
        *to = lanes_one(b->begin_ns, b->end_ns, lane, what_of(d, b));
        to->flags = b->flags;
        to->value = b->kind == ACTIVITY_KERNEL ? b->cycles : b->bytes;
        to->number = b->linked ? b->launch + 1 : 0;
        to->part = b->part;
        d->end = d->end > b->end_ns ? d->end : b->end_ns;
        d->flags |= b->flags;
        ++*count;
    }
    return all;
}

static lanes_step *make_steps(const drawing *d, size_t *count)
{
    lanes_step *steps = ARENA_ARRAY(d->y->mem, lanes_step, d->of->uses + 1);

    *count = 0;
    for (size_t i = 0; i < d->of->uses; i++) {
        const timeline_use *u = &d->of->use[i];

        if (u->device < d->devices && d->use_lane[u->device] != NOTHING)
            steps[(*count)++] =
                (lanes_step){u->begin_ns, u->end_ns, d->use_lane[u->device],
                             u->sms, u->warps};
    }
    return steps;
}

/* ---- In numbers ---- */

typedef struct lane_sum {
    uint64_t count, ns, bytes;
} lane_sum;

static void put_sum(page *p, const drawing *d, const char *lane,
                    const struct kind *k, const lane_sum *s)
{
    page_cell(p, "%s", lane);
    page_cell(p, "%s", k->name);
    page_number(p, (double)s->count, "%s", word_grouped(s->count).s);
    page_number(p, (double)s->ns / 1e3, "%.2f", (double)s->ns / 1e3);
    page_number(p, 100 * word_share(s->ns, d->end), "%s",
                word_percent(word_share(s->ns, d->end)).s);
    page_number(p, (double)s->bytes, "%s",
                s->bytes ? word_bytes((double)s->bytes).s : "-");
}

static void put_numbers(page *p, const drawing *d)
{
    static const page_column columns[] = {
        {.name = "lane"},
        {.name = "what"},
        {.name = "number", .number = true},
        {.name = "time", .unit = "\u00b5s", .number = true},
        {.name = "of all",
         .exact = "%",
         .number = true,
         .help = "share of the time shown; what runs at once adds up"},
        {.name = "moved", .exact = "B", .number = true}};
    lane_sum *sum =
        ARENA_ARRAY(d->y->mem, lane_sum, (d->lanes + 1) * ACTIVITY_KINDS);

    for (size_t i = 0; i < d->of->count; i++) {
        const timeline_bar *b = &d->of->bar[i];
        unsigned lane = lane_of(d, b);

        if (lane == NOTHING)
            continue;
        lane_sum *s = &sum[lane * ACTIVITY_KINDS + b->kind];
        s->count++;
        s->ns += b->end_ns - b->begin_ns;
        s->bytes += b->bytes;
    }
    page_table(p, "What lanes were busy with", "timeline", columns, 6);
    for (size_t i = 0; i < d->lanes; i++)
        for (unsigned k = 0; k < ACTIVITY_KINDS; k++)
            if (sum[i * ACTIVITY_KINDS + k].count)
                put_sum(p, d, d->lane[i].name, &kinds[k],
                        &sum[i * ACTIVITY_KINDS + k]);
    page_table_end(p);
}

/* ---- What has to be said ---- */

/* Of the process: what ran when its program was killed, or crashed. */
static void put_unfinished(page *p, const drawing *d)
{
    store_query *q = store_select(
        d->y->s, d->y->dg,
        "SELECT count(*) FROM launch WHERE run = ?1 AND process = ?2"
        " AND status = 'unfinished'",
        "ii", d->run, (int64_t)d->of->pid);
    uint64_t n = q && store_next(q, d->y->dg) ? (uint64_t)store_int(q, 0) : 0;

    store_done(q);
    if (n)
        page_note(p,
                  "%s launch%s had not ended when the program did, and %s not "
                  "drawn.",
                  word_grouped(n).s, n == 1 ? "" : "es", n == 1 ? "is" : "are");
}

static void put_honest(page *p, const drawing *d, bool program)
{
    if (program)
        page_note(p, "Copies take what the model of the host's link gives them "
                     "(host.bandwidth, host.latency_ns), those on the device "
                     "and memsets what its memory could do at best. Work of "
                     "the host takes no time: it waits, or goes on in no time. "
                     "The timeline begins with the process.");
    else
        page_note(p, "Times are those of the GPU's clock. Buffers are filled "
                     "before the first launch, which takes no simulated time: "
                     "there are no copies to draw.");
    if (d->flags & ACTIVITY_COMPUTED)
        page_note(p, "Launches that were only computed have no time of their "
                     "own, and say nothing of the SMs: a bar is as long as if "
                     "every scheduler had issued in every cycle, at least.");
    put_unfinished(p, d);
    if (d->of->lost)
        page_note(p, "%s more at the end are not drawn.",
                  word_grouped(d->of->lost).s);
}

/* ---- A process, a run, all of them ---- */

static void put_process(page *p, const page_study *y, const stored_kernels *k,
                        unsigned id, int64_t run, const char *title,
                        const timeline *all, const timeline_process *of)
{
    drawing d = {.y = y,
                 .kernels = k,
                 .all = all,
                 .of = of,
                 .run = run,
                 .id = id,
                 .known = strmap_new()};
    timeline_view v = {.is = {title,
                              "simulated time from left to right: launches, "
                              "copies and waits, a lane for each stream, and "
                              "how many SMs and warps were in use",
                              "timeline", NULL},
                       .flags = {"failed", "only computed", "charged"}};

    make_lanes(&d);
    colour_kernels(&d);
    name_kinds(&d);
    v.bars = make_bars(&d, &v.bar_count);
    v.steps = make_steps(&d, &v.step_count);
    v.end = d.end;
    v.lanes = d.lane;
    v.lane_count = d.lanes;
    v.whats = d.what;
    v.what_count = d.whats;
    v.keys = d.keys;
    v.key_colours = d.key_colours;
    v.key_count = d.key_count;
    v.place = arena_printf(y->mem, "l%u-%" PRId64 "-%u-", id, run, of->pid);
    v.placed = page_run_placed(y, run, of->pid);
    chart_timeline(p, &v);
    put_numbers(p, &d);
    chart_end(p);
    put_honest(p, &d, strcmp(y->kind, "run") != 0);
    strmap_free(d.known);
}

static void put_run(page *p, const page_study *y, const stored_kernels *k,
                    unsigned id, int64_t run, const char *name,
                    const timeline *all)
{
    for (size_t i = 0; i < all->processes && i < PROCESSES; i++) {
        const timeline_process *o = &all->process[i];

        put_process(p, y, k, id, run,
                    all->processes > 1
                        ? arena_printf(y->mem, "%s, process %u: %s", name,
                                       o->pid, o->command)
                        : name,
                    all, o);
    }
    if (all->processes > PROCESSES)
        page_note(p, "The first %d of %zu processes.", PROCESSES,
                  all->processes);
}

void page_run_timelines(page *p, const page_study *y, const stored_kernels *k,
                        unsigned id)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT r.run, r.workload, a.content FROM point p JOIN run r USING(run)"
        " JOIN artifact a USING(run) WHERE p.study = ?1 AND a.kind ="
        " 'timeline' ORDER BY p.number LIMIT ?2",
        "ii", y->study, (int64_t)RUNS);
    size_t n = 0, size;

    while (q && store_next(q, y->dg)) {
        const char *text = store_blob(q, 2, &size);
        timeline all;

        if (!n++)
            page_section(p, "Timeline");
        if (!text || !timeline_get(text, size, y->mem, &all))
            page_alarm(p, "Damaged.", "The timeline of %s cannot be read.",
                       store_text(q, 1));
        else
            put_run(p, y, k, id, store_int(q, 0),
                    arena_strdup(y->mem, store_text(q, 1)), &all);
    }
    store_done(q);
}
