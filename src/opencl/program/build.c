/* clBuildProgram, and what it shares with compiling and linking. */
#include "opencl/program/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "opencl/program/compile.h"
#include "opencl/program/link_units.h"
#include "opencl/program/ptx_text.h"
#include "session/client.h"

/* ---- Working on a program ---- */

void program_hold(cl_program p)
{
    object_use(p);
    while (p->held)
        pthread_cond_wait(&drv.changed, &drv.lock);
    p->held = true;
}

void program_let_go(cl_program p)
{
    p->held = false;
    pthread_cond_broadcast(&drv.changed);
    object_drop(p);
}

void build_notify(build_callback call, cl_program p, void *data)
{
    if (!call)
        return;
    drv_unlock();
    call(p, data);
    drv_lock();
}

bool build_unavailable(cl_int code)
{
    return code == CL_COMPILER_NOT_AVAILABLE || code == CL_OUT_OF_HOST_MEMORY;
}

char *build_copy(const char *text, size_t size)
{
    char *copy = new_array(size + 1, 1);

    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

/* ---- What is made ---- */

void build_add_infos(ocl_made *m, const kernel_infos *from)
{
    strbuf text = {0};

    if (m->infos)
        kernel_infos_write(m->infos, &text);
    if (from)
        kernel_infos_write(from, &text);
    kernel_infos_free(m->infos);
    m->infos = text.size ? kernel_infos_of_ptx(text.text) : NULL;
    strbuf_fini(&text);
}

cl_int build_list(const char *function, cl_program p, cl_uint n,
                  const cl_device_id *devices, ocl_made **out, unsigned *count)
{
    if (!devices != !n)
        return ocl_fail(function, CL_INVALID_VALUE, "%s",
                        n ? "the list of devices is NULL"
                          : "the list of devices has no length");
    for (cl_uint i = 0; i < n; i++)
        if (!object_is(devices[i], OCL_DEVICE) ||
            !program_build_for(p, devices[i]))
            return ocl_fail(function, CL_INVALID_DEVICE,
                            "device %u is not one of %s", i, p->name);
    *count = 0;
    *out = alloc_try_zeroed(p->build_count, sizeof **out);
    if (!*out)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < p->build_count; i++) {
        bool wanted = !n;

        for (cl_uint j = 0; j < n; j++)
            wanted |= devices[j] == p->builds[i].device;
        if (wanted)
            (*out)[(*count)++] =
                (ocl_made){.build = &p->builds[i], .failed = true};
    }
    return CL_SUCCESS;
}

static void take_messages(const diag *dg, strbuf *log)
{
    char *text = NULL;
    size_t size;
    FILE *f = diag_count(dg) ? open_memstream(&text, &size) : NULL;

    if (!f)
        return;
    diag_print(dg, f, false);
    if (fclose(f) == 0)
        strbuf_write(log, text, size);
    free(text);
}

static rt_options compile_options(void)
{
    rt_options how = {0};

    if (drv.session)
        how = drv.setup->rt;
    how.partial = true;
    return how;
}

/* The text of units is read only where a definition is missing. */
typedef struct missing {
    const ocl_made *made;
    link_units *units; /* owned; NULL: not needed so far */
} missing;

static void put_users(void *data, const char *name, size_t size, strbuf *log)
{
    missing *m = data;

    if (!m->made->unit_count)
        return;
    if (!m->units)
        m->units = link_units_new(m->made->units, m->made->unit_count);
    link_units_users(m->units, name, size, log);
}

static bool is_incomplete(ocl_made *m)
{
    missing what = {.made = m};
    const ptx_text_users users = {put_users, &what};
    bool incomplete = ptx_text_undefined(m->code, &users, &m->log);

    link_units_free(what.units);
    return incomplete;
}

void build_load(ocl_made *m, const char *name)
{
    rt_device *d = m->build->device->is->rt;
    rt_options how = compile_options();
    isa_program *p = NULL;
    diag *dg = diag_new();

    m->failed = true;
    if (!dg || is_incomplete(m)) {
        diag_free(dg);
        return;
    }
    status st =
        rt_compile(rt_device_config(d), &how, name, m->code, m->size, dg, &p);
    if (st == ST_OK && !p->kernel_count && p->missing_count)
        st = ST_PROGRAM;
    if (st == ST_OK)
        st = rt_module_new(d, p, dg, &m->module);
    m->failed = st != ST_OK;
    if (m->failed)
        isa_program_free(p);
    take_messages(dg, &m->log);
    diag_free(dg);
}

