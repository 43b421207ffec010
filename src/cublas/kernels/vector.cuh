/* Functions of vectors. T: what is stored, A: what is calculated with. */
#ifndef VECTOR_CUH
#define VECTOR_CUH

#include "number.cuh"

template <typename T> struct real_of {
    typedef T type;
};
template <typename R> struct real_of<complex<R>> {
    typedef R type;
};

template <typename T> DEVICE T &at(const blas_vector &v, long long i)
{
    return ((T *)v.at)[i * v.step];
}

DEVICE long long first_index()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}
DEVICE long long index_step() { return (long long)gridDim.x * blockDim.x; }

#define EACH(i, n) for (long long i = first_index(); i < (n); i += index_step())

/* ---- Element by element ---- */

template <typename T, typename A> DEVICE void scal(const blas_vectors &p)
{
    A alpha = scalar_read<A>(p.alpha);

    EACH(i, p.n)
    at<T>(p.x, i) = as<T>::from(alpha * as<A>::from(at<T>(p.x, i)));
}

template <typename T, typename A> DEVICE void axpy(const blas_vectors &p)
{
    A alpha = scalar_read<A>(p.alpha);

    if (is_zero(alpha))
        return;
    EACH(i, p.n)
    at<T>(p.y, i) = as<T>::from(alpha * as<A>::from(at<T>(p.x, i)) +
                                as<A>::from(at<T>(p.y, i)));
}

template <typename T> DEVICE void copy(const blas_vectors &p)
{
    EACH(i, p.n)
    at<T>(p.y, i) = at<T>(p.x, i);
}

template <typename T> DEVICE void swap(const blas_vectors &p)
{
    EACH(i, p.n)
    {
        T x = at<T>(p.x, i);

        at<T>(p.x, i) = at<T>(p.y, i);
        at<T>(p.y, i) = x;
    }
}

template <typename R> DEVICE R scaled(R by, R a) { return by * a; }
template <typename R> DEVICE complex<R> scaled(R by, complex<R> a)
{
    return {by * a.x, by * a.y};
}

template <typename T> DEVICE void scal_real(const blas_vectors &p)
{
    auto alpha = scalar_read<typename real_of<T>::type>(p.alpha);

    EACH(i, p.n)
    at<T>(p.x, i) = scaled(alpha, at<T>(p.x, i));
}

/* A rotation by the cosine alpha, which is real, and the sine beta. */
template <typename T> DEVICE void rot(const blas_vectors &p)
{
    auto c = scalar_read<typename real_of<T>::type>(p.alpha);
    T s = scalar_read<T>(p.beta);

    EACH(i, p.n)
    {
        T x = at<T>(p.x, i), y = at<T>(p.y, i);

        at<T>(p.x, i) = scaled(c, x) + s * y;
        at<T>(p.y, i) = scaled(c, y) - conjugate(s) * x;
    }
}

/* ---- Reductions ----
 *
 * Blocks reduce parts of the vectors in an order that depends on the length
 * only; with more than one block, one block of a second launch reduces what
 * they have made. A reduction R has a state, that of nothing, and what adds an
 * element, another state, and makes the result. */

enum { THREADS = 256 };

template <typename R> DEVICE void reduce(const blas_vectors &p)
{
    __shared__ R all[THREADS];
    R own = {};

    if (p.stage == 0)
        EACH(i, p.n)
    own.element(p, i);
    else if (threadIdx.x < BLAS_PARTS && threadIdx.x < p.n) own =
        ((const R *)p.parts)[threadIdx.x];
    all[threadIdx.x] = own;
    for (unsigned n = THREADS / 2; n; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n)
            all[threadIdx.x].other(all[threadIdx.x + n]);
    }
    if (threadIdx.x)
        return;
    if (p.stage == 0 && gridDim.x > 1)
        ((R *)p.parts)[blockIdx.x] = all[0];
    else
        all[0].end(p);
}

template <typename A> DEVICE void result_write(const blas_vectors &p, A v)
{
    switch (p.type) {
    case BLAS_F16:
        *(half16 *)p.result = as<half16>::from(as<float>::from(v));
        break;
    case BLAS_BF16:
        *(bfloat16 *)p.result = as<bfloat16>::from(as<float>::from(v));
        break;
    case BLAS_F32:
        *(float *)p.result = as<float>::from(v);
        break;
    case BLAS_F64:
        *(double *)p.result = as<double>::from(v);
        break;
    case BLAS_C32:
        *(complex32 *)p.result = as<complex32>::from(v);
        break;
    case BLAS_C64:
        *(complex64 *)p.result = as<complex64>::from(v);
        break;
    }
}

template <typename T, typename A> struct dot {
    A sum;

    __device__ void element(const blas_vectors &p, long long i)
    {
        A x = as<A>::from(at<T>(p.x, i));

        sum =
            sum + (p.conjugate ? conjugate(x) : x) * as<A>::from(at<T>(p.y, i));
    }
    __device__ void other(const dot &o) { sum = sum + o.sum; }
    __device__ void end(const blas_vectors &p) { result_write(p, sum); }
};

template <typename T, typename R> struct asum {
    R sum;

    __device__ void element(const blas_vectors &p, long long i)
    {
        sum = sum + magnitude(at<T>(p.x, i));
    }
    __device__ void other(const asum &o) { sum = sum + o.sum; }
    __device__ void end(const blas_vectors &p) { result_write(p, sum); }
};

/* Squares of doubles may be too large or too small: those numbers are summed
 * apart, scaled by a power of two. Each state is a number of `double`s. */
struct squares {
    double large, middle, small;

