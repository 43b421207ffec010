/* tests/opencl/test_svm.c - shared virtual memory, and where memory lies. */
#include "rig.h"

static bool has_svm(const rig *r)
{
    cl_device_svm_capabilities caps;

    CHECK_EQ(clGetDeviceInfo(r->devices[0], CL_DEVICE_SVM_CAPABILITIES,
                             sizeof caps, &caps, NULL),
             CL_SUCCESS);
    return caps & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
}

/* Under the address sanitizer something else lies where memory should. */
static rig open_svm(void)
{
    rig r = rig_open(CL_QUEUE_PROFILING_ENABLE);

    if (!has_svm(&r)) {
        rig_close(&r);
        TEST_SKIP("simulated memory is not at its own addresses");
    }
    return r;
}

TEST(without_it_everything_is_refused)
{
    rig r = rig_open(0);
    char b[8], c[8];
    void *p = b;

    if (has_svm(&r)) {
        rig_close(&r);
        TEST_SKIP("there is shared virtual memory");
    }
    CHECK(!clSVMAlloc(r.context, CL_MEM_READ_WRITE, 64, 0));
    CHECK_EQ(clEnqueueSVMMemcpy(r.queue, CL_TRUE, b, c, 8, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueSVMFree(r.queue, 1, &p, NULL, NULL, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    rig_close(&r);
}

TEST(ranges_are_checked_as_they_are_made)
{
    rig r = open_svm();
    cl_ulong most;

    clGetDeviceInfo(r.devices[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most,
                    &most, NULL);
#define ALLOC(flags, size, align) clSVMAlloc(r.context, flags, size, align)
    CHECK(!clSVMAlloc(NULL, CL_MEM_READ_WRITE, 64, 0));
    CHECK(!ALLOC(CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0));
    CHECK(!ALLOC(CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
    CHECK(!ALLOC(CL_MEM_READ_WRITE, 0, 0));
    CHECK(!ALLOC(CL_MEM_READ_WRITE, most + 1, 0));
    CHECK(!ALLOC(CL_MEM_READ_WRITE, 64, 3));
    CHECK(!ALLOC(CL_MEM_READ_WRITE, 64, 4096));
    uint8_t *p = ALLOC(CL_MEM_READ_WRITE, 64, 128);
    CHECK(p && (uintptr_t)p % 128 == 0 && !p[0] && !p[63]);
    clSVMFree(r.context, p);
    clSVMFree(r.context, NULL);
    /* What the program forgets goes with the context. */
    CHECK(ALLOC(0, 64, 0) != NULL);
    rig_close(&r);
}

TEST(copies_and_fills_are_the_program_s_own)
{
    rig r = open_svm();
    uint8_t *p = ALLOC(0, 256, 0), host[64], two[2] = {1, 2};

    for (unsigned i = 0; i < 64; i++)
        host[i] = (uint8_t)(3 * i);
    CHECK_EQ(
        clEnqueueSVMMemcpy(r.queue, CL_TRUE, p + 8, host, 64, 0, NULL, NULL),
        CL_SUCCESS);
    CHECK(!memcmp(p + 8, host, 64));
    CHECK_EQ(clEnqueueSVMMemFill(r.queue, p + 100, two, 2, 8, 0, NULL, NULL),
             CL_SUCCESS);
    clFinish(r.queue);
    CHECK(p[99] == 0 && p[100] == 1 && p[107] == 2 && p[108] == 0);
#define COPY(to, from, n)                                                      \
    clEnqueueSVMMemcpy(r.queue, CL_TRUE, to, from, n, 0, NULL, NULL)
    CHECK_EQ(COPY(NULL, p, 1), CL_INVALID_VALUE);
    CHECK_EQ(COPY(p, NULL, 1), CL_INVALID_VALUE);
    CHECK_EQ(COPY(p, p + 7, 8), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(COPY(p, p + 8, 8), CL_SUCCESS);
#define FILL(to, pattern, n, size)                                             \
    clEnqueueSVMMemFill(r.queue, to, pattern, n, size, 0, NULL, NULL)
    CHECK_EQ(FILL(NULL, two, 2, 8), CL_INVALID_VALUE);
    CHECK_EQ(FILL(p, NULL, 2, 8), CL_INVALID_VALUE);
    CHECK_EQ(FILL(p, two, 3, 9), CL_INVALID_VALUE);
    CHECK_EQ(FILL(p + 1, two, 2, 8), CL_INVALID_VALUE);
    CHECK_EQ(FILL(p, two, 2, 7), CL_INVALID_VALUE);
    clSVMFree(r.context, p);
    rig_close(&r);
}

TEST(maps_cost_time_as_those_of_buffers)
{
    rig r = open_svm();
    enum { MANY = 1 << 20 };
    uint8_t *p = ALLOC(0, MANY, 0);
    cl_event e[4];
    cl_ulong ns[4];

    CHECK_EQ(
        clEnqueueSVMMap(r.queue, CL_TRUE, CL_MAP_READ, p, MANY, 0, NULL, e),
        CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMUnmap(r.queue, p, 0, NULL, e + 1), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMap(r.queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                             p, MANY, 0, NULL, e + 2),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMUnmap(r.queue, p, 0, NULL, e + 3), CL_SUCCESS);
    clFinish(r.queue);
    for (unsigned i = 0; i < 4; i++) {
        ns[i] = rig_time(e[i], CL_PROFILING_COMMAND_END) -
                rig_time(e[i], CL_PROFILING_COMMAND_START);
        clReleaseEvent(e[i]);
    }
    CHECK(ns[0] > 0 && ns[3] == ns[0]);
    CHECK(ns[1] == 0 && ns[2] == 0);
    CHECK_EQ(
        clEnqueueSVMMap(r.queue, CL_TRUE, CL_MAP_READ, NULL, 1, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK_EQ(
        clEnqueueSVMMap(r.queue, CL_TRUE, CL_MAP_READ, p, 0, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMap(r.queue, CL_TRUE, 1u << 20, p, 1, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMUnmap(r.queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    clSVMFree(r.context, p);
    rig_close(&r);
}

TEST(a_buffer_can_lie_in_it)
{
    rig r = open_svm();
    uint8_t *p = ALLOC(0, 256, 0), seven = 7;
    cl_bool uses = CL_FALSE;
    cl_int err;
    cl_mem m = clCreateBuffer(r.context, CL_MEM_USE_HOST_PTR, 256, p, &err);

    CHECK_EQ(err, CL_SUCCESS);
    clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL);
    CHECK_EQ(uses, CL_TRUE);
    CHECK_EQ(m->addr, (uintptr_t)p);
    clEnqueueFillBuffer(r.queue, m, &seven, 1, 10, 5, 0, NULL, NULL);
    clFinish(r.queue);
    CHECK(p[9] == 0 && p[10] == 7 && p[14] == 7 && p[15] == 0);
    uint8_t *q = clEnqueueMapBuffer(r.queue, m, CL_TRUE, CL_MAP_WRITE, 3, 5, 0,
                                    NULL, NULL, NULL);
    CHECK(q == p + 3);
    clEnqueueUnmapMemObject(r.queue, m, q, 0, NULL, NULL);
    CHECK(!clCreateBuffer(r.context, CL_MEM_USE_HOST_PTR, 257, p, &err));
    CHECK_EQ(err, CL_INVALID_BUFFER_SIZE);
    clReleaseMemObject(m);
    CHECK_EQ(p[10], 7);
    clSVMFree(r.context, p);
    rig_close(&r);
}

static unsigned freed;

static void CL_CALLBACK free_them(cl_command_queue q, cl_uint n, void **list,
                                  void *data)
{
    cl_context c = data;

    (void)q;
    for (cl_uint i = 0; i < n; i++)
        clSVMFree(c, list[i]);
    freed += n;
}

TEST(a_queue_frees_in_its_turn)
{
    rig r = open_svm();
    void *list[2] = {ALLOC(0, 64, 0), ALLOC(0, 64, 0)};
    uint64_t addr;
    size_t size;

    CHECK_EQ(clEnqueueSVMFree(r.queue, 0, list, NULL, NULL, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMFree(r.queue, 2, NULL, NULL, NULL, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMFree(r.queue, 1, list, NULL, NULL, 0, NULL, NULL),
             CL_SUCCESS);
    clFinish(r.queue);
    CHECK(!svm_find(r.context, list[0], &addr, &size));
    CHECK(svm_find(r.context, list[1], &addr, &size));
    freed = 0;
    CHECK_EQ(clEnqueueSVMFree(r.queue, 1, list + 1, free_them, r.context, 0,
                              NULL, NULL),
             CL_SUCCESS);
    clFinish(r.queue);
    CHECK_EQ(freed, 1);
    CHECK(!svm_find(r.context, list[1], &addr, &size));
    rig_close(&r);
}

TEST(migration_moves_nothing)
{
    rig r = open_svm();
    const void *p = ALLOC(0, 64, 0), *none = &none;
    size_t good = 64, bad = 65;

#define MIGRATE(n, list, sizes, flags)                                         \
    clEnqueueSVMMigrateMem(r.queue, n, list, sizes, flags, 0, NULL, NULL)
    CHECK_EQ(MIGRATE(1, &p, NULL, 0), CL_SUCCESS);
    CHECK_EQ(MIGRATE(1, &p, &good, CL_MIGRATE_MEM_OBJECT_HOST), CL_SUCCESS);
    CHECK_EQ(MIGRATE(1, &p, &bad, 0), CL_INVALID_VALUE);
    CHECK_EQ(MIGRATE(1, &none, NULL, 0), CL_INVALID_VALUE);
    CHECK_EQ(MIGRATE(0, &p, NULL, 0), CL_INVALID_VALUE);
    CHECK_EQ(MIGRATE(1, &p, NULL, 1u << 20), CL_INVALID_VALUE);
    clFinish(r.queue);
    clSVMFree(r.context, (void *)p);
    rig_close(&r);
}

/* ---- Where memory lies ---- */

/* Addresses go upwards, whether what was released is still in use or not, so
 * that they are the same however fast commands run. */
TEST(addresses_do_not_depend_on_what_has_ended)
{
    rig r = rig_open(0);
    uint64_t step[2];

    for (unsigned wait = 0; wait < 2; wait++) {
        cl_mem a = clCreateBuffer(r.context, 0, 1000, NULL, NULL), b;
        uint64_t at = a->addr;

        clEnqueueFillBuffer(r.queue, a, "x", 1, 0, 1000, 0, NULL, NULL);
        clReleaseMemObject(a);
        if (wait)
            clFinish(r.queue);
        b = clCreateBuffer(r.context, 0, 1000, NULL, NULL);
        step[wait] = b->addr - at;
        clReleaseMemObject(b);
    }
    CHECK(step[0] >= 1000);
    CHECK_EQ(step[1], step[0]);
    rig_close(&r);
}

/* More than all simulated memory, one piece after the other: what was freed is
 * used again, is clear, and its pages are the host's meanwhile. */
TEST(freed_memory_is_used_again_and_clear)
{
    rig r = rig_open(0);
    cl_ulong most;
    uint64_t first = 0;
    bool again = false;

    clGetDeviceInfo(r.devices[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most,
                    &most, NULL);
    for (unsigned i = 0; i < 2000 && !again; i++) {
        cl_mem m = clCreateBuffer(r.context, 0, most, NULL, NULL);
        uint8_t got[4] = {1, 1, 1, 1}, nine = 9;

        CHECK(m != NULL);
        again = first && m->addr < first + most;
        first = first ? first : m->addr;
        clEnqueueReadBuffer(r.queue, m, CL_TRUE, most / 2, 4, got, 0, NULL,
                            NULL);
        CHECK(!got[0] && !got[1] && !got[2] && !got[3]);
        clEnqueueFillBuffer(r.queue, m, &nine, 1, most / 2, 4096, 0, NULL,
                            NULL);
        clReleaseMemObject(m);
    }
    CHECK(again);
    rig_close(&r);
}
