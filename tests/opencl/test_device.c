/* Platform, devices and contexts: what they say, checks, callbacks. The
 * minimums are those of the specification's table of device queries
 * [OCL30:clGetDeviceInfo]. */
#include <string.h>

#include "opencl/opencl.h"
#include "test.h"

/* All presets, each a device. */
__attribute__((constructor)) static void gpus(void)
{
    setenv("HEDDLE_GPU", "gtx480,k20,v100", 1);
    unsetenv("HEDDLE_SESSION");
}

enum { GPUS = 3 };

static cl_platform_id platform(void)
{
    cl_platform_id p = NULL;

    CHECK_EQ(clGetPlatformIDs(1, &p, NULL), CL_SUCCESS);
    return p;
}

static void all_devices(cl_device_id out[GPUS])
{
    cl_uint n = 0;

    CHECK_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, GPUS, out, &n),
             CL_SUCCESS);
    CHECK_EQ(n, GPUS);
}

static cl_ulong number(cl_device_id d, cl_device_info what, size_t size)
{
    cl_ulong v = 0;
    size_t is = 0;

    CHECK_EQ(clGetDeviceInfo(d, what, size, &v, &is), CL_SUCCESS);
    CHECK_EQ(is, size);
    return v;
}

static void text(cl_device_id d, cl_device_info what, char out[2048])
{
    size_t n = 0;

    CHECK_EQ(clGetDeviceInfo(d, what, 2048, out, &n), CL_SUCCESS);
    CHECK(n > 0 && out[n - 1] == 0);
    CHECK_EQ(strlen(out), n - 1);
}

