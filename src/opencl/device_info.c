/* clGetDeviceInfo: values from the configuration where it has them, else from
 * one table of constants. */
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "mem/image.h"
#include "opencl/opencl.h"
#include "opencl/program/compile.h"

enum { MIB = 1 << 20 };

uint64_t device_global_bytes(const struct _cl_device_id *d)
{
    return drv_device_bytes(d->is);
}

uint64_t device_max_alloc(const struct _cl_device_id *d)
{
    return d->is->cfg->gpu.global_bytes / 4;
}

static uint64_t device_local_bytes(const struct _cl_device_id *d)
{
    return d->is->cfg->sm.shared_per_cta;
}

/* Of the bank in which parameters lie, what stands before them left out. */
static uint64_t device_max_params(const struct _cl_device_id *d)
{
    return d->is->cfg->gpu.max.param_bytes;
}

/* ---- What is the same for all ---- */

typedef enum width { W_BOOL, W_UINT, W_ULONG, W_SIZE } width;

typedef struct constant {
    cl_device_info what;
    width width;
    uint64_t value;
} constant;

enum {
    ATOMIC_MEMORY =
        CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
        CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
        CL_DEVICE_ATOMIC_SCOPE_DEVICE,
    ATOMIC_FENCE = ATOMIC_MEMORY | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM,
    QUEUES = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
    SINGLE = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA |
             CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_DENORM |
             CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
    DOUBLE = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA |
             CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_DENORM,
};

/* clang-format off */
static const constant constants[] = {
    {CL_DEVICE_VENDOR_ID, W_UINT, 0x4844}, /* none of PCI's */
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, W_UINT, 3},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, W_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, W_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, W_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, W_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, W_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, W_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, W_UINT, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, W_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, W_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, W_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, W_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, W_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, W_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, W_UINT, 0},
    {CL_DEVICE_ADDRESS_BITS, W_UINT, 64},
    {CL_DEVICE_IMAGE_SUPPORT, W_BOOL, CL_TRUE},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, W_UINT, DEVICE_READ_IMAGES},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, W_UINT, DEVICE_WRITE_IMAGES},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, W_UINT, 0},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, W_SIZE, DEVICE_IMAGE_WIDTH},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, W_SIZE, DEVICE_IMAGE_WIDTH},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, W_SIZE, DEVICE_IMAGE_DEPTH},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, W_SIZE, DEVICE_IMAGE_DEPTH},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, W_SIZE, DEVICE_IMAGE_DEPTH},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, W_SIZE, DEVICE_IMAGE_BUFFER},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, W_SIZE, DEVICE_IMAGE_LAYERS},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, W_UINT, 1},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, W_UINT, 1},
    {CL_DEVICE_MAX_SAMPLERS, W_UINT, DEVICE_SAMPLERS},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, W_UINT, 8 * DEVICE_BASE_ALIGN},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, W_UINT, DEVICE_BASE_ALIGN},
    {CL_DEVICE_SINGLE_FP_CONFIG, W_ULONG, SINGLE},
    {CL_DEVICE_DOUBLE_FP_CONFIG, W_ULONG, DOUBLE},
    {CL_DEVICE_HALF_FP_CONFIG, W_ULONG, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, W_UINT, CL_READ_WRITE_CACHE},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, W_ULONG, DEVICE_CONSTANT_BYTES},
    {CL_DEVICE_MAX_CONSTANT_ARGS, W_UINT, DEVICE_CONSTANT_ARGS},
    {CL_DEVICE_LOCAL_MEM_TYPE, W_UINT, CL_LOCAL},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, W_BOOL, CL_FALSE},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, W_BOOL, CL_FALSE},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, W_SIZE, 1}, /* simulated ns */
    {CL_DEVICE_ENDIAN_LITTLE, W_BOOL, CL_TRUE},
    {CL_DEVICE_AVAILABLE, W_BOOL, CL_TRUE},
    {CL_DEVICE_EXECUTION_CAPABILITIES, W_ULONG,
     CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, W_ULONG, QUEUES},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, W_ULONG, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, W_UINT, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, W_UINT, 0},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, W_UINT, 0},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, W_UINT, 0},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, W_UINT, 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, W_ULONG, 0},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, W_BOOL, CL_TRUE},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, W_SIZE, MIB},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, W_SIZE, 0},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, W_SIZE, 0},
    {CL_DEVICE_MAX_PIPE_ARGS, W_UINT, 0},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, W_UINT, 0},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, W_UINT, 0},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, W_UINT, 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, W_UINT, 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, W_UINT, 0},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, W_BOOL, CL_FALSE},
    {CL_DEVICE_NUMERIC_VERSION, W_UINT, CL_MAKE_VERSION(3, 0, 0)},
    {CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, W_UINT, CL_MAKE_VERSION(1, 2, 0)},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, W_ULONG, ATOMIC_MEMORY},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, W_ULONG, ATOMIC_FENCE},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, W_BOOL, CL_TRUE},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, W_SIZE, ISA_WARP},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, W_BOOL, CL_TRUE},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, W_BOOL, CL_FALSE},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, W_ULONG, 0},
    {CL_DEVICE_PIPE_SUPPORT, W_BOOL, CL_FALSE},
};

