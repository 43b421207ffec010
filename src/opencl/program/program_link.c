/* clCompileProgram and clLinkProgram. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "opencl/program/build.h"
#include "opencl/program/compile.h"
#include "opencl/program/link_units.h"

/* ---- Compiling ---- */

static cl_int check_compile(const char *function, cl_program p,
                            cl_uint header_count, const cl_program *headers,
                            const char **names, build_callback call,
                            const void *data)
{
    if (!object_is(p, OCL_PROGRAM))
        return ocl_fail(function, CL_INVALID_PROGRAM, "%p is no program",
                        (void *)p);
    if (!header_count != !headers || !header_count != !names)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "headers, their names and their number must all be "
                        "given, or none of them");
    if (!call && data)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "user data without a function for it");
    for (cl_uint i = 0; i < header_count; i++) {
        if (!object_is(headers[i], OCL_PROGRAM))
            return ocl_fail(function, CL_INVALID_PROGRAM,
                            "header %u is no program", i);
        if (!headers[i]->source)
            return ocl_fail(function, CL_INVALID_OPERATION,
                            "header %u has no source", i);
        if (!names[i])
            return ocl_fail(function, CL_INVALID_VALUE, "header %u has no name",
                            i);
    }
    if (!p->source)
        return ocl_fail(function, CL_INVALID_OPERATION, "%s has no source",
                        p->name);
    if (p->held || p->kernels)
        return ocl_fail(function, CL_INVALID_OPERATION, "%s is in use",
                        p->name);
    return CL_SUCCESS;
}

/* Linking loses the declarations of kernels, so they are parsed before. */
static kernel_infos *infos_of(compile_job job)
{
    compile_result r;
    kernel_infos *found = NULL;

    if (!strstr(job.source, "kernel"))
        return NULL;
    job.to = COMPILE_INFO;
    if (compile_run(&job, &r) == CL_SUCCESS)
        found = kernel_infos_of_llvm(r.out);
    compile_result_fini(&r);
    return found;
}

static cl_int compile_all(const compile_job *job, bool told, ocl_made *made,
                          unsigned n)
{
    compile_result r;
    cl_int code = compile_run(job, &r);

    for (unsigned i = 0; i < n; i++) {
        made[i].type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        made[i].failed = code != CL_SUCCESS;
        made[i].arg_info = told;
        made[i].traits = compile_traits_of(job->options, job->args);
        strbuf_puts(&made[i].log, r.log);
        if (code != CL_SUCCESS)
            continue;
        made[i].code = build_copy(r.out, r.size);
        made[i].size = r.size;
        made[i].infos = infos_of(*job);
    }
    compile_result_fini(&r);
    return build_unavailable(code) ? code : CL_SUCCESS;
}

static compile_file *list_headers(cl_uint n, const cl_program *headers,
                                  const char **names)
{
    compile_file *list = alloc_try_zeroed(n + 1, sizeof *list);

    for (cl_uint i = 0; list && i < n; i++)
        list[i] = (compile_file){names[i], headers[i]->source,
                                 strlen(headers[i]->source)};
    return list;
}

cl_int clCompileProgram(cl_program p, cl_uint n, const cl_device_id *devices,
                        const char *options, cl_uint header_count,
                        const cl_program *headers, const char **names,
                        build_callback call, void *data)
{
    ocl_options o = {0};
    ocl_made *made = NULL;
    unsigned count = 0;
    strbuf why = {0};
    cl_int code;
    OCL_LOCK();

    code = check_compile(__func__, p, header_count, headers, names, call, data);
    if (code == CL_SUCCESS)
        code = build_list(__func__, p, n, devices, &made, &count);
    if (code == CL_SUCCESS && !options_read(options, OPTIONS_COMPILE, &o, &why))
        code = FAIL(CL_INVALID_COMPILER_OPTIONS, "%.*s", (int)why.size - 1,
                    why.text);
    strbuf_fini(&why);
    if (code != CL_SUCCESS) {
        build_made_free(made, count);
        return code;
    }
    compile_file *files = list_headers(header_count, headers, names);
    compile_job job = {.to = COMPILE_BITCODE,
                       .source = p->source,
                       .options = options,
                       .args = o.args,
                       .headers = files,
                       .header_count = header_count};
    program_hold(p);
    for (cl_uint i = 0; i < header_count; i++)
        object_use(headers[i]);
    for (unsigned i = 0; i < count; i++)
        made[i].build->status = CL_BUILD_IN_PROGRESS;
    drv_unlock();
    code = compile_all(&job, o.arg_info, made, count);
    drv_lock();
    cl_int built =
        build_commit(p, made, count, options, CL_COMPILE_PROGRAM_FAILURE);
    if (code == CL_SUCCESS)
        code = built;
    if (code != CL_SUCCESS)
        FAIL(code, "%s", program_log(p));
    for (cl_uint i = 0; i < header_count; i++)
        object_drop(headers[i]);
    object_use(p);
    program_let_go(p);
    build_notify(call, p, data);
    object_drop(p);
    build_made_free(made, count);
    options_fini(&o);
    free(files);
    return code;
}