TEST(the_loader_finds_what_it_asks_for)
{
    char s[2048];
    cl_uint n = 0;

    CHECK(clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR") != NULL);
    CHECK(clGetExtensionFunctionAddress("clGetPlatformInfo") != NULL);
    CHECK(clGetExtensionFunctionAddress("clNothing") == NULL);
    CHECK(clGetExtensionFunctionAddressForPlatform(
              NULL, "clIcdGetPlatformIDsKHR") == NULL);
    CHECK(clGetExtensionFunctionAddressForPlatform(
              platform(), "clIcdGetPlatformIDsKHR") != NULL);
    CHECK_EQ(clIcdGetPlatformIDsKHR(0, NULL, &n), CL_SUCCESS);
    CHECK_EQ(n, 1);
    CHECK_EQ(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
    cl_platform_id p = platform();
    CHECK_EQ(clGetPlatformInfo(p, CL_PLATFORM_EXTENSIONS, sizeof s, s, NULL),
             CL_SUCCESS);
    CHECK(strstr(s, "cl_khr_icd") != NULL);
    CHECK_EQ(
        clGetPlatformInfo(p, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof s, s, NULL),
        CL_SUCCESS);
    CHECK_STR(s, "HEDDLE");
    CHECK_EQ(clGetPlatformInfo(p, CL_PLATFORM_VERSION, 3, s, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clGetPlatformInfo(p, 0x7777, sizeof s, s, NULL), CL_INVALID_VALUE);
}

TEST(no_entry_of_the_table_is_empty)
{
    void *const *entry = (void *const *)&ocl_dispatch;

    for (size_t i = 0; i < sizeof ocl_dispatch / sizeof *entry; i++)
        CHECK(entry[i] != NULL);
}

TEST(devices_are_found_by_type)
{
    cl_platform_id p = platform();
    cl_device_id d[GPUS], one[GPUS] = {NULL};
    cl_uint n = 7;

    all_devices(d);
    CHECK_EQ(clGetDeviceIDs(p, CL_DEVICE_TYPE_DEFAULT, GPUS, one, &n),
             CL_SUCCESS);
    CHECK_EQ(n, 1);
    CHECK(one[0] == d[0] && !one[1]);
    CHECK_EQ(clGetDeviceIDs(p, CL_DEVICE_TYPE_CPU, GPUS, one, &n),
             CL_DEVICE_NOT_FOUND);
    CHECK_EQ(clGetDeviceIDs(p, 0, GPUS, one, &n), CL_INVALID_DEVICE_TYPE);
    CHECK_EQ(clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 0, one, &n),
             CL_INVALID_VALUE);
    CHECK_EQ(
        clGetDeviceIDs((cl_platform_id)d[0], CL_DEVICE_TYPE_GPU, 1, one, &n),
        CL_INVALID_PLATFORM);
}

/* A row: what, bytes of the answer, the least a full profile may say. */
TEST(every_preset_reaches_the_minimums_of_the_full_profile)
{
    static const struct {
        cl_device_info what;
        size_t size;
        cl_ulong least;
    } rows[] = {
        {CL_DEVICE_MAX_COMPUTE_UNITS, 4, 1},
        {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4, 3},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, 8, 1},
        {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4, 1},
        {CL_DEVICE_ADDRESS_BITS, 4, 32},
        {CL_DEVICE_MAX_READ_IMAGE_ARGS, 4, 128},
        {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4, 64},
        {CL_DEVICE_IMAGE2D_MAX_WIDTH, 8, 16384},
        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 8, 16384},
        {CL_DEVICE_IMAGE3D_MAX_WIDTH, 8, 2048},
        {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 8, 2048},
        {CL_DEVICE_IMAGE3D_MAX_DEPTH, 8, 2048},
        {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 8, 65536},
        {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 8, 2048},
        {CL_DEVICE_MAX_SAMPLERS, 4, 16},
        {CL_DEVICE_MAX_PARAMETER_SIZE, 8, 1024},
        {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, 1024}, /* bits of a long16 */
        {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8, 65536},
        {CL_DEVICE_MAX_CONSTANT_ARGS, 4, 8},
        {CL_DEVICE_LOCAL_MEM_SIZE, 8, 32768},
        {CL_DEVICE_PRINTF_BUFFER_SIZE, 8, 1 << 20},
        {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4, 1},
        {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8, 1},
        {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 8, 32},
    };
    cl_device_id d[GPUS];

    all_devices(d);
    for (unsigned i = 0; i < GPUS; i++) {
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            CHECK(number(d[i], rows[k].what, rows[k].size) >= rows[k].least);
        cl_ulong all = number(d[i], CL_DEVICE_GLOBAL_MEM_SIZE, 8);
        cl_ulong most = number(d[i], CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8);
        cl_ulong least = all / 4 < 1 << 30 ? all / 4 : 1 << 30;
        CHECK(most >= least && most >= 32 << 20 && most <= all);
        cl_ulong fp = number(d[i], CL_DEVICE_SINGLE_FP_CONFIG, 8);
        CHECK((fp & CL_FP_ROUND_TO_NEAREST) && (fp & CL_FP_INF_NAN));
        fp = number(d[i], CL_DEVICE_DOUBLE_FP_CONFIG, 8);
        CHECK((fp & CL_FP_FMA) && (fp & CL_FP_DENORM));
    }
}