    __device__ void add(double v)
    {
        const double LARGE = 0x1p480, SMALL = 0x1p-480;
        double m = magnitude(v);

        if (m > LARGE)
            large += m * 0x1p-600 * (m * 0x1p-600);
        else if (m < SMALL)
            small += m * 0x1p600 * (m * 0x1p600);
        else
            middle += m * m; /* a NaN, too */
    }
    __device__ void other(const squares &o)
    {
        large += o.large;
        middle += o.middle;
        small += o.small;
    }
    /* The largest kind that is there hides the others but for its neighbour. */
    __device__ double root() const
    {
        if (large > 0 || large != large)
            return sqrt(large + middle * 0x1p-600 * 0x1p-600) * 0x1p600;
        if (middle > 0 || middle != middle)
            return sqrt(middle + small * 0x1p-600 * 0x1p-600);
        return sqrt(small) * 0x1p-600;
    }
};

template <typename T> struct nrm2 {
    squares sum;

    __device__ static void add(squares &s, double v) { s.add(v); }
    __device__ static void add(squares &s, half16 v)
    {
        s.add(as<double>::from(v));
    }
    __device__ static void add(squares &s, bfloat16 v)
    {
        s.add(as<double>::from(v));
    }
    template <typename R> __device__ static void add(squares &s, complex<R> v)
    {
        s.add(v.x);
        s.add(v.y);
    }
    __device__ void element(const blas_vectors &p, long long i)
    {
        add(sum, at<T>(p.x, i));
    }
    __device__ void other(const nrm2 &o) { sum.other(o.sum); }
    __device__ void end(const blas_vectors &p) { result_write(p, sum.root()); }
};

/* The first of the largest or smallest; index 0: none. */
template <typename T, typename R> struct extreme {
    long long index;
    R size;
    int smallest;

    __device__ void offer(long long i, R v)
    {
        bool better = smallest ? v < size : v > size;

        if (i && (!index || better || (v == size && i < index))) {
            index = i;
            size = v;
        }
    }
    __device__ void element(const blas_vectors &p, long long i)
    {
        smallest = p.smallest;
        offer(i + 1, magnitude(at<T>(p.x, i)));
    }
    __device__ void other(const extreme &o)
    {
        smallest |= o.smallest;
        offer(o.index, o.size);
    }
    __device__ void end(const blas_vectors &p)
    {
        if (p.type == BLAS_I8)
            *(long long *)p.result = index;
        else
            *(int *)p.result = (int)index;
    }
};

/* ---- The making of rotations: one thread ---- */

/* sqrt(|a|^2 + |b|^2), where squares may overflow. */
template <typename R> DEVICE R hypotenuse(R a, R b)
{
    R scale = a > b ? a : b, x = a / scale, y = b / scale;

    return scale == 0 ? 0 : scale * sqrt(x * x + y * y);
}

template <typename R> DEVICE void rotg_of(R *a, R *b, R *c, R *s)
{
    R x = *a, y = *b, size_x = magnitude(x), size_y = magnitude(y);
    R r = hypotenuse(size_x, size_y);

    if ((size_x > size_y ? x : y) < 0)
        r = -r;
    *c = r == 0 ? 1 : x / r;
    *s = r == 0 ? 0 : y / r;
    *a = r;
    *b = r == 0 ? 0 : size_x > size_y ? *s : *c != 0 ? 1 / *c : 1;
}

template <typename R>
DEVICE void rotg_of(complex<R> *a, complex<R> *b, R *c, complex<R> *s)
{
    complex<R> x = *a, y = *b;
    R size_x = hypotenuse(magnitude(x.x), magnitude(x.y));
    R size_y = hypotenuse(magnitude(y.x), magnitude(y.y));
    R r = hypotenuse(size_x, size_y);

    if (size_x == 0) {
        *c = 0;
        *s = {1, 0};
        *a = y;
        return;
    }
    complex<R> unit = {x.x / size_x, x.y / size_x};
    complex<R> part = {y.x / r, -y.y / r};
    *c = size_x / r;
    *s = unit * part;
    *a = scaled(r, unit);
}

template <typename T> DEVICE void rotg(const blas_rotation &p)
{
    rotg_of((T *)p.a, (T *)p.b, (typename real_of<T>::type *)p.c, (T *)p.s);
}

/* ---- Kernels ---- */

#define VECTOR(name, ...)                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS)                      \
        heddle_blas_##name(blas_vectors p)                                     \
    {                                                                          \
        __VA_ARGS__(p);                                                        \
    }

#define VECTORS(letter, T, R)                                                  \
    extern "C" __global__ void heddle_blas_##letter##rotg(blas_rotation p)     \
    {                                                                          \
        rotg<T>(p);                                                            \
    }                                                                          \
    VECTOR(letter##scal, scal<T, T>)                                           \
    VECTOR(letter##scal_real, scal_real<T>)                                    \
    VECTOR(letter##axpy, axpy<T, T>)                                           \
    VECTOR(letter##copy, copy<T>)                                              \
    VECTOR(letter##swap, swap<T>)                                              \
    VECTOR(letter##rot, rot<T>)                                                \
    VECTOR(letter##dot, reduce<dot<T, T>>)                                     \
    VECTOR(letter##asum, reduce<asum<T, R>>)                                   \
    VECTOR(letter##nrm2, reduce<nrm2<T>>)                                      \
    VECTOR(letter##extreme, reduce<extreme<T, R>>)

/* Of 16 bits. */
#define VECTORS_SHORT(letter, T)                                               \
    VECTOR(letter##scal, scal<T, float>)                                       \
    VECTOR(letter##axpy, axpy<T, float>)                                       \
    VECTOR(letter##dot, reduce<dot<T, float>>)                                 \
    VECTOR(letter##nrm2, reduce<nrm2<T>>)

#endif
