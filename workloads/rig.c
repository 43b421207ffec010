/* workloads/rig.c - see rig.h. */
#include "rig.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig_api.h"

enum {
    DEVICES = 64,
    PLAIN = 7,  /* options that all programs have */
    KNOB = 256, /* what getopt_long says of the first knob */
};

typedef struct options {
    const char *platform; /* part of its name; NULL: all of them */
    unsigned size, repeat, device, knob[WL_KNOBS];
    uint64_t seed;
    bool list;
} options;

/* ---- Ends ---- */

void rig_end(const char *name, int status, const char *fmt, ...)
{
    va_list ap;

    printf("%s: %s: ", name, status == RIG_LACKS ? "SKIP" : "FAIL");
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    exit(status);
}

void *rig_alloc(const rig *o, size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);

    if (!p)
        rig_end(o->name, RIG_FAIL, "out of memory");
    return p;
}

void rig_need_local(const rig *o, size_t bytes)
{
    size_t has = rig_api_local(o);

    if (has < bytes)
        rig_end(o->name, RIG_LACKS,
                "%zu bytes of local memory, the device has %zu", bytes, has);
}

const wl_buffer *rig_find(const rig *o, const char *name)
{
    const wl_buffer *b = wl_find(o->data, name);

    if (!b)
        rig_end(o->name, RIG_FAIL, "the problem has no '%s'", name);
    return b;
}

/* ---- Arguments ---- */

void rig_args(rig *o, dev_kernel k, const char *types, ...)
{
    unsigned at = 0, u;
    va_list ap;
    float f;

    va_start(ap, types);
    for (; *types; types++) {
        switch (*types) {
        case 'm':
            rig_api_arg_memory(o, k, at++, va_arg(ap, dev_memory));
            break;
        case 'i':
            rig_api_arg_read(o, k, at, va_arg(ap, dev_memory));
            at += 2;
            break;
        case 'o':
            rig_api_arg_write(o, k, at++, va_arg(ap, dev_memory));
            break;
        case 'u':
            u = va_arg(ap, unsigned);
            rig_api_arg_value(o, k, at++, &u, sizeof u);
            break;
        case 'f':
            f = (float)va_arg(ap, double);
            rig_api_arg_value(o, k, at++, &f, sizeof f);
            break;
        case 'l':
            rig_api_arg_local(o, k, at++, va_arg(ap, size_t));
            break;
        default:
            rig_end(o->name, RIG_FAIL, "no argument is a '%c'", *types);
        }
    }
    va_end(ap);
}

static void set_word(rig *o, dev_kernel k, unsigned at, const char *word,
                     const rig_buffers *b)
{
    unsigned number = (unsigned)strtoul(word, NULL, 10);

    for (unsigned i = 0; i < b->count; i++)
        if (!strcmp(b->is[i]->name, word)) {
            rig_api_arg_memory(o, k, at, b->m[i]);
            return;
        }
    rig_api_arg_value(o, k, at, &number, sizeof number);
}

void rig_words(rig *o, dev_kernel k, const char *words, const rig_buffers *b)
{
    char word[64];

    for (unsigned at = 0; *words; at++) {
        size_t n = strcspn(words, ",");

        snprintf(word, sizeof word, "%.*s", (int)n, words);
        set_word(o, k, at, word, b);
        words += n;
        words += strspn(words, ", ");
    }
}

/* ---- Comparing ---- */

/* Absolutely or relatively; NaN differs from everything. */
static bool near(double got, double want, double tolerance)
{
    double d = fabs(got - want);

    return d <= tolerance || d <= tolerance * fabs(want);
}

static double item(wl_type type, const void *at, size_t i)
{
    return type == WL_F32 ? (double)((const float *)at)[i]
                          : (double)((const uint32_t *)at)[i];
}

