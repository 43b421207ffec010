/* tests/opencl/ptx.h - kernels as clang makes them of OpenCL C, for tests that
 * need no compiler. */
#ifndef OPENCL_PTX_H
#define OPENCL_PTX_H

#include "rig.h"

static const char ptx_text[] =
    "// heddle-kernel\tf\t0 0 0\t0 0 0\t\n"
    "// heddle-arg\t4507 4515 2\tfloat*\tto\n"
    "// heddle-arg\t4508 4515 0\tint*\tpart\n"
    "// heddle-arg\t4510 4515 0\tint\tn\n"
    "// heddle-kernel\tshaped\t8 4 1\t0 0 0\tfloat4\n"
    ".version 6.0\n.target sm_70, texmode_independent\n.address_size 64\n"
    ".global .align 4 .b8 table[40];\n"
    /* to[global id + 16 * dimensions] = n; part[0] is touched */
    ".entry f(.param .u64 .ptr .global .align 4 f_param_0,\n"
    "    .param .u64 .ptr .shared .align 4 f_param_1, .param .u32 f_param_2)\n"
    "{\n"
    "    .reg .b32 %r<10>;\n"
    "    .reg .b64 %d<5>;\n"
    "    .shared .align 4 .b8 own[20];\n"
    "    ld.param.u64 %d0, [f_param_0];\n"
    "    ld.param.u64 %d1, [f_param_1];\n"
    "    ld.param.u32 %r0, [f_param_2];\n"
    "    st.shared.u32 [%d1], %r0;\n"
    "    st.shared.u32 [own], %r0;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    mov.u32 %r2, %ctaid.x;\n"
    "    mov.u32 %r3, %ntid.x;\n"
    "    mad.lo.u32 %r1, %r2, %r3, %r1;\n"
    "    mov.u32 %r4, %envreg0;\n"
    "    add.u32 %r1, %r1, %r4;\n"
    "    mov.u32 %r5, %envreg3;\n"
    "    shl.b32 %r5, %r5, 4;\n"
    "    add.u32 %r1, %r1, %r5;\n"
    "    mad.wide.u32 %d0, %r1, 4, %d0;\n"
    "    st.global.u32 [%d0], %r0;\n"
    "    ret;\n"
    "}\n"
    ".entry shaped() { ret; }\n"
    ".entry value(.param .u8 a, .param .align 16 .b8 b[16], .param .f64 c)\n"
    "{ ret; }\n";

/* A program of that text for both devices, not built. */
static inline cl_program ptx_program(const rig *r, const char *text)
{
    const unsigned char *texts[] = {(const unsigned char *)text,
                                    (const unsigned char *)text};
    const size_t sizes[] = {strlen(text), strlen(text)};
    cl_int each[2] = {1, 1}, err;
    cl_program p = clCreateProgramWithBinary(r->context, 2, r->devices, sizes,
                                             texts, each, &err);

    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(each[0], CL_SUCCESS);
    CHECK_EQ(each[1], CL_SUCCESS);
    return p;
}

static inline cl_program ptx_built(const rig *r)
{
    cl_program p = ptx_program(r, ptx_text);

    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_SUCCESS);
    return p;
}

static inline cl_kernel ptx_kernel(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);

    CHECK_EQ(err, CL_SUCCESS);
    return k;
}

#endif
