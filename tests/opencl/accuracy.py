#!/usr/bin/env python3
# tests/opencl/accuracy.py make|check FOLDER - the mathematical functions of the
# prelude against Python's, within the errors that OpenCL allows
# [OCL30:relative-error-as-ulps]. `make` writes k.cl, operands and launch.yaml;
# when k.ptx has run, `check` reads the results. References are of doubles, so
# that those of doubles are allowed one ulp more.
import math
import os
import random
import struct
import sys

N = 2048
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, 3.0, -3.0, 10.0,
         2.0**-149, -2.0**-149, 2.0**-126, 2.0**-127, 2.0**24, -2.0**24,
         3.4028234663852886e38, math.inf, -math.inf, math.nan, 88.7, -88.0,
         -103.9, 127.5, -149.0, 100.5, 1e10, 1e22, 35.0, 8.0, -8.0]


def pi_part(x):
    """x - n/2 and n modulo 4; both are exact."""
    if math.isinf(x):
        return math.nan, 0
    r = math.fmod(x, 2.0)
    n = round(2 * r)
    return r - n / 2, n % 4


def sinpi(x):
    if math.isnan(x) or math.isinf(x):
        return math.nan
    r, n = pi_part(x)
    v = math.cos(math.pi * r) if n & 1 else math.sin(math.pi * r)
    return -v if n & 2 else v


def cospi(x):
    if math.isnan(x) or math.isinf(x):
        return math.nan
    r, n = pi_part(x)
    v = math.cos(math.pi * r) if not n & 1 else -math.sin(math.pi * r)
    return -v if n & 2 else v


def guarded(f):
    """Python raises where C returns infinities and NaNs."""
    def call(*a):
        try:
            return f(*a)
        except (ValueError, ZeroDivisionError):
            return math.nan
        except OverflowError:
            return math.inf
    return call


def rootn(x, n):
    if n == 0 or math.isnan(x) or (x < 0 and n % 2 == 0):
        return math.nan
    if x == 0 or math.isinf(x):
        v = 0.0 if (x == 0) == (n > 0) else math.inf
        return math.copysign(v, x) if n % 2 else v
    return math.copysign(math.exp2(math.log2(abs(x)) / n), x)


def tgamma(x):
    if x == 0:
        return math.copysign(math.inf, x)
    return math.gamma(x) if abs(x) < 170 else math.inf if x > 0 else math.nan


def ldexp(x, n):
    try:
        return math.ldexp(x, n)
    except OverflowError:
        return math.copysign(math.inf, x)


def divide(x, y):
    if y == 0 and x != 0 and not math.isnan(x):
        return math.copysign(math.inf, x) * math.copysign(1, y)
    return x / y


def nextafter(x, y):
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if x == y:
        return y
    if x == 0:
        return math.copysign(2.0**-149, y)
    bits, = struct.unpack('<i', struct.pack('<f', x))
    bits += 1 if (x < y) == (x > 0) else -1
    return struct.unpack('<f', struct.pack('<i', bits))[0]


exp2 = getattr(math, 'exp2', lambda x: 2.0**x)
math.exp2 = exp2
# name, expression, reference, ulp; operands are x, y and the int n
FLOATS = [
    ('exp', 'exp(x)', math.exp, 3), ('exp2', 'exp2(x)', exp2, 3),
    ('exp10', 'exp10(x)', lambda x: 10.0**x, 3),
    ('sinpi', 'sinpi(x)', sinpi, 4), ('cospi', 'cospi(x)', cospi, 4),
    ('fmod', 'fmod(x, y)', math.fmod, 0),
    ('remainder', 'remainder(x, y)', math.remainder, 0),
    ('nextafter', 'nextafter(x, y)', nextafter, 0),
    ('ldexp', 'ldexp(x, n)', ldexp, 0.5), ('rootn', 'rootn(x, n)', rootn, 16),
    ('erfc', 'erfc(x)', math.erfc, 16), ('tgamma', 'tgamma(x)', tgamma, 16),
    ('sin', 'sin(x)', math.sin, 4), ('tan', 'tan(x)', math.tan, 5),
    ('log', 'log(x)', lambda x: math.log(x) if x else -math.inf, 3),
    ('divide', 'x / y', divide, 2.5),
    ('sqrt', 'sqrt(x)', math.sqrt, 3), ('atan2', 'atan2(x, y)', math.atan2, 6),
]
DOUBLES = [
    ('sin', 'sin(x)', math.sin, 4), ('cos', 'cos(x)', math.cos, 4),
    ('tan', 'tan(x)', math.tan, 5), ('sinpi', 'sinpi(x)', sinpi, 4),
    ('ldexp', 'ldexp(x, n)', ldexp, 0.5),
    ('tgamma', 'tgamma(x)', tgamma, 16), ('exp', 'exp(x)', math.exp, 3),
]


