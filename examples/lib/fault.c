/* fault.c - what a kernel does wrong is a value: here the last thread stores
 * behind the end of a buffer. Messages come through a callback.
 *
 *     cc fault.c $(pkg-config --cflags --libs heddle) && ./a.out kernels.ptx */
#include <stdio.h>

#include <heddle/heddle.h>

enum { N = 64 };

static int fail(heddle_sim *sim, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, heddle_error(sim));
    heddle_close(sim);
    return 1;
}

static void print_message(void *arg, const heddle_message *m)
{
    (void)arg;
    printf("message: line %u: %s\n", m->line, m->text);
}

int main(int argc, char **argv)
{
    heddle_callbacks calls = HEDDLE_CALLBACKS_INIT;
    heddle_sim *sim;
    heddle_module *module;
    heddle_kernel *kernel;
    heddle_buffer *y;
    heddle_result *result;
    heddle_fault fault;
    uint32_t n = N;

    calls.message = print_message;
    if (heddle_open(NULL, &sim) || heddle_set_callbacks(sim, &calls) ||
        heddle_load_file(sim, argc > 1 ? argv[1] : "kernels.ptx", &module) ||
        heddle_kernel_find(module, "beyond", &kernel) ||
        heddle_alloc(sim, N * sizeof n, "y", &y))
        return fail(sim, "preparing");

    const heddle_arg args[] = {HEDDLE_BUFFER(y), HEDDLE_VALUE(n)};
    heddle_launch launch = HEDDLE_LAUNCH_INIT;
    launch.args = args;
    launch.arg_count = 2;
    launch.grid[0] = 1;
    launch.block[0] = N;
    if (heddle_run(kernel, &launch, &result) != HEDDLE_FAULT)
        return fail(sim, "no fault");
    heddle_result_fault(result, &fault);
    printf("%s: thread %u of CTA %u, lane %u of warp %u, %u bytes at y + %lld, "
           "line %u\n",
           fault.what, fault.thread[0], fault.cta[0], fault.lane, fault.warp,
           fault.bytes, (long long)(fault.address - heddle_buffer_address(y)),
           fault.line);
    heddle_close(sim);
    return 0;
}
