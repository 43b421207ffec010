/* The functions of NVRTC. */
#include "nvrtc/rtc_program.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_library/stub.h"

EXPORT const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch (result) {
#define NVRTC_STATUS(code, name)                                               \
    case name:                                                                 \
        return #name;
#include "nvrtc/nvrtc_status.def"
#undef NVRTC_STATUS
    }
    return "NVRTC_ERROR unknown";
}

/* That of CUDA which the driver has. */
EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    int v;

    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    if (cudaDriverGetVersion(&v) != cudaSuccess)
        return NVRTC_ERROR_INTERNAL_ERROR;
    *major = v / 1000;
    *minor = v % 1000 / 10;
    return NVRTC_SUCCESS;
}

static const int architectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80};

EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    *out = sizeof architectures / sizeof *architectures;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetSupportedArchs(int *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

/* ---- Programs ---- */

static void free_texts(nvrtc_text *t, int count)
{
    for (int i = 0; t && i < count; i++) {
        free(t[i].name);
        free(t[i].text);
    }
    free(t);
}

static void free_program(nvrtcProgram p)
{
    free_texts(p->headers, p->header_count);
    free_texts(p->names, p->name_count);
    free(p->name);
    free(p->source);
    free(p->log);
    free(p->ptx);
    free(p);
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source,
                                      const char *name, int count,
                                      const char *const *headers,
                                      const char *const *names)
{
    nvrtcProgram p;
    int whole;

    if (!out || !source || count < 0 || (count && (!headers || !names)))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < count; i++) /* files in a folder of the program's */
        if (!headers[i] || !names[i] || *names[i] == '/' || !*names[i] ||
            strstr(names[i], ".."))
            return NVRTC_ERROR_INVALID_INPUT;
    p = calloc(1, sizeof *p);
    if (!p)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source);
    p->name = strdup(name && *name ? name : "default_program");
    p->headers = calloc((size_t)count + 1, sizeof *p->headers);
    whole = p->source && p->name && p->headers;
    for (int i = 0; whole && i < count; i++) {
        nvrtc_text *h = &p->headers[p->header_count++];

        *h = (nvrtc_text){strdup(names[i]), strdup(headers[i])};
        whole = h->name && h->text;
    }
    if (!whole) {
        free_program(p);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    *out = p;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!program || !*program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    free_program(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count,
                                       const char *const *options)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (count < 0 || (count && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    return nvrtc_compile(p, count, options);
}

/* ---- What came out ---- */

static nvrtcResult give_size(const char *text, size_t *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    *out = (text ? strlen(text) : 0) + 1;
    return NVRTC_SUCCESS;
}

static nvrtcResult give_text(const char *text, char *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    strcpy(out, text ? text : "");
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *out)
{
    return p && p->ptx ? give_size(p->ptx, out) : NVRTC_ERROR_INVALID_PROGRAM;
}

EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *out)
{
    return p && p->ptx ? give_text(p->ptx, out) : NVRTC_ERROR_INVALID_PROGRAM;
}

/* Simulated devices have no code but PTX: it is what their driver loads. */
EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *out)
{
    return nvrtcGetPTXSize(p, out);
}

EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out)
{
    return nvrtcGetPTX(p, out);
}

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *out)
{
    return p ? give_size(p->log, out) : NVRTC_ERROR_INVALID_PROGRAM;
}

EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *out)
{
    return p ? give_text(p->log, out) : NVRTC_ERROR_INVALID_PROGRAM;
}

/* ---- Names ---- */

EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *name)
{
    nvrtc_text *more;

    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!name || !*name)
        return NVRTC_ERROR_INVALID_INPUT;
    if (p->ptx)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    more = realloc(p->names, ((size_t)p->name_count + 1) * sizeof *more);
    if (!more)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->names = more;
    more[p->name_count] = (nvrtc_text){.name = strdup(name)};
    if (!more[p->name_count].name)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->name_count++;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *name,
                                       const char **out)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!name || !out)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!p->ptx)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (int i = 0; i < p->name_count; i++)
        if (!strcmp(p->names[i].name, name)) {
            *out = p->names[i].text;
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* ---- What is not there: what is on the way to machine code ---- */

LIBRARY_STUB(nvrtcGetLTOIR, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcGetLTOIRSize, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcGetNVVM, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcGetNVVMSize, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcGetOptiXIR, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcGetOptiXIRSize, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcGetPCHCreateStatus, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcGetPCHHeapSize, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcGetPCHHeapSizeRequired, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcSetPCHHeapSize, NVRTC_ERROR_INVALID_INPUT)
LIBRARY_STUB(nvrtcSetFlowCallback, NVRTC_ERROR_INVALID_INPUT)
