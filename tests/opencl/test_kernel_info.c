/* tests/opencl/test_kernel_info.c - declarations of kernels, from the assembly
 * of two versions of LLVM and from PTX. */
#include "opencl/program/kernel_info.h"

#include <CL/cl.h>

#include "test.h"

static const char llvm14[] =
    "; ModuleID = '-'\n"
    "define dso_local spir_kernel void @f(float addrspace(1)* noalias %0, "
    "<4 x float> addrspace(3)* %1, %opencl.image2d_ro_t addrspace(1)* %2) #0 "
    "!kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 "
    "!kernel_arg_base_type !8 !kernel_arg_type_qual !10 !kernel_arg_name !11 "
    "!reqd_work_group_size !12 {\n"
    "  ret void\n"
    "}\n"
    "define dso_local float @helper(float %0) #1 {\n"
    "define dso_local spir_kernel void @g() #4 !kernel_arg_addr_space !2 "
    "!vec_type_hint !20 !work_group_size_hint !21 {\n"
    "!nvvm.annotations = !{!0, !1}\n"
    "!2 = !{}\n"
    "!6 = !{i32 1, i32 3, i32 1}\n"
    "!7 = !{!\"none\", !\"none\", !\"read_only\"}\n"
    "!8 = !{!\"float*\", !\"float4*\", !\"image2d_t\"}\n"
    "!10 = !{!\"restrict const\", !\"\", !\"\"}\n"
    "!11 = !{!\"in\", !\"part\", !\"a\\22b\"}\n"
    "!12 = !{i32 8, i32 4, i32 1}\n"
    "!20 = !{<4 x i32> undef, i32 1}\n"
    "!21 = !{i32 64, i32 1, i32 1}\n";

static void check_f(const kernel_infos *k)
{
    const kernel_info *f = kernel_infos_find(k, "f");

    CHECK(f != NULL);
    CHECK_EQ(f->arg_count, 3);
    CHECK_EQ(f->args[0].address, CL_KERNEL_ARG_ADDRESS_GLOBAL);
    CHECK_EQ(f->args[1].address, CL_KERNEL_ARG_ADDRESS_LOCAL);
    CHECK_EQ(f->args[0].access, CL_KERNEL_ARG_ACCESS_NONE);
    CHECK_EQ(f->args[2].access, CL_KERNEL_ARG_ACCESS_READ_ONLY);
    CHECK_EQ(f->args[0].qualifiers,
             CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT);
    CHECK_EQ(f->args[1].qualifiers, CL_KERNEL_ARG_TYPE_NONE);
    CHECK_STR(f->args[1].type, "float4*");
    CHECK_STR(f->args[0].name, "in");
    CHECK_STR(f->args[2].name, "a\"b");
    CHECK_EQ(f->required[0] * 100 + f->required[1] * 10 + f->required[2], 841);
    CHECK_EQ(f->hint[0], 0);
}

static void check_attributes(const kernel_infos *k, const char *name,
                             const char *want)
{
    strbuf text = {0};

    kernel_info_attributes(kernel_infos_find(k, name), &text);
    CHECK_STR(text.text, want);
    strbuf_fini(&text);
}

TEST(declarations_from_llvm)
{
    kernel_infos *k = kernel_infos_of_llvm(llvm14);

    CHECK_EQ(k->count, 2);
    check_f(k);
    CHECK(!kernel_infos_find(k, "helper"));
    CHECK_EQ(kernel_infos_find(k, "g")->arg_count, 0);
    check_attributes(k, "f", "reqd_work_group_size(8,4,1)");
    check_attributes(k, "g",
                     "work_group_size_hint(64,1,1) vec_type_hint(int4)");
    kernel_infos_free(k);
}

TEST(declarations_survive_as_comments_of_ptx)
{
    kernel_infos *k = kernel_infos_of_llvm(llvm14), *again;
    strbuf text = {0};

    kernel_infos_write(k, &text);
    strbuf_puts(&text, ".version 6.0\n");
    again = kernel_infos_of_ptx(text.text);
    CHECK(again != NULL);
    CHECK_EQ(again->count, 2);
    check_f(again);
    check_attributes(again, "g",
                     "work_group_size_hint(64,1,1) vec_type_hint(int4)");
    kernel_infos_free(k);
    kernel_infos_free(again);
    strbuf_fini(&text);
}

TEST(other_ptx_has_none)
{
    CHECK(!kernel_infos_of_ptx(".version 6.0\n"));
    CHECK(!kernel_infos_of_ptx("//\n// LLVM\n.version 6.0\n"));
    CHECK(!kernel_infos_of_ptx("// heddle-kernel\tk\n"));
    CHECK(!kernel_infos_of_ptx("// heddle-arg\t1 2 3\tint\tx\n"));
    CHECK(!kernel_infos_of_ptx(""));
}

/* Whatever clang may write: nothing is read beyond the end. */
TEST(texts_that_end_anywhere)
{
    for (size_t n = 0; n < sizeof llvm14; n++) {
        char *cut = strndup(llvm14, n);

        kernel_infos_free(kernel_infos_of_llvm(cut));
        kernel_infos_free(kernel_infos_of_ptx(cut));
        free(cut);
    }
}
