/* tests/opencl/kernels.h - small kernels for tests of launches, without a
 * compiler of OpenCL C. */
#ifndef OPENCL_KERNELS_H
#define OPENCL_KERNELS_H

#include "driver/kernel_command.h"
#include "rig.h"
#include "runtime/memory.h"

static const char kernels_ptx[] =
    ".version 7.0\n"
    ".target sm_20\n"
    ".address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func __assertfail(.param .b64 text, .param .b64 file,\n"
    "    .param .b32 line, .param .b64 func, .param .b64 size);\n"
    ".global .align 1 .b8 format[4] = {37, 100, 10, 0};\n" /* "%d\n" */
    ".global .align 1 .b8 word[4] = {98, 97, 100, 0};\n"   /* "bad" */
    /* to[global id] += by */
    ".visible .entry add(.param .u64 to, .param .u32 by)\n"
    "{\n"
    "    .reg .b32 %r<8>;\n"
    "    .reg .b64 %d<4>;\n"
    "    mov.u32 %r0, %tid.x;\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mad.lo.u32 %r0, %r1, %r2, %r0;\n"
    "    ld.param.u64 %d0, [to];\n"
    "    mad.wide.u32 %d0, %r0, 4, %d0;\n"
    "    ld.param.u32 %r3, [by];\n"
    "    ld.global.u32 %r4, [%d0];\n"
    "    add.u32 %r4, %r4, %r3;\n"
    "    st.global.u32 [%d0], %r4;\n"
    "    ret;\n"
    "}\n"
    /* *to = by, which need not be memory */
    ".visible .entry poke(.param .u64 to, .param .u32 by)\n"
    "{\n"
    "    .reg .b32 %r<2>;\n"
    "    .reg .b64 %d<2>;\n"
    "    ld.param.u64 %d0, [to];\n"
    "    ld.param.u32 %r0, [by];\n"
    "    st.global.u32 [%d0], %r0;\n"
    "    ret;\n"
    "}\n"
    /* without end as long as *to is by */
    ".visible .entry spin(.param .u64 to, .param .u32 by)\n"
    "{\n"
    "    .reg .b32 %r<3>;\n"
    "    .reg .b64 %d<2>;\n"
    "    .reg .pred %p;\n"
    "    ld.param.u64 %d0, [to];\n"
    "    ld.param.u32 %r0, [by];\n"
    "AGAIN:\n"
    "    ld.volatile.global.u32 %r1, [%d0];\n"
    "    setp.eq.u32 %p, %r0, %r1;\n"
    "    @%p bra AGAIN;\n"
    "    ret;\n"
    "}\n"
    /* to[global id] += 1, after so many rounds */
    ".visible .entry loop(.param .u64 to, .param .u32 by)\n"
    "{\n"
    "    .reg .b32 %r<8>;\n"
    "    .reg .b64 %d<4>;\n"
    "    .reg .pred %p;\n"
    "    mov.u32 %r0, %tid.x;\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mad.lo.u32 %r0, %r1, %r2, %r0;\n"
    "    ld.param.u64 %d0, [to];\n"
    "    mad.wide.u32 %d0, %r0, 4, %d0;\n"
    "    ld.param.u32 %r3, [by];\n"
    "ROUND:\n"
    "    sub.u32 %r3, %r3, 1;\n"
    "    setp.ne.u32 %p, %r3, 0;\n"
    "    @%p bra ROUND;\n"
    "    ld.global.u32 %r4, [%d0];\n"
    "    add.u32 %r4, %r4, 1;\n"
    "    st.global.u32 [%d0], %r4;\n"
    "    ret;\n"
    "}\n"
    /* printf("%d\n", by) */
    ".visible .entry print(.param .u64 to, .param .u32 by)\n"
    "{\n"
    "    .reg .b32 %r<2>;\n"
    "    .reg .b64 %d<4>;\n"
    "    .local .align 8 .b8 args[8];\n"
    "    .param .b64 pf;\n"
    "    .param .b64 pa;\n"
    "    .param .b32 pr;\n"
    "    ld.param.u32 %r0, [by];\n"
    "    st.local.u32 [args], %r0;\n"
    "    mov.u64 %d0, args;\n"
    "    cvta.local.u64 %d0, %d0;\n"
    "    mov.u64 %d1, format;\n"
    "    cvta.global.u64 %d1, %d1;\n"
    "    st.param.b64 [pf], %d1;\n"
    "    st.param.b64 [pa], %d0;\n"
    "    call (pr), vprintf, (pf, pa);\n"
    "    ret;\n"
    "}\n";

typedef struct kernels {
    rt_module *module;
    uint64_t memory; /* 256 words of 0 */
} kernels;

static inline kernels kernels_load(cl_device_id d)
{
    kernels k = {0};
    diag *dg = diag_new();

    if (rt_module_load_text(d->is->rt, "kernels.ptx", kernels_ptx,
                            sizeof kernels_ptx - 1, dg, &k.module) != ST_OK)
        diag_print(dg, stderr, false);
    diag_free(dg);
    CHECK(k.module);
    k.memory = rt_alloc(drv.image, 1024, "words");
    CHECK(k.memory);
    return k;
}

static inline uint32_t kernels_word(const kernels *k, unsigned i)
{
    uint32_t word = 0;

    CHECK(rt_read(drv.image, k->memory + 4ull * i, &word, 4));
    return word;
}

/* Launches `name`(to, by) for so many threads, 64 in a block, after events. */
static inline cl_int kernels_after(const kernels *k, cl_command_queue q,
                                   const char *name, uint64_t to, uint32_t by,
                                   uint32_t threads, cl_uint n,
                                   const cl_event *waits, cl_event *e)
{
    OCL_LOCK();
    drv_launch *l = launch_new(q, CL_COMMAND_NDRANGE_KERNEL);
    diag *dg = diag_new();

    l->module = (drv_module){.number = 1,
                             .name = "program 1",
                             .file = "kernels.ptx",
                             .source = kernels_ptx,
                             .module = k->module};
    l->code = rt_module_kernel(k->module, name, dg);
    diag_free(dg);
    CHECK(l->code && l->code->param_bytes >= 12);
    l->work_dim = 1;
    for (int i = 0; i < 3; i++)
        l->grid[i] = l->block[i] = l->threads[i] = 1;
    l->grid[0] = (threads + 63) / 64;
    l->block[0] = threads < 64 ? threads : 64;
    l->threads[0] = threads;
    uint8_t *params = l->params = calloc(1, l->code->param_bytes);
    memcpy(params, &to, 8);
    memcpy(params + 8, &by, 4);
    return command_enqueue(l, n, waits, false, e);
}

static inline cl_int kernels_enqueue(const kernels *k, cl_command_queue q,
                                     const char *name, uint64_t to, uint32_t by,
                                     uint32_t threads, cl_event *e)
{
    return kernels_after(k, q, name, to, by, threads, 0, NULL, e);
}

#endif
