/* A program of several sources, compiled with -rdc=true: its linked container
 * has machine code alone, the PTX is in the parts'. A kernel of one calls a
 * function of the other, and launches a kernel. */
#include "cuda/functions.h"
#include "pack.h"
#include "program.h"
#include "test.h"

/* fill: out[t] = f(t) + own, with f(t) = 2t + own of the other part, then puts
 * out[0] + 1 into out[32] by a kernel that it launches. */
static const char first[] =
    ".version 9.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) f(.param .b32 x);\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2\n"
    "(.param .b64 k, .param .align 4 .b8 grid[12],\n"
    " .param .align 4 .b8 block[12], .param .b32 shared);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2\n"
    "(.param .b64 buffer, .param .b64 stream);\n"
    ".global .align 4 .u32 own = 3;\n"
    ".visible .entry next(.param .u64 out)\n"
    "{ .reg .u64 %rd<2>; .reg .u32 %r<2>; ld.param.u64 %rd1, [out];\n"
    "ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1;\n"
    "st.global.u32 [%rd1+128], %r1; ret; }\n"
    ".visible .entry fill(.param .u64 out)\n"
    "{ .reg .u64 %rd<6>; .reg .u32 %r<5>; .reg .pred %q<2>;\n"
    ".param .b32 x; .param .b32 r; .param .b64 k;\n"
    ".param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12];\n"
    ".param .b32 shared; .param .b64 buffer; .param .b64 stream;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; st.param.b32 [x], %r1;\n"
    "call (r), f, (x); ld.param.b32 %r2, [r]; ld.global.u32 %r3, [own];\n"
    "add.u32 %r2, %r2, %r3; mul.wide.u32 %rd2, %r1, 4;\n"
    "add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2;\n"
    "setp.ne.u32 %q1, %r1, 0; @%q1 ret;\n"
    "mov.u64 %rd4, next; st.param.b64 [k], %rd4;\n"
    "st.param.b32 [grid], 1; st.param.b32 [grid+4], 1;\n"
    "st.param.b32 [grid+8], 1; st.param.b32 [block], 1;\n"
    "st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;\n"
    "st.param.b32 [shared], 0;\n"
    "call (buffer), __cudaCDP2GetParameterBufferV2, (k, grid, block, shared);\n"
    "ld.param.b64 %rd5, [buffer]; st.u64 [%rd5], %rd1;\n"
    "st.param.b64 [stream], 0;\n"
    "call (r), __cudaCDP2LaunchDeviceV2, (buffer, stream); ret; }\n";
static const char second[] =
    ".version 9.0\n.target sm_70\n.address_size 64\n"
    ".global .align 4 .u32 own = 4;\n"
    ".visible .func (.param .b32 r) f(.param .b32 x)\n"
    "{ .reg .u32 %r<4>; ld.param.u32 %r1, [x]; ld.global.u32 %r2, [own];\n"
    "shl.b32 %r1, %r1, 1; add.u32 %r3, %r1, %r2; st.param.b32 [r], %r3;\n"
    "ret; }\n";

static char fill; /* its address on the host */

__attribute__((constructor)) static void register_program(void)
{
    static struct {
        int magic, version;
        const void *data;
        const void *const *parts;
    } w;
    static strbuf whole, one, two;
    static const void *parts[3];

    unsetenv("HEDDLE_SESSION");
    setenv("HEDDLE_GPU", "v100", 1);
    pack_container(&whole, &(pack_image){PACK_ELF, 70, 0, "no code", 8}, 1,
                   PACK_CODE_PLAIN);
    pack_container(&one,
                   &(pack_image){PACK_PTX, 70, 0, first, sizeof first - 1}, 1,
                   PACK_CODE_ZSTD);
    pack_container(&two,
                   &(pack_image){PACK_PTX, 70, 0, second, sizeof second - 1}, 1,
                   PACK_CODE_PLAIN);
    parts[0] = one.text;
    parts[1] = two.text;
    w.magic = 0x466243b1;
    w.version = 2;
    w.data = whole.text;
    w.parts = parts;
    void **handle = __cudaRegisterFatBinary(&w);
    program_kernel(handle, &fill, "fill");
    __cudaRegisterFatBinaryEnd(handle);
}

TEST(parts_of_a_program_are_linked)
{
    unsigned got[33];
    void *out, *args[] = {&out};

    NEED_MEMORY();
    CHECK_EQ(cudaMalloc(&out, sizeof got), cudaSuccess);
    CHECK_EQ(
        cudaLaunchKernel(&fill, (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0, 0),
        cudaSuccess);
    CHECK_EQ(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost),
             cudaSuccess);
    for (unsigned i = 0; i < 32; i++)
        CHECK_EQ(got[i], 2 * i + 4 + 3);
    CHECK_EQ(got[32], 4 + 3 + 1);
    CHECK_EQ(cudaFree(out), cudaSuccess);
}
