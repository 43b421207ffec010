#include "base/vendor_library.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *start, *name; /* of the file's name */
} libraries[] = {
    {"libcufft", "cuFFT"},         {"libcusparse", "cuSPARSE"},
    {"libcusolver", "cuSOLVER"},   {"libcudnn", "cuDNN"},
    {"libnccl.so", "NCCL"},        {"libnpp", "NPP"},
    {"libnvjpeg", "nvJPEG"},       {"libnvgraph", "nvGRAPH"},
    {"libcutensor", "cuTENSOR"},   {"libcudss", "cuDSS"},
    {"libnvJitLink", "nvJitLink"}, {"libnvblas", "NVBLAS"},
    {"libcufile", "cuFile"},       {"libnvinfer", "TensorRT"},
    {"libnvshmem", "NVSHMEM"},
};

const char *vendor_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (!strncmp(file, libraries[i].start, strlen(libraries[i].start)))
            return libraries[i].name;
    return NULL;
}
