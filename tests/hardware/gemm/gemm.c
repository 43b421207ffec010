/* tests/hardware/gemm/gemm.c - the ladder of matrix products: how many TFLOP/s
 * each step reaches on the device that the driver has.
 *
 * c = a b^T; gemm80.cu and gemm90.cu say what the steps are. One wave is
 * launched: as many CTAs as the SMs take at once, in a rectangle of tiles. Its
 * time is taken at two lengths of k and carried on linearly to the length that
 * was asked for, so that beginning and end count as they do there, and a
 * simulated device need not compute all of it. Some results are compared with
 * the host's. */
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu.h"

#define EMBED(name, file)                                                      \
    __asm__(".pushsection .rodata\n.hidden " #name "\n" #name                  \
            ": .incbin \"" GEMM_FOLDER "/" file "\"\n.byte 0\n.popsection\n"); \
    extern const char name[]

EMBED(ptx_of_80, "gemm80.ptx");
EMBED(ptx_of_90, "gemm90.ptx");

enum { SLICE = 64, CHECKED = 256, ERROR = -1 };

typedef struct step {
    const char *name, *about;
    unsigned m, n; /* tile */
    unsigned threads_x, threads_y, shared;
    unsigned capability; /* of devices from which on */
    bool singles;        /* matrices are floats, b is k x n */
    unsigned k[2];       /* that are timed */
} step;

static const step steps[] = {
    {"naive",
     "single precision, a thread for each element",
     32,
     32,
     32,
     32,
     0,
     80,
     true,
     {32, 64}},
    {"registers",
     "multiply-adds, 8 x 8 elements a thread",
     128,
     128,
     256,
     1,
     0,
     80,
     false,
     {32, 64}},
    {"mma",
     "tensor cores, cp.async in four stages, 128 x 256",
     128,
     256,
     256,
     1,
     4 * (128 + 256) * 64,
     80,
     false,
     {256, 512}},
    {"group_64x64",
     "warp groups, one slice at a time, 64 x 64",
     64,
     64,
     128,
     1,
     128 * 128,
     90,
     false,
     {256, 512}},
    {"group_128x128",
     "warp groups, one slice at a time, 128 x 128",
     128,
     128,
     128,
     1,
     256 * 128,
     90,
     false,
     {512, 1024}},
    {"queue_128x128",
     "a producer and a consumer, five slices",
     128,
     128,
     256,
     1,
     5 * 256 * 128,
     90,
     false,
     {512, 1024}},
    {"queue_128x256",
     "a producer and two consumers, four slices",
     128,
     256,
     384,
     1,
     4 * 384 * 128,
     90,
     false,
     {512, 1024}},
};
enum { STEPS = sizeof steps / sizeof *steps };

typedef struct gemm {
    cu_driver cu;
    cu_device is;
    unsigned sms, length; /* k that the result is for */
    bool failed;
} gemm;

/* A product on the device. */
typedef struct product {
    const step *of;
    void *kernel;
    unsigned m, n, k; /* of what is launched */
    unsigned most;    /* k of the matrices */
    cu_pointer a, b, c;
    float *on_host[2]; /* a and b */
    cu_tensor_map map[2];
} product;

static bool good(gemm *g, int status, const char *call)
{
    if (!status)
        return true;
    fprintf(stderr, "gemm: %s: %s\n", call, cu_error_name(&g->cu, status));
    g->failed = true;
    return false;
}

/* ---- Matrices ---- */

/* Multiples of a fourth from -1 to 1, which all types hold and whose sums are
 * exact. */
static float element(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return ((float)(*state >> 33 & 0xffff) / 8191.875F - 4) > 0
               ? (float)(*state >> 40 & 3) * 0.25F + 0.25F
               : -(float)(*state >> 40 & 3) * 0.25F;
}

static uint16_t bfloat(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)(bits >> 16); /* the rest is zero */
}

/* `count` elements on the device and, as floats, on the host. */
static bool matrix(gemm *g, const product *p, size_t count, uint64_t seed,
                   cu_pointer *at, float **host)
{
    size_t each = p->of->singles ? sizeof(float) : sizeof(uint16_t);
    float *all = malloc(count * sizeof *all);
    uint16_t *narrow = malloc(count * sizeof *narrow);
    bool fine = all && narrow;

    for (size_t i = 0; fine && i < count; i++) {
        all[i] = element(&seed);
        narrow[i] = bfloat(all[i]);
    }
    fine =
        fine && good(g, g->cu.alloc(at, count * each), "cuMemAlloc") &&
        good(g,
             g->cu.to_device(*at, p->of->singles ? (void *)all : (void *)narrow,
                             count * each),
             "cuMemcpyHtoD");
    free(narrow);
    *host = all;
    return fine;
}