/* The texts that reports show belong to the program. */
static drv_module loaded_as(cl_program p, rt_module *module)
{
    return (drv_module){
        .number = module ? ++drv.modules : 0,
        .name = p->name,
        .file = p->source ? COMPILE_FILE : NULL,
        .source = p->source,
        .module = module,
    };
}

/* Before something new is there; a binary is kept where nothing could be made
 * of it. */
static void build_forget(ocl_build *b, bool keep)
{
    ocl_build old = *b;

    if (keep) {
        b->code = NULL;
        b->binary = NULL;
        b->infos = NULL;
    }
    program_build_clear(b);
    if (keep) {
        b->type = old.type;
        b->code = old.code;
        b->code_size = old.code_size;
        b->binary = old.binary;
        b->binary_size = old.binary_size;
        b->infos = old.infos;
        b->traits = old.traits;
    }
}

cl_int build_commit(cl_program p, ocl_made *made, unsigned n,
                    const char *options, cl_int failure)
{
    cl_int code = CL_SUCCESS;

    for (unsigned i = 0; i < n; i++) {
        ocl_made *m = &made[i];
        ocl_build *b = m->build;

        build_forget(b, m->failed && !p->source);
        b->options = options ? new_text(options) : NULL;
        b->log = m->log.text;
        m->log = (strbuf){0};
        b->status = m->failed ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
        if (m->failed) {
            code = failure;
            continue;
        }
        b->type = m->type;
        b->code = m->code;
        b->code_size = m->size;
        b->infos = m->infos;
        b->arg_info = m->arg_info;
        b->traits = m->traits;
        b->loaded = loaded_as(p, m->module);
        m->code = NULL;
        m->infos = NULL;
        m->module = NULL;
    }
    return code;
}

void build_made_free(ocl_made *made, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        rt_module_unload(made[i].module);
        kernel_infos_free(made[i].infos);
        strbuf_fini(&made[i].log);
        free(made[i].code);
    }
    free(made);
}

/* ---- clBuildProgram ---- */

/* All devices take the same PTX. */
static cl_int build_source(cl_program p, const char *options,
                           const ocl_options *o, ocl_made *made, unsigned n)
{
    compile_job job = {.to = COMPILE_PTX,
                       .source = p->source,
                       .options = options,
                       .args = o->args};
    compile_result r;
    cl_int code = compile_run(&job, &r);

    for (unsigned i = 0; i < n; i++) {
        made[i].failed = true;
        made[i].type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        made[i].arg_info = o->arg_info;
        strbuf_puts(&made[i].log, r.log);
        if (code != CL_SUCCESS)
            continue;
        made[i].code = build_copy(r.out, r.size);
        made[i].size = r.size;
        build_load(&made[i], p->name);
    }
    compile_result_fini(&r);
    return build_unavailable(code) ? code : CL_SUCCESS;
}

/* An object, linked on its own. */
static cl_int build_object(cl_program p, const ocl_options *o, ocl_made *m)
{
    const ocl_build *b = m->build;
    compile_file object = {
        .name = p->name, .text = b->code, .size = b->code_size};
    compile_job job = {.to = COMPILE_PTX,
                       .args = o->args,
                       .traits = b->traits,
                       .objects = &object,
                       .object_count = 1};
    compile_result r;
    cl_int code = compile_run(&job, &r);

    strbuf_puts(&m->log, r.log);
    m->code = r.out;
    m->size = r.size;
    r.out = NULL;
    compile_result_fini(&r);
    m->arg_info = b->arg_info;
    build_add_infos(m, b->infos);
    m->failed = true;
    m->units = &object;
    m->unit_count = 1;
    if (m->code)
        build_load(m, p->name);
    m->unit_count = 0;
    return build_unavailable(code) ? code : CL_SUCCESS;
}

static void build_executable(cl_program p, ocl_made *m)
{
    const ocl_build *b = m->build;

    m->arg_info = true;
    m->code = build_copy(b->code, b->code_size);
    m->size = b->code_size;
    m->infos = kernel_infos_of_ptx(m->code);
    build_load(m, p->name);
}

