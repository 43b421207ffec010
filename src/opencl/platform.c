/* The platform, and the three functions that the loader looks up, the only
 * names that the driver exports. */
#include <string.h>

#include "base/must.h"
#include "opencl/opencl.h"

#define EXPORT __attribute__((visibility("default")))

/* One list for the platform and its devices; versions as they claim. */
const cl_name_version ocl_extensions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_byte_addressable_store"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_global_int32_base_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_global_int32_extended_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_local_int32_base_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_local_int32_extended_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_int64_base_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_int64_extended_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_fp64"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_3d_image_writes"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_extended_versioning"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_image2d_from_buffer"},
    {0, ""},
};

static const char version_text[] = "OpenCL 3.0 Heddle " HEDDLE_VERSION;

cl_int extensions_info(ocl_info a, unsigned first)
{
    char text[1024] = "";

    for (unsigned i = first; *ocl_extensions[i].name; i++) {
        size_t used = strlen(text), more = strlen(ocl_extensions[i].name);

        MUST(used + more + 2 < sizeof text);
        if (used)
            text[used++] = ' ';
        memcpy(text + used, ocl_extensions[i].name, more + 1);
    }
    return info_text(a, text);
}

cl_int extensions_versions(ocl_info a, unsigned first)
{
    unsigned n = first;

    while (*ocl_extensions[n].name)
        n++;
    return info_bytes(a, ocl_extensions + first,
                      (n - first) * sizeof *ocl_extensions);
}

static cl_int get_platforms(const char *function, cl_uint room,
                            cl_platform_id *out, cl_uint *count)
{
    ocl_state *s = state_get();
    OCL_LOCK();

    if ((!out && !count) || (out && !room))
        return ocl_fail(function, CL_INVALID_VALUE,
                        "there must be a place for platforms, or for their "
                        "number");
    if (count)
        *count = s ? 1 : 0;
    if (out && s)
        *out = s->platform;
    return s ? CL_SUCCESS : CL_PLATFORM_NOT_FOUND_KHR;
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count)
{
    return get_platforms(__func__, room, out, count);
}

EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *out,
                                     cl_uint *count)
{
    return get_platforms(__func__, room, out, count);
}

EXPORT cl_int clGetPlatformInfo(cl_platform_id p, cl_platform_info what,
                                size_t room, void *to, size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    ocl_state *s = state_get();
    OCL_LOCK();

    if (!s || (p && p != s->platform))
        return FAIL(CL_INVALID_PLATFORM, "%p is no platform", (void *)p);
    switch (what) {
    case CL_PLATFORM_PROFILE:
        return info_text(a, "FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return info_text(a, version_text);
    case CL_PLATFORM_NUMERIC_VERSION:
        return INFO(a, cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME:
        return info_text(a, "Heddle");
    case CL_PLATFORM_VENDOR:
        return info_text(a, "the Heddle authors");
    case CL_PLATFORM_EXTENSIONS:
        return extensions_info(a, 0);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return extensions_versions(a, 0);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return info_text(a, "HEDDLE");
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return INFO(a, cl_ulong, 1);
    default:
        return FAIL(CL_INVALID_VALUE, "no platform information 0x%x", what);
    }
}

EXPORT void *clGetExtensionFunctionAddress(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } known[] = {
        {"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
        {"clGetPlatformInfo", (void *)clGetPlatformInfo},
    };

    for (size_t i = 0; name && i < COUNTOF(known); i++)
        if (!strcmp(known[i].name, name))
            return known[i].function;
    return NULL;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id p,
                                               const char *name)
{
    ocl_state *s = state_get();

    return s && p == s->platform ? clGetExtensionFunctionAddress(name) : NULL;
}

cl_int clUnloadCompiler(void) { return CL_SUCCESS; }

cl_int clUnloadPlatformCompiler(cl_platform_id p)
{
    ocl_state *s = state_get();
    OCL_LOCK();

    if (!s || p != s->platform)
        return FAIL(CL_INVALID_PLATFORM, "%p is no platform", (void *)p);
    return CL_SUCCESS;
}
