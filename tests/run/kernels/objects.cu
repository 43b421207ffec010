// Trees of objects with virtual functions on the heap, recursion, function
// pointers, structures by value. As C++ for the host it prints the words that
// the kernel writes:
//   c++ -fwrapv -x c++ objects.cu -o objects && ./objects | cksum
//   nvcc -arch=sm_75 -ptx objects.cu -o objects.ptx
#include <cstdio>
#ifdef __CUDACC__
#define DEVICE __device__
#else
#define DEVICE
#endif

struct Shape {
    DEVICE virtual ~Shape() {}
    DEVICE virtual int area(int d) const = 0;
    DEVICE virtual int kind() const { return 0; }
};

struct Square : Shape {
    int a;
    DEVICE Square(int x) : a(x) {}
    DEVICE int area(int d) const { return a * a + d; }
    DEVICE int kind() const { return 1; }
};

struct Stripes : Square {
    int b;
    DEVICE Stripes(int x, int y) : Square(x), b(y) {}
    DEVICE int area(int d) const
    {
        int s = 0;
        for (int i = 0; i < b; i++)
            s += Square::area(i) % 7;
        return s * a + d;
    }
};

struct Pair : Shape {
    Shape *l, *r;
    DEVICE Pair(Shape *x, Shape *y) : l(x), r(y) {}
    DEVICE ~Pair()
    {
        delete l;
        delete r;
    }
    DEVICE int area(int d) const
    {
        int x = l->area(d + 1), y = r->area(d + 2);
        return x > y ? x - y : x + 2 * y;
    }
    DEVICE int kind() const { return 2 + l->kind() + r->kind(); }
};

DEVICE Shape *make(int seed, int depth)
{
    if (depth == 0 || seed % 5 == 0) {
        if (seed & 1)
            return new Square(seed % 11);
        return new Stripes(seed % 7 + 1, seed % 13);
    }
    return new Pair(make(seed * 3 + 1, depth - 1),
                    make(seed / 2 + 7, depth - 1));
}

struct Words {
    unsigned v[20];
};

DEVICE __attribute__((noinline)) Words mix(Words a, int n)
{
    Words r = {};
    for (int i = 0; i < 20; i++)
        r.v[(i * n + 1) % 20] = a.v[i] + n;
    if (n > 1) {
        Words t = mix(r, n - 1);
        for (int i = 0; i < 20; i++)
            r.v[i] ^= t.v[19 - i];
    }
    return r;
}

typedef int (*operation)(int, int);
DEVICE int add(int a, int b) { return a + b; }
DEVICE int mul(int a, int b) { return a * b; }
DEVICE int sub(int a, int b) { return a - b; }

DEVICE int fold(operation f, int n)
{
    int s = 1;
    for (int i = 1; i <= n; i++) {
        s = f(s, i);
        if (s > 100000)
            s %= 97;
    }
    return s;
}

DEVICE unsigned work(int t)
{
    Shape *s = make(t * 7 + 3, t % 5);
    unsigned r = s->area(0) * 10 + s->kind();
    delete s;
    operation f = t % 3 == 0 ? add : t % 3 == 1 ? mul : sub;
    r = r * 31 + fold(f, t % 17 + 1);
    Words b;
    for (int i = 0; i < 20; i++)
        b.v[i] = t * i;
    b = mix(b, t % 6 + 1);
    for (int i = 0; i < 20; i++)
        r = r * 33 + b.v[i];
    return r;
}

#ifdef __CUDACC__
extern "C" __global__ void objects(unsigned *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    out[t] = work(t);
}
#else
int main()
{
    for (int t = 0; t < 256; t++) {
        unsigned r = work(t);
        fwrite(&r, sizeof r, 1, stdout);
    }
}
#endif