def rounded(v, kind):
    if kind == 'd' or math.isnan(v) or math.isinf(v):
        return v
    try:
        return struct.unpack('<f', struct.pack('<f', v))[0]
    except OverflowError:
        return math.copysign(math.inf, v)


def operands(kind, which):
    rng = random.Random(10 * which + (kind == 'd'))
    out = []
    for i in range(N):
        if i < len(EDGES)**2:
            v = EDGES[i % len(EDGES) if not which else i // len(EDGES)]
        elif i % 3 == 0:
            v, = struct.unpack('<' + kind,
                               rng.randbytes(4 if kind == 'f' else 8))
        elif i % 3 == 1:
            v = rng.uniform(-40, 40)
        else:
            v = rng.uniform(-2, 2)**5
        out.append(rounded(v, kind))
    return out


def integers():
    rng = random.Random(7)
    return [rng.choice((rng.randrange(-9, 10), rng.randrange(-300, 300),
                        rng.randrange(-2**31, 2**31))) for _ in range(N)]


def ulps(got, want, kind):
    if math.isnan(want) or math.isnan(got):
        return 0 if math.isnan(want) and math.isnan(got) else math.inf
    near = rounded(want, kind)
    if got == near:
        return 0
    if math.isinf(near) or math.isinf(got):
        return math.inf
    digits, least = (24, -149) if kind == 'f' else (53, -1074)
    exponent = max(math.frexp(want)[1] - digits, least)
    return abs(got - want) / 2.0**exponent


def each():
    for kind, rows in (('f', FLOATS), ('d', DOUBLES)):
        for row in rows:
            yield (kind,) + row


def make(folder):
    kernels = ['#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n']
    buffers, launches, dumps = [], [], []
    for kind, name, text, _, _ in each():
        t = 'float' if kind == 'f' else 'double'
        kernels.append('kernel void %s_%s(global const %s *a, global const %s '
                       '*b,\n    global const int *c, global %s *r)\n'
                       '{\n    size_t i = get_global_id(0);\n    %s x = a[i], '
                       'y = b[i];\n    int n = c[i];\n    r[i] = %s;\n}\n' %
                       (name, kind, t, t, t, t, text))
        r = '%s_%s' % (name, kind)
        buffers.append('  %s: {type: %s, count: %d, init: zero}\n' %
                       (r, {'f': 'f32', 'd': 'f64'}[kind], N))
        launches.append('  - {kernel: %s, grid: [%d, 1, 1], block: [128, 1, 1],'
                        ' args: [%s0, %s1, n, %s]}\n' %
                        (r, N // 128, kind, kind, r))
        dumps.append('  %s: %s.bin\n' % (r, r))
    for kind in 'fd':
        for which in (0, 1):
            name = '%s%d' % (kind, which)
            with open(os.path.join(folder, name + '.bin'), 'wb') as f:
                f.write(struct.pack('<%d%s' % (N, kind),
                                    *operands(kind, which)))
            buffers.append('  %s: {type: %s, file: %s.bin}\n' %
                           (name, {'f': 'f32', 'd': 'f64'}[kind], name))
    with open(os.path.join(folder, 'n.bin'), 'wb') as f:
        f.write(struct.pack('<%di' % N, *integers()))
    buffers.append('  n: {type: s32, file: n.bin}\n')
    with open(os.path.join(folder, 'k.cl'), 'w') as f:
        f.write(''.join(kernels))
    with open(os.path.join(folder, 'launch.yaml'), 'w') as f:
        f.write('program: k.ptx\nbuffers:\n' + ''.join(buffers) +
                'launches:\n' + ''.join(launches) + 'dump:\n' + ''.join(dumps))


def check(folder):
    bad = 0
    for kind, name, text, reference, limit in each():
        with open(os.path.join(folder, '%s_%s.bin' % (name, kind)), 'rb') as f:
            got = struct.unpack('<%d%s' % (N, kind), f.read())
        x, y, n = operands(kind, 0), operands(kind, 1), integers()
        reference = guarded(reference)
        limit += kind == 'd'
        shown = 0
        for i in range(N):
            args = (x[i],) if '(x)' in text else \
                (x[i], n[i]) if ', n' in text else (x[i], y[i])
            want = reference(*args)
            if name == 'tgamma' and math.isnan(want) and abs(x[i]) >= 170:
                continue # Python's overflows
            if ulps(got[i], want, kind) > limit and shown < 3:
                shown += 1
                print('%s_%s%s = %r, not %r' % (name, kind, args, got[i],
                                                want))
        bad += shown > 0
    print('%d functions, %d wrong' % (len(FLOATS) + len(DOUBLES), bad))
    return bad > 0


sys.exit({'make': make, 'check': check}[sys.argv[1]](sys.argv[2]))
