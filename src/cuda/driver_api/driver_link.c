/* cuLink*: PTX of several texts becomes one. What cuLinkComplete calls a cubin
 * is PTX here, which cuModuleLoadData takes. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cuda/driver_api/driver_call.h"
#include "cuda/driver_api/jit.h"
#include "cuda/stream/stream.h"
#include "fatbin/fatbin.h"

struct cu_link {
    drv_object o;
    jit_options opt; /* of cuLinkCreate: they are the program's until the end */
    rt_text *parts;  /* owned, and so are their texts */
    size_t count;
    strbuf linked;
};

enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBIN };

static void link_destroy(void *handle)
{
    CUlinkState l = handle;

    for (size_t i = 0; i < l->count; i++) {
        free((void *)(uintptr_t)l->parts[i].text);
        free((void *)(uintptr_t)l->parts[i].path);
    }
    free(l->parts);
    strbuf_fini(&l->linked);
    free(l);
}

static CUlinkState get_link(CUlinkState handle)
{
    if (drv_find_held(handle, CU_LINK))
        return handle;
    cu_fail(cudaErrorInvalidResourceHandle,
            "%p is no link, or one that was destroyed", (void *)handle);
    return NULL;
}

DRIVER(cuLinkCreate_v2,
       (unsigned count, const int *what, void **value, CUlinkState *out),
       (count, what, value, out))
{
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the link");
    cudaError_t code = jit_check(&(jit_options){count, what, value});
    if (code != cudaSuccess)
        return code;
    CUlinkState l = drv_object_new(CU_LINK, sizeof *l,
                                   offsetof(struct cu_link, o), link_destroy);
    if (!l)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a link");
    l->opt = (jit_options){count, what, value};
    *out = l;
    return cudaSuccess;
}

/* The texts of an input, which may be a container of several. */
static status add_parts(CUlinkState l, const fatbin *code, diag *dg)
{
    unsigned capability = cu_current()->drv->cfg->gpu.capability;

    for (size_t i = 0; i < fatbin_part_count(code); i++) {
        const fatbin_image *image;
        char *text;
        size_t size;

        if (fatbin_choose(code, i, capability, dg, &image) != ST_OK)
            return ST_PROGRAM;
        if (!image)
            continue;
        if (fatbin_unpack(code, image, dg, &text, &size) != ST_OK)
            return ST_PROGRAM;
        l->parts = renew(l->parts, l->count + 1, sizeof *l->parts);
        l->parts[l->count++] =
            (rt_text){.path = alloc_try_text(fatbin_name(code)),
                      .text = text,
                      .size = size};
    }
    return ST_OK;
}

static cudaError_t add_data(CUlinkState handle, int type, const void *data,
                            size_t size, const char *name)
{
    CUDA_CALL();
    CUlinkState l = get_link(handle);
    fatbin *code = NULL;

    if (!l)
        return cudaErrorInvalidResourceHandle;
    if (!data || !size)
        return cu_fail(cudaErrorInvalidValue, "there is no code to link");
    if (type < INPUT_CUBIN || type > INPUT_FATBIN)
        return cu_fail(cudaErrorInvalidValue,
                       "only PTX and containers of PTX can be linked, not "
                       "input of type %d",
                       type);
    diag *dg = diag_new();
    status is = fatbin_open(name ? name : "input", data, size, dg, &code);
    if (is == ST_OK)
        is = add_parts(l, code, dg);
    fatbin_free(code);
    jit_log(&l->opt, dg);
    if (is != ST_OK && drv_logs())
        diag_print(dg, stderr, false);
    diag_free(dg);
    return is == ST_OK ? cudaSuccess
                       : cu_fail(cudaErrorInvalidKernelImage,
                                 "'%s' has no PTX for the device",
                                 name ? name : "input");
}

DRIVER(cuLinkAddData_v2,
       (CUlinkState handle, int type, void *data, size_t size, const char *name,
        unsigned count, const int *what, void **value),
       (handle, type, data, size, name, count, what, value))
{
    (void)count, (void)what, (void)value; /* the logs are those of the link */
    return add_data(handle, type, data, size, name);
}

DRIVER(cuLinkAddFile_v2,
       (CUlinkState handle, int type, const char *path, unsigned count,
        const int *what, void **value),
       (handle, type, path, count, what, value))
{
    diag *dg = diag_new();
    char *data = NULL;
    size_t size;
    cudaError_t code = cudaErrorFileNotFound;

    (void)count, (void)what, (void)value;
    if (path && file_read(path, dg, &data, &size) == ST_OK)
        code = add_data(handle, type, data, size, path);
    free(data);
    diag_free(dg);
    return code;
}

/* The texts alone are checked here; what they lack, when they are loaded. */
DRIVER(cuLinkComplete, (CUlinkState handle, void **out, size_t *size),
       (handle, out, size))
{
    CUDA_CALL();
    CUlinkState l = get_link(handle);

    if (!l)
        return cudaErrorInvalidResourceHandle;
    if (!out || !l->count)
        return cu_fail(cudaErrorInvalidValue,
                       "nothing was added to the link, or no place for it");
    strbuf_fini(&l->linked);
    l->linked = (strbuf){0};
    diag *dg = diag_new();
    status is = ST_OK;
    if (l->count == 1)
        strbuf_write(&l->linked, l->parts[0].text, l->parts[0].size);
    else
        is = rt_link_parts(l->parts, l->count, dg, &l->linked);
    jit_log(&l->opt, dg);
    if (is != ST_OK && drv_logs())
        diag_print(dg, stderr, false);
    diag_free(dg);
    if (is != ST_OK)
        return cu_fail(cudaErrorInvalidPtx, "the texts do not go together");
    *out = l->linked.text;
    if (size)
        *size = l->linked.size + 1;
    return cudaSuccess;
}

DRIVER(cuLinkDestroy, (CUlinkState handle), (handle))
{
    CUDA_CALL();
    CUlinkState l = get_link(handle);

    if (!l)
        return cudaErrorInvalidResourceHandle;
    drv_release(&l->o);
    return cudaSuccess;
}
