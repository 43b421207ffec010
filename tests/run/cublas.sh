#!/bin/sh
# tests/run/cublas.sh - programs with cuBLAS under `heddle exec`: linked, loaded,
# with a folder of the vendor's in them, and made by nvcc.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
build=$(dirname "$heddle")
if sanitized || [ ! -e "$build/libheddle-preload.so" ]; then
    skip cublas "no libheddle-preload.so for programs without sanitizers"
    finish
fi
if ! command -v cc >/dev/null; then
    skip cublas "no C compiler"
    finish
fi
run() { "$heddle" exec -q --functional -o report.txt -- "$@"; }

# y = 2 x + y, and a product in two ways of asking.
cat >main.c <<'END'
#include <stdio.h>
typedef struct cublasContext *handle;
int cudaMalloc(void **p, unsigned long n);
int cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy);
int cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy);
int cublasCreate_v2(handle *h);
int cublasSaxpy_v2(handle h, int n, const float *a, const float *x, int incx,
                   float *y, int incy);
int cublasZtpmv_v2();
int cublasInit(void);
void cublasSgemm(char ta, char tb, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta,
                 float *c, int ldc);
float cublasSdot(int n, const float *x, int incx, const float *y, int incy);
int cublasGetError(void);
int main(void)
{
    handle h;
    float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40}, two = 2, *dx, *dy;
    if (cublasCreate_v2(&h) || cudaMalloc((void **)&dx, 16) ||
        cudaMalloc((void **)&dy, 16))
        return 2;
    cublasSetVector(4, 4, x, 1, dx, 1);
    cublasSetVector(4, 4, y, 1, dy, 1);
    cublasSaxpy_v2(h, 4, &two, dx, 1, dy, 1);
    cublasGetVector(4, 4, dy, 1, y, 1);
    printf("axpy %g %g %g %g\n", y[0], y[1], y[2], y[3]);
    cublasInit();
    cublasSgemm('t', 'N', 2, 2, 2, 1, dx, 2, dx, 2, 0, dy, 2);
    cublasGetVector(4, 4, dy, 1, y, 1);
    printf("gemm %g %g %g %g, dot %g, %d\n", y[0], y[1], y[2], y[3],
           cublasSdot(4, dx, 1, dx, 1), cublasGetError());
    cublasSgemm('x', 'N', 2, 2, 2, 1, dx, 2, dx, 2, 0, dy, 2);
    printf("then %d,", cublasGetError());
    printf(" %d\n", cublasGetError());
    printf("missing %d %d\n", cublasZtpmv_v2(), cublasZtpmv_v2());
    return 0;
}
END
# What programs are linked to: names and versions only, as the vendor's have.
stub() { # FILE NODE FUNCTION...
    file=$1 node=$2
    shift 2
    for f; do echo "int $f(void) { return -1; }"; done >stub.c
    echo "$node { global: *; };" >stub.map
    cc -shared -fPIC -w -fno-builtin stub.c -o "vendor/$file" \
        -Wl,-soname,"$file" -Wl,--version-script=stub.map
}
mkdir vendor
stub libcudart.so.13 libcudart.so.13 cudaMalloc
stub libcublas.so.13 libcublas.so.13 cublasSetVector cublasGetVector \
    cublasCreate_v2 cublasSaxpy_v2 cublasZtpmv_v2 cublasInit cublasSgemm \
    cublasSdot cublasGetError cublasGetMatrix \
    cublasDgemm_v2 cublasDnrm2_v2 cublasDestroy_v2
link() { # OUT OPTION...
    program=$1
    shift
    cc -w main.c vendor/libcudart.so.13 vendor/libcublas.so.13 -o "$program" \
        "$@"
}
expect "links" 0 -- link plain
expect "what a linked program gets" 0 'axpy 12 24 36 48' \
    'gemm 5 11 11 25, dot 30, 0' 'then 7, 0' 'missing 15 15' \
    'cublasZtpmv_v2 is not in' -- run ./plain
expect "the report says whose kernels they are" 0 'heddle_blas_saxpy ' \
    "heddle_blas_\*: Heddle's own kernels" -- cat report.txt
expect "a RUNPATH gives way" 0 -- \
    link runpath -Wl,--enable-new-dtags,-rpath,"$tmp/vendor"
expect "to Heddle's" 0 'axpy 12 24 36 48' -- run ./runpath
expect "an RPATH does not" 0 -- \
    link rpath -Wl,--disable-new-dtags,-rpath,"$tmp/vendor"
expect "which is told" 2 "vendor/libcublas.so.13 is the vendor's.*RPATH" -- \
    run ./rpath

cat >load.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *l = dlopen(argv[1], RTLD_NOW);
    int (*create)(void **) = l ? dlsym(l, "cublasCreate_v2") : 0;
    void *handle = 0;
    if (!create)
        puts(dlerror());
    printf("create %d\n", create ? create(&handle) : -1);
    return !handle;
}
END
expect "compiles" 0 -- cc load.c -o load
for version in 11 12 13; do
    expect "loaded: $version" 0 'create 0' -- run ./load libcublas.so.$version
done
expect "its neighbour is there, too" 0 'create 0' -- \
    run ./load libcublasLt.so.12

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if ! [ -e "$(dirname "$nvcc")/../include/cublas_v2.h" ]; then
    skip "made by nvcc" "no CUDA toolkit with cuBLAS"
    finish
fi
cat >program.cu <<'END'
#include <cublas_v2.h>
#include <stdio.h>
__global__ void fill(double *x, int n)
{
    if (threadIdx.x < n)
        x[threadIdx.x] = threadIdx.x;
}
int main()
{
    double *x, one = 1, zero = 0, y[4], norm;
    cublasHandle_t h;
    cudaMalloc(&x, 32 * 8);
    fill<<<1, 32>>>(x, 32);
    if (cublasCreate(&h) != CUBLAS_STATUS_SUCCESS)
        return 2;
    cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 3, &one, x, 2, x, 2, &zero,
                x + 16, 2);
    cublasGetMatrix(2, 2, 8, x + 16, 2, y, 2);
    cublasDnrm2(h, 5, x, 1, &norm);
    printf("%g %g %g %g, %.6f\n", y[0], y[1], y[2], y[3], norm);
    cublasDestroy(h);
}
END
for kind in static shared; do
    expect "compiles: $kind runtime" 0 -- "$nvcc" -arch=sm_75 -cudart $kind \
        -o program program.cu -L"$tmp/vendor" -l:libcublas.so.13
    expect "made by nvcc, $kind runtime" 0 '20 26 26 35, 5.477226' -- \
        run ./program
done
finish
