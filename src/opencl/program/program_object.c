/* Programs: making them, and clGetProgramInfo. Building: build.c. */
#include "opencl/program/program_object.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "opencl/program/compile.h"
#include "opencl/program/object_form.h"
#include "opencl/program/ptx_text.h"

/* ---- Life ---- */

void program_build_clear(ocl_build *b)
{
    free(b->code);
    free(b->log);
    free(b->binary);
    free(b->options);
    kernel_infos_free(b->infos);
    rt_module_unload(b->loaded.module);
    *b = (ocl_build){.device = b->device,
                     .status = CL_BUILD_NONE,
                     .type = CL_PROGRAM_BINARY_TYPE_NONE};
}

static void program_destroy(void *self)
{
    cl_program p = self;

    for (unsigned i = 0; i < p->build_count; i++)
        program_build_clear(&p->builds[i]);
    object_drop(p->context);
    free(p->builds);
    free(p->source);
    free(p->name);
    free(p);
}

void program_look_through(cl_program p, const char *text)
{
    bool all = !p->source || strstr(text, "include");

    p->attributes |= all || strstr(text, "__attribute__");
    p->sizes |= all || strstr(text, "work_group_size");
    p->images |= all || strstr(text, "image") || strstr(text, "sampler") ||
                 strstr(text, "##");
}

cl_program program_new(cl_context c, const cl_device_id *devices, unsigned n)
{
    ocl_state *s = state_get();
    cl_program p = object_new(OCL_PROGRAM, sizeof *p, program_destroy);
    strbuf name = {0};

    if (!p)
        return NULL;
    p->number = ++s->programs;
    strbuf_printf(&name, "program %llu", (unsigned long long)p->number);
    p->name = name.text;
    p->context = c;
    object_use(c);
    p->builds = alloc_try_zeroed(n, sizeof *p->builds);
    if (!p->builds) {
        object_release(p, OCL_PROGRAM);
        return NULL;
    }
    for (unsigned i = 0; i < n; i++) {
        if (program_build_for(p, devices[i]))
            continue; /* named twice */
        p->builds[p->build_count++] =
            (ocl_build){.device = devices[i],
                        .status = CL_BUILD_NONE,
                        .type = CL_PROGRAM_BINARY_TYPE_NONE};
    }
    return p;
}

ocl_build *program_build_for(cl_program p, cl_device_id d)
{
    for (unsigned i = 0; i < p->build_count; i++)
        if (p->builds[i].device == d)
            return &p->builds[i];
    return NULL;
}

const isa_kernel *program_kernel(cl_program p, const char *name, ocl_build **b)
{
    for (unsigned i = 0; i < p->build_count; i++) {
        const rt_module *m = p->builds[i].loaded.module;
        const isa_kernel *k =
            m ? isa_program_kernel(rt_module_program(m), name) : NULL;

        if (k && b)
            *b = &p->builds[i];
        if (k)
            return k;
    }
    return NULL;
}

/* Warnings may come before it. */
static const char *first_error_line(const char *log)
{
    const char *error = strstr(log, "error:");

    while (error && error > log && error[-1] != '\n')
        error--;
    return error ? error : log;
}

const char *program_log(cl_program p)
{
    for (unsigned i = 0; i < p->build_count; i++)
        if (p->builds[i].status == CL_BUILD_ERROR && p->builds[i].log)
            return first_error_line(p->builds[i].log);
    return "";
}

/* ---- From source ---- */

cl_program clCreateProgramWithSource(cl_context c, cl_uint count,
                                     const char **strings,
                                     const size_t *lengths, cl_int *err)
{
    strbuf source = {0};
    cl_int code = CL_SUCCESS;
    cl_program p = NULL;
    OCL_LOCK();

    if (!object_is(c, OCL_CONTEXT))
        code = FAIL(CL_INVALID_CONTEXT, "%p is no context", (void *)c);
    else if (!count || !strings)
        code = FAIL(CL_INVALID_VALUE, "there is no source");
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
        if (!strings[i])
            code = FAIL(CL_INVALID_VALUE, "string %u is NULL", i);
        else if (lengths && lengths[i]) /* up to a NUL in it, if any */
            strbuf_write(&source, strings[i], strnlen(strings[i], lengths[i]));
        else
            strbuf_puts(&source, strings[i]);
    }
    if (code == CL_SUCCESS) {
        p = program_new(c, c->devices, c->device_count);
        code = p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (p) {
        strbuf_write(&source, "", 0);
        p->source = source.text;
        program_look_through(p, p->source);
        source = (strbuf){0};
    }
    strbuf_fini(&source);
    ocl_result(err, code);
    return p;
}

/* ---- From binaries ---- */

