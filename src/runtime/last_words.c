/* src/runtime/last_words.c - what a process that cannot go on (a bug, no more
 * memory) was simulating. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "runtime/internal.h"

enum { DUMP_LINES = 60 };

/* A stream to stderr that ends after so many lines. */
static ssize_t put_dump_lines(void *left, const char *text, size_t size)
{
    unsigned *lines = left;
    size_t n = 0;

    while (n < size && *lines)
        *lines -= text[n++] == '\n';
    fwrite(text, 1, n, stderr);
    return (ssize_t)size;
}

static void dump(const gpu *g)
{
    unsigned left = DUMP_LINES;
    FILE *f = fopencookie(&left, "w",
                          (cookie_io_functions_t){.write = put_dump_lines});

    if (!f)
        return;
    gpu_dump(g, f);
    fclose(f);
    if (!left)
        fprintf(stderr, "(the first %d lines of the machine's state)\n",
                DUMP_LINES);
}

static void report_last_words(void *device)
{
    const rt_device *d = device;
    const char *kernel = d->running ? d->running : "?";

    if (d->untimed)
        fprintf(stderr,
                "heddle: this was launch %u, of kernel '%s', computed without "
                "timing\n",
                d->launches + 1, kernel);
    else if (!d->gpu)
        fprintf(stderr,
                "heddle: the GPU '%s' of %u SMs was being built, for kernel "
                "'%s'\n",
                d->cfg->gpu.name, d->cfg->gpu.sms, kernel);
    else
        fprintf(stderr,
                "heddle: this was launch %u, of kernel '%s', on the GPU '%s' "
                "in cycle %" PRIu64 "\n",
                d->launches + 1, kernel, d->cfg->gpu.name,
                d->cycles_before + gpu_now(d->gpu));
    if (d->gpu && !d->untimed)
        dump(d->gpu);
}

must_hook rt_run_begins(rt_device *d, const char *kernel, bool untimed)
{
    d->running = kernel;
    d->untimed = untimed;
    return must_on_fail((must_hook){report_last_words, d});
}

void rt_run_ends(rt_device *d, must_hook before)
{
    d->running = NULL;
    must_on_fail(before);
}
