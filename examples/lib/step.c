/* step.c - a launch in steps of 5000 cycles: how far it is, what its counters
 * say meanwhile, and a launch that is cancelled.
 *
 *     cc step.c $(pkg-config --cflags --libs heddle) && ./a.out kernels.ptx */
#include <stdio.h>

#include <heddle/heddle.h>

enum { N = 20000, BLOCK = 128, STEP = 5000 };

static int fail(heddle_sim *sim, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, heddle_error(sim));
    heddle_close(sim);
    return 1;
}

static void print_step(heddle_sim *sim, const heddle_progress *p)
{
    heddle_result *now;
    uint64_t bytes = 0;

    if (heddle_look(sim, &now))
        return;
    heddle_result_counter(now, "dram[*].read_bytes", &bytes);
    printf("cycle %llu: %llu of %llu CTAs, %llu instructions, %llu bytes "
           "read\n",
           (unsigned long long)p->cycles, (unsigned long long)p->ctas_done,
           (unsigned long long)p->ctas, (unsigned long long)p->warp_insts,
           (unsigned long long)bytes);
    heddle_result_free(now);
}

static heddle_code fill(heddle_buffer *x)
{
    void *at;
    heddle_code code = heddle_map(x, &at);

    for (uint32_t i = 0; !code && i < N; i++)
        ((uint32_t *)at)[i] = i;
    return code;
}

int main(int argc, char **argv)
{
    const char *settings[] = {"gpu.sms=4"};
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_sim *sim;
    heddle_module *module;
    heddle_kernel *kernel;
    heddle_buffer *x, *total;
    heddle_result *result = NULL;
    heddle_progress progress;
    uint32_t n = N, sum = 0;

    how.settings = settings;
    how.setting_count = 1;
    if (heddle_open(&how, &sim) ||
        heddle_load_file(sim, argc > 1 ? argv[1] : "kernels.ptx", &module) ||
        heddle_kernel_find(module, "sum", &kernel) ||
        heddle_alloc(sim, N * sizeof n, "x", &x) ||
        heddle_alloc(sim, sizeof sum, "total", &total) || fill(x))
        return fail(sim, "preparing");

    const heddle_arg args[] = {HEDDLE_BUFFER(x), HEDDLE_BUFFER(total),
                               HEDDLE_VALUE(n)};
    heddle_launch launch = HEDDLE_LAUNCH_INIT;
    launch.args = args;
    launch.arg_count = 3;
    launch.grid[0] = (N + BLOCK - 1) / BLOCK;
    launch.block[0] = BLOCK;
    if (heddle_begin(kernel, &launch))
        return fail(sim, "begin");
    while (!result) {
        if (heddle_advance(sim, STEP, &progress, &result))
            return fail(sim, "advance");
        if (!result)
            print_step(sim, &progress);
    }
    heddle_read(total, 0, &sum, sizeof sum);
    printf("sum %u after %llu cycles\n", sum,
           (unsigned long long)heddle_result_cycles(result));

    /* Another, which is not needed any more after its first step. */
    if (heddle_begin(kernel, &launch) ||
        heddle_advance(sim, STEP, &progress, &result))
        return fail(sim, "begin again");
    heddle_cancel(sim);
    heddle_code code =
        heddle_advance(sim, HEDDLE_TO_THE_END, &progress, &result);
    printf("the second: %s, %llu of %llu CTAs\n", heddle_code_text(code),
           (unsigned long long)progress.ctas_done,
           (unsigned long long)progress.ctas);
    heddle_close(sim);
    return 0;
}