/* ---- Linking ---- */

static bool can_be_linked(const ocl_build *b)
{
    return b && b->code &&
           (b->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
            b->type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
}

static cl_int check_inputs(const char *function, cl_context c, cl_uint n,
                           const cl_device_id *devices, cl_uint inputs,
                           const cl_program *programs, build_callback call,
                           const void *data)
{
    if (!object_is(c, OCL_CONTEXT))
        return ocl_fail(function, CL_INVALID_CONTEXT, "%p is no context",
                        (void *)c);
    if (!devices != !n || !inputs || !programs || (!call && data))
        return ocl_fail(function, CL_INVALID_VALUE, "%s",
                        !inputs || !programs ? "there is nothing to link"
                        : !devices != !n
                            ? "devices and their number do not fit"
                            : "user data without a function for it");
    for (cl_uint i = 0; i < inputs; i++)
        if (!object_is(programs[i], OCL_PROGRAM))
            return ocl_fail(function, CL_INVALID_PROGRAM,
                            "input %u is no program", i);
    for (cl_uint i = 0; i < n; i++)
        if (!object_is(devices[i], OCL_DEVICE) || !context_has(c, devices[i]))
            return ocl_fail(function, CL_INVALID_DEVICE,
                            "device %u is not one of the context", i);
    return CL_SUCCESS;
}

/* Every input has code for the device, or none has. */
static cl_int check_device(const char *function, cl_device_id d, cl_uint inputs,
                           const cl_program *programs, bool *use)
{
    cl_uint have = 0;

    for (cl_uint i = 0; i < inputs; i++)
        have += can_be_linked(program_build_for(programs[i], d));
    *use = have == inputs;
    if (have && have != inputs)
        return ocl_fail(function, CL_INVALID_OPERATION,
                        "only %u of %u programs are compiled for '%s'", have,
                        inputs, d->is->name);
    return CL_SUCCESS;
}

/* Copies, because the inputs may be compiled again while these are linked.
 * What one unit demands of the code holds for all. */
static compile_file *copy_objects(ocl_made *m, cl_uint inputs,
                                  const cl_program *programs)
{
    compile_file *list = new0(inputs, sizeof *list);

    m->traits = (compile_traits){.quick_divide = true, .relaxed = true};
    for (cl_uint i = 0; i < inputs; i++) {
        const ocl_build *b = program_build_for(programs[i], m->build->device);

        list[i] = (compile_file){.name = programs[i]->name,
                                 .text = build_copy(b->code, b->code_size),
                                 .size = b->code_size};
        build_add_infos(m, b->infos);
        m->arg_info |= b->arg_info;
        m->traits.quick_divide &= b->traits.quick_divide;
        m->traits.relaxed &= b->traits.relaxed;
    }
    return list;
}

static void free_objects(compile_file *list, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++)
        free((char *)list[i].text);
    free(list);
}

/* The compiler's message about a name that several units define does not name
 * the units. */
static void take_log(ocl_made *m, cl_int code, const char *said)
{
    link_units *units = NULL;
    bool told = false;

    if (code == CL_BUILD_PROGRAM_FAILURE) {
        units = link_units_new(m->units, m->unit_count);
        told = link_units_twice(units, &m->log);
    }
    if (!told)
        strbuf_puts(&m->log, said);
    link_units_free(units);
}

