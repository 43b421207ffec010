#include "probe/loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    FEW = 2,
    MORE = 4,
    CTA = 32,   /* warps of one, at most */
    CROWD = 64, /* CTAs that are launched where one SM is to have several */
    DOWN = 27,  /* places in a stream of the instructions that count */
    TEST = 139,
    LONGEST = 1022, /* [PPOPP:method] a shorter loop's end costs too much */
    TEXT = 16,
};

/* The upper half of a double that is so many. */
static void put_passes(unsigned n, char text[TEXT])
{
    const double as = n;
    uint64_t bits;

    memcpy(&bits, &as, sizeof bits);
    snprintf(text, TEXT, "0x%08x", (unsigned)(bits >> 32));
}

/* From the first clock of any warp to the last of those of each scheduler, and
 * of all; clocks of warps that did not run are zero. */
typedef struct spans {
    double of[LOOP_SCHEDULERS], all;
    size_t ran;
} spans;

static const uint32_t *first_clock(const uint32_t *clock, size_t threads)
{
    const uint32_t *first = NULL;

    for (size_t i = 0; i < threads; i++) {
        const uint32_t *c = clock + 2 * i;

        if ((c[0] || c[1]) && (!first || (int32_t)(c[0] - *first) < 0))
            first = c;
    }
    return first;
}

static spans find_spans(const uint32_t *clock, size_t threads)
{
    const uint32_t *first = first_clock(clock, threads);
    spans s = {.all = 0};

    for (size_t i = 0; i < threads; i++) {
        const uint32_t *c = clock + 2 * i;
        double *of = &s.of[i / 32 % LOOP_SCHEDULERS];

        if (!c[0] && !c[1])
            continue;
        s.ran++;
        *of = fmax(*of, (uint32_t)(c[1] - *first));
        s.all = fmax(s.all, *of);
    }
    return s;
}

static status time_passes(probe_run *r, const probe_loop *l, unsigned passes,
                          spans *s)
{
    unsigned several = (l->warps + CTA - 1) / CTA;
    char place[TEXT], count[TEXT];
    probe_kernel k = {
        .name = "steady",
        .vars = {{"text", l->text},
                 {"set", l->set ? l->set : ""},
                 {"place", place},
                 {"passes", count},
                 {"down", "DADD R6, R6, -1.0"},
                 {"test", "DSETP.GT.AND P2, PT, R6, RZ, PT"}},
        .ctas = several > 1 ? CROWD : 1,
        .threads = 32 * l->warps / several,
    };

    put_passes(passes, count);
    snprintf(place, sizeof place, "%u", l->place);
    k.out_words = (size_t)2 * k.threads * k.ctas;
    k.out = new0(k.out_words, sizeof *k.out);
    status st = probe_launch_kernel(r, &k);
    if (st == ST_OK)
        *s = find_spans(k.out, k.out_words / 2);
    if (st == ST_OK && s->ran != 32 * (l->active ? l->active : l->warps))
        st = ST_USAGE; /* they are not all on one SM */
    free(k.out);
    return st;
}

/* The first launch of a kernel finds the caches without its code. */
static status time_warm(probe_run *r, const probe_loop *l, unsigned passes,
                        spans *s)
{
    status st = time_passes(r, l, passes, s);

    return st == ST_OK ? time_passes(r, l, passes, s) : st;
}

static status time_both(probe_run *r, const probe_loop *l, spans *few,
                        spans *many)
{
    status st = time_warm(r, l, FEW, few);

    return st == ST_OK ? time_warm(r, l, FEW + MORE, many) : st;
}

status probe_pass(probe_run *r, const probe_loop *l, double *cycles)
{
    spans few, many;
    status st = time_both(r, l, &few, &many);

    if (st == ST_OK)
        *cycles = (many.all - few.all) / MORE;
    return st;
}

status probe_passes(probe_run *r, const probe_loop *l,
                    double cycles[LOOP_SCHEDULERS])
{
    spans few, many;
    status st = time_both(r, l, &few, &many);

    for (unsigned n = 0; n < LOOP_SCHEDULERS && st == ST_OK; n++)
        cycles[n] = (many.of[n] - few.of[n]) / MORE;
    return st;
}

static void put_coded(const probe_run *r, unsigned code, const char *text,
                      strbuf *out)
{
    if (r->machine->family == PROBE_KEPLER)
        strbuf_printf(out, "    {0x%02x} %s\n", code, text);
    else
        strbuf_printf(out, "    %s\n", text);
}

unsigned probe_stream(const probe_run *r, const char *text, unsigned code,
                      unsigned count, strbuf *out)
{
    enum { PLAIN = 0x20, OWN = 2 };
    const unsigned part[] = {DOWN, TEST - DOWN - 1, count - TEST - 1};
    static const char *const own[OWN] = {"$down", "$test"};
    bool pairs = code == PLAIN && r->known.pair;

    for (unsigned i = 0; i <= OWN; i++) {
        bool head = pairs && i < OWN;

        strbuf_printf(out, "%%for k %u\n", part[i] - head);
        put_coded(r, code, text, out);
        strbuf_puts(out, "%end\n");
        if (head) {
            strbuf_puts(out, "%for k 1\n");
            put_coded(r, r->known.pair, text, out);
            strbuf_puts(out, "%end\n");
        }
        if (i < OWN)
            put_coded(r, head && r->known.second ? r->known.second : code,
                      own[i], out);
    }
    return count - OWN;
}

unsigned probe_loop_room(const probe_run *r, unsigned most)
{
    enum { AROUND = 42, LEAST = 154 };
    static const double bytes[] = {8, 64 / 7.0, 16}; /* of an instruction */
    const probe_value *cache = probe_found_get(r->found, "icache.1");
    double fit =
        cache ? cache->number / bytes[r->machine->family] - AROUND : LEAST;
    unsigned n = fit < most ? (unsigned)fit : most;

    return n < LEAST ? LEAST : n / LOOP_LINE * LOOP_LINE;
}

status probe_rate(probe_run *r, const char *text, unsigned code, double *rate)
{
    unsigned count = probe_loop_room(r, LONGEST);
    double cycles = 0;
    strbuf all = {0};

    unsigned n = probe_stream(r, text, code, count, &all);
    status st = probe_pass(
        r, &(probe_loop){.text = all.text, .warps = LOOP_WARPS}, &cycles);
    *rate = 32.0 * LOOP_WARPS * n / cycles;
    strbuf_fini(&all);
    return st;
}