/* The box is a slice of k by the rows of a tile, or 256 of them. */
static bool map_of(gemm *g, const product *p, cu_tensor_map *map, cu_pointer at,
                   unsigned rows, unsigned tile)
{
    enum { BFLOAT16 = 9, SWIZZLE_128B = 3, L2_128B = 2 };
    unsigned long long size[] = {p->most, rows};
    unsigned long long stride[] = {(unsigned long long)p->most * 2};
    unsigned box[] = {SLICE, tile}, every[] = {1, 1};

    return good(g,
                g->cu.tensor_map_tiled(map, BFLOAT16, 2, at, size, stride, box,
                                       every, 0, SWIZZLE_128B, L2_128B, 0),
                "cuTensorMapEncodeTiled");
}

/* ---- Launches ---- */

/* Milliseconds of one launch with so much of k. */
static double launch(gemm *g, product *p, unsigned k)
{
    const step *s = p->of;
    unsigned n = p->n;
    void *plain[] = {&p->a, &p->b, &p->c, &n, &k};
    void *mapped[] = {&p->map[0], &p->map[1], &p->c, &n, &k};
    void *from = NULL, *to = NULL;
    float ms = ERROR;

    if (!good(g, g->cu.event_new(&from, 0), "cuEventCreate") ||
        !good(g, g->cu.event_new(&to, 0), "cuEventCreate"))
        return ERROR;
    if (!good(g, g->cu.event_record(from, NULL), "cuEventRecord") ||
        !good(g,
              g->cu.launch(p->kernel, p->n / s->n, p->m / s->m, 1, s->threads_x,
                           s->threads_y, 1, s->shared, NULL,
                           s->capability >= 90 ? mapped : plain, NULL),
              "cuLaunchKernel") ||
        !good(g, g->cu.event_record(to, NULL), "cuEventRecord") ||
        !good(g, g->cu.event_wait(to), "cuEventSynchronize") ||
        !good(g, g->cu.event_ms(&ms, from, to), "cuEventElapsedTime"))
        ms = ERROR;
    g->cu.event_free(from);
    g->cu.event_free(to);
    p->k = k;
    return (double)ms;
}

/* Compares some elements of what the last launch made. */
static bool check(gemm *g, const product *p)
{
    size_t count = (size_t)p->m * p->n;
    float *c = malloc(count * sizeof *c);
    uint64_t state = 1;
    unsigned wrong = 0;
    bool fine =
        c && good(g, g->cu.to_host(c, p->c, count * sizeof *c), "cuMemcpyDtoH");

    for (unsigned i = 0; fine && i < CHECKED; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        size_t at = (state >> 20) % count, y = at / p->n, x = at % p->n;
        double sum = 0;

        for (unsigned j = 0; j < p->k; j++)
            sum += (double)p->on_host[0][y * p->most + j] *
                   (double)p->on_host[1][p->of->singles ? j * p->n + x
                                                        : x * p->most + j];
        wrong += fabs(sum - (double)c[at]) > 1e-3;
    }
    if (wrong)
        fprintf(stderr, "gemm: %s: %u of %u elements are wrong\n", p->of->name,
                wrong, CHECKED);
    g->failed |= wrong > 0;
    free(c);
    return fine && !wrong;
}

/* ---- Steps ---- */

/* A rectangle of `tiles` tiles, as square as there is one. */
static void shape(product *p, unsigned tiles)
{
    unsigned down = 1;

    for (unsigned i = 1; i * i <= tiles; i++)
        if (tiles % i == 0)
            down = i;
    p->m = down * p->of->m;
    p->n = tiles / down * p->of->n;
}

static bool prepare(gemm *g, product *p)
{
    const step *s = p->of;
    void *module =
        cu_module(&g->cu, s->capability >= 90 ? ptx_of_90 : ptx_of_80, s->name);
    int ctas = 0;

    if (!module ||
        !good(g, g->cu.function(&p->kernel, module, s->name),
              "cuModuleGetFunction") ||
        (s->shared > 48 << 10 &&
         !good(g,
               g->cu.function_attribute(p->kernel, CU_FUNCTION_SHARED,
                                        (int)s->shared),
               "cuFuncSetAttribute")) ||
        !good(g,
              g->cu.ctas_per_sm(&ctas, p->kernel,
                                (int)(s->threads_x * s->threads_y), s->shared),
              "cuOccupancyMaxActiveBlocksPerMultiprocessor") ||
        ctas < 1)
        return false;
    shape(p, g->sms * (unsigned)ctas);
    p->most = s->k[1];
    return matrix(g, p, (size_t)p->m * p->most, 1, &p->a, &p->on_host[0]) &&
           matrix(g, p, (size_t)p->n * p->most, 2, &p->b, &p->on_host[1]) &&
           good(g, g->cu.alloc(&p->c, (size_t)p->m * p->n * sizeof(float)),
                "cuMemAlloc") &&
           (s->capability < 90 || (map_of(g, p, &p->map[0], p->a, p->m, s->m) &&
                                   map_of(g, p, &p->map[1], p->b, p->n, s->n)));
}