/* Takes the binary in; false: it is none. */
static bool take_binary(ocl_build *b, const unsigned char *text, size_t size)
{
    object_form form;
    const char *code = (const char *)text;
    size_t code_size = size;

    if (ptx_text_is(code, size)) {
        b->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        b->infos = NULL;
        while (code_size && !code[code_size - 1])
            code_size--;
    } else if (object_form_read(text, size, &form)) {
        b->type = form.library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                               : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        b->infos = form.infos;
        b->traits = form.traits;
        b->arg_info = form.arg_info;
        code = form.bitcode;
        code_size = form.size;
    } else {
        return false;
    }
    b->code = new_array(code_size + 1, 1);
    memcpy(b->code, code, code_size);
    b->code[code_size] = '\0';
    b->code_size = code_size;
    if (b->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        b->infos = kernel_infos_of_ptx(b->code);
    return true;
}

static cl_int check_binaries(const char *function, cl_context c, cl_uint n,
                             const cl_device_id *devices, const size_t *lengths,
                             const unsigned char **binaries, cl_int *each)
{
    cl_int code = CL_SUCCESS;

    if (!object_is(c, OCL_CONTEXT))
        return ocl_fail(function, CL_INVALID_CONTEXT, "%p is no context",
                        (void *)c);
    if (!n || !devices || !lengths || !binaries)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "devices, lengths and binaries must be given");
    for (cl_uint i = 0; i < n; i++)
        if (!object_is(devices[i], OCL_DEVICE) || !context_has(c, devices[i]))
            return ocl_fail(function, CL_INVALID_DEVICE,
                            "device %u is not one of the context", i);
    for (cl_uint i = 0; i < n; i++) {
        bool good = lengths[i] && binaries[i];

        if (!good)
            code =
                ocl_fail(function, CL_INVALID_VALUE, "binary %u is empty", i);
        if (each)
            each[i] = good ? CL_SUCCESS : CL_INVALID_VALUE;
    }
    return code;
}

cl_program clCreateProgramWithBinary(cl_context c, cl_uint n,
                                     const cl_device_id *devices,
                                     const size_t *lengths,
                                     const unsigned char **binaries,
                                     cl_int *each, cl_int *err)
{
    cl_program p = NULL;
    cl_int code;
    OCL_LOCK();

    code = check_binaries(__func__, c, n, devices, lengths, binaries, each);
    if (code == CL_SUCCESS) {
        p = program_new(c, devices, n);
        code = p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (p)
        program_look_through(p, "");
    for (cl_uint i = 0; p && i < n; i++) {
        ocl_build *b = program_build_for(p, devices[i]);

        if (b->code || take_binary(b, binaries[i], lengths[i]))
            continue;
        if (each)
            each[i] = CL_INVALID_BINARY;
        code = FAIL(CL_INVALID_BINARY,
                    "binary %u is neither PTX nor an object of this version of "
                    "the driver",
                    i);
    }
    if (p && code != CL_SUCCESS) {
        object_release(p, OCL_PROGRAM);
        p = NULL;
    }
    ocl_result(err, code);
    return p;
}

cl_int clRetainProgram(cl_program p)
{
    OCL_LOCK();
    return object_retain(p, OCL_PROGRAM);
}

cl_int clReleaseProgram(cl_program p)
{
    OCL_LOCK();
    return object_release(p, OCL_PROGRAM);
}

/* It is for what program-scope destructors need, which no OpenCL C has. */
cl_int clSetProgramReleaseCallback(cl_program p,
                                   void(CL_CALLBACK *call)(cl_program, void *),
                                   void *data)
{
    OCL_LOCK();

    (void)data;
    if (!object_is(p, OCL_PROGRAM))
        return FAIL(CL_INVALID_PROGRAM, "%p is no program", (void *)p);
    if (!call)
        return FAIL(CL_INVALID_VALUE, "there is no function to call");
    return FAIL(CL_INVALID_OPERATION,
                "programs have no destructors to wait for");
}

/* ---- Information ---- */

/* The binary of a build, made at the first query. */
static void make_binary(cl_program p, ocl_build *b)
{
    strbuf text = {0};

    if (b->binary || !b->code)
        return;
    if (b->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
        const kernel_infos *infos = program_infos(p, b);

        if (infos && strncmp(b->code, "// heddle-", 10))
            kernel_infos_write(infos, &text);
        strbuf_write(&text, b->code, b->code_size);
    } else {
        object_form_write(
            &(object_form){.library = b->type == CL_PROGRAM_BINARY_TYPE_LIBRARY,
                           .traits = b->traits,
                           .arg_info = b->arg_info,
                           .bitcode = b->code,
                           .size = b->code_size,
                           .infos = b->infos},
            &text);
    }
    b->binary = text.text;
    b->binary_size = text.size;
}

static cl_int info_sizes(ocl_info a, cl_program p)
{
    size_t *sizes = alloc_try_zeroed(p->build_count, sizeof *sizes);
    cl_int code;

    if (!sizes)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < p->build_count; i++) {
        make_binary(p, &p->builds[i]);
        sizes[i] = p->builds[i].binary_size;
    }
    code = info_bytes(a, sizes, p->build_count * sizeof *sizes);
    free(sizes);
    return code;
}

