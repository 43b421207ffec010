#include "report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"

enum {
    FINE_LAUNCHES = 256, /* of which samples are kept, not only means */
    SHARE = 1000000      /* shares are written in millionths */
};

static const char *const words[ACTIVITY_KINDS] = {
    [ACTIVITY_KERNEL] = "kernel",  [ACTIVITY_H2D] = "memcpy_h2d",
    [ACTIVITY_D2H] = "memcpy_d2h", [ACTIVITY_D2D] = "memcpy_d2d",
    [ACTIVITY_MEMSET] = "memset",  [ACTIVITY_HOST] = "host_function",
    [ACTIVITY_WAIT] = "host_wait"};

const char *activity_word(unsigned kind)
{
    return kind < ACTIVITY_KINDS ? words[kind] : NULL;
}

static uint64_t ns_of(const config *cfg, uint64_t cycles)
{
    return (uint64_t)((unsigned __int128)cycles * 1000000 / cfg->gpu.clock_khz);
}

/* ---- Launches without a program ---- */

static unsigned flags_of(const report_launch *l, status st)
{
    unsigned flags = st != ST_OK || l->unfinished ? ACTIVITY_FAILED : 0;

    flags |= l->functional ? ACTIVITY_COMPUTED : 0;
    return flags | (l->estimated ? ACTIVITY_CHARGED : 0);
}

static const char *name_of(arena *mem, const char *stream)
{
    return arena_printf(mem, "stream %s", stream ? stream : "0");
}

const report_activity *timeline_of_launches(const report_launch *l, size_t n,
                                            arena *mem, size_t *count)
{
    size_t room = 1, at = 0;
    uint64_t charged = 0; /* cycles that the device did not simulate */

    for (size_t i = 0; i < n; i++)
        room += l[i].group ? l[i].group->count : 1;
    report_activity *all = ARENA_ARRAY(mem, report_activity, room);
    for (size_t i = 0; i < n; i++) {
        size_t parts = l[i].group ? l[i].group->count : 1;

        for (size_t k = 0; k < parts; k++) {
            const report_part *p = l[i].group ? &l[i].group->part[k] : NULL;
            const launch_outcome *is = p ? &p->outcome : &l[i].outcome;
            uint64_t begin = l[i].start + (p ? p->start : 0) + charged;

            all[at++] = (report_activity){
                .kind = ACTIVITY_KERNEL,
                .flags = flags_of(&l[i], is->status),
                .stream = name_of(mem, p ? p->stream : l[i].stream),
                .begin_ns = ns_of(l[i].cfg, begin),
                .end_ns = ns_of(l[i].cfg, begin + is->cycles + is->estimated),
                .launch = i,
                .part = (unsigned)k};
        }
        charged += l[i].estimated;
    }
    *count = at;
    return all;
}

/* ---- What a kernel's activity is of ---- */

/* False: nothing is known of it. */
static bool kernel_of(const report_process *o, const report_activity *a,
                      timeline_bar *out, const char **name)
{
    const report_launch *l;

    if (a->kind != ACTIVITY_KERNEL || a->launch >= o->launch_count)
        return false;
    l = &o->launches[a->launch];
    *name = l->kernel->name;
    out->launch = a->launch;
    out->linked = true;
    if (l->group && a->part < l->group->count) {
        const report_part *p = &l->group->part[a->part];

        *name = p->kernel->name;
        out->part = a->part + 1;
        memcpy(out->grid, p->grid, sizeof out->grid);
        memcpy(out->block, p->block, sizeof out->block);
        out->cycles = p->cycles;
    } else if (!l->group) {
        memcpy(out->grid, l->grid, sizeof out->grid);
        memcpy(out->block, l->block, sizeof out->block);
        out->cycles = l->cycles;
    }
    return true;
}

/* ---- JSON ---- */

static void us_json(json *j, const char *key, uint64_t ns)
{
    json_thousandths(j, key, ns);
}

