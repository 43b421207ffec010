/* tests/cuda/test_dependent.c - programmatic dependent launches: the prologue
 * of a kernel runs beside the one before it, whose results it sees behind
 * griddepcontrol.wait. By simulated times; a microsecond is 1980 cycles. */
#include <stdio.h>
#include <unistd.h>

#include "program.h"
#include "test.h"

#define BODY(before, between)                                                  \
    "(.param .u64 p)\n{\n"                                                     \
    "  .reg .u64 %a<3>; .reg .u32 %r<5>;\n"                                    \
    "  ld.param.u64 %a1, [p];\n" before between "  ret;\n}\n"
#define SLEEP "  nanosleep.u32 "
#define GO    "  griddepcontrol.launch_dependents;\n"
#define WAIT  "  griddepcontrol.wait;\n"
#define STORE "  mov.u32 %r1, 7; st.global.u32 [%a1], %r1;\n"
#define TAKE                                                                   \
    "  ld.global.u32 %r2, [%a1]; add.u32 %r2, %r2, 100;\n"                     \
    "  st.global.u32 [%a1+4], %r2;\n"

static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    /* lets the next one go, and stores late */
    ".visible .entry lets " BODY(GO, SLEEP "20000;\n" STORE)
    /* the same without */
    ".visible .entry keeps " BODY(
        "", SLEEP
        "20000;\n" STORE) ".visible .entry waits " BODY(SLEEP "15000;\n",
                                                        WAIT TAKE) ".visible "
                                                                   ".entry "
                                                                   "hurries"
                                                                   " " BODY(
                                                                       "",
                                                                       TAKE);

static char lets, keeps, waits, hurries; /* addresses on the host */
static char gpu[] = "/tmp/dependent-XXXXXX.yaml";

__attribute__((constructor)) static void register_program(void)
{
    FILE *f = fdopen(mkstemps(gpu, 5), "w");

    fputs("extends: h100\ngpu: {sms: 4, gpc: {sms: 4, larger: 0}}\n", f);
    fclose(f);
    unsetenv("HEDDLE_SESSION");
    setenv("HEDDLE_GPU", gpu, 1);
    void **handle = program_code(ptx, sizeof ptx - 1);

    program_kernel(handle, &lets, "lets");
    program_kernel(handle, &keeps, "keeps");
    program_kernel(handle, &waits, "waits");
    program_kernel(handle, &hurries, "hurries");
    __cudaRegisterFatBinaryEnd(handle);
}

#define LATENCY  2.68f /* gpu.launch_latency */
#define OK(call) CHECK_EQ(call, cudaSuccess)

static void launch(const void *kernel, void *at, cudaStream_t s, bool dependent)
{
    cudaLaunchAttribute a = {
        .id = cudaLaunchAttributeProgrammaticStreamSerialization};
    cudaLaunchConfig_t how = {.gridDim = {8, 1, 1},
                              .blockDim = {64, 1, 1},
                              .stream = s,
                              .attrs = &a,
                              .numAttrs = 1};
    void *args[] = {&at};

    a.val.programmaticStreamSerializationAllowed = dependent;
    OK(cudaLaunchKernelExC(&how, kernel, args));
}

/* Microseconds from the first to the end of the last; what that read. */
static float run(const void *first, const void *second, bool dependent,
                 uint32_t *took)
{
    uint32_t got[2];
    cudaEvent_t from, to;
    cudaStream_t s;
    float ms = 0;
    void *at;

    OK(cudaMalloc(&at, sizeof got));
    OK(cudaMemset(at, 0, sizeof got));
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaEventCreate(&from));
    OK(cudaEventCreate(&to));
    OK(cudaEventRecord(from, s));
    launch(first, at, s, false);
    launch(second, at, s, dependent);
    OK(cudaEventRecord(to, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaEventElapsedTime(&ms, from, to));
    OK(cudaMemcpy(got, at, sizeof got, cudaMemcpyDeviceToHost));
    OK(cudaEventDestroy(from));
    OK(cudaEventDestroy(to));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(at));
    CHECK_EQ(got[0], 7);
    *took = got[1];
    return 1000 * ms;
}

/* 20 and 15 microseconds one after the other, or 15 of them beside, and so is
 * what passes from a launch to its first CTA. */
TEST(a_prologue_runs_beside_the_kernel_before)
{
    uint32_t took;

    NEED_MEMORY();
    float apart = run(&lets, &waits, false, &took);
    CHECK_EQ(took, 107);
    float beside = run(&lets, &waits, true, &took);
    CHECK_EQ(took, 107); /* what was stored at the end of the first */
    CHECK(apart > 35 + 2 * LATENCY && beside > 20 + LATENCY);
    CHECK(beside < 20 + LATENCY + 3);
    CHECK(apart - beside > 15 + LATENCY);
    float again = run(&lets, &waits, true, &took);
    CHECK(again > beside - 0.1f && again < beside + 0.1f);
}

TEST(a_kernel_that_does_not_let_it_go_is_awaited)
{
    uint32_t took;

    NEED_MEMORY();
    float apart = run(&keeps, &waits, false, &took);
    float also = run(&keeps, &waits, true, &took);
    CHECK_EQ(took, 107);
    CHECK(also > apart - 0.5f && also < apart + 0.5f);
}

/* Who does not wait reads what was there before: it has ended by then. */
TEST(who_does_not_wait_sees_what_was_before)
{
    uint32_t took;

    NEED_MEMORY();
    run(&lets, &hurries, true, &took);
    CHECK_EQ(took, 100);
    run(&lets, &hurries, false, &took);
    CHECK_EQ(took, 107);
}