TEST(devices_differ_as_their_configurations_do)
{
    static const char *const names[GPUS] = {"GTX 480", "Tesla K20",
                                            "Tesla V100"};
    static const unsigned sms[GPUS] = {15, 13, 80};
    cl_device_id d[GPUS];
    char s[2048];

    all_devices(d);
    for (unsigned i = 0; i < GPUS; i++) {
        text(d[i], CL_DEVICE_NAME, s);
        CHECK_STR(s, names[i]);
        CHECK_EQ(number(d[i], CL_DEVICE_MAX_COMPUTE_UNITS, 4), sms[i]);
        text(d[i], CL_DEVICE_VERSION, s);
        CHECK(!strncmp(s, "OpenCL 3.0 ", 11));
        text(d[i], CL_DEVICE_OPENCL_C_VERSION, s);
        CHECK(!strncmp(s, "OpenCL C 1.2", 12));
    }
    CHECK_EQ(clGetDeviceInfo(d[0], 0x7777, sizeof s, s, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clGetDeviceInfo(NULL, CL_DEVICE_NAME, sizeof s, s, NULL),
             CL_INVALID_DEVICE);
    CHECK_EQ(clCreateSubDevices(d[0], NULL, 0, NULL, NULL), CL_INVALID_VALUE);
}

/* The texts and the lists with versions name the same. */
TEST(extensions_are_the_same_in_text_and_list)
{
    cl_name_version list[32];
    cl_device_id d[GPUS];
    char s[2048], joined[2048] = "";
    size_t n = 0;

    all_devices(d);
    text(d[0], CL_DEVICE_EXTENSIONS, s);
    CHECK_EQ(clGetDeviceInfo(d[0], CL_DEVICE_EXTENSIONS_WITH_VERSION,
                             sizeof list, list, &n),
             CL_SUCCESS);
    for (size_t i = 0; i < n / sizeof *list; i++) {
        if (i)
            strcat(joined, " ");
        strcat(joined, list[i].name);
    }
    CHECK_STR(joined, s);
    CHECK(strstr(s, "cl_khr_fp64") != NULL);
    CHECK(strstr(s, "cl_khr_icd") == NULL); /* of platforms only */
}

static void note_end(cl_context c, void *data)
{
    char *log = data;

    (void)c;
    strcat(log, "x");
}

TEST(contexts_are_checked_counted_and_called_back)
{
    cl_context_properties good[] = {CL_CONTEXT_PLATFORM, 0, 0},
                          twice[] = {CL_CONTEXT_PLATFORM, 0,
                                     CL_CONTEXT_PLATFORM, 0, 0},
                          wrong[] = {0x7777, 1, 0};
    char log[8] = "";
    cl_device_id d[GPUS];
    cl_uint refs = 0;
    cl_int err;

    all_devices(d);
    good[1] = twice[1] = twice[3] = (cl_context_properties)platform();
    CHECK(!clCreateContext(wrong, 1, d, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_PROPERTY);
    CHECK(!clCreateContext(twice, 1, d, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_PROPERTY);
    CHECK(!clCreateContext(good, 0, d, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreateContext(good, 1, d, NULL, log, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreateContextFromType(good, CL_DEVICE_TYPE_CPU, NULL, NULL, &err));
    CHECK_EQ(err, CL_DEVICE_NOT_FOUND);
    cl_context c = clCreateContext(good, GPUS, d, NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    cl_context_properties back[3];
    CHECK_EQ(
        clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof back, back, NULL),
        CL_SUCCESS);
    CHECK(!memcmp(back, good, sizeof good));
    CHECK_EQ(clSetContextDestructorCallback(c, note_end, log), CL_SUCCESS);
    CHECK_EQ(clRetainContext(c), CL_SUCCESS);
    CHECK_EQ(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof refs, &refs,
                              NULL),
             CL_SUCCESS);
    CHECK_EQ(refs, 2);
    CHECK_EQ(clReleaseContext(c), CL_SUCCESS);
    CHECK_STR(log, "");
    CHECK_EQ(clReleaseContext(c), CL_SUCCESS);
    CHECK_STR(log, "x");
    CHECK_EQ(clReleaseContext(c), CL_INVALID_CONTEXT);
}

TEST(what_gpus_lack_is_refused)
{
    cl_device_id d[GPUS];
    cl_int err = 0;

    all_devices(d);
    CHECK(!clCreatePipe(NULL, 0, 4, 4, NULL, &err));
    CHECK_EQ(err, CL_INVALID_OPERATION);
    CHECK_EQ(clSetDefaultDeviceCommandQueue(NULL, d[0], NULL),
             CL_INVALID_OPERATION);
}