void timeline_json(json *j, const report_process *o)
{
    if (!o->activity_count)
        return;
    json_u64(j, "timeline_lost", o->activities_lost);
    json_open(j, "timeline", '[');
    for (size_t i = 0; i < o->activity_count; i++) {
        const report_activity *a = &o->activities[i];
        timeline_bar k = {.part = 0};
        const char *name;

        json_open(j, NULL, '{');
        json_text(j, "kind", words[a->kind]);
        if (a->kind != ACTIVITY_WAIT) {
            json_u64(j, "gpu", a->device);
            json_text(j, "stream", a->stream);
        }
        us_json(j, "begin_us", a->begin_ns);
        us_json(j, "end_us", a->end_ns);
        if (a->kind > ACTIVITY_KERNEL && a->kind <= ACTIVITY_MEMSET)
            json_u64(j, "bytes", a->bytes);
        if (kernel_of(o, a, &k, &name)) {
            json_text(j, "kernel", name);
            json_u64(j, "launch", a->launch);
            if (k.part)
                json_u64(j, "part", k.part - 1);
        }
        if (a->flags & ACTIVITY_FAILED)
            json_bool(j, "failed", true);
        json_close(j, '{');
    }
    json_close(j, '[');
}

/* ---- Writing ---- */

/* Numbers of texts that have a line of their own. */
typedef struct texts {
    strmap *known; /* number + 1 */
    size_t count;
    char letter;
} texts;

static void put_text_line(strbuf *out, const char *head, const char *text)
{
    strbuf_puts(out, head);
    for (; *text; text++)
        strbuf_putc(out, (unsigned char)*text < ' ' ? ' ' : *text);
    strbuf_putc(out, '\n');
}

static size_t number_of(texts *t, strbuf *out, const char *text)
{
    uintptr_t known = (uintptr_t)strmap_get(t->known, text);
    char head[3] = {t->letter, ' ', 0};

    if (known)
        return known - 1;
    strmap_put(t->known, text, (void *)(uintptr_t)(t->count + 1));
    put_text_line(out, head, text);
    return t->count++;
}

static void put_bar(strbuf *out, const report_process *o,
                    const report_activity *a, texts *names, texts *streams)
{
    timeline_bar k = {.cycles = 0};
    const char *name = "(not simulated)"; /* before a checkpoint */
    bool known = kernel_of(o, a, &k, &name);
    size_t stream = number_of(streams, out, a->stream ? a->stream : "");
    size_t n = a->kind == ACTIVITY_KERNEL ? number_of(names, out, name) : 0;

    strbuf_printf(out, "%c %u %u %zu %" PRIu64 " %" PRIu64 " %u",
                  a->kind == ACTIVITY_KERNEL ? 'K' : 'B', (unsigned)a->kind,
                  a->device, stream, a->begin_ns, a->end_ns, a->flags);
    if (a->kind == ACTIVITY_KERNEL)
        strbuf_printf(
            out, " %" PRIu64 " %u %zu %u %u %u %u %u %u %" PRIu64 "\n",
            known ? a->launch + 1 : 0, k.part, n, k.grid[0], k.grid[1],
            k.grid[2], k.block[0], k.block[1], k.block[2], k.cycles);
    else
        strbuf_printf(out, " %" PRIu64 "\n", a->bytes);
}

static unsigned millionths(double part, double all)
{
    double share = all > 0 ? part / all : 0;

    return (unsigned)((share < 1 ? share : 1) * SHARE + 0.5);
}

static void put_use(strbuf *out, unsigned device, uint64_t begin, uint64_t end,
                    unsigned sms, unsigned warps)
{
    if (end > begin)
        strbuf_printf(out, "U %u %" PRIu64 " %" PRIu64 " %u %u\n", device,
                      begin, end, sms, warps);
}

