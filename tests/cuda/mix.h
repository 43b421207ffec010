/* tests/cuda/mix.h - a program with one kernel, mix, for tests of graphs:
 * buffers, launches, nodes. */
#ifndef CUDA_TESTS_MIX_H
#define CUDA_TESTS_MIX_H

#include "program.h"
#include "test.h"

/* out[i] = scale * a[i] + b[i] */
static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry mix(.param .u64 out, .param .u64 a, .param .u64 b,\n"
    "                    .param .u32 scale)\n"
    "{\n"
    "  .reg .u64 %a<6>; .reg .u32 %r<12>;\n"
    "  ld.param.u64 %a1, [out]; ld.param.u64 %a2, [a];\n"
    "  ld.param.u64 %a3, [b]; ld.param.u32 %r1, [scale];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r5, %r2, %r3, %r4; mul.wide.u32 %a4, %r5, 4;\n"
    "  add.u64 %a1, %a1, %a4; add.u64 %a2, %a2, %a4; add.u64 %a3, %a3, %a4;\n"
    "  ld.global.u32 %r6, [%a2]; ld.global.u32 %r7, [%a3];\n"
    "  mad.lo.u32 %r6, %r6, %r1, %r7; st.global.u32 [%a1], %r6;\n"
    "  ret;\n"
    "}\n"
    ".visible .global .align 4 .u32 place;\n";

static char mix, place __attribute__((unused)); /* addresses on the host */

__attribute__((constructor)) static void register_program(void)
{
    void **handle = program_register(ptx, sizeof ptx - 1);

    program_kernel(handle, &mix, "mix");
    __cudaRegisterVar(handle, &place, "place", "place", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

enum { THREADS = 128, BLOCKS = 4, N = THREADS * BLOCKS, BYTES = 4 * N };

#define OK(call) CHECK_EQ(call, cudaSuccess)
/* The call fails so, and the error is told once. */
#define FAILS(call, code)                                                      \
    do {                                                                       \
        CHECK_EQ(call, code);                                                  \
        CHECK_EQ(cudaGetLastError(), code);                                    \
    } while (0)

/* ---- Buffers, launches ---- */

static inline unsigned *buffer(void)
{
    void *at;

    NEED_MEMORY();
    OK(cudaMalloc(&at, BYTES));
    OK(cudaMemset(at, 0, BYTES));
    return at;
}

static inline unsigned *numbers(void) /* 0, 1, 2, ... */
{
    unsigned host[N], *at = buffer();

    for (unsigned i = 0; i < N; i++)
        host[i] = i;
    OK(cudaMemcpy(at, host, BYTES, cudaMemcpyHostToDevice));
    return at;
}

/* How many of the buffer are not so many times their number. */
static inline unsigned wrong(const unsigned *at, unsigned times)
{
    unsigned host[N], count = 0;

    OK(cudaMemcpy(host, at, BYTES, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < N; i++)
        count += host[i] != i * times;
    return count;
}

static inline void launch_mix(unsigned *out, unsigned *a, unsigned *b,
                              unsigned scale, cudaStream_t s)
{
    void *args[] = {&out, &a, &b, &scale};

    OK(cudaLaunchKernel(&mix, (dim3){BLOCKS, 1, 1}, (dim3){THREADS, 1, 1}, args,
                        0, s));
}

static inline cudaKernelNodeParams mix_params(void **args)
{
    return (cudaKernelNodeParams){.func = &mix,
                                  .gridDim = {BLOCKS, 1, 1},
                                  .blockDim = {THREADS, 1, 1},
                                  .kernelParams = args};
}

static inline cudaGraphNode_t add_mix(cudaGraph_t g,
                                      const cudaGraphNode_t *after,
                                      size_t count, unsigned *out, unsigned *a,
                                      unsigned *b, unsigned scale)
{
    void *args[] = {&out, &a, &b, &scale};
    cudaKernelNodeParams p = mix_params(args);
    cudaGraphNode_t n;

    OK(cudaGraphAddKernelNode(&n, g, after, count, &p));
    return n;
}

static inline cudaGraph_t new_graph(void)
{
    cudaGraph_t g;

    NEED_MEMORY();
    OK(cudaGraphCreate(&g, 0));
    return g;
}

static inline cudaGraphExec_t instantiate(cudaGraph_t g)
{
    cudaGraphExec_t x;

    OK(cudaGraphInstantiateWithFlags(&x, g, 0));
    return x;
}

static inline cudaStream_t new_stream(void)
{
    cudaStream_t s;

    NEED_MEMORY();
    OK(cudaStreamCreate(&s));
    return s;
}

static inline cudaEvent_t new_event(void)
{
    cudaEvent_t e;

    NEED_MEMORY();
    OK(cudaEventCreate(&e));
    return e;
}

#endif
