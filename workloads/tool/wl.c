/* workloads/tool/wl.c - see workload.h; files come from npy.h. */
#include "tool/wl.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/npy.h"

enum { LAUNCHES = 4096, SCRATCH = 4096, SAMPLERS = 4, KNOBS = 4 };

typedef struct sampler {
    const char *name, *how;
} sampler;

typedef struct knob {
    const char *name;
    unsigned value;
} knob;

struct wl {
    const char *name;
    unsigned size;
    uint64_t random;
    const char *part; /* before the names of buffers; NULL: nothing */
    wl_buffer buffers[WL_BUFFERS];
    wl_launched launches[LAUNCHES];
    void *scratch[SCRATCH];
    sampler samplers[SAMPLERS];
    knob knobs[KNOBS];
    unsigned nbuffers, nlaunches, nscratch, nsamplers, nknobs, stream;
};

static __attribute__((noreturn)) void die(const char *text, const char *more)
{
    fprintf(stderr, "workload: %s%s\n", text, more);
    exit(1);
}

static void *zeros(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);

    if (!p)
        die("out of memory", "");
    return p;
}

wl *wl_new(const char *name, unsigned size, uint64_t seed)
{
    wl *w = zeros(sizeof *w);

    w->name = name;
    w->size = size;
    w->random = seed;
    return w;
}

void wl_set(wl *w, const char *name, unsigned value)
{
    if (w->nknobs == KNOBS)
        die("too many knobs in ", w->name);
    w->knobs[w->nknobs++] = (knob){name, value};
}

unsigned wl_get(const wl *w, const char *name)
{
    for (unsigned i = 0; i < w->nknobs; i++)
        if (!strcmp(w->knobs[i].name, name))
            return w->knobs[i].value;
    die("no such knob: ", name);
}

int wl_knob_read(const wl_knob *k, const char *text, unsigned *out)
{
    char *stop;
    unsigned long v = strtoul(text, &stop, 10);

    for (unsigned i = 0; k->words && k->words[i]; i++)
        if (!strcmp(k->words[i], text)) {
            *out = i;
            return 1;
        }
    *out = (unsigned)v;
    return !k->words && *text >= '0' && *text <= '9' && !*stop &&
           v >= k->least && v <= k->most;
}

void wl_knob_usage(const wl_knob *k, FILE *to)
{
    int room = 10 - (int)strlen(k->name);

    fprintf(to, "  --%s %s%*s%s", k->name, k->words ? "W" : "N", room, "",
            k->about);
    if (!k->words)
        fprintf(to, ", %u to %u (%u)\n", k->least, k->most, k->is);
    for (unsigned i = 0; k->words && k->words[i]; i++)
        fprintf(to, "%s%s%s", i ? ", " : ": ", k->words[i],
                k->words[i + 1] ? "" : "\n");
}

void wl_free(wl *w)
{
    for (unsigned i = 0; i < w->nbuffers; i++) {
        free(w->buffers[i].input);
        free(w->buffers[i].expect);
    }
    for (unsigned i = 0; i < w->nlaunches; i++)
        free(w->launches[i].args);
    for (unsigned i = 0; i < w->nscratch; i++)
        free(w->scratch[i]);
    free(w);
}

const wl_buffer *wl_find(const wl *w, const char *name)
{
    for (unsigned i = 0; i < w->nbuffers; i++)
        if (!strcmp(w->buffers[i].name, name))
            return &w->buffers[i];
    return NULL;
}

const wl_buffer *wl_nth(const wl *w, unsigned i)
{
    return i < w->nbuffers ? &w->buffers[i] : NULL;
}

const wl_launched *wl_launches(const wl *w, unsigned *count)
{
    *count = w->nlaunches;
    return w->launches;
}

void wl_part(wl *w, const char *name)
{
    char *copy = NULL;

    if (name) {
        copy = wl_scratch(w, strlen(name) + 1);
        strcpy(copy, name);
    }
    w->part = copy;
}