/* Of the samples of --occupancy. */
static void put_samples(strbuf *out, const report_launch *l, uint64_t begin)
{
    const stats_series *s = &l->warps;
    uint64_t from = 0;

    for (size_t k = 0; k < s->count; k++) {
        double cycles = (double)(s->end[k] - from), warps = 0, sms = 0;

        for (size_t i = 0; i < s->blocks; i++) {
            double v = (double)s->value[k * s->blocks + i];

            warps += v;
            sms += v > 0;
        }
        put_use(
            out, l->device, begin + ns_of(l->cfg, from),
            begin + ns_of(l->cfg, s->end[k]),
            millionths(sms, (double)s->blocks),
            millionths(warps, cycles * (double)s->blocks * l->cfg->sm.warps));
        from = s->end[k];
    }
}

static void put_launch_use(strbuf *out, const report_launch *l, bool fine,
                           uint64_t begin, uint64_t end)
{
    double all = (double)l->cycles * l->cfg->gpu.sms;
    uint64_t active = l->active_cycles, warps = l->warp_cycles;

    if (!report_launch_timed(l) || !l->stats || !l->cycles)
        return;
    if (fine && l->warps.blocks && l->warps.count) {
        put_samples(out, l, begin);
        return;
    }
    if (!l->folded) {
        active =
            stats_total_sum(l->stats, l->totals, "sm[*].active_cycles", NULL);
        warps = stats_total_sum(l->stats, l->totals, "sm[*].warp_cycles", NULL);
    }
    put_use(out, l->device, begin, end, millionths((double)active, all),
            millionths((double)warps, all * l->cfg->sm.warps));
}

/* A launch, or all of a group, from the first beginning to the last end. */
static void put_uses(strbuf *out, const report_process *o)
{
    size_t n = o->launch_count;
    uint64_t *begin = new0(n + 1, sizeof *begin);
    uint64_t *end = new0(n + 1, sizeof *end);

    for (size_t i = 0; i < o->activity_count; i++) {
        const report_activity *a = &o->activities[i];

        if (a->kind != ACTIVITY_KERNEL || a->launch >= n)
            continue;
        if (!end[a->launch] || a->begin_ns < begin[a->launch])
            begin[a->launch] = a->begin_ns;
        if (a->end_ns > end[a->launch])
            end[a->launch] = a->end_ns;
    }
    for (size_t i = 0; i < n; i++)
        if (end[i])
            put_launch_use(out, &o->launches[i], i < FINE_LAUNCHES, begin[i],
                           end[i]);
    free(begin);
    free(end);
}

void timeline_put(const report_program *p, strbuf *out)
{
    texts names = {strmap_new(), 0, 'N'}, streams = {strmap_new(), 0, 'S'};
    bool any = false;

    for (size_t i = 0; i < p->process_count; i++) {
        const report_process *o = &p->processes[i];
        char head[64];

        if (!o->activity_count)
            continue;
        if (!any)
            strbuf_puts(out, "heddle timeline 1\n");
        any = true;
        snprintf(head, sizeof head, "P %u %" PRIu64 " ", o->pid,
                 o->activities_lost);
        put_text_line(out, head, o->command ? o->command : "");
        for (size_t k = 0; k < o->activity_count; k++)
            put_bar(out, o, &o->activities[k], &names, &streams);
        put_uses(out, o);
    }
    strmap_free(names.known);
    strmap_free(streams.known);
}

/* ---- Reading ---- */

/* A line, number by number. */
typedef struct line {
    const char *at, *end;
    bool bad;
} line;

static uint64_t take_number(line *l)
{
    uint64_t v = 0;
    const char *from;

    while (l->at < l->end && *l->at == ' ')
        l->at++;
    from = l->at;
    for (; l->at < l->end && *l->at >= '0' && *l->at <= '9'; l->at++) {
        uint64_t digit = (uint64_t)(*l->at - '0');

        if (v > (UINT64_MAX - digit) / 10)
            l->bad = true;
        else
            v = 10 * v + digit;
    }
    l->bad |= l->at == from || l->at - from > 20;
    return v;
}

