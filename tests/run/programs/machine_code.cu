/* tests/run/programs/machine_code.cu - what machine code needs of a machine
 * besides instructions: a stack, calls, constants, addresses, the run-time. */
#include <stdio.h>

__constant__ float unused[8];
__constant__ float factor[4] = {1, 2, 3, 4};
__device__ int count = 7, zeroes[10], *inside = &zeroes[2];
__managed__ int managed = 3;

/* It calls itself. */
__device__ __noinline__ float deep(float x, int n)
{
    return n <= 0 ? x : deep(x * 2, n - 1) + factor[n & 3];
}

#ifdef WHOLE
#include "parts.cu"
#else
extern __device__ float apart(float x);
#endif

typedef float (*function)(float, int);
__device__ function chosen = deep;
__device__ __noinline__ float says(float x, int n)
{
    if (n == 9)
        printf("nine %g\n", x);
    return x + apart(n);
}

__global__ void calls(float *p, int n, char c)
{
    __shared__ float kept[64];
    extern __shared__ float more[];
    unsigned i = threadIdx.x;

    kept[i] = p[n];
    more[i] = c;
    __syncthreads();
    function f = (n + i) & 1 ? deep : says;
    p[i] = deep(kept[63 - i], n) + factor[n] + count + zeroes[n] + *inside +
           more[n] + chosen(1, 2) + f(3, i);
    if (i == 0)
        p[1] = apart(p[2]);
}

struct shape {
    __device__ virtual float area(float x) { return x; }
};
struct square : shape {
    __device__ float area(float x) override { return x * x; }
};

__global__ void virtually(float *p, int n)
{
    shape a;
    square b;
    shape *s = n ? &a : &b;

    p[0] = s->area(p[1]);
}

__global__ void services(int *p)
{
    int own[32];

    printf("%d of %d %s\n", p[0], threadIdx.x, "threads");
    for (int i = 0; i < 32; i++)
        own[i] = p[i];
    p[0] = own[p[3]];
    int *heap = (int *)malloc(4);
    *heap = 5;
    p[1] = *heap;
    free(heap);
    p[2] = heap != 0;
    atomicAdd(&managed, 1);
}

__global__ void many(int *p, int n)
{
    switch (n) {
    case 0:
        p[0] = 1;
        break;
    case 1:
        p[1] = p[2] * 3;
        break;
    case 2:
        p[5] = 7;
        break;
    case 3:
        p[3] = p[4] / p[2];
        break;
    case 4:
        p[6] = p[1];
        break;
    case 5:
        p[1] = p[7] & p[2];
        break;
    case 6:
        p[8] = 2;
        break;
    default:
        p[9] = p[10];
    }
}

union {
    float f[64];
    int i[64];
} h;
void *d;

static void put(void) { cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice); }

static void get(void)
{
    cudaError_t e = cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);

    if (e != cudaSuccess)
        printf("%s\n", cudaGetErrorString(e));
}

int main(void)
{
    int squares[10];

    cudaMalloc(&d, sizeof h);
    for (int i = 0; i < 64; i++)
        h.f[i] = i;
    for (int i = 0; i < 10; i++)
        squares[i] = i * i;
    cudaMemcpyToSymbol(zeroes, squares, sizeof squares);
    put();
    calls<<<1, 64, 256>>>((float *)d, 3, 'b');
    get();
    for (int i = 0; i < 64; i += 5)
        printf("%g\n", h.f[i]);
    for (int n = 0; n < 2; n++) {
        virtually<<<1, 1>>>((float *)d, n);
        get();
        printf("%g\n", h.f[0]);
    }
    for (int n = 0; n < 9; n++) {
        unsigned sum = 0;

        for (int i = 0; i < 64; i++)
            h.i[i] = 7 * i + 3;
        put();
        many<<<1, 1>>>((int *)d, n);
        get();
        for (int i = 0; i < 64; i++)
            sum = 31 * sum + h.i[i];
        printf("%x\n", sum);
    }
    services<<<1, 2>>>((int *)d);
    get();
    printf("%d %d %d, %d\ndone\n", h.i[0], h.i[1], h.i[2], managed);
}
