/* src/nvrtc/nvrtc_api.h - NVRTC, under the names that programs are compiled
 * with [CUDA13:headers]. */
#ifndef NVRTC_NVRTC_API_H
#define NVRTC_NVRTC_API_H

#include <stddef.h>

#include "cuda/functions.h"

typedef enum nvrtcResult {
#define NVRTC_STATUS(code, name) name = (code),
#include "nvrtc/nvrtc_status.def"
#undef NVRTC_STATUS
} nvrtcResult;

typedef struct nvrtc_program *nvrtcProgram;

EXPORT const char *nvrtcGetErrorString(nvrtcResult result);
EXPORT nvrtcResult nvrtcVersion(int *major, int *minor);
EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *out);
EXPORT nvrtcResult nvrtcGetSupportedArchs(int *out);
EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source,
                                      const char *name, int count,
                                      const char *const *headers,
                                      const char *const *names);
EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count,
                                       const char *const *options);
EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *out);
EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *out);
EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *out);
EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out);
EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *out);
EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *out);
EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *name);
EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *name,
                                       const char **out);

#endif
