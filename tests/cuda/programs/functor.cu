/* functor.cu - templates of kernels, with what they compute as an object that
 * is passed by value. */
#include <cuda_runtime.h>

#include "check.h"

enum { N = 1500 };

struct saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const
    {
        return a * x + y;
    }
};

/* Larger, and with a table in it. */
struct polynomial {
    float c[5];
    int degree;
    __host__ __device__ float operator()(float x, float y) const
    {
        float r = y;

        for (int i = degree; i >= 0; i--)
            r = r * x + c[i];
        return r;
    }
};

struct maximum {
    template <class T> __host__ __device__ T operator()(T x, T y) const
    {
        return x < y ? y : x;
    }
};

template <class T, class F>
__global__ void transform(const T *x, const T *y, T *to, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = f(x[i], y[i]);
}

template <int THREADS, class T, class F>
__global__ void reduce(const T *x, int n, T *to, F f)
{
    __shared__ T part[THREADS];
    T mine = x[threadIdx.x];

    for (int i = threadIdx.x; i < n; i += THREADS)
        mine = f(mine, x[i]);
    part[threadIdx.x] = mine;
    for (int by = THREADS / 2; by > 0; by /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < by)
            part[threadIdx.x] = f(part[threadIdx.x], part[threadIdx.x + by]);
    }
    if (threadIdx.x == 0)
        *to = part[0];
}

template <class T> struct arrays {
    T x[N], y[N], got[N], *dx, *dy, *to;
};

/* Small whole numbers: exact, however products are added. */
template <class T, class F> static void check(const char *name, F f, T range)
{
    static arrays<T> a;
    T top, is;

    for (int i = 0; i < N; i++) {
        a.x[i] = (T)(i * 7 % 11) - range;
        a.y[i] = (T)(i * 3 % 13) - range;
    }
    TRY(cudaMalloc(&a.dx, sizeof a.x));
    TRY(cudaMalloc(&a.dy, sizeof a.y));
    TRY(cudaMalloc(&a.to, sizeof a.got));
    TRY(cudaMemcpy(a.dx, a.x, sizeof a.x, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(a.dy, a.y, sizeof a.y, cudaMemcpyHostToDevice));
    transform<<<(N + 191) / 192, 192>>>(a.dx, a.dy, a.to, (int)N, f);
    TRY(cudaMemcpy(a.got, a.to, sizeof a.got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        SAME(a.got[i], f(a.x[i], a.y[i]), i);
    reduce<128><<<1, 128>>>(a.to, (int)N, a.dx, maximum());
    TRY(cudaMemcpy(&is, a.dx, sizeof is, cudaMemcpyDeviceToHost));
    top = a.got[0];
    for (int i = 1; i < N; i++)
        top = maximum()(top, a.got[i]);
    SAME(is, top, 0);
    printf("%s: maximum %g\n", name, (double)top);
    TRY(cudaFree(a.dx));
    TRY(cudaFree(a.dy));
    TRY(cudaFree(a.to));
}

int main()
{
    check<float>("saxpy", saxpy{3}, 5);
    check<float>("polynomial", polynomial{{1, -2, 3, 0, 2}, 4}, 5);
    check<int>("maximum of int", maximum(), 6);
    check<double>("maximum of double", maximum(), 6);
    return passed();
}
