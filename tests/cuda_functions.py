#!/usr/bin/env python3
"""CUDA's device functions as tools/ptxcc has them without a toolkit, against
Python: `make DIR` writes k.cu, operands and launch.yaml; when k.ptx has run,
`check DIR` compares. Every operand comes from memory, so that the compiler
computes nothing itself."""
import math
import os
import random
import struct
import sys

M32, M64 = 2**32 - 1, 2**64 - 1
LANES = 32


def signed(x, bits=32):
    x &= 2**bits - 1
    return x - 2**bits if x >> (bits - 1) else x


def single(x):
    try:
        return struct.unpack('f', struct.pack('f', x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def bits_of(x, kind='f', as_kind='I'):
    return struct.unpack(as_kind, struct.pack(kind, x))[0]


def half(x):
    return struct.unpack('e', struct.pack('e', x))[0]


def reverse(x, bits):
    return int(format(x, '0%db' % bits)[::-1], 2)


def byte_perm(a, b, s):
    both = (b << 32 | a).to_bytes(8, 'little')
    return int.from_bytes(bytes(both[s >> 4 * i & 7] for i in range(4)),
                          'little')


def funnel_l(low, high, n):
    return ((high << 32 | low) << (n & 31)) >> 32 & M32


def funnel_r(low, high, n):
    return (high << 32 | low) >> (n & 31) & M32


def s24(x):
    return signed(x << 8) >> 8


# Name, operands (u32, s32, u64, s64), what it gives.
INTEGERS = [
    ('__popc', 'u', lambda a: bin(a).count('1')),
    ('__popcll', 'U', lambda a: bin(a).count('1')),
    ('__clz', 'i', lambda a: 32 - (a & M32).bit_length()),
    ('__clzll', 'I', lambda a: 64 - (a & M64).bit_length()),
    ('__ffs', 'i', lambda a: (a & -a & M32).bit_length()),
    ('__ffsll', 'I', lambda a: (a & -a & M64).bit_length()),
    ('__brev', 'u', lambda a: reverse(a, 32)),
    ('__brevll', 'U', lambda a: reverse(a, 64)),
    ('__byte_perm', 'uuu', byte_perm),
    ('__funnelshift_l', 'uuu', funnel_l),
    ('__funnelshift_r', 'uuu', funnel_r),
    ('__funnelshift_lc', 'uun',
     lambda l, h, n: funnel_l(l, h, n) if n < 32 else l),
    ('__funnelshift_rc', 'uun',
     lambda l, h, n: funnel_r(l, h, n) if n < 32 else h),
    ('__umulhi', 'uu', lambda a, b: a * b >> 32),
    ('__mulhi', 'ii', lambda a, b: a * b >> 32),
    ('__umul64hi', 'UU', lambda a, b: a * b >> 64),
    ('__mul64hi', 'II', lambda a, b: a * b >> 64),
    ('__mul24', 'ii', lambda a, b: signed(s24(a) * s24(b))),
    ('__umul24', 'uu', lambda a, b: (a & 0xffffff) * (b & 0xffffff) & M32),
    ('__sad', 'iiu', lambda a, b, c: abs(a - b) + c & M32),
    ('__usad', 'uuu', lambda a, b, c: abs(a - b) + c & M32),
    ('__hadd', 'ii', lambda a, b: a + b >> 1),
    ('__rhadd', 'ii', lambda a, b: a + b + 1 >> 1),
    ('__uhadd', 'uu', lambda a, b: a + b >> 1),
    ('__urhadd', 'uu', lambda a, b: a + b + 1 >> 1),
    ('min', 'ii', min), ('max', 'ii', max), ('min', 'uu', min),
    ('max', 'uu', max), ('min', 'II', min), ('max', 'UU', max),
    ('abs', 'i', lambda a: signed(abs(a))),
    ('__dp4a', 'iii', lambda a, b, c: signed(c + sum(
        signed(a >> 8 * i, 8) * signed(b >> 8 * i, 8) for i in range(4)))),
    ('__int_as_float', 'i', lambda a: struct.unpack(
        'f', struct.pack('i', a))[0]),
]


def guarded(f):
    def g(*x):
        try:
            return f(*x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan
    return g


def away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


# Name of doubles (singles: with f), ranges of operands, reference, ulps.
REALS = [
    ('sin', [(-20, 20)], math.sin, 4), ('cos', [(-20, 20)], math.cos, 4),
    ('tan', [(-1.5, 1.5)], math.tan, 5), ('asin', [(-1, 1)], math.asin, 4),
    ('acos', [(-1, 1)], math.acos, 4), ('atan', [(-9, 9)], math.atan, 5),
    ('sinh', [(-9, 9)], math.sinh, 4), ('cosh', [(-9, 9)], math.cosh, 4),
    ('tanh', [(-9, 9)], math.tanh, 5), ('asinh', [(-9, 9)], math.asinh, 4),
    ('acosh', [(1, 9)], math.acosh, 4), ('atanh', [(-1, 1)], math.atanh, 5),
    ('exp', [(-80, 80)], math.exp, 3), ('exp2', [(-100, 100)],
                                        lambda x: 2.0**x, 3),
    ('exp10', [(-30, 30)], lambda x: 10.0**x, 3),
    ('expm1', [(-1, 3)], math.expm1, 3), ('log', [(0, 9)], math.log, 3),
    ('log2', [(0, 9)], math.log2, 3), ('log10', [(0, 9)], math.log10, 3),
    ('log1p', [(-.9, 9)], math.log1p, 3),
    ('cbrt', [(0, 90)], lambda x: x**(1 / 3), 4),
    ('erf', [(-3, 3)], math.erf, 16), ('erfc', [(-3, 3)], math.erfc, 16),
    ('tgamma', [(.5, 9)], math.gamma, 16),
    ('lgamma', [(3, 90)], math.lgamma, 16),
    ('pow', [(0, 9), (-9, 9)], math.pow, 16),
    ('atan2', [(-9, 9), (-9, 9)], math.atan2, 6),
    ('hypot', [(-9, 9), (-9, 9)], math.hypot, 4),
    ('fmod', [(-99, 99), (1, 9)], math.fmod, 0),
    ('remainder', [(-99, 99), (1, 9)], math.remainder, 0),
    ('sinpi', [(-9, 9)], lambda x: math.sin(math.pi * (x - 2 * round(x / 2))), 12),
    ('sqrt', [(0, 99)], math.sqrt, 0),
    ('rsqrt', [(0, 99)], lambda x: 1 / math.sqrt(x), 3),
    ('fabs', [(-9, 9)], abs, 0), ('floor', [(-9, 9)], math.floor, 0),
    ('ceil', [(-9, 9)], math.ceil, 0), ('trunc', [(-9, 9)], math.trunc, 0),
    ('rint', [(-9, 9)], round, 0), ('round', [(-9, 9)], away, 0),
    ('copysign', [(-9, 9), (-9, 9)], math.copysign, 0),
    ('fmin', [(-9, 9), (-9, 9)], min, 0), ('fmax', [(-9, 9), (-9, 9)], max, 0),
    ('fdim', [(-9, 9), (-9, 9)], lambda x, y: max(x - y, 0.0), 0),
]
EXACT = [0.5, -0.5, 2.5, -2.5, 0.0, -0.0, 1.0, 3.5]

# An expression of singles x, y, z, its value, the relative error.
APPROXIMATE = [
    ('fmaf(x, y, z)', lambda x, y, z: x * y + z, 2**-24),
    ('__expf(x)', lambda x, y, z: math.exp(x), 2**-19),
    ('__logf(y + 2)', lambda x, y, z: math.log(single(y + 2)), 2**-20),
    ('__powf(y + 1, x)', lambda x, y, z: single(y + 1)**x, 2**-16),
    ('__fdividef(x, y)', lambda x, y, z: x / y, 2**-21),
    ('__saturatef(x)', lambda x, y, z: min(max(x, 0.0), 1.0), 0),
    ('__saturatef(y / 16)', lambda x, y, z: y / 16, 0),
    ('rsqrtf(y)', lambda x, y, z: y**-0.5, 2**-22),
    ('__fadd_rz(x, y)', lambda x, y, z: x + y, 2**-23),
    ('__fmul_ru(x, y)', lambda x, y, z: x * y, 2**-23),
    ('__frcp_rn(y)', lambda x, y, z: 1 / y, 2**-24),
    ('norm3df(x, y, z)', lambda x, y, z: math.hypot(x, y, z), 2**-22),
    ('__int2float_rn(__float2int_rd(x))', lambda x, y, z: math.floor(x), 0),
    ('__float2int_rn(x)', lambda x, y, z: round(x), 0),
    ('lrintf(x)', lambda x, y, z: round(x), 0),
    ('ldexpf(x, 5)', lambda x, y, z: x * 32, 0),
    ('(modff(x, &part), part)', lambda x, y, z: math.trunc(x), 0),
    ('frexpf(y, &n) + n', lambda x, y, z: sum(math.frexp(y)), 2**-22),
    ('__float_as_int(y)', lambda x, y, z: bits_of(y), 2**-23),
    ('make_float4(x, y, z, 1).y', lambda x, y, z: y, 0),
    ('(float)__hiloint2double(__double2hiint(y), __double2loint(y))',
     lambda x, y, z: y, 0),
    ('__half2float(__float2half(x))', lambda x, y, z: half(x), 0),
    ('__half2float(__hfma(__half(x), __half(y), __half(z)))',
     lambda x, y, z: half(x) * half(y) + half(z), 2**-10),
    ('(float)(__half(x) * __half(y))', lambda x, y, z: half(x) * half(y),
     2**-11),
    ('nextafterf(x, z)', lambda x, y, z: x, 2**-23),
    ('sinf(x * 5000)', lambda x, y, z: math.sin(single(x * 5000)), 2**-20),
    ('(float)isnan(x)', lambda x, y, z: 0, 0),
]

# For lane l with the value v = l * 7 % 32 and all lanes' values V.
WARP = [
    ('__shfl_sync(~0u, v, 3)', lambda l, V: V[3]),
    ('__shfl_sync(~0u, v, 3, 8)', lambda l, V: V[l // 8 * 8 + 3]),
    ('__shfl_up_sync(~0u, v, 2)', lambda l, V: V[l - 2 if l >= 2 else l]),
    ('__shfl_down_sync(~0u, v, 5)', lambda l, V: V[l + 5 if l < 27 else l]),
    ('__shfl_down_sync(~0u, v, 5, 16)',
     lambda l, V: V[l + 5 if l % 16 < 11 else l]),
    ('__shfl_xor_sync(~0u, v, 9)', lambda l, V: V[l ^ 9]),
    ('(int)__shfl_xor_sync(~0u, (double)v + 0.25, 1)', lambda l, V: V[l ^ 1]),
    ('(int)(__shfl_sync(~0u, (long long)v << 40, 7) >> 40)',
     lambda l, V: V[7]),
    ('(int)__shfl_up_sync(~0u, (float)v, 1)',
     lambda l, V: V[l - 1 if l else 0]),
    ('(int)__ballot_sync(~0u, v & 1)',
     lambda l, V: signed(sum((v & 1) << i for i, v in enumerate(V)))),
    ('__any_sync(~0u, v == 31)', lambda l, V: 1),
    ('__any_sync(~0u, v == 32)', lambda l, V: 0),
    ('__all_sync(~0u, v < 32)', lambda l, V: 1),
    ('__all_sync(~0u, v < 31)', lambda l, V: 0),
    ('(int)__activemask()', lambda l, V: -1),
    ('(int)__match_any_sync(~0u, v & 3)', lambda l, V: signed(
        sum((v & 3 == V[l] & 3) << i for i, v in enumerate(V)))),
    ('__syncthreads_count(v & 1)', lambda l, V: 16),
    ('__syncthreads_or(v == 9)', lambda l, V: 1),
    ('__syncthreads_and(v != 9)', lambda l, V: 0),
    ('(__syncwarp(), v)', lambda l, V: V[l]),
    ('__ldg(values + l)', lambda l, V: V[l]),
    ('__ldcg(values + l) + __ldcs(values + l)', lambda l, V: 2 * V[l]),
    ('__ldg((const int2 *)values + l / 2).y', lambda l, V: V[l | 1]),
    ('(__stcg(room + l, v), __threadfence(), room[l])', lambda l, V: V[l]),
]

# Each lane of the warp does it to one word that begins with `first`.
ATOMICS = [
    ('atomicAdd', 'int', 100, 'v', lambda V: 100 + sum(V)),
    ('atomicAdd', 'unsigned', 1, 'v', lambda V: 1 + sum(V)),
    ('atomicAdd', 'unsigned long long', 2**40, 'v', lambda V: 2**40 + sum(V)),
    ('atomicAdd', 'float', 0.5, 'v', lambda V: 0.5 + sum(V)),
    ('atomicAdd', 'double', 0.25, 'v', lambda V: 0.25 + sum(V)),
    ('atomicAdd_block', 'int', 1, 'v', lambda V: 1 + sum(V)),
    ('atomicSub', 'int', 1000, 'v', lambda V: 1000 - sum(V)),
    ('atomicMin', 'int', 5, 'v - 9', lambda V: -9),
    ('atomicMax', 'unsigned', 5, 'v', lambda V: 31),
    ('atomicMax', 'long long', -5, '(long long)v << 40', lambda V: 31 << 40),
    ('atomicAnd', 'unsigned', 255, '~(1u << v % 4)', lambda V: 240),
    ('atomicOr', 'int', 0, '1 << v % 8', lambda V: 255),
    ('atomicXor', 'unsigned long long', 3, '1ull << v', lambda V: M32 ^ 3),
    ('atomicInc', 'unsigned', 0, '6', lambda V: 32 % 7),
    ('atomicDec', 'unsigned', 3, '6', lambda V: (3 - 32) % 7),
    ('atomicExch', 'float', 2, '4.5f', lambda V: 4.5),
]


def numbers(kinds, rng):
    for k in kinds:
        bits = 64 if k in 'UI' else 32
        x = rng.choice([0, 1, 2**bits - 1, 2**(bits - 1),
                        rng.getrandbits(bits), rng.getrandbits(bits),
                        rng.getrandbits(bits), rng.getrandbits(bits)])
        if k == 'n':
            x = rng.randrange(64)
        yield signed(x, bits) if k in 'iI' else x


class Cases:
    """What is computed, the operands in memory, and what it shall be."""

    def __init__(self):
        self.words, self.body, self.want = [], [], []
        self.rng = random.Random(7)

    def operand(self, c_type, form, value):
        self.words.append(struct.pack(form, value).ljust(8, b'\0'))
        return '*(const %s *)(in + %d)' % (c_type, len(self.words) - 1)

    def add(self, name, text, want, error):
        self.body.append('out[%d] = (double)(%s);' % (len(self.want), text))
        self.want.append((name, want, error))

    def integers(self):
        types = {'u': ('unsigned', 'I'), 'i': ('int', 'i'),
                 'U': ('unsigned long long', 'Q'), 'I': ('long long', 'q'),
                 'n': ('unsigned', 'I')}
        for name, kinds, f in INTEGERS:
            for _ in range(12):
                x = list(numbers(kinds, self.rng))
                args = [self.operand(*types[k], v) for k, v in zip(kinds, x)]
                if f(*x) == f(*x): # no NaN
                    self.add('%s%s' % (name, tuple(x)),
                             '%s(%s)' % (name, ', '.join(args)), float(f(*x)),
                             0)

    def reals(self):
        for name, ranges, f, ulps in REALS:
            for kind, c_type, end in (('f', 'float', 'f'), ('d', 'double', '')):
                for i in range(16):
                    x = [self.rng.uniform(*r) for r in ranges]
                    if i < len(EXACT) and ulps == 0 and ranges[0][0] < 0 and \
                            len(ranges) == 1:
                        x = [EXACT[i]]
                    x = [single(v) for v in x] if kind == 'f' else x
                    want = float(guarded(f)(*x))
                    if kind == 'f' and not ulps:
                        want = single(want)
                    args = [self.operand(c_type, kind, v) for v in x]
                    self.add('%s%s%s' % (name, end, tuple(x)),
                             '%s%s(%s)' % (name, end, ', '.join(args)), want,
                             abs(want) * (ulps + (ulps > 0)) *
                             2.0**(-23 if kind == 'f' else -52) +
                             (2.0**-149 if kind == 'f' and ulps else 0))

    def approximate(self):
        for text, f, error in APPROXIMATE:
            for _ in range(6):
                x, y, z = (single(self.rng.uniform(*r)) for r in
                           ((-8, 8), (0.25, 8), (-2, 2)))
                a = ['float %s = %s;' % (n, self.operand('float', 'f', v))
                     for n, v in zip('xyz', (x, y, z))]
                want = f(x, y, z)
                self.body.append('{ %s float part; int n;' % ' '.join(a))
                self.add('%s of %r' % (text, (x, y, z)), text, want,
                         error * (abs(want) + (abs(x * y) if 'fma' in text or
                                               'add' in text else 0)))
                self.body.append('(void)part, (void)n; }')


def kernels():
    c = Cases()
    c.integers()
    c.reals()
    c.approximate()
    V = [l * 7 % 32 for l in range(LANES)]
    warp = ['out[%d + l] = %s;' % (i * LANES, text)
            for i, (text, _) in enumerate(WARP)]
    atomic = []
    for i, (name, kind, first, text, _) in enumerate(ATOMICS):
        atomic.append('''{
        __shared__ %s word;
        if (l == 0) word = (%s)%r;
        __syncthreads();
        %s(&word, (%s)(%s));
        __syncthreads();
        if (l == 0) out[%d] = (double)word; }''' %
                      (kind, kind, first, name, kind, text, i))
    return c, V, '''#include <cuda_runtime.h>
#include <cuda_fp16.h>
extern "C" __global__ void one(const unsigned long long *in, double *out)
{
    %s
}
extern "C" __global__ void warp(const int *values, int *room, int *out)
{
    int l = threadIdx.x, v = values[l];
    %s
}
extern "C" __global__ void atomics(const int *values, double *out)
{
    int l = threadIdx.x, v = values[l];
    (void)v;
    %s
}
''' % ('\n    '.join(c.body), '\n    '.join(warp), '\n    '.join(atomic))


def make(folder):
    c, V, text = kernels()
    with open(os.path.join(folder, 'k.cu'), 'w') as f:
        f.write(text)
    with open(os.path.join(folder, 'in.bin'), 'wb') as f:
        f.write(b''.join(c.words))
    with open(os.path.join(folder, 'values.bin'), 'wb') as f:
        f.write(struct.pack('<%di' % LANES, *V))
    with open(os.path.join(folder, 'launch.yaml'), 'w') as f:
        f.write('''program: k.ptx
buffers:
  in: {type: u64, count: %d, file: in.bin}
  out: {type: f64, count: %d, init: zero}
  values: {type: s32, count: %d, file: values.bin}
  room: {type: s32, count: %d, init: zero}
  lanes: {type: s32, count: %d, init: zero}
  words: {type: f64, count: %d, init: zero}
launches:
  - {kernel: one, grid: 1, block: 1, args: [in, out]}
  - {kernel: warp, grid: 1, block: %d, args: [values, room, lanes]}
  - {kernel: atomics, grid: 1, block: %d, args: [values, words]}
dump: {out: out.bin, lanes: lanes.bin, words: words.bin}
''' % (len(c.words), len(c.want), LANES, LANES, LANES * len(WARP),
       len(ATOMICS), LANES, LANES))


def read(folder, name, form):
    with open(os.path.join(folder, name), 'rb') as f:
        data = f.read()
    return struct.unpack('<%d%s' % (len(data) // struct.calcsize(form), form),
                         data)


def check(folder):
    c, V, _ = kernels()
    wrong = 0
    all_of = list(zip(c.want, read(folder, 'out.bin', 'd')))
    lanes = read(folder, 'lanes.bin', 'i')
    for i, (text, f) in enumerate(WARP):
        for l in range(LANES):
            all_of.append((('%s in lane %d' % (text, l), f(l, V), 0),
                           lanes[i * LANES + l]))
    for a, got in zip(ATOMICS, read(folder, 'words.bin', 'd')):
        all_of.append(((a[0] + ' of ' + a[1], float(a[4](V)), 0), got))
    for (name, want, error), got in all_of:
        if not (abs(got - want) <= error or got == want or
                (got != got and want != want)):
            wrong += 1
            if wrong < 20:
                print('%s is %r, not %r' % (name, got, want))
    print('%d values, %d wrong' % (len(all_of), wrong))


if __name__ == '__main__':
    {'make': make, 'check': check}[sys.argv[1]](sys.argv[2])