/* Texts; lists that are empty are texts of no length, see below. */
static const struct {
    cl_device_info what;
    const char *text;
} texts[] = {
    {CL_DEVICE_VENDOR, "Heddle (simulated)"},
    {CL_DRIVER_VERSION, HEDDLE_VERSION},
    {CL_DEVICE_PROFILE, "FULL_PROFILE"},
    {CL_DEVICE_VERSION, "OpenCL 3.0 Heddle " HEDDLE_VERSION},
    {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 "},
    {CL_DEVICE_BUILT_IN_KERNELS, ""},
    {CL_DEVICE_IL_VERSION, ""},
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "v0000-01-01-00"}, /* none */
};
/* clang-format on */

static cl_int info_constant(ocl_info a, const constant *c)
{
    switch (c->width) {
    case W_BOOL:
    case W_UINT:
        return INFO(a, cl_uint, (cl_uint)c->value);
    case W_ULONG:
        return INFO(a, cl_ulong, c->value);
    case W_SIZE:
        return INFO(a, size_t, c->value);
    }
    MUST(!"every value is above");
}

/* ---- What depends on the configuration ---- */

static cl_int info_lists(cl_device_id d, ocl_info a, cl_device_info what,
                         bool *known)
{
    static const cl_name_version languages[] = {
        {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
        {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
        {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
        {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
    };
    static const cl_name_version features[] = {
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_fp64"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_int64"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_images"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_3d_image_writes"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_subgroups"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_acq_rel"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_seq_cst"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_device"},
        {CL_MAKE_VERSION(3, 0, 0),
         "__opencl_c_work_group_collective_functions"},
    };
    const config *cfg = d->is->cfg;
    size_t items[3] = {cfg->gpu.max.cta_x, cfg->gpu.max.cta_y,
                       cfg->gpu.max.cta_z};

    *known = true;
    switch (what) {
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return info_bytes(a, items, sizeof items);
    case CL_DEVICE_PARTITION_PROPERTIES:
        return INFO(a, cl_device_partition_property, 0);
    case CL_DEVICE_PARTITION_TYPE:
    case CL_DEVICE_ILS_WITH_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        return info_bytes(a, "", 0);
    case CL_DEVICE_EXTENSIONS:
        return extensions_info(a, 1); /* without cl_khr_icd */
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return extensions_versions(a, 1);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return info_bytes(a, languages, sizeof languages);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return info_bytes(a, features, sizeof features);
    default:
        *known = false;
        return CL_SUCCESS;
    }
}

static cl_int info_config(cl_device_id d, ocl_info a, cl_device_info what,
                          bool *known)
{
    const config *cfg = d->is->cfg;
    bool svm = svm_supported();

    *known = true;
    switch (what) {
    case CL_DEVICE_TYPE:
        return INFO(a, cl_device_type, device_type());
    case CL_DEVICE_NAME:
        return info_text(a, cfg->gpu.name);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return INFO(a, cl_uint, cfg->gpu.sms);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return INFO(a, size_t, cfg->gpu.max.cta_threads);
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        return INFO(a, cl_uint, cfg->gpu.max.cta_threads / ISA_WARP);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return INFO(a, cl_uint, cfg->gpu.clock_khz / 1000);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return INFO(a, cl_ulong, device_global_bytes(d));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return INFO(a, cl_ulong, device_max_alloc(d));
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return INFO(a, cl_ulong, device_local_bytes(d));
    case CL_DEVICE_MAX_PARAMETER_SIZE:
        return INFO(a, size_t, device_max_params(d));
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
        return INFO(a, cl_uint, MEM_LINE);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        return INFO(a, cl_ulong, config_l2_bytes(cfg));
    case CL_DEVICE_SVM_CAPABILITIES:
        return INFO(a, cl_device_svm_capabilities,
                    svm ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER : 0);
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
        return INFO(a, cl_bool, compile_available());
    case CL_DEVICE_PLATFORM:
        return INFO(a, cl_platform_id, state_get()->platform);
    case CL_DEVICE_PARENT_DEVICE:
        return INFO(a, cl_device_id, NULL); /* they are not divided */
    case CL_DEVICE_REFERENCE_COUNT:
        return INFO(a, cl_uint, d->base.o.refs);
    default:
        *known = false;
        return CL_SUCCESS;
    }
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t room,
                       void *to, size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    bool known;
    OCL_LOCK();

    if (!object_is(d, OCL_DEVICE))
        return FAIL(CL_INVALID_DEVICE, "%p is no device", (void *)d);
    for (size_t i = 0; i < COUNTOF(constants); i++)
        if (constants[i].what == what)
            return info_constant(a, &constants[i]);
    for (size_t i = 0; i < COUNTOF(texts); i++)
        if (texts[i].what == what)
            return info_text(a, texts[i].text);
    cl_int code = info_config(d, a, what, &known);
    if (!known)
        code = info_lists(d, a, what, &known);
    if (!known)
        return FAIL(CL_INVALID_VALUE, "no device information 0x%x", what);
    return code;
}
