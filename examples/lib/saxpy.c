/* saxpy.c - a launch from beginning to end: y = a x + y on a V100 with another
 * scheduler, its results, some figures and counters; --json: the report of
 * `heddle run`.
 *
 *     cc saxpy.c $(pkg-config --cflags --libs heddle) && ./a.out kernels.ptx */
#include <stdio.h>
#include <string.h>

#include <heddle/heddle.h>

enum { N = 10000, BLOCK = 256 };

static int fail(heddle_sim *sim, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, heddle_error(sim));
    heddle_close(sim);
    return 1;
}

/* x[i] = i, y[i] = 0, in the memory of the GPU itself. */
static heddle_code make_buffers(heddle_sim *sim, heddle_buffer **x,
                                heddle_buffer **y)
{
    heddle_code code;
    void *at;

    if ((code = heddle_alloc(sim, N * sizeof(float), "x", x)) ||
        (code = heddle_alloc(sim, N * sizeof(float), "y", y)) ||
        (code = heddle_map(*x, &at)))
        return code;
    for (int i = 0; i < N; i++)
        ((float *)at)[i] = (float)i;
    return HEDDLE_OK;
}

static void print_result(const heddle_result *r, const float *y)
{
    double ipc = 0, occupancy = 0;
    uint64_t hits = 0, loads = 0;
    int right = 0;

    for (int i = 0; i < N; i++)
        right += y[i] == 2.0f * (float)i;
    heddle_result_figure(r, "ipc", &ipc);
    heddle_result_figure(r, "occupancy", &occupancy);
    heddle_result_counter(r, "sm[*].l1.global_reads", &loads);
    heddle_result_counter(r, "sm[*].l1.global_read_hits", &hits);
    printf("%d of %d right, %llu cycles, IPC %.3f, occupancy %.1f %%, "
           "%llu of %llu loads hit\n",
           right, N, (unsigned long long)heddle_result_cycles(r), ipc,
           100 * occupancy, (unsigned long long)hits,
           (unsigned long long)loads);
}

int main(int argc, char **argv)
{
    const char *settings[] = {"sm.issue.scheduler=lrr"};
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_sim *sim;
    heddle_module *module;
    heddle_kernel *kernel;
    heddle_buffer *x, *y;
    heddle_result *result;
    float a = 2;
    uint32_t n = N;
    static float got[N];

    how.gpu = "v100";
    how.settings = settings;
    how.setting_count = 1;
    if (heddle_open(&how, &sim))
        return fail(sim, "open");
    if (heddle_load_file(sim, argc > 1 ? argv[1] : "kernels.ptx", &module) ||
        heddle_kernel_find(module, "saxpy", &kernel))
        return fail(sim, "load");
    if (make_buffers(sim, &x, &y))
        return fail(sim, "buffers");

    const heddle_arg args[] = {HEDDLE_BUFFER(x), HEDDLE_BUFFER(y),
                               HEDDLE_VALUE(a), HEDDLE_VALUE(n)};
    heddle_launch launch = HEDDLE_LAUNCH_INIT;
    launch.args = args;
    launch.arg_count = 4;
    launch.grid[0] = (N + BLOCK - 1) / BLOCK;
    launch.block[0] = BLOCK;
    if (heddle_run(kernel, &launch, &result))
        return fail(sim, "run");
    if (heddle_read(y, 0, got, sizeof got))
        return fail(sim, "read");
    if (argc > 2 && !strcmp(argv[2], "--json"))
        fputs(heddle_result_json(result), stdout);
    else
        print_result(result, got);
    heddle_close(sim);
    return 0;
}
