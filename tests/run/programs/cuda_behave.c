/* tests/run/programs/cuda_behave.c - a CUDA program that does what its
 * arguments say, one after the other, for tests/run/cuda_lives.sh. It frees
 * nothing. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

enum { COUNT = 4096, BLOCK = 64 };

#define KERNEL(name, body)                                                     \
    ".visible .entry " name "(.param .u64 to)\n"                               \
    "{\n"                                                                      \
    ".reg .u64 %a<3>; .reg .u32 %r<4>; .reg .f32 %f<3>; .reg .pred %p;\n"      \
    "ld.param.u64 %a0, [to]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x;\n"   \
    "mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n"                    \
    "mul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a0, %a1;\n" body "ret;\n"         \
    "}\n"

static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n" KERNEL(
        "set", "mov.f32 %f0, 0f3f800000; st.global.f32 [%a1], %f0;\n")
        KERNEL("twice", "ld.global.f32 %f0, [%a1]; add.f32 %f0, %f0, %f0;\n"
                        "st.global.f32 [%a1], %f0;\n")
    /* counts on, so that it is no hang */
    KERNEL("endless", "AGAIN: ld.volatile.global.f32 %f0, [%a1];\n"
                      "add.f32 %f0, %f0, 0f3f800000;\n"
                      "st.volatile.global.f32 [%a1], %f0;\n"
                      "setp.ge.f32 %p, %f0, 0f00000000; @%p bra AGAIN;\n")
    /* thread 5 of block 3 writes to address 0x1000 */
    KERNEL("fault", "setp.ne.u32 %p, %r0, 197; mov.u64 %a2, 4096;\n"
                    "@!%p st.global.u32 [%a2], %r0;\n");

static const char *const names[] = {"set", "twice", "endless", "fault"};
enum { KERNELS = sizeof names / sizeof *names };
static char kernels[KERNELS]; /* addresses on the host */

__attribute__((constructor)) static void register_program(void)
{
    void **handle = program_code(ptx, sizeof ptx - 1);

    for (unsigned i = 0; i < KERNELS; i++)
        program_kernel(handle, &kernels[i], names[i]);
    __cudaRegisterFatBinaryEnd(handle);
}

static float *memory;

static void must(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(code));
    exit(9);
}

/* "twice:3": three launches. */
static void launches(const char *what)
{
    size_t length = strcspn(what, ":");
    int n = what[length] ? atoi(what + length + 1) : 1;
    unsigned k = 0;

    while (k < KERNELS &&
           (strlen(names[k]) != length || memcmp(names[k], what, length) != 0))
        k++;
    if (k == KERNELS) {
        fprintf(stderr, "no kernel '%s'\n", what);
        exit(2);
    }
    if (!memory)
        must(cudaMalloc((void **)&memory, COUNT * sizeof *memory),
             "cudaMalloc");
    for (int i = 0; i < n; i++)
        must(cudaLaunchKernel(&kernels[k], (dim3){COUNT / BLOCK, 1, 1},
                              (dim3){BLOCK, 1, 1}, (void *[]){&memory}, 0,
                              NULL),
             "cudaLaunchKernel");
}

static void read_back(void)
{
    float first = 0;

    must(cudaMemcpy(&first, memory, sizeof first, cudaMemcpyDeviceToHost),
         "cudaMemcpy");
    printf("first is %g\n", (double)first);
}

static void nothing(void *unused) { (void)unused; }

/* What was launched runs from here on, though nothing waits for it. */
static void begin(void)
{
    must(cudaLaunchHostFunc(NULL, nothing, NULL), "cudaLaunchHostFunc");
}

/* An error stays until the device is reset. */
static void stay(void)
{
    void *p = NULL;

    printf("sync: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("reset: %s\n", cudaGetErrorName(cudaDeviceReset()));
    memory = NULL;
}

/* As without sanitizers, which would make an exit status of it. */
static void die(int how)
{
    signal(how, SIG_DFL);
    raise(how);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];

        if (!strcmp(a, "sync"))
            must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        else if (!strcmp(a, "read"))
            read_back();
        else if (!strcmp(a, "begin"))
            begin();
        else if (!strcmp(a, "stay"))
            stay();
        else if (!strcmp(a, "up"))
            fprintf(stderr, "up\n");
        else if (!strcmp(a, "crash"))
            die(SIGSEGV);
        else if (!strcmp(a, "abort"))
            die(SIGABRT);
        else if (!strcmp(a, "nap"))
            usleep(200000);
        else if (!strcmp(a, "sleep"))
            sleep(60);
        else if (!strcmp(a, "exec")) { /* the rest is the other program's */
            execvp(argv[i + 1], &argv[i + 1]);
            return 8;
        } else if (!strncmp(a, "exit:", 5))
            exit(atoi(a + 5));
        else if (!strncmp(a, "_exit:", 6))
            _exit(atoi(a + 6));
        else
            launches(a);
    }
    return 0;
}
