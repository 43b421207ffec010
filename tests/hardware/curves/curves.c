/* tests/hardware/curves/curves.c - measures curves of a GPU, by the CUDA driver
 * API: on a device, or on a simulated one by `heddle exec -- ./curves`. It
 * knows no difference. curves [--curve NAME]... [--quick | --full]
 * [--points CSV] [--repeat N] [--list] Standard output is CSV: curve, line of
 * it, x, value. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

const curve curve_list[] = {
    {"clock", "", "MHz",
     "cycles of an SM in a microsecond of the device's timer", curve_clock},
    {"launch", "CTAs of an SM", "cycle", "an empty kernel, between two events",
     curve_launch},
    {"chase", "working set, kB", "cycle",
     "a thread follows pointers in random order, a line each", curve_chase},
    {"pages", "pages of 2 MB", "cycle", "the same, a line of each page",
     curve_pages},
    {"stream", "occupancy, %", "GB/s",
     "doubles read, or read, scaled and written, an element a thread",
     curve_stream},
    {"roofline", "flop/byte", "GB/s, GFLOP/s",
     "two floats read and so many multiply-adds with them, all SMs full",
     curve_roofline},
    {"caches", "working set, kB", "B/cycle/SM",
     "all SMs read the same floats again and again, a CTA of 512 threads each",
     curve_caches},
    {"l2", "working set, kB", "GB/s",
     "all SMs read pieces of 512 kB of a set, a CTA of 1024 threads each",
     curve_l2},
    {"strides", "stride, elements", "cycle",
     "a warp's load of floats or doubles that the L1 has", curve_strides},
    {"shared", "lanes of a bank", "cycle", "a warp's load of shared memory",
     curve_shared},
    {"latency", "", "cycle", "an operation that waits for the one before",
     curve_latency},
    {"throughput", "", "lane/cycle/SM", "operations that wait for nothing",
     curve_throughput},
    {"atomic-latency", "", "cycle", "an atomic that waits for the one before",
     curve_atomic_latency},
    {"atomics", "lanes of an address", "cycle", "a warp's atomic of 32 bits",
     curve_atomics},
};
const unsigned curve_count = sizeof curve_list / sizeof curve_list[0];

static void usage(FILE *to)
{
    fputs("usage: curves [OPTION...]\n\n"
          "Measures the GPU that the CUDA driver has first; prints CSV.\n\n"
          "  --curve NAME  only this one; may be repeated\n"
          "  --quick       few points of each\n"
          "  --full        also those for which a simulator takes hours\n"
          "  --points CSV  only the points of that file: curve,line,x,...\n"
          "  --repeat N    each point N times; the middle counts (1)\n"
          "  --list        prints the curves and ends\n\n"
          "Exit status: 0 all measured, 1 some not, 2 bad option, 77 no "
          "device.\n",
          to);
}

static void list(void)
{
    for (unsigned i = 0; i < curve_count; i++)
        printf("%-15s %-14s by %-20s %s\n", curve_list[i].name,
               curve_list[i].unit, *curve_list[i].x ? curve_list[i].x : "line",
               curve_list[i].about);
}

typedef struct options {
    bench_level level;
    unsigned repeat;
    const char *points;
    bool wanted[32], some;
} options;

static bool want(options *o, const char *name)
{
    for (unsigned i = 0; i < curve_count; i++)
        if (!strcmp(curve_list[i].name, name))
            return o->some = o->wanted[i] = true;
    fprintf(stderr, "curves: no curve '%s'; --list shows them\n", name);
    return false;
}

/* -1: go on; otherwise the exit status. */
static int read_options(int argc, char **argv, options *o)
{
    static const struct option names[] = {
        {"curve", 1, 0, 'c'},  {"quick", 0, 0, 'q'},
        {"full", 0, 0, 'f'},   {"points", 1, 0, 'p'},
        {"repeat", 1, 0, 'r'}, {"list", 0, 0, 'l'},
        {"help", 0, 0, 'h'},   {0}};
    int c;

    while ((c = getopt_long(argc, argv, "h", names, NULL)) != -1) {
        char *stop = NULL;

        if (c == 'h' || c == 'l')
            return c == 'h' ? usage(stdout) : list(), 0;
        if (c == '?' || (c == 'c' && !want(o, optarg)))
            return 2;
        if (c == 'q' || c == 'f')
            o->level = c == 'q' ? QUICK : FULL;
        if (c == 'p')
            o->points = optarg;
        if (c != 'r')
            continue;
        unsigned long n = strtoul(optarg, &stop, 10);
        if (*optarg < '1' || *optarg > '9' || *stop || n > 99) {
            fprintf(stderr, "curves: --repeat is 1 to 99, not '%s'\n", optarg);
            return 2;
        }
        o->repeat = (unsigned)n;
    }
    if (optind == argc)
        return -1;
    usage(stderr);
    return 2;
}

int main(int argc, char **argv)
{
    options o = {.level = USUAL, .repeat = 1};
    bench b = {.to = stdout, .curve = "curves"};
    int status = read_options(argc, argv, &o);

    if (status >= 0)
        return status;
    if (o.points && !bench_ask_for(&b, o.points))
        return 2;
    const char *none = cu_open(&b.cu, &b.is);
    if (none) {
        fprintf(stderr, "curves: %s\n", none);
        return 77;
    }
    b.level = o.level;
    b.repeat = o.repeat;
    b.sms = (unsigned)cu_attribute(&b.cu, &b.is, CU_SMS);
    b.l2_bytes = (size_t)cu_attribute(&b.cu, &b.is, CU_L2_BYTES);
    printf("# %s, compute capability %d.%d, %u SMs, CUDA driver API %d\n"
           "curve,line,x,value\n",
           b.is.name, b.is.major, b.is.minor, b.sms, b.is.version);
    if (!(b.out = bench_alloc(&b, 1 << 20)))
        return 1;
    for (unsigned i = 0; i < curve_count; i++)
        if (!o.some || o.wanted[i]) {
            b.curve = curve_list[i].name;
            curve_list[i].run(&b);
        }
    return b.failed || fflush(stdout) ? 1 : 0;
}