static cl_int build_binary(cl_program p, const ocl_options *o, ocl_made *m)
{
    bool object = m->build->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE;

    m->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    if (object)
        return build_object(p, o, m);
    build_executable(p, m);
    return CL_SUCCESS;
}

/* Without the lock. */
static cl_int make_all(cl_program p, const char *options, const ocl_options *o,
                       ocl_made *made, unsigned n)
{
    cl_int code = CL_SUCCESS;

    if (p->source)
        return build_source(p, options, o, made, n);
    for (unsigned i = 0; i < n && code == CL_SUCCESS; i++)
        code = build_binary(p, o, &made[i]);
    return code;
}

static cl_int check_build(const char *function, cl_program p,
                          build_callback call, const void *data)
{
    if (!object_is(p, OCL_PROGRAM))
        return ocl_fail(function, CL_INVALID_PROGRAM, "%p is no program",
                        (void *)p);
    if (!call && data)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "user data without a function for it");
    if (p->held)
        return ocl_fail(function, CL_INVALID_OPERATION,
                        "%s is being built already", p->name);
    if (p->kernels)
        return ocl_fail(function, CL_INVALID_OPERATION,
                        "kernels of %s in use: %u", p->name, p->kernels);
    return CL_SUCCESS;
}

cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *devices,
                      const char *options, build_callback call, void *data)
{
    ocl_options o = {0};
    ocl_made *made = NULL;
    unsigned count = 0;
    strbuf why = {0};
    cl_int code;
    OCL_LOCK();

    code = check_build(__func__, p, call, data);
    if (code == CL_SUCCESS)
        code = build_list(__func__, p, n, devices, &made, &count);
    if (code == CL_SUCCESS && !options_read(options, OPTIONS_BUILD, &o, &why))
        code =
            FAIL(CL_INVALID_BUILD_OPTIONS, "%.*s", (int)why.size - 1, why.text);
    for (unsigned i = 0; code == CL_SUCCESS && i < count; i++)
        if (!p->source && !made[i].build->code)
            code = FAIL(CL_INVALID_BINARY, "%s has no binary for that device",
                        p->name);
    strbuf_fini(&why);
    if (code != CL_SUCCESS) {
        options_fini(&o);
        build_made_free(made, count);
        return code;
    }
    program_look_through(p, options ? options : "");
    program_hold(p);
    for (unsigned i = 0; i < count; i++)
        made[i].build->status = CL_BUILD_IN_PROGRESS;
    drv_unlock();
    code = make_all(p, options, &o, made, count);
    drv_lock();
    cl_int built =
        build_commit(p, made, count, options, CL_BUILD_PROGRAM_FAILURE);
    if (code == CL_SUCCESS)
        code = built;
    if (code != CL_SUCCESS)
        FAIL(code, "%s", program_log(p));
    object_use(p);
    program_let_go(p);
    build_notify(call, p, data);
    object_drop(p);
    build_made_free(made, count);
    options_fini(&o);
    return code;
}

/* ---- Declarations ---- */

/* No other thread has changed the program meanwhile. */
static void seek_infos(cl_program p, ocl_build *b)
{
    ocl_options o = {0};
    strbuf why = {0};
    compile_result r = {0};
    compile_job job = {
        .to = COMPILE_INFO, .source = p->source, .options = b->options};
    kernel_infos *found = NULL;

    if (!p->source || !options_read(b->options, OPTIONS_BUILD, &o, &why)) {
        strbuf_fini(&why);
        return;
    }
    job.args = o.args;
    drv_unlock();
    if (compile_run(&job, &r) == CL_SUCCESS)
        found = kernel_infos_of_llvm(r.out);
    drv_lock();
    compile_result_fini(&r);
    options_fini(&o);
    b->infos = found;
}

const kernel_infos *program_infos(cl_program p, ocl_build *b)
{
    if (b->infos || b->infos_sought)
        return b->infos;
    program_hold(p);
    if (!b->infos && !b->infos_sought) /* while it waited */
        seek_infos(p, b);
    b->infos_sought = true;
    program_let_go(p);
    return b->infos;
}