void rig_compare(rig *o, const char *name, const void *got)
{
    const wl_buffer *b = rig_find(o, name);
    size_t wrong = 0, first = 0;

    if (!b->expect)
        rig_end(o->name, RIG_FAIL, "nothing is expected of '%s'", name);
    for (size_t i = 0; i < b->count; i++)
        if (!near(item(b->type, got, i), item(b->type, b->expect, i),
                  b->tolerance) &&
            !wrong++)
            first = i;
    o->checked += b->count;
    if (!wrong)
        return;
    printf("%s: FAIL: %s[%zu] is %.9g, not %.9g (%zu of %zu differ)\n", o->name,
           name, first, item(b->type, got, first),
           item(b->type, b->expect, first), wrong, b->count);
    o->failed = true;
}

void rig_check(rig *o, const char *name, dev_memory m)
{
    size_t bytes = rig_find(o, name)->count * 4;
    void *got = rig_alloc(o, bytes);

    rig_read(o, m, got, bytes);
    rig_compare(o, name, got);
    free(got);
}

void rig_check_image(rig *o, const char *name, dev_memory m)
{
    const wl_buffer *b = rig_find(o, name);
    void *got = rig_alloc(o, b->count * 4);

    rig_api_read_image(o, m, b->width, b->height, got);
    rig_compare(o, name, got);
    free(got);
}

/* ---- Launches that the problem says ---- */

void rig_run_problem(rig *o)
{
    rig_buffers b = {.count = 0};
    unsigned count, streams = 0;
    const wl_launched *l = wl_launches(o->data, &count);

    for (; (b.is[b.count] = wl_nth(o->data, b.count)); b.count++)
        b.m[b.count] = rig_buffer(o, b.is[b.count]->name);
    for (unsigned i = 0; i < count; i++)
        streams = l[i].stream >= streams ? l[i].stream + 1 : streams;
    rig_api_launch_all(o, l, count, streams, &b);
    for (unsigned i = 0; i < b.count; i++)
        if (b.is[i]->expect)
            rig_check(o, b.is[i]->name, b.m[i]);
}

/* ---- Options ---- */

static void print_usage(const rig_program *p, FILE *to)
{
    fprintf(to,
            "usage: %s [--size SIZE] [--seed S] [--repeat N] [--device N]%s\n"
            "\n"
            "%s, by %s, compared with the CPU.\n"
            "\n"
            "  --size SIZE   small (%u), medium (%u), large (%u) or a number "
            "of %s\n"
            "  --seed S      seed of the inputs (1)\n"
            "  --repeat N    do it N times, each with the next seed (1)\n"
            "  --device N    device (0), of those that --list prints\n",
            p->problem->name, rig_api_platforms ? " [--platform P]" : "",
            p->problem->about, rig_api_name, p->sizes[0], p->sizes[1],
            p->sizes[2], p->problem->unit);
    if (rig_api_platforms)
        fprintf(to, "  --platform P  only platforms with P in their name, such "
                    "as heddle\n");
    fprintf(to, "  --list        print the devices\n");
    for (unsigned i = 0; i < WL_KNOBS && p->knobs && p->knobs[i].name; i++)
        wl_knob_usage(&p->knobs[i], to);
    fprintf(to, "\nExit status: 0 right, 1 wrong, 2 bad option, 77 the device "
                "lacks something.\n");
}

static bool number(const char *text, uint64_t most, uint64_t *out)
{
    char *stop;

    *out = strtoull(text, &stop, 10);
    return *text >= '0' && *text <= '9' && !*stop && *out <= most;
}

static bool read_size(const rig_program *p, const char *text, unsigned *out)
{
    uint64_t v;

    if (!strcmp(text, "small"))
        v = p->sizes[0];
    else if (!strcmp(text, "medium"))
        v = p->sizes[1];
    else if (!strcmp(text, "large"))
        v = p->sizes[2];
    else if (!number(text, 1u << 28, &v) || !v)
        return false;
    *out = (unsigned)v;
    return true;
}

