/* tests/opencl/test_launch.c - kernels in queues: results, time, what they
 * print, and what becomes of those that fail. */
#include <fcntl.h>

#include "capture.h"
#include "kernels.h"
#include "session/setup.h"

enum { PROFILED = CL_QUEUE_PROFILING_ENABLE };

TEST(launches_compute_in_order)
{
    rig r = rig_open(PROFILED);
    kernels k = kernels_load(r.devices[0]);
    cl_event a, b;

    CHECK_EQ(kernels_enqueue(&k, r.queue, "add", k.memory, 5, 100, &a),
             CL_SUCCESS);
    CHECK_EQ(kernels_enqueue(&k, r.queue, "poke", k.memory, 7, 1, &b),
             CL_SUCCESS);
    CHECK_EQ(kernels_enqueue(&k, r.queue, "add", k.memory, 1, 1, NULL),
             CL_SUCCESS);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    CHECK_EQ(kernels_word(&k, 0), 8);
    CHECK_EQ(kernels_word(&k, 99), 5);
    CHECK_EQ(kernels_word(&k, 100), 0); /* the last block is smaller */
    /* A load from DRAM takes some 400 cycles at 1.38 GHz. */
    uint64_t ns = rig_time(a, CL_PROFILING_COMMAND_END) -
                  rig_time(a, CL_PROFILING_COMMAND_START);
    CHECK(ns > 290 && ns < 5000);
    CHECK_EQ(rig_time(b, CL_PROFILING_COMMAND_START),
             rig_time(a, CL_PROFILING_COMMAND_END));
    clReleaseEvent(a);
    clReleaseEvent(b);
    rig_close(&r);
}

TEST(devices_run_the_same_memory)
{
    rig r = rig_open(0);
    cl_command_queue other =
        clCreateCommandQueue(r.context, r.devices[1], 0, NULL);
    kernels k = kernels_load(r.devices[0]), k20 = kernels_load(r.devices[1]);

    kernels_enqueue(&k, r.queue, "add", k.memory, 1, 64, NULL);
    kernels_enqueue(&k20, other, "add", k.memory, 10, 32, NULL);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    CHECK_EQ(clFinish(other), CL_SUCCESS);
    CHECK_EQ(kernels_word(&k, 31), 11);
    CHECK_EQ(kernels_word(&k, 32), 1);
    clReleaseCommandQueue(other);
    rig_close(&r);
}

TEST(a_fault_ends_its_kernel_only)
{
    rig r = rig_open(0);
    kernels k = kernels_load(r.devices[0]);
    capture c;
    cl_event bad, good;

    capture_begin(&c, stderr);
    kernels_enqueue(&k, r.queue, "poke", 16, 1, 1, &bad);
    kernels_enqueue(&k, r.queue, "poke", k.memory + 4, 3, 1, &good);
    cl_int waited = clWaitForEvents(1, &bad);
    cl_int finished = clFinish(r.queue);
    const char *text = capture_end(&c);
    CHECK_EQ(waited, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(finished, CL_OUT_OF_RESOURCES);
    CHECK_EQ(rig_status(bad), CL_OUT_OF_RESOURCES);
    CHECK_EQ(rig_status(good), CL_COMPLETE);
    CHECK_EQ(kernels_word(&k, 1), 3);
    CHECK(strstr(text, "kernel 'poke'"));
    CHECK(strstr(text, "0x10"));
    CHECK(strstr(text, "st.global.u32 [%d0], %r0;\n")); /* the source's line */
    CHECK(!strstr(strstr(text, "error:") + 1, "error:")); /* one message */
    clReleaseEvent(bad);
    clReleaseEvent(good);
    rig_close(&r);
}

/* The program's own output is never in between by chance: what kernels print
 * comes when the program waits for them. */
TEST(printed_lines_come_when_the_program_waits)
{
    rig r = rig_open(0);
    kernels k = kernels_load(r.devices[0]);
    capture c;
    char text[3][64] = {""};
    cl_event one, two;

    capture_begin(&c, stdout);
    kernels_enqueue(&k, r.queue, "print", 0, 11, 1, &one);
    kernels_enqueue(&k, r.queue, "print", 0, 22, 1, &two);
    clFlush(r.queue);
    usleep(20000);
    snprintf(text[0], sizeof *text, "%.63s", capture_look(&c));
    clWaitForEvents(1, &one);
    snprintf(text[1], sizeof *text, "%.63s", capture_look(&c));
    clFinish(r.queue);
    snprintf(text[2], sizeof *text, "%.63s", capture_end(&c));
    CHECK_STR(text[0], "");
    CHECK_STR(text[1], "11\n");
    CHECK_STR(text[2], "11\n22\n");
    clReleaseEvent(one);
    clReleaseEvent(two);
    rig_close(&r);
}

/* 1000 blocks of two warps, each of 8 to 16 instructions, on 80 SMs of four
 * schedulers at 1.38 GHz. */
TEST(untimed_launches_take_as_long_as_perfect_schedulers)
{
    rig r = rig_open(PROFILED);
    kernels k = kernels_load(r.devices[0]);
    session_setup *setup = session_setup_new();
    uint64_t big = rt_alloc(drv.image, 256000, "words");
    cl_event tiny, wide;

    setup->filter.functional = true;
    drv.setup = setup;
    kernels_enqueue(&k, r.queue, "poke", k.memory, 9, 1, &tiny);
    kernels_enqueue(&k, r.queue, "add", big, 1, 64000, &wide);
    cl_int finished = clFinish(r.queue);
    drv.setup = NULL;
    CHECK_EQ(finished, CL_SUCCESS);
    CHECK_EQ(kernels_word(&k, 0), 9);
    CHECK_EQ(rig_time(tiny, CL_PROFILING_COMMAND_END) -
                 rig_time(tiny, CL_PROFILING_COMMAND_START),
             1);
    uint64_t ns = rig_time(wide, CL_PROFILING_COMMAND_END) -
                  rig_time(wide, CL_PROFILING_COMMAND_START);
    CHECK(ns >= 2000 * 8 / 320 * 100 / 138);
    CHECK(ns <= 2000 * 16 / 320 * 100 / 138);
    rt_release(drv.image, big);
    clReleaseEvent(tiny);
    clReleaseEvent(wide);
    rig_close(&r);
    session_setup_free(setup);
}