/* The caller passes an array of pointers; NULL for binaries that it does not
 * want. */
static cl_int info_binaries(ocl_info a, cl_program p)
{
    size_t size = p->build_count * sizeof(unsigned char *);
    unsigned char **to = a.to;

    if (to && a.room < size)
        return info_bytes(a, "", size);
    for (unsigned i = 0; to && i < p->build_count; i++) {
        make_binary(p, &p->builds[i]);
        if (to[i] && p->builds[i].binary_size)
            memcpy(to[i], p->builds[i].binary, p->builds[i].binary_size);
    }
    if (a.size_ret)
        *a.size_ret = size;
    return CL_SUCCESS;
}

/* The code of the first device for which it is executable; NULL: none. */
static const isa_program *any_code(cl_program p)
{
    for (unsigned i = 0; i < p->build_count; i++)
        if (p->builds[i].loaded.module)
            return rt_module_program(p->builds[i].loaded.module);
    return NULL;
}

static cl_int info_kernels(ocl_info a, cl_program p, bool names)
{
    const isa_program *code = any_code(p);
    strbuf text = {0};
    cl_int result;

    if (!code)
        return ocl_fail(a.function, CL_INVALID_PROGRAM_EXECUTABLE,
                        "%s is not built", p->name);
    if (!names)
        return INFO(a, size_t, code->kernel_count);
    strbuf_write(&text, "", 0);
    for (uint32_t i = 0; i < code->kernel_count; i++)
        strbuf_printf(&text, "%s%s", i ? ";" : "", code->kernels[i].name);
    result = info_text(a, text.text);
    strbuf_fini(&text);
    return result;
}

static cl_int info_devices(ocl_info a, cl_program p)
{
    cl_device_id *list = alloc_try_zeroed(p->build_count, sizeof(cl_device_id));
    cl_int code;

    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < p->build_count; i++)
        list[i] = p->builds[i].device;
    code = info_bytes(a, list, p->build_count * sizeof *list);
    free(list);
    return code;
}

cl_int clGetProgramInfo(cl_program p, cl_program_info what, size_t room,
                        void *to, size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    OCL_LOCK();

    if (!object_is(p, OCL_PROGRAM))
        return FAIL(CL_INVALID_PROGRAM, "%p is no program", (void *)p);
    switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return INFO(a, cl_uint, p->base.o.refs);
    case CL_PROGRAM_CONTEXT:
        return INFO(a, cl_context, p->context);
    case CL_PROGRAM_NUM_DEVICES:
        return INFO(a, cl_uint, p->build_count);
    case CL_PROGRAM_DEVICES:
        return info_devices(a, p);
    case CL_PROGRAM_SOURCE:
        return info_text(a, p->source ? p->source : "");
    case CL_PROGRAM_IL:
        return info_bytes(a, NULL, 0);
    case CL_PROGRAM_BINARY_SIZES:
        return info_sizes(a, p);
    case CL_PROGRAM_BINARIES:
        return info_binaries(a, p);
    case CL_PROGRAM_NUM_KERNELS:
        return info_kernels(a, p, false);
    case CL_PROGRAM_KERNEL_NAMES:
        return info_kernels(a, p, true);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return INFO(a, cl_bool, CL_FALSE);
    default:
        return FAIL(CL_INVALID_VALUE, "there is no information 0x%x", what);
    }
}

/* Bytes of its variables in global memory. */
static size_t variable_bytes(const ocl_build *b)
{
    const isa_program *code =
        b->loaded.module ? rt_module_program(b->loaded.module) : NULL;
    uint64_t bytes = 0;

    for (uint32_t i = 0; code && i < code->var_count; i++)
        if (code->vars[i].space == SPACE_GLOBAL)
            bytes += code->vars[i].size;
    return bytes;
}

cl_int clGetProgramBuildInfo(cl_program p, cl_device_id d,
                             cl_program_build_info what, size_t room, void *to,
                             size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    OCL_LOCK();

    if (!object_is(p, OCL_PROGRAM))
        return FAIL(CL_INVALID_PROGRAM, "%p is no program", (void *)p);
    ocl_build *b = program_build_for(p, d);
    if (!b)
        return FAIL(CL_INVALID_DEVICE, "%s is not for that device", p->name);
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
        return INFO(a, cl_build_status, b->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return info_text(a, b->options ? b->options : "");
    case CL_PROGRAM_BUILD_LOG:
        return info_text(a, b->log ? b->log : "");
    case CL_PROGRAM_BINARY_TYPE:
        return INFO(a, cl_program_binary_type, b->type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return INFO(a, size_t, variable_bytes(b));
    default:
        return FAIL(CL_INVALID_VALUE, "there is no information 0x%x", what);
    }
}