static bool read_option(const rig_program *p, int c, const char *arg,
                        options *to)
{
    uint64_t v = 0;

    if (c >= KNOB)
        return wl_knob_read(&p->knobs[c - KNOB], arg, &to->knob[c - KNOB]);
    switch (c) {
    case 'n':
        return read_size(p, arg, &to->size);
    case 's':
        return number(arg, UINT64_MAX, &to->seed);
    case 'r':
        if (!number(arg, 1000000, &v) || !v)
            return false;
        to->repeat = (unsigned)v;
        return true;
    case 'd':
        if (!number(arg, DEVICES - 1, &v))
            return false;
        to->device = (unsigned)v;
        return true;
    case 'p':
        to->platform = arg;
        return *arg;
    default:
        to->list = true;
        return true;
    }
}

/* -1: go on; otherwise the exit status. */
static int read_options(const rig_program *p, int argc, char **argv,
                        options *to)
{
    struct option names[PLAIN + WL_KNOBS + 1] = {
        {"size", 1, 0, 'n'},   {"seed", 1, 0, 's'}, {"repeat", 1, 0, 'r'},
        {"device", 1, 0, 'd'}, {"list", 0, 0, 'l'}, {"help", 0, 0, 'h'}};
    int plain = PLAIN - 1, c;

    if (rig_api_platforms)
        names[plain++] = (struct option){"platform", 1, 0, 'p'};

    *to = (options){.size = p->sizes[0], .repeat = 1, .seed = 1};
    for (int i = 0; i < WL_KNOBS && p->knobs && p->knobs[i].name; i++) {
        const wl_knob *k = &p->knobs[i];

        names[plain + i] = (struct option){k->name, 1, 0, KNOB + i};
        to->knob[i] = k->is;
    }
    while ((c = getopt_long(argc, argv, "h", names, NULL)) != -1) {
        if (c == 'h') {
            print_usage(p, stdout);
            return RIG_PASS;
        }
        if (c == '?')
            return RIG_USAGE;
        if (!read_option(p, c, optarg, to)) {
            fprintf(stderr, "%s: not usable: '%s'\n", argv[0], optarg);
            return RIG_USAGE;
        }
    }
    if (optind == argc)
        return -1;
    print_usage(p, stderr);
    return RIG_USAGE;
}

/* What the knobs say; `units` 0: the compute units of the device. */
static void set_knobs(rig *o, const wl_knob *knobs, const options *opt)
{
    for (unsigned k = 0; k < WL_KNOBS && knobs && knobs[k].name; k++) {
        unsigned v = opt->knob[k];

        if (!v && !strcmp(knobs[k].name, "units"))
            v = rig_api_units(o);
        wl_set(o->data, knobs[k].name, v);
    }
}

/* Does a knob take its value from the device? */
static bool asks_device(const rig_program *p, const options *opt)
{
    for (unsigned k = 0; k < WL_KNOBS && p->knobs && p->knobs[k].name; k++)
        if (!opt->knob[k] && !strcmp(p->knobs[k].name, "units"))
            return true;
    return false;
}

static void make_data(rig *o, const rig_program *p, const options *opt,
                      unsigned repetition)
{
    o->data = wl_new(o->name, o->size, opt->seed + repetition);
    set_knobs(o, p->knobs, opt);
    p->problem->gen(o->data, o->size);
}

int rig_main(const rig_program *p, int argc, char **argv)
{
    rig o = {.name = p->problem->name};
    options opt;
    int status = read_options(p, argc, argv, &opt);

    if (status >= 0)
        return status;
    if (opt.list) {
        rig_api_list(&o, opt.platform);
        return RIG_PASS;
    }
    o.size = opt.size;
    if (!asks_device(p, &opt)) /* what cannot be ends it on any host */
        make_data(&o, p, &opt, 0);
    rig_api_open(&o, p, opt.platform, opt.device);
    for (unsigned i = 0; i < opt.repeat && !o.failed; i++) {
        if (!o.data)
            make_data(&o, p, &opt, i);
        p->run(&o);
        rig_api_release(&o);
        wl_free(o.data);
        o.data = NULL;
    }
    rig_api_close(&o);
    if (!o.failed)
        printf("%s: PASS: %u %s, %zu values as expected\n", o.name, o.size,
               p->problem->unit, o.checked);
    return o.failed ? RIG_FAIL : RIG_PASS;
}