static void run(gemm *g, const step *s)
{
    product p = {.of = s};
    bool fine = prepare(g, &p);

    if (fine) {
        /* The first launch loads code; a device's clock rises, too. */
        double first = launch(g, &p, s->k[0]);
        double a = launch(g, &p, s->k[0]), b = launch(g, &p, s->k[1]);
        double slope = (b - a) / (s->k[1] - s->k[0]);
        double ms = a + slope * ((double)g->length - s->k[0]);

        if (first < 0 || a <= 0 || b <= 0)
            g->failed = true;
        else if (check(g, &p))
            printf("gemm,%s,%u,%.6g\n", s->name, g->length,
                   2e-9 * p.m * p.n * g->length / ms);
        fflush(stdout);
    } else {
        g->failed = true;
    }
    free(p.on_host[0]);
    free(p.on_host[1]);
    g->cu.free(p.a);
    g->cu.free(p.b);
    g->cu.free(p.c);
}

static int usage(FILE *to)
{
    fputs(
        "usage: hardware_gemm [--step NAME]... [--length K] [--list]\n\n"
        "TFLOP/s of matrix products on the device of the CUDA driver, a line\n"
        "for each step, \"gemm,STEP,K,TFLOPS\": one wave of tiles, carried on\n"
        "to a length K of the sums (8192).\n",
        to);
    return to == stderr ? 2 : 0;
}

static int list(void)
{
    for (unsigned i = 0; i < STEPS; i++)
        printf("%-14s %s\n", steps[i].name, steps[i].about);
    return 0;
}

static bool want(const char *name, bool *wanted)
{
    for (unsigned i = 0; i < STEPS; i++)
        if (!strcmp(steps[i].name, name))
            return wanted[i] = wanted[STEPS] = true;
    fprintf(stderr, "gemm: no step '%s'; --list shows them\n", name);
    return false;
}

/* -1: go on; otherwise the exit status. */
static int options(int argc, char **argv, bool *wanted, unsigned *length)
{
    static const struct option names[] = {{"step", 1, 0, 's'},
                                          {"length", 1, 0, 'k'},
                                          {"list", 0, 0, 'l'},
                                          {"help", 0, 0, 'h'},
                                          {0}};
    int c;

    while ((c = getopt_long(argc, argv, "h", names, NULL)) != -1) {
        char *stop = NULL;

        if (c == 'h' || c == 'l')
            return c == 'h' ? usage(stdout) : list();
        if (c == '?' || (c == 's' && !want(optarg, wanted)))
            return 2;
        if (c != 'k')
            continue;
        unsigned long k = strtoul(optarg, &stop, 10);
        if (*optarg < '1' || *optarg > '9' || *stop || k < 1024 ||
            k > 1 << 20) {
            fprintf(stderr, "gemm: --length is 1024 to 1048576, not '%s'\n",
                    optarg);
            return 2;
        }
        *length = (unsigned)k;
    }
    return optind == argc ? -1 : usage(stderr);
}

int main(int argc, char **argv)
{
    gemm g = {.length = 8192};
    bool wanted[STEPS + 1] = {false};
    int status = options(argc, argv, wanted, &g.length);

    if (status >= 0)
        return status;
    const char *none = cu_open(&g.cu, &g.is);
    if (none) {
        fprintf(stderr, "gemm: %s\n", none);
        return 77;
    }
    unsigned capability = (unsigned)(g.is.major * 10 + g.is.minor);

    g.sms = (unsigned)cu_attribute(&g.cu, &g.is, CU_SMS);
    printf("# %s, compute capability %u, %u SMs\ngemm,step,k,TFLOPS\n",
           g.is.name, capability, g.sms);
    for (unsigned i = 0; i < STEPS; i++)
        if (wanted[i] || !wanted[STEPS]) {
            if (capability >= steps[i].capability &&
                (steps[i].capability < 90 || g.cu.tensor_map_tiled))
                run(&g, &steps[i]);
            else
                fprintf(stderr,
                        "gemm: %s: the device or its driver has not "
                        "what it needs\n",
                        steps[i].name);
        }
    return g.failed;
}