/* As the part's buffers are called. */
static const char *name_in_part(wl *w, const char *name, size_t length)
{
    size_t room = strlen(w->part) + length + 2;
    char *all = wl_scratch(w, room);

    snprintf(all, room, "%s_%.*s", w->part, (int)length, name);
    return all;
}

/* The buffer of that name, made if there is none yet. */
static wl_buffer *find(wl *w, const char *name, wl_type type, size_t count)
{
    if (w->part)
        name = name_in_part(w, name, strlen(name));
    for (unsigned i = 0; i < w->nbuffers; i++)
        if (!strcmp(w->buffers[i].name, name))
            return &w->buffers[i];
    if (w->nbuffers == WL_BUFFERS)
        die("too many buffers in ", w->name);
    w->buffers[w->nbuffers] =
        (wl_buffer){name, type, count, NULL, NULL, 0, 0, 0};
    return &w->buffers[w->nbuffers++];
}

static void *input(wl *w, const char *name, wl_type type, size_t count)
{
    return find(w, name, type, count)->input = zeros(count * 4);
}

float *wl_input_f32(wl *w, const char *name, size_t count)
{
    return input(w, name, WL_F32, count);
}

uint32_t *wl_input_u32(wl *w, const char *name, size_t count)
{
    return input(w, name, WL_U32, count);
}

void wl_zero(wl *w, const char *name, wl_type type, size_t count)
{
    find(w, name, type, count);
}

static void *expect(wl *w, const char *name, wl_type type, size_t count,
                    double tolerance)
{
    wl_buffer *b = find(w, name, type, count);

    b->tolerance = tolerance;
    return b->expect = zeros(count * 4);
}

float *wl_expect_f32(wl *w, const char *name, size_t count, double tolerance)
{
    return expect(w, name, WL_F32, count, tolerance);
}

uint32_t *wl_expect_u32(wl *w, const char *name, size_t count)
{
    return expect(w, name, WL_U32, count, 0);
}

void wl_image(wl *w, const char *name, unsigned width, unsigned height)
{
    wl_buffer *b = find(w, name, WL_F32, (size_t)width * height);

    b->width = width;
    b->height = height;
}

void wl_sampler(wl *w, const char *name, const char *how)
{
    if (w->nsamplers == SAMPLERS)
        die("too many samplers in ", w->name);
    w->samplers[w->nsamplers++] = (sampler){name, how};
}

/* "a, b, 1024" as "part_a, part_b, 1024"; frees `args`. */
static char *args_in_part(wl *w, char *args)
{
    size_t room = strlen(args) + 1, n = 0;
    char *out;

    for (const char *at = args; *at; at++)
        room += *at == ',' ? strlen(w->part) + 1 : 0;
    out = zeros(room + strlen(w->part) + 1);
    for (const char *at = args; *at;) {
        size_t length = strcspn(at, ", ");
        bool named = (*at >= 'a' && *at <= 'z') || *at == '_';

        n += (size_t)sprintf(out + n, "%s%s%.*s", named ? w->part : "",
                             named ? "_" : "", (int)length, at);
        at += length;
        while (*at == ',' || *at == ' ')
            out[n++] = *at++;
    }
    free(args);
    return out;
}

void wl_launch(wl *w, const char *kernel, wl_dim grid, wl_dim cta,
               const char *args, ...)
{
    va_list ap;
    char *text;

    if (w->nlaunches == LAUNCHES)
        die("too many launches in ", w->name);
    va_start(ap, args);
    if (vasprintf(&text, args, ap) < 0)
        die("out of memory", "");
    va_end(ap);
    if (w->part)
        text = args_in_part(w, text);
    w->launches[w->nlaunches++] =
        (wl_launched){kernel, grid, cta, w->stream, text};
}

void wl_stream(wl *w, unsigned stream) { w->stream = stream; }

void *wl_scratch(wl *w, size_t bytes)
{
    if (w->nscratch == SCRATCH)
        die("too much scratch in ", w->name);
    return w->scratch[w->nscratch++] = zeros(bytes);
}

