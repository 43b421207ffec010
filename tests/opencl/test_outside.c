/* tests/opencl/test_outside.c - kernels beside their buffers: they end well,
 * nothing of another object changes, and it is told. */
#include "capture.h"
#include "driver/flight.h"
#include "kernels.h"

enum { SIZE = 100, THREADS = 64 }; /* 25 of them are inside */

static cl_mem buffer(const rig *r, size_t size)
{
    uint8_t zero[2048] = {0};
    cl_int err;
    cl_mem m =
        clCreateBuffer(r->context, CL_MEM_COPY_HOST_PTR, size, zero, &err);

    CHECK_EQ(err, CL_SUCCESS);
    return m;
}

/* Word `i` of a buffer. */
static uint32_t word(const rig *r, cl_mem m, size_t i)
{
    uint32_t w = 77;

    CHECK_EQ(
        clEnqueueReadBuffer(r->queue, m, CL_TRUE, 4 * i, 4, &w, 0, NULL, NULL),
        CL_SUCCESS);
    return w;
}

/* Adds one to 64 words from `at` on. */
static void add(const rig *r, const kernels *k, cl_command_queue q, uint64_t at)
{
    cl_event e;

    CHECK_EQ(kernels_enqueue(k, q, "add", at, 1, THREADS, &e), CL_SUCCESS);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    CHECK_EQ(rig_status(e), CL_COMPLETE);
    clReleaseEvent(e);
    (void)r;
}

TEST(behind_a_buffer_nothing_else_changes)
{
    rig r = rig_open(0);
    kernels k = kernels_load(r.devices[0]);
    cl_mem a = buffer(&r, SIZE), b = buffer(&r, SIZE), c;
    uint32_t w;

    add(&r, &k, r.queue, a->addr);
    add(&r, &k, r.queue, a->addr + SIZE); /* all of them outside */
    add(&r, &k, r.queue, b->addr + 1024); /* far behind the last buffer */
    c = clCreateBuffer(r.context, 0, 2048, NULL, NULL); /* lies there */
    CHECK(c);
    CHECK(c->addr <= b->addr + 1024 && c->addr + 2048 > b->addr + 1024);
    for (size_t i = 0; i < SIZE / 4; i++) {
        CHECK_EQ(word(&r, a, i), 1);
        CHECK_EQ(word(&r, b, i), 0);
    }
    for (size_t i = 0; i < 2048 / 4; i++)
        CHECK_EQ(word(&r, c, i), 0);
    CHECK_EQ(
        clEnqueueReadBuffer(r.queue, a, CL_TRUE, SIZE, 4, &w, 0, NULL, NULL),
        CL_INVALID_VALUE); /* the host may not look there */
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    rig_close(&r);
}

/* Behind a part of a buffer is the rest of the buffer. */
TEST(behind_a_part_is_the_whole_and_then_nothing)
{
    rig r = rig_open(0);
    kernels k = kernels_load(r.devices[0]);
    cl_mem whole = buffer(&r, 1024);
    cl_buffer_region first = {0, 128}, last = {512, 512};
    cl_mem a =
        clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &first, NULL);
    cl_mem b =
        clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &last, NULL);

    CHECK(a && b);
    add(&r, &k, r.queue, a->addr);
    CHECK_EQ(word(&r, whole, 63), 1);
    add(&r, &k, r.queue, b->addr + 512 - 4);
    CHECK_EQ(word(&r, whole, 255), 1);
    CHECK_EQ(word(&r, whole, 254), 0);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(whole);
    rig_close(&r);
}

TEST(shared_virtual_memory_ends_as_buffers_do)
{
    rig r = rig_open(0);
    kernels k = kernels_load(r.devices[0]);
    uint32_t *p = clSVMAlloc(r.context, CL_MEM_READ_WRITE, SIZE, 0);
    uint32_t *q = clSVMAlloc(r.context, CL_MEM_READ_WRITE, SIZE, 0);

    if (!p) {
        rig_close(&r);
        TEST_SKIP("simulated memory is not at its own addresses");
    }
    add(&r, &k, r.queue, (uintptr_t)p);
    for (size_t i = 0; i < SIZE / 4; i++) {
        CHECK_EQ(p[i], 1);
        CHECK_EQ(q[i], 0);
    }
    clSVMFree(r.context, p);
    clSVMFree(r.context, q);
    rig_close(&r);
}

TEST(far_out_it_is_a_fault)
{
    rig r = rig_open(0);
    kernels k = kernels_load(r.devices[0]);
    capture c;
    cl_event e;

    capture_begin(&c, stderr);
    kernels_enqueue(&k, r.queue, "poke", k.memory + ((uint64_t)1 << 36), 1, 1,
                    &e);
    clFinish(r.queue);
    const char *text = capture_end(&c);
    CHECK_EQ(rig_status(e), CL_OUT_OF_RESOURCES);
    CHECK(strstr(text, "access outside every allocation"));
    clReleaseEvent(e);
    rig_close(&r);
}

/* Once for each place: launches one after the other, of two devices, and two
 * in flight together. */
TEST(all_of_it_is_told_at_the_end)
{
    rig r = rig_open(0);
    cl_command_queue more =
                         clCreateCommandQueue(r.context, r.devices[0], 0, NULL),
                     other =
                         clCreateCommandQueue(r.context, r.devices[1], 0, NULL);
    kernels k = kernels_load(r.devices[0]), k20 = kernels_load(r.devices[1]);
    cl_mem a = buffer(&r, SIZE);
    capture c;

    capture_begin(&c, stderr);
    flight_report_strays(); /* what other tests have left */
    capture_end(&c);
    add(&r, &k, r.queue, a->addr);
    add(&r, &k20, other, a->addr);
    kernels_enqueue(&k, r.queue, "add", a->addr, 1, THREADS, NULL);
    kernels_enqueue(&k, more, "add", k.memory, 1, THREADS, NULL);
    kernels_enqueue(&k, more, "poke", a->addr + SIZE + 8, 1, 1, NULL);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    CHECK_EQ(clFinish(more), CL_SUCCESS);
    capture_begin(&c, stderr);
    flight_report_strays();
    const char *text = capture_end(&c);
    CHECK(strstr(text, "235 accesses outside of what was allocated"));
    CHECK(strstr(text, ": 117 reads outside of a buffer, by up to 156 bytes"));
    CHECK(strstr(text, ": 117 writes outside of a buffer, by up to 156 bytes"));
    CHECK(strstr(text, ": 1 write outside of a buffer, by up to 12 bytes"));
    CHECK(strstr(text, "thread (25,0,0)"));
    CHECK(strstr(text, "'buffer'"));
    clReleaseMemObject(a);
    clReleaseCommandQueue(more);
    clReleaseCommandQueue(other);
    rig_close(&r);
}
