/* workloads/concurrent/main.c - an application that has many independent jobs
 * in flight: each job is one of the other workloads, with data of its own, and
 * its launches follow each other in a queue (OpenCL) or stream (CUDA) of its
 * own. Which jobs, and their sizes by lot, are those of an application:
 *
 *   analytics  columns of a table: sums, histograms, prefix sums, sorting
 *   graphs     searches by levels, matrices times vectors, by row and by warp
 *   images     products of matrices, transforms, fractals, transposed tiles
 *
 * Kinds take turns, so that kernels of different needs and lengths stand beside
 * each other. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCES(RIG_INCLUDE("bfs/kernel.cl") RIG_INCLUDE("bitonic/kernel.cl")
                RIG_INCLUDE("fft/kernel.cl") RIG_INCLUDE("histogram/kernel.cl")
                    RIG_INCLUDE("mandelbrot/kernel.cl")
                        RIG_INCLUDE("reduction/kernel.cl")
                            RIG_INCLUDE("scan/kernel.cl")
                                RIG_INCLUDE("sgemm/kernel.cl")
                                    RIG_INCLUDE("spmv/kernel.cl")
                                        RIG_INCLUDE("spmv_vector/kernel.cl")
                                            RIG_INCLUDE("transpose/kernel.cl"));

/* As many jobs of each kind as have room for their buffers: those of graphs
 * have 17, and a problem has WL_BUFFERS. */
enum { KINDS = 4, LENGTHS = 3, JOBS = 60 };

/* A kind of job, and how large one may be. */
typedef struct job_kind {
    const workload *is;
    unsigned size[LENGTHS];
} job_kind;

static const job_kind apps[][KINDS] = {
    {{&wl_reduction, {4096, 16384, 65536}},
     {&wl_histogram, {8192, 32768, 131072}},
     {&wl_scan, {2048, 8192, 32768}},
     {&wl_bitonic, {1024, 2048, 4096}}},
    {{&wl_bfs, {512, 1024, 2048}},
     {&wl_spmv, {512, 1024, 4096}},
     {&wl_spmv_vector, {64, 256, 1024}},
     {&wl_reduction, {4096, 16384, 65536}}},
    {{&wl_sgemm, {32, 64, 128}},
     {&wl_fft, {256, 1024, 4096}},
     {&wl_mandelbrot, {16, 32, 48}},
     {&wl_transpose, {32, 64, 128}}},
};

static const char *const names[] = {"analytics", "graphs", "images", NULL};

/* `each` jobs of each kind. */
static void gen(wl *w, unsigned each)
{
    const job_kind *app = apps[wl_get(w, "app")];
    char part[32];

    wl_require(w, each <= JOBS, "at most 60");
    for (unsigned i = 0; i < each * KINDS; i++) {
        const job_kind *k = &app[i % KINDS];

        snprintf(part, sizeof part, "j%u", i);
        wl_part(w, part);
        wl_stream(w, i);
        k->is->gen(w, k->size[wl_below(w, LENGTHS)]);
    }
    wl_part(w, NULL);
}

int main(int argc, char **argv)
{
    static const workload problem = {"concurrent",
                                     "jobs of four kinds that wait for nothing",
                                     0, "jobs of each kind", gen};
    static const wl_knob knobs[WL_KNOBS] = {
        {"app", "which jobs", 0, 0, 2, names}};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {4, 12, 40},
        .run = rig_run_problem,
        .knobs = knobs,
    };

    return rig_main(&program, argc, argv);
}