/* SplitMix64. */
uint32_t wl_random(wl *w)
{
    uint64_t z = w->random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

unsigned wl_below(wl *w, unsigned n)
{
    return (unsigned)((uint64_t)wl_random(w) * n >> 32);
}

float wl_uniform(wl *w, float lo, float hi)
{
    return lo + (hi - lo) * (float)(wl_random(w) >> 8) / 16777216.0f;
}

void wl_require(wl *w, int cond, const char *what)
{
    if (!cond) {
        fprintf(stderr, "%s: size %u: %s\n", w->name, w->size, what);
        exit(2);
    }
}

static const char *type_name(wl_type t) { return t == WL_F32 ? "f32" : "u32"; }

static const char *npy_type(wl_type t) { return t == WL_F32 ? "<f4" : "<u4"; }

static void write_array(const char *dir, const wl_buffer *b, const char *end,
                        const void *data)
{
    char *path;

    if (asprintf(&path, "%s/%s%s.npy", dir, b->name, end) < 0)
        die("out of memory", "");
    if (npy_write(path, npy_type(b->type), data, b->count, 4))
        die("cannot write ", path);
    free(path);
}

static void print_images(const wl *w, FILE *f)
{
    const char *head = "images:\n";

    for (unsigned i = 0; i < w->nbuffers; i++) {
        const wl_buffer *b = &w->buffers[i];

        if (!b->width)
            continue;
        fprintf(f, "%s  %s: {size: [%u, %u], order: r, type: f32", head,
                b->name, b->width, b->height);
        if (b->input)
            fprintf(f, ", file: %s.npy", b->name);
        fprintf(f, "}\n");
        head = "";
    }
    head = "samplers:\n";
    for (unsigned i = 0; i < w->nsamplers; i++, head = "")
        fprintf(f, "%s  %s: {%s}\n", head, w->samplers[i].name,
                w->samplers[i].how);
}

static void print_buffers(const wl *w, FILE *f)
{
    const char *head = "buffers:\n";

    for (unsigned i = 0; i < w->nbuffers; i++) {
        const wl_buffer *b = &w->buffers[i];

        if (b->width)
            continue;
        fprintf(f, "%s  %s: {type: %s, ", head, b->name, type_name(b->type));
        if (b->input)
            fprintf(f, "file: %s.npy}\n", b->name);
        else
            fprintf(f, "count: %zu, init: zero}\n", b->count);
        head = "";
    }
}

static void print_launch_file(const wl *w, FILE *f, const char *program)
{
    fprintf(f, "# heddle-workload gen %s --size %u\n", w->name, w->size);
    fprintf(f, "program: %s\n", program);
    print_images(w, f);
    print_buffers(w, f);
    fprintf(f, "launches:\n");
    for (unsigned i = 0; i < w->nlaunches; i++) {
        const wl_launched *l = &w->launches[i];

        fprintf(f, "  - {kernel: %s, grid: [%u, %u, %u], block: [%u, %u, %u],",
                l->kernel, l->grid.x, l->grid.y, l->grid.z, l->cta.x, l->cta.y,
                l->cta.z);
        fprintf(f, " args: [%s]", l->args);
        fprintf(f, l->stream ? ", stream: s%u}\n" : "}\n", l->stream);
    }
    fprintf(f, "expect:\n");
    for (unsigned i = 0; i < w->nbuffers; i++) {
        const wl_buffer *b = &w->buffers[i];

        if (b->expect)
            fprintf(f, "  %s: {file: %s_ref.npy, tolerance: %g}\n", b->name,
                    b->name, b->tolerance);
    }
}

void wl_write(const wl *w, const char *dir, const char *program)
{
    char *path;
    FILE *f;

    for (unsigned i = 0; i < w->nbuffers; i++) {
        const wl_buffer *b = &w->buffers[i];

        if (b->input)
            write_array(dir, b, "", b->input);
        if (b->expect)
            write_array(dir, b, "_ref", b->expect);
    }
    if (asprintf(&path, "%s/launch.yaml", dir) < 0)
        die("out of memory", "");
    f = fopen(path, "w");
    if (!f)
        die("cannot write ", path);
    print_launch_file(w, f, program);
    if (fclose(f))
        die("cannot write ", path);
    free(path);
}