/* Gives the lock back meanwhile. */
static cl_int link_one(cl_program p, ocl_made *m, const ocl_options *o,
                       cl_uint inputs, const cl_program *programs)
{
    compile_file *objects = copy_objects(m, inputs, programs);
    compile_job job = {.to = o->library ? COMPILE_BITCODE : COMPILE_PTX,
                       .args = o->args,
                       .traits = m->traits,
                       .objects = objects,
                       .object_count = inputs};
    compile_result r;

    m->units = objects;
    m->unit_count = inputs;
    drv_unlock();
    cl_int code = compile_run(&job, &r);
    take_log(m, code, r.log);
    m->type = o->library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                         : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    m->code = r.out;
    m->size = r.size;
    r.out = NULL;
    compile_result_fini(&r);
    m->failed = code != CL_SUCCESS;
    if (!m->failed && !o->library)
        build_load(m, p->name);
    m->unit_count = 0;
    free_objects(objects, inputs);
    drv_lock();
    return build_unavailable(code) ? CL_LINKER_NOT_AVAILABLE : CL_SUCCESS;
}

static cl_int link_all(cl_program p, const char *options, const ocl_options *o,
                       cl_uint inputs, const cl_program *programs)
{
    ocl_made *made;
    unsigned count;
    cl_int code = build_list(__func__, p, 0, NULL, &made, &count);

    if (code != CL_SUCCESS)
        return code;
    program_hold(p);
    for (unsigned i = 0; i < count && code == CL_SUCCESS; i++)
        code = link_one(p, &made[i], o, inputs, programs);
    cl_int built =
        build_commit(p, made, count, options, CL_LINK_PROGRAM_FAILURE);
    program_let_go(p);
    build_made_free(made, count);
    return code == CL_SUCCESS ? built : code;
}

/* The devices that all inputs are compiled for, among the given ones. */
static cl_int choose_devices(const char *function, cl_context c, cl_uint n,
                             const cl_device_id *devices, cl_uint inputs,
                             const cl_program *programs, cl_device_id *out,
                             unsigned *count)
{
    const cl_device_id *from = n ? devices : c->devices;

    *count = 0;
    for (unsigned i = 0; i < (n ? n : c->device_count); i++) {
        bool use;
        cl_int code = check_device(function, from[i], inputs, programs, &use);

        if (code != CL_SUCCESS)
            return code;
        if (use)
            out[(*count)++] = from[i];
    }
    if (!*count)
        return ocl_fail(function, CL_INVALID_OPERATION,
                        "no program is compiled for a device");
    return CL_SUCCESS;
}

cl_program clLinkProgram(cl_context c, cl_uint n, const cl_device_id *devices,
                         const char *options, cl_uint inputs,
                         const cl_program *programs, build_callback call,
                         void *data, cl_int *err)
{
    ocl_options o = {0};
    strbuf why = {0};
    cl_device_id *chosen = NULL;
    cl_program p = NULL;
    unsigned count = 0;
    cl_int code;
    OCL_LOCK();

    code = check_inputs(__func__, c, n, devices, inputs, programs, call, data);
    if (code == CL_SUCCESS && !options_read(options, OPTIONS_LINK, &o, &why))
        code = FAIL(CL_INVALID_LINKER_OPTIONS, "%.*s", (int)why.size - 1,
                    why.text);
    strbuf_fini(&why);
    if (code == CL_SUCCESS) {
        chosen = alloc_try_zeroed((n ? n : c->device_count) + 1,
                                  sizeof(cl_device_id));
        code = chosen ? choose_devices(__func__, c, n, devices, inputs,
                                       programs, chosen, &count)
                      : CL_OUT_OF_HOST_MEMORY;
    }
    if (code == CL_SUCCESS) {
        p = program_new(c, chosen, count);
        code = p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (p) {
        program_look_through(p, "");
        for (cl_uint i = 0; i < inputs; i++)
            object_use(programs[i]);
        code = link_all(p, options, &o, inputs, programs);
        for (cl_uint i = 0; i < inputs; i++)
            object_drop(programs[i]);
        if (code != CL_SUCCESS)
            FAIL(code, "%s", program_log(p));
        build_notify(call, p, data);
    }
    options_fini(&o);
    free(chosen);
    ocl_result(err, code);
    return p;
}