static uint32_t take_small(line *l)
{
    uint64_t v = take_number(l);

    l->bad |= v > UINT32_MAX;
    return (uint32_t)v;
}

static const char *take_rest(line *l, arena *mem)
{
    const char *from = l->at + (l->at < l->end && *l->at == ' ');

    l->at = l->end;
    return arena_strndup(mem, from, (size_t)(l->end - from));
}

static void take_process(line *l, arena *mem, timeline *out)
{
    ARENA_GROW(mem, out->process, out->processes, out->process_room);
    timeline_process *o = &out->process[out->processes++];

    *o = (timeline_process){.pid = take_small(l)};
    o->lost = take_number(l);
    o->command = take_rest(l, mem);
}

static void take_bar(line *l, bool kernel, arena *mem, timeline *out)
{
    timeline_process *o = &out->process[out->processes - 1];
    timeline_bar b = {.kind = (activity_kind)take_small(l)};

    b.device = take_small(l);
    b.stream = take_small(l);
    b.begin_ns = take_number(l);
    b.end_ns = take_number(l);
    b.flags = take_small(l);
    if (kernel) {
        b.launch = take_number(l);
        b.linked = b.launch > 0;
        b.launch -= b.linked;
        b.part = take_small(l);
        b.name = take_small(l);
        for (unsigned i = 0; i < 6; i++)
            *(i < 3 ? &b.grid[i] : &b.block[i - 3]) = take_small(l);
        b.cycles = take_number(l);
    } else {
        b.bytes = take_number(l);
    }
    l->bad |= b.kind >= ACTIVITY_KINDS || b.end_ns < b.begin_ns ||
              b.stream >= out->streams ||
              kernel != (b.kind == ACTIVITY_KERNEL) ||
              (kernel && b.name >= out->names);
    if (l->bad)
        return;
    ARENA_GROW(mem, o->bar, o->count, o->bar_room);
    o->bar[o->count++] = b;
}

static void take_use(line *l, arena *mem, timeline *out)
{
    timeline_process *o = &out->process[out->processes - 1];
    timeline_use u = {.device = take_small(l)};

    u.begin_ns = take_number(l);
    u.end_ns = take_number(l);
    u.sms = take_small(l) / (double)SHARE;
    u.warps = take_small(l) / (double)SHARE;
    l->bad |= u.end_ns <= u.begin_ns || u.sms > 1 || u.warps > 1;
    if (l->bad)
        return;
    ARENA_GROW(mem, o->use, o->uses, o->use_room);
    o->use[o->uses++] = u;
}

static void take_line(line *l, arena *mem, timeline *out)
{
    char letter = *l->at++;

    if (letter == 'P') {
        take_process(l, mem, out);
    } else if (letter == 'N') {
        ARENA_GROW(mem, out->name, out->names, out->name_room);
        out->name[out->names++] = take_rest(l, mem);
    } else if (letter == 'S') {
        ARENA_GROW(mem, out->stream, out->streams, out->stream_room);
        out->stream[out->streams++] = take_rest(l, mem);
    } else if (!out->processes) {
        l->bad = true;
    } else if (letter == 'K' || letter == 'B') {
        take_bar(l, letter == 'K', mem, out);
    } else if (letter == 'U') {
        take_use(l, mem, out);
    } else {
        l->bad = true;
    }
    l->bad |= l->at != l->end;
}

bool timeline_get(const char *text, size_t size, arena *mem, timeline *out)
{
    static const char head[] = "heddle timeline 1\n";
    const char *at = text, *end = text + size;

    *out = (timeline){.names = 0};
    if (size < strlen(head) || memcmp(text, head, strlen(head)) != 0)
        return false;
    for (at += strlen(head); at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        line l = {at, stop, !stop || stop == at};

        if (!l.bad)
            take_line(&l, mem, out);
        if (l.bad)
            return false;
        at = stop + 1;
    }
    return true;
}
